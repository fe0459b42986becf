/* What a calibration says to people. */
#ifndef SL_SUMMARY_H
#define SL_SUMMARY_H
#include "estimate.h"

/* Counts, interval widths, rejections by reason, what the fits miss, the rule and how far to trust
 * it all, on a page. */
void sl_summary_print(const struct sl_estimates *estimates, FILE *out);
#endif
