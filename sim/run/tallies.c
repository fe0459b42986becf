/* The tallies, and what they share. */
#include "tallies.h"
#include <string.h>

#define MOST_KEPT (1u << 22) /* numbers of one tally: 32 MiB */

const struct sl_tally *const sl_tallies[SL_TALLIES] = {
    &sl_tally_deadlines,  &sl_tally_fallbacks, &sl_tally_peers,       &sl_tally_windows,
    &sl_tally_iterations, &sl_tally_stalls,    &sl_tally_class_pairs, &sl_tally_evictions,
    &sl_tally_speculation,
};

void *sl_cell_more_rows(struct sl_cell *cell, void *rows, size_t had, size_t wanted, size_t size)
{
    if (rows && wanted <= had)
        return rows;
    void *more = sl_arena_array(&cell->arena, wanted, size + (size == 0));
    if (more && had > 0 && size > 0)
        memcpy(more, rows, had * size);
    return more;
}

void sl_portion_rows(struct sl_portion *portion, void *rows, uint32_t kept, size_t size)
{
    uint32_t end = portion->first + portion->trials < kept ? portion->first + portion->trials : kept;
    if (end > portion->first)
        sl_wire_copy(&portion->wire, (char *)rows + portion->first * size, (end - portion->first) * size);
}

uint32_t sl_tally_kept_trials(uint32_t trials, uint32_t items)
{
    uint32_t most = items > 0 ? MOST_KEPT / items : MOST_KEPT;
    most = most > 0 ? most : 1;
    return trials < most ? trials : most;
}

uint32_t sl_tally_first_trials(uint32_t trials, uint32_t items)
{
    return sl_tally_kept_trials(trials < SL_TALLY_MOST_FIRST ? trials : SL_TALLY_MOST_FIRST, items);
}

uint32_t sl_tally_taker(const struct sl_graph *graph, const struct sl_trial *record, uint32_t node)
{
    for (uint32_t hops = 0; node != SL_NONE && record->state[node] == SL_CANCELLED; hops++)
        node = hops < graph->node_count ? graph->nodes[node].fallback.i : SL_NONE;
    return node;
}
