#!/bin/sh
# decide: from a sweep to a record, its updates, and what it refuses.
. "$SL_SRCDIR/tests/support/tap.sh"
SOURCE_DATE_EPOCH=1796000000
export SOURCE_DATE_EPOCH
cp -r "$SL_SRCDIR/scenarios/hello" "$work/hello"
point=domains.hbm.capacity=4.25GiB

exits 0 "a sweep" sweep "$work/hello" --trials 1000 -o "$work/r"
exits 0 "a sweep past the scenario's own value" sweep "$work/hello" --axis domains.hbm.capacity=5.25GiB,6.25GiB \
    --trials 100 -o "$work/past"
exits 2 "a point is needed" decide "$work/past"
says "--at domains.hbm.capacity=VALUE (allowed: 5.25GiB, 6.25GiB); the scenario's own value, 4.25GiB, is none of them" "which are named"
exits 1 "where the scenario's own value is a point" decide "$work/r" --within 1 -o "$work/own"
says "at domains.hbm.capacity=4.25GiB, the scenario's own value" "that one is taken and named"
check "as the record says" grep -q "value: '*4.25GiB" "$work/own/decision.yaml"
exits 2 "another point" decide "$work/r" --at domains.hbm.capacity=5GiB
exits 2 "another axis" decide "$work/r" --at domains.hbm.capacty=5GiB
says "no such axis (did you mean 'domains.hbm.capacity'?)" "is said, with the nearest"
exits 2 "another policy" decide "$work/r" -p fetch-earlyy
says "no cell of policy 'fetch-earlyy' at this point (did you mean 'fetch-early'?)" "is said, with the nearest"
check "nothing was written" test ! -e "$work/r/decision.yaml"

# Fetching early takes 20 ms off recomputing; nothing was measured, and no runtime has answered.
exits 1 "a decision that is not accepted yet" decide "$work/r" --at $point
prints "'fetch-early' lowers the p99 by" "the finding comes first"
prints "status: policy-selected; gate: 7 pass, 0 fail, 3 unknown (mechanism, contention, target)" "the last line says what is open"
record=$work/r/decision.yaml page=$work/r/decision.md
check "the record has its status" grep -q '^status: policy-selected$' "$record"
check "the page says in which range drifts were looked for" grep -q '^Drifts of calibrated figures: each of [0-9]* figures was scaled alone, from 1/2 to 2 times' "$page"
check "keep deadlocks" grep -q '^| keep | deadlock |' "$page"
check "recompute has a regret" grep -q '^| recompute | slower | .*| +2[01]\.' "$page"
check "the page sets three results side by side" grep -q '^| source | simulation | absent | absent |$' "$page"
check "nothing fills in for a measurement" test -z "$(grep -e '^measured:' -e '^runtime_feasible:' "$record")"
check "the history has two entries" test "$(grep -c '^  seal: \|^- date: ' "$record")" = 4
check "dated by the environment" grep -q "date: '\{0,1\}2026-11-30T00:53:20Z" "$record"

# The same again is the same record; only --force begins a new one.
cp "$record" "$work/first"
exits 1 "again" decide "$work/r" --at $point --threads 2
check "is the same to the byte" cmp "$work/first" "$record"
exits 1 "as JSON" decide "$work/r" --at $point --json
prints '"status": "policy-selected"' "with the same keys"

# A record that cannot be read: each fault is told once.
mkdir "$work/faulty" && sed 's/^status: .*/status: soon/' "$record" >"$work/faulty/decision.yaml"
exits 3 "a faulty record" decide "$work/r" --at $point -o "$work/faulty"
check "is told once" test "$(grep -c "status: unknown word 'soon'" "$work/err")" = 1

# Where drifts are looked for on fewer trials than the tail takes.
exits 1 "a p99.9" decide "$work/hello" -p fetch-early --at $point --set objective.tail=0.999 --trials 5000 -o "$work/far"
check "is held by medians, which is said" grep -q "best policies, 'fetch-early', .*, by their medians, as the tail takes more trials: " "$work/far/decision.md"
check "and only there" test "$(grep -c 'by their medians' "$page")" = 0

