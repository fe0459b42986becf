/* Writing replay.csv; reading it, and of repetitions.csv the makespans that were judged. */
#include "replay_csv.h"
#include "csvtab.h"
#include "fields.h"
#include "figures.h"
#include "outfile.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_REPETITIONS 10000000
#define MOST_US          1e15

enum {
    SCENARIO,
    POLICY,
    BACKEND,
    PLAN,
    REGIME,
    REPETITIONS,
    JUDGED,
    SHOTS,
    SHOTS_REJECTED,
    DRIFT,
    IDENTITY_COLUMNS
};
static const struct sl_column_spec identity_columns[IDENTITY_COLUMNS] = {
    [SCENARIO] = {"scenario", true},
    [POLICY] = {"policy", true},
    [BACKEND] = {"backend", true},
    [PLAN] = {"plan", true},
    [REGIME] = {"regime", true},
    [REPETITIONS] = {"repetitions", true},
    [JUDGED] = {"judged", true},
    [SHOTS] = {"shots", false},
    [SHOTS_REJECTED] = {"shots_rejected", false},
    [DRIFT] = {"drift", false},
};

enum {
    NUMBER,
    MAKESPAN,
    BEFORE,
    AFTER,
    OF_REGIME,
    PREEMPTIONS,
    REJECT,
    TIMER,
    SM_MHZ,
    THROTTLED,
    REPETITION_COLUMNS
};
static const struct sl_column_spec repetition_columns[REPETITION_COLUMNS] = {
    [NUMBER] = {"repetition", true},
    [MAKESPAN] = {"makespan_us", true},
    [BEFORE] = {"sentinel_before_ns", false},
    [AFTER] = {"sentinel_after_ns", false},
    [OF_REGIME] = {"regime", true},
    [PREEMPTIONS] = {"preemptions", false},
    [REJECT] = {"reject_reason", true},
    [TIMER] = {"timer", false},
    [SM_MHZ] = {"sm_mhz", false},
    [THROTTLED] = {"throttled", false},
};

enum sl_status sl_replay_identity_write(const char *dir, const struct sl_replay_identity *identity,
                                        struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open_in(&file, dir, "replay.csv", err);
    if (status != SL_OK)
        return status;
    FILE *out = file.stream;
    for (int i = 0; i < IDENTITY_COLUMNS; i++)
        fprintf(out, "%s%s", i ? "," : "", identity_columns[i].name);
    putc('\n', out);
    sl_csv_put(out, identity->scenario);
    sl_put_text(out, identity->policy);
    sl_put_text(out, identity->backend);
    fprintf(out, ",%016" PRIx64, identity->plan);
    sl_put_text(out, identity->regime);
    sl_put_integer(out, identity->repetitions);
    sl_put_integer(out, identity->judged);
    sl_put_integer(out, (int64_t)identity->shots);
    sl_put_integer(out, (int64_t)identity->shots_rejected);
    sl_put_number(out, identity->drift);
    putc('\n', out);
    return sl_outfile_commit(&file, err);
}

/* One of the two files while it is read. */
struct sheet {
    const char *path; /* outlives csv, for places that are kept */
    struct sl_csv csv;
    struct sl_reader reader;
};

