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
# Of a table of slowdowns, the head is read before.
for kind in "rm" "mkdir" "mkfifo" "ln -s TABLE" ": >"; do
    for table in nodes.csv kappa.csv; do
        fresh
        [ $table = nodes.csv ] || cp "$SL_SRCDIR/scenarios/two-gpu"/*.csv "$SL_SRCDIR/scenarios/two-gpu/scenario.yaml" "$work/case"
        (cd "$work/case" && rm $table && case $kind in
            rm) : ;;
            :*) : >$table ;;
            ln*) ln -s $table $table ;;
            *) $kind $table ;;
        esac)
        exits 3 "$table replaced by $kind" check case
        says "$table" "is named"
    done
done

# A file that cannot be read is told beside the faults of those that can.
fresh
sed -i "s#reserve: 256MiB#reserve: 256GiB#" "$work/case/scenario.yaml"
chmod 0 "$work/case/nodes.csv"
if cat "$work/case/nodes.csv" >/dev/null 2>&1; then
    skip "an unreadable table" "this user reads every file"
else
    exits 4 "an unreadable table" check case
    says "cannot open: Permission denied" "is named"
    says "capacity-below-reserve" "and so is the fault of another file"
fi

# --force takes away only what a run writes.
exits 0 "a results folder" sweep "$hello" --trials 20 -o force
mkdir -p force/plots force/cells
: >force/cells/00000.part.~1.0
for file in mine.csv plots/mine.png plots/tail.txt cells/mine.part; do
    echo mine >"force/$file"
done
exits 0 "is replaced" sweep "$hello" --trials 20 -o force --force
for file in mine.csv plots/mine.png plots/tail.txt cells/mine.part; do
    check "$file is kept" grep -q mine "force/$file"
done
check "what a killed run left is not" test ! -e force/cells/00000.part.~1.0

# Closed streams: what was meant for them ends up in no file.
exits 0 "a results folder for comparison" sweep "$hello" --trials 20 -o open
got=0
"$SLACKLINE" sweep "$hello" --trials 20 -o shut <&- >&- 2>&- || got=$?
check "closed standard streams are an error" test "$got" -eq 4
for file in summary trials gantt; do
    check "$file.csv is the same" cmp "open/$file.csv" "shut/$file.csv"
done

# Two runs into one folder: one of them is refused, and the folder is one run's.
if command -v flock >/dev/null 2>&1; then
    exec 9<open && flock -n 9
    exits 4 "a folder that another run writes into" sweep "$hello" --trials 20 -o open --force
    says "another run" "is refused"
    exec 9<&-
else
    skip "a folder that another run writes into" "there is no flock program"
fi
check "and is as it was" cmp open/summary.csv shut/summary.csv

# A limit on the size of files is an error, not a signal, and leaves no half file.
got=0
(ulimit -f 8 && exec "$SLACKLINE" sweep "$hello" --trials 400 -o limited) >"$work/out" 2>"$work/err" || got=$?
check "a file that is too large exits with 4" test "$got" -eq 4
says "File too large" "and says so"
exits 0 "--resume after it" sweep "$hello" --trials 400 -o limited --resume
exits 0 "a sweep without it" sweep "$hello" --trials 400 -o unlimited
check "they are the same" cmp limited/trials.csv unlimited/trials.csv
check "nothing is left of it" sh -c "! find limited | grep -e '~' -e cells"

# Pairs of classes take memory: a class of its own for each of many nodes is refused, not tried.
fresh
awk 'BEGIN {print "node,kind,class,resource,duration"
            for (i = 0; i < 2049; i++) printf "n%d,compute,c%d,compute,1us\n", i, i}' >case/nodes.csv
echo "from,to,type" >case/edges.csv
echo "object,size" >case/objects.csv
exits 3 "2049 or more classes" check case
says "scenario.yaml:3:1: error: 2051 contention classes (allowed: 2048)" "are too many"

exits 2 "a template with a wrong parameter" generate llm-train -o generated --set heads=33
check "leaves no folder" test ! -e generated

# 1,000 nodes that each must not run beside the next 20: as many kinds of nodes, 20,000 rows.
mkdir "$work/many"
cat >"$work/many/scenario.yaml" <<'EOF'
name: many
nodes: nodes.csv
overlap: overlap.csv
resources: {gpu: {servers: unlimited}}
EOF
awk 'BEGIN {
    print "node,kind,resource,duration"
    for (i = 0; i < 1000; i++) printf "n%d,compute,gpu,1us\n", i
}' >"$work/many/nodes.csv"
awk 'BEGIN {
    print "a,b,allowed"
    for (i = 0; i < 1000; i++) for (k = 1; k <= 20; k++) printf "n%d,n%d,false\n", i, (i + k) % 1000
}' >"$work/many/overlap.csv"
exits 0 "a long table of forbidden pairs" check many
exits 0 "and its run" run many --trials 2 --json
# Any 21 nodes in a row run one after the other, and 21 does not divide 1,000: the rounds are the
# colours of the 20th power of a ring of 1,000, of which 47 can share one: 22 at least.
check "keeps them apart" awk -F': ' '/"median_us"|"value_us"/ {if ($2 + 0 >= 22) ok = 1} END {exit !ok}' \
    "$work/out"
finish
