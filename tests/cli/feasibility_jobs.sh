#!/bin/sh
# slackline feasibility in modes open and closed: what a runtime inserts into each job's plan, in closed form.
. "$SL_SRCDIR/tests/support/tap.sh"

# One client, whose jobs are a and b side by side: a takes 1 to 3 ms, b takes 10.
mkdir "$work/q"
cat >"$work/q/scenario.yaml" <<'YAML'
name: served
resources: {x: {servers: 1}, y: {servers: 1}}
run: {mode: closed, concurrency: 1, jobs: 200, warmup: 20, parameters: {n: 'uniform(1, 3)'}}
objective: {metric: latency, tail: 0.9, order: [mean]}
policies: [{name: plain, action: as-given}]
trials: 5
YAML
printf 'node,kind,resource,duration,evidence\na,compute,x,1ms * n,assumed: x\nb,compute,y,10ms,assumed: x\n' >"$work/q/nodes.csv"
exits 1 "a decision on jobs" decide "$work/q" -p plain -o "$work/d"
cp "$work/d/decision.yaml" "$work/decided.yaml"
answer() # NAME REST-OF-REPLY
{
    cp "$work/decided.yaml" "$work/d/decision.yaml"
    printf '{"format": "slackline-reply", "version": 1, "runtime": "mine 1", "scenario": "served", "policy": "plain",\n%s}\n' "$2" >"$work/reply.json"
    exits 0 "$1" feasibility "$work/d" --reply "$work/reply.json"
}
answer "a yes" '"feasible": "yes"'
check "changes nothing" grep -q '^median .*10.00 ms .*10.00 ms .*0 ps' "$work/out"
answer "an overhead of 1 ms" '"feasible": "yes", "overhead": [{"kind": "compute", "duration": "1ms", "evidence": "measured: here"}]'
check "is one of the longer node alone" grep -q '^median .*10.00 ms .*11.00 ms .*+1.00 ms  \[1, 1\]' "$work/out"
prints "overhead: 2.00 ms of calls in one run" "and told of both"
answer "an order within a job" '"feasible": "with-constraints", "constraints": {"edges": [{"from": "b", "to": "a", "type": "ordering", "lag": "5ms", "reason": "one queue"}]}, "overhead": [{"node": "a", "duration": "1ms", "evidence": "measured: here"}]'
# b, the lag, then a with its overhead: 10 + 5 + (1 to 3) + 1 ms, half of them above 18.
check "puts one behind the other" awk '/^median/ { exit !($4 > 17.6 && $4 < 18.4) }' "$work/out"
check "it counts replications" grep -A12 '^runtime_feasible:' "$work/d/decision.yaml"
check "by that name" grep -q 'counted: replications' "$work/d/decision.yaml"
cp "$work/decided.yaml" "$work/d/decision.yaml"
printf '{"format": "slackline-reply", "version": 1, "runtime": "mine 1", "feasible": "with-constraints", "constraints": {"edges": [{"from": "a", "to": "b", "type": "ordering", "reason": "x"}, {"from": "b", "to": "a", "type": "ordering", "reason": "x"}]}}\n' >"$work/reply.json"
exits 1 "a circle within a job" feasibility "$work/d" --reply "$work/reply.json"
prints "mine 1: not feasible" "is none that runs"

# What CUDA does of it, and what the host decides between jobs.
cp "$work/decided.yaml" "$work/d/decision.yaml"
exits 0 "CUDA" feasibility "$work/d" --mapping cuda
prints "is not settled: a decision between jobs takes no time" "leaves the host's decisions open"
check "and names them" grep -q 'x serves the waiting work of all jobs by fifo' "$work/d/decision.yaml"

