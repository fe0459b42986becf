/* What the job engine's files share: what a plan of jobs says, and what a replication changes.
 *
 *     plan --sl_program_create--> sl_program --jobs_program.c--> sl_jobs_program (read-only)
 *
 * - jobs_worker.c: a replication's frame
 * - jobs_memory.c: what it changes, and how that grows
 * - jobs.c: the loop over instants; jobs_lone.c: a short way for jobs of one node
 * - jobs_flow.c: jobs that come, are admitted and end
 * - jobs_queues.c: in which queue a node waits; jobs_wait.c: waiting runs; jobs_scan.c tries them
 * - jobs_batch.c: runs that start together and share a server
 * - jobs_contend.c: virtual clocks; jobs_bytes.c: bytes; jobs_draws.c: random numbers
 * - jobs_cache.c, jobs_line.c, jobs_room.c, jobs_spill.c: shared blocks, whose turn it is to fetch
 *   them, who makes room for them, and how that leaves
 * - jobs_needs.c: what jobs may still need of the domain by which they are admitted
 * - jobs_record.c: what one job did; jobs_story.c: one job's in full; jobs_use.c: what was in use
 *   when
 *
 * What belongs to the machine and not to a job (levels, times of classes, kappas, regimes, faults)
 * is kept by an ordinary worker of the plan, `base`.
 *
 * A **run** is one node of one admitted job.  Its handle is its place in w->runs; its index is
 * (node, job number), by which all that happens at one instant is ordered. */
#ifndef SL_JOBS_STATE_H
#define SL_JOBS_STATE_H
#include "jobs_cache.h"
#include "jobs_needs.h"
#include "jobs_story.h"
#include "worker.h"

/* ---- what the plan says ---------------------------------------------------------------------- */

struct job_node {
    uint32_t succ_first, succ_count; /* in base->succ */
    uint32_t resource, units;        /* the first demand; SL_NONE without one */
    uint32_t cell, klass;
    uint32_t flags; /* NODE_... of program.h */
    uint32_t queue; /* where it waits; SL_NONE: nothing can hold it up */
    uint64_t key;   /* of the waiting order, smaller first; edf: the deadline from the arrival */
};

/* Runs of one waiting list that would all fail an attempt for the same reason: those of nodes with
 * equal demands, or of one node whose runs are tried singly. */
struct job_queue {
    enum sl_order order;
    uint32_t node;     /* one of its nodes, for what they demand */
    uint32_t resource; /* the first; SL_NONE */
    uint32_t nodes;    /* how many wait in it */
    bool simple;       /* no other queue has to do with its resource: its first run is the next */
    bool singly;       /* whether one can start depends on the job */
    uint32_t domain; /* nothing but units and bytes can hold its runs up, and what they take of this
                      * domain stays what it is while they wait; SL_NONE */
    const struct sl_batching *batching; /* its runs, all of one node, start in batches; NULL */
    bool again;                         /* ... and have begun: they wait for their next step */
};

/* A node whose duration, or a holding whose bytes, a job's parameters say. */
struct job_times {
    uint32_t node, draw; /* draw: SL_NONE where its law is a constant that no factor touches */
    bool late; /* it depends on counts of shared objects, and is known when the node is ready */
};

struct sl_jobs_program {
    struct sl_program *base;
    struct sl_arena arena;
    struct sl_jobs_options options;
    uint32_t n, holdings; /* holdings: 0 where no job has one of its own */
    uint32_t job_nodes;   /* of a job: n less the spills of shared objects */
    uint32_t value_count; /* of a job: its parameters, and counts of shared objects */
    struct job_cache *caches;
    uint32_t cache_count;
    bool any_late;                /* of times */
    struct cache_use *cache_uses; /* per node, cache_count places */
    uint32_t *cache_use_count;
    struct job_times *times;
    uint32_t *sized; /* holdings */
    uint32_t times_count, sized_count;
    struct job_node *nodes;
    struct job_run *template; /* of a job that arrives and is admitted at 0 */
    struct job_queue *queues;
    uint32_t queue_count;
    uint32_t *simple_queue;               /* per resource; SL_NONE: it has no simple queue */
    uint32_t *issue_before, *issue_after; /* per node: neighbours in order of issue; SL_NONE */
    struct job_needs needs;
    bool any_release;
    bool lone;                       /* jobs_lone.c serves */
    bool any_batch, any_batch_waits; /* some node starts in batches; ... that wait for members */
};

/* ---- what a replication changes -------------------------------------------------------------- */

struct job_run {
    int64_t ready; /* latest condition so far */
    int64_t start, finish, duration, latency;
    uint32_t node, job; /* job: its place in w->jobs */
    uint32_t behind;    /* node whose condition was the latest, SL_NONE */
    uint32_t pending;
    uint32_t tried;      /* scan of the last attempt, where runs are tried singly */
    uint8_t cause;       /* of its readiness */
    uint8_t phase, skip; /* as in node_run */
    uint8_t fail;        /* of that attempt; once it has started, what it waited for: a cause */
};

