/* What a worker keeps during a trial (one per thread: every array that a trial touches), and what
 * the engine's files ask of each other.  Private to the engine.
 *
 *     instant.c runs the loop; waiting*.c try nodes that need more than one plain resource;
 *     crowd.c keeps long queues; contend.c keeps virtual clocks; capacity.c the bytes; draws.c the
 *     random numbers.
 *     Shorter ways give the same records: batch*.c run several trials of a fixed order at once,
 *     plain*.c programs whose nodes wait for one queue each, common*.c those that need bytes, too,
 *     or slow each other down. */
#ifndef SL_WORKER_H
#define SL_WORKER_H
#include "program.h"

enum phase { PHASE_PENDING, PHASE_TIMER, PHASE_WAITING, PHASE_HOLDING, PHASE_LATENCY, PHASE_PASSED };

/* Why an attempt failed; the value of `cause` is QUEUE for the first two. */
enum fail { FAIL_NONE, FAIL_BLOCKED, FAIL_UNITS, FAIL_CAPACITY, FAIL_OVERLAP };

enum { RUN_SKIP = 1 /* guard failed, or a fallback that nobody needs */ };
#define CAUSE_DECISION 254 /* readiness of a fallback by its primary's start: copied from there */

struct event {
    int64_t t;
    uint64_t sub; /* kind << 32 | node */
};
enum event_kind { EVENT_FINISH, EVENT_READY, EVENT_LATEST_START };

/* (key, ready time, node index) as one number of two words: key and the upper 31 bits of the time,
 * the lower 31 bits and the node. */
struct wait_item {
    uint64_t high, low;
};
#define SL_LAST_ITEM ((struct wait_item){UINT64_MAX, UINT64_MAX}) /* behind those of a queue */

struct resource_run {
    int64_t free;
    int64_t each; /* least units that a node waiting here demands; all do where it is simple */
    int64_t busy_since;
    uint32_t users;
    uint32_t head, tail;    /* of the queue slice */
    uint32_t cursor;        /* whom a scan tries next */
    uint32_t release_round; /* round of the first release ... */
    uint32_t release_node;  /* ... and who made it */
    bool dirty; /* simple: in w->dirty; else: in its list's part of w->open */
    uint32_t issue_head;               /* position in the issue order */
    uint32_t issue_round, issue_mover; /* when and by whom it last moved */
};

struct domain_run {
    int64_t part[LEVEL_PARTS], level, limit;
    int64_t since; /* the integrals are complete up to here */
};

/* A release in this round, in processing order. */
enum release_kind { RELEASE_UNITS, RELEASE_BYTES, RELEASE_OVERLAP };
struct release {
    uint32_t index; /* resource, domain or overlap kind */
    uint32_t node;
    uint8_t kind;
    bool by_free; /* at the node's free time, not its finish */
    int64_t before, after;
};

/* Cells, an array per field, each island padded to whole vectors of SL_LANES: an empty or padding
 * cell has target INFINITY and kappa 1. */
struct cells_run {
    double *clock;  /* V */
    double *kappa;  /* of the running set since `since` */
    double *target; /* least F of the cell's heap */
    double *left;   /* (target - clock) kappa at `since` */
    int64_t *since; /* t_c; an island's own where it is uniform */
    uint32_t *count;
};

struct cell_item {
    double target; /* F */
    uint32_t node;
};

/* kappa vectors of an island by the counts of its cells: open addressing on the state hash, the
 * counts compared in full, emptied when half full. */
struct kappa_memo {
    uint32_t slots, used; /* slots: a power of two */
    uint32_t lanes;       /* places of a row: the cells, padded */
    uint64_t *hash;       /* 0: empty */
    uint32_t *counts;     /* slots x lanes */
    double *kappa;        /* slots x lanes */
    bool *hypothetical;
};

struct island_run {
    uint64_t hash, touched; /* touched: groups in which a node started or finished */
    int64_t since, next;    /* next: earliest finish, INT64_MAX when nothing runs */
    struct kappa_memo memo;
};

