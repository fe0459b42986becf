/* A runtime's answer into a record. */
#include "config.h"

#include "cell_facts.h"
#include "decide_parts.h"
#include "exporter.h"
#include "feasibility.h"
#include "order_figures.h"
#include "outfile.h"
#include "same_graph.h"
#include "units.h"
#include <math.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

/* One run: the figures by trial, of a cell that is gone. */
struct figures {
    double *us; /* by trial */
    uint32_t trials;
};

struct work {
    struct sl_record *record;
    const struct sl_feasibility_request *request;
    struct sl_feasibility *found;
    struct sl_record_scenario *at;
    struct sl_diags *diags;
    struct sl_arena arena;
};

static enum sl_status no_memory(struct sl_error *err)
{
    return SL_FAIL(err, SL_SYSTEM, "out of memory for the feasibility of a plan");
}

/* ---- the answer -------------------------------------------------------------------------------
 */

static enum sl_status check_about(const struct sl_reply *reply, const struct sl_record *record,
                                  const char *policy, struct sl_error *err)
{
    struct sl_place place = {reply->path, 0, 0};
    if (reply->scenario && strcmp(reply->scenario, record->workload.scenario) != 0)
        return SL_FAIL_AT(err, SL_INVALID, place, "this answer is about scenario '%s', not '%s'",
                          reply->scenario, record->workload.scenario);
    if (reply->policy && strcmp(reply->policy, policy) != 0)
        return SL_FAIL_AT(err, SL_INVALID, place, "this answer is about policy '%s', not '%s'",
                          reply->policy, policy);
    return SL_OK;
}

/* The hand-off of a plan, as `export` writes it. */
static enum sl_status hash_handoff(struct work *w, const struct sl_plan *plan, const char *policy,
                                   char hex[65], struct sl_error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    const struct sl_export what = {.scenario = w->at->scenario.name,
                                   .policy = policy,
                                   .graph = plan->graph,
                                   .source = &w->at->scenario,
                                   .plan = plan};
    if (!stream)
        return no_memory(err);
    enum sl_status status = sl_exporter_handoff.write(&what, stream, err);
    if (fclose(stream) != 0 && status == SL_OK)
        status = no_memory(err);
    if (status == SL_OK)
        SHA256Data((const uint8_t *)text, size, hex);
    free(text);
    return status;
}

/* An answer that states which hand-off it is of must be of this one; any is noted as being so. */
static enum sl_status check_handoff(struct work *w, struct sl_reply *reply,
                                    const struct sl_plan *plan, const char *policy,
                                    struct sl_error *err)
{
    char hex[65];
    enum sl_status status = hash_handoff(w, plan, policy, hex, err);
    if (status != SL_OK)
        return status;
    if (reply->handoff && strcmp(reply->handoff, hex) != 0)
        return SL_FAIL_AT(err, SL_INVALID, ((struct sl_place){reply->path, 0, 0}),
                          "this answer is to the hand-off %.12s..., and that of policy '%s' is "
                          "%.12s... now",
                          reply->handoff, policy, hex);
    reply->handoff = sl_arena_strdup(&reply->arena, hex);
    return reply->handoff ? SL_OK : no_memory(err);
}

static enum sl_status write_reply(const struct sl_reply *reply, const struct sl_graph *plan,
                                  const char *path, struct sl_error *err)
{
    struct sl_outfile file = {0};
    enum sl_status status = sl_outfile_open(&file, path, err);
    if (status == SL_OK)
        status = sl_reply_write(reply, plan, file.stream, err);
    if (status == SL_OK)
        return sl_outfile_commit(&file, err);
    sl_outfile_abandon(&file);
    return status;
}

/* Of a file, or of the mapping. */
static enum sl_status get_answer(struct work *w, struct sl_reply *reply, const char *path,
                                 const struct sl_plan *plan, const char *policy,
                                 struct sl_error *err)
{
    enum sl_status status;
    *reply = (struct sl_reply){0};
    if (path)
        status = sl_reply_read(reply, path, plan->graph, w->diags, err);
    else
        status = sl_mapping_answer(reply, w->request->mapping, &w->at->scenario, policy, plan, err);
    if (status == SL_OK && path)
        status = check_about(reply, w->record, policy, err);
    return status == SL_OK ? check_handoff(w, reply, plan, policy, err) : status;
}

static bool note_input(struct sl_record *record, const struct sl_reply *reply, const char *role)
{
    bool good = true;
    if (!reply->path)
        return true;
    struct sl_record_input *input = sl_record_add(record, &record->inputs, &sl_shape_input);
    if (!input)
        return false;
    input->role = role;
    input->path = sl_record_keep(record, reply->path, &good);
    input->sha256 = sl_record_keep(record, reply->sha256, &good);
    return good;
}

