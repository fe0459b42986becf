/* Cells against each other, trial by trial on common draws: what each alternative would have cost,
 * and what the selected one gains over the baseline. */
#include "config.h"

#include "decide_parts.h"
#include "order_figures.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum sl_status sl_decide_mean_difference(const double *a, const double *b, uint32_t n,
                                         struct sl_difference *difference, struct sl_error *err)
{
    double *d = malloc(n * sizeof *d + 1);
    if (!d)
        return sl_decide_no_memory(err);
    for (uint32_t t = 0; t < n; t++)
        d[t] = isinf(a[t]) && isinf(b[t]) ? 0 : a[t] - b[t];
    difference->estimate = sl_mean(d, n, SL_DECIDE_LEVEL);
    difference->a = sl_mean(a, n, SL_DECIDE_LEVEL).value;
    difference->b = sl_mean(b, n, SL_DECIDE_LEVEL).value;
    free(d);
    return SL_OK;
}

bool sl_decide_is_exact(const double *a, const double *b, uint32_t n,
                        struct sl_difference *difference)
{
    double d = 0;
    for (uint32_t t = 0; t < n; t++) {
        double by = isinf(a[t]) && isinf(b[t]) ? 0 : a[t] - b[t];
        if (t > 0 && by != d)
            return false;
        d = by;
    }
    *difference = (struct sl_difference){.estimate = {d, d, d}, .a = NAN, .b = NAN};
    return n > 0 && isfinite(d);
}

/* Of jobs, whose trials have quantiles of their own, by the mean of these. */
enum sl_status sl_decide_difference(const struct sl_decision *decision,
                                    const struct sl_decide_cell *a, const struct sl_decide_cell *b,
                                    double q, struct sl_difference *difference,
                                    struct sl_error *err)
{
    bool median = q == 0.5;
    const double *x = median ? a->median_us : a->tail_us, *y = median ? b->median_us : b->tail_us;
    uint32_t n = a->trials < b->trials ? a->trials : b->trials;
    *difference = (struct sl_difference){.estimate = SL_NO_ESTIMATE, .a = NAN, .b = NAN};
    if (!x || !y)
        return SL_OK;
    if (!a->jobs && !b->jobs && sl_decide_is_exact(x, y, n, difference)) {
        difference->a = median ? a->median.value : a->tail.value;
        difference->b = median ? b->median.value : b->tail.value;
        return SL_OK;
    }
    if (a->jobs || b->jobs)
        return sl_decide_mean_difference(x, y, n, difference, err);
    return sl_paired_at(difference, x, y, n, q, decision->record->fresh_seed, SL_DECIDE_LEVEL, err);
}

/* ---- the target ---------------------------------------------------------------------------------
 */

/* Figures without an interval of their own are compared as they are. */
static void plain(struct sl_difference *difference, double a, double b)
{
    double d = a - b;
    *difference = (struct sl_difference){.estimate = {d, d, d}, .a = a, .b = b};
}

/* Selected - baseline in one measure of the order. */
static enum sl_status measure(const struct sl_decision *decision, const struct sl_decide_cell *a,
                              const struct sl_decide_cell *b, const struct sl_order_item *item,
                              struct sl_difference *difference, struct sl_error *err)
{
    uint32_t n = a->trials < b->trials ? a->trials : b->trials;
    switch (item->measure) {
    case SL_MEASURE_TAIL:
        return sl_decide_difference(decision, a, b, decision->scenario->objective.tail, difference,
                                    err);
    case SL_MEASURE_MEDIAN:
        return sl_decide_difference(decision, a, b, 0.5, difference, err);
    case SL_MEASURE_MEAN:
        *difference = (struct sl_difference){.estimate = SL_NO_ESTIMATE};
        return a->mean_us && b->mean_us
                   ? sl_decide_mean_difference(a->mean_us, b->mean_us, n, difference, err)
                   : SL_OK;
    case SL_MEASURE_MAX_WAIT:
        plain(difference, a->max_wait_us, b->max_wait_us);
        break;
    case SL_MEASURE_PEAK:
        plain(difference, a->peak_bytes[item->domain], b->peak_bytes[item->domain]);
        break;
    case SL_MEASURE_STAGING:
        plain(difference, a->staging_byte_s[item->domain], b->staging_byte_s[item->domain]);
        break;
    case SL_MEASURE_DEADLINE_MISS:
        *difference = sl_difference_by_limits(a->deadline_miss, b->deadline_miss, 1);
        break;
    }
    return SL_OK;
}

