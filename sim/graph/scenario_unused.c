/* Things of a scenario that change nothing, by name.  What a device declares may serve others. */
#include <config.h>

#include "scenario_parts.h"
#include <string.h>

/* Which names something uses, by index. */
struct used {
    bool *resources, *domains, *objects, *guards;
};

static void use(bool *flags, uint32_t index)
{
    if (index != SL_NONE)
        flags[index] = true;
}

static void use_amounts(const struct sl_graph *graph, struct sl_span span, struct used *used)
{
    for (uint32_t k = 0; k < span.count; k++)
        use(used->domains, graph->amounts[span.first + k].domain);
}

static void use_objects(const struct sl_graph *graph, struct sl_span span, struct used *used)
{
    for (uint32_t k = 0; k < span.count; k++)
        use(used->objects, graph->objects_pool[span.first + k].i);
}

static void use_node(const struct sl_graph *graph, const struct sl_node *node, struct used *used)
{
    for (uint32_t k = 0; k < node->demands.count; k++)
        use(used->resources, graph->demands[node->demands.first + k].resource);
    use_amounts(graph, node->workspace, used);
    use_amounts(graph, node->staging, used);
    use_objects(graph, node->inputs, used);
    use_objects(graph, node->outputs, used);
    use(used->objects, node->object.i);
    use(used->domains, node->from);
    use(used->domains, node->to);
    for (uint32_t k = 0; k < node->guards.count; k++)
        use(used->guards, graph->guard_terms[node->guards.first + k].guard);
}

static void use_platform(const struct sl_platform *platform, struct used *used)
{
    for (uint32_t i = 0; i < platform->route_count; i++) {
        use(used->resources, platform->routes[i].resource);
        use(used->domains, platform->routes[i].from);
        use(used->domains, platform->routes[i].to);
        use(used->domains, platform->routes[i].staging.domain);
    }
    for (uint32_t i = 0; i < platform->cost_count; i++) {
        use(used->resources, platform->costs[i].resource);
        use(used->domains, platform->costs[i].domain);
    }
}

static void use_all_objects(const struct sl_graph *graph, struct used *used)
{
    for (uint32_t i = 0; i < graph->edge_count; i++)
        use(used->objects, graph->edges[i].object.i);
    for (uint32_t i = 0; i < graph->object_count; i++) {
        const struct sl_object *object = &graph->objects[i];
        if (used->objects[i])
            use(used->objects, object->alias_of.i);
        if (object->initial != SL_NONE) /* it takes room from the start */
            used->objects[i] = true;
        use(used->domains, object->home);
        use(used->domains, object->initial);
        for (uint32_t k = 0; k < object->placements.count; k++)
            use(used->domains, graph->domains_pool[object->placements.first + k]);
    }
}

static void report(struct sl_loader *loader, const char *what, const char *name,
                   struct sl_place place)
{
    char code[40];
    snprintf(code, sizeof code, "unused-%s", what);
    sl_diags_add(loader->reader.diags, SL_WARNING, code, place, "%s '%s' changes nothing: %s", what,
                 name, strcmp(what, "factor") == 0 ? "no node matches it" : "nothing mentions it");
}

/* A resource or domain of the scenario's own file, not one that comes with its device. */
static bool is_own(struct sl_loader *loader, struct sl_place place)
{
    return place.file && loader->root->place.file &&
           strcmp(place.file, loader->root->place.file) == 0;
}

/* A domain or resource that --set has made and nothing uses: most likely another one was meant. */
static void report_made(struct sl_loader *loader, const char *what, const struct sl_names *names,
                        uint32_t index, struct sl_place place)
{
    char hint[300] = "", code[40];
    const char **others =
        sl_arena_array(loader->reader.arena, (size_t)names->count + 1, sizeof *others);
    uint32_t count = 0;
    for (uint32_t i = 0; others && i < names->count; i++)
        if (i != index)
            others[count++] = names->names[i];
    sl_suggest(hint, sizeof hint, names->names[index], others, count);
    snprintf(code, sizeof code, "unused-%s", what);
    sl_diags_add(loader->reader.diags, SL_WARNING, code, place,
                 "%s '%s' is new and changes nothing: nothing mentions it%s", what,
                 names->names[index], hint);
}

static bool is_set(struct sl_place place)
{
    return place.file && strcmp(place.file, SL_OVERRIDE_FILE) == 0;
}

