/* The cpu backend opened on this machine. */
#ifndef SL_CPU_BENCH_H
#define SL_CPU_BENCH_H
#include "backend.h"
#include "cpu_crew.h"
#include "cpu_works.h"

enum { SL_CPU_SEATS_MOST = 4 }; /* a victim and a set of three */

/* What a seat writes while it works. */
struct sl_cpu_lane {
    struct sl_shot_record *records;
    uint32_t count;
    uint64_t dropped;
    uint64_t preemptions;
    _Alignas(SL_CPU_APART) _Atomic uint32_t units; /* done in this shot */
    char apart[SL_CPU_APART];
};

struct sl_bench {
    struct sl_arena arena;
    struct sl_cpu_machine machine;
    const struct sl_work_class *classes;
    struct sl_bench_layout layout;
    struct sl_fingerprint fingerprint;
    struct sl_cpu_crew *crew;
    uint32_t seats;
    struct sl_cpu_store stores[SL_CPU_SEATS_MOST];
    struct sl_cpu_lane lanes[SL_CPU_SEATS_MOST];
};

/* One shot (cpu_shot.c); the contract is that of sl_backend.shoot. */
enum sl_status sl_cpu_shoot(struct sl_bench *bench, const struct sl_shot *shot,
                            struct sl_shot_log *log, struct sl_error *err) SL_NODISCARD;
/* One repetition of a replay (cpu_replay.c); the contract is that of sl_backend.replay. */
enum sl_status sl_cpu_replay(struct sl_bench *bench, const struct sl_replay_plan *plan,
                             struct sl_replay_log *log, struct sl_error *err) SL_NODISCARD;
/* Of the calling thread, so far. */
uint64_t sl_cpu_preemptions(void);
#endif
