/* Shapes of a map.
 *
 * Each square of the grid is cut into a quarter per corner: from the corner along its two edges to
 * where the leader changes (halfway where it does not), and from there to the square's middle,
 * which is the mean of the crossings on its edges.  So regions of any number of policies meet
 * without gaps, on the boundary. */
#include "plot_map.h"
#include <math.h>
#include <string.h>

struct spot {
    double x, y;
};

/* Where a leader ends on an edge of a square. */
struct cut {
    struct spot at, lo, hi; /* lo: towards the edge's first corner */
    bool there, sure;       /* there: the leader changes; sure: at a break-even with a band */
};

static double place_of(const struct sl_map_axis *axis, double value)
{
    return axis->log ? log(value) : value;
}

static struct spot between(struct spot a, struct spot b)
{
    return (struct spot){(a.x + b.x) / 2, (a.y + b.y) / 2};
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint32_t add_value(struct sl_map_picture *picture, int a, double value, const char *text)
{
    struct sl_map_axis *axis = &picture->axes[a];
    uint32_t i = 0;
    while (i < axis->count && axis->values[i] != value)
        i++;
    if (i == axis->count && i < SL_PICTURE_VALUES) {
        axis->values[i] = value;
        axis->texts[i] = text;
        axis->log = axis->log && value > 0;
        axis->count++;
    }
    return i;
}

/* The axes of the machine whose column has the texts of `across` or `up`: the first two. */
static const char *axis_path(const struct sl_plot_set *set, int which)
{
    for (uint32_t a = 0; a < set->manifest.axis_count; a++)
        if (!sl_axis_is_policys(set->manifest.axes[a]) && which-- == 0)
            return set->manifest.axes[a];
    return "";
}

enum sl_status sl_map_picture_read(struct sl_plot_set *set, struct sl_map_picture *picture,
                                   double number, struct sl_error *err)
{
    static const char *const columns[] = {"across", "up"};
    const struct sl_frame *map = &set->map;
    picture->number = number;
    for (int a = 0; a < 2; a++) {
        picture->axes[a] = (struct sl_map_axis){
            .path = axis_path(set, a),
            .texts = sl_arena_array(&set->arena, SL_PICTURE_VALUES, sizeof(char *)),
            .values = sl_arena_array(&set->arena, SL_PICTURE_VALUES, sizeof(double)),
            .unit = "",
            .numeric = true,
            .log = true};
        if (!picture->axes[a].texts || !picture->axes[a].values)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    memset(picture->rows, 0xff, sizeof picture->rows);
    for (uint32_t row = 0; row < map->row_count; row++) {
        uint32_t at[2];
        if (sl_frame_number_of(map, row, "map") != number)
            continue;
        for (int a = 0; a < 2; a++)
            at[a] = add_value(picture, a, sl_frame_number_of(map, row, columns[a]),
                              sl_frame_text_of(map, row, picture->axes[a].path));
        if (at[0] == SL_PICTURE_VALUES || at[1] == SL_PICTURE_VALUES)
            return SL_FAIL(err, SL_INVALID, "map.csv: an axis has more than %d values",
                           SL_PICTURE_VALUES);
        picture->rows[at[1] * SL_PICTURE_VALUES + at[0]] = row;
    }
    for (int a = 0; a < 2; a++)
        for (uint32_t i = 0; i < picture->axes[a].count; i++)
            picture->places[a][i] = place_of(&picture->axes[a], picture->axes[a].values[i]);
    return SL_OK;
}

static uint32_t point_row(const struct sl_map_picture *picture, uint32_t x, uint32_t y)
{
    return picture->rows[y * SL_PICTURE_VALUES + x];
}

/* Index of a point's leading policy; SL_NONE: nobody leads. */
uint32_t sl_map_picture_leader(const struct sl_plot_set *set, uint32_t row)
{
    const char *name = row == SL_NONE ? "" : sl_frame_text_of(&set->map, row, "leader");
    for (uint32_t p = 0; p < set->manifest.policy_count; p++)
        if (strcmp(set->manifest.policies[p], name) == 0)
            return p;
    return SL_NONE;
}

bool sl_map_picture_is(const struct sl_plot_set *set, uint32_t row, const char *verdict)
{
    return row != SL_NONE && strcmp(sl_frame_text_of(&set->map, row, "verdict"), verdict) == 0;
}

bool sl_map_picture_untested(const struct sl_plot_set *set, uint32_t row)
{
    return sl_map_picture_is(set, row, "not-compared") || sl_map_picture_is(set, row, "one-course");
}

/* The row of boundary.csv from one point to another, SL_NONE: the same policy leads both. */
static uint32_t edge_row(const struct sl_plot_set *set, uint32_t from, uint32_t to)
{
    const struct sl_frame *boundary = &set->boundary;
    double a = from == SL_NONE ? NAN : sl_frame_number_of(&set->map, from, "group");
    double b = to == SL_NONE ? NAN : sl_frame_number_of(&set->map, to, "group");
    for (uint32_t row = 0; row < boundary->row_count; row++)
        if (sl_frame_number_of(boundary, row, "from_group") == a &&
            sl_frame_number_of(boundary, row, "to_group") == b)
            return row;
    return SL_NONE;
}

/* ---- geometry -------------------------------------------------------------------------------- */

static struct spot spot_of(const struct sl_map_picture *picture, uint32_t x, uint32_t y)
{
    return (struct spot){picture->places[0][x], picture->places[1][y]};
}

static struct spot moved(struct spot from, int along, double place)
{
    if (along == 0)
        from.x = place;
    else
        from.y = place;
    return from;
}

/* Of the edge from (x, y) to the next point across (along 0) or up (1). */
static struct cut cut_edge(const struct sl_plot_set *set, const struct sl_map_picture *picture,
                           uint32_t x, uint32_t y, int along)
{
    uint32_t x2 = x + (along == 0), y2 = y + (along == 1);
    struct spot from = spot_of(picture, x, y), to = spot_of(picture, x2, y2);
    struct cut cut = {between(from, to), from, to, false, false};
    uint32_t row = edge_row(set, point_row(picture, x, y), point_row(picture, x2, y2));
    const struct sl_map_axis *axis = &picture->axes[along];
    if (row == SL_NONE)
        return cut;
    cut.there = true;
    cut.sure = strcmp(sl_frame_text_of(&set->boundary, row, "kind"), "crossing") == 0;
    if (!cut.sure)
        return cut;
    cut.at = moved(from, along, place_of(axis, sl_frame_number_of(&set->boundary, row, "at")));
    cut.lo = moved(from, along, place_of(axis, sl_frame_number_of(&set->boundary, row, "lo")));
    cut.hi = moved(from, along, place_of(axis, sl_frame_number_of(&set->boundary, row, "hi")));
    return cut;
}

/* A square: corners counted around it from the lower left, cut k between corners k and k + 1. */
struct square {
    struct spot corners[4], middle;
    struct cut cuts[4];
    uint32_t rows[4];
    int crossings;
    bool supported; /* one boundary crosses it, with a break-even on both of its edges */
};

static struct square square_at(const struct sl_plot_set *set, const struct sl_map_picture *picture,
                               uint32_t x, uint32_t y)
{
    static const uint32_t steps[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    struct square square = {
        .cuts = {cut_edge(set, picture, x, y, 0), cut_edge(set, picture, x + 1, y, 1),
                 cut_edge(set, picture, x, y + 1, 0), cut_edge(set, picture, x, y, 1)}};
    struct spot sum = {0, 0};
    int sure = 0;
    for (int k = 0; k < 4; k++) {
        square.corners[k] = spot_of(picture, x + steps[k][0], y + steps[k][1]);
        square.rows[k] = point_row(picture, x + steps[k][0], y + steps[k][1]);
        if (!square.cuts[k].there)
            continue;
        square.crossings++;
        sure += square.cuts[k].sure;
        sum.x += square.cuts[k].at.x;
        sum.y += square.cuts[k].at.y;
    }
    square.middle = square.crossings
                        ? (struct spot){sum.x / square.crossings, sum.y / square.crossings}
                        : between(square.corners[0], square.corners[2]);
    square.supported = square.crossings == 2 && sure == 2;
    return square;
}

/* ---- data ------------------------------------------------------------------------------------ */

static void put_spots(FILE *data, const struct spot *spots, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(data, "%.17g %.17g\n", spots[i].x, spots[i].y);
    fputc('\n', data);
}

static void put_quarter(FILE *data, const struct square *square, int corner)
{
    put_spots(data,
              (struct spot[]){square->corners[corner], square->cuts[corner].at, square->middle,
                              square->cuts[(corner + 3) % 4].at},
              4);
}

/* Of a boundary through two edges, the ends of one band that belong to the same leader are joined:
 * lo with lo where the leader of the first ends is the same, else lo with hi. */
static void put_band(const struct sl_plot_set *set, FILE *data, const struct square *square)
{
    static const int first_corner[4] = {0, 1, 3, 0};
    int found[4], count = 0;
    if (!square->supported)
        return;
    for (int k = 0; k < 4; k++)
        if (square->cuts[k].sure)
            found[count++] = k;
    const struct cut *a = &square->cuts[found[0]], *b = &square->cuts[found[1]];
    bool alike = sl_map_picture_leader(set, square->rows[first_corner[found[0]]]) ==
                 sl_map_picture_leader(set, square->rows[first_corner[found[1]]]);
    put_spots(data, (struct spot[]){a->lo, a->hi, alike ? b->hi : b->lo, alike ? b->lo : b->hi}, 4);
}

/* A boundary is known on the edges of the grid: what joins two break-evens is a line between them,
 * what joins others (three leaders, an edge without a break-even) is a guess. */
static void put_boundary(FILE *data, const struct square *square, bool guesses)
{
    for (int k = 0; k < 4; k++) {
        const struct cut *cut = &square->cuts[k];
        if (cut->there && guesses != square->supported)
            put_spots(data, (struct spot[]){cut->at, square->middle}, 2);
        if (cut->sure && !guesses)
            put_spots(data, (struct spot[]){cut->lo, cut->hi}, 2);
    }
}

static void put_layer(const struct sl_plot_set *set, FILE *data, const struct square *square,
                      enum sl_map_layer layer)
{
    if (layer == SL_MAP_BANDS)
        put_band(set, data, square);
    if (layer == SL_MAP_LINES || layer == SL_MAP_GUESSES)
        put_boundary(data, square, layer == SL_MAP_GUESSES);
    for (int k = 0; k < 4; k++)
        if ((layer == SL_MAP_TIES && sl_map_picture_is(set, square->rows[k], "tie")) ||
            (layer == SL_MAP_UNCOMPARED && sl_map_picture_untested(set, square->rows[k])))
            put_quarter(data, square, k);
}

static void put_points(const struct sl_map_picture *picture, FILE *data)
{
    for (uint32_t y = 0; y < picture->axes[1].count; y++)
        for (uint32_t x = 0; x < picture->axes[0].count; x++)
            put_spots(data, (struct spot[]){spot_of(picture, x, y)}, 1);
}

/* An index per policy, then one per layer; gnuplot skips an empty index. */
enum sl_status sl_map_picture_write(struct sl_plot_set *set, const struct sl_map_picture *picture,
                                    struct sl_error *err)
{
    FILE *data = NULL;
    uint32_t policies = set->manifest.policy_count;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "map.dat", &data, err);
    if (status != SL_OK)
        return status;
    for (uint32_t i = 0; i < policies + SL_MAP_LAYERS; i++) {
        fputs("NaN NaN\n\n", data);
        if (i == policies + SL_MAP_POINTS)
            put_points(picture, data);
        for (uint32_t y = 0; y + 1 < picture->axes[1].count; y++)
            for (uint32_t x = 0; x + 1 < picture->axes[0].count; x++) {
                struct square square = square_at(set, picture, x, y);
                for (int k = 0; i < policies && k < 4; k++)
                    if (sl_map_picture_leader(set, square.rows[k]) == i)
                        put_quarter(data, &square, k);
                if (i >= policies)
                    put_layer(set, data, &square, (enum sl_map_layer)(i - policies));
            }
        fputs("\n", data);
    }
    fclose(data);
    return SL_OK;
}
