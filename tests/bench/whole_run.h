/* What runs of a scenario cost: planning, draws, engine with records and checks, measures and
 * estimates; all that `slackline run` does but reading its command line and printing. */
#ifndef SL_WHOLE_RUN_H
#define SL_WHOLE_RUN_H
#include <stdbool.h>
#include <stdint.h>

struct whole_run {
    double cpu_s, wall_s;
    uint64_t nodes;     /* node executions */
    double makespan_us; /* mean */
};
/* Runs policy as-given of the scenario in `dir`.  Ends the program with a message when it cannot.
 */
struct whole_run whole_run(const char *dir, uint32_t trials, uint32_t threads);
/* What `more` trials cost beyond the first `few`, so that loading and planning
 * drop out.  Ends the program with a message when the scenario in `dir` cannot be run. */
struct whole_run whole_run_difference(const char *dir, uint32_t few, uint32_t more,
                                      uint32_t threads);

/* Loading, checking and planning, then the first trial, in a process of its own. */
struct first_trial {
    double load_s, all_s;      /* CPU time */
    double load_gib, peak_gib; /* resident at most, until then */
};
struct first_trial first_trial(const char *dir);

/* The engine alone, draws included: ns of CPU time per node of policy as-given; flags of
 * sl_worker_run; trial by trial, by events, or all together. */
double engine_ns(const char *dir, uint32_t trials, unsigned flags, bool together);

/* One replication of the scenario with jobs in `dir`, its source included: ns of CPU time per job,
 * and the mean response. */
struct jobs_cost {
    double ns, response_us;
};
struct jobs_cost engine_jobs(const char *dir);
/* Resident memory at most, in a process of its own, KiB: of such a replication, and of a whole run
 * of one trial. */
double engine_jobs_kib(const char *dir);
double whole_run_kib(const char *dir);

double cpu_seconds(void); /* of this process, all threads */
#endif
