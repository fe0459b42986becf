/* Two lower bounds on a trial's makespan, from its own durations: no schedule of these durations on
 * this graph and machine ends earlier than its longest path, or than its busiest resource's work.
 * Contention only lengthens (kappa >= 1), so isolated durations bound from below. */
#include "isa.h"
#include "measurer.h"

/* Work is ps x units: 64 bits would overflow for many servers over a long time. */
__extension__ typedef unsigned __int128 work_t;

typedef int64_t times __attribute__((vector_size(32), aligned(8), may_alias));
enum { LANES = sizeof(times) / sizeof(int64_t) };

/* Isolated durations and latencies of nodes that all ran. */
static SL_ALWAYS_INLINE void weigh_all_body(int64_t *weight, const struct sl_trial *trial,
                                            uint32_t nodes)
{
    uint32_t i = 0;
    for (; i + LANES <= nodes; i += LANES)
        *(times *)(weight + i) =
            *(const times *)(trial->duration_ps + i) +
            (*(const times *)(trial->finish_ps + i) - *(const times *)(trial->free_ps + i));
    for (; i < nodes; i++)
        weight[i] = trial->duration_ps[i] + (trial->finish_ps[i] - trial->free_ps[i]);
}
SL_FOR_EACH_ISA(weigh_all, (int64_t * weight, const struct sl_trial *trial, uint32_t nodes),
                (weight, trial, nodes))

/* What did not run takes no time, and does not wait for its release. */
static void weigh_some(struct sl_measurer *measurer, const struct sl_trial *trial)
{
    for (uint32_t i = 0; i < measurer->graph->node_count; i++)
        measurer->weight_ps[i] =
            trial->state[i] == SL_RAN
                ? trial->duration_ps[i] + (trial->finish_ps[i] - trial->free_ps[i])
                : 0;
}

/* Done at an instant that its predecessors do not bound. */
static bool unbound(const struct sl_measurer *measurer, const struct sl_trial *trial, uint32_t node)
{
    return trial->state[node] == SL_CANCELLED ||
           (trial->state[node] != SL_RAN && measurer->is_fallback[node]);
}

/* The earliest possible finish of each node in topological order; returns the last. */
static SL_ALWAYS_INLINE int64_t take_steps(struct sl_measurer *measurer,
                                           const struct sl_trial *trial, bool all_ran)
{
    const struct path_step *steps = measurer->steps;
    const int64_t *weight = measurer->weight_ps;
    int64_t *done = measurer->done_ps, *to = done + 1 + measurer->release_count, longest = 0;
    for (uint32_t k = 0; k < measurer->step_count; k++) {
        int64_t a = done[steps[k].a], b = done[steps[k].b];
        int64_t at = (a > b ? a : b) + weight[steps[k].weight];
        uint32_t node = all_ran ? SL_NONE : measurer->step_node[k];
        if (node != SL_NONE && unbound(measurer, trial, node))
            at = 0;
        to[k] = at;
        if (all_ran || node != SL_NONE) /* a lag before an unbound node ends nothing */
            longest = at > longest ? at : longest;
    }
    return longest;
}

static int64_t longest_path(struct sl_measurer *measurer, const struct sl_trial *trial)
{
    for (uint32_t r = 0; r < measurer->release_count; r++) {
        uint32_t node = measurer->release_node[r];
        bool waits = trial->all_ran || trial->state[node] == SL_RAN;
        measurer->done_ps[1 + r] = waits ? measurer->graph->nodes[node].release_ps : 0;
    }
    if (!trial->all_ran) {
        weigh_some(measurer, trial);
        return take_steps(measurer, trial, false);
    }
    weigh_all(measurer->weight_ps, trial, measurer->graph->node_count);
    return take_steps(measurer, trial, true);
}

/* Work of a resource's users that ran, in ps x units. */
static work_t work_of(const struct sl_measurer *measurer, const struct sl_trial *trial, uint32_t r)
{
    const struct measured_user *user = measurer->users + measurer->user_start[r];
    uint32_t users = measurer->user_start[r + 1] - measurer->user_start[r];
    work_t work = 0;
    if (users > 0 && trial->all_ran && measurer->same_units[r]) {
        for (uint32_t k = 0; k < users; k++)
            work += (uint64_t)trial->duration_ps[user[k].node];
        return work * user[0].units;
    }
    for (uint32_t k = 0; k < users; k++)
        if (trial->state[user[k].node] == SL_RAN)
            work += (work_t)trial->duration_ps[user[k].node] * user[k].units;
    return work;
}

static int64_t largest_load(const struct sl_measurer *measurer, const struct sl_trial *trial)
{
    const struct sl_platform *platform = measurer->graph->platform;
    int64_t largest = 0;
    for (uint32_t r = 0; r < platform->resource_names.count; r++) {
        uint32_t servers = platform->resources[r].servers;
        if (servers == SL_UNLIMITED || servers == 0)
            continue;
        work_t work = work_of(measurer, trial, r);
        int64_t load = (int64_t)((work + servers - 1) / servers);
        largest = load > largest ? load : largest;
    }
    return largest;
}

void sl_measure_bounds(struct sl_measurer *measurer, const struct sl_trial *trial,
                       struct sl_bounds *bounds)
{
    *bounds = (struct sl_bounds){0};
    if (trial->outcome != SL_DONE)
        return;
    bounds->path_ps = longest_path(measurer, trial);
    bounds->load_ps = largest_load(measurer, trial);
}
