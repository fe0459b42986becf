/* Policies compared on common draws. */
#include "contest.h"
#include "cellparts.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

enum sl_status sl_contest_add(struct sl_contest *contest, const struct sl_cell *cell,
                              struct sl_error *err)
{
    struct sl_contender contender = {
        .policy = sl_arena_strdup(&contest->arena, cell->spec.policy),
        .reason = sl_arena_strdup(&contest->arena, cell->reason),
        .cell = cell->spec.index,
        .trials = cell->trials,
        .deadlocked = cell->deadlocked,
        .verdict = cell->verdict,
        .hypothetical = cell->hypothetical,
    };
    if (cell->metric_ps)
        contender.metric_us =
            sl_arena_array(&contest->arena, cell->trials, sizeof *contender.metric_us);
    if (!contender.policy || !contender.reason || (cell->metric_ps && !contender.metric_us) ||
        !sl_grow((void **)&contest->contenders, &contest->capacity, contest->count + 1,
                 sizeof *contest->contenders))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a comparison");
    for (uint32_t t = 0; contender.metric_us && t < cell->trials; t++)
        contender.metric_us[t] = cell->metric_ps[t] == INT64_MAX
                                     ? (double)INFINITY
                                     : (double)cell->metric_ps[t] / (double)SL_PS_PER_US;
    contest->contenders[contest->count++] = contender;
    return SL_OK;
}

/* A gain is a share of what the reference takes: of the same figure, and for a quantile of
 * differences of the reference's quantile. */
static void set_margins(struct sl_match *match, double min_gain)
{
    static const enum sl_paired_figure figure_of_reference[SL_PAIRED_FIGURES] = {
        [SL_PAIRED_MEAN] = SL_PAIRED_MEAN,     [SL_PAIRED_MEDIAN] = SL_PAIRED_MEDIAN,
        [SL_PAIRED_P90] = SL_PAIRED_P90,       [SL_PAIRED_P99] = SL_PAIRED_P99,
        [SL_PAIRED_CVAR99] = SL_PAIRED_CVAR99, [SL_PAIRED_OF_MEDIAN] = SL_PAIRED_MEDIAN,
        [SL_PAIRED_OF_P90] = SL_PAIRED_P90,    [SL_PAIRED_OF_P99] = SL_PAIRED_P99,
    };
    for (int f = 0; f < SL_PAIRED_FIGURES; f++) {
        double of = match->paired.figures[figure_of_reference[f]].b;
        match->margin_us[f] = isfinite(of) ? min_gain * of : 0;
    }
}

enum sl_status sl_contest_judge(struct sl_contest *contest, uint64_t seed, double min_gain,
                                struct sl_error *err)
{
    contest->matches =
        sl_arena_array(&contest->arena, (size_t)contest->count + 1, sizeof *contest->matches);
    if (!contest->matches)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a comparison");
    for (uint32_t i = 1; i < contest->count; i++) {
        const struct sl_contender *policy = &contest->contenders[i],
                                  *reference = &contest->contenders[0];
        if (!policy->metric_us || !reference->metric_us)
            continue;
        struct sl_match *match = &contest->matches[contest->match_count++];
        match->policy = i;
        enum sl_status status =
            sl_paired_compare(&match->paired, policy->metric_us, reference->metric_us,
                              policy->trials, seed, SL_LEVEL_CONFIDENCE, err);
        if (status != SL_OK)
            return status;
        set_margins(match, min_gain);
    }
    return SL_OK;
}

void sl_contest_free(struct sl_contest *contest)
{
    free(contest->contenders);
    sl_arena_free(&contest->arena);
    *contest = (struct sl_contest){0};
}

enum sl_paired_verdict sl_match_verdict(const struct sl_match *match, enum sl_paired_figure figure)
{
    return sl_paired_judge(match->paired.figures[figure].estimate, match->margin_us[figure]);
}

double sl_match_trials_to_settle(const struct sl_match *match, enum sl_paired_figure figure)
{
    if (sl_match_verdict(match, figure) != SL_PAIRED_OPEN)
        return NAN;
    return sl_paired_trials_to_settle(match->paired.figures[figure].estimate,
                                      match->margin_us[figure], match->paired.n);
}
