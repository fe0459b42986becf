/* Movements on speculation: how often somebody needed what they brought, what the others cost, and
 * what all of them held up.
 *
 * A wait that ended when a speculative movement came free or finished
 * counts whole as its delay, although others may have been in the way before it. */
#include <config.h>

#include "cellparts.h"
#include "speculation.h"
#include "tallies.h"
#include "units.h"
#include <stdlib.h>

struct part {
    struct sl_cell *cell;
    const struct sl_speculation *plan;
    bool *hit; /* per node, in the trial at hand */
};

static enum sl_status begin(struct sl_cell *cell, struct sl_error *err)
{
    (void)err;
    cell->speculation.movements = sl_program_speculation(cell->program)->count;
    return SL_OK;
}

static enum sl_status grow(struct sl_cell *cell, uint32_t had, struct sl_error *err)
{
    struct sl_speculation_use *use = &cell->speculation;
    if (use->movements == 0)
        return SL_OK;
    use->trials = sl_cell_more_rows(cell, use->trials, had, cell->trials, sizeof *use->trials);
    return use->trials ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for speculation");
}

static enum sl_status open_part(void **out, struct sl_cell *cell, struct sl_arena *arena,
                                struct sl_error *err)
{
    if (cell->speculation.movements == 0)
        return SL_OK;
    struct part *part = *out = sl_arena_alloc(arena, sizeof *part);
    if (part)
        *part = (struct part){
            cell, sl_program_speculation(cell->program),
            sl_arena_array(arena, (size_t)cell->plan.graph->node_count + 1, sizeof *part->hit)};
    return part && part->hit ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for speculation");
}

static void count_movements(struct part *part, const struct sl_trial *record,
                            struct sl_speculation_trial *trial)
{
    const struct sl_speculation *plan = part->plan;
    const struct sl_graph *graph = part->cell->plan.graph;
    sl_speculation_hits(plan, record, part->hit);
    for (uint32_t k = 0; k < plan->count; k++) {
        uint32_t i = plan->nodes[k];
        if (record->state[i] != SL_RAN)
            continue;
        trial->started++;
        trial->hits += part->hit[i];
        if (part->hit[i])
            continue;
        trial->wasted_bytes +=
            (double)graph->objects[sl_object_root(graph, graph->nodes[i].object).i].bytes;
        trial->wasted_ps += record->free_ps[i] - record->start_ps[i];
    }
}

static bool waited_for_room(uint8_t cause)
{
    return cause == SL_CAUSE_QUEUE || cause == SL_CAUSE_CAPACITY || cause == SL_CAUSE_OVERLAP;
}

static void count_delays(const struct part *part, const struct sl_trial *record,
                         struct sl_speculation_trial *trial)
{
    const struct sl_graph *graph = part->cell->plan.graph;
    const bool *speculative = part->plan->speculative;
    for (uint32_t run = 0; run < record->run_count; run++) {
        uint32_t node = sl_trial_node(record, graph->node_count, run);
        uint32_t behind = record->behind[run];
        int64_t wait_ps = record->start_ps[run] - record->ready_ps[run];
        if (record->state[run] != SL_RAN || speculative[node] || wait_ps <= 0 ||
            behind == SL_NONE || !speculative[behind] || !waited_for_room(record->cause[run]))
            continue;
        struct sl_delay *delay =
            graph->nodes[node].kind == SL_RECLAMATION ? &trial->reclamation : &trial->demand;
        delay->waits++;
        delay->wait_ps += wait_ps;
    }
}

static enum sl_status visit(void *state, const struct sl_trial *record, struct sl_error *err)
{
    (void)err;
    struct part *part = state;
    struct sl_speculation_trial *trial = &part->cell->speculation.trials[record->trial];
    *trial = (struct sl_speculation_trial){0};
    if (record->outcome == SL_DEADLOCK)
        return SL_OK;
    count_movements(part, record, trial);
    count_delays(part, record, trial);
    trial->bypasses = record->speculative_bypasses;
    return SL_OK;
}

static enum sl_status add(struct sl_cell *cell, const void *part, struct sl_error *err)
{
    (void)cell;
    (void)part;
    (void)err;
    return SL_OK;
}

