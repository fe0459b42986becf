/* Finds the trial that is asked for, runs it again, and works out what its sections need. */
#include <config.h>

#include "explain.h"
#include "kept.h"
#include "text.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

enum sl_status sl_explain_at_read(struct sl_explain_at *at, const char *text, struct sl_error *err)
{
    char why[SL_WHY_SIZE], number[64];
    int64_t trial;
    double percent;
    *at = (struct sl_explain_at){.text = text};
    if (strcmp(text, "median") == 0 || strcmp(text, "worst") == 0) {
        at->q = *text == 'm' ? 0.5 : 1;
        return SL_OK;
    }
    if (*text == 'p') {
        snprintf(number, sizeof number, "%s%%", text + 1);
        if (strlen(text) < 16 && sl_parse_number(number, &percent, why) && percent > 0 &&
            percent < 1) {
            at->q = percent;
            return SL_OK;
        }
    } else if (sl_parse_integer(text, 0, SL_NONE - 1, &trial, why)) {
        at->is_trial = true;
        at->trial = (uint32_t)trial;
        return SL_OK;
    }
    return SL_FAIL(err, SL_USAGE,
                   "--at: '%s' is no trial (allowed: median, worst, a quantile such as p90, p99 or "
                   "p99.9, or a trial's number)",
                   text);
}

/* The trial of the wanted rank; of equal ones the smallest number. */
static enum sl_status choose_trial(struct sl_explain *x, uint32_t *trial, struct sl_error *err)
{
    const struct sl_cell *cell = x->cell;
    if (x->at.is_trial && x->at.trial >= cell->trials)
        return SL_FAIL(err, SL_USAGE, "--at: there is no trial %u (allowed: 0 to %u)",
                       (unsigned)x->at.trial, (unsigned)cell->trials - 1);
    const int64_t *sorted = cell->sorted_ps;
    *trial = x->at.trial;
    int64_t metric;
    if (x->at.is_trial) {
        metric = cell->metric_ps[*trial];
    } else {
        size_t rank = x->at.q < 1 ? sl_quantile_rank(cell->trials, x->at.q) : cell->trials;
        metric = sorted[rank - 1];
        *trial = sl_cell_trial_with(cell, metric);
    }
    for (x->rank = 1; sorted[x->rank - 1] != metric;)
        x->rank++;
    return SL_OK;
}

static enum sl_status run_trial(struct sl_explain *x, uint32_t trial, struct sl_error *err)
{
    enum sl_status status = sl_program_create(&x->program, x->graph, &x->cell->plan.engine, err);
    if (status == SL_OK)
        status = sl_worker_create(&x->worker, x->program, err);
    if (status == SL_OK)
        status = sl_worker_run(x->worker, x->seed, trial, SL_RECORD_LEVELS, &x->trial, err);
    return status;
}

static enum sl_status find_chain(struct sl_explain *x, struct sl_error *err)
{
    size_t n = (size_t)x->graph->node_count + 1, capacity = 0;
    x->chain_ps = sl_arena_array(&x->arena, n, sizeof *x->chain_ps);
    if (!sl_trial_chain_room(&x->links, &capacity, x->trial, &x->arena) || !x->chain_ps)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a chain of %zu nodes", n);
    for (size_t i = 0; i < n; i++)
        x->chain_ps[i] = -1;
    x->link_count = sl_trial_chain(x->program, x->trial, x->links, capacity);
    for (size_t k = 0; k < x->link_count; k++) {
        int64_t *sum = &x->chain_ps[x->links[k].node]; /* latent nodes may be there often */
        if (!x->links[k].waiting)
            *sum = (*sum < 0 ? 0 : *sum) + x->links[k].end_ps - x->links[k].begin_ps;
    }
    return SL_OK;
}

static uint8_t role_of(uint8_t state)
{
    return state == SL_RAN         ? SL_WINDOW_RUNS
           : state == SL_CANCELLED ? SL_WINDOW_REPLACED
                                   : SL_WINDOW_PASSES;
}

