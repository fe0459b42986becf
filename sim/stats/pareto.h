/* The points that no other one improves on: the Pareto set under weak dominance. */
#ifndef SL_PARETO_H
#define SL_PARETO_H
#include <stdbool.h>
#include <stddef.h>

/* `points` has n rows of k objectives, each to be small.  A point dominates another when it is not
 * above it in any objective and below it in one; in_set[i] is set where no point dominates point i,
 * so equal points stand or fall together.  A point with a NAN is in no set and dominates nothing.
 * Takes n^2 k steps. */
void sl_pareto_set(const double *points, size_t n, size_t k, bool *in_set);
#endif
