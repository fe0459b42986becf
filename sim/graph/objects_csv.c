/* objects.csv: what is moved, kept and made again. */
#include <config.h>

#include "scenario_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOTAL_BYTES ((int64_t)1 << 61)

enum {
    OBJECT,
    SIZE,
    HOME,
    PLACEMENTS,
    ALIAS_OF,
    INITIAL,
    PERSIST,
    SHARED,
    RECONSTRUCT,
    EQUIVALENCE,
    RECLAIM_WHEN,
    EVIDENCE,
    COLUMNS
};
static const struct sl_column_spec columns[COLUMNS] = {
    [OBJECT] = {"object", true},
    [SIZE] = {"size", true},
    [HOME] = {"home", false},
    [PLACEMENTS] = {"placements", false},
    [ALIAS_OF] = {"alias_of", false},
    [INITIAL] = {"initial", false},
    [PERSIST] = {"persist", false},
    [SHARED] = {"shared", false},
    [RECONSTRUCT] = {"reconstruct", false},
    [EQUIVALENCE] = {"equivalence", false},
    [RECLAIM_WHEN] = {"reclaim_when", false},
    [EVIDENCE] = {"evidence", false},
};

static void add_placement(struct sl_loader *loader, struct sl_cell_text piece, void *user)
{
    struct sl_object *object = user;
    uint32_t domain;
    if (!sl_cell_domain(loader, piece, &domain))
        return;
    for (uint32_t i = 0; i < object->placements.count; i++)
        if (loader->graph->domains_pool[object->placements.first + i] == domain)
            return;
    /* Out of memory is remembered in loader->err and ends the load. */
    enum sl_status status =
        sl_graph_push_domain(loader->graph, &object->placements, domain, loader->err);
    (void)status;
}

/* Columns that an alias takes from its root, whatever it states; home and placements must agree. */
static void warn_alias(struct sl_loader *loader, const struct sl_csv *table, uint32_t row)
{
    static const unsigned own[] = {INITIAL, PERSIST, SHARED, RECONSTRUCT};
    struct sl_cell_text cell;
    for (size_t i = 0; i < SL_COUNT(own); i++)
        if (sl_cell(table, row, own[i], &cell))
            sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", cell.place,
                         "%s changes nothing: object '%s' is an alias and has its root's",
                         columns[own[i]].name, sl_csv_cell(table, row, OBJECT));
}

static void read_words(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                       struct sl_object *object)
{
    static const char *const equivalences[] = {"bitwise", "tolerance", "unknown"};
    static const char *const sharings[] = {"blocks"};
    struct sl_cell_text cell;
    unsigned word;
    if (sl_cell(table, row, PERSIST, &cell))
        sl_value_bool(&loader->reader, cell.text, cell.place, "persist", &object->persist);
    if (sl_cell(table, row, SHARED, &cell))
        object->shared = sl_value_choice(&loader->reader, cell.text, cell.place, "shared", sharings,
                                         SL_COUNT(sharings), NULL, &word);
    if (sl_cell(table, row, EQUIVALENCE, &cell) &&
        sl_value_choice(&loader->reader, cell.text, cell.place, "equivalence", equivalences, 3,
                        NULL, &word))
        object->equivalence = (enum sl_equivalence)(SL_EQ_BITWISE + word);
    if (sl_cell(table, row, RECLAIM_WHEN, &cell))
        object->reclaim_when = sl_arena_strdup(&loader->graph->arena, cell.text);
    if (sl_cell(table, row, EVIDENCE, &cell))
        sl_cell_evidence(loader, cell, &object->evidence, &object->evidence_text);
}

/* A quantity, or an expression of job parameters. */
static bool read_size(struct sl_loader *loader, struct sl_cell_text cell, struct sl_object *object)
{
    size_t split;
    double mean;
    if (sl_cell_form(loader, cell.text, &split) != SL_CELL_EXPR)
        return sl_value_bytes(&loader->reader, cell.text, cell.place, "size", &object->bytes);
    if (!sl_cell_expr(loader, cell, SL_EXPR_BYTES, "size", &object->size, &mean))
        return false;
    object->bytes = llround(mean);
    return true;
}

