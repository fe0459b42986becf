/* Policies compared on common draws. */
#include "contest.h"
#include "cellparts.h"
#include "job_cell.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum sl_status sl_contest_enter(struct sl_contest *contest, const struct sl_contender *contender,
                                struct sl_error *err)
{
    if (!sl_grow((void **)&contest->contenders, &contest->capacity, contest->count + 1,
                 sizeof *contest->contenders))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a comparison");
    contest->contenders[contest->count++] = *contender;
    return SL_OK;
}

/* NULL where there are none; `failed` when memory ran out. */
static const double *keep_draws(struct sl_arena *arena, const struct sl_outer *outer, bool *failed)
{
    double *tails = outer->draws ? sl_arena_array(arena, outer->draws, sizeof *tails) : NULL;
    *failed = outer->draws > 0 && !tails;
    if (tails)
        memcpy(tails, outer->tail_us, outer->draws * sizeof *tails);
    return tails;
}

const char *sl_rate_name(enum sl_rate rate)
{
    return rate == SL_RATE_THROUGHPUT ? "throughput" : "goodput";
}

/* The quantiles and rates of every replication. */
static bool keep_own(struct sl_arena *arena, const struct sl_job_cell *jobs,
                     struct sl_contender *contender)
{
    double *own[SL_PAIRED_FIGURES] = {0};
    static const enum sl_paired_figure figures[] = {SL_PAIRED_MEDIAN, SL_PAIRED_P90, SL_PAIRED_P99};
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        enum sl_paired_figure f = figures[k];
        contender->own_us[f] = own[f] = sl_arena_array(arena, contender->trials, sizeof **own);
        if (!own[f])
            return false;
    }
    double *rates[SL_RATES] = {0};
    for (int r = 0; r < SL_RATES; r++) {
        if (r == SL_RATE_GOODPUT && !jobs->metrics.limited)
            continue;
        contender->rates[r] = rates[r] = sl_arena_array(arena, contender->trials, sizeof **rates);
        if (!rates[r])
            return false;
    }
    for (uint32_t t = 0; t < contender->trials; t++) {
        rates[SL_RATE_THROUGHPUT][t] = jobs->trials[t].throughput;
        if (rates[SL_RATE_GOODPUT])
            rates[SL_RATE_GOODPUT][t] = jobs->trials[t].goodput;
        own[SL_PAIRED_MEDIAN][t] = jobs->trials[t].median;
        own[SL_PAIRED_P90][t] = jobs->trials[t].p90;
        own[SL_PAIRED_P99][t] = jobs->trials[t].p99;
    }
    return true;
}

