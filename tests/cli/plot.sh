#!/bin/sh
# Pictures: the printed paths are valid PNGs with an SVG beside each, and missing programs or scripts
# are named.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA

exits 0 "sweep" sweep "$hello" --trials 400 -o "$work/r"
SLACKLINE_DATA=$work "$SLACKLINE" plot "$work/r" >"$work/out" 2>"$work/err"
check "missing scripts exit with 4" test $? -eq 4
says "SLACKLINE_DATA" "and say what to set"
# What libtool's wrapper of an uninstalled program needs, and no gnuplot.
mkdir "$work/bin"
for tool in sh sed ls cat grep dirname basename env expr uname rm; do
    path=$(command -v $tool) && ln -s "$path" "$work/bin/$tool"
done
PATH=$work/bin "$SLACKLINE" plot "$work/r" >"$work/out" 2>"$work/err"
check "a missing gnuplot exits with 4" test $? -eq 4
says "gnuplot-nox" "and says what to install"

if ! command -v gnuplot >/dev/null 2>&1; then
    skip "pictures" "gnuplot is not installed"
    finish
fi
exits 0 "plot" plot "$work/r"
cp "$work/out" "$work/paths"
for kind in tail pareto stalls pressure gantt_median gantt_p99 slack axis; do
    check "a $kind picture" grep -q "/plots/${kind}_" "$work/paths"
done
while read -r path; do
    name=${path##*/}
    # Signature, and the width in the header: 1200 = 0x04b0.
    check "$name is a PNG 1200 pixels wide" sh -c \
        "od -An -tx1 -N20 '$path' | tr -d ' \n' | grep -q '^89504e470d0a1a0a0000000d49484452000004b0'"
    svg=${path%.png}.svg
    check "${name%.png}.svg is whole" sh -c "grep -q '<svg' '$svg' && tail -3 '$svg' | grep -q '</svg>'"
done <"$work/paths"
for kind in tail pareto stalls axis; do
    for svg in "$work/r/plots/${kind}_"*.svg; do
        check "${svg##*/} names the policy that deadlocked" grep -q "Not shown: keep (deadlock" "$svg"
    done
done
check "nothing else is left" sh -c "test \$(ls -A '$work/r/plots' | wc -l) -eq \$((2 * \$(wc -l <'$work/paths')))"

# Trials in which everything started ten seconds late: their marks stay within the slack picture.
cp -r "$work/r" "$work/late"
awk -F, -v OFS=, '$2 == "p99" {for (i = 9; i <= 11; i++) $i += 1e7} {print}' "$work/r/gantt.csv" \
    >"$work/late/gantt.csv"
exits 0 "plot of late starts" plot "$work/late"
marks() { grep -o "href='#gpPt8'" "$1" | wc -l; }
for svg in "$work/late/plots/slack_"*.svg; do
    check "${svg##*/} shows each start of the p99 trial" test "$(marks "$svg")" -gt 2 -a \
        "$(marks "$svg")" -eq "$(marks "$work/r/plots/${svg##*/}")"
done
finish
