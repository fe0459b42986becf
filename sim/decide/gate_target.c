/* The user-facing target improves under representative conditions: by the projection, by what the
 * runtime can do, and by a measurement, of which only the last can pass.
 *
 * The decision to keep the baseline improves nothing and need not: it is right where no alternative
 * beats it.  Then each alternative must be rejected or shown not to be better, and what is kept
 * must do, with what the runtime inserts and as measured, what they are held against. */
#include "config.h"

#include "gate.h"
#include "paired.h"
#include <math.h>
#include <string.h>

/* `good` is what an improvement is worth. */
static void judge_result(const struct sl_record *record, const struct sl_record_result *result,
                         const char *whose, const char *key, enum sl_gate_outcome_kind good,
                         struct sl_gate_claims *claims)
{
    char by[2 * SL_GATE_TEXT], few[SL_GATE_FEW];
    if (!result->present)
        return;
    const char *less = result->target && isnan(result->target_difference.value)
                           ? sl_gate_too_few(few, result, result->target, true)
                           : NULL;
    if (less) {
        sl_gate_claim(claims, SL_GATE_UNKNOWN, key, "the %s %.40s is not compared: %s", whose,
                      result->target, less);
        return;
    }
    if (!result->target || isnan(result->target_difference.value)) {
        const char *why = sl_gate_no_baseline(record, result);
        sl_gate_claim(claims, SL_GATE_UNKNOWN, key,
                      "there is no %s baseline to compare the target with%s%.150s", whose,
                      why ? ": " : "", why ? why : "");
        return;
    }
    double margin = record->objective.min_gain * fabs(result->target_baseline.value);
    sl_gate_gain(by, result->target_difference, result->target_unit ? result->target_unit : "");
    switch (sl_paired_judge(result->target_difference, isnan(margin) ? 0 : margin)) {
    case SL_PAIRED_FASTER:
        sl_gate_claim(claims, good, key, "the %s %.40s improves by %s", whose, result->target, by);
        break;
    case SL_PAIRED_SLOWER:
        sl_gate_claim(claims, SL_GATE_FAIL, key, "the %s %.40s is worse than the baseline's by %s",
                      whose, result->target, by);
        break;
    case SL_PAIRED_EQUAL:
        sl_gate_claim(claims, SL_GATE_FAIL, key,
                      "the %s %.40s does not improve by the declared %.3g%%: %s", whose,
                      result->target, 100 * record->objective.min_gain, by);
        break;
    default:
        sl_gate_claim(claims, SL_GATE_UNKNOWN, key,
                      "whether the %s %.40s improves is not settled: %s", whose, result->target,
                      by);
    }
}

/* ---- keeping the baseline ---------------------------------------------------------------------
 */

static bool is(const char *a, const char *b)
{
    return a && strcmp(a, b) == 0;
}

/* Alternatives by what they are against the baseline. */
struct rivals {
    uint32_t count, rejected, slower, level, open, faster;
    const char *first_open, *first_faster;
    double best_us; /* the least tail of those that could be run; NAN: there is none */
    const char *best;
};

static void count_rival(struct rivals *rivals, const struct sl_record_alternative *item)
{
    bool ran = is(item->standing, "slower") || is(item->standing, "tie") ||
               is(item->standing, "open") || is(item->standing, "faster");
    rivals->count++;
    rivals->slower += is(item->standing, "slower");
    rivals->level += is(item->standing, "tie");
    rivals->rejected += !ran && !is(item->standing, "not-run");
    if (is(item->standing, "open") || is(item->standing, "not-run")) {
        rivals->first_open = rivals->open++ == 0 ? item->policy : rivals->first_open;
    } else if (is(item->standing, "faster")) {
        rivals->first_faster = rivals->faster++ == 0 ? item->policy : rivals->first_faster;
    }
    if (ran && !(item->tail_us.value >= rivals->best_us)) {
        rivals->best_us = item->tail_us.value;
        rivals->best = item->policy;
    }
}

static struct rivals count_rivals(const struct sl_record *record)
{
    struct rivals rivals = {.best_us = NAN};
    for (uint32_t i = 0; i < record->alternatives.count; i++)
        if (!is(record->alternatives.items[i].standing, "selected"))
            count_rival(&rivals, &record->alternatives.items[i]);
    return rivals;
}

/* Regrets are of the tail.  Where the objective ranks by something else first the sweep has ranked
 * by it, and confirmed its choice on a fresh seed. */
