/* costs.csv. */
#include "choice_costs_csv.h"
#include "figures.h"
#include "outfile.h"
#include <math.h>

static void put_header(FILE *out)
{
    fputs("trials,policy,object,gap,gaps,before,after,size_bytes,gap_us,home,choice,to,prefetch,"
          "decided,state,"
          "reason,deadlocked,hypothetical,evidence",
          out);
    for (int k = 0; k < 3; k++) {
        const char *name = k == 0 ? "mean" : k == 1 ? "median" : "tail";
        fprintf(out, ",%s_change_us,%s_change_lo_us,%s_change_hi_us", name, name, name);
    }
    for (size_t f = 0; f < SL_COST_FIGURES; f++)
        fprintf(out, ",%s,change_%s", sl_cost_figure_list[f].name, sl_cost_figure_list[f].name);
    fputs(",joined_chain,joined_share,left_chain,left_share,waiter,waiter_change_us,max_waiter,"
          "breaks\n",
          out);
}

static void put_changed(FILE *out, const struct sl_changed_node *node)
{
    sl_put_text(out, node->name);
    sl_put_number(out, node->name ? node->change : (double)NAN);
}

static void put_figures(FILE *out, const struct sl_choice_cost *cost)
{
    bool known = cost->state == SL_CHOICE_RUN;
    const struct sl_difference *differences[] = {&cost->mean, &cost->median, &cost->tail};
    for (int k = 0; k < 3; k++)
        sl_put_estimate(out, known || cost->state == SL_CHOICE_DEADLOCK ? differences[k]->estimate
                                                                        : SL_NO_ESTIMATE);
    for (size_t f = 0; f < SL_COST_FIGURES; f++) {
        sl_put_number(out, known ? sl_cost_figure_get(&cost->here, f) : (double)NAN);
        sl_put_number(out, known ? sl_cost_figure_get(&cost->change, f) : (double)NAN);
    }
    put_changed(out, &cost->joined);
    put_changed(out, &cost->left);
    put_changed(out, &cost->waiter);
    sl_put_text(out, cost->max_waiter);
    sl_put_text(out, cost->breaks);
}

static const char *domain_name(const struct sl_choice_costs *costs, uint32_t domain)
{
    return domain == SL_NONE ? NULL : costs->scenario->platform.domain_names.names[domain];
}

static void put_row(FILE *out, const char *policy, const struct sl_choice_costs *costs,
                    const struct sl_gap_costs *row, const struct sl_choice_cost *cost)
{
    const struct sl_graph *graph = costs->scenario->graph;
    const struct sl_decided_gap *gap = &row->gap;
    bool ran = cost->state == SL_CHOICE_RUN || cost->state == SL_CHOICE_DEADLOCK;
    fprintf(out, "%u", costs->trials);
    sl_put_text(out, policy);
    sl_put_text(out, graph->objects[gap->object].name);
    sl_put_integer(out, gap->number);
    sl_put_integer(out, gap->gaps);
    sl_put_text(out, graph->nodes[gap->before].name);
    sl_put_text(out, graph->nodes[gap->after].name);
    sl_put_integer(out, row->bytes);
    sl_put_number(out, gap->length_ps / 1e6);
    sl_put_text(out, domain_name(costs, row->home));
    sl_put_text(out, cost->action);
    sl_put_text(out, domain_name(costs, cost->refuge));
    sl_put_text(out, cost->timing);
    sl_put_text(out, cost->decided ? "yes" : "no");
    sl_put_text(out, sl_choice_state_name(cost->state));
    sl_put_text(out, cost->reason);
    sl_put_number(out, ran ? cost->deadlocked : (double)NAN);
    sl_put_text(out, ran ? cost->hypothetical ? "yes" : "no" : NULL);
    sl_put_text(out, cost->evidence);
    put_figures(out, cost);
    putc('\n', out);
}

enum sl_status sl_choice_costs_csv_write(const char *dir, const char *policy,
                                         const struct sl_choice_costs *costs, struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = sl_make_dirs(dir, err);
    if (status == SL_OK)
        status = sl_outfile_open_in(&file, dir, "costs.csv", err);
    if (status != SL_OK)
        return status;
    put_header(file.stream);
    for (uint32_t g = 0; g < costs->gap_count; g++)
        for (uint32_t c = 0; c < costs->gaps[g].choice_count; c++)
            put_row(file.stream, policy, costs, &costs->gaps[g], &costs->gaps[g].choices[c]);
    return sl_outfile_commit(&file, err);
}
