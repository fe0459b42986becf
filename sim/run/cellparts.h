/* What the files that make up a cell share: collecting, reducing, pictures. */
#ifndef SL_CELLPARTS_H
#define SL_CELLPARTS_H
#include "cell.h"
#include "trials.h"

#define SL_LEVEL_CONFIDENCE 0.95 /* of every interval of a cell */

/* Makes the sums of a cell whose plan is set, those of its tallies too. */
enum sl_status sl_cell_begin(struct sl_cell *cell, struct sl_error *err) SL_NODISCARD;
/* The tallies' room for cell->trials trials where `had` are. */
enum sl_status sl_cell_grow_tallies(struct sl_cell *cell, uint32_t had,
                                    struct sl_error *err) SL_NODISCARD;
/* Runs the trials from `had` to cell->trials - 1 at the pessimistic corner, for which the arrays
 * have room: per-trial arrays, sums, deadlock text (into reason). */
enum sl_status sl_cell_collect(struct sl_cell *cell, uint32_t had, struct sl_trials_job *job,
                               struct sl_error *err) SL_NODISCARD;
/* About what a cell of so many trials takes in memory, bytes. */
double sl_cell_bytes(const struct sl_scenario *scenario, uint64_t trials);
/* That of the machine; 0: not known. */
double sl_machine_bytes(void);

/* SL_INVALID when the sum leaves the range. */
enum sl_status sl_cell_add_makespans(struct sl_cell *cell, int64_t sum_ps,
                                     struct sl_error *err) SL_NODISCARD;
/* The tallies' estimates. */
enum sl_status sl_cell_finish_tallies(struct sl_cell *cell, struct sl_error *err) SL_NODISCARD;
/* Fills metric_optimistic_ps. */
enum sl_status sl_cell_collect_optimistic(struct sl_cell *cell, struct sl_trials_job *job,
                                          struct sl_error *err) SL_NODISCARD;

/* Verdict of a cell whose trials were collected; `tail_us` as of sl_cell_judge_constraints. */
enum sl_status sl_cell_judge(struct sl_cell *cell, double tail_us, struct sl_diags *diags,
                             struct sl_error *err) SL_NODISCARD;
/* A limit matters, too, when the largest level came near it: a policy may have planned by it. */
void sl_cell_mark_limits(struct sl_cell *cell);
/* Estimates and verdict from the collected trials. */
enum sl_status sl_cell_reduce(struct sl_cell *cell, struct sl_diags *diags,
                              struct sl_error *err) SL_NODISCARD;

/* Judges the declared constraints of a cell that completes every trial; `tail_us` is the quantile of
 * the objective.  A broken one makes the cell infeasible; what is open is told in its reason. */
enum sl_status sl_cell_judge_constraints(struct sl_cell *cell, double tail_us,
                                         struct sl_diags *diags, struct sl_error *err) SL_NODISCARD;
/* True when a constraint does not hold by the trials so far, none of them deadlocked; *for_good: one
 * that more trials cannot mend (a largest level or wait). */
bool sl_cell_breaks(const struct sl_cell *cell, bool *for_good);
/* Largest level of a domain in any trial, bytes. */
int64_t sl_cell_largest_peak(const struct sl_cell *cell, uint32_t domain);

/* The pressure band and the bars of the median and the p99 trial, from trials run again. */
enum sl_status sl_cell_pictures(struct sl_cell *cell, const struct sl_program *program,
                                struct sl_trials_job *job, struct sl_error *err) SL_NODISCARD;

/* Fills tail_chain, from trials run again. */
enum sl_status sl_cell_tail_chain(struct sl_cell *cell, const struct sl_program *program,
                                  struct sl_trials_job *job, struct sl_error *err) SL_NODISCARD;
#endif
