/* Items of a pool: taken from one counter, many at once at first and one by one at the end, so that
 * all threads end together. */
#include <config.h>

#include "thread_pool.h"
#include "clock.h"
#include <pthread.h>
#include <stdatomic.h>

#define PIECES_PER_SEAT  2 /* of what is left */

struct round {
    const struct sl_items *items;
    _Atomic uint64_t next; /* first item that nobody took yet */
    _Atomic uint64_t end;  /* first item not to run: their number, or the smallest that failed */
    atomic_bool stop;
    _Alignas(64) _Atomic uint64_t done; /* written all the time, so not beside what is read there */
    int64_t asked_ns;                   /* when progress was told last */
    pthread_mutex_t lock;               /* guards what follows */
    enum sl_status status;
    struct sl_error err;
};

static void tell_progress(void *user)
{
    struct round *round = user;
    const struct sl_items *items = round->items;
    if (items->progress && !items->progress(items->user, atomic_load(&round->done)))
        atomic_store(&round->stop, true);
    round->asked_ns = sl_clock_coarse_ns();
}

/* Items are taken in rising order, so that those below a failed one are all taken already: whoever
 * has them goes on up to it. */
static void note_failure(struct round *round, uint64_t item, enum sl_status status,
                         const struct sl_error *err)
{
    pthread_mutex_lock(&round->lock);
    if (item < atomic_load(&round->end)) {
        atomic_store(&round->end, item);
        round->status = status;
        round->err = *err;
    }
    pthread_mutex_unlock(&round->lock);
}

/* *end 0: nothing is left. */
static uint64_t take_items(struct round *round, uint64_t *end)
{
    const struct sl_items *items = round->items;
    uint64_t first = atomic_load(&round->next), last = atomic_load(&round->end), count;
    do {
        *end = 0;
        if (first >= last)
            return 0;
        count = (last - first) / ((uint64_t)items->seats * PIECES_PER_SEAT);
        count = count < items->most_at_once ? count : items->most_at_once;
        count -= count > items->together ? count % items->together : 0;
        count = count > 0 ? count : 1;
        *end = first + count;
    } while (!atomic_compare_exchange_weak(&round->next, &first, *end));
    return first;
}

static enum sl_lot_state run_items(void *user, uint32_t seat)
{
    struct round *round = user;
    const struct sl_items *items = round->items;
    struct sl_error err = {0};
    uint64_t end, first = take_items(round, &end);
    if (end == 0)
        return SL_LOT_OVER;
    for (uint64_t k = first; k < end; k += items->together) {
        uint32_t count = end - k < items->together ? (uint32_t)(end - k) : items->together;
        uint32_t done = 0;
        if (atomic_load_explicit(&round->stop, memory_order_relaxed) ||
            k >= atomic_load_explicit(&round->end, memory_order_relaxed))
            return SL_LOT_OVER;
        enum sl_status status = items->run(items->user, seat, k, count, &done, &err);
        if (status != SL_OK) {
            note_failure(round, k + done, status, &err);
            return SL_LOT_OVER;
        }
        atomic_fetch_add_explicit(&round->done, count, memory_order_relaxed);
        if (seat == 0 && items->progress && sl_clock_coarse_ns() - round->asked_ns >= SL_PROGRESS_WAIT_NS)
            tell_progress(round);
    }
    return SL_LOT_MORE;
}

enum sl_status sl_pool_each(struct sl_pool *pool, const struct sl_items *items,
                            struct sl_error *err)
{
    struct round round = {.items = items,
                          .end = items->count,
                          .asked_ns = sl_clock_coarse_ns(),
                          .lock = PTHREAD_MUTEX_INITIALIZER};
    const struct sl_lot lot = {
        .seats = items->seats, .run = run_items, .watch = tell_progress, .user = &round};
    sl_pool_run(pool, &lot);
    pthread_mutex_destroy(&round.lock);
    if (round.status != SL_OK) {
        if (err && err->status == SL_OK)
            *err = round.err;
        return round.status;
    }
    /* Also at the end, so that an interrupt during the last short lot is not lost. */
    if (!atomic_load(&round.stop))
        tell_progress(&round);
    return atomic_load(&round.stop) ? SL_FAIL(err, SL_INTERRUPTED, "interrupted") : SL_OK;
}
