/* Legality of explicit allocations and reclamations.
 *
 * A copy of an object in a domain lives from an allocation (or a write, or a move into the domain)
 * to a reclamation.  With A(r) the nodes after reclamation r and B(r) those of A(r) that come after
 * something in A(r) that makes the copy anew, a use of the copy must be before r or in B(r).
 * Guarded nodes are left to the run: whether they meet is drawn. */
#include <config.h>

#include "legality.h"
#include <stdlib.h>
#include <string.h>

/* One mention of an object's copy. */
enum role { USE, MAKE, ALLOCATE, RECLAIM };
struct mention {
    uint32_t object, domain, node;
    enum role role;
};
struct mentions {
    struct mention *items;
    uint32_t count, capacity;
    bool failed;
};

enum { BEFORE = 1, AFTER = 2, REMADE = 4 };

static void mention(struct mentions *all, const struct sl_graph *graph, sl_object_id object,
                    uint32_t domain, uint32_t node, enum role role)
{
    sl_object_id root = sl_object_root(graph, object);
    if (domain == SL_NONE)
        domain = graph->objects[root.i].home;
    if (!sl_grow((void **)&all->items, &all->capacity, all->count + 1, sizeof *all->items)) {
        all->failed = true;
        return;
    }
    all->items[all->count++] = (struct mention){root.i, domain, node, role};
}

static void mention_node(struct mentions *all, const struct sl_graph *graph, uint32_t index)
{
    const struct sl_node *node = &graph->nodes[index];
    if (node->guard != SL_NONE)
        return;
    for (uint32_t k = 0; k < node->inputs.count; k++)
        mention(all, graph, graph->objects_pool[node->inputs.first + k], SL_NONE, index, USE);
    for (uint32_t k = 0; k < node->outputs.count; k++)
        mention(all, graph, graph->objects_pool[node->outputs.first + k], SL_NONE, index, MAKE);
    if (node->object.i == SL_NONE)
        return;
    if (sl_node_moves(node->kind)) {
        mention(all, graph, node->object, node->from, index, USE);
        mention(all, graph, node->object, node->to, index, MAKE);
    } else if (node->kind == SL_ALLOCATION) {
        mention(all, graph, node->object, node->to, index, ALLOCATE);
    } else if (node->kind == SL_RECLAMATION) {
        mention(all, graph, node->object, node->from, index, RECLAIM);
    }
}

static int compare(const void *a, const void *b)
{
    const struct mention *x = a, *y = b;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    if (x->domain != y->domain)
        return x->domain < y->domain ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (int)x->role - (int)y->role;
}

/* Mentions of objects that have an explicit allocation or reclamation, grouped by copy. */
static struct mentions gather(const struct sl_graph *graph)
{
    struct mentions all = {0};
    bool explicit_lifetimes = false;
    for (uint32_t i = 0; i < graph->node_count; i++)
        explicit_lifetimes |=
            graph->nodes[i].kind == SL_ALLOCATION || graph->nodes[i].kind == SL_RECLAMATION;
    for (uint32_t i = 0; explicit_lifetimes && i < graph->node_count && !all.failed; i++)
        mention_node(&all, graph, i);
    if (all.count > 0)
        qsort(all.items, all.count, sizeof *all.items, compare);
    return all;
}

/* Scratch of reachability: marks per node, and what to clear afterwards. */
struct reach {
    struct sl_legality *legality;
    unsigned char *marks;
    uint32_t *touched, *stack;
    uint32_t touched_count;
};

static bool enter(struct reach *reach, uint32_t node, unsigned char mark)
{
    if (reach->marks[node] & mark)
        return false;
    if (reach->marks[node] == 0)
        reach->touched[reach->touched_count++] = node;
    reach->marks[node] |= mark;
    return true;
}

/* Marks what comes after (or before) `from`, as far as positions [low, high] of the topological
 * order: nothing outside can lead to a mention inside. */
