#!/bin/sh
# slackline import: a small trace becomes a scenario that is legal and takes as long as the record.
. "$SL_SRCDIR/tests/support/tap.sh"
trace=$work/trace.json

# call NAME CORRELATION TS DUR; work CATEGORY NAME CORRELATION STREAM TS DUR [MORE]
call()
{
    echo "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"$1\",\"pid\":5,\"tid\":5,\"ts\":$3,\"dur\":$4,\"args\":{\"correlation\":$2}},"
}
work()
{
    echo "{\"ph\":\"X\",\"cat\":\"$1\",\"name\":\"$2\",\"pid\":0,\"tid\":$4,\"ts\":$5,\"dur\":$6,\"args\":{\"device\":0,\"stream\":$4,\"correlation\":$3${7:-}}},"
}
# Each step: a copy in, a kernel, a synchronisation; the first step is cold, the fourth one odd, and
# kernels take 19.125, 20.125, ... 25.125 us.
{
    echo '{"traceEvents":['
    for step in 0 1 2 3 4 5 6; do
        at=$((1000 + 1000 * step))
        long=$(echo 400 90 90 120 90 90 90 | cut -d' ' -f$((step + 1)))
        echo "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#$step\",\"pid\":5,\"tid\":5,\"ts\":$at,\"dur\":$((long + 10))},"
        call cudaMemcpyAsync $((10 * step + 1)) $((at + 4)) 2
        work gpu_memcpy 'Memcpy HtoD (Pinned -> Device)' $((10 * step + 1)) 7 $((at + 10)) 30 ',"bytes":4096'
        call cudaLaunchKernel $((10 * step + 2)) $((at + 8)) 2
        work kernel 'void gemm<float, \"x\">(int)' $((10 * step + 2)) 7 $((at + 41)) $((19 + step)).125
        call cudaDeviceSynchronize $((10 * step + 3)) $((at + 50)) $((long - 50))
    done
    echo '{"ph":"M","name":"end"}]}'
} >"$trace"

exits 0 "a trace is imported" import "$trace" -o "$work/usual"
prints "step ProfilerStep#1 (the usual one; the first is cold, and set apart)" "the usual step"
prints "0 us apart" "it replays"
prints "explained 100 us of it, 100%" "and nothing is left to lags"
exits 0 "the scenario is legal" check "$work/usual"
prints "0 warnings" "and clean"
exits 0 "it runs" run "$work/usual" --json
prints '"value_us": 100,' "as long as the record: the step's 100 us"
prints '"busy_us": 50.125' "with the same work"
check "a copy has its bytes" grep -q ',4096B,hbm0,pinned;hbm0,pinned,' "$work/usual/objects.csv"
check "a kernel its class" grep -q '\.gemm,compute,gemm,gpu0,gpu0 stream 7,20.125us,' "$work/usual/nodes.csv"
check "launches are edges" grep -q 'cudaLaunchKernel,s7.*gemm,data-ready,4.000us,measured: launch' "$work/usual/edges.csv"
check "so are synchronisations" grep -q 'cudaDeviceSynchronize,data-ready,0.000us,measured: sync' "$work/usual/edges.csv"
check "the report is a table" grep -q '^recorded-span,1,100.000000,' "$work/usual/report.csv"
check "slowdowns are a table" grep -q '^victim,set,kappa,ci_lo,ci_hi,n_pairs,status,source$' "$work/usual/kappa-observed.csv"
printf 'gemm,gemm,1.5,1,2,9,bounded,bounded: 9\n' >>"$work/usual/kappa-observed.csv"
exits 0 "whose rows no run takes" run "$work/usual" --set kappa.table=kappa-observed.csv --json
prints '"value_us": 100,' "bounded is no evidence"
exits 0 "with faster kernels" run "$work/usual" --set scale.duration.gemm=0.5 --json
prints '"value_us": 89.9375,' "the synchronisation is over earlier"

exits 2 "it is not overwritten" import "$trace" -o "$work/usual"
says "--force" "the way out is named"
exits 0 "unless asked to" import "$trace" -o "$work/usual" --force --step 0 --json
prints '"span_us": 410' "another step, as JSON"
prints '"item": "late"' "with all items"
exits 0 "the whole trace" import "$trace" -o "$work/all" --window 0ns:
prints "a window" "by a window"
exits 0 "runs, too" run "$work/all" --json
prints '"value_us": 6086,' "from the first call to the last end"

