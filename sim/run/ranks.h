/* A sweep on several ranks (base/comm.h): every rank loads the scenario, rank 0 leads.
 *
 * The leader hands out cells as ranks ask for more by finishing what they have; a rank sends a
 * finished cell as bytes (sl_sweep_request.pack), and the leader takes them as its sink takes
 * cells. When fewer cells than ranks are left and they are large, the leader runs them itself, one
 * at a time, and hands out portions of their trials (portion.h).  Rank 0 works too, on a thread of
 * its own that is a rank like the others.
 *
 * What a rank finds wrong ends the sweep with that error on the leader.  A rank that is lost ends
 * it too; what was finished is with the leader. */
#ifndef SL_RANKS_H
#define SL_RANKS_H
#include "comm.h"
#include "status.h"

struct sl_ranks;

/* Borrows `comm`.  `threads` is what each rank says it works with: it is given that many cells at
 * once, and one more. */
enum sl_status sl_ranks_open(struct sl_ranks **ranks, struct sl_comm *comm, uint32_t threads,
                             struct sl_error *err) SL_NODISCARD;
/* True on rank 0: what follows a sweep (judging, reports) happens there alone. */
bool sl_ranks_leads(const struct sl_ranks *ranks);
/* The leader lets the others go; they wait for that, and first tell it when they could not even
 * begin.  True when all ranks part in peace; else the group may only be aborted. */
bool sl_ranks_close(struct sl_ranks *ranks);
#endif