static enum sl_status open_sheet(struct sheet *sheet, const char *dir, const char *name,
                                 const struct sl_column_spec *columns, uint32_t count,
                                 struct sl_arena *arena, struct sl_diags *diags,
                                 struct sl_error *err)
{
    *sheet = (struct sheet){.reader = {.arena = arena, .diags = diags, .base_dir = dir}};
    sheet->path = sl_arena_printf(arena, "%s/%s", dir, name);
    return sheet->path ? sl_csv_read(&sheet->csv, sheet->path, columns, count, diags, err)
                       : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

static bool read_count(const struct sheet *sheet, uint32_t column, int64_t least, uint32_t *count)
{
    int64_t number = 0;
    bool good = sl_value_integer(&sheet->reader, sl_csv_cell(&sheet->csv, 0, column),
                                 sl_csv_place(&sheet->csv, 0, column),
                                 identity_columns[column].name, least, MOST_REPETITIONS, &number);
    *count = (uint32_t)number;
    return good;
}

static void read_plan(const struct sheet *sheet, uint64_t *plan)
{
    const char *text = sl_csv_cell(&sheet->csv, 0, PLAN);
    if (strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16)
        *plan = strtoull(text, NULL, 16);
    else
        sl_diags_add(sheet->reader.diags, SL_ERROR, "bad-value", sl_csv_place(&sheet->csv, 0, PLAN),
                     "plan: '%s' is no digest; it is 16 hexadecimal digits", text);
}

static struct sl_place kept_place(const struct sheet *sheet, uint32_t column)
{
    struct sl_place place = sl_csv_place(&sheet->csv, 0, column);
    place.file = sheet->path;
    return place;
}

/* Reports print it: a name, or "" where there may be none.  False: out of memory. */
static bool take_text(const struct sheet *sheet, uint32_t column, const char **text)
{
    const char *cell = sl_csv_cell(&sheet->csv, 0, column);
    if (*cell || column != REGIME)
        sl_value_name(&sheet->reader, cell, sl_csv_place(&sheet->csv, 0, column),
                      identity_columns[column].name, "");
    *text = sl_arena_strdup(sheet->reader.arena, cell);
    return *text != NULL;
}

static enum sl_status take_identity(struct sl_replay_record *record, const struct sheet *sheet,
                                    struct sl_error *err)
{
    struct sl_replay_identity *identity = &record->identity;
    const struct sl_csv *csv = &sheet->csv;
    if (csv->row_count != 1) {
        struct sl_place place = {csv->file, csv->row_count ? (int)csv->lines[1] : 1, 1};
        sl_diags_add(sheet->reader.diags, SL_ERROR, "bad-row-count", place,
                     "a replay has one row, not %u", csv->row_count);
        return SL_OK;
    }
    const char **texts[] = {&identity->scenario, &identity->policy, &identity->backend, NULL,
                            &identity->regime};
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] && !take_text(sheet, i, texts[i]))
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    record->scenario_at = kept_place(sheet, SCENARIO);
    record->policy_at = kept_place(sheet, POLICY);
    record->plan_at = kept_place(sheet, PLAN);
    read_plan(sheet, &identity->plan);
    read_count(sheet, REPETITIONS, 1, &identity->repetitions);
    read_count(sheet, JUDGED, 1, &identity->judged);
    return SL_OK;
}

/* Rows in the regime that was judged, and rejected for nothing. */
static uint32_t take_makespans(struct sl_replay_record *record, const struct sheet *sheet)
{
    const struct sl_csv *csv = &sheet->csv;
    uint32_t count = 0;
    for (uint32_t row = 0; row < csv->row_count; row++) {
        double makespan_us = 0;
        int64_t number = 0;
        bool good = sl_value_number(&sheet->reader, sl_csv_cell(csv, row, MAKESPAN),
                                    sl_csv_place(csv, row, MAKESPAN), "makespan_us", 0, MOST_US,
                                    &makespan_us);
        good &= sl_value_integer(&sheet->reader, sl_csv_cell(csv, row, NUMBER),
                                 sl_csv_place(csv, row, NUMBER), "repetition", 0, UINT32_MAX - 1,
                                 &number);
        bool judged = !*sl_csv_cell(csv, row, REJECT) &&
                      strcmp(sl_csv_cell(csv, row, OF_REGIME), record->identity.regime) == 0;
        if (!good || !judged)
            continue;
        record->numbers[count] = (uint32_t)number;
        record->makespan_of[count] = record->makespans_us[count] = makespan_us;
        count++;
    }
    return count;
}

static enum sl_status take_repetitions(struct sl_replay_record *record, const struct sheet *sheet,
                                       struct sl_error *err)
{
    const struct sl_replay_identity *identity = &record->identity;
    const struct sl_csv *csv = &sheet->csv;
    struct sl_diags *diags = sheet->reader.diags;
    struct sl_place place = {csv->file, 1, 1};
    size_t room = (size_t)csv->row_count + 1;
    record->makespans_us = sl_arena_array(sheet->reader.arena, room, sizeof(double));
    record->makespan_of = sl_arena_array(sheet->reader.arena, room, sizeof(double));
    record->numbers = sl_arena_array(sheet->reader.arena, room, sizeof *record->numbers);
    if (!record->makespans_us || !record->makespan_of || !record->numbers)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u repetitions", csv->row_count);
    size_t errors = diags->errors;
    uint32_t count = take_makespans(record, sheet);
    if (diags->errors != errors)
        return SL_OK;
    if (csv->row_count != identity->repetitions)
        sl_diags_add(diags, SL_ERROR, "bad-row-count", place,
                     "%u repetitions, but replay.csv counts %u", csv->row_count,
                     identity->repetitions);
    else if (count != identity->judged)
        sl_diags_add(diags, SL_ERROR, "bad-row-count", place,
                     "%u judged repetitions%s%s, but replay.csv counts %u", count,
                     *identity->regime ? " in regime " : "", identity->regime, identity->judged);
    sl_sort_doubles(record->makespans_us, count);
    return SL_OK;
}

