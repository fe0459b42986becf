#!/bin/sh
# compare --robustness: how far a figure may drift before another policy leads, by closed forms.
. "$SL_SRCDIR/tests/support/tap.sh"
. "$SL_SRCDIR/tests/support/break_even.sh"

# Without noise recomputation costs R = 60 ms and offload 2 T - S, with T = 4 GiB / 52 GB/s = 82.5955 ms
# each way and S = 80 ms, half of it for each copy.
still_scenario 60

# field KIND NAME DIRECTION COLUMN of robustness.csv; off VALUE EXPECTED: whether they differ by 1e-5.
field()
{
    awk -F, -v k="$1" -v n="$2" -v d="$3" -v c="$4" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == c) at = i}
        $1 == k && $2 == n && $4 == d {print $at}' "$work/r/robustness.csv"
}
is_near()
{
    awk -v a="$1" -v b="$2" 'BEGIN {exit !(a / b < 1 + 1e-5 && b / a < 1 + 1e-5)}'
}

exits 0 "a robustness" compare "$still" -p recompute -p offload --robustness 2 -o "$work/r"
prints "before recompute no longer has the lowest p90 (plans kept)" "says of whom, and that plans are kept"
# All durations times g: 60 g = 2 T - 80 g.
check "a class flips where the closed form has it" is_near "$(field class gemm up flip_factor)" 1.1799360703
check "to the other policy" test "$(field class gemm up to)" = offload
check "and not the other way" test "$(field class gemm down state)" = no-flip
# One copy times f: 60 = (f T - 40) + (T - 40), as long as the other copy is not hidden.
check "so does a route" is_near "$(field route 'hbm->pinned' down flip_factor)" 0.6950070858
check "either of them" is_near "$(field route 'pinned->hbm' down flip_factor)" 0.6950070858
check "longer changes nothing of it" test "$(field route 'pinned->hbm' up state)" = no-flip
prints "time of class gemm" "is printed"
prints "no flip to x0.5" "with what was looked at"

# Copies out are slowed by kernels: 40 ms beside them hide 40 / k. At 65 GB/s T = 66.0764 ms, and
# offload costs (T - 40 / k) + (T - 40), which is 60 at k = 40 / (2 T - 100) = 1.244.
slowed=$work/slowed
cp -r "$still" "$slowed"
sed 's/compute: {servers: 1}/compute: {servers: 1, group: gpu0}/; s/d2h: {servers: 1}/d2h: {servers: 1, group: gpu0}/
    s/52GB\/s/65GB\/s/; s/^objective:/kappa: {table: kappa.csv, rule: additive}\nobjective:/' \
    "$still/scenario.yaml" >"$slowed/scenario.yaml"
printf 'victim,set,kappa\ngemm,copy.d2h,1\ncopy.d2h,gemm,1.1\n' >"$slowed/kappa.csv"
exits 0 "of contention" compare "$slowed" -p recompute -p offload --robustness 2 -o "$work/r" --force
check "kappa flips where the closed form has it" \
    is_near "$(field kappa 'copy.d2h beside gemm' up flip_value)" 1.2440580724
check "back to recomputation" test "$(field kappa 'copy.d2h beside gemm' up to)" = recompute
check "a kappa of 1 is at its limit" test "$(field kappa 'gemm beside copy.d2h' down state)" = at-limit

exits 0 "plans made again" compare "$still" -p recompute -p offload --robustness 1.2 --replan
prints "(plans made again)" "are named"
exits 0 "as JSON" compare "$still" -p recompute -p offload --robustness 1.2 --json
prints '"leader": "recompute"' "with the leader"
# With noise: the same at any number of threads, and a band around the flip.
exits 0 "with noise" compare "$scenario" -p recompute -p offload --robustness 1.5 --threads 1 -o "$work/r" --force
cp "$work/r/robustness.csv" "$work/one.csv"
check "the flip is in its band" awk -v a="$(field class gemm up near_factor)" -v b="$(field class gemm up flip_factor)" \
    -v c="$(field class gemm up far_factor)" 'BEGIN {exit !(1 < a && a < b && b < c)}'
exits 0 "three threads" compare "$scenario" -p recompute -p offload --robustness 1.5 --threads 3 -o "$work/r" --force
check "give the same bytes" cmp "$work/one.csv" "$work/r/robustness.csv"
if command -v gnuplot >/dev/null; then
    rm -f "$work"/r/plots/*
    exits 0 "plot" plot "$work/r"
    check "draws it" grep -q 'recompute leads until the time of class gemm is x1' "$work/r/plots/robustness.svg"
else
    skip "plot" "no gnuplot"
fi
exits 0 "without" compare "$scenario" -p recompute -p offload --trials 50 -o "$work/r" --force
check "its file goes" test ! -e "$work/r/robustness.csv"

exits 2 "a policy alone" compare "$still" -p keep -p offload --robustness 2
says "fewer than two of these have a figure" "is not compared"
exits 2 "too few trials" compare "$still" -p recompute -p offload --robustness 2 --trials 5
says "or too few trials" "are told"
exits 2 "no range" compare "$still" -p recompute -p offload --robustness 1
says "write a factor above 1" "is told how"
exits 2 "--replan alone" compare "$still" -p recompute -p offload --replan
says "--replan is about --robustness" "is told"
exits 2 "with --until" compare "$still" -p recompute -p offload --robustness 2 --until mean:1%
says "exclude each other" "is refused"
finish
