/* kappa.csv: which rows of a calibration are taken, and their sets. */
#include "csvtab.h"
#include "kappa.h"
#include "known.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

/* Columns in the order of the calibration format; those that only describe a measurement are
 * allowed and not read. */
enum { VICTIM, SET, KAPPA, SET_SIZE, SHAPE, MODE, CI_LO, CI_HI, REGIME, STATUS, SOURCE };
static const struct sl_column_spec columns[] = {
    [VICTIM] = {"victim", true},   [SET] = {"set", true},
    [KAPPA] = {"kappa", true},     [SET_SIZE] = {"set_size", false},
    [SHAPE] = {"shape", false},    [MODE] = {"mode", false},
    [CI_LO] = {"ci_lo", false},    [CI_HI] = {"ci_hi", false},
    [REGIME] = {"regime", false},  [STATUS] = {"status", false},
    [SOURCE] = {"source", false},  {"kappa_exec", false},
    {"start_delay_med_ns", false}, {"co_resident_frac", false},
    {"between_session_sd", false}, {"n_pairs", false},
    {"n_rejected", false},         {"coverage_min", false},
    {"sessions", false},           {"throttled_frac", false},
    {"kappa_raw", false},          {"ratio_of_medians", false},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static const char *const modes[] = {"share", "queue", "mixed"};
static const char *const shapes[] = {"room", "fill"};

/* A column that splits the table into variants, of which one is taken. */
struct variant {
    int column;
    const char *what, *wanted; /* wanted NULL: the only one there is */
};

static void check_word(const struct sl_csv *table, uint32_t row, int column,
                       const char *const *words, size_t count, struct sl_diags *diags)
{
    const char *cell = sl_csv_cell(table, row, (uint32_t)column);
    if (!cell[0])
        return;
    for (size_t i = 0; i < count; i++)
        if (strcmp(cell, words[i]) == 0)
            return;
    char hint[128] = "";
    sl_suggest(hint, sizeof hint, cell, words, count);
    sl_diags_add(diags, SL_ERROR, "unknown-word", sl_csv_place(table, row, (uint32_t)column),
                 "unknown %s '%s'%s", columns[column].name, cell, hint);
}

static bool cell_allows(const struct sl_csv *table, uint32_t row, int column, const char *wanted)
{
    const char *cell = sl_csv_cell(table, row, (uint32_t)column);
    return !cell[0] || strcmp(cell, wanted) == 0;
}

/* Settles which value of a variant column is taken: the declared one, or the only one present. */
static bool settle_variant(const struct sl_csv *table, const bool *taken, struct variant *variant,
                           struct sl_diags *diags)
{
    const char *declared = variant->wanted;
    bool found = false;
    for (uint32_t r = 0; r < table->row_count; r++) {
        const char *cell = sl_csv_cell(table, r, (uint32_t)variant->column);
        if (!taken[r] || !cell[0])
            continue;
        if (declared) {
            found |= strcmp(cell, declared) == 0;
        } else if (!variant->wanted) {
            variant->wanted = cell;
        } else if (strcmp(cell, variant->wanted) != 0) {
            sl_diags_add(diags, SL_ERROR, "several-variants",
                         sl_csv_place(table, r, (uint32_t)variant->column),
                         "the table has rows of %s '%s' and '%s'; declare which one with kappa.%s",
                         variant->what, variant->wanted, cell, variant->what);
            return false;
        }
    }
    if (declared && !found) {
        sl_diags_add(diags, SL_ERROR, "unknown-variant", (struct sl_place){table->file, 0, 0},
                     "no usable row has %s '%s'", variant->what, declared);
        return false;
    }
    return true;
}

/* Splits "a+b+b" into class indices; false with a diagnostic when a name is empty or there are too
 * many. */
static bool read_set(struct sl_kappa *kappa, const char *text, struct sl_place place,
                     uint32_t set[SL_KAPPA_SET_MAX], uint32_t *size, struct sl_arena *arena,
                     struct sl_diags *diags)
{
    size_t count = 0;
    char **names = sl_split(arena, text, '+', &count);
    if (!names || count == 0 || count > SL_KAPPA_SET_MAX) {
        sl_diags_add(diags, SL_ERROR, "bad-set", place,
                     "'%.60s' names %zu classes; 1 to %d are allowed", text, count,
                     SL_KAPPA_SET_MAX);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!names[i][0]) {
            sl_diags_add(diags, SL_ERROR, "bad-set", place, "an empty class name in '%.60s'", text);
            return false;
        }
        set[i] = sl_names_add(&kappa->classes, names[i]);
        if (set[i] == SL_NONE) {
            sl_diags_add(diags, SL_ERROR, "out-of-memory", place, "out of memory");
            return false;
        }
    }
    *size = (uint32_t)count;
    return true;
}

static bool read_number(const struct sl_csv *table, uint32_t row, int column, double otherwise,
                        double *value, struct sl_diags *diags)
{
    const char *cell = sl_csv_cell(table, row, (uint32_t)column);
    char why[SL_WHY_SIZE];
    *value = otherwise;
    if (!cell[0] || sl_parse_number(cell, value, why))
        return true;
    sl_diags_add(diags, SL_ERROR, "bad-value", sl_csv_place(table, row, (uint32_t)column), "%s: %s",
                 columns[column].name, why);
    return false;
}