static void warn_names(struct sl_loader *loader, const struct used *used)
{
    const struct sl_platform *platform = &loader->scenario->platform;
    const struct sl_graph *graph = loader->graph;
    for (uint32_t i = 0; i < platform->resource_names.count; i++)
        if (!used->resources[i] && is_own(loader, platform->resources[i].place))
            report(loader, "resource", platform->resource_names.names[i],
                   platform->resources[i].place);
        else if (!used->resources[i] && is_set(platform->resources[i].place))
            report_made(loader, "resource", &platform->resource_names, i,
                        platform->resources[i].place);
    for (uint32_t i = 0; i < platform->domain_names.count; i++)
        if (!used->domains[i] && is_own(loader, platform->domains[i].place))
            report(loader, "domain", platform->domain_names.names[i], platform->domains[i].place);
        else if (!used->domains[i] && is_set(platform->domains[i].place))
            report_made(loader, "domain", &platform->domain_names, i, platform->domains[i].place);
    for (uint32_t i = 0; i < graph->object_count; i++)
        if (!used->objects[i])
            report(loader, "object", graph->objects[i].name, graph->objects[i].place);
    for (uint32_t i = 0; i < graph->guard_count; i++)
        if (!used->guards[i])
            report(loader, "guard", graph->guards[i].name, graph->guards[i].place);
}

/* Moves that a policy adds take routes, and the routes' classes. */
static bool may_meet_moves(struct sl_loader *loader, const struct sl_factor *factor)
{
    const struct sl_platform *platform = &loader->scenario->platform;
    bool meets = false;
    for (uint32_t i = 0; i < platform->route_count && !meets; i++) {
        const struct sl_route *route = &platform->routes[i];
        char name[2 * SL_NAME_MAX + 3];
        snprintf(name, sizeof name, "%s->%s", platform->domain_names.names[route->from],
                 platform->domain_names.names[route->to]);
        meets = (factor->routes && sl_glob_any(factor->routes, name)) ||
                (factor->classes && route->klass != SL_NONE &&
                 sl_glob_any(factor->classes, platform->kappa.classes.names[route->klass]));
    }
    return meets;
}

/* True when some other factor takes the same random number. */
static bool has_company(const struct sl_graph *graph, uint32_t index)
{
    const char *number = graph->factors[index].with;
    for (uint32_t f = 0; f < graph->factor_count; f++) {
        const struct sl_factor *other = &graph->factors[f];
        if (f != index && strcmp(other->with ? other->with : other->name, number) == 0)
            return true;
    }
    return false;
}

static void warn_with(struct sl_loader *loader, uint32_t index)
{
    const struct sl_graph *graph = loader->graph;
    const struct sl_factor *factor = &graph->factors[index];
    char hint[300] = "";
    if (!factor->with || has_company(graph, index))
        return;
    const char **others =
        sl_arena_array(loader->reader.arena, (size_t)graph->factor_count + 1, sizeof *others);
    uint32_t count = 0;
    for (uint32_t f = 0; others && f < graph->factor_count; f++)
        if (f != index)
            others[count++] = graph->factors[f].name;
    sl_suggest(hint, sizeof hint, factor->with, others, count);
    sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", factor->place,
                 "factor '%s': with: %s changes nothing, no other factor is called so or goes with "
                 "it%s",
                 factor->name, factor->with, hint);
}

/* A device's factors are of all of its classes, and a scenario has some of them. */
static void warn_factors(struct sl_loader *loader)
{
    const struct sl_graph *graph = loader->graph;
    for (uint32_t f = 0; f < graph->factor_count; f++) {
        if (!is_own(loader, graph->factors[f].place) && !is_set(graph->factors[f].place))
            continue;
        warn_with(loader, f);
        bool applies = may_meet_moves(loader, &graph->factors[f]);
        for (uint32_t i = 0; i < graph->node_count && !applies; i++)
            applies = sl_factor_applies(graph, &graph->factors[f], (sl_node_id){i});
        if (!applies)
            report(loader, "factor", graph->factors[f].name, graph->factors[f].place);
    }
}

/* Whether a policy replaces the orders of all resources. */
static bool some_policy_dispatches(const struct sl_loader *loader)
{
    for (uint32_t p = 0; p < loader->scenario->policy_count; p++)
        for (uint32_t r = 0; r < loader->scenario->policies[p].rule_count; r++)
            for (uint32_t s = 0; s < loader->scenario->policies[p].rules[r].count; s++)
                if (strncmp(loader->scenario->policies[p].rules[r].settings[s].key, "dispatch",
                            8) == 0)
                    return true;
    return false;
}

