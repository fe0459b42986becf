/* Explain: what each choice for an object costs, for machines. */
#include "explain_costs.h"

static void changed_json(yajl_gen gen, const char *key, const struct sl_changed_node *node)
{
    sl_json_open_map(gen, key);
    sl_json_text(gen, "node", node->name);
    sl_json_number(gen, "change", node->change);
    yajl_gen_map_close(gen);
}

static void figures_json(yajl_gen gen, const struct sl_choice_cost *cost)
{
    sl_json_estimate_us(gen, "mean_change", cost->mean.estimate);
    sl_json_estimate_us(gen, "median_change", cost->median.estimate);
    sl_json_estimate_us(gen, "tail_change", cost->tail.estimate);
    if (cost->state != SL_CHOICE_RUN)
        return;
    for (int change = 0; change < 2; change++) {
        sl_json_open_map(gen, change ? "change" : "figures");
        for (size_t f = 0; f < SL_COST_FIGURES; f++)
            sl_json_number(gen, sl_cost_figure_list[f].name,
                           sl_cost_figure_get(change ? &cost->change : &cost->here, f));
        yajl_gen_map_close(gen);
    }
    changed_json(gen, "joined_chain", &cost->joined);
    changed_json(gen, "left_chain", &cost->left);
    changed_json(gen, "capacity_waiter_us", &cost->waiter);
    sl_json_text(gen, "max_waiter", cost->max_waiter);
}

static void choice_json(yajl_gen gen, const struct sl_choice_costs *costs,
                        const struct sl_choice_cost *cost)
{
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "choice", cost->action);
    sl_json_text(gen, "to",
                 cost->refuge == SL_NONE
                     ? NULL
                     : costs->scenario->platform.domain_names.names[cost->refuge]);
    sl_json_text(gen, "prefetch", cost->timing);
    sl_json_bool(gen, "decided", cost->decided);
    sl_json_text(gen, "state", sl_choice_state_name(cost->state));
    sl_json_text(gen, "reason", cost->reason);
    if (cost->state == SL_CHOICE_RUN || cost->state == SL_CHOICE_DEADLOCK) {
        sl_json_integer(gen, "deadlocked", cost->deadlocked);
        sl_json_text(gen, "breaks", cost->breaks);
        sl_json_bool(gen, "hypothetical", cost->hypothetical || cost->unknown);
        sl_json_text(gen, "evidence", cost->evidence);
        figures_json(gen, cost);
    }
    yajl_gen_map_close(gen);
}

void sl_explain_costs_json(const struct sl_choice_costs *costs, const char *policy, yajl_gen gen)
{
    const struct sl_graph *graph = costs->scenario->graph;
    sl_json_text(gen, "scenario", costs->scenario->name);
    sl_json_text(gen, "policy", policy);
    sl_json_text(gen, "figures", "projected");
    sl_json_integer(gen, "trials", costs->trials);
    sl_json_integer(gen, "plans", costs->plans);
    sl_json_number(gen, "tail", costs->tail);
    sl_json_bool(gen, "wait_bound", costs->bounded);
    sl_json_integer(gen, "gaps_matching", costs->matching);
    sl_json_open_array(gen, "gaps");
    for (uint32_t g = 0; g < costs->gap_count; g++) {
        const struct sl_gap_costs *row = &costs->gaps[g];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "object", graph->objects[row->gap.object].name);
        sl_json_integer(gen, "gap", row->gap.number);
        sl_json_integer(gen, "gaps", row->gap.gaps);
        sl_json_text(gen, "before", graph->nodes[row->gap.before].name);
        sl_json_text(gen, "after", graph->nodes[row->gap.after].name);
        sl_json_integer(gen, "size_bytes", row->bytes);
        sl_json_number(gen, "gap_us", row->gap.length_ps / 1e6);
        sl_json_text(
            gen, "home",
            row->home == SL_NONE ? NULL : costs->scenario->platform.domain_names.names[row->home]);
        sl_json_open_array(gen, "choices");
        for (uint32_t c = 0; c < row->choice_count; c++)
            choice_json(gen, costs, &row->choices[c]);
        yajl_gen_array_close(gen);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}