# A replay is of one run by itself; another device is another matter.
exits 2 "measured" decide "$work/d" --measured "$work/q"
says "what is measured is a run of the plan by itself, and jobs share the machine" "is refused, and why"
# 1 MB comes back at 100 or 200 MB/s, in 10 or 5 ms, or is made again in 7 ms.
mkdir "$work/two" "$work/slow" "$work/fast"
device() { printf 'name: %s\nresources: {x: {servers: 1}, in: {servers: 1}, out: {servers: 1}}\ndomains: {hbm: {capacity: 1GB, reserve: 0B}, host: {capacity: 1GB, reserve: 0B}}\nroutes:\n  - {from: hbm, to: host, resource: out, bandwidth: 1000GB/s, evidence: "assumed: x"}\n  - {from: host, to: hbm, resource: in, bandwidth: %s, evidence: "assumed: x"}\n' "$1" "$2" >"$work/$1/device.yaml"; }
device slow 100MB/s && device fast 200MB/s
printf 'node,kind,resource,inputs,outputs,duration,evidence\nf,compute,x,,a,7ms,assumed: x\nm,compute,x,a,t,100us,assumed: x\ng,compute,x,t,u,"1ms * n",assumed: x\nb,compute,x,a;u,,1ms,assumed: x\n' >"$work/two/nodes.csv"
printf 'object,size,home,reconstruct,equivalence\na,1MB,hbm,f,bitwise\nt,1kB,hbm,,\nu,1kB,hbm,,\n' >"$work/two/objects.csv"
cat >"$work/two/scenario.yaml" <<'YAML'
name: two
device: ../slow
run: {mode: closed, concurrency: 1, jobs: 200, warmup: 20, parameters: {n: 'uniform(1, 3)'}}
objective: {metric: latency, tail: 0.9}
policies: [{name: again, action: remat, select: list, objects: a}, {name: back, action: offload, select: list, objects: a, prefetch: {when: demand}}]
baseline: again
trials: 5
YAML
exits 1 "a decision where copies are slow" decide "$work/two" -p again -o "$work/t"
exits 1 "on another device" decide "$work/t" --rebase --device "$work/fast"
prints "On fast 'back' is to be chosen instead of 'again'." "the choice flips"
check "by the copies back alone, which save 5 ms" awk '/^route host->hbm/ { found = 1; ok = $3 + 0 == -5 && $4 == "ms" && /turns it round by itself/ } END { exit !(found && ok) }' "$work/out"

# Proofs of the plan of a job: by admission, by what fits, and none.
proofs() # NAME ADMISSION JOBS CONDITION OUTCOME
{
    mkdir "$work/$1"
    printf 'name: p\nresources: {x: {servers: 2}}\ndomains: {hbm: {capacity: 10MiB, reserve: 0B}}\nobjective: {metric: latency, tail: 0.9}\npolicies: [{name: plain, action: as-given}]\ntrials: 3\nrun: {mode: closed, concurrency: %s, jobs: 60, warmup: 10%s}\n' "$3" "$2" >"$work/$1/scenario.yaml"
    printf 'node,kind,resource,duration,inputs,outputs,evidence\na,compute,x,1ms,,o,assumed: x\nb,compute,x,1ms,o,p,assumed: x\nc,compute,x,1ms,p,,assumed: x\n' >"$work/$1/nodes.csv"
    printf 'object,size,home,evidence\no,2MiB,hbm,assumed: x\np,2MiB,hbm,assumed: x\n' >"$work/$1/objects.csv"
    exits 1 "$1" decide "$work/$1" -p plain -o "$work/$1.d"
    check "$1: $4 is $5" grep -q "^$4 *$5 " "$work/out"
}
proofs fits '' 2 progress pass
check "its copies are given back behind their users" grep -q '^correctness *pass .*puts all 2 reclamations behind every user' "$work/out"
check "and why jobs cannot wait in a circle" grep -q 'jobs cannot wait for each other in a circle' "$work/fits.d/decision.yaml"
proofs admitted ', admission: {memory: hbm}' 5 progress pass
proofs bounded ', admission: {jobs: 2}' 5 progress pass
proofs crowded '' 3 progress unknown

# A policy with several points is no decision yet.
exits 2 "a policy of several points" decide "$SL_SRCDIR/scenarios/kv-offload" -p ahead --trials 1 --within 1 -o "$work/k"
says "has several points" "is refused"
finish
