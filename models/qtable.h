/* Quantile tables: one cubic per cell, so that a draw costs the same for every family.
 *
 * With w = min(u, 1-u), a cell is chosen by the exponent and the top mantissa bits of w, 5 of them
 * or as many as the law needs, up to 8: cells shrink with the distance from the tail, on both
 * sides, down to w = 2^-30, beyond which the exact function is called.
 *
 *     side 0 (u <= 1/2): |2^-30 ..|2^-29 ....|  ...  |1/4 ............ 1/2|
 *     side 1 (u >  1/2): the same in 1-u
 *
 * Each cubic is the Hermite interpolant of the exact quantile and its slope 1/pdf.  A table is kept
 * only if every cell is monotone and its middle is within SL_QTABLE_ERROR of the exact value.
 * Tables live in a process-wide cache keyed by law and shape, because a large scenario repeats few
 * shapes at many scales; the cache is capped and freed by sl_dist_cache_free. */
#ifndef SL_QTABLE_H
#define SL_QTABLE_H
#include "status.h"
#include <string.h>

enum {
    SL_QTABLE_BITS = 5,
    SL_QTABLE_MOST_BITS = 8,
    SL_QTABLE_DEPTH = 30,  /* the first cell starts at 2^-30, the last is 1/2 itself */
    SL_QTABLE_CACHE = 256, /* tables of 58 KiB each; of 464 KiB where a law needs 8 bits */
};
#define SL_QTABLE_ERROR                                                                            \
    5e-7 /* relative; of a law with median 0 absolute, in its units, below 1                       \
          */

/* A law of scale 1.  `name` is compared as text; unused shape parameters are 0. */
struct sl_qtable_law {
    const char *name;
    double shape[2];
    double (*quantile)(const double shape[2], double tail, bool upper); /* tail in (0, 1/2] */
    double (*pdf)(const double shape[2], double x);
};

struct sl_qtable_cell {
    _Alignas(32) double c[4]; /* c0 + t (c1 + t (c2 + t c3)), t in [0,1) across the cell */
};

struct sl_qtable {
    struct sl_qtable_law law;
    unsigned bits;
    uint64_t first, side; /* the bits of w that choose the first cell; cells of a side */
    struct sl_qtable_cell cells[];
};

/* The shared table of `law`, made when new; NULL when the law cannot be tabulated well enough or
 * the cache is full: callers then evaluate exactly; and where *starved, out of memory: there will
 * be one when asked again, so a caller that went on would draw other numbers.  Thread-safe. */
const struct sl_qtable *sl_qtable_get(const struct sl_qtable_law *law, bool *starved);
/* Frees every table of the cache. */
void sl_qtable_cache_free(void);
size_t sl_qtable_cache_count(void);

/* The exact quantile at u, with u pulled inside (0,1): 1 is what rounding makes of 1 - 2^-54. */
double sl_qtable_exact(const struct sl_qtable_law *law, double u);

static inline double sl_qtable_value(const struct sl_qtable *table, double u)
{
    double v = 1 - u;
    double w = u < v ? u : v;
    if (!(w >= 0x1p-30))
        return sl_qtable_exact(&table->law, u);
    uint64_t bits;
    memcpy(&bits, &w, sizeof bits);
    uint64_t cell = (bits >> (52 - table->bits)) - table->first;
    const double *c = table->cells[cell + (u > v ? table->side : 0)].c;
    /* The mantissa bits below the cell's, as the fraction of a number in [1,2). */
    uint64_t fraction = ((bits << table->bits) & 0xfffffffffffffu) | 0x3ff0000000000000u;
    double t;
    memcpy(&t, &fraction, sizeof t);
    t -= 1;
    return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

/* values[i] = sl_qtable_value(table, u[i]): many at once, the same bits. */
void sl_qtable_values(const struct sl_qtable *table, const double *u, double *values, size_t count);
#endif
