/* What slackline-calibrate reads back: the files of sessions, which become estimates and a device's
 * tables, and those tables, which verify holds against new sessions. */
#include <config.h>

#include "fuzz.h"
#include "infile.h"
#include "session_csv.h"
#include "tables.h"
#include "verify.h"
#include <math.h>
#include <stdlib.h>

/* ---- a small backend ------------------------------------------------------------------------ */

static const struct sl_work_form copies[] = {{"", "h2d", "pinned", "stream", ""},
                                             {"", "h2d", "pageable", "stream", ""}};
static const struct sl_work_form kernels[] = {{"bf16", "", "", "stream", ""}};
static const int64_t copy_bytes[] = {65536, 1 << 24}, kernel_bytes[] = {1 << 22};
static const struct sl_work_class classes[] = {
    {.name = "copy.h2d",
     .forms = copies,
     .form_count = 2,
     .sizes = copy_bytes,
     .size_count = 2,
     .victim_bytes = 1 << 24,
     .unit_bytes = 1 << 23},
    {.name = "gemm",
     .forms = kernels,
     .form_count = 1,
     .sizes = kernel_bytes,
     .size_count = 1,
     .victim_bytes = 1 << 22,
     .unit_bytes = 1 << 22,
     .shaped = true},
    {.name = "gone", .forms = kernels, .form_count = 1, .waived = "not here"},
};
static const struct sl_bench_resource resources[] = {{"h2d", "memory", 1},
                                                     {"compute", "memory", 1}};
static const struct sl_bench_domain domains[] = {{"host", -1}, {"hbm", 1LL << 36}};
static const struct sl_bench_route routes[] = {{"host", "hbm", "h2d", "copy.h2d"}};
static const struct sl_bench_layout layout = {resources, domains, routes, 2, 2, 1, 3};
static struct sl_fact facts[] = {{"gpu_uuid", "FUZZ-1"}, {"host", "nowhere"}};
static const struct sl_fingerprint fingerprint = {facts, 2, 1};
static const struct sl_backend backend = {.name = "fuzz"};
static const struct sl_depth depth = {.name = "quick"};

/* Made once, for the life of the process. */
static struct sl_session_identity *identity(void)
{
    static struct sl_case_list cases;
    static struct sl_session_identity made = {&backend, &fingerprint, &depth, &cases, 1};
    struct sl_case_request request = {classes, FUZZ_COUNT(classes), 2, 1, NULL};
    struct sl_error err = {0};
    if (cases.count == 0)
        FUZZ_CHECK(sl_case_list_make(&cases, &request, &err) == SL_OK, "%s", err.message);
    return &made;
}

static struct sl_provenance provenance(const char *start)
{
    return (struct sl_provenance){&backend, &layout, &fingerprint, 1, start};
}

/* ---- sessions ------------------------------------------------------------------------------- */

/* The same session several times over, so that figures get intervals. */
static enum sl_status read_sessions(const char *path, struct sl_measurements *measured,
                                    struct sl_names *texts, const char **start,
                                    struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t session = 1; session <= 3 && status == SL_OK; session++)
        status = sl_session_read(path, identity(), session, measured, texts, start, err);
    return status;
}

/* Whoever reads a session may write it, and reads the same again. */
static void write_again(struct sl_measurements *measured, struct sl_names *texts, const char *start)
{
    struct sl_error err = {0};
    struct sl_measurements one = {.items = measured->items, .count = measured->count / 3};
    struct sl_measurements back = {0};
    char path[600];
    snprintf(path, sizeof path, "%s/again.csv", fuzz_dir());
    FUZZ_CHECK(sl_session_write(path, identity(), start, &one, &err) == SL_OK, "%s", err.message);
    FUZZ_CHECK(sl_session_read(path, identity(), 1, &back, texts, &start, &err) == SL_OK, "%s",
               err.message);
    FUZZ_CHECK(back.count == one.count, "%u shots of %u", back.count, one.count);
    for (uint32_t i = 0; i < back.count; i++)
        FUZZ_CHECK(back.items[i].begin_ns == one.items[i].begin_ns &&
                       back.items[i].case_index == one.items[i].case_index &&
                       back.items[i].sample.reject == one.items[i].sample.reject,
                   "shot %u has changed", i);
    free(back.items);
}

