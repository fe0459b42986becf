/* The measures that cells are ordered by, as files and reports have them. */
#ifndef SL_ORDER_FIGURES_H
#define SL_ORDER_FIGURES_H
#include "cell.h"
#include "frame.h"
#include "lexicographic.h"

/* The objective's quantile of the metric: what an order begins with unless it says otherwise. */
extern const struct sl_order_item sl_order_tail;

/* From a row of summary.csv, with its 95% interval where there is one: us, bytes, byte seconds, or a
 * share; NAN where the trials do not give it. */
struct sl_estimate sl_order_estimate(const struct sl_frame *summary, uint32_t row,
                                     const struct sl_order_item *item);
/* How it is tested.  Of replications of jobs, which have quantiles of their own, by the mean of these. */
enum sl_winner_figure sl_order_figure(const struct sl_order_item *item, bool jobs);
/* The quantile at which it is tested; 0.5 of the median, else the objective's `tail`. */
double sl_order_quantile(const struct sl_order_item *item, double tail);

/* A trial's value, in the same unit, of a cell and from the field of trials.csv that has it (from
 * 0).  A share has none: SL_NONE. */
double sl_order_trial_value(const struct sl_order_item *item, const struct sl_cell *cell,
                            uint32_t trial);
uint32_t sl_order_trials_field(const struct sl_order_item *item, uint32_t domain_count, bool jobs);

/* "p99", "median", "peak.hbm"; "1.54 s", "40.1 GiB", "3.2 GiB s", "0.4%". */
const char *sl_order_label(char buffer[16], const struct sl_order_item *item, double tail);
const char *sl_order_text(struct sl_arena *arena, const struct sl_order_item *item, double value);
#endif
