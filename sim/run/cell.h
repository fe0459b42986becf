/* One cell of a sweep: a policy at one setting of the axes, thousands of trials, reduced. */
#ifndef SL_CELL_H
#define SL_CELL_H
#include "measure.h"
#include "class_pairs.h"
#include "outer.h"
#include "peer_waits.h"
#include "policy.h"
#include "proportions.h"
#include "quantile.h"
#include "series.h"
#include "tail_chain.h"
#include "until.h"

struct sl_cell_spec {
    uint32_t index;
    const char *policy;
    const char **axis_texts; /* a text per axis of the scenario, "" where it does not apply */
    uint32_t axis_count;
};

enum sl_constraint_state {
    SL_CONSTRAINT_HOLDS,        /* a probability: the lower limit is at least the bound */
    SL_CONSTRAINT_HOLDS_OPEN,   /* the estimate is at least the bound, its lower limit is not */
    SL_CONSTRAINT_BROKEN_OPEN,  /* the estimate is below the bound, its upper limit is not */
    SL_CONSTRAINT_BROKEN,       /* a probability: the upper limit is below the bound */
    SL_CONSTRAINT_NOT_JUDGED,   /* too few trials for the figure */
};

struct sl_constraint_outcome {
    const struct sl_constraint *constraint;
    /* The figure, in the unit of the limit, without an interval; of a probability the share of
     * trials that keep the limit, with its exact binomial interval. */
    struct sl_estimate estimate;
    enum sl_constraint_state state;
    double trials_to_settle; /* of an open one; INFINITY: more than 1e9 */
};

#define SL_CHAIN_ROWS (SL_NODE_KINDS + 1)
#define SL_CHAIN_PARTS (SL_CHAIN_ROWS * SL_CAUSES)

/* A wait, start less ready, and what ended it. */
struct sl_wait {
    int64_t ready_ps, wait_ps; /* 0: there is none */
    uint32_t trial;
    enum sl_cause cause;
    uint32_t behind;   /* the node that gave back what was wanted just then; SL_NONE: none did */
    uint32_t bypassed; /* how often a later node of its list went ahead in that trial */
};
/* The wait of a node that ran. */
struct sl_wait sl_wait_of(const struct sl_trial *record, uint32_t node);

/* Sums over the trials that completed, indexed by node. */
struct sl_node_totals {
    uint32_t *on_chain;      /* trials in which the node is on the chain */
    int64_t *chain_ps;       /* its time there, summed */
    uint32_t *ran;           /* trials in which it ran */
    uint64_t *runs;          /* its runs, of which a latent node may have several in a trial */
    int64_t *wait_ps;        /* start - ready, summed */
    struct sl_wait *longest_wait; /* of equal ones that of the smallest trial */
    uint32_t *starved;       /* waits beyond the declared bound */
    uint64_t *bypassed;
    int64_t *run_ps;         /* finish - start, summed */
    int64_t *hold_ps;        /* free - start, summed: without pipelined latency */
    int64_t *isolated_ps;    /* drawn duration, summed */
};

/* A node's deadline over the trials.  What took a cancelled node's place must meet it; a node that
 * its guard left out has none; a deadlocked trial delivers nothing. */
struct sl_deadline {
    uint32_t node;
    uint32_t misses;           /* trials in which it was finished late, or never */
    uint32_t never;            /* of them: never */
    int64_t max_tardiness_ps;  /* finish less deadline, of those that finished late */
    uint32_t tardiness_trials; /* the estimates in us are over the first so many trials */
    struct sl_estimate miss;   /* share of trials, exact binomial interval */
    /* 0 where the deadline is met, infinite (a mean: NAN) where it is never.  `when_missed`: mean
     * over the trials that missed it. */
    struct sl_estimate tardiness_mean, tardiness_when_missed, tardiness_p99;
};

/* A node that names a fallback: how often it was cancelled, and whether the fallback delivered. */
struct sl_fallback_use {
    uint32_t primary;
    uint32_t late, guard_failed; /* trials: not started by its latest start; its guard failed */
    uint32_t delivered;          /* trials in which it was cancelled and a node of its chain ran */
    struct sl_estimate share;    /* of trials in which it was cancelled */
};

/* What left its home domain while running, and came back: sums over all trials. */
struct sl_object_evictions {
    uint32_t object;
    bool recomputed; /* it is computed again; else fetched */
    struct sl_copy_record sum;
};

/* Waits that ended when a speculative movement did. */
struct sl_delay {
    uint32_t waits;
    int64_t wait_ps;
};

