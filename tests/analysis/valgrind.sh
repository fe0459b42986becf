#!/bin/sh
# `make check-valgrind`: each test without forks under memcheck; bytes that are lost are errors, too.
set -u
if ! command -v valgrind >/dev/null 2>&1; then
    echo "check-valgrind: valgrind is not installed (Debian package valgrind)"
    exit 0
fi
CK_FORK=no
CK_DEFAULT_TIMEOUT=0
export CK_FORK CK_DEFAULT_TIMEOUT
. "${SL_SRCDIR:?}/tests/analysis/counts.sh"
rc=0
: >valgrind-all.log
for test in "$@"; do
    # A failed case leaves what it held: its bytes are no news.
    if ${LIBTOOL:?} --mode=execute valgrind -q --error-exitcode=99 --leak-check=full \
        --show-leak-kinds=definite --errors-for-leak-kinds=definite "./$test" >valgrind.log 2>&1; then
        echo "ok - $test: $(counts valgrind.log)"
    else
        echo "not ok - $test: $(counts valgrind.log)"
        grep -e '^==' -e '^not ok' valgrind.log | head -40
        rc=1
    fi
    cat valgrind.log >>valgrind-all.log
done
echo "check-valgrind: $(counts valgrind-all.log)"
rm -f valgrind.log valgrind-all.log
exit $rc
