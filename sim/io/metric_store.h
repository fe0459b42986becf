/* The metric of every trial of the cells that competed, kept until they are judged: from the cells
 * as they finish, and of those that an earlier run left in the results folder, from its files. */
#ifndef SL_METRIC_STORE_H
#define SL_METRIC_STORE_H
#include "cell.h"

#define SL_METRIC_STORE_BYTES (2LL << 30) /* of all cells */

/* Zero-initialise; sl_metric_store_free releases. */
struct sl_metric_store {
    double **by_cell; /* us by trial; NULL where there are none */
    uint32_t count, capacity;
    int64_t bytes;
    bool full; /* a cell did not fit: nothing may be judged */
};

/* Copies the metric of a cell whose verdict is ok (its trials are all finite then). */
enum sl_status sl_metric_store_keep(struct sl_metric_store *store, const struct sl_cell *cell,
                                    struct sl_error *err) SL_NODISCARD;
/* Reads the `trials` values of a cell from a results folder, finished or not.  Cells of a finished
 * one are found in one pass if asked for in ascending order; *position, 0 at first, is where the
 * next one is looked for. */
enum sl_status sl_metric_store_load(struct sl_metric_store *store, const char *dir, uint32_t cell,
                                    uint32_t trials, long *position,
                                    struct sl_error *err) SL_NODISCARD;
/* NULL where there is none. */
const double *sl_metric_store_get(const struct sl_metric_store *store, uint32_t cell);
void sl_metric_store_free(struct sl_metric_store *store);
#endif
