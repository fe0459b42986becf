/* tail_chain.csv: what is on the chain in the worst trials and not in the middle ones. */
#include "figures.h"
#include "result_parts.h"
#include "units.h"

static void header(FILE *out, const struct sl_scenario *scenario)
{
    (void)scenario;
    fputs("cell,what,node,kind,cause,tail_trials,middle_trials,tail_on_chain,middle_on_chain,"
          "share_difference,share_difference_lo,share_difference_hi,tail_us,middle_us,"
          "difference_us\n",
          out);
}

static void put_contrast(FILE *out, const struct sl_tail_chain *tail,
                         const struct sl_chain_contrast *contrast)
{
    sl_put_integer(out, tail->tail_trials);
    sl_put_integer(out, tail->middle_trials);
    sl_put_integer(out, contrast->tail.trials);
    sl_put_integer(out, contrast->middle.trials);
    sl_put_estimate(out, contrast->difference);
    double tail_us = sl_tail_chain_us(&contrast->tail, tail->tail_trials);
    double middle_us = sl_tail_chain_us(&contrast->middle, tail->middle_trials);
    sl_put_number(out, tail_us);
    sl_put_number(out, middle_us);
    sl_put_number(out, tail_us - middle_us);
    putc('\n', out);
}

static void rows(FILE *out, const struct sl_cell *cell)
{
    const struct sl_tail_chain *tail = &cell->tail_chain;
    const struct sl_graph *graph = cell->plan.graph;
    for (unsigned k = 0; tail->parts && k < SL_CHAIN_PARTS; k++) {
        if (tail->parts[k].tail.trials + tail->parts[k].middle.trials == 0)
            continue;
        fprintf(out, "%u,part,", cell->spec.index);
        sl_put_text(out, sl_chain_row_name(k / SL_CAUSES));
        sl_put_text(out, sl_cause_name((enum sl_cause)(k % SL_CAUSES)));
        put_contrast(out, tail, &tail->parts[k]);
    }
    for (uint32_t i = 0; tail->nodes && i < graph->node_count; i++) {
        if (tail->nodes[i].tail.trials + tail->nodes[i].middle.trials == 0)
            continue;
        fprintf(out, "%u,node", cell->spec.index);
        sl_put_text(out, graph->nodes[i].name);
        sl_put_text(out, sl_node_kind_name(graph->nodes[i].kind));
        putc(',', out);
        put_contrast(out, tail, &tail->nodes[i]);
    }
}

const struct sl_part sl_part_tail_chain = {"tail_chain.csv", header, rows, SL_PART_OF_PLANS};
