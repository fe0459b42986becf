/* Objects that jobs share by blocks, in the laboratory: routes, the object, the nodes that move it
 * and those that use it. */
#ifndef SL_TEST_LAB_BLOCKS_H
#define SL_TEST_LAB_BLOCKS_H
#include "lab.h"

/* Behind those that `routes` has; the platform's are the caller's, which takes them back before
 * lab_close.  Bandwidth in bytes per second. */
static inline const struct sl_route *lab_route(struct lab *lab, struct sl_route *routes,
                                               uint32_t from, uint32_t to, const char *engine,
                                               double bandwidth)
{
    struct sl_route *route = &routes[lab->platform.route_count++];
    *route = (struct sl_route){.from = from,
                               .to = to,
                               .resource = lab_resource(lab, engine, 1),
                               .klass = SL_NONE,
                               .bandwidth = bandwidth,
                               .staging = {.domain = SL_NONE}};
    lab->platform.routes = routes;
    return route;
}

/* Its tiers, the home first. */
static inline uint32_t lab_shared(struct lab *lab, const char *name, int64_t bytes,
                                  const uint32_t *tiers, uint32_t count)
{
    struct sl_object object = sl_object_default();
    object.name = name;
    object.bytes = bytes;
    object.shared = true;
    object.home = tiers[0];
    for (uint32_t t = 0; t < count; t++)
        LAB_OK(lab, sl_graph_push_domain(lab->graph, &object.placements, tiers[t], &lab->err));
    sl_object_id id;
    LAB_OK(lab, sl_graph_add_object(lab->graph, &object, &id, &lab->err));
    return id.i;
}

static inline uint32_t lab_shared_move(struct lab *lab, uint32_t object, const char *name,
                                       enum sl_node_kind kind, const struct sl_route *route)
{
    uint32_t i = lab_node(lab, name, NULL, SL_NONE);
    struct sl_node node = LAB_NODE(lab, i);
    node.kind = kind;
    node.object.i = object;
    LAB_OK(lab, sl_graph_route_node(lab->graph, &node, route, lab->graph->objects[object].bytes,
                                    &lab->err));
    LAB_NODE(lab, i) = node;
    return i;
}

static inline void lab_mention(struct lab *lab, uint32_t node, uint32_t object, bool makes)
{
    struct sl_span span = makes ? LAB_NODE(lab, node).outputs : LAB_NODE(lab, node).inputs;
    LAB_OK(lab, sl_graph_push_object(lab->graph, &span, (sl_object_id){object}, &lab->err));
    if (makes)
        LAB_NODE(lab, node).outputs = span;
    else
        LAB_NODE(lab, node).inputs = span;
}
#endif
