#!/bin/sh
# No memory: one allocation of a command fails, or all from one on.  The command ends with 4 and says
# that memory ran out, or the failure does not show at all; it never crashes, and no file under its
# final name is half-written.
#
# tests/support/fail_alloc.c counts the allocations.  Here a spread of the distinct stacks of callers
# of each command; with SL_LONG=1 all of them, and "all from one on" at a spread.  A build with
# AddressSanitizer says, too, what such a way out reads that is gone, and what it forgets to give back.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello
fail=$SL_BUILDDIR/tests/support/.libs/libfailalloc.so
SOURCE_DATE_EPOCH=1796000000 SLACKLINE_DATA=$SL_SRCDIR
export SOURCE_DATE_EPOCH SLACKLINE_DATA
once=16 on=4
if grep -q "^SL_CFLAGS = .*-fsanitize=address" "$SL_BUILDDIR/Makefile"; then
    # Its allocator is behind ours, which dlopen has made an object for.
    once=5 on=1
    echo leak:dl_open_worker >"$work/known"
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0:exitcode=99
    LSAN_OPTIONS=suppressions=$work/known:print_suppressions=0
    export ASAN_OPTIONS LSAN_OPTIONS
elif grep -q "^SL_CFLAGS = .*-fsanitize" "$SL_BUILDDIR/Makefile"; then
    skip_all "the sanitizer has its own allocator"
fi
[ -z "${SL_LONG:-}" ] || once=1000000 on=100
test -e "$fail" || skip_all "$fail is not built (make check builds it)"
cd "$work" || exit 99

# What may differ between two runs: the time that they took, and their dates.
plain()
{
    sed -e '/^# start=/d' -e '/{name: start,/d' -e '/ trials in /d' -e '/"date"/d' -e '/"command"/d' -e 's/ in [0-9.e-]* s\([ :]\)/ in - s\1/' "$1"
}

# same_file A B
same_file()
{
    cmp -s "$1" "$2" || { plain "$1" >a.plain && plain "$2" >b.plain && cmp -s a.plain b.plain; }
}

# whole CASE: every file of it is one of the reference or as it was before; names one that is not.
whole()
{
    (cd "$1" && find . -type f) | while read -r file; do
        for known in ref before; do
            [ -e "$known/$file" ] && same_file "$1/$file" "$known/$file" && continue 2
        done
        case $file in
        */cells/*.part) continue ;; # taken up below
        */manifest.json) grep -q '"finished": false' "$1/$file" && continue ;;
        esac
        echo "$file"
    done
}

# case_of FOLDER: what the commands find in their working folder.
case_of()
{
    rm -rf "$1"
    cp -r before "$1"
}

# fails_well VARIABLE NUMBER ARGUMENTS...: adds to $refused, $unseen, or to the file "bad".
fails_well()
{
    how=$1 point=$2
    shift 2
    case_of one
    code=0
    (cd one && env "$how=$point" LD_PRELOAD="$fail" "$SLACKLINE" "$@" >../one.out 2>../one.err) ||
        code=$?
    spoilt=$(whole one)
    if [ -n "$spoilt" ]; then
        echo "$how=$point: exit $code, and half-written: $spoilt" >>bad
    elif [ "$code" -eq 4 ] && grep -qi -e 'out of memory' -e 'cannot allocate memory' -e 'not enough memory' one.err; then
        refused=$((refused + 1))
        if [ "$name" = "$resumed" ] && [ -d one/o/cells ]; then
            (cd one && "$SLACKLINE" "$@" --resume >/dev/null 2>&1) || echo "$how=$point: no --resume" >>bad
            spoilt=$(whole one)
            [ -z "$spoilt" ] || echo "$how=$point: --resume gives other files: $spoilt" >>bad
        fi
    elif [ "$code" -eq "$wanted" ] && same_file one.out ref.out && diff -r -q before one >/dev/null; then
        unseen=$((unseen + 1)) # nothing written, in both
    elif [ "$code" -eq "$wanted" ] && same_file one.out ref.out &&
        [ "$(cd one && find . | sort)" = "$(cd ref && find . | sort)" ]; then
        unseen=$((unseen + 1))
    else
        echo "$how=$point: exit $code, $(tail -1 one.err)" >>bad
    fi
}

