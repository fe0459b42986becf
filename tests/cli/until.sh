#!/bin/sh
# --until of run, compare and sweep: when it stops, what it says, and the same at any number of threads.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello

# 100 x 1,000 trials at the most: p99 is looked at with 586, 1172, 2344, ... (tests/unit/test_until.c).
exits 0 "run until p99 is known to 0.5%" run "$hello" -p fetch-early --until p99:0.5% -o "$work/r"
prints "until p99:0.5%" "says what was asked"
prints "reached with 2,344 trials, look 3 of 9" "and what it took"
column()
{
    awk -F, -v f="$2" -v k="$3" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i}
        NR > 1 && $1 == f {print $c}' "$work/$1/summary.csv"
}
check "the row has the trials" test "$(column r 0 trials)" = 2344
check "and that the width was reached" test "$(column r 0 until_reached)" = 1
check "by no more than it" awk -v w="$(column r 0 until_half_width)" 'BEGIN {exit !(w > 0 && w <= 0.005)}'
check "the manifest records it" grep -q '"until=p99:0.5%"' "$work/r/manifest.json"
exits 0 "so many trials at once" run "$hello" -p fetch-early --trials 2344 -o "$work/once"
for file in trials slack chain gantt; do
    check "give the same $file.csv" cmp "$work/r/$file.csv" "$work/once/$file.csv"
done
exits 0 "on three threads" run "$hello" -p fetch-early --until p99:0.5% --threads 3 -o "$work/three"
check "the same summary" cmp "$work/r/summary.csv" "$work/three/summary.csv"

exits 0 "too few at the most" run "$hello" -p fetch-early --until p99:0.1% --trials 1000
prints "NOT reached: the most trials, 1,000, were too few for 0.1%" "is told"
exits 0 "too few for any interval" run "$hello" -p fetch-early --until p99.9:1% --trials 1000
prints "NOT reached: the most trials, 1,000, were too few for 1%; no interval yet" "is told, too"
exits 0 "as JSON" run "$hello" -p fetch-early --until mean:1% --json
prints '"reached": true' "whether it was reached is in it"
for bad in p99 p99:0 p98:1% mean:-1% p99:1x; do
    exits 2 "--until $bad" run "$hello" --until $bad
    says "is not FIGURE:WIDTH, such as p99:1%" "says what is allowed"
done

exits 0 "compare" compare "$hello" -p recompute -p fetch-early --until p50:0.1%
prints "recompute: reached with" "tells of the one"
prints "fetch-early: reached with" "and of the other"

exits 0 "sweep" sweep "$hello" --until p99:0.5% -o "$work/s"
prints "cell 3  fetch-early: reached with 2,344 trials" "tells of each cell"
prints "NOT reached: stopped at 586 trials, as some deadlock" "of one that deadlocks, too"
prints "at hbm.capacity 4.25GiB: fetch-early wins" "and names the winner"
check "cells have numbers of trials of their own" test "$(column s 2 trials)" != "$(column s 3 trials)"
exits 0 "a complete one is told again" sweep "$hello" --until p99:0.5% --resume -o "$work/s"
prints "at hbm.capacity 4.25GiB: fetch-early wins" "with the same winner"
exits 2 "with another width it is refused" sweep "$hello" --until p99:1% --resume -o "$work/s"
exits 2 "without one, too" sweep "$hello" --resume -o "$work/s"
exits 2 "with --race" sweep "$hello" --until p99:1% --race
says "exclude each other" "it is refused"

# A sweep that is cut short and goes on has the files of one that was not.  The first cells are those
# that deadlock and recompute: the folder is cut by a signal as soon as it has a cell.
"$SLACKLINE" sweep "$hello" --until p99:0.1% -o "$work/cut" >"$work/out" 2>&1 &
pid=$!
tries=0
while [ ! -e "$work/cut/cells/00001.part" ] && [ $tries -lt 600 ] && kill -0 $pid 2>/dev/null; do
    sleep 0.01
    tries=$((tries + 1))
done
kill -TERM $pid 2>/dev/null
wait $pid
exits 0 "a cut sweep goes on" sweep "$hello" --until p99:0.1% --resume -o "$work/cut"
exits 0 "one that was not" sweep "$hello" --until p99:0.1% -o "$work/whole"
for file in summary trials winners compare; do
    check "the same $file.csv" cmp "$work/cut/$file.csv" "$work/whole/$file.csv"
done
finish
