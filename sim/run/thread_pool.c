/* The pool: a list of open lots, and threads that join the first one with a free seat.
 *
 * Lots are joined in the order in which they were brought: what was brought first is nearest to the
 * whole, and joining it opens more work than helping with a part does. */
#include <config.h>

#include "thread_pool.h"
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WATCH_NS 100000000L

struct open_lot {
    const struct sl_lot *lot;
    struct open_lot *next;
    uint64_t taken[SL_POOL_MOST / 64]; /* seats, a bit each */
    uint32_t joined;                   /* threads besides the one that brought it */
    bool over;
    locale_t locale; /* of the thread that brought it: what others write of it is in the same */
    uint64_t asleep; /* it said LATER after so many wakes; UINT64_MAX: it did not */
    pthread_cond_t left;
};

struct sl_pool {
    pthread_mutex_t lock; /* guards what follows, and every open lot but its `lot` */
    pthread_cond_t news;
    struct open_lot *first;
    _Atomic uint64_t wakes; /* read without the lock too */
    uint32_t idle, started;
    bool closing;
    pthread_t *threads;
};

uint32_t sl_pool_usable_cores(void)
{
    cpu_set_t usable;
    CPU_ZERO(&usable);
    int count = sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
    return count > 0 ? (uint32_t)count : 1;
}

static struct timespec from_now(long ns)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ns;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    return until;
}

static bool is_past(const struct timespec *until)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec > until->tv_sec ||
           (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec);
}

static bool make_cond(pthread_cond_t *cond)
{
    pthread_condattr_t clock;
    if (pthread_condattr_init(&clock) != 0)
        return false;
    bool ok = pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(cond, &clock) == 0;
    pthread_condattr_destroy(&clock);
    return ok;
}

/* The smallest free seat but the first, which is taken all along; 0: none. */
static uint32_t free_seat(const struct open_lot *open)
{
    for (uint32_t seat = 1; seat < open->lot->seats; seat++)
        if (!(open->taken[seat / 64] >> seat % 64 & 1))
            return seat;
    return 0;
}

static struct open_lot *find_work(const struct sl_pool *pool, const struct open_lot *but)
{
    uint64_t wakes = atomic_load(&pool->wakes);
    for (struct open_lot *open = pool->first; open; open = open->next)
        if (open != but && !open->over && open->asleep != wakes && free_seat(open) != 0)
            return open;
    return NULL;
}

/* Works on a lot until there is nothing to do, or (`until` not NULL) until then.  The lock is held
 * before and after. */
static void join(struct sl_pool *pool, struct open_lot *open, const struct timespec *until)
{
    uint32_t seat = free_seat(open);
    uint64_t wakes = 0;
    enum sl_lot_state state = SL_LOT_MORE;
    open->taken[seat / 64] |= UINT64_C(1) << seat % 64;
    open->joined++;
    pthread_mutex_unlock(&pool->lock);
    locale_t own = uselocale(open->locale);
    while (state == SL_LOT_MORE && !(until && is_past(until))) {
        wakes = atomic_load(&pool->wakes); /* before looking, so that no wake is missed */
        state = open->lot->run(open->lot->user, seat);
    }
    uselocale(own);
    pthread_mutex_lock(&pool->lock);
    if (state == SL_LOT_OVER)
        open->over = true;
    if (state == SL_LOT_LATER)
        open->asleep = wakes;
    open->taken[seat / 64] &= ~(UINT64_C(1) << seat % 64);
    if (--open->joined == 0)
        pthread_cond_signal(&open->left);
}