/* The longest path at isolated durations, then latest starts at those under contention. */
static enum sl_status find_windows(struct sl_explain *x, struct sl_error *err)
{
    size_t n = (size_t)x->graph->node_count + 1;
    int64_t *duration = sl_arena_array(&x->arena, n, sizeof *duration);
    uint8_t *roles = sl_arena_array(&x->arena, n, sizeof *roles);
    struct sl_measurer *measurer = NULL;
    x->path = sl_arena_array(&x->arena, n, sizeof *x->path);
    if (!duration || !roles || !x->path)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the windows of %zu nodes", n);
    if (x->trial->outcome != SL_DONE)
        return SL_OK;
    enum sl_status status = sl_windows_create(&x->windows, x->graph, err);
    if (status == SL_OK)
        status = sl_measurer_create(&measurer, sl_program_graph(x->program), err);
    if (status != SL_OK)
        return status;
    sl_measure_bounds(measurer, x->trial, &x->bounds);
    sl_measurer_free(measurer);
    for (uint32_t i = 0; i < x->graph->node_count; i++) {
        roles[i] = role_of(x->trial->state[i]);
        duration[i] = roles[i] == SL_WINDOW_RUNS ? sl_explain_isolated(x, i) : 0;
    }
    x->path_ps = sl_windows_critical_path(x->windows, duration, roles, x->path, &x->path_count);
    for (uint32_t i = 0; i < x->graph->node_count; i++)
        if (roles[i] == SL_WINDOW_RUNS)
            duration[i] = sl_explain_duration(x, i);
    sl_windows_latest(x->windows, duration, roles, x->trial->makespan_ps);
    return SL_OK;
}

enum sl_status sl_explain_gather(struct sl_explain *x, const struct sl_cell *cell, uint64_t seed,
                                 const struct sl_explain_at *at, struct sl_error *err)
{
    *x = (struct sl_explain){.cell = cell,
                             .scenario = cell->scenario,
                             .platform = &cell->scenario->platform,
                             .graph = cell->plan.graph,
                             .seed = seed,
                             .at = *at};
    uint32_t trial = 0;
    enum sl_status status = choose_trial(x, &trial, err);
    if (status == SL_OK)
        status = run_trial(x, trial, err);
    if (status == SL_OK)
        status = find_chain(x, err);
    if (status == SL_OK)
        status = find_windows(x, err);
    if (status == SL_OK)
        status = sl_reclaim_prover_create(&x->prover, x->graph, err);
    if (status == SL_OK)
        x->reclaims = sl_reclaim_prove(x->prover, x->trial, &x->reclaim_count);
    return status;
}

void sl_explain_free(struct sl_explain *x)
{
    sl_proofs_free(&x->all);
    sl_reclaim_prover_free(x->prover);
    sl_windows_free(x->windows);
    sl_worker_free(x->worker);
    sl_program_free(x->program);
    sl_report_free(&x->arena);
}

const char *sl_explain_time(struct sl_explain *x, int64_t ps)
{
    if (ps < 0)
        return "-";
    return ps == INT64_MAX ? "never" : sl_time_text(&x->arena, (double)ps / (double)SL_PS_PER_US);
}

const char *sl_explain_instant(struct sl_explain *x, int64_t ps)
{
    return ps < 0 || ps == INT64_MAX
               ? sl_explain_time(x, ps)
               : sl_estimate_text(&x->arena, (double)ps / (double)SL_PS_PER_US);
}

void sl_explain_time_json(yajl_gen gen, const char *key, int64_t ps)
{
    if (ps < 0)
        sl_json_text(gen, key, NULL);
    else
        sl_json_us(gen, key, ps);
}

const char *sl_explain_name(const struct sl_explain *x, uint32_t node)
{
    return node == SL_NONE ? "-" : x->graph->nodes[node].name;
}

const char *sl_explain_clean(struct sl_explain *x, const char *text)
{
    return text ? sl_kept(sl_clean_text(&x->arena, text)) : "-";
}

const char *sl_explain_state(const struct sl_explain *x, uint32_t node)
{
    static const char *const names[] = {[SL_UNFINISHED] = "unfinished",
                                        [SL_RAN] = "ran",
                                        [SL_SKIPPED] = "skipped",
                                        [SL_CANCELLED] = "cancelled"};
    return names[x->trial->state[node]];
}

int64_t sl_explain_duration(const struct sl_explain *x, uint32_t node)
{
    const struct sl_trial *t = x->trial;
    return t->state[node] == SL_RAN ? t->finish_ps[node] - t->start_ps[node] : -1;
}

int64_t sl_explain_isolated(const struct sl_explain *x, uint32_t node)
{
    const struct sl_trial *t = x->trial;
    return t->state[node] == SL_RAN ? t->duration_ps[node] + (t->finish_ps[node] - t->free_ps[node])
                                    : -1;
}

bool sl_explain_has_slack(const struct sl_explain *x, uint32_t node)
{
    return x->windows && x->trial->state[node] == SL_RAN;
}

int64_t sl_explain_slack_of(const struct sl_explain *x, uint32_t node)
{
    int64_t latest = x->windows->latest_start_ps[node], slack;
    return __builtin_sub_overflow(latest, x->trial->ready_ps[node], &slack) ? INT64_MIN + 1 : slack;
}
