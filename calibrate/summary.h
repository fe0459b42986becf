/* What a calibration says to people. */
#ifndef SL_SUMMARY_H
#define SL_SUMMARY_H
#include "estimate.h"

/* Counts, interval widths, rejections by reason, what the fits miss, the rule and how far to trust
 * it all, on a page.  SL_SYSTEM: out of memory, and nothing was printed. */
enum sl_status sl_summary_print(const struct sl_estimates *estimates, FILE *out,
                                struct sl_error *err) SL_NODISCARD;
#endif
