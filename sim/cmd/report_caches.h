/* The parts of a cell's report about objects that jobs share by blocks. */
#ifndef SL_REPORT_CACHES_H
#define SL_REPORT_CACHES_H
#include "cell.h"
#include <yajl/yajl_gen.h>

/* After an empty line; nothing where jobs share no object. */
void sl_report_caches(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
/* A member of an open map, there only where jobs share an object: "caches". */
void sl_report_caches_json(yajl_gen gen, const struct sl_cell *cell);
#endif
