/* The decision record separates policy, mechanism, projection, and measurement: each result has a
 * source of its own kind, none is a copy of another, and the policy mandates no mechanism. */
#include "config.h"

#include "gate.h"
#include <math.h>
#include <string.h>

static bool is_one_of(const char *kind, const char *const *kinds)
{
    for (; *kinds; kinds++)
        if (strcmp(kind, *kinds) == 0)
            return true;
    return false;
}

static void judge_source(const struct sl_record_result *result, const char *whose, const char *key,
                         const char *const *kinds, struct sl_gate_claims *claims)
{
    if (!result->present)
        return;
    const struct sl_record_source *source = &result->source;
    if (!source->kind || !is_one_of(source->kind, kinds))
        sl_gate_claim(claims, SL_GATE_FAIL, key, "the %s result comes from '%.60s'", whose,
                      source->kind ? source->kind : "nowhere");
    else if (!source->sha256)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, key, "the source of the %s result has no hash",
                      whose);
    else
        sl_gate_claim(claims, SL_GATE_PASS, key, "%s by %s", whose, source->kind);
}

static bool same_bits(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* No run repeats another to the last bit of five figures, unless it is the same run. */
static void judge_copy(const struct sl_record_result *measured,
                       const struct sl_record_result *other, const char *whose,
                       struct sl_gate_claims *claims)
{
    if (!measured->present || !other->present)
        return;
    bool source = measured->source.sha256 && other->source.sha256 &&
                  strcmp(measured->source.sha256, other->source.sha256) == 0;
    bool figures = !isnan(measured->median.value) &&
                   same_bits(measured->median.value, other->median.value) &&
                   same_bits(measured->median.lo, other->median.lo) &&
                   same_bits(measured->median.hi, other->median.hi) &&
                   same_bits(measured->tail.value, other->tail.value) &&
                   measured->median.lo < measured->median.hi;
    if (source || figures)
        sl_gate_claim(claims, SL_GATE_FAIL, "measured",
                      "the measured result is the %s one: same %s", whose,
                      source ? "source" : "figures");
}

void sl_gate_separation(const struct sl_record *record, struct sl_gate_claims *claims)
{
    static const char *const simulations[] = {"simulation", NULL};
    static const char *const constrained[] = {"simulation-with-constraints", NULL};
    static const char *const measurements[] = {"replay", "trace", "audit", NULL};
    sl_gate_claim_findings(record, "separation", claims);
    for (uint32_t i = 0; i < record->policy.mechanisms.count; i++)
        sl_gate_claim(claims, SL_GATE_FAIL, "policy.mechanisms", "the policy mandates %.200s",
                      record->policy.mechanisms.items[i]);
    if (!record->projected.present)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "projected", "nothing was simulated");
    judge_source(&record->projected, "projected", "projected.source", simulations, claims);
    judge_source(&record->runtime_feasible, "runtime-feasible", "runtime_feasible.source",
                 constrained, claims);
    judge_source(&record->measured, "measured", "measured.source", measurements, claims);
    judge_copy(&record->measured, &record->projected, "projected", claims);
    judge_copy(&record->measured, &record->runtime_feasible, "runtime-feasible", claims);
}
