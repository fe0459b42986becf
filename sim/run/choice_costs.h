/* What each choice for an object in a gap costs under the declared objective.
 *
 * For each gap and each of retain, offload (to each place where it may lie) and remat the plan is
 * made in which only this choice differs from what the policy decided, and run on the draws of the
 * policy's own trials.  Every figure is one of those runs or a difference between two of them;
 * doc/costs.md has the formulas.
 */
#ifndef SL_CHOICE_COSTS_H
#define SL_CHOICE_COSTS_H
#include "decision.h"
#include "paired.h"
#include "plan_sums.h"

/* Of a plan, about one object; means over the completed trials.  "Its nodes": those inserted that
 * move, allocate, map, reclaim or recompute it, for whichever of its gaps. */
struct sl_cost_figures {
    double run_us;      /* its nodes, start to finish */
    double isolated_us; /* the same without contention: what no schedule would show */
    double chain_us;    /* of it, on the realized chain */
    double stall_us;    /* idle time of the busy resource that one of its nodes ended */
    double setup_us;    /* allocation, mapping, reclamation; overhead and latency of its moves */
    double barrier_us;  /* idle time of the busy resource that a barrier ended */
    double others_us;   /* what contention adds to all other nodes */
    double capacity_us; /* waits for capacity, of all nodes */
    double staging_byte_s, workspace_byte_s; /* of all domains */
    double pressure_byte_s;                  /* of the home domain */
    double peak_bytes;                       /* of the home domain, largest of all trials */
    double max_wait_us, starved;             /* longest wait; waits beyond the bound, all trials */
};

/* The figures by name and unit ("run_us"), for files. */
struct sl_cost_figure {
    const char *name;
    size_t offset; /* of a double in struct sl_cost_figures */
};
#define SL_COST_FIGURES 14
extern const struct sl_cost_figure sl_cost_figure_list[SL_COST_FIGURES];
double sl_cost_figure_get(const struct sl_cost_figures *figures, size_t figure);

enum sl_choice_state {
    SL_CHOICE_RUN,      /* some trial completed */
    SL_CHOICE_NOT,      /* the object cannot be treated so */
    SL_CHOICE_ILLEGAL,  /* there is no legal plan with it */
    SL_CHOICE_DEADLOCK, /* every trial deadlocked */
    SL_CHOICE_STATES
};
const char *sl_choice_state_name(enum sl_choice_state state); /* "run", "not-eligible" ... */

/* The node with the largest change of a figure; NULL: none changed. */
struct sl_changed_node {
    const char *name;
    double change;
};

struct sl_choice_cost {
    const char *action; /* "retain", "offload", "remat" */
    uint32_t refuge;    /* of a choice that moves: where the copy goes; else SL_NONE */
    const char *timing; /* ... and when it comes back; else NULL */
    bool decided;       /* it is what the policy does */
    enum sl_choice_state state;
    const char *reason; /* of a state other than run; of deadlocks */
    uint32_t deadlocked;
    const char *breaks;   /* the first constraint that does not hold with it; NULL */
    bool hypothetical;    /* unmeasured contention took part */
    const char *evidence; /* the weakest behind its nodes; NULL: it has none */
    bool unknown;         /* ... and that one is none, or says unknown */
    struct sl_difference mean, median, tail; /* of the metric, this plan less the policy's */
    struct sl_cost_figures here, change;     /* of this plan; less the policy's */
    struct sl_changed_node joined, left;     /* the chain: change of the share of trials */
    struct sl_changed_node waiter;           /* for capacity: change of the mean wait, us */
    const char *max_waiter;                  /* whose the longest wait is; NULL: none waited */
};

#define SL_CHOICES 8 /* of a gap, at most: retain, remat, and offload to one place or another */
struct sl_gap_costs {
    uint32_t index; /* of the decision's gap */
    struct sl_decided_gap gap;
    int64_t bytes;
    uint32_t home;
    struct sl_choice_cost choices[SL_CHOICES];
    uint32_t choice_count;
};

struct sl_choice_costs {
    const struct sl_scenario *scenario;
    uint32_t trials;         /* of each plan */
    uint32_t planned, plans; /* plans to run, the policy's own among them; and run so far */
    uint32_t deadlocked;     /* trials of the policy's own plan */
    uint32_t matching;       /* gaps that were asked for */
    uint32_t gap_count;      /* of them, those in `gaps`: the largest bytes x gap */
    struct sl_gap_costs *gaps;
    double tail;  /* the objective's quantile */
    bool bounded; /* a bound on waits is declared */
    struct sl_arena arena;
};

struct sl_costs_request {
    const char *objects; /* ';'-separated globs; NULL: every object */
    uint32_t gaps;       /* at most so many */
    uint32_t trials;     /* of each plan, at most */
    uint64_t seed;
};
#define SL_COSTS_GAPS   8 /* where nothing is asked for */
#define SL_COSTS_TRIALS 1000
/* Runs of nodes in all plans together: beyond that there are fewer trials, then fewer gaps. */
#define SL_COSTS_WORK 100000000

/* Decides, plans and runs; `diags` takes what planning the policy warns of.  SL_NO: the policy
 * itself has no legal plan.  sl_choice_costs_free in every case; texts are in the arena, or
 * borrowed from the scenario. */
enum sl_status sl_choice_costs_make(struct sl_choice_costs *costs,
                                    const struct sl_scenario *scenario,
                                    const struct sl_policy_spec *policy,
                                    const struct sl_costs_request *request,
                                    const struct sl_run_options *options, struct sl_diags *diags,
                                    struct sl_error *err) SL_NODISCARD;
void sl_choice_costs_free(struct sl_choice_costs *costs);
#endif
