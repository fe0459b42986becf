/* Where a number stands for the kappa of pairs that nobody has measured: above which kappa of
 * theirs the policy gains no more over the baseline than the least gain that counts. */
#include "config.h"

#include "changed_run.h"
#include "decide_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FACTOR 10 /* of the stated number: how far is looked */
#define STEPS       8
#define HALVINGS    6

struct gain {
    struct sl_decision *decision;
    struct sl_scenario view; /* policies with the values of their cells */
    uint32_t cells[2];       /* the selected one, the baseline */
    struct sl_plan plans[2];
    struct sl_change change;
    double *samples[2];
    uint32_t trials;
    double q;
};

static enum sl_status make_plan(struct gain *gain, int side, struct sl_error *err)
{
    const char *policy = gain->decision->cells[gain->cells[side]].policy;
    struct sl_diags said_before = {0};
    enum sl_status status =
        sl_policy_plan(&gain->plans[side], &gain->view, sl_scenario_policy(&gain->view, policy),
                       &said_before, err);
    gain->plans[side].engine.corner = SL_CORNER_PESSIMISTIC;
    sl_diags_free(&said_before);
    return status;
}

/* How much the baseline takes beyond the selected policy and the least gain, us; below 0: the
 * policy gains less than counts. */
static enum sl_status excess_at(struct gain *gain, double factor, double *excess,
                                struct sl_error *err)
{
    const struct sl_decision *decision = gain->decision;
    struct sl_difference difference;
    gain->change.unknown = factor;
    for (int side = 0; side < 2; side++) {
        const struct sl_changed_run run = {.scenario = &gain->view,
                                           .policy = decision->cells[gain->cells[side]].policy,
                                           .plan = &gain->plans[side],
                                           .seed = decision->request.options.seed,
                                           .trials = gain->trials,
                                           .pool = decision->request.options.pool};
        enum sl_status status =
            sl_changed_run(&run, &gain->change, false, gain->samples[side], err);
        if (status != SL_OK)
            return status;
    }
    enum sl_status status =
        sl_paired_at(&difference, gain->samples[0], gain->samples[1], gain->trials, gain->q,
                     decision->request.options.seed, SL_DECIDE_LEVEL, err);
    *excess = -difference.estimate.value - decision->scenario->objective.min_gain * difference.b;
    return status;
}

/* The factor at which the gain is gone; NAN: not within what is looked at, or there is none now. */
static enum sl_status find_factor(struct gain *gain, double *factor, struct sl_error *err)
{
    double low = 1, high = 1, excess;
    enum sl_status status = excess_at(gain, 1, &excess, err);
    *factor = NAN;
    if (status != SL_OK || !(excess >= 0))
        return status;
    for (int k = 1; k <= STEPS && status == SL_OK && excess >= 0; k++) {
        low = high;
        high = pow(MOST_FACTOR, (double)k / STEPS);
        status = excess_at(gain, high, &excess, err);
    }
    if (status != SL_OK || !(excess < 0))
        return status;
    for (int k = 0; k < HALVINGS && status == SL_OK; k++) {
        double middle = sqrt(low * high);
        status = excess_at(gain, middle, &excess, err);
        low = excess >= 0 ? middle : low;
        high = excess >= 0 ? high : middle;
    }
    *factor = sqrt(low * high);
    return status;
}

/* "gemm beside copy.h2d, and 2 more" */
static const char *name_pairs(struct sl_record *record, bool *good)
{
    const char *first = NULL;
    uint32_t more = 0;
    for (uint32_t i = 0; i < record->unknowns.count; i++) {
        if (strcmp(record->unknowns.items[i].what, "kappa") != 0)
            continue;
        more += first != NULL;
        first = first ? first : record->unknowns.items[i].name;
    }
    return !first || more == 0 ? first
                               : sl_record_text(record, good, "%s, and %u more", first, more);
}

static enum sl_status put(struct sl_decision *decision, const char *pairs, double factor,
                          struct sl_error *err)
{
    struct sl_record *record = decision->record;
    double stated = fmax(decision->scenario->platform.kappa.unknown_value, 1);
    struct sl_record_falsifier *item =
        sl_record_add(record, &record->falsifiers, &sl_shape_falsifier);
    bool good = true;
    if (!item)
        return sl_decide_no_memory(err);
    item->kind = "kappa";
    item->name = pairs;
    item->unit = "kappa";
    item->threshold = stated * factor;
    item->then = sl_record_keep(record, decision->cells[decision->base].policy, &good);
    item->measurement = sl_record_text(
        record, &good,
        "kappa of pairs without evidence (%s) measured above %.3g (projected with the stated "
        "%.3g): the policy gains too little over the baseline",
        pairs, item->threshold, stated);
    return good ? SL_OK : sl_decide_no_memory(err);
}

static enum sl_status look(struct gain *gain, double *factor, struct sl_error *err)
{
    gain->samples[0] = malloc((gain->trials + (size_t)1) * sizeof(double));
    gain->samples[1] = malloc((gain->trials + (size_t)1) * sizeof(double));
    enum sl_status status = sl_change_init(&gain->change, &gain->view.platform, err);
    if (status == SL_OK && (!gain->samples[0] || !gain->samples[1]))
        status = sl_decide_no_memory(err);
    for (int side = 0; side < 2 && status == SL_OK; side++)
        status = make_plan(gain, side, err);
    if (status == SL_OK)
        status = find_factor(gain, factor, err);
    for (int side = 0; side < 2; side++) {
        sl_plan_free(&gain->plans[side]);
        free(gain->samples[side]);
    }
    sl_change_free(&gain->change);
    return status;
}

enum sl_status sl_decide_stand_in(struct sl_decision *decision, struct sl_error *err)
{
    struct sl_record *record = decision->record;
    const char *target = record->projected.target;
    bool good = true, tail = target && strcmp(target, "tail") == 0;
    const char *pairs = name_pairs(record, &good);
    uint32_t trials = decision->cells[decision->selected].trials;
    struct gain gain = {.decision = decision,
                        .cells = {decision->selected, decision->base},
                        .q = tail ? decision->scenario->objective.tail : 0.5,
                        .trials = trials < SL_DRIFT_TRIALS ? trials : SL_DRIFT_TRIALS};
    double factor = NAN;
    if (!good)
        return sl_decide_no_memory(err);
    if (decision->scenario->platform.kappa.unknown != SL_UNKNOWN_NUMBER || !pairs || !target ||
        (!tail && strcmp(target, "median") != 0) || decision->has_other ||
        decision->base == SL_NONE || decision->base == decision->selected ||
        decision->cells[decision->base].verdict != SL_VERDICT_OK)
        return SL_OK;
    if (gain.trials < sl_paired_min_n(gain.q, SL_DECIDE_LEVEL))
        gain.q = 0.5;
    if (!sl_decide_set_policies(decision, gain.cells, 2, &gain.view))
        return sl_decide_no_memory(err);
    enum sl_status status = look(&gain, &factor, err);
    return status == SL_OK && !isnan(factor) ? put(decision, pairs, factor, err) : status;
}
