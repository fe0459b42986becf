/* The hand-off of modes open and closed: the graph is one job's, and here is which jobs come, which
 * are admitted, and what is asked of each. */
#include "handoff_parts.h"
#include "job_metrics.h"
#include "result_parts.h"
#include "units.h"
#include <math.h>

static void put_optional_us(yajl_gen gen, const char *key, int64_t ps, bool stated)
{
    if (stated)
        sl_json_us(gen, key, ps);
    else
        sl_json_text(gen, key, NULL);
}

static void put_count(yajl_gen gen, const char *key, int64_t count, bool stated)
{
    if (stated)
        sl_json_integer(gen, key, count);
    else
        sl_json_text(gen, key, NULL);
}

static void put_arrivals(struct sl_handoff *h)
{
    const struct sl_scenario *source = h->what->source;
    const struct sl_job_mode *jobs = &source->jobs;
    bool open = source->mode == SL_MODE_OPEN;
    sl_json_text(h->gen, "mode", sl_mode_words[source->mode]);
    sl_json_text(h->gen, "arrivals", open ? jobs->arrivals_text : NULL);
    sl_json_number(h->gen, "rate_per_s",
                   jobs->arrivals ? sl_arrivals_rate(jobs->arrivals) : (double)NAN);
    put_count(h->gen, "clients", jobs->concurrency, !open);
    sl_json_text(h->gen, "think", jobs->think ? sl_dist_text(jobs->think) : NULL);
    sl_json_integer(h->gen, "jobs", (int64_t)sl_job_mode_count(jobs));
    put_count(h->gen, "warmup", jobs->warmup, jobs->warmup >= 0);
}

static void put_parameters(struct sl_handoff *h)
{
    const struct sl_job_mode *jobs = &h->what->source->jobs;
    sl_json_open_array(h->gen, "parameters");
    for (uint32_t p = 0; p < jobs->parameters.count; p++) {
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "parameter", jobs->parameters.names[p]);
        sl_json_text(h->gen, "distribution", jobs->draws[p] ? sl_dist_text(jobs->draws[p]) : NULL);
        sl_json_number(h->gen, "mean", jobs->means[p]);
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
}

/* By blocks: of all jobs, of a conversation, of one. */
static void put_blocks(struct sl_handoff *h)
{
    static const char *const orders[] = {"lru", "fifo", "none"};
    const struct sl_job_prefix *prefix = &h->what->source->jobs.prefix;
    const struct sl_engine_options *engine = &h->what->plan->engine;
    const struct sl_job_number *const numbers[] = {&prefix->count, &prefix->common, &prefix->own,
                                                   &prefix->conversation};
    static const char *const keys[] = {"count", "common", "own", "conversation"};
    if (!sl_has_shared(h->graph)) {
        sl_json_text(h->gen, "blocks", NULL);
        return;
    }
    sl_json_open_map(h->gen, "blocks");
    sl_json_text(h->gen, "named_by", prefix->place.file ? "parameters" : "trace");
    for (int k = 0; k < 4; k++) {
        const struct sl_job_number *number = numbers[k];
        if (number->expr)
            sl_json_text(h->gen, keys[k], sl_expr_text(number->expr));
        else if (prefix->place.file)
            sl_json_number(h->gen, keys[k], number->mean);
        else
            sl_json_text(h->gen, keys[k], NULL);
    }
    sl_json_text(h->gen, "who_leaves_first", orders[engine->cache_order]);
    sl_json_bool(h->gen, "write_through", engine->cache_through);
    yajl_gen_map_close(h->gen);
}

static void put_admission(struct sl_handoff *h)
{
    const struct sl_job_mode *jobs = &h->what->source->jobs;
    sl_json_open_map(h->gen, "admission");
    put_count(h->gen, "jobs_at_most", jobs->admitted_most, jobs->admitted_most > 0);
    sl_json_text(h->gen, "when_full", jobs->reject_when_full ? "reject" : "queue");
    sl_json_text(h->gen, "by_memory_of", sl_handoff_domain(h, jobs->memory));
    sl_json_text(h->gen, "when_short", jobs->reject_when_short ? "reject" : "queue");
    yajl_gen_map_close(h->gen);
}

/* Times of a job that are measured, and limited. */
static enum sl_status put_measures(struct sl_handoff *h, struct sl_error *err)
{
    const struct sl_scenario *source = h->what->source;
    struct sl_job_metrics metrics;
    enum sl_status status = sl_job_metrics_make(&metrics, source, h->graph, &h->arena, err);
    if (status != SL_OK)
        return status;
    sl_json_open_array(h->gen, "measures");
    for (uint32_t k = 0; k < metrics.count; k++) {
        const struct sl_job_metric *item = &metrics.items[k];
        uint32_t from = item->from == SL_NONE ? SL_NONE : metrics.marks[item->from];
        uint32_t to = item->to == SL_NONE ? SL_NONE : metrics.marks[item->to];
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "measure", item->name);
        sl_json_text(h->gen, "from_finish_of", sl_handoff_node(h, from));
        sl_json_text(h->gen, "to_finish_of", sl_handoff_node(h, to));
        sl_json_text(h->gen, "per",
                     item->per == SL_NONE ? NULL : source->jobs.parameters.names[item->per]);
        put_optional_us(h->gen, "limit_us", item->limit_ps, item->limit_ps != INT64_MAX);
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
    return SL_OK;
}

static void put_batches(struct sl_handoff *h)
{
    const struct sl_platform *platform = h->graph->platform;
    sl_json_open_array(h->gen, "batches");
    for (uint32_t r = 0; r < platform->resource_names.count; r++) {
        const struct sl_batching *batch = &platform->resources[r].batch;
        if (batch->most == 0)
            continue;
        sl_json_open_map(h->gen, NULL);
        sl_json_text(h->gen, "resource", platform->resource_names.names[r]);
        sl_json_integer(h->gen, "at_most", batch->most);
        sl_json_bool(h->gen, "continuous", batch->continuous);
        sl_json_us(h->gen, "wait_us", batch->wait_ps);
        sl_json_number(h->gen, "longer_per_member", batch->per_member);
        yajl_gen_map_close(h->gen);
    }
    yajl_gen_array_close(h->gen);
}

enum sl_status sl_handoff_put_jobs(struct sl_handoff *h, struct sl_error *err)
{
    if (!sl_scenario_has_jobs(h->what->source))
        return SL_OK;
    sl_json_open_map(h->gen, "jobs");
    put_arrivals(h);
    put_parameters(h);
    put_blocks(h);
    put_admission(h);
    put_batches(h);
    enum sl_status status = put_measures(h, err);
    yajl_gen_map_close(h->gen);
    return status;
}
