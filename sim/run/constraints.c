/* The declared constraints of a cell, judged over its trials.
 *
 * A limit of a figure holds when the estimate keeps it.  A probability is a claim about trials to
 * come, so it is broken only where the upper limit of the share of trials is below it, and settled
 * only where the lower one is not. */
#include "cellparts.h"
#include "job_cell.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t domain_of(const struct sl_cell *cell, const char *left)
{
    return strncmp(left, "peak.", 5) == 0
               ? sl_names_find(&cell->plan.graph->platform->domain_names, left + 5)
               : SL_NONE;
}

/* Figures of the metric, us. */
struct metrics {
    double tail, median, mean;
};

static double missed_by_jobs(const struct sl_job_cell *jobs)
{
    if (!jobs->estimated)
        return NAN;
    return jobs->metrics.due_count > 0 ? jobs->deadline_miss.value : 0;
}

/* The figure that a constraint is about, in the unit of its limit; NAN when the trials do not give
 * it. */
static double figure(const struct sl_cell *cell, const struct metrics *metrics, const char *left)
{
    uint32_t domain = domain_of(cell, left);
    if (domain != SL_NONE)
        return (double)sl_cell_largest_peak(cell, domain);
    if (strcmp(left, "max_wait") == 0) {
        int64_t longest = 0;
        for (uint32_t t = 0; t < cell->trials; t++)
            longest = cell->max_wait_ps[t] > longest ? cell->max_wait_ps[t] : longest;
        return (double)longest;
    }
    if (strcmp(left, "deadline_miss") == 0) /* no deadline: none is missed */
        return cell->jobs ? missed_by_jobs(cell->jobs)
                          : (double)cell->deadline_missed / (double)cell->trials;
    if (strcmp(left, "rejected") == 0)
        return sl_job_rejected(cell->jobs);
    if (strcmp(left, "slo") == 0)
        return cell->jobs->estimated ? cell->jobs->kept.value : NAN;
    if (strcmp(left, "goodput") == 0)
        return cell->jobs->estimated ? cell->jobs->goodput.value : NAN;
    double us = NAN;
    if (strcmp(left, "tail") == 0)
        us = metrics->tail;
    else if (strcmp(left, "median") == 0)
        us = metrics->median;
    else if (strcmp(left, "mean") == 0)
        us = metrics->mean;
    return us * (double)SL_PS_PER_US;
}

/* Trials that keep the limit. */
static uint32_t count_kept(const struct sl_cell *cell, const struct sl_constraint *constraint)
{
    size_t domains = cell->plan.graph->platform->domain_names.count, stride = 1;
    uint32_t domain = domain_of(cell, constraint->left), kept = 0;
    const int64_t *values = cell->metric_ps;
    if (domain != SL_NONE) {
        values = &cell->peak_bytes[domain];
        stride = domains;
    } else if (strcmp(constraint->left, "max_wait") == 0) {
        values = cell->max_wait_ps;
    }
    for (uint32_t t = 0; t < cell->trials; t++)
        kept += (double)values[t * stride] <= constraint->limit;
    return kept;
}

static void judge_probability(const struct sl_cell *cell, struct sl_constraint_outcome *outcome)
{
    double bound = outcome->constraint->probability;
    uint32_t kept = count_kept(cell, outcome->constraint);
    struct sl_estimate share = sl_proportion(kept, cell->trials, SL_LEVEL_CONFIDENCE);
    outcome->estimate = share;
    if (share.lo >= bound)
        outcome->state = SL_CONSTRAINT_HOLDS;
    else if (share.hi < bound)
        outcome->state = SL_CONSTRAINT_BROKEN;
    else {
        outcome->state =
            share.value >= bound ? SL_CONSTRAINT_HOLDS_OPEN : SL_CONSTRAINT_BROKEN_OPEN;
        outcome->trials_to_settle =
            sl_proportion_trials_to_settle(kept, cell->trials, bound, SL_LEVEL_CONFIDENCE);
    }
}

static void judge_figure(const struct sl_cell *cell, const struct metrics *metrics,
                         struct sl_constraint_outcome *outcome)
{
    const struct sl_constraint *constraint = outcome->constraint;
    double value = figure(cell, metrics, constraint->left);
    bool holds = constraint->at_least ? value >= constraint->limit : value <= constraint->limit;
    outcome->estimate = (struct sl_estimate){value, NAN, NAN};
    outcome->state = isnan(value) ? SL_CONSTRAINT_NOT_JUDGED
                     : holds      ? SL_CONSTRAINT_HOLDS
                                  : SL_CONSTRAINT_BROKEN;
}

static void tell_broken(struct sl_cell *cell, const struct sl_constraint_outcome *outcome)
{
    const struct sl_constraint *constraint = outcome->constraint;
    struct sl_estimate estimate = outcome->estimate;
    char text[100];
    if (constraint->probability > 0)
        snprintf(text, sizeof text, "%.4g [%.4g, %.4g] of the trials keep it", estimate.value,
                 estimate.lo, estimate.hi);
    else if (constraint->unit == SL_LIMIT_BYTES)
        sl_format_bytes(text, sizeof text, estimate.value);
    else if (constraint->unit == SL_LIMIT_SHARE)
        snprintf(text, sizeof text, "%.3g%%", 100 * estimate.value);
    else if (constraint->unit == SL_LIMIT_RATE)
        snprintf(text, sizeof text, "%.3g/s", estimate.value);
    else
        sl_format_time(text, sizeof text, estimate.value);
    cell->verdict = SL_VERDICT_INFEASIBLE;
    snprintf(cell->reason, sizeof cell->reason, "constraint '%.300s' does not hold: %s%s%s",
             constraint->text, constraint->probability > 0 ? "" : constraint->left,
             constraint->probability > 0 ? "" : " is ", text);
}

