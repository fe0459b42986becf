/* Pictures of a calibration: kappa as a heat map, and durations against their fitted laws. */
#ifndef SL_PICTURES_H
#define SL_PICTURES_H
#include "estimate.h"

/* Draws them into dir/plots and prints the path of each PNG on `out` (its SVG stands beside it).
 * SL_SYSTEM: gnuplot is missing, or its scripts are (*missing), or it failed. */
enum sl_status sl_pictures_draw(const char *dir, const struct sl_estimates *estimates, FILE *out,
                                bool *missing, struct sl_error *err) SL_NODISCARD;
#endif
