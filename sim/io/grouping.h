/* Rows of summary.csv that compete with each other: cells with the same values of every axis that
 * is not a policy's parameter ("at 44 GiB").  Within a group the best cell is the one with the
 * lowest tail of the objective among those whose verdict is ok. */
#ifndef SL_GROUPING_H
#define SL_GROUPING_H
#include "frame.h"

struct sl_group {
    const char *label;  /* "hbm.capacity 44GiB", "" when there is no such axis */
    const char *values; /* "44GiB", "" */
    const char *slug;   /* for file names: "44GiB", "all" */
    uint32_t first_row; /* the others follow by next_row */
    uint32_t best_row;  /* SL_NONE: no cell is ok */
    uint32_t tied;      /* other policies' cells whose 95% interval overlaps the best one's */
};

struct sl_grouping {
    struct sl_group *groups;
    uint32_t group_count;
    uint32_t *group_of_row;
    uint32_t *next_row; /* by row: the next one of its group; SL_NONE: there is none */
};

/* `axes` are the scenario's, in order; everything made lives in `arena`. */
enum sl_status sl_grouping_make(struct sl_grouping *grouping, const struct sl_frame *summary,
                                const char *const *axes, uint32_t axis_count,
                                struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
/* "policy.prefetch.lookahead": belongs to a policy. */
bool sl_axis_is_policys(const char *axis);
/* The axis without "policy." or "domains.": what a table or picture calls it. */
const char *sl_axis_short(const char *axis);
/* True when the 95% intervals of two cells' tails overlap, so that neither is shown to be lower. */
bool sl_rows_tie(const struct sl_frame *summary, uint32_t a, uint32_t b);
/* The index of the row's cell. */
uint32_t sl_row_cell(const struct sl_frame *summary, uint32_t row);
/* Verdict ok and a tail that could be estimated. */
bool sl_row_ranks(const struct sl_frame *summary, uint32_t row);
/* Of the row's jobs, also those of the warm-up, the share that was rejected; NAN: it has no jobs.
 */
double sl_row_rejected(const struct sl_frame *summary, uint32_t row);
/* The row's jobs show no steady state, though its latency is not said to grow: MSER-5 found none,
 * or the 95% interval of the slope of the latency is above 0.  False of a trace, which has a course
 * of its own. */
bool sl_row_unsteady(const struct sl_frame *summary, uint32_t row);
/* The row of `policy` in a group with the lowest tail, SL_NONE when it has none that ranks. */
uint32_t sl_group_policy_row(const struct sl_frame *summary, const struct sl_grouping *grouping,
                             uint32_t group, const char *policy);
/* "p99", "p99.9", "median" for a quantile. */
const char *sl_quantile_name(char buffer[16], double q);
#endif
