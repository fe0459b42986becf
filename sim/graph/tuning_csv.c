/* Tables of choices: what a policy lays down gap by gap, and node by node of its plan.
 *
 *     object,gap,action,prefetch,node,priority,after,release
 *     x.3,1,offload,jit:0.99,,,,          the first gap of x.3
 *     w.0,0,,lookahead:2,,,,              the first arrival of w.0
 *     ,,,,prefetch:x.3,2,f5,10us          a node of the plan
 *
 * A row is about an object or about a node.  What the words mean is the business of policy/. */
#include <config.h>

#include "scenario_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_GAPS 1000000

enum { OBJECT, GAP, ACTION, PREFETCH, NODE, PRIORITY, AFTER, RELEASE, COLUMNS };
static const struct sl_column_spec columns[COLUMNS] = {
    [OBJECT] = {"object", false}, [GAP] = {"gap", false},
    [ACTION] = {"action", false}, [PREFETCH] = {"prefetch", false},
    [NODE] = {"node", false},     [PRIORITY] = {"priority", false},
    [AFTER] = {"after", false},   [RELEASE] = {"release", false},
};

/* The text of a cell and its column; NULL: the cell is empty. */
static const char *text_of(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                           uint32_t column, int *at)
{
    struct sl_cell_text cell;
    if (!sl_cell(table, row, column, &cell))
        return NULL;
    *at = cell.place.column;
    return sl_arena_strdup(loader->reader.arena, cell.text);
}

static void fault(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                  uint32_t column, const char *what)
{
    struct sl_place place = sl_csv_place(table, row, column);
    place.file = table->file;
    sl_diags_add(loader->reader.diags, SL_ERROR, "bad-value", place, "%s", what);
}

/* Columns that say nothing in this kind of row. */
static void refuse(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                   uint32_t first, uint32_t last, const char *what)
{
    struct sl_cell_text cell;
    for (uint32_t c = first; c <= last; c++)
        if (sl_cell(table, row, c, &cell))
            fault(loader, table, row, c, what);
}

static enum sl_status read_gap(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                               struct sl_cell_text name, struct sl_tuning *tuning)
{
    struct sl_gap_choice choice = {.place = name.place};
    struct sl_cell_text cell;
    sl_object_id object;
    int64_t gap = 1;
    refuse(loader, table, row, PRIORITY, RELEASE,
           "priority, after and release are a node's: leave `object` empty and name one");
    if (!sl_cell_object(loader, name, &object))
        return SL_OK;
    choice.object = object.i;
    if (loader->graph->objects[object.i].alias_of.i != SL_NONE)
        fault(loader, table, row, OBJECT,
              "the object is an alias: name the one that it stands for");
    if (!sl_cell(table, row, GAP, &cell))
        fault(loader, table, row, OBJECT,
              "the row names no gap: 1, 2 ... in plan order, 0 for the first arrival");
    else if (!sl_value_integer(&loader->reader, cell.text, cell.place, "gap", 0, MAX_GAPS, &gap))
        return SL_OK;
    choice.gap = (uint32_t)gap;
    choice.action = text_of(loader, table, row, ACTION, &choice.action_column);
    choice.prefetch = text_of(loader, table, row, PREFETCH, &choice.prefetch_column);
    if (gap == 0 && choice.action)
        fault(loader, table, row, ACTION, "gap 0 is the first arrival, which has no action");
    if (gap == 0 && !choice.prefetch)
        fault(loader, table, row, OBJECT,
              "the first arrival has no prefetch, which is all that a row says of it");
    if (gap > 0 && !choice.action)
        fault(loader, table, row, OBJECT, "the gap has no action (retain, offload or remat)");
    if (!sl_grow((void **)&tuning->gaps, &tuning->gap_capacity, tuning->gap_count + 1,
                 sizeof *tuning->gaps))
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory for a table of choices");
    tuning->gaps[tuning->gap_count++] = choice;
    return SL_OK;
}

