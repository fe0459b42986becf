#!/bin/sh
# slackline feasibility: a mapping's and a runtime's answers, from a decided plan to its record.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello

# decide exits with 1 while the gate is open.
exits 1 "a decision" decide "$hello" -p fetch-early --at domains.hbm.capacity=4.25GiB --trials 400 -o "$work/d"
check "is a record" test -s "$work/d/decision.yaml"
cp "$work/d/decision.yaml" "$work/decided.yaml"
fresh() {
    cp "$work/decided.yaml" "$work/d/decision.yaml"
}

exits 2 "nobody answers" feasibility "$work/d/decision.yaml"
says "list mappings" "where mappings are is said"
exits 2 "an unknown mapping" feasibility "$work/d/decision.yaml" --mapping cudda
says "did you mean 'cuda'" "the nearest is named"
exits 2 "two answers" feasibility "$work/d/decision.yaml" --mapping cuda --reply x
exits 3 "no such record" feasibility "$work/none.yaml" --mapping cuda

exits 0 "CUDA" feasibility "$work/d/decision.yaml" --mapping cuda --write-reply "$work/cuda.json"
prints "cuda (built in): feasible" "says yes"
prints "order: 0 of" "in the plan's order"
prints "status: runtime-feasible" "the status goes on"
check "the record has the mechanism" grep -q 'cudaMemcpyAsync' "$work/d/decision.yaml"
check "and a result of its own" grep -q 'kind: simulation-with-constraints' "$work/d/decision.yaml"
check "the page says so" grep -q 'cuda (built in)' "$work/d/decision.md"
check "the reply is written" grep -q '"format": "slackline-reply"' "$work/cuda.json"
check "the history has the step" grep -q 'to: runtime-feasible' "$work/d/decision.yaml"

# What nobody knows of the price of launches is named, and keeps the condition open; also when it is decided again.
open_overhead() {
    check "$1" test "$(sed -n '/^unknowns:/,/^projected:/p' "$work/d/decision.yaml" | grep -c 'the overhead of [0-9]* nodes is not known')" = 1
    check "and a risk" grep -q 'risk: unsettled-assumption' "$work/d/decision.yaml"
    check "and open in the gate" test "$(grep -A1 'condition: mechanism' "$work/d/decision.yaml" | grep -c 'outcome: unknown')" = 1
}
open_overhead "an unknown overhead is an unknown"
exits 0 "once more" feasibility "$work/d/decision.yaml" --mapping cuda
open_overhead "is named once"
exits 0 "what a runtime left open is no figure of the projection" reproduce "$work/d/decision.yaml"

# hello has one node without a resource, a reclamation, and none of the host: it is no host thread's, and all can be captured.
check "no host thread waits where nothing is the host's" test "$(grep -c cudaEventSynchronize "$work/d/decision.yaml")" = 0
check "what takes no time takes no call" grep -q 'there is nothing to submit for them' "$work/d/decision.yaml"
check "nothing stays outside of a graph" grep -q '13 of 13 nodes can be captured; outside stay 0 of the host' "$work/d/decision.yaml"

sed 's/^fresh_seed: .*/fresh_seed: 7/' "$work/decided.yaml" >"$work/d/decision.yaml"
exits 3 "a record that is not of its runs" feasibility "$work/d/decision.yaml" --mapping cuda
says "section 'fresh_seed' is not what was sealed" "is refused"
check "all seals made anew" "$SL_BUILDDIR/tests/support/reseal" "$work/d/decision.yaml"
exits 3 "is refused, too" feasibility "$work/d/decision.yaml" --mapping cuda
says "the projection, run again, has the median" "by its figures"

fresh
exits 0 "the same answer as a file" feasibility "$work/d/decision.yaml" --reply "$work/cuda.json"
check "is the file's in the record" grep -q 'role: reply' "$work/d/decision.yaml"

