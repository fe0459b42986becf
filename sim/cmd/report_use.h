/* The parts of a cell's report about what resources did with the makespan, and classes of nodes
 * beside each other. */
#ifndef SL_REPORT_USE_H
#define SL_REPORT_USE_H
#include "cell.h"
#include <yajl/yajl_gen.h>

/* A table for people after an empty line; nothing where no resource is used, or only
 * the busy one, whose time is told on its own. */
void sl_report_resources(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
/* Overlap of pairs of classes, what it saved and cost; nothing where none overlapped. */
void sl_report_pairs(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
/* Members of an open map. */
void sl_report_use_json(yajl_gen gen, const struct sl_cell *cell);
#endif
