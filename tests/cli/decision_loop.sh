#!/bin/sh
# From a hypothesis to an accepted or rejected decision, by commands alone: on a machine that is
# written down, where the outcome is known, and on this one, where it is what the gate's evidence says.
. "$SL_SRCDIR/tests/support/tap.sh"
simulator=$SLACKLINE calibrate=$SLACKLINE_CALIBRATE

# step WHAT CODE COMMAND...: its exit status; output in $work/out and err.
step()
{
    what=$1 wanted=$2
    shift 2
    got=0
    "$@" >"$work/out" 2>"$work/err" || got=$?
    if [ "$got" -eq "$wanted" ]; then pass "$what"; else
        fail "$what" "exit $got, not $wanted: $(tail -n 5 "$work/err" "$work/out")"
    fi
}
status() { sed -n 's/^status: //p' "$1/decision.yaml"; }
# gone RECORD: the statuses of its history, in a line.
gone() { awk '/^history:/ { on = 1 } on && $1 == "to:" { printf "%s%s", n++ ? " " : "", $2 } END { print "" }' "$1/decision.yaml"; }
# outcomes RECORD WORD: how many conditions of the gate have it.
outcomes() { awk -v w="$2" '/^gate:/ { on = 1 } /^workflow:/ { on = 0 } on && $1 == "outcome:" && $2 == w { n++ } END { print n + 0 }' "$1/decision.yaml"; }
# outcome RECORD CONDITION
outcome() { awk -v c="$2" '/^gate:/ { on = 1 } /^workflow:/ { on = 0 } on && $2 == "condition:" { now = $3 } on && $1 == "outcome:" && now == c { print $2 }' "$1/decision.yaml"; }

# ---- a machine that is written down ------------------------------------------------------------
cp -R "$SL_SRCDIR/tests/fixtures/loop" "$work/loop" && chmod -R u+w "$work/loop"
scenario=$work/loop machine=$work/loop/machine.yaml
step "calibrate" 0 "$calibrate" measure --backend script --script "$machine" -o "$scenario/device" \
    --cases 'alone:*;pair:*;control:*'
step "sweep" 0 "$simulator" sweep "$scenario" -o "$work/out.loop"
step "decide: something is not known yet" 1 "$simulator" decide "$work/out.loop" --within 1
check "a policy is selected" test "$(gone "$work/out.loop")" = "hypothesis policy-selected"
cp -R "$work/out.loop" "$work/selected"
# measured RECORD MACHINE: replays of the policy and the baseline there, put into the record.
measured()
{
    for policy in ahead again; do
        step "replay of $policy" 0 "$calibrate" replay "$scenario" -p $policy -b script --script "$2" -n 60 \
            -o "$1.$policy"
    done
    "$simulator" decide "$1" --measured "$1.ahead" --measured-baseline "$1.again" >"$work/out" 2>"$work/err"
}
# Without a runtime's answer a measurement is kept, and the status stays.
measured "$work/selected" "$machine"
check "no runtime has answered: exit 1" test $? -eq 1
check "... and the status stays" test "$(status "$work/selected")" = policy-selected
check "... which is said" grep -q "'slackline feasibility' comes before" "$work/out"

check "... and the history has it" test "$(gone "$work/selected")" = "hypothesis policy-selected policy-selected"
check "... with what it changed" grep -q '60 repetitions measured; changed: ' "$work/selected/decision.yaml"

# Two commands on one record: the second is refused, and nothing that is reported is lost.
cp "$work/out.loop/decision.yaml" "$work/before.yaml"
if command -v flock >/dev/null; then
    echo "process 7 on elsewhere" >"$work/out.loop/decision.running"
    step "while another process writes: feasibility" 4 flock "$work/out.loop" "$simulator" feasibility "$work/out.loop/decision.yaml" --mapping cuda
    check "... which is named" grep -q "another run is writing into '$work/out.loop': process 7 on elsewhere" "$work/err"
    step "... decide" 4 flock "$work/out.loop" "$simulator" decide "$work/out.loop" --within 1
    step "... decide --measured" 4 flock "$work/out.loop" "$simulator" decide "$work/out.loop" --measured "$work/selected.ahead"
    check "... and the record stays" cmp -s "$work/before.yaml" "$work/out.loop/decision.yaml"
