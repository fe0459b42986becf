/* What a search leaves in a results folder: search.csv, a line per plan that was made; its winner
 * as a policy that scenarios can hold: policy.yaml, with its table choices.csv; and the same held
 * to the order that its median trial realized: ordered.yaml, ordered.csv. */
#ifndef SL_SEARCH_CSV_H
#define SL_SEARCH_CSV_H
#include "search_finals.h"

enum sl_status sl_search_csv_write(const char *dir, const struct sl_search_result *result,
                                   struct sl_error *err) SL_NODISCARD;
enum sl_status sl_search_policy_write(const char *dir, const struct sl_scenario *scenario,
                                      const struct sl_finals *finals,
                                      struct sl_error *err) SL_NODISCARD;
#endif
