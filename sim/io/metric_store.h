/* What every trial of the cells that competed gave, kept until they are judged: from the cells as
 * they finish, and of those that an earlier run left in the results folder, from its files. */
#ifndef SL_METRIC_STORE_H
#define SL_METRIC_STORE_H
#include "order_figures.h"
#include "wire.h"

#define SL_METRIC_STORE_BYTES (2LL << 30) /* of all cells */

/* A cell's vectors, one behind the other; values NULL where there are none. */
struct sl_metric_vectors {
    double *values;
    uint32_t trials;
};

/* Zero-initialise, then sl_metric_store_open; sl_metric_store_free releases. */
struct sl_metric_store {
    struct sl_order_item *items; /* a vector each: first the metric, then what else is ordered by */
    uint32_t item_count, domain_count;
    bool jobs; /* trials are replications of jobs */
    struct sl_metric_vectors *by_cell;
    uint32_t count, capacity;
    int64_t bytes;
    bool full; /* a cell did not fit: nothing may be judged */
};

/* Chooses what to keep: the metric, and the trials' values of the measures in the scenario's order.
 * The scenario must outlive the store. */
enum sl_status sl_metric_store_open(struct sl_metric_store *store,
                                    const struct sl_scenario *scenario,
                                    struct sl_error *err) SL_NODISCARD;
/* Copies what a cell whose verdict is ok gave (its trials are all finite then). */
enum sl_status sl_metric_store_keep(struct sl_metric_store *store, const struct sl_cell *cell,
                                    struct sl_error *err) SL_NODISCARD;
/* What is kept of one cell, to or from the store of another process. */
enum sl_status sl_metric_store_exchange(struct sl_metric_store *store, uint32_t cell,
                                        struct sl_wire *wire, struct sl_error *err) SL_NODISCARD;
/* Reads the `trials` rows of a cell from a results folder, finished or not.  Cells of a finished
 * one are found in one pass if asked for in ascending order; *position, 0 at first, is where the
 * next one is looked for. */
enum sl_status sl_metric_store_load(struct sl_metric_store *store, const char *dir, uint32_t cell,
                                    uint32_t trials, long *position,
                                    struct sl_error *err) SL_NODISCARD;
/* The metric by trial, us, of replications of jobs their tails; NULL where there is none. */
const double *sl_metric_store_get(const struct sl_metric_store *store, uint32_t cell);
/* The values by trial that a measure of the order is taken from; NULL of a share. */
const double *sl_metric_store_get_of(const struct sl_metric_store *store, uint32_t cell,
                                     const struct sl_order_item *item);
void sl_metric_store_free(struct sl_metric_store *store);
#endif
