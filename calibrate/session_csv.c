/* A session's file. */
#include "config.h"

#include "csvtab.h"
#include "fields.h"
#include "outfile.h"
#include "session_csv.h"
#include "table_head.h"
#include "text.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BLOCKS 1000000
#define MOST_NS     1e18
#define HASH_SIZE   17

enum {
    SEQ,
    CASE,
    BLOCK,
    PAIR,
    ROLE,
    BEGIN,
    REGIME,
    SUBMITTED,
    START,
    END,
    EXEC,
    START_DELAY,
    COVERAGE,
    CO_RESIDENT,
    SENTINEL,
    SM_MHZ,
    THROTTLED,
    TIMER,
    REJECT,
    COLUMNS
};
static const struct sl_column_spec columns[COLUMNS] = {
    [SEQ] = {"seq", true},
    [CASE] = {"case", true},
    [BLOCK] = {"block", true},
    [PAIR] = {"pair", true},
    [ROLE] = {"role", true},
    [BEGIN] = {"begin_ns", true},
    [REGIME] = {"regime", true},
    [SUBMITTED] = {"submitted_ns", true},
    [START] = {"start_ns", true},
    [END] = {"end_ns", true},
    [EXEC] = {"exec_ns", true},
    [START_DELAY] = {"start_delay_ns", true},
    [COVERAGE] = {"coverage", true},
    [CO_RESIDENT] = {"co_resident", true},
    [SENTINEL] = {"sentinel_ns", true},
    [SM_MHZ] = {"sm_mhz", true},
    [THROTTLED] = {"throttled", true},
    [TIMER] = {"timer", true},
    [REJECT] = {"reject", true},
};
static const char *const roles[] = {[SL_ROLE_ALONE] = "alone", [SL_ROLE_BESIDE] = "beside"};

enum sl_status sl_session_path(char *path, size_t size, const char *dir, uint32_t session,
                               struct sl_error *err)
{
    int length = snprintf(path, size, "%s/sessions/session-%02" PRIu32 ".csv", dir, session);
    return length >= 0 && (size_t)length < size
               ? SL_OK
               : SL_FAIL(err, SL_USAGE, "the path of the folder is too long");
}

static void cases_hash(const struct sl_session_identity *identity, char text[HASH_SIZE])
{
    snprintf(text, HASH_SIZE, "%016" PRIx64, sl_case_list_hash(identity->cases));
}

/* "# key=value"; a line end in the value would end the comment. */
static void put_fact(FILE *out, const char *key, const char *value)
{
    fprintf(out, "# %s=", key);
    sl_put_clean(value, out);
    putc('\n', out);
}

static void put_head(FILE *out, const struct sl_session_identity *identity, const char *start,
                     uint32_t shots)
{
    char hash[HASH_SIZE];
    cases_hash(identity, hash);
    put_fact(out, "tool", "slackline-calibrate " PACKAGE_VERSION);
    put_fact(out, "backend", identity->backend->name);
    put_fact(out, "depth", identity->depth->name);
    fprintf(out, "# seed=%" PRIu64 "\n", identity->seed);
    put_fact(out, "cases", hash);
    put_fact(out, "start", start);
    fprintf(out, "# shots=%" PRIu32 "\n", shots);
    for (uint32_t i = 0; i < identity->fingerprint->count; i++)
        put_fact(out, identity->fingerprint->facts[i].key, identity->fingerprint->facts[i].value);
    for (int c = 0; c < COLUMNS; c++)
        fprintf(out, "%s%s", columns[c].name, c + 1 < COLUMNS ? "," : "\n");
}

/* A cell that is empty where the value is not known. */
static void put_number(FILE *out, double value)
{
    if (!isnan(value))
        fprintf(out, "%.15g", value);
    putc(',', out);
}

