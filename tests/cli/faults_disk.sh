#!/bin/sh
# A disk that is full or read-only, a limit on the size of files, and a standard output that takes
# nothing: every command that writes ends with 4, names what it could not write and why, leaves no file
# half-written and an earlier file as it was.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
cd "$work" || exit 99
small="$hello --trials 20 --threads 1"
printf '%s\n' '{"traceEvents":[
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":5,"ts":10,"dur":2,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":40,"args":{"device":0,"stream":7,"correlation":1}}]}' >trace.json
"$SLACKLINE" sweep "$hello" --trials 400 --threads 1 -p recompute -p fetch-early \
    --axis domains.hbm.capacity=4.25GiB -o results >/dev/null 2>&1 || fail "results to decide on"

# Every command that writes, and where: DISK is the folder that faults.
cat >writers <<EOW
run $small -p recompute -o DISK/o
sweep $small -p recompute -p fetch-late -o DISK/o
compare $small -p recompute -p fetch-late -o DISK/o
search $small --evaluations 4 --search-trials 20 -o DISK/o
explain $small -p recompute --costs -o DISK/o
audit trace.json -o DISK/o
import trace.json --window 0ns: -o DISK/o
export $small -p recompute --format perfetto -o DISK/o.json
export $small -p recompute --format handoff -o DISK/o.json
export $small -p recompute --format dot -o DISK/o.dot
generate llm-train -o DISK/o
decide results --threads 1 --within 1 -o DISK/o
EOW

