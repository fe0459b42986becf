/* A plan set up on the GPU: how each node is done, who does it, and what all repetitions need. */
#ifndef SL_CUDA_STAGE_H
#define SL_CUDA_STAGE_H
#include "cuda_bench.h"
#include "replay_rules.h"

enum sl_cuda_deed_kind {
    SL_CUDA_NO_DEED,  /* nothing a server does */
    SL_CUDA_PASTIME,  /* its time passes, and nothing is touched */
    SL_CUDA_LAUNCHED, /* pieces in a stream, one right behind the other */
    SL_CUDA_CALLED,   /* calls that the host waits for */
};

/* How a node is done; the last four are of the repetition. */
struct sl_cuda_deed {
    enum sl_cuda_deed_kind kind;
    struct sl_work work; /* one piece */
    struct sl_cuda_unit unit;
    uint32_t pieces;
    CUevent begun, done;   /* LAUNCHED: around all pieces, timed */
    struct sl_span before; /* the nodes that it follows, in the stage's list */
    uint32_t seat;
    int64_t launched_ns, seen_ns; /* from the origin, by the host's clock; -1: not yet */
    struct sl_cuda_held held;     /* CALLED */
};

/* A server at work: actor s of the bench does what seat s has to do. */
struct sl_cuda_seat {
    uint32_t resource;
    uint32_t node;  /* SL_NONE: it is free */
    int64_t due_ns; /* PASTIME: its end */
};

struct sl_cuda_stage {
    struct sl_bench *bench;
    const struct sl_replay_plan *plan; /* may be gone when the stage is cleared */
    uint32_t node_count;
    struct sl_arena arena;
    struct sl_replay_rules *rules;
    struct sl_cuda_deed *deeds; /* by node */
    uint32_t *before;
    struct sl_cuda_span *spans; /* by node: what CUPTI saw */
    struct sl_cuda_seat seats[SL_CUDA_ACTORS];
    uint32_t fresh[SL_CUDA_ACTORS]; /* seats to which the rules have just given a node */
    uint32_t seat_count, fresh_count;
    bool launches; /* some nodes are */
    bool cupti;    /* they are timed by its records; else by events */
    int64_t origin_ns;
};

/* The contract is that of sl_backend.stage. */
enum sl_status sl_cuda_stage_plan(struct sl_bench *bench, const struct sl_replay_plan *plan,
                                  struct sl_error *err) SL_NODISCARD;
void sl_cuda_stage_clear(struct sl_bench *bench);
/* Sees to it that every seat has what its works touch; nothing is done where it has. */
enum sl_status sl_cuda_stage_reserve(struct sl_cuda_stage *stage,
                                     struct sl_error *err) SL_NODISCARD;
/* Told by the rules that a node begins; `user` is the stage. */
void sl_cuda_stage_take_seat(void *user, uint32_t node);

/* cuda_replay.c; the contract is that of sl_backend.replay. */
enum sl_status sl_cuda_replay(struct sl_bench *bench, const struct sl_replay_plan *plan,
                              struct sl_replay_log *log, struct sl_error *err) SL_NODISCARD;
#endif
