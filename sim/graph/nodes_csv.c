/* nodes.csv: one row a node.  A first pass adds the nodes, a second resolves what names nodes. */
#include <config.h>

#include "nodes_csv.h"
#include <math.h>
#include <string.h>

static const struct sl_column_spec columns[SL_NODE_COLUMNS] = {
    [SL_COL_NODE] = {"node", true},
    [SL_COL_KEY] = {"key", false},
    [SL_COL_KIND] = {"kind", true},
    [SL_COL_CLASS] = {"class", false},
    [SL_COL_RESOURCE] = {"resource", false},
    [SL_COL_DURATION] = {"duration", false},
    [SL_COL_INPUTS] = {"inputs", false},
    [SL_COL_OUTPUTS] = {"outputs", false},
    [SL_COL_OBJECT] = {"object", false},
    [SL_COL_FROM] = {"from", false},
    [SL_COL_TO] = {"to", false},
    [SL_COL_WORKSPACE] = {"workspace", false},
    [SL_COL_STAGING] = {"staging", false},
    [SL_COL_STAGING_UNTIL] = {"staging_until", false},
    [SL_COL_LANE] = {"lane", false},
    [SL_COL_LAYER] = {"layer", false},
    [SL_COL_GUARD] = {"guard", false},
    [SL_COL_RELEASE] = {"release", false},
    [SL_COL_DEADLINE] = {"deadline", false},
    [SL_COL_PRIORITY] = {"priority", false},
    [SL_COL_FALLBACK] = {"fallback", false},
    [SL_COL_WORK] = {"work", false},
    [SL_COL_EVIDENCE] = {"evidence", false},
    [SL_COL_CONFIDENCE] = {"confidence", false},
    [SL_COL_STEPS] = {"steps", false},
};

/* A list under construction: the node's span, and what it is called in messages. */
struct list {
    struct sl_span *span;
    const char *what;
};

static void report(struct sl_loader *loader, const char *code, struct sl_cell_text cell,
                   const char *what, const char *why)
{
    sl_diags_add(loader->reader.diags, SL_ERROR, code, cell.place, "%s '%s': %s", what, cell.text,
                 why);
}

/* "compute:2" */
static void add_demand(struct sl_loader *loader, struct sl_cell_text piece, void *user)
{
    struct list *list = user;
    struct sl_graph *graph = loader->graph;
    char name[1024];
    snprintf(name, sizeof name, "%s", piece.text);
    char *colon = strrchr(name, ':');
    int64_t units = 1;
    if (colon) {
        struct sl_place place = piece.place;
        if (place.column > 0)
            place.column += (int)(colon - name) + 1;
        if (!sl_value_integer(&loader->reader, colon + 1, place, "units", 1, 1 << 20, &units))
            return;
        *colon = '\0';
    }
    const struct sl_names *names = &loader->scenario->platform.resource_names;
    struct sl_demand demand = {sl_names_find(names, name), (uint32_t)units};
    if (demand.resource == SL_NONE) {
        if (loader->platform_known)
            sl_value_ref(&loader->reader, name, piece.place, "resource", names, &demand.resource);
        return;
    }
    for (uint32_t i = 0; i < list->span->count; i++)
        if (graph->demands[list->span->first + i].resource == demand.resource) {
            report(loader, "duplicate-demand", piece, "resource", "demanded twice by one node");
            return;
        }
    if (list->span->count == SL_MAX_DEMANDS) {
        report(loader, "too-many", piece, "resource", "more than 16 demands of one node");
        return;
    }
    enum sl_status status = sl_graph_push_demand(graph, list->span, demand, loader->err);
    (void)status; /* out of memory stays in loader->err and ends the load */
}

/* "hbm:64MiB" */
static void add_amount(struct sl_loader *loader, struct sl_cell_text piece, void *user)
{
    struct list *list = user;
    char name[1024];
    snprintf(name, sizeof name, "%s", piece.text);
    char *colon = strchr(name, ':');
    if (!colon) {
        report(loader, "bad-quantity", piece, list->what,
               "expected DOMAIN:BYTES, such as hbm:64MiB");
        return;
    }
    *colon = '\0';
    struct sl_amount amount = {SL_NONE, 0};
    struct sl_cell_text domain = {name, piece.place};
    struct sl_place place = piece.place;
    if (place.column > 0)
        place.column += (int)(colon - name) + 1;
    bool known = sl_cell_domain(loader, domain, &amount.domain);
    if (!sl_value_bytes(&loader->reader, colon + 1 + strspn(colon + 1, " "), place, list->what,
                        &amount.bytes) ||
        !known || amount.bytes == 0)
        return;
    for (uint32_t i = 0; i < list->span->count; i++)
        if (loader->graph->amounts[list->span->first + i].domain == amount.domain) {
            report(loader, "duplicate-demand", piece, list->what, "the domain is named twice");
            return;
        }
    if (list->span->count == SL_MAX_DEMANDS) {
        report(loader, "too-many", piece, list->what, "more than 16 domains of one node");
        return;
    }
    enum sl_status status = sl_graph_push_amount(loader->graph, list->span, amount, loader->err);
    (void)status;
}

