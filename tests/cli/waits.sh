#!/bin/sh
# Liveness as told: the longest wait and what ended it, who was passed, and starvation against the
# declared bound.  Durations are constant, the figures are by hand.
. "$SL_SRCDIR/tests/support/tap.sh"

# scenario NAME RESOURCES [MORE]: the head of a scenario; the caller writes its tables.
scenario()
{
    mkdir "$work/$1"
    cat >"$work/$1/scenario.yaml" <<YAML
name: $1
nodes: nodes.csv
resources: $2
${3:-}
policies: [{name: p, action: as-given}]
baseline: p
trials: 20
seed: 1
YAML
}

# Five jobs of 10 us on one server: the last one waits 40 us.  Beyond 25 us wait two per trial.
scenario fifo '{gpu: {servers: 1}}' 'objective: {constraints: [max_wait <= 25us]}'
printf 'node,kind,resource,duration\n' >"$work/fifo/nodes.csv"
for job in a b c d e; do
    echo "$job,compute,gpu,10us" >>"$work/fifo/nodes.csv"
done
exits 1 "waits beyond the bound" run "$work/fifo" -o "$work/r"
prints "longest wait: 40.0 us, by e in trial 0 (explain --at 0):" "the longest, and where"
prints "  e was ready at 0 ps and started 40.00 us later, when d had left gpu" "its story"
prints "bypasses: 0 per trial" "nobody was passed"
prints "starvation: 40 waits beyond the declared bound of 25.0 us, in 20 of 20 trials" "starvation"
check "by node" grep -qE "^    e  +20  40.0 us\$" "$work/out"
check "of all nodes" grep -qE "^    d  +20  30.0 us\$" "$work/out"
check "in waits.csv" grep -qx "0,e,compute,,20,40,40,0,10,10,0,0,queue,d,0,20,20" "$work/r/waits.csv"
check "nothing of who never waited" \
    grep -qx "0,a,compute,,20,0,0,0,10,10,,,,,,0,20" "$work/r/waits.csv"
exits 1 "as JSON" run "$work/fifo" --json
tr -d '\n' <"$work/out" | sed 's/  */ /g' >"$work/json"
check "the longest wait is in it" grep -qF '"longest_wait": { "node": "e", "trial": 0, "ready_us": 0, "wait_us": 40, "cause": "queue", "behind": "d", "bypassed": 0, "story": "e was ready at 0 ps and started 40.00 us later, when d had left gpu" }' "$work/json"
check "and starvation" grep -qF '"starvation_bound_us": 25, "starved": 40, "starved_trials": 20, "starved_nodes": [ { "node": "e", "waits": 20, "longest_us": 40 }, { "node": "d", "waits": 20, "longest_us": 30 } ]' "$work/json"

# A bound that holds, and none.
exits 0 "no wait beyond a bound" run "$work/fifo" --set 'objective.constraints=[max_wait <= 40us]'
prints "starvation: 0 waits beyond the declared bound of 40.0 us" "none is told"
exits 0 "no bound" run "$work/fifo" --set 'objective.constraints=[]' --force -o "$work/r"
prints "starvation: no bound established" "is told"
check "starved is empty" grep -qx "0,e,compute,,20,40,40,0,10,10,0,0,queue,d,0,,20" "$work/r/waits.csv"

# wide wants both units; three narrow ones pass it while hold has one of them until 10 us.
scenario wide '{gpu: {servers: 2}}'
cat >"$work/wide/nodes.csv" <<'CSV'
node,kind,resource,duration
hold,compute,gpu,10us
wide,compute,gpu:2,5us
n1,compute,gpu,4us
n2,compute,gpu,4us
n3,compute,gpu,4us
CSV
exits 0 "a node that is passed" run "$work/wide"
prints "  wide was ready at 0 ps and started 12.00 us later, when n3 had left gpu; meanwhile 3 later nodes of its list went ahead of it" "how often"
prints "bypasses: 3 per trial, most often of wide: 3" "and of whom"

# other wants 2 GiB of the 3 that hold x until read gives it back at 30 us.
scenario bytes '{gpu: {servers: 1}, link: {servers: 1}}' 'objects: objects.csv
domains: {hbm: {capacity: 3GiB, reserve: 0B}}'
cat >"$work/bytes/nodes.csv" <<'CSV'
node,kind,resource,duration,inputs,outputs,workspace
make,compute,gpu,10us,,x,
read,compute,gpu,20us,x,,
other,compute,link,5us,,y,
use,compute,link,5us,y,,
CSV
printf 'object,size,home\nx,2GiB,hbm\ny,2GiB,hbm\n' >"$work/bytes/objects.csv"
exits 0 "a wait for bytes" run "$work/bytes"
prints "  other was ready at 0 ps and started 30.00 us later, when read had given back x: it wanted 2.00 GiB of hbm" "who held them"
exits 0 "the same explained" explain "$work/bytes"
prints "The longest wait on the chain: other was ready at 0 ps and started 30.00 us later, when read had given back x: it wanted 2.00 GiB of hbm." "in the same words"

# Two workspaces of 2 GiB in 3, and two nodes that must not run beside each other.
scenario space '{gpu: {servers: 2}}' 'domains: {hbm: {capacity: 3GiB, reserve: 0B}}'
printf 'node,kind,resource,duration,workspace\na,compute,gpu,10us,hbm:2GiB\nb,compute,gpu,5us,hbm:2GiB\n' \
    >"$work/space/nodes.csv"
exits 0 "a wait for workspace" run "$work/space"
prints "  b was ready at 0 ps and started 10.00 us later, when a had given back its workspace: it wanted 2.00 GiB of hbm" "is told"
scenario apart '{gpu: {servers: 2}}' 'overlap: overlap.csv'
printf 'node,kind,class,resource,duration\na,compute,x,gpu,10us\nb,compute,y,gpu,5us\n' \
    >"$work/apart/nodes.csv"
printf 'a,b,allowed\nx,y,no\n' >"$work/apart/overlap.csv"
exits 0 "a wait for a peer" run "$work/apart"
prints "  b was ready at 0 ps and started 10.00 us later, when a had ended, which must not run beside it" "is told"

# Nobody waits.
exits 0 "no wait at all" run "$SL_SRCDIR/scenarios/hello"
prints "no node waited" "is told"
check "and no bypass" test -z "$(grep bypasses "$work/out")"

finish
