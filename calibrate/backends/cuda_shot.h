/* A shot under way: shared by what runs it and what reads it. */
#ifndef SL_CUDA_SHOT_H
#define SL_CUDA_SHOT_H
#include "cuda_bench.h"

/* What an actor does in it. */
struct sl_cuda_role {
    const struct sl_work *work;
    const struct sl_cuda_form *form;
    double unit_ns; /* undisturbed; of aggressors */
    uint32_t units, blocks;
    int64_t last_bytes; /* of the last unit */
};

struct sl_cuda_run {
    struct sl_bench *bench;
    const struct sl_shot *shot;
    struct sl_cuda_role roles[SL_CUDA_ACTORS];
    uint32_t role_count;
    bool calls; /* the victim is calls on the host */
    bool gated;
    bool cupti; /* timed by CUPTI; else by events, and calls by the host's clock */
    int64_t call_start_ns, call_end_ns;
    uint64_t preemptions;
    struct sl_nvml_clocks clocks;
};

/* Fills the log, when the GPU is idle again. */
enum sl_status sl_cuda_read_shot(const struct sl_cuda_run *run, struct sl_shot_log *log,
                                 struct sl_error *err) SL_NODISCARD;
#endif
