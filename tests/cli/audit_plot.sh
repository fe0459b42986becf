#!/bin/sh
# Pictures of an audit: what they say of a small trace, and boxes of hand-made tables, measured.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
command -v gnuplot >/dev/null 2>&1 || { skip "pictures" "gnuplot is not installed"; finish; }

# event CATEGORY NAME PID TID TS DUR ARGS
event()
{
    echo "{\"ph\":\"X\",\"cat\":\"$1\",\"name\":\"$2\",\"pid\":$3,\"tid\":$4,\"ts\":$5,\"dur\":$6,\"args\":{$7}},"
}
# Four steps of 100 us, the first 300 us long: each computes 20 us, and its copy of 30 us has 20 us alone.
{
    echo '{"traceEvents":['
    for step in 0 1 2 3; do
        at=$((1000 + 100 * step + (step > 0) * 200))
        event user_annotation "ProfilerStep#$step" 5 5 $at $((step > 0 ? 90 : 290)) ''
        event cuda_runtime cudaLaunchKernel 5 5 $((at + 1)) 2 "\"correlation\":$((10 * step + 1))"
        event kernel k 0 7 $((at + 10)) 20 "\"device\":0,\"stream\":7,\"correlation\":$((10 * step + 1))"
        event cuda_runtime cudaMemcpyAsync 5 5 $((at + 4)) 2 "\"correlation\":$((10 * step + 2))"
        event gpu_memcpy 'Memcpy HtoD (Pinned -> Device)' 0 9 $((at + 20)) 30 \
            "\"device\":0,\"stream\":9,\"correlation\":$((10 * step + 2))"
        event cuda_runtime cudaDeviceSynchronize 5 5 $((at + 40)) 15 "\"correlation\":$((10 * step + 3))"
        echo "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":5,\"tid\":5,\"ts\":$((at + 5)),\"args\":{\"Device Type\":1,\"Device Id\":0,\"Addr\":4096,\"Bytes\":$((step % 2 ? -1048576 : 1048576)),\"Total Allocated\":$((step % 2 ? 0 : 1048576)),\"Total Reserved\":4194304}},"
    done
    echo '{"ph":"M","name":"end"}]}'
} >"$work/trace.json"
exits 0 "an audit" audit "$work/trace.json" -o "$work/a"
exits 0 "is drawn" plot "$work/a"
exits 0 "an audit in a folder of results" sweep "$SL_SRCDIR/scenarios/hello" --trials 20 -o "$work/both"
cp "$work"/a/*.csv "$work/both/"
exits 0 "is drawn" plot "$work/both"
says "holds results beside the audit" "and the results are said not to be"
exits 0 "the audit alone" plot "$work/a"
for name in gantt time memory; do
    check "$name.png is printed" grep -q "/plots/$name.png\$" "$work/out"
    # Signature, and the width in the header: 1200 = 0x04b0.
    check "and a PNG 1200 pixels wide" sh -c \
        "od -An -tx1 -N20 '$work/a/plots/$name.png' | tr -d ' \n' | grep -q '^89504e470d0a1a0a0000000d49484452000004b0'"
    check "its SVG is whole" sh -c "tail -3 '$work/a/plots/$name.svg' | grep -q '</svg>'"
done
# shows NAME TEXT: the picture has the text.
shows()
{
    check "$1 shows: $2" grep -qF -- "$2" "$work/a/plots/$1.svg"
}
# 80 us of those from 10 to 550 are computed; 4 * 20 of 4 * 30 us are exposed.
shows gantt 'Transfers hide little: 80.0 us of 120 us are exposed; computation fills 14.8% of 540 us'
for text in 'device 0, stream 7' 'device 0, stream 9' 'thread 5' 'host waits' 'copy in (h2d)' 'step 3' 'cold step' \
    'time from the first event of the trace (us)'; do
    shows gantt "$text"
done
check "gantt draws every work" sh -c "! grep -q 'more than pixels' '$work/a/plots/gantt.svg'"
# A warm step's 100 us, and the last one's 90: 80, 80 and 70 without computation.
shows time "76.7 us of a warm step's 96.7 us pass without computation"
for text in 'step 0 (cold)' 'computes 20.0 us of 300 us' 'exposed transfers' 'idle: not launched yet'; do
    shows time "$text"
done
shows memory 'Peak of device 0: 1.00 MiB allocated at 5.00 us, 25.0% of 4.00 MiB reserved'
shows memory 'device 0 (MiB)'

grep -v memory "$work/trace.json" >"$work/plain.json"
exits 0 "no changes of memory" audit "$work/plain.json" -o "$work/p"
exits 0 "no picture of it" plot "$work/p"
says "no picture of memory: the trace has no changes of memory" "and the reason"
check "the others are drawn" test -e "$work/p/plots/gantt.png" -a ! -e "$work/p/plots/memory.png"
echo '{"traceEvents":[]}' >"$work/empty.json"
exits 0 "an empty trace" audit "$work/empty.json" -o "$work/e"
exits 1 "has no pictures" plot "$work/e"
says "no picture of works" "which is said"
rm "$work/p/works.csv"
exits 3 "a folder that lacks a table" plot "$work/p"
says "works.csv" "names it"

# 2,880 works of 1 us in 2 us each, beside one copy of 5,760 us: 8 us to a column, half of it computed.
mkdir "$work/a/many" && cp "$work/a/call_times.csv" "$work/a/memory_changes.csv" "$work/a/many" && (
    cd "$work/a/many" && head -1 call_times.csv >t && mv t call_times.csv
    awk 'BEGIN {print "class,device,stream,start_us,finish_us"; print "h2d,0,9,0,5760"
        for (i = 0; i < 2880; i++) print "compute,0,7," 2 * i "," 2 * i + 1}' >works.csv
    awk 'BEGIN {print "step,from_us,cold"; for (i = 0; i < 30; i++) print i "," 192 * i "," (i ? "no" : "yes")}' >steps.csv
    awk -v head="$(head -1 ../time_use.csv)" 'BEGIN {print head; print "0,,0,5760,2880,2880,0,0,0,0,0,0,0,5760"
        for (i = 0; i < 30; i++) print i + 1 "," i "," 192 * i "," 192 * i + 192 ",96,96,0,0,0,0,0,0,0,192"}' >time_use.csv
)
exits 0 "more works than pixels" plot "$work/a/many"
check "that is said" grep -q '2881 works and calls are more than pixels: each column of 8.00 us' "$work/a/many/plots/gantt.svg"
# height R,G,B: of the first box of that colour.
height()
{
    sed -n "s/.*polygon fill = 'rgb($1)' points = '\([^']*\)'.*/\1/p" "$work/a/many/plots/gantt.svg" | head -1 |
        awk -F'[ ,]' '{low = high = $2; for (i = 4; i <= NF; i += 2) {if ($i < low) low = $i; if ($i > high) high = $i}
            print high - low}'
}
check "works that fill half of the time are half as high" awk -v half="$(height ' *0, 114, 178')" -v full="$(height ' *0, 158, 115')" \
    'BEGIN {exit !(full > 10 && half > 0.48 * full && half < 0.52 * full)}'
boxes=$(grep -c "fill = 'rgb( *0, 114, 178)'" "$work/a/many/plots/gantt.svg")
check "equal columns are one box" test "$boxes" -le 3
check "many steps are means" grep -q 'steps 1 to 2, mean' "$work/a/many/plots/time.svg"
check "a cold one stays alone" grep -q 'step 0 (cold)' "$work/a/many/plots/time.svg"
finish
