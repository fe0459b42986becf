/* Legality of what may be left out: guards and fallbacks. */
#include <config.h>

#include "guards.h"
#include "legality_copies.h"
#include <stdio.h>
#include <stdlib.h>

#define FALLBACK_HOPS                                                                              \
    16 /* a longer chain of fallbacks is not followed: pairs would be too many                     \
        */

struct sl_condition sl_node_condition(const struct sl_legality *l, uint32_t node)
{
    const struct sl_node *nodes = l->graph->nodes;
    uint32_t primary = l->primary[node];
    if (nodes[node].guards.count > 0)
        return (struct sl_condition){node, false};
    if (primary != SL_NONE && nodes[primary].guards.count > 0 &&
        nodes[primary].deadline_ps == INT64_MAX)
        return (struct sl_condition){primary, true};
    return (struct sl_condition){SL_NONE, false};
}

bool sl_condition_implies(const struct sl_graph *graph, struct sl_condition a,
                          struct sl_condition b)
{
    if (a.node == SL_NONE || b.node == SL_NONE)
        return false;
    if (!a.fails)
        return b.fails ? sl_guards_oppose(graph, a.node, b.node)
                       : sl_guards_include(graph, a.node, b.node);
    if (b.fails) /* by contraposition */
        return sl_guards_include(graph, b.node, a.node);
    return graph->nodes[a.node].guards.count == 1 && graph->nodes[b.node].guards.count == 1 &&
           sl_guards_oppose(graph, a.node, b.node);
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
    struct sl_condition x = sl_node_condition(l, a), y = sl_node_condition(l, b);
    y.fails = !y.fails;
    return sl_condition_implies(l->graph, x, y) || is_fallback_of(l->graph, a, b) ||
           is_fallback_of(l->graph, b, a);
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
        if (writes && stand_in->guards.count == 0 && stand_in->fallback.i == SL_NONE)
            return true;
        if (node->deadline_ps != INT64_MAX)
            return false; /* cancelled at its latest start */
    }
    return node->guards.count == 0 && l->primary[writer->node] == SL_NONE;
}

/* The guards on which a writer depends; false when it may fail to run for another reason. */
static bool depends_on_guards(const struct sl_legality *l, uint32_t node,
                              struct sl_condition *condition)
{
    bool late = l->graph->nodes[node].fallback.i != SL_NONE &&
                l->graph->nodes[node].deadline_ps != INT64_MAX;
    *condition = sl_node_condition(l, node);
    return condition->node != SL_NONE && !late;
}

/* A draw whose outcome is supposed, the last of a list. */
struct supposed {
    uint32_t node; /* that sees the draw */
    struct sl_guard_term term;
    const struct supposed *before;
};

enum truth { FALSE, TRUE, OPEN };

/* What the supposed outcomes say of a term of the node. */
static enum truth term_truth(const struct sl_graph *graph, const struct supposed *supposed,
                             uint32_t node, struct sl_guard_term term)
{
    for (const struct supposed *s = supposed; s; s = s->before)
        if (s->term.guard == term.guard && sl_guard_shared(graph, term.guard, s->node, node))
            return s->term.negated == term.negated ? TRUE : FALSE;
    return OPEN;
}

/* ... of a condition; *open: the first term that is open. */
static enum truth condition_truth(const struct sl_graph *graph, const struct supposed *supposed,
                                  struct sl_condition condition, struct sl_guard_term *open)
{
    struct sl_span terms = graph->nodes[condition.node].guards;
    enum truth all = TRUE;
    for (uint32_t k = 0; k < terms.count && all != FALSE; k++) {
        struct sl_guard_term term = graph->guard_terms[terms.first + k];
        enum truth truth = term_truth(graph, supposed, condition.node, term);
        if (truth == OPEN && all == TRUE)
            *open = term;
        all = truth == TRUE ? all : truth;
    }
    return all == OPEN ? OPEN : (all == TRUE) != condition.fails ? TRUE : FALSE;
}

/* True when a writer runs under all outcomes of the draws that are not yet supposed: either one is
 * certain to, or each outcome of an open draw is looked at.  A level of the recursion rests on a
 * writer of its own and is charged for all of them, so that the budget bounds the depth, too. */
