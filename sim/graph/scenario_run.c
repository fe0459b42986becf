/* What to run: name, mode, trials, seed. */
#include <config.h>

#include "scenario_parts.h"
#include <string.h>

#define DEFAULT_TRIALS 1000
#define MAX_TRIALS     100000000

/* Keys that the mode has no use for, by name. */
static void warn_mode_keys(struct sl_loader *loader, const struct sl_yaml *run)
{
    enum { ITERATE = 1 << SL_MODE_ITERATE, OPEN = 1 << SL_MODE_OPEN, CLOSED = 1 << SL_MODE_CLOSED };
    static const struct {
        const char *key;
        unsigned modes; /* that use it */
        const char *those;
    } uses[] = {
        {"iterations", ITERATE, "iterate"},
        {"warmup", ITERATE | OPEN | CLOSED, "iterate"},
        {"arrivals", OPEN, "open"},
        {"jobs", OPEN | CLOSED, "open or closed"},
        {"concurrency", CLOSED, "closed"},
        {"think", CLOSED, "closed"},
        {"parameters", OPEN | CLOSED, "open or closed"},
        {"blocks", OPEN | CLOSED, "open or closed"},
        {"marks", OPEN | CLOSED, "open or closed"},
        {"per_token", OPEN | CLOSED, "open or closed"},
        {"slo", OPEN | CLOSED, "open or closed"},
        {"admission", OPEN | CLOSED, "open or closed"},
    };
    enum sl_mode mode = loader->scenario->mode;
    for (size_t k = 0; k < SL_COUNT(uses); k++) {
        const struct sl_yaml *given = sl_yaml_get(run, uses[k].key);
        if (!given || uses[k].modes & 1u << mode)
            continue;
        sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter", given->place,
                     "run.%s changes nothing in mode %s", uses[k].key, sl_mode_words[mode]);
        sl_diags_suggest(loader->reader.diags, "state run.mode: %s", uses[k].those);
    }
}

/* Every iteration releases at 0, so deadlines of later ones are no nearer to it. */
static void warn_deadlines(struct sl_loader *loader)
{
    for (uint32_t i = 0; i < loader->graph->node_count; i++)
        if (loader->graph->nodes[i].deadline_ps != INT64_MAX) {
            sl_diags_add(loader->reader.diags, SL_WARNING, "deadline-of-iterations",
                         loader->graph->nodes[i].place,
                         "node '%s': a deadline counts from the start of the run in every "
                         "iteration",
                         loader->graph->nodes[i].name);
            return;
        }
}

static void load_iterations(struct sl_loader *loader, const struct sl_yaml *run)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_scenario *scenario = loader->scenario;
    uint32_t nodes = loader->graph->node_count;
    int64_t iterations = 0, warmup = 1;
    if (!sl_field_require(reader, run, "iterations", "mode iterate") ||
        !sl_field_integer(reader, run, "iterations", 1, SL_MAX_UNROLLED, &iterations))
        return;
    if (iterations == 1)
        warmup = 0;
    struct sl_place place = sl_yaml_get(run, "iterations")->place;
    if (nodes > 0 && iterations > SL_MAX_UNROLLED / nodes)
        sl_diags_add(reader->diags, SL_ERROR, "too-many", place,
                     "%lld iterations of %u nodes are more than %u nodes in all",
                     (long long)iterations, nodes, SL_MAX_UNROLLED);
    const struct sl_yaml *stated = sl_yaml_get(run, "warmup");
    scenario->warmup_detected =
        stated && stated->type == SL_YAML_SCALAR && strcmp(stated->text, "auto") == 0;
    if (scenario->warmup_detected)
        warmup = 0;
    else
        sl_field_integer(reader, run, "warmup", 0, SL_MAX_UNROLLED, &warmup);
    if (scenario->warmup_detected && iterations < SL_LEAST_DETECTED)
        sl_diags_add(reader->diags, SL_ERROR, "bad-value", stated->place,
                     "warmup: auto needs %d iterations or more (found: %lld); state a number",
                     SL_LEAST_DETECTED, (long long)iterations);
    if (warmup >= iterations)
        sl_diags_add(reader->diags, SL_ERROR, "bad-value", sl_yaml_get(run, "warmup")->place,
                     "warmup: %lld of %lld iterations leave none to measure (allowed: 0 to %lld)",
                     (long long)warmup, (long long)iterations, (long long)iterations - 1);
    scenario->iterations = (uint32_t)iterations;
    scenario->warmup = (uint32_t)warmup;
    warn_deadlines(loader);
}

static void load_uncertainty(struct sl_loader *loader, const struct sl_yaml *run)
{
    static const char *const uncertainties[] = {"none", "sample"};
    const struct sl_reader *reader = &loader->reader;
    const struct sl_yaml *outer = sl_yaml_get(run, "outer");
    unsigned word = 0;
    int64_t draws = SL_OUTER_MIN;
    sl_field_choice(reader, run, "uncertainty", uncertainties, 2, &word);
    sl_field_integer(reader, run, "outer", SL_OUTER_MIN, SL_OUTER_MAX, &draws);
    if (word == 1)
        loader->scenario->outer = (uint32_t)draws;
    else if (outer)
        sl_diags_add(reader->diags, SL_WARNING, "unused-parameter", outer->place,
                     "run.outer changes nothing without run.uncertainty: sample");
}

static void load_mode(struct sl_loader *loader)
{
    static const char *const keys[] = {"mode",      "iterations",  "warmup",    "arrivals",
                                       "jobs",      "concurrency", "think",     "parameters",
                                       "blocks",    "marks",       "per_token", "slo",
                                       "admission", "uncertainty", "outer"};
    const struct sl_reader *reader = &loader->reader;
    const struct sl_yaml *run = sl_yaml_get(loader->root, "run");
    loader->scenario->iterations = 1;
    if (!run || run->type != SL_YAML_MAP)
        return; /* another type is reported where the mode is read */
    sl_yaml_check_keys(run, keys, SL_COUNT(keys), "run", reader->diags);
    if (loader->scenario->jobs.place.file || !sl_yaml_get(run, "mode"))
        warn_mode_keys(loader, run); /* of a mode that is known */
    if (sl_scenario_has_jobs(loader->scenario))
        sl_load_job_run(loader, run);
    else if (loader->scenario->mode == SL_MODE_ITERATE)
        load_iterations(loader, run);
    load_uncertainty(loader, run);
}

void sl_load_run(struct sl_loader *loader)
{
    struct sl_scenario *scenario = loader->scenario;
    const struct sl_reader *reader = &loader->reader;
    if (sl_field_require(reader, loader->root, "name", "a scenario") &&
        sl_field_text(reader, loader->root, "name", &scenario->name))
        sl_value_name(reader, scenario->name, sl_yaml_get(loader->root, "name")->place, "scenario",
                      "");
    scenario->description = "";
    sl_field_text(reader, loader->root, "description", &scenario->description);
    load_mode(loader);
    int64_t value = DEFAULT_TRIALS;
    sl_field_integer(reader, loader->root, "trials", 1, MAX_TRIALS, &value);
    scenario->trials = (uint32_t)value;
    value = 1;
    sl_field_integer(reader, loader->root, "seed", 0, INT64_MAX, &value);
    scenario->seed = (uint64_t)value;
}