# Another policy is another decision.
exits 2 "the record of another decision stays" decide "$work/r" --at $point -p keep
says "-o DIR keeps both" "and says how"
check "untouched" cmp "$work/first" "$record"
exits 2 "that of another point" decide "$work/r" --at domains.hbm.capacity=3.25GiB -p fetch-early
says "at another point" "stays, too"
exits 2 "beside another baseline" decide "$work/r" --at $point --baseline fetch-late
says "beside another baseline" "stays, too"
exits 2 "on other trials" decide "$work/r" --at $point --trials 500
says "on other trials" "stays, too"
check "untouched by them" cmp "$work/first" "$record"
exits 1 "another point elsewhere" decide "$work/r" --at domains.hbm.capacity=3.25GiB -o "$work/small" --within 1
check "has the machine of that point" grep -q 'capacity_bytes: 3489660928' "$work/small/decision.yaml"
exits 1 "a tempting policy" decide "$work/r" --at $point -p keep -o "$work/keep"
prints "3 fail (progress, bounds, target)" "deadlocks, and is rejected for that and its infinite tail"
prints "rejected is final: with new evidence 'slackline decide --force' decides anew, and keeps this record beside" "as is said"
check "as the status says" grep -q '^status: rejected$' "$work/keep/decision.yaml"
check "beside the sweep's winner" grep -q 'winner: fetch-early' "$work/keep/decision.yaml"
exits 1 "the baseline beside what beats it" decide "$work/r" --at $point -p recompute --within 1 -o "$work/kept"
prints "Keep the baseline 'recompute': the gate rejects it: target" "is not to be kept"
check "and that is named" grep -q "^| 9 .*the baseline is kept, and [0-9] of [0-9] alternatives beat it, first 'fetch-early'" "$work/kept/decision.md"
check "nor is falsified by being as good as itself" test -z "$(grep 'the baseline is as good' "$work/kept/decision.md")"
exits 2 "a policy that is none" decide "$work/r" --at $point -p early -o "$work/none"

# A history cannot be rewritten unseen, and a record not be misspelt.
sed 's/^  by: .*/  by: somebody else/' "$work/first" >"$record"
exits 3 "a rewritten history" decide "$work/r" --at $point
says "[history-rewritten]" "is told"
sed 's/^status: .*/status: accepted/' "$work/first" >"$record"
exits 3 "a status that nothing led to" decide "$work/r" --at $point
says "[history-leaps]" "is told, too"
sed 's/^finding:/fnding:/' "$work/first" >"$record"
exits 3 "a misspelt key" decide "$work/r" --at $point
says "did you mean 'finding'?" "with the nearest word"
exits 1 "--force begins anew" decide "$work/r" --at $point --force
check "to the same bytes but for the command and what it replaces" test "$(diff "$work/first" "$record" | grep -c '^>')" -le 13
check "which stays beside it" grep -q '^fnding: ' "$work/r/decision-1.yaml"
check "with its page" test -s "$work/r/decision-1.md"
check "its hash is in the history" grep -q "in the place of decision-1.yaml, SHA-256 $(sha256sum <"$work/r/decision-1.yaml" | cut -d' ' -f1)" "$record"
exits 1 "and goes on from there" decide "$work/r" --at $point
prints "in the place of: $work/r/decision-1.yaml" "which is told"
exits 1 "--force again" decide "$work/r" --at $point --force
check "keeps both" test -s "$work/r/decision-2.yaml"

# The machine is that of the point, not that of the scenario's file: 3.25 GiB.
exits 1 "another point" decide "$work/r" --at domains.hbm.capacity=3.25GiB -o "$work/small"
check "has its own machine" grep -A1 'domain: hbm$' "$work/small/decision.yaml"
check "with the capacity of the point" test "$(sed -n '/^environment:/,/^objective:/p' "$work/small/decision.yaml" | sed -n 's/^    capacity_bytes: //p' | head -1)" = 3489660928
exits 0 "which is that of all that is run again" reproduce "$work/small"

