/* What the streams of an audit ran, and what held its host threads up: a row per stream and thread.
 * A few bars are drawn one by one; where they are more than a picture has room for, a column of it
 * has each class as high as the share of the column's time in which works of the class ran. */
#include <config.h>

#include "plot_audit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FOUND = 256, MOST_ROWS = 24, MOST_BARS = 2000, KINDS = 10 };
#define HEIGHT     0.8   /* of a row */
#define LEAST_HIGH 0.035 /* of a row: a pixel or two */
#define LEAST_WIDE 0.002 /* of the time axis */

/* Colours as in the Gantt charts of trials. */
static const struct {
    const char *name, *label, *colour;
} kinds[KINDS] = {
    {"compute", "compute", "#0072B2"},
    {"comm", "communication", "#CC79A7"},
    {"h2d", "copy in (h2d)", "#009E73"},
    {"d2h", "copy out (d2h)", "#E69F00"},
    {"d2d", "copy within (d2d)", "#56B4E9"},
    {"copy", "copy", "#7A4A12"},
    {"set", "set", "#999999"},
    {"other", "other work", "#444444"},
    {"wait", "host waits", "#D55E00"},
    {"allocate", "host allocates", "#000000"},
};
enum { OTHER = 7, WAIT, ALLOCATE };

struct row {
    bool thread;
    double process, number; /* device and stream */
    double busy_us;
    uint32_t bars;
};
struct bar {
    double from_us, to_us;
    uint32_t row; /* of those found, then of those shown; SL_NONE: not shown */
    int kind;
};
struct chart {
    struct bar *bars;
    uint32_t bar_count, row_count, found_count, shown_bars;
    struct row rows[MOST_FOUND];
    double from_us, to_us;
    bool used[KINDS];
};

static uint32_t find_row(struct chart *chart, bool thread, double process, double number)
{
    for (uint32_t i = 0; i < chart->row_count; i++)
        if (chart->rows[i].thread == thread && chart->rows[i].process == process &&
            chart->rows[i].number == number)
            return i;
    if (chart->row_count == MOST_FOUND)
        return SL_NONE;
    chart->rows[chart->row_count] =
        (struct row){.thread = thread, .process = process, .number = number};
    return chart->row_count++;
}

static void add_bar(struct chart *chart, uint32_t row, int kind, double from, double to)
{
    if (row == SL_NONE || !isfinite(from) || !(to > from) || !isfinite(to))
        return;
    chart->rows[row].busy_us += to - from;
    chart->rows[row].bars++;
    chart->from_us = fmin(chart->from_us, from);
    chart->to_us = fmax(chart->to_us, to);
    chart->bars[chart->bar_count++] = (struct bar){from, to, row, kind};
}

/* What both tables have, in this order: see plot_audit.c. */
enum { WHAT, PROCESS, NUMBER, FROM, TO };

/* A table's rows as bars; `kind_of` says -1 for what is none. */
static void add_table(struct chart *chart, const struct sl_frame *frame, bool thread,
                      int (*kind_of)(const char *))
{
    for (uint32_t i = 0; i < frame->row_count; i++) {
        int kind = kind_of(sl_frame_text(frame, i, WHAT));
        if (kind < 0)
            continue;
        uint32_t row = find_row(chart, thread, sl_frame_number(frame, i, PROCESS),
                                sl_frame_number(frame, i, NUMBER));
        add_bar(chart, row, kind, sl_frame_number(frame, i, FROM), sl_frame_number(frame, i, TO));
    }
}

static int kind_of_work(const char *class)
{
    for (int i = 0; i < OTHER; i++)
        if (strcmp(kinds[i].name, class) == 0)
            return i;
    return OTHER;
}

/* What orders streams does not hold the host up. */
static int kind_of_call(const char *purpose)
{
    if (strcmp(purpose, "order streams") == 0)
        return -1;
    return strncmp(purpose, "wait", 4) == 0 || strcmp(purpose, "blocking copy") == 0 ? WAIT
                                                                                     : ALLOCATE;
}

