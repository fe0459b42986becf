/* Two samples of one metric whose trials are paired: trial i of both saw the same draws.
 *
 * A difference is A - B in the unit of the samples; negative: A is faster.  Two kinds of it answer
 * different questions and are told apart by name everywhere:
 *
 *     difference of quantiles    q(A) - q(B)    how far apart the tails of the two are
 *     quantile of differences    q(A - B)       what happens to a trial when B is replaced by A
 *
 * A trial that deadlocked is +inf; of two infinite trials neither is faster, their difference is 0.
 * A difference may so be infinite itself; means and the correlation are then NAN. */
#ifndef SL_PAIRED_H
#define SL_PAIRED_H
#include "quantile.h"

enum sl_paired_figure {
    SL_PAIRED_MEAN, /* which is also the mean of the differences */
    SL_PAIRED_MEDIAN, SL_PAIRED_P90, SL_PAIRED_P99, SL_PAIRED_CVAR99, /* differences of quantiles */
    SL_PAIRED_OF_MEDIAN, SL_PAIRED_OF_P90, SL_PAIRED_OF_P99,          /* quantiles of differences */
    SL_PAIRED_FIGURES
};

/* How an interval was made. */
enum sl_paired_method {
    SL_PAIRED_TOO_FEW,   /* no interval and no value: fewer trials than `needs` */
    SL_PAIRED_T,         /* Student t of the paired differences */
    SL_PAIRED_BOOTSTRAP, /* percentiles over resampled trials, both samples by the same numbers */
    SL_PAIRED_LIMITS,    /* [lo(A) - hi(B), hi(A) - lo(B)], each at half the error: conservative */
    SL_PAIRED_ORDER,     /* order statistics of the differences */
    SL_PAIRED_NOT_GIVEN, /* there is no such figure of these trials, however many */
    SL_PAIRED_METHODS
};

struct sl_difference {
    struct sl_estimate estimate;
    enum sl_paired_method method;
    size_t needs;   /* trials for an interval at all */
    double a, b;    /* the figure of each sample; NAN of a quantile of differences */
};

struct sl_paired {
    size_t n;
    struct sl_difference figures[SL_PAIRED_FIGURES];
    size_t less, ties;       /* trials with A < B; with A = B */
    struct sl_estimate wins; /* P(A < B), ties counted half; exact binomial, the wider way */
    double correlation;      /* Pearson's; NAN where a sample is constant or infinite */
};

/* x - y by SL_PAIRED_LIMITS.  Limits that each of two samples breaks with half of the error hold
 * together at the level asked for, whatever their dependence (Bonferroni), and then so does the
 * interval between their extremes.  SL_PAIRED_TOO_FEW where one of them has no value. */
struct sl_difference sl_difference_by_limits(struct sl_estimate x, struct sl_estimate y,
                                             size_t needs);

#define SL_PAIRED_EXCEEDANCES 50 /* fewer in a tail: no bootstrap */
#define SL_PAIRED_RESAMPLES   999

/* Compares a[i] with b[i], i < n; every interval at `level`.  `seed` is the trials': resampling uses
 * a key of its own derived from it.
 *
 * The bootstrap (Efron and Tibshirani 1993, 13.3) wants SL_PAIRED_EXCEEDANCES values in both tails,
 * distinct values around the quantile, and at most a hundred million draws; elsewhere the limits of
 * each sample are combined.  SL_SYSTEM: out of memory. */
enum sl_status sl_paired_compare(struct sl_paired *paired, const double *a, const double *b,
                                 size_t n, uint64_t seed, double level,
                                 struct sl_error *err) SL_NODISCARD;

/* Where a trial has figures of its own, quantiles over its jobs: replaces a figure by the mean over
 * trials of the difference of these, by Student's t.  NULL, and values that are not finite: it is not
 * given.  SL_SYSTEM: out of memory. */
enum sl_status sl_paired_own(struct sl_paired *paired, enum sl_paired_figure figure,
                             const double *a, const double *b, double level,
                             struct sl_error *err) SL_NODISCARD;

/* The difference of any one quantile, q(A) - q(B), by the same rules. */
enum sl_status sl_paired_at(struct sl_difference *difference, const double *a, const double *b,
                            size_t n, double q, uint64_t seed, double level,
                            struct sl_error *err) SL_NODISCARD;

/* Least trials for an interval of that difference at all, and for one that pairs the trials, by the
 * bootstrap (SIZE_MAX: so many would take too many draws). */
size_t sl_paired_min_n(double q, double level);
size_t sl_paired_bootstrap_min_n(double q);

/* The upper limit of the difference of one quantile, q(A) - q(B), exceeded with probability `error`:
 * by the joint bootstrap under the same conditions, with more resamples for a smaller error, else by
 * the limits of each.  NAN below sl_paired_upper_needs trials. */
enum sl_status sl_paired_upper(double *upper, const double *a, const double *b, size_t n, double q,
                               double error, uint64_t seed, struct sl_error *err) SL_NODISCARD;
size_t sl_paired_upper_needs(double q, double error);
/* The same of the difference of means, by Student's t of the differences; NAN below 2 trials. */
enum sl_status sl_paired_mean_upper(double *upper, const double *a, const double *b, size_t n,
                                    double error, struct sl_error *err) SL_NODISCARD;

/* Whether all of the n values are the same: such trials repeat one course of events. */
bool sl_paired_is_constant(const double *values, size_t n);

/* "difference of p99", "p99 of differences". */
const char *sl_paired_figure_name(enum sl_paired_figure figure);
const char *sl_paired_method_name(enum sl_paired_method method);
/* The quantile of a figure, NAN of the mean. */
double sl_paired_quantile(enum sl_paired_figure figure);

enum sl_paired_verdict {
    SL_PAIRED_FASTER, /* by more than the margin */
    SL_PAIRED_SLOWER,
    SL_PAIRED_EQUAL, /* not further apart than the margin */
    SL_PAIRED_OPEN,  /* the interval does not say */
    SL_PAIRED_VERDICTS
};

/* What an interval of A - B says against a margin (not negative). */
enum sl_paired_verdict sl_paired_judge(struct sl_estimate difference, double margin);
const char *sl_paired_verdict_name(enum sl_paired_verdict verdict);
/* The number of trials at which the interval, shrinking with the root of it, would clear the margin
 * on one side or the other: n (halfwidth / (|d| - margin))^2, rounded up.  INFINITY above 1e9, and
 * where the interval is infinite; NAN without one. */
double sl_paired_trials_to_settle(struct sl_estimate difference, double margin, size_t n);
#endif
