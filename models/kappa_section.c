/* The section `kappa` of a device or a scenario: which table, how sets compose, what unknown pairs
 * cost, and the demands of the bandwidth rule. */
#include <config.h>

#include "device.h"
#include "table_head.h"
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MAX_RULES    32
#define MAX_DEMANDS  4096 /* they are searched one by one */

static void read_rule(struct sl_kappa *kappa, const struct sl_reader *reader,
                      const struct sl_yaml *map)
{
    const char *words[MAX_RULES];
    size_t count = 0;
    while (count < sl_kappa_rule_count() && count < MAX_RULES) {
        words[count] = sl_kappa_rule_get(count)->name;
        count++;
    }
    unsigned word;
    if (!sl_field_choice(reader, map, "rule", words, count, &word))
        return;
    kappa->rule_name = words[word];
    kappa->rule = sl_kappa_rule_get(word);
}

static void read_unknown(struct sl_kappa *kappa, const struct sl_reader *reader,
                         const struct sl_yaml *map)
{
    const char *text;
    if (!sl_field_text(reader, map, "unknown_kappa", &text))
        return;
    if (strcmp(text, "bound") == 0) {
        kappa->unknown = SL_UNKNOWN_BOUND;
    } else if (strcmp(text, "forbid") == 0) {
        kappa->unknown = SL_UNKNOWN_FORBID;
    } else if (strspn(text, "0123456789.+-") == 0) {
        sl_diags_add(reader->diags, SL_ERROR, "bad-value", sl_yaml_get(map, "unknown_kappa")->place,
                     "unknown_kappa: unknown '%s' (allowed: bound, forbid, or a number of at least "
                     "1)",
                     text);
    } else if (sl_field_number(reader, map, "unknown_kappa", 1.0, 1e6, &kappa->unknown_value)) {
        kappa->unknown = SL_UNKNOWN_NUMBER;
    }
}

/* Sets the demand of a class on a link, replacing an earlier one. */
static void put_demand(struct sl_kappa *kappa, const struct sl_reader *reader, uint32_t klass,
                       uint32_t link, double fraction, struct sl_place place)
{
    for (uint32_t i = 0; i < kappa->demand_count; i++)
        if (kappa->demands[i].klass == klass && kappa->demands[i].link == link) {
            kappa->demands[i].fraction = fraction;
            return;
        }
    if (kappa->demand_count == MAX_DEMANDS) {
        sl_diags_add(reader->diags, SL_ERROR, "too-many", place,
                     "more than %d demands of classes on links", MAX_DEMANDS);
        return;
    }
    if (!sl_grow((void **)&kappa->demands, &kappa->demand_capacity, kappa->demand_count + 1,
                 sizeof *kappa->demands)) {
        sl_diags_add(reader->diags, SL_ERROR, "out-of-memory", place, "out of memory");
        return;
    }
    kappa->demands[kappa->demand_count++] = (struct sl_kappa_demand){klass, link, fraction};
}

/* demands: {CLASS: {LINK: fraction}} */
static void read_demands(struct sl_kappa *kappa, const struct sl_reader *reader,
                         const struct sl_yaml *demands)
{
    if (!sl_field_is(reader, demands, SL_YAML_MAP, "demands"))
        return;
    for (uint32_t i = 0; i < demands->count; i++) {
        const struct sl_yaml *links = demands->items[i];
        if (!sl_value_name(reader, demands->keys[i], demands->key_places[i], "class", ";+") ||
            !sl_field_is(reader, links, SL_YAML_MAP, demands->keys[i]))
            continue;
        uint32_t klass = sl_names_add(&kappa->classes, demands->keys[i]);
        for (uint32_t k = 0; k < links->count; k++) {
            double fraction;
            if (!sl_value_name(reader, links->keys[k], links->key_places[k], "link", ";") ||
                !sl_field_number(reader, links, links->keys[k], 0.0, 1.0, &fraction))
                continue;
            put_demand(kappa, reader, klass, sl_names_add(&kappa->links, links->keys[k]), fraction,
                       links->key_places[k]);
        }
    }
}

