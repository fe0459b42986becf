#!/bin/sh
# scenarios/weight-stream: the closed forms of streaming through one and two buffers, without noise,
# and what its README says of the orders of policies.
. "$SL_SRCDIR/tests/support/tap.sh"
stream=$SL_SRCDIR/scenarios/weight-stream

exits 0 "the scenario is legal" check "$stream"
prints "legal plans: 7 of 7; 0 warnings" "all plans are, and nothing is remarked"

# The same without noise: durations and copies at their means, factors of 1.
mkdir -p "$work/scenarios" "$work/models/devices"
cp -r "$stream" "$work/scenarios/still"
cp -r "$SL_SRCDIR/models/devices/h100-sxm5" "$work/models/devices"
chmod -R u+w "$work/scenarios" "$work/models"
still=$work/scenarios/still
device=$work/models/devices/h100-sxm5
sed -i 's/"lognormal(mean=\([^,]*\), cv=0.015)"/\1/' "$device/durations.csv"
sed -i '/^ *noise: /d' "$device/device.yaml"
sed -i '/^  clock: {/d; /^  link: {/d; s/^trials: .*/trials: 2/' "$still/scenario.yaml"

# figure FOLDER COLUMN POLICY CAPACITY TOKENS
figure()
{
    awk -F, -v k="$2" -v p="$3" -v c="$4" -v t="$5" \
        'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) column = i}
         $2 == p && $3 == c && $4 == t {print $column}' "$work/$1/summary.csv"
}

# is WHAT WANTED_US POLICY CAPACITY TOKENS: all trials are that, to a picosecond per action.
is()
{
    got=$(figure quiet mean_us "$3" "$4" "$5")
    check "$1: $3 at $4, batch $5" awk -v a="$got" -v b="$2" \
        'BEGIN {d = a - b; if (d < 0) d = -d; if (a == "" || d > 0.001) {print a, "not", b; exit 1}}'
}

# One layer: its copy holds the engine for e = 6 us + bytes / 52 GB/s and is there 8 us later; its
# kernels take c = FLOP / (516.2 TFLOP/s), 1.02 times that beside a copy (the copy is not slowed).
# 80 layers.  c < e up to 8,192 tokens, c > e at 16,384; the second copy starts 8 us before the first
# kernel, every later one with a kernel.
form()
{
    awk -v batch="$1" -v form="$2" 'BEGIN {
        L = 80; e = 6 + 1632 * 1048576 / 52000; f = e + 8
        c = batch * 14570 * 1.93723363
        if (form == "serial") us = L * (f + c)
        if (form == "link") us = L * e + 8 + c
        if (form == "compute") us = f + L * c + ((L - 1) * e - 8) * 0.02 / 1.02
        printf "%.6f", us}'
}

exits 0 "without noise" sweep "$still" --set 'sweep={domains.hbm.capacity: [2GiB, 3.5GiB], factors.tokens.draw: ["0.5", "1", "2"]}' -o "$work/quiet"
for batch in 0.5 1 2; do
    bound=link
    [ $batch != 2 ] || bound=compute
    for policy in demand lookahead-1 lookahead-4 window; do
        is "one buffer: copies and kernels take turns" "$(form $batch serial)" $policy 2GiB $batch
    done
    is "on demand the second buffer is of no use" "$(form $batch serial)" demand 3.5GiB $batch
    for policy in lookahead-1 lookahead-2 lookahead-4 window; do
        is "two buffers: the slower of the two ($bound)" "$(form $batch $bound)" $policy 3.5GiB $batch
    done
done

# With noise, on common draws: the medians of 100 trials.
exits 0 "with noise" sweep "$stream" --trials 100 -o "$work/noisy"
# below A B TIMES CAPACITY TOKENS: policy A's median is below TIMES that of B.
below()
{
    check "$1 below $3 of $2 at $4, batch $5" awk -v a="$(figure noisy median_us "$1" "$4" "$5")" \
        -v b="$(figure noisy median_us "$2" "$4" "$5")" -v k="$3" \
        'BEGIN {if (!(a > 0 && b > 0 && a < k * b)) {print a, b; exit 1}}'
}
below lookahead-1 demand 0.75 3.5GiB 0.5
below lookahead-1 demand 0.60 3.5GiB 1.25
below lookahead-1 demand 0.70 3.5GiB 2
below lookahead-2 lookahead-1 0.99 8.5GiB 1.25
below lookahead-4 lookahead-2 1 8.5GiB 1.25
below lookahead-1 lookahead-4 1.001 8.5GiB 0.5
below lookahead-1 jit 0.995 3.5GiB 2
check "two buffers bound lookahead-4 as they do lookahead-1" \
    test "$(figure noisy median_us lookahead-4 3.5GiB 1.25)" = "$(figure noisy median_us lookahead-1 3.5GiB 1.25)"
check "lookahead-4 takes five buffers where it has them" \
    test "$(figure noisy peak_hbm_bytes lookahead-4 8.5GiB 1.25)" = $((5 * 1632 * 1048576))

finish
