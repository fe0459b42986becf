/* Open and closed modes: many instances of one plan, **jobs**, that arrive one after the other and
 * share resources, bytes and contention.
 *
 * sl_jobs_program_create packs a finished plan once; a worker owns what a replication changes and
 * grows with the number of jobs in the system, never with the number of jobs that have been.  The
 * same program, seed and trial number give the same records whichever worker runs them.  Rules:
 * doc/semantics.md, "Jobs" (exact). */
#ifndef SL_JOBS_H
#define SL_JOBS_H
#include "engine.h"

/* What comes in: one job.  Arrays belong to the source and last until its next call. */
struct sl_job_arrival {
    int64_t t_ps; /* open: when it arrives, not before the one before it.  closed: the client's
                   * think time before it */
    const double *parameters; /* values of the scenario's job parameters, in their order */
    const uint64_t *blocks;   /* identities of what it shares with other jobs (prefix blocks) */
    uint32_t block_count;
    struct sl_place place; /* the row that says so, for faults; file NULL: none */
};
/* Where jobs come from, one replication's.  *more false: there are no more. */
struct sl_job_source {
    enum sl_status (*next)(void *user, struct sl_job_arrival *arrival, bool *more,
                           struct sl_error *err);
    void *user;
};

/* Counts of such an object that a job's record has behind its parameters: blocks, those found in
 * each tier, those missing. */
#define SL_CACHE_VALUES(tiers) ((tiers) + 2)
enum sl_when_full { SL_WHEN_FULL_QUEUE, SL_WHEN_FULL_REJECT };

/* Why a job was rejected, when it came. */
enum sl_rejection {
    SL_NOT_REJECTED,
    SL_REJECTED_FULL,      /* as many jobs as may be had been admitted */
    SL_REJECTED_MEMORY,    /* what it might need was not free */
    SL_REJECTED_TOO_LARGE, /* what it might need is more than there is */
    SL_REJECTIONS
};
const char *sl_rejection_name(enum sl_rejection rejection); /* "full"; "" of none */

struct sl_jobs_options {
    struct sl_engine_options engine;
    uint32_t clients;       /* closed: so many at a time; 0: open */
    uint32_t admitted_most; /* jobs that have been admitted, at once; 0: any number */
    enum sl_when_full when_full;
    /* A job is admitted only if what it may need of the domain `memory` is free beside what the
     * admitted jobs may still need. */
    bool by_memory;
    uint32_t memory;
    enum sl_when_full when_short;
    const uint32_t *marks; /* nodes of the plan whose finishes a record has */
    uint32_t mark_count;
    uint32_t parameter_count; /* values that each arrival has */
    int64_t bound_ps;         /* of a wait: longer ones are counted by node */
};

/* A node on the realized chain of a job: its lag and its time from readiness to finish follow what
 * came before it without a gap.
 *
 *     finish - origin = (ready - origin) + (start - ready) + (finish - start)
 */
struct sl_job_link {
    uint32_t node, behind;   /* behind: the node before it on the chain; SL_NONE: the admission */
    bool skipped;            /* start = finish */
    enum sl_cause condition; /* that made it ready; with nobody behind arrival or release */
    enum sl_cause cause;     /* of its wait for the start */
    int64_t origin_ps;       /* finish of the node behind, or the admission */
    int64_t ready_ps, start_ps, finish_ps;
    int64_t paused_ps, isolated_ps; /* between steps of batches; of the rest, without contention */
};

/* Who held what a node on that chain waited for, at some time of its wait: units of a resource that
 * both demand, or bytes, which it gave back then. */
struct sl_job_holder {
    uint32_t waiting;       /* node of the job */
    uint64_t job;           /* of the holder; UINT64_MAX: a spill, which is of no job */
    uint32_t node;          /* SL_NONE: bytes, given back at the end of that job */
    uint32_t resource;      /* SL_NONE: bytes */
    uint32_t domain;        /* SL_NONE: units */
    int64_t bytes;          /* given back */
    int64_t from_ps, to_ps; /* units: held, within the wait.  Bytes: to_ps is when they came back */
    bool later;             /* it became ready after the one that waited: it overtook */
};
#define SL_MOST_HOLDERS (1u << 20)

