#!/bin/sh
# The library as others see it: the program of doc/embedding.md is compiled with what is installed and
# nothing else, and prints what the page says, which closed forms confirm; what is exported is listed.
. "$SL_SRCDIR/tests/support/tap.sh"
page=$SL_SRCDIR/doc/embedding.md
symbols=$SL_SRCDIR/sim/slackline.sym

# The list of exported symbols, three times: the committed one, the library's and the header's.
nm -D --defined-only "$SL_BUILDDIR/.libs/libslackline.so" | awk '$2 != "A" {print $3}' | sort >"$work/nm"
check "the library exports what sim/slackline.sym lists" diff "$symbols" "$work/nm"
check "... all of it begins with sl_" test "$(grep -vc '^sl_' "$work/nm")" -eq 0
grep -o '^[a-z][^/*(]*[ *]sl_[a-z_]*(' "$SL_SRCDIR/sim/slackline.h" | grep -o 'sl_[a-z_]*(' | tr -d '(' |
    sort >"$work/header"
check "... and is declared by slackline.h, like nothing else" diff "$symbols" "$work/header"

# What is installed, in a folder that stands for /.
root=$work/root
MAKEFLAGS= MFLAGS= make -s -C "$SL_BUILDDIR" DESTDIR="$root" install-libLTLIBRARIES \
    install-includeHEADERS install-pkgconfigDATA >"$work/out" 2>&1 ||
    fail "installing the library" "$(cat "$work/out")"
PKG_CONFIG_PATH=$(dirname "$(find "$root" -name slackline.pc)")
PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
check "one header is installed" test "$(find "$root" -name '*.h' | wc -l)" -eq 1
check "pkg-config knows the version" test "slackline $(pkg-config --modversion slackline)" = \
    "$("$SLACKLINE" --version | sed -n 1p)"
flags=$(pkg-config --cflags --libs slackline)
LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libslackline.so)")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# compile SOURCE PROGRAM: in a folder without any of our files.
compile()
{
    # shellcheck disable=SC2086 # flags are words
    (cd "$work" && ${CC:-cc} ${SL_CFLAGS:-} -std=c17 -Wall -Wextra -Wpedantic -Werror "$1" $flags -lm -o "$2")
}

sed -n '/^```c$/,/^```$/p' "$page" | grep -v '^```' >"$work/embed.c"
check "the program of the page compiles without warnings" compile embed.c embed
got=0
"$work/embed" >"$work/out" 2>"$work/err" || got=$?
check "... and runs" test "$got" -eq 0 -a ! -s "$work/err"
sed -n '/^```text$/,/^```$/p' "$page" | grep -v '^```' >"$work/expected"
check "... and prints what the page says" diff "$work/expected" "$work/out"

sed 's/10000, 0, /100, 2, /' "$work/embed.c" >"$work/few.c"
check "... with fewer trials, too" compile few.c embed-few

# within POLICY MS: the closed form lies in the interval of the policy's p99.
within()
{
    sed -n "/^$1:/,/p99/s/.*\[\(.*\), \(.*\)\]/\1 \2/p" "$work/out" |
        awk -v x="$2" '{ok = $1 <= x && x <= $2} END {exit !ok}'
}
z=2.3263478740408408
check "the p99 of recompute has its closed form" within recompute \
    "$(awk "BEGIN {print 40 + 30 * exp(0.25 * $z)}")"
check "the p99 of offload has its closed form" within offload \
    "$(awk "BEGIN {print 30 + 2 * (0.01 + 2 * 2^30 / 50e9 * 1e3) + 30 * exp(0.25 * $z)}")"

printf '#include <slackline.h>\nint main(void) { return sl_version()[0] == 0; }\n' >"$work/least.c"
check "the header needs no other before it" compile least.c least
if ${CXX:-c++} --version >"$work/cxx" 2>&1; then
    cat >"$work/rows.cc" <<'EOF'
#include <slackline.h>
int main()
{
    sl_model *model = nullptr;
    sl_result *result = nullptr;
    sl_status status = sl_model_create(
        &model, "name: x\nresources: {gpu: {servers: 1}}\nobjective: {metric: makespan, tail: 0.9}\n", nullptr);
    if (status == SL_OK)
        status = sl_model_row(model, "nodes",
                              SL_ROW("node", "a", "kind", "compute", "resource", "gpu", "duration", "10us"));
    if (status == SL_OK)
        status = sl_model_run(model, nullptr, 3, 1, &result);
    const int64_t time_ps = status == SL_OK ? sl_result_times_ps(result)[2] : 0;
    sl_result_free(result);
    sl_model_free(model);
    return time_ps != 10000000;
}
EOF
    for standard in c++11 c++20; do
        # shellcheck disable=SC2086 # flags are words
        check "... and is $standard, too" sh -c "cd '$work' && ${CXX:-c++} -std=$standard -Wall -Wextra -Wpedantic \
            -Werror $(echo ${SL_CFLAGS:-} | grep -o -e '-fsanitize=[^ ]*') rows.cc $flags -o rows && ./rows"
    done
else
    skip "... and is C++, too" "no C++ compiler"
fi

# Errors, ownership and threads that the header states hold to the last byte.
if command -v valgrind >/dev/null 2>&1 && ! echo "${SL_CFLAGS:-}" | grep -q sanitize; then
    check "the page's program leaves nothing and touches nothing that is not its own" \
        valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,indirect "$work/embed-few"
else
    skip "the page's program under valgrind" "valgrind is not installed, or a sanitizer is built in"
fi
finish
