/* Which drift of a calibrated figure would make another policy lead. */
#include "config.h"

#include "decide_parts.h"
#include "gate.h"
#include "grouping.h"
#include "order_figures.h"
#include "robustness.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DRIFTS 8

/* The policies that compete for the lead: the selected one, which is first, and the two best others
 * that keep all constraints.  One that takes the time of another in each trial competes with
 * nobody: whatever drifts, the two are level. */
struct rivals {
    uint32_t cells[3], count;
    uint32_t twins;   /* left out for that */
    const char *twin; /* the first of them */
};

static bool are_twins(const struct sl_decide_cell *a, const struct sl_decide_cell *b)
{
    struct sl_difference difference;
    return a->tail_us && b->tail_us && a->trials == b->trials &&
           sl_decide_is_exact(a->tail_us, b->tail_us, a->trials, &difference) &&
           difference.estimate.value == 0;
}

static uint32_t best_but(const struct sl_decision *decision, const bool *out)
{
    uint32_t best = SL_NONE;
    for (uint32_t i = 0; i < decision->count; i++)
        if (!out[i] && sl_decide_may_lead(decision, i) &&
            (best == SL_NONE || decision->cells[i].tail.value < decision->cells[best].tail.value))
            best = i;
    return best;
}

/* `out` has room for each cell. */
static void find_rivals(const struct sl_decision *decision, struct rivals *rivals, bool *out)
{
    *rivals = (struct rivals){.cells = {decision->selected}, .count = 1};
    while (rivals->count < 3) {
        const struct sl_decide_cell *last = &decision->cells[rivals->cells[rivals->count - 1]];
        for (uint32_t i = 0; i < decision->count; i++) {
            const struct sl_decide_cell *cell = &decision->cells[i];
            bool same = strcmp(cell->policy, last->policy) == 0; /* several cells: by its best */
            bool twin =
                !same && !out[i] && sl_decide_may_lead(decision, i) && are_twins(cell, last);
            rivals->twin = twin && rivals->twins++ == 0 ? cell->policy : rivals->twin;
            out[i] |= same || twin;
        }
        uint32_t best = best_but(decision, out);
        if (best == SL_NONE)
            return;
        rivals->cells[rivals->count++] = best;
    }
}

static int nearest_first(const void *a, const void *b)
{
    const struct sl_drift *const *x = a, *const *y = b;
    double p = fabs(log((*x)->flip)), q = fabs(log((*y)->flip));
    return (p > q) - (p < q);
}

static enum sl_status put_drift(struct sl_decision *decision, const struct sl_robustness *found,
                                const struct sl_drift *drift, struct sl_error *err)
{
    struct sl_record *record = decision->record;
    bool good = true;
    struct sl_record_falsifier *item =
        sl_record_add(record, &record->falsifiers, &sl_shape_falsifier);
    if (!item)
        return sl_decide_no_memory(err);
    bool kappa = drift->kind == SL_LEVER_KAPPA;
    item->kind = sl_lever_kind_name(drift->kind);
    item->name = sl_record_keep(record, drift->name, &good);
    item->unit = kappa ? "kappa" : "factor";
    double of = kappa ? drift->value : 1;
    item->threshold = drift->flip * of;
    item->lo = drift->lo_open ? NAN : fmin(drift->lo, drift->hi) * of;
    item->hi = drift->hi_open ? NAN : fmax(drift->lo, drift->hi) * of;
    item->then = sl_record_keep(record, found->policies[drift->to], &good);
    item->measurement =
        kappa
            ? sl_record_text(record, &good, "kappa of %s measured %s %.3g (projected with %.3g)",
                             drift->name, drift->up ? "above" : "below", item->threshold, of)
            : sl_record_text(record, &good,
                             "times of %s '%s' measured %s %.3g of the projected ones", item->kind,
                             drift->name, drift->up ? "above" : "below", item->threshold);
    return good ? SL_OK : sl_decide_no_memory(err);
}

/* "'a', 'b' and 'c'" */
static const char *list_names(struct sl_record *record, const char *const *names, uint32_t count,
                              bool *good)
{
    const char *text = "";
    for (uint32_t i = 0; *good && i < count; i++)
        text = sl_record_text(record, good, "%s%s'%.200s'", text,
                              i == 0           ? ""
                              : i + 1 == count ? " and "
                                               : ", ",
                              names[i]);
    return text ? text : "";
}

