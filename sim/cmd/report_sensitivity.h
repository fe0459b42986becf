/* The report of a sensitivity and of speedups. */
#ifndef SL_REPORT_SENSITIVITY_H
#define SL_REPORT_SENSITIVITY_H
#include "json_out.h"
#include "sensitivity.h"

enum sl_status sl_report_sensitivity(FILE *out, const struct sl_sensitivity *sensitivity,
                                     struct sl_error *err) SL_NODISCARD;
/* The key "sensitivity" of the map that is open. */
void sl_report_sensitivity_json(yajl_gen gen, const struct sl_sensitivity *sensitivity);
#endif