/* contend_compact.c: one uniform island with an exact state of few bits. */
struct compact_state {
    int64_t time; /* how long this trial was in it so far */
    bool known, hypothetical;
    uint8_t running, twice; /* cells with one node, with two nodes at least: bit by bit */
};
struct compact_run {
    _Alignas(64) double clock[SL_COMPACT_CELLS]; /* as in cells_run */
    double target[SL_COMPACT_CELLS], left[SL_COMPACT_CELLS];
    uint32_t count[SL_COMPACT_CELLS];
    uint32_t node[SL_COMPACT_CELLS];  /* the first to finish */
    uint32_t share[SL_COMPACT_CELLS]; /* one node's share of the state */
    const double *row; /* kappas since `since` */
    uint32_t state, state_next; /* since `since`; with what has left or entered at this instant */
    uint32_t near;              /* cells that may end next, bit by bit */
    int64_t since;
    double *kappa; /* SL_COMPACT_CELLS per state */
    struct compact_state *states;
    uint16_t *known; /* states met so far */
    uint32_t known_count;
};

struct class_run {
    uint32_t count;
    bool queued;
    int64_t since_two;
};

struct regime_run {
    bool at_level;
    double until;
    uint32_t draws;
    uint64_t epoch, hash; /* of the epoch's draws */
};

/* Deadlock search: what a node waits for; `cursor` runs over its reasons, zero-initialise. */
enum wait_kind { WAIT_EDGE, WAIT_RETURN, WAIT_LANE, WAIT_PRIMARY, WAIT_TURN, WAIT_STRICT, WAIT_BYTES };
struct wait {
    enum wait_kind kind;
    uint32_t target, holding, cursor;
};
#define SL_DEADLOCK_TEXT 4096 /* bytes of the report; longer cycles are cut */

struct sl_worker {
    const struct sl_program *p;
    struct sl_arena arena;
    struct sl_trial record;
    int64_t now;
    uint32_t round;  /* of the fixpoint, counting through the trial */
    uint32_t scan;   /* scans of the complex lists that were carried out */
    uint32_t passed; /* nodes done */
    uint64_t seed;
    double longest_ps; /* all durations, lags and releases of the trial, one after the other */
    struct node_run *run;
    struct event *heap;
    uint32_t heap_count;
    /* the record */
    int64_t *ready, *start, *finish, *free, *duration, *latency, *lag;
    uint8_t *state, *cause, *by_free;
    uint32_t *behind, *bypassed; /* behind: a run (evict.h) */
    uint32_t *behind_node;       /* NULL: the same as behind */
    uint32_t *chain;
    int64_t *peak, *busy, *overlap, *class_busy;
    double *pressure, *staging_pressure;
    struct plain_run *plain; /* NULL where the program is not plain */
    struct common_run *common; /* ... not common */
    /* waiting */
    struct resource_run *resources;
    struct wait_item *items;
    struct wait_item *crowd;        /* heaps, in the queues' slices: crowd.h */
    uint32_t *crowd_count, crowded; /* per resource; of all */
    uint32_t *dirty;
    uint32_t dirty_count;
    uint32_t *free_ready, free_count;
    uint32_t *skips, skip_count;
    bool scan_needed;
    uint32_t complex_waiting;
    uint32_t list_waiting[SL_ORDER_ISSUE + 1];
    uint32_t *open; /* sublists that a scan tries, in their list's slice */
    uint32_t open_count[SL_ORDER_ISSUE + 1];
    struct wait_item *first;  /* per place in list_resources: the first of that sublist */
    uint32_t *write;          /* scratch of a scan, per resource */
    uint64_t *stamp_resource, *stamp_domain; /* what earlier members of a strict list demand */
    uint64_t stamp;
    uint32_t *started; /* nodes started by the list scan in progress */
    uint32_t started_count;
    struct release *log;
    uint32_t log_count;
    /* capacity */
    struct domain_run *domains;
    double *fragmentation; /* reserved / allocated in this trial */
    bool *held;
    uint32_t *holder; /* node that took the holding */
    struct sl_level_step *steps;
    size_t step_count, step_capacity;
    bool record_levels, out_of_memory;
    struct evict_run *evict; /* NULL: nothing leaves while running */
    bool stopped; /* by a livelock: what runs is not brought to its end */
    /* contention */
    struct cells_run cells;
    struct cell_item *cell_heap;
    struct island_run *islands;
    struct compact_run *compact; /* NULL: the general form */
    uint32_t *touched, touched_count; /* islands whose running set changed at this instant */
    uint32_t *starters, starter_count;
    uint32_t *batch, batch_count;
    uint32_t *class_counts;
    int64_t cell_next;
    uint32_t *overlap_running;
    /* classes */
    struct class_run *classes;
    int64_t *class_since; /* INT64_MAX: does not run */
    uint32_t *quiet, quiet_count;   /* classes that may have stopped at this instant */
    /* fallbacks */
    bool *activated;
    uint32_t *undecided;
    uint32_t *heir_first, *heir_next;
    /* draws */
    double *u, *u2, *value, *multiplier, *factor_value, *raw;
    bool *draw_holds;  /* per draw of a guard */
    bool *guard_holds; /* per node: all of its terms */
    struct regime_run *regimes;
    char *fault; /* an invariant that broke; NULL */
    char fault_text[512];
    char *deadlock; /* SL_DEADLOCK_TEXT bytes */
    struct batch_run *batch_run; /* NULL: none ran yet */
    struct wait *waits; /* this and the next three: 2 n, for the search of a cycle */
    uint8_t *mark;
    uint32_t *queue, *origin;
};