static void add_object(struct sl_loader *loader, struct sl_cell_text piece, void *user)
{
    struct list *list = user;
    sl_object_id object;
    if (!sl_cell_object(loader, piece, &object))
        return;
    enum sl_status status = sl_graph_push_object(loader->graph, list->span, object, loader->err);
    (void)status;
}

static void read_kind(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                      struct sl_node *node)
{
    struct sl_cell_text cell;
    if (!sl_cell(table, row, SL_COL_KIND, &cell)) {
        sl_diags_add(loader->reader.diags, SL_ERROR, "missing-value", node->place,
                     "node '%s' has no kind", node->name);
        return;
    }
    const char *words[SL_NODE_KINDS];
    for (unsigned k = 0; k < SL_NODE_KINDS; k++)
        words[k] = sl_node_kind_name((enum sl_node_kind)k);
    unsigned word;
    if (sl_value_choice(&loader->reader, cell.text, cell.place, "kind", words, SL_NODE_KINDS,
                        "unknown-kind", &word))
        node->kind = (enum sl_node_kind)word;
}

static void read_class_and_lane(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                                struct sl_node *node)
{
    struct sl_graph *graph = loader->graph;
    struct sl_names *classes = &loader->scenario->platform.kappa.classes;
    struct sl_cell_text cell;
    if (sl_cell(table, row, SL_COL_CLASS, &cell) &&
        sl_value_name(&loader->reader, cell.text, cell.place, "class", ";+"))
        node->klass = sl_value_add(&loader->reader, classes, cell.text, cell.place);
    if (sl_cell(table, row, SL_COL_LANE, &cell) &&
        sl_value_name(&loader->reader, cell.text, cell.place, "lane", ""))
        node->lane = sl_value_add(&loader->reader, &graph->lane_names, cell.text, cell.place);
    if (sl_cell(table, row, SL_COL_LAYER, &cell) &&
        sl_value_name(&loader->reader, cell.text, cell.place, "layer", ""))
        node->layer = sl_value_add(&loader->reader, &graph->layer_names, cell.text, cell.place);
}

static void read_lists(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                       struct sl_node *node)
{
    struct sl_cell_text cell;
    if (sl_cell(table, row, SL_COL_RESOURCE, &cell))
        sl_cell_pieces(loader, cell, add_demand, &(struct list){&node->demands, "resource"});
    if (sl_cell(table, row, SL_COL_WORKSPACE, &cell))
        sl_cell_pieces(loader, cell, add_amount, &(struct list){&node->workspace, "workspace"});
    if (sl_cell(table, row, SL_COL_STAGING, &cell))
        sl_cell_pieces(loader, cell, add_amount, &(struct list){&node->staging, "staging"});
    if (sl_cell(table, row, SL_COL_INPUTS, &cell))
        sl_cell_pieces(loader, cell, add_object, &(struct list){&node->inputs, "inputs"});
    if (sl_cell(table, row, SL_COL_OUTPUTS, &cell))
        sl_cell_pieces(loader, cell, add_object, &(struct list){&node->outputs, "outputs"});
    if (sl_cell(table, row, SL_COL_OBJECT, &cell))
        sl_cell_object(loader, cell, &node->object);
    if (sl_cell(table, row, SL_COL_FROM, &cell))
        sl_cell_domain(loader, cell, &node->from);
    if (sl_cell(table, row, SL_COL_TO, &cell))
        sl_cell_domain(loader, cell, &node->to);
}

static void read_times(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                       struct sl_node *node)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_cell_text cell;
    if (sl_cell(table, row, SL_COL_RELEASE, &cell))
        sl_value_time(reader, cell.text, cell.place, "release", &node->release_ps);
    if (sl_cell(table, row, SL_COL_DEADLINE, &cell))
        sl_value_time(reader, cell.text, cell.place, "deadline", &node->deadline_ps);
    if (sl_cell(table, row, SL_COL_PRIORITY, &cell))
        sl_value_number(reader, cell.text, cell.place, "priority", -1e12, 1e12, &node->priority);
    if (sl_cell(table, row, SL_COL_CONFIDENCE, &cell))
        sl_value_number(reader, cell.text, cell.place, "confidence", 0.0, 1.0, &node->confidence);
    if (sl_cell(table, row, SL_COL_EVIDENCE, &cell))
        sl_cell_evidence(loader, cell, &node->evidence, &node->evidence_text);
    if (sl_cell(table, row, SL_COL_GUARD, &cell))
        sl_load_terms(loader, cell, node);
}

