/* Time per iteration after warm-up.
 *
 *     (finish of iteration N - finish of iteration W) / (N - W)
 *
 * where iteration k is finished when it and all before it are: W warm-up iterations count for
 * nothing but the state in which they leave the machine. */
#include <config.h>

#include "cellparts.h"
#include "tallies.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum sl_status begin(struct sl_cell *cell, struct sl_error *err)
{
    (void)err;
    cell->iteration_mean = cell->iteration_median = cell->iteration_p99 = SL_NO_ESTIMATE;
    return SL_OK;
}

static enum sl_status grow(struct sl_cell *cell, uint32_t had, struct sl_error *err)
{
    if (cell->scenario->iterations <= 1)
        return SL_OK;
    cell->iteration_us =
        sl_cell_more_rows(cell, cell->iteration_us, had, cell->trials, sizeof *cell->iteration_us);
    return cell->iteration_us ? SL_OK
                              : SL_FAIL(err, SL_SYSTEM, "out of memory for times per iteration");
}

static enum sl_status open_part(void **part, struct sl_cell *cell, struct sl_arena *arena,
                                struct sl_error *err)
{
    (void)arena;
    (void)err;
    *part = cell->iteration_us ? cell : NULL; /* threads write different trials only */
    return SL_OK;
}

static enum sl_status visit(void *part, const struct sl_trial *record, struct sl_error *err)
{
    (void)err;
    struct sl_cell *cell = part;
    const struct sl_graph *graph = cell->plan.graph;
    uint32_t iterations = cell->scenario->iterations, warmup = cell->scenario->warmup;
    int64_t warm_ps = 0;
    if (record->outcome == SL_DEADLOCK) {
        cell->iteration_us[record->trial] = INFINITY;
        return SL_OK;
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].iteration < warmup && record->finish_ps[i] > warm_ps)
            warm_ps = record->finish_ps[i];
    cell->iteration_us[record->trial] = (double)(record->makespan_ps - warm_ps) /
                                        (double)SL_PS_PER_US / (double)(iterations - warmup);
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
    if (cell->iteration_us)
        sl_portion_rows(portion, cell->iteration_us, cell->trials, sizeof *cell->iteration_us);
}

static enum sl_status finish(struct sl_cell *cell, struct sl_error *err)
{
    size_t n = cell->trials;
    double *sorted = cell->iteration_us ? malloc(n * sizeof *sorted) : NULL;
    if (!cell->iteration_us)
        return SL_OK;
    if (!sorted)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for times per iteration");
    memcpy(sorted, cell->iteration_us, n * sizeof *sorted);
    sl_sort_doubles(sorted, n);
    cell->iteration_mean = sl_mean(cell->iteration_us, n, SL_LEVEL_CONFIDENCE);
    cell->iteration_median = sl_quantile(sorted, n, 0.5, SL_LEVEL_CONFIDENCE);
    cell->iteration_p99 = sl_quantile(sorted, n, 0.99, SL_LEVEL_CONFIDENCE);
    free(sorted);
    return SL_OK;
}

const struct sl_tally sl_tally_iterations = {
    .begin = begin, .grow = grow, .open = open_part, .visit = visit, .add = add, .exchange = exchange, .finish = finish};