static void use_sessions(const struct sl_measurements *measured, const char *start)
{
    struct sl_error err = {0};
    struct sl_estimates estimates = {0};
    struct sl_measured all = {identity()->cases, measured->items, measured->count};
    struct sl_provenance from = provenance(start);
    char dir[600];
    snprintf(dir, sizeof dir, "%s/device", fuzz_dir());
    FUZZ_CHECK(sl_estimate(&estimates, &all, &err) == SL_OK, "%s", err.message);
    if (estimates.rejects[SL_REJECT_NONE] > 0)
        fuzz_judge(sl_tables_write(dir, &estimates, &from, &err), NULL, &err);
    sl_estimates_free(&estimates);
}

static void run_session(const uint8_t *data, size_t size)
{
    struct sl_measurements measured = {0};
    struct sl_names texts = {0};
    struct sl_error err = {0};
    const char *start = NULL;
    enum sl_status status =
        read_sessions(fuzz_write("session.csv", data, size), &measured, &texts, &start, &err);
    fuzz_judge(status, NULL, &err);
    if (status == SL_OK) {
        write_again(&measured, &texts, start);
        use_sessions(&measured, start);
    }
    free(measured.items);
    sl_names_free(&texts);
    fuzz_clean();
}

/* ---- seeds ---------------------------------------------------------------------------------- */

static void add_shot(struct sl_measurements *to, uint32_t case_index, uint32_t block, uint32_t pair,
                     enum sl_measurement_role role)
{
    int64_t start_ns = 1000000000 + 4000000LL * to->count;
    int64_t dur_ns = 200000 + 3000 * (case_index + 1) + 37 * ((block * 7) % 11);
    dur_ns += role == SL_ROLE_BESIDE ? 60000 : 0;
    FUZZ_CHECK(sl_grow((void **)&to->items, &to->capacity, to->count + 1, sizeof *to->items),
               "out of memory");
    to->items[to->count] = (struct sl_measurement){
        .session = 1,
        .seq = to->count,
        .case_index = case_index,
        .block = block,
        .pair = pair,
        .role = role,
        .begin_ns = start_ns - 5000,
        .regime = "",
        .sample = {.submitted_ns = start_ns - 2000,
                   .start_ns = start_ns,
                   .end_ns = start_ns + dur_ns,
                   .dur_ns = (double)dur_ns,
                   .exec_ns = (double)NAN,
                   .start_delay_ns = 2000,
                   .coverage = 1,
                   .co_resident = (double)NAN,
                   .sentinel_ns = (double)NAN,
                   .sm_mhz = 1980,
                   .timer = "cupti",
                   .reject = block == 3 && pair == 1 ? SL_REJECT_CLOCK_STEP : SL_REJECT_NONE},
    };
    to->count++;
}

/* Six blocks of each case that can be measured, of those up to `most`. */
static void make_session(struct sl_measurements *made, uint32_t most)
{
    const struct sl_case_list *cases = identity()->cases;
    for (uint32_t i = 0; i < cases->count && i < most; i++)
        for (uint32_t block = 0; block < 6 && !cases->cases[i].waived; block++) {
            bool alone = cases->cases[i].kind == SL_CASE_ALONE;
            add_shot(made, i, block, 0, SL_ROLE_ALONE);
            for (uint32_t pair = 0; pair < 2 && !alone; pair++) {
                if (pair == 1)
                    add_shot(made, i, block, pair, SL_ROLE_ALONE);
                add_shot(made, i, block, pair, SL_ROLE_BESIDE);
            }
        }
}