else
    skip "while another process writes" "there is no flock(1)"
fi
cp -R "$work/out.loop" "$work/both"
"$simulator" feasibility "$work/both/decision.yaml" --mapping cuda >"$work/out.1" 2>&1 &
first=$!
"$simulator" decide "$work/both" --measured "$work/selected.ahead" >"$work/out.2" 2>&1
second=$?
wait $first
first=$?
held=$(grep -c '^mechanism:' "$work/both/decision.yaml") measured=$(grep -c '^measured:' "$work/both/decision.yaml")
check "two at once ($first and $second): each is in the record or refused" \
    test "$((first == 4)) $((second == 4))" = "$((held == 0)) $((measured == 0))"
check "... and leaves no name" test ! -e "$work/both/decision.running"

step "feasibility" 0 "$simulator" feasibility "$work/out.loop/decision.yaml" --mapping cuda
check "a runtime says yes" test "$(status "$work/out.loop")" = runtime-feasible
cp -R "$work/out.loop" "$work/later"
cp "$work/out.loop/decision.yaml" "$work/feasible.yaml"
measured "$work/out.loop" "$machine"
check "as modelled: exit 0" test $? -eq 0
# The same without the baseline's replay first: the target is open, and the second measurement is an entry of its own.
cp -R "$work/later" "$work/twice"
step "measured without a baseline" 1 "$simulator" decide "$work/twice" --measured "$work/out.loop.ahead"
sed -n '/^history:/,$p' "$work/twice/decision.yaml" >"$work/once"
step "measured again beside it" 0 "$simulator" decide "$work/twice" --measured "$work/out.loop.ahead" --measured-baseline "$work/out.loop.again"
check "... is measured twice" test "$(gone "$work/twice")" = \
    "hypothesis policy-selected runtime-feasible measured measured accepted"
check "... and the first stays" test "$(sed -n '/^history:/,$p' "$work/twice/decision.yaml" | head -n "$(wc -l <"$work/once")")" = "$(cat "$work/once")"
check "... it is accepted, step by step" test "$(gone "$work/out.loop")" = \
    "hypothesis policy-selected runtime-feasible measured accepted"
check "... with ten conditions" test "$(outcomes "$work/out.loop" pass)" -eq 10
step "an accepted decision is closed" 1 "$simulator" decide "$work/out.loop" --measured "$work/out.loop.ahead"
check "... which is said" grep -q 'accepted already' "$work/err"
step "compared with the one before: the same decision" 0 "$simulator" decide "$work/out.loop" \
    --compare "$work/feasible.yaml"
check "... measured since" grep -q '^contention  *unknown  *pass' "$work/out"
step "it is reproduced" 0 "$simulator" reproduce "$work/out.loop"
check "... to the last digit" grep -q '^reproduced: [1-9][0-9]* figures are equal to the last digit' "$work/out"
check "... all three columns" test "$(grep -c '^\(projected\|runtime-feasible\|measured\): equal$' "$work/out")" = 3
step "as JSON" 0 "$simulator" reproduce "$work/out.loop" --json
check "... likewise" test "$(grep -c '"\(projected\|runtime-feasible\|measured\)": "equal"' "$work/out")" = 3

