/* Judging the touches around pivots: reclamations or allocations of every copy.
 *
 * What comes before and after is found for up to 64 pivots at once, a bit of a word each, in two
 * sweeps over l->order:
 *
 *     after(n)  = OR over predecessors p of  after(p) | own(p)
 *     remade(n) = OR over predecessors p of  remade(p) | (after(p) & renewed(p))
 *     before(n) = OR over successors s of    before(s) | own(s)
 *
 * with own(p) the pivots that p is, and renewed(p) those whose copy p makes anew; a node that a
 * deadline may cancel hands on own(p) alone.  Nothing outside
 * the range of a copy's touches can lead from one touch to another; pivots share a sweep as long as
 * the range that they span together is no longer than their own ranges in sum. */
#include <config.h>

#include "legality_copies.h"
#include <stdlib.h>

#define BATCH 64

struct pivot {
    uint32_t node, first, end; /* and the touches of its copy */
};

struct batch {
    struct pivot pivots[BATCH];
    uint32_t count, low, high;         /* positions */
    uint64_t sum;                      /* of the pivots' own ranges */
    uint64_t *own, *renewed;           /* per node; zero between batches */
    uint64_t *after, *remade, *before; /* per node in the range */
};

/* The order between `p` and the node that is being swept over. */
static void join_after(const struct sl_legality *l, const struct batch *b, uint32_t p,
                       uint64_t *after, uint64_t *remade)
{
    if (p == SL_NONE || l->position[p] < b->low)
        return;
    *after |= b->own[p] | (l->breaks_order[p] ? 0 : b->after[p]);
    *remade |= b->remade[p] | (b->after[p] & b->renewed[p]);
}

static void sweep_forward(struct sl_legality *l, struct batch *b)
{
    const struct sl_graph *order = l->order;
    for (uint32_t t = b->low; t <= b->high && l->budget > 0; t++) {
        uint32_t n = order->topo[t], first = order->pred_start[n], end = order->pred_start[n + 1];
        uint64_t after = 0, remade = 0;
        for (uint32_t k = first; k < end; k++) {
            const struct sl_edge *edge = &order->edges[order->pred_edges[k]];
            if (edge->next == 0)
                join_after(l, b, edge->from.i, &after, &remade);
        }
        join_after(l, b, l->lane_previous[n], &after, &remade);
        b->after[n] = after;
        b->remade[n] = remade;
        sl_charge(l, end - first + 1);
    }
}

static void sweep_backward(struct sl_legality *l, struct batch *b)
{
    const struct sl_graph *order = l->order;
    for (uint32_t t = b->high + 1; t-- > b->low && l->budget > 0;) {
        uint32_t n = order->topo[t], first = order->succ_start[n], end = order->succ_start[n + 1];
        uint64_t before = 0;
        for (uint32_t k = first; k <= end; k++) {
            uint32_t s = l->lane_next[n];
            if (k < end) {
                const struct sl_edge *edge = &order->edges[order->succ_edges[k]];
                s = edge->next == 0 ? edge->to.i : SL_NONE;
            }
            if (s != SL_NONE && l->position[s] <= b->high)
                before |= b->own[s] | (l->breaks_order[s] ? 0 : b->before[s]);
        }
        b->before[n] = before;
        sl_charge(l, end - first + 1);
    }
}

/* Sweeps, judges every pivot of the batch, and empties it. */
static void judge_batch(struct sl_legality *l, struct batch *b,
                        bool (*renews)(enum sl_touch_kind kind), sl_pivot_judge *judge)
{
    const struct sl_touch *t = l->touches;
    unsigned char *marks = l->reach->marks;
    for (uint32_t k = 0; k < b->count; k++) {
        const struct pivot *p = &b->pivots[k];
        b->own[p->node] |= UINT64_C(1) << k;
        for (uint32_t i = p->first; i < p->end; i++)
            if (t[i].node != p->node && renews(t[i].kind))
                b->renewed[t[i].node] |= UINT64_C(1) << k;
    }
    sweep_forward(l, b);
    sweep_backward(l, b);
    for (uint32_t k = 0; k < b->count && l->budget > 0; k++) {
        const struct pivot *p = &b->pivots[k];
        for (uint32_t i = p->first; i < p->end; i++)
            marks[t[i].node] = (unsigned char)(((b->before[t[i].node] >> k) & 1) * SL_BEFORE |
                                               ((b->after[t[i].node] >> k) & 1) * SL_AFTER |
                                               ((b->remade[t[i].node] >> k) & 1) * SL_REMADE);
        sl_charge(l, p->end - p->first);
        judge(l, &t[p->first], p->end - p->first, p->node);
        for (uint32_t i = p->first; i < p->end; i++)
            marks[t[i].node] = 0;
    }
    for (uint32_t k = 0; k < b->count; k++) {
        b->own[b->pivots[k].node] = 0;
        for (uint32_t i = b->pivots[k].first; i < b->pivots[k].end; i++)
            b->renewed[t[i].node] = 0;
    }
    b->count = 0;
    b->sum = 0;
}

/* True when a pivot with that range may join: sweeping once is no longer than twice. */
static bool fits(const struct batch *b, uint32_t low, uint32_t high)
{
    uint32_t all_low = b->low < low ? b->low : low, all_high = b->high > high ? b->high : high;
    return b->count == 0 ||
           (b->count < BATCH && all_high - all_low + 1 <= b->sum + (high - low + 1));
}

static void extend(struct batch *b, uint32_t low, uint32_t high)
{
    b->low = b->count > 0 && b->low < low ? b->low : low;
    b->high = b->count > 0 && b->high > high ? b->high : high;
    b->sum += high - low + 1;
}

void sl_judge_pivots(struct sl_legality *l, enum sl_touch_kind kind,
                     bool (*renews)(enum sl_touch_kind kind), sl_pivot_judge *judge)
{
    size_t nodes = (size_t)l->graph->node_count + 1;
    struct batch b = {.own = calloc(5 * nodes, sizeof *b.own)};
    if (!b.own) {
        sl_diags_add(l->diags, SL_ERROR, "out-of-memory", (struct sl_place){0}, "out of memory");
        return;
    }
    b.renewed = b.own + nodes;
    b.after = b.own + 2 * nodes;
    b.remade = b.own + 3 * nodes;
    b.before = b.own + 4 * nodes;
    for (uint32_t first = 0, end; first < l->touch_count && l->budget > 0; first = end) {
        end = sl_touches_end(l, first);
        uint32_t low = l->position[l->touches[first].node];
        uint32_t high = l->position[l->touches[end - 1].node];
        for (uint32_t i = first; i < end && l->budget > 0; i++) {
            if (l->touches[i].kind != kind)
                continue;
            if (!fits(&b, low, high))
                judge_batch(l, &b, renews, judge);
            extend(&b, low, high);
            b.pivots[b.count++] = (struct pivot){l->touches[i].node, first, end};
        }
    }
    if (b.count > 0)
        judge_batch(l, &b, renews, judge);
    free(b.own);
}
