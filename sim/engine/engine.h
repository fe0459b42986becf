/* The event-driven simulator: one planned graph, many trials.
 *
 * sl_program_create packs a finished graph into flat arrays; a worker owns all memory of a trial
 * and runs trials one after the other without allocating.  The same program, seed and trial number
 * give the same record whichever worker runs it.  Rules: doc/semantics.md (exact). */
#ifndef SL_ENGINE_H
#define SL_ENGINE_H
#include "graph.h"

/* Why a node started when it did: the last thing it waited for.  Up to SL_CAUSE_RELEASE in the tie
 * order of readiness conditions; then demands in the order in which they are tested. */
enum sl_cause {
    SL_CAUSE_DATA,
    SL_CAUSE_STORAGE,
    SL_CAUSE_ORDERING,
    SL_CAUSE_LIFETIME,
    SL_CAUSE_BARRIER,
    SL_CAUSE_LANE,
    SL_CAUSE_RELEASE,
    SL_CAUSE_QUEUE,
    SL_CAUSE_CAPACITY,
    SL_CAUSE_OVERLAP,
    SL_CAUSE_GUARD,
    SL_CAUSE_LAG,
    SL_CAUSE_ARRIVAL,
    SL_CAUSE_NONE,
    SL_CAUSES
};
const char *sl_cause_name(enum sl_cause cause);

/* What is known of a copy that could leave; times in ps. */
struct sl_evict_view {
    int64_t bytes;
    int64_t now_ps, used_ps, loaded_ps; /* the last use, and when it came (back) */
    uint32_t
        next_use; /* places in plan order to its next use, at least 1; UINT32_MAX: there is none */
    double leave_ps,
        back_ps;          /* mean time of taking it away (0: it is dropped) and of its way back */
    double neighbours_ps; /* ... of the absent copies whose recomputation goes with its own */
};
/* How much a copy is worth keeping: the least leaves first, of equal ones that of the first
 * holding. */
typedef double sl_evict_worth(const struct sl_evict_view *copy);

struct sl_evict_options {
    sl_evict_worth *worth; /* NULL: nothing leaves while running */
    bool neighbours;       /* worth looks at neighbours_ps */
    bool pins_running;     /* only running nodes keep their copies, not those that gather them */
    uint32_t livelock; /* times that a copy may leave while no node of the plan starts or ends */
};

/* Of blocks that jobs share (jobs.h) and none uses, whose copy leaves first. */
enum sl_cache_order {
    SL_CACHE_LRU,  /* used the longest time ago */
    SL_CACHE_FIFO, /* came first, whoever used it since */
    SL_CACHE_NONE  /* nobody's: who needs room waits until the end */
};
struct sl_engine_options {
    struct sl_evict_options evict;
    enum sl_cache_order cache_order;
    bool cache_through; /* blocks are written to the next lower tier as soon as they are made */
    enum sl_corner corner; /* for unknown kappa under `bound` */
    bool dispatch_given;   /* a policy's dispatch replaces every resource's order */
    enum sl_order dispatch;
    bool aging_given;
    int64_t aging_ps;
};

struct sl_program; /* immutable; shared by workers */
enum sl_status sl_program_create(struct sl_program **program, const struct sl_graph *graph,
                                 const struct sl_engine_options *options,
                                 struct sl_error *err) SL_NODISCARD;
void sl_program_free(struct sl_program *program);
const struct sl_graph *sl_program_graph(const struct sl_program *program);
/* False: no trial draws anything, and all of them are the same. */
bool sl_program_is_random(const struct sl_program *program);
/* Index in draw_holds of the draw that the node's k-th term sees. */
uint32_t sl_program_guard_draw(const struct sl_program *program, uint32_t node, uint32_t k);
struct sl_speculation;
/* Which movements of the graph are speculative (speculation.h). */
const struct sl_speculation *sl_program_speculation(const struct sl_program *program);
/* True: every node starts when its last condition is met, bytes permitting, so that
 * sl_worker_run_all need not follow events.  Else *why (may be NULL) says what forbids it, without
 * a full stop. */
bool sl_program_order_is_fixed(const struct sl_program *program, const char **why);

