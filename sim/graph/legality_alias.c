/* Legality of aliases: other names of a root's bytes, with nothing of their own. */
#include <config.h>

#include "legality_copies.h"

static void refuse_alias(struct sl_legality *l, uint32_t object, const char *what)
{
    const struct sl_object *alias = &l->graph->objects[object];
    const char *root = l->graph->objects[alias->alias_of.i].name;
    sl_report(l, alias->place, "alias '%s' %s its root '%s'", alias->name, what, root);
    sl_report_also_object(l, object);
    sl_report_also_object(l, alias->alias_of.i);
}

/* What the row of an alias states against its root. */
static void check_row(struct sl_legality *l, uint32_t object)
{
    const struct sl_graph *graph = l->graph;
    const struct sl_object *alias = &graph->objects[object];
    const struct sl_object *root = &graph->objects[alias->alias_of.i];
    if (alias->bytes > root->bytes) {
        refuse_alias(l, object, "is larger than");
        sl_diags_suggest(l->diags, "give '%s' at most the %lld bytes of '%s'", alias->name,
                         (long long)root->bytes, root->name);
    }
    if (alias->alias_home != SL_NONE && alias->alias_home != root->home) {
        refuse_alias(l, object, "states another home than");
        sl_diags_suggest(l->diags,
                         "leave the home of '%s' empty, or write a transfer between two "
                         "objects",
                         alias->name);
    }
    bool agrees = root->home == SL_NONE || sl_object_may_lie_in(graph, object, root->home);
    for (uint32_t k = 0; k < alias->placements.count; k++)
        agrees &= sl_object_may_lie_in(graph, alias->alias_of.i,
                                       graph->domains_pool[alias->placements.first + k]);
    if (!agrees) {
        refuse_alias(l, object, "states other placements than");
        sl_diags_suggest(l->diags, "leave the placements of '%s' empty: it lies where '%s' does",
                         alias->name, root->name);
    }
}

/* Bytes are taken and given back under the root's name: an alias has none of its own. */
static void check_lifetime(struct sl_legality *l, uint32_t index)
{
    const struct sl_node *node = &l->graph->nodes[index];
    bool allocates = node->kind == SL_ALLOCATION;
    if ((!allocates && node->kind != SL_RECLAMATION) || node->object.i == SL_NONE ||
        l->graph->objects[node->object.i].alias_of.i == SL_NONE)
        return;
    const struct sl_object *alias = &l->graph->objects[node->object.i];
    const char *root = l->graph->objects[alias->alias_of.i].name;
    sl_report_node(l, index, "%s '%s' names '%s', an alias of '%s', which has no bytes of its own",
                   allocates ? "allocation" : "reclamation", node->name, alias->name, root);
    sl_report_also_object(l, node->object.i);
    sl_report_also_object(l, alias->alias_of.i);
    sl_diags_suggest(l->diags, "let '%s' name '%s', %s use through any of its names", node->name,
                     root, allocates ? "before the first" : "after the last");
}

static void report_pair(struct sl_legality *l, const struct sl_touch *a, const struct sl_touch *b)
{
    const struct sl_graph *graph = l->graph;
    const char *first = graph->nodes[a->node].name, *second = graph->nodes[b->node].name;
    sl_report_node(l, b->node,
                   "node '%s' %s '%s' and node '%s' %s '%s', two names of the same bytes, with no "
                   "order between them",
                   first, a->kind == SL_TOUCH_WRITE ? "writes" : "reads",
                   graph->objects[a->named].name, second,
                   b->kind == SL_TOUCH_WRITE ? "writes" : "reads", graph->objects[b->named].name);
    sl_report_also_node(l, a->node);
    sl_report_also_object(l, a->named);
    sl_report_also_object(l, b->named);
    sl_diags_suggest(l->diags, "add an edge of type ordering from '%s' to '%s'", first, second);
}

/* Uses under other names that have no order to the write at touch `at`.  Rows order only nodes that
 * use the same name; a write before a read orders them by its data. */
static void check_write(struct sl_legality *l, uint32_t first, uint32_t end, uint32_t at)
{
    const struct sl_touch *t = l->touches, *write = &t[at];
    uint32_t low = l->position[t[first].node], high = l->position[t[end - 1].node];
    l->reach->loose = write->object;
    sl_reach_spread(l, write->node, SL_BEFORE, low, high);
    sl_reach_spread(l, write->node, SL_AFTER, low, high);
    sl_charge(l, end - first);
    for (uint32_t i = first; i < end && l->budget > 0; i++) {
        bool reads = t[i].kind == SL_TOUCH_READ;
        if ((!reads && t[i].kind != SL_TOUCH_WRITE) || t[i].named == write->named ||
            t[i].node == write->node || l->reach->marks[t[i].node] ||
            sl_nodes_exclude(l, t[i].node, write->node))
            continue;
        /* Of two writes each meets the other: the first one tells. */
        if (i < at && reads)
            report_pair(l, &t[i], write);
        else if (i > at)
            report_pair(l, write, &t[i]);
    }
    sl_reach_clear(l);
    l->reach->loose = SL_NONE;
}

static bool has_two_names(const struct sl_legality *l, uint32_t first, uint32_t end)
{
    for (uint32_t i = first + 1; i < end; i++)
        if (l->touches[i].named != l->touches[first].named)
            return true;
    return false;
}

void sl_check_aliases(struct sl_legality *l)
{
    for (uint32_t o = 0; o < l->graph->object_count; o++)
        if (l->graph->objects[o].alias_of.i != SL_NONE)
            check_row(l, o);
    for (uint32_t i = 0; i < l->graph->node_count; i++)
        check_lifetime(l, i);
    for (uint32_t first = 0, end; first < l->touch_count; first = end) {
        end = sl_touches_end(l, first);
        if (!has_two_names(l, first, end))
            continue;
        for (uint32_t i = first; i < end && l->budget > 0; i++)
            if (l->touches[i].kind == SL_TOUCH_WRITE &&
                !sl_node_moves(l->graph->nodes[l->touches[i].node].kind))
                check_write(l, first, end, i);
    }
}
