#!/bin/sh
# compare --measured: ranks and agreement of replays made by hand, against figures worked out by hand;
# and folders that are broken, or of something else.
. "$SL_SRCDIR/tests/support/tap.sh"

# Constant durations: `keep` and `same` take 10 + 5 + 5 + 10 us, `again` computes a once more in 10 us.
mkdir "$work/fixed"
cat >"$work/fixed/scenario.yaml" <<'YAML'
name: fixed
nodes: nodes.csv
objects: objects.csv
resources: {compute: {servers: 1}}
domains: {hbm: {capacity: 4GiB, reserve: 0B}}
objective: {metric: makespan, tail: 0.9}
policies:
  - {name: keep, action: retain}
  - {name: again, action: remat, select: list, objects: a}
  - {name: same, action: retain}
trials: 100
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

# identity DIR POLICY PLAN JUDGED [SCENARIO]
identity()
{
    printf 'scenario,policy,backend,plan,regime,repetitions,judged\n%s,%s,cpu,%s,near,%s,%s\n' \
        "${5:-fixed}" "$2" "$3" $(($4 + 3)) "$4" >"$1/replay.csv"
}
# replay DIR POLICY BASE [JUDGED]: makespans BASE + 0.01 i us, i = 1 ... JUDGED (100); and three more
# that don't count: one of another regime, two rejected.
replay()
{
    mkdir -p "$1"
    identity "$1" "$2" "$(plan "$2")" "${4:-100}"
    awk -v base="$3" -v n="${4:-100}" 'BEGIN {
        print "repetition,makespan_us,sentinel_before_ns,sentinel_after_ns,regime,preemptions,reject_reason"
        print "1,900,40,40,far,0,"
        print "2,900,40,40,near,3,preempted"
        print "3,900,40,90,near,0,sentinel"
        for (i = n; i > 0; i--) printf "%d,%.3f,40,40,near,0,\n", n + 4 - i, base + 0.01 * i
    }' >"$1/repetitions.csv"
}
plan() { cat "$work/plan-$1" 2>/dev/null || echo 0000000000000000; }

# Whose plan is which: the refusal of another one names it.
for policy in keep again; do
    replay "$work/x" $policy 1
    replay "$work/y" same 1
    exits 3 "a replay of another plan of $policy" compare "$work/fixed" -p $policy -p same \
        --measured "$work/x" --measured "$work/y"
    says "/x/replay.csv:2:$((12 + ${#policy})): error: policy '$policy' has another plan now" "$policy: where it says so"
    sed -n 's/.*plan now (\([0-9a-f]*\)).*/\1/p' "$work/err" >"$work/plan-$policy"
done
cp "$work/plan-keep" "$work/plan-same"

# keep: p90 is the 90th of 100, 30.9; its 95% limits are the 84th and the 96th (P(B < 84) = 0.0206,
# P(B >= 96) = 0.0237 of a binomial of 100 at 0.9).  Each limit of a difference has half of the error:
# the 83rd (0.0100) and the 97th (0.0078), so that again - keep is 20 us from 50.83 - 30.97 to
# 50.97 - 30.83.
replay "$work/keep" keep 30
replay "$work/again" again 50
exits 0 "two policies" compare "$work/fixed" -p keep -p again --measured "$work/again" \
    --measured "$work/keep" -o "$work/r"