/* "; 'd' takes the time of one of them in each trial, and is left out" */
static const char *tell_twins(struct sl_decision *decision, const struct rivals *rivals, bool *good)
{
    if (rivals->twins == 0)
        return "";
    return sl_record_text(decision->record, good,
                          "; '%.200s'%s in each trial the time of one of them, and %s left out",
                          rivals->twin, rivals->twins > 1 ? " and others take" : " takes",
                          rivals->twins > 1 ? "are" : "is");
}

/* Where nothing scaled tells the first two apart either. */
static const char *tell_lead(struct sl_decision *decision, const struct sl_robustness *found,
                             bool *good)
{
    char by[SL_GATE_TEXT], interval[2 * SL_GATE_TEXT];
    if (found->margin.lo > 0)
        return "";
    return sl_record_text(
        decision->record, good, "; unscaled the lead over '%.200s' is not settled: %s %s",
        found->policies[found->runner_up], sl_gate_quantity(by, found->margin.value, "us"),
        sl_gate_interval(interval, found->margin, "us"));
}

/* Also where nothing was found: in which range nothing was. */
static enum sl_status tell_drifts(struct sl_decision *decision, const struct sl_robustness *found,
                                  const struct rivals *rivals, uint32_t flips, struct sl_error *err)
{
    const struct sl_scenario *scenario = decision->scenario;
    struct sl_record *record = decision->record;
    bool tail = scenario->objective.tail != 0.5 &&
                (scenario->objective.order_count == 0 ||
                 scenario->objective.order[0].measure == SL_MEASURE_TAIL);
    uint32_t figures = 0;
    bool good = true;
    for (uint32_t i = 0; i < found->drift_count; i++)
        figures += found->drifts[i].up;
    const char *result = flips == 0 ? "no drift makes another one lead"
                                    : sl_record_text(record, &good, "%u drift%s another one lead",
                                                     flips, flips == 1 ? " makes" : "s make");
    const char *instead =
        found->q == 0.5 && tail ? ", by their medians, as the tail takes more trials" : "";
    const char *names = list_names(record, found->policies, found->policy_count, &good);
    record->drifts = sl_record_text(
        record, &good,
        "each of %u figures was scaled alone, from 1/%.4g to %.4g times (no kappa below 1), on %u "
        "trials of the %u best policies, %s%s: %s; beyond, and of several at once, nobody "
        "looked%s%s",
        figures, found->within, found->within, found->trials, found->policy_count, names, instead,
        result, tell_lead(decision, found, &good), tell_twins(decision, rivals, &good));
    return good ? SL_OK : sl_decide_no_memory(err);
}

/* Another one is ahead on these trials. */
static enum sl_status tell_no_lead(struct sl_decision *decision, const struct sl_robustness *found,
                                   struct sl_error *err)
{
    bool good = true;
    decision->record->drifts =
        sl_record_text(decision->record, &good,
                       "not looked for: on %u trials '%.200s' is ahead of '%.200s', which has no "
                       "lead there that a "
                       "drift could take",
                       found->trials, found->policies[found->leader], found->policies[0]);
    return good ? SL_OK : sl_decide_no_memory(err);
}

static enum sl_status put_drifts(struct sl_decision *decision, const struct sl_robustness *found,
                                 const struct rivals *rivals, struct sl_error *err)
{
    const struct sl_drift **flips = calloc((size_t)found->drift_count + 1, sizeof *flips);
    enum sl_status status = flips ? SL_OK : sl_decide_no_memory(err);
    uint32_t count = 0;
    /* The selected one is first; a drift that makes it lead speaks for it. */
    for (uint32_t i = 0; flips && i < found->drift_count; i++)
        if (found->drifts[i].state == SL_DRIFT_FLIPS && found->drifts[i].to != 0)
            flips[count++] = &found->drifts[i];
    if (count > 1)
        qsort(flips, count, sizeof *flips, nearest_first);
    for (uint32_t i = 0; status == SL_OK && i < count && i < MOST_DRIFTS; i++)
        status = put_drift(decision, found, flips[i], err);
    if (status == SL_OK)
        status = tell_drifts(decision, found, rivals, count, err);
    free(flips);
    return status;
}

