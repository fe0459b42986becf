/* Threads that share whatever work there is.
 *
 * Work comes as lots.  The thread that brings a lot works on it until nothing of it is left, and
 * threads of the pool that are free join it.  So no lot waits for a thread, and what works on one
 * lot may bring another: at the worst it does that one alone. */
#ifndef SL_THREAD_POOL_H
#define SL_THREAD_POOL_H
#include "status.h"

#define SL_POOL_MOST        1024               /* threads */
#define SL_PROGRESS_WAIT_NS INT64_C(100000000) /* between two times that progress is told */

enum sl_lot_state {
    SL_LOT_MORE,  /* did some of it */
    SL_LOT_LATER, /* there is nothing to do before somebody calls sl_pool_wake */
    SL_LOT_OVER,  /* nothing is left that nobody works on */
};

struct sl_lot {
    uint32_t seats; /* the most threads to work on it; at least 1 and at most SL_POOL_MOST */
    /* Does a piece of it.  No two threads have the same seat at once; that of the thread which
     * brought the lot is 0. */
    enum sl_lot_state (*run)(void *user, uint32_t seat);
    /* Called by the thread which brought the lot, about ten times a second while it waits for the
     * others' last pieces.  NULL: none. */
    void (*watch)(void *user);
    void *user;
};

/* `threads` counts the caller; 0: one per usable core.  Started now, and idle until work comes. */
struct sl_pool;
enum sl_status sl_pool_create(struct sl_pool **pool, uint32_t threads,
                              struct sl_error *err) SL_NODISCARD;
/* No lot may be open.  NULL: nothing. */
void sl_pool_free(struct sl_pool *pool);
/* With the caller; 1 for NULL. */
uint32_t sl_pool_threads(const struct sl_pool *pool);
uint32_t sl_pool_usable_cores(void);

/* Returns when the lot is over and nobody works on it.  Whoever works on it does so in the caller's
 * locale.  pool NULL: the caller does it alone. */
void sl_pool_run(struct sl_pool *pool, const struct sl_lot *lot);
/* What said SL_LOT_LATER may have more now.  pool NULL: nothing. */
void sl_pool_wake(struct sl_pool *pool);

/* A lot of items with numbers, taken in rising order. */
struct sl_items {
    uint64_t count;
    uint32_t seats;        /* as of a lot */
    uint32_t most_at_once; /* items that a thread takes at once, while many are left */
    uint32_t together;     /* of them the most that are run between two looks at whether to stop */
    /* Runs `count` items in order; *done, 0 before, counts those before one that failed. */
    enum sl_status (*run)(void *user, uint32_t seat, uint64_t first, uint32_t count, uint32_t *done,
                          struct sl_error *err);
    /* Called by the thread which brought them, about ten times a second and at the end, with the
     * number of items done; false stops.  NULL: none. */
    bool (*progress)(void *user, uint64_t done);
    void *user;
};
/* Runs all items.  The error is that of the smallest item that fails, as of a loop from the first
 * to the last: items below it are run, others perhaps.  SL_INTERRUPTED when progress says so. */
enum sl_status sl_pool_each(struct sl_pool *pool, const struct sl_items *items,
                            struct sl_error *err) SL_NODISCARD;
#endif
