/* The report of a comparison as JSON, everything at full precision. */
#include "json_out.h"
#include "report_compare.h"
#include "report_rank_check.h"
#include "report_robustness.h"
#include "report_until.h"
#include "result_parts.h"
#include <inttypes.h>
#include <math.h>

static void put_traits(yajl_gen gen, const struct sl_contender *contender)
{
    if (contender->trait_count == 0)
        return;
    sl_json_open_array(gen, "traits");
    for (uint32_t k = 0; k < contender->trait_count; k++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "trait", contender->traits[k].name);
        sl_json_estimate(gen, contender->traits[k].share ? "share" : "members",
                         contender->traits[k].estimate);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_policies(yajl_gen gen, const struct sl_contest *contest)
{
    sl_json_open_array(gen, "policies");
    for (uint32_t i = 0; i < contest->count; i++) {
        const struct sl_contender *contender = &contest->contenders[i];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "policy", contender->policy);
        sl_json_text(gen, "verdict", sl_verdict_name(contender->verdict));
        sl_json_text(gen, "reason", *contender->reason ? contender->reason : NULL);
        sl_json_integer(gen, "trials", contender->trials);
        sl_json_integer(gen, "deadlocked", contender->deadlocked);
        sl_json_bool(gen, "hypothetical", contender->hypothetical);
        sl_json_until(gen, &contender->until);
        if (!isnan(contender->rejected))
            sl_json_number(gen, "rejected_share", contender->rejected);
        put_traits(gen, contender);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_figure(yajl_gen gen, const struct sl_match *match, enum sl_paired_figure figure)
{
    const struct sl_difference *difference = &match->paired.figures[figure];
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "figure", sl_paired_figure_name(figure));
    sl_json_number(gen, "quantile", sl_paired_quantile(figure));
    sl_json_number(gen, "policy_us", difference->a);
    sl_json_number(gen, "reference_us", difference->b);
    sl_json_number(gen, "difference_us", difference->estimate.value);
    sl_json_number(gen, "lo_us", difference->estimate.lo);
    sl_json_number(gen, "hi_us", difference->estimate.hi);
    sl_json_text(gen, "method", sl_paired_method_name(difference->method));
    sl_json_integer(gen, "least_trials", (int64_t)difference->needs);
    sl_json_number(gen, "margin_us", match->margin_us[figure]);
    sl_json_text(gen, "verdict", sl_paired_verdict_name(sl_match_verdict(match, figure)));
    sl_json_number(gen, "trials_to_settle", sl_match_trials_to_settle(match, figure));
    yajl_gen_map_close(gen);
}

static void put_rate(yajl_gen gen, const struct sl_match *match, enum sl_rate rate)
{
    const struct sl_rate_match *figures = &match->rates[rate];
    if (isnan(figures->difference.value))
        return;
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "rate", sl_rate_name(rate));
    sl_json_number(gen, "policy_per_s", figures->policy);
    sl_json_number(gen, "reference_per_s", figures->reference);
    sl_json_number(gen, "difference_per_s", figures->difference.value);
    sl_json_number(gen, "lo_per_s", figures->difference.lo);
    sl_json_number(gen, "hi_per_s", figures->difference.hi);
    sl_json_number(gen, "margin_per_s", figures->margin);
    sl_json_text(gen, "verdict", sl_match_rate_verdict(match, rate));
    sl_json_number(gen, "trials_to_settle", sl_match_rate_trials(match, rate));
    yajl_gen_map_close(gen);
}

static void put_match(yajl_gen gen, const struct sl_contest *contest, const struct sl_match *match)
{
    const struct sl_paired *paired = &match->paired;
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "policy", contest->contenders[match->policy].policy);
    sl_json_text(gen, "reference", contest->contenders[match->reference].policy);
    sl_json_integer(gen, "trials", (int64_t)paired->n);
    sl_json_open_array(gen, "figures");
    for (int f = 0; f < SL_PAIRED_FIGURES; f++)
        put_figure(gen, match, (enum sl_paired_figure)f);
    yajl_gen_array_close(gen);
    sl_json_open_array(gen, "rates");
    for (int r = 0; r < SL_RATES; r++)
        put_rate(gen, match, (enum sl_rate)r);
    yajl_gen_array_close(gen);
    sl_json_estimate(gen, "wins", paired->wins);
    sl_json_integer(gen, "ties", (int64_t)paired->ties);
    sl_json_number(gen, "correlation", paired->correlation);
    if (match->draws > 0) {
        sl_json_integer(gen, "outer_draws", match->draws);
        sl_json_estimate(gen, "draw_wins", match->draw_wins.share);
    }
    yajl_gen_map_close(gen);
}

enum sl_status sl_report_compare_json(FILE *out, const struct sl_scenario *scenario,
                                      const struct sl_contest *contest, uint64_t seed,
                                      const struct sl_robustness *robustness,
                                      const struct sl_measured *measured, struct sl_error *err)
{
    char digits[24];
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    snprintf(digits, sizeof digits, "%" PRIu64, seed);
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "scenario", scenario->name);
    sl_json_raw_number(gen, "seed", digits);
    sl_json_text(gen, "metric", sl_metric_name(scenario));
    put_policies(gen, contest);
    sl_json_open_array(gen, "comparisons");
    for (uint32_t i = 0; i < contest->match_count; i++)
        put_match(gen, contest, &contest->matches[i]);
    yajl_gen_array_close(gen);
    if (robustness)
        sl_report_robustness_json(gen, robustness);
    if (measured)
        sl_report_rank_check_json(gen, measured, contest);
    yajl_gen_map_close(gen);
    return sl_json_finish(gen, out, err);
}