/* A job that was admitted, at some time, while the one that is told of waited for its admission. */
struct sl_job_admitted {
    uint64_t job;
    int64_t from_ps, to_ps;  /* within the wait */
    int64_t need, need_left; /* bytes of the domain by which jobs are admitted that it might still
                              * need at these times; 0 without one */
};

struct sl_job_story {
    const struct sl_job_link *links; /* from the admission on */
    uint32_t link_count, holder_count;
    const struct sl_job_holder *holders; /* by to_ps */
    uint64_t unlisted;                   /* holders beyond SL_MOST_HOLDERS */
    uint64_t before; /* jobs that waited for admission when it came, and were admitted before it */
    const struct sl_job_admitted *admitted; /* by to_ps */
    uint32_t admitted_count;
    uint64_t admitted_unlisted; /* beyond SL_MOST_HOLDERS */
};

/* What one job did.  Arrays belong to the worker and are overwritten by the next record. */
struct sl_job_record {
    uint64_t job;                               /* from 0, in order of arrival */
    int64_t arrival_ps, admitted_ps, finish_ps; /* rejected: admitted_ps and finish_ps are -1 */
    bool rejected;
    enum sl_rejection rejection;
    const double *parameters; /* of the arrival, then the counts of each shared object in the order
                               * of objects; NAN: not looked up */
    const int64_t *mark_ps;   /* finish of each marked node, -1: it did not run */
    /* Its latency along its own realized chain, which walks from its last finish back to its
     * arrival: latency = admission wait + the sum of wait_ps + run_ps, asserted for every job. */
    int64_t wait_ps[SL_CAUSES]; /* by the cause of the wait; lags under SL_CAUSE_LAG */
    int64_t run_ps,
        isolated_ps;            /* of its nodes on the chain: as they ran, and without contention */
    int64_t longest_wait_ps;    /* start - ready of any of its nodes */
    uint32_t longest_wait_node; /* the first of them; SL_NONE: none waited */
    uint64_t bypassed;          /* times that one of its nodes was passed */
    const struct sl_job_story *story; /* if the worker tells of it; NULL */
};
typedef enum sl_status (*sl_job_visit)(void *user, const struct sl_job_record *job,
                                       struct sl_error *err);

/* What became of the blocks of one shared object.
 *
 *     looked_up = sum of found + missing
 *     made - made_twice + fetched - fetched_twice = evicted - kept + left_over[0]
 */
struct sl_cache_totals {
    uint32_t tiers;              /* its placements, the home first */
    uint64_t looked_up, missing; /* blocks of jobs */
    uint64_t found[SL_CACHE_TIERS];
    uint64_t made, fetched;             /* fetched: to the home */
    uint64_t made_twice, fetched_twice; /* of these, what was at home already at the end */
    uint64_t fetched_unused;            /* of these, for a job of which all users were skipped */
    /* Per tier. */
    uint64_t raised[SL_CACHE_TIERS];       /* blocks that fetches took from it to a higher one */
    uint64_t raised_twice[SL_CACHE_TIERS]; /* of these, what was there already at the end */
    uint64_t evicted[SL_CACHE_TIERS];      /* blocks that were to leave it */
    uint64_t spilled[SL_CACHE_TIERS];      /* of these, to a lower tier; the others were dropped */
    uint64_t written[SL_CACHE_TIERS];      /* copied to a lower tier ahead of leaving */
    uint64_t kept[SL_CACHE_TIERS];      /* of those evicted, what a job used before it had left */
    uint64_t lost[SL_CACHE_TIERS];      /* last copies that were dropped there */
    uint64_t left_over[SL_CACHE_TIERS]; /* copies at the end */
    /* Jobs whose fetches were called in turn, and what they had waited for it in the line. */
    uint64_t turns, turns_starved; /* starved: longer than the bound */
    int64_t turn_ps, turn_most_ps; /* in all, and the longest */
};

/* Batches of one node, each step of a continuous one for itself. */
#define SL_BATCH_BINS 17
struct sl_batch_totals {
    uint64_t batches;
    uint64_t steps;                /* of all its runs: the sum of the batches' members */
    uint32_t most;                 /* members of one */
    uint64_t sizes[SL_BATCH_BINS]; /* bin k: batches of 2^k to 2^(k+1) - 1 members */
    int64_t pause_ps;              /* time that its runs waited between two of their steps */
};