enum sl_outcome { SL_DONE, SL_DEADLOCK };
enum sl_node_state { SL_UNFINISHED, SL_RAN, SL_SKIPPED /* guard or fallback */, SL_CANCELLED };

/* A change of a domain's level, in time order; kept only with SL_RECORD_LEVELS. */
struct sl_level_step {
    int64_t t_ps;
    uint32_t domain;
    int64_t object_bytes, workspace_bytes, staging_bytes; /* levels after the step */
};

/* A copy that may leave while running: what happened to it in one trial, or in several. */
struct sl_copy_record {
    uint64_t evicted;     /* left, dropped or moved */
    uint64_t moved;       /* ... of them: moved, because it was nowhere else */
    uint64_t returned;    /* fetched or computed again */
    uint64_t thrashed;    /* left without having been used since it came back */
    int64_t returning_ps; /* its way back, from the call to the end */
};

enum sl_copy_change {
    SL_COPY_DROPPED, /* gone at once: it lies elsewhere, or can be computed again */
    SL_COPY_LEAVES,  /* called to move out */
    SL_COPY_GONE,    /* ... and has */
    SL_COPY_BACK
};
/* One of them, in time order; kept only with SL_RECORD_LEVELS. */
struct sl_copy_step {
    int64_t t_ps;
    uint32_t copy;
    enum sl_copy_change change;
    uint32_t run; /* that ended then; of the first two the node that wants the bytes */
};

/* What one trial did.  Arrays are indexed by node, domain, resource or class, belong to the worker
 * and are overwritten by its next trial.  Times of nodes that never got there are -1.
 *
 * Latent nodes (evictor.h) count as skipped: each time one ran is a *run* of its own, whose index
 * lies beyond all nodes.  Arrays marked "by run" go on there; run_node says whose run it is. */
struct sl_trial {
    enum sl_outcome outcome;
    uint32_t trial;
    int64_t makespan_ps;                            /* INT64_MAX when deadlocked */
    const int64_t *ready_ps, *start_ps, *finish_ps; /* by run, and so the next nine */
    const int64_t *free_ps;     /* when its resources came free: finish minus pipelined latency */
    const int64_t *duration_ps; /* isolated hold time of this trial (before contention) */
    const uint8_t *state;       /* enum sl_node_state */
    const uint8_t *cause;       /* enum sl_cause */
    const uint32_t *behind_run; /* the run behind the cause, SL_NONE */
    const uint8_t *behind_by_free; /* 1: the wait ended at behind's free_ps, 0: at its finish_ps */
    const int64_t *lag_ps;  /* lag between that end and the start (or the release time itself) */
    const uint32_t *behind; /* the node of behind_run */
    uint32_t run_count;     /* nodes, and runs of latent ones */
    uint32_t last_run;     /* that ended at the makespan, the first by index; SL_NONE: deadlocked */
    const uint32_t *chain; /* the runs of the realized chain, from last_run back to time 0 */
    uint32_t chain_count;
    const uint32_t *run_node; /* by index of such a run - number of nodes; NULL: there is none */
    const struct sl_copy_record *copies; /* by copy of graph->evictor; NULL: nothing leaves */
    const struct sl_copy_step *copy_steps;
    size_t copy_step_count;
    bool livelock;                 /* a deadlock in which copies evict each other without end */
    const bool *guard_holds;       /* per node: all terms of its guards; NULL: no guards */
    const bool *draw_holds;        /* per draw of a guard (sl_program_guard_draw) */
    const uint32_t *bypassed;      /* by run: times a later node of the list passed this one */
    const int64_t *peak_bytes;     /* per domain */
    const double *pressure_byte_s; /* per domain, integral of the level */
    const double *staging_byte_s;  /* per domain, integral of staging */
    const int64_t *busy_ps;        /* per resource: time with any unit in use */
    const int64_t *overlap_ps;     /* class x class: time in which both run (diagonal: >= 2) */
    const int64_t *class_busy_ps;  /* per class: time in which any runs */
    const struct sl_level_step *steps;
    size_t step_count;
    uint64_t bypasses;
    uint64_t speculative_bypasses; /* of them: of another node by a speculative movement */
    bool all_ran;                  /* no node was skipped, cancelled or left over */
    bool hypothetical;             /* an unknown kappa was used */
    const char *deadlock;          /* who waits for what, held by whom; NULL unless deadlocked */
};