static const char *unit_of(const struct sl_order_item *item)
{
    return item->measure == SL_MEASURE_PEAK            ? "bytes"
           : item->measure == SL_MEASURE_STAGING       ? "byte s"
           : item->measure == SL_MEASURE_DEADLINE_MISS ? "share"
                                                       : "us";
}

/* The first measure in which the two are not equal within min_gain; of all equal the first. */
static enum sl_status find_target(struct sl_decision *decision, const struct sl_decide_cell *a,
                                  const struct sl_decide_cell *b, struct sl_error *err)
{
    struct sl_record_result *projected = &decision->record->projected;
    const struct sl_scenario *scenario = decision->scenario;
    const struct sl_order_item *order = scenario->objective.order;
    uint32_t count = scenario->objective.order_count;
    if (count == 0) {
        order = &sl_order_tail;
        count = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct sl_difference difference;
        bool other_domains = decision->has_other && (order[i].measure == SL_MEASURE_PEAK ||
                                                     order[i].measure == SL_MEASURE_STAGING);
        if (other_domains) /* of another platform, with domains of its own */
            continue;
        enum sl_status status = measure(decision, a, b, &order[i], &difference, err);
        if (status != SL_OK)
            return status;
        double margin = scenario->objective.min_gain * fabs(difference.b);
        bool equal =
            sl_paired_judge(difference.estimate, isfinite(margin) ? margin : 0) == SL_PAIRED_EQUAL;
        if (i > 0 && equal)
            continue;
        bool good = true;
        projected->target = sl_record_keep(decision->record, order[i].name, &good);
        projected->target_unit = unit_of(&order[i]);
        projected->target_baseline = (struct sl_estimate){difference.b, NAN, NAN};
        projected->target_difference = difference.estimate;
        if (!good)
            return sl_decide_no_memory(err);
        if (!equal)
            break;
    }
    return SL_OK;
}

static const struct sl_decide_cell *baseline_of(const struct sl_decision *decision)
{
    return decision->has_other         ? &decision->other_cell
           : decision->base != SL_NONE ? &decision->cells[decision->base]
                                       : NULL;
}

static enum sl_status against_baseline(struct sl_decision *decision, struct sl_error *err)
{
    struct sl_record_result *projected = &decision->record->projected;
    const struct sl_decide_cell *base = baseline_of(decision);
    struct sl_difference difference;
    if (!base || decision->selected == SL_NONE || !projected->present)
        return SL_OK;
    const struct sl_decide_cell *selected = &decision->cells[decision->selected];
    projected->baseline_count = base->trials;
    projected->baseline_median = base->median;
    projected->baseline_tail = base->tail;
    projected->paired = true;
    enum sl_status status = sl_decide_difference(decision, selected, base, 0.5, &difference, err);
    if (status != SL_OK)
        return status;
    projected->median_difference = difference.estimate;
    status =
        sl_decide_difference(decision, selected, base, projected->tail_quantile, &difference, err);
    projected->tail_difference = difference.estimate;
    return status == SL_OK ? find_target(decision, selected, base, err) : status;
}

/* ---- alternatives -------------------------------------------------------------------------------
 */

/* The limited domain of which the selected cell takes the largest share, at the machine of its
 * point; SL_NONE. */
static uint32_t scarcest(const struct sl_decision *decision)
{
    const struct sl_record *record = decision->record;
    uint32_t found = SL_NONE;
    double most = 0;
    for (uint32_t d = 0; d < record->proofs.capacity.count; d++) {
        const struct sl_record_capacity *domain = &record->proofs.capacity.items[d];
        double share = domain->projected_peak_bytes / domain->limit_bytes;
        if (domain->limit_bytes > 0 && share > most) {
            most = share;
            found = d;
        }
    }
    return found;
}

/* "p99 slower by 24.1 ms [23.0 ms, 25.3 ms]" */
static void tell(char text[300], const char *what, struct sl_estimate difference)
{
    char by[40], lo[40], hi[40];
    sl_format_estimate(by, sizeof by, fabs(difference.value) * (double)SL_PS_PER_US);
    sl_format_estimate(lo, sizeof lo, fabs(difference.lo) * (double)SL_PS_PER_US);
    sl_format_estimate(hi, sizeof hi, fabs(difference.hi) * (double)SL_PS_PER_US);
    snprintf(text, 300, "tail %s by %s [%s%s, %s%s]", what, by, difference.lo < 0 ? "-" : "", lo,
             difference.hi < 0 ? "-" : "", hi);
}

