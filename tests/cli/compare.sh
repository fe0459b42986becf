#!/bin/sh
# compare: paired differences of policies on common draws, against figures that the scenario gives by
# hand and against trials.csv.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello

# Two policies of constant durations on one resource: `keep` takes 10 + 5 + 5 + 10 us, `again` computes
# the activation a once more, in 10 us.  Sixty trials, all the same.
mkdir "$work/fixed"
cat >"$work/fixed/scenario.yaml" <<'YAML'
name: fixed
nodes: nodes.csv
objects: objects.csv
resources: {compute: {servers: 1}}
domains: {hbm: {capacity: 4GiB, reserve: 0B}}
objective: {metric: makespan, tail: 0.99}
policies:
  - {name: keep, action: retain}
  - {name: again, action: remat, select: list, objects: a}
trials: 60
YAML
cat >"$work/fixed/nodes.csv" <<'CSV'
node,kind,resource,duration,inputs,outputs
f,compute,compute,10us,,a
m,compute,compute,5us,a,t
g,compute,compute,5us,t,u
b,compute,compute,10us,a;u,
CSV
cat >"$work/fixed/objects.csv" <<'CSV'
object,size,home,reconstruct,equivalence
a,1GiB,hbm,f,bitwise
t,1MiB,hbm,,
u,1MiB,hbm,,
CSV
exits 0 "constants" compare --policy keep --policy again --json "$work/fixed"
# field FIGURE KEY: of the last JSON report.
field()
{
    awk -v f="\"figure\": \"$1\"" -v k="\"$2\":" 'index($0, f) {on = 1}
        on && index($0, k) {sub(/^[^:]*: /, ""); sub(/,$/, ""); print; exit}' "$work/out"
}
check "the means differ by the second computation" test "$(field 'difference of means' difference_us)" = 10
check "the medians do too" test "$(field 'difference of medians' difference_us)" = 10
check "with no interval to speak of" test "$(field 'difference of medians' lo_us)" = 10
check "equal values are not resampled" test "$(field 'difference of medians' method)" = '"limits-of-each"'
check "a median of differences" test "$(field 'median of differences' hi_us)" = 10
check "is slower" test "$(field 'median of differences' verdict)" = '"slower"'
check "p99 wants 437 trials" test "$(field 'difference of p99' least_trials)" = 437
check "and has no value" test "$(field 'difference of p99' difference_us)" = null
exits 0 "the same for people" compare --policy keep --policy again "$work/fixed"
prints "again is 10.00 us [10.00 us, 10.00 us] slower at p90" "a sentence says who is slower"
prints "needs 437 trials" "too few trials are told"
prints "again beats keep in 0% of trials" "how often it wins"
prints "slower in at least 10% of trials" "a quantile of differences is a bound on the share"
exits 0 "a single trial" compare --policy keep --policy again "$work/fixed" --trials 1
prints "2 policies on the same draws, 1 trial each" "is singular"
exits 0 "the other way round" compare --policy again --policy keep "$work/fixed"
prints "keep is 10.00 us [10.00 us, 10.00 us] faster at p90" "the first is the reference"

# Against the trials themselves: common draws, so that row i of one cell pairs with row i of the other.
exits 0 "a results folder" compare $hello -p recompute -p fetch-early -p keep -o "$work/r" --threads 1
check "trials of the three" test "$(cut -d, -f1 "$work/r/trials.csv" | sort -u | grep -c '[0-9]')" -eq 3
awk -F, 'NR > 1 && $1 == 0 {a[$2] = $3} NR > 1 && $1 == 1 {printf "%.6f\n", $3 - a[$2]}' "$work/r/trials.csv" \
    | sort -g >"$work/d"
csv()
{
    awk -F, -v p="$1" -v f="$2" -v k="$3" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i}
        $2 == p && $6 == f {print $c}' "$work/r/compare.csv"
}
near()
{
    if awk -v a="$1" -v b="$2" 'BEGIN {d = a - b; exit !(a != "" && d * d < 1e-12 * (1 + b * b))}'
    then pass "$3"; else fail "$3" "$1 is not $2"; fi
}
near "$(csv fetch-early 'median of differences' difference_us)" "$(sed -n 500p "$work/d")" \
    "the median of differences is the 500th of 1000"
near "$(csv fetch-early 'p99 of differences' difference_us)" "$(sed -n 990p "$work/d")" \
    "the p99 of differences is the 990th"
