/* costs.csv: what each choice for an object in a gap costs. */
#ifndef SL_CHOICE_COSTS_CSV_H
#define SL_CHOICE_COSTS_CSV_H
#include "choice_costs.h"

/* Writes DIR/costs.csv whole: a row per gap and choice.  The folder is made. */
enum sl_status sl_choice_costs_csv_write(const char *dir, const char *policy,
                                         const struct sl_choice_costs *costs,
                                         struct sl_error *err) SL_NODISCARD;
#endif
