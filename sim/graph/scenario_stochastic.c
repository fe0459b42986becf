/* Factors: one draw for many nodes. */
#include <config.h>

#include "scenario_parts.h"
#include <string.h>

/* Those of the device, then the scenario's own. */
void sl_load_factors(struct sl_loader *loader)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_graph *graph = loader->graph;
    struct sl_factors *factors = &loader->scenario->platform.factors;
    sl_factors_read(factors, reader, sl_yaml_get(loader->root, "factors"), false);
    sl_factors_check(factors, reader->diags);
    if (factors->count == 0)
        return;
    if (!sl_grow((void **)&graph->factors, &graph->factor_capacity, factors->count,
                 sizeof *graph->factors)) {
        sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", factors->items[0].place,
                     "out of memory");
        return;
    }
    memcpy(graph->factors, factors->items, factors->count * sizeof *factors->items);
    graph->factor_count = factors->count;
}
