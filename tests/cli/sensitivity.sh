#!/bin/sh
# run --sensitivity and --speedup: what is said, what is written, and what is refused.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
anomaly=$SL_SRCDIR/tests/fixtures/anomaly
hello=$SL_SRCDIR/scenarios/hello

# copy.bulk of the fixture: 5% faster, it lets a bulk kernel pass (see scenario.yaml).
exits 0 "a sensitivity" run "$anomaly" --sensitivity --threads 1 -o "$work/r"
says "30 changes to simulate, 600 trials each; 36 more cannot act" "says how much it is"
prints "scheduling anomaly: class copy.bulk" "a sign reversal is named"
prints "no chain elasticities: a change may reorder this plan (no edge or lane orders 'urgent' and 'bulk'" \
    "and no derivative is given"
check "not even as a column" sh -c "! grep -q 'elasticity (local)' '$work/out'"
prints "  class urgent" "what does nothing is listed"
csv=$work/r/sensitivity.csv
# field NAME PERCENT COLUMN
field()
{
    awk -F, -v n="$1" -v p="$2" -v k="$3" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i}
        $4 == n && $5 == p {print $c}' "$csv"
}
check "rows of the plan as it is kept" test "$(field copy.bulk -5 plan)" = kept
check "the reversal is in the file" test "$(field copy.bulk -5 anomaly)" = reversal
check "in every trial" test "$(field copy.bulk -5 against)" = 600
check "what cannot act says why" test "$(field ordering 5 state)" = cannot-act
check "and is 0" test "$(field ordering 5 tail_us)" = 0
check "nothing has an elasticity" test -z "$(field copy.bulk -5 elasticity)"
# The mean of the differences, by a run of a scenario that says so: bulk 20% longer is 132us.
mkdir "$work/longer"
cp "$anomaly"/* "$work/longer"
sed 's/,110us,/,132us,/' "$anomaly/nodes.csv" >"$work/longer/nodes.csv"
exits 0 "the change written out" run "$work/longer" -o "$work/l"
awk -F, 'NR == FNR {a[$2] = $3; next} FNR > 1 {s += $3 - a[$2]; n++} END {printf "%.9f\n", s / n}' \
    "$work/r/trials.csv" "$work/l/trials.csv" >"$work/mean"
check "is what the change does" test "$(field bulk 20 mean_us | awk '{printf "%.9f", $1}')" = "$(cat "$work/mean")"
exits 0 "any number of threads" run "$anomaly" --sensitivity --threads 3 -o "$work/r3"
check "gives the same bytes" cmp "$csv" "$work/r3/sensitivity.csv"
exits 0 "as JSON" run "$anomaly" --sensitivity --json
prints '"sensitivity": {' "a key of its own"
prints '"kind": "reversal"' "with the anomaly"
if command -v gnuplot >/dev/null; then
    exits 0 "plot" plot "$work/r"
    check "draws a tornado" test -s "$work/r/plots/tornado.svg"
    check "whose title says what it shows" grep -q 'class copy.urgent moves the p99 of as-given most' \
        "$work/r/plots/tornado.svg"
else
    skip "plot" "no gnuplot"
fi
exits 0 "a folder without one" run "$anomaly" -o "$work/r" --force
check "drops the earlier one" test ! -e "$csv"
check "and its picture" test ! -e "$work/r/plots/tornado.svg"

# A chain in one lane: 10 and 20 us, and 5 us of lag.
mkdir "$work/chain"
cat >"$work/chain/scenario.yaml" <<'YAML'
name: chain
nodes: nodes.csv
edges: edges.csv
resources: {compute: {servers: 1}}
objective: {metric: makespan, tail: 0.9}
policies: [{name: p, action: as-given}]
trials: 100
seed: 1
YAML
printf 'node,kind,class,resource,lane,duration\na,compute,x,compute,s,10us\nb,compute,y,compute,s,20us\n' \
    >"$work/chain/nodes.csv"
printf 'from,to,type,lag\na,b,data-ready,5us\n' >"$work/chain/edges.csv"
exits 0 "a fixed order" run "$work/chain" --sensitivity
prints "elasticity (local)" "has elasticities, marked local"
check "which are the shares of the chain" \
    grep -q 'class y  *-4.00 us .-4.00 us, -4.00 us.  *+4.00 us .* +0.571% .+0.571%, +0.571%. (20%)  *57.1%  *0.571' "$work/out"
prints "elasticity: of the realized chains, not re-simulated and without an interval" "which are told apart"
prints "per 1%: of re-simulated quantiles" "from what is simulated"
prints "p90 at -20%" "at the objective's own tail"

# Speedups: 20% off x and half of y is 12 us of 35.
exits 0 "a speedup" run "$work/chain" --speedup x=20% --speedup y=0.5 --json
prints '"name": "x=20%;y=50%"' "is of all of them together"
check "with the plan kept and made again" test "$(grep -c '"difference_us": -12,' "$work/out")" -eq 6
exits 0 "in words" run "$hello" --policy fetch-early --speedup 'pinned->hbm=50%' --trials 400
prints "  kept" "with the plan kept"
prints "  replanned" "and made again"
exits 0 "where nothing changes" run "$hello" --policy recompute --speedup 'pinned->hbm=50%' --trials 400
prints "it changes nothing in any trial: the plan does not use it" "that is told"
exits 0 "a single trial" run "$anomaly" --speedup copy.bulk=5% --trials 1
prints "us, no interval" "has no interval"
prints "needs 437 trials" "and no tail"

# A difference of p99 takes two limits of an error of 0.025 each: ln 0.0125 / ln 0.99 = 436.01 trials;
# 50 of 5,000 are above it.
exits 0 "too few trials for a tail" run "$anomaly" --sensitivity --trials 436 -o "$work/few"
says "warning: a difference of p99 needs 437 trials: no change will have one; give --trials 437, or 5000" \
    "are told before they run"
if command -v gnuplot >/dev/null; then
    exits 0 "its pictures" plot "$work/few"
    says "no tornado: a difference of p99 needs 437 trials" "lack the tornado, which is told"
else
    skip "its pictures" "no gnuplot"
fi
exits 0 "just enough" run "$hello" --policy fetch-early --sensitivity --trials 437
check "no warning of trials" sh -c "! grep -q 'a difference of p99 needs' '$work/err'"
prints "intervals of p99: limits of each run combined" "how the intervals are made"
prints "5,000 trials would pair them" "and what would narrow them"
check "once" test "$(grep -c 'would pair them' "$work/out")" -eq 1
exits 0 "with pairs" run "$hello" --policy fetch-early --speedup gemm=20% --trials 5000
check "nothing is said of limits" sh -c "! grep -q 'limits of each run' '$work/out'"

# Nothing takes time.
mkdir "$work/zero"
sed 's/trials: 100/trials: 500/' "$work/chain/scenario.yaml" >"$work/zero/scenario.yaml"
printf 'from,to,type\na,b,data-ready\n' >"$work/zero/edges.csv"
sed 's/,[12]0us/,0us/' "$work/chain/nodes.csv" >"$work/zero/nodes.csv"
exits 0 "a metric of 0" run "$work/zero" --sensitivity
prints "nothing moves it: the metric is 0 in every trial" "cannot change, which is said"
check "without the footers of a table" sh -c "! grep -q 'per 1%\|elasticit' '$work/out'"

# Its copy comes back when 4 of 4 GiB are in use.
exits 0 "a plan without a byte to spare" run "$hello" --policy fetch-late --sensitivity --trials 400
prints "capacity hbm -1% deadlocks in 100% of trials" "is named"

# Replanned is a run of a scenario whose route is that fast: a just-in-time copy then starts later.
mkdir "$work/slow" "$work/fast"
cp "$hello"/* "$work/slow"
sed 's/^sweep:/  - {name: in-time, action: offload, select: largest, prefetch: jit}\n&/' \
    "$hello/scenario.yaml" >"$work/slow/scenario.yaml"
cp "$work/slow"/* "$work/fast"
sed '/from: pinned/{s/50GB/100GB/; s/overhead: 6us/overhead: 3us/; s/latency: 8us/latency: 4us/;}' \
    "$work/slow/scenario.yaml" >"$work/fast/scenario.yaml"
exits 0 "a speedup that the policy plans with" run "$work/slow" -p in-time --speedup 'pinned->hbm=50%' \
    -o "$work/s"
exits 0 "and the scenario that has it" run "$work/fast" -p in-time -o "$work/f"
awk -F, 'NR == FNR {a[$2] = $3; next} FNR > 1 {s += $3 - a[$2]; n++} END {printf "%.6f\n", s / n}' \
    "$work/s/trials.csv" "$work/f/trials.csv" >"$work/mean"
plan_mean()
{
    awk -F, -v p="$1" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == "mean_us") c = i}
        $6 == p {printf "%.6f", $c}' "$work/s/sensitivity.csv"
}
check "differ from the run alike" test "$(plan_mean replanned)" = "$(cat "$work/mean")"
check "the kept plan does otherwise" test "$(plan_mean kept)" != "$(plan_mean replanned)"
exits 2 "an unknown name" run "$hello" --speedup 'pinned->hbn=50%'
says "did you mean 'pinned->hbm'?" "gets a suggestion"
exits 2 "no percentage" run "$hello" --speedup copy
says "write NAME=PERCENT" "is told how"
exits 2 "more than all" run "$hello" --speedup 'pinned->hbm=120%'
says "at most 100%" "is too much"
exits 2 "without its %" run "$hello" --speedup 'pinned->hbm=1'
says "'1' has no %; write 1%" "may be 1% or all"
exits 2 "the same name twice" run "$hello" --speedup 'pinned->hbm=10%' --speedup 'pinned->hbm=20%'
says "given twice" "is refused"

exits 1 "a policy without a plan" run "$hello" --policy keep --sensitivity
says "nothing is changed: the policy has no completed trial" "has nothing to change"

# Interrupted among the changes: nothing is written.
"$SLACKLINE" run "$anomaly" --sensitivity --trials 300000 --threads 1 -o "$work/stopped" \
    >"$work/out" 2>"$work/err" &
runner=$!
waited=0
until grep -q 'changes to simulate' "$work/err" || [ $waited -gt 300 ]; do
    sleep 0.2
    waited=$((waited + 1))
done
kill -INT $runner
got=0
wait $runner || got=$?
check "an interrupt ends it" test $got -eq 130
says "nothing was written" "says so"
check "no folder, no report" sh -c "test ! -e '$work/stopped/summary.csv' && test ! -s '$work/out'"
check "and no half of one" sh -c "test -z \"\$(find '$work/stopped' -type f 2>/dev/null)\""
finish
