/* Inside of the pictures: each draws nothing where there is nothing to show. */
#ifndef SL_PICTURES_PARTS_H
#define SL_PICTURES_PARTS_H
#include "gnuplot.h"
#include "pictures.h"

struct sl_pictures {
    const struct sl_estimates *estimates;
    struct sl_gnuplot gnuplot;
    struct sl_arena arena; /* texts */
    FILE *out;             /* takes the paths */
};

enum sl_status sl_picture_kappa(struct sl_pictures *pictures, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_picture_fits(struct sl_pictures *pictures, struct sl_error *err) SL_NODISCARD;
/* Draws the begun picture and prints its path. */
enum sl_status sl_picture_finish(struct sl_pictures *pictures, const char *script, const char *name,
                                 unsigned height, struct sl_error *err) SL_NODISCARD;
#endif
