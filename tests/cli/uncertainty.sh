#!/bin/sh
# Draws of the calibration: the band beside the nominal tail, shares of wins, files, resume.
. "$SL_SRCDIR/tests/support/tap.sh"

# Early: b runs beside a, whose kappa is 2 in [1.5, 3]: a ends at 800 - 400 / kappa, f 600 us later.
# Late: c goes first, a ends at 400, b at 800, g 450 us later: 1250 us.  Early wins where
# 1400 - 400 / kappa < 1250, that is kappa < 8/3: P = Phi(1.96 ln(4/3) / ln(3/2)) = 0.918.
mkdir "$work/u"
cat >"$work/u/scenario.yaml" <<'END'
name: u
nodes: nodes.csv
edges: edges.csv
resources: {compute: {servers: 1, group: g}, link: {servers: 1, group: g}, other: {servers: 1}}
kappa: {table: kappa.csv, unknown_kappa: 1}
run: {uncertainty: sample, outer: 400}
objective: {tail: 0.99, order: [tail]}
policies: [{name: early, action: as-given}, {name: late, action: as-given, dispatch: priority}]
baseline: early
trials: 368
seed: 1
END
cat >"$work/u/nodes.csv" <<'END'
node,kind,class,resource,duration,priority,evidence
a,compute,x,compute,400us,0,assumed: by hand
f,compute,w,compute,600us,0,assumed: by hand
b,compute,y,link,400us,0,assumed: by hand
c,compute,z,link,400us,1,assumed: by hand
g,compute,w,other,450us,0,assumed: by hand
END
printf 'from,to,type\na,f,data-ready\nb,g,data-ready\n' >"$work/u/edges.csv"
printf 'victim,set,kappa,ci_lo,ci_hi\nx,y,2,1.5,3\ny,x,1,,\n' >"$work/u/kappa.csv"

column()
{
    awk -F, -v k="$2" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == k) c = i} NR > 1 {print $c}' "$1"
}

exits 0 "a sweep with draws" sweep "$work/u" --threads 1 -o "$work/r"
says "400 calibration draws x 368 trials x 2 cells = 294,400 trials, beside 736 as calibrated" \
    "tells its cost before it starts"
prints "over 400 draws of the calibration" "a table of bands and shares"
prints "early has the lowest p99 as calibrated; it is below every other cell in" "what the lead is worth"
prints "not varied in early: durations written out: 5 nodes; kappa without an interval: y beside x" \
    "names what was not varied"

# Shares recounted from the draws, and within 5 standard errors (a false alarm of 6e-7) of 0.918.
awk -F, 'NR > 1 {t[$1, $2] = $3} END {for (d = 0; d < 400; d++) n += t[0, d] < t[1, d]; print n}' \
    "$work/r/uncertainty.csv" >"$work/recount"
check "wins are those of the draws" \
    test "$(column "$work/r/win_shares.csv" wins | head -1)" = "$(cat "$work/recount")"
check "and as many as the threshold says" awk 'NR == 1 {exit !($1 > 339 && $1 < 395)}' "$work/recount"
check "shares sum to one" sh -c "awk -F, 'NR > 1 {s += \$8} END {exit s < 0.999999 || s > 1.000001}' \
    '$work/r/win_shares.csv'"
check "late takes what it takes in every draw" test "$(awk -F, '$1 == 1 {print $3}' \
    "$work/r/uncertainty.csv" | sort -u)" = 1250
check "the normals of a draw are the same for both" sh -c "awk -F, '\$1 == 0' '$work/r/uncertainty.csv' |
    cut -d, -f7 >'$work/n0'; awk -F, '\$1 == 1' '$work/r/uncertainty.csv' | cut -d, -f7 |
    cmp - '$work/n0'"
check "the manifest has the draws" grep -q '"outer_draws": 400' "$work/r/manifest.json"
check "the trials of each" grep -q '"inner_trials": 368' "$work/r/manifest.json"
check "and the law" grep -q '"law": "two-piece lognormal' "$work/r/manifest.json"