static void spread(struct reach *reach, uint32_t from, unsigned char mark, uint32_t low,
                   uint32_t high)
{
    const struct sl_legality *l = reach->legality;
    const struct sl_graph *graph = l->graph;
    bool forward = mark != BEFORE;
    const uint32_t *start = forward ? graph->succ_start : graph->pred_start;
    const uint32_t *edges = forward ? graph->succ_edges : graph->pred_edges;
    const uint32_t *lane = forward ? l->lane_next : l->lane_previous;
    uint32_t depth = 0;
    reach->stack[depth++] = from;
    while (depth > 0) {
        uint32_t node = reach->stack[--depth], count = start[node + 1] - start[node];
        reach->legality->budget -=
            reach->legality->budget < count + 1u ? reach->legality->budget : count + 1u;
        if (reach->legality->budget == 0)
            return;
        for (uint32_t k = 0; k <= count; k++) {
            uint32_t other = lane[node];
            if (k < count) {
                const struct sl_edge *edge = &graph->edges[edges[start[node] + k]];
                other = edge->next > 0 ? SL_NONE : forward ? edge->to.i : edge->from.i;
            }
            if (other != SL_NONE && l->position[other] >= low && l->position[other] <= high &&
                enter(reach, other, mark))
                reach->stack[depth++] = other;
        }
    }
}

static void clear(struct reach *reach)
{
    for (uint32_t i = 0; i < reach->touched_count; i++)
        reach->marks[reach->touched[i]] = 0;
    reach->touched_count = 0;
}

static bool makes(enum role role)
{
    return role == MAKE || role == ALLOCATE;
}

/* Marks BEFORE, AFTER and REMADE around `pivot` for the mentions of its copy.  `renews` tells which
 * mentions start a new life after the pivot. */
static void mark_around(struct reach *reach, const struct mention *group, uint32_t count,
                        uint32_t pivot, bool (*renews)(enum role role))
{
    const uint32_t *position = reach->legality->position;
    uint32_t low = position[pivot], high = low;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = position[group[i].node];
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    spread(reach, pivot, BEFORE, low, high);
    spread(reach, pivot, AFTER, low, high);
    for (uint32_t i = 0; i < count; i++)
        if (group[i].node != pivot && renews(group[i].role) &&
            (reach->marks[group[i].node] & AFTER))
            spread(reach, group[i].node, REMADE, low, high);
}

static const char *copy_text(const struct sl_legality *l, const struct mention *of, char *buffer,
                             size_t size)
{
    const char *object = l->graph->objects[of->object].name;
    if (of->domain == SL_NONE)
        snprintf(buffer, size, "object '%s'", object);
    else
        snprintf(buffer, size, "object '%s' in '%s'", object,
                 l->scenario->platform.domain_names.names[of->domain]);
    return buffer;
}

static bool reclaims(enum role role)
{
    return role == RECLAIM;
}

/* Calls `judge` with each pivot of `role` of each copy, its neighbourhood marked. */
static void for_pivots(struct sl_legality *l, enum role role, bool (*renews)(enum role role),
                       void (*judge)(struct reach *reach, const struct mention *group,
                                     uint32_t count, uint32_t pivot))
{
    struct mentions all = gather(l->graph);
    size_t size = (size_t)l->graph->node_count + 1;
    struct reach reach = {l, calloc(size, 1), malloc(size * sizeof(uint32_t)),
                          malloc(size * sizeof(uint32_t)), 0};
    bool ok = !all.failed && reach.marks && reach.touched && reach.stack;
    for (uint32_t first = 0, end; ok && first < all.count; first = end) {
        for (end = first + 1; end < all.count && all.items[end].object == all.items[first].object &&
                              all.items[end].domain == all.items[first].domain;)
            end++;
        for (uint32_t i = first; i < end && l->budget > 0; i++)
            if (all.items[i].role == role) {
                mark_around(&reach, &all.items[first], end - first, all.items[i].node, renews);
                if (l->budget > 0)
                    judge(&reach, &all.items[first], end - first, all.items[i].node);
                clear(&reach);
            }
    }
    if (l->budget == 0 || !ok)
        sl_diags_add(l->diags, SL_WARNING, "not-checked", (struct sl_place){0},
                     "the graph is too large to check every explicit lifetime");
    free(reach.marks);
    free(reach.touched);
    free(reach.stack);
    free(all.items);
}

