/* criticality.csv, waits.csv, gantt.csv and edits.csv: what the nodes of a cell's plan did. */
#include "config.h"

#include "fields.h"
#include "figures.h"
#include "result_parts.h"
#include "scenario_parts.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

static const char *class_name(const struct sl_graph *graph, const struct sl_node *node)
{
    return node->klass == SL_NONE ? NULL : graph->platform->kappa.classes.names[node->klass];
}

static void put_mean_us(FILE *out, int64_t sum_ps, uint32_t count)
{
    sl_put_number(out, count > 0 ? (double)sum_ps / count / SL_PS_PER_US : NAN);
}

/* criticality.csv: nodes that were on the realized chain in any trial. */

static void criticality_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,node,kind,class,trials_on_chain,share,mean_chain_us,share_lo,share_hi\n", out);
}

struct sl_estimate sl_criticality(const struct sl_cell *cell, uint32_t node)
{
    return sl_proportion(cell->nodes.on_chain[node], cell->trials - cell->deadlocked, 0.95);
}

static void criticality_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_graph *graph = cell->plan.graph;
    const struct sl_node_totals *totals = &cell->nodes;
    uint32_t finished = cell->trials - cell->deadlocked;
    for (uint32_t i = 0; graph && totals->on_chain && i < graph->node_count; i++) {
        if (totals->on_chain[i] == 0)
            continue;
        const struct sl_node *node = &graph->nodes[i];
        fprintf(out, "%u", cell->spec.index);
        sl_put_text(out, node->name);
        sl_put_text(out, sl_node_kind_name(node->kind));
        sl_put_text(out, class_name(graph, node));
        sl_put_integer(out, totals->on_chain[i]);
        struct sl_estimate share = sl_criticality(cell, i);
        sl_put_number(out, share.value);
        put_mean_us(out, totals->chain_ps[i], finished);
        sl_put_interval(out, share);
        putc('\n', out);
    }
}

const struct sl_part sl_part_criticality = {"criticality.csv", criticality_header, criticality_rows,
                                            SL_PART_OF_PLANS};

/* waits.csv: start - ready per node, and how often later nodes passed it. */

static void waits_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,node,kind,class,ran,mean_wait_us,max_wait_us,bypassed,mean_run_us,"
          "mean_isolated_us,max_wait_trial,max_wait_ready_us,max_wait_cause,max_wait_behind,"
          "max_wait_bypassed,starved,runs\n",
          out);
}

/* Nothing of a node that never waited. */
static void put_longest_wait(FILE *out, const struct sl_graph *graph, const struct sl_wait *wait)
{
    if (wait->wait_ps == 0) {
        fputs(",,,,,", out);
        return;
    }
    sl_put_integer(out, wait->trial);
    sl_put_us(out, wait->ready_ps);
    sl_put_text(out, sl_cause_name(wait->cause));
    sl_put_text(out, wait->behind == SL_NONE ? NULL : graph->nodes[wait->behind].name);
    sl_put_integer(out, wait->bypassed);
}

static void waits_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_graph *graph = cell->plan.graph;
    const struct sl_node_totals *totals = &cell->nodes;
    for (uint32_t i = 0; graph && totals->ran && i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        fprintf(out, "%u", cell->spec.index);
        sl_put_text(out, node->name);
        sl_put_text(out, sl_node_kind_name(node->kind));
        sl_put_text(out, class_name(graph, node));
        sl_put_integer(out, totals->ran[i]);
        put_mean_us(out, totals->wait_ps[i], totals->ran[i]);
        sl_put_us(out, totals->longest_wait[i].wait_ps);
        sl_put_integer(out, (int64_t)totals->bypassed[i]);
        put_mean_us(out, totals->run_ps[i], totals->ran[i]);
        put_mean_us(out, totals->isolated_ps[i], totals->ran[i]);
        put_longest_wait(out, graph, &totals->longest_wait[i]);
        if (cell->scenario->starvation_bound_ps >= 0)
            sl_put_integer(out, totals->starved[i]);
        else
            sl_put_text(out, NULL);
        sl_put_integer(out, (int64_t)totals->runs[i]);
        putc('\n', out);
    }
}

