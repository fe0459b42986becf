/* Legality of written-out allocations and reclamations.
 *
 * A copy of an object in a domain lives from an allocation (or a write, or a move into the domain)
 * to a reclamation.  With A(r) the nodes after reclamation r and B(r) those of A(r) that come after
 * something in A(r) that makes the copy anew, a use of the copy must be before r or in B(r).
 * Nodes of which at most one runs are no pair. */
#include <config.h>

#include "legality_copies.h"

static bool reclaims(enum sl_touch_kind kind)
{
    return kind == SL_TOUCH_RECLAIM;
}

static bool makes(enum sl_touch_kind kind)
{
    return kind == SL_TOUCH_ALLOCATE || kind == SL_TOUCH_MAP || kind == SL_TOUCH_WRITE;
}

/* Says that the reclamation `pivot` and the use are in the wrong order: subjects of the message. */
static void name_both(struct sl_legality *l, const struct sl_touch *use, uint32_t pivot)
{
    sl_report_also_node(l, pivot);
    sl_report_also_object(l, use->object);
    if (use->named != use->object)
        sl_report_also_object(l, use->named);
}

/* " through its alias 'q'", where the node names one; returns the buffer. */
static const char *alias_text(const struct sl_legality *l, const struct sl_touch *use, char *buffer,
                              size_t size)
{
    buffer[0] = '\0';
    if (use->named != use->object)
        snprintf(buffer, size, " through its alias '%s'", l->graph->objects[use->named].name);
    return buffer;
}

/* Reads that come after the reclamation, with nothing between that makes the copy anew.  Inputs of
 * rematerializations have a rule of their own. */
static void judge_late_reads(struct sl_legality *l, const struct sl_touch *group, uint32_t count,
                             uint32_t pivot)
{
    const char *reclaimer = l->graph->nodes[pivot].name;
    char copy[600], alias[300];
    for (uint32_t i = 0; i < count && l->budget > 0; i++) {
        uint32_t user = group[i].node;
        const struct sl_node *node = &l->graph->nodes[user];
        if (group[i].kind != SL_TOUCH_READ || node->kind == SL_REMATERIALIZATION ||
            (l->reach->marks[user] & (SL_AFTER | SL_REMADE)) != SL_AFTER ||
            sl_nodes_exclude(l, user, pivot))
            continue;
        sl_report_node(l, user, "node '%s' reads %s%s after its reclamation by '%s'", node->name,
                       sl_copy_text(l, &group[i], copy, sizeof copy),
                       alias_text(l, &group[i], alias, sizeof alias), reclaimer);
        name_both(l, &group[i], pivot);
        sl_diags_suggest(l->diags,
                         "let '%s' come after '%s', or write or bring '%s' again between them",
                         reclaimer, node->name, l->graph->objects[group[i].object].name);
    }
}

void sl_check_use_after_reclaim(struct sl_legality *l)
{
    sl_judge_pivots(l, SL_TOUCH_RECLAIM, makes, judge_late_reads);
}

static void report_unordered(struct sl_legality *l, const struct sl_touch *use, uint32_t pivot)
{
    const struct sl_node *node = &l->graph->nodes[use->node];
    const char *reclaimer = l->graph->nodes[pivot].name;
    bool barrier = node->kind == SL_BARRIER;
    const char *verb = use->kind == SL_TOUCH_PROTECT ? (barrier ? "protects" : "holds")
                       : use->kind == SL_TOUCH_WRITE ? "writes"
                       : sl_node_moves(node->kind)   ? "moves"
                                                     : "reads";
    char copy[600], alias[300];
    sl_report_node(l, pivot, "reclamation '%s' of %s is not ordered after %s '%s', which %s it%s",
                   reclaimer, sl_copy_text(l, use, copy, sizeof copy),
                   barrier ? "barrier" : "node", node->name, verb,
                   alias_text(l, use, alias, sizeof alias));
    sl_report_also_node(l, use->node);
    name_both(l, use, pivot);
    if (use->kind == SL_TOUCH_WRITE && l->position[use->node] > l->position[pivot])
        sl_diags_suggest(l->diags,
                         "add an edge of type storage-ready from '%s' to '%s', if that makes a new "
                         "copy; otherwise one of type lifetime-hold the other way",
                         reclaimer, node->name);
    else
        sl_diags_suggest(l->diags, "add an edge of type lifetime-hold from '%s' to '%s'",
                         node->name, reclaimer);
}

/* Readers, writers, transfers and protecting barriers that are neither before nor after.  A write
 * that is after begins a new life. */
