/* Explain, jobs: which job, what it was, and its chain, as text. */
#include "explain_job.h"
#include "explain_job_admission.h"
#include "explain_job_holders.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define SHOWN_LINKS 24

static const char *time_text(struct sl_explained_job *x, int64_t ps)
{
    return sl_time_text(&x->arena, (double)ps / (double)SL_PS_PER_US);
}

static const char *instant_text(struct sl_explained_job *x, int64_t ps)
{
    return sl_estimate_text(&x->arena, (double)ps / (double)SL_PS_PER_US);
}

/* ---- which job ------------------------------------------------------------------------------- */

static const char *rank_text(struct sl_explained_job *x)
{
    const struct sl_job_telling *t = x->telling;
    struct sl_arena *arena = &x->arena;
    if (t->rank)
        return sl_arena_printf(arena, "rank %s of %s counted jobs of %s by latency",
                               sl_grouped(arena, t->rank), sl_grouped(arena, t->of),
                               x->one_trial ? "this trial" : "all trials");
    if (t->record.rejected)
        return "not counted among the latencies";
    return sl_arena_printf(arena, "not counted: it is of the warm-up of %s jobs",
                           sl_grouped(arena, x->cell->jobs->warmup.jobs));
}

static void print_course(struct sl_explained_job *x, FILE *out)
{
    const struct sl_job_record *job = &x->telling->record;
    fprintf(out, "  arrived at %s", instant_text(x, job->arrival_ps));
    if (job->rejected) {
        fprintf(out, " and was rejected: %s\n", sl_rejection_name(job->rejection));
        return;
    }
    if (job->admitted_ps > job->arrival_ps)
        fprintf(out, ", was admitted at %s", instant_text(x, job->admitted_ps));
    fprintf(out, " and ended at %s\n", instant_text(x, job->finish_ps));
}

static const char *figure_text(struct sl_explained_job *x, enum sl_job_figure figure)
{
    struct sl_estimate estimate = x->cell->jobs->estimates[0].figures[figure].estimate;
    if (isnan(estimate.value))
        return "needs more jobs";
    if (isnan(estimate.lo))
        return sl_estimate_text(&x->arena, estimate.value);
    return sl_arena_printf(&x->arena, "%s [%s, %s]", sl_estimate_text(&x->arena, estimate.value),
                           sl_estimate_text(&x->arena, estimate.lo),
                           sl_estimate_text(&x->arena, estimate.hi));
}

static void print_all(struct sl_explained_job *x, FILE *out)
{
    const struct sl_cell *cell = x->cell;
    if (cell->deadlocked)
        fprintf(out, "%s of %s trials deadlocked; no warm-up is left out\n",
                sl_grouped(&x->arena, cell->deadlocked), sl_grouped(&x->arena, cell->trials));
    if (cell->jobs->estimated)
        fprintf(out, "latency of all counted jobs: median %s, p99 %s\n",
                figure_text(x, SL_JOB_MEDIAN), figure_text(x, SL_JOB_P99));
    if (cell->jobs->growth.grows)
        fputs("  there is no steady state: the latency grows with the time of arrival\n", out);
    if (cell->hypothetical)
        fputs("hypothetical: classes without measured contention ran together; times are of the\n"
              "  pessimistic corner\n",
              out);
}

static void print_head(struct sl_explained_job *x, FILE *out)
{
    const struct sl_job_telling *t = x->telling;
    const struct sl_job_record *job = &t->record;
    fprintf(out, "%s: policy %s, ", x->cell->scenario->name, x->cell->spec.policy);
    if (x->at)
        fprintf(out, "the %s job by latency\n", x->at);
    else
        fputs("a job by its number\n", out);
    fprintf(out, "job %" PRIu64 " of trial %" PRIu32 " (seed %" PRIu64 "): ", job->job, t->trial,
            x->seed);
    if (!job->rejected)
        fprintf(out, "latency %s, ", instant_text(x, job->finish_ps - job->arrival_ps));
    fprintf(out, "%s\n", rank_text(x));
    print_course(x, out);
    print_all(x, out);
    fputs("a projection from the scenario's figures; nothing here was measured\n", out);
}

/* ---- what it was ----------------------------------------------------------------------------- */

