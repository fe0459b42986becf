/* Sums of batches, and Student's t over replications. */
#include "job_cell.h"
#include "ratio.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

#define LEVEL 0.95

uint32_t sl_job_batch_resource(const struct sl_graph *plan, uint32_t node)
{
    struct sl_span demands = plan->nodes[node].demands;
    return demands.count > 0 ? plan->demands[demands.first].resource : SL_NONE;
}

enum sl_status sl_job_batch_nodes(struct sl_job_shape *shape, const struct sl_graph *plan,
                                  struct sl_arena *arena, struct sl_error *err)
{
    uint32_t *nodes = sl_arena_array(arena, (size_t)plan->node_count + 1, sizeof *nodes);
    if (!nodes)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the nodes that batch");
    shape->batch_nodes = nodes;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        uint32_t resource = sl_job_batch_resource(plan, i);
        if (resource != SL_NONE && plan->platform->resources[resource].batch.most > 0)
            nodes[shape->batch_count++] = i;
    }
    return SL_OK;
}

static void add_totals(struct sl_batch_totals *sum, const struct sl_batch_totals *more)
{
    sum->batches += more->batches;
    sum->steps += more->steps;
    sum->most = more->most > sum->most ? more->most : sum->most;
    sum->pause_ps += more->pause_ps;
    for (unsigned k = 0; k < SL_BATCH_BINS; k++)
        sum->sizes[k] += more->sizes[k];
}

/* `steps` and `batches`: room for a number per replication. */
static void sum_up(struct sl_job_batch_use *use, uint32_t at, const struct sl_job_cell *jobs,
                   double *steps, double *batches)
{
    double runs = 0;
    for (uint32_t r = 0; r < jobs->sample_count; r++) {
        const struct sl_batch_totals *totals = &jobs->samples[r].batches[at];
        steps[r] = (double)totals->steps;
        batches[r] = (double)totals->batches;
        runs += jobs->samples[r].node_runs[use->node];
        add_totals(&use->sum, totals);
    }
    use->per_trial = sl_mean(batches, jobs->distinct, LEVEL);
    if (use->per_trial.lo < 0)
        use->per_trial.lo = 0;
    use->size = sl_ratio(steps, batches, jobs->distinct, LEVEL);
    if (use->size.lo < 1) /* a batch has a member */
        use->size.lo = 1;
    use->pause_us = runs > 0 ? sl_us_of(use->sum.pause_ps) / runs : NAN;
}

enum sl_status sl_job_batches(struct sl_job_cell *jobs, struct sl_arena *arena,
                              struct sl_error *err)
{
    const struct sl_job_shape *shape = &jobs->shape;
    double *values = calloc(2 * (size_t)jobs->sample_count + 1, sizeof *values);
    jobs->batches = sl_arena_array(arena, (size_t)shape->batch_count + 1, sizeof *jobs->batches);
    enum sl_status status = SL_OK;
    if (!values || !jobs->batches)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for batches");
    for (uint32_t k = 0; status == SL_OK && k < shape->batch_count; k++) {
        jobs->batches[k].node = shape->batch_nodes[k];
        sum_up(&jobs->batches[k], k, jobs, values, values + jobs->sample_count);
    }
    free(values);
    return status;
}
