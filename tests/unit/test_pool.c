/* The pool: every piece once, lots within lots, the first error whatever finishes first. */
#include <config.h>

#include "threads.h"
#include <locale.h>
#include <stdatomic.h>
#include <time.h>

static const uint32_t THREADS[] = {1, 2, 3, 7};
#define THREAD_COUNTS 4
#define ITEMS         200
#define TOGETHER      3

static void wait_us(long us)
{
    nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

struct setup {
    struct sl_pool *pool;
    uint32_t seats;
    atomic_uint ran[ITEMS];
    atomic_bool seated[8];
    uint64_t last[8]; /* by seat: item + 1 */
    uint64_t fails[3];
    atomic_uint inner;
    uint64_t stop_at, told;
};

/* Of items that fail the later ones do so sooner. */
static enum sl_status run_item(struct setup *s, uint64_t item, struct sl_error *err)
{
    atomic_fetch_add(&s->ran[item], 1);
    for (int k = 0; k < 3; k++)
        if (s->fails[k] == item + 1) {
            wait_us(2000 * (3 - k));
            return SL_FAIL(err, SL_INVALID, "item %d", (int)item);
        }
    if (item % 16 == 0)
        wait_us(300);
    return SL_OK;
}

static enum sl_status run_items(void *user, uint32_t seat, uint64_t first, uint32_t count,
                                uint32_t *done, struct sl_error *err)
{
    struct setup *s = user;
    enum sl_status status = SL_OK;
    ck_assert_uint_lt(seat, s->seats);
    ck_assert(!atomic_exchange(&s->seated[seat], true));
    ck_assert_uint_gt(first + 1, s->last[seat]);
    ck_assert_uint_le(count, TOGETHER);
    s->last[seat] = first + count;
    for (*done = 0; *done < count && status == SL_OK; *done += status == SL_OK)
        status = run_item(s, first + *done, err);
    atomic_store(&s->seated[seat], false);
    return status;
}

static struct sl_items items_of(struct setup *s, uint32_t at_once)
{
    return (struct sl_items){.count = ITEMS,
                             .seats = s->seats,
                             .most_at_once = at_once,
                             .together = TOGETHER,
                             .run = run_items,
                             .user = s};
}

START_TEST(every_item_runs_once)
{
    struct setup s = {.seats = THREADS[_i], .pool = make_pool(THREADS[_i])};
    struct sl_error err = {0};
    struct sl_items items = items_of(&s, 8);
    ck_assert_int_eq(sl_pool_each(s.pool, &items, &err), SL_OK);
    for (uint32_t k = 0; k < ITEMS; k++)
        ck_assert_uint_eq(atomic_load(&s.ran[k]), 1);
    items.count = 0;
    ck_assert_int_eq(sl_pool_each(s.pool, &items, &err), SL_OK);
    sl_pool_free(s.pool);
}
END_TEST

START_TEST(the_error_is_that_of_the_first_item)
{
    struct setup s = {.seats = THREADS[_i], .pool = make_pool(THREADS[_i]), .fails = {30, 31, 60}};
    for (uint32_t at_once = 1; at_once <= 64; at_once *= 8) {
        struct sl_error err = {0};
        struct sl_items items = items_of(&s, at_once);
        for (uint32_t k = 0; k < ITEMS; k++)
            atomic_store(&s.ran[k], 0);
        for (uint32_t k = 0; k < 8; k++) {
            s.last[k] = 0;
            atomic_store(&s.seated[k], false);
        }
        ck_assert_int_eq(sl_pool_each(s.pool, &items, &err), SL_INVALID);
        ck_assert_str_eq(err.message, "item 29");
        for (uint32_t k = 0; k < 30; k++)
            ck_assert_uint_eq(atomic_load(&s.ran[k]), 1);
    }
    sl_pool_free(s.pool);
}
END_TEST

static bool stop_there(void *user, uint64_t done)
{
    struct setup *s = user;
    s->told = done;
    return done < s->stop_at;
}

START_TEST(progress_is_told_the_end_and_may_stop)
{
    struct setup s = {.seats = THREADS[_i], .pool = make_pool(THREADS[_i]), .stop_at = ITEMS + 1};
    struct sl_error err = {0};
    struct sl_items items = items_of(&s, 8);
    items.progress = stop_there;
    ck_assert_int_eq(sl_pool_each(s.pool, &items, &err), SL_OK);
    ck_assert_uint_eq(s.told, ITEMS);
    struct setup again = {.seats = s.seats, .pool = s.pool};
    items.user = &again;
    ck_assert_int_eq(sl_pool_each(s.pool, &items, &err), SL_INTERRUPTED);
    sl_pool_free(s.pool);
}
END_TEST

static enum sl_status count_inner(void *user, uint32_t seat, uint64_t first, uint32_t count,
                                  uint32_t *done, struct sl_error *err)
{
    struct setup *s = user;
    (void)seat;
    (void)first;
    (void)err;
    *done = count;
    atomic_fetch_add(&s->inner, count);
    return SL_OK;
}

/* More lots at once than threads: each ends, since whoever brings one works on it. */
static enum sl_status bring_inner(void *user, uint32_t seat, uint64_t first, uint32_t count,
                                  uint32_t *done, struct sl_error *err)
{
    struct setup *s = user;
    struct sl_items inner = {.count = first % 40,
                             .seats = s->seats,
                             .most_at_once = 4,
                             .together = 2,
                             .run = count_inner,
                             .user = s};
    (void)seat;
    *done = count;
    return sl_pool_each(s->pool, &inner, err);
}

START_TEST(lots_within_lots)
{
    struct setup s = {.seats = THREADS[_i], .pool = make_pool(THREADS[_i])};
    struct sl_error err = {0};
    struct sl_items outer = {.count = ITEMS,
                             .seats = s.seats,
                             .most_at_once = 1,
                             .together = 1,
                             .run = bring_inner,
                             .user = &s};
    ck_assert_int_eq(sl_pool_each(s.pool, &outer, &err), SL_OK);
    ck_assert_uint_eq(atomic_load(&s.inner), ITEMS / 40 * (39 * 40 / 2));
    sl_pool_free(s.pool);
}
END_TEST

/* Seat 0 passes on in order what the others make in any, and has nothing to do before; they may be
 * three ahead at the most. */
struct relay {
    struct sl_pool *pool;
    atomic_uint made, passed;
    atomic_bool ready[ITEMS];
};

static enum sl_lot_state relay(void *user, uint32_t seat)
{
    struct relay *relay = user;
    unsigned passed = atomic_load(&relay->passed);
    if (seat == 0) {
        if (passed == ITEMS)
            return SL_LOT_OVER;
        if (!atomic_load(&relay->ready[passed]))
            return SL_LOT_LATER;
        atomic_store(&relay->passed, passed + 1);
        sl_pool_wake(relay->pool);
        return SL_LOT_MORE;
    }
    unsigned item = atomic_load(&relay->made);
    do {
        if (item == ITEMS)
            return SL_LOT_OVER;
        if (item >= passed + 3)
            return SL_LOT_LATER;
    } while (!atomic_compare_exchange_weak(&relay->made, &item, item + 1));
    wait_us(item % 3 == 0 ? 400 : 10);
    ck_assert_uint_le(item, atomic_load(&relay->passed) + 3);
    atomic_store(&relay->ready[item], true);
    sl_pool_wake(relay->pool);
    return SL_LOT_MORE;
}

START_TEST(later_ends_with_a_wake)
{
    if (THREADS[_i] == 1)
        return; /* nobody makes anything */
    struct relay state = {.pool = make_pool(THREADS[_i])};
    const struct sl_lot lot = {.seats = THREADS[_i], .run = relay, .user = &state};
    sl_pool_run(state.pool, &lot);
    ck_assert_uint_eq(atomic_load(&state.passed), ITEMS);
    sl_pool_free(state.pool);
}
END_TEST

/* A thread that has set a locale of its own brings it along: what others say of its work is said in
 * the same. */
struct words {
    locale_t locale;
    atomic_uint others, pieces;
};

static enum sl_lot_state say(void *user, uint32_t seat)
{
    struct words *words = user;
    atomic_fetch_add(&words->others, uselocale((locale_t)0) != words->locale);
    if (seat == 0 && atomic_load(&words->pieces) < 8)
        wait_us(500); /* so that others have their turn */
    return atomic_fetch_add(&words->pieces, 1) < 64 ? SL_LOT_MORE : SL_LOT_OVER;
}

START_TEST(words_are_in_the_locale_of_who_brought_them)
{
    struct sl_pool *pool;
    struct words words = {.locale = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    const struct sl_lot lot = {.seats = 4, .run = say, .user = &words};
    ck_assert(words.locale != (locale_t)0);
    ck_assert_int_eq(sl_pool_create(&pool, 4, NULL), SL_OK);
    locale_t before = uselocale(words.locale);
    for (int i = 0; i < 20; i++) {
        atomic_store(&words.pieces, 0);
        sl_pool_run(pool, &lot);
    }
    uselocale(before);
    sl_pool_free(pool);
    freelocale(words.locale);
    ck_assert_uint_eq(atomic_load(&words.others), 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("pool");
    TCase *tcase = tcase_create("pool");
    tcase_add_loop_test(tcase, every_item_runs_once, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, the_error_is_that_of_the_first_item, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, progress_is_told_the_end_and_may_stop, 0, THREAD_COUNTS);
    tcase_add_test(tcase, words_are_in_the_locale_of_who_brought_them);
    tcase_add_loop_test(tcase, lots_within_lots, 0, THREAD_COUNTS);
    tcase_add_loop_test(tcase, later_ends_with_a_wake, 0, THREAD_COUNTS);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
