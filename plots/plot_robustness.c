/* How far each figure may drift, alone, before another policy leads: a bar per figure on a
 * logarithmic factor, in the colour of whoever leads there, the nearest flip on top. */
#include "kept.h"
#include "plot_set.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FIGURES 24

/* Rows of robustness.csv, down and up. */
struct figure {
    uint32_t rows[2];
    double nearest; /* distance to the nearer flip in the logarithm; INFINITY: none */
};

static bool is_same(const struct sl_frame *frame, uint32_t a, uint32_t b)
{
    return strcmp(sl_frame_text_of(frame, a, "kind"), sl_frame_text_of(frame, b, "kind")) == 0 &&
           strcmp(sl_frame_text_of(frame, a, "name"), sl_frame_text_of(frame, b, "name")) == 0;
}

static size_t gather(const struct sl_frame *frame, struct figure *figures)
{
    size_t count = 0;
    for (uint32_t row = 0; row + 1 < frame->row_count; row++) {
        if (!is_same(frame, row, row + 1))
            continue;
        struct figure *figure = &figures[count++];
        *figure = (struct figure){{row, row + 1}, INFINITY};
        for (int side = 0; side < 2; side++) {
            double flip = sl_frame_number_of(frame, figure->rows[side], "flip_factor");
            if (flip > 0)
                figure->nearest = fmin(figure->nearest, fabs(log(flip)));
        }
        row++;
    }
    return count;
}

/* The nearest flip first; equal ones in the order of the file. */
static int nearer(const void *left, const void *right)
{
    const struct figure *a = left, *b = right;
    if (a->nearest != b->nearest)
        return a->nearest < b->nearest ? -1 : 1;
    return (a->rows[0] > b->rows[0]) - (a->rows[0] < b->rows[0]);
}

static uint32_t policy_named(const struct sl_plot_set *set, const char *name)
{
    uint32_t p = 0;
    while (p < set->manifest.policy_count && strcmp(set->manifest.policies[p], name) != 0)
        p++;
    return p;
}

/* The stretch of one side that a policy leads: the leader up to the flip, the other one beyond. */
static void put_stretch(const struct sl_plot_set *set, FILE *data, uint32_t row, double y,
                        uint32_t policy)
{
    const struct sl_frame *frame = &set->robustness;
    double whole = log(sl_frame_number_of(frame, row, "within"));
    double flip = sl_frame_number_of(frame, row, "flip_factor");
    double sign = strcmp(sl_frame_text_of(frame, row, "direction"), "up") == 0 ? 1 : -1;
    double turn = flip > 0 ? fabs(log(flip)) : whole;
    if (policy_named(set, sl_frame_text_of(frame, row, "leader")) == policy)
        fprintf(data, "0 %g %.17g %.17g %g %g\n", y, fmin(0, sign * turn), fmax(0, sign * turn),
                y - 0.32, y + 0.32);
    if (flip > 0 && policy_named(set, sl_frame_text_of(frame, row, "to")) == policy)
        fprintf(data, "0 %g %.17g %.17g %g %g\n", y, fmin(sign * turn, sign * whole),
                fmax(sign * turn, sign * whole), y - 0.32, y + 0.32);
}

/* An index per policy, then the bands. */
static enum sl_status write_bars(struct sl_plot_set *set, const struct figure *figures,
                                 size_t count, struct sl_error *err)
{
    FILE *data = NULL;
    uint32_t policies = set->manifest.policy_count;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "robustness.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (uint32_t p = 0; p <= policies; p++) {
        fputs("NaN NaN NaN NaN NaN NaN\n", data);
        for (size_t k = 0; k < count; k++)
            for (int side = 0; side < 2; side++) {
                uint32_t row = figures[k].rows[side];
                double y = (double)(count - k);
                double flip = sl_frame_number_of(&set->robustness, row, "flip_factor");
                if (p < policies)
                    put_stretch(set, data, row, y, p);
                else if (flip > 0)
                    fprintf(data, "%.17g %g %.17g %.17g 0 0\n", log(flip), y,
                            log(sl_frame_number_of(&set->robustness, row, "near_factor")),
                            log(sl_frame_number_of(&set->robustness, row, "far_factor")));
            }
        fputs("\n\n", data);
    }
    fclose(data);
    return SL_OK;
}

