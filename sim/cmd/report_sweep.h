/* The report of a sweep: a row per cell, the best of each group marked. */
#ifndef SL_REPORT_SWEEP_H
#define SL_REPORT_SWEEP_H
#include "session.h"
#include "shares.h"
#include "standings.h"
#include "win_map.h"

enum sl_status sl_report_sweep(FILE *out, const struct sl_session *session,
                               const struct sl_standings *standings,
                               struct sl_error *err) SL_NODISCARD;
/* `map` NULL: none was asked for. */
enum sl_status sl_report_sweep_json(FILE *out, const struct sl_session *session,
                                    const struct sl_standings *standings,
                                    const struct sl_shares *shares, const struct sl_map *map,
                                    struct sl_error *err) SL_NODISCARD;
/* The cells' lines of summary.csv under their header, parsed; sl_frame_free releases. */
enum sl_status sl_session_frame(const struct sl_session *session, struct sl_frame *frame,
                                struct sl_error *err) SL_NODISCARD;
/* The same of any lines by cell, NULL where there is none. */
enum sl_status sl_lines_frame(const struct sl_scenario *scenario, char *const *lines,
                              uint32_t line_count, struct sl_frame *frame,
                              struct sl_error *err) SL_NODISCARD;
/* Whether a row is what its group is compared with: the baseline where its cell is ok, elsewhere
 * the fallback baseline. */
bool sl_row_is_baseline(const struct sl_session *session, const struct sl_standings *standings,
                        uint32_t row);
/* "jit (lookahead 4)": the row's policy, and the axes that are its own; in `arena`. */
const char *sl_sweep_cell_name(struct sl_arena *arena, const struct sl_session *session,
                               const struct sl_frame *frame, uint32_t row);
#endif