enum {
    SL_RECORD_LEVELS = 1,
    SL_ONLY_MAKESPAN = 2, /* of the record only trial, outcome and makespan_ps are looked at */
    SL_GENERAL_LOOP = 4 /* even where a shorter way gives the same record: tests compare the two */
};

/* The node of a run. */
static inline uint32_t sl_trial_node(const struct sl_trial *trial, uint32_t nodes, uint32_t run)
{
    return run < nodes || run == SL_NONE ? run : trial->run_node[run - nodes];
}

struct sl_worker;
enum sl_status sl_worker_create(struct sl_worker **worker, const struct sl_program *program,
                                struct sl_error *err) SL_NODISCARD;
void sl_worker_free(struct sl_worker *worker);
/* Runs one trial.  SL_OK also for a deadlock (see outcome).  SL_SYSTEM only when an invariant of
 * the engine itself is broken (bytes lost, capacity exceeded, chain not equal to makespan);
 * SL_INVALID when times leave their range. */
enum sl_status sl_worker_run(struct sl_worker *worker, uint64_t seed, uint32_t trial,
                             unsigned flags, const struct sl_trial **record,
                             struct sl_error *err) SL_NODISCARD;

/* What is done with a trial's record, which the next trial overwrites. */
typedef enum sl_status (*sl_trial_visit)(void *state, const struct sl_trial *record,
                                         struct sl_error *err);
/* Runs trials[0 .. count) and visits them in that order; several at once where the plan's order is
 * fixed.  The records are those of sl_worker_run.  *done: how many were visited without an error,
 * so that an error is that of trials[*done]. */
enum sl_status sl_worker_run_all(struct sl_worker *worker, uint64_t seed, const uint32_t *trials,
                                 uint32_t count, unsigned flags, sl_trial_visit visit, void *state,
                                 uint32_t *done, struct sl_error *err) SL_NODISCARD;

/* The realized critical chain, from the end of the run back to time 0.  A link covers
 * (begin_ps, end_ps]: a node's run up to where the next link took over, or a lag or release wait
 * (`node` is then the waiting one and `waiting` true).  Links are contiguous: their lengths sum to
 * the makespan, which sl_worker_run asserts in every trial. */
struct sl_link {
    uint32_t node, run; /* run: of the node, or of the latent node that it is */
    bool waiting;
    uint8_t cause; /* why `node` started when it did */
    int64_t begin_ps, end_ps;
};
/* Place k of trial->chain: a lag or release wait of that length, 0: none, then the run up to
 * end_ps. */
struct sl_chain_place {
    uint32_t run;
    bool ran; /* else it was decided at begin_ps, and took no time */
    int64_t wait_ps, begin_ps, end_ps;
};
static inline struct sl_chain_place sl_trial_chain_place(const struct sl_trial *trial, uint32_t k)
{
    const struct sl_trial *t = trial;
    uint32_t run = t->chain[k];
    bool ran = t->state[run] == SL_RAN;
    struct sl_chain_place place = {run, ran, t->lag_ps[run],
                                   ran ? t->start_ps[run] : t->finish_ps[run], t->makespan_ps};
    if (k > 0) {
        uint32_t next = t->chain[k - 1];
        place.end_ps =
            (t->state[next] == SL_RAN ? t->start_ps[next] : t->finish_ps[next]) - t->lag_ps[next];
    }
    return place;
}
/* What a wait of the run on the chain was for. */
enum sl_cause sl_trial_wait_cause(const struct sl_trial *trial, uint32_t run);
/* Makes room in *links (both zero at first) for the chain of a trial; false when out of memory. */
bool sl_trial_chain_room(struct sl_link **links, size_t *capacity, const struct sl_trial *trial,
                         struct sl_arena *arena) SL_NODISCARD;
/* Links in time order, at most `capacity`; returns their number (0 for a deadlock). */
size_t sl_trial_chain(const struct sl_program *program, const struct sl_trial *trial,
                      struct sl_link *links, size_t capacity);
#endif