static void tell_open(struct sl_cell *cell, const struct sl_constraint_outcome *outcome)
{
    char count[32], trials[40] = "more than 1e9";
    size_t used = strlen(cell->reason);
    struct sl_estimate share = outcome->estimate;
    if (isfinite(outcome->trials_to_settle))
        snprintf(trials, sizeof trials, "about %s",
                 sl_format_count(count, sizeof count, (uint64_t)outcome->trials_to_settle));
    snprintf(cell->reason + used, sizeof cell->reason - used,
             "%sconstraint '%.200s' holds in %.4g%% [%.4g%%, %.4g%%] of trials; whether %.6g%% is "
             "not settled (%s trials would)",
             used > 0 ? "; " : "", outcome->constraint->text, 100 * share.value, 100 * share.lo,
             100 * share.hi, 100 * outcome->constraint->probability, trials);
}

/* The reason is of the first broken constraint, else of all that are open. */
static void tell(struct sl_cell *cell, const struct sl_constraint_outcome *outcome,
                 struct sl_diags *diags)
{
    const struct sl_constraint *constraint = outcome->constraint;
    switch (outcome->state) {
    case SL_CONSTRAINT_HOLDS:
        break;
    case SL_CONSTRAINT_HOLDS_OPEN:
    case SL_CONSTRAINT_BROKEN_OPEN:
        if (cell->verdict == SL_VERDICT_OK)
            tell_open(cell, outcome);
        break;
    case SL_CONSTRAINT_BROKEN:
        if (cell->verdict == SL_VERDICT_OK)
            tell_broken(cell, outcome);
        break;
    case SL_CONSTRAINT_NOT_JUDGED:
        sl_diags_add(diags, SL_WARNING, "constraint-not-judged", constraint->place,
                     "policy '%s': %u trials are too few to judge the constraint '%s'",
                     cell->spec.policy, (unsigned)cell->trials, constraint->text);
        break;
    }
}

enum sl_status sl_cell_judge_constraints(struct sl_cell *cell, double tail_us,
                                         struct sl_diags *diags, struct sl_error *err)
{
    const struct sl_constraint *declared = cell->scenario->objective.constraints;
    uint32_t count = cell->scenario->objective.constraint_count;
    cell->constraints = sl_arena_array(&cell->arena, (size_t)count + 1, sizeof *cell->constraints);
    if (!cell->constraints)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u constraints", (unsigned)count);
    struct metrics metrics = {tail_us, cell->median.value, cell->mean.value};
    for (uint32_t k = 0; k < count; k++) {
        struct sl_constraint_outcome *outcome = &cell->constraints[k];
        *outcome =
            (struct sl_constraint_outcome){.constraint = &declared[k], .trials_to_settle = NAN};
        if (declared[k].probability > 0)
            judge_probability(cell, outcome);
        else
            judge_figure(cell, &metrics, outcome);
        tell(cell, outcome, diags);
    }
    cell->constraint_count = count;
    return SL_OK;
}

/* Without the estimates of a finished cell; NAN where memory is short, which breaks nothing. */
static struct metrics metrics_so_far(const struct sl_cell *cell)
{
    struct metrics metrics = {NAN, NAN, NAN};
    int64_t *sorted = malloc(cell->trials * sizeof *sorted);
    if (!sorted)
        return metrics;
    memcpy(sorted, cell->metric_ps, cell->trials * sizeof *sorted);
    sl_sort_integers(sorted, cell->trials);
    double us = (double)SL_PS_PER_US;
    metrics.tail =
        (double)sorted[sl_quantile_rank(cell->trials, cell->scenario->objective.tail) - 1] / us;
    metrics.median = (double)sorted[sl_quantile_rank(cell->trials, 0.5) - 1] / us;
    metrics.mean = (double)cell->makespan_sum_ps / cell->trials / us;
    free(sorted);
    return metrics;
}

bool sl_cell_breaks(const struct sl_cell *cell, bool *for_good)
{
    const struct sl_constraint *declared = cell->scenario->objective.constraints;
    uint32_t count = cell->scenario->objective.constraint_count;
    bool breaks = false;
    *for_good = false;
    if (count == 0)
        return false;
    struct metrics metrics = metrics_so_far(cell);
    for (uint32_t k = 0; k < count; k++) {
        struct sl_constraint_outcome outcome = {.constraint = &declared[k]};
        if (declared[k].probability > 0)
            judge_probability(cell, &outcome);
        else
            judge_figure(cell, &metrics, &outcome);
        bool broken = outcome.state == SL_CONSTRAINT_BROKEN;
        bool largest = strcmp(declared[k].left, "max_wait") == 0 ||
                       domain_of(cell, declared[k].left) != SL_NONE;
        breaks |= broken;
        *for_good |= broken && largest && declared[k].probability == 0;
    }
    return breaks;
}
