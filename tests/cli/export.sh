#!/bin/sh
# slackline export: a trial for Perfetto, a plan for Graphviz, and what is refused.
. "$SL_SRCDIR/tests/support/tap.sh"
scenario=$SL_SRCDIR/scenarios/activation-offload

exits 0 "a trial" export "$scenario" --policy offload-jit --trials 20 --format perfetto --at p90 -o "$work/t.json"
check "nothing is printed" test ! -s "$work/out"
check "the file is JSON of the Trace Event Format" grep -q '^{"displayTimeUnit":"ns",.*"traceEvents":\[{"ph":"M"' "$work/t.json"
check "with a track of the compute resource" grep -q '"name":"fwd.embed","pid":1,"tid":1,"cat":"kernel","ts":0,' "$work/t.json"
check "and nothing lies beside it" test "$(find "$work" -name 't.json*' | wc -l)" -eq 1
exits 0 "it is read as a trace" audit "$work/t.json" --json
prints '"overlap": ' "its hazards are counted"
exits 0 "a trial of a serial chain" export "$scenario" --trials 20 --format perfetto -o "$work/serial.json"
exits 0 "is imported again" import "$work/serial.json" -o "$work/serial"
check "touching slices stay on one lane" sh -c "! grep -q 'stream 1 (2)' '$work/serial/nodes.csv'"
span() # NAME OPTIONS: the span of that run of it, in us
{
    exits 0 "$1" run "$work/serial" --trials 1 --json $2
    us=$(sed -n '/"mean":/,/}/s/.*"value_us": \([0-9.]*\).*/\1/p' "$work/out")
}
span "it runs"
once=$us
span "and twice as slow" "--set scale.duration.kernel=2 --set scale.duration.norm=2 --set scale.duration.attention=2 --set scale.duration.elementwise=2"
check "takes twice as long" awk "BEGIN { exit !($once > 1000 && $us == 2 * $once) }"
exits 2 "it is not overwritten" export "$scenario" --format perfetto --trials 20 -o "$work/t.json"
says "--force" "the way out is named"
cp "$work/t.json" "$work/first.json"
exits 0 "unless asked to" export "$scenario" --policy offload-jit --trials 20 --format perfetto --at p90 --threads 1 --force -o "$work/t.json"
check "the same trial is the same file" cmp "$work/first.json" "$work/t.json"

exits 0 "a window" export "$scenario" --policy offload-jit --trials 20 --format perfetto --at p90 --window 1ms:2ms
prints '"name":"fwd.qkv.00"' "has what runs then"
check "and nothing else" sh -c "! grep -q fwd.embed\\\",\\\"pid '$work/out'"

exits 0 "a plan" export "$scenario" --policy offload-jit --format dot
prints 'digraph plan {' "is DOT"
check "what the policy inserted has a double outline" grep -q 'label="remat[^"]*", shape=component, fillcolor="#009e73", peripheries=2' "$work/out"
if command -v dot >/dev/null 2>&1; then
    check "Graphviz reads it" dot -Tcanon -o "$work/canon" "$work/out"
else
    skip "Graphviz reads it" "dot is not installed"
fi

exits 0 "a hand-off" export "$scenario" --policy offload-jit --format handoff -o "$work/h.json"
check "is of its format" grep -q '"format": "slackline-handoff"' "$work/h.json"
check "names the fallback" grep -q '"policy": "recompute-all"' "$work/h.json"
check "names no mechanism" sh -c "! grep -q -i -w -e stream -e queue -e event '$work/h.json'"
exits 2 "a hand-off has no trials" export "$scenario" --format handoff --at p99

# Jobs: the plan of one, and what comes in; a trial of many is none.
kv=$SL_SRCDIR/scenarios/kv-offload
exits 0 "a hand-off of jobs" export "$kv" -p ahead --format handoff
prints '"arrivals": "poisson(rate=2.34/s)"' "says when they come"
prints '"by_memory_of": "hbm"' "and which are admitted"
exits 0 "their plan as a picture" export "$kv" -p ahead --format dot
exits 2 "a trial of jobs" export "$kv" -p ahead --format perfetto
says "is not supported in mode open" "is refused"

exits 2 "no format" export "$scenario"
says "list exporters" "says where they are listed"
exits 2 "an unknown format" export "$scenario" --format perfeto
says "did you mean 'perfetto'" "the nearest is named"
exits 2 "a plan has no trials" export "$scenario" --format dot --at p99
exits 2 "a window without units" export "$scenario" --format perfetto --window 1:2
exits 2 "no such trial" export "$scenario" --format perfetto --trials 3 --at 3
exits 2 "no such policy" export "$scenario" --format dot --policy offload-jet
exits 4 "a folder that is not there" export "$scenario" --format dot -o "$work/none/plan.dot"
finish