prints "the same order in 1 of 1 pair that both tell apart (of 1); Kendall's tau-b 1" "they agree"
prints "keep (100 of 103 repetitions on cpu judged)" "which repetitions count"
prints "unpaired" "repetitions are not pairs"
# field FILE POLICY COLUMN
field()
{
    awk -F, -v p="$2" -v k="$3" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i}
        $1 == p {print $c}' "$1"
}
near()
{
    if awk -v a="$1" -v b="$2" 'BEGIN {d = a - b; exit !(a != "" && d * d < 1e-18)}'
    then pass "$3"; else fail "$3" "$1 is not $2"; fi
}
near "$(field "$work/r/measured.csv" keep measured_p90_us)" 30.9 "the measured p90"
near "$(field "$work/r/measured.csv" keep measured_p90_lo_us)" 30.84 "its lower limit"
near "$(field "$work/r/measured.csv" keep measured_p90_hi_us)" 30.96 "its upper limit"
near "$(field "$work/r/measured.csv" keep measured_median_us)" 30.5 "the measured median"
check "p99 takes more repetitions" test -z "$(field "$work/r/measured.csv" keep measured_p99_us)"
near "$(field "$work/r/measured.csv" again projected_p90_us)" 40 "the projected p90"
check "ranks" test "$(field "$work/r/measured.csv" again projected_rank),$(
    field "$work/r/measured.csv" again measured_rank),$(field "$work/r/measured.csv" keep measured_rank)" = 2,2,1
pairs=$work/r/measured_pairs.csv
near "$(field "$pairs" again measured_difference_us)" 20 "the measured difference"
near "$(field "$pairs" again measured_difference_lo_us)" 19.86 "its lower limit"
near "$(field "$pairs" again measured_difference_hi_us)" 20.14 "its upper limit"
near "$(field "$pairs" again projected_difference_us)" 10 "the projected difference"
check "the outcome" test "$(field "$pairs" again outcome)" = same
check "every row is as wide as its header" awk -F, 'FNR == 1 {n = NF} NF != n {exit 1}' \
    "$work/r/measured.csv" "$pairs"
exits 0 "an earlier measurement does not survive --force" run "$work/fixed" -p keep -o "$work/r" --force
check "it is gone" test ! -e "$work/r/measured.csv" -a ! -e "$pairs"

# Three: the projection can't tell same from keep.  Of the three pairs both tell two apart, alike:
# tau-b = 2 / sqrt(2 x 3) = 0.816.
replay "$work/same" same 35
exits 0 "three policies" compare "$work/fixed" -p keep -p again -p same --measured "$work/keep" \
    --measured "$work/again" --measured "$work/same" --json
check "JSON: pairs" grep -q '"both_tell": 2,' "$work/out"
check "JSON: concordant" grep -q '"concordant": 2,' "$work/out"
check "JSON: tau-b" grep -q '"tau_b": 0.81649658092772' "$work/out"
check "JSON: what is open" grep -q '"outcome": "measurement-only"' "$work/out"
exits 0 "for people" compare "$work/fixed" -p keep -p again -p same --measured "$work/keep" \
    --measured "$work/again" --measured "$work/same"
prints "projection does not tell same from keep" "the pair is named"
prints "the same order in 2 of 2 pairs that both tell apart (of 3); Kendall's tau-b 0.816" "the others agree"
# again (32) is below same: one pair of two is the other way round, 1 - 1 = 0.
replay "$work/low" again 32
exits 0 "opposite orders" compare "$work/fixed" -p keep -p again -p same --measured "$work/keep" \
    --measured "$work/low" --measured "$work/same"
prints "opposite orders: same is faster as projected, again as measured" "the pair is named"
prints "the same order in 1 of 2 pairs that both tell apart (of 3); Kendall's tau-b 0" "one agrees"

# 30.83 to 30.97 and 30.93 to 31.07 overlap.
replay "$work/close" again 30.1
exits 0 "too close" compare "$work/fixed" -p keep -p again --measured "$work/keep" --measured "$work/close"
prints "measurement does not tell again from keep" "it is said"
prints "no pair of 1 is told apart by both" "there is no agreement to speak of"
exits 0 "more than min_gain is asked" compare "$work/fixed" -p keep -p again --measured "$work/keep" \
    --measured "$work/again" --set objective.min_gain=50%
