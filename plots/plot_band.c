/* The tail over draws of the calibration beside its nominal estimate, and the share of draws that
 * each policy wins: a row per policy, at its best cell as calibrated. */
#include "config.h"

#include "kept.h"
#include "plot_set.h"
#include "quantile.h"
#include <math.h>
#include <string.h>

#define MAX_ROWS 40

struct bands {
    uint32_t rows[MAX_ROWS], policies[MAX_ROWS];
    struct sl_estimate shares[MAX_ROWS]; /* of all cells of the policy */
    size_t count;
    double least_us, most_us; /* finite */
    double draws;
    bool has_shares, has_deadlocks;
};

static double figure(const struct sl_plot_set *set, uint32_t row, const char *column)
{
    return sl_frame_number_of(&set->summary, row, column);
}

static void reach(struct bands *bands, double us)
{
    if (!isfinite(us))
        return;
    bands->least_us = fmin(bands->least_us, us);
    bands->most_us = fmax(bands->most_us, us);
}

static void find_rows(const struct sl_plot_set *set, uint32_t group, struct bands *bands)
{
    static const char *const columns[] = {"tail_band_min_us", "tail_band_max_us", "tail_band_p5_us",
                                          "tail_band_p95_us", "tail_us",          "tail_lo_us",
                                          "tail_hi_us"};
    bands->least_us = INFINITY;
    /* Upwards: the first policy on top. */
    for (uint32_t p = set->manifest.policy_count; p-- > 0 && bands->count < MAX_ROWS;) {
        uint32_t row =
            sl_group_policy_row(&set->summary, &set->grouping, group, set->manifest.policies[p]);
        if (row == SL_NONE || isnan(figure(set, row, "tail_band_p50_us")))
            continue;
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            reach(bands, figure(set, row, columns[c]));
        bands->has_deadlocks |= figure(set, row, "deadlocked_draws") > 0;
        bands->draws = figure(set, row, "outer_draws");
        bands->policies[bands->count] = p;
        bands->rows[bands->count++] = row;
    }
}

/* A policy's cells win different draws, so that their shares add up. */
static void find_shares(const struct sl_plot_set *set, uint32_t group, struct bands *bands)
{
    const struct sl_frame *shares = &set->shares;
    for (size_t r = 0; r < bands->count; r++) {
        double wins = 0, ties = 0, share = 0;
        for (uint32_t k = 0; k < shares->row_count; k++) {
            if (sl_frame_number_of(shares, k, "group") != group ||
                strcmp(sl_frame_text_of(shares, k, "policy"),
                       set->manifest.policies[bands->policies[r]]) != 0)
                continue;
            bands->has_shares = true;
            wins += sl_frame_number_of(shares, k, "wins");
            ties += sl_frame_number_of(shares, k, "ties");
            share += sl_frame_number_of(shares, k, "share");
        }
        double most = fmin(wins + ties, bands->draws);
        bands->shares[r] =
            (struct sl_estimate){share, sl_proportion((size_t)wins, (size_t)bands->draws, 0.95).lo,
                                 sl_proportion((size_t)most, (size_t)bands->draws, 0.95).hi};
    }
}

/* A deadlock stands at the edge. */
static void put_time(FILE *data, double us, double edge_us, struct sl_plot_unit unit)
{
    fprintf(data, "%.17g ", (isinf(us) ? edge_us : us) / unit.divisor);
}

static enum sl_status write_data(struct sl_plot_set *set, const struct bands *bands, double edge_us,
                                 struct sl_plot_unit unit, struct sl_error *err)
{
    static const char *const columns[] = {
        "tail_band_p5_us",  "tail_band_p50_us", "tail_band_p95_us", "tail_band_min_us",
        "tail_band_max_us", "tail_us",          "tail_lo_us",       "tail_hi_us"};
    FILE *data = NULL, *shares = NULL;
    enum sl_status status = sl_gnuplot_data(&set->gnuplot, "band.dat", &data, err);
    if (status == SL_OK)
        status = sl_gnuplot_data(&set->gnuplot, "shares.dat", &shares, err);
    for (size_t r = 0; status == SL_OK && r < bands->count; r++) {
        const struct sl_estimate *share = &bands->shares[r];
        fprintf(data, "%zu ", r + 1);
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            put_time(data, figure(set, bands->rows[r], columns[c]), edge_us, unit);
        fprintf(data, "%.17g\n\n\n", 100 * share->value);
        fprintf(shares, "%zu %.17g %.17g %.17g \"%.3g%%\"\n", r + 1, 100 * share->value,
                100 * share->lo, 100 * share->hi, 100 * share->value);
    }
    if (data)
        fclose(data);
    if (shares)
        fclose(shares);
    return status;
}

