#!/bin/sh
# Modes open and closed through the whole command: the queue M/M/1 against its closed form (Kleinrock,
# Queueing Systems I, 3.2), a queue that grows, a trace that is counted whole, a comparison, what is
# refused, and the same bytes at any number of threads and after an interruption.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA

# queue NAME RUN: jobs of two nodes in a row on one server, of mean 0.4 s and 0.6 s.
queue()
{
    mkdir "$work/$1"
    cat >"$work/$1/scenario.yaml" <<YAML
name: $1
resources: {gpu: {servers: 1}}
run: $2
objective: {metric: latency, tail: 0.99, order: [mean], constraints: ["max_wait <= 60s"]}
trials: 20
policies:
  - {name: fifo, action: as-given, dispatch: fifo}
  - {name: end-first, action: as-given, dispatch: priority}
baseline: fifo
YAML
    cat >"$work/$1/nodes.csv" <<CSV
node,kind,resource,duration,priority,evidence
first,compute,gpu,exponential(mean=400ms),0,assumed
second,compute,gpu,exponential(mean=600ms),1,assumed
CSV
    printf 'from,to,type\nfirst,second,data-ready\n' >"$work/$1/edges.csv"
}
# single NAME RUN: jobs of one node of mean 1 s.
single()
{
    queue "$1" "$2"
    printf 'node,kind,resource,duration,evidence\nserve,compute,gpu,%s,assumed\n' \
        "exponential(mean=1s)" >"$work/$1/nodes.csv"
    rm "$work/$1/edges.csv"
}
# column FOLDER ROW NAME: a field of summary.csv.
column()
{
    awk -F, -v f="$2" -v k="$3" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i}
        NR > 1 && $1 == f {print $c}' "$work/$1/summary.csv"
}
# near WHAT VALUE TRUTH TOLERANCE
near()
{
    check "$1 is $3 (it is $2)" \
        awk -v x="$2" -v t="$3" -v d="$4" 'BEGIN {exit !(x != "" && x - t <= d && t - x <= d)}'
}

# Half a job per second: time in the system is exponential of mean 2 s; p99 is 2 ln 100 s.  The tolerances
# are five standard errors or more of 40,000 jobs.
single mm1 '{mode: open, arrivals: poisson(rate=0.5/s), jobs: 2000, slo: {latency: 6s}}'
exits 0 "a queue at 50%" run "$work/mm1" -p fifo -o "$work/r"
near "mean, us" "$(column r 0 mean_us)" 2e6 1.5e5
near "median, us" "$(column r 0 median_us)" 1.386e6 1.2e5
near "p99, us" "$(column r 0 p99_us)" 9.21e6 1.2e6
near "utilisation" "$(column r 0 utilisation_gpu_share)" 0.5 0.02
near "offered load" "$(column r 0 offered_load)" 0.5 0.02
near "throughput" "$(column r 0 throughput_per_s)" 0.5 0.02
near "jobs in the system" "$(column r 0 in_system)" 1 0.08
near "share of jobs within 6 s" "$(column r 0 slo_attainment)" 0.9502 0.015
near "goodput" "$(column r 0 goodput_per_s)" 0.4751 0.02
check "all jobs are counted" test "$(column r 0 jobs)" = 40000 -a "$(column r 0 completed)" = 40000
check "intervals are over trials" test "$(column r 0 interval_method)" = replications
check "jobs.csv has the jobs of a trial" test "$(wc -l <"$work/r/jobs.csv")" -eq 2001
check "whose latencies are what waits and runs sum to" awk -F, '
    NR == 1 {for (i = 1; i <= NF; i++) {n[$i] = i; if ($i ~ /^wait_/) w[i] = 1}; next}
    {sum = $n["admitted_us"] - $n["arrival_us"] + $n["run_us"]; for (i in w) sum += $i
     d = $n["latency_us"] - sum; if (d > 1e-3 || d < -1e-3) exit 1}' "$work/r/jobs.csv"
