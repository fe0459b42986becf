/* Explain, jobs, as JSON: everything at full precision. */
#include "explain_job_admission.h"
#include "units.h"
#include <inttypes.h>

static void put_number(yajl_gen gen, const char *key, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, value);
    sl_json_raw_number(gen, key, digits);
}

static void put_job(struct sl_explained_job *x, yajl_gen gen)
{
    const struct sl_job_telling *t = x->telling;
    const struct sl_job_record *job = &t->record;
    const struct sl_names *values = &x->cell->scenario->jobs.values;
    const struct sl_job_metrics *metrics = &x->cell->jobs->metrics;
    sl_json_open_map(gen, "job");
    sl_json_text(gen, "at", x->at);
    sl_json_integer(gen, "trial", t->trial);
    put_number(gen, "number", job->job);
    if (t->rank)
        put_number(gen, "rank", t->rank);
    else
        sl_json_text(gen, "rank", NULL);
    put_number(gen, "counted_jobs", t->of);
    sl_json_us(gen, "arrival_us", job->arrival_ps);
    sl_json_bool(gen, "rejected", job->rejected);
    if (job->rejected)
        sl_json_text(gen, "rejected_for", sl_rejection_name(job->rejection));
    else {
        sl_json_us(gen, "admitted_us", job->admitted_ps);
        sl_json_us(gen, "finish_us", job->finish_ps);
    }
    sl_json_open_map(gen, "values");
    for (uint32_t v = 0; v < values->count; v++)
        sl_json_number(gen, values->names[v], job->parameters[v]);
    yajl_gen_map_close(gen);
    sl_json_open_array(gen, "metrics");
    for (uint32_t m = 0; m < metrics->count; m++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "metric", metrics->items[m].name);
        sl_json_number(gen, "value_us", t->metrics_us[m]);
        if (metrics->items[m].limit_ps != INT64_MAX)
            sl_json_us(gen, "slo_us", metrics->items[m].limit_ps);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
}

static void put_parts(const struct sl_job_record *job, yajl_gen gen)
{
    sl_json_open_map(gen, "latency_parts");
    sl_json_us(gen, "latency_us", job->finish_ps - job->arrival_ps);
    sl_json_us(gen, "admission_us", job->admitted_ps - job->arrival_ps);
    for (unsigned c = 0; c < SL_CAUSES; c++) {
        char key[64];
        snprintf(key, sizeof key, "wait_%s_us", sl_cause_name((enum sl_cause)c));
        if (job->wait_ps[c])
            sl_json_us(gen, key, job->wait_ps[c]);
    }
    sl_json_us(gen, "contention_us", job->run_ps - job->isolated_ps);
    sl_json_us(gen, "isolated_us", job->isolated_ps);
    yajl_gen_map_close(gen);
}

static void put_chain(struct sl_explained_job *x, yajl_gen gen)
{
    const struct sl_job_story *story = &x->telling->story;
    sl_json_open_array(gen, "chain");
    for (uint32_t k = 0; k < story->link_count; k++) {
        const struct sl_job_link *link = &story->links[k];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "node", sl_explain_job_node(x, link->node));
        sl_json_bool(gen, "skipped", link->skipped);
        sl_json_text(gen, "ready_after", sl_cause_name(link->condition));
        sl_json_us(gen, "lag_us", link->ready_ps - link->origin_ps);
        sl_json_us(gen, "ready_us", link->ready_ps);
        sl_json_us(gen, "start_us", link->start_ps);
        sl_json_us(gen, "finish_us", link->finish_ps);
        sl_json_text(gen, "wait_cause", sl_cause_name(link->cause));
        sl_json_us(gen, "wait_us", link->start_ps - link->ready_ps);
        sl_json_us(gen, "pause_us", link->paused_ps);
        sl_json_us(gen, "run_us", sl_explain_job_ran(link));
        sl_json_us(gen, "isolated_us", link->isolated_ps);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_holders(struct sl_explained_job *x, yajl_gen gen)
{
    const struct sl_job_story *story = &x->telling->story;
    sl_json_open_array(gen, "holders");
    for (uint32_t h = 0; h < story->holder_count; h++) {
        const struct sl_job_holder *holder = &story->holders[h];
        bool units = holder->resource != SL_NONE;
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "waiting", sl_explain_job_node(x, holder->waiting));
        sl_json_text(gen, units ? "resource" : "domain", sl_explain_job_held(x, holder));
        if (holder->job == UINT64_MAX)
            sl_json_text(gen, "job", NULL);
        else
            put_number(gen, "job", holder->job);
        sl_json_text(gen, "node",
                     holder->node == SL_NONE ? NULL : sl_explain_job_node(x, holder->node));
        if (units) {
            sl_json_us(gen, "from_us", holder->from_ps);
            sl_json_us(gen, "to_us", holder->to_ps);
            sl_json_bool(gen, "overtook", holder->later);
        } else {
            sl_json_integer(gen, "bytes", holder->bytes);
            sl_json_us(gen, "given_back_us", holder->to_ps);
        }
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    put_number(gen, "unlisted_holders", story->unlisted);
}

void sl_explain_job_json(struct sl_explained_job *x, yajl_gen gen)
{
    const struct sl_cell *cell = x->cell;
    sl_json_text(gen, "scenario", cell->scenario->name);
    sl_json_text(gen, "policy", cell->spec.policy);
    sl_json_text(gen, "figures", "projected");
    sl_json_integer(gen, "trials", cell->trials);
    sl_json_integer(gen, "deadlocked", cell->deadlocked);
    put_number(gen, "seed", x->seed);
    sl_json_bool(gen, "hypothetical", cell->hypothetical);
    put_number(gen, "warmup_jobs", cell->jobs->warmup.jobs);
    if (cell->jobs->estimated) {
        const struct sl_job_estimates *latency = &cell->jobs->estimates[0];
        sl_json_bool(gen, "grows", cell->jobs->growth.grows);
        sl_json_estimate_us(gen, "median", latency->figures[SL_JOB_MEDIAN].estimate);
        sl_json_estimate_us(gen, "p99", latency->figures[SL_JOB_P99].estimate);
    }
    put_job(x, gen);
    if (x->telling->record.rejected)
        return;
    put_parts(&x->telling->record, gen);
    sl_explain_job_admission_json(x, gen);
    put_chain(x, gen);
    put_holders(x, gen);
}
