/* What running side by side saved and cost, by pair of contention classes: a sweep over a trial's
 * record.  doc/semantics.md, "Overlap and contention by pair", has the definitions. */
#ifndef SL_CLASS_PAIRS_H
#define SL_CLASS_PAIRS_H
#include "engine.h"

/* Of classes a and b, the cell a x classes + b of a matrix. */
struct sl_pair_sums {
    int64_t overlap_ps;   /* both run (a = b: two nodes do); symmetric */
    int64_t saved_ps;     /* isolated work done in the overlap, less its length; symmetric */
    int64_t inflation_ps; /* of nodes of a beyond their isolated durations, attributed to b */
};

#define SL_CLASS_PAIRS_MOST 256 /* more classes than this are not attributed */

struct sl_class_pairs; /* scratch of one worker; `graph` is what its trials ran, and outlives it */
enum sl_status sl_class_pairs_create(struct sl_class_pairs **pairs, const struct sl_graph *graph,
                                     enum sl_corner corner, struct sl_error *err) SL_NODISCARD;
void sl_class_pairs_free(struct sl_class_pairs *pairs);
/* How many numbers a trial looks at, roughly. */
size_t sl_class_pairs_work(const struct sl_class_pairs *pairs);

/* Adds a trial to `sums`, classes x classes; nothing of a deadlocked one.  SL_SYSTEM when an
 * overlap found here is not the engine's. */
enum sl_status sl_class_pairs_measure(struct sl_class_pairs *pairs, const struct sl_trial *trial,
                                      struct sl_pair_sums *sums, struct sl_error *err) SL_NODISCARD;
#endif