static const char *label_of(struct sl_plot_set *set, uint32_t row)
{
    const struct sl_frame *frame = &set->robustness;
    const char *kind = sl_frame_text_of(frame, row, "kind");
    const char *label =
        sl_arena_printf(&set->arena, "%s%s %.60s", strcmp(kind, "kappa") == 0 ? "" : "time of ",
                        kind, sl_frame_text_of(frame, row, "name"));
    return sl_kept(label);
}

/* "recompute has the lowest p90 unless the time of class gemm drifts by x1.21 [x1.2, x1.22], to
 * offload". */
static void put_title(struct sl_plot_set *set, const struct figure *nearest)
{
    const struct sl_frame *frame = &set->robustness;
    uint32_t row = nearest->rows[0];
    const char *leader = sl_frame_text_of(frame, row, "leader");
    double within = sl_frame_number_of(frame, row, "within");
    for (int side = 0; side < 2; side++) {
        double flip = sl_frame_number_of(frame, nearest->rows[side], "flip_factor");
        if (flip > 0 && fabs(log(flip)) == nearest->nearest)
            row = nearest->rows[side];
    }
    const char *title =
        isinf(nearest->nearest)
            ? sl_arena_printf(&set->arena,
                              "%s leads at every factor looked at, from x%.3g to x%.3g of any one "
                              "figure",
                              leader, 1 / within, within)
            : sl_arena_printf(
                  &set->arena,
                  "%s leads until the %s is x%.4g [x%.4g, x%.4g] of what is calibrated: then %s",
                  leader, label_of(set, row), sl_frame_number_of(frame, row, "flip_factor"),
                  sl_frame_number_of(frame, row, "near_factor"),
                  sl_frame_number_of(frame, row, "far_factor"), sl_frame_text_of(frame, row, "to"));
    sl_gnuplot_title(&set->gnuplot, title);
}

static enum sl_status draw(struct sl_plot_set *set, const struct figure *figures, size_t count,
                           struct sl_error *err)
{
    size_t shown = count < MAX_FIGURES ? count : MAX_FIGURES;
    uint32_t policies = set->manifest.policy_count;
    const char *labels[MAX_FIGURES];
    const char **titles = sl_arena_array(&set->arena, (size_t)policies + 1, sizeof *titles);
    if (!titles)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t p = 0; p < policies; p++)
        titles[p] = "";
    for (uint32_t row = 0; row < set->robustness.row_count; row++)
        for (int side = 0; side < 2; side++) {
            uint32_t p = policy_named(
                set, sl_frame_text_of(&set->robustness, row, side == 0 ? "leader" : "to"));
            if (p < policies)
                titles[p] = set->manifest.policies[p];
        }
    for (size_t k = 0; k < shown; k++)
        labels[shown - 1 - k] = label_of(set, figures[k].rows[0]);
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = write_bars(set, figures, shown, err);
    if (status != SL_OK)
        return status;
    put_title(set, &figures[0]);
    const char *note = sl_arena_printf(
        &set->arena, "Each figure drifts alone, plans %s.  Lines: 95%% bands of the flips.%s",
        sl_frame_text_of(&set->robustness, 0, "plan"),
        count > shown ? "  More figures are in robustness.csv." : "");
    sl_gnuplot_text(&set->gnuplot, "NOTE", note ? note : "");
    sl_gnuplot_number(&set->gnuplot, "FIGURES", (double)shown);
    sl_gnuplot_number(&set->gnuplot, "POLICIES", policies);
    sl_gnuplot_number(&set->gnuplot, "WITHIN", sl_frame_number_of(&set->robustness, 0, "within"));
    sl_gnuplot_texts(&set->gnuplot, "LABELS", labels, shown);
    sl_gnuplot_texts(&set->gnuplot, "TITLES", titles, policies);
    sl_plot_put_fills(set);
    return sl_plot_finish(set, "robustness.gp", "robustness", 220 + 36 * (unsigned)shown, err);
}

enum sl_status sl_plot_robustness(struct sl_plot_set *set, struct sl_error *err)
{
    struct figure *figures = calloc((size_t)set->robustness.row_count + 1, sizeof *figures);
    if (!figures)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    size_t count = gather(&set->robustness, figures);
    qsort(figures, count, sizeof *figures, nearer);
    enum sl_status status = count > 0 ? draw(set, figures, count, err) : SL_OK;
    free(figures);
    return status;
}
