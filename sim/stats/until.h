/* Sequential stopping: trials go on until the interval of a figure is narrow.
 *
 * Looks are at first, 2 first, 4 first, ... trials and at the most.  The interval of each look has the
 * level 1 - 0.05 / looks, so that all of them hold together with 95% (Bonferroni), and so does the one
 * at which the run stops, however that was chosen. */
#ifndef SL_UNTIL_H
#define SL_UNTIL_H
#include "quantile.h"
#include "units.h"

/* Fewer trials tell no mean: Student's t takes the sample's spread for the distribution's, which it is
 * not before the tail has been seen.  One trial in 200 is then missed with probability 0.7%. */
#define SL_UNTIL_LEAST_OF_MEAN 1000

struct sl_until {
    double q;         /* NAN: the mean */
    double width;     /* half of hi - lo over the estimate; 0: nothing was asked */
    const char *text; /* "p99:1%" */
};

struct sl_until_looks {
    uint32_t first, count; /* first: the least trials with an interval, or as given */
    double level;
};

/* What became of it. */
struct sl_until_result {
    struct sl_until asked; /* width 0: nothing was */
    struct sl_until_looks looks;
    uint32_t look; /* at which it stopped, from 1 */
    bool exact; /* the caller's: nothing is drawn, so that any trial is the figure itself */
    bool reached;
    struct sl_estimate estimate; /* us, at the level of the looks */
};

/* "p99:1%": p50 (or median), p90, p95, p99, p99.9 or mean, and a relative half-width as sl_parse_share
 * takes it.  `text` is borrowed.  On failure `why` names the part that is wrong. */
bool sl_until_parse(struct sl_until *until, const char *text,
                    char why[SL_WHY_SIZE]) SL_NODISCARD;
/* The first look is at `least` trials or more: what other figures of the report take. */
struct sl_until_looks sl_until_looks(const struct sl_until *until, uint32_t least, uint32_t most);
/* The number of trials of look `k` from 0. */
uint32_t sl_until_trials(const struct sl_until_looks *looks, uint32_t most, uint32_t k);
/* Judges the first n trials (by trial, +inf where one deadlocked).  A mean has no interval below
 * SL_UNTIL_LEAST_OF_MEAN trials, nor of equal values, which are no evidence that there are no others;
 * an exact result has the interval [value, value]. */
enum sl_status sl_until_look(struct sl_until_result *result, const double *values, size_t n,
                             struct sl_error *err) SL_NODISCARD;
/* (hi - lo) / 2 / estimate; 0 where hi = lo; NAN without an interval, INFINITY with an infinite one. */
double sl_relative_half_width(struct sl_estimate estimate);
#endif