bool sl_decide_set_policies(struct sl_decision *decision, const uint32_t *cells, uint32_t count,
                            struct sl_scenario *view)
{
    const struct sl_scenario *scenario = decision->scenario;
    *view = *scenario;
    view->policies = sl_arena_array(&decision->arena, (size_t)scenario->policy_count + 1,
                                    sizeof *view->policies);
    if (!view->policies)
        return false;
    memcpy(view->policies, scenario->policies, scenario->policy_count * sizeof *view->policies);
    for (uint32_t r = 0; r < count; r++) {
        const struct sl_decide_cell *cell = &decision->cells[cells[r]];
        for (uint32_t p = 0; p < view->policy_count; p++) {
            if (strcmp(view->policies[p].name, cell->policy) != 0)
                continue;
            for (uint32_t a = 0; a < scenario->axis_count; a++) {
                const char *path = scenario->axes[a].path;
                if (!sl_axis_is_policys(path) || !cell->axis_texts[a][0])
                    continue;
                const struct sl_policy_spec *set =
                    sl_policy_with(&view->policies[p], path + strlen("policy."),
                                   cell->axis_texts[a], &decision->arena);
                if (!set)
                    return false;
                view->policies[p] = *set;
            }
        }
    }
    return true;
}

static const char *why_alone(struct sl_decision *decision, const struct rivals *rivals, bool *good)
{
    if (rivals->count > 1 || rivals->twins == 0)
        return "not looked for: there are not two policies with enough trials to compare in the "
               "first measure of the order";
    return sl_record_text(
        decision->record, good,
        "not looked for: '%.200s'%s its time in each trial, and there is no other "
        "policy that could lead",
        rivals->twin, rivals->twins > 1 ? " and others take" : " takes");
}

/* What is compared, and on how many trials; false: too few, or the objective ranks by something
 * else first. */
static bool choose_figure(const struct sl_decision *decision, struct sl_robustness *found)
{
    const struct sl_scenario *scenario = decision->scenario;
    const struct sl_order_item *first =
        scenario->objective.order_count > 0 ? &scenario->objective.order[0] : &sl_order_tail;
    uint32_t trials = decision->cells[decision->selected].trials;
    double q = scenario->objective.tail;
    trials = trials < SL_DRIFT_TRIALS ? trials : SL_DRIFT_TRIALS;
    if (first->measure == SL_MEASURE_MEDIAN || trials < sl_paired_min_n(q, SL_DECIDE_LEVEL))
        q = 0.5;
    found->within = decision->within;
    found->q = first->measure == SL_MEASURE_MEAN ? (double)NAN : q;
    found->trials = trials;
    return first->measure <= SL_MEASURE_MEAN && trials >= sl_paired_min_n(q, SL_DECIDE_LEVEL);
}

static enum sl_status scale(struct sl_decision *decision, const struct rivals *rivals,
                            struct sl_robustness *found, struct sl_error *err)
{
    const char *names[3];
    struct sl_scenario view;
    struct sl_error local = {0};
    if (!sl_decide_set_policies(decision, rivals->cells, rivals->count, &view))
        return sl_decide_no_memory(err);
    for (uint32_t r = 0; r < rivals->count; r++)
        names[r] = decision->cells[rivals->cells[r]].policy;
    /* cppcheck-suppress autoVariables ; it is freed before this ends */
    found->scenario = &view;
    /* cppcheck-suppress autoVariables */
    found->policies = names;
    found->policy_count = rivals->count;
    enum sl_status status = sl_robustness_run(found, &decision->request.options, &local);
    if (status == SL_OK && found->leader == 0)
        status = put_drifts(decision, found, rivals, err);
    else if (status == SL_OK)
        status = tell_no_lead(decision, found, err);
    else if (status == SL_USAGE) /* too few of them have a figure: there is no lead to lose */
        status = SL_OK;
    else if (err && err->status == SL_OK)
        *err = local;
    sl_robustness_free(found);
    return status;
}

enum sl_status sl_decide_drifts(struct sl_decision *decision, struct sl_error *err)
{
    struct rivals rivals;
    struct sl_robustness found = {0};
    bool good = true;
    bool *out = calloc((size_t)decision->count + 1, sizeof *out);
    if (!out)
        return sl_decide_no_memory(err);
    find_rivals(decision, &rivals, out);
    free(out);
    decision->record->drifts = why_alone(decision, &rivals, &good);
    if (!good)
        return sl_decide_no_memory(err);
    return rivals.count > 1 && choose_figure(decision, &found)
               ? scale(decision, &rivals, &found, err)
               : SL_OK;
}
