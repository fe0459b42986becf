/* Whether the plan that a search puts first is shown to be better than the best policy. */
#include "config.h"

#include "grouping.h"
#include "order_figures.h"
#include "report_search.h"
#include "search_verdict.h"
#include <stdlib.h>

const char *sl_search_finding_name(enum sl_search_finding finding)
{
    static const char *const names[] = {
        [SL_FINDING_BETTER] = "better",         [SL_FINDING_ONLY] = "only",
        [SL_FINDING_POLICY] = "policy",         [SL_FINDING_TIE] = "tie",
        [SL_FINDING_WORSE] = "worse",           [SL_FINDING_UNTESTED] = "too-few-trials",
        [SL_FINDING_INFEASIBLE] = "infeasible", [SL_FINDING_SET] = "pareto-set",
    };
    return names[finding];
}

bool sl_search_has_winner(const struct sl_search_verdict *verdict)
{
    return verdict->finding == SL_FINDING_BETTER || verdict->finding == SL_FINDING_ONLY;
}

/* The two as a sweep of one group. */
static enum sl_status judge_pair(struct sl_search_verdict *verdict,
                                 const struct sl_session *session, const struct sl_finals *finals,
                                 struct sl_error *err)
{
    struct sl_standings *standings = &verdict->standings;
    const struct sl_scenario *scenario = &session->scenario;
    const struct sl_winner_rule rule = {.q = scenario->objective.tail,
                                        .min_gain = scenario->objective.min_gain,
                                        .seed = sl_session_seed(session)};
    const uint32_t pair[] = {0, finals->named};
    struct sl_metric_store store = {0};
    standings->order = scenario->objective.order;
    standings->order_count = scenario->objective.order_count;
    enum sl_status status = sl_metric_store_open(&store, scenario, err);
    for (int i = 0; i < 2 && status == SL_OK; i++)
        status = sl_metric_store_keep(&store, &finals->items[pair[i]].cell, err);
    if (status == SL_OK)
        status = sl_finals_frame(&standings->summary, finals, pair, 2, scenario, err);
    if (status == SL_OK)
        status = sl_grouping_make(&standings->grouping, &standings->summary, NULL, 0,
                                  &standings->arena, err);
    if (status == SL_OK)
        status = sl_standings_judge(standings, &rule, &store, err);
    sl_metric_store_free(&store);
    return status;
}

/* Rows: the first plan, the policy. */
static enum sl_search_finding finding_of(const struct sl_standings *standings)
{
    const struct sl_standing *standing = &standings->groups[0];
    if (standings->too_large || standings->ranked < 2 || standing->untested != SL_NONE)
        return SL_FINDING_UNTESTED;
    if (!standing->won)
        return SL_FINDING_TIE;
    return standing->candidate == 0 ? SL_FINDING_BETTER : SL_FINDING_WORSE;
}

enum sl_status sl_search_verdict_find(struct sl_search_verdict *verdict,
                                      const struct sl_session *session,
                                      const struct sl_search_result *result,
                                      const struct sl_finals *finals, struct sl_error *err)
{
    uint32_t named = finals->named;
    enum sl_status status = SL_OK;
    if (finals->items[0].cell.verdict != SL_VERDICT_OK)
        verdict->finding = SL_FINDING_INFEASIBLE;
    else if (result->pareto)
        verdict->finding = SL_FINDING_SET;
    else if (finals->items[0].plan->named && (named == 0 || named == SL_NONE))
        verdict->finding = SL_FINDING_POLICY;
    else if (named == SL_NONE || finals->items[named].cell.verdict != SL_VERDICT_OK)
        verdict->finding = SL_FINDING_ONLY;
    else {
        status = judge_pair(verdict, session, finals, err);
        if (status == SL_OK)
            verdict->finding = finding_of(&verdict->standings);
    }
    return status;
}

/* The first `count` measures: "p99, median and peak.hbm". */
static void print_measures(FILE *out, const struct sl_standings *standings, uint32_t count)
{
    char buffer[16];
    for (uint32_t l = 0; l < count; l++)
        fprintf(out, "%s%s",
                l == 0          ? ""
                : l + 1 < count ? ", "
                                : " and ",
                sl_order_label(buffer, &standings->order[l], standings->rule.q));
}

static void print_gain(FILE *out, const struct sl_standings *standings)
{
    if (standings->rule.min_gain > 0)
        fprintf(out, " by %.6g%% (min_gain)", 100 * standings->rule.min_gain);
}

/* Who is better in which measure. */
static void print_shown(FILE *out, const struct sl_standings *standings, const char *better,
                        const char *other)
{
    uint32_t level = standings->groups[0].level;
    char buffer[16];
    fprintf(out, "%s is shown to be better than %s: lower in %s", better, other,
            sl_order_label(buffer, &standings->order[level], standings->rule.q));
    print_gain(out, standings);
    if (level > 0) {
        fputs(", tied in ", out);
        print_measures(out, standings, level);
    }
}

static void print_untested(FILE *out, const struct sl_standings *standings)
{
    uint32_t level = standings->groups[0].untested;
    fputs(": too few trials to test it", out);
    if (!standings->too_large && level != SL_NONE)
        fprintf(out, " (%zu are needed)", sl_standings_needs(standings, level));
}

void sl_search_verdict_print(FILE *out, const struct sl_search_verdict *verdict,
                             const struct sl_session *session, const struct sl_finals *finals)
{
    const struct sl_standings *standings = &verdict->standings;
    const char *first = finals->items[0].name;
    const char *policy = finals->named == SL_NONE ? "" : finals->items[finals->named].name;
    switch (verdict->finding) {
    case SL_FINDING_BETTER:
        fputs("winner: ", out);
        print_shown(out, standings, first, policy);
        break;
    case SL_FINDING_WORSE:
        fputs("no better plan was found: ", out);
        print_shown(out, standings, policy, first);
        break;
    case SL_FINDING_TIE:
        fprintf(out, "no winner: %s is not shown to be better than %s", first, policy);
        print_gain(out, standings);
        fputs(": ties in ", out);
        print_measures(out, standings, standings->order_count);
        if (finals->items[0].plan->named)
            fputs("; no plan was found that is better than the policies'", out);
        else
            fprintf(out, "; %s needs no table", policy);
        break;
    case SL_FINDING_UNTESTED:
        fprintf(out, "no winner: %s is not shown to be better than %s", first, policy);
        print_untested(out, standings);
        break;
    case SL_FINDING_POLICY:
        fprintf(out, "no better plan was found than %s's own", first);
        break;
    case SL_FINDING_ONLY:
        fprintf(out, "winner: %s; no policy of the scenario %s", first,
                session->scenario.objective.constraint_count > 0
                    ? "keeps the constraints and completes every trial"
                    : "completes every trial");
        break;
    case SL_FINDING_INFEASIBLE:
        fprintf(out, "no winner: %s, the best so far, %s", first,
                finals->items[0].cell.verdict == SL_VERDICT_INFEASIBLE
                    ? "does not keep the constraints"
                    : "does not complete every trial");
        break;
    case SL_FINDING_SET:
        fputs("no winner: the scenario states no order, and none of these is better than another "
              "in all measures",
              out);
        break;
    }
    putc('\n', out);
}

void sl_search_verdict_free(struct sl_search_verdict *verdict)
{
    sl_standings_free(&verdict->standings);
    *verdict = (struct sl_search_verdict){0};
}
