/* Which calibrated figure may drift how far before another policy leads: for people, as JSON, and as
 * robustness.csv. */
#ifndef SL_REPORT_ROBUSTNESS_H
#define SL_REPORT_ROBUSTNESS_H
#include "json_out.h"
#include "robustness.h"

void sl_report_robustness(FILE *out, const struct sl_robustness *robustness);
/* As the key "robustness" of the map that is open. */
void sl_report_robustness_json(yajl_gen gen, const struct sl_robustness *robustness);
#endif