struct job {
    uint64_t number, bypassed;
    int64_t arrival, admitted, longest_wait;
    int64_t need, need_alone; /* what it may still need of the domain by which jobs are admitted;
                               * when it came, while no other is there */
    uint32_t runs;            /* the first of them, in w->runs; SL_NONE: not admitted */
    uint32_t left;            /* nodes that have not passed */
    uint32_t next; /* behind it among the free ones, or those that wait for admission; SL_NONE */
    uint32_t longest_node;
    struct sl_place place; /* of its row in a trace; file NULL */
    bool spill;            /* no job, but the place of a spill (jobs_spill.c) */
};

enum job_event_kind { JOB_FINISH, JOB_ARRIVAL, JOB_READY };
struct job_event {
    int64_t t;
    uint64_t sub;    /* kind << 61 | index of a run or number of the fetched job */
    uint32_t handle; /* of a run, or the job's place */
};

struct job_item {
    uint64_t key;
    int64_t time; /* ready; critical-path: the job's number */
    uint64_t index;
    int64_t bytes; /* that it takes of the queue's domain */
    uint32_t handle;
    uint32_t passed; /* by later ones, modulo 2^32: less what the queue's `passed` counts for all */
};

/* Runs of a queue with a domain that were short of its bytes in a scan: those up to `last`.  All
 * behind it were short of units: of both there is only ever less while a scan lasts. */
struct job_short {
    uint32_t scan;
    struct job_item last;
};

struct job_queue_run {
    struct job_item *items; /* sorted, [head .. tail) of them wait */
    uint32_t places, head, tail, cursor;
    uint32_t passed;           /* times that all who waited were passed */
    uint32_t tried, tried_run; /* the last scan that tried the first run, and which that was */
    uint8_t fail;              /* ... and why it failed */
    int64_t least, least_seen; /* bytes: no run takes less; none of those tried in this scan does */
    struct job_short short_in[2]; /* the last two scans, by parity */
    uint32_t listed; /* one past its place in the list's `filled`, or in `dirty`; 0: not */
    uint32_t begun;  /* of a continuous batch: members that have not made their last step */
};

/* A run that starts in batches, beside what every run has. */
struct job_member {
    int64_t alone;  /* its own time, of a step */
    int64_t spent;  /* by the steps so far, of its batches as they are without contention */
    int64_t since;  /* start of the step, or end of the last one */
    int64_t paused; /* between steps */
    uint32_t steps; /* that it still has to make */
    uint32_t next;  /* of the same batch; SL_NONE */
};

struct job_list_run {
    uint32_t *filled, *open; /* queues with waiting runs; those that the scan still tries */
    uint32_t filled_count;
    bool every, aging; /* as in list_static */
};

struct job_ending {
    uint64_t index;
    uint32_t handle;
};

/* Draws of a block of consecutive jobs: a row per draw, guard or factor, a column per job. */
struct job_draws {
    uint64_t first;
    uint32_t block, count; /* columns of a row; those that are filled */
    double *u, *u2, *value, *unit, *multiplier, *factor;
    double *raw; /* value x unit x factors, where there are regimes or durations by job */
    int64_t *duration, *latency;
    bool *holds;
};

/* The only cell of a plan: its clock, and kappa by the number of its runs (jobs_contend.c). */
struct job_sharing {
    double clock, rate; /* rate: kappa since `since` */
    int64_t since;
    uint32_t count, known, places; /* known: kappas there are */
    bool touched;
    double *kappa;
    bool *hypothetical;
    int64_t busy_ps, twice_ps; /* jobs_lone.c: in which one runs, and two */
};

/* Units in use by windows of time (jobs_use.c). */
struct job_use {
    bool on;
    uint32_t shift; /* a window is 2^shift ps long */
    double *unit_s; /* per resource and window */
};

