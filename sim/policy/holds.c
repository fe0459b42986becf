/* Lifetime-hold edges that name an object, grouped by the node until whose end they hold. */
#include "facts.h"
#include <stdlib.h>

static bool holds(const struct sl_edge *edge)
{
    return edge->type == SL_EDGE_LIFETIME && edge->object.i != SL_NONE && edge->next == 0;
}

enum sl_status sl_holds_find(struct sl_facts *facts, struct sl_error *err)
{
    const struct sl_graph *graph = facts->scenario->graph;
    size_t nodes = graph->node_count;
    uint32_t count = 0;
    facts->hold_start = calloc(nodes + 2, sizeof *facts->hold_start);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        count += holds(&graph->edges[e]);
    facts->holds = malloc(((size_t)count + 1) * sizeof *facts->holds);
    if (!facts->hold_start || !facts->holds)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a plan's facts");
    /* hold_start[i + 2] counts node i first; filling turns hold_start[i + 1] into the start of
     * i + 1. */
    for (uint32_t e = 0; e < graph->edge_count; e++)
        facts->hold_start[graph->edges[e].to.i + 2] += holds(&graph->edges[e]);
    for (size_t i = 2; i < nodes + 2; i++)
        facts->hold_start[i] += facts->hold_start[i - 1];
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct sl_edge *edge = &graph->edges[e];
        if (!holds(edge))
            continue;
        facts->holds[facts->hold_start[edge->to.i + 1]++] =
            (struct sl_hold){edge->from.i, edge->to.i, sl_object_root(graph, edge->object).i};
    }
    return SL_OK;
}
