/* What to look for: metric, tail, order and constraints. */
#include <config.h>

#include "scenario_parts.h"
#include <string.h>

/* True when `name` is PREFIX and a known domain, as "peak." "hbm"; *has_prefix tells the form even
 * when not. */
static bool domain_after(struct sl_loader *loader, const char *prefix, const char *name,
                         struct sl_place place, bool *has_prefix, uint32_t *domain)
{
    size_t length = strlen(prefix);
    *has_prefix = strncmp(name, prefix, length) == 0;
    if (!*has_prefix)
        return false;
    if (place.column > 0)
        place.column += (int)length;
    return sl_cell_domain(loader, (struct sl_cell_text){name + length, place}, domain);
}

static bool peak_domain(struct sl_loader *loader, const char *name, struct sl_place place,
                        bool *is_peak, uint32_t *domain)
{
    return domain_after(loader, "peak.", name, place, is_peak, domain);
}

static const char *const measures[] = {"tail",     "median",        "mean",
                                       "max_wait", "deadline_miss", "peak.DOMAIN"};
/* ... of jobs besides: the share that was rejected; that keeps all limits, and how many per s. */
static const char *const job_measures[] = {"rejected", "slo", "goodput"};
enum { REJECTED, GOODPUT = 2 };
/* What one trial has: a probability is about these. */
static const char *const trial_measures[] = {"makespan", "max_wait", "peak.DOMAIN"};
/* By enum sl_measure. */
static const char *const order_measures[] = {
    "tail", "median", "mean", "max_wait", "deadline_miss", "peak.DOMAIN", "staging.DOMAIN"};

/* What trials that are replications of jobs do not have; true when diagnosed. */
static bool lacks_jobs(struct sl_loader *loader, const char *measure, struct sl_place place)
{
    if (!sl_scenario_has_jobs(loader->scenario) || strcmp(measure, "makespan") != 0)
        return false;
    sl_diags_add(
        loader->reader.diags, SL_ERROR, "not-supported", place,
        "constraint: '%s' is not measured in mode %s: a trial has many jobs, whose share within a "
        "limit run.slo tells (slo: {latency: 10s}), or limit their tail, as in 'tail <= "
        "10s'",
        measure, sl_mode_words[loader->scenario->mode]);
    return true;
}

/* Cells are ordered by tests over trials, each of which misses its deadlines or not. */
static bool misses_by_job(struct sl_loader *loader, enum sl_measure measure, struct sl_place place)
{
    if (!sl_scenario_has_jobs(loader->scenario) || measure != SL_MEASURE_DEADLINE_MISS)
        return false;
    sl_diags_add(loader->reader.diags, SL_ERROR, "not-supported", place,
                 "order: 'deadline_miss' is a share of jobs in mode %s, and no measure of a trial: "
                 "limit it by a constraint, as in 'deadline_miss <= 0.01'",
                 sl_mode_words[loader->scenario->mode]);
    return true;
}

static bool read_order_item(struct sl_loader *loader, const struct sl_yaml *text,
                            struct sl_order_item *item)
{
    bool is_peak, is_staging;
    unsigned word;
    *item = (struct sl_order_item){.domain = SL_NONE, .name = text->text};
    bool known = peak_domain(loader, text->text, text->place, &is_peak, &item->domain);
    item->measure = SL_MEASURE_PEAK;
    if (is_peak)
        return known;
    known = domain_after(loader, "staging.", text->text, text->place, &is_staging, &item->domain);
    item->measure = SL_MEASURE_STAGING;
    if (is_staging)
        return known;
    if (!sl_value_choice(&loader->reader, text->text, text->place, "order", order_measures,
                         SL_COUNT(order_measures), NULL, &word))
        return false;
    item->measure = (enum sl_measure)word;
    return !misses_by_job(loader, item->measure, text->place);
}

static bool is_in_order(const struct sl_scenario *scenario, const struct sl_order_item *item)
{
    for (uint32_t i = 0; i < scenario->objective.order_count; i++)
        if (scenario->objective.order[i].measure == item->measure &&
            scenario->objective.order[i].domain == item->domain)
            return true;
    return false;
}

