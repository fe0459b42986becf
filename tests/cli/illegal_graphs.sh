#!/bin/sh
# Every legality rule on graphs that break it.  A fixture is a folder CODE-N with a scenario and a
# file `expect`: the codes that check must print, each once, sorted.
. "$SL_SRCDIR/tests/support/tap.sh"
fixtures=$SL_SRCDIR/tests/fixtures/illegal

check_one()
{
    name=$(basename "$1")
    got=0
    (cd "$1" && "$SLACKLINE" check .) >"$work/out" 2>"$work/err" || got=$?
    sed -nE 's#^.*(error|warning|note): .* \[([a-z-]*)\]$#\2#p' "$work/err" | sort -u >"$work/codes"
    wanted=0
    ! grep -q 'error: .* \[[a-z-]*\]$' "$work/err" || wanted=1
    difference=$(diff "$1/expect" "$work/codes") || :
    if [ "$got" -eq "$wanted" ] && [ -z "$difference" ]; then
        pass "$name"
    else
        fail "$name" "exit $got, expected $wanted; $difference
$(cat "$work/err")"
    fi
    grep -qx "${name%-*}" "$1/expect" || fail "$name expects its own code"
}

for folder in "$fixtures"/*-[0-9]*; do
    check_one "$folder"
done
[ "$number" -ge 65 ] || fail "at least 65 illegal graphs"
"$SLACKLINE" list --names legality | cut -f2 >"$work/rules"
check "rules are listed" test -s "$work/rules"
while read -r rule; do
    check "$rule: two fixtures" test -f "$fixtures/$rule-1/expect" -a -f "$fixtures/$rule-2/expect"
done <"$work/rules"
finish
