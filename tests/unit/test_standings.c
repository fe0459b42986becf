/* What a fresh seed makes of a win on the second measure. */
#include "harness.h"
#include "standings.h"
#include <math.h>
#include <string.h>

static const struct sl_order_item order[] = {{SL_MEASURE_TAIL, SL_NONE, "tail"},
                                             {SL_MEASURE_MEDIAN, SL_NONE, "median"}};

/* Row 0 won on the median against row 1; `fresh` has both on the fresh seed. */
static struct sl_standing confirmed(const char *fresh, double min_gain)
{
    static const char head[] = "cell,tail_us,tail_lo_us,tail_hi_us,median_us,verdict,reason\n";
    struct sl_standing standing = {.candidate = 0,
                                   .runner_up = 1,
                                   .won = true,
                                   .level = 1,
                                   .untested = SL_NONE,
                                   .refuted_by = SL_NONE,
                                   .among = 2};
    struct sl_standings standings = {
        .order = order, .order_count = 2, .groups = &standing, .rule.min_gain = min_gain};
    struct sl_frame frame = {0};
    struct sl_error err = {0};
    char text[300];
    snprintf(text, sizeof text, "%s%s", head, fresh);
    ck_assert_int_eq(sl_frame_parse(&frame, text, strlen(text), &err), SL_OK);
    ck_assert_int_eq(sl_standings_confirm(&standings, 0, &frame, 0, 1, &err), SL_OK);
    sl_frame_free(&frame);
    bool missed = strcmp(standing.fresh_runner_up_verdict, "infeasible") == 0;
    ck_assert_str_eq(standing.fresh_runner_up_reason, missed ? "slo is 89%" : "");
    sl_arena_free(&standings.arena);
    return standing;
}

START_TEST(a_tail_above_refutes_a_median_below)
{
    /* 110 and 100, intervals apart: [108, 112] and [99, 101]. */
    struct sl_standing s = confirmed("0,110,108,112,40,ok,\n1,100,99,101,50,ok,\n", 0);
    ck_assert(!s.won && s.not_confirmed && s.refuted_by == 0);
    ck_assert(s.refuting.value == 110 && s.refuting_runner_up.value == 100);
    /* 1 - 101/108 = 6.5% of gain at least: 6% are shown, 7% are not. */
    ck_assert(!confirmed("0,110,108,112,40,ok,\n1,100,99,101,50,ok,\n", 0.06).won);
    ck_assert(confirmed("0,110,108,112,40,ok,\n1,100,99,101,50,ok,\n", 0.07).won);
}
END_TEST

START_TEST(a_tie_does_not)
{
    struct sl_standing s = confirmed("0,101,98,104,40,ok,\n1,100,97,103,50,ok,\n", 0);
    ck_assert(s.won && !s.not_confirmed && s.refuted_by == SL_NONE);
    s = confirmed("0,100,99,101,51,ok,\n1,100,97,103,50,ok,\n", 0); /* the median itself */
    ck_assert(!s.won && s.not_confirmed && s.refuted_by == SL_NONE);
}
END_TEST

/* It loses, but what it has there is its own. */
START_TEST(a_runner_up_that_misses_a_constraint_keeps_its_figures)
{
    struct sl_standing s =
        confirmed("0,110,108,112,60,ok,\n1,100,99,101,50,infeasible,slo is 89%\n", 0);
    ck_assert(s.won && !s.not_confirmed && s.refuted_by == SL_NONE);
    ck_assert(s.fresh_runner_up.value == 100 && s.fresh_runner_up.hi == 101);
    ck_assert(s.fresh_runner_up_figure.value == 50);
    s = confirmed("0,90,89,91,40,infeasible,slo is 88%\n1,100,99,101,50,ok,\n", 0);
    ck_assert(!s.won && s.not_confirmed && s.fresh_figure.value == 40);
    s = confirmed("0,90,89,91,40,ok,\n1,,,,,deadlock,\n", 0);
    ck_assert(s.won && isinf(s.fresh_runner_up.value));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("standings");
    TCase *tc = tcase_create("standings");
    tcase_add_test(tc, a_tail_above_refutes_a_median_below);
    tcase_add_test(tc, a_tie_does_not);
    tcase_add_test(tc, a_runner_up_that_misses_a_constraint_keeps_its_figures);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
