/* What would show the decision to be wrong, and what to do then: falsifying measurements and the
 * fallback schedule. */
#include "config.h"

#include "decide_parts.h"
#include "order_figures.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the fallback
 * -------------------------------------------------------------------------------- */

/* How little the evidence is worth; the weakest is what a fallback should not depend on. */
static int weakness(const struct sl_record_cost *cost)
{
    static const char *const order[] = {"measured", "bounded", "published", "assumed", "unknown"};
    for (int i = 0; cost->evidence && i < 5; i++)
        if (strcmp(cost->evidence, order[i]) == 0)
            return i;
    return 5;
}

static bool uses(const struct sl_decide_cell *cell, const struct sl_record_cost *cost)
{
    uint64_t key = sl_decide_cost_key(cost->what, cost->name);
    for (uint32_t i = 0; i < cell->cost_count; i++)
        if (cell->cost_keys[i] == key)
            return true;
    return false;
}

bool sl_decide_may_lead(const struct sl_decision *decision, uint32_t index)
{
    return index != decision->selected && decision->cells[index].verdict == SL_VERDICT_OK &&
           !isnan(decision->cells[index].tail.value);
}

/* The lowest tail of those that do without the cost, or (NULL) without hypothetical overlap. */
static uint32_t best_without(const struct sl_decision *decision, const struct sl_record_cost *cost)
{
    uint32_t best = SL_NONE;
    for (uint32_t i = 0; i < decision->count; i++) {
        const struct sl_decide_cell *cell = &decision->cells[i];
        bool without = cost ? !uses(cell, cost) : !cell->hypothetical;
        if (sl_decide_may_lead(decision, i) && without &&
            (best == SL_NONE || cell->tail.value < decision->cells[best].tail.value))
            best = i;
    }
    return best;
}

/* The lowest tail of all others. */
static uint32_t best_other(const struct sl_decision *decision)
{
    uint32_t best = SL_NONE;
    for (uint32_t i = 0; i < decision->count; i++)
        if (sl_decide_may_lead(decision, i) &&
            (best == SL_NONE || decision->cells[i].tail.value < decision->cells[best].tail.value))
            best = i;
    return best;
}

static bool keeps_baseline(const struct sl_decision *decision)
{
    return !decision->has_other && decision->base != SL_NONE &&
           decision->base == decision->selected;
}

/* Costs from the weakest evidence on, of equal evidence by their time on the chain. */
static uint32_t by_weakest(const struct sl_decision *decision, const struct sl_record_cost **reason)
{
    const struct sl_record *record = decision->record;
    uint32_t found = SL_NONE;
    for (int level = 5; level >= 0 && found == SL_NONE; level--)
        for (uint32_t i = 0; i < record->costs.count && found == SL_NONE; i++) {
            if (weakness(&record->costs.items[i]) != level)
                continue;
            found = best_without(decision, &record->costs.items[i]);
            *reason = &record->costs.items[i];
        }
    return found;
}

static enum sl_status put_fallback(struct sl_decision *decision, uint32_t index,
                                   const struct sl_record_cost *reason, bool hypothetical,
                                   struct sl_error *err)
{
    struct sl_record *record = decision->record;
    const struct sl_decide_cell *cell = &decision->cells[index];
    struct sl_difference cost;
    bool good = true;
    enum sl_status status =
        sl_decide_difference(decision, cell, &decision->cells[decision->selected],
                             decision->scenario->objective.tail, &cost, err);
    if (status != SL_OK)
        return status;
    record->fallback.policy =
        cell->point ? sl_record_text(record, &good, "%s, %s", cell->policy, cell->point)
                    : sl_record_keep(record, cell->policy, &good);
    record->fallback.cost_us = cost.estimate;
    if (hypothetical)
        record->fallback.why = "it has no overlap without evidence, which the selected policy has";
    else if (reason)
        record->fallback.why = sl_record_text(
            record, &good, "the lowest tail that does without the %s '%s' (%s)", reason->what,
            reason->name, reason->evidence ? reason->evidence : "no evidence");
    else if (keeps_baseline(decision))
        record->fallback.why =
            "the lowest tail of the others; every one of them uses the same costs";
    else
        record->fallback.why = "the baseline; every alternative uses the same costs";
    return good ? SL_OK : sl_decide_no_memory(err);
}

enum sl_status sl_decide_fallback(struct sl_decision *decision, struct sl_error *err)
{
    struct sl_record *record = decision->record;
    const struct sl_record_cost *reason = NULL;
    uint32_t found = SL_NONE;
    if (decision->selected == SL_NONE) {
        record->fallback.why = "nothing was selected";
        return SL_OK;
    }
    bool hypothetical = decision->cells[decision->selected].hypothetical;
    if (hypothetical)
        found = best_without(decision, NULL);
    hypothetical = found != SL_NONE;
    if (!hypothetical)
        found = by_weakest(decision, &reason);
    if (found == SL_NONE) {
        reason = NULL;
        if (decision->base != SL_NONE && sl_decide_may_lead(decision, decision->base))
            found = decision->base;
        else if (keeps_baseline(decision))
            found = best_other(decision);
    }
    if (found != SL_NONE)
        return put_fallback(decision, found, reason, hypothetical, err);
    record->fallback.why = "no other policy of the scenario completes every trial";
    return SL_OK;
}

/* ---- falsifying measurements --------------------------------------------------------------------
 */

static struct sl_record_falsifier *add(struct sl_record *record)
{
    return sl_record_add(record, &record->falsifiers, &sl_shape_falsifier);
}

