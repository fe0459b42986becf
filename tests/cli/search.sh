#!/bin/sh
# search: the same at any number of threads, a winner that can be run by itself, and what ends it.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
hello=$SL_SRCDIR/scenarios/hello
tight="--set domains.hbm.capacity=3.25GiB"

# One activation fewer fits than in the scenario as it is, where fetching early is already best.
exits 0 "a search" search "$hello" $tight --evaluations 200 --search-trials 128 -o "$work/a"
prints "hello: search, 200 plans made" "how many plans it made"
prints "draws that the search did not use" "and that its figures are anew"
prints "lower bound on the p99 of every plan" "the bound"
prints "no plan is shown to have a lower one" "which the plan reaches"
check "so that no more is promised" test -z "$(grep 'may find better' "$work/out")"
exits 0 "on three threads" search "$hello" $tight --evaluations 200 --search-trials 128 --threads 3 -o "$work/b"
for file in search.csv summary.csv trials.csv compare.csv choices.csv policy.yaml; do
    check "the same $file" cmp "$work/a/$file" "$work/b/$file"
done
check "a line per plan" test "$(wc -l <"$work/a/search.csv")" = 201
check "losers get few trials" awk -F, '$4 == "dropped" && $7 > 32 {bad = 1} $4 == "dropped" {n++}
    END {exit bad || n == 0}' "$work/a/search.csv"

