/* What the realized chains of some trials are made of: time by class, by route, by type of lag. */
#ifndef SL_COMPOSITION_H
#define SL_COMPOSITION_H
#include "trials.h"

/* Sums over the trials that completed.  A transfer counts for its class and for its route. */
struct sl_composition {
    uint32_t trials;
    int64_t total_ps;  /* of their makespans */
    int64_t *class_ps; /* by class of the platform's kappa */
    int64_t *route_ps; /* by route */
    /* Waits for a lag after the end of the node behind, by the type of its edge. */
    int64_t lag_ps[SL_EDGE_TYPES];
    struct sl_arena arena;
};

/* Runs the trials numbers[0 .. count - 1] of `program` again.  sl_composition_free releases, after
 * a failure too. */
enum sl_status sl_composition_gather(struct sl_composition *sums, const struct sl_program *program,
                                     uint64_t seed, const uint32_t *numbers, uint32_t count,
                                     struct sl_pool *pool, struct sl_error *err) SL_NODISCARD;
void sl_composition_free(struct sl_composition *sums);
#endif
