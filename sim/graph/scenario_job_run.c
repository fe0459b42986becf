/* How jobs run in modes open and closed: how many, admission, clients; and what these modes cannot
 * have, by name. */
#include <config.h>

#include "scenario_parts.h"
#include <string.h>

#define MOST_JOBS    1000000000
#define MOST_CLIENTS (1 << 24)

/* Of one trial, which also ends with its trace. */
static void load_count(struct sl_loader *loader, const struct sl_yaml *run)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    uint64_t traced = jobs->arrivals ? sl_arrivals_count(jobs->arrivals) : 0;
    bool faulty = loader->scenario->mode == SL_MODE_OPEN && !jobs->arrivals; /* reported already */
    int64_t count = 0;
    if (!sl_yaml_get(run, "jobs")) {
        if (traced == 0 && !faulty)
            sl_field_require(reader, run, "jobs",
                             loader->scenario->mode == SL_MODE_OPEN
                                 ? "mode open, whose arrivals have no end,"
                                 : "mode closed");
        return;
    }
    if (!sl_field_integer(reader, run, "jobs", 1, MOST_JOBS, &count))
        return;
    jobs->jobs = (uint64_t)count;
    if (traced > 0 && jobs->jobs > traced) {
        sl_diags_add(reader->diags, SL_WARNING, "unused-parameter", sl_yaml_get(run, "jobs")->place,
                     "run.jobs changes nothing: the trace has %llu jobs",
                     (unsigned long long)traced);
        jobs->jobs = 0;
    }
}

/* A number, or `auto`. */
static void load_warmup(struct sl_loader *loader, const struct sl_yaml *run)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    const struct sl_yaml *node = sl_yaml_get(run, "warmup");
    int64_t warmup;
    jobs->warmup = -1;
    if (!node || (node->type == SL_YAML_SCALAR && strcmp(node->text, "auto") == 0) ||
        !sl_field_integer(reader, run, "warmup", 0, MOST_JOBS, &warmup))
        return;
    uint64_t count = sl_job_mode_count(jobs);
    if (count > 0 && (uint64_t)warmup >= count)
        sl_diags_add(
            reader->diags, SL_ERROR, "bad-value", node->place,
            "warmup: %lld of %llu jobs leave none to measure (allowed: auto, or 0 to %llu)",
            (long long)warmup, (unsigned long long)count, (unsigned long long)count - 1);
    jobs->warmup = warmup;
}

/* What becomes of a job when a limit is reached: a key that means nothing without the limit. */
static bool load_when(struct sl_loader *loader, const struct sl_yaml *map, const char *key,
                      const char *limit)
{
    static const char *const words[] = {"queue", "reject"};
    unsigned word = 0;
    sl_field_choice(&loader->reader, map, key, words, SL_COUNT(words), &word);
    if (sl_yaml_get(map, key) && !sl_yaml_get(map, limit))
        sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter",
                     sl_yaml_get(map, key)->place,
                     "run.admission.%s changes nothing without run.admission.%s", key, limit);
    return word == 1;
}

static void load_memory(struct sl_loader *loader, const struct sl_yaml *map)
{
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    const struct sl_platform *platform = &loader->scenario->platform;
    jobs->reject_when_short = load_when(loader, map, "when_short", "memory");
    if (!sl_yaml_get(map, "memory") || !sl_field_ref(&loader->reader, map, "memory", "domain",
                                                     &platform->domain_names, &jobs->memory))
        return;
    if (platform->domains[jobs->memory].capacity < 0)
        sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter",
                     sl_yaml_get(map, "memory")->place,
                     "run.admission.memory changes nothing: domain '%s' has no capacity",
                     platform->domain_names.names[jobs->memory]);
}

/* {jobs: 64, when_full: queue, memory: hbm, when_short: queue}, with one of the limits at least */
static void load_admission(struct sl_loader *loader, const struct sl_yaml *run)
{
    static const char *const keys[] = {"jobs", "when_full", "memory", "when_short"};
    const struct sl_reader *reader = &loader->reader;
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    const struct sl_yaml *map = sl_yaml_get(run, "admission");
    int64_t most = 0;
    if (!sl_field_is(reader, map, SL_YAML_MAP, "run.admission"))
        return;
    sl_yaml_check_keys(map, keys, SL_COUNT(keys), "run.admission", reader->diags);
    if (!sl_yaml_get(map, "jobs") && !sl_yaml_get(map, "memory"))
        sl_diags_add(reader->diags, SL_ERROR, "missing-key", map->place,
                     "run.admission limits nothing: state jobs (how many), memory (a domain), or "
                     "both");
    sl_field_integer(reader, map, "jobs", 1, MOST_CLIENTS, &most);
    jobs->admitted_most = (uint32_t)most;
    jobs->reject_when_full = load_when(loader, map, "when_full", "jobs");
    load_memory(loader, map);
    if (jobs->concurrency > 0 && jobs->admitted_most >= jobs->concurrency)
        sl_diags_add(
            reader->diags, SL_WARNING, "unused-parameter", map->place,
            "run.admission.jobs changes nothing: %u clients have no more than %u jobs at a time",
            jobs->concurrency, jobs->concurrency);
}