static void drop_inputs(struct sl_record *record)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < record->inputs.count; i++) {
        const struct sl_record_input *input = &record->inputs.items[i];
        if (strcmp(input->role, "reply") != 0 && strcmp(input->role, "baseline-reply") != 0)
            record->inputs.items[kept++] = *input;
    }
    record->inputs.count = kept;
}

/* ---- runs -------------------------------------------------------------------------------------
 */

static struct sl_run_options options_of(const struct work *w)
{
    struct sl_run_options options = w->request->options;
    options.trials = (uint32_t)w->record->trials;
    options.seed_given = true;
    options.seed = w->record->fresh_seed;
    options.nominal = true;
    return options;
}

static enum sl_status keep_figures(struct work *w, const struct sl_cell *cell,
                                   struct figures *figures, struct sl_error *err)
{
    const struct sl_order_item item = {.measure = SL_MEASURE_MEAN, .domain = SL_NONE};
    figures->trials = cell->metric_ps ? cell->trials : 0;
    figures->us = sl_arena_array(&w->arena, (size_t)figures->trials + 1, sizeof(double));
    if (!figures->us)
        return no_memory(err);
    for (uint32_t t = 0; t < figures->trials; t++)
        figures->us[t] = sl_order_trial_value(&item, cell, t);
    return SL_OK;
}

static bool is_recorded(double now, double recorded)
{
    return (isnan(now) && isnan(recorded)) || fabs(now - recorded) <= 1e-9 * fabs(recorded);
}

static enum sl_status check_projected(const struct work *w, const struct sl_cell *cell,
                                      struct sl_error *err)
{
    const struct sl_record_result *recorded = &w->record->projected;
    if (is_recorded(cell->median.value, recorded->median.value) &&
        is_recorded(sl_decide_tail(cell).value, recorded->tail.value))
        return SL_OK;
    return SL_FAIL(
        err, SL_INVALID,
        "the projection, run again, has the median %.9g us and the tail %.9g us, and the "
        "record says %.9g and %.9g: it was changed, or made by another version",
        cell->median.value, sl_decide_tail(cell).value, recorded->median.value,
        recorded->tail.value);
}

/* The projection once more: its trials are not in the record. */
static enum sl_status run_projected(struct work *w, struct figures *figures, struct sl_error *err)
{
    struct sl_cell cell;
    struct sl_diags ignored = {0}; /* told when it was decided */
    struct sl_cell_spec spec = {.policy = w->at->policy->name};
    struct sl_run_options options = options_of(w);
    enum sl_status status =
        sl_cell_run(&cell, &w->at->scenario, w->at->policy, &spec, &options, &ignored, err);
    if (status == SL_OK)
        status = check_projected(w, &cell, err);
    if (status == SL_OK)
        status = keep_figures(w, &cell, figures, err);
    sl_cell_free(&cell);
    sl_diags_free(&ignored);
    return status;
}

/* Takes the recomputed plan over.  The cell is the caller's to free, in every case. */
static enum sl_status run_recomputed(struct work *w, struct sl_recomputed *made, const char *policy,
                                     struct sl_cell *cell, struct figures *figures,
                                     struct sl_error *err)
{
    struct sl_diags ignored = {0};
    struct sl_cell_spec spec = {.policy = policy};
    struct sl_run_options options = options_of(w);
    enum sl_status status = sl_cell_open_plan(cell, &w->at->scenario, &made->plan, &spec, err);
    if (status == SL_OK)
        status = sl_cell_run_trials(cell, &options, err);
    if (status == SL_OK)
        status = sl_cell_finish(cell, &options, &ignored, err);
    if (status == SL_OK)
        status = keep_figures(w, cell, figures, err);
    sl_diags_free(&ignored);
    return status;
}

static enum sl_status difference(const struct work *w, const struct figures *a,
                                 const struct figures *b, double q, struct sl_estimate *estimate,
                                 struct sl_error *err)
{
    struct sl_difference difference;
    uint32_t n = a->trials < b->trials ? a->trials : b->trials;
    *estimate = SL_NO_ESTIMATE;
    if (n == 0)
        return SL_OK;
    enum sl_status status =
        sl_paired_at(&difference, a->us, b->us, n, q, w->record->fresh_seed, SL_DECIDE_LEVEL, err);
    if (status == SL_OK)
        *estimate = difference.estimate;
    return status;
}

/* ---- into the record --------------------------------------------------------------------------
 */

