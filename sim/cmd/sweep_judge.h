/* What a sweep does when its cells are done: judges them, runs winners and runners-up once more on a
 * fresh seed, and writes compare.csv, winners.csv, win_shares.csv (of draws of the calibration) and
 * race.csv (of a race); with --map also the map, map.csv and boundary.csv. */
#ifndef SL_SWEEP_JUDGE_H
#define SL_SWEEP_JUDGE_H
#include "session.h"
#include "shares.h"
#include "standings.h"
#include "win_map.h"

struct sl_sweep_judge {
    const char *path; /* of the scenario */
    struct sl_metric_store store;
    struct sl_standings standings;
    struct sl_draw_store draws; /* of the calibration */
    struct sl_shares shares;
    struct sl_map map; /* with args.map; opened by the caller */
};

/* Callbacks of a session whose `user` is a struct sl_sweep_judge. */
enum sl_status sl_sweep_judge_keep(struct sl_session *session, const struct sl_cell *cell,
                                   struct sl_error *err) SL_NODISCARD;
enum sl_status sl_sweep_judge_pack(const struct sl_session *session, const struct sl_cell *cell,
                                   struct sl_wire *wire, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_sweep_judge_take(struct sl_session *session, uint32_t cell, struct sl_wire *wire,
                                   struct sl_error *err) SL_NODISCARD;
enum sl_status sl_sweep_judge_all(struct sl_session *session, struct sl_error *err) SL_NODISCARD;
void sl_sweep_judge_free(struct sl_sweep_judge *judge);
#endif