static void put_row(FILE *out, const struct sl_case_list *cases, const struct sl_measurement *m)
{
    const struct sl_sample *sample = &m->sample;
    fprintf(out, "%" PRIu32 ",", m->seq);
    sl_csv_put(out, cases->cases[m->case_index].key);
    fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%s,%" PRId64 ",", m->block, m->pair, roles[m->role],
            m->begin_ns);
    sl_csv_put(out, m->regime);
    fprintf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", sample->submitted_ns, sample->start_ns,
            sample->end_ns);
    put_number(out, sample->exec_ns);
    put_number(out, sample->start_delay_ns);
    put_number(out, sample->coverage);
    put_number(out, sample->co_resident);
    put_number(out, sample->sentinel_ns);
    put_number(out, sample->sm_mhz);
    fprintf(out, "%d,", sample->throttled);
    sl_csv_put(out, sample->timer ? sample->timer : "");
    fprintf(out, ",%s\n", sl_reject_name(sample->reject));
}

enum sl_status sl_session_write(const char *path, const struct sl_session_identity *identity,
                                const char *start, const struct sl_measurements *measured,
                                struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_outfile_open(&file, path, err);
    if (status != SL_OK)
        return status;
    put_head(file.stream, identity, start, measured->count);
    for (uint32_t i = 0; i < measured->count; i++)
        put_row(file.stream, identity->cases, &measured->items[i]);
    return sl_outfile_commit(&file, err);
}

static enum sl_status agree(const struct sl_table_head *head, const char *key, const char *value,
                            struct sl_arena *arena, struct sl_error *err)
{
    const struct sl_table_fact *fact = sl_table_head_find(head, key);
    const char *found = fact ? fact->value : "", *wanted = sl_clean_text(arena, value);
    if (!wanted)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (strcmp(found, wanted) == 0)
        return SL_OK;
    return SL_FAIL(err, SL_USAGE,
                   "'%s' is of another calibration: its %s is '%s', here it is '%s' (--force "
                   "measures all again)",
                   head->file, key, found, wanted);
}

/* The first thing in which the file's head differs. */
static enum sl_status check_head(const struct sl_table_head *head,
                                 const struct sl_session_identity *identity, struct sl_arena *arena,
                                 struct sl_error *err)
{
    char hash[HASH_SIZE], seed[24];
    cases_hash(identity, hash);
    snprintf(seed, sizeof seed, "%" PRIu64, identity->seed);
    if (!sl_table_head_find(head, "tool"))
        return SL_FAIL(
            err, SL_INVALID,
            "'%s' is no session's file: its first lines do not say what wrote it (remove "
            "it, and --resume measures the session again)",
            head->file);
    enum sl_status status = agree(head, "tool", "slackline-calibrate " PACKAGE_VERSION, arena, err);
    if (status == SL_OK)
        status = agree(head, "backend", identity->backend->name, arena, err);
    if (status == SL_OK)
        status = agree(head, "depth", identity->depth->name, arena, err);
    if (status == SL_OK)
        status = agree(head, "seed", seed, arena, err);
    for (uint32_t i = 0; status == SL_OK && i < identity->fingerprint->identity_count; i++)
        status = agree(head, identity->fingerprint->facts[i].key,
                       identity->fingerprint->facts[i].value, arena, err);
    return status == SL_OK ? agree(head, "cases", hash, arena, err) : status;
}

struct rows {
    const struct sl_csv *table;
    struct sl_reader reader;
    struct sl_names keys; /* of the cases, by index */
    const struct sl_case_list *cases;
    struct sl_names *texts; /* that outlive the table */
};

static bool read_integer(const struct rows *rows, uint32_t row, uint32_t column, int64_t low,
                         int64_t high, int64_t *value)
{
    return sl_value_integer(&rows->reader, sl_csv_cell(rows->table, row, column),
                            sl_csv_place(rows->table, row, column), columns[column].name, low, high,
                            value);
}

/* NAN where the cell is empty. */
static bool read_number(const struct rows *rows, uint32_t row, uint32_t column, double high,
                        double *value)
{
    const char *text = sl_csv_cell(rows->table, row, column);
    *value = (double)NAN;
    return !text[0] || sl_value_number(&rows->reader, text, sl_csv_place(rows->table, row, column),
                                       columns[column].name, 0, high, value);
}

