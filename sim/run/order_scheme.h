/* Serial schedule generation: nodes are taken one by one, of those whose predecessors are placed
 * the first by rank, and each is placed at the earliest time at which all its uses fit, whatever is
 * placed later in time already (Kelley 1963; Kolisch, EJOR 90, 1996).  With plain resources some
 * rank leads to a shortest schedule, which no list scheduler can promise. */
#ifndef SL_ORDER_SCHEME_H
#define SL_ORDER_SCHEME_H
#include "order_model.h"

/* Level of a stock over time: levels[k] from times[k] on, times[0] = 0. */
struct sl_order_profile {
    int64_t *times, *levels;
    uint32_t count;
};

/* Room to build one schedule after the other of one model. */
struct sl_order_scheme {
    const struct sl_order_model *model; /* borrowed */
    int64_t *start_ps;                  /* by node: the last schedule */
    int64_t *ready_ps;                  /* by node: no earlier start, as far as known */
    uint32_t *before;                   /* by node: predecessors to be placed */
    uint32_t *heap;                     /* ranks of nodes that may be placed, least first */
    uint32_t heap_count;
    uint32_t *parked, parked_count; /* ranks whose bytes fit at no time yet */
    struct sl_order_profile *profiles;
    struct sl_arena arena;
};

enum sl_status sl_order_scheme_make(struct sl_order_scheme *scheme,
                                    const struct sl_order_model *model,
                                    struct sl_error *err) SL_NODISCARD;
void sl_order_scheme_free(struct sl_order_scheme *scheme);

/* Builds the schedule of a list (each node once; where it breaks precedence, precedence goes
 * first). `rank` is scratch by node, filled with the places in the list.  False: bytes ran out in
 * this order of taking, and there is no schedule. */
bool sl_order_generate(struct sl_order_scheme *scheme, const uint32_t *list,
                       uint32_t *rank) SL_NODISCARD;
#endif
