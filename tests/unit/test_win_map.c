/* Break-even and band of an edge between two points, by hand. */
#include <config.h>

#include "harness.h"
#include "win_map.h"
#include <math.h>

static const char *texts[] = {"1GB/s", "16GB/s"};
static double values[] = {1e9, 16e9};

static struct sl_map map_of(bool log)
{
    struct sl_map map = {0};
    map.axes[0] = (struct sl_map_axis){.path = "routes.0.bandwidth",
                                       .texts = texts,
                                       .values = values,
                                       .count = 2,
                                       .unit = "B/s",
                                       .numeric = true,
                                       .log = log};
    return map;
}

static struct sl_map_edge edge_of(struct sl_estimate from, struct sl_estimate to)
{
    return (struct sl_map_edge){.ends = {{values[0], from}, {values[1], to}}};
}

static void near(double value, double expected)
{
    ck_assert_msg(fabs(value / expected - 1) < 1e-12, "%.17g, not %.17g", value, expected);
}

START_TEST(a_line_crosses_zero)
{
    /* -3 to 1: three quarters of the way, 1 GB/s x 16^0.75; the upper limits -2 to 2 cross at half,
     * 4 GB/s; the lower ones -4 to 0 at the end. */
    struct sl_map map = map_of(true);
    struct sl_map_edge edge =
        edge_of((struct sl_estimate){-3, -4, -2}, (struct sl_estimate){1, 0, 2});
    sl_map_settle(&map, &edge);
    near(edge.at, 8e9);
    near(edge.lo, 4e9);
    near(edge.hi, 16e9);
    ck_assert(!edge.lo_open && !edge.hi_open);
}
END_TEST

START_TEST(or_on_a_linear_axis)
{
    struct sl_map map = map_of(false);
    struct sl_map_edge edge =
        edge_of((struct sl_estimate){-3, -3, -3}, (struct sl_estimate){12, 12, 12});
    sl_map_settle(&map, &edge);
    near(edge.at, 4e9); /* a fifth of 15 GB/s above 1 */
    near(edge.lo, 4e9);
    near(edge.hi, 4e9);
}
END_TEST

START_TEST(bands_may_go_on)
{
    struct sl_map map = map_of(true);
    struct sl_map_edge edge =
        edge_of((struct sl_estimate){-1, -3, 1}, (struct sl_estimate){1, -1, 3});
    sl_map_settle(&map, &edge);
    near(edge.at, 4e9);
    near(edge.lo, 1e9);
    near(edge.hi, 16e9);
    ck_assert(edge.lo_open && edge.hi_open);
}
END_TEST

START_TEST(halving_keeps_the_sign_change)
{
    struct sl_map map = map_of(true);
    struct sl_map_edge edge =
        edge_of((struct sl_estimate){-3, -3, -3}, (struct sl_estimate){1, 1, 1});
    char text[64];
    double middle = sl_map_middle(&map, &edge, text);
    near(middle, 4e9);
    near(strtod(text, NULL), 4e9);
    ck_assert_str_eq(strchr(text, 'B'), "B/s");
    sl_map_narrow(&edge, (struct sl_map_end){middle, {-1, -1, -1}});
    ck_assert_uint_eq(edge.halvings, 1);
    near(edge.ends[0].value, 4e9);
    near(edge.ends[1].value, 16e9);
    sl_map_settle(&map, &edge);
    near(edge.at, 8e9);
    sl_map_narrow(&edge, (struct sl_map_end){8e9, {0.5, 0.5, 0.5}});
    near(edge.ends[1].value, 8e9);
}
END_TEST

START_TEST(without_an_interval_there_is_none)
{
    struct sl_map map = map_of(true);
    struct sl_map_edge edge = edge_of(SL_NO_ESTIMATE, (struct sl_estimate){1, 1, 1});
    sl_map_settle(&map, &edge);
    ck_assert_int_eq(edge.kind, SL_MAP_UNTESTED);
}
END_TEST

START_TEST(values_are_told_in_the_users_unit)
{
    struct sl_map map = map_of(true);
    struct sl_arena arena = {0};
    ck_assert_str_eq(sl_map_value_text(&arena, &map.axes[0], 41.63e9), "41.6 GB/s");
    sl_arena_free(&arena);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("win_map");
    TCase *c = tcase_create("win_map");
    tcase_add_test(c, a_line_crosses_zero);
    tcase_add_test(c, or_on_a_linear_axis);
    tcase_add_test(c, bands_may_go_on);
    tcase_add_test(c, halving_keeps_the_sign_change);
    tcase_add_test(c, without_an_interval_there_is_none);
    tcase_add_test(c, values_are_told_in_the_users_unit);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
