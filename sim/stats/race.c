/* Racing by simultaneous limits. */
#include "race.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_FIRST 32 /* trials of a first look */
#define AHEAD       16 /* looks begin at so small a share of what an upper limit takes */
#define MOST_LOOKS  64

/* Half as many trials again. */
static uint64_t grown(uint64_t trials)
{
    return trials + trials / 2;
}

static uint32_t looks_from(uint32_t first, uint32_t trials)
{
    uint32_t count = 1;
    for (uint64_t n = first; n < trials; n = grown(n))
        count++;
    return count;
}

/* The error of a limit depends on the number of looks, and that on the first one, which depends on
 * the error: the least number of looks that covers itself. */
struct sl_race_looks sl_race_looks(const struct sl_race_rule *rule)
{
    struct sl_race_looks looks = {0};
    uint32_t runners = rule->runners > 0 ? rule->runners : 1;
    for (uint32_t assumed = 1; assumed <= MOST_LOOKS; assumed++) {
        looks.error = rule->error / (2.0 * runners * assumed);
        size_t upper = isnan(rule->q) ? 2 : sl_quantile_min_n(rule->q, 1 - 2 * looks.error);
        looks.upper = upper < UINT32_MAX ? (uint32_t)upper : UINT32_MAX;
        uint32_t first = looks.upper / AHEAD + (looks.upper % AHEAD > 0);
        first = first > LEAST_FIRST ? first : LEAST_FIRST;
        looks.first = first < rule->trials ? first : rule->trials;
        looks.count = looks_from(looks.first, rule->trials);
        if (looks.count <= assumed)
            break;
    }
    return looks;
}

uint32_t sl_race_trials(const struct sl_race_looks *looks, const struct sl_race_rule *rule,
                        uint32_t k)
{
    uint64_t n = looks->first;
    for (; k > 0 && n < rule->trials; k--)
        n = grown(n);
    return n < rule->trials ? (uint32_t)n : rule->trials;
}

struct sl_runner sl_runner_new(void)
{
    return (struct sl_runner){.lo = -(double)INFINITY, .hi = (double)INFINITY, .against = SL_NONE};
}

static enum sl_status quantile_limits(double *lo, double *hi, const double *values, uint32_t n,
                                      double q, double error, struct sl_error *err)
{
    double *sorted = malloc((size_t)n * sizeof *sorted);
    if (!sorted)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the limits of %u trials", (unsigned)n);
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    sl_sort_doubles(sorted, n);
    size_t lower = sl_quantile_lower_rank(n, q, error), upper = sl_quantile_upper_rank(n, q, error);
    if (lower > 0)
        *lo = sorted[lower - 1];
    if (upper > 0)
        *hi = sorted[upper - 1];
    free(sorted);
    return SL_OK;
}

enum sl_status sl_runner_look(struct sl_runner *runner, const struct sl_race_looks *looks,
                              const struct sl_race_rule *rule, const double *values, uint32_t n,
                              struct sl_error *err)
{
    double lo = -(double)INFINITY, hi = (double)INFINITY;
    enum sl_status status = SL_OK;
    if (isnan(rule->q)) {
        struct sl_estimate mean = sl_mean(values, n, 1 - 2 * looks->error);
        if (!isnan(mean.lo)) {
            lo = mean.lo;
            hi = mean.hi;
        }
    } else {
        status = quantile_limits(&lo, &hi, values, n, rule->q, looks->error, err);
    }
    runner->trials = n;
    /* Limits of all looks hold together, so the narrowest do. */
    runner->lo = fmax(runner->lo, lo);
    runner->hi = fmin(runner->hi, hi);
    return status;
}

static bool may_lead(const struct sl_runner *runner)
{
    return runner->state != SL_RACE_OUT && !runner->barred;
}

static uint32_t find_leader(const struct sl_runner *runners, uint32_t count)
{
    uint32_t leader = SL_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (!may_lead(&runners[i]))
            continue;
        const struct sl_runner *best = leader == SL_NONE ? NULL : &runners[leader];
        if (!best || runners[i].hi < best->hi ||
            (runners[i].hi == best->hi && runners[i].lo < best->lo))
            leader = i;
    }
    return leader;
}

static enum sl_race_state judge(const struct sl_runner *runner, const struct sl_runner *leader,
                                const struct sl_race_rule *rule)
{
    double share = 1 - rule->min_gain;
    if (leader->hi < share * runner->lo)
        return SL_RACE_DROPPED;
    if (runner->trials >= rule->trials)
        return SL_RACE_DONE;
    if (rule->may_settle && !runner->barred && share * runner->hi <= leader->lo &&
        share * leader->hi <= runner->lo)
        return SL_RACE_SETTLED;
    return SL_RACE_OPEN;
}

uint32_t sl_race_decide(struct sl_runner *runners, uint32_t count, const struct sl_race_rule *rule)
{
    uint32_t leader = find_leader(runners, count);
    for (uint32_t i = 0; i < count; i++) {
        struct sl_runner *runner = &runners[i];
        if (runner->state == SL_RACE_OUT)
            continue;
        enum sl_race_state state = runner->trials >= rule->trials ? SL_RACE_DONE : SL_RACE_OPEN;
        if (leader != SL_NONE && i != leader)
            state = judge(runner, &runners[leader], rule);
        bool decided = state == SL_RACE_DROPPED || state == SL_RACE_SETTLED;
        if (decided && state != runner->state) {
            runner->against = leader;
            runner->leader_lo = runners[leader].lo;
            runner->leader_hi = runners[leader].hi;
        }
        runner->state = state;
    }
    return leader;
}

uint32_t sl_race_next(const struct sl_runner *runners, uint32_t count, uint32_t leader,
                      uint32_t runner, const struct sl_race_looks *looks,
                      const struct sl_race_rule *rule)
{
    const struct sl_runner *one = &runners[runner];
    if (one->state != SL_RACE_OPEN)
        return one->trials;
    if (runner == leader)
        return rule->trials;
    if (leader != SL_NONE && runners[leader].state == SL_RACE_OPEN)
        return one->trials;
    uint32_t k = 0, fewest = one->trials;
    for (uint32_t i = 0; i < count; i++)
        if (runners[i].state == SL_RACE_OPEN && runners[i].trials < fewest)
            fewest = runners[i].trials;
    while (k + 1 < looks->count && sl_race_trials(looks, rule, k) <= fewest)
        k++;
    uint32_t next = sl_race_trials(looks, rule, k);
    return next > one->trials ? next : one->trials;
}
