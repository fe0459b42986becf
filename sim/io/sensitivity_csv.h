/* sensitivity.csv of a results folder: what changes of a plan do to its mean, median and tail. */
#ifndef SL_SENSITIVITY_CSV_H
#define SL_SENSITIVITY_CSV_H
#include "sensitivity.h"

/* Writes DIR/sensitivity.csv whole: a row per effect. */
enum sl_status sl_sensitivity_csv_write(const char *dir, const struct sl_sensitivity *sensitivity,
                                        struct sl_error *err) SL_NODISCARD;

/* "factor", "kappa" or "bytes": the unit of an effect's values. */
const char *sl_lever_unit(enum sl_lever_kind kind);
const char *sl_anomaly_name(enum sl_anomaly_kind kind); /* "" for none */
const char *sl_effect_figure_name(enum sl_effect_figure figure);
#endif
