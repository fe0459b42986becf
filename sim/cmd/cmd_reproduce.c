/* `slackline reproduce`: a decision made again from its record, to the last digit. */
#include "config.h"

#include "decide_more.h"
#include "json_out.h"
#include "progress.h"
#include "redecide.h"
#include "table.h"
#include "thread_pool.h"
#include "units.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { KEY_THREADS = SL_KEY_LONG, KEY_JSON, KEY_SCENARIO };

struct args {
    const char *scenario; /* where it lies now; NULL: as in the record */
    uint32_t threads;     /* 0: one per core */
    bool json;
};

static enum sl_status take(void *user, int key, const char *value, struct sl_error *err)
{
    struct args *args = user;
    char why[SL_WHY_SIZE];
    int64_t number;
    if (key == KEY_JSON) {
        args->json = true;
        return SL_OK;
    }
    if (key == KEY_SCENARIO) {
        args->scenario = value;
        return SL_OK;
    }
    if (!sl_parse_integer(value, 1, SL_POOL_MOST, &number, why))
        return SL_FAIL(err, SL_USAGE, "--threads: %s", why);
    args->threads = (uint32_t)number;
    return SL_OK;
}

static const char *const columns[SL_COLUMNS] = {"projected", "runtime-feasible", "measured"};
static const char *const states[SL_COLUMN_STATES] = {NULL, "equal", "differs",
                                                     "not made again: an input has changed"};

static const char *version_note(const struct sl_record *record)
{
    return strcmp(record->version, PACKAGE_VERSION) == 0 ? NULL : record->version;
}

static void print_text(const struct sl_record *record, const struct sl_redecide *again)
{
    const struct sl_record_same *same = &again->same;
    for (uint32_t i = 0; i < again->change_count; i++) {
        const struct sl_redecide_change *change = &again->changes[i];
        printf("%s %s: %s\n", change->role, change->path,
               !change->after    ? "is no longer there"
               : !change->before ? "is new"
                                 : "has changed");
        if (change->before && change->after)
            printf("  %s in the record\n  %s now\n", change->before, change->after);
    }
    if (version_note(record))
        printf("the record was written by version %s, this is %s\n", record->version,
               PACKAGE_VERSION);
    if (again->change_count > 0 && again->columns[SL_COLUMN_PROJECTED] == SL_COLUMN_ABSENT) {
        printf("not reproduced: %u input%s changed, so nothing was run\n", again->change_count,
               again->change_count == 1 ? " has" : "s have");
        return;
    }
    for (int c = 0; c < SL_COLUMNS; c++) {
        if (again->columns[c] != SL_COLUMN_ABSENT)
            printf("%s: %s\n", columns[c], states[again->columns[c]]);
    }
    if (*same->key)
        printf("not reproduced: %s is %s in the record, and %s now\n", same->key, same->before,
               same->after);
    else if (again->change_count > 0)
        printf("not reproduced in whole: %" PRIu64 " figures are equal to the last digit, and what "
               "rests on %s was not made again\n",
               same->figures, again->change_count == 1 ? "that file" : "those files");
    else
        printf("reproduced: %" PRIu64 " figures are equal to the last digit (%" PRIu64
               " trials, seed %" PRIu64 ")\n",
               same->figures, record->trials, record->fresh_seed);
}

static enum sl_status print_json(const struct sl_record *record, const struct sl_redecide *again,
                                 struct sl_error *err)
{
    const struct sl_record_same *same = &again->same;
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_json_open_map(gen, NULL);
    sl_json_bool(gen, "reproduced", again->change_count == 0 && !*same->key);
    sl_json_text(gen, "record_version", record->version);
    sl_json_text(gen, "version", PACKAGE_VERSION);
    sl_json_open_array(gen, "changed_inputs");
    for (uint32_t i = 0; i < again->change_count; i++) {
        const struct sl_redecide_change *change = &again->changes[i];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "role", change->role);
        sl_json_text(gen, "path", change->path);
        sl_json_text(gen, "before", change->before);
        sl_json_text(gen, "after", change->after);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    static const char *const words[SL_COLUMN_STATES] = {"absent", "equal", "differs",
                                                        "input-changed"};
    sl_json_open_map(gen, "columns");
    for (int c = 0; c < SL_COLUMNS; c++)
        sl_json_text(gen, columns[c], words[again->columns[c]]);
    yajl_gen_map_close(gen);
    sl_json_integer(gen, "figures", (int64_t)same->figures);
    sl_json_text(gen, "differs", *same->key ? same->key : NULL);
    sl_json_text(gen, "before", *same->key ? same->before : NULL);
    sl_json_text(gen, "after", *same->key ? same->after : NULL);
    yajl_gen_map_close(gen);
    return sl_json_finish(gen, stdout, err);
}

static enum sl_status reproduce(const struct args *args, const char *operand, struct sl_error *err)
{
    struct sl_record record;
    struct sl_redecide again = {0};
    struct sl_run_options options = {.progress = sl_progress};
    struct sl_diags diags = {0};
    char path[4096];
    enum sl_status status = sl_decide_read_record(&record, operand, NULL, path, err);
    if (status == SL_OK && args->scenario) /* what has changed there is the answer */
        record.workload.folder = args->scenario;
    if (status == SL_OK && access(record.workload.folder, F_OK) != 0)
        status = sl_record_has_scenario(&record, err);
    if (status == SL_OK)
        status = sl_pool_create(&options.pool, args->threads, err);
    if (status == SL_OK) {
        sl_progress_start("runs");
        status = sl_redecide(&again, &record, &options, &diags, err);
        sl_progress_end();
    }
    if (diags.errors > 0)
        sl_diags_print(&diags, stderr);
    bool told = status == SL_OK || (status == SL_NO && (again.change_count > 0 || *again.same.key));
    if (told && args->json) {
        enum sl_status printed = print_json(&record, &again, err);
        status = printed == SL_OK ? status : printed;
    } else if (told) {
        print_text(&record, &again);
    }
    sl_pool_free(options.pool);
    sl_diags_free(&diags);
    sl_redecide_free(&again);
    sl_record_free(&record);
    return status;
}

static enum sl_status run_reproduce(const struct sl_command *command, int argc, char **argv)
{
    struct args args = {0};
    struct sl_error err = {0};
    bool done = false;
    int first = 0;
    enum sl_status status = sl_options_read(command, argc, argv, take, &args, &first, &done);
    if (status != SL_OK || done)
        return status;
    status = reproduce(&args, argv[first], &err);
    return err.status == SL_OK ? status : sl_report_error(command->name, &err);
}

static const struct sl_option options[] = {
    {KEY_SCENARIO, "scenario", "DIR", "where the record's scenario lies now"},
    {KEY_THREADS, "threads", "T", "worker threads (default: one per core)"},
    {KEY_JSON, "json", NULL, "print JSON instead of text"},
};

const struct sl_command sl_command_reproduce = {
    .name = "reproduce",
    .summary = "Make a decision again from its record, to the last digit",
    .operands = "RECORD",
    .description =
        "Runs what a decision record rests on once more: the same scenario, settings, seed and\n"
        "trials, the runtime's answer and the measurement from the recorded files, and the gate.\n"
        "Says that all figures are equal to the last digit, or which input has another hash, or\n"
        "which figure differs.",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .operand_min = 1,
    .operand_max = 1,
    .run = run_reproduce,
};