# A second answer is an entry of the history behind the first one; the same answer again is none.
entries() { sed -n '/^history:/,$p' "$work/d/decision.yaml" | grep -c '^- date: '; }
check "three entries: hypothesis, selected, feasible" test "$(entries)" = 3
cp "$work/d/decision.yaml" "$work/answered.yaml"
exits 0 "the same answer once more" feasibility "$work/d/decision.yaml" --reply "$work/cuda.json"
check "changes nothing" cmp "$work/answered.yaml" "$work/d/decision.yaml"
printf '{"format": "slackline-reply", "version": 1, "runtime": "mine 2", "feasible": "yes", "overhead": [{"class": "gemm", "duration": "1us", "evidence": "measured: here"}]}\n' >"$work/second.json"
exits 0 "another answer" feasibility "$work/d/decision.yaml" --reply "$work/second.json"
check "is a fourth entry" test "$(entries)" = 4
sed -n '/^history:/,$p' "$work/answered.yaml" >"$work/before"
check "behind the others, which stay" test "$(sed -n '/^history:/,$p' "$work/d/decision.yaml" | head -n "$(wc -l <"$work/before")" | cmp - "$work/before" && echo same)" = same
check "of the same status" test "$(sed -n '/^history:/,$p' "$work/d/decision.yaml" | tail -12 | grep -c ': runtime-feasible$')" = 2
check "which says who answered, and what it changed" grep -q 'evidence: .*mine 2 answers: feasible; changed: .*runtime_feasible, mechanism' "$work/d/decision.yaml"
check "with the hash of the reply" grep -q "sha256: '\{0,1\}$(sha256sum <"$work/second.json" | cut -d' ' -f1)" "$work/d/decision.yaml"

# What closes a cycle.
reply() {
    printf '{"format": "slackline-reply", "version": 1, "runtime": "mine 1", "scenario": "hello", "policy": "fetch-early",\n%s}\n' "$1" >"$work/reply.json"
}
fresh
reply '"feasible": "with-constraints", "constraints": {"edges": [{"from": "b0", "to": "f1", "type": "ordering", "reason": "a bug"}]}'
exits 1 "a cycle" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
prints "mine 1: not feasible: " "is told"
check "and named" grep -q 'f1 -> .*b0' "$work/out"
check "and in the record" grep -q 'feasible: no' "$work/d/decision.yaml"
check "which is rejected" grep -q '^status: rejected' "$work/d/decision.yaml"
exits 2 "for good" feasibility "$work/d/decision.yaml" --mapping cuda
says "rejected, which is final: 'slackline decide --force' decides anew, and keeps this record beside" "which says how to go on"

# What breaks a rule of the scenario: a deadline before which nothing inserted leaves room.
mkdir "$work/due"
printf 'name: due\nresources: {gpu: {servers: 1}}\nobjective: {tail: 0.9}\npolicies: [{name: plain, action: as-given}]\ntrials: 100\n' >"$work/due/scenario.yaml"
printf 'node,kind,resource,duration,deadline,fallback,evidence\na,compute,gpu,1us,,,assumed: x\nb,compute,gpu,1us,50us,,assumed: x\n' >"$work/due/nodes.csv"
printf 'from,to,type\na,b,ordering\n' >"$work/due/edges.csv"
exits 1 "work that is due" decide "$work/due" -p plain -o "$work/dued"
printf '{"format": "slackline-reply", "version": 1, "runtime": "mine 1", "feasible": "with-constraints",\n"constraints": {"edges": [{"from": "a", "to": "b", "type": "ordering", "lag": "1ms", "reason": "slow"}]}}\n' >"$work/late.json"
exits 1 "a lag beyond its deadline" feasibility "$work/dued/decision.yaml" --reply "$work/late.json"
prints "[deadline-too-early]" "breaks the rule of check"

fresh
reply '"feasible": "no", "why": "no such engine"'
exits 1 "no" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
prints "no such engine" "with its reason"

# What changes nothing changes nothing in any quantile, however few trials there are.
fresh
reply '"feasible": "yes"'
exits 0 "nothing inserted" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
check "changes nothing, without doubt" test "$(grep -E '^(median|p99) ' "$work/out" | grep -c ' 0 ps  *\[0, 0\]$')" = 2
fresh
reply '"feasible": "yes", "mechanisms": [{"wish": "copies beside products", "mechanism": "none", "realizable": "no"}, {"wish": "order", "mechanism": "a queue", "realizable": "yes"}]'
exits 1 "a wish without a mechanism" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
prints "mine 1: feasible but for 1 of its 2 wishes, which cannot be realized" "is not feasible as a whole"
prints "status: rejected" "as the gate says"

mechanism() { sed -n '/^gate:/,/^workflow:/p' "$work/d/decision.yaml" | grep -A2 'condition: mechanism'; }
# hello's plan has 13 nodes; a bare yes is about none of them.
fresh
reply '"feasible": "yes"'
exits 0 "a yes and no more" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
check "leaves the condition open" test "$(mechanism | grep -c 'outcome: unknown')" = 1
check "with what is not answered" grep -q "mine 1 names a mechanism for none of the plan's 13 nodes" "$work/d/decision.md"

