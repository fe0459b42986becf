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
    double noise = route->noise ? sl_dist_mean(route->noise) : 1.0;
    return noise * sl_graph_mean_factor(facts->graph, &node, name) *
           (sl_route_hold(facts->platform, route, bytes) + (double)route->latency_ps);
}

uint32_t sl_hop_chunks(const struct sl_facts *facts, uint32_t object, const struct sl_way *way,
                       uint32_t hop)
{
    const struct sl_route *route = &facts->platform->routes[way->routes[hop]];
    int64_t bytes = facts->graph->objects[object].bytes;
    if (!route->pipeline || bytes <= 0)
        return 1;
    int64_t chunks = (bytes - 1) / route->chunk + 1;
    return chunks > SL_MOST_CHUNKS ? SL_MOST_CHUNKS + 1 : (uint32_t)chunks;
}

double sl_hop_overlap(const struct sl_facts *facts, uint32_t object, const struct sl_way *way,
                      uint32_t hop, double hold, double next_hold)
{
    if (hop + 1 >= way->hops)
        return 0.0;
    const struct sl_route *route = &facts->platform->routes[way->routes[hop]];
    const struct sl_route *next = &facts->platform->routes[way->routes[hop + 1]];
    double chunks = sl_hop_chunks(facts, object, way, hop);
    if (!route->pipeline || !next->pipeline || route->chunk != next->chunk)
        return 0.0;
    return (chunks - 1.0) / chunks * (hold < next_hold ? hold : next_hold);
}

/* By which the hop's successor begins before its end, at means. */
static double mean_overlap(const struct sl_facts *facts, uint32_t object, enum sl_node_kind kind,
                           const struct sl_way *way, uint32_t hop)
{
    if (hop + 1 >= way->hops)
        return 0.0;
    return sl_hop_overlap(facts, object, way, hop, sl_hop_mean(facts, object, kind, way, hop),
                          sl_hop_mean(facts, object, kind, way, hop + 1));
}

double sl_way_mean(const struct sl_facts *facts, uint32_t object, enum sl_node_kind kind,
                   const struct sl_way *way, uint32_t first)
{
    double sum = 0.0;
    for (uint32_t h = first; h < way->hops; h++)
        sum += sl_hop_mean(facts, object, kind, way, h) - mean_overlap(facts, object, kind, way, h);
    return sum;
}
