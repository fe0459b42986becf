/* The device folder of a calibration is read back unedited by what simulators read devices with,
 * and says what was planted. */
#include <config.h> /* nftw */

#include "measuredlab.h"
#include "platform.h"
#include "tables.h"
#include "tempdir.h"
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

static struct lab *lab;
static struct sl_estimates found;
static struct tempdir dir;
static char device[700];

static const struct sl_bench_resource resources[] = {{"engine", "memory", 1}, {"no", NULL, 2}};
static const struct sl_bench_domain domains[] = {{"near", 1 << 30}, {"far", -1}};
static const struct sl_bench_route routes[] = {{"near", "far", "engine", "copy"},
                                               {"far", "near", "engine", "memset"}};
static const struct sl_bench_layout layout = {resources, domains, routes, 2, 2, 2, 3};
static struct sl_fact facts[] = {
    {"gpu_uuid", "GPU-1: \"odd\""}, {"driver", "550.1"}, {"host", "h"}};
static const struct sl_fingerprint fingerprint = {facts, 3, 2};
static const struct sl_backend backend = {.name = "script", .description = "a test"};
static const struct sl_provenance provenance = {&backend, &layout, &fingerprint, 42,
                                                "2026-11-30T08:15:00Z"};

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)kind;
    (void)place;
    return remove(path);
}

static void begin(void)
{
    lab = lab_create(3);
    found = (struct sl_estimates){0};
    tempdir_make(&dir);
    snprintf(device, sizeof device, "%s/my-device", dir.path);
}

