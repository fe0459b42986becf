/* Deadlines: how often each is missed, and by how much.
 *
 *     tardiness = max(0, finish of the node or of what took its place, less the deadline) */
#include <config.h>

#include "cellparts.h"
#include "tallies.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

struct count {
    uint32_t misses, never;
    int64_t max_ps;
};

struct part {
    struct sl_cell *cell;
    uint32_t trials_missed; /* with any miss */
    struct count *counts;   /* by deadline */
};

static enum sl_status begin(struct sl_cell *cell, struct sl_error *err)
{
    const struct sl_graph *graph = cell->plan.graph;
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++)
        count += graph->nodes[i].deadline_ps != INT64_MAX;
    cell->deadlines = sl_arena_array(&cell->arena, (size_t)count + 1, sizeof *cell->deadlines);
    if (!cell->deadlines)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u deadlines", (unsigned)count);
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].deadline_ps != INT64_MAX)
            cell->deadlines[cell->deadline_count++] = (struct sl_deadline){.node = i};
    return SL_OK;
}

static enum sl_status grow(struct sl_cell *cell, uint32_t had, struct sl_error *err)
{
    uint32_t count = cell->deadline_count;
    uint32_t kept = sl_tally_kept_trials(cell->trials, count);
    cell->tardiness_ps =
        sl_cell_more_rows(cell, cell->tardiness_ps, sl_tally_kept_trials(had, count), kept,
                          count * sizeof *cell->tardiness_ps);
    for (uint32_t k = 0; k < count; k++)
        cell->deadlines[k].tardiness_trials = kept;
    return cell->tardiness_ps
               ? SL_OK
               : SL_FAIL(err, SL_SYSTEM, "out of memory for %u deadlines", (unsigned)count);
}

static enum sl_status open_part(void **out, struct sl_cell *cell, struct sl_arena *arena,
                                struct sl_error *err)
{
    if (cell->deadline_count == 0)
        return SL_OK;
    struct part *part = *out = sl_arena_alloc(arena, sizeof *part);
    if (part)
        part->counts = sl_arena_array(arena, cell->deadline_count, sizeof *part->counts);
    if (!part || !part->counts)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for deadlines");
    part->cell = cell;
    return SL_OK;
}

/* INT64_MAX: never finished. */
static int64_t tardiness(const struct sl_graph *graph, const struct sl_trial *record, uint32_t node)
{
    if (record->outcome == SL_DEADLOCK)
        return INT64_MAX;
    uint32_t taker = sl_tally_taker(graph, record, node);
    if (taker == SL_NONE || (taker != node && record->state[taker] != SL_RAN))
        return INT64_MAX;
    if (record->state[taker] != SL_RAN) /* skipped: it has no deadline to keep */
        return 0;
    int64_t late = record->finish_ps[taker] - graph->nodes[node].deadline_ps;
    return late > 0 ? late : 0;
}

static enum sl_status visit(void *state, const struct sl_trial *record, struct sl_error *err)
{
    (void)err;
    struct part *part = state;
    const struct sl_cell *cell = part->cell;
    bool missed = false;
    for (uint32_t k = 0; k < cell->deadline_count; k++) {
        const struct sl_deadline *deadline = &cell->deadlines[k];
        struct count *count = &part->counts[k];
        int64_t late = tardiness(cell->plan.graph, record, deadline->node);
        if (record->trial < deadline->tardiness_trials)
            cell->tardiness_ps[(size_t)record->trial * cell->deadline_count + k] = late;
        if (late == 0)
            continue;
        missed = true;
        count->misses++;
        if (late == INT64_MAX)
            count->never++;
        else if (late > count->max_ps)
            count->max_ps = late;
    }
    part->trials_missed += missed;
    return SL_OK;
}

static enum sl_status add(struct sl_cell *cell, const void *state, struct sl_error *err)
{
    (void)err;
    const struct part *part = state;
    cell->deadline_missed += part->trials_missed;
    for (uint32_t k = 0; k < cell->deadline_count; k++) {
        struct sl_deadline *deadline = &cell->deadlines[k];
        deadline->misses += part->counts[k].misses;
        deadline->never += part->counts[k].never;
        if (part->counts[k].max_ps > deadline->max_tardiness_ps)
            deadline->max_tardiness_ps = part->counts[k].max_ps;
    }
    return SL_OK;
}

/* `values` has room for the kept trials. */
static void estimate(struct sl_cell *cell, uint32_t k, double *values)
{
    struct sl_deadline *deadline = &cell->deadlines[k];
    uint32_t n = deadline->tardiness_trials, missed = 0;
    for (uint32_t t = 0; t < n; t++) {
        int64_t ps = cell->tardiness_ps[(size_t)t * cell->deadline_count + k];
        values[t] = sl_us_of(ps);
        missed += ps > 0;
    }
    deadline->miss = sl_proportion(deadline->misses, cell->trials, SL_LEVEL_CONFIDENCE);
    deadline->tardiness_mean = sl_mean(values, n, SL_LEVEL_CONFIDENCE);
    sl_sort_doubles(values, n);
    deadline->tardiness_p99 = sl_quantile(values, n, 0.99, SL_LEVEL_CONFIDENCE);
    deadline->tardiness_when_missed =
        missed ? sl_mean(values + (n - missed), missed, SL_LEVEL_CONFIDENCE) : SL_NO_ESTIMATE;
}

static void exchange(struct sl_cell *cell, struct sl_portion *portion)
{
    uint32_t count = cell->deadline_count;
    uint32_t kept = sl_tally_kept_trials(portion->first + portion->trials, count);
    sl_wire_sum_u32(&portion->wire, &cell->deadline_missed, 1);
    for (uint32_t k = 0; k < count; k++) {
        sl_wire_sum_u32(&portion->wire, &cell->deadlines[k].misses, 1);
        sl_wire_sum_u32(&portion->wire, &cell->deadlines[k].never, 1);
        sl_wire_max_i64(&portion->wire, &cell->deadlines[k].max_tardiness_ps);
    }
    sl_portion_rows(portion, cell->tardiness_ps, kept, count * sizeof *cell->tardiness_ps);
}

static enum sl_status finish(struct sl_cell *cell, struct sl_error *err)
{
    double *values = malloc(((size_t)cell->trials + 1) * sizeof *values);
    if (!values)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t k = 0; k < cell->deadline_count; k++)
        estimate(cell, k, values);
    free(values);
    return SL_OK;
}

const struct sl_tally sl_tally_deadlines = {
    .begin = begin, .grow = grow, .open = open_part, .visit = visit, .add = add, .exchange = exchange, .finish = finish};
