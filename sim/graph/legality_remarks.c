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
    if (without > 0)
        sl_diags_add(l->diags, SL_WARNING, "no-evidence", first,
                     "%u of %u durations have no evidence (column evidence)", without, timed);
}

void sl_check_assumptions(struct sl_legality *l)
{
    const struct sl_platform *platform = &l->scenario->platform;
    for (uint32_t d = 0; d < platform->domain_names.count; d++)
        if (platform->domains[d].capacity >= 0 && !platform->domains[d].reserve_given)
            sl_diags_add(l->diags, SL_WARNING, "assumed-reserve", platform->domains[d].place,
                         "domain '%s' states no reserve: 0 bytes are assumed",
                         platform->domain_names.names[d]);
    if (!l->scenario->objective.tail_given)
        sl_diags_add(l->diags, SL_WARNING, "assumed-tail", l->scenario->place,
                     "the objective states no tail: the quantile 0.99 is assumed");
}
