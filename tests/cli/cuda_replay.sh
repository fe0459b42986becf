#!/bin/sh
# slackline-calibrate replay --backend cuda on a driver without a GPU (tests/support/fake_cuda.c), whose
# computed time passes as real time does: measured by CUPTI's records and by events.
# How long anything takes is not asserted.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE=$SLACKLINE_CALIBRATE
fakes=$SL_BUILDDIR/tests/support
if "$SLACKLINE" --help | grep -q 'not in this build: built without CUDA'; then
    skip_all "built without CUDA"
fi

# on FOLDER COMMAND...: with the driver of that folder of tests/support.
on()
{
    before=${LD_LIBRARY_PATH-}
    LD_LIBRARY_PATH=$fakes/$1:$before
    export LD_LIBRARY_PATH
    shift
    "$@"
    result=$?
    LD_LIBRARY_PATH=$before
    return $result
}

### A device as it is calibrated, and six schedules on it: three of six activations fit
cp -R "$SL_SRCDIR/tests/fixtures/replay-gpu" "$work/scenario" && chmod -R u+w "$work/scenario"
on fake-cupti exits 0 "a calibration" measure --backend cuda --sessions 2 -o "$work/scenario/device" \
    --cases 'alone:stream/f32-device-stream-warm:*;alone:gemm/f16-device-stream-warm:*;alone:copy.?2?/?2?-pinned-stream:*'

# replays FOLDER POLICY OUTPUT: a policy on the driver of that folder; fails unless it was executed, whether
# or not the machine was quiet enough for a verdict.
SL_FAKE_CLOCK=real
export SL_FAKE_CLOCK
replays()
{
    on "$1" "$SLACKLINE" replay "$work/scenario" -p "$2" --backend cuda -n 8 -o "$3" --trials 100 \
        >"$work/text" 2>"$work/err" || grep -q 'none could be judged' "$work/err"
}

# The lane, and activations that leave after they were written and come back before they are read.  The
# clock of events is tied to the host's by a trip that may be held up: what the host does is left out.
cat >"$work/rules.awk" <<'AWK'
BEGIN { FS = ","; slack = 0.0015 } # rounded to ns
FNR == 1 { next }
$1 != at { at = $1; split("", start); split("", end); count++ }
{ start[$2] = $5; end[$2] = $6; if ($6 < $5) fault($2 " ends before it starts") }
$2 == "b0" { # the last one of the lane
    last = ""
    for (i = 0; i < 6; i++) { if (i) before("f" i - 1, "f" i); before("f" i, "offload:a" i) }
    before("f5", "b5")
    if (!events) { before("f5", "think"); before("think", "pause"); before("f5", "pause"); before("pause", "b5") }
    for (i = 4; i >= 0; i--) before("b" i + 1, "b" i)
    for (i = 0; i < 6; i++) if (("prefetch:a" i) in start) { before("offload:a" i, "prefetch:a" i); before("prefetch:a" i, "b" i); moved++ }
}
function fault(text) { print at ": " text; bad++ }
function before(a, b) { if (a in end && b in start && start[b] < end[a] - slack) fault(b " starts before the end of " a) }
END { exit bad > 0 || count != 8 || moved == 0 }
AWK

### Every repetition, by records and by events
check "a replay timed by CUPTI" replays fake-cupti lookahead-1 "$work/records"
check "every repetition keeps the plan's rules" awk -f "$work/rules.awk" "$work/records/timeline.csv"
check "its timer is named" test "$(cut -d, -f8 "$work/records/repetitions.csv" | sed 1d | sort -u)" = cupti
check "a replay timed by events" replays fake lookahead-1 "$work/events"
check "... keeps the rules, too" awk -v events=1 -f "$work/rules.awk" "$work/events/timeline.csv"
check "... and names its timer" test "$(cut -d, -f8 "$work/events/repetitions.csv" | sed 1d | sort -u)" = event

for policy in demand lookahead-2 window recompute mixed; do
    check "policy $policy is executed" replays fake-cupti $policy "$work/$policy"
done

### What can't be trusted, what fails, what doesn't fit
SL_FAKE_CUPTI=drops
export SL_FAKE_CUPTI
on fake-cupti exits 4 "lost records" replay "$work/scenario" --backend cuda -n 3 --trials 100 -o "$work/lost"
says "none could be judged: their times are not to be trusted (dropped: 3)" "lost records: why"
check "each repetition says so" test "$(cut -d, -f7 "$work/lost/repetitions.csv" | sed 1d | sort -u)" = dropped
unset SL_FAKE_CUPTI
for call in cuEventQuery:100 cuLaunchKernel:30 cuEventCreate:25 cuMemcpyHtoDAsync:9; do
    SL_FAKE_FAIL=$call
    export SL_FAKE_FAIL
    on fake exits 4 "$call fails" replay "$work/scenario" --backend cuda -n 50 --trials 100
    says "${call%:*}: an illegal memory access was encountered" "$call fails: which call"
done
unset SL_FAKE_FAIL
on fake exits 4 "a domain larger than the GPU" replay "$work/scenario" --backend cuda -n 3 \
    --set domains.hbm.capacity=10GiB
says "domain 'hbm' may hold" "a domain larger than the GPU: which"
finish
