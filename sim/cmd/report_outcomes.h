/* The parts of a cell's report about constraints, deadlines, fallbacks, guards, windows and
 * evictions and speculation. */
#ifndef SL_REPORT_OUTCOMES_H
#define SL_REPORT_OUTCOMES_H
#include "cell.h"
#include <yajl/yajl_gen.h>

/* Tables for people, each after an empty line; nothing where the graph has none of them. */
void sl_report_constraints(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
void sl_report_outcomes(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
void sl_report_windows(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
void sl_report_evictions(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
void sl_report_speculation(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
/* Cold and warm iterations apart, and how the warm ones depend on each other. */
void sl_report_iterations(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
/* Members of an open map. */
void sl_report_iterations_json(yajl_gen gen, const struct sl_cell *cell);
void sl_report_constraints_json(yajl_gen gen, const struct sl_cell *cell);
void sl_report_outcomes_json(yajl_gen gen, const struct sl_cell *cell);
void sl_report_evictions_json(yajl_gen gen, const struct sl_cell *cell);
void sl_report_speculation_json(yajl_gen gen, const struct sl_cell *cell);

/* Nodes in rising order of mean slack over trials (ties by index), at most `capacity` of those that
 * ran; returns their number.  Compute without a deadline at or after it is left out, unless there is
 * nothing else. */
size_t sl_least_slack(const struct sl_cell *cell, uint32_t *nodes, size_t capacity);
/* Nodes whose window is negative at means or in some trial, with no fallback: the most trials
 * first, ties by index.  Fills at most `capacity`; returns how many there are. */
size_t sl_exposed_windows(const struct sl_cell *cell, uint32_t *nodes, size_t capacity);
#define SL_MAX_LEAST_SLACK 5
#define SL_MAX_EXPOSED     1000 /* the largest `capacity` of both; slack.csv has all nodes */
#endif
