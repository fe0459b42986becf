/* Who has won each group of a sweep, shown simultaneously for all groups, or which cells tie. */
#ifndef SL_STANDINGS_H
#define SL_STANDINGS_H
#include "grouping.h"
#include "metric_store.h"
#include "race_sweep.h"

struct sl_standing {
    uint32_t ranked;     /* cells that compete: verdict ok, and a figure of the first measure */
    /* Rows of the winner, or of the tie set's lowest in the first measure, and of the next lowest in
     * the measure that decided (or the first); SL_NONE: there is none. */
    uint32_t candidate, runner_up;
    bool won;            /* on the first seed, and where there is a fresh estimate on that one too */
    bool not_confirmed;  /* won on the first seed alone */
    /* The trials of one of them, replications of jobs, are the same course of events (or a trace's,
     * too few to say): trials show nothing of it, and none is tested. */
    bool one_course;
    uint32_t level;      /* of the order: the measure that left one alone; SL_NONE: none did */
    uint32_t untested;   /* the measure that the trials are too few to test; SL_NONE */
    uint32_t among;      /* cells that came to either */
    /* An earlier measure in which the fresh seed shows the candidate above the runner-up by
     * min_gain, and both there; SL_NONE. */
    uint32_t refuted_by;
    struct sl_estimate refuting, refuting_runner_up;
    /* Tails of both on the fresh seed, and the figures of the measure that decided; NAN where
     * nothing was re-estimated. */
    struct sl_estimate fresh_candidate, fresh_runner_up;
    struct sl_estimate fresh_figure, fresh_runner_up_figure;
    /* Their verdicts there, and why where that is not ok; NULL where nothing was re-estimated.  One
     * that is not ok has its figures all the same, if there are any, and loses. */
    const char *fresh_verdict, *fresh_reason, *fresh_runner_up_verdict, *fresh_runner_up_reason;
};

/* Zero-initialise; sl_standings_free releases. */
struct sl_standings {
    struct sl_arena arena;
    struct sl_frame summary;
    struct sl_grouping grouping;
    const struct sl_order_item *order; /* the objective's */
    uint32_t order_count;
    struct sl_standing *groups;
    uint32_t *dropped_at; /* by row: level at which it was shown to be above the lowest; SL_NONE */
    uint32_t ranked;      /* cells of groups in which two or more compete */
    struct sl_winner_rule rule; /* q: the objective's tail */
    bool jobs;            /* trials are replications of jobs */
    bool too_large;       /* the trials did not fit in memory: nothing is judged */
    const struct sl_race_report *race; /* what decided before all trials; NULL: nothing did */
};

/* The seed of re-estimation: no draw of it was looked at when the winner was chosen. */
uint64_t sl_fresh_seed(uint64_t seed);
/* The race's result for a row, NULL without a race. */
const struct sl_race_result *sl_standings_raced(const struct sl_standings *standings, uint32_t row);
/* Fills what stands below the order in the struct, from a summary, a grouping and an order that are
 * set; without an order it becomes the tail alone.  `rule` has q (the objective's tail), min_gain and
 * seed; the error of each test is 0.05, less what a race had, over the cells that compete and the
 * measures of the order. */
enum sl_status sl_standings_judge(struct sl_standings *standings, const struct sl_winner_rule *rule,
                                  const struct sl_metric_store *store,
                                  struct sl_error *err) SL_NODISCARD;
/* Trials for a test of a measure of the order at the corrected error. */
size_t sl_standings_needs(const struct sl_standings *standings, uint32_t level);
/* Whether a group's win is to be confirmed on the fresh seed. */
bool sl_standings_awaits(const struct sl_standings *standings, uint32_t group);
/* Takes what the candidate and the runner-up of a group have on the fresh seed, rows of `fresh` (of
 * summary.csv's columns; SL_NONE: there is none): its win stands when it is ok there and the other is
 * not, or else when min_gain does, and no earlier measure's 95% intervals lie min_gain apart the other
 * way.  SL_SYSTEM: out of memory. */
enum sl_status sl_standings_confirm(struct sl_standings *standings, uint32_t group,
                                    const struct sl_frame *fresh, uint32_t candidate,
                                    uint32_t runner_up, struct sl_error *err) SL_NODISCARD;
/* True when the row competes: verdict ok, and a figure of the first measure, or lost a race before
 * there was one. */
bool sl_standings_competes(const struct sl_standings *standings, uint32_t row);
/* True when the row competes and no level dropped it, all having been tested (tied) or not
 * (uncompared); or when it was tied until the level that decided its group, or was not tested. */
bool sl_standings_tied(const struct sl_standings *standings, uint32_t row);
bool sl_standings_uncompared(const struct sl_standings *standings, uint32_t row);
bool sl_standings_was_tied(const struct sl_standings *standings, uint32_t row);
/* Writes DIR/winners.csv whole: a row per group. */
enum sl_status sl_standings_write(const struct sl_standings *standings, const char *dir,
                                  struct sl_error *err) SL_NODISCARD;
void sl_standings_free(struct sl_standings *standings);
#endif
