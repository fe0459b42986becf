/* The user-facing target improves under representative conditions: by the projection, by what the
 * runtime can do, and by a measurement, of which only the last can pass. */
#include "config.h"

#include "gate.h"
#include "paired.h"
#include <math.h>

/* `good` is what an improvement is worth. */
static void judge_result(const struct sl_record *record, const struct sl_record_result *result,
                         const char *whose, const char *key, enum sl_gate_outcome_kind good,
                         struct sl_gate_claims *claims)
{
    char by[2 * SL_GATE_TEXT];
    if (!result->present)
        return;
    if (!result->target || isnan(result->target_difference.value)) {
        sl_gate_claim(claims, SL_GATE_UNKNOWN, key,
                      "there is no %s baseline to compare the target with", whose);
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

void sl_gate_target(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_measurement *measurement = &record->measurement;
    if (!record->projected.present)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "projected", "nothing was simulated");
    judge_result(record, &record->projected, "projected", "projected.target_difference",
                 SL_GATE_PASS, claims);
    judge_result(record, &record->runtime_feasible, "runtime-feasible",
                 "runtime_feasible.target_difference", SL_GATE_PASS, claims);
    judge_result(record, &record->measured, "measured", "measured.target_difference", SL_GATE_PASS,
                 claims);
    if (!record->measured.present)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "measured", "nothing was measured");
    else if (!measurement->present || measurement->representative == SL_TRUTH_UNKNOWN)
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "measurement.representative",
                      "whether the measured conditions are representative is not stated");
    else if (measurement->representative == SL_TRUTH_NO)
        sl_gate_claim(claims, SL_GATE_FAIL, "measurement.representative",
                      "the measured conditions are not representative: %.300s",
                      measurement->representative_why ? measurement->representative_why
                                                      : "no reason given");
}
