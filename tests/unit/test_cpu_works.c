/* The works of the cpu backend do what they say, in memory sized by machines that are not this one.
 */
#include <config.h>

#include "cpu_works.h"
#include "harness.h"
#include <string.h>

/* A machine with small caches, so that its memory is small, too. */
static struct sl_cpu_machine small_machine(void)
{
    return (struct sl_cpu_machine){.l1_bytes = 4096,
                                   .l2_bytes = 16384,
                                   .last_level_bytes = 200000, /* counts as 128 KiB */
                                   .last_level_shared = true,
                                   .caches_known = true,
                                   .line_bytes = 64,
                                   .page_bytes = 4096,
                                   .available_bytes = 64 << 20};
}

static struct sl_cpu_store store;

static void open_store(void)
{
    const struct sl_cpu_machine machine = small_machine();
    struct sl_error err = {0};
    ck_assert_int_eq(sl_cpu_store_size(&store, &machine, 2, &err), SL_OK);
    for (int c = 0; c < SL_CPU_CLASSES; c++)
        ck_assert(sl_cpu_store_prepare(&store, (enum sl_cpu_class)c));
}

static void close_store(void)
{
    sl_cpu_store_free(&store);
}

START_TEST(memory_follows_the_caches_and_what_is_available)
{
    struct sl_cpu_machine machine = small_machine();
    struct sl_cpu_store sized;
    struct sl_error err = {0};
    enum { KIB = 1024 };
    ck_assert_int_eq(sl_cpu_store_size(&sized, &machine, 2, &err), SL_OK);
    ck_assert_uint_eq(sized.ring.bytes, 512 * KIB); /* four caches of 128 KiB */
    ck_assert_uint_eq(sized.links.bytes, 256 * KIB);
    ck_assert_uint_eq(sized.shared.bytes, 64 * KIB); /* a quarter is no more than two L2 */
    ck_assert_uint_eq(sized.block.bytes, 2 * KIB);
    /* Two seats may take a quarter of it: 770 KiB each hold all but half of the ring. */
    machine.available_bytes = (int64_t)2 * 4 * 770 * KIB;
    ck_assert_int_eq(sl_cpu_store_size(&sized, &machine, 2, &err), SL_OK);
    ck_assert_uint_eq(sized.ring.bytes, 256 * KIB);
    machine.available_bytes = (int64_t)2 * 4 * 500 * KIB;
    ck_assert_int_eq(sl_cpu_store_size(&sized, &machine, 2, &err), SL_SYSTEM);
    ck_assert_ptr_nonnull(strstr(err.message, "memory"));
}
END_TEST

START_TEST(sizes_follow_the_caches)
{
    struct sl_cpu_machine machine = small_machine();
    struct sl_arena arena = {0};
    const struct sl_work_class *small = sl_cpu_classes(&machine, &arena);
    machine.last_level_bytes *= 4;
    machine.l1_bytes *= 4;
    const struct sl_work_class *large = sl_cpu_classes(&machine, &arena);
    ck_assert_ptr_nonnull(large);
    for (int c = 0; c < SL_CPU_CLASSES; c++) {
        bool grows = c != SL_CPU_CHASE && c != SL_CPU_MAP && c != SL_CPU_ALLOC;
        ck_assert_ptr_null(small[c].waived);
        ck_assert_uint_gt(small[c].size_count, 1);
        for (uint32_t i = 0; i < small[c].size_count; i++) {
            ck_assert_int_gt(small[c].sizes[i], i ? small[c].sizes[i - 1] : 0);
            ck_assert_int_eq(large[c].sizes[i], small[c].sizes[i] * (grows ? 4 : 1));
        }
        /* A unit is within what is measured alone, and so is a victim. */
        ck_assert_int_le(small[c].victim_bytes, small[c].sizes[small[c].size_count - 1]);
        ck_assert_int_le(small[c].unit_bytes, small[c].sizes[small[c].size_count - 1]);
        ck_assert_int_eq(small[c].victim_bytes > 0, small[c].unit_bytes > 0);
    }
    ck_assert_double_eq(small[SL_CPU_COMPUTE].flops[0], 8.0 * 4096); /* 64 for each 8 bytes */
    machine.last_level_shared = false;
    ck_assert_ptr_nonnull(sl_cpu_classes(&machine, &arena)[SL_CPU_L3READ].waived);
    sl_arena_free(&arena);
}
END_TEST

START_TEST(a_triad_adds_and_multiplies)
{
    enum { BYTES = 3 * 1024, N = BYTES / 3 / sizeof(double) };
    double *a = (double *)(void *)store.ring.at;
    for (int i = 0; i < N; i++) {
        a[N + i] = i;
        a[2 * N + i] = 10 * i;
    }
    sl_cpu_work(&store, SL_CPU_STREAM, BYTES, NULL);
    for (int i = 0; i < N; i++)
        ck_assert_double_eq(a[i], 31.0 * i);
    ck_assert_uint_eq(store.ring.next, BYTES);
}
END_TEST

