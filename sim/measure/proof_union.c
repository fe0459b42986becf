/* Is there one order that respects precedence and every wait that arose in any trial?
 *
 * Kahn's sort takes off what is on no cycle and behind none.  A cycle needs a wait edge a -> b
 * (precedence alone is acyclic), so the shortest one is the least, over wait edges, of 1 + the
 * distance from b back to a: a breadth-first search from each b, within what the sort left. */
#include "proof_union.h"
#include <stdlib.h>
#include <string.h>

#define SEARCH_STEPS UINT64_C(50000000) /* edges that all searches together may follow */

bool sl_proof_lanes_find(struct proof_lanes *lanes, const struct sl_graph *graph,
                         struct sl_arena *arena)
{
    uint32_t *last = sl_arena_array(arena, (size_t)graph->lane_names.count + 1, sizeof *last);
    lanes->next = sl_arena_array(arena, (size_t)graph->node_count + 1, sizeof *lanes->next);
    if (!last || !lanes->next)
        return false;
    for (uint32_t l = 0; l < graph->lane_names.count; l++)
        last[l] = SL_NONE;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        uint32_t lane = graph->nodes[i].lane;
        lanes->next[i] = SL_NONE;
        if (lane == SL_NONE)
            continue;
        if (last[lane] != SL_NONE)
            lanes->next[last[lane]] = i;
        last[lane] = i;
    }
    return true;
}

void sl_proof_indegrees(const struct sl_graph *graph, const struct proof_lanes *lanes,
                        uint32_t *indegree)
{
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].next == 0)
            indegree[graph->edges[e].to.i]++;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (lanes->next[i] != SL_NONE)
            indegree[lanes->next[i]]++;
}

static uint32_t fan_out(const struct proof_union *all, uint32_t node)
{
    const struct sl_graph *graph = all->graph;
    return graph->succ_start[node + 1] - graph->succ_start[node] + 1 + all->first[node + 1] -
           all->first[node];
}

/* The k-th follower of a node: edges, then the lane, then waits.  SL_NONE: no node there. */
static uint32_t follower(const struct proof_union *all, uint32_t node, uint32_t k)
{
    const struct sl_graph *graph = all->graph;
    uint32_t edges = graph->succ_start[node + 1] - graph->succ_start[node];
    if (k < edges) {
        const struct sl_edge *edge = &graph->edges[graph->succ_edges[graph->succ_start[node] + k]];
        return edge->next == 0 ? edge->to.i : SL_NONE;
    }
    if (k == edges)
        return all->lanes->next[node];
    return all->edges[all->first[node] + k - edges - 1].to;
}

bool sl_proof_union_sort(struct proof_union *all, bool *acyclic)
{
    uint32_t n = all->graph->node_count, begin = 0, end = 0;
    uint32_t *queue = sl_arena_array(&all->arena, (size_t)n + 1, sizeof *queue);
    all->first = sl_arena_array(&all->arena, (size_t)n + 2, sizeof *all->first);
    all->degree = sl_arena_array(&all->arena, (size_t)n + 1, sizeof *all->degree);
    if (!queue || !all->first || !all->degree)
        return false;
    memcpy(all->degree, all->indegree, n * sizeof *all->degree);
    for (uint32_t k = 0; k < all->edge_count; k++) {
        all->first[all->edges[k].from + 1]++;
        all->degree[all->edges[k].to]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        all->first[i + 1] += all->first[i];
        if (all->degree[i] == 0)
            queue[end++] = i;
    }
    while (begin < end) {
        uint32_t node = queue[begin++], fan = fan_out(all, node);
        for (uint32_t k = 0; k < fan; k++) {
            uint32_t next = follower(all, node, k);
            if (next != SL_NONE && --all->degree[next] == 0)
                queue[end++] = next;
        }
    }
    *acyclic = end == n;
    return true;
}

struct search {
    struct proof_union *all;
    uint32_t *from, *depth, *stamp, *queue; /* per node */
    uint32_t round;
    uint64_t left; /* edges still to follow */
    bool cut_short;
};