/* Adds one row; *total sums the bytes of all objects. */
static void read_row(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                     int64_t *total)
{
    struct sl_object object = sl_object_default();
    struct sl_cell_text cell;
    object.name = sl_csv_cell(table, row, OBJECT);
    object.place = sl_csv_place(table, row, OBJECT);
    object.place.file = table->file;
    if (!sl_value_name(&loader->reader, object.name, object.place, "object", ";"))
        return;
    if (sl_cell(table, row, SIZE, &cell)) {
        if (read_size(loader, cell, &object)) {
            if (object.bytes > MAX_TOTAL_BYTES - *total)
                sl_diags_add(loader->reader.diags, SL_ERROR, "too-many-bytes", cell.place,
                             "size: all objects together exceed 2^61 bytes");
            else
                *total += object.bytes;
        }
    } else {
        sl_diags_add(loader->reader.diags, SL_ERROR, "missing-value", object.place,
                     "object '%s' has no size", object.name);
    }
    if (sl_cell(table, row, PLACEMENTS, &cell))
        sl_cell_pieces(loader, cell, add_placement, &object);
    if (sl_cell(table, row, HOME, &cell))
        sl_cell_domain(loader, cell, &object.home);
    else if (object.placements.count > 0)
        object.home = loader->graph->domains_pool[object.placements.first];
    else if (loader->scenario->platform.domain_names.count == 1)
        object.home = 0;
    if (sl_cell(table, row, INITIAL, &cell))
        sl_cell_domain(loader, cell, &object.initial);
    read_words(loader, table, row, &object);
    struct sl_error err = {0};
    if (sl_graph_add_object(loader->graph, &object, NULL, &err))
        sl_diags_add(loader->reader.diags, SL_ERROR,
                     err.status == SL_SYSTEM ? "out-of-memory" : "duplicate-object", object.place,
                     "%s", err.message);
}

/* Names the alias cycle that starts at `first`. */
static void report_alias_cycle(struct sl_loader *loader, const uint32_t *alias, uint32_t first)
{
    const struct sl_graph *graph = loader->graph;
    char text[600];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", graph->objects[first].name);
    for (uint32_t at = alias[first];; at = alias[at]) {
        if (used < sizeof text - 1)
            used += (size_t)snprintf(text + used, sizeof text - used, " -> %s",
                                     graph->objects[at].name);
        if (at == first)
            break;
    }
    sl_diags_add(loader->reader.diags, SL_ERROR, "alias-cycle", graph->objects[first].place,
                 "aliases of each other: %s", text);
}

/* Replaces each alias by its root.  state: 0 new, 1 on the path, 2 resolved. */
static void resolve_aliases(struct sl_loader *loader, uint32_t *alias, unsigned char *state)
{
    struct sl_graph *graph = loader->graph;
    for (uint32_t start = 0; start < graph->object_count; start++) {
        uint32_t at = start;
        while (state[at] == 0 && alias[at] != SL_NONE) {
            state[at] = 1;
            at = alias[at];
        }
        bool cycle = state[at] == 1;
        if (cycle)
            report_alias_cycle(loader, alias, at);
        uint32_t root = cycle || alias[at] == SL_NONE ? at : graph->objects[at].alias_of.i;
        if (root == SL_NONE) /* behind a cycle, which is reported already */
            root = at;
        state[at] = state[at] == 1 ? 1 : 2;
        for (uint32_t i = start; state[i] == 1;) {
            uint32_t next = alias[i];
            state[i] = 2;
            if (!cycle)
                graph->objects[i].alias_of.i = root;
            i = next;
        }
    }
}

