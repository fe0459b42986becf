/* What the files that decide share.  Private to decide/. */
#ifndef SL_DECIDE_PARTS_H
#define SL_DECIDE_PARTS_H
#include "decide.h"
#include "job_cell.h"
#include "paired.h"
#include "record_shape.h"
#include "result_parts.h"

#define SL_DECIDE_LEVEL 0.95 /* of every interval */
#define SL_DRIFT_TRIALS 500  /* of a look for drifts: there are many looks */

static inline enum sl_status sl_decide_no_memory(struct sl_error *err)
{
    return SL_FAIL(err, SL_SYSTEM, "out of memory for a decision");
}
/* Replications of which some deadlocked have no figures of jobs. */
static inline struct sl_estimate sl_decide_tail(const struct sl_cell *cell)
{
    bool has = cell->metric_ps && (!cell->jobs || cell->jobs->estimated);
    return has ? sl_tail_estimate(cell) : SL_NO_ESTIMATE;
}
/* A copy in the record's arena; *good is cleared when memory ran out.  NULL of NULL. */
const char *sl_record_keep(struct sl_record *record, const char *text, bool *good);
const char *sl_record_text(struct sl_record *record, bool *good, const char *format, ...)
    SL_PRINTF(3, 4);
/* Sixteen hexadecimal digits. */
const char *sl_record_hex(struct sl_record *record, uint64_t digest, bool *good);

/* Means over n trials, and of the differences trial by trial; two that deadlock differ by nothing.
 */
enum sl_status sl_decide_mean_difference(const double *a, const double *b, uint32_t n,
                                         struct sl_difference *difference,
                                         struct sl_error *err) SL_NODISCARD;
/* A finished cell, kept: its trials, largest peaks, costs. */
enum sl_status sl_decide_keep(struct sl_decision *decision, const struct sl_cell *cell,
                              struct sl_decide_cell *kept, struct sl_error *err) SL_NODISCARD;
/* A cell as a schedule of the record. */
enum sl_status sl_decide_schedule(struct sl_decision *decision, const struct sl_cell *cell,
                                  struct sl_record_schedule *schedule,
                                  struct sl_error *err) SL_NODISCARD;
/* The selected cell: graph and its changes, policy, costs, unknowns, projection without
 * differences, proofs. */
enum sl_status sl_decide_graph(struct sl_decision *decision, const struct sl_cell *cell,
                               struct sl_error *err) SL_NODISCARD;
enum sl_status sl_decide_policy(struct sl_decision *decision, const struct sl_cell *cell,
                                struct sl_error *err) SL_NODISCARD;
enum sl_status sl_decide_costs(struct sl_decision *decision, const struct sl_cell *cell,
                               struct sl_error *err) SL_NODISCARD;
enum sl_status sl_decide_proofs(struct sl_decision *decision, const struct sl_cell *cell,
                                struct sl_error *err) SL_NODISCARD;
/* The outcomes of the declared constraints into a list of the record; false: out of memory. */
bool sl_decide_constraints(struct sl_record *record, void *list,
                           const struct sl_cell *cell) SL_NODISCARD;
/* Of modes open and closed: job_proofs.c. */
enum sl_status sl_decide_job_proofs(struct sl_record *record, const struct sl_cell *cell,
                                    struct sl_error *err) SL_NODISCARD;
enum sl_status sl_decide_projection(struct sl_decision *decision, const struct sl_cell *cell,
                                    struct sl_error *err) SL_NODISCARD;

/* A cost of a cell's plan, as it is gathered. */
struct sl_decide_cost {
    struct sl_record_cost row; /* source: the evidence as written, "assumed: datasheet"; NULL */
    double chain_ps;           /* NAN: it has no time of its own */
};
/* All costs of a plan that it uses; in `arena`, *count of them. */
enum sl_status sl_decide_find_costs(const struct sl_cell *cell, struct sl_arena *arena,
                                    struct sl_decide_cost **costs, uint32_t *count,
                                    struct sl_error *err) SL_NODISCARD;
/* The figures of a cost into its row, with the file that states them; what they are called by is
 * filled already.  false: out of memory. */
