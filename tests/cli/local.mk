# Files of tests/cli/.

check_SCRIPTS += tests/cli/check_arrows.sh
EXTRA_DIST += tests/cli/check_arrows.sh