/* What a whole replication did. */
struct sl_jobs_totals {
    enum sl_outcome outcome;               /* a deadlock: jobs are left in the system */
    const char *deadlock;                  /* who waits for what, held by whom; NULL */
    uint64_t arrived, completed, rejected; /* arrived = completed + rejected unless deadlocked */
    uint64_t rejected_for[SL_REJECTIONS];  /* which sum to `rejected` */
    int64_t end_ps;                        /* of the last event */
    int64_t last_arrival_ps;
    double jobs_s;      /* integral of the number in the system, those that wait for admission too,
                         * job seconds, to end_ps */
    uint32_t most_jobs; /* in the system at once */
    const int64_t *busy_ps;                         /* per resource: time with any unit in use */
    const double *unit_s;                           /* per resource: integral of the units in use */
    const int64_t *peak_bytes;                      /* per domain */
    const double *pressure_byte_s, *staging_byte_s; /* per domain */
    const int64_t *class_busy_ps, *overlap_ps;      /* as of struct sl_trial */
    /* Per node of the plan, over all jobs; of a fetch only what it waited after its turn had come.
     */
    const int64_t *node_wait_ps, *node_wait_most_ps;
    const uint64_t *node_starved; /* ... runs that waited longer than the bound */
    const uint64_t *node_runs, *node_skips;
    const struct sl_batch_totals *batches; /* per node of the plan; NULL: no resource batches */
    uint64_t bypasses;
    const uint64_t *overtakers; /* per node of the plan: its runs that overtook the watched run;
                                 * NULL: none is watched */
    const struct sl_cache_totals *caches; /* per object that jobs share by blocks */
    uint32_t cache_count;
    /* If the worker is asked to tell (sl_jobs_worker_use): the integral of the units in use by
     * windows of time, each so long, from 0 on: the least power of two of which SL_JOBS_WINDOWS
     * reach end_ps. */
    int64_t window_ps;           /* 0: it is not asked */
    const double *window_unit_s; /* per resource and window */
    bool hypothetical;
};
#define SL_JOBS_WINDOWS 200

struct sl_jobs_program;
/* SL_NO with the reason for a plan that has what the mode cannot (edges of scope next, fallbacks,
 * rules of overlap.csv that restrict, eviction), or of which no job could be admitted. */
enum sl_status sl_jobs_program_create(struct sl_jobs_program **program,
                                      const struct sl_graph *graph,
                                      const struct sl_jobs_options *options,
                                      struct sl_error *err) SL_NODISCARD;
void sl_jobs_program_free(struct sl_jobs_program *program);

struct sl_jobs_worker;
enum sl_status sl_jobs_worker_create(struct sl_jobs_worker **worker,
                                     const struct sl_jobs_program *program,
                                     struct sl_error *err) SL_NODISCARD;
void sl_jobs_worker_free(struct sl_jobs_worker *worker);
/* Watches one node of one job in the replications that follow; node SL_NONE: nothing.  A run
 * overtakes it that becomes ready later, starts earlier, and competes with it for a resource or a
 * domain. */
void sl_jobs_worker_watch(struct sl_jobs_worker *worker, uint64_t job, uint32_t node);
/* The record of that job has its story in the replications that follow; `on` false: none has.  All
 * else is as without. */
void sl_jobs_worker_tell(struct sl_jobs_worker *worker, uint64_t job, bool on);
/* Whether replications from now on tell what is in use by windows of time. */
enum sl_status sl_jobs_worker_use(struct sl_jobs_worker *worker, bool on,
                                  struct sl_error *err) SL_NODISCARD;
/* Runs one replication until the source has no more and all jobs are done.  `visit` sees each job
 * when it has ended or was rejected.  SL_OK also for a deadlock.  SL_SYSTEM only when an invariant
 * of the engine is broken; SL_INVALID when times leave their range. */
enum sl_status sl_jobs_run(struct sl_jobs_worker *worker, uint64_t seed, uint32_t trial,
                           const struct sl_job_source *source, sl_job_visit visit, void *user,
                           const struct sl_jobs_totals **totals, struct sl_error *err) SL_NODISCARD;
#endif
