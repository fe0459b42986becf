#!/bin/sh
# sweep --race: the same answer with fewer trials, and what each cell got and why.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello

# Two capacities; at each keep deadlocks, and fetching early is 6% below recomputing and fetching late.
exits 0 "a sweep" sweep "$hello" --trials 4000 -o "$work/full"
exits 0 "the same as a race" sweep "$hello" --trials 4000 --race -o "$work/race"
prints "at hbm.capacity 4.25GiB: fetch-early wins" "names the winner"
prints "race at hbm.capacity 4.25GiB: " "and what the group spent"
prints " of 16,000 trials" "of its four cells"
prints "dropped" "who was dropped"
column()
{
    awk -F, -v f="$2" -v k="$3" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i}
        NR > 1 && $1 == f {print $c}' "$work/$1"
}
for group in 0 1; do
    for key in candidate won tied_cells; do
        check "group $group: the full sweep's $key" \
            test "$(column full/winners.csv $group $key)" = "$(column race/winners.csv $group $key)"
    done
done
check "a dropped cell has fewer trials" test "$(column race/race.csv 1 trials)" -lt 4000
check "its row has these" \
    test "$(column race/summary.csv 1 trials)" = "$(column race/race.csv 1 trials)"
check "it was dropped" test "$(column race/race.csv 1 outcome)" = dropped
check "a deadlocked one is out at the first look" test "$(column race/race.csv 0 outcome)" = out
check "with few trials" test "$(column race/race.csv 0 trials)" -lt 400
check "the winner has all" test "$(column race/race.csv 3 trials)" = 4000
check "the error of a winner's test is the rest of 0.05" \
    test "$(column race/winners.csv 0 error | cut -c1-6)" = "$(awk 'BEGIN {print substr(0.045 / 12, 1, 6)}')"
# The evidence is what the file says: lower limit above 1 / (1 - min_gain) of the leader's upper one.
check "the limits are apart" awk -F, 'NR > 1 && $4 == "dropped" && !($9 > $12) {exit 1}' "$work/race/race.csv"

# Its trials are the first ones of the full sweep.
for cell in 1 3; do
    n=$(column race/race.csv $cell trials)
    grep "^$cell," "$work/full/trials.csv" | head -n "$n" >"$work/first"
    grep "^$cell," "$work/race/trials.csv" >"$work/raced"
    check "the trials of cell $cell are the full sweep's first $n" cmp "$work/first" "$work/raced"
done
exits 0 "on one thread" sweep "$hello" --trials 4000 --race --threads 1 -o "$work/one"
for file in summary trials race winners compare slack; do
    check "the same $file.csv" cmp "$work/race/$file.csv" "$work/one/$file.csv"
done

# The pictures tell the policies that the race dropped; the settings are all alike in that.
if command -v gnuplot >/dev/null 2>&1; then
    SLACKLINE_DATA=$SL_SRCDIR
    export SLACKLINE_DATA
    exits 0 "pictures" plot "$work/race"
    for picture in axis_hbm.capacity tail_4.25GiB; do
        check "$picture says who was dropped" grep -q \
            "Not shown: keep (deadlock), recompute (dropped by the race), fetch-late (dropped by the race)<" \
            "$work/race/plots/$picture.svg"
    done
fi

# Constraints: a largest level that is broken ends a cell at its first look; a tail that is too high by the
# trials so far does not, and such a cell drops nobody.
for constraint in 'peak.hbm <= 3.5GiB' 'tail <= 100ms' 'tail <= 320ms'; do
    for how in --race --threads=2; do
        code=0
        [ "$constraint" != 'tail <= 100ms' ] || code=1 # which no cell keeps
        exits $code "$how with $constraint" sweep "$hello" --trials 4000 $how --force \
            --set "objective.constraints=[$constraint]" -o "$work/c$how"
    done
    # Not "won": whom a race drops before its tail is judged was beaten, whom a full sweep finds to
    # break the limit left the other alone.
    cut -d, -f1,4,5,7 "$work/c--race/winners.csv" >"$work/raced"
    cut -d, -f1,4,5,7 "$work/c--threads=2/winners.csv" >"$work/all"
    check "the full sweep's winners" cmp "$work/raced" "$work/all"
    case $constraint in
    peak*) check "a broken peak is out at once" test "$(column c--race/race.csv 3 outcome)" = out ;;
    *100*) check "a broken tail is judged over all trials" \
        test "$(column c--race/race.csv 3 outcome)" = all-trials ;;
    esac
done

# Too few trials for an upper limit: nobody is dropped, and that is said.
exits 0 "few trials" sweep "$hello" --trials 500 --race
prints "no cell can be dropped: an upper limit takes" "are told"

# Two policies that are the same plan run once.
mkdir "$work/twins"
cp "$hello"/*.csv "$work/twins"
sed -e 's/^  - {name: keep, .*/  - {name: twin, action: remat, select: largest}/' \
    -e '/name: fetch/d' -e '/^sweep:/d' -e '/hbm.capacity:/d' "$hello/scenario.yaml" \
    >"$work/twins/scenario.yaml"
exits 0 "twins" sweep "$work/twins" --race -o "$work/t"
prints "same plan as cell 0, which ran for both" "run once"
check "only one was simulated" test "$(column t/race.csv 1 simulated)" = 0
grep '^0,' "$work/t/trials.csv" | cut -d, -f2- >"$work/zero"
grep '^1,' "$work/t/trials.csv" | cut -d, -f2- >"$work/one.twin"
check "both have the trials" cmp "$work/zero" "$work/one.twin"
exits 0 "twins in a full sweep" sweep "$work/twins" -o "$work/tf"
check "both rows are the full sweep's" cmp "$work/t/summary.csv" "$work/tf/summary.csv"

exits 2 "a race is not resumed" sweep "$hello" --race --resume -o "$work/race"
says "--race cannot be resumed" "and says why"
exits 2 "nor is its folder by a sweep" sweep "$hello" --trials 4000 --resume -o "$work/race"
exits 2 "a first measure that is no quantile or mean" \
    sweep "$hello" --race --set 'objective.order=[peak.hbm, tail]'
says "--race cannot race on 'peak.hbm'" "is named"
exits 0 "the median first" sweep "$hello" --race --trials 2000 --set 'objective.order=[median, tail]'
prints "median at least" "is raced on"
exits 0 "the mean first" sweep "$hello" --race --trials 2000 --set 'objective.order=[mean, tail]'
prints "mean at least" "is raced on"
exits 0 "as JSON" sweep "$hello" --trials 4000 --race --json
prints '"outcome": "dropped"' "the outcome is in it"
prints '"simulated": ' "and what was spent"
finish
