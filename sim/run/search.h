/* Searching for a plan: which object stays, leaves or is made again in each gap, and when it
 * returns.
 *
 * It begins with the plans of the scenario's policies and changes them step by step, led by what is
 * on the realized chain and what lives at the peak.  Plans are judged by running them, on draws
 * that are the same for all and those of no result; what is clearly worse gets few trials.  Where
 * there are few plans all of them are tried.  The same options give the same answer at any number
 * of threads; only a budget of time does not. */
#ifndef SL_SEARCH_H
#define SL_SEARCH_H
#include "policy.h"

#define SL_SEARCH_EVALUATIONS 2000 /* by default */
#define SL_SEARCH_TRIALS      512
#define SL_SEARCH_LEVELS      8  /* measures of an order that are looked at, at the most */
#define SL_SEARCH_BEST        32 /* plans that are kept */

struct sl_search_options {
    uint32_t
        evaluations;  /* plans that are made, those that it begins with included; 0: the default */
    double budget_s;  /* wall time of all of it; the policies' plans are judged anyway; 0: none */
    uint32_t trials;  /* of a plan while searching, at the most; 0: the default */
    struct sl_pool *pool; /* who judges plans; NULL: the caller alone */
    bool seed_given;
    uint64_t seed;
    const struct sl_policy_spec *start; /* one more plan to begin with; NULL: none */
    /* Called from the calling thread between plans; returning false ends the search with what it
     * has. NULL: nobody. */
    bool (*progress)(void *user, uint32_t evaluations, uint32_t most);
    void *user;
};

/* How good a plan is, each number the smaller the better, the first that differs decides. */
struct sl_search_figures {
    double stuck;     /* share of nodes left over by trials that deadlocked; 2: no legal plan */
    double violation; /* sum of relative excesses over the scenario's constraints */
    double values[SL_SEARCH_LEVELS]; /* ps, byte, byte seconds or share; see sl_search_result */
    uint32_t trials;
};
/* < 0, 0, > 0: a is better than b, as good, worse. */
int sl_search_compare(const struct sl_search_figures *a, const struct sl_search_figures *b,
                      uint32_t levels);

struct sl_search_plan {
    struct sl_policy_spec policy; /* with its table of choices, in the result's arena */
    const char *base;             /* the policy whose rules fill the rest */
    const char *named;            /* the policy whose very plan it is; NULL: none's */
    struct sl_search_figures figures;
    uint64_t digest; /* of the plan */
};

/* A line of the search's log: a plan that was made. */
struct sl_search_step {
    uint32_t evaluation; /* from 1 */
    const char *move, *base;
    struct sl_search_figures figures; /* over the trials that it got */
    bool repeated, dropped;           /* was run before; got few trials, as it was clearly worse */
    bool accepted, best;              /* went on from it; best so far */
};

/* A policy that it could not begin with. */
struct sl_search_refusal {
    const char *policy, *why;
};

struct sl_search_move {
    const char *name;
    uint32_t tried, accepted, best;
    double gain; /* what its steps took off the first measure of the best plan */
};

/* Zero-initialise; sl_search_free releases. */
struct sl_search_result {
    struct sl_arena arena;
    struct sl_search_plan *plans; /* distinct, best first */
    uint32_t plan_count;
    struct sl_search_plan named; /* of the scenario's policies the best; base NULL: none */
    struct sl_search_refusal *refusals; /* policies without a legal plan here */
    uint32_t refusal_count;
    uint32_t levels; /* measures: the objective's order, else tail, peak and staging at home */
    struct sl_order_item order[SL_SEARCH_LEVELS];
    bool pareto;      /* the scenario states no order: no plan of the list dominates another */
    uint32_t gaps;    /* that are open */
    double space;     /* plans that choices can be made for; INFINITY: above 1e300 */
    bool exhausted;   /* all of them were tried */
    bool interrupted; /* the last heat is left out then */
    bool hurried; /* time was over before all policies' plans were judged: some had few trials */
    uint32_t evaluations; /* plans made; those that were run before are not run again */
    uint32_t repeated;    /* of them */
    uint64_t trials;      /* run for all of this */
    double plan_s, run_s; /* time spent, over all threads */
    struct sl_search_step *log;
    uint32_t log_count, log_capacity;
    struct sl_search_move *moves;
    uint32_t move_count;
};

/* `scenario` must outlive the result.  SL_INVALID: a policy's table asks for what there is not;
 * SL_NO: no policy of the scenario has a legal plan to begin
 * with, and no other was found. */
enum sl_status sl_search_run(struct sl_search_result *result, const struct sl_scenario *scenario,
                             const struct sl_search_options *options, struct sl_diags *diags,
                             struct sl_error *err) SL_NODISCARD;
void sl_search_free(struct sl_search_result *result);
#endif
