#!/bin/sh
# A results folder: its files and columns, --force, --resume, interruption, and the same bytes at any
# number of threads.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello
files="summary trials chain criticality waits overlap forbidden pressure gantt edits deadlines \
    fallbacks guards slack stalls tail_chain uncertainty uncertain_figures evictions engine speculation iterations"
sweep="sweep $hello --trials 400"

exits 0 "sweep writes a folder" $sweep --threads 1 -o "$work/one"
for file in $files; do
    check "$file.csv is there" test -s "$work/one/$file.csv"
    awk -F, '{print $1}' "$work/one/$file.csv" | sed 1d | sort -n -u >"$work/cells"
    check "$file.csv is in the order of the cells" sh -c \
        "sed 1d '$work/one/$file.csv' | cut -d, -f1 | uniq | diff - '$work/cells'"
done
check "no parts are left" test ! -e "$work/one/cells"
check "the manifest says finished" grep -q '"finished": true' "$work/one/manifest.json"
hash=$(sha256sum "$hello/nodes.csv" | cut -d' ' -f1)
check "the manifest has the inputs' hashes" grep -q "$hash" "$work/one/manifest.json"
check "the manifest has scenario.yaml" grep -q '"scenario.yaml"' "$work/one/manifest.json"
# Two policies let a copy engine serve its copies in either order.
check "engine.csv says which cells have a fixed order" \
    test "$(grep -c '^[0-9]*,fixed-order,$' "$work/one/engine.csv")" = 6
check "and what stands against it" grep -q \
    "^6,events,on 'd2h' 'offload:a0' need not end before 'offload:a1' may start\$" "$work/one/engine.csv"
check "the manifest counts them" grep -q '"fixed-order": 6' "$work/one/manifest.json"
check "and the others" grep -q '"events": 2' "$work/one/manifest.json"

header=$(head -1 "$work/one/summary.csv")
stalls=
for cause in data storage ordering lifetime barrier lane release queue capacity overlap guard lag \
    arrival none drain; do
    stalls="$stalls,stall_${cause}_us"
done
wanted="cell,policy,domains.hbm.capacity,trials,deadlocked,metric,mean_us,median_us,median_lo_us,\
median_hi_us,p90_us,p95_us,p99_us,p99_lo_us,p99_hi_us,p999_us,max_us,cvar99_us,sd_us,bound_us,\
mean_lo_us,mean_hi_us,p90_lo_us,p90_hi_us,p95_lo_us,p95_hi_us,p999_lo_us,p999_hi_us,cvar99_lo_us,\
cvar99_hi_us,throughput_per_s,deadline_miss,peak_hbm_bytes,peak_pinned_bytes,staging_hbm_byte_s,\
staging_pinned_byte_s$stalls,max_wait_us,starved,hypothetical,verdict,"
case $header in
"$wanted"*) pass "the columns of summary.csv" ;;
*) fail "the columns of summary.csv" "$header" ;;
esac
check "every row has as many fields as the header" awk -F, \
    'NR == 1 {n = NF} !/"/ && NF != n {bad = 1} END {exit bad}' "$work/one/trials.csv"

# Figures that the trials themselves give: the sum of each completed trial, and the p99 of a cell.
cell=$(awk -F, '$4 == 400 && $5 == 0 {print $1; exit}' "$work/one/summary.csv")
awk -F, -v c="$cell" 'NR > 1 && $1 == c {print $3}' "$work/one/trials.csv" | sort -g \
    | sed -n '396p' >"$work/p99"
awk -F, -v c="$cell" 'NR > 1 && $1 == c {print $13}' "$work/one/summary.csv" >"$work/said"
check "p99 is the 396th of 400 trials" sh -c \
    "awk 'NR==FNR {a=\$1; next} {d=\$1-a; exit !(d*d < 1e-12*a*a)}' '$work/p99' '$work/said'"
check "busy and stalls sum to the mean" awk -F, '
    NR == 1 {for (i = 1; i <= NF; i++) {if ($i ~ /^stall_/ || $i == "busy_us") part[i] = 1
                                        if ($i == "mean_us") mean = i}
             next}
    $mean == "" || /"/ {next}
    {sum = 0; for (i in part) sum += $i
     seen = 1; if ((sum - $mean)^2 > 1e-8 * $mean^2) bad = 1}
    END {exit bad || !seen}' "$work/one/summary.csv"