# A sweep of too few trials for its tail chooses nothing, for that reason.
exits 0 "a sweep of 60 trials" sweep "$work/hello" --trials 60 -o "$work/few"
exits 1 "decides nothing" decide "$work/few" --at $point --trials 400
prints "60 trials are too few for a p99, which takes 368" "and says why"
check "rejecting is not done while alternatives are open" grep -q '^| 8 | reject what violates or costs more | no | .* not settled' "$work/few/decision.md"
check "no cost was looked at" test -z "$(grep 'some costs state no evidence' "$work/few/decision.md")"

# Inputs that have changed since.
echo >>"$work/hello/nodes.csv"
exits 3 "a changed input" decide "$work/r" --at $point
says "nodes.csv" "is named"
mv "$work/hello" "$work/gone"
exits 3 "a scenario that is gone" decide "$work/r" --at $point
says "looked for it in '$work/hello' and in '$work/r/../hello'" "the places are named"

# What moves together is found again, from whatever directory.
hello=$SL_SRCDIR/scenarios/hello
mkdir "$work/a"
cp -r "$hello" "$work/a/mine"
here=$(pwd)
cd "$work/a"
exits 0 "a sweep by short names" sweep mine --trials 400 -o out
cd "$here"
exits 1 "is decided on from elsewhere" decide "$work/a/out" --at $point --within 1
mv "$work/a" "$work/b"
exits 0 "and its record goes on where both have moved" feasibility "$work/b/out/decision.yaml" --mapping cuda
mkdir "$work/c"
mv "$work/b/out" "$work/c/out"
exits 3 "not where one has" feasibility "$work/c/out/decision.yaml" --mapping cuda
says "and in '$work/c/out/../mine'" "the places are named"
cp -r "$hello" "$work/c/mine"
exits 0 "the same files elsewhere do" feasibility "$work/c/out/decision.yaml" --mapping cuda
exits 1 "for results, too" decide "$work/c/out" --at $point --within 1
echo '# changed' >>"$work/c/mine/scenario.yaml"
exits 3 "others do not" feasibility "$work/c/out/decision.yaml" --mapping cuda
says "/mine/scenario.yaml: error: the file has changed since the decision" "the file is named"

# A movement that takes its time from a route is a cost of the route, once, also where its node states evidence of its own.
mkdir "$work/dup"
cat >"$work/dup/scenario.yaml" <<'END'
name: dup
resources: {sm: {servers: 1}, h2d: {servers: 1}}
domains: {hbm: {capacity: 4GiB, reserve: 0B}, host: {capacity: 8GiB, reserve: 0B}}
routes: [{from: host, to: hbm, resource: h2d, class: copy.h2d, bandwidth: 50GB/s, evidence: "published: a datasheet"}]
objective: {tail: 0.9}
policies: [{name: plain, action: as-given}]
trials: 100
END
printf 'node,kind,class,resource,duration,inputs,object,from,to,evidence\nc1,transfer,copy.h2d,,,,x,host,hbm,assumed: by hand\nc2,transfer,copy.h2d,,,,y,host,hbm,\nw,compute,gemm,sm,10us,x;y,,,,assumed: z\n' >"$work/dup/nodes.csv"
printf 'object,size,home,placements,initial\nx,1MiB,hbm,hbm;host,host\ny,1MiB,hbm,hbm;host,host\n' >"$work/dup/objects.csv"
exits 1 "copies by hand" decide "$work/dup" -p plain --within 1 -o "$work/dupd"
costs() { sed -n '/^costs:/,/^unknowns:/p' "$work/dupd/decision.yaml" | sed -n "s/^[- ] $1: //p" | tr '\n' ' '; }
check "are one cost, the route's" test "$(costs what)$(costs name)$(costs uses)" = "route duration host->hbm gemm 2 1 "

