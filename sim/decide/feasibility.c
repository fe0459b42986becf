/* A runtime's answer into a record. */
#include "config.h"

#include "cell_facts.h"
#include "feasibility_parts.h"
#include "same_graph.h"
#include "units.h"
#include <math.h>
#include <string.h>

/* ---- results ----------------------------------------------------------------------------------
 */

static bool put_result(struct sl_feasibility_work *w, const struct sl_cell *cell,
                       const struct sl_reply *reply)
{
    struct sl_record *record = w->record;
    struct sl_record_result *result = &record->runtime_feasible;
    const struct sl_names *domains = &w->at->scenario.platform.domain_names;
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
    result->counted = cell->jobs ? "replications" : "trials";
    result->count = cell->trials;
    result->failed = cell->deadlocked;
    result->tail_quantile = record->objective.tail;
    result->median = cell->median;
    result->tail = sl_decide_tail(cell);
    result->worst = cell->max_us;
    for (uint32_t d = 0; good && d < domains->count; d++) {
        struct sl_record_peak *peak = sl_record_add(record, &result->peaks, &sl_shape_peak);
        if (!peak)
            return false;
        *peak = (struct sl_record_peak){sl_record_keep(record, domains->names[d], &good),
                                        (double)sl_peak_of(cell, d)};
    }
    return good;
}

static enum sl_status put_waits(struct sl_feasibility_work *w, const struct sl_cell *cell,
                                const struct sl_reply *reply, struct sl_error *err)
{
    struct sl_own_waits waits;
    const struct sl_graph *plan = w->at->plan.graph;
    if (!sl_decide_constraints(w->record, &w->record->runtime_feasible.constraints, cell))
        return sl_decide_no_memory(err);
    if (cell->jobs)
        return sl_mechanism_note_job_waits(w->record, cell, reply) ? SL_OK
                                                                   : sl_decide_no_memory(err);
    enum sl_status status = sl_own_waits_find(&waits, cell, plan, reply, w->record->fresh_seed,
                                              w->request->options.pool, err);
    if (status != SL_OK)
        return status;
    return sl_mechanism_note_waits(w->record, &waits, reply, plan) ? SL_OK
                                                                   : sl_decide_no_memory(err);
}

static bool is_target(const char *target, enum sl_measure *measure)
{
    *measure = strcmp(target, "median") == 0 ? SL_MEASURE_MEDIAN
               : strcmp(target, "mean") == 0 ? SL_MEASURE_MEAN
                                             : SL_MEASURE_TAIL;
    return *measure != SL_MEASURE_TAIL || strcmp(target, "tail") == 0;
}

static enum sl_status put_against(struct sl_feasibility_work *w,
                                  const struct sl_feasibility_figures *selected,
                                  const struct sl_feasibility_figures *base,
                                  const struct sl_cell *cell, struct sl_error *err)
{
    struct sl_record_result *result = &w->record->runtime_feasible;
    const char *target = w->record->projected.target ? w->record->projected.target : "tail";
    enum sl_measure measure;
    result->baseline_count = cell->trials;
    result->baseline_median = cell->median;
    result->baseline_tail = sl_decide_tail(cell);
    result->paired = true;
    enum sl_status status = sl_feasibility_difference(w, selected, base, SL_MEASURE_MEDIAN,
                                                      &result->median_difference, err);
    if (status == SL_OK)
        status = sl_feasibility_difference(w, selected, base, SL_MEASURE_TAIL,
                                           &result->tail_difference, err);
    result->target = target;
    result->target_unit = "us";
    if (status != SL_OK || !is_target(target, &measure))
        return status;
    result->target_baseline = measure == SL_MEASURE_MEDIAN ? result->baseline_median
                              : measure == SL_MEASURE_MEAN ? cell->mean
                                                           : result->baseline_tail;
    return sl_feasibility_difference(w, selected, base, measure, &result->target_difference, err);
}

/* The baseline as the same runtime would run it, where somebody says how. */
static enum sl_status run_baseline(struct sl_feasibility_work *w,
                                   const struct sl_feasibility_figures *selected,
                                   struct sl_error *err)
{
    const struct sl_record *record = w->record;
    struct sl_plan plan = {0};
    struct sl_reply reply = {0};
    struct sl_recomputed made = {0};
    struct sl_cell cell = {0};
    struct sl_feasibility_figures base = {0};
    struct sl_error why = {0};
    bool good = true;
    if (w->request->reply && !w->request->baseline_reply)
        return SL_OK;
    enum sl_status status = sl_record_scenario_baseline(w->at, record, &plan, w->diags, &why);
    const char *name = record->baseline.policy;
    if (status == SL_OK)
        status = sl_feasibility_answer(w, &reply, w->request->baseline_reply, &plan, name, err);
    if (status == SL_OK && !sl_feasibility_note_input(w->record, &reply, "baseline-reply"))
        status = sl_decide_no_memory(err);
    if (status == SL_OK)
        status = sl_recompute(&made, &plan, &reply, &why);
    if (status == SL_NO)
        w->record->mechanism.baseline_why = sl_record_keep(w->record, why.message, &good);
    else if (status != SL_OK && err && err->status == SL_OK)
        *err = why;
    if (status == SL_OK)
        status = sl_feasibility_run(w, &made, name, &cell, &base, err);
    if (status == SL_OK)
        status = put_against(w, selected, &base, &cell, err);
    sl_cell_free(&cell);
    sl_recomputed_free(&made);
    sl_reply_free(&reply);
    sl_plan_free(&plan);
    if (!good)
        return sl_decide_no_memory(err);
    return status == SL_NO ? SL_OK : status; /* then there is nothing to compare with */
}

