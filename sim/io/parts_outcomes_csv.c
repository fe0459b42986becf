/* deadlines.csv, fallbacks.csv, guards.csv and slack.csv: what the nodes of a plan were meant to
 * do, and how often they did. */
#include "figures.h"
#include "job_cell.h"
#include "result_parts.h"
#include "units.h"
#include "window_estimates.h"
#include <math.h>

static void put_node_name(FILE *out, const struct sl_graph *graph, uint32_t node)
{
    sl_put_text(out, node == SL_NONE ? NULL : graph->nodes[node].name);
}

/* deadlines.csv: a row per node with a deadline. */

static void deadlines_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,node,deadline_us,trials,misses,never,miss_p,miss_lo,miss_hi,tardiness_trials,"
          "tardiness_mean_us,tardiness_mean_lo_us,tardiness_mean_hi_us,tardiness_missed_us,"
          "tardiness_missed_lo_us,tardiness_missed_hi_us,tardiness_p99_us,tardiness_p99_lo_us,"
          "tardiness_p99_hi_us,tardiness_max_us\n",
          out);
}

/* Of the counted jobs, where a trial has many. */
static void job_deadlines_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_job_cell *jobs = cell->jobs;
    for (uint32_t d = 0; jobs->estimated && d < jobs->metrics.due_count; d++) {
        const struct sl_job_deadline *deadline = &jobs->deadlines[d];
        fprintf(out, "%u", cell->spec.index);
        put_node_name(out, cell->plan.graph, deadline->due.node);
        sl_put_us(out, deadline->due.deadline_ps);
        sl_put_integer(out, (int64_t)(deadline->completed + deadline->never));
        sl_put_integer(out, (int64_t)deadline->misses);
        sl_put_integer(out, (int64_t)deadline->never);
        sl_put_estimate(out, deadline->miss);
        sl_put_integer(out, (int64_t)deadline->completed);
        sl_put_estimate(out, deadline->tardiness_mean);
        sl_put_estimate(out, deadline->tardiness_when_missed);
        sl_put_estimate(out, deadline->tardiness_p99);
        sl_put_number(out, deadline->tardiness_max_us);
        putc('\n', out);
    }
}

static void deadlines_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_graph *graph = cell->plan.graph;
    if (cell->jobs)
        job_deadlines_rows(out, cell);
    for (uint32_t k = 0; k < cell->deadline_count; k++) {
        const struct sl_deadline *deadline = &cell->deadlines[k];
        fprintf(out, "%u", cell->spec.index);
        put_node_name(out, graph, deadline->node);
        sl_put_us(out, graph->nodes[deadline->node].deadline_ps);
        sl_put_integer(out, cell->trials);
        sl_put_integer(out, deadline->misses);
        sl_put_integer(out, deadline->never);
        sl_put_estimate(out, deadline->miss);
        sl_put_integer(out, deadline->tardiness_trials);
        sl_put_estimate(out, deadline->tardiness_mean);
        sl_put_estimate(out, deadline->tardiness_when_missed);
        sl_put_estimate(out, deadline->tardiness_p99);
        sl_put_us(out, deadline->max_tardiness_ps);
        putc('\n', out);
    }
}

const struct sl_part sl_part_deadlines = {"deadlines.csv", deadlines_header, deadlines_rows,
                                          SL_PART_OF_BOTH};

/* fallbacks.csv: a row per node that names a fallback. */

static void fallbacks_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,node,fallback,trials,late,guard_failed,cancelled_p,cancelled_lo,cancelled_hi,"
          "delivered\n",
          out);
}