static void *serve(void *argument)
{
    struct sl_pool *pool = argument;
    pthread_mutex_lock(&pool->lock);
    while (!pool->closing) {
        struct open_lot *open = find_work(pool, NULL);
        if (open) {
            join(pool, open, NULL);
            continue;
        }
        pool->idle++;
        pthread_cond_wait(&pool->news, &pool->lock);
        pool->idle--;
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static bool pool_init(struct sl_pool *pool, uint32_t others)
{
    pool->threads = malloc(((size_t)others + 1) * sizeof *pool->threads);
    if (!pool->threads || !make_cond(&pool->news)) {
        free(pool->threads);
        return false;
    }
    if (pthread_mutex_init(&pool->lock, NULL) != 0) {
        pthread_cond_destroy(&pool->news);
        free(pool->threads);
        return false;
    }
    return true;
}

enum sl_status sl_pool_create(struct sl_pool **pool, uint32_t threads, struct sl_error *err)
{
    if (threads == 0)
        threads = sl_pool_usable_cores();
    uint32_t others = (threads < SL_POOL_MOST ? threads : SL_POOL_MOST) - 1;
    struct sl_pool *made = *pool = calloc(1, sizeof *made);
    if (!made || !pool_init(made, others)) {
        free(made);
        *pool = NULL;
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u threads", (unsigned)threads);
    }
    int rc = 0;
    for (; made->started < others; made->started++)
        if ((rc = pthread_create(&made->threads[made->started], NULL, serve, made)) != 0)
            break;
    if (rc == 0)
        return SL_OK;
    sl_pool_free(made);
    *pool = NULL;
    return SL_FAIL(err, SL_SYSTEM, "cannot start a thread: %s", strerror(rc));
}

void sl_pool_free(struct sl_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->closing = true;
    pthread_cond_broadcast(&pool->news);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->started; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->news);
    pthread_mutex_destroy(&pool->lock);
    free(pool->threads);
    free(pool);
}

uint32_t sl_pool_threads(const struct sl_pool *pool)
{
    return pool ? pool->started + 1 : 1;
}

void sl_pool_wake(struct sl_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->wakes, 1);
    pthread_cond_broadcast(&pool->news);
    pthread_mutex_unlock(&pool->lock);
}

static void open_lot(struct sl_pool *pool, struct open_lot *open)
{
    struct open_lot **end = &pool->first;
    pthread_mutex_lock(&pool->lock);
    while (*end)
        end = &(*end)->next;
    *end = open;
    for (uint32_t k = 1; k < open->lot->seats && k <= pool->idle; k++)
        pthread_cond_signal(&pool->news);
    pthread_mutex_unlock(&pool->lock);
}

/* Nobody joins any more; waits for those who did. */
static void close_lot(struct sl_pool *pool, struct open_lot *open)
{
    const struct sl_lot *lot = open->lot;
    struct open_lot **at = &pool->first;
    pthread_mutex_lock(&pool->lock);
    while (*at != open)
        at = &(*at)->next;
    *at = open->next;
    while (open->joined > 0) {
        struct timespec until = from_now(WATCH_NS);
        int rc = pthread_cond_timedwait(&open->left, &pool->lock, &until);
        if (rc == 0 || !lot->watch)
            continue;
        pthread_mutex_unlock(&pool->lock);
        lot->watch(lot->user);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
}

/* Until a wake, and for a tenth of a second at the most: helps with another lot, or sleeps. */
static void pass_time(struct sl_pool *pool, const struct open_lot *own, uint64_t wakes)
{
    struct timespec until = from_now(WATCH_NS);
    pthread_mutex_lock(&pool->lock);
    if (atomic_load(&pool->wakes) == wakes) {
        struct open_lot *other = find_work(pool, own);
        if (other) {
            join(pool, other, &until);
        } else {
            pool->idle++;
            pthread_cond_timedwait(&pool->news, &pool->lock, &until);
            pool->idle--;
        }
    }
    pthread_mutex_unlock(&pool->lock);
}

static void run_alone(const struct sl_lot *lot)
{
    while (lot->run(lot->user, 0) != SL_LOT_OVER) {
    }
}

void sl_pool_run(struct sl_pool *pool, const struct sl_lot *lot)
{
    struct open_lot open = {.lot = lot, .locale = uselocale((locale_t)0), .asleep = UINT64_MAX};
    if (!pool || pool->started == 0 || lot->seats <= 1 || !make_cond(&open.left)) {
        run_alone(lot);
        return;
    }
    open_lot(pool, &open);
    for (;;) {
        uint64_t wakes = atomic_load(&pool->wakes);
        enum sl_lot_state state = lot->run(lot->user, 0);
        if (state == SL_LOT_OVER)
            break;
        if (state == SL_LOT_LATER)
            pass_time(pool, &open, wakes);
    }
    close_lot(pool, &open);
    pthread_cond_destroy(&open.left);
}
