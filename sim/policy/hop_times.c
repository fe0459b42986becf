/* What planning expects of a hop: its node's name, by which factors go, and its mean time. */
#include "facts.h"

void sl_hop_name(const struct sl_facts *facts, uint32_t object, enum sl_node_kind kind,
                 const struct sl_way *way, uint32_t hop, char name[SL_HOP_NAME_MAX])
{
    const struct sl_platform *platform = facts->platform;
    const char *prefix = sl_node_kind_name(kind), *what = facts->graph->objects[object].name;
    if (way->hops == 1)
        snprintf(name, SL_HOP_NAME_MAX, "%s:%s", prefix, what);
    else
        snprintf(name, SL_HOP_NAME_MAX, "%s:%s@%s", prefix, what,
                 platform->domain_names.names[platform->routes[way->routes[hop]].to]);
}

double sl_hop_mean(const struct sl_facts *facts, uint32_t object, enum sl_node_kind kind,
                   const struct sl_way *way, uint32_t hop)
{
    const struct sl_route *route = &facts->platform->routes[way->routes[hop]];
    int64_t bytes = facts->graph->objects[object].bytes;
    struct sl_node node = sl_node_default();
    char name[SL_HOP_NAME_MAX];
    node.klass = route->klass;
    node.from = route->from;
    node.to = route->to;
    sl_hop_name(facts, object, kind, way, hop, name);
    double chunks = route->chunk > 0 && bytes > 0 ? (double)((bytes - 1) / route->chunk + 1) : 1.0;
    double noise = route->noise ? sl_dist_mean(route->noise) : 1.0;
    return noise * sl_graph_mean_factor(facts->graph, &node, name) *
           ((double)route->overhead_ps * chunks + (double)route->latency_ps +
            (double)bytes / route->bandwidth * 1e12);
}

double sl_way_mean(const struct sl_facts *facts, uint32_t object, enum sl_node_kind kind,
                   const struct sl_way *way, uint32_t first)
{
    double sum = 0.0;
    for (uint32_t h = first; h < way->hops; h++)
        sum += sl_hop_mean(facts, object, kind, way, h);
    return sum;
}
