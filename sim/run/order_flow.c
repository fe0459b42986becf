/* A walk through the schedule in order of starts: what ends by then has gone back to its pool, and
 * each taker is served from what costs no edge, then from what came back first, which leaves the
 * most time between the two. */
#include "order_flow.h"
#include <stdlib.h>
#include <string.h>

/* An amount that came back; node SL_NONE: it was there from the start. */
struct returned {
    uint32_t node;
    int64_t amount, at_ps;
};
struct pool {
    struct returned *items; /* by time */
    uint32_t count;
};

struct walk {
    const struct sl_order_model *model;
    const int64_t *start_ps;
    struct sl_order_flow *flow;
    struct pool *pools;
    uint32_t *lane_before;
    uint64_t *ancestors; /* words per node: nodes that have finished when it starts */
    size_t words;
    bool *opaque; /* by node: what is before it need not be before what is behind it */
    bool *walked;
    uint32_t *order, *place; /* all nodes in topological order; the place there */
    struct sl_error *err;
};

static int64_t finish_of(const struct walk *w, uint32_t node)
{
    return w->start_ps[node] + w->model->span_ps[node];
}

/* ---- precedence so far ---------------------------------------------------------------------- */

static bool is_ancestor(const struct walk *w, uint32_t from, uint32_t to)
{
    return w->ancestors[to * w->words + from / 64] >> (from % 64) & 1;
}

static void add_ancestor(struct walk *w, uint32_t from, uint32_t to)
{
    uint64_t *words = &w->ancestors[to * w->words];
    const uint64_t *more = &w->ancestors[from * w->words];
    words[from / 64] |= UINT64_C(1) << (from % 64);
    for (size_t k = 0; !w->opaque[from] && k < w->words; k++)
        words[k] |= more[k];
}

static void gather_ancestors(struct walk *w, uint32_t node)
{
    const struct sl_graph *graph = w->model->graph;
    for (uint32_t k = graph->pred_start[node]; k < graph->pred_start[node + 1]; k++) {
        const struct sl_edge *edge = &graph->edges[graph->pred_edges[k]];
        if (edge->next == 0 && w->model->runs[edge->from.i])
            add_ancestor(w, edge->from.i, node);
    }
    uint32_t before = w->lane_before[node];
    if (before != SL_NONE && w->model->runs[before])
        add_ancestor(w, before, node);
}

/* ---- pools ---------------------------------------------------------------------------------- */

static void put_back(struct pool *pool, uint32_t node, int64_t amount, int64_t at_ps)
{
    uint32_t at = pool->count++;
    for (; at > 0 && pool->items[at - 1].at_ps > at_ps; at--)
        pool->items[at] = pool->items[at - 1];
    pool->items[at] = (struct returned){node, amount, at_ps};
}

static enum sl_status note_pair(struct walk *w, uint32_t from, uint32_t to, uint32_t stock)
{
    struct sl_order_flow *flow = w->flow;
    if (!sl_grow((void **)&flow->pairs, &flow->pair_capacity, flow->pair_count + 1,
                 sizeof *flow->pairs))
        return SL_FAIL(w->err, SL_SYSTEM, "out of memory for an order's edges");
    flow->pairs[flow->pair_count++] = (struct sl_order_pair){from, to, stock};
    add_ancestor(w, from, to);
    return SL_OK;
}

/* Takes up to `want` of the items that cost no edge, or of all. */
static enum sl_status serve(struct walk *w, uint32_t node, const struct sl_order_use *use,
                            bool without_edge, int64_t *want)
{
    struct pool *pool = &w->pools[use->stock];
    int64_t start = w->start_ps[node];
    enum sl_status status = SL_OK;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < pool->count; k++) {
        struct returned *item = &pool->items[k];
        bool there = item->at_ps <= start + use->begin_ps;
        bool before = item->node == SL_NONE || is_ancestor(w, item->node, node);
        if (*want > 0 && there && (before || !without_edge)) {
            int64_t taken = item->amount < *want ? item->amount : *want;
            item->amount -= taken;
            *want -= taken;
            if (!before && finish_of(w, item->node) <= start && status == SL_OK)
                status = note_pair(w, item->node, node, use->stock);
        }
        if (item->amount > 0)
            pool->items[kept++] = *item;
    }
    pool->count = kept;
    return status;
}

