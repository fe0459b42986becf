/* The mode, and what jobs bring: arrivals and parameters.  Tables mention parameters, so this is
 * read before them. */
#include <config.h>

#include "scenario_parts.h"
#include <math.h>
#include <string.h>

const char *const sl_mode_words[SL_MODES] = {"once", "iterate", "open", "closed"};

static bool name_fits(const struct sl_reader *reader, const char *name, struct sl_place place)
{
    const char *why = sl_expr_name_fault(name);
    if (why)
        sl_diags_add(reader->diags, SL_ERROR, "bad-name", place, "job parameter '%s': %s", name,
                     why);
    return !why;
}

/* What plans go by: the mean, or the median of a law that has none; 0 of a faulty one. */
static double planning_mean(const struct sl_dist *draw)
{
    double mean = draw ? sl_dist_mean(draw) : 0.0;
    return isfinite(mean) ? mean : sl_dist_quantile(draw, 0.5);
}

/* `draw` is NULL of what a trace gives. */
static bool add_parameter(struct sl_loader *loader, const char *name, const struct sl_dist *draw,
                          double mean)
{
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    uint32_t index = jobs->parameters.count;
    if (sl_names_add(&jobs->parameters, name) == SL_NONE ||
        sl_names_add(&jobs->values, name) == SL_NONE ||
        !sl_grow((void **)&jobs->draws, &jobs->draw_capacity, index + 1, sizeof *jobs->draws) ||
        !sl_grow((void **)&jobs->means, &jobs->mean_capacity, index + 1, sizeof *jobs->means)) {
        (void)SL_FAIL(loader->err, SL_SYSTEM, "out of memory for job parameters");
        return false;
    }
    jobs->draws[index] = draw;
    jobs->means[index] = mean;
    return true;
}

static void load_arrivals(struct sl_loader *loader, const struct sl_yaml *run)
{
    const struct sl_reader *reader = &loader->reader;
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    const struct sl_yaml *node = sl_yaml_get(run, "arrivals");
    struct sl_error err = {0};
    if (!sl_field_require(reader, run, "arrivals", "mode open") ||
        !sl_field_is(reader, node, SL_YAML_SCALAR, "run.arrivals"))
        return;
    enum sl_status status = sl_arrivals_parse(&jobs->arrivals, node->text, reader->base_dir,
                                              node->place, reader->arena, &err);
    if (status == SL_SYSTEM)
        (void)SL_FAIL_AT(loader->err, SL_SYSTEM, err.place, "%s", err.message);
    else if (status)
        sl_report_file(loader, "bad-arrivals", node, "run.arrivals", &err);
    if (status)
        return;
    jobs->arrivals_text = node->text;
    const char *file = sl_arrivals_file(jobs->arrivals);
    if (file && !sl_platform_note_input(&loader->scenario->platform, file, reader->arena))
        (void)SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
    uint32_t count;
    const char *const *names = sl_arrivals_parameters(jobs->arrivals, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!add_parameter(loader, names[i], NULL, sl_arrivals_means(jobs->arrivals)[i]))
            return;
}

static void load_parameter(struct sl_loader *loader, const char *name, struct sl_place place,
                           const struct sl_yaml *law)
{
    const struct sl_reader *reader = &loader->reader;
    const struct sl_names *known = &loader->scenario->jobs.parameters;
    const struct sl_dist *draw = NULL; /* a faulty one is known by its name all the same */
    if (!name_fits(reader, name, place))
        return;
    if (sl_field_is(reader, law, SL_YAML_SCALAR, name))
        sl_value_dist(reader, law->text, law->place, name, SL_DIST_NUMBER, &draw);
    if (sl_names_find(known, name) != SL_NONE)
        sl_diags_add(reader->diags, SL_ERROR, "duplicate-parameter", place,
                     "job parameter '%s' is a column of the trace, too: leave one out", name);
    else if (known->count == SL_MOST_PARAMETERS)
        sl_diags_add(reader->diags, SL_ERROR, "too-many", place,
                     "more than %d job parameters, those of the trace included",
                     SL_MOST_PARAMETERS);
    else
        add_parameter(loader, name, draw, planning_mean(draw));
}

void sl_load_job_parameters(struct sl_loader *loader)
{
    const struct sl_reader *reader = &loader->reader;
    const struct sl_yaml *run = sl_yaml_get(loader->root, "run");
    const struct sl_yaml *map = sl_yaml_get(run, "parameters");
    unsigned word;
    loader->parameters_known = true;
    if (!sl_field_is(reader, run, SL_YAML_MAP, "run"))
        return;
    if (sl_field_choice(reader, run, "mode", sl_mode_words, SL_MODES, &word)) {
        loader->scenario->mode = (enum sl_mode)word;
        loader->scenario->jobs.place = sl_yaml_get(run, "mode")->place;
    }
    if (loader->scenario->mode == SL_MODE_OPEN) {
        load_arrivals(loader, run);
        loader->parameters_known = loader->scenario->jobs.arrivals != NULL;
    }
    if (sl_field_is(reader, map, SL_YAML_MAP, "run.parameters"))
        for (uint32_t i = 0; i < map->count; i++)
            load_parameter(loader, map->keys[i], map->key_places[i], map->items[i]);
    sl_load_prefix(loader, run);
}