static void load_order(struct sl_loader *loader, const struct sl_yaml *list)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_scenario *scenario = loader->scenario;
    if (!sl_field_is(reader, list, SL_YAML_LIST, "order"))
        return;
    scenario->objective.order =
        sl_arena_array(reader->arena, list->count + 1u, sizeof *scenario->objective.order);
    for (uint32_t i = 0; scenario->objective.order && i < list->count; i++) {
        const struct sl_yaml *text = list->items[i];
        struct sl_order_item item;
        if (!sl_field_is(reader, text, SL_YAML_SCALAR, "order") ||
            !read_order_item(loader, text, &item))
            continue;
        if (is_in_order(scenario, &item))
            sl_diags_add(reader->diags, SL_WARNING, "unused-parameter", text->place,
                         "order: '%s' a second time changes nothing", item.name);
        else
            scenario->objective.order[scenario->objective.order_count++] = item;
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

/* A number of jobs per second: "3.5/s". */
static bool read_rate(struct sl_loader *loader, const char *text, struct sl_place place,
                      struct sl_constraint *constraint)
{
    const struct sl_reader *reader = &loader->reader;
    size_t length = strlen(text);
    constraint->unit = SL_LIMIT_RATE;
    if (length < 3 || strcmp(text + length - 2, "/s") != 0) {
        sl_diags_add(reader->diags, SL_ERROR, "bad-constraint", place,
                     "constraint '%s': '%s' is no rate; write jobs per second, such as 3.5/s",
                     constraint->text, text);
        return false;
    }
    const char *number = sl_arena_printf(reader->arena, "%.*s", (int)length - 2, text);
    return number &&
           sl_value_number(reader, number, place, constraint->left, 0.0, 1e12, &constraint->limit);
}

/* Whether the limit is about jobs, and then reads it; `sound`: undiagnosed. */
static bool read_job_limit(struct sl_loader *loader, struct sl_constraint *constraint,
                           const char *text, struct sl_place place, bool *sound)
{
    const struct sl_reader *reader = &loader->reader;
    unsigned word = 0;
    while (word < SL_COUNT(job_measures) && strcmp(constraint->left, job_measures[word]) != 0)
        word++;
    if (word == SL_COUNT(job_measures) || constraint->probability > 0)
        return false;
    bool of_limits = word != REJECTED;
    const char *why = !sl_scenario_has_jobs(loader->scenario)
                          ? "it is measured in modes open and closed alone"
                      : of_limits && loader->scenario->jobs.slo_count == 0
                          ? "it is about the limits of run.slo, and there are none"
                      : of_limits != constraint->at_least
                          ? (of_limits ? "more is better: write >= LIMIT" : "write <= LIMIT")
                          : NULL;
    if (why)
        sl_diags_add(reader->diags, SL_ERROR, "bad-constraint", place, "constraint '%s': %s",
                     constraint->text, why);
    *sound = !why;
    if (why)
        return true;
    if (word == GOODPUT) {
        *sound = read_rate(loader, text, place, constraint);
        return true;
    }
    constraint->unit = SL_LIMIT_SHARE;
    *sound = sl_value_number(reader, text, place, constraint->left, 0.0, 1.0, &constraint->limit);
    return true;
}

/* Reads the right side by what the left one, at `place`, measures.  False when diagnosed. */
static bool read_limit(struct sl_loader *loader, struct sl_constraint *constraint, const char *text,
                       struct sl_place place)
{
    const struct sl_reader *reader = &loader->reader;
    int64_t whole;
    bool is_peak, sound = true;
    uint32_t domain;
    unsigned word;
    if (read_job_limit(loader, constraint, text, place, &sound))
        return sound;
    if (constraint->at_least) {
        sl_diags_add(reader->diags, SL_ERROR, "bad-constraint", place,
                     "constraint '%s': less of '%s' is better: write %s <= LIMIT", constraint->text,
                     constraint->left, constraint->left);
        return false;
    }
    bool known = peak_domain(loader, constraint->left, place, &is_peak, &domain);
    if (is_peak) {
        if (!sl_value_bytes(reader, text, place, constraint->left, &whole) || !known)
            return false;
        constraint->unit = SL_LIMIT_BYTES;
        constraint->limit = (double)whole;
        warn_implied(loader, constraint, domain);
        return true;
    }
    bool each = constraint->probability > 0;
    if (lacks_jobs(loader, constraint->left, place))
        return false;
    if (!sl_value_choice(
            reader, constraint->left, place, each ? "constraint on each trial" : "constraint",
            each ? trial_measures : measures, each ? SL_COUNT(trial_measures) : SL_COUNT(measures),
            "bad-constraint", &word))
        return false;
    if (strcmp(constraint->left, "deadline_miss") == 0) {
        constraint->unit = SL_LIMIT_SHARE;
        return sl_value_number(reader, text, place, constraint->left, 0.0, 1.0, &constraint->limit);
    }
    if (!sl_value_time(reader, text, place, constraint->left, &whole))
        return false;
    constraint->limit = (double)whole;
    if (strcmp(constraint->left, "max_wait") == 0 && !each)
        loader->scenario->starvation_bound_ps = whole;
    return true;
}

static const char *trimmed(struct sl_loader *loader, const char *text, const char *end)
{
    while (end > text && end[-1] == ' ')
        end--;
    return sl_arena_printf(loader->reader.arena, "%.*s", (int)(end - text), text);
}

/* MEASURE <= LIMIT, or of what is good >=, up to `end` of the constraint's text. */
static bool load_limit(struct sl_loader *loader, struct sl_constraint *constraint,
                       const char *measure, const char *end)
{
    struct sl_place place = constraint->place;
    const char *sign = strstr(measure, "<=");
    if (!sign && constraint->probability <= 0) {
        sign = strstr(measure, ">=");
        constraint->at_least = sign;
    }
    if (!sign || sign >= end) {
        sl_diags_add(loader->reader.diags, SL_ERROR, "bad-constraint", place,
                     "constraint '%s': expected MEASURE <= LIMIT, such as 'peak.hbm <= 74GiB' or "
                     "'tail <= 120ms'",
                     constraint->text);
        return false;
    }
    if (place.column > 0)
        place.column += (int)(measure - constraint->text);
    constraint->left = trimmed(loader, measure, sign);
    const char *limit = trimmed(loader, sign + 2 + strspn(sign + 2, " "), end);
    return constraint->left && limit && read_limit(loader, constraint, limit, place);
}

/* P(MEASURE <= LIMIT) >= SHARE */
static bool load_probability(struct sl_loader *loader, struct sl_constraint *constraint)
{
    const struct sl_reader *reader = &loader->reader;
    const char *measure = constraint->text + 2, *end = strchr(measure, ')');
    const char *sign = end ? end + 1 + strspn(end + 1, " ") : NULL;
    measure += strspn(measure, " ");
    if (!sign || strncmp(sign, ">=", 2) != 0) {
        sl_diags_add(reader->diags, SL_ERROR, "bad-constraint", constraint->place,
                     "constraint '%s': expected P(MEASURE <= LIMIT) >= SHARE, such as "
                     "'P(peak.hbm <= 74GiB) >= 0.999'",
                     constraint->text);
        return false;
    }
    sign += 2;
    if (!sl_value_number(reader, sign + strspn(sign, " "), constraint->place, "probability", 1e-6,
                         0.999999, &constraint->probability))
        return false;
    return load_limit(loader, constraint, measure, end);
}

static bool load_constraint(struct sl_loader *loader, const struct sl_yaml *item,
                            struct sl_constraint *constraint)
{
    if (!sl_field_is(&loader->reader, item, SL_YAML_SCALAR, "constraints"))
        return false;
    *constraint = (struct sl_constraint){.text = item->text, .place = item->place};
    return strncmp(item->text, "P(", 2) == 0
               ? load_probability(loader, constraint)
               : load_limit(loader, constraint, item->text, item->text + strlen(item->text));
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

/* Without jobs a trial has one time. */
static void load_metric(struct sl_loader *loader, const struct sl_yaml *objective)
{
    static const char *const metrics[] = {"makespan", "latency", "throughput"};
    unsigned word;
    if (sl_field_choice(&loader->reader, objective, "metric", metrics, SL_COUNT(metrics), &word) &&
        word > 0)
        sl_diags_add(loader->reader.diags, SL_ERROR, "not-supported",
                     sl_yaml_get(objective, "metric")->place,
                     "metric: '%s' is of jobs, and mode %s has none (allowed: makespan)",
                     metrics[word], sl_mode_words[loader->scenario->mode]);
}

void sl_load_objective(struct sl_loader *loader)
{
    static const char *const keys[] = {"metric",      "tail",     "order",
                                       "constraints", "min_gain", "busy"};
    struct sl_scenario *scenario = loader->scenario;
    const struct sl_reader *reader = &loader->reader;
    const struct sl_names *resources = &scenario->platform.resource_names;
    scenario->objective.tail = 0.99;
    scenario->objective.busy = sl_names_find(resources, "compute");
    scenario->starvation_bound_ps = -1;
    const struct sl_yaml *objective = sl_yaml_get(loader->root, "objective");
    if (sl_scenario_has_jobs(scenario))
        sl_load_job_metric(loader, objective);
    if (!sl_field_is(reader, objective, SL_YAML_MAP, "objective"))
        return;
    sl_yaml_check_keys(objective, keys, SL_COUNT(keys), "objective", reader->diags);
    if (!sl_scenario_has_jobs(scenario))
        load_metric(loader, objective);
    scenario->objective.tail_given =
        sl_field_number(reader, objective, "tail", 0.5, 0.9999999, &scenario->objective.tail);
    sl_field_number(reader, objective, "min_gain", 0.0, 1.0, &scenario->objective.min_gain);
    load_order(loader, sl_yaml_get(objective, "order"));
    load_constraints(loader, sl_yaml_get(objective, "constraints"));
    if (sl_yaml_get(objective, "busy") && sl_scenario_has_jobs(scenario))
        sl_diags_add(reader->diags, SL_WARNING, "unused-parameter",
                     sl_yaml_get(objective, "busy")->place,
                     "objective.busy changes nothing in mode %s: idle time is not told by cause, "
                     "and the utilisation of all resources is",
                     sl_mode_words[scenario->mode]);
    if (sl_yaml_get(objective, "busy"))
        sl_field_ref(reader, objective, "busy", "resource", resources, &scenario->objective.busy);
}
