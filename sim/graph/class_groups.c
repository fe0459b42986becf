/* Contention groups by class. */
#include "config.h"

#include "class_groups.h"

uint64_t *sl_class_groups(const struct sl_graph *graph, struct sl_arena *arena)
{
    uint64_t *groups =
        sl_arena_array(arena, (size_t)graph->platform->kappa.classes.count + 1, sizeof *groups);
    for (uint32_t i = 0; groups && i < graph->node_count; i++)
        if (graph->nodes[i].klass != SL_NONE)
            groups[graph->nodes[i].klass] |= sl_node_groups(graph, &graph->nodes[i]);
    return groups;
}
