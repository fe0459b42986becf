/* Legality of the order itself: precedence cycles, and the order that planning completes. */
#include <config.h>

#include "flow.h"
#include "graph_cycle.h"
#include "legality_copies.h"
#include <stdlib.h>

#define CYCLE_NAMES 1000 /* a longer cycle is cut: nobody reads on */

/* The whole cycle, by names, and an edge of it to drop; lanes alone close none. */
void sl_check_cycle(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    uint32_t *cycle = NULL, count = 0;
    struct sl_error err = {0};
    if (graph->finished || sl_graph_cycle(graph, l->lane_previous, &cycle, &count, &err) || !cycle)
        return;
    char *text = sl_cycle_text(graph, cycle, count, CYCLE_NAMES);
    sl_report_node(l, cycle[0], "these nodes wait for each other: %s",
                   text ? text : "(out of memory)");
    for (uint32_t i = 1; i < count && i < CYCLE_NAMES; i++)
        sl_report_also_node(l, cycle[i]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t next = cycle[(i + 1) % count];
        if (l->lane_previous[next] == cycle[i])
            continue;
        sl_diags_suggest(l->diags,
                         "drop one of its edges, such as '%s' -> '%s', or give it scope next if it "
                         "means the next iteration",
                         graph->nodes[cycle[i]].name, graph->nodes[next].name);
        break;
    }
    free(text);
    free(cycle);
}

/* Edges on the way into l->order.  Those that go against the order so far wait. */
struct completion {
    struct sl_legality *l;
    struct sl_edge *late;
    uint32_t late_count, late_capacity;
    struct sl_error err;
};

static enum sl_status add(void *user, uint32_t from, uint32_t to, enum sl_edge_type type,
                          uint32_t object)
{
    struct completion *c = user;
    struct sl_legality *l = c->l;
    struct sl_edge edge = {.from = {from}, .to = {to}, .type = type, .object = {object}};
    if (l->position[from] < l->position[to])
        return sl_graph_add_edge(l->order, &edge, &c->err);
    if (!sl_grow((void **)&c->late, &c->late_capacity, c->late_count + 1, sizeof *c->late))
        return SL_FAIL(&c->err, SL_SYSTEM, "out of memory for the order of a graph");
    c->late[c->late_count++] = edge;
    return SL_OK;
}

/* The successors of a node wait for its fallback too, once that takes its place. */
static enum sl_status add_fallback(struct completion *c, uint32_t node)
{
    const struct sl_graph *graph = c->l->graph;
    uint32_t fallback = graph->nodes[node].fallback.i;
    enum sl_status status = SL_OK;
    for (uint32_t k = graph->succ_start[node];
         fallback != SL_NONE && k < graph->succ_start[node + 1] && status == SL_OK; k++) {
        const struct sl_edge *edge = &graph->edges[graph->succ_edges[k]];
        if (edge->next == 0 && edge->to.i != fallback)
            status = add(c, fallback, edge->to.i, SL_EDGE_DATA, SL_NONE);
    }
    return status;
}

static bool finish(struct sl_legality *l, struct sl_graph *order, struct sl_error *err)
{
    if (sl_graph_finish(order, err))
        return false;
    for (uint32_t t = 0; t < order->node_count; t++)
        l->position[order->topo[t]] = t;
    return true;
}

/* Takes the late edges that close no cycle; one that does is a fault for some rule to find. */
static bool add_late(struct completion *c)
{
    struct sl_legality *l = c->l;
    struct sl_graph *order = sl_graph_copy_edges(l->order);
    bool ok = order, any = false;
    for (uint32_t i = 0; i < c->late_count && ok; i++)
        if (!sl_reaches(l, c->late[i].to.i, c->late[i].from.i) && l->budget > 0) {
            ok = sl_graph_add_edge(order, &c->late[i], &c->err) == SL_OK;
            any = true;
        }
    if (ok && !any) { /* an unchanged copy may not outlive its original */
        sl_graph_free(order);
        return true;
    }
    if (ok && finish(l, order, &c->err)) {
        sl_graph_free(l->order);
        l->order = order;
        return true;
    }
    sl_graph_free(order);
    return c->err.status == SL_NO; /* they close a cycle together: none of them counts */
}

bool sl_order_derive(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    struct completion c = {.l = l};
    l->position = malloc(((size_t)graph->node_count + 1) * sizeof *l->position);
    l->order = sl_graph_copy_edges(graph);
    bool ok = l->position && l->order;
    for (uint32_t t = 0; ok && t < graph->node_count; t++)
        l->position[graph->topo[t]] = t;
    ok = ok &&
         sl_flow_derive(graph, l->scenario->platform.domain_names.count, add, &c, &c.err) == SL_OK;
    for (uint32_t i = 0; ok && i < graph->node_count; i++)
        ok = add_fallback(&c, i) == SL_OK;
    ok = ok && finish(l, l->order, &c.err);
    if (ok && c.late_count > 0)
        ok = add_late(&c);
    free(c.late);
    return ok;
}
