/* Index order of a plan: what lanes and engines that work in order of submission go by.
 *
 * The user's rows keep their order.  Inserted nodes come behind the row that they follow in the
 * sequence (recomputations right before their consumer) and, on one engine, in the order of the
 * sequence. */
#include "attempt.h"
#include <stdlib.h>
#include <string.h>

struct place {
    uint64_t row;  /* 2 x row: at it, in front of what follows; 2 x row + 1: behind it */
    uint32_t step; /* in the sequence */
    uint32_t node;
};

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* Rows count from 1, so that nodes in front of all rows have a place. */
static bool assign_places(const struct sl_attempt *a, struct place *places)
{
    uint32_t users = a->facts->graph->node_count, step = 0, count = 0;
    uint32_t resources = a->facts->platform->resource_names.count;
    uint64_t *latest = calloc((size_t)resources + 1, sizeof *latest);
    uint64_t row = 0;
    for (uint32_t n = a->head; n != SL_NONE && latest; n = a->next[n]) {
        const struct sl_node *node = &a->graph->nodes[n];
        uint64_t own = row;
        if (n < users) {
            own = 2 * ((uint64_t)n + 1);
            row = own + 1;
        } else if (node->kind == SL_REMATERIALIZATION) {
            own = 2 * ((uint64_t)a->slot[n] + 1) - 1; /* behind the row before its consumer */
        } else if (node->demands.count > 0) {
            uint64_t *last = &latest[a->graph->demands[node->demands.first].resource];
            own = own > *last ? own : *last;
            *last = own;
        }
        places[count++] = (struct place){own, step++, n};
    }
    bool ok = latest != NULL;
    free(latest);
    return ok;
}

static sl_node_id moved(const uint32_t *to, sl_node_id node)
{
    return (sl_node_id){node.i == SL_NONE ? SL_NONE : to[node.i]};
}

/* Every mention of a node, by its new index. */
static void rename_nodes(struct sl_attempt *a, const uint32_t *to)
{
    struct sl_graph *graph = a->graph;
    struct sl_node *nodes = graph->own_nodes;
    struct sl_edge *edges = graph->own_edges;
    for (uint32_t n = 0; n < graph->node_count; n++) {
        nodes[n].fallback = moved(to, nodes[n].fallback);
        nodes[n].staging_until = moved(to, nodes[n].staging_until);
    }
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        edges[e].from = moved(to, edges[e].from);
        edges[e].to = moved(to, edges[e].to);
    }
    for (uint32_t o = 0; o < graph->object_count; o++)
        graph->objects[o].reconstruct = moved(to, graph->objects[o].reconstruct);
    for (uint32_t i = 0; i < a->plan->edit_count; i++)
        a->plan->edits[i].node = moved(to, a->plan->edits[i].node);
}

/* Names follow their nodes.  Keys that were the name stay with it. */
static bool rename_names(struct sl_graph *graph)
{
    struct sl_node *nodes = graph->own_nodes;
    struct sl_names names = {0};
    for (uint32_t n = 0; n < graph->node_count; n++) {
        struct sl_node *node = &nodes[n];
        const char *old = node->name;
        if (sl_names_add(&names, old) != n) {
            sl_names_free(&names);
            return false;
        }
        if (node->key == old || strcmp(node->key, old) == 0)
            node->key = NULL;
    }
    for (uint32_t n = 0; n < graph->node_count; n++) {
        nodes[n].name = names.names[n];
        if (!nodes[n].key)
            nodes[n].key = names.names[n];
    }
    sl_names_free(&graph->node_names);
    graph->node_names = names;
    return true;
}

enum sl_status sl_plan_renumber(struct sl_attempt *a)
{
    struct sl_graph *graph = a->graph;
    enum sl_status status = sl_chunks_split(a);
    if (status)
        return status;
    size_t count = graph->node_count;
    if (count == a->facts->graph->node_count) /* nothing was inserted */
        return sl_graph_finish(graph, a->err);
    struct place *places = malloc((count + 1) * sizeof *places);
    uint32_t *to = malloc((count + 1) * sizeof *to);
    struct sl_node *nodes = malloc((count + 1) * sizeof *nodes);
    bool ok = places && to && nodes && assign_places(a, places) &&
              sl_graph_edit_node(graph, 0, a->err) && sl_graph_edit_edges(graph, a->err) == SL_OK;
    if (ok) {
        qsort(places, count, sizeof *places, compare);
        for (size_t i = 0; i < count; i++) {
            nodes[i] = graph->nodes[places[i].node];
            to[places[i].node] = (uint32_t)i;
        }
        if (count > 0)
            memcpy(graph->own_nodes, nodes, count * sizeof *nodes);
        rename_nodes(a, to);
        ok = rename_names(graph);
    }
    free(places);
    free(to);
    free(nodes);
    if (!ok)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    return sl_graph_finish(graph, a->err);
}
