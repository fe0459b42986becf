/* Tables of a scenario: where they are, and their cells. */
#include <config.h>

#include "scenario_parts.h"
#include <string.h>
#include <unistd.h>

#define MAX_SHARED                                                                                 \
    4096 /* duration expressions that are remembered: where all differ, none helps                 \
          */

void sl_report_file(struct sl_loader *loader, const char *code, const struct sl_yaml *mention,
                    const char *key, const struct sl_error *err)
{
    if (mention && err->place.file && err->place.line == 0)
        sl_diags_add(loader->reader.diags, SL_ERROR, code, mention->place, "%s: '%s': %s", key,
                     err->place.file, err->message);
    else
        sl_diags_add(loader->reader.diags, SL_ERROR, code, err->place, "%s", err->message);
}

/* The table that is in memory under this name; NULL: none is. */
static const struct sl_scenario_text *find_text(const struct sl_loader *loader, const char *name)
{
    for (uint32_t i = 1; i < loader->text_count; i++)
        if (strcmp(loader->texts[i].name, name) == 0)
            return &loader->texts[i];
    return NULL;
}

const char *sl_table_path(struct sl_loader *loader, const char *key, const char *usual)
{
    const char *name;
    const struct sl_scenario_text *text = find_text(loader, usual);
    loader->table_mention = sl_yaml_get(loader->root, key);
    loader->table_key = key;
    if (text && loader->table_mention) {
        sl_diags_add(loader->reader.diags, SL_ERROR, "bad-table", loader->table_mention->place,
                     "%s: the table was given in memory, so no file can be named", key);
        return NULL;
    }
    if (text)
        return text->name;
    if (sl_field_text(&loader->reader, loader->root, key, &name))
        return sl_path_join(loader->reader.arena, loader->reader.base_dir, name);
    if (loader->table_mention)
        return NULL; /* diagnosed */
    const char *path = sl_path_join(loader->reader.arena, loader->reader.base_dir, usual);
    return path && access(path, F_OK) == 0 ? path : NULL;
}

enum sl_status sl_table_read(struct sl_loader *loader, struct sl_csv *table, const char *path,
                             const struct sl_column_spec *columns, uint32_t count, bool *usable,
                             bool *complete)
{
    struct sl_diags *diags = loader->reader.diags;
    size_t before = diags->errors;
    *usable = *complete = false;
    struct sl_error err = {0};
    const struct sl_scenario_text *text = find_text(loader, path);
    if (text && text->name != path)
        text = NULL; /* a file that has the name of a table in memory */
    enum sl_status status =
        text ? sl_csv_parse(table, text->name, text->text, text->size, columns, count, diags, &err)
             : sl_csv_read(table, path, columns, count, diags, &err);
    if (status == SL_INVALID && diags->errors == before)
        sl_report_file(loader, "bad-table", loader->table_mention, loader->table_key, &err);
    if (status == SL_INVALID)
        return SL_OK;
    if (status)
        return sl_error_set(loader->err, status, err.place, err.code_file, err.code_line, "%s",
                            err.message);
    if (!text && !sl_platform_note_input(&loader->scenario->platform, path, loader->reader.arena))
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
    table->file = path; /* lives as long as the places that name it */
    *complete = *usable = diags->errors == before;
    if (*usable || table->row_count == 0)
        return SL_OK;
    *usable = true;
    for (uint32_t i = 0; i < count; i++)
        *usable &= table->present[i] || !columns[i].required;
    return SL_OK;
}

bool sl_cell(const struct sl_csv *table, uint32_t row, uint32_t column, struct sl_cell_text *cell)
{
    cell->text = sl_csv_cell(table, row, column);
    if (cell->text[0] == '\0')
        return false;
    cell->place = sl_csv_place(table, row, column);
    cell->place.file = table->file;
    return true;
}

