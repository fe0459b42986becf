/* Session files: what is written is read back, and files that are broken or of another calibration
 * are refused with what is wrong. */
#include <config.h>

#include "dice.h"
#include "harness.h"
#include "infile.h"
#include "session_csv.h"
#include "tempdir.h"
#include <math.h>

static const struct sl_work_form form = {"", "", "", "", ""};
static const int64_t sizes[] = {4096};
static const struct sl_work_class classes[] = {
    {.name = "odd, \"class\"",
     .forms = &form,
     .form_count = 1,
     .sizes = sizes,
     .size_count = 1,
     .victim_bytes = 1,
     .unit_bytes = 1},
    {.name = "gone",
     .forms = &form,
     .form_count = 1,
     .sizes = sizes,
     .size_count = 1,
     .waived = "not here"},
};
static struct sl_fact facts[] = {{"driver", "550.1\n# seed=9"}, {"host", "here"}};
static const struct sl_fingerprint fingerprint = {facts, 2, 1};
static const struct sl_backend backend = {.name = "test"};
static const struct sl_depth depth = {.name = "quick"};

static struct sl_case_list cases;
static struct sl_session_identity identity;
static struct sl_measurements written, found;
static struct sl_names texts;
static struct tempdir dir;
static char path[700];
static struct sl_error err;
static const char *start;

/* One measurement of each reason, with figures that are not known where the reason says so. */
static void make_measurements(void)
{
    written.items = calloc(SL_REJECT_COUNT, sizeof *written.items);
    written.count = SL_REJECT_COUNT;
    for (uint32_t i = 0; i < SL_REJECT_COUNT; i++) {
        bool known = i % 2 == 0;
        written.items[i] = (struct sl_measurement){
            .session = 3,
            .seq = i,
            .case_index = i % 3 == 0 ? 0 : 3,
            .block = 7 * i,
            .pair = i % 2,
            .role = i % 3 == 0 ? SL_ROLE_ALONE : SL_ROLE_BESIDE,
            .begin_ns = INT64_MAX - i,
            .regime = known ? "near" : "",
            .sample = {.submitted_ns = INT64_MIN + i,
                       .start_ns = 1764490000000000000 + i,
                       .end_ns = 1764490000000000100 + i,
                       .dur_ns = 100,
                       .exec_ns = known ? 93 : (double)NAN,
                       .start_delay_ns = known ? 12 : (double)NAN,
                       .coverage = 0.125,
                       .co_resident = known ? 0.5 : (double)NAN,
                       .sentinel_ns = known ? 51.25 : (double)NAN,
                       .sm_mhz = known ? 1980 : (double)NAN,
                       .throttled = known,
                       .timer = known ? "cupti" : NULL,
                       .reject = (enum sl_reject)i},
        };
    }
}

static void setup(void)
{
    struct sl_case_request request = {classes, 2, 2, 1, NULL};
    ck_assert_int_eq(sl_case_list_make(&cases, &request, &err), SL_OK);
    ck_assert_str_eq(cases.cases[3].key, "pair:odd, \"class\"|odd, \"class\"");
    identity = (struct sl_session_identity){&backend, &fingerprint, &depth, &cases, 1};
    make_measurements();
    tempdir_make(&dir);
    tempdir_write(&dir, "session.csv", "");
    snprintf(path, sizeof path, "%s/session.csv", dir.path);
    ck_assert_int_eq(sl_session_write(path, &identity, "2026-11-30T08:15:00Z", &written, &err),
                     SL_OK);
}

static void teardown(void)
{
    free(written.items);
    free(found.items);
    written = found = (struct sl_measurements){0};
    sl_names_free(&texts);
    sl_case_list_free(&cases);
    tempdir_remove(&dir);
}

static enum sl_status read_back(void)
{
    err = (struct sl_error){0};
    found.count = 0;
    return sl_session_read(path, &identity, 3, &found, &texts, &start, &err);
}

static void same(double a, double b)
{
    ck_assert(a == b || (isnan(a) && isnan(b)));
}