check "the windows have them, too" awk -F, 'NR > 1 {a += $4; c += $5} END {exit !(a == 2000 && c == 2000)}' \
    "$work/r/jobs_load.csv"
# Of an exponential time what is left beyond 6 s is exponential again, of mean 2 s.
cp -r "$work/mm1" "$work/due"
printf '%s\n' node,kind,resource,duration,deadline,evidence 'serve,compute,gpu,exponential(mean=1s),6s,assumed' \
    >"$work/due/nodes.csv"
exits 0 "jobs that are to be done in 6 s" run "$work/due" -p fifo -o "$work/due_r"
near "share of late jobs" "$(column due_r 0 deadline_miss)" 0.0498 0.015
late()
{
    awk -F, -v k="$1" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i} NR == 2 {print $c}' "$work/due_r/deadlines.csv"
}
check "its interval has the truth in it" \
    awk -v l="$(late miss_lo)" -v h="$(late miss_hi)" 'BEGIN {exit !(l < 0.0498 && 0.0498 < h)}'
near "tardiness of late jobs, us" "$(late tardiness_missed_us)" 2e6 3e5
near "of all, us" "$(late tardiness_mean_us)" 9.96e4 4e4
check "and the same jobs keep the limit of 6 s" \
    awk -v a="$(column due_r 0 deadline_miss)" -v b="$(column due_r 0 slo_attainment)" 'BEGIN {d = a + b - 1; exit !(d * d < 1e-18)}'
exits 0 "on three threads" run "$work/mm1" -p fifo --threads 3 -o "$work/three"
for file in summary trials jobs jobs_load; do
    check "the same $file.csv" cmp "$work/r/$file.csv" "$work/three/$file.csv"
done
exits 0 "one trial" run "$work/mm1" -p fifo --trials 1
prints "Student's t over" "has batches"
exits 0 "a few jobs" run "$work/mm1" -p fifo --trials 1 --set run.jobs=50
prints "needs 1,000 jobs" "are too few for p99, which is told"
exits 0 "a few jobs at 120%" run "$work/mm1" -p fifo --trials 1 --set run.jobs=50 --set 'run.arrivals=poisson(rate=1.2/s)' -o "$work/few"
check "do not tell growth" grep -q "offered load 1.*\[.*\] at gpu: too few jobs to tell" "$work/out"
check "which the verdict has as its reason" grep -q ',ok,"too few jobs to tell whether a queue grows: offered load' "$work/few/summary.csv"
exits 0 "as JSON" run "$work/mm1" -p fifo --json
prints '"slo_attainment"' "limits are in it"

# More than there is room for.
exits 0 "a queue at 120%" run "$work/mm1" -p fifo --set 'run.arrivals=poisson(rate=1.2/s)' -o "$work/over"
prints "grows: no steady state" "grows"
prints "latency (this horizon)" "and its figures are of this horizon"
check "its verdict says so" test "$(column over 0 verdict)" = grows
check "it has no p99" test "$(column over 0 p99_us)" = inf
near "the growth, us per s" "$(column over 0 growth_us_per_s)" 2e5 6e4
near "offered load" "$(column over 0 offered_load)" 1.2 0.05

# A system of one job at a time turns away r / (1 + r) = 1/3 of them (Erlang's formula for one server), and
# the others take 1 s.
exits 0 "a system that is full with one job" run "$work/mm1" -p fifo -o "$work/loss" \
    --set 'run.admission={jobs: 1, when_full: reject}'
near "share of rejected jobs" "$(column loss 0 rejected | awk '{print $1 / 40000}')" 0.3333 0.02
near "mean, us" "$(column loss 0 mean_us)" 1e6 4e4
near "share within 6 s" "$(column loss 0 slo_attainment)" 0.665 0.02
check "is not said to grow" test "$(column loss 0 verdict)" = ok
prints "rejected (full: " "the reason is told"
check "and counted by reason" test "$(column loss 0 rejected_full)" = "$(column loss 0 rejected)" \
    -a "$(column loss 0 rejected_memory)" = 0
check "jobs.csv has the reason" grep -q ",full$" "$work/loss/jobs.csv"