/* Breadth first from `start` to `goal` along fewer than `limit` edges; the distance, or SL_NONE. */
static uint32_t distance(struct search *s, uint32_t start, uint32_t goal, uint32_t limit)
{
    uint32_t begin = 0, end = 0;
    s->round++;
    s->stamp[start] = s->round;
    s->depth[start] = 0;
    s->queue[end++] = start;
    while (begin < end) {
        uint32_t node = s->queue[begin++], fan = fan_out(s->all, node);
        if (s->depth[node] + 1 >= limit)
            return SL_NONE;
        if (s->left < fan) {
            s->cut_short = true;
            return SL_NONE;
        }
        s->left -= fan;
        for (uint32_t k = 0; k < fan; k++) {
            uint32_t next = follower(s->all, node, k);
            if (next == SL_NONE || s->all->degree[next] == 0 || s->stamp[next] == s->round)
                continue;
            s->stamp[next] = s->round;
            s->from[next] = node;
            s->depth[next] = s->depth[node] + 1;
            if (next == goal)
                return s->depth[next];
            s->queue[end++] = next;
        }
    }
    return SL_NONE;
}

/* The step between two nodes: of trials 0 where precedence orders them, else the most frequent wait
 * edge. */
static struct sl_wait_edge step_between(const struct proof_union *all, uint32_t from, uint32_t to)
{
    const struct sl_graph *graph = all->graph;
    struct sl_wait_edge step = {.from = from, .to = to};
    for (uint32_t e = graph->succ_start[from]; e < graph->succ_start[from + 1]; e++)
        if (graph->edges[graph->succ_edges[e]].next == 0 &&
            graph->edges[graph->succ_edges[e]].to.i == to)
            return step;
    if (all->lanes->next[from] == to)
        return step;
    for (uint32_t k = all->first[from]; k < all->first[from + 1]; k++)
        if (all->edges[k].to == to && all->edges[k].trials > step.trials)
            step = all->edges[k];
    return step;
}

/* The cycle that closes `edge` by the path that the last search found. */
static bool take_cycle(struct search *s, const struct sl_wait_edge *edge, uint32_t length,
                       struct sl_wait_edge **steps, uint32_t *count)
{
    struct sl_wait_edge *cycle = realloc(*steps, length * sizeof *cycle);
    if (!cycle)
        return false;
    *steps = cycle;
    *count = length;
    uint32_t node = edge->from;
    for (uint32_t k = length; k-- > 1; node = s->from[node])
        cycle[k] = step_between(s->all, s->from[node], node);
    cycle[0] = *edge;
    return true;
}

bool sl_proof_union_cycle(struct proof_union *all, struct sl_wait_edge **steps, uint32_t *count,
                          bool *cut_short)
{
    size_t n = (size_t)all->graph->node_count + 1;
    struct search s = {.all = all, .left = SEARCH_STEPS};
    s.from = sl_arena_array(&all->arena, n, sizeof(uint32_t));
    s.depth = sl_arena_array(&all->arena, n, sizeof(uint32_t));
    s.stamp = sl_arena_array(&all->arena, n, sizeof(uint32_t));
    s.queue = sl_arena_array(&all->arena, n, sizeof(uint32_t));
    if (!s.from || !s.depth || !s.stamp || !s.queue)
        return false;
    uint32_t limit = SL_NONE; /* a cycle must be shorter than this to be taken */
    for (uint32_t k = 0; k < all->edge_count && limit > 2; k++) {
        const struct sl_wait_edge *edge = &all->edges[k];
        if (all->degree[edge->from] == 0 || all->degree[edge->to] == 0)
            continue;
        uint32_t back = distance(&s, edge->to, edge->from, limit - 1);
        if (back != SL_NONE) {
            limit = back + 1;
            if (!take_cycle(&s, edge, limit, steps, count))
                return false;
        }
    }
    *cut_short = s.cut_short;
    return true;
}

void sl_proof_union_free(struct proof_union *all)
{
    sl_arena_free(&all->arena);
}
