#!/bin/sh
# slackline-calibrate from end to end on machines that are written down: folder, resume, refusals,
# Ctrl-C, and tables that hold what was planted.
. "$SL_SRCDIR/tests/support/tap.sh"
slackline=$SLACKLINE
SLACKLINE=$SLACKLINE_CALIBRATE
fixtures=$SL_SRCDIR/tests/fixtures/calibrate
machine="--backend script --script $fixtures/machine.yaml"
# shellcheck disable=SC2086 # $machine and $small are words
small="$machine --cases pair:gemm|copy.h2d;pair:gemm|gemm:*;control:*"

# rejects FOLDER: the reasons in its sessions' files.
rejects()
{
    sed '/^#/d' "$1"/sessions/session-*.csv | cut -d, -f19 | sort -u | tr '\n' ' '
}

# near VALUE TRUTH SHARE
near()
{
    awk -v value="$1" -v truth="$2" -v share="$3" \
        'BEGIN { exit !(value > truth * (1 - share) && value < truth * (1 + share)) }'
}

# kappa_of VICTIM SET SHAPE REGIME: the value in $work/kappa.
kappa_of()
{
    awk -F, -v v="$1" -v s="$2" -v shape="$3" -v regime="$4" '
        $1 == "victim" { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $1 == v && $2 == s && $at["shape"] == shape && $at["regime"] == regime { print $at["kappa"] }' \
        "$work/kappa"
}

### The command line
exits 0 "help" --help
prints "measure" "help names the commands"
prints "script" "help names the backends"
exits 0 "version" --version
exits 2 "an unknown command" mesure
says "did you mean 'measure'?" "an unknown command: the nearest one"
exits 2 "no backend" measure
says "--backend is missing" "no backend: what is missing"
exits 2 "an unknown backend" --backend cpi -o "$work/none"
says "unknown backend 'cpi' (did you mean 'cpu'?)" "an unknown backend: the nearest one"
exits 2 "script without a file" --backend script -o "$work/none"
says "--script" "script without a file: the option"
exits 2 "a script for another backend" --backend cpu --script x -o "$work/none"
exits 3 "a script that is not there" --backend script --script "$work/none.yaml" -o "$work/none"
exits 2 "no folder" $machine
says "-o DIR is missing" "no folder: what is missing"
exits 2 "no case of that name" $machine --cases 'pear:*' --list
says "no case matches 'pear:*'" "no case of that name: the glob"
exits 2 "a folder without a name" $machine -o ''
says "the name of the folder is empty" "a folder without a name: which option"
exits 2 "two depths" $machine --quick --full -o "$work/none"
exits 2 "a device of backend script" $machine --device 1 -o "$work/none"
exits 2 "too many sessions" $machine --sessions 100 -o "$work/none"
check "a refusal leaves no folder" test ! -e "$work/none"

### The list
exits 0 "list" $machine --list
prints "pair:gemm|copy.h2d" "list: a key"
prints "pair:gemm|gemm:fill" "list: a key with a shape"
prints "alone:map:2097152	waived: the script's machine has none" "list: a waived case and why"
sort "$work/out" | uniq -d >"$work/twice"
check "list: no key comes twice" test ! -s "$work/twice"

### A faulty script
cat >"$work/faulty.yaml" <<'EOF'
actors: 2
classes:
  a: {sizes: [2MiB, 1MiB], victim: 1MiB, unit: 1MiB, bandwidth: 1GB/s, nose: 3}
  b: {sizes: [1MiB]}
kappa: [{victim: a, set: c, kappa: 2}]
troubles: [{kind: lately, every: 3}, {kind: late}]
EOF
exits 3 "a faulty script" --backend script --script "$work/faulty.yaml" --list
says "faulty.yaml:3:" "a faulty script: the place of the first fault"
says "nose" "a faulty script: the fault"

### A calibration
exits 0 "a calibration" $small -o "$work/one"
says "3 sessions of" "a calibration: the budget beforehand"
for file in device.yaml durations.csv kappa.csv composition.csv samples.csv \
    sessions/session-01.csv sessions/session-02.csv sessions/session-03.csv; do
    check "a calibration: $file" test -s "$work/one/$file"
done
check "a calibration: sessions differ" sh -c \
    "! cmp -s '$work/one/sessions/session-01.csv' '$work/one/sessions/session-02.csv'"
exits 0 "the same again" $small -o "$work/two"
for file in kappa.csv samples.csv; do
    sed '/^# start=/d' "$work/one/$file" >"$work/a"
    sed '/^# start=/d' "$work/two/$file" >"$work/b"
    check "the same seed: the same $file" cmp "$work/a" "$work/b"
done

sed '/^#/d' "$work/one/kappa.csv" >"$work/kappa"
check "planted: gemm beside copy.h2d" near "$(kappa_of gemm copy.h2d '' near)" 1.15 0.02
check "planted: gemm beside gemm with room" near "$(kappa_of gemm gemm room near)" 1.60 0.02
check "planted: gemm beside gemm that fills" near "$(kappa_of gemm gemm fill near)" 2.00 0.02

exits 0 "a machine that queues" $machine --cases 'pair:copy.h2d|copy.h2d;control:copy.h2d' --sessions 2 \
    -o "$work/queue"
check "planted: copies that queue" grep -q '^copy.h2d,copy.h2d,1,,queue,.*,queued,' "$work/queue/kappa.csv"

### Every trouble
exits 0 "a machine of troubles" --backend script --script "$fixtures/troubles.yaml" -o "$work/trouble"
wanted=" clock-step coverage dropped duplicate gate-timeout no-victim preempted reject sentinel \
stray zero-time "
check "troubles: every reason is reached" test "$(rejects "$work/trouble")" = "$wanted"
sed '/^#/d' "$work/trouble/kappa.csv" >"$work/kappa"
check "troubles: kappa of the near regime" near "$(kappa_of read read '' near)" 1.70 0.01
check "troubles: kappa of the far regime" near "$(kappa_of read read '' far)" 1.03 0.01

### Folders
exits 2 "a folder that is there" $small -o "$work/one"
says "--resume" "a folder that is there: what to do"
exits 2 "resume and force" $small -o "$work/one" --resume --force
mkdir "$work/other"
echo mine >"$work/other/notes"
exits 2 "force on a folder of something else" $small -o "$work/other" --force
check "force on a folder of something else: it stays" grep -q mine "$work/other/notes"

rm "$work/two/sessions/session-02.csv" "$work/two/kappa.csv"
before=$(cksum "$work/two/sessions/session-01.csv")
exits 0 "resume" $small -o "$work/two" --resume
says "1 session of" "resume: only what is missing"
check "resume: what was there stays" test "$before" = "$(cksum "$work/two/sessions/session-01.csv")"
sed '/^# start=/d' "$work/one/kappa.csv" >"$work/a"
sed '/^# start=/d' "$work/two/kappa.csv" >"$work/b"
check "resume: the tables are those of one go" cmp "$work/a" "$work/b"
exits 0 "resume with more sessions" $small -o "$work/two" --resume --sessions 4
check "resume with more sessions: the fourth" test -s "$work/two/sessions/session-04.csv"

exits 2 "resume with another seed" $small -o "$work/one" --resume --seed 2
says "its seed is '1', here it is '2'" "resume with another seed: which"
exits 2 "resume at another depth" $small -o "$work/one" --resume --full
says "its depth is 'quick', here it is 'full'" "resume at another depth: which"
exits 2 "resume with other cases" $machine -o "$work/one" --resume
says "its cases is" "resume with other cases: what differs"
sed 's/driver: "1.0"/driver: "1.1"/' "$fixtures/machine.yaml" >"$work/driver.yaml"
exits 2 "resume with another driver" --backend script --script "$work/driver.yaml" -o "$work/one" \
    --cases 'pair:gemm|copy.h2d;pair:gemm|gemm:*;control:*' --resume
says "its driver is '1.0', here it is '1.1'" "resume with another driver: which"
sed 's/,alone,/,alnoe,/' "$work/one/sessions/session-03.csv" >"$work/bad"
cp "$work/bad" "$work/one/sessions/session-03.csv"
exits 3 "a session's file that is broken" $small -o "$work/one" --resume
says "session-03.csv:" "a session's file that is broken: the place"
says "unknown 'alnoe' (did you mean 'alone'?)" "a session's file that is broken: the fault"
echo nothing >"$work/one/sessions/session-03.csv"
exits 3 "a session's file of something else" $small -o "$work/one" --resume
says "is no session's file" "a session's file of something else: what it is"
exits 0 "force" $small -o "$work/one" --force
check "force: all sessions anew" test "$(ls "$work/one/sessions" | wc -l)" -eq 3

### A machine of which nothing can be used
cat >"$work/useless.yaml" <<'EOF'
actors: 2
classes: {a: {sizes: [1MiB], victim: 1MiB, unit: 1MiB, bandwidth: 1GB/s}}
troubles: [{kind: dropped, every: 1}]
EOF
exits 4 "every shot is rejected" --backend script --script "$work/useless.yaml" --sessions 1 -o "$work/useless"
says "most of them for 'dropped': no tables were written" "every shot is rejected: why, and what follows"
check "every shot is rejected: no tables" test ! -e "$work/useless/durations.csv"
check "every shot is rejected: the shots are kept" test -s "$work/useless/sessions/session-01.csv"

### A device that is lost
(cat "$fixtures/machine.yaml" && echo '  - {kind: lost, at: [300]}') >"$work/lost.yaml"
exits 4 "a device that is lost" --backend script --script "$work/lost.yaml" -o "$work/lost"
says "the device is lost" "a device that is lost: what happened"
says "0 of 3 sessions" "a device that is lost: what is kept"
check "a device that is lost: no half file" test -z "$(ls "$work/lost/sessions")"

### Ctrl-C
# shellcheck disable=SC2086
"$SLACKLINE" $small -o "$work/stopped" --sessions 99 >"$work/out" 2>"$work/err" &
pid=$!
tries=0
while [ ! -e "$work/stopped/sessions/session-01.csv" ] && [ $tries -lt 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -INT $pid
got=0
wait $pid || got=$?
check "Ctrl-C: exit 130" test $got -eq 130
says "--resume goes on" "Ctrl-C: what to do"
check "Ctrl-C: no tables" test ! -e "$work/stopped/kappa.csv"
check "Ctrl-C: no half file" sh -c "! ls '$work/stopped/sessions' | grep -v '^session-[0-9][0-9].csv$'"
kept=$(ls "$work/stopped/sessions" | wc -l)
exits 0 "Ctrl-C: what is kept is enough" $small -o "$work/stopped" --resume --sessions "$kept"
check "Ctrl-C: tables of it" test -s "$work/stopped/kappa.csv"

### A session by itself
exits 0 "a session by itself" session $small -o "$work/alone" --session 2
sed '/^# start=/d' "$work/alone/sessions/session-02.csv" >"$work/a"
sed '/^# start=/d' "$work/two/sessions/session-02.csv" >"$work/b"
check "a session by itself: as part of a calibration" cmp "$work/a" "$work/b"
exits 2 "a session without a number" session $small -o "$work/alone"
before=$(cksum "$work/alone/sessions/session-02.csv")
exits 2 "a session that is there" session $small -o "$work/alone" --session 2
check "a session that is there: it stays" test "$before" = "$(cksum "$work/alone/sessions/session-02.csv")"
exits 4 "a session into nowhere" session $small -o /dev/null/x --session 1

### What a scenario uses
mkdir "$work/used"
cat >"$work/used/scenario.yaml" <<'EOF'
name: used
nodes: nodes.csv
edges: edges.csv
objects: objects.csv
resources: {compute: {}, h2d: {}}
domains: {hbm: {capacity: 1GiB, reserve: 0B}, host: {}}
routes: [{from: host, to: hbm, resource: h2d, class: copy.h2d, bandwidth: 25GB/s}]
objective: {metric: makespan}
policies: [{name: keep, action: retain}]
EOF
printf 'object,size,placements,initial\nw,2MiB,host;hbm,host\nv,1GiB,host,host\n' >"$work/used/objects.csv"
cat >"$work/used/nodes.csv" <<'EOF'
node,kind,resource,duration,class,object,from,to,inputs
fetch,transfer,,,,w,host,hbm,
use,compute,compute,1ms,softmax,,,,w
EOF
printf 'from,to,type\nfetch,use,data-ready\n' >"$work/used/edges.csv"
exits 0 "from a scenario: list" $machine --from "$work/used" --list
prints "alone:copy.h2d/h2d-pinned-stream:2097152" "from a scenario: its size"
prints "pair:copy.h2d|copy.h2d" "from a scenario: a pair"
prints "control:gemm	waived: the scenario does not use it" "from a scenario: what it does not use"
exits 0 "from a scenario" $machine --from "$work/used" -o "$work/narrow"
cat >"$work/a" <<'EOF'
pattern,class,nodes,least_bytes,most_bytes,note
copy.h2d,copy.h2d,1,2097152,1073741824,some sizes are beyond the backend's
softmax,,1,,,no class of the backend has this name
EOF
check "from a scenario: classmap.csv" diff "$work/a" "$work/narrow/classmap.csv"
sed 's/copy.h2d/copy.x/' "$work/used/scenario.yaml" >"$work/a"
cp "$work/a" "$work/used/scenario.yaml"
exits 2 "from a scenario of other classes" $machine --from "$work/used" -o "$work/none"
says "there is nothing to measure: all" "from a scenario of other classes: what follows"
check "from a scenario of other classes: no folder" test ! -e "$work/none"
cat >"$work/trace.json" <<'EOF'
{"traceEvents":[
{"ph":"X","cat":"kernel","name":"cudnn_wgrad_alg0","pid":0,"tid":7,"ts":1,"dur":5,"args":{"device":0,"stream":7,"correlation":1}},
{"ph":"X","cat":"kernel","name":"ampere_sgemm_128x64_nn","pid":0,"tid":7,"ts":7,"dur":5,"args":{"device":0,"stream":7,"correlation":2}},
{"ph":"X","cat":"kernel","name":"ncclKernel_AllReduce","pid":0,"tid":7,"ts":13,"dur":5,"args":{"device":0,"stream":7,"correlation":3}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pinned -> Device)","pid":0,"tid":9,"ts":2,"dur":5,"args":{"device":0,"stream":9,"correlation":4,"bytes":2097152}}
]}
EOF
exits 0 "from a trace" $machine --from "$work/trace.json" -o "$work/traced"
cat >"$work/a" <<'EOF'
pattern,class,nodes,least_bytes,most_bytes,note
conv,gemm,1,,,"assumed: bounded by the same, arithmetic or memory"
copy.h2d,copy.h2d,1,2097152,2097152,
gemm,gemm,1,,,
comm,,1,,,no class of the backend has this name
EOF
check "from a trace: classmap.csv" diff "$work/a" "$work/traced/classmap.csv"
exits 3 "from a file that is neither" $machine --from "$work/a" --list
exits 3 "from a scenario that is not there" $machine --from "$work/none" --list

### Verify
exits 0 "verify" verify --script "$fixtures/machine.yaml" "$work/one" --rows 100
prints "pair:gemm|gemm:fill" "verify: a row"
prints "0 of " "verify: nothing moved"
sed 's/kappa: 1.60/kappa: 3.00/' "$fixtures/machine.yaml" >"$work/moved.yaml"
exits 1 "verify: a machine that moved" verify --script "$work/moved.yaml" "$work/one" --rows 100
check "verify: which row" grep -q '^pair:gemm|gemm:room .*moved, beyond' "$work/out"
check "verify: that row alone" test "$(grep -c moved, "$work/out")" -eq 1
exits 2 "verify: another driver" verify --script "$work/driver.yaml" "$work/one"
says "their driver is '1.0', here it is '1.1' (--accept=driver" "verify: what differs, and how on"
exits 0 "verify: another driver by name" verify --script "$work/driver.yaml" "$work/one" --accept driver
exits 2 "verify: accept what is not compared" verify --script "$fixtures/machine.yaml" "$work/one" --accept drivel
says "'drivel' names no fact that is compared (allowed: gpu_uuid, driver)" "verify: what can be accepted"
# Copies there take the same time in each session, to the last digit.
drift="--script $SL_SRCDIR/tests/fixtures/drift/machine.yaml"
exits 0 "a machine without noise" --backend script $drift --cases 'alone:copy:*' -o "$work/still"
exits 0 "verify: a machine without noise stays" verify $drift "$work/still"
exits 3 "verify: tables that nobody measured" verify "$SL_SRCDIR/models/devices/h100-sxm5"
exits 3 "verify: no folder" verify "$work/none"
exits 2 "verify: no operand" verify

### The tables are a device
mkdir "$work/scenario"
cat >"$work/scenario/scenario.yaml" <<'EOF'
name: measured
device: ../one
nodes: nodes.csv
objective: {metric: makespan}
policies: [{name: keep, action: retain}]
EOF
cat >"$work/scenario/nodes.csv" <<'EOF'
node,kind,resource,duration,class
a,compute,compute,1ms,gemm
b,compute,h2d,1ms,copy.h2d
EOF
exits 0 "a device of one session" $machine --cases 'alone:gemm/*' --sessions 1 -o "$work/single"
grep '^# No factors' "$work/single/device.yaml" >"$work/a"
check "a device of one session: what is shared is not known" grep -q 'is not known' "$work/a"
exits 0 "a device of two sessions" $machine --cases 'alone:gemm/*' --sessions 2 -o "$work/double"
SLACKLINE=$slackline
exits 0 "slackline runs on the tables" run "$work/scenario" --trials 10
printf 'node,kind,resource,work,class\na,compute,compute,bytes=2MiB,gemm\n' >"$work/scenario/nodes.csv"
exits 0 "slackline looks durations up" run "$work/scenario" --trials 10 --set device=../double
exits 3 "one session is no evidence" run "$work/scenario" --trials 10 --set device=../single
says "whose status in durations.csv lets it count" "one session is no evidence: why"
finish
