#!/bin/sh
# Every registered part is in the manual, and has a description and an example in the list.
. "$SL_SRCDIR/tests/support/tap.sh"
man=$SL_SRCDIR/man

"$SLACKLINE" list --names >"$work/names" || fail "list --names"
check "parts are registered" test -s "$work/names"
tab=$(printf '\t')
while IFS=$tab read -r registry name; do
    page=$man/slackline-scenario.5
    [ "$registry" != templates ] || page=$man/slackline-generate.1
    [ "$registry" != importers ] || page=$man/slackline-audit.1
    [ "$registry" != exporters ] || page=$man/slackline-export.1
    [ "$registry" != mappings ] || page=$man/slackline-feasibility.1
    [ "$registry" != legality ] || page=$man/slackline-check.1
    # As a word of its own, so that "lru" does not stand for "lru-k".
    if grep -Eq "(^|[ (])$(echo "$name" | sed 's/[+.]/\\&/g')($|[ ,.;:)])" "$page"; then
        pass "$registry $name is in ${page##*/}"
    else
        fail "$registry $name is in ${page##*/}"
    fi
    if [ "$registry" = legality ]; then
        check "$name is explained in doc/legality.md" grep -qx "### $name" \
            "$SL_SRCDIR/doc/legality.md"
    fi
    "$SLACKLINE" list "$registry" | grep -A40 "^  $name  *[^ ]" | sed -n '1p' >"$work/line"
    check "$registry $name has a description" test -s "$work/line"
done <"$work/names"
# Legality rules have examples in tests/fixtures/illegal instead.
for registry in $(cut -f1 "$work/names" | grep -v '^legality$' | sort -u); do
    parts=$(grep -c "^$registry$tab" "$work/names")
    examples=$("$SLACKLINE" list "$registry" | grep -c 'example: ')
    check "$registry: an example each" test "$parts" -eq "$examples"
done
finish