# What is done instead of a wish is in no schedule: it stays open, and is named, unless a mechanism says whether that realizes it.
instead='"deviations": [{"wish": "prefetch in time", "instead": "none", "why": "no such call", "consequence": "waits"}]'
fresh
reply '"feasible": "yes", '"$instead"
exits 0 "something else instead of a wish" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
check "stays open" test "$(mechanism | grep -c 'outcome: unknown')" = 1
check "with the wish" test "$(mechanism | grep -c 'prefetch in time: the runtime does something else, .*: none: no such call; waits')" = 1
check "is a risk" grep -A1 'risk: deviation' "$work/d/decision.yaml"
check "is told" test "$(grep -A1 '^deviates from: prefetch in time$' "$work/out" | tail -n 1)" = "  instead: none: no such call; waits"
reply '"feasible": "yes", '"$instead"', "mechanisms": [{"wish": "prefetch in time", "mechanism": "none", "realizable": "no"}]'
exits 1 "which does not realize it" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
check "fails the gate" test "$(mechanism | grep -c 'outcome: fail')" = 1
fresh
reply '"feasible": "yes", '"$instead"', "mechanisms": [{"wish": "prefetch in time", "mechanism": "on demand", "realizable": "yes"}]'
exits 0 "which realizes it" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
check "passes the gate" test "$(mechanism | grep -c 'outcome: pass')" = 1
check "deviates from nothing that is open" test "$(grep -c '^deviates from' "$work/out")" = 0

# An overhead of 1 ms on each of ten layers that run one after the other, and a wish that has no mechanism.
fresh
reply '"feasible": "yes", "overhead": [{"class": "gemm", "duration": "1ms", "evidence": "measured: here"}]'
exits 0 "an overhead" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
check "lengthens the schedule" grep -q 'median .*[0-9] ms .*+[0-9.]* ms' "$work/out"
check "is in the record" grep -q 'overhead_us: 10000' "$work/d/decision.yaml"

# 20 ms on each leave nothing of a gain that 1,000 trials tell, and the headline does not go on about it.
exits 1 "a gain in the p99" decide "$hello" -p fetch-early --at domains.hbm.capacity=4.25GiB --trials 1000 --within 1 -o "$work/gain"
prints "'fetch-early' lowers the p99" "is projected"
reply '"feasible": "yes", "overhead": [{"class": "gemm", "duration": "20ms", "evidence": "measured: here"}]'
exits 0 "an overhead that takes it away" feasibility "$work/gain/decision.yaml" --reply "$work/reply.json"
check "is the headline" grep -q "^finding: .*has with what the runtime inserts a p99 of 5.*; this speaks against it" "$work/gain/decision.yaml"

fresh
reply '"feasible": "yes", "assumptions": [{"assumption": "copies of both directions overlap", "holds": "no", "detail": "one engine"}]'
exits 1 "an assumption that falls" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
prints "does not hold: copies of both directions overlap" "is told"
check "the gate fails by it" grep -A3 'condition: mechanism' "$work/d/decision.yaml"
prints "status: rejected" "and the decision is rejected"

fresh
reply '"feasible": "maybe", "ordering": [{"queue": "q", "nodes": ["f9"]}]'
exits 3 "a faulty reply" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
says "reply.json:2:13: error: feasible" "is told at its place"
says "did you mean 'f0'" "the nearest node is named"
check "the record stays as it was" cmp "$work/decided.yaml" "$work/d/decision.yaml"

reply '"feasible": "yes"'
sed 's/fetch-early/recompute/' "$work/reply.json" >"$work/other.json"
exits 3 "an answer to another hand-off" feasibility "$work/d/decision.yaml" --reply "$work/other.json"
says "policy 'recompute', not 'fetch-early'" "is refused"