/* The projected figure of the target; NAN: it is none of time. */
static double projected_target(const struct sl_record *record)
{
    const struct sl_record_result *projected = &record->projected;
    const char *target = projected->target ? projected->target : "";
    return strcmp(target, "tail") == 0     ? projected->tail.value
           : strcmp(target, "median") == 0 ? projected->median.value
           : strcmp(target, "mean") == 0   ? record->selected.mean_us.value
                                           : (double)NAN;
}

/* The measured target must stay below what the baseline takes less the least gain.  A policy that
 * is the baseline itself, or is not projected to, says nothing that such a figure would falsify. */
static enum sl_status put_target(const struct sl_decision *decision, struct sl_error *err)
{
    struct sl_record *record = decision->record;
    const struct sl_record_result *projected = &record->projected;
    char limit[40], tail[32];
    bool good = true;
    double base = projected->target_baseline.value;
    if (!projected->present || !projected->target || !isfinite(base) ||
        strcmp(projected->target_unit, "us") != 0 ||
        (!decision->has_other && decision->base == decision->selected) ||
        projected_target(record) >= base * (1 - record->objective.min_gain))
        return SL_OK;
    struct sl_record_falsifier *item = add(record);
    if (!item)
        return sl_decide_no_memory(err);
    item->threshold = base * (1 - record->objective.min_gain);
    sl_format_estimate(limit, sizeof limit, item->threshold * (double)SL_PS_PER_US);
    item->kind = "target";
    item->name = projected->target;
    item->unit = "us";
    item->then =
        record->baseline.present && !record->baseline.scenario ? record->baseline.policy : NULL;
    snprintf(tail, sizeof tail, "p%.4g", 100 * projected->tail_quantile);
    item->measurement = sl_record_text(
        record, &good,
        "the %s of the policy, measured end to end, at %s or above: the baseline is as good",
        strcmp(projected->target, "tail") == 0 ? tail : projected->target, limit);
    return good ? SL_OK : sl_decide_no_memory(err);
}

/* Of the baseline, which is kept: what would beat it. */
static enum sl_status put_rival(const struct sl_decision *decision, struct sl_error *err)
{
    struct sl_record *record = decision->record;
    uint32_t rival = keeps_baseline(decision) ? best_other(decision) : SL_NONE;
    char limit[40], projected[40];
    bool good = true;
    if (rival == SL_NONE || isnan(decision->cells[decision->selected].tail.value))
        return SL_OK;
    struct sl_record_falsifier *item = add(record);
    if (!item)
        return sl_decide_no_memory(err);
    const struct sl_decide_cell *cell = &decision->cells[rival];
    item->threshold = decision->cells[decision->selected].tail.value *
                      (1 - decision->scenario->objective.min_gain);
    sl_format_estimate(limit, sizeof limit, item->threshold * (double)SL_PS_PER_US);
    sl_format_estimate(projected, sizeof projected, cell->tail.value * (double)SL_PS_PER_US);
    item->kind = "tail";
    item->name = item->then = sl_record_keep(record, cell->policy, &good);
    item->unit = "us";
    item->measurement = sl_record_text(
        record, &good,
        "a p%.4g of '%.200s', measured end to end, below %s (projected: %s): it beats the baseline",
        100 * decision->scenario->objective.tail, cell->policy, limit, projected);
    return good ? SL_OK : sl_decide_no_memory(err);
}

/* A peak beyond the limit. */
static enum sl_status put_peaks(struct sl_record *record, struct sl_error *err)
{
    char limit[40], peak[40];
    bool good = true;
    for (uint32_t d = 0; good && d < record->proofs.capacity.count; d++) {
        const struct sl_record_capacity *capacity = &record->proofs.capacity.items[d];
        if (isnan(capacity->limit_bytes) || !(capacity->projected_peak_bytes > 0) ||
            capacity->projected_peak_bytes > capacity->limit_bytes)
            continue;
        struct sl_record_falsifier *item = add(record);
        if (!item)
            return sl_decide_no_memory(err);
        sl_format_bytes(limit, sizeof limit, capacity->limit_bytes);
        sl_format_bytes(peak, sizeof peak, capacity->projected_peak_bytes);
        item->kind = "peak";
        item->name = capacity->domain;
        item->threshold = capacity->limit_bytes;
        item->unit = "bytes";
        item->measurement = sl_record_text(record, &good, "a peak of %s above %s (projected: %s)",
                                           capacity->domain, limit, peak);
    }
    return good ? SL_OK : sl_decide_no_memory(err);
}

enum sl_status sl_decide_falsifiers(struct sl_decision *decision, struct sl_error *err)
{
    struct sl_record *record = decision->record;
    if (decision->selected == SL_NONE || !record->projected.present)
        return SL_OK;
    enum sl_status status = put_target(decision, err);
    if (status == SL_OK)
        status = put_rival(decision, err);
    if (status == SL_OK)
        status = put_peaks(record, err);
    bool looks = decision->within > 1 && !sl_scenario_has_jobs(decision->scenario) &&
                 decision->cells[decision->selected].verdict == SL_VERDICT_OK;
    record->drifts = decision->within > 1
                         ? "not looked for: there is no one plan to scale figures of"
                         : "not looked for: --within 1";
    if (status == SL_OK && looks)
        status = sl_decide_stand_in(decision, err);
    return status == SL_OK && looks ? sl_decide_drifts(decision, err) : status;
}
