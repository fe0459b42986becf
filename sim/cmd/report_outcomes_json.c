/* Deadlines, fallbacks, guards and windows as JSON. */
#include "json_out.h"
#include "report_outcomes.h"
#include "result_parts.h"
#include "units.h"
#include "window_estimates.h"
#include <math.h>

static const char *name_of(const struct sl_cell *cell, uint32_t node)
{
    return node == SL_NONE ? NULL : cell->plan.graph->nodes[node].name;
}

static void put_deadlines(yajl_gen gen, const struct sl_cell *cell)
{
    if (cell->deadline_count > 0)
        sl_json_estimate(gen, "deadline_miss", sl_deadline_miss(cell));
    sl_json_open_array(gen, "deadlines");
    for (uint32_t k = 0; k < cell->deadline_count; k++) {
        const struct sl_deadline *deadline = &cell->deadlines[k];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "node", name_of(cell, deadline->node));
        sl_json_us(gen, "deadline_us", cell->plan.graph->nodes[deadline->node].deadline_ps);
        sl_json_integer(gen, "misses", deadline->misses);
        sl_json_integer(gen, "never", deadline->never);
        sl_json_estimate(gen, "miss", deadline->miss);
        sl_json_integer(gen, "tardiness_trials", deadline->tardiness_trials);
        sl_json_estimate_us(gen, "tardiness_mean", deadline->tardiness_mean);
        sl_json_estimate_us(gen, "tardiness_missed", deadline->tardiness_when_missed);
        sl_json_estimate_us(gen, "tardiness_p99", deadline->tardiness_p99);
        sl_json_us(gen, "tardiness_max_us", deadline->max_tardiness_ps);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_fallbacks(yajl_gen gen, const struct sl_cell *cell)
{
    sl_json_open_array(gen, "fallbacks");
    for (uint32_t k = 0; k < cell->fallback_count; k++) {
        const struct sl_fallback_use *use = &cell->fallbacks[k];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "node", name_of(cell, use->primary));
        sl_json_text(gen, "fallback",
                     name_of(cell, cell->plan.graph->nodes[use->primary].fallback.i));
        sl_json_estimate(gen, "cancelled", use->share);
        sl_json_integer(gen, "late", use->late);
        sl_json_integer(gen, "guard_failed", use->guard_failed);
        sl_json_integer(gen, "delivered", use->delivered);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_guards(yajl_gen gen, const struct sl_cell *cell)
{
    sl_json_open_array(gen, "guards");
    for (uint32_t k = 0; k < cell->guard_count; k++) {
        const struct sl_guard_use *use = &cell->guards[k];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "guard", cell->plan.graph->guards[use->guard].name);
        sl_json_number(gen, "probability", cell->plan.graph->guards[use->guard].probability);
        sl_json_estimate(gen, "failed", use->share);
        sl_json_number(gen, "left_out_per_trial", (double)use->left_out / cell->trials);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_window(yajl_gen gen, const struct sl_cell *cell, uint32_t node,
                       struct sl_window_scratch *scratch)
{
    const struct sl_node_window *window = &cell->windows[node];
    struct sl_window_estimates found = sl_window_estimates(cell, node, scratch);
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "node", name_of(cell, node));
    if (!window->idle) {
        sl_json_us(gen, "means_ready_us", window->mean_ready_ps);
        sl_json_us(gen, "means_latest_start_us", window->mean_latest_ps);
        sl_json_text(gen, "means_limit", name_of(cell, window->mean_limit));
    }
    sl_json_integer(gen, "ran", window->ran);
    sl_json_number(gen, "ready_us", found.ready_us);
    sl_json_number(gen, "latest_start_us", found.latest_us);
    sl_json_estimate_us(gen, "slack", found.slack);
    sl_json_estimate_us(gen, "slack_p5", found.slack_p5);
    sl_json_estimate(gen, "negative", found.negative_share);
    sl_json_estimate(gen, "exposed", found.exposed_share);
    sl_json_integer(gen, "late", window->late);
    yajl_gen_map_close(gen);
}

static void put_windows(yajl_gen gen, const struct sl_cell *cell)
{
    uint32_t least[SL_MAX_LEAST_SLACK], exposed[SL_MAX_EXPOSED];
    struct sl_window_scratch scratch = SL_WINDOW_SCRATCH;
    size_t least_count = sl_least_slack(cell, least, SL_MAX_LEAST_SLACK);
    size_t exposed_count = sl_exposed_windows(cell, exposed, SL_MAX_EXPOSED);
    sl_json_open_map(gen, "windows");
    sl_json_integer(gen, "trials", cell->window_trials);
    sl_json_open_array(gen, "least_slack");
    for (size_t k = 0; k < least_count; k++)
        put_window(gen, cell, least[k], &scratch);
    yajl_gen_array_close(gen);
    sl_json_integer(gen, "exposed_nodes", (int64_t)exposed_count);
    sl_json_open_array(gen, "exposed");
    for (size_t k = 0; k < exposed_count && k < SL_MAX_EXPOSED; k++)
        put_window(gen, cell, exposed[k], &scratch);
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
}

void sl_report_outcomes_json(yajl_gen gen, const struct sl_cell *cell)
{
    put_deadlines(gen, cell);
    put_fallbacks(gen, cell);
    put_guards(gen, cell);
    put_windows(gen, cell);
    sl_report_evictions_json(gen, cell);
    sl_report_speculation_json(gen, cell);
}
