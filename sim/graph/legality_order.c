/* Legality of the order itself: precedence cycles. */
#include <config.h>

#include "graph_cycle.h"
#include "legality.h"
#include <stdlib.h>

#define CYCLE_NAMES 1000 /* a longer cycle is cut: nobody reads on */

/* The whole cycle, by names.  Every cycle has an edge: lanes alone go by rows. */
void sl_check_cycle(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    uint32_t *cycle = NULL, count = 0;
    struct sl_error err = {0};
    if (l->position || sl_graph_cycle(graph, l->lane_previous, &cycle, &count, &err) || !cycle)
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