static void judge_unordered(struct sl_legality *l, const struct sl_touch *group, uint32_t count,
                            uint32_t pivot)
{
    uint32_t told = SL_NONE; /* touches of one node are neighbours: one complaint is enough */
    for (uint32_t i = 0; i < count && l->budget > 0; i++) {
        uint32_t user = group[i].node;
        enum sl_touch_kind kind = group[i].kind;
        if ((kind != SL_TOUCH_READ && kind != SL_TOUCH_WRITE && kind != SL_TOUCH_PROTECT) ||
            user == pivot || user == told ||
            (l->reach->marks[user] & (SL_BEFORE | SL_AFTER | SL_REMADE)) ||
            sl_nodes_exclude(l, user, pivot))
            continue;
        told = user;
        report_unordered(l, &group[i], pivot);
    }
}

void sl_check_reclaim_order(struct sl_legality *l)
{
    sl_judge_pivots(l, SL_TOUCH_RECLAIM, makes, judge_unordered);
}

/* Two acts of one kind that run together or not at all: neither guarded, or by the same guards. */
static bool both_run(const struct sl_legality *l, uint32_t a, uint32_t b)
{
    struct sl_condition x = sl_node_condition(l, a), y = sl_node_condition(l, b);
    if (l->primary[a] != SL_NONE || l->primary[b] != SL_NONE)
        return false;
    return (x.node == SL_NONE && y.node == SL_NONE) ||
           (sl_condition_implies(l->graph, x, y) && sl_condition_implies(l->graph, y, x));
}

/* The same act on one copy a second time, unless what undoes it comes between.  Each pair is met
 * from both sides; the one that is not after the other, or the smaller index, reports it. */
static void judge_again(struct sl_legality *l, const struct sl_touch *group, uint32_t count,
                        uint32_t pivot, enum sl_touch_kind kind, const char *verb, const char *undo)
{
    char copy[600];
    for (uint32_t i = 0; i < count && l->budget > 0; i++) {
        uint32_t other = group[i].node;
        unsigned char marks = l->reach->marks[other];
        bool ordered = marks & (SL_AFTER | SL_BEFORE);
        if (group[i].kind != kind || other == pivot || (marks & (SL_REMADE | SL_BEFORE)) ||
            (!ordered && other < pivot) || !both_run(l, other, pivot))
            continue;
        const char *first = l->graph->nodes[pivot].name, *again = l->graph->nodes[other].name;
        sl_report_node(l, other, "%s is %s by node '%s' and again by node '%s'",
                       sl_copy_text(l, &group[i], copy, sizeof copy), verb, first, again);
        name_both(l, &group[i], pivot);
        sl_diags_suggest(l->diags, "drop '%s', or %s '%s' between '%s' and '%s'", again, undo,
                         l->graph->objects[group[i].object].name, first, again);
    }
}

static void judge_reclamations(struct sl_legality *l, const struct sl_touch *group, uint32_t count,
                               uint32_t pivot)
{
    judge_again(l, group, count, pivot, SL_TOUCH_RECLAIM, "reclaimed", "allocate");
}

static void judge_allocations(struct sl_legality *l, const struct sl_touch *group, uint32_t count,
                              uint32_t pivot)
{
    judge_again(l, group, count, pivot, SL_TOUCH_ALLOCATE, "allocated", "reclaim");
}

void sl_check_double_reclamation(struct sl_legality *l)
{
    sl_judge_pivots(l, SL_TOUCH_RECLAIM, makes, judge_reclamations);
}

void sl_check_double_allocation(struct sl_legality *l)
{
    sl_judge_pivots(l, SL_TOUCH_ALLOCATE, reclaims, judge_allocations);
}

/* Who writes the allocation out answers for its end; only persistent objects have none. */
void sl_check_never_reclaimed(struct sl_legality *l)
{
    char copy[600];
    for (uint32_t first = 0, end; first < l->touch_count; first = end) {
        end = sl_touches_end(l, first);
        const struct sl_touch *last = NULL;
        for (uint32_t i = first; i < end; i++)
            if (l->touches[i].kind == SL_TOUCH_ALLOCATE)
                last = &l->touches[i];
        if (!last || l->graph->objects[last->object].persist ||
            sl_touches_have(l, first, end, SL_TOUCH_RECLAIM))
            continue;
        const char *node = l->graph->nodes[last->node].name;
        const char *object = l->graph->objects[last->object].name;
        sl_report_node(l, last->node, "%s is allocated by node '%s' and never reclaimed",
                       sl_copy_text(l, last, copy, sizeof copy), node);
        sl_report_also_object(l, last->object);
        sl_diags_suggest(l->diags,
                         "add a reclamation of '%s' after '%s', or state persist for '%s'", object,
                         l->graph->nodes[l->touches[end - 1].node].name, object);
    }
}
