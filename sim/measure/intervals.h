/* Sets of times: disjoint intervals [from, to) in order.  What counts as busy, exposed or side by
 * side is said by these alone. */
#ifndef SL_INTERVALS_H
#define SL_INTERVALS_H
#include "arena.h"

struct sl_interval {
    int64_t from_ps, to_ps;
};
/* Zero-initialise; sl_intervals_free releases. */
struct sl_intervals {
    struct sl_interval *items;
    uint32_t count, capacity;
};

/* Unites the set with [from, to), which does not start before any that was added earlier; intervals
 * that touch become one, and one without length adds nothing.  False when out of memory. */
bool sl_intervals_add(struct sl_intervals *set, int64_t from_ps, int64_t to_ps) SL_NODISCARD;
/* The length of the set. */
int64_t sl_intervals_length(const struct sl_intervals *set);
/* The length of what both have. */
int64_t sl_intervals_common(const struct sl_intervals *a, const struct sl_intervals *b);
/* The length of what the set has of [from, to). */
int64_t sl_intervals_within(const struct sl_intervals *set, int64_t from_ps, int64_t to_ps);
void sl_intervals_free(struct sl_intervals *set);
#endif
