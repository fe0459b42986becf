/* The script backend's file: faults at their place, whatever it holds; and one shot by hand. */
#include <config.h>

#include "backend.h"
#include "dice.h"
#include "harness.h"
#include "infile.h"
#include "judge.h"
#include "tempdir.h"
#include <math.h>

static struct tempdir dir;
static char path[700];
static struct sl_error err;

static void write_script(const char *text, size_t size)
{
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(text, 1, size, out), size);
    ck_assert_int_eq(fclose(out), 0);
}

static void setup(void)
{
    tempdir_make(&dir);
    tempdir_write(&dir, "script.yaml", "");
    snprintf(path, sizeof path, "%s/script.yaml", dir.path);
}

static void teardown(void)
{
    tempdir_remove(&dir);
}

static enum sl_status open_script(struct sl_bench **bench)
{
    struct sl_bench_options options = {.seed = 1, .script = path};
    err = (struct sl_error){0};
    *bench = NULL;
    return sl_backend_find("script")->open(bench, &options, &err);
}

static void faulty(const char *text, int line, const char *says)
{
    struct sl_bench *bench;
    write_script(text, strlen(text));
    ck_assert_int_eq(open_script(&bench), SL_INVALID);
    ck_assert_ptr_null(bench);
    ck_assert_str_eq(err.place.file, path);
    ck_assert_msg(strstr(err.message, says) != NULL, "%s", err.message);
    ck_assert_msg(err.place.line == line, "line %d: %s", err.place.line, err.message);
}

#define A "classes:\n  a: {sizes: [1MB], bandwidth: 1GB/s}\n"

START_TEST(faults_are_located)
{
    faulty("[]\n", 1, "expected a map");
    faulty("actors: 3\n", 1, "lacks the key 'classes'");
    faulty(A "actor: 3\n", 3, "did you mean 'actors'");
    faulty(A "actors: 9\n", 3, "actors");
    faulty(A "clock: {start: 5}\n", 3, "no unit");
    faulty(A "regimes: {near: 0ns}\n", 3, "1ns at least");
    faulty(A "regimes: {a: 1ns, b: 2ns, c: 3ns, d: 4ns, e: 5ns}\n", 3, "allowed: 4");
    faulty(A "identity: {Driver: 1}\n", 3, "small letters");
    faulty(A "drift: lognormal(median=1us)\n", 3, "drift");
    faulty(A "routes: [{from: x, to: y, resource: z, bandwidth: 1GB/s}]\n", 3, "unknown domain");
    faulty(A "resources: {r: {}}\ndomains: {x: {}, y: {}}\n"
             "routes: [{from: x, to: y, resource: r, bandwidth: 1GB/s, class: c}]\n",
           5, "class 'c' is not among");
    faulty("classes:\n  a: {sizes: [1MB]}\n", 2, "lacks the key 'bandwidth'");
    faulty("classes:\n  a: {sizes: [1MB, 1MB], bandwidth: 1GB/s}\n", 2, "not above");
    faulty("classes:\n  a|b: {bandwidth: 1GB/s}\n", 2, "cannot hold the character");
    faulty("classes:\n  a:\n    bandwidth: 1GB/s\n    forms: [{dri: h2d}]\n", 4, "dri");
    faulty("classes:\n  a:\n    bandwidth: 1GB/s\n    shaped: maybe\n", 4, "shaped");
    faulty(A "kappa: [{victim: a, set: b, kappa: 2}]\n", 3, "unknown 'b'");
    faulty(A "kappa: [{victim: a, set: a, kappa: 0.5}]\n", 3, "kappa");
    faulty(A "kappa: [{victim: a, set: a}]\n", 3, "lacks the key 'kappa'");
    faulty(A "kappa: [{victim: a, set: a+a+a+a+a+a+a+a, kappa: 2}]\n", 3, "8 classes");
    faulty(A "kappa: [{victim: a, set: a, kappa: 2}, {victim: a, set: a, kappa: 3}]\n", 3,
           "a second row");
    faulty(A "rule: sum\n", 3, "rule");
    faulty(A "troubles: [{kind: lately, at: [3]}]\n", 3, "lately");
    faulty(A "troubles: [{kind: late}]\n", 3, "'at' or 'every'");
    faulty(A "troubles: [{kind: late, at: [-1]}]\n", 3, "at");
    faulty(A "troubles: [{kind: regime, at: [1]}]\n", 3, "needs the section 'regimes'");
}
END_TEST