# Who starves behind what a runtime inserts: b, ready at 0, waits for 10 us of a and a lag of 9 us, beyond the declared 5 us; the engine
# itself has it ready only then.
mkdir "$work/fair"
cat >"$work/fair/scenario.yaml" <<'END'
name: fair
resources: {sm: {servers: 2}}
objective: {tail: 0.9, constraints: [max_wait <= 5us, tail <= 40us]}
policies: [{name: plain, action: as-given}]
trials: 400
END
printf 'node,kind,resource,duration,evidence\na,compute,sm,10us,assumed: x\nb,compute,sm,20us,assumed: x\n' >"$work/fair/nodes.csv"
exits 1 "work under a bound on waits" decide "$work/fair" -p plain -o "$work/faird"
cp "$work/faird/decision.yaml" "$work/fair.yaml"
starving() {
    cp "$work/fair.yaml" "$work/faird/decision.yaml"
    printf '{"format": "slackline-reply", "version": 1, "runtime": "mine 1", "feasible": "with-constraints",\n%s}\n' "$1" >"$work/starve.json"
    exits 1 "$2" feasibility "$work/faird/decision.yaml" --reply "$work/starve.json"
}
bounds() {
    grep -A2 'condition: bounds' "$work/faird/decision.yaml"
}
starving '"constraints": {"edges": [{"from": "a", "to": "b", "type": "ordering", "lag": "9us", "reason": "one pool"}]}' "an edge that starves b"
prints "longest wait: 19.00 us, projected none: b behind the inserted ordering edge from a with a lag of 9.000 us: one pool" "is told with its reason"
check "is in the record" grep -q '^  max_wait_us: 19$' "$work/faird/decision.yaml"
check "the bounds fail by it" test "$(bounds | grep -c 'outcome: fail')" = 1
check "and the page names both" grep -q '^| 7 .*400 waits exceed the declared 5.000 us; the longest is 19.00 us, of b, behind the inserted ordering edge from a' \
    "$work/faird/decision.md"
starving '"ordering": [{"queue": "q 3", "nodes": ["b", "a"]}]' "a queue that starves a"
prints "longest wait: 20.00 us, projected none: a behind the inserted queue q 3, behind b" "is told, too"
starving '"constraints": {"resources": [{"resource": "sm", "servers": 1, "reason": "half of it"}]}' "one server less"
prints "longest wait: 10.00 us, projected none: b behind cause queue, under the inserted limit of sm: half of it" "is told by its limit"
starving '"constraints": {"edges": [{"from": "a", "to": "b", "type": "ordering", "lag": "20us", "reason": "slow"}]}' "a limit on the tail"
check "is held against what the runtime inserts" grep -q "^| 7 .*constraint 'tail \\\\<= 40us', with what the runtime inserts: broken" "$work/faird/decision.md"

# An answer may say to which hand-off it is.
exits 0 "the hand-off" export "$hello" -p fetch-early --set domains.hbm.capacity=4.25GiB --format handoff -o "$work/h.json"
hash=$(sha256sum "$work/h.json" | cut -d' ' -f1)
reply '"feasible": "yes", "handoff_sha256": "'"$hash"'"'
exits 0 "an answer to it" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
check "is noted" grep -q "handoff: '*$hash" "$work/d/decision.yaml"
fresh
reply '"feasible": "yes", "handoff_sha256": "0123456789abcdef"'
exits 3 "an answer to another" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
says "to the hand-off 0123456789ab" "is refused"
# Each fault is told once, and as what it is.
fresh
reply '"feasible": "with-constraints", "constraints": {"resources": [{"resource": "none", "servers": 1, "reason": "x"}]}'
exits 3 "a faulty limit" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
check "is one error" test "$(grep -c ': error: ' "$work/err")" = 1
reply '"feasible": "with-constraints", "ordering": [{"queue": "q", "nodes": []}]'
exits 3 "an empty queue" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
says "neither 'constraints' nor 'ordering' states one" "is no constraint"
reply '"feasible": "yes", "overhead": [{"kind": "compute", "duration": "2000000s", "evidence": "assumed: x"}]'
exits 3 "an overhead beyond all times" feasibility "$work/d/decision.yaml" --reply "$work/reply.json"
says "with the overhead of the answer: " "is not the policy's fault"
fresh

# The hand-off straight from the record, with its settings; the baseline's, too.
exits 0 "the hand-off of a record" export "$work/d/decision.yaml" --format handoff -o "$work/h2.json"
check "is that of the scenario at its settings" cmp "$work/h.json" "$work/h2.json"
exits 0 "that of the folder" export "$work/d" --format handoff -o "$work/h3.json"
check "is the same" cmp "$work/h.json" "$work/h3.json"
exits 0 "its baseline's" export "$work/d" -p recompute --format handoff -o "$work/b.json"
check "names the baseline" grep -q '"policy": "recompute"' "$work/b.json"
exits 0 "its plan as a picture" export "$work/d" --format dot
exits 2 "another policy's" export "$work/d" -p keep-all --format handoff
says "the plan of 'fetch-early' and that of its baseline 'recompute', not of 'keep-all'" "is refused"

