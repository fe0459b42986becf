#!/bin/sh
# explain of one job: which one, where its latency went, and who held what it waited for.  Arrivals are one
# per second from 1 s on and durations are constant, so that all figures are by hand.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA

# folder NAME RUN [MORE]: a server; the caller writes the tables.
folder()
{
    mkdir "$work/$1"
    cat >"$work/$1/scenario.yaml" <<YAML
name: $1
resources: {gpu: {servers: 1}}
run: {mode: open, arrivals: fixed(rate=1/s), $2}
objective: {metric: latency, tail: 0.9}
trials: 2
policies: [{name: fifo, action: as-given, dispatch: fifo}]
${3:-}
YAML
}
# row TEXT WHAT: a line of the report, its blanks squeezed.
row()
{
    if sed 's/  */ /g; s/^ //' "$work/out" | grep -qxF -- "$1"; then pass "$2"; else fail "$2" "$(cat "$work/out")"; fi
}
# json TEXT WHAT: of the JSON, without line breaks and blanks.
json()
{
    if tr -d '\n ' <"$work/out" | grep -qF -- "$1"; then pass "$2"; else fail "$2" "$(cat "$work/out")"; fi
}

# Jobs at 1 ... 4 s, 2.5 s each, run from 1, 3.5, 6 and 8.5 s on: latencies 2.5, 4, 5.5 and 7 s.
folder line 'jobs: 4, warmup: 0, parameters: {tokens: const(5)}, marks: {ttft: serve}, slo: {latency: 3s}'
printf '%s\n' node,kind,resource,duration,evidence serve,compute,gpu,2500ms,assumed >"$work/line/nodes.csv"
exits 0 "the worst of a line" explain "$work/line" --at worst
prints "job 3 of trial 0 (seed 1): latency 7.000 s, rank 7 of 8 counted jobs of all trials by latency" "is the last"
prints "arrived at 4.000 s and ended at 11.00 s" "its times"
row "tokens 5" "its parameter"
row "latency 7.000 s 3.00 s not kept" "its limit"
row "ttft 7.000 s" "its mark"
row "wait: queue 4.500 s 64.3%" "its wait"
row "run, isolated 2.500 s 35.7%" "its run"
row "latency 7.000 s 100.0%" "and all"
row "serve arrival 4.000 s 4.50 s queue 2.50 s" "its chain"
row "serve gpu serve 2 0 4.50 s job 2 8.500 s" "who held the server: jobs 1 and 2"
exits 0 "as JSON" explain "$work/line" --at worst --json
json '"rank":7,"counted_jobs":8,"arrival_us":4000000,"rejected":false,"admitted_us":4000000,"finish_us":11000000' "its times are in it"
json '"latency_parts":{"latency_us":7000000,"admission_us":0,"wait_queue_us":4500000,"contention_us":0,"isolated_us":2500000}' "and the parts"
json '{"waiting":"serve","resource":"gpu","job":1,"node":"serve","from_us":4000000,"to_us":6000000,"overtook":false},{"waiting":"serve","resource":"gpu","job":2,"node":"serve","from_us":6000000,"to_us":8500000,"overtook":false}]' "and who held the server"
exits 0 "the median" explain "$work/line"
prints "job 1 of trial 0 (seed 1): latency 4.000 s" "is the lower one of two"
exits 0 "by number" explain "$work/line" --trial 1 --job 0
prints "job 0 of trial 1 (seed 1): latency 2.500 s, rank 1 of 4 counted jobs of this trial by latency" "within a trial"
exits 0 "of the warm-up" explain "$work/line" --job 0 --set run.warmup=1
prints "not counted: it is of the warm-up of 1 jobs" "is said to be"

# At most one is admitted: the second waits for admission, or is turned away.
exits 0 "that waits for admission" explain "$work/line" --job 1 --set run.admission.jobs=1
row "admission 1.500 s 37.5%" "is no wait of a node"
# The last one comes at 4 s, behind job 2, and is admitted at 8.5 s.
exits 0 "that waits for two" explain "$work/line" --job 3 --set run.admission.jobs=1
row "job 2 6.000 s 8.500 s 2.50 s" "tells who had the place"
row "job 1 4.000 s 6.000 s 2.00 s" "each of them"
prints "within its wait of 4.50 s for admission, behind 1 jobs that waited when it came; there is room for 1" \
    "and who was before it"
