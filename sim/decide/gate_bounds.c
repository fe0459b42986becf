/* Declared starvation and tail bounds hold, with their intervals; and the tail does not regress
 * against the baseline, whatever the median does. */
#include "config.h"

#include "gate.h"
#include <math.h>
#include <string.h>

static enum sl_gate_outcome_kind kind_of(const struct sl_record_outcome *outcome)
{
    if (strcmp(outcome->state, "broken") == 0)
        return SL_GATE_FAIL;
    if (strcmp(outcome->state, "holds") != 0)
        return SL_GATE_UNKNOWN;
    const struct sl_estimate *figure = &outcome->figure;
    bool open = outcome->at_least ? figure->lo < outcome->limit : figure->hi > outcome->limit;
    return open ? SL_GATE_UNKNOWN : SL_GATE_PASS; /* NAN limits of a figure compare false */
}

static void judge_constraints(const struct sl_record *record, struct sl_gate_claims *claims)
{
    for (uint32_t i = 0; i < record->proofs.constraints.count; i++) {
        const struct sl_record_outcome *outcome = &record->proofs.constraints.items[i];
        if (strstr(outcome->constraint, "peak."))
            continue;
        enum sl_gate_outcome_kind kind = kind_of(outcome);
        sl_gate_claim(claims, kind, "proofs.constraints", "constraint '%.200s': %s%s",
                      outcome->constraint, outcome->state,
                      kind == SL_GATE_UNKNOWN && strcmp(outcome->state, "holds") == 0
                          ? ", but its interval reaches beyond the limit"
                          : "");
    }
}

static void judge_waits(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_starvation *waits = &record->proofs.starvation;
    char longest[SL_GATE_TEXT] = "not known", bound[SL_GATE_TEXT];
    if (!isnan(waits->max_wait_us))
        sl_gate_quantity(longest, waits->max_wait_us, "us");
    if (isnan(waits->bound_us)) {
        sl_gate_claim(claims, SL_GATE_PASS, "proofs.starvation.bound_us",
                      "no bound on waits is established; the longest is %s%s%.100s", longest,
                      waits->node ? ", of " : "", waits->node ? waits->node : "");
        return;
    }
    sl_gate_quantity(bound, waits->bound_us, "us");
    if (waits->beyond > 0)
        sl_gate_claim(claims, SL_GATE_FAIL, "proofs.starvation.beyond",
                      "%llu waits exceed the declared %s; the longest is %s",
                      (unsigned long long)waits->beyond, bound, longest);
    else
        sl_gate_claim(claims, SL_GATE_PASS, "proofs.starvation", "the longest wait is %s of %s",
                      longest, bound);
    if (record->measured.present && record->measured.max_wait_us > waits->bound_us)
        sl_gate_claim(claims, SL_GATE_FAIL, "measured.max_wait_us",
                      "a measured wait of %s exceeds it",
                      sl_gate_quantity(longest, record->measured.max_wait_us, "us"));
}

static void judge_tail(const struct sl_record_result *result, const char *whose, const char *key,
                       struct sl_gate_claims *claims)
{
    char by[2 * SL_GATE_TEXT];
    if (!result->present)
        return;
    if (isnan(result->tail.value))
        sl_gate_claim(claims, SL_GATE_UNKNOWN, key, "there is no %s tail: %llu %s are too few",
                      whose, (unsigned long long)result->count, result->counted);
    else if (result->tail_difference.lo > 0)
        sl_gate_claim(claims, SL_GATE_FAIL, key, "the %s tail regresses by %s", whose,
                      sl_gate_interval(by, result->tail_difference, result->unit));
    else if (isnan(result->tail_difference.value))
        sl_gate_claim(claims, SL_GATE_UNKNOWN, key, "there is no %s tail of the baseline", whose);
    else
        sl_gate_claim(claims, SL_GATE_PASS, key, "the %s tail is not shown to regress", whose);
}

void sl_gate_bounds(const struct sl_record *record, struct sl_gate_claims *claims)
{
    sl_gate_claim_findings(record, "bounds", claims);
    if (!record->objective.tail_stated)
        sl_gate_claim(claims, SL_GATE_FAIL, "objective.tail_stated",
                      "the objective states no tail quantile: that it is %.4g is assumed",
                      record->objective.tail);
    if (sl_gate_lacks_run(record, claims))
        return;
    judge_constraints(record, claims);
    judge_waits(record, claims);
    judge_tail(&record->projected, "projected", "projected.tail_difference", claims);
    judge_tail(&record->runtime_feasible, "runtime-feasible", "runtime_feasible.tail_difference",
               claims);
    judge_tail(&record->measured, "measured", "measured.tail_difference", claims);
}