near "$(csv fetch-early 'difference of means' difference_us)" \
    "$(awk '{s += $1} END {printf "%.12g", s / NR}' "$work/d")" "the mean is the mean of differences"
near "$(csv fetch-early 'difference of means' wins_p)" \
    "$(awk '$1 < 0 {n++} END {print n / NR}' "$work/d")" "P(A beats B) is the share of trials"
for cell in 0 1; do
    awk -F, -v c=$cell 'NR > 1 && $1 == c {print $3}' "$work/r/trials.csv" | sort -g \
        | sed -n 990p >"$work/p$cell"
done
near "$(csv fetch-early 'difference of p99' difference_us)" \
    "$(paste "$work/p1" "$work/p0" | awk '{printf "%.12g", $1 - $2}')" \
    "the difference of p99 is that of the 990th values"
check "it is not resampled: ten trials lie beyond" \
    test "$(csv fetch-early 'difference of p99' method)" = limits-of-each
check "what deadlocks is infinitely slower" test "$(csv keep 'difference of p99' difference_us)" = inf
check "and has no mean" test -z "$(csv keep 'difference of means' difference_us)"
check "a comparison is whole before the folder is" grep -q '"finished": true' "$work/r/manifest.json"
check "the manifest names the policies" grep -q '"policy=fetch-early"' "$work/r/manifest.json"
prints "keep against recompute: keep deadlocks at p99" "a deadlock in words"

exits 0 "any number of threads" compare $hello -p recompute -p fetch-early -p keep -o "$work/r4" --threads 4
check "gives the same bytes" cmp "$work/r/compare.csv" "$work/r4/compare.csv"
exits 2 "a folder is not overwritten" compare $hello -p recompute -p keep -o "$work/r"
exits 0 "unless told to" run $hello -p recompute -o "$work/r" --force
check "an earlier comparison does not survive it" test ! -e "$work/r/compare.csv"

# min_gain: 20 ms of 332 are more than 5% and less than 10% of the reference.
exits 0 "a margin that is met" compare $hello -p recompute -p fetch-early --set objective.min_gain=5%
prints "faster at p99" "faster by more than it"
exits 0 "a margin that is not" compare $hello -p recompute -p fetch-early --set objective.min_gain=10%
prints "less than min_gain apart at p99" "then the two are equal for the purpose"

exits 2 "one policy" compare $hello -p recompute
says "two or more policies" "says what it wants"
exits 2 "a policy twice" compare $hello -p recompute -p recompute
says "given twice" "says so"
exits 2 "an unknown policy" compare $hello -p recompute -p fetch-erly
says "did you mean 'fetch-early'?" "with the nearest one"
exits 2 "run takes one" run $hello -p recompute -p keep
says "compare" "and points at compare"
exits 1 "a reference without a legal plan" compare $hello -p recompute -p keep \
    --set domains.hbm.capacity=0.75GiB

# A baseline that deadlocks is replaced by the fallback, in the table and in compare.csv.
exits 0 "a sweep with a fallback" sweep "$SL_SRCDIR/scenarios/hello" --trials 400 \
    --set baseline=keep --set fallback_baseline=recompute -o "$work/fallback"
check "the fallback is the baseline of both settings" \
    test "$(grep -c 'recompute .*ok (baseline)' "$work/out")" = 2
check "and nothing else is" test "$(grep -c '(baseline)' "$work/out")" = 2
check "it is what others are compared with" test "$(cut -d, -f4 "$work/fallback/compare.csv" |
    sort -u | tr '\n' ' ')" = "recompute reference "

# A p99 takes 1,000 jobs of each trial: with 600 the sentence is of p90 and says so, and the row says why.
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
exits 0 "too few jobs for the tail" compare "$SL_SRCDIR/scenarios/kv-offload" -p demand -p ahead --trials 3 \
    --set run.jobs=600 --set run.warmup=0
prints "  not at p99, the tail that is asked for: it needs 1,000 counted jobs in each trial" "is told beside the sentence"
check "and in its row" grep -q '^  difference of p99 .*needs 1,000 counted jobs in each trial  *not-given$' "$work/out"
exits 0 "enough jobs for the tail" compare "$SL_SRCDIR/scenarios/kv-offload" -p demand -p ahead --trials 3 \
    --set run.jobs=1000 --set run.warmup=0
check "give it" grep -q '^  difference of p99 .*paired-t' "$work/out"
check "and nothing is missing" sh -c "! grep -q 'asked for' '$work/out'"
finish