/* What movements on speculation (speculation.h) did in one trial; zeros where it deadlocked. */
struct sl_speculation_trial {
    uint32_t started, hits; /* hits: some user of the copy ran */
    double wasted_bytes;    /* of the others */
    int64_t wasted_ps;      /* time for which they held their resource */
    struct sl_delay demand, reclamation; /* of nodes that are not speculative, and of reclamations */
    uint64_t bypasses;      /* of nodes that are not speculative */
};

/* ... and in those that completed: means per trial, and a share of the movements that started. */
struct sl_speculation_use {
    uint32_t movements; /* of the plan; 0: the rest is 0 */
    struct sl_speculation_trial *trials;
    struct sl_estimate started, hits, hit_rate, wasted_bytes, wasted_us;
    struct sl_estimate demand_waits, demand_us, reclamation_waits, reclamation_us, bypasses;
};

struct sl_guard_use {
    uint32_t guard;
    uint32_t failed;   /* trials in which a draw of it did not hold */
    uint64_t left_out; /* nodes that it skipped or cancelled, over all trials */
    struct sl_estimate share;
};

/* A node's window [ready, latest start]; sim/graph/windows.h has the formulas.  At means: isolated
 * means, fallbacks idle, ending with the longest path.  Over trials: realised readiness and
 * durations, ending with the makespan, over the completed ones of the
 * first trials. */
#define SL_SLACK_DID_NOT_RUN INT64_MIN
struct sl_node_window {
    int64_t mean_ready_ps, mean_latest_ps;
    uint32_t mean_limit; /* the node whose deadline sets the latest start; SL_NONE: the end does */
    bool idle;           /* a fallback: no window at means */
    bool mean_exposed;   /* negative at means, and neither it nor the limiting node has a fallback */
    uint32_t ran;        /* trials */
    int64_t ready_sum_ps; /* over them */
    uint32_t negative;   /* trials in which the latest start came before readiness */
    uint32_t exposed;    /* of them: neither the node nor the limiting one names a fallback */
    uint32_t late;       /* trials in which it started after its latest start */
};

/* One iteration over trials, us. */
struct sl_iteration_row {
    struct sl_estimate mean;
    double median, p99; /* NAN of too few trials */
};

/* Mode iterate: iterations apart, over the trials that are kept (the first ones) and completed. */
struct sl_iterations {
    uint32_t count;  /* 0: mode once, or no plan */
    uint32_t warmup; /* left out: stated, or detected with `warmup: auto` */
    uint32_t kept;
    double *times_us; /* kept x count */
    struct sl_iteration_row *rows;
    bool judged;       /* enough iterations for MSER-5 on the mean over trials, which says ... */
    bool settled;      /* ... whether there is a steady state, */
    uint32_t detected; /* ... and from which iteration on */
    /* Where more was detected than stated: mean of the first iteration beyond the stated warm-up, or
     * if that shows nothing of all up to the detected one, less that of the later ones, over trials;
     * the interval allows for the choice among n / 10 numbers.  Else NAN. */
    struct sl_estimate excess;
    struct sl_estimate first, warming; /* mean of iteration 1, and of the others of the warm-up; NAN: none */
    struct sl_series_result warm;      /* mean of one iteration after it */
    struct sl_estimate warm_median, warm_p99;
    double lag1;      /* autocorrelation of one warm iteration and the next; NAN: they do not vary */
    double effective; /* independent ones of which the mean varies as that of a trial's warm ones */
};

struct sl_pressure_point {
    double t_us;
    double lo, median, hi; /* 5%, 50%, 95% of bytes over trials */
};

/* A node's bar in a Gantt chart. */
struct sl_bar {
    uint32_t node;
    int64_t ready_ps, start_ps, free_ps, finish_ps;
    uint8_t cause, on_chain;
};

enum sl_verdict { SL_VERDICT_OK, SL_VERDICT_DEADLOCK, SL_VERDICT_SOME_DEADLOCK, SL_VERDICT_ILLEGAL,
                  SL_VERDICT_INFEASIBLE, /* a declared constraint does not hold */
                  SL_VERDICT_GROWS /* mode open: jobs queue up without end, there is no steady state */ };

struct sl_job_cell;

/* In modes open and closed a trial is a replication of many jobs.  Its metric is the mean of the
 * objective's metric over its counted jobs; mean, median, p90 ... are over the jobs of all of them
 * (job_cell.h); and of the rest only the peaks, the staging and the waits are filled. */