static void seed_session(const struct fuzz_seeds *seeds)
{
    static const uint32_t most[] = {1, 6, UINT32_MAX};
    for (size_t i = 0; i < FUZZ_COUNT(most); i++) {
        struct sl_measurements made = {0};
        struct sl_error err = {0};
        struct sl_arena arena = {0};
        char path[600], name[32], *data;
        size_t size;
        make_session(&made, most[i]);
        snprintf(path, sizeof path, "%s/seed.csv", fuzz_dir());
        snprintf(name, sizeof name, "session-%zu", i);
        FUZZ_CHECK(sl_session_write(path, identity(), "2026-11-30T08:15:00Z", &made, &err) ==
                           SL_OK &&
                       sl_infile_read(path, 1 << 24, &arena, &data, &size, &err) == SL_OK,
                   "%s", err.message);
        seeds->add(seeds->user, name, data, size);
        sl_arena_free(&arena);
        free(made.items);
    }
}

const struct fuzz_target fuzz_target_session = {
    .name = "session",
    .description = "sessions of slackline-calibrate, their estimates and tables",
    .run = run_session,
    .seeds = seed_session,
};

/* ---- tables, as verify reads them ------------------------------------------------------------ */

static void run_verify(const uint8_t *data, size_t size)
{
    struct sl_verify verify = {0};
    struct sl_error err = {0};
    fuzz_write("durations.csv", "", 0);
    fuzz_write("kappa.csv", "", 0);
    fuzz_unframe(data, size);
    enum sl_status status = sl_verify_open(&verify, fuzz_dir(), &err);
    if (status == SL_OK)
        status = sl_verify_read(&verify, fuzz_dir(), identity()->cases, &err);
    fuzz_judge(status, NULL, &err);
    for (uint32_t i = 0; status == SL_OK && i < verify.count; i++) {
        const struct sl_verify_row *row = &verify.rows[i];
        double allowed =
            sl_verify_allowed(row->value, row->lo, row->hi, row->sessions, verify.count);
        FUZZ_CHECK(row->value > 0 && !(allowed < 0), "row %u: %g, %g", i, row->value, allowed);
    }
    sl_verify_free(&verify);
    fuzz_clean();
}

/* The tables of the sessions above, in one frame. */
static void seed_verify(const struct fuzz_seeds *seeds)
{
    struct sl_measurements made = {0};
    char path[600], *text;
    size_t size;
    make_session(&made, UINT32_MAX);
    const uint32_t count = made.count;
    for (uint32_t i = 0; i < 2 * count; i++) {
        struct sl_measurement again = made.items[i % count];
        FUZZ_CHECK(
            sl_grow((void **)&made.items, &made.capacity, made.count + 1, sizeof *made.items),
            "out of memory");
        again.session = 2 + i / count;
        made.items[made.count++] = again;
    }
    use_sessions(&made, "2026-11-30T08:15:00Z");
    free(made.items);
    FILE *out = open_memstream(&text, &size);
    FUZZ_CHECK(out, "out of memory");
    static const char *const names[] = {"durations.csv", "kappa.csv"};
    for (size_t i = 0; i < FUZZ_COUNT(names); i++) {
        struct sl_arena arena = {0};
        struct sl_error err = {0};
        char *table;
        size_t length;
        snprintf(path, sizeof path, "%s/device/%s", fuzz_dir(), names[i]);
        FUZZ_CHECK(sl_infile_read(path, 1 << 24, &arena, &table, &length, &err) == SL_OK, "%s",
                   err.message);
        fprintf(out, "=== %s\n", names[i]);
        fwrite(table, 1, length, out);
        sl_arena_free(&arena);
    }
    fclose(out);
    seeds->add(seeds->user, "tables", text, size);
    free(text);
    fuzz_clean();
}

const struct fuzz_target fuzz_target_verify = {
    .name = "verify",
    .description = "a device's tables as slackline-calibrate verify reads them",
    .run = run_verify,
    .seeds = seed_verify,
};
