/* What durations share, on disk: shared.csv, and the factors of device.yaml that give it back.
 *
 * A class's part of the common factor and its part alone are lognormal factors with median 1, so
 * that medians stay as measured; the common ones all go with one random number. */
#include "config.h"

#include "tables_parts.h"
#include <math.h>

#define COMMON       "machine"
#define LEAST_OF_ALL 0.1 /* a part below this share of the whole is not worth a factor */

static const char *class_name(const struct sl_estimates *e, const struct sl_shared_estimate *row)
{
    return e->measured->cases->classes[row->klass].name;
}

/* Square roots of a variance's limits; a negative one is 0. */
static double root(double variance)
{
    return isnan(variance) ? (double)NAN : sqrt(fmax(variance, 0));
}

enum sl_status sl_write_shared(struct sl_table_writer *writer, struct sl_error *err)
{
    const struct sl_estimates *e = writer->estimates;
    struct sl_table_row cells = {0};
    enum sl_status status = sl_table_begin(
        writer, "shared.csv",
        "class,sd_log,lo,hi,pairs,sessions,total_sd_log,common_sd_log,common_lo,common_hi,"
        "alone_sd_log,factor",
        &cells.out, err);
    for (uint32_t k = 0; status == SL_OK && k < e->shared_count; k++) {
        const struct sl_shared_estimate *row = &e->shared[k];
        sl_cell_text(&cells, class_name(e, row));
        sl_cell_number(&cells, root(row->variance.value));
        sl_cell_number(&cells, root(row->variance.lo));
        sl_cell_number(&cells, root(row->variance.hi));
        sl_cell_integer(&cells, (int64_t)row->pairs);
        sl_cell_integer(&cells, row->sessions);
        sl_cell_number(&cells, row->total_sd);
        sl_cell_number(&cells, row->counts && e->is_common ? row->common_sd.value : (double)NAN);
        sl_cell_number(&cells, row->counts && e->is_common ? row->common_sd.lo : (double)NAN);
        sl_cell_number(&cells, row->counts && e->is_common ? row->common_sd.hi : (double)NAN);
        sl_cell_number(&cells, row->counts ? row->alone_sd : (double)NAN);
        sl_cell_text(&cells, row->counts ? "yes" : "no");
        sl_row_end(&cells);
    }
    return status;
}

/* `with` is NULL of a number of its own. */
static enum sl_status put_factor(struct sl_table_writer *writer, FILE *out, const char *before,
                                 const struct sl_shared_estimate *row, double sd, const char *with,
                                 struct sl_error *err)
{
    const char *klass = class_name(writer->estimates, row);
    const char *name = sl_arena_printf(&writer->arena, "%s.%s", before, klass);
    if (!name)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (sd < LEAST_OF_ALL * root(row->variance.value))
        return SL_OK;
    fputs("  ", out);
    sl_put_yaml_text(out, name);
    fprintf(out, ":\n    draw: \"lognormal(median=1, sigma=%.6g)\"\n    per: trial\n    classes: [",
            sd);
    sl_put_yaml_text(out, klass);
    fputs("]\n", out);
    if (with)
        fprintf(out, "    with: %s\n", with);
    fprintf(out,
            "    evidence: \"measured: calibration; the class shares %.3g%% [%.3g%%, %.3g%%] in "
            "all\"\n",
            100 * root(row->variance.value), 100 * root(row->variance.lo),
            100 * root(row->variance.hi));
    return SL_OK;
}

enum sl_status sl_put_factors(struct sl_table_writer *writer, FILE *out, struct sl_error *err)
{
    const struct sl_estimates *e = writer->estimates;
    enum sl_status status = SL_OK;
    bool any = false, compared = false;
    for (uint32_t k = 0; k < e->shared_count; k++) {
        any |= e->shared[k].counts;
        compared |= e->shared[k].sessions >= SL_SESSIONS_LEAST;
    }
    if (any)
        fputs("# What durations of neighbours share, and a sum therefore keeps (shared.csv); the "
              "laws of\n# durations.csv hold the rest.\nfactors:\n",
              out);
    else if (compared)
        fputs("# No factors: no class's durations were seen to vary together (shared.csv).\n", out);
    else
        fputs("# No factors: whether durations vary together is not known (shared.csv).\n", out);
    for (uint32_t k = 0; status == SL_OK && k < e->shared_count; k++)
        if (e->shared[k].counts)
            status = put_factor(writer, out, COMMON, &e->shared[k], e->shared[k].common_sd.value,
                                COMMON, err);
    for (uint32_t k = 0; status == SL_OK && k < e->shared_count; k++)
        if (e->shared[k].counts)
            status =
                put_factor(writer, out, "class", &e->shared[k], e->shared[k].alone_sd, NULL, err);
    return status;
}