# points FILE COUNT: about so many of its lines.
points()
{
    awk -v n="$(wc -l <"$1")" -v count="$2" \
        'BEGIN {step = n > count ? n / count : 1} int(NR / step) > int((NR - 1) / step)' "$1"
}

# memory WANTED NAME ARGUMENTS...
memory()
{
    wanted=$1 name=$2
    shift 2
    case_of ref
    code=0
    (cd ref && SL_FAIL_STACKS=../stacks LD_PRELOAD="$fail" "$SLACKLINE" "$@" >../ref.out 2>../ref.err) ||
        code=$?
    [ "$code" -eq "$wanted" ] || fail "$name without a fault" "exit $code: $(cat ref.err)"
    all=$(tail -1 stacks)
    sed '$d' stacks >distinct
    refused=0 unseen=0
    : >bad
    points distinct $once >once
    points distinct $on >from
    while read -r point; do
        fails_well SL_FAIL_ALLOC "$point" "$@"
    done <once
    while read -r point; do
        fails_well SL_FAIL_FROM "$point" "$@"
    done <from
    what="$name: $refused failures refused, $unseen without effect, of $(wc -l <distinct) stacks and $all allocations"
    if [ -s bad ]; then fail "$what" "$(head -20 bad)"; else pass "$what"; fi
}

resumed="a sweep of two cells"
mkdir before
{
    printf '{"traceEvents":['
    for step in 0 1 2 3; do
        at=$((1000 + 200 * step))
        printf '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%d","pid":5,"tid":5,"ts":%d,"dur":100},' $step $at
        printf '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":5,"ts":%d,"dur":2,"args":{"correlation":%d}},' \
            $((at + 4)) $((10 + step))
        printf '{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":%d,"dur":40,"args":{"device":0,"stream":7,"correlation":%d}},' \
            $((at + 10)) $((10 + step))
    done
    printf '{"ph":"M","name":"end"}]}\n'
} >before/trace.json
small="$hello --trials 20 --threads 1"

memory 0 check check "$hello"
memory 0 run run $small -p recompute -o o
memory 0 "$resumed" sweep $small -p recompute -p fetch-late \
    --axis domains.hbm.capacity=4.25GiB -o o
memory 0 compare compare $small -p recompute -p fetch-late -o o
memory 0 search search $small --evaluations 4 --search-trials 20 -o o
memory 0 explain explain $small -p recompute --json
memory 0 audit audit trace.json -o o
memory 0 import import trace.json -o o
for format in perfetto handoff dot; do
    memory 0 "export to $format" export $small -p recompute --format $format -o o.json
done
memory 0 generate generate llm-train -o o
"$SLACKLINE" sweep "$hello" --trials 400 --threads 1 -p recompute -p fetch-early \
    --axis domains.hbm.capacity=4.25GiB -o before/r >/dev/null 2>&1
memory 1 decide decide r --threads 1 --within 1
if command -v gnuplot >/dev/null 2>&1; then
    memory 0 plot plot r
else
    skip plot "gnuplot is not installed"
fi

SLACKLINE=$SLACKLINE_CALIBRATE
cp "$SL_SRCDIR/tests/fixtures/calibrate/machine.yaml" before/
cp -R "$SL_SRCDIR/tests/fixtures/drift" before/drift && chmod -R u+w before/drift
machine="--backend script --script machine.yaml --cases pair:gemm|copy.h2d;control:*"
memory 0 measure measure $machine --sessions 2 -o o
memory 0 session session $machine --session 2 -o o
(cd before && "$SLACKLINE" measure --backend script --script drift/machine.yaml --cases 'alone:*;pair:*;control:*' \
    --sessions 2 -o drift/device >/dev/null 2>&1)
memory 0 verify verify --script drift/machine.yaml drift/device --rows 4
memory 0 replay replay drift --backend script --script drift/machine.yaml -n 5 --threads 1 -o o
finish
