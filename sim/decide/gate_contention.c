/* Realized contention and overlap match the decision model closely enough: nothing but a
 * measurement can say so.  A kappa without evidence keeps its overlap hypothetical until then. */
#include "config.h"

#include "gate.h"
#include <math.h>
#include <string.h>

/* Of "a beside b" either way round. */
static bool is_pair(const char *pair, const char *name)
{
    static const char joint[] = " beside ";
    const char *middle = strstr(name, joint);
    size_t length = strlen(pair), first = middle ? (size_t)(middle - name) : 0;
    const char *second = middle ? middle + strlen(joint) : name;
    if (strcmp(pair, name) == 0)
        return true;
    return middle && length == strlen(name) && strncmp(pair, second, strlen(second)) == 0 &&
           strncmp(pair + strlen(second), joint, strlen(joint)) == 0 &&
           strncmp(pair + length - first, name, first) == 0;
}

static bool was_measured(const struct sl_record_measurement *measurement, const char *name)
{
    for (uint32_t i = 0; measurement->present && i < measurement->contention.count; i++)
        if (is_pair(measurement->contention.items[i].pair, name))
            return true;
    return false;
}

static void name_hypothetical(const struct sl_record *record, struct sl_gate_claims *claims)
{
    for (uint32_t i = 0; i < record->unknowns.count; i++) {
        const struct sl_record_unknown *unknown = &record->unknowns.items[i];
        if (strcmp(unknown->what, "kappa") == 0 &&
            !was_measured(&record->measurement, unknown->name))
            sl_gate_claim(claims, SL_GATE_UNKNOWN, "unknowns",
                          "the overlap %.100s is hypothetical: %.200s", unknown->name,
                          unknown->detail);
    }
}

/* "1.2", or "unknown": a pair that the model or the measurement does not have. */
static const char *kappa_text(char text[16], double kappa)
{
    if (isnan(kappa))
        return "unknown";
    snprintf(text, 16, "%.4g", kappa);
    return text;
}

static void judge_pair(const struct sl_record_contention *pair, struct sl_gate_claims *claims)
{
    enum sl_gate_outcome_kind kind = pair->agrees == SL_TRUTH_YES  ? SL_GATE_PASS
                                     : pair->agrees == SL_TRUTH_NO ? SL_GATE_FAIL
                                                                   : SL_GATE_UNKNOWN;
    char model[16], measured[16], interval[48] = "";
    if (!isnan(pair->measured.lo) && !isnan(pair->measured.hi))
        snprintf(interval, sizeof interval, " [%.4g, %.4g]", pair->measured.lo, pair->measured.hi);
    sl_gate_claim(claims, kind, "measurement.contention",
                  "%.100s: kappa %s by the model, %s%s measured", pair->pair,
                  kappa_text(model, pair->model), kappa_text(measured, pair->measured.value),
                  interval);
}

void sl_gate_contention(const struct sl_record *record, struct sl_gate_claims *claims)
{
    const struct sl_record_measurement *measurement = &record->measurement;
    if (!measurement->present) {
        sl_gate_claim(claims, SL_GATE_UNKNOWN, "measurement",
                      "nothing was measured ('slackline decide --measured')");
        name_hypothetical(record, claims);
        return;
    }
    name_hypothetical(record, claims);
    for (uint32_t i = 0; i < measurement->contention.count; i++)
        judge_pair(&measurement->contention.items[i], claims);
    if (measurement->contention.count == 0)
        sl_gate_claim(claims, SL_GATE_PASS, "measurement.contention",
                      "no two classes ran side by side");
    if (measurement->order_agrees == SL_TRUTH_YES)
        sl_gate_claim(claims, SL_GATE_PASS, "measurement.order_agrees",
                      "the realized order is the planned one (%llu of %llu pairs the other way)",
                      (unsigned long long)measurement->order_inversions,
                      (unsigned long long)measurement->order_pairs);
    else
        sl_gate_claim(claims,
                      measurement->order_agrees == SL_TRUTH_NO ? SL_GATE_FAIL : SL_GATE_UNKNOWN,
                      "measurement.order_agrees",
                      measurement->order_agrees == SL_TRUTH_NO
                          ? "the realized order is another one: %llu of %llu pairs the other way"
                          : "the realized order is not known",
                      (unsigned long long)measurement->order_inversions,
                      (unsigned long long)measurement->order_pairs);
}