# A runtime that cannot run the baseline leaves nothing to compare with, and its reason is told wherever that is open.
cat >"$work/b-no.json" <<END
{"format": "slackline-reply", "version": 1, "runtime": "mine 1.0", "scenario": "hello", "policy": "recompute",
 "feasible": "no", "why": "no kernel recomputes"}
END
fresh
exits 0 "a baseline that cannot be run" feasibility "$work/d/decision.yaml" --reply "$work/cuda.json" --baseline-reply "$work/b-no.json"
prints "the baseline cannot be run: mine 1.0 says that it cannot run the plan: no kernel recomputes" "is said"
check "is in the record" grep -q 'baseline_why: .*no kernel recomputes' "$work/d/decision.yaml"
check "and on the page" grep -q 'the baseline cannot be run: .*no kernel recomputes' "$work/d/decision.md"
check "and in the evidence of two conditions" test "$(grep -c 'there is no runtime-feasible .*baseline.*no kernel recomputes' "$work/d/decision.yaml")" = 2
exits 2 "a trial of a record" export "$work/d" --format perfetto
says "goes with --format handoff or dot" "is refused"
exits 2 "a setting of a record" export "$work/d" --format handoff --set domains.hbm.capacity=5GiB
exits 2 "the scenario of a scenario" export "$hello" --format dot --scenario "$hello"
sed '/^gate:/,$d' "$work/d/decision.yaml" >"$work/short.yaml"
exits 3 "a record that is cut off" export "$work/short.yaml" --format handoff
says "short.yaml" "is told as a record"

# A record whose scenario has moved elsewhere.
mkdir "$work/m" "$work/m/in"
cp -r "$hello" "$work/m/hello"
exits 1 "a decision on a scenario" decide "$work/m/hello" -p fetch-early --at domains.hbm.capacity=4.25GiB --trials 100 --within 1 -o "$work/m/d"
mv "$work/m/hello" "$work/m/in/there"
cp "$work/m/d/decision.yaml" "$work/m/was.yaml"
for command in "feasibility --mapping cuda" "export --format handoff" "decide --measured x" reproduce; do
    exits 3 "$command: a scenario that is gone" $command "$work/m/d/decision.yaml"
    says "; --scenario DIR says where it is" "is told"
done
exits 3 "a scenario that is another one" feasibility "$work/m/d" --mapping cuda --scenario "$SL_SRCDIR/scenarios/kv-offload"
says "is not the record's scenario, or has changed" "is refused"
exits 3 "no such folder" export "$work/m/d" --format handoff --scenario "$work/m/none"
exits 3 "one with none of its files" export "$work/m/d" --format handoff --scenario "$work/m"
says "none of the record's files" "is refused"
exits 0 "its hand-off where it lies" export "$work/m/d" --scenario "$work/m/in/there" --format handoff -o "$work/m/h.json"
check "is what it was" cmp "$work/h.json" "$work/m/h.json"
exits 0 "it is reproduced there" reproduce "$work/m/d" --scenario "$work/m/in/there"
exits 0 "and answered" feasibility "$work/m/d" --mapping cuda --scenario "$work/m/in/there"
exits 0 "after which the record knows where" feasibility "$work/m/d" --mapping cuda
exits 4 "a measurement that is not there" decide "$work/m/d" --measured "$work/m/none" --scenario "$work/m/in/there"
exits 2 "a comparison looks at no scenario" decide "$work/m/d" --compare "$work/m/was.yaml" --scenario "$work/m/in/there"

