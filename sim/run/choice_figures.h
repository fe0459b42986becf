/* From the sums of two plans to the figures of a choice.  Private to choice_costs.c and its test.
 */
#ifndef SL_CHOICE_FIGURES_H
#define SL_CHOICE_FIGURES_H
#include "choice_costs.h"

/* Fills differences, figures, nodes and evidence of a choice that was run: `sums` of its plan,
 * `base` of the policy's own (the same one where the choice is the policy's). */
enum sl_status sl_choice_figures(struct sl_choice_costs *costs, const struct sl_gap_costs *row,
                                 struct sl_choice_cost *cost, const struct sl_plan_sums *sums,
                                 const struct sl_plan_sums *base, uint64_t seed,
                                 struct sl_error *err) SL_NODISCARD;
/* *breaks is the first declared limit of a figure that the plan's trials break; NULL: none
 * (choice_constraints.c). */
enum sl_status sl_choice_breaks(const struct sl_scenario *scenario, const struct sl_plan_sums *sums,
                                const char **breaks, struct sl_error *err) SL_NODISCARD;
#endif
