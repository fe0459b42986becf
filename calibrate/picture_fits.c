/* Durations against their fitted laws: a panel per class, a quantile-quantile plot per size.
 *
 * The i-th of n sorted durations stands over the law's quantile at (i - 1/2) / n, both over the
 * sample's median; a law that fits keeps to the diagonal.  Panels show what lies within the
 * sample's inner 99% and a margin; values beyond it stand on the frame. */
#include "config.h"

#include "pictures_parts.h"
#include "plot_set.h"
#include "units.h"
#include <math.h>
#include <string.h>

enum { MOST_PANELS = 12, MOST_SERIES = 8, MOST_POINTS = 200 };
#define PANEL_HEIGHT  290
#define OTHERS_HEIGHT 150
#define FENCE         5
#define MARGIN        0.1
#define TICS          3.5

struct panel {
    uint32_t klass;
    const struct sl_duration_estimate *rows[MOST_SERIES]; /* by size */
    uint32_t count;
    double low, high; /* of both axes */
};

struct page {
    struct sl_pictures *pictures;
    struct panel panels[MOST_PANELS];
    uint32_t count;
    uint32_t works, misfits, beyond, left_out;
};

static const struct sl_work *work_of(const struct page *page,
                                     const struct sl_duration_estimate *row)
{
    return &page->pictures->estimates->measured->cases->cases[row->case_index].shot.victim;
}

static const struct sl_fit *law_of(const struct sl_duration_estimate *row)
{
    return &row->fits.all[row->fits.chosen];
}

/* The first form of a class in the usual regime, where there is a law to look at. */
static bool is_shown(const struct page *page, const struct sl_duration_estimate *row)
{
    return (row->status == SL_ROW_OK || row->status == SL_ROW_ONE_SESSION) &&
           work_of(page, row)->form == 0 && row->fits.chosen != SL_NONE &&
           row->fits.chosen != SL_FIT_CONST;
}

static struct panel *panel_of(struct page *page, uint32_t klass)
{
    for (uint32_t i = 0; i < page->count; i++)
        if (page->panels[i].klass == klass)
            return &page->panels[i];
    if (page->count == MOST_PANELS)
        return NULL;
    page->panels[page->count] = (struct panel){.klass = klass, .low = INFINITY, .high = -INFINITY};
    return &page->panels[page->count++];
}

static double at_quantile(const struct sl_duration_estimate *row, double q)
{
    return row->own_ns[sl_quantile_rank(row->n, q) - 1] / row->median_ns.value;
}

static void widen(struct panel *panel, const struct sl_duration_estimate *row)
{
    double lower = at_quantile(row, 0.25), upper = at_quantile(row, 0.75);
    double fence = FENCE * (upper - lower), median = row->median_ns.value;
    panel->low = fmin(panel->low, fmax(lower - fence, row->own_ns[0] / median));
    panel->high = fmax(panel->high, fmin(upper + fence, row->own_ns[row->n - 1] / median));
}

