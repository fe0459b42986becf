/* Words and small questions about a graph: kinds, types, roots, factors, isolated means. */
#include <config.h>

#include "graph.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[SL_NODE_KINDS] = {
    [SL_COMPUTE] = "compute",
    [SL_ALLOCATION] = "allocation",
    [SL_MAPPING] = "mapping",
    [SL_TRANSFER] = "transfer",
    [SL_PREFETCH] = "prefetch",
    [SL_OFFLOAD] = "offload",
    [SL_REMATERIALIZATION] = "rematerialization",
    [SL_BARRIER] = "barrier",
    [SL_RECLAMATION] = "reclamation",
};
static const char *const edge_names[SL_EDGE_TYPES] = {
    [SL_EDGE_DATA] = "data-ready",   [SL_EDGE_STORAGE] = "storage-ready",
    [SL_EDGE_ORDERING] = "ordering", [SL_EDGE_LIFETIME] = "lifetime-hold",
    [SL_EDGE_BARRIER] = "barrier",   [SL_EDGE_CAPACITY] = "capacity-wait",
};

const char *sl_node_kind_name(enum sl_node_kind kind)
{
    return (unsigned)kind < SL_NODE_KINDS ? kind_names[kind] : "?";
}

const char *sl_edge_type_name(enum sl_edge_type type)
{
    return (unsigned)type < SL_EDGE_TYPES ? edge_names[type] : "?";
}

bool sl_node_kind_parse(const char *text, enum sl_node_kind *kind)
{
    for (unsigned k = 0; k < SL_NODE_KINDS; k++)
        if (strcmp(text, kind_names[k]) == 0) {
            *kind = (enum sl_node_kind)k;
            return true;
        }
    return false;
}

bool sl_edge_type_parse(const char *text, enum sl_edge_type *type)
{
    for (unsigned k = 0; k < SL_EDGE_TYPES; k++)
        if (strcmp(text, edge_names[k]) == 0) {
            *type = (enum sl_edge_type)k;
            return true;
        }
    return false;
}

uint64_t sl_node_groups(const struct sl_graph *graph, const struct sl_node *node)
{
    uint64_t groups = 0;
    for (uint32_t k = 0; k < node->demands.count; k++) {
        uint32_t resource = graph->demands[node->demands.first + k].resource;
        if (resource < graph->platform->resource_names.count)
            groups |= graph->platform->resources[resource].groups;
    }
    return groups;
}

bool sl_node_moves(enum sl_node_kind kind)
{
    return kind == SL_TRANSFER || kind == SL_PREFETCH || kind == SL_OFFLOAD;
}

uint32_t sl_node_first(const struct sl_graph *graph, uint32_t node)
{
    uint32_t first = graph->nodes[node].first.i;
    return first == SL_NONE ? node : first;
}

bool sl_overlap_restricts(const struct sl_overlap *overlap)
{
    return !overlap->allowed || overlap->earliest_ps > 0 || overlap->latest_ps < INT64_MAX;
}

sl_object_id sl_object_root(const struct sl_graph *graph, sl_object_id object)
{
    /* alias_of is resolved by the loader; the loop serves graphs built by hand, the bound hostile
     * ones. */
    for (uint32_t hops = 0; hops < graph->object_count; hops++) {
        if (object.i >= graph->object_count || graph->objects[object.i].alias_of.i == SL_NONE)
            break;
        object = graph->objects[object.i].alias_of;
    }
    return object;
}

uint32_t sl_object_home(const struct sl_graph *graph, uint32_t object)
{
    const struct sl_object *o = &graph->objects[object];
    if (o->home != SL_NONE)
        return o->home;
    if (o->placements.count > 0)
        return graph->domains_pool[o->placements.first];
    return graph->platform->domain_names.count == 1 ? 0 : SL_NONE;
}

bool sl_has_shared(const struct sl_graph *graph)
{
    bool any = false;
    for (uint32_t o = 0; o < graph->object_count && !any; o++)
        any = graph->objects[o].shared;
    return any;
}

uint32_t sl_object_tier(const struct sl_graph *graph, uint32_t object, uint32_t k)
{
    struct sl_span listed = graph->objects[object].placements;
    uint32_t home = sl_object_home(graph, object);
    if (k == 0 || home == SL_NONE)
        return k == 0 ? home : SL_NONE;
    for (uint32_t i = 0; i < listed.count; i++)
        if (graph->domains_pool[listed.first + i] != home && --k == 0)
            return graph->domains_pool[listed.first + i];
    return SL_NONE;
}

bool sl_object_may_lie_in(const struct sl_graph *graph, uint32_t object, uint32_t domain)
{
    struct sl_span listed = graph->objects[object].placements;
    for (uint32_t k = 0; k < listed.count; k++)
        if (graph->domains_pool[listed.first + k] == domain)
            return true;
    return listed.count == 0;
}

/* Matches "FROM->TO" of a moving node. */
static bool route_matches(const struct sl_graph *graph, const char *patterns,
                          const struct sl_node *node)
{
    if (node->from == SL_NONE || node->to == SL_NONE || !graph->platform)
        return false;
    char route[512];
    snprintf(route, sizeof route, "%s->%s", graph->platform->domain_names.names[node->from],
             graph->platform->domain_names.names[node->to]);
    return sl_glob_any(patterns, route);
}

static bool covers(const struct sl_graph *graph, const struct sl_factor *factor,
                   const struct sl_node *node, const char *name)
{
    if (factor->classes && node->klass != SL_NONE &&
        sl_glob_any(factor->classes, graph->platform->kappa.classes.names[node->klass]))
        return true;
    if (factor->nodes && sl_glob_any(factor->nodes, name))
        return true;
    return factor->routes && route_matches(graph, factor->routes, node);
}

bool sl_factor_applies(const struct sl_graph *graph, const struct sl_factor *factor, sl_node_id id)
{
    return covers(graph, factor, &graph->nodes[id.i],
                  graph->nodes[sl_node_first(graph, id.i)].name);
}

double sl_graph_mean_factor(const struct sl_graph *graph, const struct sl_node *node,
                            const char *name)
{
    double product = 1.0; /* of the means: factors are drawn independently */
    for (uint32_t f = 0; f < graph->factor_count; f++) {
        const struct sl_factor *factor = &graph->factors[f];
        if (!factor->is_regime && covers(graph, factor, node, name))
            product *= sl_dist_mean(factor->draw);
    }
    return product;
}

static double mean_factor(const struct sl_graph *graph, sl_node_id id)
{
    return sl_graph_mean_factor(graph, &graph->nodes[id.i],
                                graph->nodes[sl_node_first(graph, id.i)].name);
}

double sl_node_mean_hold(const struct sl_graph *graph, sl_node_id id)
{
    const struct sl_node *node = &graph->nodes[id.i];
    if (!node->dist)
        return 0.0;
    return sl_dist_mean(node->dist) * sl_node_mean_scale(node) * node->steps_mean *
           mean_factor(graph, id);
}

double sl_node_mean_latency(const struct sl_graph *graph, sl_node_id id)
{
    const struct sl_node *node = &graph->nodes[id.i];
    if (!node->dist || node->latency_scale == 0.0)
        return 0.0;
    return sl_dist_mean(node->dist) * node->latency_scale * mean_factor(graph, id);
}
