/* What jobs found of the objects that they share by blocks, and what became of the blocks. */
#include "report_caches.h"
#include "job_cell.h"
#include "json_out.h"
#include "report_jobs.h"
#include "table.h"
#include <math.h>

static const char *domain_name(const struct sl_cell *cell, uint32_t domain)
{
    return cell->scenario->platform.domain_names.names[domain];
}

static const char *object_name(const struct sl_cell *cell, uint32_t k)
{
    return cell->plan.graph->objects[cell->jobs->shape.shared[k].object].name;
}

static void add_blocks(struct sl_table *table, const char *what, const char *where, uint64_t blocks)
{
    sl_table_add(table, "  %s%s", what, where);
    sl_table_add(table, "%s", sl_grouped(table->arena, blocks));
}

static void add_share(struct sl_table *table, struct sl_estimate share)
{
    sl_table_add(table, "%s", sl_number_text(table->arena, 100 * share.value, "%.3g%%"));
    sl_table_add_interval(table, share, 100, "%.3g%%");
}

/* What was not found is missing. */
static struct sl_estimate rest_of(struct sl_estimate share)
{
    return (struct sl_estimate){1 - share.value, 1 - share.hi, 1 - share.lo};
}

/* A count of blocks that is no share of those looked up; nothing where there are none. */
static void add_count(struct sl_table *table, const char *what, const char *where, uint64_t blocks)
{
    if (blocks == 0)
        return;
    add_blocks(table, what, where, blocks);
    sl_table_add(table, "%s", "");
    sl_table_add(table, "%s", "");
}

static void add_moves(struct sl_table *table, const struct sl_cell *cell, uint32_t k)
{
    const struct sl_cache_totals *sum = &cell->jobs->caches[k].sum;
    const struct sl_job_shared *shared = &cell->jobs->shape.shared[k];
    const char *home = domain_name(cell, shared->domains[0]);
    add_count(table, "made", "", sum->made);
    add_count(table, "made twice", "", sum->made_twice);
    add_count(table, "fetched to ", home, sum->fetched);
    add_count(table, "fetched twice", "", sum->fetched_twice);
    add_count(table, "fetched and unused", "", sum->fetched_unused);
    add_count(table, "evicted from ", home, sum->evicted);
    add_count(table, "spilled", "", sum->spilled);
    add_count(table, "kept, for a job came", "", sum->kept);
    add_count(table, "lost, last copies", "", sum->lost);
    for (uint32_t t = 0; t < shared->tiers; t++)
        add_count(table, "left at the end in ", domain_name(cell, shared->domains[t]),
                  sum->left_over[t]);
}

static void print_cache(FILE *out, struct sl_arena *arena, const struct sl_cell *cell, uint32_t k)
{
    const struct sl_job_cache_use *use = &cell->jobs->caches[k];
    const struct sl_job_shared *shared = &cell->jobs->shape.shared[k];
    struct sl_table table = sl_table_make(arena, "lrrl");
    sl_table_add(&table, "%s, blocks of %s", object_name(cell, k),
                 sl_bytes_text(arena, (double)shared->bytes));
    sl_table_add(&table, "blocks");
    sl_table_add(&table, "share");
    sl_table_add(&table, "95%% interval");
    add_blocks(&table, "looked up", "", use->sum.looked_up);
    sl_table_add(&table, "%s", "");
    sl_table_add(&table, "%s", "");
    for (uint32_t t = 0; t < shared->tiers; t++) {
        add_blocks(&table, "found in ", domain_name(cell, shared->domains[t]), use->sum.found[t]);
        add_share(&table, use->found_in[t].estimate);
    }
    add_blocks(&table, "found", "", use->sum.looked_up - use->sum.missing);
    add_share(&table, use->found.estimate);
    add_blocks(&table, "missing", "", use->sum.missing);
    add_share(&table, rest_of(use->found.estimate));
    add_moves(&table, cell, k);
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (use->sum.fetched_unused > 0)
        fprintf(out, "  fetched and unused: %s were moved for jobs that then did not need them\n",
                sl_bytes_text(arena, use->wasted_bytes));
}

void sl_report_caches(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    for (uint32_t k = 0; k < jobs->shape.shared_count; k++)
        print_cache(out, arena, cell, k);
    if (jobs->shape.shared_count == 0)
        return;
    fputs("  shares are of the counted jobs' blocks; blocks are those of all trials, warm-up "
          "included\n",
          out);
    sl_report_method(out, arena, &jobs->caches[0].found, jobs->one_course);
}

static void put_tiers(yajl_gen gen, const struct sl_cell *cell, uint32_t k)
{
    const struct sl_job_cache_use *use = &cell->jobs->caches[k];
    const struct sl_job_shared *shared = &cell->jobs->shape.shared[k];
    sl_json_open_array(gen, "tiers");
    for (uint32_t t = 0; t < shared->tiers; t++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "domain", domain_name(cell, shared->domains[t]));
        sl_json_integer(gen, "found_blocks", (int64_t)use->sum.found[t]);
        sl_json_estimate(gen, "found_share", use->found_in[t].estimate);
        sl_json_integer(gen, "left_blocks", (int64_t)use->sum.left_over[t]);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_moves(yajl_gen gen, const struct sl_cache_totals *sum)
{
    sl_json_integer(gen, "looked_up_blocks", (int64_t)sum->looked_up);
    sl_json_integer(gen, "missing_blocks", (int64_t)sum->missing);
    sl_json_integer(gen, "made_blocks", (int64_t)sum->made);
    sl_json_integer(gen, "made_twice_blocks", (int64_t)sum->made_twice);
    sl_json_integer(gen, "fetched_blocks", (int64_t)sum->fetched);
    sl_json_integer(gen, "fetched_twice_blocks", (int64_t)sum->fetched_twice);
    sl_json_integer(gen, "fetched_unused_blocks", (int64_t)sum->fetched_unused);
    sl_json_integer(gen, "evicted_blocks", (int64_t)sum->evicted);
    sl_json_integer(gen, "spilled_blocks", (int64_t)sum->spilled);
    sl_json_integer(gen, "kept_blocks", (int64_t)sum->kept);
    sl_json_integer(gen, "lost_blocks", (int64_t)sum->lost);
}

void sl_report_caches_json(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    if (jobs->shape.shared_count == 0)
        return;
    sl_json_open_array(gen, "caches");
    for (uint32_t k = 0; k < jobs->shape.shared_count; k++) {
        const struct sl_job_cache_use *use = &jobs->caches[k];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "object", object_name(cell, k));
        sl_json_integer(gen, "block_bytes", jobs->shape.shared[k].bytes);
        sl_json_estimate(gen, "found_share", use->found.estimate);
        sl_json_text(gen, "method", sl_series_method_name(use->found.method));
        put_moves(gen, &use->sum);
        sl_json_number(gen, "wasted_bytes", use->wasted_bytes);
        put_tiers(gen, cell, k);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}
