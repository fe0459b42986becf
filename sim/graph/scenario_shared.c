/* Objects that jobs share by blocks: which blocks a job names where no trace does, names of what a
 * lookup counts, and what such objects cannot be, or lack. */
#include <config.h>

#include "scenario_parts.h"
#include <math.h>

/* ---- run.blocks ------------------------------------------------------------------------------ */

static void load_number(struct sl_loader *loader, const struct sl_yaml *map, const char *key,
                        struct sl_job_number *number)
{
    const struct sl_yaml *node = sl_yaml_get(map, key);
    if (node && sl_field_is(&loader->reader, node, SL_YAML_SCALAR, key))
        (void)sl_cell_expr(loader, (struct sl_cell_text){node->text, node->place}, SL_EXPR_NUMBER,
                           key, &number->expr, &number->mean);
}

void sl_load_prefix(struct sl_loader *loader, const struct sl_yaml *run)
{
    static const char *const keys[] = {"count", "common", "own", "conversation"};
    const struct sl_reader *reader = &loader->reader;
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    const struct sl_yaml *map = sl_yaml_get(run, "blocks");
    double mean;
    if (!sl_scenario_has_jobs(loader->scenario) ||
        !sl_field_is(reader, map, SL_YAML_MAP, "run.blocks") || map->count == 0)
        return;
    sl_yaml_check_keys(map, keys, SL_COUNT(keys), "run.blocks", reader->diags);
    if (sl_field_require(reader, map, "count", "run.blocks"))
        load_number(loader, map, "count", &jobs->prefix.count);
    if (sl_field_require(reader, map, "conversation", "run.blocks"))
        load_number(loader, map, "conversation", &jobs->prefix.conversation);
    load_number(loader, map, "common", &jobs->prefix.common);
    load_number(loader, map, "own", &jobs->prefix.own);
    jobs->prefix.place = map->place;
    if (jobs->arrivals && sl_arrivals_name_blocks(jobs->arrivals, &mean))
        sl_diags_add(reader->diags, SL_ERROR, "duplicate-parameter", map->place,
                     "run.blocks: the trace names the blocks of its jobs, too: leave this out");
}

/* ---- counts ---------------------------------------------------------------------------------- */

static bool is_cache(const struct sl_graph *graph, uint32_t object)
{
    return graph->objects[object].shared && graph->objects[object].alias_of.i == SL_NONE;
}

/* Blocks of a job, which plans take all to be missing; 0: nobody names any. */
static double mean_blocks(const struct sl_job_mode *jobs)
{
    double mean = 0;
    if (jobs->arrivals && sl_arrivals_name_blocks(jobs->arrivals, &mean))
        return mean;
    return jobs->prefix.place.file ? floor(jobs->prefix.count.mean) : 0;
}

static bool add_count(struct sl_loader *loader, const struct sl_object *object, const char *what,
                      double mean)
{
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    uint32_t index = jobs->values.count;
    const char *name = sl_arena_printf(loader->reader.arena, "%s.%s", object->name, what);
    uint32_t at = name ? sl_names_add(&jobs->values, name) : SL_NONE;
    if (at != SL_NONE && at != index) {
        sl_diags_add(loader->reader.diags, SL_ERROR, "bad-name", object->place,
                     "object '%s' is shared by blocks, of which '%s' is a count already: another "
                     "name is needed for the placement '%s' or the job parameter",
                     object->name, name, what);
        return false;
    }
    if (at == SL_NONE ||
        !sl_grow((void **)&jobs->means, &jobs->mean_capacity, index + 1, sizeof *jobs->means)) {
        (void)SL_FAIL(loader->err, SL_SYSTEM, "out of memory for counts of shared objects");
        return false;
    }
    jobs->means[index] = mean;
    return true;
}

void sl_load_shared_counts(struct sl_loader *loader)
{
    const struct sl_graph *graph = loader->graph;
    const struct sl_names *domains = &loader->scenario->platform.domain_names;
    double mean = mean_blocks(&loader->scenario->jobs);
    bool good = sl_scenario_has_jobs(loader->scenario);
    for (uint32_t o = 0; o < graph->object_count && good; o++) {
        const struct sl_object *object = &graph->objects[o];
        if (!is_cache(graph, o))
            continue;
        good = add_count(loader, object, "blocks", mean);
        for (uint32_t k = 0, tier; good && (tier = sl_object_tier(graph, o, k)) != SL_NONE; k++)
            good = add_count(loader, object, domains->names[tier], 0);
        good = good && add_count(loader, object, "missing", mean);
    }
}

/* ---- what they cannot be --------------------------------------------------------------------- */

static void SL_PRINTF(4, 5) refuse(struct sl_loader *loader, struct sl_place place,
                                   const struct sl_object *object, const char *format, ...)
{
    char why[400];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    sl_diags_add(loader->reader.diags, SL_ERROR, "not-supported", place,
                 "'%s' is shared by blocks: %s", object->name, why);
}

static void check_row(struct sl_loader *loader, uint32_t o)
{
    const struct sl_object *object = &loader->graph->objects[o];
    if (object->size)
        refuse(loader, object->place, object,
               "its size is that of one block, the same for all jobs; how many there are, jobs "
               "say");
    if (object->initial != SL_NONE)
        refuse(loader, object->place, object,
               "no block is there at the start: leave `initial` empty");
    if (sl_object_tier(loader->graph, o, SL_CACHE_TIERS) != SL_NONE)
        refuse(loader, object->place, object, "it has more than %d placements", SL_CACHE_TIERS);
    if (object->persist)
        sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", object->place,
                     "'%s' is shared by blocks: persist changes nothing, the policy's `cache` says "
                     "which blocks stay",
                     object->name);
    if (object->reconstruct.i != SL_NONE)
        sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", object->place,
                     "'%s' is shared by blocks: reconstruct changes nothing, whoever outputs it "
                     "makes what is missing",
                     object->name);
}