prints "projection does not tell again from keep" "10 of 30 us are less than 50%"
# 0.9^n <= 0.0125 from 42 on.
replay "$work/few" again 50 41
exits 0 "too few repetitions" compare "$work/fixed" -p keep -p again --measured "$work/keep" --measured "$work/few"
prints "measurement does not tell again from keep; again has 41 judged repetitions, a difference of p90 takes 42" "how many it takes"
# Means: 30.505 and 50.505.
exits 0 "the mean" compare "$work/fixed" -p keep -p again --measured "$work/keep" --measured "$work/again" \
    --set 'objective.order=[mean]' -o "$work/mean"
near "$(field "$work/mean/measured_pairs.csv" again measured_difference_us)" 20 "the difference of means"
near "$(field "$work/mean/measured.csv" keep measured_ranked_us)" 30.505 "the mean"
prints "rank by mean" "what ranks"

replay "$work/far" again 50
sed -i '2s/,near,/,far,/' "$work/far/replay.csv"
sed -i 's/,near,/,noon,/; s/,far,/,near,/; s/,noon,/,far,/' "$work/far/repetitions.csv"
exits 0 "replays of two regimes" compare "$work/fixed" -p keep -p again --measured "$work/keep" --measured "$work/far"
says "far/replay.csv:2:7: warning: this replay was judged in regime 'far', that of '$work/keep' in 'near'" "are told"

# refused CODE WHAT TEXT ARGUMENTS...
refused()
{
    code=$1 what=$2 text=$3
    shift 3
    exits "$code" "$what" compare "$work/fixed" -p keep -p again -o "$work/none" "$@"
    says "$text" "$what: why"
    check "$what: nothing is written" test ! -e "$work/none"
}
keep="--measured $work/keep"
refused 2 "no folder for a policy" "no --measured folder is of policy 'again'" $keep
refused 3 "no folder" "is not the folder of a finished replay" $keep --measured "$work/nowhere"
refused 3 "a policy that is not compared" "same/replay.csv:2:7: error: this replay is of policy 'same'" \
    $keep --measured "$work/same"
refused 3 "a policy twice" "was measured in" $keep $keep
# broken WHAT TEXT: the folder $work/broken beside keep's.
broken()
{
    refused 3 "$1" "$2" $keep --measured "$work/broken"
    replay "$work/broken" again 50
}
replay "$work/broken" again 50
identity "$work/broken" again "$(plan again)" 100 other
broken "another scenario" "broken/replay.csv:2:1: error: this replay is of scenario 'other', not 'fixed'"
sed -i "2s/,cpu,/,c$(printf '\033')pu,/" "$work/broken/replay.csv"
broken "a control character" "replay.csv:2:13: error: "
sed -i '2s/,cpu,/,cuda,/' "$work/broken/replay.csv"
broken "another backend" "broken/replay.csv:2:7: error: this replay is of backend 'cuda', that of '$work/keep' is of 'cpu'"
identity "$work/broken" again 12 100
broken "no digest" "replay.csv:2:17: error: plan: '12' is no digest"
identity "$work/broken" again "$(plan again)" 0
broken "no judged repetition" "replay.csv:2:"
identity "$work/broken" again "$(plan again)" 99
broken "fewer repetitions than were done" "repetitions.csv:1:1: error: 103 repetitions, but replay.csv counts 102"
sed -i '2s/,far,/,near,/' "$work/broken/repetitions.csv"
broken "other repetitions than were judged" "101 judged repetitions in regime near, but replay.csv counts 100"
sed -i '7s/,50[0-9.]*,/,soon,/' "$work/broken/repetitions.csv"
broken "a makespan that is none" "repetitions.csv:7:"
sed -i '1s/makespan_us/makespan/' "$work/broken/repetitions.csv"
broken "a column that is missing" "makespan_us"
rm "$work/broken/repetitions.csv"
broken "a file that is missing" "repetitions.csv"
sed 1d "$work/broken/replay.csv" >>"$work/broken/replay.csv"
broken "two rows" "replay.csv:3:1: error: a replay has one row, not 2"
finish
