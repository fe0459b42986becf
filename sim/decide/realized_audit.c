/* What `slackline audit` wrote: works.csv and steps.csv of a folder, or its JSON. */
#include "config.h"

#include "csvtab.h"
#include "realized.h"
#include "units.h"
#include "yamldoc.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_US  1e6
#define MOST_US    1e12
#define MOST_STEPS 10000000

enum { NAME, STEP, START, FINISH, BEHIND, DELAY, WORK_COLUMNS = 16 };
static const struct sl_column_spec work_columns[WORK_COLUMNS] = {
    [NAME] = {"name", true},
    [STEP] = {"step", true},
    [START] = {"start_us", true},
    [FINISH] = {"finish_us", true},
    [BEHIND] = {"behind_stream_us", false},
    [DELAY] = {"ready_delay_us", false},
    /* These say nothing here. */
    {"work", false},
    {"class", false},
    {"device", false},
    {"stream", false},
    {"launch_us", false},
    {"launched_us", false},
    {"ready_us", false},
    {"event_wait_us", false},
    {"bytes", false},
    {"correlation", false},
};

enum { NUMBER, FROM, UNTIL, STEP_COLUMNS = 13 };
static const struct sl_column_spec step_columns[STEP_COLUMNS] = {
    [NUMBER] = {"step", true},
    [FROM] = {"from_us", true},
    [UNTIL] = {"finish_us", true},
    {"name", false},
    {"to_us", false},
    {"works", false},
    {"busy_us", false},
    {"cold", false},
    {"deviates_device", false},
    {"deviates_stream", false},
    {"deviates_work", false},
    {"found", false},
    {"expected", false},
};

struct audit_folder {
    struct sl_csv works, steps;
    struct sl_names numbers; /* of the steps so far */
    struct sl_diags *diags;
};

/* NAN where it is no time, which is diagnosed; an empty cell is -1 unless it must be there. */
static double read_us(const struct audit_folder *folder, const struct sl_csv *table, uint32_t row,
                      uint32_t column, bool must)
{
    const char *text = sl_csv_cell(table, row, column);
    char why[SL_WHY_SIZE] = "no time from 0 to 1e12 us";
    double us = NAN;
    if (!*text && !must)
        return -1;
    if (sl_parse_number(text, &us, why) && us <= MOST_US)
        return us;
    sl_diags_add(folder->diags, SL_ERROR, "bad-value", sl_csv_place(table, row, column), "%s", why);
    return NAN;
}

static int64_t ps_of(double us)
{
    return us >= 0 ? llround(us * PS_PER_US) : -1;
}

static enum sl_status add_work(struct sl_realized *realized, const struct audit_folder *folder,
                               uint32_t row, struct sl_error *err)
{
    const struct sl_csv *works = &folder->works;
    double start_us = read_us(folder, works, row, START, true);
    double finish_us = read_us(folder, works, row, FINISH, true);
    double behind_us = read_us(folder, works, row, BEHIND, false);
    double delay_us = read_us(folder, works, row, DELAY, false);
    if (finish_us < start_us)
        sl_diags_add(folder->diags, SL_ERROR, "reversed", sl_csv_place(works, row, FINISH),
                     "a work ends before it starts");
    return sl_realized_add_work(
        realized, sl_csv_cell(works, row, NAME), ps_of(start_us), ps_of(finish_us),
        behind_us < 0 || delay_us < 0 ? -1 : ps_of(behind_us + delay_us), err);
}

/* Rows of works by the text of their step: the audit writes both tables by the same numbers. */
struct keyed_row {
    const char *step;
    uint32_t row;
};

