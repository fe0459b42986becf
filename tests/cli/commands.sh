#!/bin/sh
# Exit codes, usage errors with the nearest word, and that a failing command writes nothing.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello

exits 2 "no command"
exits 0 "--help" --help
prints "Usage: slackline COMMAND" "--help prints the usage"
exits 0 "--version" --version
exits 2 "unknown command" swep
says "did you mean 'sweep'?" "the nearest command"
exits 2 "a command of a later version" explore "$hello"
says "not in this version" "is known as such"
exits 2 "unknown global option" --verbos

for command in check run explain sweep compare search plot list generate; do
    exits 0 "$command --help" $command --help
    prints "Usage: slackline $command" "$command --help prints its usage"
    exits 2 "$command: unknown option" $command --nonsense x
done
for command in check run explain sweep compare search plot generate; do
    exits 2 "$command: missing operand" $command
    says "missing operand" "$command says so"
done
exits 2 "too many operands" check a b
exits 2 "misspelled option" run --trails 3 "$hello"
says "did you mean '--trials'?" "the nearest option"
exits 2 "a missing value" run "$hello" --trials
exits 2 "no trials" run --trials 0 "$hello"
exits 2 "trials that are no number" run --trials 1e3 "$hello"
exits 2 "a negative seed" run --seed -1 "$hello"
exits 2 "a malformed --set" run --set capacity "$hello"
exits 2 "--force without a folder" sweep --force "$hello"
exits 2 "--resume is not an option of run" run --resume -o "$work/x" "$hello"
exits 2 "--force and --resume together" sweep --force --resume -o "$work/x" "$hello"
exits 2 "unknown policy" run --policy recomptue "$hello"
says "did you mean 'recompute'?" "the nearest policy"
exits 2 "unknown registry" list distribution
says "did you mean 'distributions'?" "the nearest registry"
exits 2 "generate without a folder" generate llm-train
exits 2 "unknown template" generate llm-trian -o "$work/gen"
exits 3 "a scenario that does not exist" run "$work/absent" -o "$work/x"
exits 3 "plot of no results folder" plot "$work"
check "nothing was written by all that" test ! -e "$work/x" -a ! -e "$work/gen"

exits 0 "check of a sound scenario" check "$hello"
prints "hello: legal" "its verdict"

cp -r "$hello" "$work/bad"
chmod -R u+w "$work/bad" # make distcheck tests a read-only tree
sed 's/^name: hello/name: hello\ntrails: 5/' "$hello/scenario.yaml" >"$work/bad/scenario.yaml"
exits 3 "check of a wrong scenario" check "$work/bad"
says "scenario.yaml:4:1: error: " "names file, line and column"
says "did you mean 'trials'?" "and the nearest key"
exits 3 "run of a wrong scenario" run "$work/bad" -o "$work/x"
exits 3 "a wrong --set value" run "$hello" --set domains.hbm.capacity=4 -o "$work/x"
# 2^61 ps are 27 days: 1 GiB takes 25 days at 500 B/s and 12 at 1 kB/s, of which eviction makes many.
exits 3 "times beyond picoseconds" run "$hello" -p fetch-early --trials 2 --set "routes.*.bandwidth=500B/s"
says "policy 'fetch-early': the drawn durations of trial 0 sum to more than 2^61 ps" "are the input's, and whose is told"
exits 3 "as are copies that eviction makes" run "$hello" -p keep --trials 2 --set "routes.*.bandwidth=1kB/s" \
    --set policy.evict=lru --set domains.hbm.capacity=2560MiB
says "policy 'keep': simulated time exceeds 2^62 ps (53 days) with node '" "and the node is told"
exits 0 "a misspelt domain in --set" run "$hello" -p recompute --trials 20 --set domains.hmb.capacity=4GiB
says "domain 'hmb' is new and changes nothing: nothing mentions it (did you mean 'hbm'?)" "is told"
exits 0 "a misspelt resource" run "$hello" -p recompute --trials 20 --set resources.h2x.servers=2
says "resource 'h2x' is new and changes nothing: nothing mentions it (did you mean 'h2d'?)" "is told"
exits 3 "an unknown --set key" run "$hello" --set domain.hbm.capacity=4GiB -o "$work/x"
check "a failed run writes nothing" test ! -e "$work/x"

cp -R "$hello" "$work/axes"
chmod -R u+w "$work/axes"
sed 's/\[4.25GiB, 3.25GiB\]/[40GB\/s, 3.25GiB]/; s/^trials/  policy.prefetch.lokahead: [1]\ntrials/' \
    "$hello/scenario.yaml" >"$work/axes/scenario.yaml"
exits 3 "check of a wrong axis value" check "$work/axes"
says "'40GB/s' has the unknown unit 'GB/s'" "names the value"
sed 's/^trials/  policy.prefetch.lokahead: [1]\ntrials/' "$hello/scenario.yaml" \
    >"$work/axes/scenario.yaml"
exits 0 "check of an axis that no policy has" check "$work/axes"
says "[unused-axis]" "names the axis"

