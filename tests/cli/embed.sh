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
    sed 's/int main(void)/int main()/' "$work/least.c" >"$work/least.cc"
    # shellcheck disable=SC2086 # flags are words
    check "... and is C++, too" ${CXX:-c++} -Wall -Wextra -Werror -fsyntax-only $(pkg-config --cflags slackline) \
        "$work/least.cc"
else
    skip "... and is C++, too" "no C++ compiler"
fi
finish
