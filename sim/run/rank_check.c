/* Ranking policies by trials and by repetitions. */
#include "rank_check.h"
#include "cellparts.h"
#include "unpaired.h"
#include <stdlib.h>
#include <string.h>

#define LEVEL SL_LEVEL_CONFIDENCE

const double sl_standing_quantiles[SL_STANDING_FIGURES] = {0.5, 0.9, 0.99};

static struct sl_standing standing_of(const double *sorted, size_t n, double q)
{
    struct sl_standing standing = {.rank = 1};
    for (int i = 0; i < SL_STANDING_FIGURES; i++)
        standing.figures[i] = sl_quantile(sorted, n, sl_standing_quantiles[i], LEVEL);
    standing.ranked = isnan(q) ? sl_mean(sorted, n, LEVEL) : sl_quantile(sorted, n, q, LEVEL);
    return standing;
}

static enum sl_status stand(struct sl_rank_check *check, const struct sl_contest *contest,
                            const struct sl_measured_sample *measured, struct sl_error *err)
{
    for (uint32_t i = 0; i < check->count; i++) {
        const struct sl_contender *contender = &contest->contenders[i];
        double *sorted = malloc(contender->trials * sizeof *sorted + 1);
        if (!sorted)
            return SL_FAIL(err, SL_SYSTEM, "out of memory for %u trials", contender->trials);
        memcpy(sorted, contender->metric_us, contender->trials * sizeof *sorted);
        sl_sort_doubles(sorted, contender->trials);
        check->projected[i] = standing_of(sorted, contender->trials, check->q);
        check->measured[i] = standing_of(measured[i].makespans_us, measured[i].count, check->q);
        free(sorted);
    }
    return SL_OK;
}

static enum sl_status project(struct sl_difference *difference, const struct sl_contender *a,
                              const struct sl_contender *b, double q, uint64_t seed,
                              struct sl_error *err)
{
    uint32_t trials = a->trials < b->trials ? a->trials : b->trials;
    if (!isnan(q))
        return sl_paired_at(difference, a->metric_us, b->metric_us, trials, q, seed, LEVEL, err);
    struct sl_paired paired;
    enum sl_status status =
        sl_paired_compare(&paired, a->metric_us, b->metric_us, trials, seed, LEVEL, err);
    *difference = paired.figures[SL_PAIRED_MEAN];
    return status;
}

/* -1: policy is shown to be the faster one, 1: the reference is. */
static signed char sign_of(enum sl_paired_verdict verdict)
{
    return verdict == SL_PAIRED_FASTER ? -1 : verdict == SL_PAIRED_SLOWER ? 1 : 0;
}

static enum sl_paired_verdict judge(const struct sl_difference *difference, double min_gain)
{
    return sl_paired_judge(difference->estimate,
                           isfinite(difference->b) ? min_gain * difference->b : 0);
}

static void rank(struct sl_standing *standings, const struct sl_rank_pair *pair, signed char sign)
{
    if (sign != 0)
        standings[sign < 0 ? pair->reference : pair->policy].rank++;
}

static enum sl_status match(struct sl_rank_check *check, const struct sl_contest *contest,
                            const struct sl_measured_sample *measured, uint64_t seed,
                            double min_gain, signed char *signs, struct sl_error *err)
{
    uint32_t pairs = check->agreement.pairs, k = 0;
    enum sl_status status = SL_OK;
    for (uint32_t i = 1; i < check->count; i++)
        for (uint32_t j = 0; status == SL_OK && j < i; j++, k++) {
            struct sl_rank_pair *pair = &check->pairs[k];
            const struct sl_measured_sample *a = &measured[i], *b = &measured[j];
            pair->policy = i;
            pair->reference = j;
            status = project(&pair->projected, &contest->contenders[i], &contest->contenders[j],
                             check->q, seed, err);
            pair->measured = sl_unpaired_at(a->makespans_us, a->count, b->makespans_us, b->count,
                                            check->q, LEVEL);
            pair->projected_verdict = judge(&pair->projected, min_gain);
            pair->measured_verdict = judge(&pair->measured, min_gain);
            signs[k] = sign_of(pair->projected_verdict);
            signs[pairs + k] = sign_of(pair->measured_verdict);
            rank(check->projected, pair, signs[k]);
            rank(check->measured, pair, signs[pairs + k]);
        }
    return status;
}

enum sl_status sl_rank_check_make(struct sl_rank_check *check, const struct sl_contest *contest,
                                  const struct sl_measured_sample *measured, double q,
                                  uint64_t seed, double min_gain, struct sl_error *err)
{
    uint32_t count = contest->count, pairs = count * (count - 1) / 2;
    *check = (struct sl_rank_check){.q = q, .count = count, .agreement = {.pairs = pairs}};
    check->projected = calloc(count, sizeof *check->projected);
    check->measured = calloc(count, sizeof *check->measured);
    check->pairs = calloc((size_t)pairs + 1, sizeof *check->pairs);
    signed char *signs = calloc(2 * (size_t)pairs + 1, 1);
    enum sl_status status = SL_OK;
    if (!check->projected || !check->measured || !check->pairs || !signs)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for %u pairs of policies", pairs);
    if (status == SL_OK)
        status = stand(check, contest, measured, err);
    if (status == SL_OK)
        status = match(check, contest, measured, seed, min_gain, signs, err);
    if (status == SL_OK)
        check->agreement = sl_agreement_of(signs, signs + pairs, pairs);
    free(signs);
    return status;
}

void sl_rank_check_free(struct sl_rank_check *check)
{
    free(check->projected);
    free(check->measured);
    free(check->pairs);
    *check = (struct sl_rank_check){0};
}
