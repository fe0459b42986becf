/* Sorting by key against what an order is: none falls, and items of one key keep theirs. */
#include <config.h>

#include "dice.h"
#include "harness.h"
#include "keysort.h"
#include "numsort.h"
#include "sort.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 700 };

START_TEST(sorted_and_stable)
{
    static const unsigned bits[] = {0, 1, 4, 9, 30, 62};
    static struct sl_keyed items[MOST], scratch[MOST];
    static int64_t keys[MOST];
    struct dice dice = {.state = (uint64_t)_i};
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

/* Every place among keys with gaps and repeats, by counting what is below. */
START_TEST(the_first_from_a_key)
{
    static const struct sl_keyed items[] = {{2, 0}, {2, 1}, {3, 2}, {7, 3}, {7, 4}, {7, 5}};
    for (uint32_t count = 0; count <= 6; count++)
        for (int64_t key = 0; key < 10; key++) {
            uint32_t below = 0;
            for (uint32_t i = 0; i < count; i++)
                below += items[i].key < key;
            ck_assert_uint_eq(sl_keyed_from(items, count, key), below);
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

static int by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double any_double(struct dice *dice, bool wild)
{
    static const double rare[] = {0.0,  INFINITY,  -INFINITY, DBL_MIN, -DBL_MAX,
                                  -1.0, 0x1p-1074, DBL_MAX,   1.0,     -0x1p-1074};
    if (wild && dice_chance(dice, 30))
        return rare[dice_below(dice, sizeof rare / sizeof *rare)];
    double value =
        ldexp((double)dice_below(dice, 1u << 30), wild ? (int)dice_below(dice, 600) - 300 : 0);
    return wild && dice_chance(dice, 50) ? -value : value;
}

/* As the C library's qsort has them, on both sides of the count from which digits are used. */
START_TEST(doubles_of_all_sizes)
{
    enum { MANY = 3000 };
    static double values[MANY], wanted[MANY];
    struct dice dice = {.state = 5};
    for (size_t count = 0; count <= MANY; count += count % 600 == 0 ? 1 : 599)
        for (int wild = 0; wild < 2; wild++) {
            for (size_t i = 0; i < count; i++)
                values[i] = wanted[i] = any_double(&dice, wild);
            qsort(wanted, count, sizeof *wanted, by_double);
            sl_sort_doubles(values, count);
            ck_assert_mem_eq(values, wanted, count * sizeof *values);
        }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("keysort");
    TCase *sorting = tcase_create("sorting");
    tcase_add_loop_test(sorting, sorted_and_stable, 0, 6);
    tcase_add_test(sorting, the_first_from_a_key);
    tcase_add_test(sorting, sorts_what_is_nearly_in_order);
    tcase_add_test(sorting, doubles_of_all_sizes);
    suite_add_tcase(s, sorting);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
