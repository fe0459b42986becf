/* Derived allocation and mapping nodes, where the platform declares that they cost time.
 *
 * The node has the first writer's predecessors and takes the bytes at its start; the writer follows
 * it.  Where that one may not run and others write in its stead, all of them follow it and it runs
 * in any case. */
#include "attempt.h"
#include <stdlib.h>

const struct sl_api_cost *sl_cost_find(const struct sl_platform *platform, int what,
                                       uint32_t domain)
{
    const struct sl_api_cost *general = NULL;
    for (uint32_t c = 0; c < platform->cost_count; c++) {
        const struct sl_api_cost *cost = &platform->costs[c];
        if ((int)cost->what != what)
            continue;
        if (cost->domain == domain)
            return cost;
        if (cost->domain == SL_NONE)
            general = cost;
    }
    return general;
}

struct writers {
    uint32_t *pred_start, *pred_edges; /* before any allocation was added */
};

static enum sl_status add_step(struct sl_attempt *a, const struct sl_copy *copy,
                               enum sl_node_kind kind, const char *prefix,
                               const struct sl_api_cost *cost, uint32_t *index)
{
    const char *object = a->graph->objects[copy->object].name;
    const char *domain = a->facts->platform->domain_names.names[copy->domain];
    const struct sl_node *writer = &a->graph->nodes[copy->taker];
    struct sl_node node = sl_node_default();
    node.kind = kind;
    node.object.i = copy->object;
    node.to = copy->domain;
    if (!copy->stand_ins) {
        node.guards = writer->guards;
        node.layer = writer->layer;
    }
    node.dist = cost->duration;
    node.name = copy->number > 1 ? sl_editor_text(&a->editor, "%s:%s@%s#%u", prefix, object, domain,
                                                  copy->number)
                                 : sl_editor_text(&a->editor, "%s:%s@%s", prefix, object, domain);
    if (!node.name)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    enum sl_status status = SL_OK;
    if (cost->resource != SL_NONE)
        status = sl_graph_push_demand(a->graph, &node.demands,
                                      (struct sl_demand){cost->resource, 1}, a->err);
    if (status == SL_OK)
        status = sl_editor_node(&a->editor, &node, index);
    if (status == SL_OK)
        status = sl_sequence_insert(a, *index, a->prev[copy->taker], a->slot[copy->taker]);
    if (status == SL_OK)
        status = sl_editor_note(&a->editor, SL_EDIT_ADD_NODE, *index, copy->object,
                                "this costs time here", "%s %s in %s",
                                kind == SL_ALLOCATION ? "allocate" : "map", object, domain);
    return status;
}

/* The writer's predecessors, and the node before it in its lane; but not one that the writer stands
 * by for, whose duty is the writer's own. */
static enum sl_status follow_predecessors(struct sl_attempt *a, const struct writers *w,
                                          uint32_t writer, uint32_t step)
{
    enum sl_status status = SL_OK;
    for (uint32_t k = w->pred_start[writer]; k < w->pred_start[writer + 1] && !status; k++) {
        const struct sl_edge edge = a->graph->edges[w->pred_edges[k]];
        if (sl_nodes_alternate(a->graph, edge.from.i, writer))
            continue;
        status = sl_editor_lagged_edge(&a->editor, edge.from.i, step, edge.type, edge.object.i,
                                       edge.lag_ps);
    }
    uint32_t lane = a->graph->nodes[writer].lane, before = a->prev[writer];
    while (lane != SL_NONE && before != SL_NONE && a->graph->nodes[before].lane != lane)
        before = a->prev[before];
    if (lane != SL_NONE && before != SL_NONE && status == SL_OK &&
        !sl_nodes_alternate(a->graph, before, writer))
        status = sl_editor_edge(&a->editor, before, step, SL_EDGE_ORDERING, SL_NONE, NULL);
    return status;
}

static enum sl_status add_steps(struct sl_attempt *a, const struct writers *w, uint32_t index)
{
    const struct sl_copy copy = a->copies[index];
    const struct sl_api_cost *allocation =
        sl_cost_find(a->facts->platform, SL_COST_ALLOCATION, copy.domain);
    const struct sl_api_cost *mapping =
        sl_cost_find(a->facts->platform, SL_COST_MAPPING, copy.domain);
    if (copy.taker == SL_NONE || (!allocation && !mapping) ||
        a->graph->nodes[copy.taker].kind == SL_ALLOCATION ||
        a->graph->nodes[copy.taker].kind == SL_MAPPING)
        return SL_OK;
    uint32_t first = SL_NONE, last = SL_NONE;
    enum sl_status status = SL_OK;
    if (allocation)
        status = add_step(a, &copy, SL_ALLOCATION, "alloc", allocation, &first);
    if (mapping && status == SL_OK)
        status = add_step(a, &copy, SL_MAPPING, "map", mapping, &last);
    if (status)
        return status;
    if (first == SL_NONE)
        first = last;
    else if (last != SL_NONE)
        status = sl_editor_edge(&a->editor, first, last, SL_EDGE_STORAGE, copy.object, NULL);
    uint32_t ready = last == SL_NONE ? first : last;
    if (status == SL_OK)
        status = sl_editor_edge(&a->editor, ready, copy.taker, SL_EDGE_STORAGE, copy.object, NULL);
    for (uint32_t at = copy.stand_ins; at && status == SL_OK; at = a->users[at].next)
        status = sl_editor_edge(&a->editor, ready, a->users[at].node, SL_EDGE_STORAGE, copy.object,
                                NULL);
    if (status == SL_OK)
        status = follow_predecessors(a, w, copy.taker, first);
    if (status == SL_OK)
        status = sl_graph_node_holding(a->graph, first, SL_TAKES, copy.holding, a->err);
    return status;
}

enum sl_status sl_costs_derive(struct sl_attempt *a)
{
    struct writers w = {0};
    enum sl_status status = SL_OK;
    if (a->facts->platform->cost_count == 0)
        return SL_OK;
    if (!sl_graph_preds(a->graph, &w.pred_start, &w.pred_edges))
        status = SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    for (uint32_t c = 0; c < a->copy_count && status == SL_OK; c++)
        status = add_steps(a, &w, c);
    free(w.pred_start);
    free(w.pred_edges);
    return status;
}
