/* The simultaneous test of the lowest figure. */
#include "winner.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t lowest(const double *figures, uint32_t count, uint32_t except)
{
    uint32_t best = SL_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (i != except && (best == SL_NONE || figures[i] < figures[best]))
            best = i;
    return best;
}

/* Two samples of one comparison; `scaled` is the other one less what must be gained on it. */
struct pair {
    const double *candidate, *other;
    double candidate_figure, other_figure;
    double *scaled;
    size_t n;
};

/* Each share's limit takes half of the error. */
static bool share_is_lower(const struct pair *pair, const struct sl_winner_rule *rule)
{
    double n = (double)pair->n;
    size_t few = (size_t)lround(pair->candidate_figure * n);
    size_t many = (size_t)lround(pair->other_figure * n);
    return sl_proportion(few, pair->n, 1 - rule->error).hi <
           (1 - rule->min_gain) * sl_proportion(many, pair->n, 1 - rule->error).lo;
}

/* Whether the candidate, lower in the sample, is shown to be lower. */
static enum sl_status show(bool *shown, const struct pair *pair, const struct sl_winner_rule *rule,
                           struct sl_error *err)
{
    double upper = NAN;
    enum sl_status status = SL_OK;
    if (rule->figure == SL_FIGURE_SHARE) {
        *shown = share_is_lower(pair, rule);
        return SL_OK;
    }
    if (rule->figure == SL_FIGURE_LARGEST && sl_paired_is_constant(pair->candidate, pair->n) &&
        sl_paired_is_constant(pair->other, pair->n)) {
        *shown = true;
        return SL_OK;
    }
    for (size_t t = 0; t < pair->n; t++)
        pair->scaled[t] = (1 - rule->min_gain) * pair->other[t];
    if (rule->figure == SL_FIGURE_MEAN)
        status =
            sl_paired_mean_upper(&upper, pair->candidate, pair->scaled, pair->n, rule->error, err);
    else
        status = sl_paired_upper(&upper, pair->candidate, pair->scaled, pair->n, rule->q,
                                 rule->error, rule->seed, err);
    *shown = upper < 0;
    return status;
}

enum sl_status sl_winner_judge(struct sl_winner *winner, const double *const *samples,
                               const double *figures, uint32_t count, size_t n,
                               const struct sl_winner_rule *rule, bool *worse, struct sl_error *err)
{
    uint32_t candidate = lowest(figures, count, SL_NONE);
    *winner = (struct sl_winner){candidate, lowest(figures, count, candidate), count > 0};
    memset(worse, 0, count * sizeof *worse);
    double *scaled = malloc(n * sizeof *scaled + 1);
    enum sl_status status = scaled ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; status == SL_OK && i < count; i++) {
        if (i == candidate)
            continue;
        /* What is not below in the sample is not shown to be below. */
        if (figures[candidate] < (1 - rule->min_gain) * figures[i]) {
            struct pair pair = {samples[candidate], samples[i], figures[candidate],
                                figures[i],         scaled,     n};
            status = show(&worse[i], &pair, rule, err);
        }
        winner->won &= worse[i];
    }
    free(scaled);
    return status;
}

size_t sl_winner_needs(enum sl_winner_figure figure, double q, double error)
{
    if (figure == SL_FIGURE_QUANTILE || figure == SL_FIGURE_LARGEST)
        return sl_paired_upper_needs(q, error);
    return figure == SL_FIGURE_MEAN ? 2 : 1;
}

bool sl_winner_testable(const double *const *samples, uint32_t count, size_t n,
                        const struct sl_winner_rule *rule)
{
    bool constant = rule->figure == SL_FIGURE_LARGEST;
    if (n >= sl_winner_needs(rule->figure, rule->q, rule->error))
        return true;
    for (uint32_t i = 0; constant && i < count; i++)
        constant = sl_paired_is_constant(samples[i], n);
    return constant;
}
