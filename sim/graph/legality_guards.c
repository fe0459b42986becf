/* Legality of what may be left out: guards and fallbacks. */
#include <config.h>

#include "legality_copies.h"
#include <stdio.h>
#include <stdlib.h>

#define FALLBACK_HOPS                                                                              \
    16 /* a longer chain of fallbacks is not followed: pairs would be too many                     \
        */

struct sl_literal sl_node_literal(const struct sl_legality *l, uint32_t node)
{
    const struct sl_node *nodes = l->graph->nodes;
    uint32_t primary = l->primary[node];
    if (nodes[node].guard != SL_NONE)
        return (struct sl_literal){node, nodes[node].guard_negated};
    if (primary != SL_NONE && nodes[primary].guard != SL_NONE &&
        nodes[primary].deadline_ps == INT64_MAX)
        return (struct sl_literal){primary, !nodes[primary].guard_negated};
    return (struct sl_literal){SL_NONE, false};
}

bool sl_same_draw(const struct sl_graph *graph, struct sl_literal a, struct sl_literal b)
{
    if (a.node == SL_NONE || b.node == SL_NONE)
        return false;
    const struct sl_node *x = &graph->nodes[a.node], *y = &graph->nodes[b.node];
    if (x->guard != y->guard)
        return false;
    switch (graph->guards[x->guard].scope) {
    case SL_SCOPE_NODE:
        return x->key_hash == y->key_hash;
    case SL_SCOPE_LAYER:
        return x->layer == y->layer;
    case SL_SCOPE_ITERATION:
    case SL_SCOPE_JOB:
        break;
    }
    return true;
}

/* True when `other` is the fallback of `node`, or that one's, and so on. */
static bool is_fallback_of(const struct sl_graph *graph, uint32_t other, uint32_t node)
{
    uint32_t at = graph->nodes[node].fallback.i;
    for (uint32_t hops = 0; at != SL_NONE && hops < FALLBACK_HOPS; hops++) {
        if (at == other)
            return true;
        at = graph->nodes[at].fallback.i;
    }
    return false;
}

bool sl_nodes_exclude(const struct sl_legality *l, uint32_t a, uint32_t b)
{
    struct sl_literal x = sl_node_literal(l, a), y = sl_node_literal(l, b);
    return (sl_same_draw(l->graph, x, y) && x.negated != y.negated) ||
           is_fallback_of(l->graph, a, b) || is_fallback_of(l->graph, b, a);
}

/* What provides for a copy so far in its life: writers, by whether they run for certain. */
struct providers {
    uint32_t first; /* touch where the life began */
    bool certain;   /* there from the start, or some writer always runs */
};

/* True when the node, or what takes its place, writes the copy whatever happens. */
static bool always_provides(const struct sl_legality *l, const struct sl_touch *writer,
                            uint32_t first, uint32_t end)
{
    const struct sl_node *node = &l->graph->nodes[writer->node];
    if (node->fallback.i != SL_NONE) {
        const struct sl_node *stand_in = &l->graph->nodes[node->fallback.i];
        bool writes = false;
        for (uint32_t i = first; i < end && !writes; i++)
            writes = l->touches[i].kind == SL_TOUCH_WRITE && l->touches[i].node == node->fallback.i;
        if (writes && stand_in->guard == SL_NONE && stand_in->fallback.i == SL_NONE)
            return true;
        if (node->deadline_ps != INT64_MAX)
            return false; /* cancelled at its latest start */
    }
    return node->guard == SL_NONE && l->primary[writer->node] == SL_NONE;
}

/* The guard on which a writer depends; false when it may fail to run for another reason. */
static bool depends_on_guard(const struct sl_legality *l, uint32_t node, struct sl_literal *literal)
{
    bool late = l->graph->nodes[node].fallback.i != SL_NONE &&
                l->graph->nodes[node].deadline_ps != INT64_MAX;
    *literal = sl_node_literal(l, node);
    return literal->node != SL_NONE && !late;
}

/* True when a writer runs whenever the reader does: on the same guard, or two on opposite ones. */
static bool guards_cover(struct sl_legality *l, const struct providers *providers, uint32_t read)
{
    const struct sl_touch *t = l->touches;
    struct sl_literal wanted = sl_node_literal(l, t[read].node), writer, other;
    for (uint32_t i = providers->first; i < read && l->budget > 0; i++) {
        sl_charge(l, 1 + i - providers->first);
        if (t[i].kind != SL_TOUCH_WRITE || !depends_on_guard(l, t[i].node, &writer))
            continue;
        if (sl_same_draw(l->graph, wanted, writer) && wanted.negated == writer.negated)
            return true;
        for (uint32_t k = providers->first; k < i; k++)
            if (t[k].kind == SL_TOUCH_WRITE && depends_on_guard(l, t[k].node, &other) &&
                sl_same_draw(l->graph, other, writer) && other.negated != writer.negated)
                return true;
    }
    return l->budget == 0;
}

static void report_uncovered(struct sl_legality *l, uint32_t read, uint32_t writer)
{
    const struct sl_touch *t = &l->touches[read];
    const struct sl_node *reader = &l->graph->nodes[t->node];
    const struct sl_node *maker = &l->graph->nodes[l->touches[writer].node];
    char copy[600];
    sl_report_node(l, t->node, "node '%s' may run although '%s', which provides %s, is left out",
                   reader->name, maker->name, sl_copy_text(l, t, copy, sizeof copy));
    sl_report_also_node(l, l->touches[writer].node);
    sl_report_also_object(l, t->object);
    if (maker->guard != SL_NONE)
        sl_diags_suggest(l->diags,
                         "give '%s' the guard %s%s too, or add a node with the guard %s%s that "
                         "provides '%s'",
                         reader->name, maker->guard_negated ? "!" : "",
                         l->graph->guards[maker->guard].name, maker->guard_negated ? "" : "!",
                         l->graph->guards[maker->guard].name, l->graph->objects[t->object].name);
    else
        sl_diags_suggest(l->diags, "let the fallback of '%s' provide '%s' too", maker->name,
                         l->graph->objects[t->object].name);
}

