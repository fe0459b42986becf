#!/bin/sh
# Every counterexample as a decision: the gate fails by the condition that its point is about.  What is
# expected is reasoned from the ten conditions and the README of the exhibit:
#     a read that nothing provides for is a dependency that is missing in the graph: actions
#     a reclamation before a use breaks correctness; a deadlock, progress; a mandated stream, separation
#     a tail above the better policy's is no improvement of the target (tail): target, and bounds, which
#     forbid that the tail regress; only where the target is another figure than the tail is it one of them
. "$SL_SRCDIR/tests/support/tap.sh"
skip_sanitized "the build without sanitizers judges the gallery; decide.sh runs here"
gallery=$SL_SRCDIR/scenarios/counterexamples

# Exhibit | scenario | policy | settings (@: the point of an axis) | baseline | its settings | condition that must fail
cat >"$work/table" <<'TABLE'
hidden-dependency|unallocated|-|-|-|-|actions
hidden-dependency|unmapped|-|-|-|-|actions
hidden-dependency|invalid|-|-|-|-|actions
hidden-dependency|reclaimed|-|-|-|-|correctness
contention-lengthens-critical-path|tempting|-|-|fixed|-|target
exposed-offload-round-trips|.|offload-all|-|offload-fit|-|target
exposed-offload-round-trips|.|offload-all|domains.pinned.capacity=5GiB|offload-fit|-|progress
rematerialization-delays-consumer|.|remat-all|-|remat-fit|-|target
broad-barrier|tempting|-|-|fixed|-|target
broad-barrier|tempting-cycle|-|-|fixed-cycle|-|progress
reclamation-too-early-or-late|too-early|-|-|-|-|correctness
reclamation-too-early-or-late|too-late|-|-|fixed|-|target
speculation-starves-demand|.|in-turn|@resources.h2d.admission=backfill|.:in-turn|resources.h2d.admission=strict|target
held-capacity-deadlock|tempting|-|-|fixed|-|progress
requests-admitted-without-memory|.|serve|-|.:serve|run.admission.memory=hbm|progress
policy-mandates-mechanism|mandated|-|-|-|-|separation
policy-mandates-mechanism|as-run|-|-|fixed|-|target
median-improves-tail-regresses|.|restore|-|recompute|-|bounds
shortest-first-starves-long|.|shortest-first|-|short-first-aging|-|bounds
evidence-of-one-local-event|representative|offload|-|recompute|-|target
prefetch-as-early-as-possible|.|asap|-|jit|-|target
maximize-overlap|.|as-given|resources.compute.servers=2 resources.nic.servers=2|.:as-given|-|target
offload-largest-first|.|largest|-|cost-benefit|-|target
rematerialize-because-cheap-in-isolation|.|recompute|-|swap|-|target
global-barrier-for-convenience|tempting|-|-|fixed|-|target
reclaim-immediately|tempting|-|-|fixed|-|target
assumed-bandwidth-reserve-quantile|assumed|retain|-|stated:recompute|-|capacity
assumed-bandwidth-reserve-quantile|assumed|retain|-|stated:recompute|-|bounds
assumed-bandwidth-reserve-quantile|assumed|offload|domains.hbm.reserve=3GiB|stated:recompute|-|costs
assumed-bandwidth-reserve-quantile|stated|offload|-|recompute|-|target
local-gain-as-end-to-end|tempting|-|-|fixed|-|target
TABLE

# decide EXHIBIT SCENARIO POLICY SETTINGS BASELINE ITS-SETTINGS
decide()
{
    set -f
    options="--within 1 --trials 1000 -o $work/out --force"
    [ "$3" = - ] || options="$options --policy $3"
    [ "$4" = - ] || for setting in $4; do
        case $setting in
        @*) options="$options --at ${setting#@}" ;;
        *) options="$options --set $setting" ;;
        esac
    done
    case $5 in
    -) ;;
    fixed* | stated* | .:*) options="$options --baseline $gallery/$1/$5" ;;
    *) options="$options --baseline $5" ;;
    esac
    [ "$6" = - ] || options="$options --baseline-set $6"
    # shellcheck disable=SC2086 # options are words
    "$SLACKLINE" decide "$gallery/$1/$2" $options >"$work/said" 2>"$work/err"
}

while IFS='|' read -r exhibit scenario policy settings baseline others condition; do
    decide "$exhibit" "$scenario" "$policy" "$settings" "$baseline" "$others"
    got=$?
    last=$(tail -n 1 "$work/said")
    failed=$(printf '%s\n' "$last" | sed -n 's/.* fail (\([^)]*\)).*/, \1,/p')
    case $got:$failed in
    1:*", $condition,"*) pass "$exhibit/$scenario $policy $settings: rejected for $condition" ;;
    *) fail "$exhibit/$scenario $policy $settings: rejected for $condition" "exit $got: $last $(cat "$work/err")" ;;
    esac
done <"$work/table"

# Where the tempting one is as fast, it does not improve the target: no gain is no ground for a change.
decide premature-prefetch tempting - - fixed -
grep -q '^target  *\(fail\|unknown\)' "$work/said" && pass "premature prefetch: no improvement is shown" ||
    fail "premature prefetch: no improvement is shown" "$(cat "$work/said")"

# One warm copy says offload, and nothing in that record speaks against it; what is missing is a
# measurement under the conditions of whole steps, so it is not accepted.
decide evidence-of-one-local-event one-event offload - recompute -
last=$(tail -n 1 "$work/said")
case $last in
*" fail"*target*" unknown"*) fail "one local event: not rejected by its own projection" "$last" ;;
*unknown*target*) pass "one local event: the target is unknown until it is measured" ;;
*) fail "one local event: the target is unknown until it is measured" "$last" ;;
esac
finish
