/* Figures of a cell that several reports need. */
#ifndef SL_CELL_FACTS_H
#define SL_CELL_FACTS_H
#include "cell.h"

/* A part of the chain, largest first. */
struct sl_chain_share {
    unsigned row, cause;
    double us, share;
};
/* Fills at most `capacity` shares of the mean chain; returns their number. */
size_t sl_chain_shares(const struct sl_cell *cell, struct sl_chain_share *shares,
                       size_t capacity);
#define SL_MAX_SHARES (SL_CHAIN_ROWS * SL_CAUSES)

/* The node with the longest wait of any trial, SL_NONE when nothing waited. */
uint32_t sl_longest_wait(const struct sl_cell *cell);
uint64_t sl_total_bypasses(const struct sl_cell *cell);
/* Time that the nodes of a class ran over what they would have taken alone; NAN when none ran. */
double sl_class_inflation(const struct sl_cell *cell, uint32_t klass);
int64_t sl_peak_of(const struct sl_cell *cell, uint32_t domain);
double sl_staging_of(const struct sl_cell *cell, uint32_t domain);
#endif