struct sl_cell {
    struct sl_cell_spec spec;
    enum sl_verdict verdict;
    char reason[512];        /* of a verdict other than ok; or what is open about constraints */
    struct sl_plan plan;     /* graph NULL when illegal */
    struct sl_program *program; /* of the plan, from opening to finishing; NULL when illegal */
    struct sl_job_cell *jobs;   /* modes open and closed: in the place of a program; else NULL */
    const char *not_fixed;      /* why the plan's order is not fixed; NULL: it is, or no plan */
    struct sl_scenario *scenario; /* the scenario with this cell's overrides; owned by the sweep */
    uint32_t trials, deadlocked;
    uint32_t deadline_missed; /* trials in which a node finished beyond its deadline, or never */
    bool hypothetical;
    double seconds;    /* wall time of the trials */
    uint64_t node_runs; /* nodes executed in all of them */
    int64_t makespan_sum_ps; /* of those that completed: bounds every other sum of times */
    /* Per trial, arrays of `trials` elements, NULL when illegal.  A deadlocked trial has metric
     * INT64_MAX, its peaks, and zeros elsewhere. */
    int64_t *metric_ps;
    int64_t *sorted_ps; /* the metrics ascending, deadlocks last; once the cell is finished */
    int64_t *metric_optimistic_ps; /* NULL unless hypothetical under `unknown_kappa: bound` */
    double *iteration_us; /* time per iteration after warm-up; NULL in mode once */
    struct sl_iterations iterations;
    int64_t *bound_path_ps, *bound_load_ps;
    int64_t *max_wait_ps;
    uint32_t *starved;             /* waits beyond the declared bound */
    int64_t *stall_ps;             /* trials x SL_STALLS */
    int64_t *peak_bytes;           /* trials x domains */
    double *staging_byte_s;        /* trials x domains */
    /* SL_CHAIN_ROWS x SL_CAUSES, summed over trials: a row per kind of the running node, and a last
     * one for waits (lags and releases, which no node runs in). */
    int64_t *chain_kind_cause_ps;
    struct sl_node_totals nodes;
    int64_t *overlap_ps, *class_busy_ps; /* summed; class x class, class */
    struct sl_stalls *resource_stalls;   /* by resource, summed over stall_trials */
    uint32_t stall_trials;               /* completed ones of the first trials */
    struct sl_tail_chain tail_chain;
    struct sl_pair_sums *pairs; /* class x class, summed over pair_trials */
    uint32_t pair_trials;       /* completed ones of the first trials; 0: too many classes */
    struct sl_peer_waits peer_sums;
    struct sl_peer_wait *peer_waits; /* what forbidden overlap cost, most costly first */
    uint32_t peer_wait_count;
    struct sl_constraint_outcome *constraints; /* none where a trial deadlocked */
    uint32_t constraint_count;
    struct sl_deadline *deadlines;  /* nodes that have one */
    uint32_t deadline_count;
    struct sl_fallback_use *fallbacks; /* nodes that name one */
    uint32_t fallback_count;
    struct sl_guard_use *guards;       /* that some node has */
    uint32_t guard_count;
    struct sl_speculation_use speculation;
    struct sl_object_evictions *evictions; /* objects that may leave while running */
    uint32_t eviction_count;
    uint32_t *eviction_of; /* per copy of the plan's evictor; SL_NONE: it cannot leave */
    uint32_t livelocked;   /* of the deadlocked trials: copies evict each other without end */
    struct sl_node_window *windows; /* by node; window_estimates.h */
    uint32_t window_trials; /* completed ones of the first slack_trials */
    int64_t *tardiness_ps; /* trials kept x deadlines; INT64_MAX: never finished */
    uint32_t slack_trials;
    int64_t *slack_ps; /* slack_trials x nodes, or SL_SLACK_DID_NOT_RUN */
    struct sl_proportions window_shares; /* of the window trials: those that windows have */
    bool *limit_mattered; /* per domain: a trial waited for its bytes or came within 10% of it */
    struct sl_outer outer; /* under other calibrations */
    /* Pictures, from re-run trials. */
    struct sl_pressure_point *pressure; /* domains x pressure_points; 0 points: none completed */
    uint32_t pressure_points;
    struct sl_bar *median_bars, *p99_bars;
    uint32_t median_bar_count, p99_bar_count;
    uint32_t median_trial, p99_trial; /* SL_NONE when that order statistic is a deadlock */
    struct sl_until_result until;
    /* Reduced. */
    struct sl_estimate mean, median, p90, p95, p99, p999, cvar99, median_optimistic, p99_optimistic;
    struct sl_estimate iteration_mean, iteration_median, iteration_p99; /* NAN in mode once */
    double max_us, sd_us; /* estimates are in us too; NAN where they cannot be given */
    double bound_us;      /* mean over completed trials of the larger bound */
    int64_t stall_mean_ps[SL_STALLS]; /* over completed trials */
    struct sl_arena arena;
};

