/* Sorting by key against what an order is: none falls, and items of one key keep theirs. */
#include <config.h>

#include "dice.h"
#include "harness.h"
#include "keysort.h"
#include "sort.h"

enum { MOST = 700 };

START_TEST(sorted_and_stable)
{
    static const unsigned bits[] = {0, 1, 4, 9, 30, 62};
    static struct sl_keyed items[MOST], scratch[MOST];
    static int64_t keys[MOST];
    struct dice dice = {(uint64_t)_i};
    for (size_t count = 0; count <= MOST; count += count < 40 ? 1 : 111) {
        bool seen[MOST] = {0};
        for (uint32_t i = 0; i < count; i++) {
            uint64_t wide = (uint64_t)dice_below(&dice, UINT32_MAX) << 31;
            wide |= dice_below(&dice, UINT32_MAX);
            keys[i] = (int64_t)(wide & ((UINT64_C(1) << bits[_i]) - 1));
            items[i] = (struct sl_keyed){keys[i], i};
        }
        sl_sort_keyed(items, scratch, count);
        for (size_t i = 0; i < count; i++) {
            uint32_t number = items[i].value;
            ck_assert(number < count && !seen[number]);
            seen[number] = true;
            ck_assert_int_eq(items[i].key, keys[number]);
            if (i > 0)
                ck_assert(items[i - 1].key < items[i].key ||
                          (items[i - 1].key == items[i].key && items[i - 1].value < number));
        }
    }
}
END_TEST

static int by_value(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* In order, with equal neighbours, but for one place (none, the first, the last, one inside), and
 * nothing or one thing: the result ascends and has as many of each value. */
START_TEST(sorts_what_is_nearly_in_order)
{
    enum { FEW = 40, VALUES = 20 };
    for (int count = 0; count <= FEW; count++)
        for (int odd = -1; odd < count; odd++) {
            int items[FEW], had[VALUES] = {0};
            for (int i = 0; i < count; i++) {
                items[i] = i == odd ? (odd * 7 + 3) % VALUES : i / 2 % VALUES;
                had[items[i]]++;
            }
            sl_sort(items, (size_t)count, sizeof *items, by_value);
            for (int i = 0; i < count; i++) {
                ck_assert(i == 0 || items[i - 1] <= items[i]);
                had[items[i]]--;
            }
            for (int v = 0; v < VALUES; v++)
                ck_assert_int_eq(had[v], 0);
        }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("keysort");
    TCase *sorting = tcase_create("sorting");
    tcase_add_loop_test(sorting, sorted_and_stable, 0, 6);
    tcase_add_test(sorting, sorts_what_is_nearly_in_order);
    suite_add_tcase(s, sorting);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
