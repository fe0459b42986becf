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

static const char *tier_name(const struct sl_cell *cell, uint32_t k, uint32_t tier)
{
    return domain_name(cell, cell->jobs->shape.shared[k].domains[tier]);
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

/* From one tier to another one. */
static void add_hop(struct sl_table *table, const struct sl_cell *cell, uint32_t k,
                    const char *what, uint32_t from, uint32_t to, uint64_t blocks)
{
    if (to != SL_NONE)
        add_count(table, what,
                  sl_arena_printf(table->arena, "%s to %s", tier_name(cell, k, from),
                                  tier_name(cell, k, to)),
                  blocks);
}

static void add_moves(struct sl_table *table, const struct sl_cell *cell, uint32_t k)
{
    const struct sl_cache_totals *sum = &cell->jobs->caches[k].sum;
    const struct sl_job_shared *shared = &cell->jobs->shape.shared[k];
    add_count(table, "made", "", sum->made);
    add_count(table, "made twice", "", sum->made_twice);
    for (uint32_t t = 1; t < shared->tiers; t++) {
        add_hop(table, cell, k, "fetched from ", t, shared->raised_to[t], sum->raised[t]);
        add_count(table, "fetched twice from ", tier_name(cell, k, t), sum->raised_twice[t]);
    }
    add_count(table, "fetched and unused", "", sum->fetched_unused);
    for (uint32_t t = 0; t < shared->tiers; t++) {
        add_hop(table, cell, k, "written ahead from ", t, shared->spilled_to[t], sum->written[t]);
        add_count(table, "evicted from ", tier_name(cell, k, t), sum->evicted[t]);
        add_hop(table, cell, k, "spilled from ", t, shared->spilled_to[t], sum->spilled[t]);
        add_count(table, "kept, for a job came, in ", tier_name(cell, k, t), sum->kept[t]);
        add_count(table, "lost, last copies, from ", tier_name(cell, k, t), sum->lost[t]);
    }
    for (uint32_t t = 0; t < shared->tiers; t++)
        add_count(table, "left at the end in ", tier_name(cell, k, t), sum->left_over[t]);
}

/* How much went from tier to tier, all trials together. */
static void print_moved(FILE *out, struct sl_arena *arena, const struct sl_cell *cell, uint32_t k)
{
    const struct sl_cache_totals *sum = &cell->jobs->caches[k].sum;
    const struct sl_job_shared *shared = &cell->jobs->shape.shared[k];
    const char *lead = "  moved: ";
    for (uint32_t up = 0; up < 2; up++)
        for (uint32_t t = 0; t < shared->tiers; t++) {
            uint32_t to = up ? shared->raised_to[t] : shared->spilled_to[t];
            uint64_t blocks = up ? sum->raised[t] : sum->spilled[t] + sum->written[t];
            if (to == SL_NONE || blocks == 0)
                continue;
            fprintf(out, "%s%s from %s to %s", lead,
                    sl_bytes_text(arena, (double)blocks * (double)shared->bytes),
                    tier_name(cell, k, t), tier_name(cell, k, to));
            lead = ", ";
        }
    if (*lead == ',')
        putc('\n', out);
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
        add_blocks(&table, "found in ", tier_name(cell, k, t), use->sum.found[t]);
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
    print_moved(out, arena, cell, k);
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

/* What goes from a tier to `to`, its first word naming it. */
static void put_hop(yajl_gen gen, const char *what, const struct sl_cell *cell, uint32_t k,
                    uint32_t to, uint64_t blocks)
{
    char key[64];
    if (to == SL_NONE)
        return;
    snprintf(key, sizeof key, "%s_to", what);
    sl_json_text(gen, key, tier_name(cell, k, to));
    snprintf(key, sizeof key, "%s_blocks", what);
    sl_json_integer(gen, key, (int64_t)blocks);
    snprintf(key, sizeof key, "%s_bytes", what);
    sl_json_number(gen, key, (double)blocks * (double)cell->jobs->shape.shared[k].bytes);
}

static void put_tiers(yajl_gen gen, const struct sl_cell *cell, uint32_t k)
{
    const struct sl_job_cache_use *use = &cell->jobs->caches[k];
    const struct sl_job_shared *shared = &cell->jobs->shape.shared[k];
    sl_json_open_array(gen, "tiers");
    for (uint32_t t = 0; t < shared->tiers; t++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "domain", tier_name(cell, k, t));
        sl_json_integer(gen, "found_blocks", (int64_t)use->sum.found[t]);
        sl_json_estimate(gen, "found_share", use->found_in[t].estimate);
        put_hop(gen, "fetched", cell, k, shared->raised_to[t], use->sum.raised[t]);
        sl_json_integer(gen, "fetched_twice_blocks", (int64_t)use->sum.raised_twice[t]);
        sl_json_integer(gen, "evicted_blocks", (int64_t)use->sum.evicted[t]);
        put_hop(gen, "spilled", cell, k, shared->spilled_to[t], use->sum.spilled[t]);
        put_hop(gen, "written", cell, k, shared->spilled_to[t], use->sum.written[t]);
        sl_json_integer(gen, "kept_blocks", (int64_t)use->sum.kept[t]);
        sl_json_integer(gen, "lost_blocks", (int64_t)use->sum.lost[t]);
        sl_json_integer(gen, "left_blocks", (int64_t)use->sum.left_over[t]);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_moves(yajl_gen gen, const struct sl_job_cache_use *use)
{
    const struct sl_cache_totals *sum = &use->sum;
    sl_json_integer(gen, "looked_up_blocks", (int64_t)sum->looked_up);
    sl_json_integer(gen, "missing_blocks", (int64_t)sum->missing);
    sl_json_integer(gen, "made_blocks", (int64_t)sum->made);
    sl_json_integer(gen, "made_twice_blocks", (int64_t)sum->made_twice);
    sl_json_integer(gen, "fetched_blocks", (int64_t)sum->fetched);
    sl_json_integer(gen, "fetched_twice_blocks", (int64_t)sum->fetched_twice);
    sl_json_integer(gen, "fetched_unused_blocks", (int64_t)sum->fetched_unused);
    sl_json_integer(gen, "evicted_blocks", (int64_t)sum->evicted[0]);
    sl_json_integer(gen, "spilled_blocks", (int64_t)sum->spilled[0]);
    sl_json_integer(gen, "kept_blocks", (int64_t)sum->kept[0]);
    sl_json_integer(gen, "lost_blocks", (int64_t)sl_job_cache_lost(use));
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
        put_moves(gen, use);
        sl_json_number(gen, "wasted_bytes", use->wasted_bytes);
        put_tiers(gen, cell, k);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}
