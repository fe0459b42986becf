/* Enumerates the cells of a sweep and makes the policy of each. */
#include "axes.h"
#include <inttypes.h>
#include <string.h>

const char *sl_axes_policy_key(const char *path)
{
    return strncmp(path, "policy.", 7) == 0 ? path + 7 : NULL;
}

const char *sl_axes_text(const struct sl_yaml *value, struct sl_arena *arena)
{
    if (value->type == SL_YAML_SCALAR)
        return sl_arena_strdup(arena, value->text);
    bool map = value->type == SL_YAML_MAP;
    const char *text = map ? "{" : "[";
    for (uint32_t i = 0; i < value->count && text; i++) {
        const char *item = sl_axes_text(value->items[i], arena);
        if (!item)
            return NULL;
        text = sl_arena_printf(arena, "%s%s%s%s%s", text, i ? ", " : "", map ? value->keys[i] : "",
                               map ? ": " : "", item);
    }
    return text ? sl_arena_printf(arena, "%s%s", text, map ? "}" : "]") : NULL;
}

const struct sl_policy_spec *sl_axes_policy(const struct sl_scenario *scenario,
                                            const struct sl_policy_spec *policy,
                                            const uint32_t *choice, bool *applied,
                                            struct sl_arena *arena)
{
    for (uint32_t a = 0; a < scenario->axis_count; a++)
        applied[a] = choice[a] != SL_NONE && !sl_axes_policy_key(scenario->axes[a].path);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t a = 0; a < scenario->axis_count; a++) {
            const struct sl_axis *axis = &scenario->axes[a];
            const char *key = sl_axes_policy_key(axis->path);
            if (applied[a] || choice[a] == SL_NONE || !sl_policy_uses(policy, key))
                continue;
            const char *value = sl_axes_text(axis->values[choice[a]], arena);
            policy = value ? sl_policy_with(policy, key, value, arena) : NULL;
            if (!policy)
                return NULL;
            applied[a] = changed = true;
        }
    }
    return policy;
}

bool sl_axes_used(const struct sl_axes_table *table, uint32_t axis)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (sl_axes_choice(table, i)[axis] != SL_NONE)
            return true;
    return false;
}

/* Settings of the axes, the last one fastest; false after the last. */
static bool next_setting(const struct sl_scenario *scenario, uint32_t *choice)
{
    for (uint32_t a = scenario->axis_count; a-- > 0;) {
        if (choice[a] == SL_NONE)
            continue;
        if (++choice[a] < scenario->axes[a].value_count)
            return true;
        choice[a] = 0;
    }
    return false;
}

/* Appends the policy's cell at a setting, unless an axis that does not apply to it is past its
 * first value: that cell is there already. */
static enum sl_status add_cell(struct sl_axes_table *table, const struct sl_scenario *scenario,
                               uint32_t policy, const uint32_t *choice, bool *applied,
                               struct sl_arena *arena, struct sl_error *err)
{
    struct sl_arena scratch = {0};
    const struct sl_policy_spec *spec = &scenario->policies[policy];
    bool made = sl_axes_policy(scenario, spec, choice, applied, &scratch) != NULL;
    sl_arena_free(&scratch);
    if (!made)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t a = 0; a < scenario->axis_count; a++)
        if (!applied[a] && choice[a] != SL_NONE && choice[a] > 0)
            return SL_OK;
    uint32_t i = table->count++;
    const char **texts = sl_arena_array(arena, (size_t)scenario->axis_count + 1, sizeof *texts);
    if (!texts)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t a = 0; a < scenario->axis_count; a++) {
        table->choices[(size_t)i * table->axis_count + a] = applied[a] ? choice[a] : SL_NONE;
        texts[a] = applied[a] ? sl_axes_text(scenario->axes[a].values[choice[a]], arena) : "";
        if (!texts[a])
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
    }
    table->policies[i] = policy;
    table->specs[i] = (struct sl_cell_spec){
        .index = i,
        .policy = sl_arena_strdup(arena, spec->name),
        .axis_texts = texts,
        .axis_count = scenario->axis_count,
    };
    return table->specs[i].policy ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

