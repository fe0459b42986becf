/* Idle time of a resource, by the cause of the node that ended it.
 *
 *   units in use   ####....####..##......|     busy + idle = makespan
 *   charged to         B       C   drain       B, C: causes of the nodes that started there */
#include "measurer.h"
#include <inttypes.h>
#include <string.h>

const char *sl_stall_name(unsigned stall)
{
    return stall == SL_STALL_DRAIN ? "drain" : sl_cause_name((enum sl_cause)stall);
}

int64_t sl_stalls_total(const struct sl_stalls *stalls)
{
    int64_t total = stalls->busy_ps;
    for (unsigned k = 0; k < SL_STALLS; k++)
        total += stalls->idle_ps[k];
    return total;
}

static bool earlier(const struct measured_hold *a, const struct measured_hold *b)
{
    return a->start_ps != b->start_ps ? a->start_ps < b->start_ps : a->node < b->node;
}

/* Insertion sort that gives up after `budget` moves: linear when the order is nearly right. */
static bool insert_sort(struct measured_hold *holds, size_t n, size_t budget)
{
    for (size_t i = 1; i < n; i++) {
        struct measured_hold hold = holds[i];
        size_t k = i;
        for (; k > 0 && earlier(&hold, &holds[k - 1]); k--)
            holds[k] = holds[k - 1];
        holds[k] = hold;
        if (i - k > budget)
            return false;
        budget -= i - k;
    }
    return true;
}

static void merge(const struct measured_hold *from, size_t low, size_t middle, size_t high,
                  struct measured_hold *to)
{
    size_t a = low, b = middle;
    for (size_t k = low; k < high; k++)
        to[k] = a < middle && (b >= high || !earlier(&from[b], &from[a])) ? from[a++] : from[b++];
}

/* Sorts by (start, node), a total order, so the way there does not show in the result. */
static void sort_holds(struct measured_hold *holds, struct measured_hold *scratch, size_t n)
{
    if (insert_sort(holds, n, 8 * n))
        return;
    struct measured_hold *from = holds, *to = scratch;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t middle = low + width < n ? low + width : n;
            size_t high = low + 2 * width < n ? low + 2 * width : n;
            merge(from, low, middle, high, to);
        }
        struct measured_hold *swap = from;
        from = to;
        to = swap;
    }
    if (from != holds)
        memcpy(holds, from, n * sizeof *holds);
}

static bool demands(const struct sl_graph *graph, uint32_t node, uint32_t resource)
{
    struct sl_span span = graph->nodes[node].demands;
    for (uint32_t k = 0; k < span.count; k++)
        if (graph->demands[span.first + k].resource == resource)
            return true;
    return false;
}

/* Room for the holds of all runs; false when out of memory. */
static bool reserve(struct sl_measurer *measurer, const struct sl_trial *trial)
{
    size_t most = 2 * (size_t)trial->run_count;
    if (trial->run_count <= measurer->hold_capacity)
        return true;
    measurer->holds = sl_arena_array(&measurer->arena, most, sizeof *measurer->holds);
    measurer->scratch = sl_arena_array(&measurer->arena, most, sizeof *measurer->scratch);
    measurer->hold_capacity = most;
    return measurer->holds && measurer->scratch;
}

/* Holds of positive length in trial order of starts; returns their number. */
static size_t gather(struct sl_measurer *measurer, const struct sl_trial *trial, uint32_t resource)
{
    uint32_t first = measurer->user_start[resource];
    uint32_t users = measurer->user_start[resource + 1] - first;
    if (measurer->order_of != resource) {
        for (uint32_t k = 0; k < users; k++)
            measurer->order[k] = measurer->users[first + k].node;
        measurer->order_of = resource;
    }
    size_t n = 0, idle = 0;
    for (uint32_t k = 0; k < users; k++) {
        uint32_t node = measurer->order[k];
        if (trial->state[node] == SL_RAN && trial->free_ps[node] > trial->start_ps[node])
            measurer->holds[n++] =
                (struct measured_hold){.start_ps = trial->start_ps[node], .node = node};
        else
            measurer->order[idle++] = node;
    }
    size_t planned = n;
    for (uint32_t r = measurer->graph->node_count; r < trial->run_count; r++)
        if (trial->free_ps[r] > trial->start_ps[r] &&
            demands(measurer->graph, trial->run_node[r - measurer->graph->node_count], resource))
            measurer->holds[n++] =
                (struct measured_hold){.start_ps = trial->start_ps[r], .node = r};
    sort_holds(measurer->holds, measurer->scratch, n);
    for (size_t k = 0, at = idle; k < n && at < idle + planned; k++)
        if (measurer->holds[k].node < measurer->graph->node_count)
            measurer->order[at++] = measurer->holds[k].node;
    return n;
}

enum sl_status sl_measure_stalls(struct sl_measurer *measurer, const struct sl_trial *trial,
                                 uint32_t resource, struct sl_stalls *stalls, struct sl_error *err)
{
    return sl_measure_stalls_behind(measurer, trial, resource, stalls, NULL, err);
}

enum sl_status sl_measure_stalls_behind(struct sl_measurer *measurer, const struct sl_trial *trial,
                                        uint32_t resource, struct sl_stalls *stalls,
                                        int64_t *behind_ps, struct sl_error *err)
{
    *stalls = (struct sl_stalls){0};
    if (resource == SL_NONE || trial->outcome != SL_DONE)
        return SL_OK;
    if (!reserve(measurer, trial))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the holds of trial %" PRIu32,
                       trial->trial);
    size_t n = gather(measurer, trial, resource);
    int64_t reached = 0; /* the resource's history is charged up to here */
    for (size_t k = 0; k < n; k++) {
        uint32_t node = measurer->holds[k].node;
        int64_t start = trial->start_ps[node], end = trial->free_ps[node];
        if (start > reached) {
            stalls->idle_ps[trial->cause[node]] += start - reached;
            if (behind_ps && trial->behind[node] != SL_NONE)
                behind_ps[trial->behind[node]] += start - reached;
            reached = start;
        }
        if (end > reached) {
            stalls->busy_ps += end - reached;
            reached = end;
        }
    }
    stalls->idle_ps[SL_STALL_DRAIN] = trial->makespan_ps - reached;
    if (stalls->busy_ps != trial->busy_ps[resource])
        return SL_FAIL(err, SL_SYSTEM,
                       "trial %" PRIu32 ": resource %s was busy for %" PRId64
                       " ps by its nodes and %" PRId64 " ps by the engine",
                       trial->trial, measurer->graph->platform->resource_names.names[resource],
                       stalls->busy_ps, trial->busy_ps[resource]);
    int64_t total = sl_stalls_total(stalls);
    if (total != trial->makespan_ps || stalls->idle_ps[SL_STALL_DRAIN] < 0)
        return SL_FAIL(err, SL_SYSTEM,
                       "trial %" PRIu32 ": resource %s is held beyond the makespan, or its time "
                       "sums to %" PRId64 " ps instead of %" PRId64 " ps",
                       trial->trial, measurer->graph->platform->resource_names.names[resource],
                       total, trial->makespan_ps);
    return SL_OK;
}
