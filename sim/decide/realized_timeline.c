/* Timelines of a replay that cannot be: times that are none, works that end before they start or
 * after their repetition, works that run twice in one, makespans that are not theirs.  Only judged
 * repetitions count. */
#include "config.h"

#include "csvtab.h"
#include "realized.h"
#include "units.h"
#include <math.h>

#define MOST_US 1e12
/* Times on a device's clock may contradict the host's by so much in a repetition that is judged. */
#define CLOCK_SLACK_US 100.0
/* A host notices the last end late by at most this, or a tenth of the makespan. */
#define LATE_US    1000.0
#define LATE_SHARE 0.1

enum { REPETITION, NODE, START, END, COLUMNS = 8 };
static const struct sl_column_spec columns[COLUMNS] = {
    [REPETITION] = {"repetition", true},
    [NODE] = {"node", true},
    [START] = {"start_us", true},
    [END] = {"end_us", true},
    {"resource", false},
    {"ready_us", false},
    {"class", false},
    {"bytes", false},
};

struct checking {
    struct sl_csv csv;
    const struct sl_replay_record *replay;
    struct sl_arena *arena;
    struct sl_diags *diags;
    struct sl_names names;
    uint32_t *seen_in; /* by name: index of the judged repetition + 1 */
    uint32_t at, row;  /* judged repetition; its row with the last end */
    double last_us;    /* its last end; NAN: it has no rows yet */
};

static bool read_time(struct checking *c, uint32_t row, uint32_t column, double *us)
{
    char why[SL_WHY_SIZE];
    bool good = sl_parse_number(sl_csv_cell(&c->csv, row, column), us, why);
    if (good && !(*us <= MOST_US)) { /* none is negative */
        good = false;
        snprintf(why, sizeof why, "%g is no time from 0 to 1e12 us", *us);
    }
    if (!good)
        sl_diags_add(c->diags, SL_ERROR, "bad-value", sl_csv_place(&c->csv, row, column), "%s: %s",
                     columns[column].name, why);
    return good;
}

static void check_row(struct checking *c, uint32_t row)
{
    double start_us, end_us, makespan_us = c->replay->makespan_of[c->at];
    uint32_t number = c->replay->numbers[c->at];
    const char *node = sl_csv_cell(&c->csv, row, NODE);
    uint32_t name = sl_names_find(&c->names, node);
    if (c->seen_in[name] == c->at + 1)
        sl_diags_add(c->diags, SL_ERROR, "duplicate", sl_csv_place(&c->csv, row, NODE),
                     "'%s' is in repetition %u twice", node, number);
    c->seen_in[name] = c->at + 1;
    if (!read_time(c, row, START, &start_us) || !read_time(c, row, END, &end_us))
        return;
    if (end_us < start_us)
        sl_diags_add(c->diags, SL_ERROR, "bad-value", sl_csv_place(&c->csv, row, END),
                     "end_us: '%s' ends at %.10g us, before its start at %.10g us", node, end_us,
                     start_us);
    else if (end_us > makespan_us + CLOCK_SLACK_US)
        sl_diags_add(c->diags, SL_ERROR, "bad-value", sl_csv_place(&c->csv, row, END),
                     "end_us: '%s' ends at %.10g us, after the makespan of repetition %u in "
                     "repetitions.csv, %.10g us",
                     node, end_us, number, makespan_us);
    if (isnan(c->last_us) || end_us > c->last_us) {
        c->last_us = end_us;
        c->row = row;
    }
}

/* The makespan is that of the last end. */
static void end_repetition(struct checking *c)
{
    if (isnan(c->last_us))
        return;
    double makespan_us = c->replay->makespan_of[c->at];
    if (makespan_us > c->last_us + fmax(LATE_US, LATE_SHARE * makespan_us))
        sl_diags_add(c->diags, SL_ERROR, "bad-value", sl_csv_place(&c->csv, c->row, END),
                     "end_us: the last end of repetition %u is at %.10g us, but its makespan in "
                     "repetitions.csv is %.10g us",
                     c->replay->numbers[c->at], c->last_us, makespan_us);
    c->last_us = (double)NAN;
}

/* Both files are in the order of time.  False: the row is of none that is judged. */
static bool find_repetition(struct checking *c, uint32_t row)
{
    char why[SL_WHY_SIZE];
    int64_t number;
    uint32_t judged = c->replay->identity.judged, i = c->at;
    if (!sl_parse_integer(sl_csv_cell(&c->csv, row, REPETITION), 0, UINT32_MAX - 1, &number, why)) {
        sl_diags_add(c->diags, SL_ERROR, "bad-value", sl_csv_place(&c->csv, row, REPETITION),
                     "repetition: %s", why);
        return false;
    }
    while (i < judged && c->replay->numbers[i] < number)
        i++;
    if (i == judged || c->replay->numbers[i] != number)
        return false;
    if (i != c->at)
        end_repetition(c);
    c->at = i;
    return true;
}

static enum sl_status check_rows(struct checking *c, struct sl_error *err)
{
    for (uint32_t row = 0; row < c->csv.row_count; row++)
        if (sl_names_add(&c->names, sl_csv_cell(&c->csv, row, NODE)) == SL_NONE)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    c->seen_in = sl_arena_array(c->arena, (size_t)c->names.count + 1, sizeof *c->seen_in);
    if (!c->seen_in)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t row = 0; row < c->csv.row_count; row++)
        if (find_repetition(c, row))
            check_row(c, row);
    end_repetition(c);
    return SL_OK;
}

enum sl_status sl_realized_check_timeline(struct sl_realized *realized, const char *path,
                                          struct sl_diags *diags, struct sl_error *err)
{
    struct checking c = {.replay = &realized->replay,
                         .arena = &realized->arena,
                         .diags = diags,
                         .last_us = (double)NAN};
    size_t errors = diags->errors;
    enum sl_status status = sl_csv_read(&c.csv, path, columns, COLUMNS, diags, err);
    if (status == SL_OK && diags->errors == errors)
        status = check_rows(&c, err);
    sl_csv_free(&c.csv);
    sl_names_free(&c.names);
    return status;
}
