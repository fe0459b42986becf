/* Rows of a device folder beside one session measured now. */
#include "config.h"

#include "csvtab.h"
#include "fields.h"
#include "verify.h"
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SESSIONS 1000000
#define MOST_VALUE    1e18
/* What sessions that agree to the last digit may still differ by: times are whole nanoseconds, and
 * tables have nine digits. */
#define CLOCK_NS     1.0
#define TABLE_DIGITS 1e-8

/* The columns that are read; those that only describe a measurement are allowed. */
enum {
    CLASS,
    VARIANT,
    DIR,
    SIZE,
    MEM_KIND,
    LAUNCH,
    CACHE,
    MEDIAN,
    D_LO,
    D_HI,
    D_SESSIONS,
    D_STATUS,
    D_REGIME
};
static const struct sl_column_spec duration_columns[] = {
    [CLASS] = {"class", true},
    [VARIANT] = {"variant", false},
    [DIR] = {"dir", false},
    [SIZE] = {"size_bytes", true},
    [MEM_KIND] = {"mem_kind", false},
    [LAUNCH] = {"launch", false},
    [CACHE] = {"cache", false},
    [MEDIAN] = {"dur_med_ns", true},
    [D_LO] = {"ci_lo_ns", true},
    [D_HI] = {"ci_hi_ns", true},
    [D_SESSIONS] = {"sessions", true},
    [D_STATUS] = {"status", true},
    [D_REGIME] = {"regime", true},
    {"n", false},
    {"dist", false},
    {"dur_p05_ns", false},
    {"dur_p95_ns", false},
    {"dur_p99_ns", false},
    {"launch_lat_med_ns", false},
    {"timer", false},
    {"cupti_overhead_pct", false},
    {"sm_mhz_med", false},
    {"throttled_frac", false},
    {"work_flop", false},
    {"evidence", false},
    {"shared_sd_log", false},
};
enum { VICTIM, SET, SET_SIZE, SHAPE, RAW, K_LO, K_HI, K_SESSIONS, K_STATUS, K_REGIME };
static const struct sl_column_spec kappa_columns[] = {
    [VICTIM] = {"victim", true},
    [SET] = {"set", true},
    [SET_SIZE] = {"set_size", true},
    [SHAPE] = {"shape", true},
    [RAW] = {"kappa_raw", true},
    [K_LO] = {"ci_lo", true},
    [K_HI] = {"ci_hi", true},
    [K_SESSIONS] = {"sessions", true},
    [K_STATUS] = {"status", true},
    [K_REGIME] = {"regime", true},
    {"mode", false},
    {"kappa", false},
    {"kappa_exec", false},
    {"start_delay_med_ns", false},
    {"co_resident_frac", false},
    {"between_session_sd", false},
    {"n_pairs", false},
    {"n_rejected", false},
    {"coverage_min", false},
    {"throttled_frac", false},
    {"source", false},
    {"ratio_of_medians", false},
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum sl_status sl_verify_open(struct sl_verify *verify, const char *dir, struct sl_error *err)
{
    *verify = (struct sl_verify){0};
    const char *path = sl_path_join(&verify->arena, dir, "durations.csv");
    return path ? sl_table_head_read(&verify->head, path, &verify->arena, err)
                : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

/* A table while its rows are taken. */
struct table {
    struct sl_verify *verify;
    const struct sl_case_list *cases;
    struct sl_names keys; /* of the cases */
    struct sl_csv csv;
    struct sl_reader reader;
};

static const char *cell(const struct table *table, uint32_t row, uint32_t column)
{
    return sl_csv_cell(&table->csv, row, column);
}

/* NAN where the cell is empty; false when it is diagnosed. */
static bool number(const struct table *table, uint32_t row, uint32_t column, const char *what,
                   double *value)
{
    const char *text = cell(table, row, column);
    *value = (double)NAN;
    return !text[0] || sl_value_number(&table->reader, text, sl_csv_place(&table->csv, row, column),
                                       what, 0, MOST_VALUE, value);
}

/* Takes a row of the case with this key; `key` NULL: out of memory. */
static void take(struct table *table, uint32_t row, const char *key, const uint32_t columns[4],
                 const char *regime)
{
    struct sl_verify *verify = table->verify;
    struct sl_verify_row *made = &verify->rows[verify->count];
    uint32_t index = key ? sl_names_find(&table->keys, key) : SL_NONE;
    int64_t sessions = 0;
    *made = (struct sl_verify_row){.case_index = index, .now = (double)NAN};
    if (index == SL_NONE || table->cases->cases[index].waived) {
        verify->others++;
        return;
    }
    made->regime = sl_arena_strdup(&verify->arena, regime);
    bool good = number(table, row, columns[0], "the value", &made->value);
    good &= number(table, row, columns[1], "the interval", &made->lo);
    good &= number(table, row, columns[2], "the interval", &made->hi);
    good &= sl_value_integer(&table->reader, cell(table, row, columns[3]),
                             sl_csv_place(&table->csv, row, columns[3]), "sessions", 0,
                             MOST_SESSIONS, &sessions);
    made->sessions = (uint32_t)sessions;
    verify->count += good && made->regime && made->value > 0;
}

static void take_duration(struct table *table, uint32_t row)
{
    static const uint32_t columns[] = {MEDIAN, D_LO, D_HI, D_SESSIONS};
    struct sl_work_form form = {cell(table, row, VARIANT), cell(table, row, DIR),
                                cell(table, row, MEM_KIND), cell(table, row, LAUNCH),
                                cell(table, row, CACHE)};
    int64_t bytes;
    if (strcmp(cell(table, row, D_STATUS), "ok") != 0 ||
        !sl_value_integer(&table->reader, cell(table, row, SIZE),
                          sl_csv_place(&table->csv, row, SIZE), "size_bytes", 0, INT64_MAX, &bytes))
        return;
    take(table, row,
         sl_case_alone_key(cell(table, row, CLASS), &form, bytes, &table->verify->arena), columns,
         cell(table, row, D_REGIME));
}

static void take_kappa(struct table *table, uint32_t row)
{
    static const uint32_t columns[] = {RAW, K_LO, K_HI, K_SESSIONS};
    const char *shape = cell(table, row, SHAPE);
    if (strcmp(cell(table, row, K_STATUS), "ok") != 0)
        return;
    const char *kind = strcmp(cell(table, row, SET_SIZE), "1") == 0 ? "pair" : "set";
    take(table, row,
         sl_arena_printf(&table->verify->arena, "%s:%s|%s%s%s", kind, cell(table, row, VICTIM),
                         cell(table, row, SET), *shape ? ":" : "", shape),
         columns, cell(table, row, K_REGIME));
}

static enum sl_status read_table(struct table *table, const char *dir, const char *name,
                                 const struct sl_column_spec *spec, uint32_t spec_count,
                                 void (*take_row)(struct table *table, uint32_t row),
                                 struct sl_error *err)
{
    struct sl_verify *verify = table->verify;
    struct sl_diags diags = {0};
    const char *path = sl_path_join(&verify->arena, dir, name);
    table->reader = (struct sl_reader){&verify->arena, &diags, "."};
    enum sl_status status = path ? sl_csv_read(&table->csv, path, spec, spec_count, &diags, err)
                                 : SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        status = sl_diags_status(&diags, err);
    uint32_t need = verify->count + table->csv.row_count;
    if (status == SL_OK &&
        !sl_grow((void **)&verify->rows, &verify->capacity, need + 1, sizeof *verify->rows))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t row = 0; status == SL_OK && row < table->csv.row_count; row++)
        take_row(table, row);
    if (status == SL_OK)
        status = sl_diags_status(&diags, err);
    sl_csv_free(&table->csv);
    sl_diags_free(&diags);
    return status;
}

enum sl_status sl_verify_read(struct sl_verify *verify, const char *dir,
                              const struct sl_case_list *cases, struct sl_error *err)
{
    struct table table = {.verify = verify, .cases = cases};
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; status == SL_OK && i < cases->count; i++)
        if (sl_names_add(&table.keys, cases->cases[i].key) != i)
            status = SL_FAIL(err, SL_SYSTEM, "out of memory, or two cases of one name");
    if (status == SL_OK)
        status = read_table(&table, dir, "durations.csv", duration_columns, COUNT(duration_columns),
                            take_duration, err);
    if (status == SL_OK)
        status = read_table(&table, dir, "kappa.csv", kappa_columns, COUNT(kappa_columns),
                            take_kappa, err);
    sl_names_free(&table.keys);
    return status;
}

