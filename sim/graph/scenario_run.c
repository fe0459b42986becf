/* What to run and what to look for: name, mode, trials, seed, objective and its constraints. */
#include <config.h>

#include "scenario_parts.h"
#include <string.h>

#define DEFAULT_TRIALS 1000
#define MAX_TRIALS     100000000

enum mode { ONCE, ITERATE, OPEN, CLOSED };
static const char *const modes[] = {"once", "iterate", "open", "closed"};

/* Keys that the mode has no use for, by name. */
static void warn_mode_keys(struct sl_loader *loader, const struct sl_yaml *run, enum mode mode)
{
    static const char *const iterating[] = {"iterations", "warmup"};
    static const char *const queueing[] = {"arrivals", "jobs", "concurrency"};
    for (size_t k = 0; k < SL_COUNT(iterating) + SL_COUNT(queueing); k++) {
        const char *key = k < 2 ? iterating[k] : queueing[k - 2];
        if (!sl_yaml_get(run, key) || (k < 2 && mode == ITERATE))
            continue;
        sl_diags_add(loader->reader.diags, SL_WARNING, "unused-parameter",
                     sl_yaml_get(run, key)->place, "run.%s changes nothing in mode %s", key,
                     modes[mode]);
        if (k < 2)
            sl_diags_suggest(loader->reader.diags, "state run.mode: iterate");
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
    sl_field_integer(reader, run, "warmup", 0, SL_MAX_UNROLLED, &warmup);
    if (warmup >= iterations)
        sl_diags_add(reader->diags, SL_ERROR, "bad-value", sl_yaml_get(run, "warmup")->place,
                     "warmup: %lld of %lld iterations leave none to measure (allowed: 0 to %lld)",
                     (long long)warmup, (long long)iterations, (long long)iterations - 1);
    scenario->iterations = (uint32_t)iterations;
    scenario->warmup = (uint32_t)warmup;
    warn_deadlines(loader);
}

static void load_mode(struct sl_loader *loader)
{
    static const char *const keys[] = {"mode", "iterations",  "warmup",     "arrivals",
                                       "jobs", "concurrency", "uncertainty"};
    static const char *const uncertainties[] = {"none", "sample"};
    const struct sl_reader *reader = &loader->reader;
    const struct sl_yaml *run = sl_yaml_get(loader->root, "run");
    loader->scenario->iterations = 1;
    if (!sl_field_is(reader, run, SL_YAML_MAP, "run"))
        return;
    sl_yaml_check_keys(run, keys, SL_COUNT(keys), "run", reader->diags);
    unsigned word = 0;
    sl_field_choice(reader, run, "mode", modes, SL_COUNT(modes), &word);
    if (word == OPEN || word == CLOSED) {
        sl_diags_add(reader->diags, SL_ERROR, "not-supported", sl_yaml_get(run, "mode")->place,
                     "mode: '%s' is not supported by this version (allowed: once, iterate)",
                     modes[word]);
    } else {
        warn_mode_keys(loader, run, (enum mode)word);
        if (word == ITERATE)
            load_iterations(loader, run);
    }
    if (sl_field_choice(reader, run, "uncertainty", uncertainties, 2, &word) && word == 1)
        sl_diags_add(reader->diags, SL_ERROR, "not-supported",
                     sl_yaml_get(run, "uncertainty")->place,
                     "uncertainty: 'sample' is not supported by this version (allowed: none)");
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

/* True when `name` is "peak.DOMAIN" of a known domain; *is_peak tells the form even when not. */
static bool peak_domain(struct sl_loader *loader, const char *name, struct sl_place place,
                        bool *is_peak, uint32_t *domain)
{
    *is_peak = strncmp(name, "peak.", 5) == 0;
    if (!*is_peak)
        return false;
    if (place.column > 0)
        place.column += 5;
    return sl_cell_domain(loader, (struct sl_cell_text){name + 5, place}, domain);
}

static const char *const measures[] = {"tail",     "median",        "mean",
                                       "max_wait", "deadline_miss", "peak.DOMAIN"};

static void load_order(struct sl_loader *loader, const struct sl_yaml *list)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_scenario *scenario = loader->scenario;
    if (!sl_field_is(reader, list, SL_YAML_LIST, "order"))
        return;
    scenario->objective.order =
        sl_arena_array(reader->arena, list->count + 1u, sizeof *scenario->objective.order);
    if (!scenario->objective.order)
        return;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct sl_yaml *item = list->items[i];
        bool is_peak;
        uint32_t domain;
        unsigned word;
        if (!sl_field_is(reader, item, SL_YAML_SCALAR, "order"))
            continue;
        peak_domain(loader, item->text, item->place, &is_peak, &domain);
        if (!is_peak && !sl_value_choice(reader, item->text, item->place, "order", measures,
                                         SL_COUNT(measures), NULL, &word))
            continue;
        if (scenario->objective.order_count == 0 && strcmp(item->text, "tail") != 0)
            sl_diags_add(reader->diags, SL_WARNING, "unused-parameter", item->place,
                         "order: '%s' first changes nothing, this version ranks by the tail alone",
                         item->text);
        scenario->objective.order[scenario->objective.order_count++] = item->text;
    }
}

/* A limit on a peak that the capacity already sets says nothing. */
static void warn_implied(struct sl_loader *loader, const struct sl_constraint *constraint,
                         uint32_t domain)
{
    const struct sl_platform *platform = &loader->scenario->platform;
    const struct sl_domain *d = &platform->domains[domain];
    if (d->capacity >= 0 && constraint->limit >= (double)(d->capacity - d->reserve))
        sl_diags_add(loader->reader.diags, SL_WARNING, "implied-constraint", constraint->place,
                     "constraint '%s' is implied: capacity - reserve of '%s' is %lld bytes",
                     constraint->text, platform->domain_names.names[domain],
                     (long long)(d->capacity - d->reserve));
}