static void put_title(struct sl_plot_set *set, uint32_t group, const struct bands *bands)
{
    size_t nominal = 0, often = 0;
    for (size_t r = 1; r < bands->count; r++) {
        if (figure(set, bands->rows[r], "tail_us") < figure(set, bands->rows[nominal], "tail_us"))
            nominal = r;
        if (bands->shares[r].value > bands->shares[often].value)
            often = r;
    }
    uint32_t row = bands->rows[nominal];
    const char *name = sl_plot_cell_label(set, row), *at = sl_plot_at(set, group);
    const char *band = sl_arena_printf(&set->arena, "%s to %s",
                                       sl_plot_estimate(set, figure(set, row, "tail_band_p5_us")),
                                       sl_plot_estimate(set, figure(set, row, "tail_band_p95_us")));
    const char *title;
    if (!bands->has_shares || !band)
        title = sl_arena_printf(&set->arena,
                                "%sthe %s of %s lies from %s in 90%% of %.0f "
                                "calibrations",
                                at, set->tail_name, name, sl_kept(band), bands->draws);
    else if (nominal == often)
        title =
            sl_arena_printf(&set->arena,
                            "%s%s has the lowest %s as calibrated and in %.3g%% of %.0f "
                            "calibrations (%s)",
                            at, set->manifest.policies[bands->policies[nominal]], set->tail_name,
                            100 * bands->shares[nominal].value, bands->draws, band);
    else
        title = sl_arena_printf(&set->arena,
                                "%s%s has the lowest %s as calibrated, but %s wins in %.3g%% of "
                                "%.0f calibrations",
                                at, set->manifest.policies[bands->policies[nominal]],
                                set->tail_name, set->manifest.policies[bands->policies[often]],
                                100 * bands->shares[often].value, bands->draws);
    sl_gnuplot_title(&set->gnuplot, title);
}

static enum sl_status draw(struct sl_plot_set *set, uint32_t group, const struct bands *bands,
                           struct sl_error *err)
{
    const char *labels[MAX_ROWS];
    double pad_us = fmax(0.04 * (bands->most_us - bands->least_us), 1e-3 * bands->most_us);
    struct sl_plot_unit unit = sl_plot_time_unit(bands->most_us);
    enum sl_status status = sl_gnuplot_begin(&set->gnuplot, err);
    if (status == SL_OK)
        status = write_data(set, bands, bands->most_us + pad_us, unit, err);
    if (status != SL_OK)
        return status;
    for (size_t r = 0; r < bands->count; r++)
        labels[r] = sl_plot_cell_label(set, bands->rows[r]);
    put_title(set, group, bands);
    sl_plot_note_absent(set, group);
    sl_gnuplot_number(&set->gnuplot, "ROWS", (double)bands->count);
    sl_gnuplot_number(&set->gnuplot, "SHARES", bands->has_shares);
    sl_gnuplot_texts(&set->gnuplot, "LABELS", labels, bands->count);
    sl_plot_put_styles(set, bands->policies, bands->count);
    sl_gnuplot_text(&set->gnuplot, "UNIT", unit.name);
    sl_gnuplot_text(&set->gnuplot, "METRIC", set->manifest.metric);
    sl_gnuplot_text(&set->gnuplot, "TAIL_NAME", set->tail_name);
    sl_gnuplot_number(&set->gnuplot, "LEAST", (bands->least_us - pad_us) / unit.divisor);
    sl_gnuplot_number(&set->gnuplot, "MOST", (bands->most_us + pad_us) / unit.divisor);
    const char *name = sl_arena_printf(&set->arena, "band_%s", set->grouping.groups[group].slug);
    return sl_plot_finish(set, "band.gp", name ? name : "band", 270 + 56 * (unsigned)bands->count,
                          err);
}

enum sl_status sl_plot_band(struct sl_plot_set *set, uint32_t group, struct sl_error *err)
{
    struct bands bands = {0};
    find_rows(set, group, &bands);
    if (bands.count == 0)
        return SL_OK;
    find_shares(set, group, &bands);
    return draw(set, group, &bands, err);
}
