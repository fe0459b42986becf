/* Kappa of pairs as a heat map: a row per victim, a column per neighbour, the number in each cell.
 *
 * Colours run from white through one hue of blue with the logarithm of kappa, so that they are told
 * apart without colour vision; what has no number is grey and says why. */
#include "config.h"

#include "pictures_parts.h"
#include <math.h>
#include <string.h>

enum { MOST_CLASSES = 24, BAR_STEPS = 40 };
#define NO_KAPPA      0xdddddd
#define DARK_TEXT     0x222222
#define LIGHT_TEXT    0xffffff
#define LEAST_SCALE   1.1 /* differences below 10% do not fill the colours */
#define GRID_HEIGHT   56
#define OTHERS_HEIGHT 230

struct map {
    struct sl_pictures *pictures;
    uint32_t victims[MOST_CLASSES], others[MOST_CLASSES]; /* classes */
    uint32_t victim_count, other_count;
    uint32_t shown, ones; /* cells with a number; of them those told from none */
    const struct sl_kappa_estimate *largest;
    double top; /* of the scale */
};

static const struct sl_shot *shot_of(const struct map *map, const struct sl_kappa_estimate *row)
{
    return &map->pictures->estimates->measured->cases->cases[row->case_index].shot;
}

static const char *name_of(const struct map *map, uint32_t klass)
{
    return map->pictures->estimates->measured->cases->classes[klass].name;
}

/* A pair in the usual regime, in the shape that device.yaml names or without one. */
static bool is_shown(const struct map *map, const struct sl_kappa_estimate *row)
{
    const struct sl_estimates *e = map->pictures->estimates;
    const struct sl_shot *shot = shot_of(map, row);
    if (shot->aggressor_count != 1 || e->regime_count == 0 ||
        strcmp(row->regime, e->regimes[0].name) != 0)
        return false;
    bool shaped = e->measured->cases->classes[shot->aggressors[0].klass].shaped;
    return !shaped || (shot->shape == SL_SHAPE_FILL) == (e->shape && strcmp(e->shape, "fill") == 0);
}

static bool has_number(const struct sl_kappa_estimate *row)
{
    return !isnan(row->kappa.value);
}

/* The place of a class among those listed; `count` when it is none of them. */
static uint32_t place_of(const uint32_t *classes, uint32_t count, uint32_t klass)
{
    uint32_t i = 0;
    while (i < count && classes[i] != klass)
        i++;
    return i;
}

/* Lists classes in their own order, so that a class beside itself lies on the diagonal. */
static void list(uint32_t *classes, uint32_t *count, uint32_t klass)
{
    if (place_of(classes, *count, klass) < *count || *count == MOST_CLASSES)
        return;
    uint32_t at = (*count)++;
    for (; at > 0 && classes[at - 1] > klass; at--)
        classes[at] = classes[at - 1];
    classes[at] = klass;
}

static void survey(struct map *map)
{
    const struct sl_estimates *e = map->pictures->estimates;
    map->top = LEAST_SCALE;
    for (uint32_t i = 0; i < e->kappa_count; i++) {
        const struct sl_kappa_estimate *row = &e->kappas[i];
        if (!is_shown(map, row))
            continue;
        list(map->victims, &map->victim_count, shot_of(map, row)->victim.klass);
        list(map->others, &map->other_count, shot_of(map, row)->aggressors[0].klass);
        if (!has_number(row))
            continue;
        map->shown++;
        map->ones += row->is_one ? 1u : 0u;
        map->top = fmax(map->top, row->kappa.value);
        if (row->status == SL_ROW_OK && row->mode == SL_MODE_SHARE &&
            (!map->largest || row->kappa.value > map->largest->kappa.value))
            map->largest = row;
    }
}

/* Through three blues; 0 to 1. */
static uint32_t colour_at(double share)
{
    static const double stops[][3] = {{250, 251, 253}, {107, 174, 214}, {8, 48, 107}};
    double at = fmin(fmax(share, 0), 1) * 2;
    int below = at < 1 ? 0 : 1;
    unsigned colour = 0;
    for (int c = 0; c < 3; c++) {
        double value = stops[below][c] + (at - below) * (stops[below + 1][c] - stops[below][c]);
        colour = colour * 256 + (unsigned)lround(value);
    }
    return colour;
}

static double share_of(const struct map *map, double kappa)
{
    return log(fmax(kappa, 1)) / log(map->top);
}

/* x, y, the four sides, a colour. */
static void put_box(FILE *data, double x, double y, double half_x, double half_y, uint32_t colour)
{
    fprintf(data, "%.6g %.6g %.6g %.6g %.6g %.6g %u\n", x, y, x - half_x, x + half_x, y - half_y,
            y + half_y, colour);
}

/* x, y, a text and its colour. */
static void put_label(FILE *data, double x, double y, uint32_t colour, const char *text)
{
    fprintf(data, "%.6g %.6g %u \"%s\"\n", x, y, colour, text);
}

static const char *why_no_number(const struct sl_kappa_estimate *row)
{
    return row->mode == SL_MODE_QUEUE ? "queue" : sl_row_status_name(row->status);
}

