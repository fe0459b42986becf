/* compare.csv of a results folder: paired differences of policies that ran on common draws. */
#ifndef SL_COMPARE_CSV_H
#define SL_COMPARE_CSV_H
#include "contest.h"

/* Writes DIR/compare.csv whole: a row per match and figure. */
enum sl_status sl_compare_csv_write(const char *dir, const struct sl_contest *contest,
                                    struct sl_error *err) SL_NODISCARD;
#endif