/* Uses that come after the reclamation, with nothing between that makes the copy anew. */
static void judge_late_uses(struct reach *reach, const struct mention *group, uint32_t count,
                            uint32_t pivot)
{
    struct sl_legality *l = reach->legality;
    const char *reclaimer = l->graph->nodes[pivot].name;
    char copy[600];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t user = group[i].node;
        if (group[i].role != USE || user == pivot ||
            (reach->marks[user] & (AFTER | REMADE)) != AFTER)
            continue;
        const char *name = l->graph->nodes[user].name;
        sl_report_node(l, user, "node '%s' reads %s after its reclamation by '%s'", name,
                       copy_text(l, &group[i], copy, sizeof copy), reclaimer);
        sl_report_also_node(l, pivot);
        sl_report_also_object(l, group[i].object);
        sl_diags_suggest(l->diags,
                         "let '%s' come after '%s', or write or bring '%s' again between them",
                         reclaimer, name, l->graph->objects[group[i].object].name);
    }
}

void sl_check_use_after_reclaim(struct sl_legality *l)
{
    for_pivots(l, RECLAIM, makes, judge_late_uses);
}

/* Uses that are neither before nor after the reclamation. */
static void judge_unordered_uses(struct reach *reach, const struct mention *group, uint32_t count,
                                 uint32_t pivot)
{
    struct sl_legality *l = reach->legality;
    const char *reclaimer = l->graph->nodes[pivot].name;
    char copy[600];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t user = group[i].node;
        if (group[i].role != USE || user == pivot ||
            (reach->marks[user] & (BEFORE | AFTER | REMADE)))
            continue;
        const char *name = l->graph->nodes[user].name;
        sl_report_node(l, user,
                       "node '%s' reads %s neither before nor after its reclamation by '%s'", name,
                       copy_text(l, &group[i], copy, sizeof copy), reclaimer);
        sl_report_also_node(l, pivot);
        sl_report_also_object(l, group[i].object);
        sl_diags_suggest(l->diags, "add an edge of type lifetime-hold from '%s' to '%s'", name,
                         reclaimer);
    }
}

void sl_check_reclaim_order(struct sl_legality *l)
{
    for_pivots(l, RECLAIM, makes, judge_unordered_uses);
}

/* The same act on one copy a second time, unless what undoes it comes between.  Each pair is met
 * from both sides; the one that is not after the other, or the smaller index, reports it. */
static void judge_again(struct reach *reach, const struct mention *group, uint32_t count,
                        uint32_t pivot, enum role role, const char *verb, const char *undo)
{
    struct sl_legality *l = reach->legality;
    char copy[600];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = group[i].node;
        unsigned char marks = reach->marks[other];
        bool ordered = marks & (AFTER | BEFORE);
        if (group[i].role != role || other == pivot || (marks & (REMADE | BEFORE)) ||
            (!ordered && other < pivot))
            continue;
        const char *first = l->graph->nodes[pivot].name, *again = l->graph->nodes[other].name;
        sl_report_node(l, other, "%s is %s by node '%s' and again by node '%s'",
                       copy_text(l, &group[i], copy, sizeof copy), verb, first, again);
        sl_report_also_node(l, pivot);
        sl_report_also_object(l, group[i].object);
        sl_diags_suggest(l->diags, "drop '%s', or %s '%s' between '%s' and '%s'", again, undo,
                         l->graph->objects[group[i].object].name, first, again);
    }
}

static void judge_reclamations(struct reach *reach, const struct mention *group, uint32_t count,
                               uint32_t pivot)
{
    judge_again(reach, group, count, pivot, RECLAIM, "reclaimed", "allocate");
}

static void judge_allocations(struct reach *reach, const struct mention *group, uint32_t count,
                              uint32_t pivot)
{
    judge_again(reach, group, count, pivot, ALLOCATE, "allocated", "reclaim");
}

void sl_check_double_reclamation(struct sl_legality *l)
{
    for_pivots(l, RECLAIM, makes, judge_reclamations);
}

void sl_check_double_allocation(struct sl_legality *l)
{
    for_pivots(l, ALLOCATE, reclaims, judge_allocations);
}
