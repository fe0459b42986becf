/* The parts of a cell's report about which nodes are on the realized chain, and how often. */
#ifndef SL_REPORT_CRITICAL_H
#define SL_REPORT_CRITICAL_H
#include "cell.h"
#include <yajl/yajl_gen.h>

/* Tables for people, each after an empty line; nothing where no trial has a chain. */
void sl_report_critical(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
void sl_report_tail_chain(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
/* Members of an open map. */
void sl_report_critical_json(yajl_gen gen, const struct sl_cell *cell);
void sl_report_tail_chain_json(yajl_gen gen, const struct sl_cell *cell);
#endif
