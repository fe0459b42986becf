/* Crowds: how a long queue is kept, so that joining it does not move all who come after.
 *
 * A queue is a sorted stretch.  A node that would move more than SL_CROWD others sends all of them
 * to the queue's crowd instead, a heap beside the stretch; the next time the stretch has been read
 * to its end, the first of the crowd is appended to it.  Between calls all of the stretch comes
 * before all of the crowd, and while there is a crowd the stretch is not empty.  The order of
 * waiting items is total, so the queue is read in the same order either way. */
#ifndef SL_CROWD_H
#define SL_CROWD_H
#include "worker.h"

#define SL_CROWD 64

/* A binary heap, least item first; `heap` has room for one more. */
void sl_crowd_push(struct wait_item *heap, uint32_t *count, struct wait_item item);
/* Takes the first of at least one. */
struct wait_item sl_crowd_pop(struct wait_item *heap, uint32_t *count);

bool sl_crowd_create(struct sl_worker *w) SL_NODISCARD; /* false when out of memory */
void sl_crowd_begin(struct sl_worker *w);
/* `item` joins the queue of resource r, long or short. */
void sl_crowd_join(struct sl_worker *w, uint32_t r, struct wait_item item);
/* Appends the first of the crowd to the stretch; false when there is no crowd. */
bool sl_crowd_pull(struct sl_worker *w, uint32_t r);
/* Appends all that come before `item`. */
void sl_crowd_pull_before(struct sl_worker *w, uint32_t r, const struct wait_item *item);
/* Brings every queue back into one stretch. */
void sl_crowd_dissolve(struct sl_worker *w);
#endif
