/* Tornado: what 20% less and 20% more of each part do to the tail, the largest on top. */
#include "kept.h"
#include "paired.h"
#include "plot_set.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BARS 16
#define STEP     20 /* percent */

/* One side of a bar, us. */
struct side {
    double change, lo, hi;
    const char *text; /* instead of a bar: "deadlocks"; "" */
};

struct bar {
    const char *label;
    struct side less, more;
    double weight;
};

struct tornado {
    struct bar *bars;
    size_t count;
    double lowest_us, highest_us;
    bool stopped; /* some side has a text */
};

static struct side read_side(const struct sl_frame *frame, uint32_t row)
{
    struct side side = {sl_frame_number_of(frame, row, "tail_us"),
                        sl_frame_number_of(frame, row, "tail_lo_us"),
                        sl_frame_number_of(frame, row, "tail_hi_us"), ""};
    if (strcmp(sl_frame_text_of(frame, row, "state"), "refused") == 0)
        side.text = "refused";
    else if (isinf(side.change))
        side.text = "deadlocks";
    return side;
}

static bool same_lever(const struct sl_frame *frame, uint32_t a, uint32_t b)
{
    return strcmp(sl_frame_text_of(frame, a, "kind"), sl_frame_text_of(frame, b, "kind")) == 0 &&
           strcmp(sl_frame_text_of(frame, a, "name"), sl_frame_text_of(frame, b, "name")) == 0;
}

static double weight_of(const struct side *side)
{
    return *side->text ? (double)INFINITY : isnan(side->change) ? 0 : fabs(side->change);
}

/* Rows of one lever follow each other; -20% is its first, +20% its last. */
static void gather(struct sl_plot_set *set, struct tornado *tornado)
{
    const struct sl_frame *frame = &set->sensitivity;
    uint32_t first = 0;
    for (uint32_t row = 0; row < frame->row_count; row++) {
        if (row > first && !same_lever(frame, first, row))
            first = row;
        if (sl_frame_number_of(frame, row, "percent") != STEP ||
            sl_frame_number_of(frame, first, "percent") != -STEP)
            continue;
        struct bar *bar = &tornado->bars[tornado->count];
        bar->less = read_side(frame, first);
        bar->more = read_side(frame, row);
        bar->weight = fmax(weight_of(&bar->less), weight_of(&bar->more));
        bar->label = sl_arena_printf(&set->arena, "%s %s", sl_frame_text_of(frame, row, "kind"),
                                     sl_frame_text_of(frame, row, "name"));
        tornado->count += bar->weight > 0 && bar->label;
    }
}

static int heavier(const void *a, const void *b)
{
    const struct bar *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return strcmp(x->label, y->label);
}

static void find_range(struct tornado *tornado, size_t shown)
{
    for (size_t k = 0; k < shown; k++) {
        const struct side *sides[] = {&tornado->bars[k].less, &tornado->bars[k].more};
        for (int i = 0; i < 2; i++) {
            if (*sides[i]->text)
                tornado->stopped = true;
            if (isfinite(sides[i]->lo) && sides[i]->lo < tornado->lowest_us)
                tornado->lowest_us = sides[i]->lo;
            if (isfinite(sides[i]->hi) && sides[i]->hi > tornado->highest_us)
                tornado->highest_us = sides[i]->hi;
        }
    }
}

/* Index 0: less; 1: more; 2: texts.  The first bar is the topmost. */
static enum sl_status write_bars(struct sl_plot_set *set, const struct tornado *tornado,
                                 size_t shown, struct sl_plot_unit unit, struct sl_error *err)
{
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "tornado.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (int i = 0; i < 2; i++) {
        fputs("NaN NaN NaN NaN\n", data); /* gnuplot skips an empty index */
        for (size_t k = 0; k < shown; k++) {
            const struct side *side = i == 0 ? &tornado->bars[k].less : &tornado->bars[k].more;
            if (isfinite(side->change))
                fprintf(data, "%.17g %zu %.17g %.17g\n", side->change / unit.divisor, shown - k,
                        side->lo / unit.divisor, side->hi / unit.divisor);
        }
        fputs("\n\n", data);
    }
    for (size_t k = 0; k < shown; k++) {
        const struct bar *bar = &tornado->bars[k];
        if (*bar->less.text || *bar->more.text)
            fprintf(data, "%.17g %zu \"%s%s%s%s%s\"\n", tornado->highest_us / unit.divisor,
                    shown - k, *bar->less.text ? "-20% " : "", bar->less.text,
                    *bar->less.text && *bar->more.text ? ", " : "", *bar->more.text ? "+20% " : "",
                    bar->more.text);
    }
    fclose(data);
    return SL_OK;
}

