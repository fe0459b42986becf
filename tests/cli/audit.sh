#!/bin/sh
# slackline audit: text, JSON and tables of a small trace, scopes, and errors that say where.
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
{
    echo '{"deviceProperties":[{"name":"H100"}],"traceEvents":['
    for step in 0 1 2; do
        at=$((1000 + 100 * step))
        echo "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#$step\",\"pid\":5,\"tid\":5,\"ts\":$at,\"dur\":80.5},"
        call cudaLaunchKernel $((10 * step + 1)) $((at + 1)) 2
        work kernel "k" $((10 * step + 1)) 7 $((at + 10)) 20.125
        call cudaMemcpyAsync $((10 * step + 2)) $((at + 4)) 2
        work gpu_memcpy 'Memcpy HtoD (Pinned -> Device)' $((10 * step + 2)) 9 $((at + 20)) 30 ',"bytes":4096'
        call cudaDeviceSynchronize $((10 * step + 3)) $((at + 40)) 15
    done
    echo '{"ph":"X","cat":"kernel","name":"lone","pid":0,"tid":7,"ts":NaN,"dur":1},'
    echo '{"ph":"M","name":"end"}]}'
} >"$trace"

exits 0 "a trace is audited" audit "$trace"
prints "trace.json: kineto, H100; 20 records, 18 events, 6 of them works of a device" "the head"
prints "1 events without a time, or with one that is no number; left out [bad-event]" "a hazard"
says "trace.json:20:" "a warning says where"
prints "Device work: busy 120 us of 240 us (50%)" "busy time"
prints "1 values of a wrong type" "the NaN counts once"
prints "wait for a device" "synchronisation"
prints "3 steps: median 80.5 us" "steps"
prints "the works of each stream come in the same order in all steps" "order"
prints "changes of memory: pressure and lifetimes are not known" "what is absent"

exits 0 "JSON" audit --json "$trace"
prints '"gpu_union_busy_ns": 120000' "JSON has exact ns"
prints '"first_gpu_ts_ns": 1010000' "JSON has the file's clock"
exits 0 "one step" audit --json --step 'ProfilerStep#1' "$trace"
prints '"gpu_events": 2' "has its own works alone"
exits 0 "the same by number" audit --json --step 1 "$trace"
prints '"first_gpu_ts_ns": 1110000' "is the same step"
exits 0 "a window" audit --json --window 0us:3us "$trace"
prints '"gpu_events": 1' "has what is launched in it"

exits 0 "tables" audit "$trace" -o "$work/tables"
check "a row per work" test "$(wc -l <"$work/tables/works.csv")" -eq 7
check "a work's times" grep -q '^0,k,compute,0,7,0,1,3,3,10,30.125,0,7,,,1$' "$work/tables/works.csv"
check "a device's busy time" grep -q '^0,6,120,60.375$' "$work/tables/devices.csv"
check "a call's time, and its thread" grep -q '^0,cudaDeviceSynchronize,wait for a device,5,5,140,155$' "$work/tables/call_times.csv"
check "what a step's time went to" grep -q '^2,1,100,200,20.125,19.875,0,0,0,53,7,0,0,30$' "$work/tables/time_use.csv"
check "and all of it" grep -q '^0,,10,250,60.375,59.625,0,0,0,106,14,0,0,90$' "$work/tables/time_use.csv"
check "the import's counts" grep -q '^hazard,bad-event,1$' "$work/tables/import.csv"
sed '/"stream":9/s/"device":0/"device":1/' "$trace" >"$work/two.json"
exits 0 "two devices" audit "$work/two.json"
prints "busy 120 us of 240 us (50%), on any device" "their union"
check "and one of them" grep -Eq '^ *1 +3 +90.0 us +37.5% +0 ps$' "$work/out"
exits 0 "their JSON" audit --json "$work/two.json"
prints '"busy_ns": 90000' "has each"
exits 2 "tables are not overwritten" audit "$trace" -o "$work/tables"
says "--force" "the way out is named"
exits 0 "unless asked to" audit "$trace" -o "$work/tables" --force

