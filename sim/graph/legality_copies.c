/* Touches of copies, and reachability. */
#include <config.h>

#include "legality_copies.h"
#include <stdlib.h>
#include <string.h>

struct gathering {
    struct sl_legality *l;
    uint32_t capacity;
    bool failed;
};

static void touch(struct gathering *g, sl_object_id named, uint32_t domain, uint32_t node,
                  enum sl_touch_kind kind)
{
    struct sl_legality *l = g->l;
    uint32_t root = sl_object_root(l->graph, named).i;
    if (l->graph->objects[root].shared)
        return; /* jobs find its blocks, or make them: no copy of it is one plan's own */
    if (domain == SL_NONE)
        domain = sl_object_home(l->graph, root);
    if (!sl_grow((void **)&l->touches, &g->capacity, l->touch_count + 1, sizeof *l->touches))
        g->failed = true;
    else
        l->touches[l->touch_count++] = (struct sl_touch){root, domain, node, kind, named.i};
}

/* The same mentions as sl_mentions has, with the names that the node uses. */
static void touch_by_node(struct gathering *g, uint32_t index)
{
    const struct sl_graph *graph = g->l->graph;
    const struct sl_node *node = &graph->nodes[index];
    for (uint32_t k = 0; k < node->inputs.count; k++)
        touch(g, graph->objects_pool[node->inputs.first + k], SL_NONE, index, SL_TOUCH_READ);
    for (uint32_t k = 0; k < node->outputs.count; k++)
        touch(g, graph->objects_pool[node->outputs.first + k], SL_NONE, index, SL_TOUCH_WRITE);
    if (node->object.i == SL_NONE)
        return;
    if (sl_node_moves(node->kind)) {
        touch(g, node->object, node->from, index, SL_TOUCH_READ);
        touch(g, node->object, node->to, index, SL_TOUCH_WRITE);
    } else if (node->kind == SL_ALLOCATION) {
        touch(g, node->object, node->to, index, SL_TOUCH_ALLOCATE);
    } else if (node->kind == SL_MAPPING) {
        touch(g, node->object, node->to, index, SL_TOUCH_MAP);
    } else if (node->kind == SL_RECLAMATION) {
        touch(g, node->object, node->from, index, SL_TOUCH_RECLAIM);
    } else if (node->kind == SL_BARRIER) {
        touch(g, node->object, SL_NONE, index, SL_TOUCH_PROTECT);
    }
}

/* A barrier protects what an edge of type barrier or lifetime-hold at it is about; the consumer of
 * a lifetime-hold protects it too, unless it is the reclamation. */
static void touch_by_edge(struct gathering *g, const struct sl_edge *edge)
{
    const struct sl_graph *graph = g->l->graph;
    if ((edge->type != SL_EDGE_BARRIER && edge->type != SL_EDGE_LIFETIME) ||
        edge->object.i == SL_NONE || edge->next > 0)
        return;
    const uint32_t ends[] = {edge->from.i, edge->to.i};
    for (int e = 0; e < 2; e++)
        if (graph->nodes[ends[e]].kind == SL_BARRIER ||
            (e == 1 && edge->type == SL_EDGE_LIFETIME &&
             graph->nodes[ends[e]].kind != SL_RECLAMATION))
            touch(g, edge->object, SL_NONE, ends[e], SL_TOUCH_PROTECT);
}

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Nodes' positions are in the touches' `node` while they are sorted. */
static int by_copy(const void *a, const void *b)
{
    const struct sl_touch *x = a, *y = b;
    int order = compare(x->object, y->object);
    if (order == 0)
        order = compare(x->domain, y->domain);
    if (order == 0)
        order = compare(x->node, y->node);
    if (order == 0)
        order = compare(x->kind, y->kind);
    return order ? order : compare(x->named, y->named);
}

bool sl_touches_gather(struct sl_legality *l)
{
    struct gathering g = {.l = l};
    for (uint32_t i = 0; i < l->graph->node_count && !g.failed; i++)
        touch_by_node(&g, i);
    for (uint32_t e = 0; e < l->graph->edge_count && !g.failed; e++)
        touch_by_edge(&g, &l->graph->edges[e]);
    for (uint32_t i = 0; i < l->touch_count; i++)
        l->touches[i].node = l->position[l->touches[i].node];
    if (l->touch_count > 0)
        qsort(l->touches, l->touch_count, sizeof *l->touches, by_copy);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->touch_count; i++)
        if (kept == 0 || by_copy(&l->touches[kept - 1], &l->touches[i]) != 0)
            l->touches[kept++] = l->touches[i];
    l->touch_count = kept;
    for (uint32_t i = 0; i < kept; i++)
        l->touches[i].node = l->order->topo[l->touches[i].node];
    return !g.failed;
}

uint32_t sl_touches_end(const struct sl_legality *l, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < l->touch_count && l->touches[end].object == l->touches[first].object &&
           l->touches[end].domain == l->touches[first].domain)
        end++;
    return end;
}

bool sl_touches_have(const struct sl_legality *l, uint32_t first, uint32_t end,
                     enum sl_touch_kind kind)
{
    for (uint32_t i = first; i < end; i++)
        if (l->touches[i].kind == kind)
            return true;
    return false;
}

