#!/bin/sh
# `make fuzz`: builds the fuzz targets with clang and libFuzzer in the folder $1, and runs each of
# FUZZ_TARGETS (all) for FUZZ_SECONDS.  Inputs found earlier are where the next run begins.
# Ends with a table; exit 1 where an input broke a target, which is kept in $1/found.
set -u
: "${SL_SRCDIR:?}" "${FUZZ_SECONDS:=60}" "${FUZZ_TARGETS:=}"
CLANG=${CLANG:-clang}
mkdir -p "$1/corpus" "$1/found" && cd "$1" || exit 4
SL_SRCDIR=$(cd "$SL_SRCDIR" && pwd)
export SL_SRCDIR

needs()
{
    echo "make fuzz: $1" >&2
    exit 4
}

command -v "${CLANG##* }" >/dev/null 2>&1 || needs "clang is missing: install the Debian package clang"
echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return !d && n; }' >probe.c
# shellcheck disable=SC2086
$CLANG -fsanitize=fuzzer,address probe.c -o probe >/dev/null 2>&1 ||
    needs "clang has no libFuzzer or AddressSanitizer: install the Debian package libclang-rt-14-dev (of clang's version)"
rm -f probe probe.c

if [ ! -f config.status ] || [ "$SL_SRCDIR/configure" -nt config.status ]; then
    "$SL_SRCDIR/configure" -q --enable-fuzzing --disable-shared --enable-static CC="$CLANG" || exit 4
fi
make -s tests/fuzz/replay tests/fuzz/fuzz || exit 4

# In memory where it can be: targets write each input's files.
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || TMPDIR=/dev/shm
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/slackline-fuzz-XXXXXX") || exit 4
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA

rc=0
: >table
for target in ${FUZZ_TARGETS:-$(tests/fuzz/replay --list)}; do
    mkdir -p "corpus/$target" seeds
    tests/fuzz/replay --seeds "$target" seeds || exit 4
    known=$SL_SRCDIR/tests/fuzz/crashes/$target
    [ -d "$known" ] || known=
    # -close_fd_mask: what a target prints is of no use; -reload: nobody else adds to the corpus.
    # shellcheck disable=SC2086
    SL_FUZZ_TARGET=$target tests/fuzz/fuzz -max_total_time="$FUZZ_SECONDS" -max_len=40000 \
        -timeout=30 -rss_limit_mb=3000 -print_final_stats=1 -reload=0 -verbosity=1 \
        -artifact_prefix="found/$target-" "corpus/$target" seeds $known >"$target.log" 2>&1
    got=$?
    rm -rf seeds
    [ $got -eq 0 ] || rc=1
    awk -v target="$target" -v got=$got '
        /cov: / {for (i = 1; i < NF; i++) {if ($i == "cov:") cov = $(i + 1); if ($i == "corp:") corpus = $(i + 1)}}
        /^INFO: Loaded .* modules/ {for (i = 1; i <= NF; i++) if ($i ~ /^\(/) {edges = $i; sub(/\(/, "", edges)}}
        /stat::number_of_executed_units/ {runs = $2}
        /stat::average_exec_per_sec/ {speed = $2}
        END {printf "%-12s %12d %8d %8d %9d  %s\n", target, runs, speed, cov, corpus,
             got ? "BROKEN: see found/ and " target ".log" : "ok"
             if (edges) print edges >"edges"}' "$target.log" >>table
    tail -1 table
done
echo
printf '%-12s %12s %8s %8s %9s\n' target executions per_s edges corpus
cat table
[ -f edges ] && echo "of $(cat edges) edges in all targets together"
exit $rc
