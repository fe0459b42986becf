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

/* Constraints on peaks are limits, too. */
static void judge_constraints(const struct sl_record *record, struct sl_gate_claims *claims)
{
    for (uint32_t i = 0; i < record->proofs.constraints.count; i++) {
        const struct sl_record_outcome *outcome = &record->proofs.constraints.items[i];
        if (!strstr(outcome->constraint, "peak."))
            continue;
        bool holds = strcmp(outcome->state, "holds") == 0;
        bool broken = strcmp(outcome->state, "broken") == 0;
        sl_gate_claim(claims,
                      holds    ? SL_GATE_PASS
                      : broken ? SL_GATE_FAIL
                               : SL_GATE_UNKNOWN,
                      "proofs.constraints", "constraint '%.200s': %s", outcome->constraint,
                      outcome->state);
    }
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
