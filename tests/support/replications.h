/* Independent replications against an exact value: their mean must be it, within its interval by
 * Student's t at 99%.  That is honest about dependence within a replication, whatever it is: one
 * false alarm in a hundred for each comparison, if the seeds were not fixed. */
#ifndef SL_TEST_REPLICATIONS_H
#define SL_TEST_REPLICATIONS_H
#include "harness.h"
#include <math.h>

enum { REPLICATIONS = 20 };
#define T_99 2.861 /* Student's t, 19 degrees of freedom, two-sided 99% */

/* The interval's half-width is at most `most` times the exact value, which is not 0. */
static inline void agrees(const char *what, const double *values, double exact, double most)
{
    double mean = 0, square = 0;
    for (int r = 0; r < REPLICATIONS; r++)
        mean += values[r] / REPLICATIONS;
    for (int r = 0; r < REPLICATIONS; r++)
        square += (values[r] - mean) * (values[r] - mean);
    double half = T_99 * sqrt(square / (REPLICATIONS - 1) / REPLICATIONS);
    if (!(fabs(mean - exact) <= half) || half > most * exact)
        ck_abort_msg("%s: %.6g +- %.3g, expected %.6g", what, mean, half, exact);
}
#endif
