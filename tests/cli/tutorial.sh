#!/bin/sh
# doc/from-profile-to-policy.md: its commands run as they stand, and print the lines that it shows.
. "$SL_SRCDIR/tests/support/tap.sh"
page=$SL_SRCDIR/doc/from-profile-to-policy.md
PATH=$(dirname "$SLACKLINE"):$PATH
SLACKLINE_DATA=$SL_SRCDIR
export PATH SLACKLINE_DATA

# blocks KIND: the lines of the page's blocks of that kind.
blocks()
{
    awk -v kind="$1" '$0 == "```" kind {on = 1; next} /^```/ {on = 0} on' "$page"
}
cp "$SL_SRCDIR/tests/fixtures/traces/weight_stream.json" "$work/"
blocks sh >"$work/commands"
check "the page has commands" test "$(grep -c '^slackline ' "$work/commands")" -ge 8
(cd "$work" && sh -e commands) >"$work/out" 2>"$work/err"
check "they succeed" test $? -eq 0
blocks text >"$work/shown"
check "and show lines" test "$(wc -l <"$work/shown")" -ge 10
while IFS= read -r line; do
    check "it prints: $line" grep -qxF -e "$line" "$work/out"
done <"$work/shown"
# 6 (3 + 2) ms on demand, 3 + 5 x 3 + 2 with a second buffer.
median()
{
    awk -F, -v p="$1" -v c="$2" 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
        $at["policy"] == p && $at["domains.hbm0.capacity"] == c {print $at["median_us"]}' "$work/results/summary.csv"
}
check "on demand" awk -v m="$(median demand 312MB)" 'BEGIN {exit !(m > 29700 && m < 30300)}'
check "ahead, without a second buffer" awk -v m="$(median lookahead-1 156MB)" 'BEGIN {exit !(m > 29700 && m < 30300)}'
check "ahead, with it" awk -v m="$(median lookahead-1 312MB)" 'BEGIN {exit !(m > 19800 && m < 20200)}'
finish
