#!/bin/sh
# The faults of faults_disk.sh and faults_kill.sh for slackline-calibrate, on a machine that is written
# down: a full disk, a read-only one, a file that cannot be replaced, kill -9 in a measurement, and a
# second process.  What was measured stays, nothing is half-written, and --resume gives the tables of a
# measurement that nothing interrupted.
#
# 15 kills that hit, and a few sizes of disks; 200, and 60 sizes, with SL_LONG=1.
. "$SL_SRCDIR/tests/support/tap.sh"
SLACKLINE=$SLACKLINE_CALIBRATE SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
cd "$work" || exit 99
cp "$SL_SRCDIR/tests/fixtures/calibrate/machine.yaml" .
cp -R "$SL_SRCDIR/tests/fixtures/drift" drift && chmod -R u+w drift
small="measure --backend script --script machine.yaml --cases pair:gemm|copy.h2d;control:*"
replay="replay drift --backend script --script drift/machine.yaml"
kills=15 sizes="1 3 8 12 20 28"
[ -z "${SL_LONG:-}" ] || kills=200 sizes=$(seq 1 60)
# Pictures are no part of a device, and would take most of the time.
mkdir tools
for tool in awk cat cmp cut date diff find grep kill ls mount rm sed sleep sort umount uname wc; do
    ln -s "$(command -v $tool)" tools/
done

# measures FOLDER ARGUMENTS...: its exit status in $code.
measures()
{
    folder=$1
    shift
    code=0
    # shellcheck disable=SC2086 # words
    PATH=$work/tools "$SLACKLINE" $small --sessions 3 -o "$folder" "$@" >out 2>err || code=$?
}

# What may differ between two: when they began, and the folder's name.
plain()
{
    sed -e '/^# start=/d' -e '/{name: start,/d' -e '/^name: /d' "$1"
}

# whole FOLDER: names each file of it that is not as in "ref".
whole()
{
    (cd "$1" && find . -type f ! -name running) | while read -r file; do
        plain "$1/$file" >a
        plain "ref/$file" 2>/dev/null | cmp -s - a || echo "$file"
    done
}

# same FOLDER: all of "ref" and nothing else.
same()
{
    (cd ref && find . | sort) >files
    (cd "$1" && find . | sort) | diff files - || return 1
    different=$(whole "$1")
    [ -z "$different" ] || { echo "different: $different"; return 1; }
}

# shellcheck disable=SC2086 # words
exits 0 "a device for the replays" $small --backend script --script drift/machine.yaml -o drift/device \
    --cases 'alone:*;pair:*;control:*' --sessions 2
measures ref
check "a measurement without a fault" test $code -eq 0
check "says that there is no gnuplot" grep -q 'no pictures were drawn: gnuplot is missing' err
rm -rf ref/plots

