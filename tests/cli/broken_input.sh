#!/bin/sh
# Every kind of broken input: the exact lines on standard error, exit 3, and nothing left behind.
# A fixture is a folder NN-name with a scenario and a file `expect`.
. "$SL_SRCDIR/tests/support/tap.sh"
fixtures=$SL_SRCDIR/tests/fixtures/broken

check_one()
{
    folder=$1
    name=$(basename "$folder")
    cp -R "$folder" "$work/case" && chmod -R u+w "$work/case" || return 1
    before=$(ls -A "$work/case")
    got=0
    (cd "$work/case" && "$SLACKLINE" check .) >"$work/out" 2>"$work/err" || got=$?
    difference=$(diff "$folder/expect" "$work/err") || :
    if [ "$got" -eq 3 ] && [ -z "$difference" ]; then
        pass "$name: check"
    else
        fail "$name: check" "exit $got, expected 3; $difference"
    fi
    got=0
    (cd "$work/case" && "$SLACKLINE" run . -o out) >"$work/out" 2>"$work/err" || got=$?
    if [ "$got" -eq 3 ] && [ "$before" = "$(ls -A "$work/case")" ]; then
        pass "$name: run exits 3 and leaves nothing"
    else
        fail "$name: run exits 3 and leaves nothing" "exit $got: $(ls -A "$work/case")"
    fi
    rm -rf "$work/case"
}

for folder in "$fixtures"/[0-9]*; do
    check_one "$folder"
done
[ "$number" -ge 64 ] || fail "at least 32 kinds of broken input"
finish
