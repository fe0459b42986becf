/* durations.csv of a device folder: the calibration tool's columns, and `work_flop` and `evidence`.
 *
 * Cold caches, graph launches and pageable memory are other machines than the one simulated, so
 * their rows are left to people; what stays may state each class, variant and size once. */
#include <config.h>

#include "csvtab.h"
#include "device.h"
#include <math.h>
#include <string.h>

enum {
    CLASS,
    VARIANT,
    DIR,
    SIZE,
    MEM_KIND,
    LAUNCH,
    CACHE,
    N,
    SESSIONS,
    DIST,
    P05,
    MED,
    P95,
    P99,
    CI_LO,
    CI_HI,
    LAUNCH_LAT,
    TIMER,
    CUPTI,
    SM_MHZ,
    THROTTLED,
    STATUS,
    WORK_FLOP,
    EVIDENCE,
    REGIME,
    SHARED,
    COLUMNS
};
static const struct sl_column_spec columns[COLUMNS] = {
    [CLASS] = {"class", true},
    [VARIANT] = {"variant", false},
    [DIR] = {"dir", false},
    [SIZE] = {"size_bytes", false},
    [MEM_KIND] = {"mem_kind", false},
    [LAUNCH] = {"launch", false},
    [CACHE] = {"cache", false},
    [N] = {"n", false},
    [SESSIONS] = {"sessions", false},
    [DIST] = {"dist", true},
    [P05] = {"dur_p05_ns", false},
    [MED] = {"dur_med_ns", false},
    [P95] = {"dur_p95_ns", false},
    [P99] = {"dur_p99_ns", false},
    [CI_LO] = {"ci_lo_ns", false},
    [CI_HI] = {"ci_hi_ns", false},
    [LAUNCH_LAT] = {"launch_lat_med_ns", false},
    [TIMER] = {"timer", false},
    [CUPTI] = {"cupti_overhead_pct", false},
    [SM_MHZ] = {"sm_mhz_med", false},
    [THROTTLED] = {"throttled_frac", false},
    [STATUS] = {"status", false},
    [WORK_FLOP] = {"work_flop", false},
    [EVIDENCE] = {"evidence", false},
    [REGIME] = {"regime", false},
    [SHARED] = {"shared_sd_log", false},
};

#define MAX_ROWS     10000 /* the check for duplicates compares every two */
#define MAX_SESSIONS 1000000
#define PS_PER_NS    1e3

static bool is(const struct sl_csv *table, uint32_t row, uint32_t column, const char *word)
{
    return strcmp(sl_csv_cell(table, row, column), word) == 0;
}

/* True for rows of the machine that is simulated. */
static bool taken(const struct sl_csv *table, uint32_t row, struct sl_diags *diags)
{
    return sl_known_is_usable(sl_csv_cell(table, row, STATUS), sl_csv_place(table, row, STATUS),
                              diags) &&
           !is(table, row, CACHE, "cold") && !is(table, row, LAUNCH, "graph") &&
           !is(table, row, MEM_KIND, "pageable");
}

static bool read_size(const struct sl_csv *table, uint32_t row, uint32_t column,
                      const struct sl_reader *reader, double *value)
{
    const char *text = sl_csv_cell(table, row, column);
    *value = (double)NAN;
    return text[0] == '\0' || sl_value_number(reader, text, sl_csv_place(table, row, column),
                                              columns[column].name, 1.0, 1e24, value);
}

static bool read_ns(const struct sl_csv *table, uint32_t row, uint32_t column,
                    const struct sl_reader *reader, double *value)
{
    const char *text = sl_csv_cell(table, row, column);
    *value = (double)NAN;
    return text[0] == '\0' || sl_value_number(reader, text, sl_csv_place(table, row, column),
                                              columns[column].name, 0.0, 1e24, value);
}

/* The interval of the median, ci_lo_ns to ci_hi_ns, as one of a factor on the duration.  The median
 * is dur_med_ns, or that of the fitted distribution. */
static bool read_interval(const struct sl_csv *table, uint32_t row, const struct sl_reader *reader,
                          struct sl_duration_row *read)
{
    double median, lo, hi;
    struct sl_place place = sl_csv_place(table, row, CI_LO);
    read->factor = (struct sl_known){1, 1, 1};
    if (!read_ns(table, row, MED, reader, &median) || !read_ns(table, row, CI_LO, reader, &lo) ||
        !read_ns(table, row, CI_HI, reader, &hi))
        return false;
    if (isnan(lo) && isnan(hi))
        return true;
    if (isnan(median))
        median = sl_dist_quantile(read->dist, 0.5) / PS_PER_NS;
    if (0 < lo && lo <= median && median <= hi) {
        read->factor = (struct sl_known){1, lo / median, hi / median};
        return true;
    }
    sl_diags_add(reader->diags, SL_ERROR, "bad-value", place,
                 "the median of %g ns lies outside its interval from ci_lo_ns %g to ci_hi_ns %g "
                 "(allowed: 0 < ci_lo_ns <= the median <= ci_hi_ns, or both empty)",
                 median, lo, hi);
    return false;
}