check "so do they in stalls.csv, for each resource" awk -F, '
    NR == FNR {if (FNR == 1) {for (i = 1; i <= NF; i++) if ($i == "mean_us") at = i}
               else if ($at != "" && !/"/) mean[$1] = $at
               next}
    FNR > 1 {sum[$1 "," $2] += $5; share[$1 "," $2] += $6}
    END {for (k in sum) {split(k, key, ",")
                         if (!(key[1] in mean)) continue
                         seen++
                         if ((sum[k] - mean[key[1]])^2 > 1e-8 * mean[key[1]]^2) bad = 1
                         if ((share[k] - 1)^2 > 1e-18) bad = 1}
         exit bad || seen < 2}' "$work/one/summary.csv" "$work/one/stalls.csv"

check "overlap.csv attributes the overlap that it states" awk -F, '
    FNR == 1 {for (i = 1; i <= NF; i++) at[$i] = i; next}
    {seen++
     if ($at["attributed_trials"] != 400 || $at["saved_us"] == "" || NF != 11) bad = 1
     if (($at["attributed_overlap_us"] - $at["overlap_us"])^2 > 1e-18 * $at["overlap_us"]^2) bad = 1}
    END {exit bad || !seen}' "$work/one/overlap.csv"

# A lone node with a deadline: its row of deadlines.csv from the makespans in trials.csv, and negative
# windows from the same (latest start: deadline less duration; ready at 0).
mkdir "$work/due"
cat >"$work/due/scenario.yaml" <<'EOF'
name: due
nodes: nodes.csv
resources: {compute: {servers: 1}}
policies: [{name: p, action: as-given}]
trials: 900
EOF
cat >"$work/due/nodes.csv" <<'EOF'
node,kind,resource,duration,deadline
a,compute,compute,exponential(mean=100us),230us
EOF
exits 0 "a run with a deadline" run "$work/due" -o "$work/due-results"
prints "negative windows without a fallback: 1 of 1" "names windows that were negative"
# It is on the chain of all 900 trials: its share's interval is [0.025^(1/900), 1], and its mean time
# there is the mean makespan.
prints "100%  [99.6%, 100%]" "says how often a node is on the chain, with an interval"
awk -F, 'NR > 1 {s += $3} END {printf "900 1 %.6f %.6f 1\n", s / 900, exp(log(0.025) / 900)}' \
    "$work/due-results/trials.csv" >"$work/wanted"
awk -F, 'NR > 1 {printf "%d %g %.6f %.6f %g\n", $5, $6, $7, $8, $9}' \
    "$work/due-results/criticality.csv" >"$work/said"
check "criticality.csv has them" diff "$work/wanted" "$work/said"
prints "too few trials to compare: 10 of them" "names a tail of too few trials"
# Of 3,000 trials 31 are at or above the p99 order statistic; the lone node is on the chain of all, for
# the whole makespan, as is the one part, compute that waited for nothing.
exits 0 "a run with a tail" run "$work/due" --trials 3000 --json -o "$work/tail"
cp "$work/out" "$work/json"
sed 1d "$work/tail/trials.csv" | cut -d, -f3 | sort -g | tail -31 |
    awk '{s += $1} END {printf "31 124 31 124 0 %.6f\n31 124 31 124 0 %.6f\n", s / 31, s / 31}' \
        >"$work/wanted"
awk -F, 'NR > 1 {printf "%d %d %d %d %g %.6f\n", $6, $7, $8, $9, $10, $13}' \
    "$work/tail/tail_chain.csv" >"$work/said"
check "tail_chain.csv has them" diff "$work/wanted" "$work/said"
check "and what they are" sh -c "cut -d, -f2-5 '$work/tail/tail_chain.csv' | paste -sd' ' - |
    grep -qx 'what,node,kind,cause part,,compute,none node,a,compute,'"
check "JSON has the same mean" sh -c "grep '\"tail_us\"' '$work/json' | sort -u | tr -d ' ,' |
    cut -d: -f2 | awk 'NR == FNR {want = \$6; next} {seen++; d = \$1 - want; if (d * d > 1e-10) bad = 1}
    END {exit bad || seen != 1}' '$work/wanted' -"
awk -F, 'NR > 1 {t = $3 - 230; if (t > 0) {n++; sum += t; if (t > max) max = t}}
    END {printf "%d %.6f %.6f %.6f\n", n, sum / 900, sum / n, max}' "$work/due-results/trials.csv" \
    >"$work/wanted"
awk -F, 'NR > 1 {printf "%d %.6f %.6f %.6f\n", $5, $11, $14, $20}' \
    "$work/due-results/deadlines.csv" >"$work/said"
exits 0 "a sweep with a deadline" sweep "$work/due"
check "shows the share of trials that are late" awk -v n="$(cut -d' ' -f1 "$work/wanted")" '
    /late  verdict/ {seen = 1}
    seen && $2 == "p" {found = 1; if ($0 !~ sprintf("%.3g%%", n / 9)) bad = 1}
    END {exit bad || !found}' "$work/out"
check "misses and tardiness are those of the trials" diff "$work/wanted" "$work/said"
check "the window was negative in the same trials" sh -c \
    "test \$(cut -d' ' -f1 '$work/wanted') -eq \$(tail -1 '$work/due-results/slack.csv' | cut -d, -f20)"

# same FOLDER: equal to the first one, the manifest's date and command aside.
same()
{
    for file in $files winners compare; do
        cmp "$work/one/$file.csv" "$1/$file.csv" || return 1
    done
    grep -v '"date"\|"command"' "$work/one/manifest.json" >"$work/m1"
    grep -v '"date"\|"command"' "$1/manifest.json" | diff "$work/m1" -
}
exits 0 "two threads" $sweep --threads 2 -o "$work/two"
check "give the same bytes" same "$work/two"
exits 0 "another seed" $sweep --seed 2 -o "$work/seed"
check "gives other trials" sh -c "! cmp -s '$work/one/trials.csv' '$work/seed/trials.csv'"

exits 2 "an existing folder is refused" $sweep -o "$work/two"
says "exists already" "with the reason"
check "and left alone" same "$work/two"
exits 0 "--resume of a complete folder" $sweep --resume -o "$work/two"
check "changes nothing" same "$work/two"
prints "fetch-early has the lowest p99" "and prints the report"
exits 2 "--resume with another seed is refused" $sweep --seed 2 --resume -o "$work/two"
says "seed" "with the reason"
exits 2 "--resume with another --set is refused" $sweep --set domains.hbm.reserve=128MiB --resume \
    -o "$work/two"
exits 0 "--force replaces" $sweep --seed 2 --force -o "$work/two"
check "with the new bytes" cmp -s "$work/two/trials.csv" "$work/seed/trials.csv"
mkdir "$work/mine"
echo precious >"$work/mine/file"
exits 2 "--force does not replace a folder that is no results folder" $sweep --force -o "$work/mine"
check "its file stays" grep -q precious "$work/mine/file"
exits 3 "a failing --force" sweep "$hello" --set domains.hbm.capacity=4 --force -o "$work/seed"
check "leaves the old results" cmp -s "$work/two/trials.csv" "$work/seed/trials.csv"

# Interruption: many trials, and a signal as soon as the first cell is on disk.
slow="sweep $hello --trials 20000 --threads 1"
# shellcheck disable=SC2086
"$SLACKLINE" $slow -o "$work/cut" >"$work/out" 2>"$work/err" &
pid=$!
tries=0
while [ ! -e "$work/cut/cells/00001.part" ] && [ $tries -lt 3000 ] && kill -0 $pid 2>/dev/null; do
    sleep 0.01
    tries=$((tries + 1))
done
kill -TERM $pid 2>/dev/null
got=0
wait $pid || got=$?
if [ "$got" -eq 130 ]; then
    pass "SIGTERM ends a sweep with 130"
    says "--resume continues" "and says how to go on"
    check "no file is half-written" sh -c \
        "test -z \"\$(find '$work/cut' -type f ! -name '*.part' ! -name manifest.json)\""
    exits 3 "an unfinished folder is not drawn" plot "$work/cut"
    # A digit of a finished cell turns into another one: it is not taken over.
    sed '3s/[1-8]/9/' "$work/cut/cells/00000.part" >"$work/part" && mv "$work/part" "$work/cut/cells/00000.part"
    exits 0 "--resume completes it" $slow --resume -o "$work/cut"
    says "the file of cell 0 is damaged: it is run again" "a damaged cell is run again"
    exits 0 "the same without a break" $slow -o "$work/whole"
    for file in $files winners compare; do
        check "$file.csv is the same" cmp "$work/cut/$file.csv" "$work/whole/$file.csv"
    done
else
    skip "SIGTERM ends a sweep with 130" "the sweep was over before the signal (exit $got)"
fi

# A cell lost from an unfinished folder is run again.
exits 0 "run writes a folder, too" run "$hello" --trials 400 -o "$work/run"
check "of one cell" sh -c "test \$(sed 1d '$work/run/summary.csv' | wc -l) -eq 1"

# A swept value at which the given graph itself is not legal: rows with their reason, beside the others.
exits 0 "a sweep over a capacity that cannot hold the first node" sweep "$SL_SRCDIR/scenarios/hello" \
    --axis domains.hbm.capacity=4.25GiB,0.5GiB --trials 20 -o "$work/impossible"
says "domains.hbm.capacity = 0.5GiB: the graph is not legal there" "the value is named"
check "its four cells are illegal, with the reason" \
    test "$(grep -c ",0.5GiB,0,0,makespan,.*illegal.*node 'f0' needs 1.00 GiB" "$work/impossible/summary.csv")" -eq 4
check "the others ran" test "$(grep -c ',4.25GiB,20,' "$work/impossible/summary.csv")" -eq 4
exits 0 "so in a race" sweep "$SL_SRCDIR/scenarios/hello" --race \
    --axis domains.hbm.capacity=0.5GiB,4.25GiB --trials 20
exits 1 "every value impossible" sweep "$SL_SRCDIR/scenarios/hello" \
    --axis domains.hbm.capacity=0.5GiB --trials 20
says "every cell failed" "is the answer no"
finish
