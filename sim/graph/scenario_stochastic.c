/* Guards (whether a node runs) and factors (one draw for many nodes). */
#include <config.h>

#include "scenario_parts.h"
#include <string.h>

static const char *const scope_words[] = {"node", "layer", "iteration", "job"};

void sl_load_guards(struct sl_loader *loader)
{
    static const char *const keys[] = {"probability", "scope"};
    const struct sl_reader *reader = &loader->reader;
    struct sl_graph *graph = loader->graph;
    const struct sl_yaml *section = sl_yaml_get(loader->root, "guards");
    if (!sl_field_is(reader, section, SL_YAML_MAP, "guards"))
        return;
    for (uint32_t i = 0; i < section->count; i++) {
        const struct sl_yaml *map = section->items[i];
        struct sl_guard guard = {.name = section->keys[i], .scope = SL_SCOPE_JOB};
        if (!sl_value_name(reader, guard.name, section->key_places[i], "guard", ";:!"))
            continue;
        if (sl_field_is(reader, map, SL_YAML_MAP, guard.name)) {
            unsigned word;
            sl_yaml_check_keys(map, keys, SL_COUNT(keys), "a guard", reader->diags);
            sl_field_require(reader, map, "probability", "a guard");
            sl_field_number(reader, map, "probability", 0.0, 1.0, &guard.probability);
            if (sl_field_choice(reader, map, "scope", scope_words, 4, &word))
                guard.scope = (enum sl_scope)word;
        }
        if (sl_names_add(&loader->guard_names, guard.name) == SL_NONE ||
            !sl_grow((void **)&graph->guards, &graph->guard_capacity, graph->guard_count + 1,
                     sizeof *graph->guards)) {
            sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", map->place, "out of memory");
            return;
        }
        graph->guards[graph->guard_count++] = guard;
    }
}

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
