/* The report of one cell: tables for people, JSON for machines. */
#ifndef SL_REPORT_CELL_H
#define SL_REPORT_CELL_H
#include "cell_facts.h"
#include "sensitivity.h"

enum sl_status sl_report_cell(FILE *out, const struct sl_cell *cell, uint64_t seed,
                              struct sl_error *err) SL_NODISCARD;
/* `sensitivity` may be NULL. */
enum sl_status sl_report_cell_json(FILE *out, const struct sl_cell *cell,
                                   const struct sl_sensitivity *sensitivity, uint64_t seed,
                                   struct sl_error *err) SL_NODISCARD;
#endif
