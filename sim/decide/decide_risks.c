/* Residual risks: what may still go wrong with a decision that the gate lets pass, or does not yet
 * speak of. */
#include "config.h"

#include "decide_parts.h"
#include "gate.h"
#include <math.h>
#include <string.h>

/* What a share of the chain is worth naming. */
#define CHAIN_SHARE 0.05

struct risks {
    struct sl_record *record;
    bool good;
};

static void add(struct risks *r, const char *risk, const char *detail)
{
    struct sl_record_risk *item = sl_record_add(r->record, &r->record->risks, &sl_shape_risk);
    r->good &= item && detail;
    if (item)
        *item = (struct sl_record_risk){risk, detail ? detail : ""};
}

static bool same_kind(const struct sl_record_cost *a, const struct sl_record_cost *b)
{
    bool word = a->evidence && b->evidence ? strcmp(a->evidence, b->evidence) == 0
                                           : a->evidence == b->evidence;
    return word && strcmp(a->what, b->what) == 0 && strcmp(a->name, b->name) == 0;
}

/* The share of all of its kind, told at the first of them; NAN elsewhere. */
static double chain_share(const struct sl_record *record, uint32_t index)
{
    const struct sl_record_cost *costs = record->costs.items;
    double sum = 0;
    for (uint32_t i = 0; i < record->costs.count; i++) {
        if (!same_kind(&costs[i], &costs[index]))
            continue;
        if (i < index)
            return NAN;
        sum += isnan(costs[i].chain_share) ? 0 : costs[i].chain_share;
    }
    return sum;
}

static void of_costs(struct risks *r)
{
    const struct sl_record *record = r->record;
    for (uint32_t i = 0; i < record->costs.count && r->good; i++) {
        const struct sl_record_cost *cost = &record->costs.items[i];
        bool weak = !cost->evidence || strcmp(cost->evidence, "assumed") == 0 ||
                    strcmp(cost->evidence, "unknown") == 0;
        double share = weak ? chain_share(record, i) : NAN;
        if (share >= CHAIN_SHARE)
            add(r, "weak-cost-on-chain",
                sl_record_text(r->record, &r->good,
                               "%.3g%% of the realized chain is %s '%s', which is %s", 100 * share,
                               cost->what, cost->name,
                               cost->evidence ? cost->evidence : "without evidence"));
    }
    for (uint32_t i = 0; i < record->unknowns.count && r->good; i++)
        if (strcmp(record->unknowns.items[i].what, "kappa") == 0)
            add(r, "hypothetical-overlap",
                sl_record_text(r->record, &r->good, "%s: %s", record->unknowns.items[i].name,
                               record->unknowns.items[i].detail));
}

/* What a runtime did not settle. */
static void of_mechanism(struct risks *r)
{
    for (uint32_t i = 0; i < r->record->unknowns.count && r->good; i++) {
        const struct sl_record_unknown *unknown = &r->record->unknowns.items[i];
        if (strcmp(unknown->what, "mechanism") == 0)
            add(r, "unsettled-assumption",
                sl_record_text(r->record, &r->good, "%.1000s: %.1000s", unknown->name,
                               unknown->detail));
    }
    const struct sl_record_mechanism *mechanism = &r->record->mechanism;
    for (uint32_t i = 0; i < mechanism->deviations.count && r->good; i++)
        if (sl_gate_is_unsettled(r->record, &mechanism->deviations.items[i]))
            add(r, "deviation",
                sl_record_text(r->record, &r->good, "%.1000s: %.1000s",
                               mechanism->deviations.items[i].what,
                               mechanism->deviations.items[i].realized));
}

/* Prices of calls that were measured in a run by other calls than those of the answer. */
static void of_backend(struct risks *r)
{
    const struct sl_record_measurement *measurement = &r->record->measurement;
    const struct sl_record_mechanism *mechanism = &r->record->mechanism;
    bool other = r->record->measured.present && measurement->backend && mechanism->present &&
                 strncmp(mechanism->by, measurement->backend, strlen(measurement->backend)) != 0;
    for (uint32_t i = 0; other && i < mechanism->assumptions.count && r->good; i++)
        if (strcmp(mechanism->assumptions.items[i].assumption, SL_GATE_FREE_CALLS) == 0)
            add(r, "overhead-of-another-backend",
                sl_record_text(
                    r->record, &r->good,
                    "%.300s does not know what its calls take, and the measurement holds "
                    "those of backend '%.100s'",
                    mechanism->by, measurement->backend));
}

static void of_capacity(struct risks *r)
{
    for (uint32_t d = 0; d < r->record->proofs.capacity.count && r->good; d++) {
        const struct sl_record_capacity *domain = &r->record->proofs.capacity.items[d];
        double left = domain->limit_bytes - domain->projected_peak_bytes;
        char room[SL_GATE_TEXT];
        if (left >= 0 && left < 0.01 * domain->limit_bytes)
            add(r, "no-headroom",
                sl_record_text(r->record, &r->good, "the peak of %s leaves %s of its limit",
                               domain->domain, sl_gate_quantity(room, left, "bytes")));
    }
}

static void of_waits(struct risks *r)
{
    const struct sl_record_proofs *proofs = &r->record->proofs;
    if (isnan(proofs->starvation.bound_us))
        add(r, "no-wait-bound", "no bound on waits is established");
    if (proofs->progress.possible)
        add(r, "possible-deadlock",
            sl_record_text(r->record, &r->good, "some durations deadlock it: %.1000s",
                           proofs->progress.possible));
    else if (proofs->progress.deadlock_share.hi > 0 && proofs->progress.deadlocked == 0)
        add(r, "deadlock-not-excluded",
            sl_record_text(r->record, &r->good,
                           "none of %llu trials deadlocks: its probability is at most %.2g%%",
                           (unsigned long long)proofs->progress.trials,
                           100 * proofs->progress.deadlock_share.hi));
}

static void of_result(struct risks *r)
{
    const struct sl_record_result *projected = &r->record->projected;
    double beyond = (1 - projected->tail_quantile) * (double)projected->count;
    if (isnan(projected->tail.value))
        add(r, "no-tail", "the trials are too few for the declared tail");
    else if (beyond < 20)
        add(r, "few-tail-trials",
            sl_record_text(r->record, &r->good,
                           "only about %.0f of %llu trials lie beyond the tail", beyond,
                           (unsigned long long)projected->count));
    if (!r->record->measured.present)
        add(r, "not-measured", "the figures are projections; nothing was measured");
    if (!r->record->mechanism.present)
        add(r, "no-mechanism", "no runtime has said that it can realize the policy");
}

/* Remarks of `check` on which no condition turns. */
static void of_findings(struct risks *r)
{
    for (uint32_t i = 0; i < r->record->findings.count && r->good; i++) {
        const struct sl_record_finding *finding = &r->record->findings.items[i];
        if (!sl_gate_of_finding(finding))
            add(r, sl_record_keep(r->record, finding->code, &r->good),
                sl_record_text(r->record, &r->good, "%.1000s%s", finding->first,
                               finding->count > 1 ? ", and more of the kind" : ""));
    }
}

enum sl_status sl_decide_risks(struct sl_record *record, struct sl_error *err)
{
    struct risks r = {.record = record, .good = true};
    record->risks.count = 0;
    if (record->projected.present) {
        of_costs(&r);
        of_mechanism(&r);
        of_backend(&r);
        of_capacity(&r);
        of_waits(&r);
        of_result(&r);
    }
    of_findings(&r);
    return r.good ? SL_OK : sl_decide_no_memory(err);
}
