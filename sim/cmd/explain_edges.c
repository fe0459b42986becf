/* Explain: a node's edges in and out, and the rows of overlap.csv that concern it. */
#include "explain_parts.h"
#include <string.h>

#define SHOWN_EDGES 16 /* each way, for people */

static const char *scope_text(struct sl_explain *x, const struct sl_edge *edge)
{
    /* Iterations of a plan stand side by side: what led to the next one is an edge like others. */
    uint32_t from = x->graph->nodes[edge->from.i].iteration;
    uint32_t to = x->graph->nodes[edge->to.i].iteration;
    uint32_t next = edge->next > 0 || to < from ? edge->next : to - from;
    if (next == 0)
        return "same";
    return next == 1 ? "next" : sl_arena_printf(&x->arena, "next:%u", (unsigned)next);
}

static void put_edge_json(struct sl_explain *x, yajl_gen gen, const struct sl_edge *edge,
                          uint32_t other)
{
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "node", sl_explain_name(x, other));
    sl_json_text(gen, "type", sl_edge_type_name(edge->type));
    sl_json_us(gen, "lag_us", edge->lag_ps);
    sl_json_text(gen, "object",
                 edge->object.i == SL_NONE ? NULL : x->graph->objects[edge->object.i].name);
    sl_json_text(gen, "scope", scope_text(x, edge));
    sl_json_text(gen, "evidence", sl_explain_evidence(x, edge->evidence, edge->evidence_text));
    yajl_gen_map_close(gen);
}

static void add_edge(struct sl_explain *x, struct sl_table *table, const struct sl_edge *edge,
                     uint32_t other)
{
    sl_table_add(table, "  %s", sl_explain_name(x, other));
    sl_table_add(table, "%s", sl_edge_type_name(edge->type));
    sl_table_add(table, "%s", edge->lag_ps ? sl_explain_time(x, edge->lag_ps) : "-");
    sl_table_add(table, "%s",
                 edge->object.i == SL_NONE ? "-" : x->graph->objects[edge->object.i].name);
    sl_table_add(table, "%s", scope_text(x, edge));
    sl_table_add(table, "%s",
                 sl_explain_clean(x, sl_explain_evidence(x, edge->evidence, edge->evidence_text)));
}

static void put_side(struct sl_explain *x, uint32_t node, bool in, FILE *out, yajl_gen gen)
{
    const struct sl_graph *graph = x->graph;
    const uint32_t *start = in ? graph->pred_start : graph->succ_start;
    const uint32_t *edges = in ? graph->pred_edges : graph->succ_edges;
    uint32_t count = start[node + 1] - start[node];
    static const char *const heads[] = {"type", "lag", "object", "scope", "evidence"};
    struct sl_table table = sl_table_make(&x->arena, "llrlll");
    sl_table_add(&table, "edges %s (%u)", in ? "in, from" : "out, to", (unsigned)count);
    for (size_t c = 0; c < 5; c++)
        sl_table_add(&table, "%s", heads[c]);
    if (gen)
        sl_json_open_array(gen, in ? "edges_in" : "edges_out");
    for (uint32_t k = 0; k < count; k++) {
        const struct sl_edge *edge = &graph->edges[edges[start[node] + k]];
        uint32_t other = in ? edge->from.i : edge->to.i;
        if (gen)
            put_edge_json(x, gen, edge, other);
        else if (k < SHOWN_EDGES)
            add_edge(x, &table, edge, other);
    }
    if (gen) {
        yajl_gen_array_close(gen);
    } else {
        putc('\n', out);
        sl_table_print(&table, out);
        if (count > SHOWN_EDGES)
            fprintf(out, "  and %u more: --json has all\n", (unsigned)(count - SHOWN_EDGES));
    }
    sl_table_free(&table);
}

void sl_explain_put_edges(struct sl_explain *x, uint32_t node, FILE *out, yajl_gen gen)
{
    put_side(x, node, true, out, gen);
    put_side(x, node, false, out, gen);
}

/* ---- overlap ------------------------------------------------------------------------------- */

/* The other side of a row that names the node or its class; NULL: it names neither. */
static const char *peer_of(const struct sl_explain *x, uint32_t index, const struct sl_overlap *row)
{
    const struct sl_node *node = &x->graph->nodes[sl_node_first(x->graph, index)];
    const char *klass = node->klass == SL_NONE ? "" : x->platform->kappa.classes.names[node->klass];
    if (strcmp(row->a, node->name) == 0 || strcmp(row->a, klass) == 0)
        return row->b;
    return strcmp(row->b, node->name) == 0 || strcmp(row->b, klass) == 0 ? row->a : NULL;
}

static void put_overlap_json(yajl_gen gen, const struct sl_overlap *row, const char *peer)
{
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "peer", peer);
    sl_json_bool(gen, "allowed", row->allowed);
    sl_json_text(gen, "proof", row->proof);
    sl_json_text(gen, "contention", row->contention);
    sl_json_us(gen, "earliest_us", row->earliest_ps);
    sl_json_us(gen, "latest_us", row->latest_ps);
    yajl_gen_map_close(gen);
}

static void add_overlap(struct sl_explain *x, struct sl_table *table, const struct sl_overlap *row,
                        const char *peer)
{
    sl_table_add(table, "  %s", sl_explain_clean(x, peer));
    sl_table_add(table, "%s", row->allowed ? "yes" : "forbidden");
    sl_table_add(table, "%s", sl_explain_clean(x, row->contention));
    sl_table_add(table, "%s", sl_explain_time(x, row->earliest_ps));
    sl_table_add(table, "%s",
                 row->latest_ps == INT64_MAX ? "-" : sl_explain_time(x, row->latest_ps));
    sl_table_add(table, "%s", sl_explain_clean(x, row->proof));
}

void sl_explain_put_overlaps(struct sl_explain *x, uint32_t index, FILE *out, yajl_gen gen)
{
    static const char *const heads[] = {"overlap with", "allowed", "contention",
                                        "earliest",     "latest",  "independence proof"};
    struct sl_table table = sl_table_make(&x->arena, "lllrrl");
    uint32_t rows = 0;
    for (size_t c = 0; c < 6; c++)
        sl_table_add(&table, "%s", heads[c]);
    if (gen)
        sl_json_open_array(gen, "overlap");
    for (uint32_t k = 0; k < x->graph->overlap_count; k++) {
        const struct sl_overlap *row = &x->graph->overlaps[k];
        const char *peer = peer_of(x, index, row);
        if (!peer)
            continue;
        if (gen)
            put_overlap_json(gen, row, peer);
        else if (rows < SHOWN_EDGES)
            add_overlap(x, &table, row, peer);
        rows++;
    }
    if (gen) {
        yajl_gen_array_close(gen);
    } else if (rows == 0) {
        fputs("\noverlap: no row of overlap.csv concerns it\n", out);
    } else {
        putc('\n', out);
        sl_table_print(&table, out);
        if (rows > SHOWN_EDGES)
            fprintf(out, "  and %u more: --json has all\n", (unsigned)(rows - SHOWN_EDGES));
    }
    sl_table_free(&table);
}
