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

static void claim_constraint(const struct sl_record_outcome *outcome, const char *key,
                             const char *whose, struct sl_gate_claims *claims)
{
    enum sl_gate_outcome_kind kind = kind_of(outcome);
    sl_gate_claim(claims, kind, key, "constraint '%.200s'%s: %s%s", outcome->constraint, whose,
                  outcome->state,
                  kind == SL_GATE_UNKNOWN && strcmp(outcome->state, "holds") == 0
                      ? ", but its interval reaches beyond the limit"
                      : "");
}

/* A measurement has the figures of some constraints; what it has none of is not known. */
static void claim_measured(const struct sl_record_outcome *declared,
                           const struct sl_record_result *measured, struct sl_gate_claims *claims)
{
    struct sl_record_outcome outcome = *declared;
    outcome.figure = sl_gate_figure(measured, declared->constraint);
    bool known = !isnan(outcome.figure.value);
    outcome.state = !known                                    ? "not judged"
                    : outcome.figure.value <= declared->limit ? "holds"
                                                              : "broken";
    claim_constraint(&outcome, "measured", ", as measured", claims);
}

/* The declared bound on waits, which is judged with who waited for what. */
static bool is_of_waits(const struct sl_record_outcome *outcome)
{
    return strncmp(outcome->constraint, "max_wait", strlen("max_wait")) == 0;
}

static void judge_constraints(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_result *feasible = &record->runtime_feasible;
    for (uint32_t i = 0; i < record->proofs.constraints.count; i++) {
        const struct sl_record_outcome *outcome = &record->proofs.constraints.items[i];
        if (sl_gate_is_of_peak(outcome))
            continue;
        claim_constraint(outcome, "proofs.constraints", "", claims);
        if (record->measured.present && !is_of_waits(outcome))
            claim_measured(outcome, &record->measured, claims);
    }
    for (uint32_t i = 0; feasible->present && i < feasible->constraints.count; i++)
        if (!sl_gate_is_of_peak(&feasible->constraints.items[i]) &&
            !is_of_waits(&feasible->constraints.items[i]))
            claim_constraint(&feasible->constraints.items[i], "runtime_feasible.constraints",
                             ", with what the runtime inserts", claims);
}

/* ", of f1, behind the inserted edge ..." */
static const char *who_waits(char buffer[400], const struct sl_record_result *result)
{
    snprintf(buffer, 400, "%s%.100s%s%.250s", result->longest_wait ? ", of " : "",
             result->longest_wait ? result->longest_wait : "",
             result->wait_behind ? ", behind " : "",
             result->wait_behind ? result->wait_behind : "");
    return buffer;
}

/* With what a runtime inserts, from readiness in the plan's own graph on. */
static void judge_feasible_waits(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_result *feasible = &record->runtime_feasible;
    double bound = record->proofs.starvation.bound_us;
    char longest[SL_GATE_TEXT], limit[SL_GATE_TEXT], who[400];
    if (!feasible->present)
        return;
    if (isnan(feasible->max_wait_us)) {
        if (!isnan(bound))
            sl_gate_claim(claims, SL_GATE_UNKNOWN, "runtime_feasible.max_wait_us",
                          "waits behind what the runtime inserts are not known");
        return;
    }
    sl_gate_quantity(longest, feasible->max_wait_us, "us");
    who_waits(who, feasible);
    if (feasible->max_wait_us == 0)
        sl_gate_claim(claims, SL_GATE_PASS, "runtime_feasible.max_wait_us",
                      "with what the runtime inserts nothing waits");
    else if (isnan(bound))
        sl_gate_claim(claims, SL_GATE_PASS, "runtime_feasible.max_wait_us",
                      "with what the runtime inserts the longest wait is %s%s", longest, who);
    else if (feasible->starved > 0 || feasible->max_wait_us > bound)
        sl_gate_claim(claims, SL_GATE_FAIL, "runtime_feasible.starved",
                      "with what the runtime inserts %llu waits exceed the declared %s; the "
                      "longest is %s%s",
                      (unsigned long long)feasible->starved, sl_gate_quantity(limit, bound, "us"),
                      longest, who);
    else
        sl_gate_claim(claims, SL_GATE_PASS, "runtime_feasible.max_wait_us",
                      "with what the runtime inserts the longest wait is %s, of at most %s",
                      longest, sl_gate_quantity(limit, bound, "us"));
}

static void judge_waits(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_starvation *waits = &record->proofs.starvation;
    char longest[SL_GATE_TEXT] = "not known", bound[SL_GATE_TEXT];
    if (!isnan(waits->max_wait_us))
        sl_gate_quantity(longest, waits->max_wait_us, "us");
    if (isnan(waits->bound_us)) {
        if (waits->max_wait_us == 0)
            sl_gate_claim(claims, SL_GATE_PASS, "proofs.starvation.bound_us",
                          "no bound on waits is established; nothing waits");
        else
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
    else if (waits->max_wait_us == 0)
        sl_gate_claim(claims, SL_GATE_PASS, "proofs.starvation", "nothing waits, of at most %s",
                      bound);
    else
        sl_gate_claim(claims, SL_GATE_PASS, "proofs.starvation",
                      "the longest wait is %s, of at most %s", longest, bound);
    if (record->measured.present && record->measured.max_wait_us > waits->bound_us)
        sl_gate_claim(claims, SL_GATE_FAIL, "measured.max_wait_us",
                      "a measured wait of %s exceeds it",
                      sl_gate_quantity(longest, record->measured.max_wait_us, "us"));
}

static void judge_tail(const struct sl_record *record, const struct sl_record_result *result,
                       const char *whose, const char *key, bool itself,
                       struct sl_gate_claims *claims)
{
    char by[2 * SL_GATE_TEXT], few[SL_GATE_FEW];
    const char *why = sl_gate_no_baseline(record, result), *less = NULL;
    if (!result->present)
        return;
    if (isnan(result->tail.value))
        less = sl_gate_too_few(few, result, "tail", false);
    else if (isnan(result->tail_difference.value) && !isnan(result->baseline_count))
        less = sl_gate_too_few(few, result, "tail", true);
    if (isnan(result->tail.value))
        sl_gate_claim(claims, SL_GATE_UNKNOWN, key, "there is no %s tail%s%s", whose,
                      less ? ": " : "", less ? less : "");
    else if (itself)
        sl_gate_claim(claims, SL_GATE_PASS, key,
                      "the %s tail is that of the baseline, which is kept", whose);
    else if (result->tail_difference.lo > 0)
        sl_gate_claim(claims, SL_GATE_FAIL, key, "the %s tail regresses by %s", whose,
                      sl_gate_interval(by, result->tail_difference, result->unit));
    else if (isnan(result->tail_difference.value) && less)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, key, "the %s tail is not compared: %s", whose, less);
    else if (isnan(result->tail_difference.value))
        sl_gate_claim(claims, SL_GATE_UNKNOWN, key, "there is no %s tail of the baseline%s%.150s",
                      whose, why ? ": " : "", why ? why : "");
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
    judge_feasible_waits(record, claims);
    bool itself = sl_gate_keeps_baseline(record);
    judge_tail(record, &record->projected, "projected", "projected.tail_difference", itself,
               claims);
    judge_tail(record, &record->runtime_feasible, "runtime-feasible",
               "runtime_feasible.tail_difference", itself, claims);
    judge_tail(record, &record->measured, "measured", "measured.tail_difference", itself, claims);
}