static void judge_rivals(const struct sl_record *record, const struct rivals *rivals,
                         struct sl_gate_claims *claims)
{
    enum sl_selection_how how = record->selection.how;
    bool by_tail = !record->projected.target || is(record->projected.target, "tail");
    bool ranked = how == SL_SELECTION_WINNER || how == SL_SELECTION_ORDER;
    if (rivals->count == 0)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "alternatives",
                      "the baseline is kept, and there is no alternative that it was held against");
    else if (!by_tail && !ranked)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "selection.how",
                      "the baseline is kept, and no sweep has ranked it by '%.40s'",
                      record->projected.target);
    else if (by_tail && rivals->faster > 0)
        sl_gate_claim(claims, SL_GATE_FAIL, "alternatives",
                      "the baseline is kept, and %u of %u alternatives beat it, first '%.100s'",
                      rivals->faster, rivals->count, rivals->first_faster);
    else if (by_tail && rivals->open > 0)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "alternatives",
                      "the baseline is kept, and whether %u of %u alternatives beat it is not "
                      "settled, first '%.100s'",
                      rivals->open, rivals->count, rivals->first_open);
    else
        sl_gate_claim(claims, SL_GATE_PASS, "alternatives",
                      "the baseline is kept, and none of %u alternatives beats it: %u slower, %u "
                      "not better by what counts, %u rejected%s",
                      rivals->count, rivals->slower, rivals->level, rivals->rejected,
                      by_tail ? "" : "; the sweep has ranked it first");
}

/* An alternative must not look better than what is kept really is. */
static void judge_kept(const struct sl_record *record, const struct sl_record_result *result,
                       const char *whose, const char *key, const struct rivals *rivals,
                       struct sl_gate_claims *claims)
{
    char tail[SL_GATE_TEXT], best[SL_GATE_TEXT];
    if (!result->present || isnan(result->tail.value))
        return;
    sl_gate_quantity(tail, result->tail.value, "us");
    double margin = record->objective.min_gain * result->tail.value;
    if (rivals->best && result->tail.value - margin > rivals->best_us)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, key,
                      "the %s tail of the baseline is %s, and '%.100s' is projected to have %s",
                      whose, tail, rivals->best, sl_gate_quantity(best, rivals->best_us, "us"));
    else
        sl_gate_claim(claims, SL_GATE_PASS, key,
                      "the %s tail of the baseline is %s, which no projection of another beats",
                      whose, tail);
}

static void judge_keeping(const struct sl_record *record, struct sl_gate_claims *claims)
{
    struct rivals rivals = count_rivals(record);
    if (record->projected.present)
        judge_rivals(record, &rivals, claims);
    judge_kept(record, &record->runtime_feasible, "runtime-feasible", "runtime_feasible.tail",
               &rivals, claims);
    judge_kept(record, &record->measured, "measured", "measured.tail", &rivals, claims);
}

/* ---- the condition ----------------------------------------------------------------------------
 */

static void judge_improvement(const struct sl_record *record, struct sl_gate_claims *claims)
{
    judge_result(record, &record->projected, "projected", "projected.target_difference",
                 SL_GATE_PASS, claims);
    judge_result(record, &record->runtime_feasible, "runtime-feasible",
                 "runtime_feasible.target_difference", SL_GATE_PASS, claims);
    judge_result(record, &record->measured, "measured", "measured.target_difference", SL_GATE_PASS,
                 claims);
}

void sl_gate_target(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_measurement *measurement = &record->measurement;
    if (!record->projected.present)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "projected", "nothing was simulated");
    if (sl_gate_keeps_baseline(record))
        judge_keeping(record, claims);
    else
        judge_improvement(record, claims);
    if (!record->measured.present)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "measured", "nothing was measured");
    else if (!measurement->present || measurement->representative == SL_TRUTH_UNKNOWN)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "measurement.representative",
                      "whether the measured conditions are representative is not known: %.300s",
                      measurement->present && measurement->representative_why
                          ? measurement->representative_why
                          : "nothing is stated of them");
    else if (measurement->representative == SL_TRUTH_NO)
        sl_gate_claim(claims, SL_GATE_FAIL, "measurement.representative",
                      "the measured conditions are not representative: %.300s",
                      measurement->representative_why ? measurement->representative_why
                                                      : "no reason given");
}