bool sl_cell_domain(struct sl_loader *loader, struct sl_cell_text cell, uint32_t *domain)
{
    const struct sl_names *names = &loader->scenario->platform.domain_names;
    if (loader->platform_known)
        return sl_value_ref(&loader->reader, cell.text, cell.place, "domain", names, domain);
    *domain = sl_names_find(names, cell.text);
    return *domain != SL_NONE;
}

bool sl_cell_object(struct sl_loader *loader, struct sl_cell_text cell, sl_object_id *object)
{
    const struct sl_names *names = &loader->graph->object_names;
    if (loader->objects_known)
        return sl_value_ref(&loader->reader, cell.text, cell.place, "object", names, &object->i);
    object->i = sl_names_find(names, cell.text);
    return object->i != SL_NONE;
}

bool sl_cell_node(struct sl_loader *loader, struct sl_cell_text cell, sl_node_id *node)
{
    const struct sl_names *names = &loader->graph->node_names;
    if (loader->nodes_known)
        return sl_value_ref(&loader->reader, cell.text, cell.place, "node", names, &node->i);
    node->i = sl_names_find(names, cell.text);
    return node->i != SL_NONE;
}

void sl_cell_evidence(struct sl_loader *loader, struct sl_cell_text cell,
                      enum sl_evidence *evidence, const char **source)
{
    unsigned word;
    const char *rest;
    if (!sl_value_evidence(&loader->reader, cell.text, cell.place, &word, &rest))
        return;
    *evidence = (enum sl_evidence)(SL_MEASURED + word);
    if (!loader->last_evidence || strcmp(loader->last_evidence, rest) != 0)
        loader->last_evidence = sl_arena_strdup(&loader->graph->arena, rest);
    *source = loader->last_evidence;
}

bool sl_cell_dist(struct sl_loader *loader, struct sl_cell_text cell, const struct sl_dist **dist)
{
    uint32_t known = loader->dist_texts.count;
    uint32_t index = known < MAX_SHARED ? sl_names_add(&loader->dist_texts, cell.text)
                                        : sl_names_find(&loader->dist_texts, cell.text);
    if (index == SL_NONE && known >= MAX_SHARED)
        return sl_value_dist(&loader->reader, cell.text, cell.place, "duration", SL_DIST_TIME,
                             dist);
    if (index == SL_NONE || !sl_grow((void **)&loader->dists, &loader->dist_capacity, index + 1,
                                     sizeof *loader->dists)) {
        sl_diags_add(loader->reader.diags, SL_ERROR, "out-of-memory", cell.place, "out of memory");
        return false;
    }
    if (index == known) {
        loader->dists[index] = NULL;
        sl_value_dist(&loader->reader, cell.text, cell.place, "duration", SL_DIST_TIME,
                      &loader->dists[index]);
    }
    *dist = loader->dists[index];
    return *dist != NULL;
}

void sl_cell_pieces(struct sl_loader *loader, struct sl_cell_text cell,
                    void (*each)(struct sl_loader *loader, struct sl_cell_text piece, void *user),
                    void *user)
{
    char buffer[1024];
    const char *at = cell.text;
    for (;;) {
        const char *end = at + strcspn(at, ";"), *start = at, *stop = end;
        while (start < stop && *start == ' ')
            start++;
        while (stop > start && stop[-1] == ' ')
            stop--;
        struct sl_cell_text piece = {buffer, cell.place};
        if (piece.place.column > 0)
            piece.place.column += (int)(start - cell.text);
        size_t length = (size_t)(stop - start);
        if (length >= sizeof buffer) {
            sl_diags_add(loader->reader.diags, SL_ERROR, "bad-name", piece.place,
                         "a name has %zu bytes (allowed: %d)", length, SL_NAME_MAX);
        } else if (length > 0) {
            memcpy(buffer, start, length);
            buffer[length] = '\0';
            each(loader, piece, user);
        }
        if (*end == '\0')
            return;
        at = end + 1;
    }
}
