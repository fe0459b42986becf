#!/bin/sh
# Whole runs give the same results folder, byte for byte, whatever vector instructions they use: each
# scenario of the gallery, and each workload of tests/bench, which between them take all ways of running a
# trial.  What the machine does not have is skipped by name.
. "$SL_SRCDIR/tests/support/tap.sh"
program=$SL_BUILDDIR/tests/cli/slackline_isa
workload=$SL_BUILDDIR/tests/bench/write_workload

# simulate ISA FOLDER ARGUMENTS...
simulate()
{
    isa=$1 to=$2
    shift 2
    SL_FORCED_ISA=$isa "$SL_BUILDDIR/libtool" --mode=execute "$program" "$@" -o "$to" >"$to.out" 2>"$to.err"
}

# plain FOLDER: without what may differ, after a look at what the manifest says was used.
plain()
{
    grep -q "\"vectors\": \"$2\"" "$1/manifest.json" || return 1
    sed -i '/"date":/d; /"command":/d; /"vectors":/d' "$1/manifest.json"
    sed -i '/trials\/s/d; /results:/d' "$1.out"
}

machine=
for isa in baseline avx2 avx512; do
    code=0
    SL_FORCED_ISA=$isa "$program" --version >/dev/null 2>&1 || code=$?
    case $code in
    0) machine="$machine $isa" ;;
    77) skip "runs with $isa" "this machine has no $isa" ;;
    *) fail "runs with $isa" "exit $code" ;;
    esac
done

# compare NAME ARGUMENTS...: all that the machine has against the baseline.
compare()
{
    name=$1
    shift
    for isa in $machine; do
        code=0
        simulate "$isa" "$work/$isa" "$@" || code=$?
        if [ $code -gt 1 ]; then
            fail "$name with $isa" "exit $code: $(cat "$work/$isa.err")"
            continue
        fi
        check "$name says that it used $isa" plain "$work/$isa" "$isa"
        [ "$isa" = baseline ] && continue
        check "$name with $isa: the folder is the baseline's" diff -r "$work/baseline" "$work/$isa"
        check "$name with $isa: so is the report" cmp "$work/baseline.out" "$work/$isa.out"
    done
    for isa in $machine; do
        rm -rf "$work/$isa" "$work/$isa.out" "$work/$isa.err"
    done
}

# Under sanitizers, which find what a loop reads beside its arrays, the workloads take all of the loops.
gallery=$SL_SRCDIR/scenarios
sanitized && gallery=$SL_SRCDIR/scenarios/hello
for dir in "$gallery"/ "$gallery"/*/ "$gallery"/*/*/; do
    trials=30
    case $dir in
    */counterexamples/*) continue ;;
    */azure-conversation/*) trials=2 ;; # of thousands of jobs each
    esac
    [ -e "$dir/scenario.yaml" ] || continue
    compare "$(basename "$dir")" run "$dir" --trials $trials --threads 1
done
for made in w1:200 w1-lanes:200 w2b:200 w1-full:200 many-running:40 sharing:2000; do
    "$workload" "${made%:*}" "${made#*:}" "$work/made" || { fail "$made is made"; continue; }
    compare "${made%:*}" run "$work/made" --trials 30 --threads 1
    rm -rf "$work/made"
done
finish
