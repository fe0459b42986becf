/* The list of cases: its keys, counts and what is waived, from classes made here. */
#include <config.h>

#include "case.h"
#include "harness.h"
#include <string.h>

static const struct sl_work_form plain = {"", "", "", "", ""};
static const struct sl_work_form pinned[] = {{"", "h2d", "pinned", "stream", ""},
                                             {"", "h2d", "pageable", "stream", "cold"}};
static const int64_t sizes[] = {4096, 1048576};

enum { COPY, GEMM, LAUNCH, PEER, CLASSES };
static const struct sl_work_class classes[CLASSES] = {
    [COPY] = {.name = "copy.h2d",
              .forms = pinned,
              .form_count = 2,
              .sizes = sizes,
              .size_count = 2,
              .victim_bytes = 1048576,
              .unit_bytes = 2097152},
    [GEMM] = {.name = "gemm",
              .forms = &plain,
              .form_count = 1,
              .sizes = sizes,
              .size_count = 1,
              .victim_bytes = 4096,
              .unit_bytes = 8192,
              .shaped = true},
    [LAUNCH] = {.name = "launch",
                .forms = &plain,
                .form_count = 1,
                .sizes = sizes,
                .size_count = 1}, /* neither victim nor aggressor */
    [PEER] = {.name = "copy.p2p",
              .forms = &plain,
              .form_count = 1,
              .sizes = sizes,
              .size_count = 1,
              .victim_bytes = 4096,
              .unit_bytes = 4096,
              .waived = "one GPU"},
};

static struct sl_case_list list;
static struct sl_error err;

static void make(uint32_t class_count, uint32_t actors, uint64_t seed, const char *globs)
{
    err = (struct sl_error){0};
    struct sl_case_request request = {classes, class_count, actors, seed, globs};
    ck_assert_int_eq(sl_case_list_make(&list, &request, &err), SL_OK);
}

static const struct sl_case *find(const char *key)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (strcmp(list.cases[i].key, key) == 0)
            return &list.cases[i];
    return NULL;
}

static uint32_t count(enum sl_case_kind kind, bool waived)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < list.count; i++)
        found += list.cases[i].kind == kind && (list.cases[i].waived != NULL) == waived;
    return found;
}

START_TEST(keys_and_shots)
{
    make(LAUNCH + 1, 3, 1, NULL);
    ck_assert_uint_eq(count(SL_CASE_ALONE, false), 6);
    const struct sl_case *one = find("alone:copy.h2d/h2d-pageable-stream-cold:1048576");
    ck_assert_ptr_nonnull(one);
    ck_assert_uint_eq(one->shot.victim.form, 1);
    ck_assert_int_eq(one->shot.victim.bytes, 1048576);
    ck_assert_uint_eq(one->shot.aggressor_count, 0);
    ck_assert_ptr_nonnull(find("alone:gemm:4096"));
    ck_assert_ptr_nonnull(find("alone:launch:4096"));

    ck_assert_uint_eq(count(SL_CASE_CONTROL, false), 2);
    ck_assert_ptr_nonnull(find("control:gemm"));

    /* Each victim beside copy.h2d, gemm with room and gemm that fills. */
    ck_assert_uint_eq(count(SL_CASE_PAIR, false), 6);
    one = find("pair:gemm|copy.h2d");
    ck_assert_ptr_nonnull(one);
    ck_assert_uint_eq(one->shot.victim.klass, GEMM);
    ck_assert_int_eq(one->shot.victim.bytes, 4096);
    ck_assert_uint_eq(one->shot.aggressor_count, 1);
    ck_assert_uint_eq(one->shot.aggressors[0].klass, COPY);
    ck_assert_int_eq(one->shot.aggressors[0].bytes, 2097152);
    ck_assert_double_eq(one->shot.overlap, 1);
    ck_assert_int_eq(find("pair:gemm|gemm:fill")->shot.shape, SL_SHAPE_FILL);
    ck_assert_int_eq(find("pair:copy.h2d|gemm:room")->shot.shape, SL_SHAPE_ROOM);

    /* There are three multisets of two classes. */
    ck_assert_uint_eq(count(SL_CASE_SET, false), 6);
    one = find("set:copy.h2d|copy.h2d+gemm:room");
    ck_assert_ptr_nonnull(one);
    ck_assert_uint_eq(one->shot.aggressor_count, 2);
    ck_assert_ptr_nonnull(find("set:gemm|copy.h2d+copy.h2d"));

    ck_assert_uint_eq(count(SL_CASE_PARTIAL, false), 12);
    one = find("partial:gemm|gemm:room:25");
    ck_assert_ptr_nonnull(one);
    ck_assert_double_eq(one->shot.overlap, 0.25);
    sl_case_list_free(&list);
}
END_TEST

