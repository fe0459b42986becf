#!/bin/sh
# `make lint`: clang-tidy by .clang-tidy, and cppcheck, over all sources below $1.  A finding is an error.
set -u
top=$1
: "${LINT_FLAGS:?}" "${LINT_FILES:=}"
rc=0
flags="$LINT_FLAGS -DSL_PKGDATADIR='\"/\"'"

# comm_mpi.c needs a build with MPI.
list()
{
    if [ -n "$LINT_FILES" ]; then
        # shellcheck disable=SC2086
        printf '%s\n' $LINT_FILES
    else
        find "$top/sim" "$top/models" "$top/plots" "$top/calibrate" -name '*.c' ! -name comm_mpi.c | sort
    fi
}

tidy()
{
    deep=
    [ -n "${LINT_DEEP:-}" ] || deep=--checks=-clang-analyzer-*
    # Words of the flags are the compiler's; quotes in -D are the shell's.
    # shellcheck disable=SC2086,SC2046
    eval clang-tidy --quiet --warnings-as-errors="'*'" $deep $(list | tr '\n' ' ') -- "$flags" \
        -std=gnu17 -Wno-unknown-pragmas 2>/dev/null
}

if command -v clang-tidy >/dev/null 2>&1; then
    tidy || rc=1
else
    echo "lint: clang-tidy is not installed (Debian package clang-tidy)"
fi
if command -v cppcheck >/dev/null 2>&1; then
    # It knows neither -iquote nor -isystem.
    flags=$(echo "$flags" | sed 's/-iquote /-I /g; s/-isystem [^ ]*//g')
    # shellcheck disable=SC2046
    eval cppcheck --quiet --std=c11 --enable=warning,portability,performance --inline-suppr \
        --error-exitcode=1 --suppress=missingIncludeSystem --suppress=invalidPointerCast \
        --suppress=internalAstError --suppress=uninitvar --suppress=legacyUninitvar \
        --suppress=objectIndex --template="'{file}:{line}: {severity}: {message} [{id}]'" "$flags" \
        -D__x86_64__ $(list | tr '\n' ' ') || rc=1
else
    echo "lint: cppcheck is not installed (Debian package cppcheck)"
fi
[ $rc -ne 0 ] || echo "lint: nothing found"
exit $rc
