/* The projection at the speeds that were seen beside a replay. */
#ifndef SL_REPLAY_SEEN_H
#define SL_REPLAY_SEEN_H
#include "replay_verdict.h"

/* Simulates the cell's plan with the durations of each class times the ratio seen of it in
 * beside->regime, and those without a ratio as they are, and fills beside->seen: quantiles of the
 * makespan in us.  An interval reaches from the lower limit with all ratios at their lower limits
 * to the upper one with all at their upper ones.  All are NAN where no class has a ratio. `options`
 * are those of the cell, so that both projections have the same draws; nothing interrupts it. */
enum sl_status sl_replay_project_seen(struct sl_replay_beside *beside, const struct sl_cell *cell,
                                      const struct sl_run_options *options,
                                      struct sl_error *err) SL_NODISCARD;
#endif
