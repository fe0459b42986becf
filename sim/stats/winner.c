/* The simultaneous test of the lowest quantile. */
#include "winner.h"
#include <stdlib.h>
#include <string.h>

static uint32_t lowest(const double *quantiles, uint32_t count, uint32_t except)
{
    uint32_t best = SL_NONE;
    for (uint32_t i = 0; i < count; i++)
        if (i != except && (best == SL_NONE || quantiles[i] < quantiles[best]))
            best = i;
    return best;
}

enum sl_status sl_winner_judge(struct sl_winner *winner, const double *const *samples,
                               const double *quantiles, uint32_t count, size_t n,
                               const struct sl_winner_rule *rule, bool *worse, struct sl_error *err)
{
    uint32_t candidate = lowest(quantiles, count, SL_NONE);
    *winner = (struct sl_winner){candidate, lowest(quantiles, count, candidate), count > 0};
    memset(worse, 0, count * sizeof *worse);
    double *scaled = malloc(n * sizeof *scaled + 1);
    enum sl_status status = scaled ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; status == SL_OK && i < count; i++) {
        double share = 1 - rule->min_gain, upper;
        if (i == candidate)
            continue;
        /* What is not below in the sample is not shown to be below. */
        if (quantiles[candidate] < share * quantiles[i]) {
            for (size_t t = 0; t < n; t++)
                scaled[t] = share * samples[i][t];
            status = sl_paired_upper(&upper, samples[candidate], scaled, n, rule->q, rule->error,
                                     rule->seed, err);
            worse[i] = status == SL_OK && upper < 0;
        }
        winner->won &= worse[i];
    }
    free(scaled);
    return status;
}