struct sl_jobs_worker {
    const struct sl_jobs_program *p;
    struct sl_worker *base;
    struct sl_arena arena;
    int64_t now;
    const struct sl_job_source *source;
    sl_job_visit visit;
    void *user;
    enum sl_status status; /* the first failure: of memory, of the source or of a visit */
    struct sl_error *err;
    /* jobs: their places grow apart from those of their runs, which only admitted ones have */
    struct job *jobs;
    double *parameters; /* per job */
    uint32_t job_places, free_job;
    uint32_t first_waiting, last_waiting; /* for admission; SL_NONE */
    uint32_t in_system, admitted;
    uint64_t fetched, arrived;
    bool source_ended;
    int64_t counted; /* totals.jobs_s is complete up to here */
    /* runs: p->n for each admitted job; what is below has room for all of them */
    struct job_run *runs;
    double *raw;         /* the draw of a run that a regime may change */
    double *drawn;       /* ... and that of one whose duration depends on shared objects */
    bool *held;          /* p->holdings for each admitted job */
    int64_t *bytes;      /* ... and theirs, where some are a job's own */
    uint32_t run_places; /* in jobs */
    uint32_t *free_runs, free_run_count; /* handles of first runs */
    struct job_event *heap;
    uint32_t heap_count, heap_places;
    struct job_ending *batch;
    uint32_t batch_count;
    uint32_t *skips, *generation, skip_count;
    uint32_t *unhindered, unhindered_count; /* ready, and nothing can hold them up */
    uint32_t *starters, starter_count;      /* of cells */
    struct cell_item **cell_heaps;          /* per cell */
    struct job_sharing sharing;
    /* waiting */
    struct job_queue_run *queues;
    struct job_list_run lists[SL_ORDER_ISSUE + 1];
    uint32_t *dirty, dirty_count; /* simple queues to look at */
    uint32_t scan, listed_waiting;
    bool scan_needed;
    struct job_draws draws;
    /* shared objects */
    struct cache_run *caches;
    struct sl_cache_totals *cache_totals; /* of the last replication */
    struct job_blocks *blocks;            /* per job and shared object */
    int64_t *leaving; /* per domain: bytes of blocks on their way out, for runs that want them */
    int64_t *coming;  /* ... of those that leave in this round for spills, and are not owed yet */
    uint64_t cache_clock, spills;
    bool writes_due; /* blocks have come that will be written to the next lower tier */
    uint32_t *pending, pending_count, pending_places; /* spills that wait for others */
    struct job_needs_run needs;
    /* the record */
    struct sl_job_record record;
    int64_t *mark_ps;
    struct sl_jobs_totals totals;
    double *unit_s;
    struct job_use use;
    int64_t *node_wait_ps, *node_wait_most_ps;
    uint64_t *node_starved, *node_runs, *node_skips;
    struct {
        uint64_t job;
        uint32_t node, handle; /* SL_NONE: nothing is watched; the job is not admitted yet */
        uint64_t *overtakers;  /* per node */
    } watch;
    struct job_story_run story;
    struct job_member *members;      /* per run, where any node starts in batches */
    struct sl_batch_totals *batches; /* per node, there */
    int64_t batch_next;              /* when the first of some batch will have waited long enough */
};

static inline uint64_t job_run_index(const struct sl_jobs_worker *w, const struct job_run *run)
{
    return (uint64_t)run->node << 32 | w->jobs[run->job].number;
}

static inline bool *job_held(const struct sl_jobs_worker *w, const struct job *job)
{
    return w->held + (uint64_t)(job->runs / w->p->n) * w->p->holdings;
}

static inline const double *job_parameters(const struct sl_jobs_worker *w, const struct job *job)
{
    return w->parameters + (size_t)(job - w->jobs) * w->p->value_count;
}

/* Bytes of all holdings of an admitted job, where some are a job's own. */
static inline int64_t *job_sizes(const struct sl_jobs_worker *w, const struct job *job)
{
    return w->bytes + (uint64_t)(job->runs / w->p->n) * w->p->holdings;
}

/* Bytes of a holding of the job. */
static inline int64_t job_bytes(const struct sl_jobs_worker *w, const struct job *job,
                                uint32_t holding)
{
    if (!w->p->sized_count)
        return w->p->base->holding_bytes[holding];
    return job_sizes(w, job)[holding];
}

/* Bytes of the domain that are held by blocks which nobody has pinned, or which are on their way
 * out (jobs_room.c). */
int64_t sl_jobs_room_more(const struct sl_jobs_worker *w, uint32_t domain);

/* What a run of the queue may want of its domain: one that wants more fails, and moves nothing. */
static inline int64_t job_room(const struct sl_jobs_worker *w, uint32_t queue)
{
    uint32_t m = w->p->queues[queue].domain;
    if (m == SL_NONE)
        return INT64_MAX;
    int64_t room = w->base->domains[m].limit - w->base->domains[m].level;
    return w->p->cache_count ? room + sl_jobs_room_more(w, m) : room;
}

/* What the job in that place has to do with a shared object. */
static inline struct job_blocks *job_blocks_of(const struct sl_jobs_worker *w, uint32_t job,
                                               uint32_t cache)
{
    return &w->blocks[(size_t)job * w->p->cache_count + cache];
}

static inline const struct cache_use *job_cache_uses(const struct sl_jobs_program *p, uint32_t node)
{
    return p->cache_uses + (size_t)node * p->cache_count;
}

static inline struct job_run *job_runs(const struct sl_jobs_worker *w, const struct job *job)
{
    return w->runs + job->runs;
}
#endif
