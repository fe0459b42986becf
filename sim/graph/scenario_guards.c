/* Guards: whether a node runs. */
#include <config.h>

#include "guards.h"
#include "scenario_parts.h"
#include "text.h"
#include <string.h>

static const char *const scope_words[] = {"node", "layer", "iteration", "job"};

/* correlate: {factor: NAME, rho: R} */
static void read_correlate(struct sl_loader *loader, const struct sl_yaml *map,
                           struct sl_guard *guard)
{
    static const char *const keys[] = {"factor", "rho"};
    const struct sl_reader *reader = &loader->reader;
    if (!map || !sl_field_is(reader, map, SL_YAML_MAP, "correlate"))
        return;
    sl_yaml_check_keys(map, keys, SL_COUNT(keys), "correlate", reader->diags);
    const struct sl_yaml *factor = sl_yaml_get(map, "factor");
    if (sl_field_require(reader, map, "factor", "correlate") &&
        sl_field_text(reader, map, "factor", &guard->factor)) {
        guard->factor_place = factor->place;
        sl_value_name(reader, guard->factor, factor->place, "factor", ";");
    }
    if (sl_field_require(reader, map, "rho", "correlate"))
        sl_field_number(reader, map, "rho", 0.0, 1.0, &guard->rho);
}

static void read_guard(struct sl_loader *loader, const struct sl_yaml *map, struct sl_guard *guard)
{
    static const char *const keys[] = {"probability", "scope", "persistence", "correlate"};
    const struct sl_reader *reader = &loader->reader;
    unsigned word;
    sl_yaml_check_keys(map, keys, SL_COUNT(keys), "a guard", reader->diags);
    sl_field_require(reader, map, "probability", "a guard");
    sl_field_number(reader, map, "probability", 0.0, 1.0, &guard->probability);
    if (sl_field_choice(reader, map, "scope", scope_words, 4, &word))
        guard->scope = (enum sl_scope)word;
    sl_field_number(reader, map, "persistence", 0.0, 1.0, &guard->persistence);
    read_correlate(loader, sl_yaml_get(map, "correlate"), guard);
}

void sl_load_guards(struct sl_loader *loader)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_graph *graph = loader->graph;
    const struct sl_yaml *section = sl_yaml_get(loader->root, "guards");
    if (!sl_field_is(reader, section, SL_YAML_MAP, "guards"))
        return;
    for (uint32_t i = 0; i < section->count; i++) {
        const struct sl_yaml *map = section->items[i];
        struct sl_guard guard = {
            .name = section->keys[i], .scope = SL_SCOPE_JOB, .place = section->key_places[i]};
        if (!sl_value_name(reader, guard.name, guard.place, "guard", ";:!&"))
            continue;
        if (sl_field_is(reader, map, SL_YAML_MAP, guard.name))
            read_guard(loader, map, &guard);
        /* The name last: it is the index of a guard that is there. */
        if (!sl_grow((void **)&graph->guards, &graph->guard_capacity, graph->guard_count + 1,
                     sizeof *graph->guards) ||
            sl_names_add(&loader->guard_names, guard.name) == SL_NONE) {
            sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", map->place, "out of memory");
            return;
        }
        graph->guards[graph->guard_count++] = guard;
    }
}

