/* overlap.csv: pairs of classes or nodes that may, or may not, run together. */
#include <config.h>

#include "scenario_parts.h"
#include <string.h>

enum { A, B, ALLOWED, PROOF, CONTENTION, EARLIEST, LATEST, COLUMNS };
static const struct sl_column_spec columns[COLUMNS] = {
    [A] = {"a", true},
    [B] = {"b", true},
    [ALLOWED] = {"allowed", false},
    [PROOF] = {"proof", false},
    [CONTENTION] = {"contention", false},
    [EARLIEST] = {"earliest", false},
    [LATEST] = {"latest", false},
};

/* A class or a node, kept by name. */
static const char *side(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                        uint32_t column)
{
    struct sl_cell_text cell;
    if (!sl_cell(table, row, column, &cell)) {
        struct sl_place place = {table->file, (int)table->lines[row], 1};
        sl_diags_add(loader->reader.diags, SL_ERROR, "missing-value", place, "column '%s' is empty",
                     columns[column].name);
        return NULL;
    }
    const struct sl_names *classes = &loader->scenario->platform.kappa.classes;
    sl_node_id node;
    if (sl_names_find(classes, cell.text) == SL_NONE &&
        sl_names_find(&loader->graph->node_names, cell.text) == SL_NONE) {
        if (!loader->nodes_known)
            return NULL;
        if (sl_nearest(cell.text, classes->names, classes->count))
            sl_value_ref(&loader->reader, cell.text, cell.place, "class", classes, &node.i);
        else
            sl_cell_node(loader, cell, &node);
        return NULL;
    }
    return sl_arena_strdup(&loader->graph->arena, cell.text);
}

static const char *text_or_null(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                                uint32_t column)
{
    struct sl_cell_text cell;
    return sl_cell(table, row, column, &cell) ? sl_arena_strdup(&loader->graph->arena, cell.text)
                                              : NULL;
}

static void read_row(struct sl_loader *loader, const struct sl_csv *table, uint32_t row)
{
    struct sl_graph *graph = loader->graph;
    struct sl_cell_text cell;
    struct sl_overlap overlap = {.allowed = true};
    overlap.place = sl_csv_place(table, row, A);
    overlap.place.file = table->file;
    overlap.a = side(loader, table, row, A);
    overlap.b = side(loader, table, row, B);
    if (sl_cell(table, row, ALLOWED, &cell))
        sl_value_bool(&loader->reader, cell.text, cell.place, "allowed", &overlap.allowed);
    overlap.proof = text_or_null(loader, table, row, PROOF);
    overlap.contention = text_or_null(loader, table, row, CONTENTION);
    overlap.earliest = text_or_null(loader, table, row, EARLIEST);
    overlap.latest = text_or_null(loader, table, row, LATEST);
    for (uint32_t column = CONTENTION; column <= LATEST; column++)
        if (sl_cell(table, row, column, &cell))
            sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", cell.place,
                         "%s changes nothing in this version", columns[column].name);
    if (!overlap.a || !overlap.b)
        return;
    if (!sl_grow((void **)&graph->overlaps, &graph->overlap_capacity, graph->overlap_count + 1,
                 sizeof *graph->overlaps)) {
        sl_diags_add(loader->reader.diags, SL_ERROR, "out-of-memory", overlap.place,
                     "out of memory");
        return;
    }
    graph->overlaps[graph->overlap_count++] = overlap;
}

enum sl_status sl_load_overlap(struct sl_loader *loader)
{
    const char *path = sl_table_path(loader, "overlap", "overlap.csv");
    if (!path)
        return SL_OK;
    struct sl_csv table;
    bool usable, complete;
    enum sl_status status =
        sl_table_read(loader, &table, path, columns, COLUMNS, &usable, &complete);
    for (uint32_t row = 0; status == SL_OK && usable && row < table.row_count; row++)
        read_row(loader, &table, row);
    sl_csv_free(&table);
    return status;
}
