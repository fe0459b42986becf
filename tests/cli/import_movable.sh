#!/bin/sh
# Public traces with their copies left to policies: each is legal under all of its policies, and the baseline, which brings copies
# about when the record did, takes about as long.  It may save what copies took, and the lags of the edges that left with them, where
# threads need not wait any more; what the fit is off by and one copy at a time make it longer.
. "$SL_SRCDIR/tests/support/tap.sh"
data=${SL_SHARED:-}/data
[ -r "$data/kineto/expected_totals.jsonl" ] || { skip "public traces" "no public traces here"; finish; }

moved=0
for trace in "$data"/kineto/*.json.gz "$data"/nsys/*.sqlite; do
    name=$(basename "$trace")
    [ "$name" = no_kernel_table.sqlite ] && continue
    rm -rf "$work/s"
    exits 0 "$name is imported" import "$trace" --movable in -o "$work/s"
    exits 0 "and is legal" check "$work/s"
    grep -q '^policies:' "$work/s/scenario.yaml" || continue
    moved=$((moved + 1))
    policy=$(sed -n 's/^baseline: //p' "$work/s/scenario.yaml")
    exits 0 "it runs" run "$work/s" -p "$policy" --trials 20 --json
    found=$(awk '/"value_us"/ {print $2 + 0; exit}' "$work/out")
    limits=$(awk -F, '{time[$1] = $3} END {
        printf "%.0f %.0f", 0.99 * time["recorded-span"] - time["moved-copies"] - time["dropped-edges"], 1.01 * time["recorded-span"]
    }' "$work/s/report.csv")
    echo "# $name: $policy takes $found us, between $limits"
    check "about as long as recorded" awk -v f="$found" -v limits="$limits" 'BEGIN {split(limits, l, " "); exit !(f > l[1] && f < l[2])}'
done
check "some of them have such copies" test "$moved" -ge 8
finish