static void fallbacks_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_graph *graph = cell->plan.graph;
    for (uint32_t k = 0; k < cell->fallback_count; k++) {
        const struct sl_fallback_use *use = &cell->fallbacks[k];
        fprintf(out, "%u", cell->spec.index);
        put_node_name(out, graph, use->primary);
        put_node_name(out, graph, graph->nodes[use->primary].fallback.i);
        sl_put_integer(out, cell->trials);
        sl_put_integer(out, use->late);
        sl_put_integer(out, use->guard_failed);
        sl_put_estimate(out, use->share);
        sl_put_integer(out, use->delivered);
        putc('\n', out);
    }
}

const struct sl_part sl_part_fallbacks = {"fallbacks.csv", fallbacks_header, fallbacks_rows,
                                          SL_PART_OF_PLANS};

/* guards.csv: a row per guard that some node has. */

static void guards_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,guard,probability,trials,failed,failed_p,failed_lo,failed_hi,left_out_per_trial\n",
          out);
}

static void guards_rows(FILE *out, const struct sl_cell *cell)
{
    for (uint32_t k = 0; k < cell->guard_count; k++) {
        const struct sl_guard_use *use = &cell->guards[k];
        const struct sl_guard *guard = &cell->plan.graph->guards[use->guard];
        fprintf(out, "%u", cell->spec.index);
        sl_put_text(out, guard->name);
        sl_put_number(out, guard->probability);
        sl_put_integer(out, cell->trials);
        sl_put_integer(out, use->failed);
        sl_put_estimate(out, use->share);
        sl_put_number(out, (double)use->left_out / cell->trials);
        putc('\n', out);
    }
}

const struct sl_part sl_part_guards = {"guards.csv", guards_header, guards_rows, SL_PART_OF_PLANS};

/* slack.csv: a row per node, windows at means and over trials. */

static void slack_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,node,kind,class,fallback,means_ready_us,means_latest_start_us,means_slack_us,"
          "means_limit,trials,ran,ready_us,latest_start_us,slack_us,slack_lo_us,slack_hi_us,"
          "slack_p5_us,slack_p5_lo_us,slack_p5_hi_us,negative,negative_p,negative_lo,negative_hi,"
          "exposed,exposed_p,exposed_lo,exposed_hi,late\n",
          out);
}

static void put_window_at_means(FILE *out, const struct sl_graph *graph,
                                const struct sl_node_window *window)
{
    if (window->idle) {
        fputs(",,,,", out);
        return;
    }
    sl_put_us(out, window->mean_ready_ps);
    sl_put_us(out, window->mean_latest_ps);
    sl_put_number(out, ((double)window->mean_latest_ps - (double)window->mean_ready_ps) /
                           (double)SL_PS_PER_US);
    put_node_name(out, graph, window->mean_limit);
}

static void slack_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_graph *graph = cell->plan.graph;
    struct sl_window_scratch scratch = SL_WINDOW_SCRATCH;
    for (uint32_t i = 0; graph && cell->windows && i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        const struct sl_node_window *window = &cell->windows[i];
        struct sl_window_estimates found = sl_window_estimates(cell, i, &scratch);
        fprintf(out, "%u", cell->spec.index);
        sl_put_text(out, node->name);
        sl_put_text(out, sl_node_kind_name(node->kind));
        sl_put_text(
            out, node->klass == SL_NONE ? NULL : graph->platform->kappa.classes.names[node->klass]);
        put_node_name(out, graph, node->fallback.i);
        put_window_at_means(out, graph, window);
        sl_put_integer(out, cell->window_trials);
        sl_put_integer(out, window->ran);
        sl_put_number(out, found.ready_us);
        sl_put_number(out, found.latest_us);
        sl_put_estimate(out, found.slack);
        sl_put_estimate(out, found.slack_p5);
        sl_put_integer(out, window->negative);
        sl_put_estimate(out, found.negative_share);
        sl_put_integer(out, window->exposed);
        sl_put_estimate(out, found.exposed_share);
        sl_put_integer(out, window->late);
        putc('\n', out);
    }
}

const struct sl_part sl_part_slack = {"slack.csv", slack_header, slack_rows, SL_PART_OF_PLANS};
