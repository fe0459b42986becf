/* batches.csv: a row per node whose resource batches. */
#include "figures.h"
#include "job_cell.h"
#include "result_parts.h"
#include <math.h>

static void batches_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,node,resource,continuous,most,batches,batches_per_trial,batches_per_trial_lo,"
          "batches_per_trial_hi,mean_size,mean_size_lo,mean_size_hi,largest,pause_us,sizes_1",
          out);
    for (uint32_t k = 1; k < SL_BATCH_BINS; k++)
        fprintf(out, ",sizes_%u_%u", 1u << k, (2u << k) - 1);
    putc('\n', out);
}

static void batches_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    const struct sl_platform *platform = &cell->scenario->platform;
    for (uint32_t k = 0; jobs && jobs->estimated && k < jobs->shape.batch_count; k++) {
        const struct sl_job_batch_use *use = &jobs->batches[k];
        uint32_t resource = sl_job_batch_resource(cell->plan.graph, use->node);
        const struct sl_batching *batching = &platform->resources[resource].batch;
        fprintf(out, "%u", cell->spec.index);
        sl_put_text(out, cell->plan.graph->nodes[use->node].name);
        sl_put_text(out, platform->resource_names.names[resource]);
        sl_put_integer(out, batching->continuous);
        sl_put_integer(out, batching->most);
        sl_put_integer(out, (int64_t)use->sum.batches);
        sl_put_estimate(out, use->per_trial);
        sl_put_estimate(out, use->size);
        sl_put_integer(out, use->sum.most);
        sl_put_number(out, batching->continuous ? use->pause_us : NAN);
        for (uint32_t b = 0; b < SL_BATCH_BINS; b++)
            sl_put_integer(out, (int64_t)use->sum.sizes[b]);
        putc('\n', out);
    }
}

const struct sl_part sl_part_batches = {"batches.csv", batches_header, batches_rows,
                                        SL_PART_OF_JOBS};
