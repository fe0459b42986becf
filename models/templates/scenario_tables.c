/* nodes.csv, edges.csv and objects.csv of a template, with edges derived from the data flow. */
#include "scenario_tables.h"
#include <stdlib.h>
#include <string.h>

static enum sl_status open_one(struct sl_outfile *file, const char *dir, const char *name,
                               const char *header, struct sl_error *err)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
        return SL_FAIL(err, SL_USAGE, "the path '%.80s...' is too long", dir);
    enum sl_status status = sl_outfile_open(file, path, err);
    if (status == SL_OK)
        fprintf(file->stream, "%s\n", header);
    return status;
}

enum sl_status sl_tables_open(struct sl_tables *tables, const char *dir, const char *time,
                              struct sl_error *err)
{
    char header[96];
    memset(tables, 0, sizeof *tables);
    snprintf(header, sizeof header, "node,kind,class,resource,lane,inputs,outputs,%s,evidence",
             time);
    enum sl_status status = open_one(&tables->nodes, dir, "nodes.csv", header, err);
    if (status == SL_OK)
        status = open_one(&tables->edges, dir, "edges.csv", "from,to,type,object", err);
    if (status == SL_OK)
        status = open_one(
            &tables->objects, dir, "objects.csv",
            "object,size,home,placements,initial,persist,reconstruct,equivalence,evidence", err);
    return status;
}

/* Whole MiB read better than bytes; both are exact. */
static void put_bytes(FILE *out, int64_t bytes)
{
    if (bytes > 0 && bytes % (1 << 20) == 0)
        fprintf(out, "%lldMiB", (long long)(bytes >> 20));
    else
        fprintf(out, "%lldB", (long long)bytes);
}

enum sl_status sl_tables_object(struct sl_tables *tables, const struct sl_table_object *object,
                                struct sl_error *err)
{
    uint32_t known = tables->object_names.count;
    uint32_t index = sl_names_add(&tables->object_names, object->name);
    if (index == SL_NONE || !sl_grow((void **)&tables->writers, &tables->writer_capacity,
                                     tables->object_names.count, sizeof *tables->writers))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (index < known)
        return SL_FAIL(err, SL_SYSTEM, "the template names object '%s' twice", object->name);
    tables->writers[index] = "";
    FILE *out = tables->objects.stream;
    fprintf(out, "%s,", object->name);
    put_bytes(out, object->bytes);
    fprintf(out, ",hbm,%s,%s,%s,%s,%s,%s\n", object->placements, object->initial,
            object->persist ? "true" : "", object->reconstruct,
            *object->reconstruct ? "bitwise" : "", object->evidence);
    return SL_OK;
}

static enum sl_status link_objects(struct sl_tables *tables, const struct sl_table_node *node,
                                   const char *objects, bool writes, struct sl_error *err)
{
    size_t count = 0;
    char **names = sl_split(&tables->arena, objects, ';', &count);
    if (!names && *objects)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        uint32_t index = sl_names_find(&tables->object_names, names[i]);
        if (index == SL_NONE)
            return SL_FAIL(err, SL_SYSTEM, "the template's node '%s' uses unknown object '%s'",
                           node->name, names[i]);
        if (!writes && *tables->writers[index])
            fprintf(tables->edges.stream, "%s,%s,data-ready,%s\n", tables->writers[index],
                    node->name, names[i]);
        if (writes && !*tables->writers[index]) {
            tables->writers[index] = sl_arena_strdup(&tables->arena, node->name);
            if (!tables->writers[index])
                return SL_FAIL(err, SL_SYSTEM, "out of memory");
        }
    }
    return SL_OK;
}

enum sl_status sl_tables_node(struct sl_tables *tables, const struct sl_table_node *node,
                              struct sl_error *err)
{
    fprintf(tables->nodes.stream, "%s,compute,%s,compute,%s,%s,%s,%s,%s\n", node->name, node->klass,
            node->lane, node->inputs, node->outputs, node->time, node->evidence);
    enum sl_status status = link_objects(tables, node, node->inputs, false, err);
    return status == SL_OK ? link_objects(tables, node, node->outputs, true, err) : status;
}

enum sl_status sl_tables_commit(struct sl_tables *tables, struct sl_error *err)
{
    enum sl_status status = sl_outfile_commit(&tables->nodes, err);
    if (status == SL_OK)
        status = sl_outfile_commit(&tables->edges, err);
    return status == SL_OK ? sl_outfile_commit(&tables->objects, err) : status;
}

void sl_tables_close(struct sl_tables *tables)
{
    sl_outfile_abandon(&tables->nodes);
    sl_outfile_abandon(&tables->edges);
    sl_outfile_abandon(&tables->objects);
    sl_names_free(&tables->object_names);
    free(tables->writers);
    sl_arena_free(&tables->arena);
}