# Copies that are in the way of products twice as long, of which the model knows 1.2: the gain is gone,
# and contention is not the model's.
sed 's/set: copy, kappa: 1.2/set: copy, kappa: 2.4/' "$machine" >"$work/later.yaml"
measured "$work/later" "$work/later.yaml"
check "not as modelled: exit 1" test $? -eq 1
check "... it is rejected" test "$(status "$work/later")" = rejected
check "... for its contention" test "$(outcome "$work/later" contention)" = fail
check "... and its target" test "$(outcome "$work/later" target)" = fail
step "compared with the accepted one: another decision" 1 "$simulator" decide "$work/later" \
    --compare "$work/out.loop"

# Of an audit's JSON only the times of steps are known: no action of it is missing, and nothing of the plan is confirmed.  Steps
# of 37.01 to 37.21 ms against those 3 ms longer: the medians are the 11th of 21, their intervals the 6th and the 16th.
cp "$work/feasible.yaml" "$work/audited.yaml"
audit_json() { awk -v base="$1" 'BEGIN { printf "{\"trace\": \"t.json\", \"importer\": \"kineto\", \"steps\": ["
    for (i = 1; i <= 21; i++) printf "%s{\"time_ns\": %d}", (i > 1 ? ", " : ""), base + 10000 * i
    print "]}" }'; }
audit_json 37000000 >"$work/audit.json" && audit_json 40000000 >"$work/base.json"
step "measured by an audit's JSON" 1 "$simulator" decide "$work/audited.yaml" --measured "$work/audit.json" --measured-baseline "$work/base.json"
check "... its median" grep -q '^  median: {value: 37110, lo: 37060, hi: 37160}$' "$work/audited.yaml"
check "... less the baseline's" grep -q '^  median_difference: {value: -3000, lo: ' "$work/audited.yaml"
check "... in which no action is missing" grep -q '^  missing: \[\]$' "$work/audited.yaml"
check "... so that it rejects nothing" test "$(sed -n 's/^status: //p' "$work/audited.yaml")" = measured
check "... and leaves the actions open" grep -q '^actions  *unknown  *no measured action was told by name' "$work/out"
sed 's/"time_ns": 37100000/"time_ns": "soon"/' "$work/audit.json" >"$work/soon.json"
step "a time that is none" 3 "$simulator" decide "$work/audited.yaml" --measured "$work/soon.json"

# Where fetching ahead only harms, the decision is to keep the baseline: no alternative beats it, and it is measured to do what it
# was held against them with.
cp -R "$SL_SRCDIR/tests/fixtures/loop" "$work/harm" && chmod -R u+w "$work/harm"
step "copies that harm: calibrated" 0 "$calibrate" measure --backend script --script "$work/later.yaml" -o "$work/harm/device" \
    --cases 'alone:*;pair:*;control:*'
step "... swept" 0 "$simulator" sweep "$work/harm" -o "$work/out.harm"
step "... the baseline wins" 1 "$simulator" decide "$work/out.harm" --within 1
check "... and is to be kept" grep -q "^Keep the baseline 'again': nothing speaks against it" "$work/out"
step "... by a runtime, too" 0 "$simulator" feasibility "$work/out.harm/decision.yaml" --mapping cuda
step "... replayed" 0 "$calibrate" replay "$work/harm" -p again -b script --script "$work/later.yaml" -n 60 -o "$work/harm.again"
step "... measured" 0 "$simulator" decide "$work/out.harm" --measured "$work/harm.again"
check "... accepted, by ten conditions" test "$(status "$work/out.harm") $(outcomes "$work/out.harm" pass)" = "accepted 10"
check "... says what would beat it" grep -q "^- a p90 of 'ahead', measured end to end, below .*: it beats the baseline" "$work/out.harm/decision.md"
check "... falls back on the other" grep -q '^Fallback: ahead, at +' "$work/out.harm/decision.md"
check "... for what was rejected" grep -q 'the baseline is kept, and none of 1 alternatives beats it: 1 slower' "$work/out.harm/decision.md"

