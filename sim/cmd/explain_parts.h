/* Groups of fields of a node, beside those of explain_node.c. */
#ifndef SL_EXPLAIN_PARTS_H
#define SL_EXPLAIN_PARTS_H
#include "evictor.h"
#include "explain.h"
#include "sheet.h"

/* "assumed: a datasheet" */
const char *sl_explain_evidence(struct sl_explain *x, enum sl_evidence evidence, const char *text);
int64_t sl_explain_rounded(double ps); /* INT64_MAX beyond the range of times */

/* explain_ready.c: capacity deltas, and the terms of ready_i(t) in the trial. */
void sl_explain_put_capacity(struct sl_explain *x, struct sl_sheet *sheet,
                             const struct sl_node *node);
void sl_explain_put_readiness(struct sl_explain *x, struct sl_sheet *sheet, uint32_t node);

/* explain_runs.c: of a latent node (evictor.h), instead of its times; all its runs. */
void sl_explain_put_run_sums(struct sl_explain *x, struct sl_sheet *sheet, uint32_t node);
void sl_explain_put_runs(struct sl_explain *x, uint32_t node, FILE *out, yajl_gen gen);
/* ... and of the copies of an object, which left and returned; how often all did. */
void sl_explain_put_evictions(struct sl_explain *x, uint32_t root, FILE *out, yajl_gen gen);
void sl_explain_put_evicted(struct sl_explain *x, FILE *out);

/* explain_edges.c: edges in and out, and rows of overlap.csv. */
void sl_explain_put_edges(struct sl_explain *x, uint32_t node, FILE *out, yajl_gen gen);
void sl_explain_put_overlaps(struct sl_explain *x, uint32_t node, FILE *out, yajl_gen gen);
#endif