# A kernel that starts 30 us after its call, and nobody recorded why: a lag holds it, and it is said.
{
    echo '{"traceEvents":['
    for at in 100 120 140; do
        call cudaLaunchKernel $at $at 2
        work kernel k $at 7 $((at + 3)) 10
    done
    call cudaLaunchKernel 1 160 2
    work kernel k 1 7 190 10
    echo '{"ph":"M","name":"end"}]}'
} >"$work/late.json"
exits 0 "a trace that explains little" import "$work/late.json" -o "$work/late"
prints "0 us apart" "is replayed, by lags"
prints "warning: lags of 1 late work" "which are warned of"
check "also in the scenario" grep -q '^# That is little' "$work/late/scenario.yaml"
exits 0 "and in JSON" import "$work/late.json" -o "$work/late" --force --json
share=$(sed -n 's/.*"explained_share": \([0-9.]*\).*/\1/p' "$work/out")
check "a share: $share" awk -v s="$share" 'BEGIN {exit !(s > 0.5 && s < 0.9)}'

# Memory: 1000 bytes before the scope and 24 that it gives back, 300 for a while, 4096 to the end.
memory()
{
    echo "{\"ph\":\"i\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":5,\"tid\":5,\"ts\":$1,\"args\":{\"Device Type\":1,\"Device Id\":0,\"Addr\":$2,\"Bytes\":$3,\"Total Allocated\":$4,\"Total Reserved\":9000}},"
}
{
    echo '{"traceEvents":['
    call cudaLaunchKernel 1 100 2
    work kernel k 1 7 110 50
    memory 103 7000 300 1324
    memory 105 1000 -24 1300
    memory 120 7000 -300 1000
    memory 120 8000 4096 5096
    call cudaDeviceSynchronize 2 130 40
    echo '{"ph":"M","name":"end"}]}'
} >"$work/memory.json"
exits 0 "a trace with changes of memory" import "$work/memory.json" -o "$work/memory"
prints "allocations" "has objects"
exits 0 "and is legal" check "$work/memory"
prints "4 objects" "one of them for what was there before"
check "that one stays" grep -q ',1000B,hbm0,hbm0,hbm0,true,' "$work/memory/objects.csv"
check "what is given back was there" grep -q ',24B,hbm0,hbm0,hbm0,,' "$work/memory/objects.csv"
exits 0 "it runs" run "$work/memory" --json
prints '"peak_bytes": 5096' "with the recorded peak: what is given back at 120 is gone when 4096 are taken"
prints '"value_us": 70,' "as long as recorded"

check "what it states is a table" test "$(grep -c '^[0-9]' "$work/memory/memory-observed.csv")" -eq 4
check "in the scope's time" grep -q '^3.000000,1,0,300,1324,9000,yes$' "$work/memory/memory-observed.csv"

# Without addresses, and of a host: no objects, but totals.
sed 's/,"Addr":[0-9]*//; s/"Device Type":1,"Device Id":0,"Bytes":-24/"Device Type":0,"Device Id":-1,"Bytes":-24/' \
    "$work/memory.json" >"$work/nameless.json"
exits 0 "changes without addresses" import "$work/nameless.json" -o "$work/nameless"
prints "4           memory-left-out" "are left out"
prints "1           memory-hosts" "one of a host"
prints "3           memory-nameless" "the others without an address"
check "totals are kept" test "$(grep -c ',no$' "$work/nameless/memory-observed.csv")" -eq 4