static void load_term(struct sl_loader *loader, struct sl_cell_text term, struct sl_node *node)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_graph *graph = loader->graph;
    struct sl_guard_term read = {.negated = term.text[0] == '!'};
    const char *name = term.text + read.negated;
    name += strspn(name, " ");
    if (!sl_value_ref(reader, name, term.place, "guard", &loader->guard_names, &read.guard))
        return;
    if (graph->guards[read.guard].scope == SL_SCOPE_LAYER && node->layer == SL_NONE)
        sl_diags_add(reader->diags, SL_ERROR, "missing-layer", term.place,
                     "guard '%s' is drawn once per layer: node '%s' needs a layer (column layer)",
                     name, node->name);
    for (uint32_t k = 0; k < node->guards.count; k++) {
        const struct sl_guard_term *other = &graph->guard_terms[node->guards.first + k];
        if (other->guard != read.guard)
            continue;
        sl_diags_add(reader->diags, SL_ERROR, "bad-guard", term.place,
                     other->negated == read.negated
                         ? "node '%s' has guard '%s' twice: once is enough"
                         : "node '%s' has guard '%s' and its negation: it would never run",
                     node->name, name);
        return;
    }
    struct sl_error err = {0};
    if (node->guards.count == SL_MAX_TERMS)
        sl_diags_add(reader->diags, SL_ERROR, "too-many", term.place,
                     "node '%s' has more than %d guards", node->name, SL_MAX_TERMS);
    else if (sl_graph_push_guard(graph, &node->guards, read, &err))
        sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", term.place, "out of memory");
}

void sl_load_terms(struct sl_loader *loader, struct sl_cell_text cell, struct sl_node *node)
{
    size_t count = 0;
    char **terms = sl_split(loader->reader.arena, cell.text, '&', &count);
    for (size_t i = 0; terms && i < count; i++)
        if (terms[i][0])
            load_term(loader, (struct sl_cell_text){terms[i], cell.place}, node);
        else
            sl_diags_add(loader->reader.diags, SL_ERROR, "bad-guard", cell.place,
                         "'%s' has nothing on one side of '&'; write a & !b", cell.text);
}

/* The factor of guard `g` is declared, or another guard knows it. */
static bool has_company(const struct sl_graph *graph, uint32_t g)
{
    const char *name = graph->guards[g].factor;
    bool found = sl_guard_factor(graph, &graph->guards[g]);
    for (uint32_t k = 0; k < graph->guard_count && !found; k++)
        found = k != g && graph->guards[k].factor && strcmp(graph->guards[k].factor, name) == 0;
    return found || graph->guards[g].scope == SL_SCOPE_NODE ||
           graph->guards[g].scope == SL_SCOPE_LAYER; /* its own draws have each other */
}

static void judge_correlate(struct sl_loader *loader, uint32_t g)
{
    const struct sl_guard *guard = &loader->graph->guards[g];
    const struct sl_factor *factor = sl_guard_factor(loader->graph, guard);
    struct sl_diags *diags = loader->reader.diags;
    if (factor && factor->is_regime) {
        sl_diags_add(diags, SL_ERROR, "bad-guard", guard->factor_place,
                     "guard '%s': factor '%s' is a regime, which has no one draw to share",
                     guard->name, factor->name);
        sl_diags_suggest(diags, "name another factor, which need not be declared");
    } else if (factor && factor->scope == SL_SCOPE_JOB && guard->persistence > 0 &&
               guard->scope != SL_SCOPE_JOB) {
        sl_diags_add(diags, SL_ERROR, "bad-guard", guard->factor_place,
                     "guard '%s' has a persistence and shares factor '%s', which is drawn once per "
                     "trial: it would hold with another probability than stated",
                     guard->name, factor->name);
        sl_diags_suggest(diags, "draw the factor per: iteration, or name one that is not declared");
    } else if (!has_company(loader->graph, g)) {
        sl_diags_add(
            diags, SL_WARNING, "unused-parameter", guard->factor_place,
            "guard '%s': nothing else names factor '%s', so that correlate changes nothing",
            guard->name, guard->factor);
    }
}

void sl_judge_guards(struct sl_loader *loader)
{
    for (uint32_t g = 0; g < loader->graph->guard_count; g++) {
        const struct sl_guard *guard = &loader->graph->guards[g];
        bool job = guard->scope == SL_SCOPE_JOB;
        if (guard->persistence > 0 && (job || loader->scenario->iterations <= 1))
            sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", guard->place,
                         "guard '%s': persistence changes nothing %s", guard->name,
                         job ? "with scope job, which is drawn once for all iterations"
                             : "without iterations (run: {mode: iterate})");
        if (guard->factor)
            judge_correlate(loader, g);
    }
}
