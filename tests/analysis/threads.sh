#!/bin/sh
# `make check-threads`: builds with ThreadSanitizer in the folder $1, and runs the tests named there.
set -u
top=${SL_SRCDIR:?}
mkdir -p "$1" && cd "$1" || exit 4
shift
if [ ! -f config.status ] || [ "$top/configure" -nt config.status ]; then
    "$top/configure" -q --enable-sanitizers=thread CC="${CC:-gcc}" || exit 4
fi
make -s "$@" || exit 4
TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"
CK_FORK=no # the sanitizer sees no threads across a fork
CK_DEFAULT_TIMEOUT=0
export TSAN_OPTIONS CK_FORK CK_DEFAULT_TIMEOUT
. "$top/tests/analysis/counts.sh"
rc=0
: >threads-all.log
for test in "$@"; do
    if "./$test" >threads.log 2>&1 && ! grep -q '^not ok' threads.log; then
        echo "ok - $test: $(counts threads.log)"
    else
        echo "not ok - $test: $(counts threads.log)"
        cat threads.log
        rc=1
    fi
    cat threads.log >>threads-all.log
done
echo "check-threads: $(counts threads-all.log)"
rm -f threads.log threads-all.log
exit $rc