/* Layers of one cell: the box, the number, what stands below it. */
static void put_cell(const struct map *map, FILE *data, const struct sl_kappa_estimate *row,
                     int layer)
{
    const struct sl_shot *shot = shot_of(map, row);
    uint32_t up = place_of(map->victims, map->victim_count, shot->victim.klass);
    uint32_t across = place_of(map->others, map->other_count, shot->aggressors[0].klass);
    if (up == map->victim_count || across == map->other_count)
        return;
    double x = across + 1.0, y = map->victim_count - (double)up;
    double share = has_number(row) ? share_of(map, row->kappa.value) : 0;
    uint32_t ink = share > 0.6 ? LIGHT_TEXT : DARK_TEXT;
    char text[64] = "";
    if (layer == 0)
        put_box(data, x, y, 0.49, 0.48, has_number(row) ? colour_at(share) : NO_KAPPA);
    else if (layer == 1 && has_number(row))
        snprintf(text, sizeof text, "%#.3g", row->kappa.value);
    else if (layer == 1)
        snprintf(text, sizeof text, "%s", why_no_number(row));
    else if (has_number(row) && row->mode == SL_MODE_MIXED)
        snprintf(text, sizeof text, "and queues");
    else if (has_number(row) && row->status != SL_ROW_OK)
        snprintf(text, sizeof text, "%s", sl_row_status_name(row->status));
    else if (has_number(row))
        snprintf(text, sizeof text, "±%.2g%%", 100 * sl_relative_width(row->kappa));
    if (text[0])
        put_label(data, x, y, ink, text);
}

/* The scale stands to the right of the cells. */
static void put_scale(const struct map *map, FILE *data, bool labels)
{
    double x = map->other_count + 0.9, half = map->victim_count / 2.0 / BAR_STEPS;
    for (int step = 0; step < BAR_STEPS && !labels; step++)
        put_box(data, x, 0.5 + half * (2 * step + 1), 0.12, half * 1.05,
                colour_at((step + 0.5) / BAR_STEPS));
    for (int mark = 0; mark <= 4 && labels; mark++) {
        char text[32];
        snprintf(text, sizeof text, "%#.3g", pow(map->top, mark / 4.0));
        put_label(data, x + 0.2, 0.5 + mark / 4.0 * map->victim_count, DARK_TEXT, text);
    }
}

static enum sl_status write_data(const struct map *map, struct sl_error *err)
{
    const struct sl_estimates *e = map->pictures->estimates;
    FILE *data = NULL;
    enum sl_status status = sl_gnuplot_data(&map->pictures->gnuplot, "kappa.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (int layer = 0; layer < 3; layer++) {
        fputs(layer == 0 ? "NaN NaN NaN NaN NaN NaN 0\n" : "NaN NaN 0 \"\"\n", data);
        for (uint32_t i = 0; i < e->kappa_count; i++)
            if (is_shown(map, &e->kappas[i]))
                put_cell(map, data, &e->kappas[i], layer);
        if (layer == 0)
            put_scale(map, data, false);
        fputs("\n\n", data);
    }
    put_scale(map, data, true);
    fclose(data);
    return SL_OK;
}

static void put_texts(const struct map *map)
{
    struct sl_pictures *p = map->pictures;
    const struct sl_estimates *e = p->estimates;
    char title[300], note[400], shape[64] = "", regime[96] = "";
    const struct sl_kappa_estimate *worst = map->largest;
    if (worst)
        snprintf(
            title, sizeof title,
            "%.40s is slowed down most beside %.40s: x%#.3g [%#.3g, %#.3g]; %u of %u pairs are "
            "not told from none",
            name_of(map, shot_of(map, worst)->victim.klass),
            name_of(map, shot_of(map, worst)->aggressors[0].klass), worst->kappa.value,
            worst->kappa.lo, worst->kappa.hi, map->ones, map->shown);
    else
        snprintf(title, sizeof title, "No slowdown of a pair is known with an interval");
    if (e->shape)
        snprintf(shape, sizeof shape, ", aggressors of shape %s", e->shape);
    if (e->regimes[0].name[0])
        snprintf(regime, sizeof regime, ", regime %.40s", e->regimes[0].name);
    snprintf(note, sizeof note,
             "Slowdown of a row beside a column, below it half of the 95%% interval; "
             "%u session%s%s%s.  Grey or empty: no kappa.",
             e->sessions, e->sessions == 1 ? "" : "s", shape, regime);
    sl_gnuplot_title(&p->gnuplot, title);
    sl_gnuplot_text(&p->gnuplot, "NOTE", note);
}

static enum sl_status draw(const struct map *map, struct sl_error *err)
{
    struct sl_pictures *p = map->pictures;
    const char *victims[MOST_CLASSES], *others[MOST_CLASSES];
    for (uint32_t i = 0; i < map->victim_count; i++)
        victims[map->victim_count - 1 - i] = name_of(map, map->victims[i]);
    for (uint32_t i = 0; i < map->other_count; i++)
        others[i] = name_of(map, map->others[i]);
    enum sl_status status = sl_gnuplot_begin(&p->gnuplot, err);
    if (status == SL_OK)
        status = write_data(map, err);
    if (status != SL_OK)
        return status;
    put_texts(map);
    sl_gnuplot_number(&p->gnuplot, "VICTIMS", map->victim_count);
    sl_gnuplot_number(&p->gnuplot, "OTHERS", map->other_count);
    sl_gnuplot_texts(&p->gnuplot, "VICTIM", victims, map->victim_count);
    sl_gnuplot_texts(&p->gnuplot, "OTHER", others, map->other_count);
    return sl_picture_finish(p, "kappa.gp", "kappa",
                             OTHERS_HEIGHT + GRID_HEIGHT * (unsigned)map->victim_count, err);
}

enum sl_status sl_picture_kappa(struct sl_pictures *pictures, struct sl_error *err)
{
    struct map map = {.pictures = pictures};
    survey(&map);
    return map.victim_count > 0 ? draw(&map, err) : SL_OK;
}
