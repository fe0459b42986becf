/* What is measured of jobs: marks, times per unit of a parameter, and the limits on them. */
#include <config.h>

#include "scenario_parts.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MOST_METRICS 64 /* each has columns of its own */

static const char *const own_metrics[] = {"latency", "throughput", "makespan"};

/* Fills `names` with what can have a limit: the latency, marks and times per unit. */
static size_t metric_names(const struct sl_job_mode *jobs, const char *names[2 * MOST_METRICS + 1])
{
    size_t count = 0;
    names[count++] = own_metrics[0];
    for (uint32_t i = 0; i < jobs->mark_count; i++)
        names[count++] = jobs->marks[i].name;
    for (uint32_t i = 0; i < jobs->per_count; i++)
        names[count++] = jobs->pers[i].name;
    return count;
}

/* A new metric's name becomes part of columns' names. */
static bool name_fits(struct sl_loader *loader, const char *name, struct sl_place place)
{
    struct sl_diags *diags = loader->reader.diags;
    const char *names[2 * MOST_METRICS + 1];
    size_t count = metric_names(&loader->scenario->jobs, names);
    bool word = isalpha((unsigned char)name[0]) && strlen(name) <= SL_NAME_MAX, taken = false;
    for (const char *c = name; *c; c++)
        word &= isalnum((unsigned char)*c) || *c == '_';
    for (size_t i = 0; i < count; i++)
        taken |= strcmp(names[i], name) == 0;
    for (size_t i = 0; i < SL_COUNT(own_metrics); i++)
        taken |= strcmp(own_metrics[i], name) == 0;
    if (!word)
        sl_diags_add(diags, SL_ERROR, "bad-name", place,
                     "metric '%s': a name that columns can have is a letter, and letters, digits "
                     "and '_' (up to %d)",
                     name, SL_NAME_MAX);
    else if (taken)
        sl_diags_add(diags, SL_ERROR, "duplicate-metric", place,
                     "metric '%s': there is one of this name already", name);
    return word && !taken;
}

static bool node_at(struct sl_loader *loader, const struct sl_yaml *text, const char *what,
                    uint32_t *node)
{
    sl_node_id id;
    if (!sl_field_is(&loader->reader, text, SL_YAML_SCALAR, what) ||
        !sl_cell_node(loader, (struct sl_cell_text){text->text, text->place}, &id))
        return false;
    *node = id.i;
    return true;
}

/* The map of a key, with no more entries than there may be metrics. */
static const struct sl_yaml *section(struct sl_loader *loader, const struct sl_yaml *run,
                                     const char *key)
{
    const struct sl_yaml *map = sl_yaml_get(run, key);
    if (!sl_field_is(&loader->reader, map, SL_YAML_MAP, key))
        return NULL;
    if (map->count <= MOST_METRICS)
        return map;
    sl_diags_add(loader->reader.diags, SL_ERROR, "too-many", map->place,
                 "run.%s has %u entries (allowed: %d)", key, map->count, MOST_METRICS);
    return NULL;
}

static void load_marks(struct sl_loader *loader, const struct sl_yaml *run)
{
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    const struct sl_yaml *map = section(loader, run, "marks");
    if (!map)
        return;
    jobs->marks = sl_arena_array(loader->reader.arena, map->count + 1u, sizeof *jobs->marks);
    for (uint32_t i = 0; jobs->marks && i < map->count; i++) {
        struct sl_job_mark mark = {map->keys[i], SL_NONE};
        if (name_fits(loader, mark.name, map->key_places[i]) &&
            node_at(loader, map->items[i], mark.name, &mark.node))
            jobs->marks[jobs->mark_count++] = mark;
    }
}

/* {from: NODE, to: NODE, per: PARAMETER} */
static bool read_per(struct sl_loader *loader, const struct sl_yaml *map, struct sl_job_per *per)
{
    static const char *const keys[] = {"from", "to", "per"};
    const struct sl_reader *reader = &loader->reader;
    if (!sl_field_is(reader, map, SL_YAML_MAP, per->name))
        return false;
    sl_yaml_check_keys(map, keys, SL_COUNT(keys), "a time per unit", reader->diags);
    bool whole = true;
    for (size_t k = 0; k < SL_COUNT(keys); k++)
        whole &= sl_field_require(reader, map, keys[k], per->name);
    return whole && node_at(loader, sl_yaml_get(map, "from"), "from", &per->from) &&
           node_at(loader, sl_yaml_get(map, "to"), "to", &per->to) &&
           (!loader->parameters_known ||
            sl_field_ref(reader, map, "per", "job parameter", &loader->scenario->jobs.parameters,
                         &per->parameter));
}

