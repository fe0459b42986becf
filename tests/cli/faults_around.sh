#!/bin/sh
# What surrounds a command: no gnuplot, a locale with decimal commas, a wall clock that is set back and
# forth.  None of it changes a figure.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
cd "$work" || exit 99
small="$hello --trials 400 --threads 1 -p recompute -p fetch-early --axis domains.hbm.capacity=4.25GiB"
exits 0 "results" sweep $small -o plain
mv out plain.out

# same FOLDER: the results of "plain", but for the date and the command.
same()
{
    for file in plain/*.csv; do
        cmp "$file" "$1/$(basename "$file")" || return 1
    done
    grep -v -e '"date"' -e '"command"' plain/manifest.json >m1
    grep -v -e '"date"' -e '"command"' "$1/manifest.json" | diff m1 -
}

# without_time FILE
without_time()
{
    grep -v -e ' trials in ' -e '^results: ' "$1"
}

mkdir empty
before=$(cd plain && find . -type f -exec sha256sum {} + | sort)
code=0
PATH=$work/empty "$SLACKLINE" plot plain >out 2>err || code=$?
check "plot without gnuplot exits with 4" test $code -eq 4
says "gnuplot is missing: install the Debian package gnuplot-nox" "and says what to install"
rmdir plain/plots 2>/dev/null
check "the results are as they were" test "$before" = "$(cd plain && find . -type f -exec sha256sum {} + | sort)"

if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1 || [ -d "$work/de_DE.UTF-8" ]; then
    comma=$(LOCPATH=$work LC_ALL=de_DE.UTF-8 awk 'BEGIN {print "1"}' >/dev/null 2>&1
        LOCPATH=$work LC_ALL=de_DE.UTF-8 locale decimal_point 2>/dev/null)
    check "a locale with decimal commas is there" test "$comma" = ,
    LC_ALL=de_DE.UTF-8 LOCPATH=$work
    export LC_ALL LOCPATH
    exits 0 "a sweep in it" sweep $small -o german
    without_time plain.out >a
    without_time out >b
    LC_ALL=C
    unset LOCPATH
    check "gives the same files" same german
    check "and prints the same" diff a b

    # The same for a program that has set it and uses the library: its own printf has commas, what the
    # library read and says has none.
    sed -n '/^```c$/,/^```$/p' "$SL_SRCDIR/doc/embedding.md" | grep -v '^```' >plain.c
    awk '{print} /^{/ && main {print "    if (!setlocale(LC_ALL, \"\")) return 77;"; main = 0} /^int main/ {main = 1}' \
        plain.c | sed '1i #include <locale.h>' >german.c
    for program in plain german; do
        # shellcheck disable=SC2086 # flags are words
        ${CC:-cc} ${SL_CFLAGS:-} -iquote "$SL_SRCDIR/sim" -I "$SL_SRCDIR/sim" $program.c -L "$SL_BUILDDIR/.libs" \
            -lslackline -lm -o $program.run 2>err || fail "compiling the program of embedding.md" "$(cat err)"
    done
    LD_LIBRARY_PATH=$SL_BUILDDIR/.libs:${LD_LIBRARY_PATH:-}
    export LD_LIBRARY_PATH
    ./plain.run >a
    LC_ALL=de_DE.UTF-8 LOCPATH=$work ./german.run >b
    check "a program in it" grep -q '[0-9],[0-9]' b
    grep -v waits a | tr . , >c
    check "reads and simulates the same" sh -c "grep -v waits b | tr . , | diff c -"
    check "the library's own words have a decimal point" sh -c "! grep waits b | grep -q '[0-9],[0-9]* [GM]iB'"
else
    skip "a locale with decimal commas" "localedef cannot make one here"
fi

clock=$SL_BUILDDIR/tests/support/.libs/libstepclock.so
if sanitized || [ ! -e "$clock" ]; then
    skip "a wall clock that is set" "nothing can be preloaded into this build"
    finish
fi
code=0
LD_PRELOAD=$clock "$SLACKLINE" sweep $small -o stepped >out 2>err || code=$?
check "a sweep while the clock is set ten years back and forth" test $code -eq 0
check "gives the same files" same stepped
check "the clock was set" sh -c "! grep -q '\"date\": \"$(date -u +%Y)' stepped/manifest.json"
check "no time that it took is negative, or years" sh -c \
    "grep -q 'trials in [0-9.]* s ' out && test \$(sed -n 's/.* trials in \\([0-9]*\\).*/\\1/p' out) -lt 3600"

# A record's entries stand in their order, whatever their dates say.
code=0
SOURCE_DATE_EPOCH=1796000000 "$SLACKLINE" decide plain --threads 1 --within 1 -o record >out 2>err || code=$?
check "a record" test $code -le 1
code=0
SOURCE_DATE_EPOCH=1700000000 "$SLACKLINE" decide plain --threads 1 --within 1 -o record --force >out 2>err || code=$?
check "decided anew by a clock that is years behind" test $code -le 1
check "keeps the earlier one beside it" grep -q '2026-11-30' record/decision-1.yaml
check "and is dated by its clock" grep -q '2023-11-14' record/decision.yaml
finish