/* 1, 2 or 5 times a power of ten. */
static double tic_step(const struct panel *panel)
{
    double wanted = (panel->high - panel->low) / TICS, power = pow(10, floor(log10(wanted)));
    double digit = wanted / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

static void survey(struct page *page)
{
    const struct sl_estimates *e = page->pictures->estimates;
    for (uint32_t i = 0; i < e->duration_count; i++) {
        const struct sl_duration_estimate *row = &e->durations[i];
        if (!is_shown(page, row))
            continue;
        page->works++;
        page->misfits += row->fits.good ? 0u : 1u;
        struct panel *panel = panel_of(page, work_of(page, row)->klass);
        if (!panel || panel->count == MOST_SERIES) {
            page->left_out++;
            continue;
        }
        panel->rows[panel->count++] = row;
        widen(panel, row);
    }
    for (uint32_t i = 0; i < page->count; i++) {
        struct panel *panel = &page->panels[i];
        double margin = fmax(MARGIN * (panel->high - panel->low), 1e-6);
        panel->low = fmax(panel->low - margin, 0);
        panel->high += margin;
    }
}

/* Of many points every so many-th, and the last few all. */
static void put_series(struct page *page, FILE *data, const struct panel *panel,
                       const struct sl_duration_estimate *row)
{
    double median = row->median_ns.value;
    uint32_t step = 1 + row->n / MOST_POINTS;
    fputs("NaN NaN 0\n", data);
    for (uint32_t i = 0; i < row->n; i++) {
        if (i % step != 0 && i + MOST_POINTS / 10 < row->n)
            continue;
        double law = sl_dist_quantile(law_of(row)->law, (i + 0.5) / row->n) / median;
        double value = row->own_ns[i] / median;
        bool beyond =
            value > panel->high || value < panel->low || law > panel->high || law < panel->low;
        page->beyond += beyond ? 1u : 0u;
        fprintf(data, "%.9g %.9g %d\n", fmin(fmax(law, panel->low), panel->high),
                fmin(fmax(value, panel->low), panel->high), beyond);
    }
    fputs("\n\n", data);
}

static enum sl_status write_data(struct page *page, struct sl_error *err)
{
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&page->pictures->gnuplot, "fits.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (uint32_t i = 0; i < page->count; i++)
        for (uint32_t s = 0; s < page->panels[i].count; s++)
            put_series(page, data, &page->panels[i], page->panels[i].rows[s]);
    fclose(data);
    return SL_OK;
}

static void put_title(const struct page *page)
{
    struct sl_gnuplot *gnuplot = &page->pictures->gnuplot;
    char title[200], note[300];
    if (page->misfits == 0)
        snprintf(title, sizeof title, "A fitted law describes each of %u works' durations",
                 page->works);
    else
        snprintf(title, sizeof title,
                 "No family of laws fits %u of %u works (hollow points): they keep their own "
                 "quantiles",
                 page->misfits, page->works);
    char beyond[80] = "";
    if (page->beyond > 0)
        snprintf(beyond, sizeof beyond, "  Triangles: %u points beyond their frame.", page->beyond);
    snprintf(note, sizeof note,
             "Sorted durations over the chosen law's quantiles, both over the sample's median.%s%s",
             beyond, page->left_out > 0 ? "  More works are in fits.csv." : "");
    sl_gnuplot_title(gnuplot, title);
    sl_gnuplot_text(gnuplot, "NOTE", note);
}

/* Panels side by side: three where they fill their lines and four don't. */
static uint32_t columns_of(const struct page *page)
{
    return page->count % 4 > 0 && page->count % 3 == 0 ? 3 : 4;
}

/* What the script wants of panels and series: names, frames, and which series are whose. */
static enum sl_status put_panels(const struct page *page, struct sl_error *err)
{
    struct sl_pictures *p = page->pictures;
    const char *names[MOST_PANELS], *sizes[MOST_PANELS * MOST_SERIES];
    FILE *input = p->gnuplot.input;
    uint32_t series = 0;
    fprintf(input, "array LOW[%d]\narray HIGH[%d]\narray STEP[%d]\n", MOST_PANELS, MOST_PANELS,
            MOST_PANELS);
    fprintf(input, "array FIRST[%d]\narray FITS[%d]\n", MOST_PANELS + 1, MOST_PANELS * MOST_SERIES);
    fprintf(input, "array COLOUR[%d]\n", MOST_SERIES);
    for (uint32_t c = 0; c < MOST_SERIES; c++)
        fprintf(input, "COLOUR[%u] = '%s'\n", c + 1, sl_plot_colours[c]);
    for (uint32_t i = 0; i < page->count; i++) {
        const struct panel *panel = &page->panels[i];
        names[i] = p->estimates->measured->cases->classes[panel->klass].name;
        fprintf(input, "LOW[%u] = %.9g\nHIGH[%u] = %.9g\nSTEP[%u] = %.9g\nFIRST[%u] = %u\n", i + 1,
                panel->low, i + 1, panel->high, i + 1, tic_step(panel), i + 1, series);
        for (uint32_t s = 0; s < panel->count; s++, series++) {
            char bytes[32];
            sl_format_bytes(bytes, sizeof bytes, (double)work_of(page, panel->rows[s])->bytes);
            sizes[series] = sl_arena_strdup(&p->arena, bytes);
            if (!sizes[series])
                return SL_FAIL(err, SL_SYSTEM, "out of memory");
            fprintf(input, "FITS[%u] = %d\n", series + 1, panel->rows[s]->fits.good);
        }
    }
    fprintf(input, "FIRST[%u] = %u\n", page->count + 1, series);
    sl_gnuplot_number(&p->gnuplot, "PANELS", page->count);
    sl_gnuplot_number(&p->gnuplot, "COLUMNS", columns_of(page));
    sl_gnuplot_texts(&p->gnuplot, "NAME", names, page->count);
    sl_gnuplot_texts(&p->gnuplot, "SIZE", sizes, series);
    return SL_OK;
}

enum sl_status sl_picture_fits(struct sl_pictures *pictures, struct sl_error *err)
{
    struct page page = {.pictures = pictures};
    survey(&page);
    if (page.count == 0)
        return SL_OK;
    enum sl_status status = sl_gnuplot_begin(&pictures->gnuplot, err);
    if (status == SL_OK)
        status = write_data(&page, err);
    if (status == SL_OK)
        status = put_panels(&page, err);
    if (status != SL_OK)
        return status;
    put_title(&page);
    unsigned columns = columns_of(&page), lines = (page.count + columns - 1) / columns;
    return sl_picture_finish(pictures, "fits.gp", "fits", OTHERS_HEIGHT + PANEL_HEIGHT * lines,
                             err);
}