void sl_touches_find(const struct sl_legality *l, uint32_t object, uint32_t domain, uint32_t *first,
                     uint32_t *end)
{
    uint32_t low = 0, high = l->touch_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct sl_touch *t = &l->touches[middle];
        if (t->object < object || (t->object == object && t->domain < domain))
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < l->touch_count && l->touches[low].object == object &&
                 l->touches[low].domain == domain;
    *first = low;
    *end = found ? sl_touches_end(l, low) : low;
}

const char *sl_copy_text(const struct sl_legality *l, const struct sl_touch *of, char *buffer,
                         size_t size)
{
    const char *object = l->graph->objects[of->object].name;
    if (of->domain == SL_NONE)
        snprintf(buffer, size, "object '%s'", object);
    else
        snprintf(buffer, size, "object '%s' in '%s'", object, sl_domain_name(l, of->domain));
    return buffer;
}

bool sl_reach_open(struct sl_reach *reach, uint32_t node_count)
{
    size_t size = (size_t)node_count + 1;
    *reach = (struct sl_reach){.marks = calloc(size, 1),
                               .touched = malloc(size * sizeof(uint32_t)),
                               .stack = malloc(size * sizeof(uint32_t)),
                               .loose = SL_NONE,
                               .loose_node = SL_NONE};
    return reach->marks && reach->touched && reach->stack;
}

void sl_reach_close(struct sl_reach *reach)
{
    free(reach->marks);
    free(reach->touched);
    free(reach->stack);
}

static bool enter(struct sl_reach *reach, uint32_t node, unsigned char mark)
{
    if (reach->marks[node] & mark)
        return false;
    if (reach->marks[node] == 0)
        reach->touched[reach->touched_count++] = node;
    reach->marks[node] |= mark;
    return true;
}

/* True when the node names the object in its lists or as the one that it moves. */
static bool uses_name(struct sl_legality *l, uint32_t node, uint32_t object)
{
    const struct sl_graph *graph = l->graph;
    const struct sl_node *n = &graph->nodes[node];
    const struct sl_span lists[] = {n->inputs, n->outputs};
    sl_charge(l, (uint64_t)n->inputs.count + n->outputs.count);
    for (int s = 0; s < 2; s++)
        for (uint32_t k = 0; k < lists[s].count; k++)
            if (graph->objects_pool[lists[s].first + k].i == object)
                return true;
    return n->object.i == object;
}

/* True for an order that rows alone give and that does not count here. */
static bool is_loose(struct sl_legality *l, uint32_t edge_index)
{
    const struct sl_edge *edge = &l->order->edges[edge_index];
    uint32_t root = l->reach->loose;
    if (root == SL_NONE || edge_index < l->graph->edge_count || edge->object.i != root ||
        edge->type != SL_EDGE_ORDERING)
        return false;
    if (l->reach->loose_node != SL_NONE)
        return edge->to.i == l->reach->loose_node;
    const struct sl_node *from = &l->graph->nodes[edge->from.i];
    const struct sl_span lists[] = {from->inputs, from->outputs};
    for (int s = 0; s < 2; s++)
        for (uint32_t k = 0; k < lists[s].count && l->budget > 0; k++) {
            sl_object_id name = l->graph->objects_pool[lists[s].first + k];
            if (sl_object_root(l->graph, name).i == root && uses_name(l, edge->to.i, name.i))
                return false;
        }
    return from->object.i == SL_NONE || !uses_name(l, edge->to.i, from->object.i);
}

void sl_reach_spread(struct sl_legality *l, uint32_t from, unsigned char mark, uint32_t low,
                     uint32_t high)
{
    const struct sl_graph *graph = l->order;
    struct sl_reach *reach = l->reach;
    bool forward = mark != SL_BEFORE;
    const uint32_t *start = forward ? graph->succ_start : graph->pred_start;
    const uint32_t *edges = forward ? graph->succ_edges : graph->pred_edges;
    const uint32_t *lane = forward ? l->lane_next : l->lane_previous;
    uint32_t depth = 0;
    reach->stack[depth++] = from;
    while (depth > 0) {
        uint32_t node = reach->stack[--depth], count = start[node + 1] - start[node];
        if (node != from && l->breaks_order[node])
            continue;
        sl_charge(l, count + 1u);
        if (l->budget == 0)
            return;
        for (uint32_t k = 0; k <= count; k++) {
            uint32_t other = lane[node];
            if (k < count) {
                uint32_t index = edges[start[node] + k];
                const struct sl_edge *edge = &graph->edges[index];
                other = edge->next > 0 || is_loose(l, index) ? SL_NONE
                        : forward                            ? edge->to.i
                                                             : edge->from.i;
            }
            if (other != SL_NONE && l->position[other] >= low && l->position[other] <= high &&
                enter(reach, other, mark))
                reach->stack[depth++] = other;
        }
    }
}

void sl_reach_clear(struct sl_legality *l)
{
    struct sl_reach *reach = l->reach;
    for (uint32_t i = 0; i < reach->touched_count; i++)
        reach->marks[reach->touched[i]] = 0;
    reach->touched_count = 0;
}

bool sl_reaches(struct sl_legality *l, uint32_t from, uint32_t to)
{
    if (l->position[from] >= l->position[to])
        return false;
    sl_reach_spread(l, from, SL_AFTER, l->position[from], l->position[to]);
    bool reached = l->reach->marks[to] & SL_AFTER;
    sl_reach_clear(l);
    return reached;
}
