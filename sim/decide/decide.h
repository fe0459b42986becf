/* Deciding: the cells of one point of a sweep run once more on draws that chose nothing, and what
 * they say put into a record. */
#ifndef SL_DECIDE_H
#define SL_DECIDE_H
#include "record.h"
#include "sweep.h"

/* One cell that competes, or does not. */
struct sl_decide_cell {
    const char *policy;
    const char *point; /* its values of policies' axes: "prefetch.lookahead=2"; NULL: it has none */
    const char **axis_texts; /* by axis of the scenario */
    enum sl_verdict verdict;
    const char *reason; /* "" of ok */
    uint32_t trials;
    bool hypothetical, jobs;
    /* By trial, us, INFINITY of a deadlock; NULL without a legal plan.  Of jobs these are figures
     * of each replication; elsewhere all are the metric. */
    const double *tail_us, *median_us, *mean_us;
    struct sl_estimate median, tail, deadline_miss; /* estimates of the cell */
    double *peak_bytes, *staging_byte_s;            /* by domain: largest, mean */
    double max_wait_us;
    uint64_t *cost_keys; /* hashes of the costs that it uses, ascending */
    uint32_t cost_count;
};

/* What is decided on.  Filled by the caller up to `record`; zero behind it. */
struct sl_decision {
    const struct sl_scenario *scenario; /* at the point */
    struct sl_sweep_request request;    /* its cells: all of the point */
    const char *policy;                 /* selected; NULL: none */
    const char *
        *policy_axes;     /* by axis of the scenario: its value of a policies' axis; NULL: any */
    const char *baseline; /* policy; NULL: the scenario's */
    /* Another scenario's policy as the baseline; path NULL: not. */
    struct sl_sweep_request other;
    double within;            /* largest drift of a figure that is looked at; 0: none is */
    struct sl_record *record; /* identity filled: workload, environment, objective, seeds, inputs */

    struct sl_arena arena;
    struct sl_decide_cell *cells;
    uint32_t count, capacity;
    uint32_t selected, base;          /* indices in cells; SL_NONE */
    struct sl_decide_cell other_cell; /* the other scenario's */
    bool has_other;
    char input_hash[65]; /* of all that the simulation was made from */
};

/* Simulates, and fills what the record says of simulation: graph, schedules, alternatives, policy,
 * costs, unknowns, projection, proofs, falsifiers, fallback.  What a runtime or a measurement said
 * is left alone.  The cells' scenario must be legal.  SL_INTERRUPTED, SL_SYSTEM, SL_INVALID. */
enum sl_status sl_decide_simulate(struct sl_decision *decision, struct sl_error *err) SL_NODISCARD;
/* `what` of the unknowns that a runtime left open. */
#define SL_UNKNOWN_OF_RUNTIME "mechanism"
/* Risks, the gate, the workflow, and the finding, from what the record holds. */
enum sl_status sl_decide_conclude(struct sl_record *record, struct sl_error *err) SL_NODISCARD;
/* Moves the status as far as the evidence of a concluded record allows, a transition at a time: on
 * to rejected where a condition of the gate fails, else step by step.  `by` is the command line. */
enum sl_status sl_decide_settle(struct sl_record *record, const char *by,
                                struct sl_error *err) SL_NODISCARD;
void sl_decide_free(struct sl_decision *decision);

/* Adds what loading and checking found, by code. */
enum sl_status sl_record_note_findings(struct sl_record *record, const struct sl_diags *diags,
                                       struct sl_error *err) SL_NODISCARD;
/* What is decided about: workload, environment, objective, the inputs of `scenario` in a role. */
enum sl_status sl_record_identify(struct sl_record *record, const struct sl_scenario *scenario,
                                  const char *path, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_record_add_inputs(struct sl_record *record, const struct sl_scenario *scenario,
                                    const char *role, struct sl_error *err) SL_NODISCARD;
/* The input at `path` holds policies and is no file of the scenario. */
void sl_record_mark_policies(struct sl_record *record, const char *path);
/* Empties what sl_decide_simulate and sl_record_identify fill, in a record that is decided again.
 */
void sl_record_forget(struct sl_record *record);

/* The page for people. */
enum sl_status sl_decision_page(const struct sl_record *record, FILE *out) SL_NODISCARD;
enum sl_status sl_decision_page_write(const struct sl_record *record, const char *path,
                                      struct sl_error *err) SL_NODISCARD;
/* The checklist of the decision workflow, from what the record holds. */
enum sl_status sl_workflow_update(struct sl_record *record, struct sl_error *err) SL_NODISCARD;
#endif