# Too few repetitions of the baseline: of a difference of p90s each p90 has half of the error, 0.9^n at most 0.0125: 42.
cp "$work/feasible.yaml" "$work/few.yaml"
step "30 repetitions of the baseline" 0 "$calibrate" replay "$scenario" -p again -b script --script "$machine" -n 30 -o "$work/few"
step "... beside 60 of the policy" 1 "$simulator" decide "$work/few.yaml" --measured "$work/out.loop.ahead" --measured-baseline "$work/few"
check "... are too few, and how many it takes is said" \
    grep -q '^bounds  *unknown  *the measured tail is not compared: 30 repetitions of the baseline are too few, p90s take 42 of each ' "$work/out"
check "... nothing is accepted" test "$(sed -n 's/^status: //p' "$work/few.yaml")" = measured
# Of a replay that judged nothing there are the repetitions alone.
mkdir "$work/none" && cp "$work/few/timeline.csv" "$work/none"
sed '2,$s/,0,,,/,9,preempted,,/' "$work/few/repetitions.csv" >"$work/none/repetitions.csv"
step "a replay of which nothing was judged" 3 "$simulator" decide "$work/few.yaml" --measured "$work/none"
check "... is told, with the reason" grep -q "none' holds a replay of 30 repetitions of which none was judged (preempted: 30)" "$work/err"
cp "$work/few/repetitions.csv" "$work/none"
step "one that did not end" 3 "$simulator" decide "$work/few.yaml" --measured "$work/none"
check "... is told as such" grep -q "none' holds a replay that did not end: 30 repetitions, and no replay.csv" "$work/err"
# The speeds of works alone beside the replay, by which the projection is judged, are an input, too.
check "the speeds beside the replay are an input" grep -q 'path: .*out.loop.ahead/drift.csv$' "$work/out.loop/decision.yaml"

# Another plan's replay, a scenario that has changed, and broken options.
step "a replay of another plan is refused" 3 "$simulator" decide "$work/feasible.yaml" \
    --measured "$work/later.again"
check "... which is said" grep -q "this replay is of plan [0-9a-f]* (policy 'again')" "$work/err"
SLACKLINE=$simulator
exits 2 "two things at once" decide "$work/out.loop" --measured x --compare y
exits 2 "a tolerance without a measurement" decide "$work/out.loop" --tolerance 5%
exits 2 "a tolerance of nothing" decide "$work/feasible.yaml" --measured x --tolerance 0
exits 2 "another device without one" decide "$work/out.loop" --rebase
exits 3 "no such device" decide "$work/out.loop" --rebase --device "$work/none"

# ---- another device ----------------------------------------------------------------------------
cp -R "$scenario/device" "$work/slow"
sed -i 's/bandwidth: 1GB/bandwidth: 0.5GB/' "$work/slow/device.yaml"
step "on a device with slower copies" 1 "$simulator" decide "$work/out.loop" --rebase --device "$work/slow"
check "... the choice flips" grep -q "'again' is to be chosen instead of 'ahead'" "$work/out"
check "... for the copy out" grep -q '^route arena->store .* turns it round by itself' "$work/out"
step "on the same device" 0 "$simulator" decide "$work/out.loop" --rebase --device "$scenario/device" --json
check "... it is kept" grep -q '"outcome": "kept"' "$work/out"
step "a search there" 1 "$simulator" decide "$work/out.loop" --rebase --device "$work/slow" --budget 2s
check "... that finds nothing better is told" grep -q '^none of [1-9][0-9]* plans that were searched there is better than' "$work/out"
# Without a policy that makes a.0 again only the search has that plan: six products of 36 MB in all and one of 4 MB once more
# at 1 GB/s take 40 ms on either device.
cp -R "$scenario" "$work/blind"
sed -i -e 's/^baseline: again/baseline: late/' -e 's/{name: again, .*/{name: late, action: offload, select: list, objects: a.0, prefetch: {when: demand}}/' \
    "$work/blind/scenario.yaml"
