/* A device folder: device.yaml (platform sections with their evidence) and its measured tables. */
#include <config.h>

#include "device.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* `facts: [{name, value, source}]` document the device; their form is checked, nothing reads them.
 */
static void check_facts(const struct sl_reader *reader, const struct sl_yaml *facts)
{
    static const char *const keys[] = {"name", "value", "source"};
    if (!sl_field_is(reader, facts, SL_YAML_LIST, "facts"))
        return;
    for (uint32_t i = 0; i < facts->count; i++) {
        const struct sl_yaml *fact = facts->items[i];
        if (!sl_field_is(reader, fact, SL_YAML_MAP, "a fact"))
            continue;
        sl_yaml_check_keys(fact, keys, COUNT(keys), "a fact", reader->diags);
        for (size_t k = 0; k < COUNT(keys); k++)
            if (sl_field_require(reader, fact, keys[k], "a fact"))
                sl_field_is(reader, sl_yaml_get(fact, keys[k]), SL_YAML_SCALAR, keys[k]);
    }
}

static void read_names(struct sl_platform *platform, const struct sl_reader *reader,
                       const struct sl_yaml *root)
{
    static const char *const keys[] = {"name",    "description", "vendor", "facts",   "resources",
                                       "domains", "routes",      "costs",  "factors", "kappa"};
    sl_yaml_check_keys(root, keys, COUNT(keys), "a device", reader->diags);
    const char *text;
    if (sl_field_require(reader, root, "name", "a device") &&
        sl_field_text(reader, root, "name", &text) &&
        sl_value_name(reader, text, sl_yaml_get(root, "name")->place, "device", ""))
        platform->device_name = text;
    sl_field_text(reader, root, "description", &text);
    sl_field_text(reader, root, "vendor", &text);
    check_facts(reader, sl_yaml_get(root, "facts"));
}

/* The path of an optional file of the folder, NULL when it is not there. */
static const char *optional_file(struct sl_arena *arena, const char *dir, const char *name)
{
    const char *path = sl_path_join(arena, dir, name);
    return path && access(path, F_OK) == 0 ? path : NULL;
}

enum sl_status sl_device_read(struct sl_platform *platform, const char *dir,
                              struct sl_kappa_section *section, struct sl_arena *arena,
                              struct sl_diags *diags, struct sl_error *err)
{
    size_t before = diags->errors;
    const char *path = sl_path_join(arena, dir, "device.yaml");
    struct sl_yaml *root;
    if (!path)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = sl_yaml_read(path, arena, &root, err);
    if (status)
        return status;
    if (!sl_platform_note_input(platform, path, arena))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    const struct sl_reader reader = {arena, diags, dir};
    platform->device_name = "?";
    platform->device_dir = sl_arena_strdup(arena, dir);
    if (sl_field_is(&reader, root, SL_YAML_MAP, "a device")) {
        read_names(platform, &reader, root);
        struct sl_error faults = {0}; /* they are in diags already */
        if (sl_platform_read(platform, root, dir, arena, diags, &faults) == SL_SYSTEM)
            return sl_error_set(err, SL_SYSTEM, faults.place, faults.code_file, faults.code_line,
                                "%s", faults.message);
        sl_factors_read(&platform->factors, &reader, sl_yaml_get(root, "factors"), true);
        sl_kappa_section_read(platform, &reader, sl_yaml_get(root, "kappa"), section);
    }
    if (!section->table)
        section->table = optional_file(arena, dir, "kappa.csv");
    const char *durations = optional_file(arena, dir, "durations.csv");
    if (durations)
        status = sl_durations_read(platform, durations, arena, diags, err);
    if (status)
        return status;
    return diags->errors > before ? sl_diags_status(diags, err) : SL_OK;
}

enum sl_status sl_device_load(struct sl_platform *platform, const char *dir, struct sl_arena *arena,
                              struct sl_diags *diags, struct sl_error *err)
{
    struct sl_kappa_section section = {0};
    enum sl_status status = sl_device_read(platform, dir, &section, arena, diags, err);
    if (status)
        return status;
    return sl_kappa_section_apply(platform, &section, arena, diags, err);
}
