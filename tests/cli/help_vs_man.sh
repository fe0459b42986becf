#!/bin/sh
# Every option of --help is in the command's man page, and the other way round; every command has a
# page and is in slackline(1); the pages are free of mandoc's warnings.
. "$SL_SRCDIR/tests/support/tap.sh"
man=$SL_SRCDIR/man

commands=$("$SLACKLINE" --help | sed -n 's/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p')
[ -n "$commands" ] || fail "--help lists commands"
for command in $commands; do
    page=$man/slackline-$command.1
    "$SLACKLINE" "$command" --help | grep -o -- '--[a-z][a-z-]*' | sort -u >"$work/help"
    grep '^\.It Fl' "$page" | grep -o -- 'Fl -[a-z][a-z-]*' | sed 's/^Fl -/--/' | sort -u \
        >"$work/page"
    check "$command: --help and man page agree" diff "$work/help" "$work/page"
    check "$command: is in slackline(1)" grep -q "slackline-$command 1" "$man/slackline.1"
    summary=$("$SLACKLINE" "$command" --help | sed -n '2s/\.$//p' | tr 'A-Z' 'a-z')
    check "$command: has one summary" grep -qi "^\.Nd $summary" "$page"
done
# The other program has one page for all its commands but those with a page of their own.
page=$man/slackline-calibrate.1
commands=$("$SLACKLINE_CALIBRATE" --help | sed -n '/^Backends/q; s/^  \([a-z][a-z]*\)  *[A-Z].*/\1/p')
[ -n "$commands" ] || fail "slackline-calibrate --help lists commands"
"$SLACKLINE_CALIBRATE" --help >"$work/all"
for command in $commands; do
    own=$man/slackline-calibrate-$command.1
    check "slackline-calibrate $command: is in its page" grep -q "^\.It Cm $command\$" "$page"
    if [ -e "$own" ]; then
        "$SLACKLINE_CALIBRATE" "$command" --help | sed -n 's/^ .*\(--[a-z][a-z-]*\).*/\1/p' |
            grep -v -e --help | sort -u >"$work/help"
        grep '^\.It Fl' "$own" | grep -o -- 'Fl -[a-z][a-z-]*' | sed 's/^Fl -/--/' | sort -u >"$work/page"
        check "slackline-calibrate $command: --help and man page agree" diff "$work/help" "$work/page"
    else
        "$SLACKLINE_CALIBRATE" "$command" --help >>"$work/all"
    fi
done
# What a backend lacks may be an option of configure.
sed -n '/not in this build/d; s/^ .*\(--[a-z][a-z-]*\).*/\1/p' "$work/all" | sort -u >"$work/help"
grep '^\.It Fl' "$page" | grep -o -- 'Fl -[a-z][a-z-]*' | sed 's/^Fl -/--/' | sort -u >"$work/page"
check "slackline-calibrate: --help and man page agree" diff "$work/help" "$work/page"
for backend in $("$SLACKLINE_CALIBRATE" --help | sed -n '/^Backends/,/^$/s/^  \([a-z][a-z]*\)  *.*/\1/p'); do
    check "slackline-calibrate: backend $backend is in its page" grep -q "^\.It Cm $backend\$" "$page"
done
check "slackline-calibrate: is in slackline(1)" grep -q "slackline-calibrate 1" "$man/slackline.1"
for page in "$man"/slackline*.[15]; do
    if command -v mandoc >/dev/null 2>&1; then
        check "mandoc: ${page##*/}" mandoc -Tlint -Wwarning "$page"
    else
        skip "mandoc: ${page##*/}" "mandoc is not installed"
    fi
done
finish
