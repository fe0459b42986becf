#!/bin/sh
# `make coverage`: builds in the folder $1 with counters, runs the tests named after it (all, if none is; the
# counts of named ones add to those that are there), and prints which share of the branches of sim/ and
# models/ was taken: per folder, and for the files that lack most.  The lines are in coverage.txt.
set -u
top=$(cd "${SL_SRCDIR:?}" && pwd -P) || exit 4
if ! command -v gcovr >/dev/null 2>&1; then
    echo "coverage: gcovr is not installed (Debian package gcovr)"
    exit 0
fi
mkdir -p "$1" && cd "$1" || exit 4
shift
if [ ! -f config.status ] || [ "$top/configure" -nt config.status ]; then
    "$top/configure" -q --enable-coverage CC="${CC:-gcc}" || exit 4
fi
# Without optimization, and with a counter at each branch, a case takes several times as long; one that
# passes its limit is killed, and its counts are lost.
slow='CK_TIMEOUT_MULTIPLIER=10; export CK_TIMEOUT_MULTIPLIER;'
rc=0
if [ $# -gt 0 ]; then
    make -k check TESTS="$*" TESTS_ENVIRONMENT="$slow" || rc=1
else
    find . -name '*.gcda' -exec rm -f {} +
    make -k -j"$(nproc)" check TESTS_ENVIRONMENT="$slow" || rc=1
    # Once at each place of a call that leads to an allocation, memory ends.
    SL_LONG=1 make -k check TESTS=tests/cli/faults_memory.sh TESTS_ENVIRONMENT="$slow" || rc=1
fi

# All branches of the object code without optimization count; none is excluded.  A process that ends while
# another thread of it runs leaves counts that do not add up, and gcov may derive one below 0: that branch is
# left out, and gcovr names it.
at=$(printf '%s\n' "$top" | sed 's/[][\.*^$+?(){}|]/\\&/g')
gcovr -j "$(nproc)" --gcov-ignore-parse-errors -r "$top" --object-directory . -f "$at/sim/" -f "$at/models/" --branches \
    --txt coverage.txt --csv coverage.csv sim models || exit 4

awk -F, -v most="${COVERAGE_FILES:-20}" '
    NR == 1 {
        for (i = 1; i <= NF; i++)
            column[$i] = i
        next
    }
    function count(name, branches, taken) { of[name] += branches; got[name] += taken }
    function show(name) {
        printf "%-20s %8d %8d %8d  %5.1f %%\n", name, of[name], got[name], of[name] - got[name],
            of[name] ? 100 * got[name] / of[name] : 100
    }
    {
        branches = $column["branch_total"]; taken = $column["branch_covered"]
        folder = $1; sub(/\/[^\/]*$/, "", folder)
        if (!(folder in of)) folders[++n] = folder
        count(folder, branches, taken); count("sim and models", branches, taken)
        file[$1] = branches - taken; all[$1] = branches
    }
    END {
        printf "%-20s %8s %8s %8s  %7s\n", "folder", "branches", "taken", "not", "taken"
        for (i = 1; i <= n; i++) show(folders[i])
        show("sim and models")
        if (n == 0) exit 4
        print "\nfiles that lack most (coverage.txt has all, with lines):"
        while (most-- > 0) {
            worst = ""
            for (name in file)
                if (worst == "" || file[name] > file[worst] || (file[name] == file[worst] && name < worst)) worst = name
            if (worst == "" || file[worst] == 0) break
            printf "%5d of %5d  %s\n", file[worst], all[worst], worst
            delete file[worst]
        }
    }' coverage.csv || exit 4
[ $rc -eq 0 ] || echo "coverage: tests failed, so that the counts may lack what they would have run"
exit $rc