/* "assumed: source" of a status that says what kind of evidence the row is; of any other the source
 * itself, or that a calibration made it, which alone writes a mode. */
static bool read_evidence(const struct sl_csv *table, uint32_t r, struct sl_arena *arena,
                          const char **evidence)
{
    const char *status = sl_csv_cell(table, r, STATUS), *source = sl_csv_cell(table, r, SOURCE);
    bool kind = strcmp(status, "published") == 0 || strcmp(status, "assumed") == 0;
    if (kind && strncmp(source, status, strlen(status)) != 0)
        *evidence = sl_arena_printf(arena, "%s: %s", status, source);
    else if (source[0])
        *evidence = sl_arena_strdup(arena, source);
    else if (sl_csv_cell(table, r, MODE)[0])
        *evidence = sl_arena_strdup(arena, "measured: calibration");
    else
        return true;
    return *evidence;
}

static enum sl_status read_row(struct sl_kappa *kappa, const struct sl_csv *table, uint32_t r,
                               struct sl_arena *arena, struct sl_diags *diags, struct sl_error *err)
{
    uint32_t set[SL_KAPPA_SET_MAX];
    struct sl_kappa_row row = {.set = set, .place = sl_csv_place(table, r, KAPPA)};
    const char *victim = sl_csv_cell(table, r, VICTIM);
    double size;
    if (!victim[0] || !sl_csv_cell(table, r, KAPPA)[0]) {
        sl_diags_add(diags, SL_ERROR, "missing-value", sl_csv_place(table, r, VICTIM),
                     "a row needs victim, set and kappa");
        return SL_OK;
    }
    row.victim = sl_names_add(&kappa->classes, victim);
    if (row.victim == SL_NONE)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (!read_set(kappa, sl_csv_cell(table, r, SET), sl_csv_place(table, r, SET), set,
                  &row.set_size, arena, diags) ||
        !read_number(table, r, KAPPA, 0, &row.kappa, diags) ||
        !read_number(table, r, CI_LO, row.kappa, &row.lo, diags) ||
        !read_number(table, r, CI_HI, row.kappa, &row.hi, diags) ||
        !read_number(table, r, SET_SIZE, row.set_size, &size, diags))
        return SL_OK;
    if (size != row.set_size) {
        sl_diags_add(diags, SL_ERROR, "bad-set", sl_csv_place(table, r, SET_SIZE),
                     "set_size %g, but the set has %u members", size, row.set_size);
        return SL_OK;
    }
    if (!read_evidence(table, r, arena, &row.evidence))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    return sl_kappa_add_row(kappa, row, arena, diags, err);
}

static enum sl_status take_rows(struct sl_kappa *kappa, const struct sl_csv *table, bool *taken,
                                const char *shape, const char *regime, struct sl_arena *arena,
                                struct sl_diags *diags, struct sl_error *err)
{
    struct variant variants[] = {{SHAPE, "shape", shape}, {REGIME, "regime", regime}};
    for (uint32_t r = 0; r < table->row_count; r++) {
        check_word(table, r, MODE, modes, sizeof modes / sizeof modes[0], diags);
        check_word(table, r, SHAPE, shapes, sizeof shapes / sizeof shapes[0], diags);
        bool usable = sl_known_is_usable(sl_csv_cell(table, r, STATUS),
                                         sl_csv_place(table, r, STATUS), diags);
        taken[r] = usable && cell_allows(table, r, MODE, "share");
    }
    for (size_t v = 0; v < 2; v++) {
        if (!settle_variant(table, taken, &variants[v], diags))
            return SL_OK; /* rows of several variants would only look like duplicates */
        for (uint32_t r = 0; r < table->row_count && variants[v].wanted; r++)
            taken[r] &= cell_allows(table, r, variants[v].column, variants[v].wanted);
    }
    if (variants[1].wanted) {
        kappa->regime = sl_arena_strdup(arena, variants[1].wanted);
        if (!kappa->regime)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    for (uint32_t r = 0; r < table->row_count; r++) {
        enum sl_status status = taken[r] ? read_row(kappa, table, r, arena, diags, err) : SL_OK;
        if (status != SL_OK)
            return status;
    }
    return SL_OK;
}

enum sl_status sl_kappa_read_table(struct sl_kappa *kappa, const char *path, const char *shape,
                                   const char *regime, struct sl_arena *arena,
                                   struct sl_diags *diags, struct sl_error *err)
{
    struct sl_csv table = {0};
    bool *taken = NULL;
    size_t before = diags->errors;
    enum sl_status status = sl_csv_read(&table, path, columns, COLUMNS, diags, err);
    if (status != SL_OK || diags->errors > before)
        goto out;
    taken = calloc((size_t)table.row_count + 1, sizeof *taken);
    table.file = sl_arena_strdup(arena, path); /* rows keep their places beyond the table */
    status = taken && table.file ? take_rows(kappa, &table, taken, shape, regime, arena, diags, err)
                                 : SL_FAIL(err, SL_SYSTEM, "out of memory");
out:
    free(taken);
    sl_csv_free(&table);
    return status;
}