# Nominal columns are those of a sweep without draws.
exits 0 "without draws" sweep "$work/u" --set run.uncertainty=none -o "$work/n"
says "run.outer changes nothing without run.uncertainty: sample" "run.outer alone is warned about"
nominal=$(head -1 "$work/n/summary.csv" | tr , '\n' | grep -n '^outer_draws$' | cut -d: -f1)
for dir in r n; do
    cut -d, -f1-$((nominal - 1)) "$work/$dir/summary.csv" >"$work/$dir.nominal"
done
check "nominal figures stay" cmp "$work/r.nominal" "$work/n.nominal"
check "nothing is in win_shares.csv" test ! -e "$work/n/win_shares.csv"

# Without an interval there is nothing to draw.
mkdir "$work/exact"
cp "$work/u"/* "$work/exact"
printf 'victim,set,kappa\nx,y,2\ny,x,1\n' >"$work/exact/kappa.csv"
exits 0 "figures without intervals" sweep "$work/exact" -o "$work/e"
says "nothing to sample, and no calibration draw is run" "have no draws, which is told"
check "and none are run" sh -c "! grep -q 'calibration draws' '$work/err' &&
    test \"\$(wc -l <'$work/e/uncertainty.csv')\" -le 1"

# The same bytes at any number of threads, and from a folder that is resumed.
exits 0 "on three threads" sweep "$work/u" --threads 3 -o "$work/t"
for file in summary uncertainty uncertain_figures win_shares; do
    check "$file.csv is the same" cmp "$work/r/$file.csv" "$work/t/$file.csv"
done
exits 0 "resumed" sweep "$work/u" --resume -o "$work/r"
prints "over 400 draws of the calibration" "tells of its draws again"
sed -i '/^1,399,/d' "$work/t/uncertainty.csv"
exits 4 "a folder that lacks a draw" sweep "$work/u" --resume -o "$work/t"
says "the calibration draws of cell 1 cannot be read" "is told"

exits 0 "a sweep as JSON" sweep "$work/u" --json
check "JSON has the shares" sh -c "tr -d ' \\n' <'$work/out' | grep -q '\"win_shares\":.*\"lead_share\":'"
exits 2 "a race" sweep "$work/u" --race
says "--race and run.uncertainty: sample exclude each other" "is refused by name"

# The picture says who leads and how often it wins.
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
if command -v gnuplot >/dev/null 2>&1; then
    exits 0 "plot" plot "$work/r"
    prints "/plots/band_all.png" "draws the bands"
    share=$(column "$work/r/win_shares.csv" share | head -1 | awk '{printf "%.3g", 100 * $1}')
    check "the title has the share" grep -q \
        "early has the lowest p99 as calibrated and in $share% of 400 calibrations" \
        "$work/r/plots/band_all.svg"
else
    skip "the picture of the bands" "gnuplot is not installed"
fi

# compare: the share of draws is that of the sweep.
exits 0 "compare" compare "$work/u" -p late -p early -o "$work/c"
check "has the sweep's share of wins" test "$(column "$work/c/compare.csv" draw_wins_p | head -1)" = \
    "$(column "$work/r/win_shares.csv" share | head -1)"
exits 0 "compare in words" compare "$work/u" -p late -p early
prints "its p99 is the lower one in" "says how many draws"
check "so has compare.csv of the sweep" test \
    "$(column "$work/r/compare.csv" draw_wins_p | head -1)" = \
    "$(column "$work/r/win_shares.csv" share | tail -1)"

# run: one policy; bad numbers of draws.
exits 0 "run" run "$work/u"
prints "400 draws of the calibration, 368 trials each; inner sampling noise is 0%" "tells the band"
prints "kappa of x" "and what it follows"
exits 0 "run --json" run "$work/u" --json
prints '"inner_trials": 368' "has the band"
exits 3 "too few draws" run "$work/u" --set run.outer=99
says "write a whole number from 100 to 100000" "says how many are allowed"
exits 2 "more draws than trials have numbers" run "$work/u" --set run.outer=100000 --trials 90000000
says "take fewer trials or a lower run.outer" "are refused before anything runs"
exits 0 "a policy that meets no uncertain figure" run "$work/u" --set 'kappa={unknown_kappa: 1}'
says "run.uncertainty has nothing to sample, and no calibration draw is run: no duration and no kappa has an interval" "is warned about"
finish
