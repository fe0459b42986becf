/* Pairs around barriers, 64 predecessors at a time. */
#include <config.h>

#include "barrier_order.h"
#include <stdlib.h>

enum { AT_ONCE = 64 };

void sl_barrier_new_round(struct sl_barrier_order *b)
{
    b->round++;
}

bool sl_barrier_meet(struct sl_barrier_order *b, uint32_t node)
{
    bool first = b->stamp[node] != b->round;
    b->stamp[node] = b->round;
    return first;
}

static void push(struct sl_barrier_order *b, struct sl_barrier_list *list, uint32_t node)
{
    if (!sl_barrier_meet(b, node))
        return;
    if (!sl_grow((void **)&list->nodes, &list->capacity, list->count + 1, sizeof *list->nodes))
        b->failed = true;
    else
        list->nodes[list->count++] = node;
}

/* ---- needs ----------------------------------------------------------------------------------- */

static enum sl_status need(struct sl_barrier_order *b, uint32_t from, uint32_t to, uint32_t object,
                           struct sl_error *err)
{
    struct sl_edge edge = {
        .from = {from}, .to = {to}, .type = SL_EDGE_LIFETIME, .object = {object}};
    return from == to || b->l->position[from] > b->l->position[to]
               ? SL_OK
               : sl_graph_add_edge(b->needs, &edge, err);
}

/* Uses of a copy come before its reclamation and after the one before that. */
static enum sl_status need_lifetimes(struct sl_barrier_order *b, struct sl_error *err)
{
    const struct sl_legality *l = b->l;
    enum sl_status status = SL_OK;
    for (uint32_t first = 0, end; first < l->touch_count && status == SL_OK; first = end) {
        uint32_t life = first, reclaimer = SL_NONE;
        end = sl_touches_end(l, first);
        for (uint32_t k = first; k < end && status == SL_OK; k++) {
            uint32_t node = l->touches[k].node, object = l->touches[k].object;
            if (reclaimer != SL_NONE)
                status = need(b, reclaimer, node, object, err);
            if (l->touches[k].kind != SL_TOUCH_RECLAIM)
                continue;
            for (; life < k && status == SL_OK; life++)
                status = need(b, l->touches[life].node, node, object, err);
            reclaimer = node;
        }
    }
    return status;
}

/* Planning derives the order of a reader after the only writer whatever else is ordered.  Other
 * data flow follows the order of the graph, and so perhaps the barrier itself. */
static bool is_sure_flow(const struct sl_legality *l, const uint32_t *writers,
                         const struct sl_edge *edge)
{
    uint32_t object = edge->object.i;
    return edge->type == SL_EDGE_DATA && object != SL_NONE && writers[object] == 1 &&
           l->graph->objects[object].initial == SL_NONE;
}

static bool mark_untrusted(struct sl_barrier_order *b)
{
    const struct sl_legality *l = b->l;
    b->untrusted = calloc((size_t)b->needs->edge_count + 1, sizeof *b->untrusted);
    uint32_t *writers = calloc((size_t)l->graph->object_count + 1, sizeof *writers);
    for (uint32_t k = 0; writers && k < l->touch_count; k++)
        writers[l->touches[k].object] += l->touches[k].kind == SL_TOUCH_WRITE;
    for (uint32_t e = l->graph->edge_count; b->untrusted && writers && e < b->needs->edge_count;
         e++)
        b->untrusted[e] =
            e >= l->order->edge_count || !is_sure_flow(l, writers, &b->needs->edges[e]);
    bool done = b->untrusted && writers;
    free(writers);
    return done;
}

bool sl_barrier_order_open(struct sl_barrier_order *b, struct sl_legality *l)
{
    struct sl_error err = {0};
    size_t nodes = (size_t)l->graph->node_count + 1;
    *b = (struct sl_barrier_order){.l = l,
                                   .needs = sl_graph_copy_edges(l->order),
                                   .words = calloc(nodes, sizeof *b->words),
                                   .stamp = calloc(nodes, sizeof *b->stamp)};
    return b->needs && b->words && b->stamp && need_lifetimes(b, &err) == SL_OK &&
           sl_graph_finish(b->needs, &err) == SL_OK &&
           sl_order_sets_open(&b->sets, b->needs, &l->budget) && mark_untrusted(b);
}

