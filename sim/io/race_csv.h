/* race.csv: what a race decided about each cell, and after how many trials. */
#ifndef SL_RACE_CSV_H
#define SL_RACE_CSV_H
#include "standings.h"

/* "dropped", "settled", "all-trials", "out" (deadlocked, or broke a constraint), "illegal". */
const char *sl_race_outcome(const struct sl_race_result *result);
/* Trials that were simulated for this cell: none where another one ran for it. */
uint32_t sl_race_simulated(const struct sl_race_result *result);
/* Dropped or settled: `against` has a cell. */
bool sl_race_judged(const struct sl_race_result *result);
/* Writes DIR/race.csv whole: a row per cell. */
enum sl_status sl_race_csv_write(const struct sl_standings *standings, const char *dir,
                                 struct sl_error *err) SL_NODISCARD;
#endif
