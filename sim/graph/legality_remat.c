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
