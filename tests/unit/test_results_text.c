/* Numbers of machine-readable files, reading tables back, and groups of competing cells. */
#include "config.h"

#include "figures.h"
#include "frame.h"
#include "grouping.h"
#include "harness.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

/* A text must read back as the very same double, and no shorter one may. */
START_TEST(figure_reads_back)
{
    static const double values[] = {0,      0.1,  1.0 / 3,   1e-300,    4.9e-324,
                                    1.5e6,  1e22, 123456789, 0.1 + 0.2, 1.7976931348623157e308,
                                    -2.5e-7};
    char buffer[SL_FIGURE_SIZE];
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        ck_assert(strtod(sl_figure(buffer, values[i]), NULL) == values[i]);
    ck_assert_str_eq(sl_figure(buffer, 0.1), "0.1");
    ck_assert_str_eq(sl_figure(buffer, 1500000), "1500000");
    ck_assert_str_eq(sl_figure(buffer, (double)NAN), "");
    ck_assert_str_eq(sl_figure(buffer, (double)INFINITY), "inf");
}
END_TEST

START_TEST(microseconds_are_exact)
{
    char buffer[SL_FIGURE_SIZE];
    ck_assert_str_eq(sl_figure_us(buffer, 0), "0");
    ck_assert_str_eq(sl_figure_us(buffer, 1), "0.000001");
    ck_assert_str_eq(sl_figure_us(buffer, 1500000), "1.5");
    ck_assert_str_eq(sl_figure_us(buffer, 100000000), "100");
    ck_assert_str_eq(sl_figure_us(buffer, -2500000), "-2.5");
    ck_assert_str_eq(sl_figure_us(buffer, INT64_MAX), "inf");
    ck_assert_str_eq(sl_figure_us(buffer, INT64_MAX - 1), "9223372036854.775806");
}
END_TEST

static enum sl_status parse(struct sl_frame *frame, const char *text, struct sl_error *err)
{
    *err = (struct sl_error){0};
    return sl_frame_parse(frame, text, strlen(text), err);
}

START_TEST(frame_reads_quotes_and_missing_numbers)
{
    struct sl_frame frame;
    struct sl_error err;
    ck_assert_int_eq(
        parse(&frame, "cell,reason,mean_us\n0,\"a, \"\"b\"\"\",\n1,,inf\n2,x,1.5\n", &err), SL_OK);
    ck_assert_uint_eq(frame.row_count, 3);
    ck_assert_str_eq(sl_frame_text_of(&frame, 0, "reason"), "a, \"b\"");
    ck_assert(isnan(sl_frame_number_of(&frame, 0, "mean_us")));
    ck_assert(isinf(sl_frame_number_of(&frame, 1, "mean_us")));
    ck_assert(sl_frame_number_of(&frame, 2, "mean_us") == 1.5);
    ck_assert(isnan(sl_frame_number_of(&frame, 2, "reason")));
    ck_assert_str_eq(sl_frame_text_of(&frame, 2, "absent"), "");
    sl_frame_free(&frame);
}
END_TEST

START_TEST(frame_refuses_what_is_no_table)
{
    static const char *const texts[] = {
        "", "a,b\n1\n", "a,b\n1,2,3\n", "a,b\n1,\"2\n", "a,b\n1,2\"3\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct sl_frame frame;
        struct sl_error err;
        ck_assert_int_eq(parse(&frame, texts[i], &err), SL_INVALID);
        sl_frame_free(&frame);
    }
}
END_TEST

START_TEST(frame_keeps_wanted_columns)
{
    static const char *const wanted[] = {"c", "a"}, *const missing[] = {"d"};
    char path[] = "/tmp/sl_frame_XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    FILE *file = fdopen(fd, "w");
    fputs("a,b,c\n1,2,3\n4,5,6\n", file);
    fclose(file);
    struct sl_frame frame;
    struct sl_error err = {0};
    ck_assert_int_eq(sl_frame_read(&frame, path, wanted, 2, &err), SL_OK);
    ck_assert_uint_eq(frame.column_count, 2);
    ck_assert(sl_frame_number(&frame, 1, 0) == 6);
    ck_assert(sl_frame_number(&frame, 1, 1) == 4);
    sl_frame_free(&frame);
    ck_assert_int_eq(sl_frame_read(&frame, path, missing, 1, &err), SL_INVALID);
    sl_frame_free(&frame);
    unlink(path);
}
END_TEST

