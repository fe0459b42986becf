#!/bin/sh
# Instructions per node, by callgrind, against tests/fixtures/instructions.csv within 5%: a count does not
# depend on the machine's load.  `engine` is a trial's draws, events and record; `run` a whole run,
# measures and estimates too, as a difference at two numbers of trials, so that loading drops out (its
# first thousand trials are looked at more closely than later ones).  Baseline vector instructions.
# Fewer fail too: then the table is to be brought up to date.
. "$SL_SRCDIR/tests/support/tap.sh"
table=$SL_SRCDIR/tests/fixtures/instructions.csv
build=$SL_BUILDDIR
bench=$build/tests/bench
few=20 more=60

command -v valgrind >/dev/null || skip_all "valgrind is not installed"
compiled=$("$bench/run_trials" | sed "s/ -g[0-9]* / /") # of which the code does not depend
grep -q "^\"$compiled\"," "$table" || skip_all "no counts for '$compiled' in $(basename "$table")"

# count FOLDER TRIALS [OPTION]: of the run, not of the script that stands for an uninstalled program.
count()
{
    "$build/libtool" --mode=execute valgrind --tool=callgrind --callgrind-out-file=/dev/null ${3:-} \
        "$bench/run_trials" "$1" "$2" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# compare WHAT FOUND EXPECTED
compare()
{
    check "$1: $2 instructions per node, $3 expected" \
        test "$(($2 * 100))" -ge "$(($3 * 95))" -a "$(($2 * 100))" -le "$(($3 * 105))"
}

while IFS=, read -r compiler workload nodes engine run; do
    [ "$compiler" = "\"$compiled\"" ] || continue
    "$bench/write_workload" "$workload" "$nodes" "$work/$workload"
    at_few=$(count "$work/$workload" $few)
    at_more=$(count "$work/$workload" $more)
    inside=$(count "$work/$workload" $more --toggle-collect=sl_worker_run)
    [ -n "$at_few" ] && [ -n "$at_more" ] && [ -n "$inside" ] ||
        { fail "$workload: callgrind gives no count"; continue; }
    compare "engine, $workload of $nodes nodes" $((inside / more / nodes)) "$engine"
    compare "run, $workload of $nodes nodes" $(((at_more - at_few) / (more - few) / nodes)) "$run"
done <"$table"
finish
