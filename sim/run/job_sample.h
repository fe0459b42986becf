/* What a cell keeps of one replication in modes open and closed: of each job its arrival and its
 * metrics, 8 bytes each, and its slowdown; sums of why jobs waited; and what the engine says of the
 * whole. */
#ifndef SL_JOB_SAMPLE_H
#define SL_JOB_SAMPLE_H
#include "job_metrics.h"
#include "warmup.h"

/* Over completed jobs, ps.  Their latencies are admission + waits + isolated + contention. */
struct sl_job_parts {
    uint64_t jobs;
    double latency, admission, isolated, contention; /* contention: as they ran, less isolated */
    double wait[SL_CAUSES];
};

/* A job as it is told in jobs.csv. */
struct sl_job_row {
    int64_t arrival_ps, admitted_ps, finish_ps; /* -1, -1: rejected */
    int64_t run_ps, isolated_ps, wait_ps[SL_CAUSES];
    enum sl_rejection rejection;
};
#define SL_JOB_ROWS 100000u /* of the first replication, the first so many jobs */

/* An object of the plan that jobs share by blocks. */
struct sl_job_shared {
    uint32_t object;
    int64_t bytes;                           /* of a block */
    uint32_t tiers, domains[SL_CACHE_TIERS]; /* the home first */
    /* Per tier: the tiers to which blocks are fetched and spilled from there; SL_NONE. */
    uint32_t raised_to[SL_CACHE_TIERS], spilled_to[SL_CACHE_TIERS];
    uint32_t first_count; /* of SL_CACHE_VALUES(tiers), among the counts of all such objects */
};

/* What of the engine's records and totals a sample keeps, the same for all of a cell. */
struct sl_job_shape {
    uint32_t resources, nodes;   /* of the plan */
    const uint32_t *batch_nodes; /* those that start in batches, ascending */
    uint32_t batch_count;
    const struct sl_job_shared *shared; /* in the order of objects */
    uint32_t shared_count;
    uint32_t parameters, counts; /* of a job: before the counts of shared objects, and those */
};

struct sl_job_sample {
    const struct sl_job_metrics *metrics;
    const struct sl_job_shape *shape;
    uint64_t expected;       /* jobs; 0: not known */
    int64_t bound_ps;        /* of a wait; -1: none */
    uint64_t jobs, capacity; /* that arrived; room */
    int64_t *arrival_ps;     /* by job */
    double **values_us;      /* by metric and job; NAN: sl_job_metric_us */
    bool *rejected;          /* by job */
    /* By job: its latency over what its chain takes without any wait and contention, which is a
     * path of its own graph at its own draws, so that no schedule is shorter.  NAN: rejected, or
     * the chain takes no time. */
    double *slowdown;
    double **tardiness_us; /* by deadline of the metrics and job: sl_job_tardiness_us */
    double **counts;       /* of shared objects, by count of the shape and job; NAN: no lookup */
    /* Sums of the first jobs by stretches of equally many, each of which is or is not of the
     * warm-up when that is known, and of all jobs behind them. */
    uint64_t stretch, stretch_count;
    struct sl_job_parts *stretches, behind;
    struct sl_job_row *rows; /* NULL: none are told; else of the first jobs, with room for all */
    uint32_t row_capacity;
    uint64_t rejected_for[SL_REJECTIONS];    /* by reason */
    uint64_t completed, rejections, starved; /* starved: jobs with a wait beyond the bound */
    int64_t longest_wait_ps;
    uint32_t longest_wait_node; /* SL_NONE: none waited */
    uint64_t longest_wait_job;
    int64_t longest_admission_ps;                      /* wait for it; 0: nobody waited */
    uint64_t longest_admission_job, admission_starved; /* jobs whose wait for it passed the bound */
    /* From the engine's totals. */
    bool deadlocked;
    char deadlock[512];
    double jobs_s;
    uint32_t most_jobs;
    int64_t end_ps, last_arrival_ps, last_finish_ps;
    double *unit_s;                   /* by resource */
    int64_t window_ps;                /* 0: not told, as of all but the first */
    double *window_unit_s;            /* by resource and window */
    double *node_wait_ps, *node_runs; /* by node of the plan */
    int64_t *node_longest_ps;
    uint64_t *node_starved;          /* waits there beyond the bound; 0: there is none */
    struct sl_batch_totals *batches; /* by batching node of the shape */
    struct sl_cache_totals *caches;  /* by shared object of the shape */
    double latency_ps;               /* of all completed jobs, summed; from arrival */
    bool hypothetical;
};

/* Makes an empty sample; sl_job_sample_free releases it in every case.  `warmup`: jobs that will be
 * left out; -1: as many as MSER-5 finds, if `expected` is known.  Bytes that it takes for an
 * expected job to find it: SL_JOB_STRETCH_BYTES. */
enum sl_status sl_job_sample_init(struct sl_job_sample *sample,
                                  const struct sl_job_metrics *metrics,
                                  const struct sl_job_shape *shape, uint64_t expected,
                                  int64_t warmup, int64_t bound_ps, bool rows,
                                  struct sl_error *err) SL_NODISCARD;
#define SL_JOB_STRETCH_BYTES (sizeof(struct sl_job_parts) / (2.0 * SL_WARMUP_BATCH))
void sl_job_sample_free(struct sl_job_sample *sample);
/* Of sl_jobs_run; `user` is the sample. */
enum sl_status sl_job_sample_visit(void *user, const struct sl_job_record *job,
                                   struct sl_error *err) SL_NODISCARD;
/* Takes the totals over and holds them against the records: as many jobs; of each shared object as
 * many blocks that they looked up and missed; and Little's law, by which the number in the system
 * integrates to the sum of the times that jobs spent there.
 * SL_SYSTEM where they disagree. */
enum sl_status sl_job_sample_close(struct sl_job_sample *sample,
                                   const struct sl_jobs_totals *totals,
                                   struct sl_error *err) SL_NODISCARD;
/* Adds `more` to the sums. */
void sl_job_parts_add(struct sl_job_parts *sums, const struct sl_job_parts *more);
/* The parts of all jobs behind the first `warmup`, which is what sl_job_sample_init was told, or a
 * multiple of SL_WARMUP_BATCH and not more than half of the jobs. */
struct sl_job_parts sl_job_sample_parts(const struct sl_job_sample *sample, uint64_t warmup);
#endif