# A chain of five kernels on a device whose tables have the way of a launch into an idle stream: five ways more, at most.
mkdir -p "$work/chain/dev"
printf 'name: lab-gpu\nresources: {gpu: {servers: 1}}\n' >"$work/chain/dev/device.yaml"
printf 'class,variant,size_bytes,launch,sessions,dist,launch_lat_med_ns,status,evidence\n' >"$work/chain/dev/durations.csv"
printf 'launch,,1,stream,3,1us,2500,ok,measured: lab\nlaunch,call,1,stream,3,2us,,ok,measured: lab\n' >>"$work/chain/dev/durations.csv"
printf 'triad,,1048576,stream,3,100us,4000,ok,measured: lab\n' >>"$work/chain/dev/durations.csv"
printf 'name: chain\ndevice: dev\nobjective: {tail: 0.9}\npolicies: [{name: plain, action: as-given}]\ntrials: 100\n' >"$work/chain/scenario.yaml"
printf 'node,kind,class,resource,work,lane,evidence\n' >"$work/chain/nodes.csv"
for k in 1 2 3 4 5; do echo "k$k,compute,triad,gpu,bytes=1048576B,s,measured: lab" >>"$work/chain/nodes.csv"; done
exits 1 "a chain's decision" decide "$work/chain" -p plain -o "$work/chained"
exits 0 "its launches" feasibility "$work/chained" --mapping cuda --write-reply "$work/launches.json"
prints "overhead: 12.5 us of calls in one run" "cost what the table says"
check "one after the other" grep -q '^median .*500.0 us .*512.5 us .*+12.5 us' "$work/out"
check "with their source" grep -q '^| kernels are launched .*2.5 us each.*durations.csv line 2 of lab-gpu, 3 sessions (measured: lab)' "$work/chained/decision.md"
check "as a bound" grep -q '"evidence": "bounded: a launch into an idle stream' "$work/launches.json"
check "and nothing is left open of them" test "$(grep -A1 'condition: mechanism' "$work/chained/decision.yaml" | grep -c 'outcome: pass')" = 1
exits 0 "the answer as a file" feasibility "$work/chained" --reply "$work/launches.json"
prints "overhead: 12.5 us of calls in one run" "says the same"
prints "unknown (capacity, bounds, contention, target)" "what is open is named"
sed -i 's/,2500,/,,/' "$work/chain/dev/durations.csv"
exits 1 "decided without that figure" decide "$work/chain" -p plain -o "$work/silent"
exits 0 "its mapping" feasibility "$work/silent" --mapping cuda
prints "overhead: not known of 5 nodes" "knows nothing of launches"

# Text of users is no markup on the page.
sed 's/^name: due/name: due\ndescription: "see [this](http:x) and _that_ \& \&lt; snake_case ~~no~~ `x`"/' "$work/due/scenario.yaml" >"$work/due/s" && mv "$work/due/s" "$work/due/scenario.yaml"
exits 1 "a description with markup" decide "$work/due" -p plain -o "$work/marked"
check "is shown as it is" grep -q 'see \[this\\\](http:x) and \\_that\\_ & \\&lt; snake_case \\~\\~no\\~\\~ \\`x\\`$' "$work/marked/decision.md"

# A trace whose kernels wait for a resource in no stated order: what a stream does instead, and why.
exits 0 "a trace" import "$SL_SRCDIR/tests/fixtures/traces/weight_stream.json" --movable in -o "$work/imp"
exits 1 "its decision" decide "$work/imp" --at domains.hbm0.capacity=312MB -p lookahead-1 --trials 100 --within 1 -o "$work/i"
exits 0 "its mapping" feasibility "$work/i/decision.yaml" --mapping cuda
check "a deviation says what is done instead" grep -q '^- deviation: gpu0 serves .*: the order of the plan at mean durations: a stream is first in' "$work/i/decision.md"

# The flagship.
exits 1 "the flagship's decision" decide "$SL_SRCDIR/scenarios/activation-offload" -p offload-jit \
    --at domains.hbm.capacity=44GiB --trials 100 -o "$work/f"
exits 0 "CUDA runs it" feasibility "$work/f/decision.yaml" --mapping cuda --json
prints '"runtime_feasible"' "as JSON too"
# A runtime's no is final; without the last entry of its history, a record is cut.
printf '{"format": "slackline-reply", "version": 1, "runtime": "mine 1", "feasible": "no", "why": "no"}\n' >"$work/no.json"
fresh
run_no() { "$SLACKLINE" feasibility "$work/d/decision.yaml" --reply "$work/no.json" >/dev/null 2>&1; }
run_no
check "a runtime's no rejects" grep -q '^status: rejected' "$work/d/decision.yaml"
awk '/^- date: / {if (kept != "") printf "%s", kept; kept = ""; held = 1}
     held {kept = kept $0 "\n"; next}
     {sub(/^status: rejected/, "status: policy-selected"); print}' "$work/d/decision.yaml" >"$work/cut.yaml"
cp "$work/cut.yaml" "$work/d/decision.yaml"
exits 3 "a rejection that was taken out" reproduce "$work/d/decision.yaml"
says "an entry was taken out" "is missed"
exits 3 "and no base" feasibility "$work/d/decision.yaml" --reply "$work/cuda.json"
finish
