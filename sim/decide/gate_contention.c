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

/* Repetitions after which the interval would lie within the band of agreement, if it shrinks by the
 * square root of their number around the figure that it has; NAN: the figure itself is not close
 * enough, or the interval is not what is open. */
static double repetitions_to_settle(const struct sl_record *record,
                                    const struct sl_record_contention *pair)
{
    double once = 1 + record->measurement.contention_tolerance, twice = once * once;
    struct sl_estimate seen = pair->measured;
    double above = (seen.hi - seen.value) / (pair->model * twice - seen.value);
    double below = (seen.value - seen.lo) / (seen.value - pair->model / twice);
    bool close = seen.value >= pair->model / once && seen.value <= pair->model * once;
    double wide = above > below ? above : below;
    return close && wide > 1 ? ceil((double)record->measured.count * wide * wide) : (double)NAN;
}

/* The command that would settle an open pair. */
static void tell_remedy(const struct sl_record *record, const struct sl_record_contention *pair,
                        char text[400])
{
    double repetitions = repetitions_to_settle(record, pair);
    const char *policy = record->policy.name ? record->policy.name : "POLICY";
    if (isnan(pair->model))
        snprintf(text, 400, "; 'slackline-calibrate --from %.200s' measures that pair",
                 record->workload.folder ? record->workload.folder : "SCENARIO");
    else if (!isnan(repetitions))
        snprintf(text, 400,
                 "; 'slackline-calibrate replay -p %.100s -n %.0f' would settle it if the figure "
                 "stays",
                 policy, repetitions);
    else
        snprintf(text, 400,
                 " (%.200s); 'slackline-calibrate replay -p %.100s' with a larger -n may settle it",
                 pair->note ? pair->note : "between agreement and none", policy);
}

static void judge_pair(const struct sl_record *record, const struct sl_record_contention *pair,
                       struct sl_gate_claims *claims)
{
    enum sl_gate_outcome_kind kind = pair->agrees == SL_TRUTH_YES  ? SL_GATE_PASS
                                     : pair->agrees == SL_TRUTH_NO ? SL_GATE_FAIL
                                                                   : SL_GATE_UNKNOWN;
    char model[16], measured[16], interval[48] = "", remedy[400] = "";
    if (!isnan(pair->measured.lo) && !isnan(pair->measured.hi))
        snprintf(interval, sizeof interval, " [%.4g, %.4g]", pair->measured.lo, pair->measured.hi);
    if (kind == SL_GATE_UNKNOWN)
        tell_remedy(record, pair, remedy);
    else if (kind == SL_GATE_FAIL && pair->note)
        snprintf(remedy, sizeof remedy, " (%.350s)",
                 pair->note); /* the overlap may be what fails */
    sl_gate_claim(claims, kind, "measurement.contention",
                  "%.100s: kappa %s by the model, %s%s measured%s", pair->pair,
                  kappa_text(model, pair->model), kappa_text(measured, pair->measured.value),
                  interval, remedy);
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
        judge_pair(record, &measurement->contention.items[i], claims);
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
