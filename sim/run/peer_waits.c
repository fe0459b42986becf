/* Waits for forbidden peers: a sorted list of pairs, of which there are few. */
#include <config.h>

#include "peer_waits.h"
#include <stdlib.h>
#include <string.h>

static bool any_rule(const struct sl_graph *graph)
{
    bool any = graph->platform->kappa.unknown == SL_UNKNOWN_FORBID;
    for (uint32_t o = 0; o < graph->overlap_count && !any; o++)
        any = sl_overlap_restricts(&graph->overlaps[o]);
    return any;
}

enum sl_status sl_peer_waits_open(struct sl_peer_waits *waits, const struct sl_graph *graph,
                                  struct sl_error *err)
{
    *waits = (struct sl_peer_waits){.graph = graph};
    if (!any_rule(graph))
        return SL_OK;
    uint32_t classes = graph->platform->kappa.classes.count;
    waits->label = malloc(((size_t)graph->node_count + 1) * sizeof *waits->label);
    if (!waits->label)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for waits by pair");
    for (uint32_t i = 0; i < graph->node_count; i++)
        waits->label[i] = graph->nodes[i].klass != SL_NONE ? graph->nodes[i].klass : classes + i;
    for (uint32_t o = 0; o < graph->overlap_count; o++) {
        const char *const names[] = {graph->overlaps[o].a, graph->overlaps[o].b};
        for (int k = 0; k < 2 && sl_overlap_restricts(&graph->overlaps[o]); k++) {
            uint32_t node = sl_names_find(&graph->node_names, names[k]);
            if (node != SL_NONE)
                waits->label[node] = classes + node;
        }
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        waits->label[i] = waits->label[sl_node_first(graph, i)];
    return SL_OK;
}

void sl_peer_waits_free(struct sl_peer_waits *waits)
{
    free(waits->label);
    free(waits->pairs);
    *waits = (struct sl_peer_waits){0};
}

static enum sl_status add(struct sl_peer_waits *waits, struct peer_pair pair, struct sl_error *err)
{
    uint32_t low = 0, high = waits->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const struct peer_pair *at = &waits->pairs[middle];
        if (at->waiter < pair.waiter || (at->waiter == pair.waiter && at->peer < pair.peer))
            low = middle + 1;
        else
            high = middle;
    }
    struct peer_pair *at = low < waits->count ? &waits->pairs[low] : NULL;
    if (at && at->waiter == pair.waiter && at->peer == pair.peer) {
        at->waits += pair.waits;
        at->wait_ps += pair.wait_ps;
        return SL_OK;
    }
    if (!sl_grow((void **)&waits->pairs, &waits->capacity, waits->count + 1, sizeof pair))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for waits by pair");
    memmove(waits->pairs + low + 1, waits->pairs + low, (waits->count++ - low) * sizeof pair);
    waits->pairs[low] = pair;
    return SL_OK;
}

enum sl_status sl_peer_waits_add(struct sl_peer_waits *waits, const struct sl_trial *trial,
                                 struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; waits->label && i < waits->graph->node_count && status == SL_OK; i++) {
        if (trial->cause[i] != SL_CAUSE_OVERLAP || trial->state[i] != SL_RAN)
            continue;
        /* Peers let go when they come free; a window that opened has nobody behind it. */
        uint32_t peer = trial->behind_by_free[i] ? waits->label[trial->behind[i]] : SL_NONE;
        int64_t wait = trial->start_ps[i] - trial->ready_ps[i];
        status = add(waits, (struct peer_pair){waits->label[i], peer, 1, wait}, err);
    }
    return status;
}

enum sl_status sl_peer_waits_merge(struct sl_peer_waits *waits, const struct sl_peer_waits *other,
                                   struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < other->count && status == SL_OK; k++)
        status = add(waits, other->pairs[k], err);
    return status;
}

void sl_peer_waits_exchange(struct sl_peer_waits *waits, struct sl_wire *wire)
{
    uint32_t count = waits->count;
    sl_wire_copy(wire, &count, sizeof count);
    for (uint32_t k = 0; k < count && !wire->broken; k++) {
        struct peer_pair pair = wire->reading ? (struct peer_pair){0} : waits->pairs[k];
        sl_wire_copy(wire, &pair, sizeof pair);
        if (wire->reading && !wire->broken)
            wire->broken = add(waits, pair, NULL) != SL_OK;
    }
}

static const char *name_of(const struct sl_graph *graph, uint32_t label)
{
    const struct sl_names *classes = &graph->platform->kappa.classes;
    if (label == SL_NONE)
        return NULL;
    return label < classes->count ? classes->names[label]
                                  : graph->nodes[label - classes->count].name;
}

/* Most costly first; ties stay in the order of labels. */
static int by_cost(const void *left, const void *right)
{
    const struct peer_pair *a = left, *b = right;
    if (a->wait_ps != b->wait_ps)
        return a->wait_ps > b->wait_ps ? -1 : 1;
    if (a->waiter != b->waiter)
        return a->waiter < b->waiter ? -1 : 1;
    return (a->peer > b->peer) - (a->peer < b->peer);
}

enum sl_status sl_peer_waits_list(const struct sl_peer_waits *waits, struct sl_arena *arena,
                                  struct sl_peer_wait **list, uint32_t *count, struct sl_error *err)
{
    struct peer_pair *sorted = sl_arena_array(arena, waits->count + 1u, sizeof *sorted);
    *count = 0;
    *list = sl_arena_array(arena, waits->count + 1u, sizeof **list);
    if (!sorted || !*list)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for waits by pair");
    if (waits->count > 0) {
        memcpy(sorted, waits->pairs, waits->count * sizeof *sorted);
        qsort(sorted, waits->count, sizeof *sorted, by_cost);
    }
    for (uint32_t k = 0; k < waits->count; k++)
        (*list)[(*count)++] = (struct sl_peer_wait){name_of(waits->graph, sorted[k].waiter),
                                                    name_of(waits->graph, sorted[k].peer),
                                                    sorted[k].waits, sorted[k].wait_ps};
    return SL_OK;
}
