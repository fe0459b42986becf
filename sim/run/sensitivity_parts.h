/* What the files that make up a sensitivity share. */
#ifndef SL_SENSITIVITY_PARTS_H
#define SL_SENSITIVITY_PARTS_H
#include "sensitivity.h"

/* Makes the levers of the cell's plan with their effects, each SL_EFFECT_WAITS or
 * SL_EFFECT_CANNOT. */
enum sl_status sl_levers_make(struct sl_sensitivity *sensitivity, bool steps,
                              struct sl_error *err) SL_NODISCARD;
/* Sets the factors of one effect of a lever in a change that was reset. */
void sl_lever_apply(const struct sl_sensitivity *sensitivity, const struct sl_lever *lever,
                    const struct sl_effect *effect, struct sl_change *change);

/* Judges the effects of a lever: metrics[e] holds the trials of effect e in us (INFINITY:
 * deadlocked), for those that were simulated; `base` those of the cell. */
enum sl_status sl_lever_judge(const struct sl_sensitivity *sensitivity, struct sl_lever *lever,
                              double *const *metrics, const double *base, uint64_t seed,
                              struct sl_error *err) SL_NODISCARD;
/* Finds the slope of a judged lever whose effects are steps. */
enum sl_status sl_lever_slope(const struct sl_sensitivity *sensitivity, struct sl_lever *lever,
                              double *const *metrics, const double *base, uint64_t seed,
                              struct sl_error *err) SL_NODISCARD;
#endif
