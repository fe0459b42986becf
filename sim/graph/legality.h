/* Legality of a scenario's graph: rules that a schedule of it could never meet, found before any
 * run.  One function per rule, in one table, with stable codes. */
#ifndef SL_LEGALITY_H
#define SL_LEGALITY_H
#include "scenario.h"

/* What the rules share: facts of the graph that several of them ask for. */
struct sl_legality {
    const struct sl_scenario *scenario;
    const struct sl_graph *graph;
    struct sl_diags *diags;
    const uint32_t *lane_previous; /* node before in the lane, SL_NONE */
    const uint32_t *lane_next;
    const uint32_t *position; /* of a node in topological order; NULL while there is a cycle */
    uint64_t budget;          /* edges that reachability may still follow */
};

struct sl_legality_rule {
    const char *code, *description;
    void (*check)(struct sl_legality *legality);
    bool needs_order; /* left out while the graph has a cycle */
};
size_t sl_legality_rule_count(void);
struct sl_legality_rule sl_legality_rule_get(size_t index);

/* Checks every rule.  Violations are errors, remarks (assumptions, missing evidence) warnings; the
 * caller answers SL_NO (exit code 1) when errors were added. */
void sl_graph_check(const struct sl_scenario *scenario, struct sl_diags *diags);

/* legality_lifetime.c: rules about explicit allocations and reclamations. */
void sl_check_use_after_reclaim(struct sl_legality *legality);
void sl_check_double_allocation(struct sl_legality *legality);
void sl_check_double_reclamation(struct sl_legality *legality);
/* legality_remarks.c: rules that only warn. */
void sl_check_evidence(struct sl_legality *legality);
void sl_check_assumptions(struct sl_legality *legality);
#endif