exits 2 "an unknown step" audit "$trace" --step 9
says "ProfilerStep#0" "the steps are named"
exits 2 "an unknown range" audit "$trace" --range ProfilerStop
says "did you mean 'ProfilerStep'" "the nearest is named"
exits 2 "two scopes" audit "$trace" --step 1 --window 1us:2us
exits 2 "a window without units" audit "$trace" --window 1:2
exits 2 "a window that ends first" audit "$trace" --window 5us:2us
exits 3 "no file" audit "$work/none.json"
exits 3 "a scenario is no trace" audit "$SL_SRCDIR/scenarios/hello/scenario.yaml"
says "kineto (trace.json.gz)" "known formats are named"
head -c 700 "$trace" >"$work/cut.json"
exits 0 "a trace that is cut" audit "$work/cut.json"
says "the file ends in the middle" "is read as far as it goes"
sed 's/"ph":"M"/"ph";"M"/' "$trace" >"$work/broken.json"
exits 3 "a trace that is broken" audit "$work/broken.json"
says "broken.json:21:" "says the line"
echo '{"traceEvents":[]}' >"$work/empty.json"
exits 0 "an empty trace" audit "$work/empty.json"
prints "works of a device" "says what is absent"
exits 0 "its JSON" audit --json "$work/empty.json"
# What Slackline itself wrote. Each repetition computes in 0-10 and 12-20 us, and copies in 2-8 and 8-25: 7 us
# of the copies are beside no computation. The second one computes b first.
replay()
{
    echo repetition,node,resource,ready_us,start_us,end_us,class,bytes
    cat <<'CSV'
1,a,compute,0,0.000,10,gemm,
1,b,compute,10,12.000,20,gemm,
1,c,h2d,0,2,8,copy.h2d,4096
1,d,h2d,8,8,25,copy.h2d,4096
1,host,,0,0,1,,
2,a,compute,10,12,20,gemm,
2,b,compute,0,0,10,gemm,
2,c,h2d,0,2,8,copy.h2d,4096
2,d,h2d,8,8,25,copy.h2d,4096
CSV
}
replay >"$work/timeline.csv"
exits 0 "a replay is audited" audit "$work/timeline.csv"
prints "timeline.csv: slackline; 9 records" "by its own reader"
prints "compute  36.0 us" "its computation"
check "copies, and how long beside none" grep -Eq '^ *h2d +46.0 us .* 14.0 us$' "$work/out"
prints "2 steps: median 25.0 us, p95 25.0 us, worst 25.0 us" "each repetition is a step"
prints "1 of 2 steps" "and one has another order"
check "waits from ready to start: half of them 2 us" grep -Eq 'to the start +0 ps +2.00 us +2.00 us' "$work/out"
{ replay; echo 3,a,compute,0,5,2,gemm,; echo 3,b,compute,x,5,6,gemm,; echo 3,c,compute,0,1,1e300,gemm,
    echo 3,d,compute,0,1,2,gemm,-5; } >"$work/faulty.csv"
exits 0 "rows that say nothing" audit "$work/faulty.csv"
says "faulty.csv:12:13: warning: ready_us:" "are named"
prints "1 events that end before they start; left out [reversed]" "and counted"
prints "3 events without a time" "all of them"
replay | cut -d, -f1-5 >"$work/short.csv"
exits 3 "a table without ends" audit "$work/short.csv"
says "neither end_us nor finish_us is a column" "is refused"
{ replay; echo 3,a; } >"$work/cut.csv"
exits 3 "a row that was cut" audit "$work/cut.csv"
says "cut.csv:11:" "is refused at its place"
exits 0 "a simulated run" run "$SL_SRCDIR/scenarios/hello" -p fetch-early --trials 400 -o "$work/results"
exits 0 "is audited" audit "$work/results/gantt.csv" --json
awk -F, 'NR > 1 && $7 == "compute" {sum += $11 - $9} END {printf "%.0f\n", 1000 * sum}' "$work/results/gantt.csv" >"$work/wanted"
sed -n 's/.*"union_compute_ns": \([0-9]*\).*/\1/p' "$work/out" >"$work/got"
check "busy as its bars say" awk 'NR == FNR {a = $1; next} {exit !($1 - a <= 30 && a - $1 <= 30 && a > 1e8)}' "$work/wanted" "$work/got"
finish