static bool read_word(const struct rows *rows, uint32_t row, uint32_t column,
                      const char *const *words, size_t count, unsigned *index)
{
    return sl_value_choice(&rows->reader, sl_csv_cell(rows->table, row, column),
                           sl_csv_place(rows->table, row, column), columns[column].name, words,
                           count, NULL, index);
}

/* The cell's text among those that outlive the table; NULL: out of memory. */
static const char *read_text(const struct rows *rows, uint32_t row, uint32_t column)
{
    uint32_t index = sl_names_add(rows->texts, sl_csv_cell(rows->table, row, column));
    return index == SL_NONE ? NULL : rows->texts->names[index];
}

static bool read_case(const struct rows *rows, uint32_t row, uint32_t *index)
{
    struct sl_place place = sl_csv_place(rows->table, row, CASE);
    const char *key = sl_csv_cell(rows->table, row, CASE);
    if (!sl_value_ref(&rows->reader, key, place, "case", &rows->keys, index))
        return false;
    if (!rows->cases->cases[*index].waived)
        return true;
    sl_diags_add(rows->reader.diags, SL_ERROR, "waived-case", place,
                 "case '%s' can't be measured here: %s", key, rows->cases->cases[*index].waived);
    return false;
}

/* Where in the protocol the row's shot belongs. */
static bool read_slot(const struct rows *rows, uint32_t row, struct sl_measurement *m)
{
    int64_t block, pair;
    unsigned role;
    bool good = read_case(rows, row, &m->case_index);
    good &= read_integer(rows, row, BLOCK, 0, MOST_BLOCKS, &block);
    good &= read_integer(rows, row, PAIR, 0, 1, &pair);
    good &= read_word(rows, row, ROLE, roles, 2, &role);
    good &= read_integer(rows, row, BEGIN, INT64_MIN, INT64_MAX, &m->begin_ns);
    if (!good)
        return false;
    m->block = (uint32_t)block;
    m->pair = (uint32_t)pair;
    m->role = (enum sl_measurement_role)role;
    return true;
}

static bool read_sample(const struct rows *rows, uint32_t row, struct sl_sample *sample)
{
    const char *words[SL_REJECT_COUNT];
    for (int i = 0; i < SL_REJECT_COUNT; i++)
        words[i] = sl_reject_name((enum sl_reject)i);
    unsigned reject;
    int64_t throttled;
    bool good = read_integer(rows, row, SUBMITTED, INT64_MIN, INT64_MAX, &sample->submitted_ns);
    good &= read_integer(rows, row, START, INT64_MIN, INT64_MAX, &sample->start_ns);
    good &= read_integer(rows, row, END, INT64_MIN, INT64_MAX, &sample->end_ns);
    good &= read_number(rows, row, EXEC, MOST_NS, &sample->exec_ns);
    good &= read_number(rows, row, START_DELAY, MOST_NS, &sample->start_delay_ns);
    good &= read_number(rows, row, COVERAGE, 1, &sample->coverage);
    good &= read_number(rows, row, CO_RESIDENT, 1, &sample->co_resident);
    good &= read_number(rows, row, SENTINEL, MOST_NS, &sample->sentinel_ns);
    good &= read_number(rows, row, SM_MHZ, 1e6, &sample->sm_mhz);
    good &= read_integer(rows, row, THROTTLED, 0, 1, &throttled);
    good &= read_word(rows, row, REJECT, words, SL_REJECT_COUNT, &reject);
    if (!good)
        return false;
    sample->throttled = throttled == 1;
    sample->timer = read_text(rows, row, TIMER);
    sample->reject = (enum sl_reject)reject;
    sample->dur_ns = sl_interval_ns(sample->start_ns, sample->end_ns);
    if (sample->reject != SL_REJECT_NONE || (sample->dur_ns > 0 && !isnan(sample->coverage)))
        return true;
    sl_diags_add(rows->reader.diags, SL_ERROR, "bad-value", sl_csv_place(rows->table, row, END),
                 "a shot that was not rejected has a time above 0 and a coverage");
    return false;
}

