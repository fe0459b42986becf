/* What a search leaves in a results folder: search.csv, a line per plan that was made; and its
 * winner as a policy that scenarios can hold: policy.yaml, with its table choices.csv. */
#ifndef SL_SEARCH_CSV_H
#define SL_SEARCH_CSV_H
#include "search_finals.h"

enum sl_status sl_search_csv_write(const char *dir, const struct sl_search_result *result,
                                   struct sl_error *err) SL_NODISCARD;
enum sl_status sl_search_policy_write(const char *dir, const struct sl_scenario *scenario,
                                      const struct sl_final *final,
                                      struct sl_error *err) SL_NODISCARD;
#endif
