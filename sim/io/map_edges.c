/* Where two policies break even between two points of a map. */
#include "order_figures.h"
#include "paired.h"
#include "text.h"
#include "win_map.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL 0.95

enum sl_status sl_map_difference(const struct sl_map *map, const double *a, const double *b,
                                 size_t n, struct sl_estimate *difference, struct sl_error *err)
{
    const struct sl_winner_rule *rule = &map->standings->rule;
    *difference = SL_NO_ESTIMATE;
    if (!a || !b || n == 0)
        return SL_OK;
    if (sl_order_figure(map->measure, map->standings->jobs) == SL_FIGURE_MEAN) {
        double *apart = malloc(n * sizeof *apart);
        if (!apart)
            return SL_FAIL(err, SL_SYSTEM, "out of memory for a difference");
        for (size_t i = 0; i < n; i++)
            apart[i] = a[i] - b[i];
        *difference = sl_mean(apart, n, LEVEL);
        free(apart);
        return SL_OK;
    }
    struct sl_difference made;
    enum sl_status status = sl_paired_at(&made, a, b, n, sl_order_quantile(map->measure, rule->q),
                                         rule->seed, LEVEL, err);
    if (status == SL_OK)
        *difference = made.estimate;
    return status;
}

static double coordinate(const struct sl_map_axis *axis, double value)
{
    return axis->log ? log(value) : value;
}

static double value_at(const struct sl_map_axis *axis, const struct sl_map_edge *edge, double share)
{
    double from = coordinate(axis, edge->ends[0].value), to = coordinate(axis, edge->ends[1].value);
    double at = from + share * (to - from);
    return axis->log ? exp(at) : at;
}

/* The share of the way at which a line from `from` to `to` rises above zero; *open: not in between.
 */
static double zero_of(double from, double to, bool *open)
{
    *open = from > 0 || to < 0;
    if (from >= 0)
        return 0;
    return to <= 0 ? 1 : from / (from - to);
}

void sl_map_settle(const struct sl_map *map, struct sl_map_edge *edge)
{
    const struct sl_map_axis *axis = &map->axes[edge->along];
    struct sl_estimate from = edge->ends[0].difference, to = edge->ends[1].difference;
    if (edge->kind != SL_MAP_CROSSING)
        return;
    if (isnan(from.lo) || isnan(to.lo) || isnan(from.hi) || isnan(to.hi)) {
        edge->kind = SL_MAP_UNTESTED;
        return;
    }
    bool never;
    /* Of two that are equal at both ends any point is one of break-even. */
    double at = from.value == 0 && to.value == 0 ? 0.5 : zero_of(from.value, to.value, &never);
    /* The upper limit is above zero first: from there on the first leader may have been passed. */
    double lo = zero_of(from.hi, to.hi, &edge->lo_open);
    double hi = zero_of(from.lo, to.lo, &edge->hi_open);
    edge->at = value_at(axis, edge, at);
    edge->lo = value_at(axis, edge, fmin(lo, at));
    edge->hi = value_at(axis, edge, fmax(hi, at));
}

double sl_map_middle(const struct sl_map *map, const struct sl_map_edge *edge, char text[64])
{
    const struct sl_map_axis *axis = &map->axes[edge->along];
    double middle = value_at(axis, edge, 0.5);
    if (strcmp(axis->unit, "B") == 0 || strcmp(axis->unit, "ps") == 0)
        middle = rint(middle);
    snprintf(text, 64, "%.17g%s", middle, axis->unit);
    return middle;
}

void sl_map_narrow(struct sl_map_edge *edge, struct sl_map_end middle)
{
    edge->ends[middle.difference.value > 0] = middle;
    edge->halvings++;
}

const char *sl_map_value_text(struct sl_arena *arena, const struct sl_map_axis *axis, double value)
{
    double first = strtod(axis->texts[0], NULL);
    const char *unit = axis->texts[0] + strspn(axis->texts[0], "0123456789.eE+-");
    bool usable = axis->numeric && first > 0 && axis->values[0] > 0;
    double scale = usable ? axis->values[0] / first : 1;
    while (*unit == ' ')
        unit++;
    const char *text =
        sl_arena_printf(arena, "%.3g%s%s", value / scale,
                        usable && *unit && *unit != '%' ? " " : "", usable ? unit : axis->unit);
    return text ? text : "?";
}