static bool is_served(const struct walk *w, uint32_t node)
{
    const struct sl_order_model *m = w->model;
    for (uint32_t u = m->use_start[node]; u < m->use_start[node + 1]; u++) {
        const struct pool *pool = &w->pools[m->uses[u].stock];
        int64_t want = m->uses[u].during, due = w->start_ps[node] + m->uses[u].begin_ps;
        for (uint32_t k = 0; k < pool->count && want > 0; k++)
            if (pool->items[k].at_ps <= due)
                want -= pool->items[k].amount;
        if (want > 0)
            return false;
    }
    return true;
}

static enum sl_status walk_node(struct walk *w, uint32_t node)
{
    const struct sl_order_model *m = w->model;
    enum sl_status status = SL_OK;
    gather_ancestors(w, node);
    for (uint32_t u = m->use_start[node]; u < m->use_start[node + 1] && status == SL_OK; u++) {
        const struct sl_order_use *use = &m->uses[u];
        int64_t want = use->during;
        status = serve(w, node, use, true, &want);
        if (status == SL_OK && want > 0)
            status = serve(w, node, use, false, &want);
    }
    for (uint32_t u = m->use_start[node]; u < m->use_start[node + 1]; u++) {
        const struct sl_order_use *use = &m->uses[u];
        if (use->during > use->after)
            put_back(&w->pools[use->stock], node, use->during - use->after,
                     w->start_ps[node] + use->end_ps);
    }
    w->walked[node] = true;
    w->flow->sequence[w->flow->sequence_count++] = node;
    return status;
}

/* ---- order ---------------------------------------------------------------------------------- */

struct moment {
    int64_t start_ps, finish_ps;
    uint32_t place, node;
};

static int compare_moments(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    if (x->finish_ps != y->finish_ps)
        return x->finish_ps < y->finish_ps ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static bool waits_for_unwalked(const struct walk *w, uint32_t node)
{
    const struct sl_graph *graph = w->model->graph;
    for (uint32_t k = graph->pred_start[node]; k < graph->pred_start[node + 1]; k++) {
        const struct sl_edge *edge = &graph->edges[graph->pred_edges[k]];
        if (edge->next == 0 && w->model->runs[edge->from.i] && !w->walked[edge->from.i])
            return true;
    }
    uint32_t before = w->lane_before[node];
    return before != SL_NONE && w->model->runs[before] && !w->walked[before];
}

/* Nodes that start at one instant: one that takes no time may give what another takes there, so the
 * first that is served goes first. */
static enum sl_status walk_instant(struct walk *w, const struct moment *moments, uint32_t count)
{
    enum sl_status status = SL_OK;
    for (uint32_t walked = 0; walked < count && status == SL_OK; walked++) {
        uint32_t choice = SL_NONE, first = SL_NONE;
        for (uint32_t k = 0; k < count && choice == SL_NONE; k++) {
            uint32_t node = moments[k].node;
            if (w->walked[node] || waits_for_unwalked(w, node))
                continue;
            first = first == SL_NONE ? node : first;
            if (is_served(w, node))
                choice = node;
        }
        choice = choice == SL_NONE ? first : choice;
        if (choice == SL_NONE)
            return SL_FAIL(w->err, SL_NO, "a node starts before what it waits for");
        status = walk_node(w, choice);
    }
    return status;
}

static enum sl_status walk_all(struct walk *w)
{
    const struct sl_graph *graph = w->model->graph;
    uint32_t n = w->model->node_count, count = 0;
    struct moment *moments = sl_arena_array(&w->flow->arena, (size_t)n + 1, sizeof *moments);
    if (!moments)
        return SL_FAIL(w->err, SL_SYSTEM, "out of memory for an order");
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = graph->topo[k];
        if (w->model->runs[i])
            moments[count++] = (struct moment){w->start_ps[i], finish_of(w, i), k, i};
    }
    qsort(moments, count, sizeof *moments, compare_moments);
    enum sl_status status = SL_OK;
    for (uint32_t from = 0, to; from < count && status == SL_OK; from = to) {
        for (to = from + 1; to < count && moments[to].start_ps == moments[from].start_ps;)
            to++;
        status = walk_instant(w, &moments[from], to - from);
    }
    return status;
}

