/* Nodes of a move: one per route that it takes. */
#include "attempt.h"

static enum sl_status add_hop(struct sl_attempt *a, enum sl_node_kind kind, uint32_t index,
                              const struct sl_way *way, uint32_t hop, uint32_t *added)
{
    const struct sl_object *object = &a->graph->objects[index];
    struct sl_node node = sl_node_default();
    char name[SL_HOP_NAME_MAX];
    sl_hop_name(a->facts, index, kind, way, hop, name);
    node.name = sl_editor_text(&a->editor, "%s", name);
    if (!node.name)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    node.kind = kind;
    node.object.i = index;
    node.place = object->place;
    enum sl_status status = sl_graph_route_node(
        a->graph, &node, &a->facts->platform->routes[way->routes[hop]], object->bytes, a->err);
    return status == SL_OK ? sl_editor_node(&a->editor, &node, added) : status;
}

enum sl_status sl_hops_add(struct sl_attempt *a, enum sl_node_kind kind, uint32_t object,
                           const struct sl_way *way, const char *purpose, const char *reason,
                           uint32_t *first)
{
    const struct sl_platform *platform = a->facts->platform;
    enum sl_status status = SL_OK;
    for (uint32_t h = 0; h < way->hops && status == SL_OK; h++) {
        const struct sl_route *route = &platform->routes[way->routes[h]];
        const char *why = reason;
        uint32_t node = SL_NONE;
        status = add_hop(a, kind, object, way, h, &node);
        if (h == 0)
            *first = node;
        if (way->hops > 1)
            why = sl_editor_text(&a->editor, "%s; hop %u of %u", reason, h + 1, way->hops);
        if (!why)
            return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
        if (status == SL_OK)
            status = sl_editor_note(&a->editor, SL_EDIT_ADD_NODE, node, object, why,
                                    "%s %s from %s to %s%s", sl_node_kind_name(kind),
                                    a->graph->objects[object].name,
                                    platform->domain_names.names[route->from],
                                    platform->domain_names.names[route->to], purpose);
    }
    return status;
}
