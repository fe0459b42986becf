/* One map of a results folder as a picture: its grid, and the shapes that are drawn of it. */
#ifndef SL_PLOT_MAP_H
#define SL_PLOT_MAP_H
#include "plot_set.h"
#include "win_map.h"

#define SL_PICTURE_VALUES 256 /* of an axis */

/* A map of the folder; positions are logarithms where an axis is all positive. */
struct sl_map_picture {
    double number;              /* column `map` */
    struct sl_map_axis axes[2]; /* across, up */
    double places[2][SL_PICTURE_VALUES];
    uint32_t rows[SL_PICTURE_VALUES * SL_PICTURE_VALUES]; /* of map.csv; up x across, SL_NONE: no point */
};

/* Layers of shapes behind one index per policy in the data file. */
enum sl_map_layer {
    SL_MAP_TIES, SL_MAP_UNCOMPARED, SL_MAP_BANDS, SL_MAP_LINES, SL_MAP_GUESSES, SL_MAP_POINTS, SL_MAP_LAYERS
};

/* Reads the points of map `number` of map.csv. */
enum sl_status sl_map_picture_read(struct sl_plot_set *set, struct sl_map_picture *picture,
                                   double number, struct sl_error *err) SL_NODISCARD;
/* Index of the policy that leads in a row of map.csv; SL_NONE: nobody leads, or no row. */
uint32_t sl_map_picture_leader(const struct sl_plot_set *set, uint32_t row);
/* Whether the point of that row has that verdict; false for SL_NONE. */
bool sl_map_picture_is(const struct sl_plot_set *set, uint32_t row, const char *verdict);
/* ... one that names the lowest without a test: too few trials, or one course of events. */
bool sl_map_picture_untested(const struct sl_plot_set *set, uint32_t row);
/* Writes map.dat: regions by policy, then the layers. */
enum sl_status sl_map_picture_write(struct sl_plot_set *set, const struct sl_map_picture *picture,
                                    struct sl_error *err) SL_NODISCARD;
#endif
