/* `slackline explain --costs`: what each choice for an object costs. */
#ifndef SL_EXPLAIN_COSTS_H
#define SL_EXPLAIN_COSTS_H
#include "choice_costs.h"
#include "json_out.h"

void sl_explain_costs(const struct sl_choice_costs *costs, const char *policy, FILE *out);
void sl_explain_costs_json(const struct sl_choice_costs *costs, const char *policy, yajl_gen gen);
#endif
