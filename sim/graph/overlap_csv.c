/* overlap.csv: pairs of classes or nodes that may, or may not, run together; when that may begin
 * and how much it slows them down. */
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

/* "1.2" for both, or "1.2;1.05": kappa(a|b) and kappa(b|a). */
struct estimate {
    double kappa[2];
    uint32_t count;
    bool sound;
};

static void read_estimate(struct sl_loader *loader, struct sl_cell_text piece, void *user)
{
    struct estimate *estimate = user;
    double value;
    bool sound = sl_value_number(&loader->reader, piece.text, piece.place, "contention", 1.0,
                                 SL_KAPPA_MAX, &value);
    estimate->sound &= sound;
    if (sound && estimate->count < 2)
        estimate->kappa[estimate->count] = value;
    estimate->count++;
}

/* The estimate becomes a row of the table; one that the table has already wins. */
static enum sl_status add_estimate(struct sl_loader *loader, struct sl_cell_text cell,
                                   uint32_t victim, uint32_t other, double value)
{
    struct sl_kappa *kappa = &loader->scenario->platform.kappa;
    const struct sl_kappa_row *known = sl_kappa_pair_row(kappa, victim, other);
    if (known && known->place.file != cell.place.file) {
        sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", cell.place,
                     "contention changes nothing for '%s' beside '%s': the kappa table has that "
                     "pair (%s:%d)",
                     kappa->classes.names[victim], kappa->classes.names[other],
                     known->place.file ? known->place.file : "?", known->place.line);
        return SL_OK;
    }
    struct sl_kappa_row row = {.victim = victim,
                               .set_size = 1,
                               .set = &other,
                               .kappa = value,
                               .lo = value,
                               .hi = value,
                               .place = cell.place};
    return sl_kappa_add_row(kappa, row, loader->reader.arena, loader->reader.diags, loader->err);
}

static enum sl_status read_contention(struct sl_loader *loader, struct sl_cell_text cell,
                                      struct sl_overlap *overlap)
{
    struct sl_diags *diags = loader->reader.diags;
    const struct sl_names *classes = &loader->scenario->platform.kappa.classes;
    struct estimate estimate = {.sound = true};
    overlap->contention = sl_arena_strdup(&loader->graph->arena, cell.text);
    sl_cell_pieces(loader, cell, read_estimate, &estimate);
    if (!estimate.sound || !overlap->a || !overlap->b)
        return SL_OK;
    uint32_t a = sl_names_find(classes, overlap->a), b = sl_names_find(classes, overlap->b);
    if (estimate.count < 1 || estimate.count > 2) {
        sl_diags_add(diags, SL_ERROR, "bad-value", cell.place,
                     "contention '%s': one number for both, or two as '1.2;1.05' (a beside b; b "
                     "beside a)",
                     cell.text);
        return SL_OK;
    }
    if (a == SL_NONE || b == SL_NONE) {
        sl_diags_add(diags, SL_ERROR, "bad-value", cell.place,
                     "contention of '%s' and '%s': '%s' is a node, and kappa belongs to classes; "
                     "give the node a class of its own and name that",
                     overlap->a, overlap->b, a == SL_NONE ? overlap->a : overlap->b);
        return SL_OK;
    }
    if (a == b && estimate.count == 2 && estimate.kappa[0] != estimate.kappa[1]) {
        sl_diags_add(diags, SL_ERROR, "bad-value", cell.place,
                     "contention '%s': '%s' beside itself has one kappa", cell.text, overlap->a);
        return SL_OK;
    }
    double back = estimate.kappa[estimate.count - 1];
    enum sl_status status = add_estimate(loader, cell, a, b, estimate.kappa[0]);
    return status || a == b ? status : add_estimate(loader, cell, b, a, back);
}

/* When a permitted overlap may begin. */
static void read_window(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                        struct sl_overlap *overlap)
{
    struct sl_cell_text earliest, latest;
    bool has_earliest = sl_cell(table, row, EARLIEST, &earliest),
         has_latest = sl_cell(table, row, LATEST, &latest);
    overlap->earliest_ps = 0;
    overlap->latest_ps = INT64_MAX;
    if (has_earliest)
        sl_value_time(&loader->reader, earliest.text, earliest.place, "earliest",
                      &overlap->earliest_ps);
    if (has_latest)
        sl_value_time(&loader->reader, latest.text, latest.place, "latest", &overlap->latest_ps);
    if (overlap->earliest_ps > overlap->latest_ps)
        sl_diags_add(loader->reader.diags, SL_ERROR, "bad-value", latest.place,
                     "latest '%s' lies before earliest '%s': the overlap could never begin (state "
                     "allowed false instead)",
                     latest.text, earliest.text);
}

/* What a pair that never runs together has no use for. */
static void warn_forbidden(struct sl_loader *loader, const struct sl_csv *table, uint32_t row)
{
    struct sl_cell_text cell;
    for (uint32_t column = CONTENTION; column <= LATEST; column++)
        if (sl_cell(table, row, column, &cell))
            sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", cell.place,
                         "%s changes nothing where the overlap is not allowed",
                         columns[column].name);
}

static enum sl_status read_row(struct sl_loader *loader, const struct sl_csv *table, uint32_t row)
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
    if (sl_cell(table, row, PROOF, &cell))
        overlap.proof = sl_arena_strdup(&graph->arena, cell.text);
    read_window(loader, table, row, &overlap);
    enum sl_status status = SL_OK;
    if (!overlap.allowed)
        warn_forbidden(loader, table, row);
    else if (sl_cell(table, row, CONTENTION, &cell))
        status = read_contention(loader, cell, &overlap);
    if (status || !overlap.a || !overlap.b)
        return status;
    if (!sl_grow((void **)&graph->overlaps, &graph->overlap_capacity, graph->overlap_count + 1,
                 sizeof *graph->overlaps))
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
    graph->overlaps[graph->overlap_count++] = overlap;
    return SL_OK;
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
        status = read_row(loader, &table, row);
    sl_csv_free(&table);
    return status;
}
