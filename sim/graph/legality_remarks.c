/* Remarks of a check: what the answer rests on without evidence. */
#include <config.h>

#include "legality.h"

void sl_check_evidence(struct sl_legality *l)
{
    const struct sl_graph *graph = l->graph;
    uint32_t timed = 0, without = 0;
    struct sl_place first = {0};
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        if (!node->dist || node->derived)
            continue;
        timed++;
        if (node->evidence == SL_EVIDENCE_NONE && without++ == 0)
            first = node->place;
    }
    if (without > 0) {
        sl_report(l, first, "%u of %u durations have no evidence (column evidence)", without,
                  timed);
        sl_diags_suggest(l->diags, "state where each duration comes from, such as 'measured: nsys, "
                                   "run 12' or 'assumed: datasheet'");
    }
}

void sl_check_reserves(struct sl_legality *l)
{
    const struct sl_platform *platform = &l->scenario->platform;
    for (uint32_t d = 0; d < platform->domain_names.count; d++) {
        if (platform->domains[d].capacity < 0 || platform->domains[d].reserve_given)
            continue;
        sl_report(l, platform->domains[d].place,
                  "domain '%s' states no reserve: 0 bytes are assumed", sl_domain_name(l, d));
        sl_diags_suggest(l->diags, "state what of '%s' nothing may use, such as 'reserve: 0B'",
                         sl_domain_name(l, d));
    }
}

void sl_check_tail(struct sl_legality *l)
{
    if (l->scenario->objective.tail_given)
        return;
    sl_report(l, l->scenario->place, "the objective states no tail: the quantile 0.99 is assumed");
    sl_diags_suggest(l->diags,
                     "state the quantile that decides, such as 'objective: {tail: 0.99}'");
}