void sl_verify_draw(struct sl_verify *verify, struct sl_case_list *cases, uint32_t wanted,
                    uint64_t seed)
{
    uint32_t left = verify->count, kept = 0;
    wanted = wanted < left ? wanted : left;
    for (uint32_t i = 0; i < verify->count; i++, left--)
        if (sl_hash_index(seed ^ sl_hash_index(i)) % left < wanted - kept)
            verify->rows[kept++] = verify->rows[i];
    verify->count = kept;
    for (uint32_t c = 0; c < cases->count; c++) {
        bool drawn = false;
        for (uint32_t i = 0; i < kept && !drawn; i++)
            drawn = verify->rows[i].case_index == c;
        if (!drawn && !cases->cases[c].waived)
            cases->cases[c].waived = "not drawn";
    }
}

double sl_verify_allowed(double value, double lo, double hi, uint32_t sessions, uint32_t rows)
{
    if (!(lo > 0) || !(hi >= lo) || sessions < 2 || rows == 0)
        return (double)NAN;
    double half = fmax(fabs(log(hi / value)), fabs(log(value / lo))), freedom = sessions - 1;
    return half * sqrt(sessions + 1.0) * gsl_cdf_tdist_Pinv(1 - 0.025 / rows, freedom) /
           gsl_cdf_tdist_Pinv(0.975, freedom);
}

