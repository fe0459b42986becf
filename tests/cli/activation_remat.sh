#!/bin/sh
# scenarios/activation-remat: what keeping, recomputing and the binomial schedule cost without noise,
# and what its README says of the orders of policies over memory and link.
. "$SL_SRCDIR/tests/support/tap.sh"
remat=$SL_SRCDIR/scenarios/activation-remat

exits 0 "the scenario is legal" check "$remat"
prints "legal plans: 7 of 9; 0 warnings" "retain and remat-all do not fit 20 GiB, nothing is remarked"

# figure FOLDER COLUMN POLICY CAPACITY OUT_GBS BACK_GBS
figure()
{
    awk -F, -v k="$2" -v p="$3" -v c="$4GiB" -v o="$5GB/s" -v b="$6GB/s" \
        'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) column = i}
         $2 == p && $3 == c && $4 == o && $5 == b {print $column}' "$work/$1/summary.csv"
}

# Without noise a block's forward pass takes c = 927.7 GFLOP at 516.2 TFLOP/s; 48 of them and as many
# backward passes of 2c.
mkdir -p "$work/scenarios" "$work/models/devices"
cp -r "$remat" "$work/scenarios/still"
cp -r "$SL_SRCDIR/models/devices/h100-sxm5" "$work/models/devices"
chmod -R u+w "$work/scenarios" "$work/models"
still=$work/scenarios/still
sed -i 's/"lognormal(mean=\([^,]*\), cv=0.015)"/\1/' "$work/models/devices/h100-sxm5/durations.csv"
sed -i 's/, noise: "[^"]*"//; /^  clock: {/d; s/^factors:$//; s/^trials: .*/trials: 2/' "$still/scenario.yaml"
exits 0 "without noise" sweep "$still" -o "$work/quiet" \
    --set 'sweep={domains.hbm.capacity: [36GiB], routes.0.bandwidth: [52GB/s], routes.1.bandwidth: [52GB/s]}'

# blocks WHAT FORWARDS POLICY: all trials take 144 c and the recomputations.
blocks()
{
    check "$1" awk -v a="$(figure quiet mean_us "$3" 36 52 52)" -v n="$2" \
        'BEGIN {b = (144 + n) * 927.7 * 1.93723363; d = a - b; if (d < 0) d = -d
                if (a == "" || d > 0.001) {print a, "not", b; exit 1}}'
}
blocks "keeping all recomputes nothing" 0 retain
blocks "nor does the chain where all fit" 0 chain-optimal
blocks "the last block has no gap, the other 47 run twice" 47 remat-all

# Eight slots are the state at work and seven kept ones; with the input that makes 8 checkpoints for
# the 49 states of Griewank and Walther's t(l, s) = r l - C(s + r, s + 1), C(s + r - 1, s) < l <= C(s + r, s):
# r = 3, 147 - C(11, 9) = 92 advances, of which 48 are the forward pass.
blocks "eight slots: the binomial schedule" 44 chain-8

# With noise, on common draws: medians of 40 trials.
exits 0 "with noise" sweep "$remat" --trials 40 -o "$work/noisy"
# below A B TIMES CAPACITY OUT BACK: policy A's median is below TIMES that of B.
below()
{
    check "$1 below $3 of $2 at $4 GiB, $5 and $6 GB/s" awk \
        -v a="$(figure noisy median_us "$1" "$4" "$5" "$6")" \
        -v b="$(figure noisy median_us "$2" "$4" "$5" "$6")" -v k="$3" \
        'BEGIN {if (!(a > 0 && b > 0 && a < k * b)) {print a, b; exit 1}}'
}
stuck()
{
    check "$1 deadlocks at $2 GiB" test "$(figure noisy verdict "$1" "$2" 52 52)" = deadlock
}
for policy in retain remat-all; do
    stuck $policy 20
    stuck $policy 8
done
stuck remat-fit 8
stuck chain-8 8
below chain-optimal remat-fit 1.001 20 52 52
below best remat-fit 0.99 20 52 52
below remat-fit offload-fit 0.55 20 52 52
below best chain-optimal 0.985 8 52 52
below chain-optimal offload-fit 0.31 8 52 52
below offload-fit offload-all 0.8 8 52 52
below offload-fit remat-fit 0.93 20 416 416
below offload-fit chain-optimal 0.83 8 416 416
below offload-fit remat-early 0.99 8 416 416
below chain-optimal offload-fit 0.53 8 416 52
below chain-optimal offload-fit 0.53 8 52 416
check "best takes offload-fit's plan on a fast link" \
    test "$(figure noisy median_us best 8 416 416)" = "$(figure noisy median_us offload-fit 8 416 416)"

finish