step "without a policy that recomputes" 1 "$simulator" decide "$work/blind" -p ahead --within 1 -o "$work/out.blind"
step "... none of the others is better on slow copies" 0 "$simulator" decide "$work/out.blind" --rebase --device "$work/slow"
step "... the search finds one" 1 "$simulator" decide "$work/out.blind" --rebase --device "$work/slow" --budget 2s
check "... to be chosen" grep -q "'searched' is to be chosen instead of 'ahead'" "$work/out"
check "... at 40 ms on both" grep -q '^searched  *40\.0[0-9] ms  *40\.0[0-9] ms .* feasible$' "$work/out"

# ---- what changes is found ---------------------------------------------------------------------
sed -i 's/^trials: 400/trials: 401/' "$scenario/scenario.yaml"
step "a changed input is not reproduced" 1 "$simulator" reproduce "$work/out.loop"
check "... and named" grep -q '^scenario scenario.yaml: has changed' "$work/out"
sed -i 's/^trials: 401/trials: 400/' "$scenario/scenario.yaml"
# forged WHAT SED KEY COLUMN SECTION: a figure of the record is another one.
forged()
{
    rm -rf "$work/forged" && cp -R "$work/out.loop" "$work/forged"
    sed -i "$2" "$work/forged/decision.yaml"
    check "$1: forged" test "$(diff "$work/out.loop/decision.yaml" "$work/forged/decision.yaml" | grep -c '^>')" -ge 1
    step "... is refused" 3 "$simulator" reproduce "$work/forged"
    check "... with its section" grep -q "section '$5' is not what was sealed at" "$work/err"
    step "... whoever makes all seals anew" 0 "$SL_BUILDDIR/tests/support/reseal" "$work/forged/decision.yaml"
    step "... is found out by running it again" 1 "$simulator" reproduce "$work/forged"
    check "... and named" grep -q "^not reproduced: $3 is " "$work/out"
    check "... with its column" test -z "$4" -o "$(sed -n 's/: differs$//p' "$work/out")" = "$4"
}
forged "a projected figure" '/^projected:/,/^runtime_feasible:/s/^\( *worst: \).*/\11/' projected.worst projected projected
forged "a feasible one" '/^runtime_feasible:/,/^measured:/s/^\( *worst: \).*/\11/' runtime_feasible.worst runtime-feasible runtime_feasible
forged "a measured one" '/^measured:/,/^mechanism:/s/^\( *worst: \).*/\11/' measured.worst measured measured
forged "a measured slowdown" '/^measurement:/,/^proofs:/s/^\( *measured_overlap_us: \).*/\11/' \
    'measurement.contention.1..measured_overlap_us' measured measurement
forged "a wish" '/^mechanism:/,/^measurement:/s/^\( *realizable: \)yes/\1no/' 'mechanism.mappings.*realizable' runtime-feasible mechanism
forged "an outcome of the gate" '/^gate:/,/^workflow:/s/^\( *evidence: \).*peak.*/\1none/' 'gate.[0-9]*..evidence' "" gate
# A measurement that is gone, or another one: the rest is made again, and it is named.
mv "$work/out.loop.ahead/timeline.csv" "$work/timeline"
step "without its measurement it is not reproduced" 1 "$simulator" reproduce "$work/out.loop"
check "... the file is named" grep -q '^measurement .*out.loop.ahead/timeline.csv: is no longer there$' "$work/out"
check "... the column, too" grep -q '^measured: not made again: an input has changed$' "$work/out"
check "... and the others are" test "$(grep -c '^\(projected\|runtime-feasible\): equal$' "$work/out")" = 2
(cat "$work/timeline"; tail -n 1 "$work/timeline") >"$work/out.loop.ahead/timeline.csv"
step "nor with another one" 1 "$simulator" reproduce "$work/out.loop"
check "... which is named" grep -q '^measurement .*out.loop.ahead/timeline.csv: has changed$' "$work/out"
check "... with its hash" grep -q "^  $(sha256sum <"$work/out.loop.ahead/timeline.csv" | cut -d ' ' -f 1) now$" "$work/out"
mv "$work/timeline" "$work/out.loop.ahead/timeline.csv"
# All of it elsewhere: files are found by what they hold.
mkdir "$work/elsewhere" && cp -R "$scenario" "$work/out.loop" "$work/out.loop.ahead" "$work/out.loop.again" "$work/elsewhere"
mv "$scenario" "$work/away" && mv "$work/out.loop.ahead" "$work/away.ahead"
step "what moved together is reproduced" 0 "$simulator" reproduce "$work/elsewhere/out.loop"
mv "$work/away" "$scenario" && mv "$work/away.ahead" "$work/out.loop.ahead"