# Jobs of 60 and then 40 B more, one after the other without end: two at a time would deadlock in 120 B.
single growing '{mode: open, arrivals: fixed(rate=1/s), jobs: 40, warmup: 0}'
cat >>"$work/growing/scenario.yaml" <<YAML
objects: objects.csv
domains: {hbm: {capacity: 120B, reserve: 0B}}
YAML
cat >"$work/growing/nodes.csv" <<CSV
node,kind,resource,duration,inputs,outputs,evidence
first,compute,gpu,2s,,a,assumed
second,compute,gpu,1s,a,b,assumed
CSV
printf 'from,to,type\nfirst,second,data-ready\n' >"$work/growing/edges.csv"
printf 'object,size,home,placements,evidence\na,60B,hbm,hbm,assumed\nb,40B,hbm,hbm,assumed\n' >"$work/growing/objects.csv"
exits 1 "jobs that find memory half-way" run "$work/growing" -p fifo --set resources.gpu.servers=2
prints "second of job 0 waits for 40 B of hbm held by job 1" "deadlock, by name"
exits 0 "jobs admitted by memory" run "$work/growing" -p fifo --set resources.gpu.servers=2 \
    --set run.admission.memory=hbm -o "$work/safe"
near "the last waits for 39 times 3 s, less 39 s" "$(column safe 0 max_us)" 8.1e7 1
exits 0 "or are turned away" run "$work/growing" -p fifo --set resources.gpu.servers=2 \
    --set 'run.admission={memory: hbm, when_short: reject}' -o "$work/short"
prints "280 completed, 520 rejected (memory: 520)" "two of three"
cat >"$work/growing/nodes.csv" <<CSV
node,kind,resource,duration,workspace,evidence
first,compute,gpu,2s,hbm:60B,assumed
second,compute,gpu,1s,hbm:40B,assumed
CSV
rm "$work/growing/edges.csv"
exits 1 "a job that could never be admitted" run "$work/growing" -p fifo --set domains.hbm.capacity=99B \
    --set run.admission.memory=hbm
prints "a job may need 100 B of 'hbm' at once, and 99 B are usable" "is named"

# One job per second, each of 1.5 s, one at a time: every other one is rejected, whoever decides.
single gate '{mode: open, arrivals: fixed(rate=1/s), jobs: 40, warmup: 0, slo: {latency: 2s}}'
printf 'node,kind,resource,duration,evidence\nserve,compute,gpu,1500ms,assumed\n' >"$work/gate/nodes.csv"
gate='run.admission={jobs: 1, when_full: reject}'
exits 0 "a sweep in which jobs are rejected" sweep "$work/gate" --trials 2 --set "$gate" -o "$work/g"
prints "rejected  verdict" "has a column of them"
prints "50%  ok" "with their share"
prints "of those that arrived, fifo rejected 50%, the others 50%" "which is told of who competes"
exits 0 "so does a comparison" compare "$work/gate" -p fifo -p end-first --trials 2 --set "$gate"
prints "rejected, of the jobs that arrived: fifo 50%, end-first 50%; figures are of completed jobs" "by policy"
exits 0 "as JSON" compare "$work/gate" -p fifo -p end-first --trials 2 --set "$gate" --json
prints '"rejected_share": 0.5' "likewise"
exits 0 "limits that half of the jobs keep" run "$work/gate" -p fifo --set "$gate" \
    --set 'objective.constraints=["rejected <= 50%", "slo >= 50%", "goodput >= 0.4/s"]'
exits 1 "and that they do not" run "$work/gate" -p fifo --set "$gate" --set 'objective.constraints=["slo >= 51%"]'
prints "constraint 'slo >= 51%' does not hold: slo is 50%" "are told"
exits 3 "a limit the wrong way round" run "$work/gate" -p fifo --set 'objective.constraints=["slo <= 51%"]'
says "more is better: write >= LIMIT" "is refused"
if command -v gnuplot >/dev/null 2>&1; then
    exits 0 "pictures" plot "$work/loss"
    check "which tell it" grep -q "No queue grows.*fifo rejects the most jobs, 3[34]" "$work/loss/plots/load_all.svg"
    exits 0 "of a queue that grows" plot "$work/over"
    check "with the end of arrivals" grep -q "last arrival" "$work/over/plots/load_all.svg"