START_TEST(what_cannot_be_measured_is_listed_with_its_reason)
{
    make(CLASSES, 2, 1, NULL);
    ck_assert_str_eq(find("alone:copy.p2p:4096")->waived, "one GPU");
    ck_assert_str_eq(find("pair:copy.p2p|gemm:room")->waived, "one GPU");
    ck_assert_str_eq(find("pair:gemm|copy.p2p")->waived, "one GPU");
    ck_assert_ptr_null(find("pair:gemm|copy.h2d")->waived);
    ck_assert_str_eq(find("set:gemm|gemm+gemm:room")->waived,
                     "needs 3 at once, this machine runs 2");
    ck_assert_uint_eq(count(SL_CASE_SET, true), 6);
    ck_assert_uint_eq(count(SL_CASE_SET, false), 0);
    ck_assert_uint_eq(count(SL_CASE_PARTIAL, false), 12);
    sl_case_list_free(&list);
    make(CLASSES, 1, 1, NULL);
    ck_assert_uint_eq(count(SL_CASE_PAIR, false), 0);
    ck_assert_uint_eq(count(SL_CASE_CONTROL, false), 2);
    sl_case_list_free(&list);
}
END_TEST

/* Ten classes give the 100 ordered pairs and 60 sets of the protocol. */
static void make_ten(uint64_t seed)
{
    static struct sl_work_class ten[10];
    static char names[10][16];
    for (int i = 0; i < 10; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        ten[i] = (struct sl_work_class){.name = names[i],
                                        .forms = &plain,
                                        .form_count = 1,
                                        .sizes = sizes,
                                        .size_count = 1,
                                        .victim_bytes = 1,
                                        .unit_bytes = 1};
    }
    struct sl_case_request request = {ten, 10, 3, seed, NULL};
    ck_assert_int_eq(sl_case_list_make(&list, &request, &err), SL_OK);
}

START_TEST(ten_classes)
{
    make_ten(1);
    ck_assert_uint_eq(count(SL_CASE_ALONE, false), 10);
    ck_assert_uint_eq(count(SL_CASE_CONTROL, false), 10);
    ck_assert_uint_eq(count(SL_CASE_PAIR, false), 100);
    ck_assert_uint_eq(count(SL_CASE_SET, false), 60);
    ck_assert_uint_eq(count(SL_CASE_PARTIAL, false), 12);
    for (uint32_t i = 0; i < list.count; i++)
        for (uint32_t k = 0; k < i; k++)
            ck_assert_str_ne(list.cases[i].key, list.cases[k].key);
    sl_case_list_free(&list);
}
END_TEST

START_TEST(the_seed_draws_the_sample)
{
    make_ten(1);
    uint64_t first = sl_case_list_hash(&list);
    sl_case_list_free(&list);
    make_ten(1);
    ck_assert(sl_case_list_hash(&list) == first);
    sl_case_list_free(&list);
    make_ten(2);
    ck_assert(sl_case_list_hash(&list) != first);
    sl_case_list_free(&list);
}
END_TEST

START_TEST(the_hash_tells_what_is_waived)
{
    make(LAUNCH + 1, 3, 1, NULL);
    uint64_t first = sl_case_list_hash(&list);
    sl_case_list_free(&list);
    make(LAUNCH + 1, 2, 1, NULL);
    ck_assert(sl_case_list_hash(&list) != first);
    sl_case_list_free(&list);
}
END_TEST

START_TEST(globs_choose)
{
    make(LAUNCH + 1, 3, 1, "control:*; pair:gemm|*");
    ck_assert_uint_eq(list.count, 5);
    ck_assert_uint_eq(count(SL_CASE_CONTROL, false), 2);
    sl_case_list_free(&list);
    struct sl_case_request request = {classes, CLASSES, 3, 1, "pear:*"};
    ck_assert_int_eq(sl_case_list_make(&list, &request, &err), SL_USAGE);
    ck_assert_ptr_nonnull(strstr(err.message, "'pear:*'"));
    sl_case_list_free(&list);
}
END_TEST

START_TEST(no_classes_no_cases)
{
    struct sl_case_request request = {classes, 0, 3, 1, NULL};
    ck_assert_int_eq(sl_case_list_make(&list, &request, &err), SL_USAGE);
    sl_case_list_free(&list);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cases");
    TCase *t = tcase_create("cases");
    tcase_add_test(t, keys_and_shots);
    tcase_add_test(t, what_cannot_be_measured_is_listed_with_its_reason);
    tcase_add_test(t, ten_classes);
    tcase_add_test(t, the_seed_draws_the_sample);
    tcase_add_test(t, the_hash_tells_what_is_waived);
    tcase_add_test(t, globs_choose);
    tcase_add_test(t, no_classes_no_cases);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
