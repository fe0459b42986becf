/* caches.csv: a row per object that jobs share by blocks. */
#include "figures.h"
#include "job_cell.h"
#include "result_parts.h"

/* Of each domain, what it has before and behind its name. */
static const char *const tier_columns[][2] = {
    {"found", "blocks"},   {"found", "share"},          {"found", "share_lo"},
    {"found", "share_hi"}, {"left", "blocks"},          {"fetched", "blocks"},
    {"fetched", "bytes"},  {"fetched_twice", "blocks"}, {"evicted", "blocks"},
    {"spilled", "blocks"}, {"spilled", "bytes"},        {"written", "blocks"},
    {"written", "bytes"},  {"kept", "blocks"},          {"lost", "blocks"},
};

#define TIER_COLUMNS (sizeof tier_columns / sizeof *tier_columns)

static void caches_header(FILE *out, const struct sl_scenario *scenario)
{
    const struct sl_names *domains = &scenario->platform.domain_names;
    fputs("cell,object,block_bytes,looked_up_blocks,missing_blocks,made_blocks,made_twice_blocks,"
          "fetched_blocks,fetched_twice_blocks,fetched_unused_blocks,wasted_bytes,evicted_blocks,"
          "spilled_blocks,kept_blocks,lost_blocks,found_share,found_share_lo,found_share_hi,"
          "interval_method",
          out);
    for (uint32_t d = 0; d < domains->count; d++)
        for (size_t k = 0; k < TIER_COLUMNS; k++)
            sl_put_column(out, tier_columns[k][0], domains->names[d], tier_columns[k][1]);
    putc('\n', out);
}

static void put_counts(FILE *out, const struct sl_job_cache_use *use)
{
    sl_put_integer(out, (int64_t)use->sum.looked_up);
    sl_put_integer(out, (int64_t)use->sum.missing);
    sl_put_integer(out, (int64_t)use->sum.made);
    sl_put_integer(out, (int64_t)use->sum.made_twice);
    sl_put_integer(out, (int64_t)use->sum.fetched);
    sl_put_integer(out, (int64_t)use->sum.fetched_twice);
    sl_put_integer(out, (int64_t)use->sum.fetched_unused);
    sl_put_number(out, use->wasted_bytes);
    sl_put_integer(out, (int64_t)use->sum.evicted[0]);
    sl_put_integer(out, (int64_t)use->sum.spilled[0]);
    sl_put_integer(out, (int64_t)use->sum.kept[0]);
    sl_put_integer(out, (int64_t)sl_job_cache_lost(use));
    sl_put_estimate(out, use->found.estimate);
    sl_put_text(out, sl_series_method_name(use->found.method));
}

/* Empty where the domain is none of the object's tiers. */
static void put_tier(FILE *out, const struct sl_job_cache_use *use,
                     const struct sl_job_shared *shared, uint32_t domain)
{
    uint32_t t = 0;
    while (t < shared->tiers && shared->domains[t] != domain)
        t++;
    if (t == shared->tiers) {
        for (size_t k = 0; k < TIER_COLUMNS; k++)
            putc(',', out);
        return;
    }
    const struct sl_cache_totals *sum = &use->sum;
    sl_put_integer(out, (int64_t)sum->found[t]);
    sl_put_estimate(out, use->found_in[t].estimate);
    sl_put_integer(out, (int64_t)sum->left_over[t]);
    sl_put_integer(out, (int64_t)sum->raised[t]);
    sl_put_number(out, (double)sum->raised[t] * (double)shared->bytes);
    sl_put_integer(out, (int64_t)sum->raised_twice[t]);
    sl_put_integer(out, (int64_t)sum->evicted[t]);
    sl_put_integer(out, (int64_t)sum->spilled[t]);
    sl_put_number(out, (double)sum->spilled[t] * (double)shared->bytes);
    sl_put_integer(out, (int64_t)sum->written[t]);
    sl_put_number(out, (double)sum->written[t] * (double)shared->bytes);
    sl_put_integer(out, (int64_t)sum->kept[t]);
    sl_put_integer(out, (int64_t)sum->lost[t]);
}

static void caches_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    for (uint32_t k = 0; jobs && jobs->estimated && k < jobs->shape.shared_count; k++) {
        const struct sl_job_shared *shared = &jobs->shape.shared[k];
        fprintf(out, "%u", cell->spec.index);
        sl_put_text(out, cell->plan.graph->objects[shared->object].name);
        sl_put_integer(out, shared->bytes);
        put_counts(out, &jobs->caches[k]);
        for (uint32_t d = 0; d < cell->scenario->platform.domain_names.count; d++)
            put_tier(out, &jobs->caches[k], shared, d);
        putc('\n', out);
    }
}

const struct sl_part sl_part_caches = {"caches.csv", caches_header, caches_rows, SL_PART_OF_JOBS};