START_TEST(all_comes_back)
{
    ck_assert_int_eq(read_back(), SL_OK);
    ck_assert_str_eq(start, "2026-11-30T08:15:00Z");
    ck_assert_uint_eq(found.count, written.count);
    for (uint32_t i = 0; i < found.count; i++) {
        const struct sl_measurement *a = &written.items[i], *b = &found.items[i];
        ck_assert_uint_eq(a->session, b->session);
        ck_assert_uint_eq(a->seq, b->seq);
        ck_assert_uint_eq(a->case_index, b->case_index);
        ck_assert_uint_eq(a->block, b->block);
        ck_assert_uint_eq(a->pair, b->pair);
        ck_assert_int_eq(a->role, b->role);
        ck_assert_int_eq(a->begin_ns, b->begin_ns);
        ck_assert_str_eq(a->regime, b->regime);
        ck_assert_int_eq(a->sample.submitted_ns, b->sample.submitted_ns);
        ck_assert_int_eq(a->sample.start_ns, b->sample.start_ns);
        ck_assert_int_eq(a->sample.end_ns, b->sample.end_ns);
        same(a->sample.dur_ns, b->sample.dur_ns);
        same(a->sample.exec_ns, b->sample.exec_ns);
        same(a->sample.start_delay_ns, b->sample.start_delay_ns);
        same(a->sample.coverage, b->sample.coverage);
        same(a->sample.co_resident, b->sample.co_resident);
        same(a->sample.sentinel_ns, b->sample.sentinel_ns);
        same(a->sample.sm_mhz, b->sample.sm_mhz);
        ck_assert_int_eq(a->sample.throttled, b->sample.throttled);
        ck_assert_int_eq(a->sample.reject, b->sample.reject);
        if (a->sample.timer)
            ck_assert_str_eq(a->sample.timer, b->sample.timer);
        else
            ck_assert_ptr_null(b->sample.timer);
    }
}
END_TEST

/* Replaces `old` by `new` in the file, everywhere. */
static void replace(const char *old, const char *new)
{
    struct sl_arena arena = {0};
    char *text = NULL;
    size_t size = 0;
    ck_assert_int_eq(sl_infile_read(path, 1 << 20, &arena, &text, &size, &err), SL_OK);
    ck_assert_ptr_nonnull(strstr(text, old));
    FILE *out = fopen(path, "w");
    for (const char *c = text; *c;) {
        bool here = strncmp(c, old, strlen(old)) == 0;
        fputs(here ? new : (char[]){*c, '\0'}, out);
        c += here ? strlen(old) : 1;
    }
    fclose(out);
    sl_arena_free(&arena);
}

static void broken(const char *old, const char *new, int line, const char *says)
{
    setup();
    replace(old, new);
    ck_assert_int_eq(read_back(), SL_INVALID);
    ck_assert_str_eq(err.place.file, path);
    ck_assert_int_eq(err.place.line, line);
    ck_assert_msg(strstr(err.message, says) != NULL, "%s", err.message);
    teardown();
}

START_TEST(broken_files_are_refused_at_their_place)
{
    broken("\n0,", "\n1,", 11, "seq");
    broken(",alone,", ",alnoe,", 11, "did you mean 'alone'");
    broken(",gate-timeout\n", ",gate-timeuot\n", 12, "gate-timeout");
    broken("pair:odd", "pear:odd", 12, "unknown case");
    broken("\"alone:odd, \"\"class\"\":4096\"", "alone:gone:4096", 11, "not here");
    broken(",0.125,", ",1.125,", 11, "coverage");
    broken(",cupti,\n", ",cupti\n", 11, "cells");
    broken("start_ns,", "strat_ns,", 10, "strat_ns");
    broken("1764490000000000100", "1764490000000000000", 11, "a time above 0");
    broken("1764490000000000100", "1764490000000000x00", 11, "end_ns");
}
END_TEST