static int busiest_first(const void *a, const void *b, void *user)
{
    const struct row *rows = user;
    double x = rows[*(const uint32_t *)a].busy_us, y = rows[*(const uint32_t *)b].busy_us;
    return x != y ? (x < y ? 1 : -1) : (*(const uint32_t *)a > *(const uint32_t *)b) ? 1 : -1;
}

/* Streams by device and number, then threads. */
static int by_place(const void *a, const void *b, void *user)
{
    const struct row *rows = user;
    const struct row *x = &rows[*(const uint32_t *)a], *y = &rows[*(const uint32_t *)b];
    if (x->thread != y->thread)
        return x->thread ? 1 : -1;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Keeps the busiest rows, in the order of their places. */
static void choose_rows(struct chart *chart)
{
    uint32_t order[MOST_FOUND], new_of[MOST_FOUND], shown = 0;
    struct row rows[MOST_FOUND];
    for (uint32_t i = 0; i < chart->row_count; i++) {
        new_of[i] = SL_NONE;
        rows[i] = chart->rows[i];
        if (rows[i].bars > 0)
            order[shown++] = i;
    }
    chart->found_count = shown;
    qsort_r(order, shown, sizeof *order, busiest_first, rows);
    shown = shown < MOST_ROWS ? shown : MOST_ROWS;
    qsort_r(order, shown, sizeof *order, by_place, rows);
    for (uint32_t i = 0; i < shown; i++) {
        chart->rows[i] = rows[order[i]];
        new_of[order[i]] = i;
    }
    chart->row_count = shown;
    for (uint32_t b = 0; b < chart->bar_count; b++) {
        struct bar *bar = &chart->bars[b];
        bar->row = new_of[bar->row];
        if (bar->row == SL_NONE)
            continue;
        chart->used[bar->kind] = true;
        chart->shown_bars++;
    }
}

static void write_box(FILE *data, const struct chart *chart, double divisor, uint32_t row,
                      double from_us, double to_us, double low, double high)
{
    double bottom = (double)(chart->row_count - row) - HEIGHT / 2;
    fprintf(data, "%.10g %.10g %.10g %.10g %.10g %.10g\n", from_us / divisor, bottom,
            from_us / divisor, to_us / divisor, bottom + HEIGHT * low, bottom + HEIGHT * high);
}

static void write_exactly(FILE *data, const struct chart *chart, double divisor, int kind)
{
    double least = LEAST_WIDE * (chart->to_us - chart->from_us);
    for (uint32_t b = 0; b < chart->bar_count; b++) {
        const struct bar *bar = &chart->bars[b];
        if (bar->kind == kind && bar->row != SL_NONE)
            write_box(data, chart, divisor, bar->row, bar->from_us,
                      fmax(bar->to_us, bar->from_us + least), 0, 1);
    }
}

/* Of each row, kind and column the share of its time; a column holds no more than its whole. */
struct shares {
    double of[MOST_ROWS][KINDS][SL_PLOT_AUDIT_COLUMNS + 2];
};

static void add_share(struct shares *shares, const struct chart *chart, const struct bar *bar)
{
    double *of = shares->of[bar->row][bar->kind];
    double scale = SL_PLOT_AUDIT_COLUMNS / (chart->to_us - chart->from_us);
    double from = (bar->from_us - chart->from_us) * scale,
           to = (bar->to_us - chart->from_us) * scale;
    int first = (int)fmin(from, SL_PLOT_AUDIT_COLUMNS - 1),
        last = (int)fmin(to, SL_PLOT_AUDIT_COLUMNS - 1);
    /* As differences between columns: a long bar costs no more than a short one. */
    double head = fmin(to, first + 1.0) - from, tail = last > first ? to - last : 0;
    of[first] += head;
    of[first + 1] += (last > first ? 1 : 0) - head;
    if (last > first) {
        of[last] += tail - 1;
        of[last + 1] -= tail;
    }
}

static void sum_shares(struct shares *shares, const struct chart *chart)
{
    for (uint32_t b = 0; b < chart->bar_count; b++)
        if (chart->bars[b].row != SL_NONE)
            add_share(shares, chart, &chart->bars[b]);
    for (uint32_t r = 0; r < chart->row_count; r++)
        for (int k = 0; k < KINDS; k++)
            for (int c = 1; c < SL_PLOT_AUDIT_COLUMNS; c++)
                shares->of[r][k][c] += shares->of[r][k][c - 1];
}

/* Where kind `kind` stands in a column: on those before it. */
static void place(const struct shares *shares, uint32_t row, int kind, int column, double *low,
                  double *high)
{
    double below = 0, sum = 0, own = 0;
    for (int k = 0; k < KINDS; k++) {
        double share = shares->of[row][k][column];
        share = share > 1e-9 ? fmax(share, LEAST_HIGH) : 0;
        below += k < kind ? share : 0;
        own = k == kind ? share : own;
        sum += share;
    }
    double scale = sum > 1 ? 1 / sum : 1;
    *low = below * scale;
    *high = (below + own) * scale;
}

static void write_shares(FILE *data, const struct chart *chart, const struct shares *shares,
                         double divisor, int kind)
{
    double width = (chart->to_us - chart->from_us) / SL_PLOT_AUDIT_COLUMNS;
    for (uint32_t r = 0; r < chart->row_count; r++)
        for (int c = 0, next; c < SL_PLOT_AUDIT_COLUMNS; c = next) {
            double low, high, next_low, next_high;
            place(shares, r, kind, c, &low, &high);
            for (next = c + 1; next < SL_PLOT_AUDIT_COLUMNS; next++) {
                place(shares, r, kind, next, &next_low, &next_high);
                if (fabs(next_low - low) > 1e-6 || fabs(next_high - high) > 1e-6)
                    break;
            }
            if (high > low)
                /* Half a column further: else the page shines through between neighbours. */
                write_box(data, chart, divisor, r, chart->from_us + c * width,
                          fmin(chart->from_us + (next + 0.5) * width, chart->to_us), low, high);
        }
}

static enum sl_status write_bars(struct sl_plot_audit *audit, const struct chart *chart,
                                 double divisor, struct sl_error *err)
{
    FILE *data = NULL;
    struct shares *shares = NULL;
    if (chart->shown_bars > MOST_BARS) {
        shares = calloc(1, sizeof *shares);
        if (!shares)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        sum_shares(shares, chart);
    }
    enum sl_status status = sl_gnuplot_data(&audit->set->gnuplot, "bars.dat", &data, err);
    for (int k = 0; status == SL_OK && k < KINDS; k++) {
        if (!chart->used[k])
            continue;
        /* A block may be empty; an unplottable bar keeps its index valid. */
        fputs("nan nan nan nan nan nan\n", data);
        if (shares)
            write_shares(data, chart, shares, divisor, k);
        else
            write_exactly(data, chart, divisor, k);
        fputs("\n\n", data);
    }
    if (data)
        fclose(data);
    free(shares);
    return status;
}

static void put_title(struct sl_plot_audit *audit)
{
    struct sl_plot_set *set = audit->set;
    const struct sl_frame *uses = &audit->uses;
    double whole = sl_frame_number_of(uses, 0, "to_us") - sl_frame_number_of(uses, 0, "from_us");
    double compute = sl_frame_number_of(uses, 0, "compute_us");
    double transfers = sl_frame_number_of(uses, 0, "transfers_us");
    double exposed = sl_frame_number_of(uses, 0, "exposed_transfers_us");
    const char *finding = "No transfers to or from a host";
    if (transfers > 0)
        finding = sl_arena_printf(&set->arena, "Transfers %s: %s of %s are exposed",
                                  exposed >= transfers / 2 ? "hide little" : "mostly hide",
                                  sl_plot_time(set, exposed), sl_plot_time(set, transfers));
    const char *title =
        sl_arena_printf(&set->arena, "%s; computation fills %.1f%% of %s", finding ? finding : "",
                        100 * compute / whole, sl_plot_time(set, whole));
    sl_gnuplot_title(&set->gnuplot, title);
}

/* How the picture differs from a bar per work. */
static void put_note(struct sl_plot_audit *audit, const struct chart *chart)
{
    struct sl_plot_set *set = audit->set;
    double width = (chart->to_us - chart->from_us) / SL_PLOT_AUDIT_COLUMNS;
    const char *how = "", *rows = "";
    if (chart->shown_bars > MOST_BARS)
        how = sl_arena_printf(
            &set->arena,
            "%u works and calls are more than pixels: each column of %s shows, as "
            "height, the share of its time in which such work ran (a pixel at least).  ",
            chart->shown_bars, sl_plot_time(set, width));
    if (chart->found_count > chart->row_count)
        rows = sl_arena_printf(&set->arena, "The busiest %u of %u streams and threads.",
                               chart->row_count, chart->found_count);
    const char *note = sl_arena_printf(&set->arena, "%s%s", how ? how : "", rows ? rows : "");
    sl_gnuplot_text(&set->gnuplot, "NOTE", note ? note : "");
}

static enum sl_status draw(struct sl_plot_audit *audit, const struct chart *chart,
                           struct sl_error *err)
{
    struct sl_plot_set *set = audit->set;
    struct sl_gnuplot *gnuplot = &set->gnuplot;
    struct sl_plot_unit unit = sl_plot_time_unit(chart->to_us - chart->from_us);
    const char *labels[MOST_ROWS], *names[KINDS], *colours[KINDS];
    size_t used = 0;
    enum sl_status status = sl_gnuplot_begin(gnuplot, err);
    if (status == SL_OK)
        status = write_bars(audit, chart, unit.divisor, err);
    if (status == SL_OK)
        status = sl_plot_audit_steps(audit, chart->from_us, unit.divisor, err);
    if (status != SL_OK)
        return status;
    for (int k = 0; k < KINDS; k++)
        if (chart->used[k]) {
            names[used] = kinds[k].label;
            colours[used++] = kinds[k].colour;
        }
    for (uint32_t i = 0; i < chart->row_count; i++) {
        const struct row *row = &chart->rows[i];
        labels[i] = row->thread ? sl_arena_printf(&set->arena, "thread %.0f", row->number)
                                : sl_arena_printf(&set->arena, "device %.0f, stream %.0f",
                                                  row->process, row->number);
        labels[i] = labels[i] ? labels[i] : "?";
    }
    put_title(audit);
    put_note(audit, chart);
    sl_gnuplot_number(gnuplot, "KINDS", (double)used);
    sl_gnuplot_texts(gnuplot, "NAMES", names, used);
    sl_gnuplot_texts(gnuplot, "COLOUR", colours, used);
    sl_gnuplot_number(gnuplot, "ROWS", chart->row_count);
    sl_gnuplot_texts(gnuplot, "LABELS", labels, chart->row_count);
    sl_gnuplot_text(gnuplot, "UNIT", unit.name);
    sl_gnuplot_number(gnuplot, "FROM", chart->from_us / unit.divisor);
    sl_gnuplot_number(gnuplot, "TO", chart->to_us / unit.divisor);
    return sl_plot_finish(set, "audit_gantt.gp", "gantt", 300 + 50 * chart->row_count, err);
}

enum sl_status sl_plot_audit_gantt(struct sl_plot_audit *audit, struct sl_error *err)
{
    size_t room = (size_t)audit->works.row_count + audit->call_times.row_count + 1;
    struct chart *chart = calloc(1, sizeof *chart);
    enum sl_status status = SL_OK;
    if (chart)
        chart->bars = malloc(room * sizeof *chart->bars);
    if (!chart || !chart->bars) {
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    } else {
        chart->from_us = INFINITY;
        chart->to_us = -INFINITY;
        add_table(chart, &audit->works, false, kind_of_work);
        add_table(chart, &audit->call_times, true, kind_of_call);
        choose_rows(chart);
        if (chart->row_count > 0 && audit->uses.row_count > 0)
            status = draw(audit, chart, err);
    }
    if (chart)
        free(chart->bars);
    free(chart);
    return status;
}
