/* Guards (whether a node runs) and factors (shared slowdowns of many nodes). */
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

static bool bad_regime(struct sl_loader *loader, const struct sl_yaml *node, const char *why)
{
    sl_diags_add(loader->reader.diags, SL_ERROR, "bad-distribution", node->place,
                 "'%s': %s; write regime(p=0.05, level=2, dwell=10ms)", node->text, why);
    return false;
}

/* regime(p, level, dwell), by name or position. */
static bool read_regime(struct sl_loader *loader, const struct sl_yaml *node,
                        struct sl_factor *factor)
{
    static const char *const names[] = {"p", "level", "dwell"};
    const struct sl_reader *reader = &loader->reader;
    size_t length = strlen(node->text), count = 0;
    if (node->text[length - 1] != ')')
        return bad_regime(loader, node, "unbalanced parenthesis");
    const char *inside = sl_arena_printf(reader->arena, "%.*s", (int)(length - 8), node->text + 7);
    char **parts = inside ? sl_split(reader->arena, inside, ',', &count) : NULL;
    const char *given[3] = {NULL, NULL, NULL};
    for (size_t i = 0; parts && i < count; i++) {
        char *equals = strchr(parts[i], '=');
        size_t at = i;
        if (equals) {
            size_t end = (size_t)(equals - parts[i]);
            while (end > 0 && parts[i][end - 1] == ' ')
                end--;
            for (at = 0; at < 3; at++)
                if (strlen(names[at]) == end && strncmp(names[at], parts[i], end) == 0)
                    break;
        }
        if (at >= 3)
            return bad_regime(loader, node, "unknown parameter");
        if (given[at])
            return bad_regime(loader, node, "a parameter is given twice");
        given[at] = equals ? equals + 1 + strspn(equals + 1, " ") : parts[i];
    }
    if (!given[0] || !given[1] || !given[2])
        return bad_regime(loader, node, "a parameter is missing");
    factor->is_regime = true;
    bool good = sl_value_number(reader, given[0], node->place, "p", 0.0, 1.0, &factor->p);
    good &= sl_value_number(reader, given[1], node->place, "level", 1e-6, 1e6, &factor->level);
    good &= sl_value_time(reader, given[2], node->place, "dwell", &factor->dwell_ps);
    if (good && factor->dwell_ps == 0)
        return bad_regime(loader, node, "a dwell of nothing");
    return good;
}

static void read_factor(struct sl_loader *loader, const struct sl_yaml *map,
                        struct sl_factor *factor)
{
    static const char *const keys[] = {"draw", "per", "classes", "nodes", "routes"};
    static const char *const pers[] = {"trial", "iteration", "job"};
    const struct sl_reader *reader = &loader->reader;
    sl_yaml_check_keys(map, keys, SL_COUNT(keys), "a factor", reader->diags);
    const struct sl_yaml *draw = sl_yaml_get(map, "draw");
    if (sl_field_require(reader, map, "draw", "a factor") &&
        sl_field_is(reader, draw, SL_YAML_SCALAR, "draw")) {
        if (strncmp(draw->text, "regime(", 7) == 0)
            read_regime(loader, draw, factor);
        else
            sl_value_dist(reader, draw->text, draw->place, "draw", SL_DIST_NUMBER, &factor->draw);
    }
    unsigned word;
    if (sl_field_choice(reader, map, "per", pers, 3, &word)) {
        factor->scope = word == 1 ? SL_SCOPE_ITERATION : SL_SCOPE_JOB;
        if (factor->is_regime)
            sl_diags_add(reader->diags, SL_WARNING, "unused-parameter",
                         sl_yaml_get(map, "per")->place,
                         "factor '%s': per changes nothing, a regime switches in simulated time",
                         factor->name);
    }
    sl_field_words(reader, map, "classes", &factor->classes);
    sl_field_words(reader, map, "nodes", &factor->nodes);
    sl_field_words(reader, map, "routes", &factor->routes);
}

void sl_load_factors(struct sl_loader *loader)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_graph *graph = loader->graph;
    const struct sl_yaml *section = sl_yaml_get(loader->root, "factors");
    if (!sl_field_is(reader, section, SL_YAML_MAP, "factors"))
        return;
    for (uint32_t i = 0; i < section->count; i++) {
        struct sl_factor factor = {
            .name = section->keys[i], .scope = SL_SCOPE_JOB, .place = section->key_places[i]};
        if (!sl_value_name(reader, factor.name, factor.place, "factor", ";"))
            continue;
        if (sl_field_is(reader, section->items[i], SL_YAML_MAP, factor.name))
            read_factor(loader, section->items[i], &factor);
        if (!sl_grow((void **)&graph->factors, &graph->factor_capacity, graph->factor_count + 1,
                     sizeof *graph->factors)) {
            sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", factor.place, "out of memory");
            return;
        }
        graph->factors[graph->factor_count++] = factor;
    }
}
