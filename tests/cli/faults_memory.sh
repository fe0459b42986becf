#!/bin/sh
# No memory: one allocation of a command fails, or all from one on.  The command ends with 4 and says
# that memory ran out, or the failure does not show at all; it never crashes, and no file under its
# final name is half-written.
#
# tests/support/fail_alloc.c counts the allocations; a request to an arena is one.  Those that fail are the
# first of each place of a call that led to one: of them a spread here, of each command; with SL_LONG=1 all
# that no command before had, and of more commands.  A build with AddressSanitizer says, too, what such a
# way out reads that is gone, and what it forgets to give back.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello
support=$SL_BUILDDIR/tests/support
fail=$support/.libs/libfailalloc.so
SOURCE_DATE_EPOCH=1796000000 SLACKLINE_DATA=$SL_SRCDIR
export SOURCE_DATE_EPOCH SLACKLINE_DATA
once=10 on=3
if sanitized address; then
    # Its allocator is behind ours, which dlopen has made an object for.
    once=5 on=1
    echo leak:dl_open_worker >"$work/known"
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0:exitcode=99
    LSAN_OPTIONS=suppressions=$work/known:print_suppressions=0
    export ASAN_OPTIONS LSAN_OPTIONS
elif sanitized; then
    skip_all "the sanitizer has its own allocator"
fi
[ -z "${SL_LONG:-}" ] || once=1000000 on=20
for built in "$fail" "$support/slackline"; do
    test -e "$built" || skip_all "$built is not built (make check builds it)"
done
# Its code is in a shared library, so that a request to an arena can fail; without libtool's script around.
if [ -z "${LSAN_OPTIONS:-}" ] && [ -x "$support/.libs/slackline" ]; then
    SLACKLINE=$support/.libs/slackline LD_LIBRARY_PATH=$SL_BUILDDIR/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
fi
simulator=$SLACKLINE
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
    elif [ "$code" -eq 4 ] && grep -qi -e 'out of memory' -e 'cannot allocate memory' -e 'not enough memory' one.err one.out; then
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
    elif [ "$code" -eq "$wanted" ] && grep -q '^no pictures were drawn: .*memory' one.err; then
        refused=$((refused + 1)) # the results are whole
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
    [ -n "${SL_LONG:-}" ] || rm -f places.seen
    (cd ref && SL_FAIL_PLACES=../places LD_PRELOAD="$fail" "$SLACKLINE" "$@" >../ref.out 2>../ref.err) ||
        code=$?
    [ "$code" -eq "$wanted" ] || fail "$name without a fault" "exit $code: $(cat ref.err)"
    all=$(tail -1 places)
    sed '$d' places >new
    refused=0 unseen=0
    : >bad
    if [ "$name" = plot ]; then # gnuplot takes its time
        points new 16 >once
    else
        points new $once >once
    fi
    points new $on >from
    while read -r point; do
        fails_well SL_FAIL_ALLOC "$point" "$@"
    done <once
    while read -r point; do
        fails_well SL_FAIL_FROM "$point" "$@"
    done <from
    what="$name: $refused failures refused, $unseen without effect, of $(wc -l <new) places and $all allocations"
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
[ -n "${SL_LONG:-}" ] || finish