# Results of one run, and a scenario alone.
exits 0 "a run" run "$hello" -p recompute --trials 500 -o "$work/one"
exits 1 "decides on its policy" decide "$work/one"
prints "Keep the baseline 'recompute': nothing speaks against it" "to keep the baseline is a decision"
check "open without an alternative" grep -q '^| 9 .*\*\*unknown\*\* .*there is no alternative that it was held against' "$work/one/decision.md"
exits 0 "a run of another policy" run "$hello" -p fetch-early --trials 500 -o "$work/other"
exits 1 "is decided on beside the baseline" decide "$work/other"
prints "lowers the p99 by" "which runs, too"
exits 0 "a search" search "$hello" --evaluations 40 --trials 500 -o "$work/found"
exits 1 "decides on its plan" decide "$work/found" --within 1
prints "lowers the p99 by" "which the folder has as a policy"
exits 0 "a sweep until an interval is narrow" sweep "$hello" --axis $point -p recompute -p fetch-early \
    --until p99:2% -o "$work/until"
exits 1 "needs no point where there is one" decide "$work/until" --within 1
check "and takes the trials that the cells took" test "$(sed -n 's/^trials: //p' "$work/until/decision.yaml")" -lt 20000
exits 2 "a scenario needs a folder" decide "$hello" -p fetch-early
exits 1 "a scenario with a policy" decide "$hello" --at $point -p fetch-early --trials 400 -o "$work/two"
exits 3 "no results, no scenario" decide "$work/none" -o "$work/three"

# A pair of classes without evidence runs at both corners, and stays hypothetical until it is measured.
cp -r "$SL_SRCDIR/scenarios/counterexamples/contention-lengthens-critical-path/tempting" "$work/pair"
sed 's/^kappa:.*/kappa: {table: kappa.csv, rule: additive}/' "$work/pair/scenario.yaml" >"$work/yaml"
mv "$work/yaml" "$work/pair/scenario.yaml"
printf 'victim,set,kappa,source\ngemm,copy.d2d,1.1,assumed: x\ncopy.d2d,gemm,1.2,assumed: x\n' >"$work/pair/kappa.csv"
exits 1 "a pair without evidence" decide "$work/pair" --trials 200 -o "$work/paired"
check "is named in the gate" grep -q '^| 8 .*the overlap copy.d2d beside attention is hypothetical: run at both corners, 1 and 1.2' \
    "$work/paired/decision.md"
check "and is an unknown of the record" grep -q '  name: copy.d2d beside attention' "$work/paired/decision.yaml"
check "those with evidence are costs" test "$(grep -c '^- what: kappa' "$work/paired/decision.yaml")" = 3

# A baseline of another folder, with settings of its own, and a plan that a search has found are reproduced, too.
exits 1 "beside a baseline with settings" decide "$hello" -p fetch-early --trials 400 --within 2 --set domains.hbm.capacity=4.25GiB \
    --baseline "$hello:fetch-late" --baseline-set domains.hbm.capacity=4GiB --baseline-set seed=3 -o "$work/baseset"
check "they are in the record" grep -q '^  baseline_settings: .*domains.hbm.capacity=4GiB.*seed=3' "$work/baseset/decision.yaml"
exits 0 "it is reproduced" reproduce "$work/baseset"
prints "projected: equal" "with its projection"
sed -i '/baseline_settings/s/capacity=4GiB/capacity=4.5GiB/' "$work/baseset/decision.yaml"
check "sealed anew" "$SL_BUILDDIR/tests/support/reseal" "$work/baseset/decision.yaml"
exits 1 "not with another setting of the baseline" reproduce "$work/baseset"
exits 1 "a search's plan" decide "$work/found" --force --within 1 -o "$work/sought"
check "its file is an input" grep -q -A1 'role: policies' "$work/sought/decision.yaml"
exits 0 "is reproduced" reproduce "$work/sought"
cp "$work/found/policy.yaml" "$work/kept.yaml"
echo "# touched" >>"$work/found/policy.yaml"
exits 1 "not with another plan" reproduce "$work/sought"
prints "policy.yaml: has changed" "whose file is named"
cp "$work/kept.yaml" "$work/found/policy.yaml"

