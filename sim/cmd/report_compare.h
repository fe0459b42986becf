/* The report of a comparison: tables for people, JSON for machines. */
#ifndef SL_REPORT_COMPARE_H
#define SL_REPORT_COMPARE_H
#include "contest.h"
#include "measured.h"
#include "robustness.h"

void sl_report_compare(FILE *out, const struct sl_scenario *scenario,
                       const struct sl_contest *contest, uint64_t seed);
/* `robustness`, `measured` NULL: not asked for. */
enum sl_status sl_report_compare_json(FILE *out, const struct sl_scenario *scenario,
                                      const struct sl_contest *contest, uint64_t seed,
                                      const struct sl_robustness *robustness,
                                      const struct sl_measured *measured,
                                      struct sl_error *err) SL_NODISCARD;
#endif
