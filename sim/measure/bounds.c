/* Two lower bounds on a trial's makespan, from its own durations: no schedule of these durations on
 * this graph and machine ends earlier than its longest path, or than its busiest resource's work.
 * Contention only lengthens (kappa >= 1), so isolated durations bound from below. */
#include "measurer.h"

/* Work is ps x units: 64 bits would overflow for many servers over a long time. */
__extension__ typedef unsigned __int128 work_t;

/* The earliest possible finish of each node in topological order; returns the last. */
static int64_t longest_path(struct sl_measurer *measurer, const struct sl_trial *trial)
{
    const struct sl_graph *graph = measurer->graph;
    int64_t *done = measurer->done_ps;
    int64_t longest = 0;
    for (uint32_t k = 0; k < graph->node_count; k++) {
        uint32_t node = graph->topo[k];
        int64_t at = 0;
        for (uint32_t e = measurer->pred_start[k]; e < measurer->pred_start[k + 1]; e++) {
            int64_t end = done[measurer->preds[e].node] + measurer->preds[e].lag_ps;
            at = end > at ? end : at;
        }
        if (trial->all_ran || trial->state[node] == SL_RAN) {
            int64_t release = measurer->release_ps[k];
            at = release > at ? release : at;
            at += trial->duration_ps[node] + (trial->finish_ps[node] - trial->free_ps[node]);
        } else if (trial->state[node] == SL_CANCELLED || measurer->is_fallback[node]) {
            at = 0; /* done at an instant that its predecessors do not bound */
        }
        done[node] = at;
        longest = at > longest ? at : longest;
    }
    return longest;
}

static int64_t largest_load(const struct sl_measurer *measurer, const struct sl_trial *trial)
{
    const struct sl_platform *platform = measurer->graph->platform;
    int64_t largest = 0;
    for (uint32_t r = 0; r < platform->resource_names.count; r++) {
        uint32_t servers = platform->resources[r].servers;
        if (servers == SL_UNLIMITED || servers == 0)
            continue;
        work_t work = 0;
        for (uint32_t k = measurer->user_start[r]; k < measurer->user_start[r + 1]; k++) {
            struct measured_user user = measurer->users[k];
            if (trial->all_ran || trial->state[user.node] == SL_RAN)
                work += (work_t)trial->duration_ps[user.node] * user.units;
        }
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
