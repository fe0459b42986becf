/* edges.csv: who waits for whom, and why. */
#include <config.h>

#include "scenario_parts.h"
#include <string.h>

#define MAX_EDGES (64u << 20)
#define MAX_NEXT  1000000

enum { FROM, TO, TYPE, LAG, OBJECT, SCOPE, EVIDENCE, COLUMNS };
static const struct sl_column_spec columns[COLUMNS] = {
    [FROM] = {"from", true},          [TO] = {"to", true},          [TYPE] = {"type", false},
    [LAG] = {"lag", false},           [OBJECT] = {"object", false}, [SCOPE] = {"scope", false},
    [EVIDENCE] = {"evidence", false},
};

/* same | next | next:2 */
static void read_scope(struct sl_loader *loader, struct sl_cell_text cell, struct sl_edge *edge)
{
    int64_t distance;
    if (strncmp(cell.text, "next:", 5) == 0) {
        if (sl_value_integer(&loader->reader, cell.text + 5, cell.place, "scope", 1, MAX_NEXT,
                             &distance))
            edge->next = (uint32_t)distance;
        return;
    }
    static const char *const words[] = {"same", "next", "next:2"};
    unsigned word;
    if (sl_value_choice(&loader->reader, cell.text, cell.place, "scope", words, 3, NULL, &word))
        edge->next = word;
}

static void read_words(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                       struct sl_edge *edge)
{
    struct sl_cell_text cell;
    if (sl_cell(table, row, TYPE, &cell)) {
        const char *words[SL_EDGE_TYPES];
        for (unsigned k = 0; k < SL_EDGE_TYPES; k++)
            words[k] = sl_edge_type_name((enum sl_edge_type)k);
        unsigned word;
        if (sl_value_choice(&loader->reader, cell.text, cell.place, "type", words, SL_EDGE_TYPES,
                            "unknown-type", &word))
            edge->type = (enum sl_edge_type)word;
    }
    if (sl_cell(table, row, LAG, &cell))
        sl_value_time(&loader->reader, cell.text, cell.place, "lag", &edge->lag_ps);
    if (sl_cell(table, row, OBJECT, &cell))
        sl_cell_object(loader, cell, &edge->object);
    if (sl_cell(table, row, SCOPE, &cell))
        read_scope(loader, cell, edge);
    if (sl_cell(table, row, EVIDENCE, &cell))
        sl_cell_evidence(loader, cell, &edge->evidence, &edge->evidence_text);
}

static enum sl_status read_row(struct sl_loader *loader, const struct sl_csv *table, uint32_t row)
{
    struct sl_edge edge = {.type = SL_EDGE_DATA, .object = {SL_NONE}};
    struct sl_cell_text from, to;
    bool complete = true;
    edge.place = sl_csv_place(table, row, FROM);
    edge.place.file = table->file;
    if (!sl_cell(table, row, FROM, &from) || !sl_cell(table, row, TO, &to)) {
        edge.place.line = (int)table->lines[row];
        sl_diags_add(loader->reader.diags, SL_ERROR, "missing-value", edge.place,
                     "an edge needs from and to");
        return SL_OK;
    }
    complete &= sl_cell_node(loader, from, &edge.from);
    complete &= sl_cell_node(loader, to, &edge.to);
    read_words(loader, table, row, &edge);
    if (!complete)
        return SL_OK;
    if (edge.from.i == edge.to.i && edge.next == 0) {
        sl_diags_add(loader->reader.diags, SL_ERROR, "self-edge", edge.place,
                     "node '%s' cannot wait for itself (scope next can)", from.text);
        return SL_OK;
    }
    return sl_graph_add_edge(loader->graph, &edge, loader->err);
}

enum sl_status sl_load_edges(struct sl_loader *loader)
{
    const char *path = sl_table_path(loader, "edges", "edges.csv");
    if (!path)
        return SL_OK;
    struct sl_csv table;
    bool usable, complete;
    enum sl_status status =
        sl_table_read(loader, &table, path, columns, COLUMNS, &usable, &complete);
    if (status == SL_OK && usable && table.row_count > MAX_EDGES) {
        sl_diags_add(loader->reader.diags, SL_ERROR, "too-many", (struct sl_place){path, 1, 1},
                     "%u edges (allowed: %u)", table.row_count, MAX_EDGES);
    } else if (status == SL_OK && usable) {
        struct sl_graph *graph = loader->graph;
        if (!sl_graph_reserve_edges(graph, table.row_count))
            status = SL_FAIL(loader->err, SL_SYSTEM, "out of memory for %u edges", table.row_count);
        for (uint32_t row = 0; status == SL_OK && row < table.row_count; row++)
            status = read_row(loader, &table, row);
    }
    sl_csv_free(&table);
    return status;
}
