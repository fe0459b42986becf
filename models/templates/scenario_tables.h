/* Writes the three tables of a scenario at once: each node gets a data-ready edge from the writer
 * of every object that it reads, so that a template states a data flow and nothing else. */
#ifndef SL_SCENARIO_TABLES_H
#define SL_SCENARIO_TABLES_H
#include "outfile.h"
#include "text.h"

struct sl_tables {
    struct sl_outfile nodes, edges, objects;
    struct sl_names object_names;
    const char **writers; /* by object index; "" for one that is there from the start */
    uint32_t writer_capacity;
    struct sl_arena arena;
};

struct sl_table_object {
    const char *name, *placements, *initial; /* "" where absent, as below */
    const char *reconstruct, *evidence;
    int64_t bytes;
    bool persist; /* never reclaimed */
};

struct sl_table_node {
    const char *name, *klass, *lane, *time, *evidence;
    const char *inputs, *outputs; /* ';'-separated objects */
};

/* `time` is the column of struct sl_table_node's time: "work" or "duration". */
enum sl_status sl_tables_open(struct sl_tables *tables, const char *dir, const char *time,
                              struct sl_error *err) SL_NODISCARD;
enum sl_status sl_tables_object(struct sl_tables *tables, const struct sl_table_object *object,
                                struct sl_error *err) SL_NODISCARD;
/* A compute node on resource `compute`.  Its objects must have been added before; its first write
 * of an object makes it that object's writer. */
enum sl_status sl_tables_node(struct sl_tables *tables, const struct sl_table_node *node,
                              struct sl_error *err) SL_NODISCARD;
enum sl_status sl_tables_commit(struct sl_tables *tables, struct sl_error *err) SL_NODISCARD;
/* Drops what was not committed and releases memory; always call it. */
void sl_tables_close(struct sl_tables *tables);
#endif
