/* Changed copies of a graph and its machine. */
#include "change.h"
#include <math.h>

static void set_ones(double *factors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        factors[i] = 1;
}

void sl_change_reset(struct sl_change *change, const struct sl_platform *platform)
{
    set_ones(change->classes, platform->kappa.classes.count);
    set_ones(change->routes, platform->route_count);
    set_ones(change->lags, SL_EDGE_TYPES);
    set_ones(change->kappas, platform->kappa.row_count);
    set_ones(change->capacities, platform->domain_names.count);
    change->unknown = 1;
}

enum sl_status sl_change_init(struct sl_change *change, const struct sl_platform *platform,
                              struct sl_error *err)
{
    *change = (struct sl_change){0};
    struct sl_arena *arena = &change->arena;
    change->classes =
        sl_arena_array(arena, (size_t)platform->kappa.classes.count + 1, sizeof(double));
    change->routes = sl_arena_array(arena, (size_t)platform->route_count + 1, sizeof(double));
    change->kappas = sl_arena_array(arena, (size_t)platform->kappa.row_count + 1, sizeof(double));
    change->capacities =
        sl_arena_array(arena, (size_t)platform->domain_names.count + 1, sizeof(double));
    if (!change->classes || !change->routes || !change->kappas || !change->capacities)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a change");
    sl_change_reset(change, platform);
    return SL_OK;
}

void sl_change_free(struct sl_change *change)
{
    sl_arena_free(&change->arena);
    *change = (struct sl_change){0};
}

static bool all_usable(const double *factors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(factors[i] >= 0 && isfinite(factors[i])))
            return false;
    return true;
}

static bool is_usable(const struct sl_change *change, const struct sl_platform *platform)
{
    return all_usable(change->classes, platform->kappa.classes.count) &&
           all_usable(change->routes, platform->route_count) &&
           all_usable(change->lags, SL_EDGE_TYPES) &&
           all_usable(change->kappas, platform->kappa.row_count) &&
           all_usable(&change->unknown, 1) &&
           all_usable(change->capacities, platform->domain_names.count);
}

static bool change_domains(struct sl_changed *changed, const struct sl_change *change)
{
    struct sl_platform *platform = &changed->platform;
    uint32_t count = platform->domain_names.count;
    struct sl_domain *domains = sl_arena_array(&changed->arena, (size_t)count + 1, sizeof *domains);
    if (!domains)
        return false;
    for (uint32_t d = 0; d < count; d++) {
        domains[d] = platform->domains[d];
        double bytes = (double)domains[d].capacity * change->capacities[d];
        if (domains[d].capacity > 0 && change->capacities[d] != 1)
            domains[d].capacity = bytes < 0x1p62 ? llround(bytes) : (int64_t)1 << 62;
    }
    platform->domains = domains;
    return true;
}

static int64_t scaled_ps(int64_t ps, double factor)
{
    double scaled = (double)ps * factor;
    return factor == 1 ? ps : scaled < 0x1p62 ? llround(scaled) : (int64_t)1 << 62;
}

static bool change_routes(struct sl_changed *changed, const struct sl_change *change)
{
    struct sl_platform *platform = &changed->platform;
    struct sl_route *routes =
        sl_arena_array(&changed->arena, (size_t)platform->route_count + 1, sizeof *routes);
    if (!routes)
        return false;
    for (uint32_t r = 0; r < platform->route_count; r++) {
        struct sl_route *route = &routes[r];
        *route = platform->routes[r];
        double factor = change->routes[r];
        if (route->klass != SL_NONE)
            factor *= change->classes[route->klass];
        route->overhead_ps = scaled_ps(route->overhead_ps, factor);
        route->latency_ps = scaled_ps(route->latency_ps, factor);
        route->bandwidth /= factor; /* 0: infinitely fast */
        if (route->staging.fill > 0.0)
            route->staging.fill /= factor;
    }
    platform->routes = routes;
    return true;
}

static double node_factor(const struct sl_platform *platform, const struct sl_change *change,
                          const struct sl_node *node)
{
    double factor = node->klass == SL_NONE ? 1 : change->classes[node->klass];
    const struct sl_route *route = sl_platform_route(platform, node->from, node->to);
    return route ? factor * change->routes[route - platform->routes] : factor;
}

static enum sl_status change_lags(struct sl_graph *graph, const struct sl_change *change,
                                  struct sl_error *err)
{
    enum sl_status status = sl_graph_edit_edges(graph, err);
    for (uint32_t e = 0; e < graph->edge_count && status == SL_OK; e++) {
        struct sl_edge *edge = &graph->own_edges[e];
        edge->lag_ps = scaled_ps(edge->lag_ps, change->lags[edge->type]);
        if (edge->lag_ps >= (int64_t)1 << 62)
            status = SL_FAIL(err, SL_INVALID, "a lag after '%s' is scaled beyond 53 days",
                             graph->nodes[edge->from.i].name);
    }
    return status;
}

static enum sl_status change_graph(struct sl_changed *changed, const struct sl_graph *graph,
                                   const struct sl_change *change, struct sl_error *err)
{
    struct sl_graph *copy = changed->graph = sl_graph_copy(graph);
    if (!copy)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a changed graph");
    copy->platform = &changed->platform;
    for (uint32_t i = 0; i < copy->node_count; i++) {
        struct sl_node *node = sl_graph_edit_node(copy, i, err);
        if (!node)
            return SL_SYSTEM;
        double factor = node_factor(graph->platform, change, node);
        node->scale *= factor;
        node->latency_scale *= factor;
    }
    enum sl_status status = change_lags(copy, change, err);
    return status == SL_OK ? sl_graph_finish(copy, err) : status;
}

enum sl_status sl_changed_make(struct sl_changed *changed, const struct sl_graph *graph,
                               const struct sl_change *change, struct sl_error *err)
{
    *changed = (struct sl_changed){.platform = *graph->platform};
    if (!is_usable(change, graph->platform))
        return SL_FAIL(err, SL_INVALID, "a factor of a change is negative or not finite");
    if (!change_domains(changed, change) || !change_routes(changed, change))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a changed machine");
    enum sl_status status = sl_kappa_scale(&changed->platform.kappa, &graph->platform->kappa,
                                           change->kappas, &changed->arena, err);
    if (change->unknown != 1)
        changed->platform.kappa.unknown_value = fmin(
            fmax(fmax(graph->platform->kappa.unknown_value, 1) * change->unknown, 1), SL_KAPPA_MAX);
    return status == SL_OK ? change_graph(changed, graph, change, err) : status;
}

void sl_changed_free(struct sl_changed *changed)
{
    sl_graph_free(changed->graph);
    sl_arena_free(&changed->arena);
    *changed = (struct sl_changed){0};
}

struct sl_scenario sl_changed_scenario(const struct sl_scenario *scenario,
                                       const struct sl_changed *changed)
{
    struct sl_scenario view = *scenario;
    view.graph = changed->graph;
    view.platform = changed->platform;
    return view;
}
