/* How fast works alone are while a replay goes on, beside what the tables say.
 *
 * Tables were measured minutes or days before, in other processes; what a work alone takes differs
 * between processes and over time.  So between repetitions works alone are measured, one shot at a
 * time and in rotation: the repetitions and they see the same machine.
 *
 * Of each class of the plan there is one work: of its nodes in the order of their sizes, the one at
 * which half of the class's isolated time is reached. */
#ifndef SL_REPLAY_DRIFT_H
#define SL_REPLAY_DRIFT_H
#include "estimate.h"
#include "replay.h"

/* A work in one regime. */
struct sl_replay_speed {
    uint32_t klass; /* of the scenario */
    int64_t bytes;
    const char *regime;         /* "" where the backend tells none apart */
    double calibrated_us;       /* median by the tables */
    struct sl_estimate seen_us; /* median, with its order-statistic interval; NAN: too few shots */
    struct sl_estimate ratio;   /* of the seen to the calibrated */
    double allowed;             /* by which factor, at least 1, a session may differ from the
                                 * tables (sl_verify_allowed); NAN: they don't say */
    uint32_t shots, rejected;   /* accepted; rejected */
};
/* Whether a session differs by less from the tables; false where nothing is known, too. */
bool sl_replay_speed_is_usual(const struct sl_replay_speed *speed);

struct sl_replay_drift;
/* Prepares the works and warms them.  *drift stays NULL where the backend takes no shots, which is
 * SL_OK; `plan` and `graph` outlive it. */
enum sl_status sl_replay_drift_open(struct sl_replay_drift **drift,
                                    const struct sl_replay_plan *plan, const struct sl_graph *graph,
                                    const struct sl_backend *backend, struct sl_bench *bench,
                                    struct sl_error *err) SL_NODISCARD;
/* A shot of the next work.  A plan without works has none. */
enum sl_status sl_replay_drift_shoot(struct sl_replay_drift *drift,
                                     struct sl_error *err) SL_NODISCARD;
/* What was seen so far, by class and regime, in the arena; a regime without a shot of the class has
 * no element, and a class without any shot has one of regime "".  NULL: out of memory. */
struct sl_replay_speed *sl_replay_drift_speeds(struct sl_replay_drift *drift,
                                               struct sl_arena *arena, uint32_t *count);
void sl_replay_drift_close(struct sl_replay_drift *drift); /* NULL: nothing */
#endif