/* Reads the right side by what the left one measures.  False when diagnosed. */
static bool read_limit(struct sl_loader *loader, struct sl_constraint *constraint, const char *text)
{
    const struct sl_reader *reader = &loader->reader;
    int64_t whole;
    bool is_peak;
    uint32_t domain;
    unsigned word;
    bool known = peak_domain(loader, constraint->left, constraint->place, &is_peak, &domain);
    if (is_peak) {
        if (!sl_value_bytes(reader, text, constraint->place, constraint->left, &whole) || !known)
            return false;
        constraint->is_bytes = true;
        constraint->limit = (double)whole;
        warn_implied(loader, constraint, domain);
        return true;
    }
    if (!sl_value_choice(reader, constraint->left, constraint->place, "constraint", measures,
                         SL_COUNT(measures), "bad-constraint", &word))
        return false;
    if (strcmp(constraint->left, "deadline_miss") == 0)
        return sl_value_number(reader, text, constraint->place, constraint->left, 0.0, 1.0,
                               &constraint->limit);
    if (!sl_value_time(reader, text, constraint->place, constraint->left, &whole))
        return false;
    constraint->limit = (double)whole;
    if (strcmp(constraint->left, "max_wait") == 0)
        loader->scenario->starvation_bound_ps = whole;
    return true;
}

/* LEFT <= LIMIT */
static bool load_constraint(struct sl_loader *loader, const struct sl_yaml *item,
                            struct sl_constraint *constraint)
{
    const struct sl_reader *reader = &loader->reader;
    if (!sl_field_is(reader, item, SL_YAML_SCALAR, "constraints"))
        return false;
    *constraint = (struct sl_constraint){.text = item->text, .place = item->place};
    if (strncmp(item->text, "P(", 2) == 0) {
        sl_diags_add(reader->diags, SL_ERROR, "not-supported", item->place,
                     "constraint '%s': probabilities are not supported by this version "
                     "(write tail <= TIME with objective.tail)",
                     item->text);
        return false;
    }
    const char *sign = strstr(item->text, "<=");
    if (!sign) {
        sl_diags_add(reader->diags, SL_ERROR, "bad-constraint", item->place,
                     "constraint '%s': expected MEASURE <= LIMIT, such as 'peak.hbm <= 74GiB' or "
                     "'tail <= 120ms'",
                     item->text);
        return false;
    }
    size_t length = (size_t)(sign - item->text);
    while (length > 0 && item->text[length - 1] == ' ')
        length--;
    constraint->left = sl_arena_printf(reader->arena, "%.*s", (int)length, item->text);
    return constraint->left && read_limit(loader, constraint, sign + 2 + strspn(sign + 2, " "));
}

static void load_constraints(struct sl_loader *loader, const struct sl_yaml *list)
{
    struct sl_scenario *scenario = loader->scenario;
    if (!sl_field_is(&loader->reader, list, SL_YAML_LIST, "constraints"))
        return;
    scenario->objective.constraints = sl_arena_array(loader->reader.arena, list->count + 1u,
                                                     sizeof *scenario->objective.constraints);
    for (uint32_t i = 0; scenario->objective.constraints && i < list->count; i++)
        if (load_constraint(loader, list->items[i],
                            &scenario->objective.constraints[scenario->objective.constraint_count]))
            scenario->objective.constraint_count++;
}

void sl_load_objective(struct sl_loader *loader)
{
    static const char *const keys[] = {"metric",      "tail",     "order",
                                       "constraints", "min_gain", "busy"};
    static const char *const metrics[] = {"makespan", "latency", "throughput"};
    struct sl_scenario *scenario = loader->scenario;
    const struct sl_reader *reader = &loader->reader;
    const struct sl_names *resources = &scenario->platform.resource_names;
    scenario->objective.tail = 0.99;
    scenario->objective.busy = sl_names_find(resources, "compute");
    scenario->starvation_bound_ps = -1;
    const struct sl_yaml *objective = sl_yaml_get(loader->root, "objective");
    if (!sl_field_is(reader, objective, SL_YAML_MAP, "objective"))
        return;
    sl_yaml_check_keys(objective, keys, SL_COUNT(keys), "objective", reader->diags);
    unsigned word;
    if (sl_field_choice(reader, objective, "metric", metrics, SL_COUNT(metrics), &word))
        scenario->objective.metric = (enum sl_metric)word;
    if (scenario->objective.metric != SL_METRIC_MAKESPAN)
        sl_diags_add(reader->diags, SL_ERROR, "not-supported",
                     sl_yaml_get(objective, "metric")->place,
                     "metric: '%s' is not supported by this version (allowed: makespan)",
                     metrics[scenario->objective.metric]);
    scenario->objective.tail_given =
        sl_field_number(reader, objective, "tail", 0.5, 0.9999999, &scenario->objective.tail);
    sl_field_number(reader, objective, "min_gain", 0.0, 1.0, &scenario->objective.min_gain);
    load_order(loader, sl_yaml_get(objective, "order"));
    load_constraints(loader, sl_yaml_get(objective, "constraints"));
    if (sl_yaml_get(objective, "busy"))
        sl_field_ref(reader, objective, "busy", "resource", resources, &scenario->objective.busy);
}