# The winner as a policy of the scenario is the plan that won: the same trials.
copy()
{
    mkdir "$work/$1" && cp "$hello"/* "$work/$1" && cp "$2/choices.csv" "$work/$1" &&
        awk -v more="$2/policy.yaml" '{print} /^policies:/ {while ((getline line < more) > 0)
            if (line !~ /^#/) print "  " line}' "$hello/scenario.yaml" >"$work/$1/scenario.yaml"
}
check "it can be put into the scenario" copy found "$work/a"
exits 0 "it is legal there" check "$work/found"
exits 0 "it runs" run "$work/found" $tight --policy found -o "$work/r"
grep '^0,' "$work/a/trials.csv" >"$work/searched"
grep '^0,' "$work/r/trials.csv" >"$work/run"
check "with the trials that won" cmp "$work/searched" "$work/run"
exits 0 "it can be explained" explain "$work/found" $tight --policy found --trials 50

# A sweep over both says the same as the search: the plan that it found ties with the best policy.
exits 0 "a sweep" sweep "$work/found"
check "has no winner" grep -q "3.25GiB: found has.*no winner: it ties with fetch-early in p99 and median" "$work/out"
exits 0 "a search again" search "$hello" $tight --evaluations 200 --search-trials 128
prints "no winner: found is not shown to be better than fetch-early: ties in p99 and median" "nor has the search"
check "and it calls none so" test -z "$(grep '^found *winner' "$work/out")"
# Fetching early takes 20 of 320 ms less than computing again: what is found over that alone is shown to be better, but not by a fifth.
mkdir "$work/one" && cp "$hello"/* "$work/one" &&
    grep -v "name: keep,\|name: fetch" "$hello/scenario.yaml" >"$work/one/scenario.yaml"
exits 0 "from a bad policy alone" search "$work/one" $tight --evaluations 60 --search-trials 64
check "there is a winner" grep -q "^found *winner" "$work/out"
prints "winner: found is shown to be better than recompute: lower in p99" "which is said in a sentence"
exits 0 "where a fifth is asked for" search "$work/one" $tight --evaluations 60 --search-trials 64 \
    --set objective.min_gain=20%
prints "no winner: found is not shown to be better than recompute by 20% (min_gain): ties in p99 and median; recompute needs no table" \
    "it is no winner, and by how much it is not"
# What breaks a constraint is no winner, nor a runner-up.
sed 's/order: .tail, median./&, constraints: ["tail <= 1ms"]/' "$hello/scenario.yaml" >"$work/limit.yaml"
mkdir "$work/limit" && cp "$hello"/* "$work/limit" && cp "$work/limit.yaml" "$work/limit/scenario.yaml"
exits 1 "a constraint that nothing keeps" search "$work/limit" --evaluations 30 --search-trials 32
prints "the best so far, does not keep the constraints" "the best so far is told"
check "and no winner" test -z "$(grep 'runner-up\|^winner' "$work/out")"

# What is called found is found: a policy's own plan keeps its name.
exits 0 "a search that finds nothing" search "$hello" --evaluations 4 --search-trials 64 -o "$work/own"
check "the table of a policy's plan" grep -q 'name: "fetch-early-table"' "$work/own/policy.yaml"

# An old plan to begin with: no answer is worse than it.
exits 0 "a warm start" search "$hello" $tight --evaluations 20 --search-trials 128 --start "$work/a/policy.yaml" -o "$work/w"
check "is among the starts" grep -q "^5,start,found,run" "$work/w/search.csv"
exits 0 "on a faster link" search "$hello" $tight --set routes.1.bandwidth=100GB/s --evaluations 20 \
    --search-trials 128 --start "$work/a/policy.yaml" --start "$work/a/ordered.yaml" -o "$work/f"
check "the old plan in its order is a start" grep -q "^6,start,found-ordered,run" "$work/f/search.csv"
column()
{
    awk -F, -v k="$2" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i} NR == 2 {print $c}' "$1"
}
check "and not lost" awk -v old="$(column "$work/a/summary.csv" p99_us)" \
    -v new="$(column "$work/w/summary.csv" p99_us)" 'BEGIN {exit !(new <= old * 1.01)}'
check "nor on the faster link" awk -v old="$(column "$work/a/summary.csv" p99_us)" \
    -v new="$(column "$work/f/summary.csv" p99_us)" 'BEGIN {exit !(new <= old * 1.01)}'

# A start that cannot be planned is a fault at its line, or named.
start()
{
    printf '%s\n' '- {name: old, action: retain, choices: old.csv}' >"$work/old.yaml"
    { echo object,gap,action,prefetch,node,priority,after,release && printf '%b\n' "$1"; } >"$work/old.csv"
}
start ',,,,nope,1,,'
exits 3 "a start with a node that is not there" search "$hello" --start "$work/old.yaml" --evaluations 8
says "old.csv:2:5: error: policy 'old': choices: the plan has no node 'nope'" "at its line"
start 'a0,2,retain,,,,,'
exits 3 "a start with a gap that is not there" search "$hello" --start "$work/old.yaml" --evaluations 8
says "old.csv:2:1: error: " "at its line"
start ',,,,f0,,f1,'
exits 0 "a start with a cycle" search "$hello" --start "$work/old.yaml" --evaluations 8 --search-trials 16 --trials 20 --json
says "policy 'old' has no legal plan to begin with: precedence cycle" "is named"
check "in JSON, too" grep -q '"policy": *"old"' "$work/out"

# Without another place for them, 2^4 choices over each of four policies' rules.
mkdir "$work/small" && cp "$hello"/* "$work/small" &&
    sed 's/hbm;pinned/hbm/' "$hello/objects.csv" >"$work/small/objects.csv"
exits 0 "a small space" search "$work/small"
prints "all 64 plans of this space were tried" "is tried whole"

# The bound is one where objects have to arrive, too: no trial of any plan is below it.
exits 0 "weights that arrive" search "$SL_SRCDIR/scenarios/weight-stream" --evaluations 30 --search-trials 8 --trials 60 --json
number()
{
    sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" "$work/out" | head -1
}
check "the bound is below the winner" awk -v bound="$(number bound_median_us)" \
    -v found="$(sed -n '/"median"/,/value/s/.*"value[a-z_]*": *\([0-9.]*\).*/\1/p' "$work/out" | head -1)" \
    'BEGIN {exit !(bound > 0 && bound <= found)}'

# What is asked of the last estimates is told: the width, the bound of the first measure, differences.
exits 0 "until a width" search "$hello" --evaluations 20 --search-trials 32 --trials 500 --until p99:0.2%
prints "until p99:0.2%" "which width was asked for"
prints "NOT reached" "and that it was not reached"
exits 0 "other measures" search "$hello" $tight --evaluations 60 --search-trials 32 --trials 100 --set 'objective.order=[mean, peak.hbm]'
prints "lower bound on the mean of every plan" "the bound is the first measure's"
check "the mean's difference has an interval" grep -q "^  *mean .*\] .*\[.*\]" "$work/out"
exits 0 "too few trials" search "$hello" $tight --evaluations 20 --search-trials 32 --trials 100
prints "no lower bound on the p99: too few trials" "for a bound, too"
exits 0 "a measure that is no time" search "$hello" --evaluations 20 --search-trials 32 --trials 100 --set 'objective.order=[peak.hbm]'
check "has no bound" test "$(grep -c bound "$work/out")" = 0
check "but a difference" grep -q "peak.hbm .*GiB .*B$" "$work/out"
mkdir "$work/given" && cp "$hello"/* "$work/given" &&
    sed '/^policies:/,/name: fetch-early/d; /^baseline/d' "$hello/scenario.yaml" >"$work/given/scenario.yaml"
"$SLACKLINE" search "$work/given" --evaluations 8 --trials 20 >"$work/out" 2>"$work/err"
prints "nothing to search: every policy leaves its objects to the graph" "as-given is no space"

# Classes without measured contention make a plan hypothetical.
mkdir "$work/unknown" && cp "$hello"/* "$work/unknown" &&
    { sed 's/{servers: 1}/{servers: 1, group: g}/' "$hello/scenario.yaml"; echo 'kappa: {table: kappa.csv}'; } >"$work/unknown/scenario.yaml" &&
    printf 'victim,set,kappa\ngemm,copy.h2d,1.3\n' >"$work/unknown/kappa.csv"
"$SLACKLINE" search "$work/unknown" --evaluations 20 --search-trials 32 --trials 50 >"$work/out" 2>"$work/err"
prints "is hypothetical: classes without measured contention ran together" "is told"
"$SLACKLINE" search "$work/unknown" --evaluations 20 --search-trials 32 --trials 50 --json >"$work/out" 2>"$work/err"
check "in JSON, too" grep -q '"hypothetical": *true' "$work/out"

# A budget of time is told in plans, which give the same again.
exits 0 "a budget" search "$hello" $tight --budget 300ms --search-trials 64 -o "$work/t"
made=$(($(wc -l <"$work/t/search.csv") - 1))
exits 0 "so many plans" search "$hello" $tight --evaluations $made --search-trials 64 -o "$work/n"
check "the same again" cmp "$work/t/search.csv" "$work/n/search.csv"
check "to the winner" cmp "$work/t/choices.csv" "$work/n/choices.csv"

# However short, the policies' plans are made; and what comes of it is not said to come again.
exits 0 "hardly any time" search "$hello" --budget 1ns --threads 1
prints "search, 4 plans made" "makes the policies' plans"
prints "some of them were judged by few" "which is said"
check "and no more" test -z "$(grep 'gives the same again' "$work/out")"

# An interrupt ends it with the best so far.
"$SLACKLINE" search "$hello" $tight --evaluations 100000000 -o "$work/i" >"$work/out" 2>"$work/err" &
pid=$!
sleep 1
kill -INT $pid
wait $pid
check "an interrupt exits 130" test $? = 130
check "and is told" grep -q "interrupted: the best so far is told" "$work/err"
check "with the report" grep -q "^lower bound on the p99" "$work/out"
check "which another run need not give" test -z "$(grep 'gives the same again' "$work/out")"
for file in summary.csv search.csv choices.csv manifest.json; do
    check "$file is written" test -s "$work/i/$file"
done

# No order: the set of plans that no other covers.
mkdir "$work/set" && cp "$hello"/* "$work/set" &&
    sed 's/, order: .tail, median.//' "$hello/scenario.yaml" >"$work/set/scenario.yaml"
exits 0 "without an order" search "$work/set" --evaluations 200 --search-trials 32
prints "of the Pareto set" "the Pareto set is the answer"
prints "3.00 GiB" "with the peaks"
exits 0 "as JSON" search "$work/set" --evaluations 40 --search-trials 32 --json

# The last estimates go on after an interrupt, and say so.
"$SLACKLINE" search "$hello" --evaluations 4 --search-trials 8 --trials 2000000 >"$work/out" 2>"$work/err" &
pid=$!
sleep 1
kill -INT $pid
sleep 1
kill -INT $pid
wait $pid 2>/dev/null
check "a second one ends them" test $? = 130
check "an interrupt in the last estimates" grep -q "interrupted: the plans so far get their last estimates" "$work/err"

exits 2 "no plans" search "$hello" --evaluations 0
exits 2 "no time" search "$hello" --budget 0s
exits 2 "a time without a unit" search "$hello" --budget 60
exits 3 "a file that is not there" search "$hello" --start "$work/nothing.yaml"
exits 3 "a policy of the scenario's name" search "$work/found" --start "$work/a/policy.yaml"
says "policy 'found' is already defined" "says which"
exits 2 "an existing folder" search "$hello" -o "$work/a"
# The plans that were found are drawn beside the policies.
if command -v gnuplot >/dev/null 2>&1; then
    exits 0 "pictures" plot "$work/a"
    check "show what was found" grep -q ">found<" "$work/a/plots/tail_all.svg"
    check "and the best policy" grep -q ">fetch-early<" "$work/a/plots/tail_all.svg"
else
    skip "pictures of what was found" "gnuplot is not installed"
fi

finish
