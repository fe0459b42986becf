/* Packing a common program: what each node demands in a line of its own, and the words by which
 * waiting nodes are compared. */
#include "common.h"
#include <stdlib.h>
#include <string.h>

/* Each node demands at most one resource and bytes; it waits in a sorted queue from which scans
 * take whoever can start, and runs to its end. */
static bool is_common(const struct sl_program *p)
{
    const uint32_t waits = NODE_FREE | NODE_SIMPLE | NODE_TRACKED;
    const uint32_t common = waits | NODE_BYTES | NODE_GIVES | NODE_VARIES | NODE_TAKES |
                            NODE_STRICT /* shows in lists that are not tracked */;
    if (!p->n || p->plain || p->brisk || p->planned != p->n || p->evictor || p->guards ||
        p->fallback || p->opening_count || p->regime_count || p->any_latency)
        return false;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->hot[i].flags & ~common || !(p->hot[i].flags & waits))
            return false;
    return true;
}

static uint32_t bits_of(uint64_t most)
{
    uint32_t bits = 0;
    for (; most; most >>= 1)
        bits++;
    return bits;
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* The resources in which nodes wait, in order; false when there are too many. */
static bool pack_queues(const struct sl_program *p, struct sl_common *common, uint16_t *queue_of)
{
    uint32_t at = SL_COMMON_LANES;
    for (uint32_t r = 0; r <= p->resource_count; r++) {
        const struct resource_static *res = &p->resources[r];
        if (!res->queue.count)
            continue;
        if (common->queue_count == SL_COMMON_QUEUES)
            return false;
        queue_of[r] = (uint16_t)common->queue_count;
        common->queues[common->queue_count++] = (struct common_queue){
            .free = res->units, .each = res->min_units, .first = at, .resource = r};
        at += res->queue.count + 2 + SL_COMMON_LANES;
    }
    for (uint32_t q = common->queue_count; q < SL_COMMON_QUEUES; q++)
        common->queues[q].first = at; /* where nobody waits */
    common->places = at + 2;
    return true;
}

/* The queues of one list, in which a node may be passed by one of another queue. */
static uint16_t rivals_of(const struct sl_program *p, const struct sl_common *common, uint32_t r)
{
    uint16_t rivals = 0;
    for (uint32_t q = 0; q < common->queue_count; q++) {
        const struct resource_static *res = &p->resources[common->queues[q].resource];
        if (!res->simple && res->order == p->resources[r].order)
            rivals |= (uint16_t)(1u << q);
    }
    return rivals;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* False when a word is too short for the keys, the instants and the nodes of the program: each
 * instant sees a node end or a release expire, but for the first one. */
static bool pack_nodes(const struct sl_program *p, struct sl_common *common,
                       const uint16_t *queue_of)
{
    uint32_t most_key = 0, key_shift;
    for (uint32_t i = 0; i < p->n; i++)
        most_key = p->hot[i].key > most_key ? p->hot[i].key : most_key;
    common->instant_shift = bits_of(p->n);
    common->node_mask = (1u << common->instant_shift) - 1;
    key_shift = common->instant_shift + bits_of(2 * (uint64_t)p->n + 2);
    if (key_shift + bits_of(most_key) > 63) /* SL_COMMON_LAST is behind all */
        return false;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct node_hot *hot = &p->hot[i];
        uint32_t r = hot->resource == SL_NONE ? p->resource_count : hot->resource;
        common->nodes[i] = (struct common_node){
            .item = (uint64_t)hot->key << key_shift | i,
            .mask = p->need[i].mask,
            .bytes = p->need[i].bytes,
            .domain = p->need[i].domain,
            .units = hot->units,
            .cell = hot->cell,
            .klass = hot->klass,
            .flags = hot->flags,
            .queue = queue_of[r],
            .rivals = p->resources[r].simple ? 0 : rivals_of(p, common, r),
        };
    }
    return true;
}

/* All wait in one list, and there is something that each of them needs. */
static bool all_compete(const struct sl_program *p, const struct sl_common *common)
{
    uint32_t all = (1u << common->queue_count) - 1;
    uint64_t shared = UINT64_MAX;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct common_node *node = &common->nodes[i];
        if (node->flags & NODE_FREE)
            continue;
        if (node->rivals != all)
            return false;
        shared &= node->mask;
    }
    return p->separate_needs && shared;
}

static uint32_t paired(uint32_t count)
{
    return count + (count & 1);
}

static bool pack_succ(struct sl_program *p, struct sl_common *common)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < p->n; i++)
        total += paired(p->hot[i].succ_count);
    common->succ = sl_arena_array(&p->arena, total + 2, sizeof *common->succ);
    if (!common->succ)
        return false;
    uint32_t at = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t count = p->hot[i].succ_count, filled = paired(count);
        memcpy(common->succ + at, p->succ + p->hot[i].succ_first, count * sizeof *common->succ);
        for (uint32_t s = count; s < filled; s++)
            common->succ[at + s] = (struct succ){p->n, SL_CAUSE_NONE, false};
        common->nodes[i].succ_first = at;
        common->nodes[i].succ_count = filled;
        at += filled;
    }
    return true;
}

static void pack_conditions(const struct sl_program *p, struct sl_common *common)
{
    for (uint32_t i = 0; i < p->n; i++) {
        const struct node_hot *hot = &p->hot[i];
        common->varies |= (hot->flags & NODE_VARIES) != 0;
        common->late |= p->template[i].ready != 0;
        for (uint32_t s = 0; s < hot->succ_count; s++)
            common->late |= p->succ[hot->succ_first + s].lagged;
        common->pending[i] = p->template[i].pending;
        if (!p->template[i].pending || p->template[i].ready)
            common->begun[common->begun_count++] = i;
    }
    common->pending[p->n] = UINT32_MAX; /* nobody: never ready */
}

enum sl_status sl_common_pack(struct sl_program *p, struct sl_error *err)
{
    if (!is_common(p))
        return SL_OK;
    struct sl_common *common = sl_arena_array(&p->arena, 1, sizeof *common);
    uint16_t *queue_of = calloc((size_t)p->resource_count + 1, sizeof *queue_of);
    if (common) {
        common->nodes = sl_arena_array(&p->arena, p->n, sizeof *common->nodes);
        common->pending = sl_arena_array(&p->arena, (size_t)p->n + 1, sizeof *common->pending);
        common->begun = sl_arena_array(&p->arena, p->n, sizeof *common->begun);
        common->queues = sl_arena_array(&p->arena, SL_COMMON_QUEUES, sizeof *common->queues);
    }
    bool room =
        common && queue_of && common->nodes && common->pending && common->begun && common->queues;
    if (room && pack_queues(p, common, queue_of) && pack_nodes(p, common, queue_of)) {
        pack_conditions(p, common);
        common->all_compete = all_compete(p, common);
        room = pack_succ(p, common);
        p->common = common;
    }
    free(queue_of);
    return room ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}