void sl_barrier_order_close(struct sl_barrier_order *b)
{
    sl_order_sets_close(&b->sets);
    sl_graph_free(b->needs);
    free(b->untrusted);
    free(b->words);
    free(b->stamp);
    free(b->before.nodes);
    free(b->after.nodes);
    free(b->pending.nodes);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static int compare_nodes(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Predecessors; with `through`, those of a barrier in the place of that barrier. */
static void collect_before(struct sl_barrier_order *b, uint32_t barrier, bool through)
{
    const struct sl_graph *graph = b->l->graph;
    b->before.count = b->pending.count = 0;
    b->round++;
    push(b, &b->pending, barrier);
    while (b->pending.count > 0 && !b->failed) {
        uint32_t node = b->pending.nodes[--b->pending.count];
        uint32_t first = graph->pred_start[node], count = graph->pred_start[node + 1] - first;
        for (uint32_t k = 0; k <= count; k++) {
            uint32_t other = b->l->lane_previous[node];
            if (k < count) {
                const struct sl_edge *edge = &graph->edges[graph->pred_edges[first + k]];
                other = edge->next > 0 ? SL_NONE : edge->from.i;
            }
            if (other != SL_NONE)
                push(b,
                     through && graph->nodes[other].kind == SL_BARRIER ? &b->pending : &b->before,
                     other);
        }
    }
    if (b->before.count > 0)
        qsort(b->before.nodes, b->before.count, sizeof *b->before.nodes, compare_nodes);
}

static void collect_after(struct sl_barrier_order *b, uint32_t barrier)
{
    const struct sl_graph *graph = b->l->graph;
    b->after.count = 0;
    b->round++;
    for (uint32_t k = graph->succ_start[barrier]; k < graph->succ_start[barrier + 1]; k++)
        push(b, &b->after, graph->edges[graph->succ_edges[k]].to.i);
    if (b->l->lane_next[barrier] != SL_NONE)
        push(b, &b->after, b->l->lane_next[barrier]);
}

void sl_barrier_take_out(struct sl_barrier_order *b, uint32_t barrier)
{
    uint32_t previous = b->sets.lane_previous[barrier], next = b->sets.lane_next[barrier];
    b->sets.opaque[barrier] = true;
    if (previous != SL_NONE)
        b->sets.lane_next[previous] = next;
    if (next != SL_NONE)
        b->sets.lane_previous[next] = previous;
}

void sl_barrier_put_back(struct sl_barrier_order *b, uint32_t barrier)
{
    uint32_t previous = b->sets.lane_previous[barrier], next = b->sets.lane_next[barrier];
    b->sets.opaque[barrier] = false;
    if (previous != SL_NONE)
        b->sets.lane_next[previous] = barrier;
    if (next != SL_NONE)
        b->sets.lane_previous[next] = barrier;
}

/* The bits of up to 64 predecessors at their successors, without the barrier. */
static bool spread(struct sl_barrier_order *b, const uint32_t *before, uint32_t count,
                   uint32_t *first, uint32_t last)
{
    *first = last;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t position = b->sets.position[before[k]];
        b->words[before[k]] |= UINT64_C(1) << k;
        *first = position < *first ? position : *first;
    }
    return sl_order_sets_forward(&b->sets, *first, last, b->words);
}

bool sl_barrier_visit_unordered(struct sl_barrier_order *b,
                                bool (*visit)(void *user, uint32_t before, uint32_t after),
                                void *user)
{
    bool go_on = true, done = true;
    uint32_t last = 0;
    for (uint32_t s = 0; s < b->after.count; s++) {
        uint32_t position = b->sets.position[b->after.nodes[s]];
        last = position > last ? position : last;
    }
    for (uint32_t at = 0; at < b->before.count && done && go_on; at += AT_ONCE) {
        const uint32_t *before = &b->before.nodes[at];
        uint32_t count = b->before.count - at < AT_ONCE ? b->before.count - at : AT_ONCE, first;
        done = spread(b, before, count, &first, last);
        for (uint32_t s = 0; s < b->after.count && done && go_on; s++) {
            uint64_t word = b->words[b->after.nodes[s]];
            for (uint32_t k = 0; k < count && go_on; k++)
                go_on = (word >> k & 1) || visit(user, before[k], b->after.nodes[s]);
            done = b->l->budget > count;
            b->l->budget -= done ? count : b->l->budget;
        }
        for (uint32_t t = first; t <= last; t++)
            b->words[b->needs->topo[t]] = 0;
        for (uint32_t k = 0; k < count; k++)
            b->words[before[k]] = 0;
    }
    return done;
}

void sl_barrier_collect(struct sl_barrier_order *b, uint32_t barrier, bool through)
{
    collect_before(b, barrier, through);
    collect_after(b, barrier);
}
