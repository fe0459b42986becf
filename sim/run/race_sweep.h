/* A sweep as a race: cells that compete start with few trials, and those that cannot win get no
 * more (sim/stats/race.h).
 *
 * Cells of one setting of the scenario's own axes race among themselves; all of them are in memory
 * at once.  Plans that are the same are simulated once. */
#ifndef SL_RACE_SWEEP_H
#define SL_RACE_SWEEP_H
#include "race.h"

#define SL_RACE_ERROR 0.005 /* of any wrong limit in the sweep: a tenth of what its winners have */

/* What became of a cell. */
struct sl_race_result {
    struct sl_runner runner; /* limits in us; `against` is the index of a cell */
    uint32_t same_as;        /* the cell that ran for it, SL_NONE: itself */
    bool ran;                /* a cell of the race; false: its plan is illegal */
};

struct sl_race_report {
    struct sl_race_rule rule; /* q: what was raced on */
    struct sl_race_looks looks;
    struct sl_race_result *results; /* by cell, in the arena of the request; NULL before */
    uint32_t cells;
    uint64_t spent; /* trials simulated */
};
#endif