static enum sl_status read_node(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                                struct sl_cell_text name, struct sl_tuning *tuning)
{
    struct sl_node_choice choice = {.priority = (double)NAN, .release_ps = -1, .place = name.place};
    struct sl_cell_text cell;
    refuse(loader, table, row, GAP, PREFETCH,
           "gap, action and prefetch are an object's: name one and leave `node` empty");
    choice.node = sl_arena_strdup(loader->reader.arena, name.text);
    choice.after = text_of(loader, table, row, AFTER, &choice.after_column);
    if (!choice.node)
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory for a table of choices");
    if (sl_cell(table, row, PRIORITY, &cell))
        sl_value_number(&loader->reader, cell.text, cell.place, "priority", -1e12, 1e12,
                        &choice.priority);
    if (sl_cell(table, row, RELEASE, &cell))
        sl_value_time(&loader->reader, cell.text, cell.place, "release", &choice.release_ps);
    else if (!choice.after && !sl_cell(table, row, PRIORITY, &cell))
        fault(loader, table, row, NODE,
              "the row says nothing of the node: give a priority, after or release");
    if (!sl_grow((void **)&tuning->nodes, &tuning->node_capacity, tuning->node_count + 1,
                 sizeof *tuning->nodes))
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory for a table of choices");
    tuning->nodes[tuning->node_count++] = choice;
    return SL_OK;
}

static enum sl_status read_row(struct sl_loader *loader, const struct sl_csv *table, uint32_t row,
                               struct sl_tuning *tuning)
{
    struct sl_cell_text object, node;
    bool of_object = sl_cell(table, row, OBJECT, &object),
         of_node = sl_cell(table, row, NODE, &node);
    if (of_object == of_node) {
        struct sl_place place = {table->file, (int)table->lines[row], 1};
        sl_diags_add(loader->reader.diags, SL_ERROR, "bad-value", place,
                     "a choice is about an object or about a node: name one of them");
        return SL_OK;
    }
    return of_object ? read_gap(loader, table, row, object, tuning)
                     : read_node(loader, table, row, node, tuning);
}

/* Rows into the scenario's arena, where they live as long as the policy. */
static enum sl_status keep(struct sl_loader *loader, struct sl_tuning *rows,
                           struct sl_policy_spec *policy)
{
    struct sl_arena *arena = loader->reader.arena;
    struct sl_tuning *kept = sl_arena_alloc(arena, sizeof *kept);
    if (!kept)
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory for a table of choices");
    kept->gap_count = rows->gap_count;
    kept->node_count = rows->node_count;
    kept->gaps = sl_arena_array(arena, rows->gap_count + 1u, sizeof *kept->gaps);
    kept->nodes = sl_arena_array(arena, rows->node_count + 1u, sizeof *kept->nodes);
    if (!kept->gaps || !kept->nodes)
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory for a table of choices");
    if (rows->gap_count > 0)
        memcpy(kept->gaps, rows->gaps, rows->gap_count * sizeof *kept->gaps);
    if (rows->node_count > 0)
        memcpy(kept->nodes, rows->nodes, rows->node_count * sizeof *kept->nodes);
    policy->tuning = kept;
    return SL_OK;
}

static enum sl_status read_table(struct sl_loader *loader, const struct sl_setting *setting,
                                 struct sl_policy_spec *policy)
{
    struct sl_tuning rows = {0};
    struct sl_csv table;
    bool usable, complete;
    const struct sl_yaml mention = {.place = setting->place};
    const char *path =
        sl_path_join(loader->reader.arena, loader->reader.base_dir, setting->values[0]);
    if (!path)
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory for a table of choices");
    loader->table_mention = &mention;
    loader->table_key = "choices";
    enum sl_status status =
        sl_table_read(loader, &table, path, columns, COLUMNS, &usable, &complete);
    loader->table_mention = NULL;
    for (uint32_t row = 0; status == SL_OK && usable && row < table.row_count; row++)
        status = read_row(loader, &table, row, &rows);
    if (status == SL_OK)
        status = keep(loader, &rows, policy);
    sl_csv_free(&table);
    free(rows.gaps);
    free(rows.nodes);
    return status;
}

enum sl_status sl_load_choices(struct sl_loader *loader, uint32_t first)
{
    struct sl_scenario *scenario = loader->scenario;
    enum sl_status status = SL_OK;
    for (uint32_t i = first; status == SL_OK && i < scenario->policy_count; i++) {
        struct sl_policy_spec *policy = &scenario->policies[i];
        const struct sl_policy_rule *top = &policy->rules[policy->rule_count - 1];
        for (uint32_t k = 0; status == SL_OK && k < top->count; k++)
            if (strcmp(top->settings[k].key, "choices") == 0 && top->settings[k].value_count == 1)
                status = read_table(loader, &top->settings[k], policy);
    }
    return status;
}