static bool lists(const struct sl_graph *graph, struct sl_span span, uint32_t root)
{
    for (uint32_t k = 0; k < span.count; k++)
        if (sl_object_root(graph, graph->objects_pool[span.first + k]).i == root)
            return true;
    return false;
}

static void check_nodes(struct sl_loader *loader, uint32_t o)
{
    const struct sl_graph *graph = loader->graph;
    const struct sl_object *object = &graph->objects[o];
    uint32_t maker = SL_NONE;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        if (node->object.i != SL_NONE && sl_object_root(graph, node->object).i == o)
            refuse(loader, node->place, object,
                   "node '%s' cannot move or hold it; blocks are fetched and spilled as the "
                   "policy's `prefetch` and `cache` say",
                   node->name);
        if (!lists(graph, node->outputs, o))
            continue;
        if (maker != SL_NONE)
            refuse(loader, node->place, object,
                   "'%s' and '%s' both output it, and one node makes "
                   "what is missing",
                   graph->nodes[maker].name, node->name);
        maker = i;
    }
    if (maker == SL_NONE)
        refuse(loader, object->place, object,
               "no node outputs it, and one has to make what is missing");
}

/* A job holds its blocks until the last node that has the object has passed, and not for others. */
static void check_edges(struct sl_loader *loader, uint32_t o)
{
    const struct sl_graph *graph = loader->graph;
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct sl_edge *edge = &graph->edges[e];
        if (edge->type == SL_EDGE_LIFETIME && edge->object.i != SL_NONE &&
            sl_object_root(graph, edge->object).i == o)
            refuse(
                loader, edge->place, &graph->objects[o],
                "an edge of type lifetime-hold cannot hold it; a job's blocks stay until its last "
                "node that has it among its inputs or outputs is done, so name it among the "
                "inputs of '%s'",
                graph->nodes[edge->to.i].name);
    }
}

static void check_blocks(struct sl_loader *loader, uint32_t o)
{
    const struct sl_job_mode *jobs = &loader->scenario->jobs;
    const struct sl_object *object = &loader->graph->objects[o];
    double mean;
    bool traced = jobs->arrivals && sl_arrivals_name_blocks(jobs->arrivals, &mean);
    if (traced || jobs->prefix.place.file)
        return;
    sl_diags_add(loader->reader.diags, SL_ERROR, "missing-blocks", object->place,
                 "'%s' is shared by blocks, and nothing says which ones a job needs", object->name);
    sl_diags_suggest(loader->reader.diags,
                     "state run.blocks, such as {count: ceil(context_tokens / 512), conversation: "
                     "user}, or arrivals: trace(file=..., format=mooncake), which names them");
}

static bool uses_counts(const struct sl_expr *expr, uint32_t first, uint32_t end)
{
    for (uint32_t v = first; expr && v < end; v++)
        if (sl_expr_uses(expr, v))
            return true;
    return false;
}

/* Counts of the o-th object are the values from `first` up to `end`. */
static void check_counts(struct sl_loader *loader, uint32_t o, uint32_t first, uint32_t end)
{
    const struct sl_graph *graph = loader->graph;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const struct sl_node *node = &graph->nodes[i];
        if (uses_counts(node->steps, first, end))
            refuse(loader, node->place, &graph->objects[o],
                   "the steps of '%s' cannot depend on its counts, only durations can", node->name);
        if (uses_counts(node->times, first, end) && !lists(graph, node->inputs, o) &&
            !lists(graph, node->outputs, o))
            refuse(loader, node->place, &graph->objects[o],
                   "the duration of '%s' depends on its counts, which only nodes know that have "
                   "it among their inputs or outputs",
                   node->name);
    }
}

static void check_cache(struct sl_loader *loader, uint32_t o, uint32_t *first)
{
    uint32_t end = *first + 2;
    for (uint32_t k = 0; sl_object_tier(loader->graph, o, k) != SL_NONE; k++)
        end++;
    check_row(loader, o);
    check_blocks(loader, o);
    if (loader->nodes_known) {
        check_nodes(loader, o);
        check_edges(loader, o);
        check_counts(loader, o, *first, end);
    }
    *first = end;
}

void sl_check_shared(struct sl_loader *loader)
{
    const struct sl_graph *graph = loader->graph;
    const struct sl_scenario *scenario = loader->scenario;
    uint32_t first = scenario->jobs.parameters.count;
    bool any = false;
    for (uint32_t o = 0; o < graph->object_count; o++) {
        if (!is_cache(graph, o))
            continue;
        any = true;
        if (sl_scenario_has_jobs(scenario))
            check_cache(loader, o, &first);
        else
            refuse(loader, graph->objects[o].place, &graph->objects[o],
                   "mode %s has no jobs that could share it: state run.mode: open or closed, or "
                   "leave the column empty",
                   sl_mode_words[scenario->mode]);
    }
    if (scenario->jobs.prefix.place.file && !any && loader->objects_known)
        sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter",
                     scenario->jobs.prefix.place,
                     "run.blocks changes nothing: no object of objects.csv has `blocks` in its "
                     "column `shared`");
}
