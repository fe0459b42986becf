/* Policies compared on common draws: the metric of every trial of each, and every one against a
 * reference. */
#ifndef SL_CONTEST_H
#define SL_CONTEST_H
#include "cell.h"
#include "job_traits.h"
#include "paired.h"

/* Jobs per s of a replication, of which more is better. */
enum sl_rate { SL_RATE_THROUGHPUT, SL_RATE_GOODPUT, SL_RATES };
const char *sl_rate_name(enum sl_rate rate);

struct sl_contender {
    const char *policy, *reason; /* reason: of a verdict other than ok, "" */
    uint32_t cell, trials, deadlocked;
    enum sl_verdict verdict;
    bool hypothetical;
    /* Of replications of jobs: the quantiles of each by itself, by trial; NULL: none. */
    bool jobs;
    const double *own_us[SL_PAIRED_FIGURES];
    const double *rates[SL_RATES]; /* likewise, per s; NULL: none */
    const double *metric_us; /* by trial, INFINITY where it deadlocked; NULL without a legal plan */
    const double *draw_tails_us; /* by draw of the calibration, likewise; NULL: no draws */
    uint32_t draws;
    struct sl_until_result until;
    double rejected; /* share of the jobs, those of the warm-up too; NAN without jobs */
    const struct sl_job_trait *traits; /* of replications of jobs */
    uint32_t trait_count;
};

/* Over replications: the means of both, per s, and of the paired differences, by Student's t. */
struct sl_rate_match {
    double policy, reference; /* NAN: there is none */
    struct sl_estimate difference;
    double margin; /* min_gain of the reference's */
};

struct sl_match {
    uint32_t policy, reference; /* indices of contenders */
    struct sl_paired paired;    /* policy - reference, us */
    bool one_course; /* replications of jobs that are all the same: no figure has an interval */
    uint32_t draws;  /* of the calibration, of both; 0: none */
    struct sl_win_share draw_wins; /* of them, those in which the policy's tail is lower */
    struct sl_rate_match rates[SL_RATES];
    double margin_us[SL_PAIRED_FIGURES]; /* min_gain of the reference's figure; 0: none is asked */
};

/* Zero-initialise; sl_contest_free releases. */
struct sl_contest {
    struct sl_arena arena;
    struct sl_contender *contenders;
    uint32_t count, capacity;
    struct sl_match *matches;
    uint32_t match_count, match_capacity;
};

/* Copies what a comparison needs of a finished cell (8 bytes a trial and a draw). */
enum sl_status sl_contest_add(struct sl_contest *contest, const struct sl_cell *cell,
                              struct sl_error *err) SL_NODISCARD;
/* The same without a cell: texts and metric are borrowed. */
enum sl_status sl_contest_enter(struct sl_contest *contest, const struct sl_contender *contender,
                                struct sl_error *err) SL_NODISCARD;
/* Compares one contender with another over the first trials, those that both have (paired.n);
 * replications of jobs by the mean differences of what each has by itself.  No match
 * comes of it when one of them lacks trials.  `seed` is the trials', `min_gain` the objective's. */
enum sl_status sl_contest_match(struct sl_contest *contest, uint32_t policy, uint32_t reference,
                                uint64_t seed, double min_gain, struct sl_error *err) SL_NODISCARD;
void sl_contest_free(struct sl_contest *contest);

/* Of one figure of a match: what its interval says, and trials to settle it where that is open. */
enum sl_paired_verdict sl_match_verdict(const struct sl_match *match, enum sl_paired_figure figure);
double sl_match_trials_to_settle(const struct sl_match *match, enum sl_paired_figure figure);
/* The same of a rate; the verdict is "higher", "lower", or that of a time. */
const char *sl_match_rate_verdict(const struct sl_match *match, enum sl_rate rate);
double sl_match_rate_trials(const struct sl_match *match, enum sl_rate rate);
#endif