static void print_values(struct sl_explained_job *x, FILE *out)
{
    const struct sl_names *values = &x->cell->scenario->jobs.values;
    if (!values->count)
        return;
    struct sl_table table = sl_table_make(&x->arena, "lr");
    sl_table_add(&table, "the job has");
    sl_table_add(&table, "%s", "");
    for (uint32_t v = 0; v < values->count; v++) {
        sl_table_add(&table, "  %s", values->names[v]);
        sl_table_add(&table, "%s",
                     sl_number_text(&x->arena, x->telling->record.parameters[v], "%.6g"));
    }
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static void print_metrics(struct sl_explained_job *x, FILE *out)
{
    const struct sl_job_metrics *metrics = &x->cell->jobs->metrics;
    struct sl_table table = sl_table_make(&x->arena, "lrrl");
    sl_table_add(&table, "metric");
    sl_table_add(&table, "this job");
    sl_table_add(&table, metrics->limited ? "limit" : "");
    sl_table_add(&table, "%s", "");
    for (uint32_t m = 0; m < metrics->count; m++) {
        double us = x->telling->metrics_us[m];
        double limit_us = sl_us_of(metrics->items[m].limit_ps);
        bool limited = metrics->items[m].limit_ps != INT64_MAX;
        sl_table_add(&table, "  %s", metrics->items[m].name);
        sl_table_add(&table, "%s", sl_estimate_text(&x->arena, us));
        sl_table_add(&table, "%s", limited ? sl_time_text(&x->arena, limit_us) : "");
        sl_table_add(&table, "%s", !limited ? "" : us <= limit_us ? "kept" : "not kept");
    }
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
}

/* ---- where its time went --------------------------------------------------------------------- */

static void add_part(struct sl_explained_job *x, struct sl_table *table, const char *name,
                     int64_t ps)
{
    const struct sl_job_record *job = &x->telling->record;
    double all = (double)(job->finish_ps - job->arrival_ps);
    if (!ps)
        return;
    sl_table_add(table, "  %s", name);
    sl_table_add(table, "%s%s", ps < 0 ? "-" : "", instant_text(x, ps < 0 ? -ps : ps));
    sl_table_add(table, "%.1f%%", all > 0 ? 100 * (double)ps / all : 0);
}

static void print_parts(struct sl_explained_job *x, FILE *out)
{
    const struct sl_job_record *job = &x->telling->record;
    struct sl_table table = sl_table_make(&x->arena, "lrr");
    sl_table_add(&table, "where its latency went");
    sl_table_add(&table, "time");
    sl_table_add(&table, "share");
    add_part(x, &table, "admission", job->admitted_ps - job->arrival_ps);
    for (unsigned c = 0; c < SL_CAUSES; c++)
        add_part(x, &table, sl_arena_printf(&x->arena, "wait: %s", sl_cause_name((enum sl_cause)c)),
                 job->wait_ps[c]);
    add_part(x, &table, "contention", job->run_ps - job->isolated_ps);
    add_part(x, &table, "run, isolated", job->isolated_ps);
    add_part(x, &table, "latency", job->finish_ps - job->arrival_ps);
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
}

/* ---- the chain ------------------------------------------------------------------------------- */

static int longer_first(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

static int64_t length_of(const struct sl_job_link *link)
{
    return link->finish_ps - link->origin_ps;
}

/* The length from which on links are shown, so that about SHOWN_LINKS are. */
static int64_t shown_length(struct sl_explained_job *x)
{
    const struct sl_job_story *story = &x->telling->story;
    if (story->link_count <= SHOWN_LINKS)
        return 0;
    int64_t *lengths = sl_arena_array(&x->arena, story->link_count, sizeof *lengths);
    if (!lengths)
        return INT64_MAX;
    for (uint32_t k = 0; k < story->link_count; k++)
        lengths[k] = length_of(&story->links[k]);
    qsort(lengths, story->link_count, sizeof *lengths, longer_first);
    return lengths[SHOWN_LINKS - 1];
}

static void add_link(struct sl_explained_job *x, struct sl_table *table,
                     const struct sl_job_link *link)
{
    int64_t lag = link->ready_ps - link->origin_ps, waited = sl_explain_job_waited(link);
    int64_t ran = sl_explain_job_ran(link);
    sl_table_add(table, "  %s%s", sl_explain_job_node(x, link->node),
                 link->skipped ? " (skipped)" : "");
    sl_table_add(table, "%s", sl_cause_name(link->condition));
    sl_table_add(table, "%s", lag ? time_text(x, lag) : "");
    sl_table_add(table, "%s", instant_text(x, link->ready_ps));
    sl_table_add(table, "%s", waited ? time_text(x, waited) : "");
    sl_table_add(table, "%s",
                 link->start_ps > link->ready_ps ? sl_cause_name(link->cause)
                 : link->paused_ps               ? sl_cause_name(SL_CAUSE_QUEUE)
                                                 : "");
    sl_table_add(table, "%s", link->skipped ? "" : time_text(x, ran));
    sl_table_add(table, "%s", ran > link->isolated_ps ? time_text(x, ran - link->isolated_ps) : "");
}

static void print_chain(struct sl_explained_job *x, FILE *out)
{
    static const char *const heads[] = {"realized chain", "ready after", "lag", "ready",
                                        "waited",         "for",         "ran", "contention"};
    const struct sl_job_story *story = &x->telling->story;
    int64_t least = shown_length(x), rest_ps = 0;
    uint32_t shown = 0;
    struct sl_table table = sl_table_make(&x->arena, "llrrrlrr");
    for (size_t c = 0; c < sizeof heads / sizeof *heads; c++)
        sl_table_add(&table, "%s", heads[c]);
    for (uint32_t k = 0; k < story->link_count; k++) {
        if (length_of(&story->links[k]) < least || shown == SHOWN_LINKS) {
            rest_ps += length_of(&story->links[k]);
            continue;
        }
        shown++;
        add_link(x, &table, &story->links[k]);
    }
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (shown < story->link_count)
        fprintf(out, "  and %u shorter ones, together %s: --json has all\n",
                story->link_count - shown, time_text(x, rest_ps));
}

void sl_explain_job(struct sl_explained_job *x, FILE *out)
{
    print_head(x, out);
    print_values(x, out);
    if (x->telling->record.rejected)
        return;
    print_metrics(x, out);
    print_parts(x, out);
    sl_explain_job_admission(x, out);
    print_chain(x, out);
    sl_explain_job_holders(x, out);
}

const char *sl_explain_job_node(const struct sl_explained_job *x, uint32_t node)
{
    return node == SL_NONE ? "its end" : x->cell->plan.graph->nodes[node].name;
}

const char *sl_explain_job_held(const struct sl_explained_job *x,
                                const struct sl_job_holder *holder)
{
    const struct sl_platform *platform = x->cell->plan.graph->platform;
    return holder->resource != SL_NONE ? platform->resource_names.names[holder->resource]
                                       : platform->domain_names.names[holder->domain];
}