bool sl_cost_of_duration(struct sl_record_cost *row, const struct sl_scenario *scenario,
                         const struct sl_graph *graph, const struct sl_node *node,
                         struct sl_arena *arena) SL_NODISCARD;
bool sl_cost_of_route(struct sl_record_cost *row, const struct sl_scenario *scenario,
                      const struct sl_route *route, struct sl_arena *arena) SL_NODISCARD;
bool sl_cost_of_api(struct sl_record_cost *row, const struct sl_scenario *scenario,
                    const struct sl_api_cost *api, struct sl_arena *arena) SL_NODISCARD;
bool sl_cost_of_lag(struct sl_record_cost *row, const struct sl_scenario *scenario,
                    const struct sl_edge *edge, struct sl_arena *arena) SL_NODISCARD;
bool sl_cost_of_factor(struct sl_record_cost *row, const struct sl_scenario *scenario,
                       const struct sl_factor *factor, struct sl_arena *arena) SL_NODISCARD;
void sl_cost_of_kappa(struct sl_record_cost *row, const struct sl_scenario *scenario,
                      const struct sl_kappa_row *kappa);
/* How the inputs of a record name a file of the scenario. */
const char *sl_record_input_name(const struct sl_scenario *scenario, const char *path);
/* What is not known of a cell's plan: pairs of classes without a kappa, costs without evidence. */
enum sl_status sl_decide_unknowns(struct sl_decision *decision, const struct sl_cell *cell,
                                  struct sl_error *err) SL_NODISCARD;
/* Pairs that ran side by side and of which no table says what they do to each other: `groups` of
 * sl_class_groups. */
bool sl_decide_unknown_pair(const struct sl_cell *cell, const uint64_t *groups, uint32_t a,
                            uint32_t b);
/* "gemm beside copy.h2d" */
const char *sl_decide_pair_name(const struct sl_kappa *kappa, uint32_t a, uint32_t b,
                                char name[300]);
/* Two classes were seen side by side in some trial, or nobody looked. */
bool sl_decide_met(const struct sl_cell *cell, uint32_t a, uint32_t b);
uint64_t sl_decide_cost_key(const char *what, const char *name);
/* "measured", ... from a text that begins so; NULL: none. */
const char *sl_evidence_word(const char *text);

/* Trials that all differ by the same amount, as those of one plan do by nothing: then every
 * quantile does, however few they are.  False: they do not. */
bool sl_decide_is_exact(const double *a, const double *b, uint32_t n,
                        struct sl_difference *difference);
/* Differences a - b, on common draws: of the tail or the median in us; of an item of the order. */
enum sl_status sl_decide_difference(const struct sl_decision *decision,
                                    const struct sl_decide_cell *a, const struct sl_decide_cell *b,
                                    double q, struct sl_difference *difference,
                                    struct sl_error *err) SL_NODISCARD;
/* Alternatives, and differences against the baseline. */
enum sl_status sl_decide_compare(struct sl_decision *decision, struct sl_error *err) SL_NODISCARD;
/* Falsifying measurements and the fallback. */
enum sl_status sl_decide_falsifiers(struct sl_decision *decision,
                                    struct sl_error *err) SL_NODISCARD;
/* The cell is another than the selected one, keeps all constraints, and has a tail. */
bool sl_decide_may_lead(const struct sl_decision *decision, uint32_t index);
/* Which drift of which figure would make another policy lead, as falsifiers and as the sentence
 * record->drifts. */
enum sl_status sl_decide_drifts(struct sl_decision *decision, struct sl_error *err) SL_NODISCARD;
/* The number that stands for pairs without a row, above which the gain over the baseline is gone.
 */
enum sl_status sl_decide_stand_in(struct sl_decision *decision, struct sl_error *err) SL_NODISCARD;
/* The scenario in which the policy of each of these cells has the values of its cell: `view`
 * borrows from the decision.  false: out of memory. */
bool sl_decide_set_policies(struct sl_decision *decision, const uint32_t *cells, uint32_t count,
                            struct sl_scenario *view) SL_NODISCARD;
enum sl_status sl_decide_fallback(struct sl_decision *decision, struct sl_error *err) SL_NODISCARD;
/* Residual risks, from what the record holds. */
enum sl_status sl_decide_risks(struct sl_record *record, struct sl_error *err) SL_NODISCARD;
#endif
