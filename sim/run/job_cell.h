/* A cell in mode open or closed: its trials are replications of many jobs, and its figures are
 * about jobs.  It goes the road of any cell (cell.h), which hands over to the functions here. */
#ifndef SL_JOB_CELL_H
#define SL_JOB_CELL_H
#include "job_batches.h"
#include "job_caches.h"
#include "job_starvation.h"
#include "job_windows.h"
#include "series.h"
#include "trend.h"
#include <math.h>

enum sl_job_figure {
    SL_JOB_MEAN,
    SL_JOB_MEDIAN,
    SL_JOB_P90,
    SL_JOB_P95,
    SL_JOB_P99,
    SL_JOB_P999,
    SL_JOB_CVAR99,
    SL_JOB_TAIL, /* the quantile of the objective */
    SL_JOB_FIGURES
};

/* Of one metric, us, over the counted jobs of all replications that have it; or of slowdowns. */
struct sl_job_estimates {
    struct sl_series_result figures[SL_JOB_FIGURES];
    double max, sd; /* NAN: no job has it */
    struct sl_estimate
        kept; /* share of counted jobs, rejected ones too, that keep its limit; NAN: none */
};

/* A node's deadline over the counted jobs of all replications.  A rejected job never meets it. */
struct sl_job_deadline {
    struct sl_job_due due;
    uint64_t misses, never;  /* jobs that were late or rejected; the latter */
    uint64_t completed;      /* jobs behind the tardiness */
    struct sl_estimate miss; /* share */
    /* us, of completed jobs: 0 where it is met; `when_missed`: mean of those that were late */
    struct sl_estimate tardiness_mean, tardiness_when_missed, tardiness_p99;
    double tardiness_max_us; /* NAN: no job completed */
};

/* Jobs that are left out at the beginning of every replication. */
struct sl_job_warmup {
    bool stated;
    uint64_t jobs;     /* left out */
    uint64_t detected; /* by MSER-5 of the mean latency by job number, whatever is stated */
    bool settled;      /* false: the rule found no steady state, and detected is half of the jobs */
    bool judged;       /* false: a trace, which has its own course, or too few jobs */
};

/* How the latency changes with the time of arrival, over the second half of the arrivals. */
struct sl_job_growth {
    bool grows;               /* there is no steady state */
    bool seen;                /* the latency rises, at 95%; if not, only the offered load tells */
    struct sl_estimate slope; /* us per s; NAN where it is not told */
    double rise;              /* of the latency over that half, over its mean */
    bool too_few;             /* jobs to tell it, and the offered load may be 1 or more */
};

/* A resource over the replications, each whole. */
struct sl_job_load {
    struct sl_estimate utilisation; /* mean share of units in use; NAN: unlimited */
    /* Units wanted by what arrives, as long as it ran; over the units.  1 and more cannot be
     * served. The interval is over five replications or more; of fewer that of gaps and times that
     * vary as exponential ones do, and one course of events has none: it has the load that it has.
     * NAN: unlimited, batching, or mode closed. */
    struct sl_estimate offered;
};

/* What a replication gave by itself: policies are compared by the differences of these. */
struct sl_job_trial {
    double mean, median, p90, p99, tail; /* us; NAN: too few jobs */
    double throughput, goodput;          /* jobs per s; NAN: no limits are declared */
    double in_system;                    /* mean number of jobs */
};

