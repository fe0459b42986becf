/* measured.csv and measured_pairs.csv of a results folder: policies ranked by projection and by
 * measurement. */
#ifndef SL_RANK_CHECK_CSV_H
#define SL_RANK_CHECK_CSV_H
#include "rank_check.h"
#include "replay_csv.h"

/* What became of a pair: "same", "opposite", "projection-only", "measurement-only", "neither" tell
 * it apart. */
const char *sl_rank_pair_outcome(const struct sl_rank_pair *pair);
/* `records` has one for each contender, in their order. */
enum sl_status sl_rank_check_csv_write(const char *dir, const struct sl_rank_check *check,
                                       const struct sl_contest *contest,
                                       const struct sl_replay_record *const *records,
                                       struct sl_error *err) SL_NODISCARD;
#endif
