/* What the files that carry a decision to another device share.  Private to rebase*.c. */
#ifndef SL_REBASE_PARTS_H
#define SL_REBASE_PARTS_H
#include "rebase.h"

/* The compared figure of each trial, or replication, of a cell, in us, INFINITY where it
 * deadlocked. False: the cell has none. */
bool sl_rebase_take(const struct sl_rebase *rebase, const struct sl_cell *cell,
                    double *metric_us) SL_NODISCARD;
/* The figure of some of these, whose order is lost; `count` is at least 1. */
double sl_rebase_value(const struct sl_rebase *rebase, double *values, uint32_t count);
/* Of all trials, with its interval; `scratch` has room for them. */
struct sl_estimate sl_rebase_figure(const struct sl_rebase *rebase, const double *metric_us,
                                    double *scratch);
/* a - b, on common draws. */
enum sl_status sl_rebase_difference(const struct sl_rebase *rebase, const double *a,
                                    const double *b, uint64_t seed, struct sl_estimate *estimate,
                                    struct sl_error *err) SL_NODISCARD;
/* Fills effects, together, interaction, others. */
enum sl_status sl_rebase_effects(struct sl_rebase *rebase, const struct sl_record *record,
                                 struct sl_pool *pool, struct sl_error *err) SL_NODISCARD;
#endif