# whole FOLDER: names each file of it that is not as in ref; what an unfinished sweep keeps is allowed.
whole()
{
    (cd "$1" && find . -type f) | while read -r file; do
        case $file in
        */cells/*.part) continue ;;
        */manifest.json) tail -c 3 "$1/$file" | grep -qx '}' && continue ;;
        */README.md | */decision.* | */*.yaml) test -s "$1/$file" && [ -e "ref/$file" ] &&
            [ "$(wc -l <"$1/$file")" = "$(wc -l <"ref/$file")" ] && continue ;;
        esac
        cmp -s "$1/$file" "ref/$file" || echo "$file"
    done
}

# writer LINE DISK: the words of the command with its folder.
writer()
{
    printf '%s\n' "$1" | sed "s#DISK#$2#g"
}

# refused WHY: the last command ended with 4 and said why.
refused()
{
    [ "$code" -eq 4 ] && grep -q "$1" err && [ -z "$(whole disk)" ]
}

reference()
{
    rm -rf ref
    mkdir ref
    # shellcheck disable=SC2046 # words
    "$SLACKLINE" $(writer "$1" ref) >/dev/null 2>err || [ $? -eq 1 ] || fail "without a fault: $1" "$(cat err)"
}

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
    sizes="1 3 6"
    [ -z "${SL_LONG:-}" ] || sizes=$(seq 1 40)
    full=0
    while read -r line; do
        reference "$line"
        command=${line%% *}
        bad= fits=0
        for pages in $sizes; do
            mount -t tmpfs -o size=$((4 * pages))k slackline-test disk && mounted=yes
            code=0
            # shellcheck disable=SC2046
            "$SLACKLINE" $(writer "$line" disk) >out 2>err || code=$?
            if [ "$code" -le 1 ] && [ -z "$(whole disk)" ]; then
                fits=1
            elif refused 'No space left on device'; then
                full=$((full + 1))
            else
                bad="$bad $pages pages: exit $code, $(tail -1 err), $(whole disk | tr '\n' ' ');"
            fi
            unmount
        done
        if [ -z "$bad" ]; then pass "$command on a full disk"; else fail "$command on a full disk" "$bad"; fi
    done <writers
    check "full disks were met ($full)" test $full -gt 12

    # A complete file of an earlier run outlives a run that cannot replace it.
    mount -t tmpfs -o size=64k slackline-test disk && mounted=yes
    "$SLACKLINE" export $small -p recompute --format dot -o disk/old.dot >/dev/null 2>&1
    cp disk/old.dot kept.dot
    head -c 1000000 /dev/zero >disk/filler 2>/dev/null
    exits 4 "export --force on a full disk" export $small -p fetch-late --format handoff -o disk/old.dot --force
    says "old.dot" "names the file"
    check "the earlier file is as it was" cmp disk/old.dot kept.dot
    check "nothing lies beside it" sh -c "! ls disk | grep -q '~'"
    rm disk/filler

    # The same disk, read-only.
    mount -o remount,ro disk
    while read -r line; do
        code=0
        # shellcheck disable=SC2046
        "$SLACKLINE" $(writer "$line" disk) >out 2>err || code=$?
        check "${line%% *} on a read-only disk" sh -c "test $code -eq 4 && grep -q 'Read-only file system' err"
    done <writers
    unmount

    # Read-only in mid-run: the cells that are there stay, and --resume goes on when it is writable again.
    mount -t tmpfs -o size=8m slackline-test disk && mounted=yes
    long="sweep $hello --trials 100000 --threads 1 -o disk/o"
    "$SLACKLINE" $long >out 2>err &
    pid=$!
    tries=0
    while [ ! -e disk/o/cells/00000.part ] && [ $tries -lt 6000 ] && kill -0 $pid 2>/dev/null; do
        sleep 0.01
        tries=$((tries + 1))
    done
    if mount -o remount,ro disk 2>/dev/null; then
        code=0
        wait $pid || code=$?
        check "a disk that becomes read-only in mid-run" test $code -eq 4
        check "is named with the file" grep -q "cells/0000[0-9].part': Read-only file system" err
        check "the finished cell is there" test -s disk/o/cells/00000.part
        check "and no file of results" sh -c "! ls disk/o/*.csv 2>/dev/null | grep -q ."
    else
        kill -KILL $pid
        wait $pid 2>/dev/null
        skip "a disk that becomes read-only in mid-run" "it was being written at that instant"
    fi
    unmount
else
    skip "full and read-only disks" "tmpfs cannot be mounted here: $(head -1 err)"
fi

# A limit on the size of files; SIGXFSZ would end the process.
while read -r line; do
    rm -rf disk
    mkdir disk
    reference "$line"
    code=0
    # shellcheck disable=SC2046
    (ulimit -f 1 && exec "$SLACKLINE" $(writer "$line" disk)) >out 2>err || code=$?
    if [ "$code" -le 1 ] && [ -z "$(whole disk)" ]; then
        pass "${line%% *}: no file above 512 bytes"
    else
        check "${line%% *} under a limit on the size of files" refused 'File too large'
    fi
done <writers

# A standard output that takes nothing.
cat >printers <<EOW
check $hello
run $small -p recompute
sweep $small -p recompute
compare $small -p recompute -p fetch-late
search $small --evaluations 4 --search-trials 20
explain $small -p recompute
audit trace.json
import trace.json --window 0ns: -o imported
export $small -p recompute --format perfetto
export $small -p recompute --format handoff
export $small -p recompute --format dot
generate llm-train -o generated
list action
decide results --threads 1 --within 1 -o decided
reproduce decided/decision.yaml --threads 1
check $hello --json
run $small -p recompute --json
sweep $small -p recompute --json
compare $small -p recompute -p fetch-late --json
explain $small -p recompute --json
audit trace.json --json
--help
run --help
--version
EOW
while read -r line; do
    code=0
    # shellcheck disable=SC2086
    "$SLACKLINE" $line >/dev/full 2>err || code=$?
    check "a full standard output: ${line%% *}" sh -c \
        "test $code -eq 4 && grep -q 'No space left on device' err || { echo exit $code; cat err; false; }"
done <printers
for line in --help "measure --help" --version; do
    code=0
    # shellcheck disable=SC2086
    "$SLACKLINE_CALIBRATE" $line >/dev/full 2>err || code=$?
    check "a full standard output: slackline-calibrate $line" sh -c \
        "test $code -eq 4 && grep -q 'No space left on device' err"
done
finish
