/* Legality of a scenario's graph: rules that a schedule of it could never meet, found before any
 * run.  One function and one stable code per rule, in the table legality.def. */
#ifndef SL_LEGALITY_H
#define SL_LEGALITY_H
#include "scenario.h"

struct sl_legality;

/* `code` is the stable name of what the rule finds, SL_ERROR a violation and SL_WARNING a remark.
 */
struct sl_legality_rule {
    const char *code, *description;
    enum sl_severity severity;
    void (*check)(struct sl_legality *legality); /* NULL: judged on plans */
    bool needs_order;                            /* left out while the graph has a cycle */
};
size_t sl_legality_rule_count(void);
struct sl_legality_rule sl_legality_rule_get(size_t index);

/* What the rules share: facts of the graph that several of them ask for, owned by sl_graph_check.
 * What needs an order is absent (NULL, 0) while the graph has a cycle. */
struct sl_legality {
    const struct sl_scenario *scenario;
    const struct sl_graph *graph;
    struct sl_diags *diags;
    const struct sl_legality_rule *rule; /* that is being checked */
    uint32_t *lane_previous;             /* node before in the lane, SL_NONE */
    uint32_t *lane_next;
    uint32_t *primary; /* node that names this one as its fallback, the first; SL_NONE */
    /* Nodes that a deadline may cancel.  Such a node then waits for nothing that comes before it,
     * and what comes after it waits for its fallback alone: order through it is none. */
    bool *breaks_order;
    /* The graph with the edges that planning adds: data flow, and a fallback's successors. */
    struct sl_graph *order;
    uint32_t *position;       /* of a node in order->topo */
    struct sl_touch *touches; /* legality_copies.h */
    uint32_t touch_count;
    struct sl_reach *reach;
    uint64_t budget;       /* edges that reachability may still follow */
    const char *unchecked; /* code of the first rule for which the budget did not last; NULL */
};

/* Checks every rule.  Violations are errors, remarks (assumptions, missing evidence) warnings; the
 * caller answers SL_NO (exit code 1) when errors were added. */
void sl_graph_check(const struct sl_scenario *scenario, struct sl_diags *diags);

/* Takes steps from the budget: one for each edge that is followed, or step of a loop inside others.
 */
void sl_charge(struct sl_legality *l, uint64_t steps);

/* For the rules.  Adds a diagnostic with the code and the severity of the rule that is being
 * checked; sl_diags_suggest(l->diags, ...) says what to do about it. */
void sl_report(struct sl_legality *l, struct sl_place place, const char *format, ...)
    SL_PRINTF(3, 4);
/* The same at a node's place and about that node. */
void sl_report_node(struct sl_legality *l, uint32_t node, const char *format, ...) SL_PRINTF(3, 4);
/* Further nodes and objects that the last diagnostic is about. */
void sl_report_also_node(struct sl_legality *l, uint32_t node);
void sl_report_also_object(struct sl_legality *l, uint32_t object);
const char *sl_domain_name(const struct sl_legality *l, uint32_t domain);
/* Bytes that a node needs at once in each domain: the objects that it uses at home, workspace and
 * staging.  Roots of which left_out[root] is true do not count; NULL: all count. */
void sl_node_need(const struct sl_legality *l, uint32_t node, const bool *left_out, double *need);
/* True for a node with a guard or a fallback, and for a fallback. */
bool sl_may_be_left_out(const struct sl_legality *l, uint32_t node);
/* The least time that a node can take in any run, ps; 0 for what a run may leave out. */
double sl_least_time(const struct sl_legality *l, uint32_t node);
/* Earliest starts and required finishes (INFINITY where nothing bounds them) that hold in every run
 * in which nodes take at least `time_ps`; of nodes with a fallback they say nothing. */
void sl_earliest_starts(const struct sl_legality *l, const double *time_ps, double *start_ps);
void sl_latest_finishes(const struct sl_legality *l, const double *time_ps, double *finish_ps);

#define SL_RULE(code, severity, function, needs_order, description)                                \
    void function(struct sl_legality *legality);
#define SL_PLAN_RULE(code, severity, description)
#include "legality.def"
#undef SL_RULE
#undef SL_PLAN_RULE
#endif