static void stand_by_regret(const struct sl_decision *decision, struct sl_estimate regret,
                            struct sl_record_alternative *item, char text[300])
{
    static const char *const standings[SL_PAIRED_VERDICTS] = {[SL_PAIRED_FASTER] = "faster",
                                                              [SL_PAIRED_SLOWER] = "slower",
                                                              [SL_PAIRED_EQUAL] = "tie",
                                                              [SL_PAIRED_OPEN] = "open"};
    const struct sl_decide_cell *selected = &decision->cells[decision->selected];
    double margin = decision->scenario->objective.min_gain * selected->tail.value;
    enum sl_paired_verdict verdict = sl_paired_judge(regret, isfinite(margin) ? margin : 0);
    item->standing = standings[verdict];
    if (isnan(regret.value))
        snprintf(text, 300, "too few trials to compare its tail");
    else
        tell(text, regret.value < 0 ? "faster" : "slower", regret);
    if (verdict == SL_PAIRED_EQUAL)
        snprintf(text + strlen(text), 300 - strlen(text), ", less than counts");
    else if (verdict == SL_PAIRED_OPEN)
        snprintf(text + strlen(text), 300 - strlen(text), ", not settled");
}

static void stand(const struct sl_decision *decision, uint32_t index, struct sl_estimate regret,
                  struct sl_record_alternative *item, char text[700])
{
    const struct sl_decide_cell *cell = &decision->cells[index];
    static const char *const standings[] = {[SL_VERDICT_DEADLOCK] = "deadlock",
                                            [SL_VERDICT_SOME_DEADLOCK] = "deadlock",
                                            [SL_VERDICT_ILLEGAL] = "illegal",
                                            [SL_VERDICT_INFEASIBLE] = "infeasible",
                                            [SL_VERDICT_GROWS] = "grows"};
    if (index == decision->selected) {
        item->standing = "selected";
        snprintf(text, 700, "%s", cell->verdict == SL_VERDICT_OK ? "see selected" : cell->reason);
    } else if (cell->verdict != SL_VERDICT_OK) {
        item->standing = standings[cell->verdict];
        snprintf(text, 700, "%s", cell->reason);
    } else if (decision->selected == SL_NONE) {
        item->standing = "open";
        snprintf(text, 700, "nothing was selected to compare it with");
    } else {
        stand_by_regret(decision, regret, item, text);
    }
}

static enum sl_status put_alternative(struct sl_decision *decision, uint32_t index, uint32_t domain,
                                      struct sl_error *err)
{
    struct sl_record *record = decision->record;
    const struct sl_decide_cell *cell = &decision->cells[index];
    double q = decision->scenario->objective.tail;
    struct sl_difference regret = {.estimate = SL_NO_ESTIMATE}, against = regret;
    enum sl_status status = SL_OK;
    char text[700];
    bool good = true;
    if (decision->selected != SL_NONE && index != decision->selected)
        status = sl_decide_difference(decision, cell, &decision->cells[decision->selected], q,
                                      &regret, err);
    const struct sl_decide_cell *base = baseline_of(decision);
    if (status == SL_OK && base && base != cell)
        status = sl_decide_difference(decision, cell, base, q, &against, err);
    if (status != SL_OK)
        return status;
    struct sl_record_alternative *item =
        sl_record_add(record, &record->alternatives, &sl_shape_alternative);
    if (!item)
        return sl_decide_no_memory(err);
    item->policy = sl_record_keep(record, cell->policy, &good);
    item->point = sl_record_keep(record, cell->point, &good);
    item->median_us = cell->median;
    item->tail_us = cell->tail;
    item->regret_us = regret.estimate;
    item->against_baseline_us = against.estimate;
    item->against_draws = !base || base == cell ? NULL
                          : decision->has_other ? "other-scenario"
                                                : "common";
    item->peak_bytes = domain == SL_NONE ? NAN : cell->peak_bytes[domain];
    stand(decision, index, regret.estimate, item, text);
    item->evidence = sl_record_keep(record, text, &good);
    return good ? SL_OK : sl_decide_no_memory(err);
}

enum sl_status sl_decide_compare(struct sl_decision *decision, struct sl_error *err)
{
    uint32_t domain = scarcest(decision);
    enum sl_status status = against_baseline(decision, err);
    for (uint32_t i = 0; status == SL_OK && i < decision->count; i++)
        status = put_alternative(decision, i, domain, err);
    return status;
}