static enum sl_status read_rows(struct rows *rows, uint32_t session,
                                struct sl_measurements *measured, struct sl_error *err)
{
    const struct sl_csv *table = rows->table;
    uint32_t need = measured->count + table->row_count;
    if (need < measured->count ||
        !sl_grow((void **)&measured->items, &measured->capacity, need, sizeof *measured->items))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u measurements", need);
    for (uint32_t row = 0; row < table->row_count; row++) {
        int64_t seq;
        struct sl_measurement m = {
            .session = session, .seq = row, .regime = read_text(rows, row, REGIME)};
        bool good = read_integer(rows, row, SEQ, row, row, &seq);
        good &= read_slot(rows, row, &m);
        good &= read_sample(rows, row, &m.sample);
        if (good && (!m.regime || !m.sample.timer))
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        if (good && !m.sample.timer[0])
            m.sample.timer = NULL;
        if (good)
            measured->items[measured->count++] = m;
    }
    return sl_diags_status(rows->reader.diags, err);
}

/* A file that was cut at the end of a row reads well and says less. */
static enum sl_status check_length(const struct sl_table_head *head, const struct sl_csv *table,
                                   struct sl_error *err)
{
    char shots[16];
    snprintf(shots, sizeof shots, "%" PRIu32, table->row_count);
    const struct sl_table_fact *written = sl_table_head_find(head, "shots");
    if (written && strcmp(written->value, shots) == 0)
        return SL_OK;
    return SL_FAIL(err, SL_INVALID,
                   "'%s' holds %s rows where its first lines say %s (remove it, and --resume "
                   "measures the session again)",
                   head->file, shots, written ? written->value : "nothing of how many");
}

static bool name_cases(struct rows *rows)
{
    for (uint32_t i = 0; i < rows->cases->count; i++)
        if (sl_names_add(&rows->keys, rows->cases->cases[i].key) != i)
            return false;
    return true;
}

static enum sl_status read_table(const struct sl_table_head *head,
                                 const struct sl_session_identity *identity, uint32_t session,
                                 struct sl_measurements *measured, struct sl_names *texts,
                                 struct sl_error *err)
{
    struct sl_diags diags = {0};
    struct sl_csv table = {0};
    struct rows rows = {.table = &table,
                        .reader = {.arena = &table.arena, .diags = &diags, .base_dir = "."},
                        .cases = identity->cases,
                        .texts = texts};
    enum sl_status status = sl_csv_read(&table, head->file, columns, COLUMNS, &diags, err);
    if (status == SL_OK)
        status = sl_diags_status(&diags, err);
    if (status == SL_OK)
        status = check_length(head, &table, err);
    if (status == SL_OK && !name_cases(&rows))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory, or two cases of one name");
    if (status == SL_OK)
        status = read_rows(&rows, session, measured, err);
    sl_names_free(&rows.keys);
    sl_csv_free(&table);
    sl_diags_free(&diags);
    return status;
}

enum sl_status sl_session_read(const char *path, const struct sl_session_identity *identity,
                               uint32_t session, struct sl_measurements *measured,
                               struct sl_names *texts, const char **start, struct sl_error *err)
{
    struct sl_arena arena = {0};
    struct sl_table_head head;
    uint32_t index = SL_NONE;
    enum sl_status status = sl_table_head_read(&head, path, &arena, err);
    if (status == SL_OK)
        status = check_head(&head, identity, &arena, err);
    if (status == SL_OK)
        status = read_table(&head, identity, session, measured, texts, err);
    if (status == SL_OK) {
        const struct sl_table_fact *begun = sl_table_head_find(&head, "start");
        index = sl_names_add(texts, begun ? begun->value : "");
        if (index == SL_NONE)
            status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    if (status == SL_OK)
        *start = texts->names[index];
    sl_arena_free(&arena);
    return status;
}
