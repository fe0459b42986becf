#!/bin/sh
# What reports say of batches, shared objects and the load over time, against runs that are worked out by
# hand or from the jobs' own times; what has no meaning with jobs; and a sweep that was interrupted.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA

# folder NAME RUN BATCH: a server that batches.
folder()
{
    mkdir "$work/$1"
    cat >"$work/$1/scenario.yaml" <<YAML
name: $1
resources: {gpu: {servers: 1, batch: $3}}
run: $2
objective: {metric: latency, tail: 0.5}
trials: 3
policies:
  - {name: given, action: as-given, dispatch: fifo}
baseline: given
YAML
}
# field FILE ROW COLUMN: of the first row that begins with ROW.
field()
{
    sed 's/"[^"]*"//g' "$1" | awk -F, -v r="$2" -v k="$3" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i}
        NR > 1 && index($0, r) == 1 {print $c; exit}'
}
# is WHAT FILE ROW COLUMN VALUE
is()
{
    check "$1: $4 is $5 (it is '$(field "$2" "$3" "$4")')" \
        awk -v x="$(field "$2" "$3" "$4")" -v y="$5" 'BEGIN {d = x - y
            exit !(x "" == y "" || (x != "" && y != "" && d * d < 1e-18 * (1 + y * y)))}'
}

# Jobs at 1 s, 2 s ... 10 s, batches of 2.3 s: {1}, {2, 3} from 3.3 s, {4, 5}, {6, 7}, {8, 9, 10}.
folder static '{mode: open, arrivals: fixed(rate=1/s), jobs: 10, warmup: 0}' '{most: 4}'
cat >"$work/static/nodes.csv" <<CSV
node,kind,resource,duration,evidence
serve,compute,gpu,2300ms,assumed
CSV
exits 0 "static batches" run "$work/static" -o "$work/s"
b=$work/s/batches.csv
is static "$b" 0,serve batches 15
is static "$b" 0,serve batches_per_trial 5
is static "$b" 0,serve mean_size 2
is static "$b" 0,serve mean_size_lo '' # all trials are the same: one course of events
is static "$b" 0,serve largest 3
is static "$b" 0,serve sizes_1 3
is static "$b" 0,serve sizes_2_3 12
# The server is busy for 11.5 s of 10, but four at a time would take 2.3 s of every 4.
is static "$work/s/summary.csv" 0, offered_load ""
is static "$b" 0,serve pause_us ''
prints "serve: 20% of 1, 80% of 2 to 3 members" "sizes are told"
exits 0 "as JSON" run "$work/static" --json
prints '"mean_size"' "they are in it"

# Two nodes of steps of 1 s, the second one of two steps; A comes at 2 s and B at 4 s.  A's first step ends
# as B comes, whose first node goes ahead: A pauses for 1 s.  Then {A, B}, then {B}.
folder steps '{mode: open, arrivals: fixed(rate=0.5/s), jobs: 2, warmup: 0}' '{most: 4, continuous: true}'
cat >"$work/steps/nodes.csv" <<CSV
node,kind,resource,duration,steps,evidence
pre,compute,gpu,1000ms,,assumed
decode,compute,gpu,1000ms,2,assumed
CSV
printf 'from,to,type\npre,decode,data-ready\n' >"$work/steps/edges.csv"
exits 0 "continuous batches" run "$work/steps" -o "$work/c"
b=$work/c/batches.csv
is continuous "$b" 0,pre batches_per_trial 2
is continuous "$b" 0,pre mean_size 1
is continuous "$b" 0,pre pause_us 0
is continuous "$b" 0,decode batches_per_trial 3
is continuous "$b" 0,decode mean_size 1.3333333333333333
is continuous "$b" 0,decode pause_us 500000
is continuous "$b" 0,decode sizes_2_3 3