void sl_check_guarded_inputs(struct sl_legality *l)
{
    const struct sl_touch *t = l->touches;
    for (uint32_t first = 0, end; first < l->touch_count; first = end) {
        end = sl_touches_end(l, first);
        struct providers now = {first,
                                l->graph->objects[t[first].object].initial == t[first].domain};
        uint32_t last = SL_NONE; /* a writer that may be left out */
        for (uint32_t i = first; i < end && l->budget > 0; i++) {
            if (t[i].kind == SL_TOUCH_RECLAIM && sl_node_literal(l, t[i].node).node == SL_NONE) {
                now = (struct providers){i + 1, false};
                last = SL_NONE;
            }
            if (t[i].kind == SL_TOUCH_READ && !now.certain && last != SL_NONE &&
                !guards_cover(l, &now, i))
                report_uncovered(l, i, last);
            if (t[i].kind != SL_TOUCH_WRITE || now.certain)
                continue;
            if (l->graph->nodes[t[i].node].fallback.i != SL_NONE)
                sl_charge(l, end - first);
            now.certain = always_provides(l, &t[i], now.first, end);
            last = i;
        }
    }
}

/* True when something may cancel the node, so that its fallback takes its place. */
static bool may_be_cancelled(const struct sl_graph *graph, uint32_t node)
{
    const struct sl_node *n = &graph->nodes[node];
    if (n->deadline_ps != INT64_MAX)
        return true;
    return n->guard != SL_NONE && (n->guard_negated ? graph->guards[n->guard].probability > 0.0
                                                    : graph->guards[n->guard].probability < 1.0);
}

static void report_fallback(struct sl_legality *l, uint32_t primary, const char *why,
                            const char *todo)
{
    const struct sl_graph *graph = l->graph;
    uint32_t fallback = graph->nodes[primary].fallback.i;
    sl_report_node(l, fallback, "fallback '%s' of '%s' is never reached: %s",
                   graph->nodes[fallback].name, graph->nodes[primary].name, why);
    sl_report_also_node(l, primary);
    sl_diags_suggest(l->diags, "%s", todo);
}

/* A node that waits for the fallback once the primary is cancelled, while the fallback waits for
 * it, or is it: a successor of the primary, or of a node that the primary itself stands by for. */
static uint32_t waits_both_ways(struct sl_legality *l, uint32_t primary)
{
    const struct sl_graph *graph = l->graph;
    uint32_t fallback = graph->nodes[primary].fallback.i, hops = 0;
    for (uint32_t q = primary; q != SL_NONE && hops++ < graph->node_count; q = l->primary[q])
        for (uint32_t k = graph->succ_start[q]; k < graph->succ_start[q + 1]; k++) {
            const struct sl_edge *edge = &graph->edges[graph->succ_edges[k]];
            uint32_t to = edge->to.i;
            if (edge->next == 0 && to != graph->nodes[q].fallback.i &&
                (to == fallback || sl_reaches(l, to, fallback)))
                return to;
        }
    return SL_NONE;
}

static void check_fallback(struct sl_legality *l, uint32_t primary, bool cancelled)
{
    const struct sl_node *nodes = l->graph->nodes, *node = &nodes[primary];
    const char *fallback = nodes[node->fallback.i].name;
    char todo[1800], why[1400];
    uint32_t successor;
    if (!cancelled) {
        snprintf(todo, sizeof todo, "give '%s' a deadline or a guard, or drop '%s'", node->name,
                 fallback);
        report_fallback(l, primary,
                        node->guard == SL_NONE ? "that node has neither guard nor deadline"
                                               : "the guard of that node never fails",
                        todo);
    } else if (sl_reaches(l, node->fallback.i, primary)) {
        snprintf(todo, sizeof todo, "drop the order that puts '%s' before '%s'", fallback,
                 node->name);
        report_fallback(l, primary, "it comes before that node, which may be cancelled only later",
                        todo);
    } else if ((successor = waits_both_ways(l, primary)) == node->fallback.i) {
        snprintf(todo, sizeof todo, "drop the edges that lead to '%s' from nodes it stands by for",
                 fallback);
        report_fallback(l, primary, "an edge makes it wait for its own end", todo);
    } else if (successor != SL_NONE) {
        snprintf(why, sizeof why, "it waits for '%s', which waits for it once '%s' is cancelled",
                 nodes[successor].name, node->name);
        snprintf(todo, sizeof todo,
                 "drop the order that puts '%s' before '%s'; where only the order of rows does, as "
                 "between a reader and a later writer, move the row of '%s' up",
                 nodes[successor].name, fallback, fallback);
        report_fallback(l, primary, why, todo);
    }
}

void sl_check_fallbacks(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    bool *reached = calloc((size_t)graph->node_count + 1, sizeof *reached);
    for (uint32_t i = 0; reached && i < graph->node_count; i++)
        if (graph->nodes[i].fallback.i != SL_NONE && may_be_cancelled(graph, i))
            reached[graph->nodes[i].fallback.i] = true;
    for (uint32_t i = 0; reached && i < graph->node_count; i++)
        if (graph->nodes[i].fallback.i != SL_NONE)
            check_fallback(l, i, reached[graph->nodes[i].fallback.i]);
    free(reached);
}
