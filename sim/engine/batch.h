/* Trials of plans whose order is fixed, SL_BATCH of them side by side.
 *
 * Where the users of each limited resource follow one another by precedence, and nothing else can
 * hold a node up, it starts when the last of its conditions is met, and a trial is its longest
 * path:
 *
 *     start_i  = max over its conditions c of (finish of c's node + lag_c)
 *     finish_i = start_i + duration_i + latency_i
 *
 * one pass over the nodes in topological order, without events, the same for all trials of a batch.
 * Bytes are the exception: the pass supposes that they suffice.  Where they might not, each trial
 * is played once more with its bytes (batch_replay.c); one in which they were short runs by events.
 *
 *     program_batch.c   whether the order is fixed, and the plan by place in topological order
 *     batch.c           draws, pass and visits of a batch
 *     batch_pass.c      the pass; batch_overlaps.c  classes that run together; batch_record.c  the
 *                       record of one of the trials
 *
 * Private to the engine. */
#ifndef SL_BATCH_H
#define SL_BATCH_H
#include "worker.h"

#define SL_BATCH        8 /* 64-bit times of a cache line */
#define SL_BATCH_ROWS   4 /* records that are filled at once */
#define SL_BATCH_CHAINS 4 /* whose classes are swept in vectors */

/* One value per trial. */
struct sl_eight {
    _Alignas(64) int64_t of[SL_BATCH];
};

/* What the record says of a condition, in one word. */
#define SL_BATCH_WHY(cause, behind) ((uint64_t)(cause) << 32 | (behind))

/* Nodes have places 1 .. n.  Place 0 ends at 0: from there lead releases, and the start of those
 * that wait for nothing.  Place n + 1 begins after all others and ends a list of places. */
struct batch_plan {
    struct sl_arena arena;
    uint32_t place_count; /* n */
    uint32_t *node;       /* by place */
    uint32_t *first; /* by place, and one more: its conditions, those that bind in a tie first */
    uint32_t *from;  /* by condition: the place that it waits for ... */
    int64_t *lag_ps; /* ... and the lag after that */
    uint64_t *why;   /* SL_BATCH_WHY */
    bool any_lag;
    bool in_order; /* places follow the nodes' numbers */
    /* Resources whose users follow one another. */
    uint32_t chain_count;
    uint32_t *chain_resource;
    struct range *users; /* by chain, in user_nodes: in order */
    uint32_t *user_nodes;
    uint32_t *own_class; /* by chain: the only class of its users, whose time is theirs; SL_NONE */
    /* Contention classes; where each has all of its nodes on one chain, those of a chain in order.
     */
    bool classes_by_chain;
    uint32_t *klass;      /* by place; 0 for those that are of none */
    uint32_t timed_count; /* chains that have any */
    struct range *timed;  /* in timed_places; each list ends with place n + 1 */
    uint32_t *timed_places;
    bool few_chains; /* 1 .. SL_BATCH_CHAINS of them, each of one class */
    /* What the pass alone does not tell: bytes, units that several hold, scattered classes. */
    bool *is_chain;     /* by resource */
    uint32_t *replayed; /* places */
    uint32_t replayed_count;
    bool may_lack; /* the bytes of all nodes together exceed a limit */
};

/* Nodes of a chain that follow one another at once. */
struct period {
    int64_t start, end;
};

/* The node of a chain that ends next. */
struct front {
    int64_t start, end;
    uint32_t klass, at; /* at: in timed_places */
};

/* Something that happens at t. */
struct replay_item {
    int64_t t;
    uint64_t sub; /* round, kind and place: the order within an instant */
};

/* By trial, `stride` apart, and node. */
struct batch_rows {
    int64_t *start, *finish, *free, *lag; /* free: only where there are latencies; lag: 0 else */
    uint64_t *why;
    uint32_t *behind;
    uint8_t *cause;
};

struct batch_run {
    size_t stride;           /* of the next two: from one trial's to the next */
    int64_t *hold, *latency; /* by trial and node, as drawn; latency NULL where there is none */
    struct sl_eight *start, *free, *finish, *why; /* by place; free may be finish itself */
    struct sl_eight *makespan;
    bool out_of_range[SL_BATCH]; /* the sum of a trial's draws */
    int64_t *overlap;            /* by trial, class x class */
    int64_t *class_busy;         /* by trial and class */
    struct front *fronts;        /* by trial and chain */
    size_t period_stride;        /* from one trial's periods to the next */
    struct period *periods;      /* by trial, as in timed_places; few_chains */
    uint32_t *round;             /* by place: in which round of its instant it ends */
    struct replay_item *items, *sorted;
    struct batch_rows rows; /* of SL_BATCH_ROWS trials */
    struct sl_trial record;
    uint8_t *state, *by_free;
    uint32_t *bypassed;
};

/* batch_pass.c: times, causes and makespans of all trials; the latter alone. */
void sl_batch_pass(const struct batch_plan *plan, struct batch_run *run);
void sl_batch_makespans(const struct batch_plan *plan, struct batch_run *run);

/* batch_overlaps.c: once per batch. */
void sl_batch_overlaps(struct sl_worker *w);

/* batch_record.c: what the pass says of trials first .. first + SL_BATCH_ROWS - 1; then the record
 * of trial k among them, after its replay. */
void sl_batch_fill_rows(struct sl_worker *w, uint32_t first);
void sl_batch_fill_record(struct sl_worker *w, uint32_t k);

/* batch_replay.c: levels, and the times of units and classes that the pass does not tell, of trial
 * k of the batch.  False where the bytes were short. */
bool sl_batch_replay(struct sl_worker *w, uint32_t k, uint32_t trial);
#endif