/* Two capacities; at 44GiB b wins and c ties with it (intervals [90, 110] and [108, 130] overlap),
 * d is lower but infeasible, a's best lookahead is 2. */
static const char summary[] = "cell,policy,policy.prefetch.lookahead,domains.hbm.capacity,verdict,"
                              "tail_us,tail_lo_us,tail_hi_us\n"
                              "0,a,1,52GiB,ok,90,80,95\n"
                              "1,b,,52GiB,illegal,,,\n"
                              "2,a,1,44GiB,ok,200,190,210\n"
                              "3,a,2,44GiB,ok,150,140,160\n"
                              "4,b,,44GiB,ok,100,90,110\n"
                              "5,c,,44GiB,ok,120,108,130\n"
                              "6,d,,44GiB,infeasible,50,40,60\n"
                              "7,e,,44GiB,ok,inf,70,inf\n"
                              "8,b,,40GiB,deadlock,inf,inf,inf\n";

START_TEST(groups_find_the_best_and_its_ties)
{
    static const char *const axes[] = {"policy.prefetch.lookahead", "domains.hbm.capacity"};
    struct sl_frame frame;
    struct sl_error err;
    struct sl_arena arena = {0};
    struct sl_grouping grouping;
    ck_assert_int_eq(parse(&frame, summary, &err), SL_OK);
    ck_assert_int_eq(sl_grouping_make(&grouping, &frame, axes, 2, &arena, &err), SL_OK);
    ck_assert_uint_eq(grouping.group_count, 3);
    ck_assert_uint_eq(grouping.groups[0].best_row, 0);
    ck_assert_uint_eq(grouping.groups[0].tied, 0);
    ck_assert_uint_eq(grouping.groups[1].best_row, 4);
    ck_assert_uint_eq(grouping.groups[1].tied, 1);
    ck_assert_uint_eq(grouping.groups[2].best_row, SL_NONE);
    ck_assert_str_eq(grouping.groups[1].label, "hbm.capacity 44GiB");
    ck_assert_str_eq(grouping.groups[1].slug, "44GiB");
    ck_assert_uint_eq(sl_group_policy_row(&frame, &grouping, 1, "a"), 3);
    ck_assert_uint_eq(sl_group_policy_row(&frame, &grouping, 1, "d"), SL_NONE);
    ck_assert(sl_rows_tie(&frame, 4, 5) && sl_rows_tie(&frame, 5, 4));
    ck_assert(!sl_rows_tie(&frame, 4, 3));
    uint32_t rows = 0; /* each in one list, that of its group, in rising order */
    for (uint32_t g = 0; g < grouping.group_count; g++)
        for (uint32_t row = grouping.groups[g].first_row, before = 0; row != SL_NONE;
             before = row, row = grouping.next_row[row], rows++) {
            ck_assert_uint_eq(grouping.group_of_row[row], g);
            ck_assert(row == grouping.groups[g].first_row || row > before);
        }
    ck_assert_uint_eq(rows, frame.row_count);
    sl_frame_free(&frame);
    sl_arena_free(&arena);
}
END_TEST

START_TEST(quantiles_have_names)
{
    char buffer[16];
    ck_assert_str_eq(sl_quantile_name(buffer, 0.99), "p99");
    ck_assert_str_eq(sl_quantile_name(buffer, 0.999), "p99.9");
    ck_assert_str_eq(sl_quantile_name(buffer, 0.5), "median");
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("results_text");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, figure_reads_back);
    tcase_add_test(tcase, microseconds_are_exact);
    tcase_add_test(tcase, frame_reads_quotes_and_missing_numbers);
    tcase_add_test(tcase, frame_refuses_what_is_no_table);
    tcase_add_test(tcase, frame_keeps_wanted_columns);
    tcase_add_test(tcase, groups_find_the_best_and_its_ties);
    tcase_add_test(tcase, quantiles_have_names);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