# Two servers, whose use in each window is what jobs say of their own runs.
folder load '{mode: open, arrivals: poisson(rate=3/s), jobs: 300, warmup: 0}' '{most: 1}'
cat >"$work/load/nodes.csv" <<CSV
node,kind,resource,duration,evidence
serve,compute,gpu,exponential(mean=500ms),assumed
CSV
exits 0 "two servers" run "$work/load" --trials 1 --set resources.gpu.servers=2 -o "$work/l"
check "the use of each window is that of the jobs" awk -F, '
    FNR == 1 {delete n; for (i = 1; i <= NF; i++) n[$i] = i; next}
    NR == FNR {end[++jobs] = $n["finish_us"]; begin[jobs] = end[jobs] - $n["run_us"]; next}
    {   a = $n["begin_us"]; b = $n["end_us"]; used = 0; windows++
        if (windows > 1 && a != last) bad = 1
        last = b
        for (j = 1; j <= jobs; j++) {
            x = begin[j] > a ? begin[j] : a; y = end[j] < b ? end[j] : b
            used += y > x ? y - x : 0}
        d = used / (2 * (b - a)) - $n["utilisation_gpu_share"]
        if (d > 1e-9 || d < -1e-9) bad = 1}
    END {exit !(windows > 100 && windows <= 200 && !bad)}' "$work/l/jobs.csv" "$work/l/jobs_load.csv"
if command -v gnuplot >/dev/null 2>&1; then
    exits 0 "its picture" plot "$work/l"
    share=$(field "$work/l/summary.csv" 0, utilisation_gpu_share | awk '{printf "%.3g", 100 * $1}')
    check "says how busy the server is" grep -q "gpu is in use $share% of the time" "$work/l/plots/load_all.svg"
else
    skip "a picture of the load" "gnuplot is not installed"
fi

# Jobs of 1 s, a lag of 0.5 s and 1 s at 1, 2 and 3 s, in order of readiness: they end at 4, 6 and 7 s and take 3,
# 4 and 4 s, of which 2.5 s are their own.
folder alone '{mode: open, arrivals: fixed(rate=1/s), jobs: 3, warmup: 0}' '{most: 1}'
sed -i 's/, batch: {most: 1}//' "$work/alone/scenario.yaml"
printf '%s\n' node,kind,resource,duration,evidence 'a,compute,gpu,1s,assumed' 'b,compute,gpu,1s,assumed' \
    >"$work/alone/nodes.csv"
printf '%s\n' from,to,type,lag a,b,data-ready,500ms >"$work/alone/edges.csv"
exits 0 "jobs with a lag" sweep "$work/alone" -o "$work/a"
is alone "$work/a/summary.csv" 0, bound_us 2500000
is alone "$work/a/summary.csv" 0, slowdown_mean 1.4666666666666666
prints "x bound: mean over that of the jobs' own chains alone" "what the column is"
check "and it says so" grep -q ' 1\.47 ' "$work/out"
prints "[1] too few jobs to tell whether a queue grows: offered load 2 at gpu" "the verdict is open"
exits 0 "their slowdown" run "$work/alone"
prints "offered load 2 at gpu: too few jobs to tell whether a queue grows" "3 jobs tell no growth"
prints "its latency over what its own chain takes alone" "is told"
check "with the largest" grep -q 'largest  *1\.6$' "$work/out"
exits 0 "as JSON" run "$work/alone" --json
check "all quantiles have the keys of other figures" test "$(grep -c '"p99\.9"' "$work/out") $(grep -c '"p999": {' "$work/out" | sed 's/^[2-9].*/some/')" = "0 some"
# Of the throughput the server is the bound: 6 s for three jobs, of which the last ends at 7 s.
exits 0 "their throughput" sweep "$work/alone" --set objective.metric=throughput -o "$work/at"
is throughput "$work/at/summary.csv" 0, bound_us 2000000
exits 0 "a mark" sweep "$work/alone" --set 'run.marks={first: a}' --set objective.metric=first -o "$work/am"
is mark "$work/am/summary.csv" 0, bound_us ''
check "has no such column" sh -c "! grep -q 'x bound' '$work/out'"