static bool read_sessions(const struct sl_csv *table, uint32_t row, const struct sl_reader *reader,
                          uint32_t *sessions)
{
    const char *text = sl_csv_cell(table, row, SESSIONS);
    int64_t number = 0;
    bool good = !text[0] || sl_value_integer(reader, text, sl_csv_place(table, row, SESSIONS),
                                             "sessions", 0, MAX_SESSIONS, &number);
    *sessions = (uint32_t)number;
    return good;
}

static bool same_work(const struct sl_duration_row *a, const struct sl_duration_row *b)
{
    return a->klass == b->klass && strcmp(a->variant, b->variant) == 0 &&
           (a->size_bytes == b->size_bytes || (isnan(a->size_bytes) && isnan(b->size_bytes))) &&
           (a->flop == b->flop || (isnan(a->flop) && isnan(b->flop)));
}

static void add_row(struct sl_platform *platform, const struct sl_reader *reader,
                    const struct sl_duration_row *row)
{
    for (uint32_t i = 0; i < platform->duration_count; i++)
        if (same_work(&platform->durations[i], row)) {
            sl_diags_add(reader->diags, SL_ERROR, "duplicate-duration", row->place,
                         "class '%s' is already given at this size at %s:%d",
                         platform->kappa.classes.names[row->klass],
                         platform->durations[i].place.file, platform->durations[i].place.line);
            return;
        }
    if (!sl_grow((void **)&platform->durations, &platform->duration_capacity,
                 platform->duration_count + 1, sizeof *platform->durations)) {
        sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", row->place, "out of memory");
        return;
    }
    platform->durations[platform->duration_count++] = *row;
}

static void read_row(struct sl_platform *platform, const struct sl_reader *reader,
                     const struct sl_csv *table, uint32_t row, const char *path)
{
    struct sl_duration_row read = {.place = sl_csv_place(table, row, CLASS)};
    read.place.file = path;
    const char *klass = sl_csv_cell(table, row, CLASS), *evidence = "";
    bool complete = sl_value_name(reader, klass, read.place, "class", ";+");
    struct sl_place size_place = sl_csv_place(table, row, SIZE);
    complete &= read_size(table, row, SIZE, reader, &read.size_bytes);
    complete &= read_size(table, row, WORK_FLOP, reader, &read.flop);
    complete &= read_ns(table, row, LAUNCH_LAT, reader, &read.launch_latency_ns);
    complete &= sl_value_dist(reader, sl_csv_cell(table, row, DIST), sl_csv_place(table, row, DIST),
                              "dist", SL_DIST_TIME, &read.dist);
    complete = complete && read_interval(table, row, reader, &read) &&
               read_sessions(table, row, reader, &read.sessions);
    unsigned word;
    const char *source;
    evidence = sl_csv_cell(table, row, EVIDENCE);
    if (evidence[0])
        complete &=
            sl_value_evidence(reader, evidence, sl_csv_place(table, row, EVIDENCE), &word, &source);
    if (complete && isnan(read.size_bytes) && isnan(read.flop)) {
        sl_diags_add(reader->diags, SL_ERROR, "missing-size",
                     size_place.line ? size_place : read.place,
                     "class '%s': a duration needs its size_bytes or its work_flop", klass);
        return;
    }
    if (!complete)
        return;
    read.klass = sl_names_add(&platform->kappa.classes, klass);
    read.variant = sl_arena_strdup(reader->arena, sl_csv_cell(table, row, VARIANT));
    read.evidence =
        sl_arena_strdup(reader->arena, evidence[0] ? evidence : "measured: calibration");
    if (read.klass != SL_NONE && read.variant && read.evidence)
        add_row(platform, reader, &read);
}

enum sl_status sl_durations_read(struct sl_platform *platform, const char *path,
                                 struct sl_arena *arena, struct sl_diags *diags,
                                 struct sl_error *err)
{
    struct sl_csv table;
    size_t before = diags->errors;
    const char *slash = strrchr(path, '/');
    const struct sl_reader reader = {
        arena, diags, slash ? sl_arena_printf(arena, "%.*s", (int)(slash - path), path) : "."};
    enum sl_status status = sl_csv_read(&table, path, columns, COLUMNS, diags, err);
    if (status == SL_OK && table.row_count > MAX_ROWS)
        sl_diags_add(diags, SL_ERROR, "too-many-rows", (struct sl_place){path, 1, 1},
                     "%u rows (allowed: %d)", table.row_count, MAX_ROWS);
    if (status == SL_OK && diags->errors == before)
        for (uint32_t row = 0; row < table.row_count; row++)
            if (taken(&table, row, diags))
                read_row(platform, &reader, &table, row, path);
    sl_csv_free(&table);
    if (status)
        return status;
    if (!sl_platform_note_input(platform, path, arena))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    return diags->errors > before ? sl_diags_status(diags, err) : SL_OK;
}
