/* What the files of a sweep's report for people share. */
#ifndef SL_REPORT_SWEEP_PARTS_H
#define SL_REPORT_SWEEP_PARTS_H
#include "alternatives.h"
#include "report_sweep.h"
#include "table.h"

#define SL_MAX_REASONS 64

struct sl_sweep_report {
    struct sl_arena arena;
    FILE *out;
    const struct sl_session *session;
    const struct sl_standings *standings;
    const struct sl_frame *frame;
    const struct sl_grouping *grouping;
    struct sl_alternatives alternatives; /* in_set NULL where the objective has an order */
    const char **axes;
    const char *reasons[SL_MAX_REASONS]; /* footnotes, each text once */
    unsigned reason_count;
    char tail_name[16]; /* "throughput" where that is the objective's metric */
    bool rates;         /* ... and then its times per job are told as jobs per s */
    bool has_bounds, has_deadlines, has_rejections, has_unsteady; /* in any cell */
};

/* "1.54 s", or where rates are told "0.649/s"; and the interval, "[1.53 s, 1.55 s]" or "". */
const char *sl_sweep_metric(struct sl_sweep_report *report, double us);
const char *sl_sweep_interval(struct sl_sweep_report *report, double lo_us, double hi_us);
/* One honest sentence about a group. */
void sl_sweep_print_group(struct sl_sweep_report *report, uint32_t group);
/* Of a sweep that was a race: the trials of each group, and a table of who got fewer, and why. */
void sl_sweep_print_race(struct sl_sweep_report *report);
/* Why a row is marked unsteady (sl_row_unsteady): the slope of its latency, where that is above 0.
 */
const char *sl_sweep_unsteady_note(struct sl_sweep_report *report, uint32_t row);
/* How many such rows compete in the group; and a line on them, where there are any. */
uint32_t sl_sweep_unsteady(const struct sl_sweep_report *report, uint32_t group);
void sl_sweep_print_unsteady(struct sl_sweep_report *report, uint32_t group);
/* The word for a measure of the order of which less is better, and that for one of which more is.
 */
const char *sl_sweep_sense(const struct sl_sweep_report *report, uint32_t level, const char *less,
                           const char *more);
/* "p99", "median", "peak.hbm"; "throughput" where rates are told. */
const char *sl_sweep_label(const struct sl_sweep_report *report, uint32_t level, char buffer[16]);
/* The first `count` measures: "p99, median and peak.hbm". */
void sl_sweep_print_measures(const struct sl_sweep_report *report, uint32_t count);
/* " by 1%" where a gain must be so large, "" where any counts. */
const char *sl_sweep_gain(struct sl_sweep_report *report);
/* What the marks and the word "wins" rest on. */
void sl_sweep_print_legend(struct sl_sweep_report *report);
#endif
