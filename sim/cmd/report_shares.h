/* What the draws of a calibration say: of one cell, and of policies that compete. */
#ifndef SL_REPORT_SHARES_H
#define SL_REPORT_SHARES_H
#include "json_out.h"
#include "session.h"
#include "shares.h"

/* Nothing where the cell has no draws. */
void sl_report_band(FILE *out, struct sl_arena *arena, const struct sl_cell *cell);
void sl_report_band_json(yajl_gen gen, const struct sl_cell *cell);
/* A table per group, and what its leader's lead is worth. */
void sl_report_shares(FILE *out, const struct sl_session *session, const struct sl_shares *shares,
                      const struct sl_frame *summary, const struct sl_grouping *grouping);
/* Keys of the group's map: "win_shares", "lead_share". */
void sl_report_shares_json(yajl_gen gen, const struct sl_shares *shares,
                           const struct sl_frame *summary, uint32_t group);
#endif
