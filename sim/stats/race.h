/* A race: samples on common draws grow by lots until it is known which of them may be the lowest.
 *
 * At each look a runner gets one-sided limits of its figure.  All limits of all runners at all looks
 * hold together with probability 1 - error (Bonferroni, whatever the dependence), so decisions may
 * be read off them in any order and as often as one likes:
 *
 *     dropped    another's upper limit is below (1 - min_gain) x its lower limit
 *     settled    it and the leader are within min_gain of each other, by the limits of both
 *     open       neither, and it has not had all trials
 *
 * The leader is the one with the lowest upper limit, or before there is any, lower limit.  A lower
 * limit of a high quantile takes few trials, so that clear losers are dropped early against a leader
 * that is ahead.  Limits of quantiles are order statistics; of the mean, Student's t. */
#ifndef SL_RACE_H
#define SL_RACE_H
#include "quantile.h"

struct sl_race_rule {
    double q;         /* NAN: the mean */
    double min_gain;
    double error;     /* that any limit of any runner is wrong */
    uint32_t runners; /* in all races that share the error */
    uint32_t trials;  /* of a runner at the most; at least 1 */
    bool may_settle;
};

/* When to look: at `first` trials, each time at half as many again, and at the most trials. */
struct sl_race_looks {
    uint32_t first, count;
    uint32_t upper;  /* least trials of an upper limit: below, nobody can be dropped against one */
    double error;    /* of one limit at one look */
};

enum sl_race_state { SL_RACE_OPEN, SL_RACE_DROPPED, SL_RACE_SETTLED, SL_RACE_DONE, SL_RACE_OUT };

struct sl_runner {
    enum sl_race_state state; /* DONE: had all trials; OUT, which the caller sets: may not win */
    bool barred;              /* the caller's: others are not judged against it now */
    uint32_t trials;
    double lo, hi;            /* -INFINITY, INFINITY: no limit yet */
    uint32_t against;         /* of a dropped or settled one: the leader at that look, and ... */
    double leader_lo, leader_hi; /* ... its limits then */
};

struct sl_race_looks sl_race_looks(const struct sl_race_rule *rule);
/* The number of trials of look `k` from 0. */
uint32_t sl_race_trials(const struct sl_race_looks *looks, const struct sl_race_rule *rule,
                        uint32_t k);
/* A runner before the first look. */
struct sl_runner sl_runner_new(void);
/* Takes the first `n` trials, n those of a look; `values` is by trial, finite. */
enum sl_status sl_runner_look(struct sl_runner *runner, const struct sl_race_looks *looks,
                              const struct sl_race_rule *rule, const double *values, uint32_t n,
                              struct sl_error *err) SL_NODISCARD;
/* Decides about all runners by their limits: a runner may also be open again, when the one that it
 * was judged against is barred or out.  Returns the leader, SL_NONE: nobody may win. */
uint32_t sl_race_decide(struct sl_runner *runners, uint32_t count,
                        const struct sl_race_rule *rule);
/* The trials that a runner should have at the next look, in all; as many as it has where it is not
 * open.  Those that have the fewest catch up; the leader, when it has no upper limit, goes ahead to
 * where it has one. */
uint32_t sl_race_next(const struct sl_runner *runners, uint32_t count, uint32_t leader,
                      uint32_t runner, const struct sl_race_looks *looks,
                      const struct sl_race_rule *rule);
#endif
