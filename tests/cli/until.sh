#!/bin/sh
# --until of run, compare and sweep: when it stops, what it says, and the same at any number of threads.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello

# 100 x 1,000 trials at the most: p99 is looked at with 586, 1172, 2344, ... (tests/unit/test_until.c).
exits 0 "run until p99 is known to 0.5%" run "$hello" -p fetch-early --until p99:0.5% -o "$work/r"
prints "until p99:0.5%" "says what was asked"
prints "95% over all looks together, so wider than" "and why it is not the interval above it"
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
refused()
{
    exits 2 "--until $1" run "$hello" --until "$1"
    says "$2" "says what is wrong"
}
refused p99 "'p99' is not FIGURE:WIDTH, such as p99:1%"
refused p98:1% "the figure 'p98' is none of p50 (or median), p90, p95, p99, p99.9 and mean"
refused p99:1 "the width '1' has no %; write 1%"
refused p99:0% "the width '0%' is not above 0%"
exits 2 "--until twice" run "$hello" --until p99:1% --until p50:1%
says "--until is given twice, as p99:1% and p50:1%" "is refused"

# one NAME DURATION: a scenario of one node.
one()
{
    mkdir "$work/$1"
    cat >"$work/$1/scenario.yaml" <<YAML
name: $1
nodes: nodes.csv
resources: {gpu: {servers: 1}}
policies: [{name: p, action: as-given}]
baseline: p
trials: 100
seed: 2
YAML
    printf 'node,kind,resource,duration\nn,compute,gpu,"%s"\n' "$2" >"$work/$1/nodes.csv"
}
# The mean is 0.999 x 100 us + 0.001 x 1 s = 1.1 ms; 100 trials miss the second with 90%, 1,000 with 37%.
one rare "mixture(0.999*100us, 0.001*1s)"
for seed in 2 3 4 5; do
    exits 0 "a mean of a rare value, seed $seed" run "$work/rare" --until mean:10% --seed $seed
    prints "NOT reached" "is not known by trials that miss it"
    prints "a rare large value that none has met is in no interval" "and no interval claims to"
done
one never "mixture(0.999999999*100us, 0.000000001*1s)"
exits 0 "a mean of one never met" run "$work/never" --until mean:10%
prints "NOT reached: all 10,000 trials are the same" "equal values are no evidence"
exits 0 "a mean of two trials" run "$work/rare" --until mean:10% --trials 2
prints "NOT reached: a mean takes 1,000 trials, and the most were 2" "is none"
one zero 0us
for figure in p99 p50 mean; do
    exits 0 "$figure of nothing random" run "$work/zero" --until $figure:1%
    prints "look 1 of" "is known at once"
    prints "every trial is the same; 0 ps [0 ps, 0 ps], half-width 0%" "and said to be exact"
done
exits 0 "of one trial" run "$work/zero" --until p99:1% --trials 1
prints "reached with 1 trial, look 1 of 1" "too"
exits 1 "run of a deadlock" run "$hello" -p keep --until p99:1%
prints "keep: NOT reached: stopped at 586 trials, as some deadlock" "says why it stopped"

# The objective's tail takes 368 trials: 0.99^368 <= 2.5%.
exits 0 "run until the median is known" run "$hello" --until p50:50%
prints "reached with 368 trials, look 1 of" "has trials for p99 as well"

exits 0 "compare" compare "$hello" -p recompute -p fetch-early --until p50:0.1%
prints "recompute: reached with" "tells of the one"
prints "fetch-early: reached with" "and of the other"
exits 0 "compare where they stop apart" compare "$hello" -p recompute -p fetch-early --until p99:0.3% -o "$work/c"
prints "2 policies on the same draws, 4,688 to 9,376 trials, seed" "tells what each ran"
prints "over the first 4,688 trials, which both have; recompute's own figures are over its 9,376" "and the pairs"
exits 0 "as JSON" compare "$hello" -p recompute -p fetch-early --until p99:0.3% --json
check "with what each came to" test "$(grep -c '"asked": "p99:0.3%"' "$work/out")" = 2
check "and the number of pairs" awk '/"comparisons"/ {on = 1} on && /"trials": 4688/ {found = 1} END {exit !found}' "$work/out"
check "the manifest says what was asked" grep -q '"until": "p99:0.3%"' "$work/c/manifest.json"
check "and the most" grep -q '"most_trials": 100000' "$work/c/manifest.json"
check "not what nothing ran" test "$(grep -c '"trials"' "$work/c/manifest.json")" = 0

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
"$SLACKLINE" sweep "$hello" --until p99:0.2% -o "$work/cut" >"$work/out" 2>&1 &
pid=$!
tries=0
while [ ! -e "$work/cut/cells/00001.part" ] && [ $tries -lt 600 ] && kill -0 $pid 2>/dev/null; do
    sleep 0.01
    tries=$((tries + 1))
done
kill -TERM $pid 2>/dev/null
wait $pid
exits 0 "a cut sweep goes on" sweep "$hello" --until p99:0.2% --resume -o "$work/cut"
exits 0 "one that was not" sweep "$hello" --until p99:0.2% -o "$work/whole"
for file in summary trials winners compare; do
    check "the same $file.csv" cmp "$work/cut/$file.csv" "$work/whole/$file.csv"
done
finish