static void exchange(struct sl_cell *cell, struct sl_portion *portion)
{
    if (cell->speculation.trials)
        sl_portion_rows(portion, cell->speculation.trials, cell->trials,
                        sizeof *cell->speculation.trials);
}

enum figure {
    STARTED,
    HITS,
    WASTED_BYTES,
    WASTED_US,
    DEMAND_WAITS,
    DEMAND_US,
    RECLAMATION_WAITS,
    RECLAMATION_US,
    BYPASSES,
    FIGURES
};

static double figure_of(const struct sl_speculation_trial *trial, enum figure figure)
{
    const double values[FIGURES] = {
        [STARTED] = trial->started,
        [HITS] = trial->hits,
        [WASTED_BYTES] = trial->wasted_bytes,
        [WASTED_US] = (double)trial->wasted_ps / SL_PS_PER_US,
        [DEMAND_WAITS] = trial->demand.waits,
        [DEMAND_US] = (double)trial->demand.wait_ps / SL_PS_PER_US,
        [RECLAMATION_WAITS] = trial->reclamation.waits,
        [RECLAMATION_US] = (double)trial->reclamation.wait_ps / SL_PS_PER_US,
        [BYPASSES] = (double)trial->bypasses,
    };
    return values[figure];
}

/* Hits over movements that started.  Those of one trial depend on each other, so that the interval
 * is over trials: Student's t of the residuals hits - rate x started (a ratio estimate).  Where all
 * are 0, because the rate is 0 or 1, it is the binomial one of as many trials. */
static struct sl_estimate hit_rate(const struct sl_speculation_use *use, const uint32_t *completed,
                                   uint32_t n, double *values)
{
    double started = use->started.value, rate = use->hits.value / started;
    if (!(started > 0))
        return SL_NO_ESTIMATE;
    if (rate <= 0 || rate >= 1) {
        uint32_t some = 0;
        for (uint32_t k = 0; k < n; k++)
            some += use->trials[completed[k]].started > 0;
        return sl_proportion(rate > 0 ? some : 0, some, SL_LEVEL_CONFIDENCE);
    }
    for (uint32_t k = 0; k < n; k++) {
        const struct sl_speculation_trial *trial = &use->trials[completed[k]];
        values[k] = (trial->hits - rate * trial->started) / started;
    }
    struct sl_estimate residual = sl_mean(values, n, SL_LEVEL_CONFIDENCE);
    return (struct sl_estimate){rate, rate + residual.lo, rate + residual.hi};
}

static enum sl_status finish(struct sl_cell *cell, struct sl_error *err)
{
    struct sl_speculation_use *use = &cell->speculation;
    struct sl_estimate *const estimates[FIGURES] = {
        &use->started,           &use->hits,           &use->wasted_bytes,
        &use->wasted_us,         &use->demand_waits,   &use->demand_us,
        &use->reclamation_waits, &use->reclamation_us, &use->bypasses};
    if (use->movements == 0)
        return SL_OK;
    double *values = malloc((size_t)cell->trials * sizeof *values);
    uint32_t *completed = malloc((size_t)cell->trials * sizeof *completed), n = 0;
    if (!values || !completed) {
        free(values);
        free(completed);
        return SL_FAIL(err, SL_SYSTEM, "out of memory for speculation");
    }
    for (uint32_t t = 0; t < cell->trials; t++)
        if (cell->metric_ps[t] != INT64_MAX)
            completed[n++] = t;
    for (enum figure f = 0; f < FIGURES; f++) {
        for (uint32_t k = 0; k < n; k++)
            values[k] = figure_of(&use->trials[completed[k]], f);
        *estimates[f] = sl_mean(values, n, SL_LEVEL_CONFIDENCE);
    }
    use->hit_rate = hit_rate(use, completed, n, values);
    free(values);
    free(completed);
    return SL_OK;
}

const struct sl_tally sl_tally_speculation = {.begin = begin,
                                              .grow = grow,
                                              .open = open_part,
                                              .visit = visit,
                                              .add = add,
                                              .exchange = exchange,
                                              .finish = finish};