static void load_pers(struct sl_loader *loader, const struct sl_yaml *run)
{
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    const struct sl_yaml *map = section(loader, run, "per_token");
    if (!map)
        return;
    jobs->pers = sl_arena_array(loader->reader.arena, map->count + 1u, sizeof *jobs->pers);
    for (uint32_t i = 0; jobs->pers && i < map->count; i++) {
        struct sl_job_per per = {map->keys[i], SL_NONE, SL_NONE, SL_NONE, map->items[i]->place};
        if (name_fits(loader, per.name, map->key_places[i]) &&
            read_per(loader, map->items[i], &per))
            jobs->pers[jobs->per_count++] = per;
    }
}

static void load_slos(struct sl_loader *loader, const struct sl_yaml *run)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    const char *names[2 * MOST_METRICS + 1];
    size_t count = metric_names(jobs, names);
    const struct sl_yaml *map = sl_yaml_get(run, "slo");
    if (!sl_field_is(reader, map, SL_YAML_MAP, "run.slo"))
        return;
    jobs->slos = sl_arena_array(reader->arena, map->count + 1u, sizeof *jobs->slos);
    for (uint32_t i = 0; jobs->slos && i < map->count; i++) {
        struct sl_job_slo slo = {map->keys[i], 0};
        unsigned word;
        if (sl_value_choice(reader, slo.metric, map->key_places[i], "slo", names, count,
                            "unknown-metric", &word) &&
            sl_field_time(reader, map, slo.metric, &slo.limit_ps))
            jobs->slos[jobs->slo_count++] = slo;
    }
}

void sl_load_job_marks(struct sl_loader *loader, const struct sl_yaml *run)
{
    load_marks(loader, run);
    load_pers(loader, run);
    load_slos(loader, run);
}

/* Whether edges lead from one node to the other within a job.  `reached`: false of every node. */
static bool leads_to(const struct sl_graph *graph, uint32_t from, uint32_t to, bool *reached)
{
    reached[from] = true;
    for (uint32_t k = 0; k < graph->node_count; k++) {
        uint32_t node = graph->topo[k];
        for (uint32_t at = graph->pred_start[node]; at < graph->pred_start[node + 1]; at++) {
            const struct sl_edge *edge = &graph->edges[graph->pred_edges[at]];
            reached[node] |= edge->next == 0 && reached[edge->from.i];
        }
    }
    return reached[to];
}

enum sl_status sl_check_job_marks(struct sl_loader *loader)
{
    const struct sl_graph *graph = loader->graph;
    const struct sl_job_mode *jobs = &loader->scenario->jobs;
    bool *reached = malloc(graph->node_count + 1u);
    if (!reached)
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory for times per unit");
    for (uint32_t i = 0; i < jobs->per_count; i++) {
        const struct sl_job_per *per = &jobs->pers[i];
        memset(reached, 0, graph->node_count);
        if (leads_to(graph, per->to, per->from, reached))
            sl_diags_add(loader->reader.diags, SL_ERROR, "bad-order", per->place,
                         "run.per_token.%s is the time from '%s' to '%s', which %s; name the "
                         "earlier node as `from`",
                         per->name, graph->nodes[per->from].name, graph->nodes[per->to].name,
                         per->from == per->to ? "are one node" : "ends before it");
    }
    free(reached);
    return SL_OK;
}

void sl_load_job_metric(struct sl_loader *loader, const struct sl_yaml *objective)
{
    struct sl_scenario *scenario = loader->scenario;
    const char *names[2 * MOST_METRICS + 2];
    size_t count = metric_names(&scenario->jobs, names);
    unsigned word = 0;
    const struct sl_yaml *given = sl_yaml_get(objective, "metric");
    names[count++] = "throughput";
    if (given && given->type == SL_YAML_SCALAR && strcmp(given->text, "makespan") == 0)
        sl_diags_add(
            loader->reader.diags, SL_ERROR, "bad-value", given->place,
            "metric: 'makespan' is of modes once and iterate; state latency, throughput, or "
            "the name of a mark or per_token metric");
    else
        sl_field_choice(&loader->reader, objective, "metric", names, count, &word);
    scenario->jobs.metric = names[word];
    scenario->objective.metric = word + 1 == count ? SL_METRIC_THROUGHPUT : SL_METRIC_LATENCY;
}