exits 0 "with durations that vary" import "$trace" -o "$work/drawn" --durations empirical
check "the cold step is no example" test "$(cat "$work"/drawn/durations/*.csv | grep -c 125000ps)" -eq 6
check "the longest is there" grep -q '^25125000ps$' "$work"/drawn/durations/*.csv
exits 0 "runs" run "$work/drawn" --json
# By hand: 41 us to the kernel, 38.875 after it; uniform between 20.125 and 25.125 us, 22.625 in the mean.
check "the mean is 102.5 us" awk '/"value_us"/ {exit !($2 + 0 > 102.3 && $2 + 0 < 102.7)}' "$work/out"
exits 2 "an unknown kind" import "$trace" -o "$work/x" --durations drawn
says "recorded or empirical" "both are named"

# Copies left to policies.  Each step's copy of 4096 bytes takes 30 us, which is the route; the kernel waits for it.
exits 0 "copies may be left to policies" import "$trace" -o "$work/movable" --movable in
prints "moved-copies" "which is told"
exits 0 "that is legal" check "$work/movable"
prints "0 warnings" "and clean"
prints "legal plans: 3 of 3" "for all its policies"
check "no copy is in the graph" test "$(grep -c copy.h2d "$work/movable/nodes.csv")" -eq 0
check "the kernel reads what it brought" grep -q '\.gemm,compute,gemm,gpu0,,20.125us,buffer.000004,' "$work/movable/nodes.csv"
check "the buffer is there" grep -q '^buffer.000004,4096B,hbm0,pinned;hbm0,pinned,' "$work/movable/objects.csv"
check "the route takes 30 us" awk -F, '/^pinned,hbm0,copy.h2d,7,0,1,4096,4096,/ {found = $9 > 4096 / 30.001e-6 && $9 < 4096 / 29.999e-6}
    END {exit !found}' "$work/movable/routes-observed.csv"
check "and says what it rests on" grep -q 'evidence: "bounded: 7 copies of 4.00 KiB, whose overhead is in the bandwidth"' "$work/movable/scenario.yaml"
exits 0 "it runs" run "$work/movable" -p demand --json
# By hand: the call that launches the kernel ends at 10 us, and 4 us are usual to its start.  Then 30 us of the copy, 20.125 of the
# kernel and the 38.875 after it; looking ahead, the copy is done at 30 us, where the kernel starts.
check "on demand the copy is behind the launch" awk '/"value_us"/ && !seen++ {bad = $2 < 102.999 || $2 > 103.001} END {exit bad || !seen}' "$work/out"
exits 0 "it runs ahead" run "$work/movable" -p lookahead-1 --json
check "and 14 us earlier" awk '/"value_us"/ && !seen++ {bad = $2 < 88.999 || $2 > 89.001} END {exit bad || !seen}' "$work/out"
exits 0 "the same with the report" import "$trace" -o "$work/movable" --force --movable in
prints "may take less than the record" "its baseline is not the record"
check "nothing left before" grep -q '^perhaps-outputs,0,' "$work/movable/report.csv"
# Out and in again, of one size: the second copy in may bring what the first one took away.
{
    echo '{"traceEvents":['
    for step in 0 1; do
        at=$((100 + 200 * step))
        call cudaMemcpyAsync $((10 * step + 1)) $at 2
        work gpu_memcpy 'Memcpy HtoD (Pageable -> Device)' $((10 * step + 1)) 7 $((at + 5)) 30 ',"bytes":4096'
        call cudaLaunchKernel $((10 * step + 2)) $((at + 4)) 2
        work kernel k $((10 * step + 2)) 7 $((at + 40)) 20
        call cudaMemcpyAsync $((10 * step + 3)) $((at + 8)) 2
        work gpu_memcpy 'Memcpy DtoH (Device -> Pageable)' $((10 * step + 3)) 7 $((at + 65)) 30 ',"bytes":4096'
    done
    echo '{"ph":"M","name":"end"}]}'
} >"$work/around.json"
exits 0 "what goes out and comes in" import "$work/around.json" -o "$work/around" --movable in
prints "warning: 1 of 2 objects came in after a copy of their size went out" "is warned of"
check "it is an item" grep -q '^perhaps-outputs,1,' "$work/around/report.csv"
check "and in the scenario" grep -q '^# 1 of 2 objects came in after' "$work/around/scenario.yaml"
check "so is memory that is not page-locked" grep -q '^unpinned,2,' "$work/around/report.csv"
exits 0 "nothing to move" import "$work/memory.json" -o "$work/unmoved" --movable in
prints "no copy moved" "is said"
exits 2 "an unknown direction" import "$trace" -o "$work/x" --movable out
says "in or both" "both are named"

exits 2 "no folder" import "$trace"
says "-o DIR is missing" "is missing"
exits 2 "two scopes" import "$trace" -o "$work/x" --step 1 --window 1us:2us
exits 2 "an unknown step" import "$trace" -o "$work/x" --step 9
says "ProfilerStep#0" "the steps are named"
exits 3 "an empty window" import "$trace" -o "$work/x" --window 500us:501us
says "trace.json: error: nothing in the scope" "has nothing to import"
exits 3 "no trace" import "$SL_SRCDIR/scenarios/hello/scenario.yaml" -o "$work/x"
check "nothing is left of what failed" test ! -e "$work/x"
exits 4 "a folder that is a file" import "$trace" -o "$trace"
# Four blocking streams, an event of the legacy default stream behind them, and a wait for it.
copies=${SL_SHARED:-}/data/nsys/copies_1.sqlite
if [ -r "$copies" ]; then
    exits 0 "a wait for an event of the legacy stream" import "$copies" -o "$work/copies" --json
    check "is for all blocking streams" test "$(grep -c 'data-ready,.*measured: sync' "$work/copies/edges.csv")" -eq 4
    exits 0 "with slower copies" run "$work/copies" --trials 1 --json --set scale.duration.copy.h2d=2
    check "it is over later" awk '/"mean":/ { on = 1 } on && /"value_us":/ { exit !($2 + 0 > 1100729) }' "$work/out"
else
    skip "a wait for an event of the legacy stream" "the public traces (../shared/data) are not here"
fi
finish