static int by_step(const void *left, const void *right)
{
    const struct keyed_row *a = left, *b = right;
    int order = strcmp(a->step, b->step);
    return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

/* Two steps of one number would each have all works of both. */
static bool is_new(struct audit_folder *folder, uint32_t row)
{
    const char *number = sl_csv_cell(&folder->steps, row, NUMBER);
    uint32_t before = folder->numbers.count, at = sl_names_add(&folder->numbers, number);
    if (at == before)
        return true;
    sl_diags_add(folder->diags, SL_ERROR, "duplicate-step",
                 sl_csv_place(&folder->steps, row, NUMBER), "step '%s': %s", number,
                 at == SL_NONE ? "out of memory" : "there is one before");
    return false;
}

static enum sl_status add_step(struct sl_realized *realized, struct audit_folder *folder,
                               const struct keyed_row *keyed, uint32_t row, struct sl_error *err)
{
    const struct sl_csv *steps = &folder->steps;
    struct keyed_row key = {sl_csv_cell(steps, row, NUMBER), 0};
    uint32_t lo = 0, hi = folder->works.row_count, first = realized->work_count;
    if (!is_new(folder, row))
        return SL_OK;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (by_step(&keyed[middle], &key) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    enum sl_status status = SL_OK;
    for (; status == SL_OK && lo < folder->works.row_count && strcmp(keyed[lo].step, key.step) == 0;
         lo++)
        status = add_work(realized, folder, keyed[lo].row, err);
    double from_us = read_us(folder, steps, row, FROM, true);
    double until_us = read_us(folder, steps, row, UNTIL, true);
    if (until_us < from_us)
        sl_diags_add(folder->diags, SL_ERROR, "reversed", sl_csv_place(steps, row, UNTIL),
                     "a step ends before it begins");
    return status == SL_OK ? sl_realized_add_run(realized, first, until_us - from_us, err) : status;
}

/* A trace without steps is one run, from its first start to its last end. */
static enum sl_status add_whole(struct sl_realized *realized, const struct audit_folder *folder,
                                struct sl_error *err)
{
    int64_t from_ps = INT64_MAX, to_ps = 0;
    enum sl_status status = SL_OK;
    for (uint32_t row = 0; status == SL_OK && row < folder->works.row_count; row++) {
        status = add_work(realized, folder, row, err);
        if (status != SL_OK)
            break;
        const struct sl_realized_work *work = &realized->works[row];
        from_ps = work->from_ps < from_ps ? work->from_ps : from_ps;
        to_ps = work->to_ps > to_ps ? work->to_ps : to_ps;
    }
    if (status != SL_OK || realized->work_count == 0)
        return status;
    return sl_realized_add_run(realized, 0, (double)(to_ps - from_ps) / PS_PER_US, err);
}

static enum sl_status add_all(struct sl_realized *realized, struct audit_folder *folder,
                              struct sl_error *err)
{
    uint32_t rows = folder->works.row_count;
    struct keyed_row *keyed = sl_arena_array(&realized->arena, (size_t)rows + 1, sizeof *keyed);
    if (!keyed)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t row = 0; row < rows; row++)
        keyed[row] = (struct keyed_row){sl_csv_cell(&folder->works, row, STEP), row};
    qsort(keyed, rows, sizeof *keyed, by_step);
    if (folder->steps.row_count == 0)
        return add_whole(realized, folder, err);
    enum sl_status status = SL_OK;
    for (uint32_t row = 0; status == SL_OK && row < folder->steps.row_count; row++)
        status = add_step(realized, folder, keyed, row, err);
    return status;
}

enum sl_status sl_realized_read_audit(struct sl_realized *realized, const char *dir,
                                      struct sl_diags *diags, struct sl_error *err)
{
    struct audit_folder folder = {.diags = diags};
    const char *works, *steps = NULL;
    size_t errors = diags->errors;
    realized->kind = "audit";
    realized->has_works = true;
    enum sl_status status = sl_realized_note_file(realized, dir, "works.csv", &works, err);
    if (status == SL_OK)
        status = sl_realized_note_file(realized, dir, "steps.csv", &steps, err);
    if (status == SL_OK)
        status = sl_csv_read(&folder.works, works, work_columns, WORK_COLUMNS, diags, err);
    if (status == SL_OK)
        status = sl_csv_read(&folder.steps, steps, step_columns, STEP_COLUMNS, diags, err);
    if (status == SL_OK && diags->errors == errors)
        status = add_all(realized, &folder, err);
    sl_csv_free(&folder.works);
    sl_csv_free(&folder.steps);
    sl_names_free(&folder.numbers);
    return status;
}

/* JSON is YAML; of an audit's, the times of its steps are read. */
enum sl_status sl_realized_read_json(struct sl_realized *realized, const char *path,
                                     struct sl_diags *diags, struct sl_error *err)
{
    struct sl_yaml *root = NULL;
    const char *kept;
    realized->kind = "audit";
    enum sl_status status = sl_realized_note_file(realized, path, NULL, &kept, err);
    if (status == SL_OK)
        status = sl_yaml_read(kept, &realized->arena, &root, err);
    if (status != SL_OK)
        return status;
    const struct sl_yaml *steps = sl_yaml_get(root, "steps");
    const struct sl_yaml *span = sl_yaml_get(root, "gpu_span_ns");
    if (steps && steps->type != SL_YAML_LIST) {
        sl_diags_add(diags, SL_ERROR, "wrong-type", steps->place, "steps must be a list");
        return SL_OK;
    }
    uint32_t count = steps ? steps->count : span ? 1 : 0;
    for (uint32_t i = 0; status == SL_OK && i < count && i < MOST_STEPS; i++) {
        const struct sl_yaml *time = steps ? sl_yaml_get(steps->items[i], "time_ns") : span;
        char why[SL_WHY_SIZE] = "no time";
        double ns = NAN;
        bool good = time && time->type == SL_YAML_SCALAR && sl_parse_number(time->text, &ns, why) &&
                    ns <= MOST_US * 1e3;
        if (good)
            status = sl_realized_add_run(realized, 0, ns / 1e3, err);
        else
            sl_diags_add(diags, SL_ERROR, "bad-value", time ? time->place : steps->items[i]->place,
                         "time_ns: %s", why);
    }
    return status;
}