enum sl_status sl_contest_add(struct sl_contest *contest, const struct sl_cell *cell,
                              struct sl_error *err)
{
    double *metric_us = NULL;
    bool failed;
    if (cell->metric_ps)
        metric_us = sl_arena_array(&contest->arena, cell->trials, sizeof *metric_us);
    struct sl_contender contender = {
        .policy = sl_arena_strdup(&contest->arena, cell->spec.policy),
        .reason = sl_arena_strdup(&contest->arena, cell->reason),
        .cell = cell->spec.index,
        .trials = cell->trials,
        .deadlocked = cell->deadlocked,
        .verdict = cell->verdict,
        .hypothetical = cell->hypothetical,
        .jobs = cell->jobs,
        .metric_us = metric_us,
        .draw_tails_us = keep_draws(&contest->arena, &cell->outer, &failed),
        .draws = cell->outer.draws,
        .until = cell->until,
        .rejected = cell->jobs ? sl_job_rejected(cell->jobs) : NAN,
    };
    if (failed || !contender.policy || !contender.reason || (cell->metric_ps && !metric_us))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a comparison");
    for (uint32_t t = 0; metric_us && t < cell->trials; t++)
        metric_us[t] = sl_us_of(cell->metric_ps[t]);
    if (cell->jobs && cell->jobs->estimated && !keep_own(&contest->arena, cell->jobs, &contender))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a comparison");
    enum sl_status status =
        sl_job_traits(&contender.traits, &contender.trait_count, cell, &contest->arena, err);
    return status == SL_OK ? sl_contest_enter(contest, &contender, err) : status;
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

static void count_draws(struct sl_match *match, const struct sl_contender *policy,
                        const struct sl_contender *reference)
{
    const double *const tails[] = {policy->draw_tails_us, reference->draw_tails_us};
    struct sl_win_share shares[2];
    if (!tails[0] || !tails[1] || policy->draws != reference->draws)
        return;
    match->draws = policy->draws;
    sl_win_shares(shares, tails, 2, match->draws);
    match->draw_wins = shares[0];
}

/* Trials that repeat one course of events give a difference, and nothing to judge it by. */
static void mark_one_course(struct sl_match *match, const struct sl_contender *a,
                            const struct sl_contender *b)
{
    struct sl_paired *paired = &match->paired;
    match->one_course = a->jobs && paired->n > 1 &&
                        sl_paired_is_constant(a->metric_us, paired->n) &&
                        sl_paired_is_constant(b->metric_us, paired->n);
    for (int f = 0; match->one_course && f < SL_PAIRED_FIGURES; f++) {
        struct sl_difference *difference = &paired->figures[f];
        difference->estimate.value = difference->a - difference->b;
        difference->estimate.lo = difference->estimate.hi = NAN;
        difference->method = SL_PAIRED_NOT_GIVEN;
    }
    if (match->one_course)
        paired->wins = SL_NO_ESTIMATE;
}

static enum sl_status compare_rates(struct sl_match *match, const struct sl_contender *a,
                                    const struct sl_contender *b, double min_gain,
                                    struct sl_error *err)
{
    size_t n = match->paired.n;
    double *differences = malloc(n * sizeof *differences + 1);
    if (!differences)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a comparison");
    for (int r = 0; r < SL_RATES; r++) {
        struct sl_rate_match *rate = &match->rates[r];
        *rate = (struct sl_rate_match){NAN, NAN, SL_NO_ESTIMATE, NAN};
        if (!a->rates[r] || !b->rates[r])
            continue;
        for (size_t t = 0; t < n; t++)
            differences[t] = a->rates[r][t] - b->rates[r][t];
        rate->policy = sl_mean(a->rates[r], n, SL_LEVEL_CONFIDENCE).value;
        rate->reference = sl_mean(b->rates[r], n, SL_LEVEL_CONFIDENCE).value;
        rate->difference = sl_mean(differences, n, SL_LEVEL_CONFIDENCE);
        rate->margin = min_gain * rate->reference;
        if (match->one_course)
            rate->difference.lo = rate->difference.hi = NAN;
    }
    free(differences);
    return SL_OK;
}

enum sl_status sl_contest_match(struct sl_contest *contest, uint32_t policy, uint32_t reference,
                                uint64_t seed, double min_gain, struct sl_error *err)
{
    const struct sl_contender *a = &contest->contenders[policy],
                              *b = &contest->contenders[reference];
    struct sl_match match = {.policy = policy, .reference = reference};
    if (!a->metric_us || !b->metric_us)
        return SL_OK;
    if (!sl_grow((void **)&contest->matches, &contest->match_capacity, contest->match_count + 1,
                 sizeof *contest->matches))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a comparison");
    uint32_t trials = a->trials < b->trials ? a->trials : b->trials;
    enum sl_status status = sl_paired_compare(&match.paired, a->metric_us, b->metric_us, trials,
                                              seed, SL_LEVEL_CONFIDENCE, err);
    for (int f = SL_PAIRED_MEDIAN; a->jobs && status == SL_OK && f < SL_PAIRED_FIGURES; f++)
        status = sl_paired_own(&match.paired, (enum sl_paired_figure)f, a->own_us[f], b->own_us[f],
                               SL_LEVEL_CONFIDENCE, err);
    if (status != SL_OK)
        return status;
    mark_one_course(&match, a, b);
    status = compare_rates(&match, a, b, min_gain, err);
    if (status != SL_OK)
        return status;
    count_draws(&match, a, b);
    set_margins(&match, min_gain);
    contest->matches[contest->match_count++] = match;
    return SL_OK;
}

void sl_contest_free(struct sl_contest *contest)
{
    free(contest->contenders);
    free(contest->matches);
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

/* More is better, so that the difference of the other way round is judged. */
static struct sl_estimate loss(const struct sl_match *match, enum sl_rate rate)
{
    struct sl_estimate gain = match->rates[rate].difference;
    return (struct sl_estimate){-gain.value, -gain.hi, -gain.lo};
}

static enum sl_paired_verdict judge_rate(const struct sl_match *match, enum sl_rate rate)
{
    return sl_paired_judge(loss(match, rate), match->rates[rate].margin);
}

const char *sl_match_rate_verdict(const struct sl_match *match, enum sl_rate rate)
{
    enum sl_paired_verdict verdict = judge_rate(match, rate);
    if (verdict == SL_PAIRED_FASTER)
        return "higher";
    return verdict == SL_PAIRED_SLOWER ? "lower" : sl_paired_verdict_name(verdict);
}

double sl_match_rate_trials(const struct sl_match *match, enum sl_rate rate)
{
    return judge_rate(match, rate) == SL_PAIRED_OPEN
               ? sl_paired_trials_to_settle(loss(match, rate), match->rates[rate].margin,
                                            match->paired.n)
               : NAN;
}
