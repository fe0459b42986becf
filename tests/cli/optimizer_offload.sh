#!/bin/sh
# scenarios/optimizer-offload: the closed form of the update on the CPU, and what its README says of
# when the update on the GPU is faster, of early chunks and of copies both ways.
. "$SL_SRCDIR/tests/support/tap.sh"
offload=$SL_SRCDIR/scenarios/optimizer-offload

for step in gpu cpu; do
    exits 0 "$step-step is legal" check "$offload/$step-step"
    prints "; 0 warnings" "nothing is remarked"
done

# Without noise.
mkdir -p "$work/scenarios/still" "$work/models/devices"
cp -r "$offload/cpu-step" "$offload/gpu-step" "$work/scenarios/still"
cp -r "$SL_SRCDIR/models/devices/h100-sxm5" "$work/models/devices"
chmod -R u+w "$work/scenarios" "$work/models"
sed -i 's/"lognormal(mean=\([^,]*\), cv=0.015)"/\1/' "$work/models/devices/h100-sxm5/durations.csv"
sed -i '/^ *noise: /d' "$work/models/devices/h100-sxm5/device.yaml"
for step in gpu cpu; do
    sed -i 's/"lognormal(mean=\([^,]*\), cv=0.05)"/\1/' "$work/scenarios/still/$step-step/nodes.csv"
    sed -i '/^  clock: {/d' "$work/scenarios/still/$step-step/scenario.yaml"
    exits 0 "$step-step without noise" sweep "$work/scenarios/still/$step-step" --trials 2 -o "$work/$step"
done

# figure FOLDER COLUMN POLICY AXES: the axes as in the file, such as 16GiB,0.25
figure()
{
    awk -F, -v k="$2" -v p="$3" -v axes="$4" \
        'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) column = i}
         $2 == p && index($0, $1 "," p "," axes ",") == 1 {print $column}' "$work/$1/summary.csv"
}

# On the CPU: forward, the first backward pass, its gradient out (6 us and 404,750,336 B at 52 GB/s),
# 32 updates of 28,332.5 us, the last weights in.  All else hides behind the updates.
cpu=$(awk 'BEGIN {printf "%.3f", (114900 + 7320) * 1.93723363 + 2 * 7789.7 + 32 * 28332.5}')
check "on the CPU: two passes, two copies and 32 updates" awk -v a="$(figure cpu mean_us as-given 1)" \
    -v b="$cpu" 'BEGIN {d = a - b; if (a == "" || d > 0.01 || d < -0.01) {print a, "not", b; exit 1}}'

# On the GPU at 52 GB/s each direction moves 128 chunks of 11,681.3 us, 1.42 and 1.45 times that while
# the other works: between 1.495 s and that times 1.45, after forward and the first backward pass.
check "on the GPU: between one direction alone and both all the time" \
    awk -v a="$(figure gpu mean_us window 16GiB,1)" \
    'BEGIN {c = 128 * 11681.3; if (a == "" || a < c || a > 1.45 * c + 122220 * 1.93723363) {print a; exit 1}}'

# below A AXES B TIMES: in folder gpu policy A takes below TIMES as long as B.
below()
{
    check "$1 at $2 below $4 of $3" awk -v a="$(figure gpu mean_us "$1" "$2")" -v b="$3" -v k="$4" \
        'BEGIN {if (!(a > 0 && b > 0 && a < k * b)) {print a, b; exit 1}}'
}
below window 16GiB,0.25 "$cpu" 0.7
below window 16GiB,0.125 "$cpu" 0.67
check "at 52 and 104 GB/s the CPU is faster" awk -v a="$(figure gpu mean_us window 16GiB,1)" \
    -v b="$(figure gpu mean_us window 16GiB,0.5)" -v c="$cpu" \
    'BEGIN {if (!(a > 1.9 * c && b > 1.05 * c)) {print a, b, c; exit 1}}'
below demand 16GiB,0.25 "$(figure gpu mean_us lookahead-1 16GiB,0.25)" 0.82
below window 16GiB,0.5 "$(figure gpu mean_us lookahead-4 16GiB,0.5)" 0.97
check "asap takes the memory of the first gradient" \
    test "$(figure gpu verdict asap 16GiB,0.125)" = deadlock
for policy in demand lookahead-1 lookahead-4 window; do
    check "$policy: gradients wait in 8 GiB for states that then find no room" \
        test "$(figure gpu verdict $policy 8GiB,1)" = deadlock
done
check "window fits 8 GiB on a faster link" test "$(figure gpu verdict window 8GiB,0.25)" = ok

finish