/* A whole script with bytes changed: opened or refused, never worse; what opens can be shot at. */
START_TEST(random_damage)
{
    struct sl_arena arena = {0};
    struct dice dice = {.state = 5};
    const struct sl_backend *backend = sl_backend_find("script");
    char *text = NULL, name[1024], *bad = malloc(1 << 16);
    size_t size = 0;
    snprintf(name, sizeof name, "%s/tests/fixtures/calibrate/machine.yaml", getenv("SL_SRCDIR"));
    ck_assert_int_eq(sl_infile_read(name, 1 << 15, &arena, &text, &size, &err), SL_OK);
    struct sl_shot_log log = {.records = calloc(SL_SHOT_RECORDS_MAX, sizeof *log.records)};
    for (int round = 0; round < (sl_test_long() ? 10000 : 500); round++) {
        memcpy(bad, text, size);
        for (unsigned k = 1 + dice_below(&dice, 3); k > 0; k--)
            bad[dice_below(&dice, (unsigned)size)] = text[dice_below(&dice, (unsigned)size)];
        write_script(bad, size);
        struct sl_bench *bench;
        enum sl_status status = open_script(&bench);
        ck_assert(status == SL_OK || status == SL_INVALID);
        ck_assert((bench != NULL) == (status == SL_OK));
        if (!bench)
            continue;
        uint32_t count;
        const struct sl_work_class *classes = backend->classes(bench, &count);
        struct sl_shot shot = {.victim = {.bytes = INT64_MAX}, .overlap = 1, .cover_ns = 1000000};
        shot.aggressors[0] = (struct sl_work){.bytes = classes[count - 1].unit_bytes};
        shot.aggressor_count = 1;
        if (backend->shoot(bench, &shot, &log, &err) == SL_OK)
            (void)sl_judge(&shot, &log);
        backend->close(bench);
    }
    free(log.records);
    free(bad);
    sl_arena_free(&arena);
}
END_TEST

/* a takes 1000 us alone, b's units 200 us.  Two b run: they start at 0, a at 402 us (behind their
 * second units, and 2 us of launch), and end at 1200 us, the first end of a unit behind
 * 402 + 600 us.  Beside two, a is slowed down 2 x 2 times: 798 us do 199.5 us of its work, the rest
 * runs alone. */
START_TEST(a_shot_by_hand)
{
    static const char text[] = "classes:\n"
                               "  a: {sizes: [1MB], victim: 1MB, bandwidth: 1GB/s}\n"
                               "  b: {sizes: [1MB], unit: 200kB, bandwidth: 1GB/s}\n"
                               "kappa: [{victim: a, set: b, kappa: 2}]\n"
                               "rule: product\n"
                               "clock: {start: 1s, step: 10us}\n";
    const struct sl_backend *backend = sl_backend_find("script");
    struct sl_bench *bench;
    write_script(text, strlen(text));
    ck_assert_int_eq(open_script(&bench), SL_OK);
    struct sl_shot shot = {.victim = {0, 0, 1000000},
                           .aggressors = {{1, 0, 200000}, {1, 0, 200000}},
                           .aggressor_count = 2,
                           .overlap = 1,
                           .cover_ns = 600000};
    struct sl_shot_log log = {.records = calloc(SL_SHOT_RECORDS_MAX, sizeof *log.records)};
    ck_assert_int_eq(backend->shoot(bench, &shot, &log, &err), SL_OK);
    ck_assert_uint_eq(log.count, 2 * 6 + 1);
    ck_assert(isnan(log.sentinel_before_ns));
    struct sl_sample sample = sl_judge(&shot, &log);
    ck_assert_int_eq(sample.submitted_ns, 1000400000);
    ck_assert_int_eq(sample.start_ns, 1000402000);
    ck_assert_double_eq_tol(sample.dur_ns, 798000 + (1000000 - 199500), 1);
    ck_assert_double_eq_tol(sample.coverage, 798.0 / 1598.5, 1e-6);
    ck_assert_int_eq(sample.reject, SL_REJECT_COVERAGE);
    ck_assert_str_eq(backend->regime(bench, 50), "");
    free(log.records);
    backend->close(bench);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("script");
    TCase *t = tcase_create("file");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, faults_are_located);
    tcase_add_test(t, random_damage);
    tcase_add_test(t, a_shot_by_hand);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