static void read_steps(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                       struct sl_node *node)
{
    struct sl_cell_text cell;
    if (!sl_cell(table, row, SL_COL_STEPS, &cell))
        return;
    if (!sl_scenario_has_jobs(loader->scenario)) {
        sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", cell.place,
                     "steps of node '%s' change nothing in mode %s: it makes one", node->name,
                     sl_mode_words[loader->scenario->mode]);
        return;
    }
    double mean;
    if (!sl_cell_expr(loader, cell, SL_EXPR_NUMBER, "steps", &node->steps, &mean))
        return;
    if (mean >= 1 && mean <= SL_MOST_STEPS && (node->steps || mean == floor(mean)))
        node->steps_mean = mean;
    else
        sl_diags_add(loader->reader.diags, SL_ERROR, "bad-value", cell.place,
                     "steps '%s': %.10g%s (allowed: 1 to %d, whole where no parameter is in it)",
                     cell.text, mean, node->steps ? " at the means of the parameters" : "",
                     SL_MOST_STEPS);
}

static void read_row(struct sl_loader *loader, const struct sl_csv *table, uint32_t row)
{
    struct sl_node node = sl_node_default();
    struct sl_cell_text cell;
    node.name = sl_csv_cell(table, row, SL_COL_NODE);
    node.place = sl_csv_place(table, row, SL_COL_NODE);
    node.place.file = table->file;
    if (!sl_value_name(&loader->reader, node.name, node.place, "node", ""))
        return;
    if (sl_cell(table, row, SL_COL_KEY, &cell) &&
        sl_value_name(&loader->reader, cell.text, cell.place, "key", ""))
        node.key = sl_arena_strdup(&loader->graph->arena, cell.text);
    read_kind(loader, table, row, &node);
    read_class_and_lane(loader, table, row, &node);
    read_lists(loader, table, row, &node);
    read_times(loader, table, row, &node);
    read_steps(loader, table, row, &node);
    sl_load_duration(loader, table, row, &node);
    struct sl_error err = {0};
    if (sl_graph_add_node(loader->graph, &node, NULL, &err))
        sl_diags_add(loader->reader.diags, SL_ERROR,
                     err.status == SL_SYSTEM ? "out-of-memory" : "duplicate-node", node.place, "%s",
                     err.message);
}

/* staging_until and fallback name other nodes, which may stand below. */
static void resolve_row(struct sl_loader *loader, const struct sl_csv *table, uint32_t row)
{
    struct sl_graph *graph = loader->graph;
    struct sl_cell_text until, fallback;
    bool has_until = sl_cell(table, row, SL_COL_STAGING_UNTIL, &until);
    bool has_fallback = sl_cell(table, row, SL_COL_FALLBACK, &fallback);
    if (!has_until && !has_fallback)
        return;
    uint32_t index = sl_names_find(&graph->node_names, sl_csv_cell(table, row, SL_COL_NODE));
    struct sl_node *node = index == SL_NONE ? NULL : sl_graph_edit_node(graph, index, loader->err);
    sl_node_id other;
    if (has_until && sl_cell_node(loader, until, &other) && node) {
        node->staging_until = other;
        if (node->staging.count == 0)
            sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", until.place,
                         "staging_until changes nothing: node '%s' has no staging", node->name);
    }
    if (has_fallback && sl_cell_node(loader, fallback, &other) && node) {
        if (other.i == index)
            report(loader, "bad-fallback", fallback, "fallback", "a node cannot replace itself");
        else
            node->fallback = other;
    }
}

enum sl_status sl_load_nodes(struct sl_loader *loader)
{
    const char *path = sl_table_path(loader, "nodes", "nodes.csv");
    if (!path) {
        if (!sl_yaml_get(loader->root, "nodes"))
            sl_diags_add(loader->reader.diags, SL_ERROR, "missing-key", loader->root->place,
                         "a scenario lacks the key 'nodes', and there is no nodes.csv beside it");
        return SL_OK;
    }
    struct sl_csv table;
    bool usable, complete;
    enum sl_status status =
        sl_table_read(loader, &table, path, columns, SL_NODE_COLUMNS, &usable, &complete);
    if (status == SL_OK && usable && table.row_count > SL_MAX_NODES) {
        sl_diags_add(loader->reader.diags, SL_ERROR, "too-many", (struct sl_place){path, 1, 1},
                     "%u nodes (allowed: %u)", table.row_count, SL_MAX_NODES);
    } else if (status == SL_OK && usable) {
        struct sl_graph *graph = loader->graph;
        if (!sl_graph_reserve_nodes(graph, table.row_count))
            status = SL_FAIL(loader->err, SL_SYSTEM, "out of memory for %u nodes", table.row_count);
        for (uint32_t row = 0; status == SL_OK && row < table.row_count; row++)
            read_row(loader, &table, row);
        loader->nodes_known = complete;
        for (uint32_t row = 0; status == SL_OK && row < table.row_count; row++)
            resolve_row(loader, &table, row);
    }
    sl_csv_free(&table);
    if (loader->literal_count > 0)
        sl_diags_add(loader->reader.diags, SL_WARNING, "literal-duration", loader->literal_first,
                     "%u compute durations are written out although device '%s' measured their "
                     "class: they tie the scenario to one device (column work does not)",
                     loader->literal_count, loader->scenario->platform.device_name);
    return status ? status : loader->err->status;
}
