#!/bin/sh
# Names that a shell, a CSV reader, gnuplot or a terminal would take for something else, and files
# that are not what they should be.
. "$SL_SRCDIR/tests/support/tap.sh"
hello=$SL_SRCDIR/scenarios/hello
SLACKLINE_DATA=$SL_SRCDIR
export SLACKLINE_DATA
odd="h\"b\`touch PWNED\`m,\$(touch PWNED) @{/x}^_%s"

# fresh: a copy of hello in $work/case.
fresh()
{
    rm -rf "$work/case"
    mkdir "$work/case" && cp "$hello"/* "$work/case" && chmod -R u+w "$work/case"
}

# One field count for all rows of a table, quotes respected.
even()
{
    awk '{
        fields = 1; inside = 0
        for (i = 1; i <= length($0); i++) {
            c = substr($0, i, 1)
            if (c == "\"") inside = !inside
            else if (c == "," && !inside) fields++
        }
        if (NR > 1 && fields != first) bad = 1
        first = fields
    } END {exit bad || NR < 2}' "$1"
}

fresh
sed -i "s#hbm:#'$odd':#; s#\\(from\\|to\\): hbm#\\1: '$odd'#; s#domains.hbm.capacity#'domains.$odd.capacity'#
    s#name: fetch-early#name: 'p\`touch PWNED\`\"%s; system(\"touch PWNED\")'#" "$work/case/scenario.yaml"
sed -i "s#,hbm,hbm;#,\"$(echo "$odd" | sed 's/"/""/g')\",\"$(echo "$odd" | sed 's/"/""/g');#; s#;pinned,#;pinned\",#" \
    "$work/case/objects.csv"
cd "$work" || exit 99
exits 0 "odd names of a domain, an axis and a policy" sweep case --trials 400 -o made
for file in summary trials chain criticality waits overlap pressure gantt edits; do
    check "$file.csv has as many fields in every row" even "$work/made/$file.csv"
done
if command -v gnuplot >/dev/null 2>&1; then
    exits 0 "plot with odd names" plot made
    check "no name was run" sh -c "! find '$work' -name 'PWNED*' | grep -q ."
    exits 0 "a sweep of too few trials" sweep case --trials 20 -o few
    exits 1 "plot has nothing to draw" plot few
    says "nothing to draw" "and says so"
else
    skip "plot with odd names" "gnuplot is not installed"
fi

escape=$(printf '\033')
exits 2 "an escape sequence on the command line" run "$hello" -p "$escape[31mred"
check "does not reach the terminal" sh -c "! grep -q '$escape' '$work/err'"
fresh
sed -i "s#name: hello#name: \"h\\\\u009b31mello\"#" "$work/case/scenario.yaml"
exits 3 "a C1 control character in a name" check case
says "scenario.yaml:3:7: error: scenario 'h?31mello': a name cannot hold a control character" "is named"

exits 3 "a key that is no path" run "$hello" -p recompute --set .=1
says "--set:1:1: error: '.' is not a path" "has a place"

fresh
long=$(awk 'BEGIN {for (i = 0; i < 3000; i++) printf "x"}')
sed -i "s#nodes: nodes.csv#nodes: $long#" "$work/case/scenario.yaml"
exits 3 "the name of a table is too long" check case
for kind in "rm" "mkdir" "mkfifo" "ln -s nodes.csv" ": >"; do
    fresh
    (cd "$work/case" && rm nodes.csv && case $kind in
        rm) : ;;
        :*) : >nodes.csv ;;
        *) $kind nodes.csv ;;
    esac)
    exits 3 "nodes.csv replaced by $kind" check case
    says "nodes.csv:" "is named"
done
finish