else
    skip "pictures of jobs" "gnuplot is not installed"
fi
exits 0 "where none is rejected" sweep "$work/gate" --trials 2
check "there is no such column" test -z "$(grep rejected "$work/out")"

# The example of slackline-scenario(5), as printed.
single printed '{}'
{
    grep -v '^run:' "$work/printed/scenario.yaml"
    echo 'domains: {hbm: {capacity: 1GiB, reserve: 0B}}'
    awk '/^\.Ss Jobs/ {s = 1} s && /^\.Ed/ {exit} s && !/^\./' "$SL_SRCDIR/man/slackline-scenario.5"
} >"$work/printed/new.yaml"
mv "$work/printed/new.yaml" "$work/printed/scenario.yaml"
cat >"$work/printed/nodes.csv" <<CSV
node,kind,resource,duration,evidence
prefill,compute,gpu,10us * context_tokens,assumed
decode,compute,gpu,1ms * generated_tokens,assumed
CSV
printf 'from,to,type\nprefill,decode,data-ready\n' >"$work/printed/edges.csv"
exits 0 "the example of the manual page" run "$work/printed" -p fifo --trials 1
exits 3 "without its quotes" run "$work/printed" -p fifo \
    --set 'run.parameters={context_tokens: lognormal(mean=1024, cv=1), generated_tokens: const(200)}'
says "put the value in quotes" "says what is missing"

# Three clients that never think keep the server busy: 1 job per second, 3 s each.
single closed '{mode: closed, concurrency: 3, jobs: 2000}'
exits 0 "three clients" run "$work/closed" -p fifo -o "$work/c"
near "throughput" "$(column c 0 throughput_per_s)" 1 0.03
near "mean, us" "$(column c 0 mean_us)" 3e6 1e5
check "there is no offered load" test -z "$(column c 0 offered_load)"

# One client whose jobs take 1.5 s each: two jobs in three seconds, of which there is no quantile.
single steady '{mode: closed, concurrency: 1, jobs: 40, warmup: 0}'
cp "$work/gate/nodes.csv" "$work/steady"
exits 0 "a throughput" sweep "$work/steady" --trials 2 --set 'objective={metric: throughput, tail: 0.99, order: [mean]}'
prints "throughput     95% interval" "is a column of the sweep"
prints "fifo has the highest throughput: 0.6667/s" "and a rate"
check "it has no p99" test -z "$(grep -e p99 -e median "$work/out")"
exits 0 "compared" compare "$work/steady" -p fifo -p end-first --trials 2 \
    --set 'objective={metric: throughput, tail: 0.99, order: [mean]}'
prints "throughput, of which more is better: end-first 0.6667/s, fifo 0.6667/s" "likewise"

# A trace of 400 jobs, two by two every 4 s, is one course of events.
awk 'BEGIN {print "t_s"; for (i = 0; i < 200; i++) print 4 * i "\n" 4 * i + 1}' >"$work/trace.csv"
single traced "{mode: open, arrivals: 'trace(file=../trace.csv, format=csv)'}"
exits 0 "a trace" run "$work/traced" -p fifo --trials 1 -o "$work/t"
prints "within this trace" "has intervals within it"
check "is counted whole" test "$(column t 0 jobs)" = 400 -a "$(column t 0 counted_jobs)" = 400
check "and named as what it is" test "$(column t 0 interval_method)" = blocks-of-trace