static bool put_result(struct work *w, const struct sl_cell *cell, const struct sl_reply *reply)
{
    struct sl_record *record = w->record;
    struct sl_record_result *result = &record->runtime_feasible;
    const struct sl_names *domains = &w->at->scenario.platform.domain_names;
    int64_t longest = 0;
    bool good = true;
    result->present = true;
    result->source.kind = "simulation-with-constraints";
    result->source.path = sl_record_keep(record, reply->path, &good);
    result->source.sha256 = sl_record_keep(record, reply->sha256, &good);
    result->source.plan_digest = sl_record_hex(record, sl_graph_digest(cell->plan.graph), &good);
    result->source.seed =
        sl_record_text(record, &good, "%llu", (unsigned long long)record->fresh_seed);
    result->metric = record->projected.metric;
    result->unit = "us";
    result->counted = "trials";
    result->count = cell->trials;
    result->failed = cell->deadlocked;
    result->tail_quantile = record->objective.tail;
    result->median = cell->median;
    result->tail = sl_decide_tail(cell);
    result->worst = cell->max_us;
    for (uint32_t t = 0; t < cell->trials; t++) {
        longest = cell->max_wait_ps[t] > longest ? cell->max_wait_ps[t] : longest;
        result->starved += cell->starved[t];
    }
    result->max_wait_us = sl_us_of(longest);
    for (uint32_t d = 0; good && d < domains->count; d++) {
        struct sl_record_peak *peak = sl_record_add(record, &result->peaks, &sl_shape_peak);
        if (!peak)
            return false;
        *peak = (struct sl_record_peak){sl_record_keep(record, domains->names[d], &good),
                                        (double)sl_peak_of(cell, d)};
    }
    return good;
}

static double quantile_of_target(const char *target, double tail)
{
    return strcmp(target, "tail") == 0 ? tail : strcmp(target, "median") == 0 ? 0.5 : (double)NAN;
}

static enum sl_status put_against(struct work *w, const struct figures *selected,
                                  const struct figures *base, const struct sl_cell *cell,
                                  struct sl_error *err)
{
    struct sl_record_result *result = &w->record->runtime_feasible;
    const char *target = w->record->projected.target ? w->record->projected.target : "tail";
    double tail = w->record->objective.tail;
    result->baseline_median = cell->median;
    result->baseline_tail = sl_decide_tail(cell);
    result->paired = true;
    enum sl_status status = difference(w, selected, base, 0.5, &result->median_difference, err);
    if (status == SL_OK)
        status = difference(w, selected, base, tail, &result->tail_difference, err);
    double q = quantile_of_target(target, tail);
    result->target = target;
    result->target_unit = "us";
    if (isnan(q))
        return status;
    result->target_baseline = q == 0.5 ? result->baseline_median : result->baseline_tail;
    result->target_difference = q == 0.5 ? result->median_difference : result->tail_difference;
    return status;
}

/* The baseline as the same runtime would run it, where somebody says how. */
static enum sl_status run_baseline(struct work *w, const struct figures *selected,
                                   struct sl_error *err)
{
    const struct sl_record *record = w->record;
    const char *name = record->baseline.present ? record->baseline.policy : NULL;
    const struct sl_policy_spec *policy = name ? sl_scenario_policy(&w->at->scenario, name) : NULL;
    struct sl_plan plan = {0};
    struct sl_reply reply = {0};
    struct sl_recomputed made = {0};
    struct sl_cell cell = {0};
    struct figures base = {0};
    struct sl_error why = {0};
    bool known =
        policy && !record->baseline.scenario && (w->request->baseline_reply || !w->request->reply);
    if (!known)
        return SL_OK;
    enum sl_status status = sl_policy_plan(&plan, &w->at->scenario, policy, w->diags, &why);
    if (status == SL_OK && record->graph.baseline_digest &&
        strtoull(record->graph.baseline_digest, NULL, 16) != sl_graph_digest(plan.graph))
        status = SL_NO; /* at another point of the policies' axes: not the same baseline */
    if (status == SL_OK)
        status = get_answer(w, &reply, w->request->baseline_reply, &plan, name, err);
    if (status == SL_OK && !note_input(w->record, &reply, "baseline-reply"))
        status = no_memory(err);
    if (status == SL_OK)
        status = sl_recompute(&made, &plan, &reply, &why);
    if (status == SL_OK)
        status = run_recomputed(w, &made, name, &cell, &base, err);
    if (status == SL_OK)
        status = put_against(w, selected, &base, &cell, err);
    sl_cell_free(&cell);
    sl_recomputed_free(&made);
    sl_reply_free(&reply);
    sl_plan_free(&plan);
    return status == SL_NO ? SL_OK : status; /* then there is nothing to compare with */
}

