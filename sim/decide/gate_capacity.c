/* Peak pressure remains within declared capacity and reserve, by each kind of evidence that there
 * is.  A reserve that is not stated is assumed to be 0, which the method rejects. */
#include "config.h"

#include "gate.h"
#include <math.h>
#include <string.h>

static void judge_peak(const struct sl_record_capacity *domain, double peak, const char *whose,
                       const char *key, struct sl_gate_claims *claims)
{
    char bytes[SL_GATE_TEXT], limit[SL_GATE_TEXT];
    sl_gate_quantity(limit, domain->limit_bytes, "bytes");
    if (isnan(peak))
        sl_gate_claim(claims, SL_GATE_UNKNOWN, key, "the %s peak of %s is not known", whose,
                      domain->domain);
    else
        sl_gate_claim(claims, peak <= domain->limit_bytes ? SL_GATE_PASS : SL_GATE_FAIL, key,
                      "%s peak of %s: %s of %s", whose, domain->domain,
                      sl_gate_quantity(bytes, peak, "bytes"), limit);
}

static void judge_result(const struct sl_record_result *result,
                         const struct sl_record_capacity *domain, const char *whose,
                         const char *key, struct sl_gate_claims *claims)
{
    double peak = NAN;
    if (!result->present)
        return;
    for (uint32_t i = 0; i < result->peaks.count; i++)
        if (strcmp(result->peaks.items[i].domain, domain->domain) == 0)
            peak = result->peaks.items[i].bytes;
    judge_peak(domain, peak, whose, key, claims);
}

static void claim_constraint(const char *constraint, const char *state, const char *key,
                             const char *whose, struct sl_gate_claims *claims)
{
    bool holds = strcmp(state, "holds") == 0, broken = strcmp(state, "broken") == 0;
    sl_gate_claim(claims,
                  holds    ? SL_GATE_PASS
                  : broken ? SL_GATE_FAIL
                           : SL_GATE_UNKNOWN,
                  key, "constraint '%.200s'%s: %s", constraint, whose, state);
}

/* Constraints on peaks are limits, too. */
static void judge_constraints(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_result *feasible = &record->runtime_feasible;
    for (uint32_t i = 0; i < record->proofs.constraints.count; i++) {
        const struct sl_record_outcome *outcome = &record->proofs.constraints.items[i];
        if (!sl_gate_is_of_peak(outcome))
            continue;
        claim_constraint(outcome->constraint, outcome->state, "proofs.constraints", "", claims);
        double peak = sl_gate_figure(&record->measured, outcome->constraint).value;
        if (record->measured.present)
            claim_constraint(outcome->constraint,
                             isnan(peak)              ? "not judged"
                             : peak <= outcome->limit ? "holds"
                                                      : "broken",
                             "measured.peaks", ", as measured", claims);
    }
    for (uint32_t i = 0; feasible->present && i < feasible->constraints.count; i++)
        if (sl_gate_is_of_peak(&feasible->constraints.items[i]))
            claim_constraint(feasible->constraints.items[i].constraint,
                             feasible->constraints.items[i].state, "runtime_feasible.constraints",
                             ", with what the runtime inserts", claims);
}

void sl_gate_capacity(const struct sl_record *record, struct sl_gate_claims *claims)
{
    uint32_t limited = 0;
    sl_gate_claim_findings(record, "capacity", claims);
    if (sl_gate_lacks_run(record, claims))
        return;
    for (uint32_t i = 0; i < record->proofs.capacity.count; i++) {
        const struct sl_record_capacity *domain = &record->proofs.capacity.items[i];
        if (isnan(domain->capacity_bytes))
            continue;
        limited++;
        if (!domain->reserve_stated)
            sl_gate_claim(claims, SL_GATE_FAIL, "proofs.capacity",
                          "%s states no reserve: that it is 0 is assumed", domain->domain);
        judge_peak(domain, domain->projected_peak_bytes, "projected", "proofs.capacity", claims);
        judge_result(&record->runtime_feasible, domain, "runtime-feasible",
                     "runtime_feasible.peaks", claims);
        judge_result(&record->measured, domain, "measured", "measured.peaks", claims);
    }
    judge_constraints(record, claims);
    if (limited == 0)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "proofs.capacity", "no domain declares a capacity");
}
