/* The differences between a plan and its ordered copy, which has further edges behind the plan's.
 */
#include "order_choices.h"
#include <math.h>

enum sl_status sl_order_choices(const struct sl_plan *plan, const struct sl_plan *ordered,
                                struct sl_arena *arena, struct sl_node_choice **rows,
                                uint32_t *count, struct sl_error *err)
{
    const struct sl_graph *before = plan->graph, *after = ordered->graph;
    size_t most = (size_t)(after->edge_count - before->edge_count) + before->node_count + 1;
    const char **names = sl_arena_array(arena, (size_t)before->node_count + 1, sizeof *names);
    struct sl_node_choice *row = sl_arena_array(arena, most, sizeof *row);
    bool ok = names && row;
    *rows = row;
    for (uint32_t i = 0; ok && i < before->node_count; i++) {
        ok = (names[i] = sl_arena_strdup(arena, before->nodes[i].name)) != NULL;
        if (ok && after->nodes[i].release_ps != before->nodes[i].release_ps)
            *row++ = (struct sl_node_choice){.node = names[i],
                                             .priority = (double)NAN,
                                             .release_ps = after->nodes[i].release_ps};
    }
    for (uint32_t e = before->edge_count; ok && e < after->edge_count; e++)
        *row++ = (struct sl_node_choice){.node = names[after->edges[e].to.i],
                                         .priority = (double)NAN,
                                         .after = names[after->edges[e].from.i],
                                         .release_ps = -1};
    *count = ok ? (uint32_t)(row - *rows) : 0;
    return ok ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for an order's rows");
}
