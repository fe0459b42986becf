/* The script backend opened on a machine that is written down. */
#ifndef SL_SCRIPT_BENCH_H
#define SL_SCRIPT_BENCH_H
#include "script_file.h"

struct sl_bench {
    struct sl_script script;
    uint64_t seed;
    uint32_t shots, replays; /* run so far */
    uint32_t regime;
    int64_t now_ns;
};

/* How long the work takes alone, by a draw for this key within the `event`-th shot or replay. */
int64_t sl_script_work_ns(const struct sl_bench *bench, const struct sl_work *work, uint32_t event,
                          uint64_t key);
/* kappa of the victim beside so many works of each class, in this session. */
double sl_script_slowdown(const struct sl_bench *bench, uint32_t victim, enum sl_work_shape shape,
                          const uint32_t counts[SL_SCRIPT_CLASSES_MAX]);
/* Of the regime in which the machine is; NAN: it has no sentinel. */
double sl_script_sentinel_ns(const struct sl_bench *bench);

/* One repetition of a replay (script_replay.c); the contract is that of sl_backend.replay. */
enum sl_status sl_script_replay(struct sl_bench *bench, const struct sl_replay_plan *plan,
                                struct sl_replay_log *log, struct sl_error *err) SL_NODISCARD;
#endif