const struct sl_part sl_part_waits = {"waits.csv", waits_header, waits_rows, SL_PART_OF_PLANS};

/* gantt.csv: every node of the median and of the p99 trial. */

void sl_gantt_header(FILE *out)
{
    fputs("cell,at,trial,node,kind,class,resource,ready_us,start_us,free_us,finish_us,cause,"
          "on_chain,resources\n",
          out);
}

static void gantt_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    sl_gantt_header(out);
}

static const char *resource_name(const struct sl_graph *graph, const struct sl_node *node)
{
    if (node->demands.count == 0)
        return NULL;
    return graph->platform->resource_names.names[graph->demands[node->demands.first].resource];
}

/* All that the node holds, separated by semicolons, which no name of a resource has. */
static void put_resources(FILE *out, const struct sl_graph *graph, const struct sl_node *node)
{
    char text[SL_MAX_DEMANDS * (SL_NAME_MAX + 1) + 1] = "";
    size_t size = 0;
    for (uint32_t k = 0; k < node->demands.count && size < sizeof text; k++) {
        uint32_t resource = graph->demands[node->demands.first + k].resource;
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s", k > 0 ? ";" : "",
                                 graph->platform->resource_names.names[resource]);
    }
    sl_put_text(out, text);
}

void sl_gantt_bars(FILE *out, const struct sl_graph *graph, uint32_t cell, const char *at,
                   uint32_t trial, const struct sl_bar *bars, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct sl_node *node = &graph->nodes[bars[i].node];
        fprintf(out, "%u,%s,%u", cell, at, trial);
        sl_put_text(out, node->name);
        sl_put_text(out, sl_node_kind_name(node->kind));
        sl_put_text(out, class_name(graph, node));
        sl_put_text(out, resource_name(graph, node));
        sl_put_us(out, bars[i].ready_ps);
        sl_put_us(out, bars[i].start_ps);
        sl_put_us(out, bars[i].free_ps);
        sl_put_us(out, bars[i].finish_ps);
        sl_put_text(out, sl_cause_name((enum sl_cause)bars[i].cause));
        sl_put_integer(out, bars[i].on_chain);
        put_resources(out, graph, node);
        putc('\n', out);
    }
}

static void gantt_rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_graph *graph = cell->plan.graph;
    if (!graph)
        return;
    sl_gantt_bars(out, graph, cell->spec.index, "median", cell->median_trial, cell->median_bars,
                  cell->median_bar_count);
    sl_gantt_bars(out, graph, cell->spec.index, "p99", cell->p99_trial, cell->p99_bars,
                  cell->p99_bar_count);
}

const struct sl_part sl_part_gantt = {"gantt.csv", gantt_header, gantt_rows, SL_PART_OF_PLANS};

/* edits.csv: what planning inserted or changed, and why. */

static void edits_header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,what,text,reason,node,object\n", out);
}

static void edits_rows(FILE *out, const struct sl_cell *cell)
{
    static const char *const whats[] = {
        [SL_EDIT_ADD_NODE] = "add-node",           [SL_EDIT_ADD_EDGE] = "add-edge",
        [SL_EDIT_DROP_EDGE] = "drop-edge",         [SL_EDIT_CHANGE_INPUT] = "change-input",
        [SL_EDIT_CHANGE_OUTPUT] = "change-output", [SL_EDIT_SET_RELEASE] = "set-release",
        [SL_EDIT_SET_PRIORITY] = "set-priority",
    };
    const struct sl_graph *graph = cell->plan.graph;
    for (uint32_t i = 0; graph && i < cell->plan.edit_count; i++) {
        const struct sl_edit *edit = &cell->plan.edits[i];
        fprintf(out, "%u", cell->spec.index);
        sl_put_text(out, whats[edit->what]);
        sl_put_text(out, edit->text);
        sl_put_text(out, edit->reason);
        sl_put_text(out, edit->node.i == SL_NONE ? NULL : graph->nodes[edit->node.i].name);
        sl_put_text(out, edit->object.i == SL_NONE ? NULL : graph->objects[edit->object.i].name);
        putc('\n', out);
    }
}

const struct sl_part sl_part_edits = {"edits.csv", edits_header, edits_rows, SL_PART_OF_BOTH};
