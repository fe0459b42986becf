# Files of tests/cli/.
