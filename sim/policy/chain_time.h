/* Time on the realized chain that planning put there: copies and recomputations, by object. */
#ifndef SL_CHAIN_TIME_H
#define SL_CHAIN_TIME_H
#include "engine.h"

/* Where to add, and room for chains.  Zero-initialise the room and free its arena. */
struct sl_chain_time {
    double *move_ps, *remat_ps; /* per object; may be one array */
    struct sl_link *links;
    size_t link_capacity;
    struct sl_arena arena;
};
/* Adds what the trial's chain holds of them; nothing of a deadlock. */
enum sl_status sl_chain_time_add(struct sl_chain_time *time, const struct sl_program *program,
                                 const struct sl_trial *trial, struct sl_error *err) SL_NODISCARD;
#endif
