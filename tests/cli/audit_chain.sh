#!/bin/sh
# Waits of an audit against another tool's critical path of the same traces (hta_critical_path.json):
# the chain of works that ends last.  A work that waited behind its stream is bound by the one before
# it there; the first that did not is bound by its launch.
#
# The rules agree on what devices did: times of the works, gaps between them, and the launch.  Two
# differences are of rule.  The other tool counts a launch from the beginning of its call, an audit
# from the end: the test goes back to the beginning.  It also follows the host from there on, which no audit sums up:
# tests/oracle/test_critical_paths.c and doc/critical-paths.md have that, and two more traces.
. "$SL_SRCDIR/tests/support/tap.sh"
data=${SL_SHARED:-}/data/kineto
[ -r "$data/hta_critical_path.json" ] || { skip "critical paths" "no public traces here"; finish; }

# theirs TRACE WHAT: the sum, in us; 0 where the path has none.
theirs()
{
    awk -v section="\"$1\":" -v key="\"$2\":" '/^ "/ {inside = $1 == section} inside && $1 == key {value = $2 + 0}
        END {print value + 0}' "$data/hta_critical_path.json"
}
# Works stand by start; the columns behind the name, which may hold commas, are counted from the end.
ours()
{
    awk -F, 'NR > 1 {
            n = NR; stream[n] = $(NF - 11); launch[n] = $(NF - 9); start[n] = $(NF - 6); finish[n] = $(NF - 5)
            behind[n] = $(NF - 4); delay[n] = $(NF - 3)
            before[n] = newest[stream[n]]; newest[stream[n]] = n
            if (finish[n] > finish[last]) last = n
        }
        END {
            for (n = last; ; n = before[n]) {
                run += finish[n] - start[n]
                if (!(behind[n] > 0)) break
                gaps += delay[n]
            }
            print run + 0, gaps + 0, start[n] - launch[n]
        }' "$work/$1/works.csv"
}
for trace in simple_add event_sync; do
    exits 0 "$trace is audited" audit "$data/$trace.json.gz" -o "$work/$trace"
    wanted="$(theirs $trace gpu_compute_bound) $(theirs $trace gpu_kernel_kernel_overhead) $(theirs $trace gpu_kernel_launch_overhead)"
    found=$(ours $trace)
    echo "# $trace: works, gaps between them, launch: $found us, the other tool $wanted us"
    check "$trace: the same works, gaps and launch" test "$found" = "$wanted" -a "${wanted%% *}" -gt 0
done
finish
