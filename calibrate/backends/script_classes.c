/* A script's classes of work. */
#include "config.h"

#include "script_parts.h"
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST_SIZES   64
#define MOST_FORMS   16
#define NS_PER_S     1e9
#define PS_PER_NS    1e3

static const struct sl_work_form no_form = {"", "", "", "", ""};
static const double no_factor = 1;

static void read_form(const struct sl_reader *reader, const struct sl_yaml *map,
                      struct sl_work_form *form, double *factor)
{
    static const char *const keys[] = {"variant", "dir", "mem_kind", "launch", "cache", "factor"};
    const char **const columns[] = {&form->variant, &form->dir, &form->mem_kind, &form->launch,
                                    &form->cache};
    *form = no_form;
    *factor = 1;
    if (!sl_field_is(reader, map, SL_YAML_MAP, "a form"))
        return;
    sl_yaml_check_keys(map, keys, COUNT(keys), "a form", reader->diags);
    for (size_t i = 0; i < COUNT(columns); i++)
        sl_field_text(reader, map, keys[i], columns[i]);
    sl_field_number(reader, map, "factor", 1e-3, 1e3, factor);
}

static void read_forms(const struct sl_reader *reader, const struct sl_yaml *list,
                       struct sl_work_class *klass, struct sl_script_class *truth)
{
    klass->forms = &no_form;
    klass->form_count = 1;
    truth->form_factors = &no_factor;
    if (!sl_field_is(reader, list, SL_YAML_LIST, "forms") || list->count == 0 ||
        !sl_script_fits(reader, list, "forms", MOST_FORMS))
        return;
    struct sl_work_form *forms = sl_script_array(reader, list->count, sizeof *forms);
    double *factors = sl_script_array(reader, list->count, sizeof *factors);
    if (!forms || !factors)
        return;
    for (uint32_t i = 0; i < list->count; i++)
        read_form(reader, list->items[i], &forms[i], &factors[i]);
    klass->forms = forms;
    klass->form_count = list->count;
    truth->form_factors = factors;
}

static void read_sizes(const struct sl_reader *reader, const struct sl_yaml *list,
                       struct sl_work_class *klass)
{
    if (!sl_field_is(reader, list, SL_YAML_LIST, "sizes") ||
        !sl_script_fits(reader, list, "sizes", MOST_SIZES))
        return;
    int64_t *sizes = sl_script_array(reader, list->count, sizeof *sizes);
    for (uint32_t i = 0; sizes && i < list->count; i++) {
        const struct sl_yaml *item = list->items[i];
        if (!sl_field_is(reader, item, SL_YAML_SCALAR, "sizes") ||
            !sl_value_bytes(reader, item->text, item->place, "sizes", &sizes[i]))
            return;
        if (i > 0 && sizes[i] <= sizes[i - 1])
            sl_diags_add(reader->diags, SL_ERROR, "bad-quantity", item->place,
                         "sizes: '%s' is not above the one before it", item->text);
    }
    klass->sizes = sizes;
    klass->size_count = list->count;
}

/* A class of which a route tells how fast it moves. */
static const struct sl_route *route_of(const struct sl_platform *platform, const char *name)
{
    uint32_t klass = sl_names_find(&platform->kappa.classes, name);
    for (uint32_t i = 0; klass != SL_NONE && i < platform->route_count; i++)
        if (platform->routes[i].klass == klass)
            return &platform->routes[i];
    return NULL;
}

static void read_speed(const struct sl_script *script, const struct sl_reader *reader,
                       const struct sl_yaml *map, const char *name, struct sl_script_class *truth)
{
    const struct sl_route *route = route_of(&script->platform, name);
    int64_t overhead_ns = 0;
    if (route) {
        truth->overhead_ns = (double)route->overhead_ps / PS_PER_NS;
        truth->bytes_per_s = route->bandwidth;
    } else if (sl_field_require(reader, map, "bandwidth", "a class without a route")) {
        sl_field_bandwidth(reader, map, "bandwidth", &truth->bytes_per_s);
        sl_script_time(reader, map, "overhead", &overhead_ns);
        truth->overhead_ns = (double)overhead_ns;
    }
    if (route && (sl_yaml_get(map, "bandwidth") || sl_yaml_get(map, "overhead")))
        sl_diags_add(reader->diags, SL_ERROR, "unused-parameter", map->place,
                     "class '%s': its route states bandwidth and overhead", name);
}

static void read_class(struct sl_script *script, const struct sl_reader *reader,
                       const struct sl_yaml *map, const char *name)
{
    static const char *const keys[] = {"description", "waived", "forms",  "sizes",
                                       "victim",      "unit",   "shaped", "overhead",
                                       "bandwidth",   "noise",  "launch", "stamps"};
    struct sl_work_class *klass = &script->classes[script->class_count];
    struct sl_script_class *truth = &script->truths[script->class_count++];
    *klass = (struct sl_work_class){.name = name, .description = ""};
    *truth = (struct sl_script_class){.launch_ns = 2000};
    if (!sl_field_is(reader, map, SL_YAML_MAP, name))
        return;
    sl_yaml_check_keys(map, keys, COUNT(keys), "a class", reader->diags);
    sl_field_text(reader, map, "description", &klass->description);
    sl_field_text(reader, map, "waived", &klass->waived);
    read_forms(reader, sl_yaml_get(map, "forms"), klass, truth);
    read_sizes(reader, sl_yaml_get(map, "sizes"), klass);
    sl_field_bytes(reader, map, "victim", &klass->victim_bytes);
    sl_field_bytes(reader, map, "unit", &klass->unit_bytes);
    klass->shaped = sl_script_flag(reader, map, "shaped");
    truth->stamps = sl_script_flag(reader, map, "stamps");
    read_speed(script, reader, map, name, truth);
    sl_field_dist(reader, map, "noise", SL_DIST_NUMBER, &truth->noise);
    sl_script_time(reader, map, "launch", &truth->launch_ns);
}

/* A route's class has to be one of the script's. */
static void check_routes(const struct sl_script *script, const struct sl_reader *reader)
{
    const struct sl_platform *platform = &script->platform;
    for (uint32_t r = 0; r < platform->route_count; r++) {
        const struct sl_route *route = &platform->routes[r];
        uint32_t c = 0;
        const char *name =
            route->klass == SL_NONE ? "" : platform->kappa.classes.names[route->klass];
        while (c < script->class_count && strcmp(script->classes[c].name, name) != 0)
            c++;
        if (c == script->class_count && *name)
            sl_diags_add(reader->diags, SL_ERROR, "unknown-class", route->place,
                         "a route's class '%s' is not among the classes", name);
    }
}

void sl_script_read_classes(struct sl_script *script, const struct sl_reader *reader,
                            const struct sl_yaml *root)
{
    const struct sl_yaml *map = sl_yaml_get(root, "classes");
    if (!sl_field_require(reader, root, "classes", "a script") ||
        !sl_field_is(reader, map, SL_YAML_MAP, "classes") ||
        !sl_script_fits(reader, map, "classes", SL_SCRIPT_CLASSES_MAX))
        return;
    script->classes = sl_script_array(reader, map->count, sizeof *script->classes);
    script->truths = sl_script_array(reader, map->count, sizeof *script->truths);
    if (!script->classes || !script->truths)
        return;
    for (uint32_t i = 0; i < map->count; i++)
        if (sl_value_name(reader, map->keys[i], map->key_places[i], "class", ";:+|/"))
            read_class(script, reader, map->items[i], map->keys[i]);
    check_routes(script, reader);
}
