/* The jackknife over parts. */
#include "config.h"

#include "jackknife.h"
#include <gsl/gsl_cdf.h>
#include <math.h>

double sl_jackknife_half(const double *without, uint32_t parts, double level)
{
    double mean = 0, squares = 0;
    if (parts < 2)
        return NAN;
    for (uint32_t i = 0; i < parts; i++)
        mean += without[i] / parts;
    for (uint32_t i = 0; i < parts; i++)
        squares += (without[i] - mean) * (without[i] - mean);
    return gsl_cdf_tdist_Pinv((1 + level) / 2, parts - 1) * sqrt(squares * (parts - 1) / parts);
}