# started ARGUMENTS...: many sessions in the background, of which the first is there; the process in $pid.
started()
{
    rm -rf busy/*
    # shellcheck disable=SC2086 # words
    "$SLACKLINE" $small --sessions 99 -o busy "$@" >busy.out 2>busy.err &
    pid=$!
    tries=0
    while [ ! -e busy/sessions/session-01.csv ] && [ $tries -lt 6000 ] && kill -0 $pid 2>/dev/null; do
        sleep 0.01
        tries=$((tries + 1))
    done
    kill -0 $pid 2>/dev/null
}

### Disks
mkdir disk
mounted=
unmount()
{
    [ -z "$mounted" ] || umount disk 2>/dev/null
    mounted=
}
trap 'unmount; rm -rf "$work"' EXIT
if mount -t tmpfs -o size=16k slackline-test disk 2>err; then
    mounted=yes
    unmount
    bad= full=0
    for pages in $sizes; do
        mount -t tmpfs -o size=$((4 * pages))k slackline-test disk && mounted=yes
        measures disk/o
        if [ $code -eq 4 ] && grep -q "'disk/o.*No space left on device" err && [ -z "$(whole disk/o)" ]; then
            full=$((full + 1))
            mount -o remount,size=4m disk
            measures disk/o --resume
        fi
        rm -rf disk/o/plots
        [ $code -eq 0 ] && same disk/o >why || bad="$bad $pages pages: exit $code, $(tail -1 err) $(cat why)"
        unmount
    done
    check "a full disk, and --resume on a larger one ($full were full) $bad" test -z "$bad"
    check "full disks were met" test $full -ge 3

    mount -t tmpfs -o size=12k slackline-test disk && mounted=yes
    # shellcheck disable=SC2086 # words
    exits 4 "a replay on a full disk" $replay -n 2000 -o disk/o
    says "cannot write 'disk/o/timeline.csv': No space left on device" "a replay on a full disk: which file"
    check "a replay on a full disk: nothing half-written" test -z "$(ls disk/o)"
    unmount

    # An earlier calibration outlives one that cannot replace it, but for its sessions.
    mount -t tmpfs -o size=4m slackline-test disk && mounted=yes
    cp -R ref disk/o
    head -c 4000000 /dev/zero >disk/filler 2>/dev/null
    measures disk/o --force
    check "measure --force on a full disk" test $code -eq 4
    says "the tables in 'disk/o' are those of the calibration before" "measure --force on a full disk: what stays"
    check "measure --force on a full disk: the tables are as they were" test -z "$(whole disk/o)"
    check "measure --force on a full disk: with device.yaml" test -s disk/o/device.yaml
    rm disk/filler

    mount -o remount,ro disk
    for command in "$small -o disk/new" "$small -o disk/o --resume --sessions 4" "$small -o disk/o --force" \
        "$small -o disk/o --session 9" "$replay -o disk/new"; do
        case $command in *--session\ *) command="session ${command#measure }" ;; esac
        # shellcheck disable=SC2086 # words
        exits 4 "a read-only disk: ${command%% *} ${command#*-o }" $command
        says "Read-only file system" "a read-only disk: the reason"
    done
    check "a read-only disk: nothing has changed" test -z "$(whole disk/o)"
    unmount

    mount -t tmpfs -o size=8m slackline-test disk && mounted=yes
    mkdir disk/busy
    ln -s disk/busy busy
    if started && for n in 1 2 3 4 5 6 7 8 9; do mount -o remount,ro disk 2>/dev/null && break; done; then
        code=0
        wait $pid || code=$?
        check "a disk that becomes read-only in mid-run" test $code -eq 4
        check "is named with the file" grep -q "sessions/session-[0-9]*.csv': Read-only file system" busy.err
        mount -o remount,rw disk
        rm -f busy/sessions/session-[1-9]?.csv busy/sessions/session-0[4-9].csv
        measures busy/. --resume
        rm -rf busy/plots
        check "what was measured before counts when it is writable again" same busy
    else
        kill -KILL $pid
        wait $pid 2>/dev/null
        skip "a disk that becomes read-only in mid-run" "it was being written at each instant"
    fi
    wait
    rm busy
    unmount
else
    skip "full and read-only disks" "tmpfs cannot be mounted here: $(head -1 err)"
fi

# A limit on the size of files; SIGXFSZ would end the process.
code=0
# shellcheck disable=SC2086 # words
(ulimit -f 1 && exec "$SLACKLINE" $small -o limited) >out 2>err || code=$?
check "a limit on the size of files" test $code -eq 4
says "sessions/session-01.csv': File too large" "a limit on the size of files: which file, and why"
check "a limit on the size of files: nothing half-written" test -z "$(ls limited/sessions)"

### A second process
if started; then
    # shellcheck disable=SC2086 # words
    exits 4 "a second process on the same folder" $small --sessions 99 -o busy --resume
    says "another run is writing into 'busy': process $pid on $(uname -n)" "a second process: who writes"
    # shellcheck disable=SC2086 # words
    exits 4 "a second process with --force" $small -o busy --force
    check "a second process: the first goes on" kill -0 $pid
    kill -KILL $pid
    wait $pid 2>/dev/null
    check "kill -9 of measure ends its session, too" sh -c \
        "sleep 0.3; ! ps -eo args | grep -q '[s]lackline-calibrate session.*--output=busy'"
    touch busy/sessions/session-98.csv.~1a2b.0 busy/kappa.csv.~1a2b.0 busy/notes.~mine
    mkdir -p busy/plots/.drawing-abcdef
    touch busy/plots/.drawing-abcdef/driver.gp
    rm -f busy/sessions/session-[1-9]?.csv busy/sessions/session-0[4-9].csv
    # shellcheck disable=SC2086 # words
    exits 0 "what a killed one left refuses nobody" $small -o busy --resume
    check "pictures that were begun go" test ! -e busy/plots/.drawing-abcdef
    rm -rf busy/plots
    check "files of others stay" rm busy/notes.~mine
    check "what killed processes left goes, and the tables are the same" same busy
else
    wait $pid
    skip "a second process on the same folder" "the measurement was over before it"
fi

### Kill and resume, until the folder is complete; then it is compared, and another begins
milliseconds()
{
    date +%s%N | cut -c1-13
}
from=$(milliseconds)
measures timed
took=$(($(milliseconds) - from))
seed=1
draw() # a number below $1, by the minimal standard generator (Park and Miller 1988)
{
    seed=$((seed * 16807 % 2147483647))
    drawn=$((seed % $1))
}
hits=0 tries=0 folders=0 bad=
while [ $hits -lt $kills ] && [ $tries -lt $((20 * kills)) ] && [ -z "$bad" ]; do
    tries=$((tries + 1))
    draw $((took + 1))
    # shellcheck disable=SC2086 # words
    PATH=$work/tools "$SLACKLINE" $small --sessions 3 --resume -o cut >out 2>err &
    pid=$!
    sleep "$(awk "BEGIN {print $drawn / 1000}")"
    kill -KILL $pid 2>/dev/null
    code=0
    wait $pid 2>/dev/null || code=$?
    case $code in
    137)
        hits=$((hits + 1))
        [ ! -d cut ] || rm -rf cut/*.~* cut/*/*.~* cut/plots
        [ ! -d cut ] || [ -z "$(whole cut)" ] || bad="after $hits kills half-written: $(whole cut)"
        ;;
    0)
        folders=$((folders + 1))
        rm -rf cut/plots
        same cut >why 2>&1 || bad="after $hits kills the folder differs: $(cat why)"
        rm -rf cut
        ;;
    *) bad="after $hits kills --resume ends with $code: $(cat err)" ;;
    esac
