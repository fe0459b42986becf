/* Writing robustness.csv. */
#ifndef SL_ROBUSTNESS_CSV_H
#define SL_ROBUSTNESS_CSV_H
#include "robustness.h"

/* Writes DIR/robustness.csv whole: a row per figure and direction. */
enum sl_status sl_robustness_csv_write(const char *dir, const struct sl_robustness *robustness,
                                       struct sl_error *err) SL_NODISCARD;
#endif