struct sl_job_cell {
    struct sl_jobs_program *program; /* of the plan, from opening on */
    struct sl_job_metrics metrics;
    struct sl_job_shape shape;
    struct sl_job_sample *samples; /* by trial */
    uint32_t sample_count, sample_capacity;
    /* Those that figures are taken from: the first alone where all are the same course of events,
     * because nothing is drawn; else all. */
    uint32_t distinct;
    struct sl_job_starvation starvation;
    struct sl_job_admission_wait admission;
    /* Filled when the cell is finished, unless a replication deadlocked. */
    bool estimated;
    bool one_course; /* the trials have the arrivals of one trace, or are the same altogether */
    struct sl_job_warmup warmup;
    struct sl_job_growth growth;
    struct sl_job_estimates *estimates; /* by metric */
    struct sl_job_estimates slowdown;   /* of a job's latency against its own chain alone */
    /* Mean lower bound of the metric, us: of a latency what jobs' own chains take, of a throughput
     * what the bottleneck needs per job.  NAN: of another metric none is known. */
    double bound_us;
    struct sl_job_trial *trials;
    struct sl_job_load *loads; /* by resource */
    uint32_t bottleneck;       /* the resource of the largest load, of those that do not batch;
                                * SL_NONE: none is limited */
    struct sl_job_parts parts; /* of counted jobs */
    uint64_t arrived, counted, completed, rejected, starved; /* jobs; counted: not of the warm-up */
    uint64_t rejected_for[SL_REJECTIONS];                    /* by reason */
    struct sl_job_deadline *deadlines;                       /* of the plan's nodes */
    struct sl_estimate deadline_miss; /* share of counted jobs that miss any; NAN: there is none */
    struct sl_estimate throughput, goodput; /* jobs per s; NAN: no limits are declared */
    struct sl_estimate time_per_job;        /* us; NAN unless the objective is the throughput */
    struct sl_estimate kept;                /* share of counted jobs that keep all limits */
    struct sl_estimate in_system;           /* mean number */
    uint32_t most_jobs;
    struct sl_job_batch_use *batches; /* by batching node of the shape */
    struct sl_job_cache_use *caches;  /* by shared object of the shape */
    struct sl_job_window *windows;    /* of the first trial */
    uint32_t window_count;            /* up to SL_JOBS_WINDOWS */
};

struct sl_cell;
struct sl_run_options;
struct sl_diags;

/* The parts of sl_cell_open, sl_cell_extend and sl_cell_finish that are about jobs: of a cell that
 * has a plan; that has room for its trials in the arrays by trial; whose replications all
 * completed. */
enum sl_status sl_job_cell_open(struct sl_cell *cell, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_job_cell_run(struct sl_cell *cell, uint32_t had,
                               const struct sl_run_options *options, uint64_t seed,
                               struct sl_error *err) SL_NODISCARD;
enum sl_status sl_job_cell_estimate(struct sl_cell *cell, struct sl_error *err) SL_NODISCARD;
/* About what a trial of a scenario with jobs takes in memory, bytes. */
double sl_job_cell_bytes(const struct sl_scenario *scenario);
/* The objective's quantile of its metric, us; of a throughput the mean time per job. */
struct sl_estimate sl_job_cell_tail(const struct sl_job_cell *jobs);
/* Of all jobs that arrived the share that was rejected; NAN: no figures. */
static inline double sl_job_rejected(const struct sl_job_cell *jobs)
{
    return jobs->arrived > 0 ? (double)jobs->rejected / (double)jobs->arrived : NAN;
}
/* The jobs may be NULL. */
void sl_job_cell_free(struct sl_job_cell *jobs);

/* What the estimates rest on besides the samples. */
struct sl_job_question {
    const struct sl_platform *platform;
    double tail;
    int64_t warmup;  /* jobs; -1: to be found */
    bool one_course; /* arrivals are those of a trace */
    bool open;
};
/* Fills everything from `estimated` on but the windows, from the samples; arrays in `arena`. */
enum sl_status sl_job_estimate(struct sl_job_cell *jobs, const struct sl_job_question *question,
                               struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
#define SL_JOB_GROWTH_JOBS 200u
/* Does the latency grow?  `load`: what is offered to the busiest resource; NAN: none is known, or
 * jobs are rejected.  Fewer than SL_JOB_GROWTH_JOBS in a replication do not tell.  A trace has its
 * own rises, and is said to grow only where it offers too much, or where jobs pile up from its
 * first half to its end. */
enum sl_status sl_job_growth_of(struct sl_job_growth *growth, const struct sl_job_sample *samples,
                                uint32_t count, struct sl_estimate load, bool one_course,
                                struct sl_error *err) SL_NODISCARD;
/* Rates, loads and the number in the system, by replication and over them. */
enum sl_status sl_job_estimate_rates(struct sl_job_cell *jobs,
                                     const struct sl_job_question *question,
                                     struct sl_error *err) SL_NODISCARD;
/* Whether the job keeps all limits; a rejected one does not. */
bool sl_job_keeps_all(const struct sl_job_sample *sample, uint64_t job);
/* The first jobs to leave out. */
enum sl_status sl_job_warmup_of(struct sl_job_warmup *warmup, const struct sl_job_sample *samples,
                                uint32_t count, const struct sl_job_question *question,
                                struct sl_error *err) SL_NODISCARD;
#endif