/* The figure of a case in a regime, NAN without one. */
static double measured_now(const struct sl_estimates *now, const struct sl_verify_row *row)
{
    for (uint32_t i = 0; i < now->duration_count; i++)
        if (now->durations[i].case_index == row->case_index &&
            now->durations[i].status != SL_ROW_OTHER_TIMER &&
            strcmp(now->durations[i].regime, row->regime) == 0)
            return now->durations[i].median_ns.value;
    for (uint32_t i = 0; i < now->kappa_count; i++)
        if (now->kappas[i].case_index == row->case_index &&
            strcmp(now->kappas[i].regime, row->regime) == 0)
            return now->kappas[i].raw.value;
    return (double)NAN;
}

void sl_verify_compare(struct sl_verify *verify, const struct sl_estimates *now)
{
    const struct sl_case_list *cases = now->measured->cases;
    for (uint32_t i = 0; i < verify->count; i++) {
        struct sl_verify_row *row = &verify->rows[i];
        row->now = measured_now(now, row);
        bool is_time = cases->cases[row->case_index].kind == SL_CASE_ALONE;
        row->allowed =
            sl_verify_allowed(row->value, row->lo, row->hi, row->sessions, verify->count) +
            (is_time ? CLOCK_NS / row->value : 0) + TABLE_DIGITS;
    }
}

bool sl_verify_moved(const struct sl_verify_row *row)
{
    return fabs(log(row->now / row->value)) > row->allowed; /* false where either is NAN */
}

void sl_verify_free(struct sl_verify *verify)
{
    free(verify->rows);
    sl_arena_free(&verify->arena);
    *verify = (struct sl_verify){0};
}