static enum sl_status no_policy(const struct sl_scenario *scenario, const char *name,
                                struct sl_error *err)
{
    struct sl_arena arena = {0};
    char message[512];
    const char **words = sl_arena_array(&arena, (size_t)scenario->policy_count + 1, sizeof *words);
    snprintf(message, sizeof message, "no policy is named '%.200s'", name);
    if (words) {
        for (uint32_t p = 0; p < scenario->policy_count; p++)
            words[p] = scenario->policies[p].name;
        sl_suggest(message, sizeof message, name, words, scenario->policy_count);
    }
    sl_arena_free(&arena);
    return SL_FAIL(err, SL_USAGE, "%s", message);
}

/* The indices of the policies to run. */
static enum sl_status choose_policies(const struct sl_scenario *scenario,
                                      const struct sl_sweep_request *request,
                                      struct sl_arena *arena, uint32_t **chosen, uint32_t *count,
                                      struct sl_error *err)
{
    *count = request->policy_count ? request->policy_count : scenario->policy_count;
    *chosen = sl_arena_array(arena, (size_t)*count + 1, sizeof **chosen);
    if (!*chosen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < *count; i++) {
        const char *name = request->policy_count ? request->policies[i] : NULL;
        uint32_t p = name ? 0 : i;
        while (name && p < scenario->policy_count && strcmp(scenario->policies[p].name, name) != 0)
            p++;
        if (p == scenario->policy_count)
            return no_policy(scenario, name, err);
        (*chosen)[i] = p;
    }
    return SL_OK;
}

/* An upper bound on the number of cells: every policy at every setting. */
static enum sl_status count_settings(const struct sl_scenario *scenario, bool no_axes,
                                     uint32_t policies, uint64_t *count, struct sl_error *err)
{
    *count = policies;
    for (uint32_t a = 0; a < scenario->axis_count && !no_axes; a++) {
        const struct sl_axis *axis = &scenario->axes[a];
        if (*count > SL_MAX_CELLS / axis->value_count)
            return SL_FAIL_AT(err, SL_INVALID, axis->place,
                              "the sweep has more than %d cells (%" PRIu32 " axes and %" PRIu32
                              " policies); use fewer values",
                              SL_MAX_CELLS, scenario->axis_count, policies);
        *count *= axis->value_count;
    }
    return SL_OK;
}

enum sl_status sl_axes_cells(struct sl_axes_table *table, const struct sl_scenario *scenario,
                             const struct sl_sweep_request *request, struct sl_arena *arena,
                             struct sl_error *err)
{
    *table = (struct sl_axes_table){.axis_count = scenario->axis_count};
    uint32_t *chosen, chosen_count;
    uint64_t most = 0;
    enum sl_status status = choose_policies(scenario, request, arena, &chosen, &chosen_count, err);
    if (status == SL_OK)
        status = count_settings(scenario, request->no_axes, chosen_count, &most, err);
    if (status != SL_OK)
        return status;
    size_t axes = (size_t)scenario->axis_count + 1;
    table->specs = sl_arena_array(arena, (size_t)most + 1, sizeof *table->specs);
    table->policies = sl_arena_array(arena, (size_t)most + 1, sizeof *table->policies);
    table->choices = sl_arena_array(arena, (size_t)most + 1, axes * sizeof *table->choices);
    uint32_t *choice = sl_arena_array(arena, axes, sizeof *choice);
    bool *applied = sl_arena_array(arena, axes, sizeof *applied);
    if (!table->specs || !table->policies || !table->choices || !choice || !applied)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %" PRIu64 " cells", most);
    for (uint32_t a = 0; a < scenario->axis_count; a++)
        choice[a] = request->no_axes ? SL_NONE : 0;
    do {
        for (uint32_t i = 0; i < chosen_count && status == SL_OK; i++)
            status = add_cell(table, scenario, chosen[i], choice, applied, arena, err);
    } while (status == SL_OK && next_setting(scenario, choice));
    return status;
}
