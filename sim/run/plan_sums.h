/* What a plan's trials do, by node: the raw material of comparisons between plans of one scenario.
 */
#ifndef SL_PLAN_SUMS_H
#define SL_PLAN_SUMS_H
#include "cell.h"

/* Of one node, summed over the trials that completed. */
struct sl_node_sums {
    int64_t run_ps;      /* start to finish */
    int64_t isolated_ps; /* the same without contention, as drawn */
    int64_t chain_ps;    /* on the realized chain */
    int64_t
        stall_ps; /* idle time of the busy resource that ended when the node let another start */
    int64_t capacity_wait_ps; /* its waits that capacity ended */
    uint32_t on_chain;        /* trials */
};

/* Means are over the trials that completed; 0 where none did. */
struct sl_plan_sums {
    const struct sl_graph *graph; /* borrowed */
    uint32_t trials, deadlocked;
    char deadlock[256]; /* of the first trial that did */
    bool hypothetical;
    bool random;       /* false: all trials are the same */
    double *metric_us; /* by trial; INFINITY where it deadlocked */
    struct sl_node_sums *nodes;
    int64_t *peak_bytes;                     /* per domain, largest of all trials */
    double *pressure_byte_s;                 /* per domain, mean */
    double staging_byte_s, workspace_byte_s; /* of all domains, mean */
    int64_t barrier_stall_ps; /* idle time of the busy resource that a barrier ended, summed */
    int64_t max_wait_ps;
    uint32_t max_wait_node; /* SL_NONE: nothing waited */
    uint64_t starved;       /* waits beyond the declared bound, in all trials */
    struct sl_arena arena;
};

struct sl_plan_trials {
    uint32_t count;   /* trials 0 .. count - 1 */
    struct sl_pool *pool; /* NULL: the caller runs them alone */
    uint64_t seed;
    bool (*progress)(void *user, uint64_t done); /* as of struct sl_trials_job; NULL: none */
    void *user;
};

/* Runs trials of a plan at the pessimistic corner of unknown contention.  SL_NO: the engine refuses
 * the plan.  sl_plan_sums_free in every case. */
enum sl_status sl_plan_sums_run(struct sl_plan_sums *sums, const struct sl_plan *plan,
                                const struct sl_scenario *scenario,
                                const struct sl_plan_trials *trials,
                                struct sl_error *err) SL_NODISCARD;
void sl_plan_sums_free(struct sl_plan_sums *sums);
/* Mean of a sum over the trials that completed, us; 0 where none did. */
double sl_plan_sums_us(const struct sl_plan_sums *sums, int64_t ps);
#endif
