/* Duration distributions: expressions such as lognormal(median=120us, sigma=0.25), evaluated by
 * their quantile function so that one uniform per draw gives common random numbers.
 *
 * A family is one file dist_NAME.c ending in a `const struct sl_dist_family`, and one line in
 * distributions.def.  Expression grammar:
 *     expr := quantity | name '(' [arg {',' arg}] ')' | quantity '+' expr       (shift+)
 *     arg  := [name '='] (quantity | number | file name, in double quotes where it holds , or parens)
 *           | weight '*' expr                                                    (mixture)
 * A bare quantity is const.  At most 64 KiB of text and 8 levels of expressions.  Parsing switches
 * GSL's aborting error handler off for the process. */
#ifndef SL_DIST_H
#define SL_DIST_H
#include "arena.h"

/* What the numbers of an expression are: durations (a unit is mandatory; values in picoseconds),
 * or dimensionless multipliers and fractions (a unit is refused). */
enum sl_dist_dimension { SL_DIST_TIME, SL_DIST_NUMBER };

struct sl_qtable;
struct sl_dist; /* opaque; immutable after parsing; owned by the arena given to sl_dist_parse */

/* Parses `text`.  Relative file names of empirical(file=...) are taken from `base_dir`.  A fault
 * is SL_INVALID at `place` with what was found, what is allowed and the nearest known word. */
enum sl_status sl_dist_parse(const struct sl_dist **dist, const char *text,
                             enum sl_dist_dimension dimension, const char *base_dir,
                             struct sl_place place, struct sl_arena *arena,
                             struct sl_error *err) SL_NODISCARD;

/* The value at probability u in (0,1), never below 0.  `u2` is a second, independent uniform that
 * chooses the component of a mixture; other families ignore it.  Relative error of tabulated
 * families below 1e-6 up to the 1 - 1e-7 quantile. */
double sl_dist_value(const struct sl_dist *dist, double u, double u2);

/* values[i] = sl_dist_value(dist, u[i], u2[i]) * scale[i]: bulk form of a trial's draws.  `u2` may
 * be NULL unless sl_dist_needs_second. */
void sl_dist_values(const struct sl_dist *dist, const double *u, const double *u2,
                    const double *scale, double *values, size_t count);

/* Laws of one shape share a table, so that draws can be grouped beyond one distribution: with a table
 * t, sl_dist_value(dist, u, .) is *scale x sl_qtable_value(t, u), bit for bit.  NULL where the law has
 * none or is shifted. */
const struct sl_qtable *sl_dist_table(const struct sl_dist *dist, double *scale);

/* The law of a_times x A + b_times x B, A and B independent and the factors above 0; A draws what it
 * would draw alone.  `text` is what sl_dist_text gives.  NULL: out of memory. */
const struct sl_dist *sl_dist_sum(const struct sl_dist *a, double a_times, const struct sl_dist *b,
                                  double b_times, const char *text, struct sl_arena *arena);

/* Laws of one shape share tables and empirical samples in a process-wide, bounded cache.  Frees it;
 * no distribution may be used afterwards. */
void sl_dist_cache_free(void);

double sl_dist_mean(const struct sl_dist *dist);          /* +inf where it does not exist */
double sl_dist_cdf(const struct sl_dist *dist, double x); /* for tests and quantile planning */
/* The exact quantile (numerical inversion for mixtures), slower than sl_dist_value. */
double sl_dist_quantile(const struct sl_dist *dist, double p);
bool sl_dist_is_const(const struct sl_dist *dist);
bool sl_dist_needs_second(const struct sl_dist *dist); /* true for mixtures */
const char *sl_dist_text(const struct sl_dist *dist);  /* the expression as written */

/* Registry access for `slackline list` and for tests that sweep every family. */
struct sl_dist_info {
    const char *name, *description, *parameters, *example /* dimension TIME */;
};
size_t sl_dist_family_count(void);
struct sl_dist_info sl_dist_family_info(size_t index);
#endif
