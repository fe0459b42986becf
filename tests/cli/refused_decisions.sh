#!/bin/sh
# What a decision cannot be made of, goes on from, or be measured by: one fault at a time in files that are otherwise sound, with
# the file, the line and column where there is one, what was found, and exit 2 or 3; the record stays as it was.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
cd "$work" || exit 99

# refused CODE MESSAGE ARGUMENTS...
refused()
{
    wanted=$1 message=$2
    shift 2
    got=0
    "$SLACKLINE" "$@" >out 2>err || got=$?
    if [ "$got" -ne "$wanted" ] || ! grep -qF -- "$message" err; then
        fail "$*: $message" "exit $got, expected $wanted: $(cat err)"
    elif ! cmp -s selected.yaml r/decision.yaml || ! cmp -s feasible.yaml f/decision.yaml; then
        fail "$*: $message" "the record was changed"
    else
        pass "$*: $message"
    fi
}
# with NAME FILE SED: a copy of the results, of which a file was changed.
with()
{
    rm -rf "$1"
    cp -R r "$1"
    sed -i "$3" "$1/$2"
    ! cmp -s "r/$2" "$1/$2" || fail "a change of $2" "changes nothing: $3"
}

cp -R "$SL_SRCDIR/tests/fixtures/loop" loop && chmod -R u+w loop
"$SLACKLINE_CALIBRATE" measure --backend script --script loop/machine.yaml -o loop/device --cases 'alone:*;pair:*;control:*' >log 2>&1 &&
    "$SLACKLINE" sweep loop --trials 100 -o r >>log 2>&1 || fail "results to decide on" "$(cat log)"
"$SLACKLINE" decide r --within 1 >>log 2>&1
cp -R r f
"$SLACKLINE" feasibility f/decision.yaml --mapping cuda --write-reply reply.json >>log 2>&1 || fail "a runtime's answer" "$(cat log)"
"$SLACKLINE_CALIBRATE" replay loop -p ahead -b script --script loop/machine.yaml -n 20 -o m >>log 2>&1 || fail "a replay" "$(cat log)"
cp r/decision.yaml selected.yaml
cp f/decision.yaml feasible.yaml

# ---- results ----
with part manifest.json 's/"finished": true/"finished": false/'
refused 3 "part is not finished; 'sweep --resume' completes it" decide part --within 1
# summary.csv without a row, with one twice, and with one in the place of another.
cells=$(sed 1d r/summary.csv | wc -l)
with fewer summary.csv '3d'
refused 3 "$cells cells in the manifest, $((cells - 1)) in summary.csv" decide fewer -p ahead
refused 3 "$cells cells in the manifest, $((cells - 1)) in summary.csv" plot fewer
with twice summary.csv '3p'
refused 3 "$cells cells in the manifest, $((cells + 1)) in summary.csv" decide twice -p ahead
with instead summary.csv '2h;3g'
refused 3 'row 2 of summary.csv is cell 0' decide instead -p ahead
refused 3 'row 2 of summary.csv is cell 0' plot instead
with lost manifest.json '/"folder"/d; /"folder_from_results"/d'
refused 2 "the manifest of lost does not say where its scenario is; --scenario DIR does" decide lost --within 1
refused 2 "--set goes with a scenario; the results have their settings" decide r --set domains.arena.capacity=11MB
refused 2 "--baseline loop:: which policy? Write loop:POLICY" decide r --baseline loop:
refused 3 "error: no such scenario: 'elsewhere' [bad-scenario]" decide r --baseline elsewhere:again

# ---- a record whose inputs are others ----
cp loop/nodes.csv nodes.csv
printf '\n' >>loop/nodes.csv
refused 3 "loop/nodes.csv: error: the file has changed since r was made: sweep again" decide r --within 1
refused 3 "nodes.csv" feasibility r/decision.yaml --mapping cuda
exits 1 "it cannot be reproduced" reproduce r
prints "nodes.csv" "... and the file is named"
hash=$(sha256sum loop/nodes.csv | cut -d' ' -f1)
prints "  $hash now" "... with its hash as sha256sum has it"
prints "not reproduced: 1 input has changed, so nothing was run" "... and that nothing was run"
exits 1 "as JSON" reproduce r --json
prints '"reproduced": false' "... it is not reproduced"
prints "\"after\": \"$hash\"" "... with the hash"
prints '"projected": "absent"' "... and there are no figures"
cp nodes.csv loop/nodes.csv