done
if [ -z "$bad" ]; then
    measures cut --resume
    rm -rf cut/plots
    same cut >why 2>&1 || bad="the last folder differs: $(cat why)"
    folders=$((folders + 1))
fi
what="$hits kills in $tries measurements, $folders folders equal to the whole one"
if [ -z "$bad" ] && [ $hits -eq $kills ]; then pass "$what"; else fail "$what" "$bad"; fi

### A replay that is killed
# shellcheck disable=SC2086 # words
"$SLACKLINE" $replay -n 10000000 -o replayed >out 2>err &
pid=$!
tries=0
until ls replayed/timeline.csv.~* >/dev/null 2>&1 || [ $tries -gt 6000 ]; do
    sleep 0.01
    tries=$((tries + 1))
done
# shellcheck disable=SC2086 # words
exits 4 "a second replay into the same folder" $replay -n 5 -o replayed
says "another run is writing into 'replayed': process $pid on" "a second replay: who writes"
kill -KILL $pid
wait $pid 2>/dev/null
check "a killed replay leaves its beginnings" sh -c 'ls replayed/timeline.csv.~*'
# shellcheck disable=SC2086 # words
exits 0 "which are in no replay's way" $replay -n 5 -o replayed
check "and go" sh -c '! ls -a replayed | grep -e "~" -e running'

### A standard output that takes nothing
for command in "$small -o printed" "$small --list" "verify --script machine.yaml ref" "$replay -n 5"; do
    code=0
    # shellcheck disable=SC2086 # words
    "$SLACKLINE" $command >/dev/full 2>err || code=$?
    check "a full standard output: $command" sh -c \
        "test $code -eq 4 && grep -q 'standard output: No space left on device' err || { echo exit $code; cat err; false; }"
done
finish
