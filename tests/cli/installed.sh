#!/bin/sh
# `make installcheck`: the installed programs find scripts, devices and pages by themselves, and other
# programs find the library.  SL_INSTALLED... name the folders.
. "$SL_SRCDIR/tests/support/tap.sh"
unset SLACKLINE_DATA
SLACKLINE=$SL_INSTALLED/slackline
cd "$work" || exit 99

exits 0 "the program runs" --version
cp -R "$SL_INSTALLED_DATA/scenarios" "$SL_INSTALLED_DATA/models" . && chmod -R u+w scenarios models
rm -rf "$work/models/devices.away" && mv models models.away
exits 0 "an installed scenario with an installed device is sound" check \
    "$SL_INSTALLED_DATA/scenarios/activation-offload"
exits 0 "a template finds its device" generate llm-train -o made --set layers=1
exits 0 "a copied scenario runs" run scenarios/hello --policy recompute --trials 400 -o results
if command -v gnuplot >/dev/null 2>&1; then
    exits 0 "plot finds its scripts" plot results
    check "... and draws" test -n "$(find results -name '*.png')"
else
    skip "plot finds its scripts" "gnuplot is not installed"
fi
"$SL_INSTALLED/slackline-calibrate" --version >"$work/out" 2>&1
check "slackline-calibrate runs" grep -q slackline-calibrate "$work/out"
for page in man1/slackline.1 man1/slackline-calibrate.1 man5/slackline-scenario.5; do
    check "$page is installed" test -s "$SL_INSTALLED_MAN/$page"
done

printf '#include <slackline.h>\n#include <stdio.h>\nint main(void) { return puts(sl_version()) < 0; }\n' >least.c
PKG_CONFIG_PATH=$SL_INSTALLED_PC
export PKG_CONFIG_PATH
# shellcheck disable=SC2046,SC2086 # flags are words
check "a program is linked with the library" ${CC:-cc} ${SL_CFLAGS:-} -std=c17 least.c \
    $(pkg-config --cflags --libs slackline) -o least
check "... and runs" env LD_LIBRARY_PATH="$SL_INSTALLED_LIB" ./least
finish
