/* MSER-5 in one pass from the end, which adds a batch at a time to what is kept. */
#include "warmup.h"

#define LEAST_KEPT 5 /* batches: of fewer the rule takes a chance agreement for the best */

static double batch_mean(const double *values, size_t batch)
{
    double sum = 0;
    for (size_t i = 0; i < SL_WARMUP_BATCH; i++)
        sum += values[batch * SL_WARMUP_BATCH + i];
    return sum / SL_WARMUP_BATCH;
}

struct sl_warmup sl_warmup_mser5(const double *values, size_t n)
{
    size_t batches = n / SL_WARMUP_BATCH, best = 0;
    double mean = 0, squares = 0, least = 0; /* of the batches that are kept */
    if (n < SL_WARMUP_LEAST)
        return (struct sl_warmup){0, false};
    for (size_t kept = 1; kept <= batches; kept++) {
        double value = batch_mean(values, batches - kept), from_mean = value - mean;
        mean += from_mean / (double)kept;
        squares += from_mean * (value - mean);
        double error = squares / ((double)kept * (double)kept);
        if (kept < LEAST_KEPT || (kept > LEAST_KEPT && error > least))
            continue;
        least = error;
        best = batches - kept;
    }
    bool settled = best <= batches / 2;
    return (struct sl_warmup){SL_WARMUP_BATCH * (settled ? best : batches / 2), settled};
}