/* ---- opening -------------------------------------------------------------------------------- */

static bool fill_pools(struct walk *w)
{
    const struct sl_order_model *m = w->model;
    struct sl_arena *arena = &w->flow->arena;
    w->pools = sl_arena_array(arena, (size_t)m->stock_count + 1, sizeof *w->pools);
    uint32_t *users = sl_arena_array(arena, (size_t)m->stock_count + 1, sizeof *users);
    if (!w->pools || !users)
        return false;
    for (uint32_t u = 0; u < m->use_start[m->node_count]; u++)
        users[m->uses[u].stock]++;
    for (uint32_t s = 0; s < m->stock_count; s++) {
        w->pools[s].items = sl_arena_array(arena, (size_t)users[s] + 1, sizeof(struct returned));
        if (!w->pools[s].items)
            return false;
        if (m->limit[s] > m->initial[s])
            put_back(&w->pools[s], SL_NONE, m->limit[s] - m->initial[s], 0);
    }
    return true;
}

static bool link_lanes(struct walk *w)
{
    const struct sl_graph *graph = w->model->graph;
    uint32_t *last =
        sl_arena_array(&w->flow->arena, (size_t)graph->lane_names.count + 1, sizeof *last);
    if (!last)
        return false;
    for (uint32_t lane = 0; lane < graph->lane_names.count; lane++)
        last[lane] = SL_NONE;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        uint32_t lane = graph->nodes[i].lane;
        w->lane_before[i] = lane == SL_NONE ? SL_NONE : last[lane];
        if (lane != SL_NONE)
            last[lane] = i;
        if (graph->nodes[i].fallback.i != SL_NONE)
            w->opaque[i] = w->opaque[graph->nodes[i].fallback.i] = true;
    }
    return true;
}

enum sl_status sl_order_flow_find(struct sl_order_flow *flow, const struct sl_order_model *model,
                                  const int64_t *start_ps, struct sl_error *err)
{
    *flow = (struct sl_order_flow){0};
    size_t n = (size_t)model->node_count + 1;
    struct walk w = {
        .model = model, .start_ps = start_ps, .flow = flow, .words = n / 64 + 1, .err = err};
    struct sl_arena *arena = &flow->arena;
    w.ancestors = calloc(n * w.words, sizeof *w.ancestors);
    w.lane_before = sl_arena_array(arena, n, sizeof *w.lane_before);
    w.opaque = sl_arena_array(arena, n, sizeof *w.opaque);
    w.walked = sl_arena_array(arena, n, sizeof *w.walked);
    flow->sequence = sl_arena_array(arena, n, sizeof *flow->sequence);
    bool ok = w.ancestors && w.lane_before && w.opaque && w.walked && flow->sequence &&
              fill_pools(&w) && link_lanes(&w);
    enum sl_status status =
        ok ? walk_all(&w) : SL_FAIL(err, SL_SYSTEM, "out of memory for an order");
    free(w.ancestors);
    return status;
}

void sl_order_flow_free(struct sl_order_flow *flow)
{
    free(flow->pairs);
    sl_arena_free(&flow->arena);
    *flow = (struct sl_order_flow){0};
}