exits 0 "run" run "$hello" --trials 400
prints "needs 3,688 trials" "too few trials for p99.9 are said to be"
exits 1 "run of a policy that does not fit" run "$hello" --policy keep --trials 20
says "has no completed trial" "says that none ended"
exits 1 "run of a policy that breaks a constraint" run "$hello" --trials 20 --set "objective.constraints=[mean <= 1us]"
says "breaks a declared constraint" "says so"
exits 1 "run of a policy that does not fit" run "$hello" --policy keep --trials 20
check "where every node waits, none is said not to" test "$(grep -c 'no node waited' "$work/out")" -eq 0
exits 3 "a metric of jobs" run "$hello" --set objective.metric=throughput
says "is of jobs, and mode once has none" "is refused by name"
exits 0 "another first measure" run "$hello" --trials 20 --set objective.order.0=mean
check "is no matter" sh -c "! grep -q order '$work/err'"
cp -r "$hello" "$work/pairs"
chmod -R u+w "$work/pairs"
echo "overlap: overlap.csv" >>"$work/pairs/scenario.yaml"
printf 'a,b,allowed,contention\nf0,gemm,true,1.5\n' >"$work/pairs/overlap.csv"
exits 3 "contention of a node" check "$work/pairs"
says "kappa belongs to classes" "says why not"
printf 'a,b,contention,earliest,latest\ngemm,copy.h2d,1.5;0.9;1,2us,1us\n' >"$work/pairs/overlap.csv"
exits 3 "a window that ends before it begins" check "$work/pairs"
says "overlap.csv:2:29: error: latest '1us' lies before earliest '2us'" "is located"
says "overlap.csv:2:19: error: contention: '0.9'" "and so is a kappa below 1"
printf 'a,b,allowed,contention\ngemm,copy.h2d,false,1.5\n' >"$work/pairs/overlap.csv"
exits 0 "contention of a forbidden pair" check "$work/pairs"
says "contention changes nothing where the overlap is not allowed" "is a warning"
exits 0 "run with a forbidden pair" run "$work/pairs" --policy fetch-early --trials 20
prints "kept apart" "says what it cost"
exits 0 "guards drawn per node" run "$SL_SRCDIR/scenarios/counterexamples/speculation-starves-demand" \
    --trials 20
prints "70% per node" "the report says per what they fail"
exits 0 "iterations" run "$hello" -p fetch-early --trials 20 --set run.mode=iterate \
    --set run.iterations=5 --set run.warmup=2
prints "over 3 of 5 iterations: 2 of warm-up left out" "report the time per iteration"
exits 0 "iterations as JSON" run "$hello" -p fetch-early --trials 400 --set run.mode=iterate \
    --set run.iterations=3 --json -o "$work/iterated"
prints '"per_iteration": {' "hold the time per iteration"
prints '"warmup": 1' "and the warm-up, 1 unless stated"
# makespan = first iteration + 2 x time per iteration, and the first takes as long as each on average
awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
    {x = $at["mean_us"] / 3 / $at["iteration_mean_us"]
     exit !(x > 0.99 && x < 1.01 && $at["iterations"] == 3 && $at["warmup"] == 1)}' \
    "$work/iterated/summary.csv"
check "summary.csv has them" test $? -eq 0
exits 3 "iterations without a number" run "$hello" --trials 20 --set run.mode=iterate
says "mode iterate lacks the key 'iterations'" "are refused"
exits 3 "warm-up for ever" run "$hello" --trials 20 --set run.mode=iterate --set run.iterations=5 \
    --set run.warmup=5
says "5 of 5 iterations leave none to measure (allowed: 0 to 4)" "is refused"
exits 3 "too many iterations" run "$hello" --trials 20 --set run.mode=iterate --set run.iterations=1000000
says "more than 1048576 nodes in all" "are refused"
exits 1 "jobs that lock each other out" run "$hello" --trials 20 --set run.mode=open \
    --set "run.arrivals=poisson(rate=4/s)" --set run.jobs=20 --set objective.metric=latency
prints "f3 of job 1 waits for 1.00 GiB of hbm held by job 2" "are named"
prints "no figures are given" "and have no latency"
exits 0 "iterations in mode once" run "$hello" --trials 20 --set run.iterations=5
says "run.iterations changes nothing in mode once" "are a warning"
says "suggestion: state run.mode: iterate" "with what to do"
(cd "$work" && SLACKLINE_DATA=$SL_SRCDIR "$SLACKLINE" generate llm-train -o "$work/gen" --set layers=1) \
    >"$work/out" 2>"$work/err"
check "generate finds devices below SLACKLINE_DATA" test $? -eq 0 -a -s "$work/gen/scenario.yaml"
sed 's/^  - {name: keep.*/  - {name: keep, action: offload, select: belady, prefetch: lookahead}/' \
    "$hello/scenario.yaml" >"$work/pairs/scenario.yaml"
exits 0 "--set of parameters of parts that are words" run "$work/pairs" -p keep --trials 20 \
    --set policy.select.headroom=1GiB --set policy.prefetch.lookahead=2
exits 0 "sweep" sweep "$hello" --trials 400
prints "fetch-early has the lowest p99" "names the best"
prints "[1] " "and the reason of what failed"

# An example may hold its scenarios one folder below.
mkdir -p "$work/cases/fixed" "$work/cases/none"
: >"$work/cases/fixed/scenario.yaml"
exits 3 "a folder of scenarios" sweep "$work/cases/"
says "no scenario.yaml in '$work/cases/'; folders in it that have one: $work/cases/fixed" "names them"
finish