START_TEST(a_file_cut_at_the_end_of_a_row_is_not_whole)
{
    struct sl_arena arena = {0};
    char *text = NULL;
    size_t size = 0;
    ck_assert_int_eq(sl_infile_read(path, 1 << 20, &arena, &text, &size, &err), SL_OK);
    text[size - 1] = '\0'; /* the last line's end */
    strrchr(text, '\n')[1] = '\0';
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
    sl_arena_free(&arena);
    ck_assert_int_eq(read_back(), SL_INVALID);
    char says[80];
    snprintf(says, sizeof says, "holds %d rows where its first lines say %d", SL_REJECT_COUNT - 1,
             SL_REJECT_COUNT);
    ck_assert_msg(strstr(err.message, says) != NULL, "%s", err.message);
}
END_TEST

static void other(const char *what)
{
    ck_assert_int_eq(read_back(), SL_USAGE);
    ck_assert_msg(strstr(err.message, what) != NULL, "%s", err.message);
}

START_TEST(files_of_another_calibration_are_refused_by_name)
{
    struct sl_depth full = {.name = "full"};
    struct sl_backend cuda = {.name = "cuda"};
    struct sl_fact newer[] = {{"driver", "560"}, {"host", "elsewhere"}};
    struct sl_fingerprint machine = {newer, 2, 1};
    identity.seed = 2;
    other("its seed is '1', here it is '2'");
    identity.seed = 1;
    identity.depth = &full;
    other("its depth is 'quick', here it is 'full'");
    identity.depth = &depth;
    identity.backend = &cuda;
    other("its backend is 'test', here it is 'cuda'");
    identity.backend = &backend;
    identity.fingerprint = &machine;
    other("here it is '560'");
    identity.fingerprint = &fingerprint;
    struct sl_case_list fewer = cases;
    fewer.count--;
    identity.cases = &fewer;
    other("its cases is");
    replace("# backend=test\n", "");
    identity.cases = &cases;
    other("its backend is ''");
}
END_TEST

/* Bytes put, taken and changed anywhere: read or refused, never worse. */
START_TEST(random_damage)
{
    struct sl_arena arena = {0};
    char *text = NULL, *bad = malloc(1 << 16);
    size_t size = 0;
    struct dice dice = {.state = 11};
    ck_assert_int_eq(sl_infile_read(path, 1 << 15, &arena, &text, &size, &err), SL_OK);
    for (int round = 0; round < (sl_test_long() ? 20000 : 1000); round++) {
        memcpy(bad, text, size);
        size_t length = dice_chance(&dice, 20) ? dice_below(&dice, (unsigned)size) : size;
        for (unsigned k = dice_below(&dice, 4) + 1; length > 0 && k > 0; k--)
            bad[dice_below(&dice, (unsigned)length)] =
                (char)(dice_chance(&dice, 50) ? text[dice_below(&dice, (unsigned)size)]
                                              : (char)dice_below(&dice, 256));
        FILE *out = fopen(path, "w");
        fwrite(bad, 1, length, out);
        fclose(out);
        enum sl_status status = read_back();
        ck_assert(status == SL_OK || status == SL_INVALID || status == SL_USAGE);
        for (uint32_t i = 0; status == SL_OK && i < found.count; i++)
            ck_assert(found.items[i].case_index < cases.count && found.items[i].pair < 2);
    }
    free(bad);
    sl_arena_free(&arena);
}
END_TEST

START_TEST(a_file_that_is_not_there)
{
    strcat(path, "x");
    ck_assert_int_eq(read_back(), SL_INVALID);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("session_csv");
    TCase *whole = tcase_create("whole"), *faults = tcase_create("faults");
    tcase_add_checked_fixture(whole, setup, teardown);
    tcase_add_test(whole, all_comes_back);
    tcase_add_test(whole, files_of_another_calibration_are_refused_by_name);
    tcase_add_test(whole, random_damage);
    tcase_add_test(whole, a_file_cut_at_the_end_of_a_row_is_not_whole);
    tcase_add_test(whole, a_file_that_is_not_there);
    tcase_add_test(faults, broken_files_are_refused_at_their_place);
    suite_add_tcase(s, whole);
    suite_add_tcase(s, faults);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