/* "preempted: 300": how many rows were rejected for each reason; the first few by name. */
static uint32_t count_rejects(const struct sl_csv *csv, char text[200])
{
    enum { NAMED = 4 };
    const char *names[NAMED];
    uint32_t counts[NAMED] = {0}, named = 0, rejected = 0;
    size_t length = 0;
    for (uint32_t row = 0; row < csv->row_count; row++) {
        const char *reason = sl_csv_cell(csv, row, REJECT);
        uint32_t k = 0;
        while (k < named && strcmp(names[k], reason) != 0)
            k++;
        rejected += *reason != '\0';
        if (!*reason || k == NAMED)
            continue;
        names[k] = reason;
        counts[k]++;
        named += k == named;
    }
    *text = '\0';
    for (uint32_t k = 0; k < named; k++)
        length += (size_t)snprintf(text + length, 200 - length, "%s%.30s: %" PRIu32,
                                   k > 0 ? ", " : "", names[k], counts[k]);
    return rejected;
}

/* A replay that judged nothing ends before it says of itself what it was. */
static enum sl_status tell_none_judged(const char *dir, struct sl_arena *arena,
                                       struct sl_diags *diags, struct sl_error *err)
{
    struct sheet sheet;
    char reasons[200];
    size_t errors = diags->errors;
    enum sl_status status = open_sheet(&sheet, dir, "repetitions.csv", repetition_columns,
                                       REPETITION_COLUMNS, arena, diags, err);
    if (status == SL_OK && diags->errors == errors) {
        uint32_t count = sheet.csv.row_count;
        uint32_t rejected = count_rejects(&sheet.csv, reasons);
        status = count > 0 && rejected == count
                     ? SL_FAIL(err, SL_INVALID,
                               "'%s' holds a replay of %" PRIu32
                               " repetitions of which none was judged (%s): replay again on a "
                               "machine that is left alone",
                               dir, count, reasons)
                     : SL_FAIL(err, SL_INVALID,
                               "'%s' holds a replay that did not end: %" PRIu32
                               " repetitions, and no replay.csv",
                               dir, count);
    }
    sl_csv_free(&sheet.csv);
    return status;
}

static bool has_file(const char *dir, const char *name, struct sl_arena *arena)
{
    const char *path = sl_arena_printf(arena, "%s/%s", dir, name);
    return path && access(path, F_OK) == 0;
}

enum sl_status sl_replay_record_read(struct sl_replay_record *record, const char *dir,
                                     struct sl_arena *arena, struct sl_diags *diags,
                                     struct sl_error *err)
{
    *record = (struct sl_replay_record){.dir = dir};
    struct sheet sheet;
    size_t errors = diags->errors;
    bool ended = has_file(dir, "replay.csv", arena);
    if (arena->starved)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (!ended && has_file(dir, "repetitions.csv", arena))
        return tell_none_judged(dir, arena, diags, err);
    enum sl_status status = open_sheet(&sheet, dir, "replay.csv", identity_columns,
                                       IDENTITY_COLUMNS, arena, diags, err);
    if (status == SL_OK && diags->errors == errors)
        status = take_identity(record, &sheet, err);
    sl_csv_free(&sheet.csv);
    if (status != SL_OK || diags->errors != errors)
        return status;
    status = open_sheet(&sheet, dir, "repetitions.csv", repetition_columns, REPETITION_COLUMNS,
                        arena, diags, err);
    if (status == SL_OK && diags->errors == errors)
        status = take_repetitions(record, &sheet, err);
    sl_csv_free(&sheet.csv);
    return status;
}
