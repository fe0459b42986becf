/* The measures of an order in the columns of summary.csv and trials.csv. */
#include "order_figures.h"
#include "grouping.h"
#include "job_cell.h"
#include "units.h"
#include <math.h>
#include <string.h>

const struct sl_order_item sl_order_tail = {SL_MEASURE_TAIL, SL_NONE, "tail"};

/* The column of one measure without its unit, and the unit. */
static void column_of(const struct sl_order_item *item, char stem[300], const char **unit)
{
    static const struct {
        const char *stem, *unit;
    } columns[] = {
        [SL_MEASURE_TAIL] = {"tail", "_us"},
        [SL_MEASURE_MEDIAN] = {"median", "_us"},
        [SL_MEASURE_MEAN] = {"mean", "_us"},
        [SL_MEASURE_MAX_WAIT] = {"max_wait", "_us"},
        [SL_MEASURE_DEADLINE_MISS] = {"deadline_miss", ""},
        [SL_MEASURE_PEAK] = {"peak", "_bytes"},
        [SL_MEASURE_STAGING] = {"staging", "_byte_s"},
    };
    const char *dot = strchr(item->name, '.');
    *unit = columns[item->measure].unit;
    snprintf(stem, 300, "%s%s%.250s", columns[item->measure].stem, dot ? "_" : "",
             dot ? dot + 1 : "");
}

struct sl_estimate sl_order_estimate(const struct sl_frame *summary, uint32_t row,
                                     const struct sl_order_item *item)
{
    char stem[300], column[320];
    const char *unit;
    struct sl_estimate estimate;
    column_of(item, stem, &unit);
    snprintf(column, sizeof column, "%s%s", stem, unit);
    estimate.value = sl_frame_number_of(summary, row, column);
    snprintf(column, sizeof column, "%s_lo%s", stem, unit);
    estimate.lo = sl_frame_number_of(summary, row, column);
    snprintf(column, sizeof column, "%s_hi%s", stem, unit);
    estimate.hi = sl_frame_number_of(summary, row, column);
    if (item->measure == SL_MEASURE_DEADLINE_MISS && isnan(estimate.value))
        estimate.value = 0; /* no deadline: none is missed, as constraints have it */
    return estimate;
}

enum sl_winner_figure sl_order_figure(const struct sl_order_item *item, bool jobs)
{
    static const enum sl_winner_figure figures[] = {
        [SL_MEASURE_TAIL] = SL_FIGURE_QUANTILE,       [SL_MEASURE_MEDIAN] = SL_FIGURE_QUANTILE,
        [SL_MEASURE_MEAN] = SL_FIGURE_MEAN,           [SL_MEASURE_MAX_WAIT] = SL_FIGURE_LARGEST,
        [SL_MEASURE_DEADLINE_MISS] = SL_FIGURE_SHARE, [SL_MEASURE_PEAK] = SL_FIGURE_LARGEST,
        [SL_MEASURE_STAGING] = SL_FIGURE_MEAN,
    };
    bool quantile = figures[item->measure] == SL_FIGURE_QUANTILE;
    return jobs && quantile ? SL_FIGURE_MEAN : figures[item->measure];
}

double sl_order_quantile(const struct sl_order_item *item, double tail)
{
    return item->measure == SL_MEASURE_MEDIAN ? 0.5 : tail;
}

double sl_order_trial_value(const struct sl_order_item *item, const struct sl_cell *cell,
                            uint32_t trial)
{
    size_t domains = cell->scenario->platform.domain_names.count;
    switch (item->measure) {
    case SL_MEASURE_MAX_WAIT:
        return (double)cell->max_wait_ps[trial] / (double)SL_PS_PER_US;
    case SL_MEASURE_PEAK:
        return (double)cell->peak_bytes[trial * domains + item->domain];
    case SL_MEASURE_STAGING:
        return cell->staging_byte_s[trial * domains + item->domain];
    case SL_MEASURE_DEADLINE_MISS:
        return NAN;
    case SL_MEASURE_TAIL:
        if (cell->jobs)
            return cell->jobs->trials[trial].tail;
        break;
    case SL_MEASURE_MEDIAN:
        if (cell->jobs)
            return cell->jobs->trials[trial].median;
        break;
    case SL_MEASURE_MEAN:
        break;
    }
    return sl_us_of(cell->metric_ps[trial]);
}

/* As trials_header has them: cell, trial, metric, ..., max_wait, starved, stalls, peaks, stagings;
 * of jobs then median and tail. */
uint32_t sl_order_trials_field(const struct sl_order_item *item, uint32_t domain_count, bool jobs)
{
    enum { METRIC = 2, MAX_WAIT = 6, PEAKS = 8 + SL_STALLS };
    uint32_t median = PEAKS + 2 * domain_count;
    switch (item->measure) {
    case SL_MEASURE_MAX_WAIT:
        return MAX_WAIT;
    case SL_MEASURE_PEAK:
        return PEAKS + item->domain;
    case SL_MEASURE_STAGING:
        return PEAKS + domain_count + item->domain;
    case SL_MEASURE_DEADLINE_MISS:
        return SL_NONE;
    case SL_MEASURE_TAIL:
        return jobs ? median + 1 : METRIC;
    case SL_MEASURE_MEDIAN:
        return jobs ? median : METRIC;
    case SL_MEASURE_MEAN:
        break;
    }
    return METRIC;
}

const char *sl_order_label(char buffer[16], const struct sl_order_item *item, double tail)
{
    return item->measure == SL_MEASURE_TAIL ? sl_quantile_name(buffer, tail) : item->name;
}

const char *sl_order_text(struct sl_arena *arena, const struct sl_order_item *item, double value)
{
    char buffer[48];
    const char *text;
    if (item->measure == SL_MEASURE_DEADLINE_MISS)
        text = sl_arena_printf(arena, "%.3g%%", 100 * value);
    else if (item->measure == SL_MEASURE_PEAK)
        text = sl_arena_strdup(arena, sl_format_bytes(buffer, sizeof buffer, value));
    else if (item->measure == SL_MEASURE_STAGING)
        text = sl_arena_printf(arena, "%s s", sl_format_bytes(buffer, sizeof buffer, value));
    else
        text = sl_arena_strdup(
            arena, sl_format_estimate(buffer, sizeof buffer, value * (double)SL_PS_PER_US));
    return text ? text : "?";
}
