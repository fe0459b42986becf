/* Batches of each node whose resource batches: how many, how large, and what members waited. */
#include "report_batches.h"
#include "job_cell.h"
#include "json_out.h"
#include "table.h"
#include <math.h>

static const char *resource_name(const struct sl_cell *cell, uint32_t node)
{
    uint32_t resource = sl_job_batch_resource(cell->plan.graph, node);
    return cell->scenario->platform.resource_names.names[resource];
}

static const struct sl_batching *batching_of(const struct sl_cell *cell, uint32_t node)
{
    uint32_t resource = sl_job_batch_resource(cell->plan.graph, node);
    return &cell->scenario->platform.resources[resource].batch;
}

static void add_row(struct sl_table *table, const struct sl_cell *cell,
                    const struct sl_job_batch_use *use)
{
    const struct sl_batching *batching = batching_of(cell, use->node);
    sl_table_add(table, "  %s", cell->plan.graph->nodes[use->node].name);
    sl_table_add(table, "%s", resource_name(cell, use->node));
    sl_table_add(table, "%.4g", use->per_trial.value);
    sl_table_add(table, "%s", sl_number_text(table->arena, use->size.value, "%.3g"));
    sl_table_add_interval(table, use->size, 1, "%.3g");
    sl_table_add(table, "%u of %u", use->sum.most, batching->most);
    sl_table_add(table, "%s",
                 batching->continuous ? sl_time_text(table->arena, use->pause_us) : "");
}

/* "decode: 25% of 1, 75% of 2 to 3". */
static void print_sizes(FILE *out, const struct sl_cell *cell, const struct sl_job_batch_use *use)
{
    const char *separator = ": ";
    if (use->sum.batches == 0)
        return;
    fputs("  ", out);
    sl_put_clean(cell->plan.graph->nodes[use->node].name, out);
    for (uint32_t k = 0; k < SL_BATCH_BINS; k++) {
        double share = 100 * (double)use->sum.sizes[k] / (double)use->sum.batches;
        if (use->sum.sizes[k] == 0)
            continue;
        fprintf(out, "%s%.3g%% of %u", separator, share, 1u << k);
        if (k > 0)
            fprintf(out, " to %u", (2u << k) - 1);
        separator = ", ";
    }
    fputs(" members\n", out);
}

void sl_report_batches(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    if (jobs->shape.batch_count == 0)
        return;
    struct sl_table table = sl_table_make(arena, "llrrlrr");
    sl_table_add(&table, "batches");
    sl_table_add(&table, "of");
    sl_table_add(&table, "per trial");
    sl_table_add(&table, "mean size");
    sl_table_add(&table, "95%% interval");
    sl_table_add(&table, "largest");
    sl_table_add(&table, "pause per run");
    for (uint32_t k = 0; k < jobs->shape.batch_count; k++)
        add_row(&table, cell, &jobs->batches[k]);
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    for (uint32_t k = 0; k < jobs->shape.batch_count; k++)
        print_sizes(out, cell, &jobs->batches[k]);
    fputs("  each step of a continuous batch counts; pause: between two steps of a run; warm-up "
          "included\n",
          out);
}

static void put_sizes(yajl_gen gen, const struct sl_batch_totals *sum)
{
    sl_json_open_array(gen, "sizes");
    for (uint32_t k = 0; k < SL_BATCH_BINS; k++) {
        if (sum->sizes[k] == 0)
            continue;
        sl_json_open_map(gen, NULL);
        sl_json_integer(gen, "from", INT64_C(1) << k);
        sl_json_integer(gen, "to", (INT64_C(2) << k) - 1);
        sl_json_integer(gen, "batches", (int64_t)sum->sizes[k]);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

void sl_report_batches_json(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    if (jobs->shape.batch_count == 0)
        return;
    sl_json_open_array(gen, "batches");
    for (uint32_t k = 0; k < jobs->shape.batch_count; k++) {
        const struct sl_job_batch_use *use = &jobs->batches[k];
        const struct sl_batching *batching = batching_of(cell, use->node);
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "node", cell->plan.graph->nodes[use->node].name);
        sl_json_text(gen, "resource", resource_name(cell, use->node));
        sl_json_bool(gen, "continuous", batching->continuous);
        sl_json_integer(gen, "most", batching->most);
        sl_json_integer(gen, "batches", (int64_t)use->sum.batches);
        sl_json_estimate(gen, "per_trial", use->per_trial);
        sl_json_estimate(gen, "mean_size", use->size);
        sl_json_integer(gen, "largest", use->sum.most);
        sl_json_number(gen, "pause_us", batching->continuous ? use->pause_us : NAN);
        put_sizes(gen, &use->sum);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}