void sl_kappa_section_read(struct sl_platform *platform, const struct sl_reader *reader,
                           const struct sl_yaml *map, struct sl_kappa_section *section)
{
    static const char *const keys[] = {"table", "rule",   "unknown_kappa", "demands",
                                       "shape", "regime", "accept"};
    if (!sl_field_is(reader, map, SL_YAML_MAP, "kappa"))
        return;
    sl_yaml_check_keys(map, keys, COUNT(keys), "kappa", reader->diags);
    const char *text;
    if (sl_field_text(reader, map, "table", &text)) {
        section->table = sl_path_join(reader->arena, reader->base_dir, text);
        section->table_place = sl_yaml_get(map, "table")->place;
    }
    if (sl_field_text(reader, map, "shape", &section->shape))
        section->shape_place = sl_yaml_get(map, "shape")->place;
    if (sl_field_text(reader, map, "regime", &section->regime))
        section->regime_place = sl_yaml_get(map, "regime")->place;
    if (sl_field_words(reader, map, "accept", &section->accept))
        section->accept_place = sl_yaml_get(map, "accept")->place;
    read_rule(&platform->kappa, reader, map);
    read_unknown(&platform->kappa, reader, map);
    const struct sl_yaml *demands = sl_yaml_get(map, "demands");
    if (demands) {
        section->demands_place = demands->place;
        read_demands(&platform->kappa, reader, demands);
    }
}

/* Parameters of the section that change nothing, by name. */
static void warn_unused(const struct sl_kappa *kappa, const struct sl_kappa_section *section,
                        struct sl_diags *diags)
{
    if (!section->table && section->shape)
        sl_diags_add(diags, SL_WARNING, "unused-parameter", section->shape_place,
                     "kappa.shape changes nothing: there is no table");
    if (!section->table && section->regime)
        sl_diags_add(diags, SL_WARNING, "unused-parameter", section->regime_place,
                     "kappa.regime changes nothing: there is no table");
    if (!section->table && section->accept)
        sl_diags_add(diags, SL_WARNING, "unused-parameter", section->accept_place,
                     "kappa.accept changes nothing: there is no table");
    if (kappa->demand_count > 0 && kappa->rule->uses_pairs)
        sl_diags_add(diags, SL_WARNING, "unused-parameter", section->demands_place,
                     "kappa.demands changes nothing under rule %s: only rule bandwidth reads it",
                     kappa->rule_name);
}

/* The device's durations and the table of slowdowns are of one machine, as far as both say. */
static enum sl_status check_machine(const struct sl_platform *platform,
                                    const struct sl_kappa_section *section, struct sl_arena *arena,
                                    struct sl_diags *diags, struct sl_error *err)
{
    struct sl_table_head durations = {0}, table;
    const char *path =
        platform->device_dir ? sl_path_join(arena, platform->device_dir, "durations.csv") : NULL;
    enum sl_status status = SL_OK;
    if (path && access(path, F_OK) == 0)
        status = sl_table_head_read(&durations, path, arena, err);
    if (status == SL_OK)
        status = sl_table_head_read(&table, section->table, arena, err);
    if (status == SL_OK)
        sl_table_heads_compare(&durations, &table, section->accept, section->accept_place, diags);
    return status;
}

enum sl_status sl_kappa_section_apply(struct sl_platform *platform,
                                      const struct sl_kappa_section *section,
                                      struct sl_arena *arena, struct sl_diags *diags,
                                      struct sl_error *err)
{
    struct sl_kappa *kappa = &platform->kappa;
    if (!kappa->rule) {
        kappa->rule = sl_kappa_rule_find("additive");
        kappa->rule_name = "additive";
    }
    size_t before = diags->errors;
    warn_unused(kappa, section, diags);
    if (section->table) {
        enum sl_status status = sl_kappa_read_table(kappa, section->table, section->shape,
                                                    section->regime, arena, diags, err);
        if (status == SL_OK)
            status = check_machine(platform, section, arena, diags, err);
        if (status)
            return status;
        if (!sl_platform_note_input(platform, section->table, arena))
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    if (diags->errors > before)
        return sl_diags_status(diags, err);
    return SL_OK;
}