static const char *side_text(struct sl_plot_set *set, const struct side *side, const char *percent)
{
    const char *text;
    if (*side->text)
        text = sl_arena_printf(&set->arena, "%s at %s", side->text, percent);
    else if (isnan(side->change))
        text = sl_arena_printf(&set->arena, "too few trials at %s", percent);
    else if (side->change == 0)
        text = sl_arena_printf(&set->arena, "nothing at %s", percent);
    else
        text = sl_arena_printf(&set->arena, "%s%s at %s", side->change > 0 ? "+" : "",
                               sl_plot_time(set, side->change), percent);
    return sl_kept(text);
}

static void put_title(struct sl_plot_set *set, const struct tornado *tornado)
{
    const struct bar *top = &tornado->bars[0];
    sl_gnuplot_title(&set->gnuplot,
                     sl_arena_printf(&set->arena, "%s moves the %s of %s most: %s, %s", top->label,
                                     set->tail_name, sl_plot_cell_label(set, 0),
                                     side_text(set, &top->less, "-20%"),
                                     side_text(set, &top->more, "+20%")));
}

static enum sl_status draw(struct sl_plot_set *set, struct tornado *tornado, struct sl_error *err)
{
    size_t shown = tornado->count < MAX_BARS ? tornado->count : MAX_BARS;
    const char *labels[MAX_BARS];
    find_range(tornado, shown);
    for (size_t k = 0; k < shown; k++)
        labels[shown - 1 - k] = tornado->bars[k].label;
    double largest = fmax(tornado->highest_us, -tornado->lowest_us);
    struct sl_plot_unit unit = sl_plot_time_unit(largest);
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = write_bars(set, tornado, shown, unit, err);
    if (status != SL_OK)
        return status;
    put_title(set, tornado);
    const char *note =
        tornado->count > shown
            ? sl_arena_printf(&set->arena,
                              "Lines: 95%% intervals.  %zu smaller effects are in sensitivity.csv.",
                              tornado->count - shown)
            : "Lines: 95% intervals.";
    sl_gnuplot_text(&set->gnuplot, "NOTE", note ? note : "");
    sl_gnuplot_number(&set->gnuplot, "BARS", (double)shown);
    sl_gnuplot_texts(&set->gnuplot, "LABELS", labels, shown);
    sl_gnuplot_text(&set->gnuplot, "UNIT", unit.name);
    sl_gnuplot_text(&set->gnuplot, "METRIC", set->manifest.metric);
    sl_gnuplot_text(&set->gnuplot, "TAIL_NAME", set->tail_name);
    double span = tornado->highest_us - tornado->lowest_us;
    span = span > 0 ? span : unit.divisor;
    sl_gnuplot_number(&set->gnuplot, "STOPPED", tornado->stopped);
    sl_gnuplot_number(&set->gnuplot, "LEFT", (tornado->lowest_us - 0.05 * span) / unit.divisor);
    sl_gnuplot_number(&set->gnuplot, "RIGHT",
                      (tornado->highest_us + (tornado->stopped ? 0.25 : 0.05) * span) /
                          unit.divisor);
    return sl_plot_finish(set, "tornado.gp", "tornado", 200 + 36 * (unsigned)shown, err);
}

/* Where changes were simulated and none has a bar. */
static void tell_absence(const struct sl_plot_set *set)
{
    const struct sl_frame *frame = &set->sensitivity;
    size_t needs = sl_paired_min_n(set->manifest.tail_quantile, 0.95);
    bool steps = false, few = false;
    for (uint32_t row = 0; row < frame->row_count; row++) {
        steps |= sl_frame_number_of(frame, row, "percent") == STEP;
        few |= strcmp(sl_frame_text_of(frame, row, "state"), "effect") == 0 &&
               sl_frame_number_of(frame, row, "trials") < (double)needs;
    }
    if (steps && few)
        fprintf(stderr, "slackline plot: no tornado: a difference of %s needs %zu trials\n",
                set->tail_name, needs);
    else if (steps)
        fprintf(stderr, "slackline plot: no tornado: no change by %d%% moves the %s\n", STEP,
                set->tail_name);
}

enum sl_status sl_plot_tornado(struct sl_plot_set *set, struct sl_error *err)
{
    struct tornado tornado = {0};
    tornado.bars = calloc((size_t)set->sensitivity.row_count + 1, sizeof *tornado.bars);
    if (!tornado.bars)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    gather(set, &tornado);
    qsort(tornado.bars, tornado.count, sizeof *tornado.bars, heavier);
    if (tornado.count == 0)
        tell_absence(set);
    enum sl_status status = tornado.count > 0 ? draw(set, &tornado, err) : SL_OK;
    free(tornado.bars);
    return status;
}