static bool some_writer_runs(struct sl_legality *l, const struct providers *providers,
                             uint32_t read, const struct supposed *supposed, uint32_t depth)
{
    struct supposed next = {.node = SL_NONE, .before = supposed};
    sl_charge(l, (uint64_t)(1 + read - providers->first) * (1 + depth));
    for (uint32_t i = providers->first; i < read && l->budget > 0; i++) {
        struct sl_condition writer;
        struct sl_guard_term open = {0};
        if (l->touches[i].kind != SL_TOUCH_WRITE ||
            !depends_on_guards(l, l->touches[i].node, &writer))
            continue;
        enum truth truth = condition_truth(l->graph, supposed, writer, &open);
        if (truth == TRUE)
            return true;
        if (truth == OPEN && next.node == SL_NONE) {
            next.node = writer.node;
            next.term = open;
        }
    }
    if (next.node == SL_NONE || l->budget == 0)
        return l->budget == 0;
    if (!some_writer_runs(l, providers, read, &next, depth + 1))
        return false;
    next.term.negated = !next.term.negated;
    return some_writer_runs(l, providers, read, &next, depth + 1);
}

/* Supposes the terms of the node from its k-th on, and asks for a writer. */
static bool covered_where_all_hold(struct sl_legality *l, const struct providers *providers,
                                   uint32_t read, uint32_t node, uint32_t k,
                                   const struct supposed *supposed)
{
    struct sl_span terms = l->graph->nodes[node].guards;
    if (k == terms.count)
        return some_writer_runs(l, providers, read, supposed, k);
    struct supposed next = {node, l->graph->guard_terms[terms.first + k], supposed};
    return covered_where_all_hold(l, providers, read, node, k + 1, &next);
}

/* True when a writer runs whenever the reader does: on guards that its own imply, or several that
 * leave no outcome out. */
static bool guards_cover(struct sl_legality *l, const struct providers *providers, uint32_t read)
{
    struct sl_condition reader = sl_node_condition(l, l->touches[read].node);
    if (reader.node == SL_NONE)
        return some_writer_runs(l, providers, read, NULL, 0);
    if (!reader.fails)
        return covered_where_all_hold(l, providers, read, reader.node, 0, NULL);
    struct sl_span terms = l->graph->nodes[reader.node].guards;
    for (uint32_t k = 0; k < terms.count; k++) { /* it runs when any of them fails */
        struct supposed fails = {reader.node, l->graph->guard_terms[terms.first + k], NULL};
        fails.term.negated = !fails.term.negated;
        if (!some_writer_runs(l, providers, read, &fails, 1))
            return false;
    }
    return true;
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
    struct sl_arena arena = {0};
    const char *terms = sl_guards_text(l->graph, l->touches[writer].node, &arena);
    if (maker->guards.count == 1)
        sl_diags_suggest(l->diags,
                         "give '%s' the guard %s too, or add a node with the guard %s%s that "
                         "provides '%s'",
                         reader->name, terms ? terms : "", terms && terms[0] == '!' ? "" : "!",
                         terms ? terms + (terms[0] == '!') : "", l->graph->objects[t->object].name);
    else if (maker->guards.count > 1)
        sl_diags_suggest(l->diags,
                         "give '%s' the guards %s too, or let nodes provide '%s' wherever one of "
                         "these fails",
                         reader->name, terms ? terms : "", l->graph->objects[t->object].name);
    else
        sl_diags_suggest(l->diags, "let the fallback of '%s' provide '%s' too", maker->name,
                         l->graph->objects[t->object].name);
    sl_arena_free(&arena);
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
            if (t[i].kind == SL_TOUCH_RECLAIM && sl_node_condition(l, t[i].node).node == SL_NONE) {
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
    for (uint32_t k = 0; k < n->guards.count; k++) {
        struct sl_guard_term term = graph->guard_terms[n->guards.first + k];
        double holds = graph->guards[term.guard].probability;
        if (term.negated ? holds > 0.0 : holds < 1.0)
            return true;
    }
    return false;
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
                        node->guards.count == 0 ? "that node has neither guard nor deadline"
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
