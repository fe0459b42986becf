/* Legality of contents: what is read must have been written, brought or there from the start. */
#include <config.h>

#include "legality.h"
#include <stdlib.h>

/* Marks roots that become valid somewhere: initial ones, written ones, moved-in ones. */
static bool *valid_somewhere(const struct sl_graph *graph)
{
    bool *valid = calloc((size_t)graph->object_count + 1, sizeof *valid);
    for (uint32_t i = 0; valid && i < graph->object_count; i++)
        if (graph->objects[i].initial != SL_NONE)
            valid[sl_object_root(graph, (sl_object_id){i}).i] = true;
    for (uint32_t i = 0; valid && i < graph->node_count; i++) {
        struct sl_span outputs = graph->nodes[i].outputs;
        for (uint32_t k = 0; k < outputs.count; k++)
            valid[sl_object_root(graph, graph->objects_pool[outputs.first + k]).i] = true;
    }
    return valid;
}

static void never_valid(struct sl_legality *l, uint32_t node, const char *verb, sl_object_id object)
{
    const struct sl_graph *graph = l->graph;
    const char *name = graph->objects[object.i].name;
    sl_report_node(l, node,
                   "node '%s' %s object '%s', which no node writes and which is not initial",
                   graph->nodes[node].name, verb, name);
    sl_report_also_object(l, object.i);
    sl_diags_suggest(
        l->diags,
        "name '%s' among the outputs of the node that makes it, or state in which domain "
        "it is from the start (column initial)",
        name);
}

void sl_check_valid(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    bool *valid = valid_somewhere(graph);
    for (uint32_t i = 0; valid && i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->inputs.count; k++) {
            sl_object_id object = graph->objects_pool[node->inputs.first + k];
            if (!valid[sl_object_root(graph, object).i])
                never_valid(l, i, "reads", object);
        }
        if (sl_node_moves(node->kind) && node->object.i != SL_NONE &&
            !valid[sl_object_root(graph, node->object).i])
            never_valid(l, i, "moves", node->object);
    }
    free(valid);
}