static enum sl_status compare(struct work *w, const struct figures *feasible, struct sl_error *err)
{
    struct figures projected;
    struct sl_record_mechanism *mechanism = &w->record->mechanism;
    enum sl_status status = run_projected(w, &projected, err);
    if (status == SL_OK)
        status = difference(w, feasible, &projected, 0.5, &mechanism->median_change_us, err);
    if (status == SL_OK)
        status = difference(w, feasible, &projected, w->record->objective.tail,
                            &mechanism->tail_change_us, err);
    return status == SL_OK ? run_baseline(w, feasible, err) : status;
}

static enum sl_status say_infeasible(struct work *w, const struct sl_reply *reply, const char *why,
                                     struct sl_error *err)
{
    struct sl_record *record = w->record;
    bool good = sl_mechanism_fill(record, reply, w->at->plan.graph, false);
    record->mechanism.feasible = SL_TRUTH_NO;
    record->mechanism.why = sl_record_keep(record, why, &good);
    return good ? SL_OK : no_memory(err);
}

/* The plan with all that is inserted; trials that all deadlock are no schedule either. */
static enum sl_status put_feasible(struct work *w, const struct sl_reply *reply,
                                   struct sl_recomputed *made, struct sl_error *err)
{
    struct sl_cell cell = {0};
    struct figures figures = {0};
    const struct sl_graph *plan = w->at->plan.graph;
    enum sl_status status = run_recomputed(w, made, w->at->policy->name, &cell, &figures, err);
    if (status == SL_OK && (!cell.metric_ps || cell.deadlocked == cell.trials))
        status = say_infeasible(w, reply, cell.reason, err);
    else if (status == SL_OK) {
        bool good = sl_mechanism_fill(w->record, reply, plan, true) &&
                    sl_mechanism_note_order(w->record, reply, plan, made) &&
                    put_result(w, &cell, reply);
        w->record->mechanism.recomputed = true;
        status = good ? compare(w, &figures, err) : no_memory(err);
    }
    sl_cell_free(&cell);
    return status;
}

static void count_found(struct work *w, const struct sl_reply *reply,
                        const struct sl_recomputed *made)
{
    *w->found = (struct sl_feasibility){.edges = reply->edges.count,
                                        .queues = reply->queues.count,
                                        .limits = reply->limits.count,
                                        .kept = reply->kept.count,
                                        .unknown_overheads = made->unknown,
                                        .pairs = made->pairs,
                                        .inversions = made->inversions};
    for (uint32_t k = 0; k < reply->mechanisms.count; k++)
        w->found->unrealized += reply->mechanisms.items[k].realizable != SL_TRUTH_YES;
}

static enum sl_status answer_into_record(struct work *w, const struct sl_reply *reply,
                                         struct sl_error *err)
{
    struct sl_record *record = w->record;
    struct sl_recomputed made;
    struct sl_error why = {0};
    drop_inputs(record);
    sl_record_clear(&record->mechanism, &sl_shape_mechanism);
    sl_record_clear(&record->runtime_feasible, &sl_shape_result);
    if (!note_input(record, reply, "reply"))
        return no_memory(err);
    enum sl_status status = sl_recompute(&made, &w->at->plan, reply, &why);
    if (status == SL_OK)
        status = sl_recomputed_check(&made, &w->at->plan, &w->at->scenario, &why);
    count_found(w, reply, &made);
    if (status == SL_OK)
        status = put_feasible(w, reply, &made, err);
    else if (status == SL_NO)
        status = say_infeasible(w, reply, why.message, err);
    else if (err && err->status == SL_OK)
        *err = why;
    sl_recomputed_free(&made);
    return status;
}

enum sl_status sl_record_feasibility(struct sl_record *record,
                                     const struct sl_feasibility_request *request,
                                     struct sl_feasibility *found, struct sl_diags *diags,
                                     struct sl_error *err)
{
    struct sl_record_scenario at;
    struct sl_reply reply = {0};
    struct work w = {
        .record = record, .request = request, .found = found, .at = &at, .diags = diags};
    enum sl_status status = sl_record_scenario_decided(&at, record, diags, err);
    if (status == SL_OK)
        status = get_answer(&w, &reply, request->reply, &at.plan, record->policy.name, err);
    if (status == SL_OK && request->write_reply)
        status = write_reply(&reply, at.plan.graph, request->write_reply, err);
    if (status == SL_OK)
        status = answer_into_record(&w, &reply, err);
    sl_reply_free(&reply);
    sl_record_scenario_close(&at);
    sl_arena_free(&w.arena);
    return status;
}