/* ---- between the engine's files ------------------------------------------------------------- */

/* draws.c */
void sl_draws_fill(struct sl_worker *w, uint64_t seed, uint32_t trial);
void sl_draws_complete(struct sl_worker *w, uint32_t node); /* regime factors, at the start */
/* A uniform whose normal has a part in common with all that share `common`. */
double sl_draws_correlate(const struct guard_draw *draw, double common, double u);
/* The factors drawn once, and the beginning of regimes; w->seed is set. */
void sl_draws_factors(struct sl_worker *w, uint64_t seed, uint32_t trial);
double sl_draws_regimes(struct sl_worker *w, uint32_t node); /* product of those of a node, now */
/* The duration of a latent node's next run, of which there were `number` before. */
void sl_draws_latent(struct sl_worker *w, uint32_t node, uint32_t number);

/* True when a start at `now` must not meet a running node of the peer's kind. */
static inline bool overlap_forbidden(const struct overlap_peer *peer, int64_t now)
{
    return now < peer->earliest || now > peer->latest;
}

/* instant.c */
void sl_instant_loop(struct sl_worker *w);
void sl_instant_start(struct sl_worker *w, uint32_t node);
void sl_instant_push(struct sl_worker *w, int64_t t, enum event_kind kind, uint32_t node);
void sl_instant_satisfy(struct sl_worker *w, uint32_t node, int64_t at, uint8_t cause,
                        uint32_t behind);

/* waiting_scan.c */
void sl_waiting_scan(struct sl_worker *w);

/* waiting.c */
void sl_waiting_insert(struct sl_worker *w, uint32_t node);
void sl_waiting_remove(struct sl_worker *w, uint32_t node);
void sl_waiting_pass_issue(struct sl_worker *w, uint32_t node);
void sl_waiting_blame(struct sl_worker *w, uint32_t node);
/* Blames the start of a node that lacked units or bytes, or was kept off by an overlap, at the last
 * scan: on the release of this round that met it, else on its last condition, of run `behind`. */
void sl_waiting_blame_release(struct sl_worker *w, uint32_t node, enum fail fail, uint32_t behind);
/* The run whose end freed the units that `node` lacked at the last scan; SL_NONE: it did not lack them,
 * or they came free before the end. */
