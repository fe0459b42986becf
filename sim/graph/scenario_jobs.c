/* Modes open and closed: the mode, and what each job brings. */
#include <config.h>

#include "arrivals.h"
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

/* What plans go by: the mean, or the median of a law that has none. */
static double planning_mean(const struct sl_dist *draw)
{
    double mean = draw ? sl_dist_mean(draw) : 0.0;
    return isfinite(mean) ? mean : sl_dist_quantile(draw, 0.5);
}

static bool add_parameter(struct sl_loader *loader, const char *name, const struct sl_dist *draw)
{
    struct sl_job_mode *jobs = &loader->scenario->jobs;
    uint32_t index = jobs->parameters.count;
    if (sl_names_add(&jobs->parameters, name) == SL_NONE ||
        !sl_grow((void **)&jobs->draws, &jobs->draw_capacity, index + 1, sizeof *jobs->draws) ||
        !sl_grow((void **)&jobs->means, &jobs->mean_capacity, index + 1, sizeof *jobs->means)) {
        (void)SL_FAIL(loader->err, SL_SYSTEM, "out of memory for job parameters");
        return false;
    }
    jobs->draws[index] = draw;
    jobs->means[index] = planning_mean(draw);
    return true;
}

void sl_load_job_parameters(struct sl_loader *loader)
{
    const struct sl_reader *reader = &loader->reader;
    const struct sl_yaml *run = sl_yaml_get(loader->root, "run");
    const struct sl_yaml *map = sl_yaml_get(run, "parameters");
    unsigned word;
    if (!sl_field_is(reader, run, SL_YAML_MAP, "run"))
        return;
    if (sl_field_choice(reader, run, "mode", sl_mode_words, SL_MODES, &word))
        loader->scenario->mode = (enum sl_mode)word;
    if (!sl_field_is(reader, map, SL_YAML_MAP, "run.parameters"))
        return;
    if (map->count > SL_MOST_PARAMETERS)
        sl_diags_add(reader->diags, SL_ERROR, "too-many", map->place,
                     "%u job parameters (allowed: %d)", map->count, SL_MOST_PARAMETERS);
    for (uint32_t i = 0; i < map->count && i < SL_MOST_PARAMETERS; i++) {
        const struct sl_dist *draw = NULL; /* a faulty one is known by its name */
        if (!name_fits(reader, map->keys[i], map->key_places[i]))
            continue;
        if (sl_field_is(reader, map->items[i], SL_YAML_SCALAR, map->keys[i]))
            sl_value_dist(reader, map->items[i]->text, map->items[i]->place, map->keys[i],
                          SL_DIST_NUMBER, &draw);
        if (!add_parameter(loader, map->keys[i], draw))
            return;
    }
}