START_TEST(a_sum_is_of_all_words)
{
    enum { BYTES = 4096 };
    uint64_t *words = (uint64_t *)(void *)store.ring.at, expected = 0;
    for (uint64_t i = 0; i < BYTES / sizeof *words; i++)
        expected += words[i] = i * i;
    sl_cpu_work(&store, SL_CPU_READ, BYTES, NULL);
    ck_assert_uint_eq(store.sink, expected);
    /* The whole shared piece: every byte of it is 1. */
    store.sink = 0;
    sl_cpu_work(&store, SL_CPU_L3READ, (int64_t)store.shared.bytes, NULL);
    ck_assert_uint_eq(store.sink, store.shared.bytes / 8 * 0x0101010101010101u);
}
END_TEST

START_TEST(a_copy_is_one)
{
    enum { BYTES = 1000 };
    for (int i = 0; i < BYTES; i++)
        store.ring.at[i] = (char)(i % 100);
    sl_cpu_work(&store, SL_CPU_MEMCPY, BYTES, NULL);
    ck_assert_mem_eq(store.ring.at + BYTES, store.ring.at, BYTES);
    ck_assert_uint_eq(store.ring.next, 2048); /* whole lines */
}
END_TEST

/* However long a work is, it stays within its piece and comes round. */
START_TEST(the_ring_comes_round)
{
    for (int i = 0; i < 3; i++) {
        sl_cpu_work(&store, SL_CPU_MEMCPY, (int64_t)store.ring.bytes + 777, NULL);
        sl_cpu_work(&store, SL_CPU_STREAM, (int64_t)store.ring.bytes - 1, NULL);
        ck_assert_uint_le(store.ring.next, store.ring.bytes);
    }
    sl_cpu_store_evict(&store);
}
END_TEST

START_TEST(a_chase_comes_to_every_line_once)
{
    size_t lines = store.links.bytes / 64;
    bool *seen = calloc(lines, sizeof *seen);
    for (size_t i = 0; i < lines; i++) {
        sl_cpu_work(&store, SL_CPU_CHASE, 64, NULL);
        ck_assert_uint_lt(store.links.next / 64, lines);
        ck_assert_uint_eq(store.links.next % 64, 0);
        ck_assert(!seen[store.links.next / 64]);
        seen[store.links.next / 64] = true;
    }
    ck_assert_uint_eq(store.links.next, 0); /* where it began */
    free(seen);
}
END_TEST

START_TEST(multiply_adds_go_to_one)
{
    double *x = (double *)(void *)store.block.at;
    x[0] = 3, x[1] = -5;
    sl_cpu_work(&store, SL_CPU_COMPUTE, (int64_t)store.block.bytes, NULL);
    /* 32 times x / 2 + 1 / 2: what is above 1 is halved 32 times. */
    ck_assert_double_eq(x[0], 1 + 2 / 4294967296.0);
    ck_assert_double_eq(x[1], 1 - 6 / 4294967296.0);
}
END_TEST

START_TEST(mappings_are_given_back)
{
    for (int i = 0; i < 50; i++) {
        sl_cpu_work(&store, SL_CPU_MAP, 1 << 20, NULL);
        sl_cpu_work(&store, SL_CPU_ALLOC, 1 << 30, NULL);
    }
    ck_assert(!store.failed);
    sl_cpu_work(&store, SL_CPU_ALLOC, INT64_C(1) << 60, NULL);
    ck_assert(store.failed);
}
END_TEST

static bool thrice(void *user)
{
    return --*(int *)user > 0;
}

START_TEST(a_watch_ends_a_work)
{
    for (int c = 0; c < SL_CPU_ALLOC; c++) {
        int left = 3;
        const struct sl_cpu_watch watch = {thrice, &left};
        sl_cpu_work(&store, (enum sl_cpu_class)c, 1 << 20, &watch);
        ck_assert_int_eq(left, 0); /* asked three times, and no more after the last */
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cpu_works");
    TCase *sizes = tcase_create("sizes"), *works = tcase_create("works");
    tcase_add_test(sizes, memory_follows_the_caches_and_what_is_available);
    tcase_add_test(sizes, sizes_follow_the_caches);
    tcase_add_checked_fixture(works, open_store, close_store);
    tcase_add_test(works, a_triad_adds_and_multiplies);
    tcase_add_test(works, a_sum_is_of_all_words);
    tcase_add_test(works, a_copy_is_one);
    tcase_add_test(works, the_ring_comes_round);
    tcase_add_test(works, a_chase_comes_to_every_line_once);
    tcase_add_test(works, multiply_adds_go_to_one);
    tcase_add_test(works, mappings_are_given_back);
    tcase_add_test(works, a_watch_ends_a_work);
    suite_add_tcase(s, sizes);
    suite_add_tcase(s, works);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