static void end(void)
{
    sl_estimates_free(&found);
    lab_free(lab);
    nftw(dir.path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void plant_alone(uint32_t klass, int64_t bytes, double ns, bool two_modes)
{
    uint32_t c = lab_case(lab, SL_CASE_ALONE, klass, NULL, 0);
    lab->cases[c].shot.victim.bytes = bytes;
    for (uint32_t s = 1; s <= 3; s++)
        for (uint32_t i = 0; i < 40; i++)
            lab_shot(lab, c, s, 2 * i, SL_ROLE_ALONE,
                     ns * lab_noise(lab, 0.01) * (two_modes && i % 3 == 0 ? 1.5 : 1));
}

static void write_and_load(struct sl_platform *platform, struct sl_arena *arena,
                           struct sl_diags *diags)
{
    struct sl_error err = {0};
    lab_estimate(lab, &found);
    ck_assert_msg(sl_tables_write(device, &found, &provenance, &err) == SL_OK, "%s", err.message);
    ck_assert_msg(sl_device_load(platform, device, arena, diags, &err) == SL_OK, "%s", err.message);
    if (diags->count > 0)
        sl_diags_print(diags, stdout);
    ck_assert_uint_eq(diags->count, 0); /* no warning either */
}

static const struct sl_duration_row *duration_of(const struct sl_platform *platform,
                                                 const char *klass, double bytes)
{
    for (uint32_t i = 0; i < platform->duration_count; i++)
        if (platform->durations[i].size_bytes == bytes &&
            strcmp(platform->kappa.classes.names[platform->durations[i].klass], klass) == 0)
            return &platform->durations[i];
    ck_abort_msg("no duration of %s at %g bytes", klass, bytes);
    return NULL;
}

/* Copies at 25 GB/s with 6 us; stream in two modes, which no family fits. */
START_TEST(read_back)
{
    struct sl_platform platform = {0};
    struct sl_arena arena = {0};
    struct sl_diags diags = {0};
    for (size_t s = 0; s < 4; s++)
        plant_alone(0, lab_sizes[s], 6000 + (double)lab_sizes[s] / 25, false);
    plant_alone(1, 65536, 5e4, true);
    uint32_t copy = 0, stream = 1, both[2] = {1, 0};
    lab_sessions(lab, lab_case(lab, SL_CASE_PAIR, 1, &copy, 1), 3, 20, 1.4);
    lab_sessions(lab, lab_case(lab, SL_CASE_PAIR, 1, &stream, 1), 3, 20, 1.66);
    lab_sessions(lab, lab_case(lab, SL_CASE_PAIR, 0, &stream, 1), 3, 20, 1.2);
    lab_sessions(lab, lab_case(lab, SL_CASE_SET, 1, both, 2), 3, 20, 2.1);
    write_and_load(&platform, &arena, &diags);

    ck_assert_str_eq(platform.device_name, "my-device");
    ck_assert_uint_eq(platform.resource_names.count, 2);
    ck_assert_uint_eq(platform.resources[1].servers, 2);
    ck_assert_int_eq(platform.domains[0].capacity, 1 << 30);
    ck_assert_int_lt(platform.domains[1].capacity, 0);
    ck_assert_uint_eq(platform.route_count, 1); /* memset was not measured */
    ck_assert_double_eq_tol(platform.routes[0].bandwidth, 25e9, 25e9 * 0.01);
    ck_assert_double_eq_tol((double)platform.routes[0].overhead_ps, 6e6, 6e6 * 0.02);
    ck_assert_ptr_nonnull(platform.routes[0].noise);
    ck_assert_double_eq_tol(sl_dist_mean(platform.routes[0].noise), 1, 0.01);

    const struct sl_duration_row *row = duration_of(&platform, "copy", 1048576);
    ck_assert_double_eq_tol(sl_dist_quantile(row->dist, 0.5), 1e3 * (6000 + 1048576 / 25.0),
                            1e3 * 48000 * 0.01);
    ck_assert(sl_known_varies(row->factor));
    row = duration_of(&platform, "stream", 65536);
    ck_assert_msg(strncmp(sl_dist_text(row->dist), "empirical(file=empirical/", 25) == 0, "%s",
                  sl_dist_text(row->dist));
    ck_assert_double_eq_tol(sl_dist_quantile(row->dist, 0.9), 1e3 * 7.5e4, 1e3 * 7.5e4 * 0.03);

    const struct sl_kappa *kappa = &platform.kappa;
    uint32_t s = sl_names_find(&kappa->classes, "stream"),
             c = sl_names_find(&kappa->classes, "copy");
    const struct sl_kappa_row *pair = sl_kappa_pair_row(kappa, s, s);
    ck_assert_uint_eq(kappa->row_count, 4);
    ck_assert_double_eq_tol(pair->kappa, 1.66, 0.05);
    ck_assert(pair->lo < pair->kappa && pair->kappa < pair->hi);
    ck_assert_double_eq_tol(sl_kappa_pair_row(kappa, s, c)->kappa, 1.4, 0.05);
    sl_platform_free(&platform);
    sl_arena_free(&arena);
}
END_TEST

/* Regimes, shapes, modes and statuses that a simulator may not mix leave it one of each. */
START_TEST(variants)
{
    struct sl_platform platform = {0};
    struct sl_arena arena = {0};
    struct sl_diags diags = {0};
    uint32_t stream = 1;
    uint32_t room = lab_case(lab, SL_CASE_PAIR, 1, &stream, 1);
    uint32_t fill = lab_case(lab, SL_CASE_PAIR, 1, &stream, 1);
    lab->cases[fill].shot.shape = SL_SHAPE_FILL;
    lab->regime = "near";
    plant_alone(0, 4096, 1e4, false);
    lab_sessions(lab, room, 3, 20, 1.66);
    lab_sessions(lab, fill, 3, 20, 2.5);
    lab->regime = "far";
    plant_alone(0, 4096, 2e4, false);
    lab_sessions(lab, room, 3, 10, 1.03);
    write_and_load(&platform, &arena, &diags);
    ck_assert_uint_eq(platform.duration_count, 1);
    ck_assert_uint_eq(platform.kappa.row_count, 1);
    ck_assert_double_eq_tol(platform.kappa.rows[0].kappa, 1.66, 0.05);
    sl_platform_free(&platform);
    sl_arena_free(&arena);
}
END_TEST

/* One session is no evidence that simulators may take; the device is one all the same. */
START_TEST(one_session)
{
    struct sl_platform platform = {0};
    struct sl_arena arena = {0};
    struct sl_diags diags = {0};
    uint32_t stream = 1;
    lab->regime = "near";
    lab_session(lab, lab_case(lab, SL_CASE_PAIR, 1, &stream, 1), 1, 20, 1.66);
    write_and_load(&platform, &arena, &diags);
    ck_assert_uint_eq(platform.kappa.row_count, 0);
    sl_platform_free(&platform);
    sl_arena_free(&arena);
}
END_TEST

START_TEST(nothing_measured)
{
    struct sl_platform platform = {0};
    struct sl_arena arena = {0};
    struct sl_diags diags = {0};
    write_and_load(&platform, &arena, &diags);
    sl_platform_free(&platform);
    sl_arena_free(&arena);
}
END_TEST

static void first_lines_are(const char *name, const char *const *lines, size_t count)
{
    char path[800], line[1024];
    snprintf(path, sizeof path, "%s/%s", device, name);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    for (size_t i = 0; i < count; i++) {
        ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
        line[strcspn(line, "\n")] = '\0';
        ck_assert_msg(strncmp(line, lines[i], strlen(lines[i])) == 0, "%s: '%s', not '%s'", name,
                      line, lines[i]);
    }
    fclose(file);
}

/* The columns that other tools count on, in their order; ours come behind them. */
START_TEST(columns)
{
    struct sl_error err = {0};
    static const char *const head[] = {"# schema_version=1",
                                       "# tool=slackline-calibrate ",
                                       "# backend=script",
                                       "# gpu_uuid=GPU-1: \"odd\"",
                                       "# driver=550.1",
                                       "# host=h",
                                       "# identity=gpu_uuid,driver",
                                       "# seed=42",
                                       "# start=2026-11-30T08:15:00Z"};
    static const char *const tables[][2] = {
        {"durations.csv",
         "class,variant,dir,size_bytes,mem_kind,launch,cache,n,sessions,dist,dur_p05_ns,dur_med_ns,"
         "dur_p95_ns,dur_p99_ns,ci_lo_ns,ci_hi_ns,launch_lat_med_ns,timer,cupti_overhead_pct,"
         "sm_mhz_med,throttled_frac,status"},
        {"kappa.csv",
         "victim,set,set_size,shape,mode,kappa,ci_lo,ci_hi,kappa_exec,start_delay_med_ns,"
         "co_resident_frac,between_session_sd,n_pairs,n_rejected,coverage_min,sessions,regime,"
         "throttled_frac,source,status"},
        {"samples.csv",
         "session,seq,t_ns,block,role,victim,set,submitted_ns,start_ns,end_ns,coverage,sentinel_ns,"
         "sm_mhz,accepted,reject_reason"},
        {"composition.csv", "rule,n_triples,med_abs_log_err,p95_abs_log_err,noise_floor,accepted"},
    };
    lab_estimate(lab, &found);
    ck_assert_int_eq(sl_tables_write(device, &found, &provenance, &err), SL_OK);
    for (size_t t = 0; t < 4; t++) {
        const char *lines[10];
        memcpy(lines, head, sizeof head);
        lines[9] = tables[t][1];
        first_lines_are(tables[t][0], lines, 10);
    }
}
END_TEST

/* A second calibration of the folder leaves no sample of the first one, and all that is not ours.
 */
/* Who reads the tables knows every word that these write. */
START_TEST(statuses_are_known_to_readers)
{
    struct sl_diags diags = {0};
    for (int i = 0; i < SL_ROW_STATUSES; i++) {
        const char *word = sl_row_status_name((enum sl_row_status)i);
        bool usable = sl_known_is_usable(word, (struct sl_place){0}, &diags);
        ck_assert_msg(usable == (i == SL_ROW_OK), "%s", word);
    }
    ck_assert_uint_eq(diags.count, 0);
    sl_diags_free(&diags);
}
END_TEST

START_TEST(old_samples)
{
    struct sl_error err = {0};
    char ours[800], theirs[800];
    plant_alone(1, 4096, 1e4, true);
    lab_estimate(lab, &found);
    ck_assert_int_eq(sl_tables_write(device, &found, &provenance, &err), SL_OK);
    snprintf(ours, sizeof ours, "%s/empirical/00-a-case.csv", device);
    snprintf(theirs, sizeof theirs, "%s/empirical/mine.csv", device);
    ck_assert_int_eq(access(ours, F_OK), 0);
    FILE *file = fopen(theirs, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    sl_estimates_free(&found);
    lab->count = 0;
    lab_estimate(lab, &found);
    ck_assert_int_eq(sl_tables_write(device, &found, &provenance, &err), SL_OK);
    ck_assert_int_ne(access(ours, F_OK), 0);
    ck_assert_int_eq(access(theirs, F_OK), 0);
}
END_TEST

/* Where one file cannot be written none appears, and what was there stays. */
START_TEST(all_or_nothing)
{
    struct sl_error err = {0};
    struct stat info;
    char path[800];
    plant_alone(0, 4096, 1e4, true);
    lab_estimate(lab, &found);
    ck_assert_int_eq(mkdir(device, 0777), 0);
    snprintf(path, sizeof path, "%s/empirical", device);
    FILE *blocker = fopen(path, "w");
    ck_assert_ptr_nonnull(blocker);
    fclose(blocker);
    ck_assert_int_eq(sl_tables_write(device, &found, &provenance, &err), SL_SYSTEM);
    snprintf(path, sizeof path, "%s/durations.csv", device);
    ck_assert_int_ne(stat(path, &info), 0);
    snprintf(path, sizeof path, "%s/device.yaml", device);
    ck_assert_int_ne(stat(path, &info), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tables");
    TCase *tests = tcase_create("tables");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, read_back);
    tcase_add_test(tests, variants);
    tcase_add_test(tests, one_session);
    tcase_add_test(tests, nothing_measured);
    tcase_add_test(tests, columns);
    tcase_add_test(tests, statuses_are_known_to_readers);
    tcase_add_test(tests, old_samples);
    tcase_add_test(tests, all_or_nothing);
    suite_add_tcase(suite, tests);
    return sl_test_run(suite);
}