uint32_t sl_waiting_freed_by(const struct sl_worker *w, uint32_t node);
/* Whether two nodes demand a common resource or domain, by their needs in full. */
bool sl_waiting_in_common(const struct sl_program *p, uint32_t a, uint32_t b);
/* Whose turn comes before a waiting node's (issue order, strict queue); SL_NONE: nobody's. */
uint32_t sl_waiting_blocker(const struct sl_worker *w, uint32_t node);

/* capacity.c */
bool sl_capacity_fits(const struct sl_worker *w, uint32_t node);
void sl_capacity_take(struct sl_worker *w, uint32_t node);
void sl_capacity_give_workspace(struct sl_worker *w, uint32_t node);
void sl_capacity_give(struct sl_worker *w, uint32_t node, bool skipped); /* holdings */
void sl_capacity_begin(struct sl_worker *w);
void sl_capacity_end(struct sl_worker *w);
/* Bytes that `node` still has to find in the domain of its amounts[first], and where the next
 * domain begins. */
int64_t sl_capacity_want(const struct sl_worker *w, uint32_t node, uint32_t first, uint32_t *next);
/* Gives a holding back at this instant; `behind`: the run whose end just now let it, SL_NONE. */
void sl_capacity_drop(struct sl_worker *w, uint32_t holding, uint32_t behind);

/* contend.c */
enum sl_status sl_contend_create(struct sl_worker *w) SL_NODISCARD;
void sl_contend_begin(struct sl_worker *w);
void sl_contend_gather(struct sl_worker *w, int64_t t); /* nodes finishing at t, into the batch */
void sl_contend_update(struct sl_worker *w, int64_t t);
/* kappa of each running cell of an island; those of the others mean nothing. */
void sl_contend_evaluate(struct sl_worker *w, const struct island_static *island,
                         const uint32_t *counts, double *kappa, bool *hypothetical);

/* contend_compact.c and its header: the same where the program is compact */
enum sl_status sl_compact_create(struct sl_worker *w) SL_NODISCARD;
void sl_compact_begin(struct sl_worker *w);
void sl_compact_end(struct sl_worker *w); /* class times, where class_states */
bool sl_compact_is_brisk(const struct sl_program *p); /* once all else is packed */
/* Runs the next instants, as long as exactly one node ends in each; where p->brisk. */
void sl_compact_run_brisk(struct sl_worker *w);

/* fallback.c */
void sl_fallback_primary_passed(struct sl_worker *w, uint32_t primary);
void sl_fallback_cancel(struct sl_worker *w, uint32_t node, bool by_guard);
void sl_fallback_deliver(struct sl_worker *w, uint32_t node);

/* deadlock.c */
void sl_deadlock_report(struct sl_worker *w);

/* chain.c */
/* Walks a trial that ended from its last run; `chain` has room for its runs.  False when
 * a link does not meet the next, so that their lengths would not sum to the makespan. */
bool sl_chain_walk(const struct sl_trial *t, uint32_t *chain, uint32_t *count) SL_NODISCARD;

/* all_ran.c: every node ran, the last of them until now; what of the record follows from that */
void sl_worker_record_all(struct sl_worker *w);
/* The first of n nodes that ended at t, which one did. */
uint32_t sl_worker_first_at(const int64_t *finish, uint32_t n, int64_t t);

/* Brings all but the nodes' own state back to the beginning of a trial. */
void sl_worker_reset(struct sl_worker *w, uint32_t trial, unsigned flags);
/* Points the record at the worker's arrays. */
void sl_worker_fill_record(struct sl_worker *w);
/* Each pair's time together was added to the row of one of the two classes. */
void sl_worker_mirror_overlaps(const struct sl_worker *w, int64_t *overlap);
void sl_worker_fault(struct sl_worker *w, const char *format, ...) SL_PRINTF(2, 3);
#endif
