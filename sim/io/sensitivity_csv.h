/* sensitivity.csv of a results folder: what changes of a plan do to its mean, median and tail. */
#ifndef SL_SENSITIVITY_CSV_H
#define SL_SENSITIVITY_CSV_H
#include "sensitivity.h"

/* Writes DIR/sensitivity.csv whole: a row per effect. */
enum sl_status sl_sensitivity_csv_write(const char *dir, const struct sl_sensitivity *sensitivity,
                                        struct sl_error *err) SL_NODISCARD;
#endif