# Three at once every 4 s, with durations that are not drawn: all trials are the same, and tests across
# them show nothing.
awk 'BEGIN {print "t_s"; for (i = 0; i < 200; i++) print 4 * i "\n" 4 * i "\n" 4 * i}' >"$work/threes.csv"
queue copies "{mode: open, arrivals: 'trace(file=../threes.csv, format=csv)'}"
sed 's/exponential(mean=\([^)]*\))/\1/' "$work/copies/nodes.csv" >"$work/nodes.csv"
mv "$work/nodes.csv" "$work/copies/nodes.csv"
exits 0 "a trace again and again" run "$work/copies" -p fifo --trials 5 -o "$work/cp"
prints "the trials are the same: one course of events" "is seen to be one course"
check "and has the intervals of it" test "$(column cp 0 interval_method)" = blocks-of-trace
# In turn: the second nodes end at 1.8, 2.4 and 3.0 s; first what is nearer its end: at 1, 2 and 3 s.
exits 0 "its comparison" compare "$work/copies" -p fifo -p end-first --trials 5
prints "no conclusion: the trials are one course of events" "concludes nothing from repetition"
prints "mean 2.000 s against 2.400 s" "and says what this course gave"
exits 0 "its sweep" sweep "$work/copies" --trials 5
prints "no winner: the trials are one course of events" "names no winner"
# in FOLDER FILE NAME: of the first row.
in_file()
{
    sed 's/"[^"]*"//g' "$work/$1/$2.csv" |
        awk -F, -v k="$3" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i} NR == 2 {print $c}'
}
exits 0 "a map of it" sweep "$work/copies" --trials 5 --map --axis run.admission.jobs=2,400 --axis resources.gpu.servers=1,2 \
    --set 'run.admission={jobs: 400, when_full: reject}' -o "$work/cm"
check "winners.csv marks it" test "$(in_file cm winners one_course)" = 1
check "the verdict of the map is that" test "$(in_file cm map verdict)" = one-course
check "without an interval of what it gave" test -n "$(in_file cm map margin_us)" -a -z "$(in_file cm map margin_lo_us)"
# Of three at once the third finds two there: a third is rejected.
near "the share that the map tells as rejected" "$(in_file cm map leader_rejected)" 0.3333333333 1e-9
prints "?: not compared: the trials are one course of events" "the report says so"

# What the clock cannot tell apart is refused.
single think '{mode: closed, concurrency: 1, jobs: 5, think: const(2400000s)}'
exits 3 "a client who thinks for 2^61 ps (26.7 days) or longer" run "$work/think" -p fifo
says "a think time is longer than 26 days" "is refused"
exits 3 "a rate beyond the clock" run "$work/traced" -p fifo --set 'run.arrivals=poisson(rate=1e13/s)'
says "1e12/s is the most" "says what the clock has"

queue swapped '{mode: open, arrivals: poisson(rate=1/s), jobs: 100, parameters: {n: const(2)}, per_token: {t: {from: second, to: first, per: n}}}'
exits 3 "a time per unit backwards" run "$work/swapped" -p fifo
says "from 'second' to 'first', which ends before it" "is refused with both nodes' names"

# One that becomes denser, from a job every 5 s to one every 1.2 s, has latencies that rise with it, and an
# end: its figures are those of this trace.
awk 'BEGIN {print "t_s"; for (i = 0; i < 600; i++) {print t + 0; t += 5 - 3.8 * i / 600}}' >"$work/denser.csv"
single denser "{mode: open, arrivals: 'trace(file=../denser.csv, format=csv)'}"
exits 0 "a trace that becomes denser" run "$work/denser" -p fifo -o "$work/d"
check "is not said to grow" test "$(column d 0 verdict)" = ok
prints "over 20 trials with the same arrivals: given this trace" "and what its intervals are is told"

# A published one: 19,366 requests.
azure=${SL_SHARED:-}/data/arrivals/azure_conv_2023.csv
if [ -r "$azure" ]; then
    single azure "{mode: open, arrivals: 'trace(file=$azure, format=azure)'}"
    exits 0 "a published trace" run "$work/azure" -p fifo --trials 1 --set resources.gpu.servers=8 -o "$work/a"
    check "is counted whole" test "$(column a 0 jobs)" = 19366 -a "$(column a 0 completed)" = 19366 \
        -a "$(column a 0 counted_jobs)" = 19366
else
    skip "a published trace" "no ../shared/data/arrivals"
