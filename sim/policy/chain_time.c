/* What of a realized chain are copies and recomputations that planning inserted. */
#include "chain_time.h"

enum sl_status sl_chain_time_add(struct sl_chain_time *time, const struct sl_program *program,
                                 const struct sl_trial *trial, struct sl_error *err)
{
    const struct sl_graph *graph = sl_program_graph(program);
    if (!sl_trial_chain_room(&time->links, &time->link_capacity, trial, &time->arena))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a chain");
    size_t count = sl_trial_chain(program, trial, time->links, time->link_capacity);
    for (size_t i = 0; i < count; i++) {
        const struct sl_node *node = &graph->nodes[time->links[i].node];
        double ps = (double)(time->links[i].end_ps - time->links[i].begin_ps);
        if (!node->derived)
            continue;
        if (sl_node_moves(node->kind))
            time->move_ps[node->object.i] += ps;
        else if (node->kind == SL_REMATERIALIZATION)
            for (uint32_t k = 0; k < node->outputs.count; k++)
                time->remat_ps[graph->objects_pool[node->outputs.first + k].i] += ps;
    }
    return SL_OK;
}
