#!/bin/sh
# explain --costs: the table, its files, and what it refuses.  The figures are tests/oracle/test_choice_costs.c's.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello

# f 10ms writes p, n 20ms wants all memory, r 10ms reads p.
mkdir "$work/one"
cat >"$work/one/scenario.yaml" <<EOF
name: one
nodes: nodes.csv
objects: objects.csv
resources: {compute: {servers: 1}, out: {servers: 1}, back: {servers: 1}}
domains: {hbm: {capacity: 1GiB, reserve: 0B}, host: {capacity: 8GiB, reserve: 0B}}
routes:
  - {from: hbm, to: host, resource: out, bandwidth: 1000GiB/s}
  - {from: host, to: hbm, resource: back, bandwidth: 1000GiB/s}
objective: {metric: makespan, tail: 0.99}
policies:
  - {name: away, action: offload}
  - {name: keep, action: retain}
trials: 3
seed: 1
EOF
cat >"$work/one/nodes.csv" <<EOF
node,kind,resource,duration,lane,inputs,outputs,workspace
f,compute,compute,10ms,s,,p,
n,compute,compute,20ms,s,,,hbm:1GiB
r,compute,compute,10ms,s,p,,
EOF
printf 'object,size,home,placements\np,1GiB,hbm,hbm;host\n' >"$work/one/objects.csv"

exits 0 "costs" explain "$work/one" --policy away --costs -o "$work/folder"
grep -q 'p .*offload to host, demand \*' "$work/out" && pass "what the policy does is marked" ||
    fail "what the policy does is marked"
grep -q 'retain deadlocks in every trial with p: ' "$work/out" && pass "a deadlock is told" ||
    fail "a deadlock is told"
grep -q 'remat is not possible for p: no node is stated' "$work/out" &&
    pass "what is not eligible is told" || fail "what is not eligible is told"
rows=$(wc -l <"$work/folder/costs.csv")
[ "$rows" -eq 4 ] && pass "a row per choice" || fail "a row per choice" "$rows lines"
awk -F, 'NR == 1 { n = NF } /offload/ && NF != n { bad = 1 } END { exit bad }' "$work/folder/costs.csv" &&
    pass "a row has every column" || fail "a row has every column"
# Out from 10 to 11 and back from 31 to 32, in which compute idles twice: n has no room before 11.
value() { awk -F, -v c="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i }
    /offload/ { print $k }' "$work/folder/costs.csv"; }
[ "$(value stall_us)" = 2000 ] && pass "stalls" || fail "stalls" "$(value stall_us)"
[ "$(value chain_us)" = 2000 ] && pass "on chain" || fail "on chain" "$(value chain_us)"
[ "$(value decided)" = yes ] && pass "decided" || fail "decided"
exits 2 "a folder is not overwritten" explain "$work/one" --policy away --costs -o "$work/folder"
exits 0 "but with --force" explain "$work/one" --policy away --costs -o "$work/folder" --force

exits 1 "a policy that deadlocks" explain "$work/one" --policy keep --costs
grep -q 'no deadlock' "$work/out" && pass "what ends a deadlock is told" ||
    fail "what ends a deadlock is told"

# With room for two of the activations whatever becomes of one of them the rest deadlock.
exits 1 "no choice runs" explain "$hello" --policy keep --costs --trials 20 --set domains.hbm.capacity=2560MiB
prints "no choice has a plan that runs to its end" "which is said instead of empty tables"
# No duration of the scenario has evidence: one line, whatever the number of choices.
sed 's/^p,1GiB,hbm,hbm;host$/&\nq,1GiB,hbm,hbm;host/' "$work/one/objects.csv" >"$work/objects"
mkdir "$work/two" && cp "$work/one"/* "$work/two" && mv "$work/objects" "$work/two/objects.csv"
sed 's/,,p,$/,,p;q,/; s/,p,,$/,p;q,,/' "$work/one/nodes.csv" >"$work/two/nodes.csv"
exits 0 "two objects" explain "$work/two" --policy away --costs --set domains.hbm.capacity=8GiB
check "their evidence is told once" test "$(grep -c 'hypothetical: evidence' "$work/out")" -eq 1
exits 3 "no trial" explain "$work/one" --policy away --costs --set trials=0
exits 2 "no such object" explain "$work/one" --costs --policy away --object 'q*'
exits 2 "--at" explain "$work/one" --costs --policy away --at p99
exits 2 "--node" explain "$work/one" --costs --policy away --node f

# The same bytes at any number of threads, and --json is JSON with every gap that was asked for.
exits 0 "one thread" explain "$hello" --policy fetch-early --costs --object 'a1;a2' --trials 200 --json --threads 1
cp "$work/out" "$work/one-thread"
exits 0 "three threads" explain "$hello" --policy fetch-early --costs --object 'a1;a2' --trials 200 --json --threads 3
cmp -s "$work/out" "$work/one-thread" && pass "threads do not show" || fail "threads do not show"
[ "$(grep -c '"object"' "$work/out")" -eq 2 ] && pass "gaps by glob" || fail "gaps by glob"
finish
