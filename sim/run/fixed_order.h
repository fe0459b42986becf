/* Whether the order in which a plan's nodes start is fixed, whatever their durations.
 *
 * Then a trial's makespan is the longest of fixed sums of durations and lags, and its derivative by
 * the logarithm of a class's durations is that class's time on the realized chain.  Elsewhere a
 * change may reorder the schedule, and the chain says nothing about that. */
#ifndef SL_FIXED_ORDER_H
#define SL_FIXED_ORDER_H
#include "engine.h"

/* A sound check of the plan alone: true only where
 *   - on every resource the nodes cannot need more than there is, or are one after the other by
 *     edges and lanes, or are served singly in issue order;
 *   - no kappa can act: all are 1, or no two nodes with a class in one group can run at once;
 *   - no order makes a node wait for bytes, no row of overlap.csv keeps nodes apart, no node has a
 *     fallback, and no factor is a regime.
 * Otherwise `why` says what may reorder it.  SL_SYSTEM: out of memory. */
enum sl_status sl_order_fixed(const struct sl_graph *graph, const struct sl_engine_options *engine,
                              bool *fixed, char *why, size_t size,
                              struct sl_error *err) SL_NODISCARD;
#endif