# ---- the rest of the commands, and of what they read: with SL_LONG=1 ----------------------------
scenarios=$SL_SRCDIR/scenarios traces=$SL_SRCDIR/tests/fixtures/traces
SLACKLINE=$simulator
rm -rf before/*
mkdir in
few() { echo "$scenarios/$1 --trials 2 --threads 1"; }

# Scenarios: all parts that are read; iterations, several ranks, jobs, evictions, tables of a device.
for folder in two-gpu weight-stream optimizer-offload/gpu-step azure-conversation/llama-8b; do
    memory 0 "check $folder" check "$scenarios/$folder" --json
done
memory 0 "run of iterations" run $(few moe-prefetch) --set run.iterations=8 -o o
memory 0 "run of a steady state" run $(few train-steady) --set run.iterations=50 --json
memory 0 "run of two ranks" run $(few two-gpu) -p both -o o
memory 0 "sensitivity" run $(few two-gpu) -p both --sensitivity
memory 0 "run of copies" run $(few weight-stream) -p lookahead-1 -o o
memory 0 "run with evictions" run $(few activation-remat) -p remat-early -o o
memory 0 "robustness" compare "$hello" --trials 450 --threads 1 -p recompute -p fetch-early --set domains.hbm.capacity=4.25GiB --robustness 2 --replan -o o
memory 0 "until" sweep $small -p recompute --until p90:50%
for policy in mixed-jit offload-largest; do
    memory 0 "plan of $policy" run $(few activation-offload) -p $policy -o o
done
memory 0 "a search of a larger graph" search $(few activation-offload) --evaluations 6 --search-trials 2 --json

# Jobs.
jobs="$scenarios/kv-offload --trials 2 --threads 1 --set run.jobs=40 --set run.warmup=4"
for policy in none ahead nvme; do memory 0 "jobs, $policy" run $jobs -p $policy -o o; done
memory 0 "jobs that are compared" compare $jobs -p none -p ahead --json
memory 0 "jobs that are swept" sweep $jobs -p ahead --axis policy.prefetch.lookahead=1,2 -o o
memory 0 "a map of jobs" sweep $jobs -p none -p ahead --map --axis scale.size.kv=1,2 --axis routes.*.bandwidth=26GB/s,52GB/s -o o
memory 0 "a map that is refined, raced" sweep $small -p recompute -p fetch-late --map --refine 1 --race \
    --axis domains.hbm.capacity=4.25GiB,5GiB --axis scale.bandwidth.*=1,2 -o o
memory 0 "a job" explain $jobs -p nvme --at worst
memory 0 "a job, as JSON" explain $jobs -p ahead --job 30 --json
memory 0 "jobs of a trace" run "$scenarios/azure-conversation/llama-8b" --trials 1 --threads 1 -o o
closed='{mode: closed, concurrency: 3, jobs: 40, warmup: 4, parameters: {context_tokens: const(5000), generated_tokens: const(50), conversation: const(1)},
    blocks: {count: 2, common: 1, own: 1, conversation: conversation}, marks: {ttft: prefill}}'
memory 0 "a closed system" run "$scenarios/kv-offload" --trials 2 --threads 1 -p none --set run="$closed" -o o

# What a trial did.
memory 0 "costs" explain $(few activation-offload) -p mixed-jit --costs
memory 0 "costs, as JSON" explain $(few activation-offload) -p mixed-jit --costs --json
memory 0 "a node" explain $small -p recompute --node f4
memory 0 "an object" explain $small -p fetch-late --object a0
memory 0 "files of a trial" explain $small -p fetch-late -o o

# Traces of both formats.
weights=$traces/weight_stream.json
memory 0 "audit of a trace" audit "$weights" -o o
memory 0 "import of a trace" import "$weights" --movable in --durations empirical -o o
memory 0 "import of a trace, as JSON" import "$weights" --json -o o
if [ -f "$SL_SHARED/data/nsys/copies_1.sqlite" ]; then
    memory 0 "audit of nsys's trace" audit "$SL_SHARED/data/nsys/copies_1.sqlite" -o o
    memory 0 "import of nsys's trace" import "$SL_SHARED/data/nsys/copies_1.sqlite" -o o
else
    skip "a trace of nsys" "the shared data is not there"
fi
for template in llm-decode moe weight-stream chain; do
    memory 0 "generate $template" generate $template -o o
done
memory 0 list list

# A decision from its hypothesis to its acceptance, and on another device.
cp -R "$SL_SRCDIR/tests/fixtures/loop" in/loop && chmod -R u+w in/loop
loop=$work/in/loop
"$SLACKLINE_CALIBRATE" measure --backend script --script "$loop/machine.yaml" -o "$loop/device" \
    --cases 'alone:*;pair:*;control:*' >/dev/null 2>&1
memory 0 "a device's tables" check "$loop"
for policy in ahead again; do
    "$SLACKLINE_CALIBRATE" replay "$loop" -p $policy -b script --script "$loop/machine.yaml" -n 60 -o "in/$policy" >/dev/null 2>&1
done
"$SLACKLINE" sweep "$loop" --trials 200 --threads 1 -o before/r >/dev/null 2>&1
memory 1 "decide again" decide r --threads 1 --within 1 --json
(cd before && "$SLACKLINE" decide r --threads 1 --within 1 >/dev/null 2>&1)
memory 0 feasibility feasibility r --threads 1 --mapping cuda --write-reply reply.json
(cd before && "$SLACKLINE" feasibility r --threads 1 --mapping cuda --write-reply reply.json >/dev/null 2>&1)
memory 0 "a reply" feasibility r --threads 1 --reply reply.json --json
memory 0 "its hand-off" export r --format handoff -o o.json
memory 0 measured decide r --threads 1 --measured ../in/ahead --measured-baseline ../in/again
cp before/r/decision.yaml before/was.yaml
(cd before && "$SLACKLINE" decide r --threads 1 --measured ../in/ahead --measured-baseline ../in/again >/dev/null 2>&1)
memory 0 "compared with what it was" decide r --compare was.yaml
memory 0 reproduced reproduce r --threads 1
memory 0 "on a device" decide r --rebase --device "$loop/device" --threads 1
memory 0 "compared with measurements" compare "$loop" --trials 20 --threads 1 -p ahead -p again --measured ../in/ahead --measured ../in/again
finish
