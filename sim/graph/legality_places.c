/* Legality of places: an object may be used only in the domains that it may be in. */
#include <config.h>

#include "legality.h"
#include <stdio.h>

static void refuse_placement(struct sl_legality *l, uint32_t index, const char *verb,
                             sl_object_id object, uint32_t domain)
{
    const struct sl_graph *graph = l->graph;
    const char *node = graph->nodes[index].name, *name = graph->objects[object.i].name;
    sl_object_id root = sl_object_root(graph, object);
    if (domain == SL_NONE || sl_object_may_lie_in(graph, root.i, domain))
        return;
    char allowed[300] = "";
    size_t used = 0;
    struct sl_span placements = graph->objects[root.i].placements;
    for (uint32_t k = 0; k < placements.count && used < sizeof allowed; k++)
        used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%s", k > 0 ? ", " : "",
                                 sl_domain_name(l, graph->domains_pool[placements.first + k]));
    sl_report_node(l, index,
                   "node '%s' %s object '%s' in '%s', which is not among its placements (%s)", node,
                   verb, name, sl_domain_name(l, domain), allowed);
    sl_report_also_object(l, object.i);
    sl_diags_suggest(l->diags, "let '%s' use one of %s, or add '%s' to the placements of '%s'",
                     node, allowed, sl_domain_name(l, domain), graph->objects[root.i].name);
}

void sl_check_placements(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        for (uint32_t k = 0; k < node->inputs.count; k++) {
            sl_object_id object = graph->objects_pool[node->inputs.first + k];
            refuse_placement(l, i, "reads", object,
                             graph->objects[sl_object_root(graph, object).i].home);
        }
        for (uint32_t k = 0; k < node->outputs.count; k++) {
            sl_object_id object = graph->objects_pool[node->outputs.first + k];
            refuse_placement(l, i, "writes", object,
                             graph->objects[sl_object_root(graph, object).i].home);
        }
        if (node->object.i == SL_NONE)
            continue;
        refuse_placement(l, i, "takes", node->object, node->from);
        refuse_placement(l, i, "puts", node->object, node->to);
    }
}
