/* A plan's graph for Graphviz: nodes by kind in shape and colour, edges by type in colour and line.
 * The colours are those of Okabe and Ito, which people of any colour vision can tell apart; shapes
 * and lines say the same without them. */
#include <config.h>

#include "exporter.h"

static const struct {
    const char *shape, *fill;
} kinds[SL_NODE_KINDS] = {
    [SL_COMPUTE] = {"box", "#ffffff"},
    [SL_ALLOCATION] = {"house", "#f0e442"},
    [SL_MAPPING] = {"hexagon", "#f0e442"},
    [SL_TRANSFER] = {"cds", "#56b4e9"},
    [SL_PREFETCH] = {"rarrow", "#56b4e9"},
    [SL_OFFLOAD] = {"larrow", "#e69f00"},
    [SL_REMATERIALIZATION] = {"component", "#009e73"},
    [SL_BARRIER] = {"diamond", "#cc79a7"},
    [SL_RECLAMATION] = {"invhouse", "#d55e00"},
};

static const struct {
    const char *colour, *style;
} types[SL_EDGE_TYPES] = {
    [SL_EDGE_DATA] = {"#000000", "solid"},      [SL_EDGE_STORAGE] = {"#0072b2", "dashed"},
    [SL_EDGE_ORDERING] = {"#999999", "dotted"}, [SL_EDGE_LIFETIME] = {"#d55e00", "dashed"},
    [SL_EDGE_BARRIER] = {"#cc79a7", "bold"},    [SL_EDGE_CAPACITY] = {"#009e73", "dotted"},
};

/* A quoted string of the DOT language, in which '"' and '\' mean something. */
static void put_quoted(FILE *out, const char *text)
{
    putc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            putc('\\', out);
        putc((unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c, out);
    }
    putc('"', out);
}

static void put_node(FILE *out, const struct sl_graph *graph, uint32_t index)
{
    const struct sl_node *node = &graph->nodes[index];
    fprintf(out, "  n%u [label=", (unsigned)index);
    put_quoted(out, node->name);
    fprintf(out, ", shape=%s, fillcolor=\"%s\"%s, tooltip=", kinds[node->kind].shape,
            kinds[node->kind].fill, node->derived ? ", peripheries=2" : "");
    put_quoted(out, sl_node_kind_name(node->kind));
    fputs("];\n", out);
}

static void put_edge(FILE *out, const struct sl_graph *graph, const struct sl_edge *edge)
{
    fprintf(out, "  n%u -> n%u [color=\"%s\", style=%s", (unsigned)edge->from.i,
            (unsigned)edge->to.i, types[edge->type].colour, types[edge->type].style);
    /* An edge to a later iteration would turn the ranks round. */
    if (edge->next > 0)
        fprintf(out, ", constraint=false, headlabel=\"+%u\"", (unsigned)edge->next);
    fputs(", tooltip=", out);
    put_quoted(out, edge->object.i == SL_NONE ? sl_edge_type_name(edge->type)
                                              : graph->objects[edge->object.i].name);
    fputs("];\n", out);
}

static enum sl_status write_dot(const struct sl_export *what, FILE *out, struct sl_error *err)
{
    (void)err;
    const struct sl_graph *graph = what->graph;
    fputs("digraph plan {\n  label=", out);
    char title[512];
    snprintf(title, sizeof title, "%s, %s", what->scenario, what->policy);
    put_quoted(out, title);
    fputs(";\n  labelloc=t; rankdir=LR; fontname=\"sans-serif\";\n"
          "  node [style=filled, fontname=\"sans-serif\"];\n",
          out);
    for (uint32_t i = 0; i < graph->node_count; i++)
        put_node(out, graph, i);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        put_edge(out, graph, &graph->edges[e]);
    fputs("}\n", out);
    return SL_OK;
}

const struct sl_exporter sl_exporter_dot = {
    .name = "dot",
    .description = "a plan's graph for Graphviz, nodes by kind and edges by type",
    .example = "slackline export SCENARIO --format dot -o plan.dot",
    .write = write_dot,
};
