/* What the ranked selections share.  Private to policy/. */
#ifndef SL_RANKING_H
#define SL_RANKING_H
#include "attempt.h"

/* Parameters of every selection that stops when the rest fits. */
extern const struct sl_param sl_ranked_params[1];
#define SL_RANKED_PARAMETERS                                                                       \
    "headroom=0B: bytes to leave free below capacity - reserve; objects: names or globs"

/* Larger x first; ties: longer gap, then row. */
static inline int sl_rank_by(double x, double y, const struct sl_candidate *a,
                             const struct sl_candidate *b)
{
    if (x < y || x > y)
        return x > y ? -1 : 1;
    if (a->gap_ps < b->gap_ps || a->gap_ps > b->gap_ps)
        return a->gap_ps > b->gap_ps ? -1 : 1;
    return a->object < b->object ? -1 : a->object > b->object;
}

/* Used least recently first; ties: larger, longer gap, row. */
static inline int sl_rank_last_use(const struct sl_candidate *a, const struct sl_candidate *b)
{
    if (a->last_use != b->last_use)
        return a->last_use < b->last_use ? -1 : 1;
    return sl_rank_by((double)a->bytes, (double)b->bytes, a, b);
}
#endif
