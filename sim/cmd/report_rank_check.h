/* Policies ranked by projection and by measurement: for people, and as JSON. */
#ifndef SL_REPORT_RANK_CHECK_H
#define SL_REPORT_RANK_CHECK_H
#include "json_out.h"
#include "measured.h"

void sl_report_rank_check(FILE *out, const struct sl_scenario *scenario,
                          const struct sl_measured *measured, const struct sl_contest *contest);
/* As the key "measured" of the map that is open. */
void sl_report_rank_check_json(yajl_gen gen, const struct sl_measured *measured,
                               const struct sl_contest *contest);
#endif
