#!/bin/sh
# sweep --map: who wins where, and the boundary against its closed form.
. "$SL_SRCDIR/tests/support/tap.sh"
. "$SL_SRCDIR/tests/support/break_even.sh"

# Without noise recomputation costs R = 60 ms, and moving z x 4 GiB out and back at b x 52 GB/s
# max(0, 2 z V / (b B) - s S) with S = 80 ms: equal at b = 2 z V / (B (R + s S)).
still_scenario 150

# column FILE NAME: its number in a CSV file.
column()
{
    head -1 "$1" | tr ',' '\n' | grep -nxF "$2" | cut -d: -f1
}
# farthest DIR AXIS TOLERANCE: break-evens along the bandwidth that are further than the tolerance,
# relative, from the closed form; AXIS (scale.size.saved, scale.slack.saved) is z or s.
farthest()
{
    f=$work/$1/boundary.csv
    awk -F, -v along="$(column "$f" along)" -v at="$(column "$f" at)" -v other="$(column "$f" "$2")" \
        -v axis="$2" -v tolerance="$3" -v kind="$(column "$f" kind)" '
        $along == "scale.bandwidth.*" && $kind == "crossing" {
            z = axis == "scale.size.saved" ? $other : 1
            s = axis == "scale.slack.saved" ? $other : 1
            b = 2 * z * 4 * 2 ^ 30 / (52e9 * (0.06 + s * 0.08))
            n++
            if ($at / b - 1 > tolerance || b / $at - 1 > tolerance) bad++
        }
        END {print n + 0, bad + 0}' "$f"
}

# row TEXT WHAT: the last output contains the text, however its columns are spaced.
row()
{
    check "$2" sh -c "tr -s ' ' <'$work/out' | grep -qF '$1'"
}

exits 0 "a map" sweep "$still" --map --refine 8 -o "$work/size"
prints "   1  recompute  recompute  recompute  offload  offload" "who wins a row of points"
prints "0.25  keep       keep~      keep~      keep~    keep~" "ties are marked"
check "both break-evens are where the closed form has them" test "$(farthest size scale.size.saved 1e-5)" = "2 0"
row "recompute | offload scale.bandwidth.* at scale.size.saved 1 [1.18, 1.18] 1.18 " "and told"
row "[0.5, 1] - one of the two does not run at both" "feasibility is no break-even"
exits 0 "unrefined" sweep "$still" --map -o "$work/coarse"
check "they are right to the grid" test "$(farthest coarse scale.size.saved 0.06)" = "2 0"
# At z = 1 the closed form is 1.18 and a straight line from 1 to 2 gives 1.24, without any noise.
row "scale.bandwidth.* at scale.size.saved 1 [1, 2] 1.24 [1.24, 1.24]" "the range holds it, the estimate's noise does not"
prints "is not the interpolation error" "which is said"
exits 0 "over slack" sweep "$still" --map --refine 8 --axis 'scale.bandwidth.*=0.5,1,2,4' \
    --axis 'scale.slack.saved=0.25,1,2,4' -o "$work/slack"
check "the same closed form" test "$(farthest slack scale.slack.saved 1e-5)" = "3 0"
# And solved for the other axis: s = (2 V / (b B) - R) / S at b = 1.
row "recompute | offload scale.slack.saved at scale.bandwidth.* 1 [1.31, 1.32] 1.31 " "along either axis" # 1.3149
exits 0 "absolute values" sweep "$still" --map --refine 8 --axis 'routes.*.bandwidth=26GB/s,52GB/s,104GB/s' \
    --axis 'scale.slack.saved=1,2'
row "routes.*.bandwidth at scale.slack.saved 1 [61.3 GB/s, 61.5 GB/s] 61.4 GB/s" "have their unit" # 1.17994 x 52
exits 0 "a third axis" sweep "$still" --map --axis 'scale.bandwidth.*=1,2' --axis 'scale.slack.saved=1,2' \
    --axis 'domains.hbm.capacity=8GiB,12GiB' -o "$work/three"
prints "(up), at hbm.capacity 8GiB" "gives a map"
prints "(up), at hbm.capacity 12GiB" "for each of its values"
exits 0 "as JSON" sweep "$still" --map --json
prints '"along": "scale.bandwidth.*"' "with the boundary"

# With noise: the same at any number of threads, and as a race.
exits 0 "noise" sweep "$scenario" --map --trials 200 --threads 1 --refine 2 -o "$work/one"
exits 0 "three threads" sweep "$scenario" --map --trials 200 --threads 3 --refine 2 -o "$work/many"
for file in map boundary; do
    check "give the same $file.csv" cmp "$work/one/$file.csv" "$work/many/$file.csv"
done
exits 0 "a race" sweep "$scenario" --map --race --trials 200 --refine 2 -o "$work/race"
check "has the same break-evens" cmp "$work/one/boundary.csv" "$work/race/boundary.csv"
simulated=$(awk -F, -v c="$(column "$work/race/race.csv" simulated)" 'NR > 1 {s += $c} END {print s}' "$work/race/race.csv")
check "with fewer trials ($simulated)" test "$simulated" -lt 9000
exits 0 "without a map" sweep "$scenario" --trials 100 --axis 'scale.size.saved=0.5' -o "$work/race" --force
check "its files go" sh -c "test ! -e '$work/race/map.csv' && test ! -e '$work/race/boundary.csv'"
if command -v gnuplot >/dev/null; then
    exits 0 "plot" plot "$work/size"
    check "draws the map" test -s "$work/size/plots/map.svg"
    check "whose title says what it shows" grep -q 'break even' "$work/size/plots/map.svg"
    check "and of how many points" grep -q 'Of 20 points,' "$work/size/plots/map.svg"
    check "ties are ties" sh -c "grep -q '>tie<' '$work/size/plots/map.svg' && ! grep -q '>not compared<' '$work/size/plots/map.svg'"
    exits 0 "of too few trials" sweep "$SL_SRCDIR/scenarios/hello" --map --trials 500 --axis 'domains.hbm.capacity=3.25GiB,4.25GiB' \
        --axis 'scale.bandwidth.*=0.5,1' -o "$work/few"
    exits 0 "drawn" plot "$work/few"
    check "says so" grep -q 'Of 4 points, 4 were not compared' "$work/few/plots/map.svg"
    exits 0 "of three axes" plot "$work/three"
    check "a picture each" test "$(find "$work/three/plots" -name 'map_*.png' | wc -l)" -eq 2
else
    skip "plot" "no gnuplot"
fi

# What cannot be mapped.
exits 2 "one axis" sweep "$scenario" --map --axis 'scale.size.saved=1,2'
says "--map needs two axes that are not a policy's, and there is one" "is told"
exits 2 "a measure that is no time" sweep "$scenario" --map --set 'objective.order=[peak.hbm]'
says "objective.order begins with 'peak.hbm'" "is told"
exits 3 "the same value twice" sweep "$scenario" --map --axis 'scale.size.saved=1,1.0' --axis 'trials=1,2'
says "has 1 and 1.0" "is told"
exits 2 "an axis twice" sweep "$scenario" --axis 'trials=1' --axis 'trials=2'
says "--axis trials is given twice" "is told"
exits 2 "no values" sweep "$scenario" --axis trials
says "expected KEY=VALUE,VALUE,..." "is told"
exits 3 "an unknown axis" sweep "$scenario" --axis 'trails=1'
says "sweep: nothing is called 'trails'" "is told"
exits 2 "--refine alone" sweep "$scenario" --refine 2
says "--refine is about the boundaries of --map" "is told"
finish
