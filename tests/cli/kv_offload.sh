#!/bin/sh
# scenarios/kv-offload: what reloading and recomputing take, by hand; which policy keeps up; and all requests
# of the published trace are accounted for, with host memory and without.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
scenario=$SL_SRCDIR/scenarios/kv-offload

# field FILE COLUMN ROW: of a table.
field()
{
    awk -F, -v k="$2" -v row="$3" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i}
        NR == row + 1 {print $c; exit}' "$1"
}
# near WHAT VALUE TRUTH TOLERANCE
near()
{
    check "$1 is $3 (it is $2)" \
        awk -v x="$2" -v t="$3" -v d="$4" 'BEGIN {exit !(x != "" && x - t <= d && t - x <= d)}'
}

# Prompts of 20 blocks of three conversations, and the first one again, where device memory holds 44 blocks: its
# last 16 blocks have left.  16 x 64 MiB are 20.649 ms at 52 GB/s, and 10 us: as many go, then these come, and a
# token is computed, 40.7 us; or 8192 tokens are.
awk 'function ask(t, first,    i) {
        printf "{\"timestamp\": %d, \"input_length\": 10240, \"output_length\": 5, \"hash_ids\": [%d", t, first
        for (i = 1; i < 20; i++) printf ", %d", first + i
        print "]}"
    }
    BEGIN {ask(0, 0); ask(9000, 100); ask(18000, 200); ask(27000, 0)}' >"$work/four.jsonl"
# few POLICY OPTION...
few()
{
    policy=$1
    shift
    exits 0 "four prompts, $policy" run "$scenario" -p "$policy" --trials 1 --set run.jobs=4 --set run.warmup=0 \
        --set 'run.parameters={}' --set 'run.blocks={}' --set domains.hbm.capacity=2848MiB --set domains.hbm.reserve=0B \
        --set "run.arrivals=trace(file=$work/four.jsonl, format=mooncake)" -o "$work/$policy" "$@"
}
few demand
near "the first one's time, us" "$(field "$work/demand/jobs.csv" ttft_us 1)" 416768 0.01
near "reloading, us" "$(field "$work/demand/jobs.csv" ttft_us 4)" 41358.46 0.1
# The host holds 20 blocks: the 16 come from the drive, at 6.5 GB/s, 165.191 ms and 100 us, and then as above.  Of as many
# that leave device memory for them, which lie on the drive, 4 find room in the host, 5.162 ms and 10 us before that.
few nvme --set domains.host.capacity=1280MiB
near "reloading from the drive, us" "$(field "$work/nvme/jobs.csv" ttft_us 4)" 191162.9 0.1
few none
near "recomputing, us" "$(field "$work/none/jobs.csv" ttft_us 4)" 333414.4 0.01

# What the scenario says, of few jobs: who fetches keeps up.
exits 0 "conversations" sweep "$scenario" --trials 2 --set run.jobs=900 --set run.warmup=300 \
    --set 'sweep={policy.prefetch.lookahead: [2]}' -o "$work/s"
check "without host memory the queue grows" test "$(field "$work/s/summary.csv" verdict 1)" = grows
for row in 2 3 4 5; do
    check "row $row keeps up" test "$(field "$work/s/summary.csv" verdict $row)" = ok
done

# whole POLICY: with as much host memory as one of eight devices has.
whole()
{
    exits 0 "the trace, $1" run "$scenario" -p "$1" --trials 1 --set run.jobs=3993 --set run.warmup=0 \
        --set 'run.parameters={}' --set 'run.blocks={}' -o "$work/whole-$1" --set domains.host.capacity=256GiB \
        --set "run.arrivals=trace(file=$trace, format=mooncake, speed=0.6)"
    check "3,993 requests, all completed" test "$(field "$work/whole-$1/summary.csv" completed 1)" = 3993 \
        -a "$(field "$work/whole-$1/summary.csv" rejected 1)" = 0
    check "121,877 blocks are looked up" \
        test "$(field "$work/whole-$1/caches.csv" looked_up_blocks 1)" = 121877
}
trace=${SL_SHARED:-}/data/arrivals/mooncake_synthetic.jsonl
if [ ! -r "$trace" ]; then
    skip "the published trace" "no ../shared/data/arrivals"
elif [ -z "${SL_LONG:-}" ]; then
    skip "the published trace" "SL_LONG is not set"
else
    whole none
    check "grows" test "$(field "$work/whole-none/summary.csv" verdict 1)" = grows
    whole ahead
    check "grows with host memory alone" test "$(field "$work/whole-ahead/summary.csv" verdict 1)" = grows
    whole nvme
    check "keeps up with a drive" test "$(field "$work/whole-nvme/summary.csv" verdict 1)" = ok
fi
finish
