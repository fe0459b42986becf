/* The median of values that come in sessions, and what is known of it (estimate.h). */
#ifndef SL_SESSION_MEDIAN_H
#define SL_SESSION_MEDIAN_H
#include "estimate.h"

struct sl_session_value {
    double value;
    uint32_t session; /* from 1 */
};

/* Sorts `values`.  `medians`, of `sessions` elements, gets each session's, NAN where it has fewer
 * than SL_SESSION_SHOTS values.  All NAN without values. */
struct sl_session_median sl_session_median(struct sl_session_value *values, size_t n,
                                           double *medians, uint32_t sessions);
/* The median of unsorted values, which get sorted; NAN without any. */
double sl_median_of(double *values, size_t n);
#endif
