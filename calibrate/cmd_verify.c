/* slackline-calibrate verify: does a device folder still say what this machine does? */
#include "config.h"

#include "calibration.h"
#include "progress.h"
#include "text.h"
#include "units.h"
#include "verify.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_DEFAULT 12
#define ROWS_MOST    10000

enum { KEY_ROWS = SL_KEY_OWN, KEY_ACCEPT };

/* One session is measured, with as many shots of each row as a session of --quick has. */
static const struct sl_depth depth = {"verify", 1, 10, 32, 2000000000, 0};

struct verify_args {
    struct sl_calibration calibration;
    uint32_t rows;
    const char *accept; /* globs of facts that may differ; NULL: none */
    struct sl_verify verify;
};

static enum sl_status take(void *user, int key, const char *value, struct sl_error *err)
{
    struct verify_args *args = user;
    char why[SL_WHY_SIZE];
    int64_t number;
    if (key == KEY_ACCEPT) {
        args->accept = value;
        return SL_OK;
    }
    if (key != KEY_ROWS)
        return sl_calibration_take(&args->calibration, key, value, err);
    if (!sl_parse_integer(value, 1, ROWS_MOST, &number, why))
        return SL_FAIL(err, SL_USAGE, "--rows: %s", why);
    args->rows = (uint32_t)number;
    return SL_OK;
}

/* The backend and the seed are the tables' own, so that the same sets are among the cases. */
static enum sl_status open_machine(struct verify_args *args, struct sl_error *err)
{
    struct sl_calibration *c = &args->calibration;
    const struct sl_table_fact *backend = sl_table_head_find(&args->verify.head, "backend");
    const struct sl_table_fact *seed = sl_table_head_find(&args->verify.head, "seed");
    char why[SL_WHY_SIZE];
    int64_t number;
    if (!backend || !seed || !sl_parse_integer(seed->value, 0, INT64_MAX, &number, why))
        return SL_FAIL(err, SL_INVALID, "'%s' does not say by which backend and seed it was made",
                       args->verify.head.file);
    c->backend_name = backend->value;
    c->seed = (uint64_t)number;
    enum sl_status status = sl_calibration_open(c, 0, err);
    return status == SL_OK ? sl_calibration_check_machine(c, &args->verify.head, args->accept, err)
                           : status;
}

static bool watch(void *user, const struct sl_session_state *state)
{
    (void)user;
    (void)state;
    return !sl_progress_stop_wanted();
}

static void print_row(const struct sl_verify_row *row, const struct sl_case_list *cases)
{
    const struct sl_case *one = &cases->cases[row->case_index];
    bool is_time = one->kind == SL_CASE_ALONE;
    char was[32], now[32];
    snprintf(was, sizeof was, "%.3f", row->value);
    snprintf(now, sizeof now, "%.3f", row->now);
    if (is_time) {
        sl_format_estimate(was, sizeof was, row->value * 1000);
        sl_format_estimate(now, sizeof now, row->now * 1000);
    }
    printf("%-44s %10s %10s %+7.2f%%  ", one->key, was, isnan(row->now) ? "-" : now,
           100 * (row->now / row->value - 1));
    if (isnan(row->now))
        puts("not had: no usable shots in the table's regime");
    else if (isnan(row->allowed))
        puts("the table has no interval");
    else
        printf("%s +-%.2f%%\n", sl_verify_moved(row) ? "moved, beyond" : "within",
               100 * expm1(row->allowed));
}

/* SL_NO when a row has moved. */
static enum sl_status report(const struct verify_args *args)
{
    const struct sl_verify *verify = &args->verify;
    uint32_t moved = 0;
    printf("%-44s %10s %10s %8s\n", "case", "table", "now", "drift");
    for (uint32_t i = 0; i < verify->count; i++) {
        print_row(&verify->rows[i], &args->calibration.cases);
        moved += sl_verify_moved(&verify->rows[i]);
    }
    printf("%" PRIu32 " of %" PRIu32 " rows moved by more than sessions differ (95%% for all "
           "together)\n",
           moved, verify->count);
    if (verify->others > 0)
        printf("%" PRIu32 " rows of the tables cannot be measured here\n", verify->others);
    return moved > 0 ? SL_NO : SL_OK;
}

static enum sl_status measure_again(struct verify_args *args, struct sl_error *err)
{
    struct sl_calibration *c = &args->calibration;
    struct sl_measurements measured = {0};
    struct sl_estimates estimates = {0};
    struct sl_session_request request = {.backend = c->backend,
                                         .bench = c->bench,
                                         .cases = &c->cases,
                                         .depth = &depth,
                                         .seed = c->seed,
                                         .session = 1,
                                         .watch = watch};
    sl_progress_start("rows");
    enum sl_status status = sl_session_measure(&request, &measured, err);
    struct sl_measured all = {&c->cases, measured.items, measured.count};
    if (status == SL_OK)
        status = sl_estimate(&estimates, &all, err);
    if (status == SL_OK) {
        sl_verify_compare(&args->verify, &estimates);
        status = report(args);
    }
    sl_estimates_free(&estimates);
    free(measured.items);
    return status;
}

static enum sl_status verify_folder(struct verify_args *args, const char *dir, struct sl_error *err)
{
    struct sl_verify *verify = &args->verify;
    uint64_t seed = args->calibration.seed; /* of the draw; the cases' own is the tables' */
    enum sl_status status = sl_verify_open(verify, dir, err);
    if (status == SL_OK)
        status = open_machine(args, err);
    if (status == SL_OK)
        status = sl_verify_read(verify, dir, &args->calibration.cases, err);
    if (status == SL_OK && verify->count == 0)
        status = SL_FAIL(err, SL_USAGE, "'%s' has no row that can be measured here", dir);
    if (status != SL_OK)
        return status;
    sl_verify_draw(verify, &args->calibration.cases, args->rows, seed);
    return measure_again(args, err);
}

static enum sl_status run_verify(const struct sl_command *command, int argc, char **argv)
{
    struct verify_args args = {.calibration = sl_calibration_defaults(), .rows = ROWS_DEFAULT};
    struct sl_error err = {0};
    bool done = false;
    int first = 0;
    enum sl_status status = sl_options_read(command, argc, argv, take, &args, &first, &done);
    if (status != SL_OK || done)
        return status;
    status = verify_folder(&args, argv[first], &err);
    if (err.status != SL_OK && status != SL_INTERRUPTED)
        sl_report_error(command->name, &err);
    sl_calibration_close(&args.calibration);
    sl_verify_free(&args.verify);
    return status;
}

static const struct sl_option options[] = {
    {SL_KEY_SCRIPT, "script", "FILE", "the machine that backend script plays"},
    {SL_KEY_DEVICE, "device", "N", "the GPU's number; 0 by default"},
    {KEY_ROWS, "rows", "N", "measure so many rows again; 12 by default"},
    {KEY_ACCEPT, "accept", "GLOBS", "facts in which the machine may differ, ';' between"},
    {'S', "seed", "N", "draws the rows; 1 by default"},
};

const struct sl_command sl_command_verify = {
    .name = "verify",
    .summary = "Measure some rows of a device folder again and say which moved",
    .operands = "DIR",
    .description =
        "Measures rows of DIR's tables again, drawn by the seed, in one session, and says by how\n"
        "much each differs from the table and whether that is more than sessions differ.  The\n"
        "backend is the tables' own.  Exit status 1: a row moved.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_verify,
};
