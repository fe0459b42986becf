#!/bin/sh
# A quantile is printed from the least number of trials whose extremes can bound it: the tail of 2.5%
# takes ln 0.025 / ln q of them, 367.04 for p99 and 3,687.03 for p99.9.  One fewer gives none, in
# any output.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello

# column NAME: of the one cell in summary.csv.
column()
{
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at[name] }' \
        "$work/r/summary.csv"
}

# printed NAME KEY COLUMNS...: the quantile stands in all outputs of `run`.  absent: in none.
printed()
{
    row=$(grep -F "  $1 " "$work/out")
    check "$trials trials print $1" test -n "${row##*needs*}"
    check "$1 is in the JSON" sh -c "tr -d '\n' <'$work/json' | grep -q '\"$2\": { *\"value_us\": [0-9]'"
    shift 2
    for name in "$@"; do
        check "$name has a value" test -n "$(column "$name")"
    done
}

absent()
{
    check "$trials trials print no $1" grep -q "^  $1  *-  needs $3 trials\$" "$work/out"
    check "no $1 is in the JSON" sh -c "tr -d '\n' <'$work/json' | grep -q '\"$2\": { *\"value_us\": null'"
    shift 3
    for name in "$@"; do
        check "$name is empty" test -z "$(column "$name")"
    done
}

run()
{
    trials=$1
    exits 0 "run of $1 trials as JSON" run "$hello" --trials "$1" --json
    mv "$work/out" "$work/json"
    exits 0 "run of $1 trials" run "$hello" --trials "$1" --force -o "$work/r"
}

p99="p99_us p99_lo_us p99_hi_us cvar99_us"
p999="p999_us p999_lo_us p999_hi_us"
run 367
absent p99 p99 368 $p99
absent p99.9 p999 3,688 $p999
run 368
printed p99 p99 $p99
absent p99.9 p999 3,688 $p999
run 3687
printed p99 p99 $p99
absent p99.9 p999 3,688 $p999
run 3688
printed p99 p99 $p99
printed p99.9 p999 $p999

finish
