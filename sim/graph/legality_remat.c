/* Legality of written-out rematerializations: what they write must be what was there before.  Their
 * inputs are looked at where contents are (legality_valid.c). */
#include <config.h>

#include "legality_copies.h"
#include <string.h>

static bool lists(const struct sl_graph *graph, struct sl_span list, uint32_t root)
{
    for (uint32_t k = 0; k < list.count; k++)
        if (sl_object_root(graph, graph->objects_pool[list.first + k]).i == root)
            return true;
    return false;
}

/* The first root in `list` that `other` lacks; SL_NONE: it has all. */
static uint32_t missing_from(const struct sl_graph *graph, struct sl_span list,
                             struct sl_span other)
{
    for (uint32_t k = 0; k < list.count; k++) {
        uint32_t root = sl_object_root(graph, graph->objects_pool[list.first + k]).i;
        if (!lists(graph, other, root))
            return root;
    }
    return SL_NONE;
}

static void report_other(struct sl_legality *l, uint32_t remat, uint32_t output, const char *what,
                         const char *detail)
{
    const struct sl_object *object = &l->graph->objects[output];
    const char *origin = l->graph->nodes[object->reconstruct.i].name;
    const char *name = l->graph->nodes[remat].name;
    sl_report_node(
        l, remat, "rematerialization '%s' writes '%s', which '%s' reconstructs, but %s%s%s%s", name,
        object->name, origin, what, detail ? " '" : "", detail ? detail : "", detail ? "'" : "");
    sl_report_also_node(l, object->reconstruct.i);
    sl_report_also_object(l, output);
    sl_diags_suggest(l->diags,
                     "give '%s' the inputs, outputs and work of '%s', or state in column "
                     "reconstruct of '%s' what reproduces it",
                     name, origin, object->name);
}

/* True when the node computes a value of its own: it neither moves one nor makes one again. */
static bool computes(const struct sl_legality *l, uint32_t node)
{
    enum sl_node_kind kind = l->graph->nodes[node].kind;
    return !sl_node_moves(kind) && kind != SL_REMATERIALIZATION;
}

static bool between(struct sl_legality *l, uint32_t before, uint32_t node, uint32_t after)
{
    return l->position[before] < l->position[node] && l->position[node] < l->position[after] &&
           sl_reaches(l, before, node) && sl_reaches(l, node, after);
}

/* The last node that writes another value into what `named` names between `origin` and the
 * rematerialization, with nothing behind it that brings or makes the first one again; SL_NONE:
 * none. Two aliases of one root may be different parts of it. */
static uint32_t overwriter(struct sl_legality *l, uint32_t remat, uint32_t origin, uint32_t named)
{
    uint32_t first, end, root = sl_object_root(l->graph, (sl_object_id){named}).i;
    sl_touches_find(l, root, sl_object_home(l->graph, root), &first, &end);
    sl_charge(l, end - first);
    for (uint32_t i = end; i-- > first && l->budget > 0;) {
        const struct sl_touch *touch = &l->touches[i];
        uint32_t node = touch->node;
        if (touch->kind != SL_TOUCH_WRITE || node == origin ||
            (touch->named != named && touch->named != root && named != root) ||
            sl_nodes_exclude(l, node, remat) || !between(l, origin, node, remat))
            continue;
        return computes(l, node) ? node : SL_NONE;
    }
    return SL_NONE;
}

static void check_inputs(struct sl_legality *l, uint32_t remat, uint32_t output)
{
    const struct sl_graph *graph = l->graph;
    const struct sl_node *node = &graph->nodes[remat];
    uint32_t origin = graph->objects[output].reconstruct.i;
    for (uint32_t k = 0; k < node->inputs.count && l->budget > 0; k++) {
        uint32_t input = graph->objects_pool[node->inputs.first + k].i;
        uint32_t writer = overwriter(l, remat, origin, input);
        if (writer == SL_NONE)
            continue;
        sl_report_node(l, remat,
                       "rematerialization '%s' reads '%s', which '%s' has overwritten since '%s' "
                       "read it for '%s'",
                       node->name, graph->objects[input].name, graph->nodes[writer].name,
                       graph->nodes[origin].name, graph->objects[output].name);
        sl_report_also_node(l, writer);
        sl_report_also_object(l, input);
        sl_diags_suggest(l->diags,
                         "let '%s' come before '%s', write another object there, or keep '%s'",
                         node->name, graph->nodes[writer].name, graph->objects[output].name);
    }
}

/* Against the node that is stated to reproduce the output: the same inputs, that output, the same
 * work. */
static void check_output(struct sl_legality *l, uint32_t remat, uint32_t output)
{
    const struct sl_graph *graph = l->graph;
    uint32_t origin = graph->objects[output].reconstruct.i;
    if (origin == SL_NONE || origin == remat)
        return;
    const struct sl_node *a = &graph->nodes[remat], *b = &graph->nodes[origin];
    sl_charge(l, 2 * (uint64_t)a->inputs.count * b->inputs.count + b->outputs.count);
    if (l->budget == 0)
        return;
    uint32_t lacks = missing_from(graph, b->inputs, a->inputs);
    uint32_t extra = missing_from(graph, a->inputs, b->inputs);
    if (!lists(graph, b->outputs, output))
        report_other(l, remat, output, "that node does not write it", NULL);
    else if (lacks != SL_NONE)
        report_other(l, remat, output, "it does not read", graph->objects[lacks].name);
    else if (extra != SL_NONE)
        report_other(l, remat, output, "it also reads", graph->objects[extra].name);
    else if (a->work && b->work && strcmp(a->work, b->work) != 0)
        report_other(l, remat, output, "does other work:", a->work);
    else
        check_inputs(l, remat, output);
}

/* Calls `check` for each root that a rematerialization writes. */
static void for_outputs(struct sl_legality *l,
                        void (*check)(struct sl_legality *l, uint32_t remat, uint32_t output))
{
    const struct sl_graph *graph = l->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        struct sl_span outputs = graph->nodes[i].outputs;
        for (uint32_t k = 0; graph->nodes[i].kind == SL_REMATERIALIZATION && k < outputs.count; k++)
            check(l, i, sl_object_root(graph, graph->objects_pool[outputs.first + k]).i);
    }
}

void sl_check_remat_equivalent(struct sl_legality *l)
{
    for_outputs(l, check_output);
}

static void check_equivalence(struct sl_legality *l, uint32_t remat, uint32_t output)
{
    const struct sl_object *object = &l->graph->objects[output];
    if (object->equivalence == SL_EQ_BITWISE || object->equivalence == SL_EQ_TOLERANCE)
        return;
    const char *name = l->graph->nodes[remat].name;
    sl_report_node(
        l, remat, "rematerialization '%s' writes '%s', whose equivalence to the first value is %s",
        name, object->name, object->equivalence == SL_EQ_UNKNOWN ? "unknown" : "not stated");
    sl_report_also_object(l, output);
    sl_diags_suggest(
        l->diags, "state equivalence (bitwise or tolerance) for '%s', or keep it instead of '%s'",
        object->name, name);
}

void sl_check_remat_equivalence(struct sl_legality *l)
{
    for_outputs(l, check_equivalence);
}