/* Aging raises priorities, so it takes a list ordered by priority (or a policy's dispatch). */
static void warn_aging(struct sl_loader *loader)
{
    const struct sl_platform *platform = &loader->scenario->platform;
    if (some_policy_dispatches(loader))
        return;
    for (uint32_t i = 0; i < platform->resource_names.count; i++)
        if (platform->resources[i].aging_ps > 0 &&
            platform->resources[i].order != SL_ORDER_PRIORITY)
            sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter",
                         platform->resources[i].place,
                         "resource '%s': aging changes nothing without order: priority",
                         platform->resource_names.names[i]);
}

/* There is nobody to share a server with where nothing but one plan runs. */
static void warn_batches(struct sl_loader *loader)
{
    const struct sl_platform *platform = &loader->scenario->platform;
    if (sl_scenario_has_jobs(loader->scenario))
        return;
    for (uint32_t i = 0; i < platform->resource_names.count; i++)
        if (platform->resources[i].batch.most && is_own(loader, platform->resources[i].place))
            sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter",
                         platform->resources[i].place,
                         "resource '%s': batch changes nothing in mode %s, which has no jobs",
                         platform->resource_names.names[i], sl_mode_words[loader->scenario->mode]);
}

/* Calibration draws that have nothing to vary are not run. */
static void warn_uncertainty(struct sl_loader *loader)
{
    if (loader->scenario->outer == 0 || !loader->platform_known ||
        sl_platform_has_intervals(&loader->scenario->platform))
        return;
    const struct sl_yaml *run = sl_yaml_get(loader->root, "run");
    sl_diags_add(
        loader->reader.diags, SL_WARNING, "nothing-to-sample",
        sl_yaml_get(run, "uncertainty")->place,
        "run.uncertainty has nothing to sample, and no calibration draw is run: no duration "
        "and no kappa has an interval");
    loader->scenario->outer = 0;
    sl_diags_suggest(loader->reader.diags,
                     "give rows of kappa.csv ci_lo and ci_hi, or rows of durations.csv ci_lo_ns "
                     "and ci_hi_ns");
}

static bool has_deadline(const struct sl_graph *graph)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].deadline_ps != INT64_MAX)
            return true;
    return false;
}

static bool has_staging(const struct sl_graph *graph, uint32_t domain)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        for (uint32_t k = 0; k < graph->nodes[i].staging.count; k++)
            if (graph->amounts[graph->nodes[i].staging.first + k].domain == domain)
                return true;
    for (uint32_t r = 0; r < graph->platform->route_count; r++)
        if (graph->platform->routes[r].staging.domain == domain)
            return true;
    return false;
}

/* A measure that is 0 in every trial of every policy orders nothing. */
static void warn_order(struct sl_loader *loader)
{
    const struct sl_scenario *scenario = loader->scenario;
    const struct sl_yaml *objective = sl_yaml_get(loader->root, "objective");
    const struct sl_yaml *list = objective ? sl_yaml_get(objective, "order") : NULL;
    for (uint32_t i = 0; list && i < scenario->objective.order_count; i++) {
        const struct sl_order_item *item = &scenario->objective.order[i];
        if (item->measure == SL_MEASURE_DEADLINE_MISS && !has_deadline(loader->graph))
            sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", list->place,
                         "order: 'deadline_miss' changes nothing: no node has a deadline");
        if (item->measure == SL_MEASURE_STAGING && !has_staging(loader->graph, item->domain))
            sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", list->place,
                         "order: '%s' changes nothing: no node has staging there", item->name);
    }
}

void sl_warn_unused(struct sl_loader *loader)
{
    const struct sl_platform *platform = &loader->scenario->platform;
    const struct sl_graph *graph = loader->graph;
    struct sl_arena *arena = loader->reader.arena;
    struct used used = {
        sl_arena_array(arena, platform->resource_names.count + 1u, sizeof(bool)),
        sl_arena_array(arena, platform->domain_names.count + 1u, sizeof(bool)),
        sl_arena_array(arena, graph->object_count + 1u, sizeof(bool)),
        sl_arena_array(arena, graph->guard_count + 1u, sizeof(bool)),
    };
    if (!used.resources || !used.domains || !used.objects || !used.guards)
        return;
    for (uint32_t i = 0; i < graph->node_count; i++)
        use_node(graph, &graph->nodes[i], &used);
    use_platform(platform, &used);
    use_all_objects(graph, &used);
    warn_names(loader, &used);
    warn_factors(loader);
    sl_judge_guards(loader);
    warn_aging(loader);
    warn_batches(loader);
    warn_uncertainty(loader);
    warn_order(loader);
}