# A deadline of 3.2 s: two of the three are late, by 0.8 s.  A fourth that finds the server taken is rejected.
printf '%s\n' node,kind,resource,duration,deadline,evidence 'a,compute,gpu,1s,,assumed' \
    'b,compute,gpu,1s,3200ms,assumed' >"$work/alone/nodes.csv"
exits 0 "a deadline" run "$work/alone" -o "$work/d"
d=$work/d/deadlines.csv
is deadline "$d" 0,b misses 6 # of three trials
is deadline "$d" 0,b trials 9
is deadline "$d" 0,b miss_p 0.6666666666666666
is deadline "$d" 0,b tardiness_mean_us 533333.3333333334
is deadline "$d" 0,b tardiness_missed_us 800000
is deadline "$d" 0,b tardiness_max_us 800000
is deadline "$work/d/summary.csv" 0, deadline_miss 0.6666666666666666
is deadline "$work/d/jobs.csv" 0,0 tardiness_us 0
is deadline "$work/d/jobs.csv" 0,2 tardiness_us 800000
prints "any deadline: missed by 66.7%" "is told"
exits 0 "as JSON" run "$work/alone" --json
prints '"tardiness_missed"' "too"
exits 0 "that is rejected as well" run "$work/alone" --set 'run.admission={jobs: 1, when_full: reject}' -o "$work/dr"
is rejected "$work/dr/deadlines.csv" 0,b never 6
is rejected "$work/dr/deadlines.csv" 0,b miss_p 0.6666666666666666
is rejected "$work/dr/deadlines.csv" 0,b tardiness_max_us 0
sed -i 's/tail: 0.5/tail: 0.5, constraints: [deadline_miss <= 0.6]/' "$work/alone/scenario.yaml"
exits 1 "a constraint on it" sweep "$work/alone" -o "$work/dc"
check "is broken by its cell" test "$(field "$work/dc/summary.csv" 0, verdict)" = infeasible
prints "deadline_miss is 66.7%" "is judged"
prints "late: jobs that missed a deadline" "and has a column"