exits 0 "that waits for two, as JSON" explain "$work/line" --job 3 --set run.admission.jobs=1 --json
json '"admission":{"waited_before_it":1,"admitted":[{"job":1,"from_us":4000000,"to_us":6000000},{"job":2,"from_us":6000000,"to_us":8500000}]' "too"
exits 0 "a bound of waits" run "$work/line" --set run.admission.jobs=1 --set 'objective.constraints=["max_wait <= 2s"]'
prints "longest wait for admission: 4.50 s, by job 3 in trial 0" "the report tells the longest wait for admission"
prints "behind 1 jobs that waited when it came; admitted meanwhile: job 2 (2.50 s), job 1 (2.00 s)" "and whom it was for"
prints "; 4 that waited longer for admission" "and how many waited so long" # jobs 2 and 3 of two trials
exits 0 "as JSON" run "$work/line" --set run.admission.jobs=1 --set 'objective.constraints=["max_wait <= 2s"]' --json
json '"longest_wait_for_admission":{"job":3,"trial":0,"wait_us":4500000,"starved":4,"waited_before_it":1,"admitted":[{"job":2,' "too"
exits 0 "that is rejected" explain "$work/line" --job 1 --set 'run.admission={jobs: 1, when_full: reject}'
prints "arrived at 2.000 s and was rejected: full" "says why"
exits 0 "rejected, as JSON" explain "$work/line" --job 1 --set 'run.admission={jobs: 1, when_full: reject}' --json
json '"rejected":true,"rejected_for":"full"' "says why, too"

# Batches of up to 4 that wait for 2 s: the first one waits from 1 to 3 s for others.
exits 0 "that waits for its batch" explain "$work/line" --job 0 --set 'resources.gpu.batch={most: 4, wait: 2s}'
row "wait: queue 2.000 s 44.4%" "waits 2 of 4.5 s"
prints "serve waited for its turn, or for its batch to fill, while nobody held what it wanted" "for nobody"

# a makes 60 B of 100 for b, 2 s and 1 s on a server for each: job 1 gets its bytes at 4 s, when job 0 ends.
folder short 'jobs: 3, warmup: 0' 'domains: {hbm: {capacity: 100B, reserve: 0B}}
nodes: nodes.csv'
sed -i 's/servers: 1/servers: 4/' "$work/short/scenario.yaml"
printf '%s\n' node,kind,resource,duration,inputs,outputs,evidence 'a,compute,gpu,2s,,x,assumed' \
    'b,compute,gpu,1s,x,,assumed' >"$work/short/nodes.csv"
printf '%s\n' object,size,home,placements,evidence x,60B,hbm,hbm,assumed >"$work/short/objects.csv"
exits 0 "that waits for bytes" explain "$work/short" --job 1
row "wait: capacity 2.000 s 40.0%" "waits 2 of 5 s"
row "a arrival 2.000 s 2.00 s capacity 2.00 s" "its first node does"
row "b data 6.000 s 1.00 s" "the second one does not"
row "a hbm b 1 60 B job 0 4.000 s" "whose bytes"

# Admitted by what they may need, the second one waits until the first one needs nothing more.
exits 0 "that waits for memory" explain "$work/short" --job 1 --set run.admission.memory=hbm
row "who was admitted before it from until for might need of hbm in the end" "has a table of needs"
row "job 0 2.000 s 4.000 s 2.00 s 60 B 0 B" "tells who might need it, and of how much"

# refused OPTIONS TEXT
refused()
{
    # shellcheck disable=SC2086
    exits 2 "$1" explain "$work/line" $1
    says "$2" "is refused by name"
}
refused "--at 3" "--trial chooses a trial, --job a job by its number"
refused "--at p90 --job 1" "both choose the job"
refused "--job 4" "there is no job 4 in trial 0 (allowed: 0 to 3)"
refused "--trial 2" "there is no trial 2 (allowed: 0 to 1)"
refused "--job one" "'one' is not a whole number"
refused "--costs" "not supported in mode open"
refused "--node serve" "not supported in mode open"
refused "--object x" "not supported in mode open"
refused "-o $work/picture" "not supported in mode open"
refused "--set run.jobs=3 --set run.warmup=1 --set run.admission.jobs=1 --set run.admission.when_full=reject" \
    "no job was completed after the warm-up of 1"
exits 2 "a job of a trial" explain "$SL_SRCDIR/scenarios/hello" --job 1
says "--job is about the jobs of modes open and closed" "has none"
finish