# ---- answers of a runtime ----
answer()
{
    sed "$1" reply.json >changed.json
    ! cmp -s reply.json changed.json || fail "a change of the answer" "changes nothing: $1"
    refused 3 "$2" feasibility r/decision.yaml --reply changed.json
}
answer 's/"scenario": "loop"/"scenario": "hoop"/' "changed.json: error: this answer is about scenario 'hoop', not 'loop'"
answer 's/"policy": "ahead"/"policy": "again"/' "changed.json: error: this answer is about policy 'again', not 'ahead'"
answer 's/"handoff_sha256": "..../"handoff_sha256": "0000/' "changed.json: error: this answer is to the hand-off 0000"

# ---- what was measured ----
audit()
{
    rm -rf a
    mkdir a
    printf '%b' "name,step,start_us,finish_us,behind_stream_us,ready_delay_us\n$1" >a/works.csv
    printf '%b' "step,from_us,finish_us\n$2" >a/steps.csv
    refused 3 "$3" decide f --measured a
}
audit 'f0,1,9,5,,\n' '1,0,9\n' 'a/works.csv:2:8: error: a work ends before it starts [reversed]'
audit 'f0,1,0,5,,\n' '1,9,8\n' 'a/steps.csv:2:5: error: a step ends before it begins [reversed]'
audit 'f0,1,0,5,,\n' '1,0,5\n1,5,9\n' "a/steps.csv:3:1: error: step '1': there is one before [duplicate-step]"
audit 'f0,1,soon,5,,\n' '1,0,5\n' 'a/works.csv:2:6: error: '
audit 'f0,1,-1,5,,\n' '1,0,5\n' "a/works.csv:2:6: error: '-1' is negative; write zero or more [bad-value]"
audit 'f0,1,0,2e12,,\n' '1,0,5\n' 'a/works.csv:2:8: error: no time from 0 to 1e12 us [bad-value]'
audit 'f0,1,0,5,-3,1\n' '1,0,5\n' "a/works.csv:2:10: error: '-3' is negative; write zero or more [bad-value]"
audit 'f0,1,0,5,,\n' '1,,5\n' 'a/steps.csv:2:3: error: '
audit '' '' "'a' holds no repetition or step that counts"
json()
{
    printf '%s' "$1" >a.json
    refused 3 "$2" decide f --measured a.json
}
json '{"trace":"","importer":"","steps": 3}' 'a.json:1:36: error: steps must be a list [wrong-type]'
json '{"trace":"","importer":"","steps": [{"time_ns": -4}]}' "a.json:1:49: error: time_ns: '-4' is negative"
json '{"trace":"","importer":"","steps": [{"time_ns": 2e15}]}' 'a.json:1:49: error: time_ns: no time [bad-value]'
json '{"trace":"","importer":"","steps": [{"time_ns": [1]}]}' 'a.json:1:49: error: time_ns: no time [bad-value]'
json '{"trace":"","importer":"","steps": [{}]}' 'a.json:1:37: error: time_ns: no time [bad-value]'
json '{"trace":"","importer":"","gpu_span_ns": "long"}' 'a.json:1:42: error: time_ns: '
json '{"trace":"","importer":""}' "'a.json' holds no repetition or step that counts"
replay()
{
    rm -rf n
    cp -R m n
    sed -i "$1" n/replay.csv
    ! cmp -s m/replay.csv n/replay.csv || fail "a change of the replay" "changes nothing: $1"
    refused 3 "$2" decide f --measured n
}
replay 's/,loop,/,hoop,/; s/^loop,/hoop,/' "this replay is of scenario 'hoop', not 'loop'"
refused 4 "cannot find 'none'" decide f --measured none

# ---- a replay of what was not decided on ----
"$SLACKLINE_CALIBRATE" replay loop -p again -b script --script loop/machine.yaml -n 20 -o b >log 2>&1 || fail "a replay" "$(cat log)"
refused 3 "(policy 'again'), and the decision of plan" decide f --measured b
finish
