/* Who has won each group of a sweep, shown simultaneously for all groups, or which cells tie. */
#ifndef SL_STANDINGS_H
#define SL_STANDINGS_H
#include "grouping.h"
#include "metric_store.h"
#include "winner.h"

struct sl_standing {
    uint32_t ranked;     /* cells that compete: verdict ok, and a tail */
    uint32_t candidate;  /* row with the lowest tail, SL_NONE: no cell competes */
    uint32_t runner_up;  /* row with the next lowest, SL_NONE: there is none */
    bool won;            /* on the first seed, and where there is a fresh estimate on that one too */
    bool not_confirmed;  /* won on the first seed alone */
    /* Tails of both on the fresh seed; NAN where nothing was re-estimated. */
    struct sl_estimate fresh_candidate, fresh_runner_up;
};

/* Zero-initialise; sl_standings_free releases. */
struct sl_standings {
    struct sl_arena arena;
    struct sl_frame summary;
    struct sl_grouping grouping;
    struct sl_standing *groups;
    bool *worse;         /* by row: shown to be above its group's candidate by min_gain */
    uint32_t ranked;     /* cells of groups in which two or more compete: the correction */
    struct sl_winner_rule rule;
    size_t needs;        /* trials for a test at the corrected error */
    bool too_large;      /* the trials did not fit in memory: nothing is judged */
};

/* The seed of re-estimation: no draw of it was looked at when the winner was chosen. */
uint64_t sl_fresh_seed(uint64_t seed);
/* Fills groups, worse and rule from a summary and grouping that are set.  `rule` has q, min_gain and
 * seed; the error is 0.05 over the cells that compete. */
enum sl_status sl_standings_judge(struct sl_standings *standings, const struct sl_winner_rule *rule,
                                  const struct sl_metric_store *store,
                                  struct sl_error *err) SL_NODISCARD;
/* Takes the fresh tails of a group's candidate and runner-up: its win stands when min_gain does. */
void sl_standings_confirm(struct sl_standings *standings, uint32_t group,
                          struct sl_estimate candidate, struct sl_estimate runner_up);
/* The index of the row's cell. */
uint32_t sl_row_cell(const struct sl_frame *summary, uint32_t row);
/* True when the row competes and is not shown to be worse than its group's candidate. */
bool sl_standings_tied(const struct sl_standings *standings, uint32_t row);
/* Writes DIR/winners.csv whole: a row per group. */
enum sl_status sl_standings_write(const struct sl_standings *standings, const char *dir,
                                  struct sl_error *err) SL_NODISCARD;
void sl_standings_free(struct sl_standings *standings);
#endif