static void load_clients(struct sl_loader *loader, const struct sl_yaml *run)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    int64_t clients = 0;
    if (loader->scenario->mode != SL_MODE_CLOSED)
        return;
    if (sl_field_require(reader, run, "concurrency", "mode closed"))
        sl_field_integer(reader, run, "concurrency", 1, MOST_CLIENTS, &clients);
    jobs->concurrency = (uint32_t)clients;
    if (jobs->jobs > 0 && jobs->jobs < jobs->concurrency)
        sl_diags_add(reader->diags, SL_WARNING, "unused-parameter",
                     sl_yaml_get(run, "concurrency")->place,
                     "run.concurrency: of %u clients only %llu ever have a job (run.jobs)",
                     jobs->concurrency, (unsigned long long)jobs->jobs);
    if (sl_yaml_get(run, "think"))
        sl_field_dist(reader, run, "think", SL_DIST_TIME, &jobs->think);
}

static bool is_used(const struct sl_loader *loader, uint32_t parameter)
{
    const struct sl_graph *graph = loader->graph;
    const struct sl_job_mode *jobs = &loader->scenario->jobs;
    bool used = false;
    for (uint32_t i = 0; i < graph->node_count && !used; i++)
        used = (graph->nodes[i].times && sl_expr_uses(graph->nodes[i].times, parameter)) ||
               (graph->nodes[i].steps && sl_expr_uses(graph->nodes[i].steps, parameter));
    const struct sl_job_number *const numbers[] = {&jobs->prefix.count, &jobs->prefix.common,
                                                   &jobs->prefix.own, &jobs->prefix.conversation};
    for (size_t i = 0; i < SL_COUNT(numbers) && !used; i++)
        used = numbers[i]->expr && sl_expr_uses(numbers[i]->expr, parameter);
    for (uint32_t i = 0; i < graph->object_count && !used; i++)
        used = graph->objects[i].size && sl_expr_uses(graph->objects[i].size, parameter);
    for (uint32_t i = 0; i < jobs->per_count && !used; i++)
        used = jobs->pers[i].parameter == parameter;
    return used;
}

/* A trace has the columns that it has; what the scenario adds is meant to be used. */
static void warn_parameters(struct sl_loader *loader, const struct sl_yaml *run)
{
    const struct sl_yaml *map = sl_yaml_get(run, "parameters");
    for (uint32_t i = 0; map && map->type == SL_YAML_MAP && i < map->count; i++) {
        uint32_t parameter = sl_names_find(&loader->scenario->jobs.parameters, map->keys[i]);
        if (parameter != SL_NONE && !is_used(loader, parameter))
            sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", map->key_places[i],
                         "job parameter '%s' changes nothing: no duration, size or time per unit "
                         "mentions it",
                         map->keys[i]);
    }
}

void sl_load_job_run(struct sl_loader *loader, const struct sl_yaml *run)
{
    loader->scenario->jobs.memory = SL_NONE;
    load_count(loader, run);
    load_warmup(loader, run);
    load_clients(loader, run);
    load_admission(loader, run);
    sl_load_job_marks(loader, run);
    if (loader->nodes_known && loader->objects_known && loader->parameters_known)
        warn_parameters(loader, run);
}

/* ---- what these modes cannot have ---------------------------------------------------------------
 */

static void SL_PRINTF(3, 4)
    refuse(struct sl_loader *loader, struct sl_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    sl_diags_vadd(loader->reader.diags, SL_ERROR, "not-supported", place, format, args);
    va_end(args);
}

static bool evicts(const struct sl_setting *setting)
{
    bool named = strcmp(setting->key, "evict") == 0 || strncmp(setting->key, "evict.", 6) == 0;
    return named && !(setting->value_count == 1 && strcmp(setting->values[0], "none") == 0);
}

static void refuse_evictions(struct sl_loader *loader)
{
    const struct sl_scenario *scenario = loader->scenario;
    for (uint32_t p = 0; p < scenario->policy_count; p++)
        for (uint32_t r = 0; r < scenario->policies[p].rule_count; r++) {
            const struct sl_policy_rule *rule = &scenario->policies[p].rules[r];
            for (uint32_t s = 0; s < rule->count; s++)
                if (evicts(&rule->settings[s]))
                    refuse(loader, rule->settings[s].place,
                           "policy '%s': %s is not for jobs: leave it out, or state evict: none",
                           scenario->policies[p].name, rule->settings[s].key);
        }
}

void sl_refuse_for_jobs(struct sl_loader *loader)
{
    const struct sl_graph *graph = loader->graph;
    if (!sl_scenario_has_jobs(loader->scenario))
        return;
    const char *mode = sl_mode_words[loader->scenario->mode];
    for (uint32_t i = 0; i < graph->edge_count; i++)
        if (graph->edges[i].next > 0)
            refuse(
                loader, graph->edges[i].place,
                "an edge of scope next is for iterations, and mode %s has jobs: leave it out, or "
                "state mode iterate",
                mode);
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (graph->nodes[i].fallback.i != SL_NONE)
            refuse(loader, graph->nodes[i].place,
                   "node '%s' has a fallback, which mode %s does not take: leave the column empty",
                   graph->nodes[i].name, mode);
    for (uint32_t i = 0; i < graph->overlap_count; i++)
        if (sl_overlap_restricts(&graph->overlaps[i]))
            refuse(loader, graph->overlaps[i].place,
                   "'%s' and '%s' are kept apart, which mode %s does not take: demand a common "
                   "resource of both instead",
                   graph->overlaps[i].a, graph->overlaps[i].b, mode);
    refuse_evictions(loader);
}