# Alternatives stand beside a baseline of another scenario, too.
exhibit=$SL_SRCDIR/scenarios/counterexamples/contention-lengthens-critical-path
exits 1 "beside another scenario" decide "$exhibit/tempting" --baseline "$exhibit/fixed" --trials 1000 --within 1 -o "$work/beside"
check "all alternatives are compared with it" test "$(grep -c '^  against_draws: other-scenario' "$work/beside/decision.yaml")" = \
    "$(grep -c '^  standing:' "$work/beside/decision.yaml")"
check "with a figure each" test "$(grep -c '^  against_baseline_us:' "$work/beside/decision.yaml")" = \
    "$(grep -c '^  standing:' "$work/beside/decision.yaml")"

# So does a pair for which the scenario states a number: an imported trace takes 1 for copies beside kernels.  Above which kappa the
# gain is gone is told; decisions at 0.98 and 1.02 of it are on either side.
exits 0 "a trace is imported" import "$SL_SRCDIR/tests/fixtures/traces/weight_stream.json" --movable in -o "$work/imp"
streamed() {
    exits 1 "$1" decide "$work/imp" --at domains.hbm0.capacity=312MB --set "kappa.unknown_kappa=$2" -p lookahead-1 \
        --trials 500 --within "$3" -o "$work/imp-$2"
}
streamed "a kappa that nobody measured" 1 2
stated=$work/imp-1/decision.yaml
check "is a cost" test "$(sed -n '/^costs:/,/^unknowns:/p' "$stated" | grep -A5 '^- what: kappa' | grep -c 'evidence: unknown')" -ge 1
check "an unknown" test "$(sed -n '/^unknowns:/,/^projected:/p' "$stated" | grep -c 'detail: run at the stated 1')" -ge 1
check "a risk" grep -q 'risk: hypothetical-overlap' "$stated"
prints "contention" "and open in the gate"
threshold=$(sed -n '/^falsifiers:/,/^fallback:/p' "$stated" | grep -A2 'kind: kappa' | sed -n 's/^  threshold: //p')
echo "# the gain is gone at kappa ${threshold:=0}"
check "and a falsifier" awk -v t="$threshold" 'BEGIN {exit !(t > 1)}'
below=$(awk -v t="$threshold" 'BEGIN {printf "%.6f", 0.98 * t}') above=$(awk -v t="$threshold" 'BEGIN {printf "%.6f", 1.02 * t}')
streamed "below it" "$below" 1
check "the gain counts" test -z "$(grep '^status: rejected' "$work/imp-$below/decision.yaml")"
streamed "above it" "$above" 1
check "it does not" grep -q '^status: rejected' "$work/imp-$above/decision.yaml"

# The flagship, few trials: a cost without evidence is none of its troubles; it awaits a runtime and a measurement.
exits 0 "the flagship at 44 GiB" sweep "$SL_SRCDIR/scenarios/activation-offload" --set domains.hbm.capacity=44GiB \
    --axis policy.prefetch.lookahead=8 -p recompute-all -p mixed-jit -p offload-demand --trials 500 -o "$work/flag"
exits 1 "its decision" decide "$work/flag" -p mixed-jit --within 1
prints "status: policy-selected; gate: 7 pass, 0 fail, 3 unknown (mechanism, contention, target)" "waits for a runtime and a measurement"
check "what planning changed is in the record" test "$(sed -n 's/^  changes_total: //p' "$work/flag/decision.yaml")" -gt 100
check "every cost has a source" test -z "$(sed -n '/^costs:/,/^unknowns:/p' "$work/flag/decision.yaml" | grep -c 'evidence: *$' | grep -v '^0$')"
finish
