/* The pictures of a calibration, one after the other. */
#include "config.h"

#include "pictures_parts.h"

enum sl_status sl_picture_finish(struct sl_pictures *pictures, const char *script, const char *name,
                                 unsigned height, struct sl_error *err)
{
    enum sl_status status = sl_gnuplot_draw(&pictures->gnuplot, script, name, height, err);
    if (status == SL_OK)
        fprintf(pictures->out, "%s/%s.png\n", pictures->gnuplot.out, name);
    return status;
}

enum sl_status sl_pictures_draw(const char *dir, const struct sl_estimates *estimates, FILE *out,
                                bool *missing, struct sl_error *err)
{
    struct sl_pictures pictures = {.estimates = estimates, .out = out};
    char folder[SL_GNUPLOT_PATH];
    *missing = false;
    if (snprintf(folder, sizeof folder, "%s/plots", dir) >= (int)sizeof folder)
        return SL_FAIL(err, SL_USAGE, "the path '%.80s...' is too long", dir);
    enum sl_status status = sl_gnuplot_open(&pictures.gnuplot, folder, err);
    if (status == SL_OK)
        status = sl_picture_kappa(&pictures, err);
    if (status == SL_OK)
        status = sl_picture_fits(&pictures, err);
    sl_gnuplot_close(&pictures.gnuplot);
    sl_arena_free(&pictures.arena);
    *missing = pictures.gnuplot.missing;
    return status;
}