fi

# Who finishes a job before it starts the next one is M/G/1: E S^2 = 1.52 s^2, and by Pollaczek and
# Khinchine the mean is 1 + 0.8 x 1.52 / (2 x 0.2) = 4.04 s.  The other one is slower.
queue two '{mode: open, arrivals: poisson(rate=0.8/s), jobs: 2000, warmup: 200}'
exits 0 "two policies" compare "$work/two" -p fifo -p end-first
prints "faster at p99" "are told apart"
prints "A trial is a replication of the same jobs" "by replications"
exits 0 "and swept" sweep "$work/two" -o "$work/s"
check "its trials differ" test "$(in_file s winners one_course)" = 0
prints "end-first wins: below every other cell's mean" "with a winner"
near "its mean, us" "$(column s 1 mean_us)" 4.04e6 5e5
# Rates of 20 paired trials against Student's t over the trials' own, 97.5% point 2.093024 for 19 degrees of freedom.
queue rated '{mode: open, arrivals: poisson(rate=0.7/s), jobs: 400, slo: {latency: 6s}}'
exits 0 "rates" compare "$work/rated" -p fifo -p end-first -o "$work/rates"
prints "  goodput" "have a table"
for rate in throughput goodput; do
    check "the difference of $rate and its interval are those of the trials" awk -F, -v rate="$rate" '
        FNR == 1 {for (i = 1; i <= NF; i++) {if (FILENAME ~ /trials/) t[$i] = i; else c[$i] = i}; next}
        FILENAME ~ /trials/ {v[$1, $2] = $t[rate "_per_s"]; next}
        $c["figure"] == "difference of " rate {
            for (k = 0; k < 20; k++) {d = v[1, k] - v[0, k]; s += d; q += d * d; a += v[1, k] / 20; b += v[0, k] / 20}
            m = s / 20; h = 2.093024 * sqrt((q - 20 * m * m) / 19 / 20)
            if (!near(m, $c["difference_per_s"]) || !near(m - h, $c["difference_lo_per_s"]) ||
                !near(m + h, $c["difference_hi_per_s"]) || !near(a, $c["policy_per_s"]) ||
                !near(b, $c["reference_per_s"])) exit 1
            want = m - h > 0 ? "higher" : m + h < 0 ? "lower" : q == 0 ? "equal" : "not-settled"
            found = $c["verdict"] == want}
        function near(x, y) {return (x - y) * (x - y) < 1e-14}
        END {exit !found}' "$work/rates/trials.csv" "$work/rates/compare.csv"
done
exits 0 "as JSON" compare "$work/rated" -p fifo -p end-first --json
prints '"difference_per_s"' "rates are in it"
check "the comparison is in the folder" grep -q "difference of means.*paired-t" "$work/s/compare.csv"
cp -r "$work/s" "$work/again"
exits 0 "resumed" sweep "$work/two" -o "$work/again" --resume
prints "end-first wins: below every other cell's mean" "says the same"

# Who overtook the one that waited longest.
starving=$SL_SRCDIR/scenarios/counterexamples/shortest-first-starves-long
exits 1 "short jobs first" run "$starving" --policy shortest-first --trials 10
prints "overtaken by 365 that were ready later and started before it: 365 of short" "who starves is told by whom"
prints "jobs beyond the bound" "and where jobs starve"
exits 1 "as JSON" run "$starving" --policy shortest-first --trials 10 --json
prints '"overtaken_by"' "overtakers are in it"
exits 1 "in order of arrival" run "$starving" --policy in-order --trials 10 \
    --set 'objective.constraints=["max_wait <= 20s"]'
prints "nobody overtook it" "a queue is no starvation by others"

refused()
{
    exits 2 "$1 $3" "$@"
    says "not supported in mode open" "is refused by name"
}
refused search "$work/mm1"
refused run "$work/mm1" --sensitivity
refused run "$work/mm1" --until p99:1%
refused sweep "$work/mm1" --race
refused compare "$work/mm1" -p fifo -p end-first --robustness 2
finish
