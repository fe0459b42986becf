#!/bin/sh
# scenarios/two-gpu: the closed form of its schedule and the bytes that it holds, without noise, and what
# its README says of the order of policies.
. "$SL_SRCDIR/tests/support/tap.sh"
pair=$SL_SRCDIR/scenarios/two-gpu

exits 0 "the scenario is legal" check "$pair"
prints "legal plans: 4 of 4; 0 warnings" "all plans are, and nothing is remarked"

# The same without noise: durations and copies at their means, factors of 1.
cp -r "$pair" "$work/still"
chmod -R u+w "$work/still"
sed -i 's/"lognormal(mean=\([0-9.]*ms\), cv=0.015)"/\1/' "$work/still/nodes.csv"
sed -i 's/, noise: "[^"]*"//; /^  clock: {/d; /^  host-link: {/d; s/^trials: .*/trials: 2/
    s/^policies:/&\n  - {name: retain, action: retain}/' "$work/still/scenario.yaml"

# value FOLDER COLUMN POLICY [HBM1 P2P HOST]: a figure of summary.csv
value()
{
    awk -F, -v k="$2" -v p="$3" -v at="$4" -v p2p="$5" -v host="$6" \
        'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) column = i}
         $2 == p && (at == "" || ($3 == at && $4 == p2p && $5 == host)) {print $column; exit}' \
        "$work/$1/summary.csv"
}

# near WHAT GOT WANTED: to a nanosecond
near()
{
    check "$1" awk -v a="$2" -v b="$3" \
        'BEGIN {d = a - b; if (d < 0) d = -d; if (a == "" || d > 0.001) {print a, "not", b; exit 1}}'
}

# With room for all, and so no copies: forward f = 16 x 13.85 ms, backward 2f, four micro-batches in two
# stages: (4 + 1) 3f, and on the chain four messages of x = 0.1826 ms.
exits 0 "all stays with 36 GiB" run "$work/still" --policy retain --set domains.hbm0.capacity=36GiB -o "$work/all"
near "one forward, one backward: 15 f + 4 x" "$(value all mean_us retain)" \
    "$(awk 'BEGIN {printf "%.4f", 15 * 16 * 13850 + 4 * 182.6}')"
# Stage 0 holds 2 x (16 x 1 GiB + 15 x 64 MiB), a message that goes and one that comes; stage 1 16 x 1 GiB
# and 16 x 64 MiB, and the message that waits.
check "stage 0 holds two micro-batches" test "$(value all peak_hbm0_bytes retain)" = $((34 << 30))
check "stage 1 holds one" test "$(value all peak_hbm1_bytes retain)" = $(((17 << 30) + (64 << 20)))
exits 1 "that does not fit into 20 GiB" run "$work/still" --policy retain

# On a peer with room, nothing but contention is added: 5% of a kernel while a copy runs beside it, on
# one GPU or the other.  Copies of 1 GiB take 2.8256 ms and 6 us at 380 GB/s.
exits 0 "on the peer" run "$work/still" --policy peer -o "$work/peer"
check "the peer hides all but contention" awk -v a="$(value peer mean_us peer)" -v b="$(value all mean_us retain)" \
    'BEGIN {exit !(a > b && a < 1.006 * b)}'

# With noise, on common draws: the medians of 100 trials.
exits 0 "with noise" sweep "$pair" --trials 100 -o "$work/noisy"
# below A B TIMES HBM1 P2P HOST: policy A's median is below TIMES that of B.
below()
{
    check "$1 below $3 of $2 at $4, p2p $5, host $6" awk \
        -v a="$(value noisy median_us "$1" "$4" "$5" "$6")" \
        -v b="$(value noisy median_us "$2" "$4" "$5" "$6")" -v k="$3" \
        'BEGIN {if (!(a > 0 && b > 0 && a < k * b)) {print a, b; exit 1}}'
}
below host remat 0.90 36GiB 1 1
below peer host 1 36GiB 1 1
below peer host 0.95 36GiB 1 2
below host peer 0.92 36GiB 14.4 1
below both host 0.97 36GiB 14.4 2
below both peer 0.94 36GiB 14.4 2
below both host 0.96 26GiB 1 2
check "a peer without room for it deadlocks" test "$(value noisy verdict peer 26GiB 1 1)" = deadlock

finish