struct sl_trials_job;

/* Others that run trials of a cell, besides the threads of this process. */
struct sl_cell_helpers {
    /* In place of sl_cell_collect (cellparts.h): runs the trials from `had` on. */
    enum sl_status (*collect)(void *user, struct sl_cell *cell, uint32_t had,
                              struct sl_trials_job *job, struct sl_error *err);
    void *user;
};

struct sl_run_options {
    struct sl_pool *pool; /* who runs cells and trials; NULL: the caller alone */
    uint32_t trials;  /* 0: the scenario's; with `until` the most, 0 being sl_until_most */
    struct sl_until until;
    bool seed_given;
    uint64_t seed;
    bool nominal; /* no calibration draws, whatever the scenario says */
    const struct sl_cell_helpers *helpers; /* NULL: nobody */
    /* Called from the calling thread now and then; returning false interrupts. NULL: none. */
    bool (*progress)(void *user, uint64_t trials_done, uint64_t trials_total, uint32_t cells_done,
                     uint32_t cells_total);
    void *user;
};

/* The trials that are asked for: the options', or the scenario's. */
uint32_t sl_asked_trials(const struct sl_run_options *options, const struct sl_scenario *scenario);
/* Inner trials of a draw of the calibration: by the trials that are asked for, so that cells that
 * compete have the same ones. */
uint32_t sl_asked_inner(const struct sl_run_options *options, const struct sl_scenario *scenario);

/* A cell is opened (planned), extended by lots of trials, and finished (estimates, verdict,
 * pictures), which ends it.  The lots do not show in the result: it is that of one run.
 * `cell` is zeroed by opening, and sl_cell_free releases it in every case; after an error nothing
 * else may be done with it.  An illegal plan is SL_OK with its verdict, and stays without trials. */
enum sl_status sl_cell_open(struct sl_cell *cell, struct sl_scenario *scenario,
                            const struct sl_policy_spec *policy, const struct sl_cell_spec *spec,
                            struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* The same with a plan that somebody else made for the scenario, which becomes the cell's. */
enum sl_status sl_cell_open_plan(struct sl_cell *cell, struct sl_scenario *scenario,
                                 struct sl_plan *plan, const struct sl_cell_spec *spec,
                                 struct sl_error *err) SL_NODISCARD;
/* A cell that cannot be opened because the scenario's own graph is not legal at its values: illegal,
 * for the reason *why.  sl_cell_free releases it. */
void sl_cell_refuse(struct sl_cell *cell, struct sl_scenario *scenario,
                    const struct sl_cell_spec *spec, const struct sl_error *why);
/* Runs what is missing of `trials` trials in all; arrays by trial grow to just that number. */
enum sl_status sl_cell_extend(struct sl_cell *cell, uint32_t trials,
                              const struct sl_run_options *options,
                              struct sl_error *err) SL_NODISCARD;
/* Extends to the number of trials of the options, or until what they ask for is reached; a cell that
 * deadlocks in some trial stops at that look, as its verdict is settled. */
enum sl_status sl_cell_run_trials(struct sl_cell *cell, const struct sl_run_options *options,
                                  struct sl_error *err) SL_NODISCARD;
/* The most trials of an `until` without a number: 100 times the scenario's, at most ten million. */
uint32_t sl_until_most(const struct sl_scenario *scenario);
/* Needs a trial, unless the plan is illegal. */
enum sl_status sl_cell_finish(struct sl_cell *cell, const struct sl_run_options *options,
                              struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* Plans and runs one cell; trials run on the threads of the pool, reductions in trial order, so
 * that the result does not depend on their number.  An illegal, deadlocked or infeasible cell is
 * SL_OK with its verdict.  `cell` is zeroed first and sl_cell_free releases it in every case;
 * `scenario` must outlive it.  SL_INTERRUPTED when the progress callback says so. */
enum sl_status sl_cell_run(struct sl_cell *cell, struct sl_scenario *scenario,
                           const struct sl_policy_spec *policy, const struct sl_cell_spec *spec,
                           const struct sl_run_options *options, struct sl_diags *diags,
                           struct sl_error *err) SL_NODISCARD;
void sl_cell_free(struct sl_cell *cell);

/* The trial that has this metric, the smallest number of several; some trial must have it. */
uint32_t sl_cell_trial_with(const struct sl_cell *cell, int64_t metric_ps);
/* The bars of a trial that `program` ran: the nodes that ran, by index, with its realized chain
 * marked; in `arena`. */
enum sl_status sl_trial_bars(struct sl_bar **bars, uint32_t *count,
                             const struct sl_program *program, const struct sl_trial *trial,
                             struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
#endif