static enum sl_status compare(struct sl_feasibility_work *w,
                              const struct sl_feasibility_figures *feasible, struct sl_error *err)
{
    struct sl_feasibility_figures projected;
    struct sl_record_mechanism *mechanism = &w->record->mechanism;
    enum sl_status status = sl_feasibility_projected(w, &projected, err);
    if (status == SL_OK)
        status = sl_feasibility_difference(w, feasible, &projected, SL_MEASURE_MEDIAN,
                                           &mechanism->median_change_us, err);
    if (status == SL_OK)
        status = sl_feasibility_difference(w, feasible, &projected, SL_MEASURE_TAIL,
                                           &mechanism->tail_change_us, err);
    return status == SL_OK ? run_baseline(w, feasible, err) : status;
}

static enum sl_status say_infeasible(struct sl_feasibility_work *w, const struct sl_reply *reply,
                                     const char *why, struct sl_error *err)
{
    struct sl_record *record = w->record;
    bool good = sl_mechanism_fill(record, reply, w->at->plan.graph, false);
    record->mechanism.feasible = SL_TRUTH_NO;
    record->mechanism.why = sl_record_keep(record, why, &good);
    return good ? SL_OK : sl_decide_no_memory(err);
}

/* The plan with all that is inserted; trials that all deadlock are no schedule either. */
static enum sl_status put_feasible(struct sl_feasibility_work *w, const struct sl_reply *reply,
                                   struct sl_recomputed *made, struct sl_error *err)
{
    struct sl_cell cell = {0};
    struct sl_feasibility_figures figures = {0};
    const struct sl_graph *plan = w->at->plan.graph;
    struct sl_error own = {0};
    enum sl_status status = sl_feasibility_run(w, made, w->at->policy->name, &cell, &figures, &own);
    if (status == SL_INVALID && reply->overheads.count > 0) /* the policy alone ran before */
        status = SL_FAIL(err, SL_INVALID, "with the overhead of the answer: %s", own.message);
    else if (status != SL_OK && err)
        *err = own;
    if (status == SL_OK && (!cell.metric_ps || cell.deadlocked == cell.trials))
        status = say_infeasible(w, reply, cell.reason, err);
    else if (status == SL_OK) {
        bool good = sl_mechanism_fill(w->record, reply, plan, true) &&
                    sl_mechanism_note_order(w->record, reply, plan, made) &&
                    put_result(w, &cell, reply);
        w->record->mechanism.recomputed = true;
        status = good ? put_waits(w, &cell, reply, err) : sl_decide_no_memory(err);
        if (status == SL_OK)
            status = compare(w, &figures, err);
    }
    sl_cell_free(&cell);
    return status;
}

static void count_found(struct sl_feasibility_work *w, const struct sl_reply *reply,
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

static enum sl_status answer_into_record(struct sl_feasibility_work *w,
                                         const struct sl_reply *reply, struct sl_error *err)
{
    struct sl_record *record = w->record;
    struct sl_recomputed made;
    struct sl_error why = {0};
    sl_feasibility_drop_inputs(record);
    sl_record_clear(&record->mechanism, &sl_shape_mechanism);
    sl_record_clear(&record->runtime_feasible, &sl_shape_result);
    if (!sl_feasibility_note_input(record, reply, "reply"))
        return sl_decide_no_memory(err);
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
    struct sl_feasibility_work w = {
        .record = record, .request = request, .found = found, .at = &at, .diags = diags};
    enum sl_status status = sl_record_scenario_decided(&at, record, diags, err);
    if (status == SL_OK)
        status =
            sl_feasibility_answer(&w, &reply, request->reply, &at.plan, record->policy.name, err);
    if (status == SL_OK && request->write_reply)
        status = sl_feasibility_write_reply(&reply, at.plan.graph, request->write_reply, err);
    if (status == SL_OK)
        status = answer_into_record(&w, &reply, err);
    sl_reply_free(&reply);
    sl_record_scenario_close(&at);
    sl_arena_free(&w.arena);
    return status;
}
