#!/bin/sh
# slackline-calibrate replay on this machine: timelines that keep the plan's rules, tables, refusals.
# How long anything takes is not asserted.
. "$SL_SRCDIR/tests/support/tap.sh"
simulator=$SLACKLINE SLACKLINE=$SLACKLINE_CALIBRATE
scenario=$SL_SRCDIR/tests/fixtures/replay

# What the machine's other users do may spoil every repetition, or leave one core only.
"$SLACKLINE" replay "$scenario" -n 40 -o "$work/done" >"$work/text" 2>"$work/err"
code=$?
if [ $code -eq 4 ] && grep -q -e 'none could be judged' -e 'things at once' "$work/err"; then
    skip_all "$(sed -n 's/^slackline-calibrate replay: //p' "$work/err")"
fi
check "a replay succeeds" test $code -eq 0
for file in timeline repetitions verdict drift deviations overlaps slowdowns orders; do
    check "it writes $file.csv" test -s "$work/done/$file.csv"
done
check "it says how the makespans compare" grep -q '^median ' "$work/text"
check "it says how many repetitions there were" grep -q '^40 repetitions, ' "$work/text"
check "it says whose slowdowns are projected" grep -q 'with the slowdowns of regime near' "$work/text"
# Of the regime that is projected, where there were repetitions in it; else of the one with most, whichever the cores are in.
regime=$(awk -F, 'NR > 1 && $7 == "" { if (!n[$5]++) seen[++count] = $5 }
    END { most = seen[1]
          for (i = 2; i <= count; i++) if (n[seen[i]] > n[most]) most = seen[i]
          print n["near"] ? "near" : most }' "$work/done/repetitions.csv")
if [ -n "$regime" ]; then
    check "it judges the projected regime" grep -q "in regime $regime (judged)" "$work/text"
else
    skip "it judges the projected regime" "the sentinel told none"
fi
if [ "${regime:-near}" = near ]; then
    skip "it says that this is another one" "it is not"
else
    check "it says that this is another one" grep -q -e "--set kappa.regime=$regime" "$work/text"
fi
"$simulator" audit "$work/done/timeline.csv" --json >"$work/audit" 2>"$work/err"
check "audit reads its timelines, each repetition as a step" test "$(grep -c '"name": "repetition [0-9]*"' "$work/audit")" -eq 40
check "a row for each repetition" test "$(sed 1d "$work/done/repetitions.csv" | wc -l)" -eq 40
check "a row for each node of each" \
    test "$(sed 1d "$work/done/timeline.csv" | cut -d, -f1 | sort | uniq -c | awk '{ print $1 }' | sort -u | wc -l)" -eq 1
# Of works alone beside them, whatever became of the shots.
check "a shot alone for each repetition" \
    awk -F, 'NR > 1 { n += $13 + $14; classes += !seen[$1]++ } END { exit n != 40 || classes != 4 }' "$work/done/drift.csv"
check "it says how fast works alone are" grep -q '^compute .* 32.00 us ' "$work/text"

# Edges, lanes, one node at a time on a server, bytes in the arena: in every repetition.
cat >"$work/rules.awk" <<'AWK'
BEGIN { FS = ","; slack = 0.0015 } # rounded to ns
FNR == 1 { next }
{ r = $1; ready[$2] = $4; start[$2] = $5; end[$2] = $6; resource[$2] = $3; seen[$2] = r; n++ }
$5 < $4 - slack { print r ": " $2 " starts before it is ready"; bad++ }
$6 < $5 { print r ": " $2 " ends before it starts"; bad++ }
# The last row of a repetition is a node of the lane.
$2 == "b0" {
    before("f0 f1"); before("f1 f2"); before("f2 f3"); before("call meet"); before("meet b3")
    before("b3 b2"); before("b2 b1"); before("b1 b0")
    before("f0 offload:a0"); before("offload:a0 prefetch:a0"); before("prefetch:a0 b0")
    if (start["call"] < end["f3"] + 3 - slack) { print r ": the lag of 3 us is not kept"; bad++ }
    if (end["call"] - start["call"] < 5 - slack) { print r ": the delay of 5 us is not kept"; bad++ }
    # Three activations of 256 KiB fit: the fourth is written when the first has left.
    before("offload:a0 f3")
}
function before(pair, name) {
    split(pair, name, " ")
    if (!(name[1] in seen) || !(name[2] in seen)) { print r ": no " pair; bad++ }
    else if (start[name[2]] < end[name[1]] - slack) { print r ": " name[2] " starts before the end of " name[1]; bad++ }
}
END { exit bad > 0 || n == 0 }
AWK
check "every repetition keeps the plan's rules" awk -f "$work/rules.awk" "$work/done/timeline.csv"
check "the order is that of the lane" grep -q '^compute,8,1,0$' "$work/done/orders.csv"

# ... so that compare --measured takes it for this plan, and not for another policy's.
check "it says what was replayed" grep -q '^replay,offload,cpu,[0-9a-f]\{16\},' "$work/done/replay.csv"
cp -R "$work/done" "$work/recompute"
sed -i '2s/,offload,/,recompute,/' "$work/recompute/replay.csv"
"$simulator" compare "$scenario" -p offload -p recompute --measured "$work/done" \
    --measured "$work/recompute" >"$work/out" 2>"$work/err"
check "the plan of another policy is not this one's" test $? -eq 3
says "recompute/replay.csv:2:22: error: policy 'recompute' has another plan now" "whose plan it is not"
check "the folder is that of its own" sh -c "! grep -q \"policy 'offload'\" '$work/err'"

exits 2 "a folder that holds a replay is kept" replay "$scenario" -n 2 -o "$work/done"
says "not empty" "a folder that holds a replay: why"
exits 2 "an unknown policy" replay "$scenario" -p ofload
says "did you mean 'offload'?" "an unknown policy: the nearest one"
exits 3 "copies that leave while running" replay "$scenario" -p evict
says "copies leave while it runs" "copies that leave while running: why not"
exits 2 "a backend that executes nothing" replay "$scenario" --backend cpus
exits 4 "more servers than cores" replay "$scenario" --set resources.compute.servers=1000
says "at once" "more servers than cores: how many"
exits 3 "a class that nothing executes" replay "$SL_SRCDIR/scenarios/hello"
says "no class 'gemm'" "a class that nothing executes: which"
exits 1 "a plan that is illegal" replay "$SL_SRCDIR/scenarios/hello" -p keep
exits 3 "no scenario" replay "$work/none"
exits 2 "no repetitions" replay "$scenario" -n 0
cp -R "$scenario" "$work/other" && chmod -R u+w "$work/other"
printf '# cpu=Abacus\n# identity=cpu\n' | cat - "$scenario/device/durations.csv" >"$work/other/device/durations.csv"
exits 2 "a device of another machine" replay "$work/other" -n 2
says "their cpu is 'Abacus'" "a device of another machine: which"
# executes WHAT TEXT ARGUMENTS...: replay succeeds and prints the text, if a repetition can be judged.
executes()
{
    what=$1 text=$2
    shift 2
    if "$SLACKLINE" replay "$@" >"$work/out" 2>"$work/err"; then
        prints "$text" "$what"
    elif grep -q 'none could be judged' "$work/err"; then
        skip "$what" "the machine is too busy"
    else
        fail "$what" "$(cat "$work/err")"
    fi
}
executes "... accepted by name" 'median ' "$work/other" -n 40 --accept 'cores;cpu'
executes "the other regime" 'with the slowdowns of regime far' "$scenario" -n 40 --set kappa.regime=far

# Ctrl-C keeps what is done.  Background jobs of a shell ignore the interrupt; SIGTERM is the same wish.
"$SLACKLINE" replay "$scenario" -n 1000000 -o "$work/stopped" >"$work/text" 2>"$work/err" &
pid=$!
for _ in $(seq 300); do # until some repetitions are written
    [ -n "$(find "$work/stopped" -name 'timeline*' -size +0 2>"$work/found")" ] && break
    sleep 0.1
done
kill -TERM $pid
wait $pid
check "an interrupted replay exits 130" test $? -eq 130
check "... keeps its timelines" test -s "$work/stopped/timeline.csv"
check "... whole" awk -f "$work/rules.awk" "$work/stopped/timeline.csv"
check "... and says how far it came" grep -q 'interrupted after' "$work/err"
finish