# ---- this machine ------------------------------------------------------------------------------
# A sixteenth of the size of the scenario in the README, so that a repetition takes a millisecond or
# two and gets through on a machine that others use.
cp -R "$SL_SRCDIR/scenarios/cpu-loop/activations" "$work/here" && chmod -R u+w "$work/here"
sed -i -e 's/bytes=8MiB/bytes=512KiB/; s/bytes=16MiB/bytes=1MiB/' "$work/here/nodes.csv"
sed -i 's/4MiB/256KiB/' "$work/here/objects.csv"
sed -i -e 's/26MiB/1664KiB/; s/tail: 0.99/tail: 0.9/' -e "s|^device: .*/models|device: $SL_SRCDIR/models|" \
    "$work/here/scenario.yaml"
if sanitized; then
    skip "this machine" "sanitizers take the time that is measured"
    finish
    exit 0
fi
busy() { skip "this machine: $1" "the machine is too busy"; finish; exit 0; }
# The file is there, or what the last command said against it.
holds() { test -s "$1" || { cat "$work/err"; return 1; }; }
"$calibrate" measure --backend cpu --quick --sessions 2 --from "$work/here" -o "$work/here.device" \
    --cases 'alone:*;pair:*' >"$work/out" 2>"$work/err" || busy "calibrated"
pass "this machine: calibrated"
sed -i "s|^device: .*|device: $work/here.device|" "$work/here/scenario.yaml"
# A size whose shots were disturbed does not count, and what was not measured is refused.
"$simulator" sweep "$work/here" --trials 400 -o "$work/out.here" >"$work/out" 2>"$work/err"
grep -q -e 'the device has no measured duration' -e 'is outside what was measured' "$work/err" && busy "swept"
check "this machine: swept" holds "$work/out.here/summary.csv"
"$simulator" decide "$work/out.here" -p ahead --within 1 >"$work/out" 2>"$work/err"
check "this machine: decided" holds "$work/out.here/decision.yaml"
"$simulator" feasibility "$work/out.here/decision.yaml" --mapping cuda >"$work/out" 2>"$work/err"
for policy in ahead recompute; do
    "$calibrate" replay "$work/here" -p $policy -n 100 -o "$work/here.$policy" >"$work/out" 2>"$work/err" ||
        busy "replayed"
done
if [ "$(status "$work/out.here")" = rejected ]; then
    pass "this machine: rejected before it was measured"
else
    "$simulator" decide "$work/out.here" --measured "$work/here.ahead" --measured-baseline \
        "$work/here.recompute" >"$work/out" 2>"$work/err"
    check "this machine: measured" grep -q '^measured:' "$work/out.here/decision.yaml"
fi
failed=$(outcomes "$work/out.here" fail) passed=$(outcomes "$work/out.here" pass)
if [ "$failed" -gt 0 ]; then
    expected=rejected
elif [ "$passed" -eq 10 ]; then
    expected=accepted
else
    expected=measured
fi
check "this machine: the status is what the evidence says ($passed pass, $failed fail)" \
    test "$(status "$work/out.here")" = $expected
finish
