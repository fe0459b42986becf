/* The report of a search as JSON, everything at full precision. */
#include "json_out.h"
#include "order_figures.h"
#include "report_search.h"
#include "report_until.h"
#include "result_parts.h"
#include <inttypes.h>
#include <math.h>

static void put_plan(yajl_gen gen, const struct sl_search_result *result,
                     const struct sl_finals *finals, const struct sl_frame *frame, uint32_t i)
{
    const struct sl_final *item = &finals->items[i];
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "policy", item->name);
    sl_json_text(gen, "rules", item->plan->base);
    sl_json_bool(gen, "named", i == finals->named);
    sl_json_text(gen, "verdict", sl_verdict_name(item->cell.verdict));
    sl_json_integer(gen, "trials", item->cell.trials);
    sl_json_integer(gen, "deadlocked", item->cell.deadlocked);
    sl_json_bool(gen, "hypothetical", item->cell.hypothetical);
    sl_json_until(gen, &item->cell.until);
    sl_json_integer(gen, "kept", item->cell.plan.retained);
    sl_json_integer(gen, "offloaded", item->cell.plan.offloaded);
    sl_json_integer(gen, "recomputed", item->cell.plan.rematerialized);
    sl_json_open_map(gen, "figures");
    for (uint32_t k = 0; k < result->levels; k++)
        sl_json_estimate(gen, result->order[k].name,
                         sl_order_estimate(frame, i, &result->order[k]));
    yajl_gen_map_close(gen);
    yajl_gen_map_close(gen);
}

static void put_match(yajl_gen gen, const struct sl_contest *contest, const struct sl_match *match)
{
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "policy", contest->contenders[match->policy].policy);
    sl_json_text(gen, "reference", contest->contenders[match->reference].policy);
    for (int f = 0; f < SL_PAIRED_FIGURES; f++)
        if (match->paired.figures[f].method != SL_PAIRED_TOO_FEW)
            sl_json_estimate_us(gen, sl_paired_figure_name((enum sl_paired_figure)f),
                                match->paired.figures[f].estimate);
    sl_json_estimate(gen, "wins", match->paired.wins);
    yajl_gen_map_close(gen);
}

static void put_refusals(yajl_gen gen, const struct sl_search_result *result)
{
    sl_json_open_array(gen, "without_plan");
    for (uint32_t i = 0; i < result->refusal_count; i++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "policy", result->refusals[i].policy);
        sl_json_text(gen, "reason", result->refusals[i].why);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_moves(yajl_gen gen, const struct sl_search_result *result)
{
    sl_json_open_array(gen, "moves");
    for (uint32_t k = 0; k < result->move_count; k++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "move", result->moves[k].name);
        sl_json_integer(gen, "tried", result->moves[k].tried);
        sl_json_integer(gen, "went_on", result->moves[k].accepted);
        sl_json_integer(gen, "best", result->moves[k].best);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

enum sl_status sl_report_search_json(FILE *out, const struct sl_session *session,
                                     const struct sl_search_result *result,
                                     const struct sl_finals *finals,
                                     const struct sl_search_verdict *verdict, struct sl_error *err)
{
    struct sl_frame frame;
    char digits[24];
    enum sl_status status =
        sl_finals_frame(&frame, finals, NULL, finals->count, &session->scenario, err);
    yajl_gen gen = status == SL_OK ? sl_json_create() : NULL;
    if (!gen) {
        sl_frame_free(&frame);
        return status == SL_OK ? SL_FAIL(err, SL_SYSTEM, "out of memory") : status;
    }
    snprintf(digits, sizeof digits, "%" PRIu64, sl_session_seed(session));
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "scenario", session->scenario.name);
    sl_json_raw_number(gen, "seed", digits);
    sl_json_integer(gen, "evaluations", result->evaluations);
    sl_json_integer(gen, "repeated", result->repeated);
    sl_json_integer(gen, "search_trials", (int64_t)result->trials);
    sl_json_integer(gen, "gaps", result->gaps);
    sl_json_number(gen, "plans", result->space);
    sl_json_bool(gen, "all_plans_tried", result->exhausted);
    sl_json_bool(gen, "interrupted", result->interrupted);
    sl_json_bool(gen, "hurried", result->hurried);
    sl_json_bool(gen, "pareto", result->pareto);
    sl_json_text(gen, "finding", sl_search_finding_name(verdict->finding));
    sl_json_open_array(gen, "policies");
    for (uint32_t i = 0; i < finals->count; i++)
        put_plan(gen, result, finals, &frame, i);
    yajl_gen_array_close(gen);
    sl_json_open_array(gen, "comparisons");
    for (uint32_t i = 0; i < finals->contest.match_count; i++)
        put_match(gen, &finals->contest, &finals->contest.matches[i]);
    yajl_gen_array_close(gen);
    sl_json_number(gen, "bound_tail_us", finals->bounds[SL_MEASURE_TAIL].value);
    sl_json_number(gen, "bound_median_us", finals->bounds[SL_MEASURE_MEDIAN].value);
    sl_json_number(gen, "bound_mean_us", finals->bounds[SL_MEASURE_MEAN].value);
    put_refusals(gen, result);
    put_moves(gen, result);
    yajl_gen_map_close(gen);
    sl_frame_free(&frame);
    return sl_json_finish(gen, out, err);
}