# Cells without a steady state: 300 jobs are few at 95% of what a server can do.  Marked are those where MSER-5 finds
# none or the slope's interval is above 0, and whoever wins beside them wins on this horizon; at 30% all settles.
folder steady '{mode: open, arrivals: poisson(rate=1/s), jobs: 300}' '{most: 1}'
sed -i 's/, batch: {most: 1}//; s/^objective.*/objective: {metric: latency, tail: 0.5, order: [mean]}/
    s/^trials: 3/trials: 12/; s/^  - {name: given.*/&\n  - {name: short, action: as-given, dispatch: sjf}/' \
    "$work/steady/scenario.yaml"
printf '%s\n' node,kind,resource,duration,evidence 'a,compute,gpu,exponential(mean=750ms),assumed' \
    'b,compute,gpu,exponential(mean=200ms),assumed' >"$work/steady/nodes.csv"
printf '%s\n' from,to,type a,b,data-ready >"$work/steady/edges.csv"
exits 0 "near the limit" sweep "$work/steady" --set 'sweep={scale.duration.a: [0.1, 0.95]}' -o "$work/st"
marked()
{
    sed -n 's/^ *\([0-9][0-9]*\)  .* (unsteady \[1\]).*/\1/p' "$work/out" | tr '\n' ' '
}
check "the last two are marked" test "$(marked)" = "2 3 "
check "as their columns say" test "$(awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
    $at["warmup_settled"] == 0 || $at["growth_lo_us_per_s"] > 0 {printf "%s ", $1}' "$work/st/summary.csv")" = "2 3 "
prints "[1] MSER-5 finds no steady state" "with a footnote"
prints "at scale.duration.a 0.95: short wins on this horizon: below every other cell's mean" "the winner is qualified"
prints "unsteady: 2 of the 2 cells that compete, short too" "whom it concerns is told"
check "who settles wins" grep -q 'at scale.duration.a 0.1: [a-z]* wins:' "$work/out"
exits 0 "as JSON" sweep "$work/steady" --set 'sweep={scale.duration.a: [0.1, 0.95]}' --json
check "two of four" test "$(grep -c '"unsteady": true' "$work/out") $(grep -c '"unsteady": false' "$work/out")" = "2 2"
exits 0 "a slope" sweep "$work/steady" -p given --trials 6 --seed 15 -o "$work/sl"
slope=$(field "$work/sl/summary.csv" 0, growth_us_per_s | awk '{printf "%.4g", $1 / 1000}')
prints "(unsteady [1])" "is marked"
prints "[1] a job that arrives a second later takes $slope ms [" "with what it is"
exits 0 "the slope of a run" run "$work/steady" -p given --trials 6 --seed 15
prints "rises: a job that arrives a second later takes $slope ms [" "is told"
exits 0 "without a slope" run "$work/steady" -p given
check "nothing rises" sh -c "! grep -q '^rises' '$work/out'"

# A mean is no longer than the longest, also where most fetches are skipped when their turn has come; all
# jobs have one turn each.
exits 0 "fetches in turn" run "$SL_SRCDIR/scenarios/kv-offload" -p nvme --trials 1 --set run.jobs=600 \
    --set run.warmup=0 --json
check "no mean wait is above the longest" awk -F'[:,]' '/"mean_wait_us"/ {mean = $2}
    /"longest_wait_us"/ {n++; if (mean ~ /inf/ || !(mean + 0 <= $2 + 0)) bad = 1} END {exit bad || n < 4}' "$work/out"
prints '"turns": 600,' "the wait for the turn stands once for each job"
# An order by shortest mean has one key for all jobs: of one node, or of alike ones, it makes no order.
exits 0 "shortest mean first" check "$work/steady"
check "tells two nodes apart" sh -c "! grep -q 'dispatch: sjf' '$work/err'"
sed -i 's/200ms/750ms/' "$work/steady/nodes.csv"
exits 0 "of alike nodes" check "$work/steady"
says "policy 'short': dispatch: sjf changes nothing against fifo: it goes by isolated means" "changes nothing"

# The five requests of tests/cli/shared.sh.  Of 11 blocks 1 is found at home by the second, 1 by the fourth
# and 1 and 2 by the fifth, 2 below by the fourth, and 6 are missing.  Out go 2 and 3 for the third, 5 for the
# fourth and 4 for the fifth, all to the host, where 2 stays when it is fetched.
mkdir "$work/five"
cat >"$work/five/scenario.yaml" <<YAML
name: five
resources: {gpu: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}
domains: {hbm: {capacity: 300B, reserve: 0B}, host: {capacity: 10kB, reserve: 0B}}
routes:
  - {from: host, to: hbm, resource: h2d, bandwidth: 10MB/s, evidence: assumed}
  - {from: hbm, to: host, resource: d2h, bandwidth: 10MB/s, evidence: assumed}
run: {mode: open, arrivals: 'trace(file=../five.jsonl, format=mooncake)'}
objective: {metric: latency, tail: 0.9}
trials: 2
policies:
  - {name: demand, action: as-given}
  - {name: none, action: as-given, cache: {spill: none}}
baseline: demand
YAML
printf '%s\n' object,size,placements,shared 'kv,100B,hbm;host,blocks' >"$work/five/objects.csv"
cat >"$work/five/nodes.csv" <<CSV
node,kind,resource,inputs,outputs,duration,evidence
prefill,compute,gpu,,kv,4us * kv.missing + 1us,assumed
decode,compute,,kv,,10us,assumed
CSV
t=0
for hashes in "1, 2" "1, 3" "4, 5" "1, 2" "1, 2, 6"; do
    echo "{\"timestamp\": $t, \"input_length\": 1024, \"output_length\": 5, \"hash_ids\": [$hashes]}"
    t=$((t + 1))
done >"$work/five.jsonl"
exits 0 "a cache" run "$work/five" -p demand -o "$work/k"
prints "found in hbm" "is told by tiers"
# counts FOLDER NAME=VALUE...: of its caches.csv; two trials of the same trace.
counts()
{
    folder=$1
    shift
    for pair in "$@"; do
        is "$folder" "$work/$folder/caches.csv" 0,kv "${pair%=*}" "${pair#*=}"
    done
}
counts k block_bytes=100 looked_up_blocks=22 missing_blocks=12 found_hbm_blocks=8 found_host_blocks=2 \
    made_blocks=12 made_twice_blocks=0 fetched_blocks=2 fetched_unused_blocks=0 wasted_bytes=0 \
    evicted_blocks=8 spilled_blocks=8 lost_blocks=0 left_hbm_blocks=6 left_host_blocks=8 \
    found_share=0.45454545454545453 found_hbm_share=0.36363636363636365
check "jobs have their own counts" sh -c "grep -q 'kv.blocks,kv.hbm,kv.host,kv.missing' '$work/k/jobs.csv' &&
    sed -n 5p '$work/k/jobs.csv' | grep -q ',2,1,1,0\$'"
is summary "$work/k/summary.csv" 0, found_kv_share 0.45454545454545453
exits 0 "and compared" compare "$work/five" -p demand -p none
prints "found of kv in host" "beside another policy"
# Nothing is spilled: the fourth makes 2 again, and what leaves is lost.
exits 0 "without a lower tier" run "$work/five" -p none -o "$work/n"
counts n looked_up_blocks=22 missing_blocks=14 found_hbm_blocks=8 found_host_blocks=0 fetched_blocks=0 \
    evicted_blocks=8 spilled_blocks=0 lost_blocks=8

# What a trial of many jobs does not have.
# with FOLDER KEY: the queue of two servers with a key of `objective`.
with()
{
    cp -r "$work/load" "$work/$1"
    sed -i "s|tail: 0.5|tail: 0.5, $2|" "$work/$1/scenario.yaml"
}
with without 'constraints: ["P(makespan <= 10s) >= 0.9"]'
exits 3 "a makespan" check "$work/without"
says "is not measured in mode open" "is refused by name"
says "run.slo" "with what to do instead"
with order 'order: [deadline_miss]'
exits 3 "an order by missed deadlines" check "$work/order"
says "limit it by a constraint, as in 'deadline_miss <= 0.01'" "is refused, with what to do instead"
with busy 'busy: gpu'
exits 0 "a busy resource" check "$work/busy"
says "objective.busy changes nothing in mode open" "is warned of"

# A sweep that is interrupted when a cell is on disk, and resumed, has the bytes of one that was not.
slow="sweep $work/load --axis resources.gpu.servers=2,3,4,5 --trials 200 --threads 1"
# shellcheck disable=SC2086
"$SLACKLINE" $slow -o "$work/cut" >"$work/out" 2>"$work/err" &
pid=$!
tries=0
while [ ! -e "$work/cut/cells/00001.part" ] && [ $tries -lt 3000 ] && kill -0 $pid 2>/dev/null; do
    sleep 0.01
    tries=$((tries + 1))
done
kill -TERM $pid 2>/dev/null
got=0
wait $pid || got=$?
if [ "$got" -eq 130 ]; then
    # shellcheck disable=SC2086
    exits 0 "--resume completes a sweep of jobs" $slow --resume -o "$work/cut"
    # shellcheck disable=SC2086
    exits 0 "the same without a break" $slow -o "$work/whole"
    for path in "$work/whole"/*.csv; do
        check "${path##*/} is the same" cmp "$work/cut/${path##*/}" "$path"
    done
else
    skip "--resume completes a sweep of jobs" "the sweep was over before the signal (exit $got)"
fi
finish
