#!/bin/sh
# Rows of works as a hand may have changed them: what is no time, no number of bytes, or ends before it
# starts is left out and counted; what is left has the sums of the good rows.
. "$SL_SRCDIR/tests/support/tap.sh"
cd "$work" || exit 99

cat >gantt.csv <<'EOF'
cell,at,trial,node,resource,ready_us,start_us,end_us,class,bytes
0,p99,0,k0,compute,0,0,10,gemm,
0,p99,0,up,h2d,0,1,4,copy.h2d,3000
0,p99,0,down,d2h,0,5,7,copy.d2h,2000
0,p99,0,across,d2d,0,2,3,copy.d2d,500
0,p99,0,set,compute,0,10,12,memset,100
0,p99,0,bad1,compute,x,10,12,gemm,
0,p99,0,bad2,compute,-1,10,12,gemm,
0,p99,0,bad3,compute,0,1e13,1e13,gemm,
0,p99,0,bad4,compute,0,nan,12,gemm,
0,p99,0,bad5,compute,0,10,12,gemm,many
0,p99,0,bad6,compute,0,10,12,gemm,-5
0,p99,0,back,compute,0,13,12,gemm,
0,p99,0,none,,0,12,14,gemm,
0,p99,1,k0,compute,0,0,20,gemm,
EOF
exits 0 "rows with faults are audited" audit gantt.csv
says "gantt.csv:7:22: warning: ready_us: 'x' is not a number" "a word as a time"
says "gantt.csv:8:22: warning: ready_us: '-1' is negative" "a negative time"
says "gantt.csv:9:24: warning: start_us: no time from 0 to 1e12 us; the row is left out" "a time out of range"
says "gantt.csv:10:24: warning: start_us: 'nan' is not a number" "not a number"
says "gantt.csv:11:35: warning: bytes: 'many' is not a whole number" "a word as bytes"
check "five are shown" test "$(grep -c 'the row is left out' err)" -eq 5
prints "6 events without a time, or with one that is no number; left out [bad-event]" "and all counted"
prints "1 events that end before they start; left out [reversed]" "so is the one that ends first"

# By hand: trial 0 is busy from 0 to 12 us, trial 1 for 20 us; copies lie beside the first kernel.
exits 0 "as JSON" audit gantt.csv --json
number_of()
{
    awk -v key="\"$1\":" '$1 == key {gsub(",", "", $2); print $2; exit}' "$work/out"
}
while read -r key wanted; do
    check "$key is $wanted" test "$(number_of "$key")" = "$wanted"
done <<'EOF'
gpu_events 6
kernels 2
busy_ns 32000
compute_ns 30000
EOF
check "bytes of the copies" test "$(sed -n 's/.*"bytes": \([0-9]*\),.*/\1/p' out | sort -n | tr '\n' ' ')" = "500 2000 3000 "

cut -d, -f1-7,9- gantt.csv >noend.csv
exits 3 "rows without an end" audit noend.csv
says "noend.csv: neither end_us nor finish_us is a column" "are refused"

{
    head -1 gantt.csv
    for trial in 0 1 2 3; do echo "0,p99,$trial,k0,compute,0,0,1e12,gemm,"; done
} >long.csv
exits 3 "four runs of eleven days" audit long.csv
says "long.csv: its runs take more than 26 days together" "are too long together"
finish