/* Second pass over column alias_of: roots may stand below their aliases. */
static enum sl_status read_aliases(struct sl_loader *loader, const struct sl_csv *table,
                                   bool complete)
{
    struct sl_graph *graph = loader->graph;
    struct sl_cell_text cell;
    size_t size = (size_t)graph->object_count + 1;
    uint32_t *alias = malloc(size * sizeof *alias);
    unsigned char *state = calloc(size, 1);
    if (!alias || !state) {
        free(alias);
        free(state);
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
    }
    memset(alias, 0xff, size * sizeof *alias);
    loader->objects_known = complete;
    for (uint32_t row = 0; row < table->row_count; row++) {
        sl_object_id root;
        if (!sl_cell(table, row, ALIAS_OF, &cell) || !sl_cell_object(loader, cell, &root))
            continue;
        uint32_t object = sl_names_find(&graph->object_names, sl_csv_cell(table, row, OBJECT));
        if (object != SL_NONE && graph->objects[object].place.line == (int)table->lines[row]) {
            alias[object] = root.i;
            if (sl_cell(table, row, HOME, &cell))
                graph->objects[object].alias_home = graph->objects[object].home;
            warn_alias(loader, table, row);
        }
    }
    resolve_aliases(loader, alias, state);
    for (uint32_t i = 0; i < graph->object_count; i++)
        if (graph->objects[i].alias_of.i != SL_NONE) {
            graph->objects[i].home = graph->objects[graph->objects[i].alias_of.i].home;
            graph->objects[i].shared = graph->objects[graph->objects[i].alias_of.i].shared;
        }
    free(alias);
    free(state);
    return SL_OK;
}

/* Reconstruction nodes are read after nodes.csv; until then the cells wait here. */
enum sl_status sl_load_objects(struct sl_loader *loader)
{
    const char *path = sl_table_path(loader, "objects", "objects.csv");
    if (!path) {
        loader->objects_known = !sl_yaml_get(loader->root, "objects");
        return SL_OK;
    }
    struct sl_csv table;
    bool usable, complete;
    int64_t total = 0;
    enum sl_status status =
        sl_table_read(loader, &table, path, columns, COLUMNS, &usable, &complete);
    if (status == SL_OK && usable) {
        for (uint32_t row = 0; row < table.row_count; row++)
            read_row(loader, &table, row, &total);
        status = read_aliases(loader, &table, complete);
    }
    if (status == SL_OK && usable && table.present[RECONSTRUCT]) {
        loader->objects_table = table;
        loader->objects_table_kept = true;
    } else {
        sl_csv_free(&table);
    }
    return status ? status : loader->err->status;
}

/* An object that nodes use must say in which domain they do. */
static void check_homes(struct sl_loader *loader)
{
    const struct sl_graph *graph = loader->graph;
    if (loader->scenario->platform.domain_names.count < 2)
        return;
    bool *used = calloc((size_t)graph->object_count + 1, sizeof *used);
    for (uint32_t i = 0; used && i < graph->node_count; i++) {
        const struct sl_span lists[] = {graph->nodes[i].inputs, graph->nodes[i].outputs};
        for (size_t l = 0; l < 2; l++)
            for (uint32_t k = 0; k < lists[l].count; k++)
                used[sl_object_root(graph, graph->objects_pool[lists[l].first + k]).i] = true;
    }
    for (uint32_t i = 0; used && i < graph->object_count; i++)
        if (used[i] && graph->objects[i].home == SL_NONE)
            sl_diags_add(loader->reader.diags, SL_ERROR, "missing-home", graph->objects[i].place,
                         "object '%s' is used by nodes: with several domains it needs a home or "
                         "placements",
                         graph->objects[i].name);
    free(used);
}

void sl_load_object_nodes(struct sl_loader *loader)
{
    if (loader->platform_known && loader->objects_known)
        check_homes(loader);
    if (!loader->objects_table_kept)
        return;
    struct sl_graph *graph = loader->graph;
    for (uint32_t row = 0; row < loader->objects_table.row_count; row++) {
        struct sl_cell_text cell;
        sl_node_id node;
        if (!sl_cell(&loader->objects_table, row, RECONSTRUCT, &cell) ||
            !sl_cell_node(loader, cell, &node))
            continue;
        uint32_t object =
            sl_names_find(&graph->object_names, sl_csv_cell(&loader->objects_table, row, OBJECT));
        if (object != SL_NONE)
            graph->objects[object].reconstruct = node;
    }
    sl_csv_free(&loader->objects_table);
    loader->objects_table_kept = false;
}
