#!/bin/sh
# scenarios/moe-prefetch and scenarios/train-steady: closed forms of their times per iteration, and what their
# READMEs say.
. "$SL_SRCDIR/tests/support/tap.sh"
moe=$SL_SRCDIR/scenarios/moe-prefetch
train=$SL_SRCDIR/scenarios/train-steady

exits 0 "moe-prefetch is legal" check "$moe"
exits 0 "train-steady is legal" check "$train"

# mean FOLDER PHASE: of the rows of iterations.csv in that phase, us; "first": iteration 1.
mean()
{
    awk -F, -v phase="$2" 'NR > 1 && (phase == "first" ? $2 == 1 : $3 == phase) {sum += $4; n++}
                           END {if (n) print sum / n}' "$work/$1/iterations.csv"
}

# is WHAT FOLDER PHASE WANTED_US SHARE: within that share of it.
is()
{
    got=$(mean "$2" "$3")
    check "$1" awk -v a="$got" -v b="$4" -v share="$5" \
        'BEGIN {d = a / b - 1; if (d < 0) d = -d; if (a == "" || d > share) {print a, "not", b; exit 1}}'
}

# Nothing is kept and no guess made: in each of 8 layers the gate (80 MiB of weights at 90% of 3.35 TB/s: 27.8us), two copies one behind the other,
# each 6us and 352,321,536 B at 52 GB/s, 8us of latency, and the second expert (336 MiB, 116.9us); the first one
# computes beside the second copy.
exits 0 "every expert fetched" run "$moe" --trials 20 -o "$work/all" \
    --set guards.foreseeing.probability=0 --set guards.kept.probability=0
is "8 (27.8 + 2 x 6781.4 + 8 + 116.9) us" all warm 109724 0.01
# All is kept: 8 (27.8 + 2 x 116.9) us.
exits 0 "every expert kept" run "$moe" --trials 20 -o "$work/kept" \
    --set guards.foreseeing.probability=0 --set guards.kept.probability=1
is "8 (27.8 + 233.7) us" kept warm 2092.3 0.01
# All guesses are right: nothing is wasted.  None is: everything is.
exits 0 "right guesses" run "$moe" --trials 20 -o "$work/right" --set guards.right.probability=1
exits 0 "wrong guesses" run "$moe" --trials 20 -o "$work/wrong" --set guards.right.probability=0
rate()
{
    awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
             NR > 1 {print $at["hit_rate"], $at["wasted_bytes_per_trial"] / $at["started_per_trial"]}' \
        "$work/$1/speculation.csv"
}
check "hits of right guesses" test "$(rate right)" = "1 0"
check "hits of wrong guesses, an expert wasted each" test "$(rate wrong)" = "0 352321536"

# On a guess against on demand, the same tokens trial by trial: the mean difference over its standard error
# (Student's t, 19 degrees of freedom; beyond 3.9 once in 1000 if there were no difference), and the correlation.
exits 0 "on demand" run "$moe" --trials 20 -o "$work/demand" --set guards.foreseeing.probability=0
paired()
{
    exits 0 "recall $1" run "$moe" --trials 20 -o "$work/guess$1" --set "guards.right.probability=$1"
    paste -d, "$work/demand/trials.csv" "$work/guess$1/trials.csv" | awk -F, '
        NR == 1 {for (i = NF; i > 0; i--) if ($i == "metric_us") at[++seen] = i; next}
        {x = $at[2]; y = $at[1]; d = y - x; n++; s += d; ss += d * d
         sx += x; sy += y; sxx += x * x; syy += y * y; sxy += x * y}
        END {v = (ss - s * s / n) / (n - 1)
             r = (n * sxy - sx * sy) / sqrt((n * sxx - sx * sx) * (n * syy - sy * sy))
             print s / n / sqrt(v / n), r}' >"$work/paired$1"
}
for recall in 0.9 0.95 1; do paired $recall; done
check "right 9 times in 10 is slower" awk '{exit !($1 > 3.9 && $2 > 0.9)}' "$work/paired0.9"
check "right 19 times in 20 is slower, too" awk '{exit !($1 > 3.9 && $2 > 0.9)}' "$work/paired0.95"
check "always right is faster" awk '{exit !($1 < -3.9 && $2 > 0.9)}' "$work/paired1"

# One update after the other bounds a step: waited for, forward (8 x 14.18ms), the last layers' backward pass
# (28.36ms), its gradient out, eight updates, weights in; one step late, the eight updates alone, after a first step
# that takes the whole way.  Without other work on the host.
quiet="--trials 20 --set factors.host.draw=regime(p=0,level=1.5,dwell=3s)"
exits 0 "updates waited for" run "$train" $quiet -o "$work/waited"
is "8 x 14.181 + 28.361 + 15.573 + 8 x 56.665 + 15.573 ms" waited warm 626275 0.01
exits 0 "updates one step late" run "$train" $quiet -o "$work/late" --set edges=late.csv
is "8 x 56.665 ms" late warm 453320 0.01
is "the first step takes the whole way" late first 626275 0.02
prints "detected (MSER-5)" "the report says what was detected"
finish
