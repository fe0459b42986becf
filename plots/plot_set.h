/* What the pictures of one results folder share: its tables, groups, colours and units. */
#ifndef SL_PLOT_SET_H
#define SL_PLOT_SET_H
#include "frame.h"
#include "gnuplot.h"
#include "grouping.h"
#include "manifest.h"

struct sl_plot_set {
    struct sl_arena arena;
    struct sl_manifest manifest;
    struct sl_frame summary, trials, pressure, gantt, slack;
    struct sl_frame jobs, load; /* empty but in modes open and closed */
    struct sl_frame shares; /* empty without draws of the calibration */
    struct sl_frame winners; /* empty without winners.csv */
    struct sl_frame race;    /* empty without race.csv */
    struct sl_frame sensitivity; /* empty without the file */
    struct sl_frame map, boundary; /* empty without a map */
    struct sl_frame robustness;    /* empty without the file */
    struct sl_frame iterations;    /* likewise */
    struct sl_grouping grouping;
    struct sl_gnuplot gnuplot;
    FILE *out; /* takes the paths of pictures; NULL: nobody */
    uint32_t drawn;
    char tail_name[16];
};

/* Colours of Okabe and Ito, safe for colour-blind readers, with brown instead of their yellow, which
 * is faint on white; the same index has the same colour in
 * every picture.  Policies beyond the eighth repeat colours with another dash and point type. */
#define SL_PLOT_COLOURS 8
extern const char *const sl_plot_colours[SL_PLOT_COLOURS];
/* array COLOUR / DASH / POINT of the policies, for the curves of a picture. */
void sl_plot_put_styles(struct sl_plot_set *set, const uint32_t *policies, size_t count);

/* array FILL of all policies: their colours mixed with white, so that lines and hatching stand out. */
void sl_plot_put_fills(struct sl_plot_set *set);

/* A unit for times up to `us`: its name, and the divisor from us. */
struct sl_plot_unit {
    const char *name;
    double divisor;
};
struct sl_plot_unit sl_plot_time_unit(double us);
struct sl_plot_unit sl_plot_bytes_unit(double bytes);

/* Texts in the arena: "1.52 s"; "mixed (prefetch.lookahead 4)" or the policy alone; "At 44GiB, " or
 * "". */
const char *sl_plot_time(struct sl_plot_set *set, double us);
const char *sl_plot_estimate(struct sl_plot_set *set, double us); /* "1.521 s" */
const char *sl_plot_bytes(struct sl_plot_set *set, double bytes);
const char *sl_plot_cell_label(struct sl_plot_set *set, uint32_t row);
const char *sl_plot_at(struct sl_plot_set *set, uint32_t group);
/* "; the intervals of 2 others overlap", and "" where none do, or where winners.csv has the lowest
 * tail shown to be below all others by paired tests. */
const char *sl_plot_ties(struct sl_plot_set *set, uint32_t group);
/* "; a rejects the most jobs, 89.3%", of the group's cell with the largest share (SL_NONE: of all
 * groups); "" where none rejects any. */
const char *sl_plot_rejected(struct sl_plot_set *set, uint32_t group);
/* "At 44GiB, jit has the lowest p99: 1.54 s [1.53 s, 1.55 s]", the ties, and what winners.csv says
 * besides: that another measure has decided, or that trials were too few. */
const char *sl_plot_lowest(struct sl_plot_set *set, uint32_t group);
/* NOTE: which policies a picture lacks because they have no cell with verdict ok and a tail in the
 * group, by verdict or by the race that dropped them; SL_NONE: whether in any group. */
void sl_plot_note_absent(struct sl_plot_set *set, uint32_t group);
/* Draws the begun picture and prints its path. */
enum sl_status sl_plot_finish(struct sl_plot_set *set, const char *script, const char *name,
                              unsigned height, struct sl_error *err) SL_NODISCARD;

/* What is read of gantt.csv, in this order. */
#define SL_PLOT_GANTT_COLUMNS 12
extern const char *const sl_plot_gantt_columns[SL_PLOT_GANTT_COLUMNS];

/* The pictures.  Each draws nothing where there is nothing to show. */
enum sl_status sl_plot_tail(struct sl_plot_set *set, uint32_t group,
                            struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_load(struct sl_plot_set *set, uint32_t group,
                            struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_pareto(struct sl_plot_set *set, uint32_t group,
                              struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_stalls(struct sl_plot_set *set, uint32_t group,
                              struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_pressure(struct sl_plot_set *set, uint32_t group,
                                struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_gantt(struct sl_plot_set *set, uint32_t group, const char *at,
                             struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_slack(struct sl_plot_set *set, uint32_t group,
                             struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_band(struct sl_plot_set *set, uint32_t group,
                            struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_iterations(struct sl_plot_set *set, uint32_t group,
                                  struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_axes(struct sl_plot_set *set, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_maps(struct sl_plot_set *set, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_robustness(struct sl_plot_set *set, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_plot_tornado(struct sl_plot_set *set, struct sl_error *err) SL_NODISCARD;
#endif
