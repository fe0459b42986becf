/* What the rows of a record's costs say in numbers, and in which file it is stated. */
#include "config.h"

#include "decide_parts.h"
#include "units.h"
#include <math.h>
#include <string.h>

static double us(double ps)
{
    double value = ps / (double)SL_PS_PER_US;
    return isfinite(value) ? value : (double)NAN;
}

static void take_place(struct sl_record_cost *row, const struct sl_scenario *scenario,
                       struct sl_place place)
{
    row->table = place.file ? sl_record_input_name(scenario, place.file) : NULL;
}

static bool take_law(struct sl_record_cost *row, const struct sl_dist *dist, double scale,
                     struct sl_arena *arena)
{
    row->law = scale == 1 ? sl_arena_strdup(arena, sl_dist_text(dist))
                          : sl_arena_printf(arena, "%s x %.6g", sl_dist_text(dist), scale);
    return row->law;
}

/* The row of the device's table whose law a node has; NULL: its law is written out. */
static const struct sl_duration_row *row_of(const struct sl_platform *platform,
                                            const struct sl_dist *dist)
{
    for (uint32_t i = 0; i < platform->duration_count; i++)
        if (platform->durations[i].dist == dist)
            return &platform->durations[i];
    return NULL;
}

bool sl_cost_of_duration(struct sl_record_cost *row, const struct sl_scenario *scenario,
                         const struct sl_graph *graph, const struct sl_node *node,
                         struct sl_arena *arena)
{
    double scale = sl_node_mean_scale(node) * node->steps_mean;
    const struct sl_duration_row *measured = row_of(graph->platform, node->dist);
    row->of = node->work ? node->work : node->name;
    row->mean_us = us(sl_dist_mean(node->dist) * scale);
    row->median_us.value = us(sl_dist_quantile(node->dist, 0.5) * scale);
    if (measured && sl_known_varies(measured->factor)) {
        row->median_us.lo = row->median_us.value * measured->factor.lo / measured->factor.value;
        row->median_us.hi = row->median_us.value * measured->factor.hi / measured->factor.value;
    }
    take_place(row, scenario, measured ? measured->place : node->place);
    if (measured && measured->evidence && row->source && !strstr(row->source, measured->evidence)) {
        row->source = sl_arena_printf(arena, "%s; table: %s", row->source, measured->evidence);
        if (!row->source)
            return false;
    }
    return node->dist == graph->one || take_law(row, node->dist, scale, arena);
}

bool sl_cost_of_route(struct sl_record_cost *row, const struct sl_scenario *scenario,
                      const struct sl_route *route, struct sl_arena *arena)
{
    char chunk[40], fill[40];
    row->bandwidth_bytes_per_s = route->bandwidth;
    row->overhead_us = us((double)route->overhead_ps);
    row->latency_us = us((double)route->latency_ps);
    take_place(row, scenario, route->place);
    const char *law =
        route->noise ? sl_arena_printf(arena, "noise %s", sl_dist_text(route->noise)) : "no noise";
    if (law && route->chunk > 0)
        law = sl_arena_printf(arena, "%s, chunks of %s", law,
                              sl_format_bytes(chunk, sizeof chunk, (double)route->chunk));
    if (law && route->staging.domain != SL_NONE && route->staging.fill > 0)
        law = sl_arena_printf(arena, "%s, buckets filled at %s/s", law,
                              sl_format_bytes(fill, sizeof fill, route->staging.fill));
    row->law = law;
    return law;
}

bool sl_cost_of_api(struct sl_record_cost *row, const struct sl_scenario *scenario,
                    const struct sl_api_cost *api, struct sl_arena *arena)
{
    if (!api)
        return true;
    row->mean_us = us(sl_dist_mean(api->duration));
    row->median_us.value = us(sl_dist_quantile(api->duration, 0.5));
    take_place(row, scenario, api->place);
    return take_law(row, api->duration, 1, arena);
}

bool sl_cost_of_lag(struct sl_record_cost *row, const struct sl_scenario *scenario,
                    const struct sl_edge *edge, struct sl_arena *arena)
{
    const struct sl_node *nodes = scenario->graph->nodes;
    row->of = sl_arena_printf(arena, "%s -> %s", nodes[edge->from.i].name, nodes[edge->to.i].name);
    row->mean_us = us((double)edge->lag_ps);
    take_place(row, scenario, edge->place);
    return row->of;
}

bool sl_cost_of_factor(struct sl_record_cost *row, const struct sl_scenario *scenario,
                       const struct sl_factor *factor, struct sl_arena *arena)
{
    char dwell[40];
    take_place(row, scenario, factor->place);
    if (!factor->is_regime) {
        row->factor = sl_dist_mean(factor->draw);
        return take_law(row, factor->draw, 1, arena);
    }
    row->factor = 1 + factor->p * (factor->level - 1);
    row->law = sl_arena_printf(arena, "%.6g for %.6g%% of the time, %s on end", factor->level,
                               100 * factor->p,
                               sl_format_time(dwell, sizeof dwell, (double)factor->dwell_ps));
    return row->law;
}

void sl_cost_of_kappa(struct sl_record_cost *row, const struct sl_scenario *scenario,
                      const struct sl_kappa_row *kappa)
{
    row->kappa.value = kappa->kappa;
    if (sl_known_varies(sl_kappa_known(kappa))) {
        row->kappa.lo = kappa->lo;
        row->kappa.hi = kappa->hi;
    }
    take_place(row, scenario, kappa->place);
}
