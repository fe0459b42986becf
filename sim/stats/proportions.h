/* Shares of one number of trials.  The exact interval of each number of hits is computed once: of a
 * thousand nodes many have it in common. */
#ifndef SL_PROPORTIONS_H
#define SL_PROPORTIONS_H
#include "arena.h"
#include "quantile.h"

struct sl_proportions {
    uint32_t n; /* trials */
    double level;
    struct sl_estimate *of; /* by hits, where known */
    bool *known;
};

/* In `arena`; false: out of memory. */
bool sl_proportions_open(struct sl_proportions *proportions, uint32_t n, double level,
                         struct sl_arena *arena);
/* As sl_proportion; `hits` is at most n. */
struct sl_estimate sl_proportions_at(struct sl_proportions *proportions, uint32_t hits);
#endif
