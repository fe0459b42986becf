/* A record's decision once more. */
#include "config.h"

#include "decide_parts.h"
#include "grouping.h"
#include "outfile.h"
#include "policy.h"
#include "record_inputs.h"
#include "redecide_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the scenario at the point -----------------------------------------------------------------
 */

/* The value of a policies' axis at a point "prefetch.lookahead=2 reclaim=lazy"; NULL: it has none.
 */
static const char *value_at(struct sl_arena *arena, const char *point, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = point; at && *at;) {
        const char *value = at + length + 1;
        const char *equals = strchr(at, '='), *next = equals ? strchr(equals + 1, '=') : NULL;
        const char *end = next ? next : at + strlen(at);
        while (next && end > at && *end != ' ')
            end--;
        if (equals && (size_t)(equals - at) == length && strncmp(at, key, length) == 0)
            return sl_arena_printf(arena, "%.*s", (int)(end - value), value);
        at = next ? end + 1 : end;
    }
    return NULL;
}

static bool has_text(const struct sl_record_texts *texts, const char *text)
{
    for (uint32_t i = 0; i < texts->count; i++)
        if (strcmp(texts->items[i], text) == 0)
            return true;
    return false;
}

/* "policy.prefetch.lookahead: [1, 2]" with the values that the alternatives have; "" where none has
 * one. */
static const char *values_of(struct sl_redecide *again, const struct sl_record *record,
                             const char *path)
{
    struct sl_record_texts seen = {0};
    const char *text = "";
    for (uint32_t i = 0; text && i < record->alternatives.count; i++) {
        const char *value =
            value_at(&again->arena, record->alternatives.items[i].point, sl_axis_short(path));
        if (!value || has_text(&seen, value))
            continue;
        if (!sl_record_add_text(&again->record, &seen, value))
            return NULL;
        text = sl_arena_printf(&again->arena, "%s%s%s", text, *text ? ", " : "", value);
    }
    return text && *text ? sl_arena_printf(&again->arena, "'%s': [%s]", path, text) : text;
}

/* The axes of the decision as an override of `sweep`; NULL: out of memory. */
static const char *sweep_text(struct sl_redecide *again, const struct sl_record *record,
                              const struct sl_scenario *scenario)
{
    const char *text = "";
    for (uint32_t a = 0; text && a < scenario->axis_count; a++) {
        const char *path = scenario->axes[a].path, *entry = "";
        if (sl_axis_is_policys(path))
            entry = values_of(again, record, path);
        for (uint32_t i = 0; i < record->environment.point.count; i++)
            if (strcmp(record->environment.point.items[i].axis, path) == 0)
                entry = sl_arena_printf(&again->arena, "'%s': [%s]", path,
                                        record->environment.point.items[i].value);
        text = !entry    ? NULL
               : !*entry ? text
                         : sl_arena_printf(&again->arena, "%s%s%s", text, *text ? ", " : "", entry);
    }
    return text ? sl_arena_printf(&again->arena, "sweep={%s}", text) : NULL;
}

static enum sl_status add_override(struct sl_redecide *again, const char *text,
                                   struct sl_error *err)
{
    return text ? sl_override_parse(&again->overrides[again->override_count++], text, &again->arena,
                                    err)
                : sl_decide_no_memory(err);
}

/* Policies that a search has found; a file that is gone or changed is told with the inputs. */
static enum sl_status add_policies(struct sl_redecide *again, const struct sl_record *record,
                                   struct sl_diags *diags, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; status == SL_OK && i < record->inputs.count; i++)
        if (strcmp(record->inputs.items[i].role, SL_RECORD_POLICIES) == 0 &&
            access(record->inputs.items[i].path, F_OK) == 0)
            status = sl_scenario_add_policies(&again->scenario, record->inputs.items[i].path, diags,
                                              err);
    return status;
}

/* Loaded twice: the axes are the scenario's own, and their values the record's. */
static enum sl_status load(struct sl_redecide *again, const struct sl_record *record,
                           struct sl_diags *diags, struct sl_error *err)
{
    const struct sl_record_texts *settings = &record->environment.settings;
    bool good = true;
    const char *device = sl_record_moved_device(record, "scenario", settings, &again->arena, &good);
    again->overrides =
        sl_arena_array(&again->arena, (size_t)settings->count + record->environment.point.count + 3,
                       sizeof *again->overrides);
    enum sl_status status = again->overrides && good ? SL_OK : sl_decide_no_memory(err);
    for (uint32_t i = 0; status == SL_OK && i < settings->count; i++)
        status = add_override(again, settings->items[i], err);
    if (status == SL_OK && device)
        status = add_override(again, device, err);
    /* What is looked at beside the cells is of the machine of the point, too. */
    for (uint32_t i = 0; status == SL_OK && i < record->environment.point.count; i++)
        status = add_override(again,
                              sl_arena_printf(&again->arena, "%s=%s",
                                              record->environment.point.items[i].axis,
                                              record->environment.point.items[i].value),
                              err);
    struct sl_scenario first = {0};
    struct sl_diags said = {0};
    if (status == SL_OK)
        status = sl_scenario_load(&first, record->workload.folder, again->overrides,
                                  again->override_count, &said, err);
    if (status == SL_OK && first.axis_count > 0)
        status = add_override(again, sweep_text(again, record, &first), err);
    if (status == SL_INVALID)
        sl_diags_print(&said, stderr);
    sl_diags_free(&said);
    sl_scenario_free(&first);
    if (status == SL_OK)
        status = sl_scenario_load(&again->scenario, record->workload.folder, again->overrides,
                                  again->override_count, diags, err);
    if (status == SL_OK)
        status = add_policies(again, record, diags, err);
    if (status == SL_OK) {
        sl_policy_check(&again->scenario, diags);
        status = sl_diags_status(diags, err);
    }
    return status;
}

/* ---- inputs ------------------------------------------------------------------------------------
 */

static enum sl_status add_change(struct sl_redecide *again, const struct sl_record_input *input,
                                 const char *before, const char *after, uint32_t room)
{
    if (again->change_count < room)
        again->changes[again->change_count++] =
            (struct sl_redecide_change){input->role, input->path, before, after};
    return SL_OK;
}

/* Whether a file of a scenario has changed, so that nothing can be run. */
static bool is_other_scenario(const struct sl_redecide *again)
{
    for (uint32_t i = 0; i < again->change_count; i++)
        if (strcmp(again->changes[i].role, "scenario") == 0 ||
            strcmp(again->changes[i].role, "baseline") == 0 ||
            strcmp(again->changes[i].role, SL_RECORD_POLICIES) == 0)
            return true;
    return false;
}

/* A file that the record names as the command did: measurements, a reply. */
static enum sl_status check_file(struct sl_redecide *again, const struct sl_record_input *input,
                                 uint32_t room, struct sl_error *err)
{
    char hex[65];
    struct stat what;
    if (stat(input->path, &what) != 0 || !S_ISREG(what.st_mode))
        return add_change(again, input, input->sha256, NULL, room);
    enum sl_status status = sl_file_sha256(input->path, hex, err);
    if (status != SL_OK || strcmp(hex, input->sha256) == 0)
        return status;
    const char *kept = sl_arena_strdup(&again->arena, hex);
    return kept ? add_change(again, input, input->sha256, kept, room) : sl_decide_no_memory(err);
}

static enum sl_status check_inputs(struct sl_redecide *again, const struct sl_record *record,
                                   struct sl_error *err)
{
    uint32_t room = record->inputs.count + again->record.inputs.count;
    again->changes = sl_arena_array(&again->arena, (size_t)room + 1, sizeof *again->changes);
    enum sl_status status = again->changes ? SL_OK : sl_decide_no_memory(err);
    for (uint32_t i = 0; status == SL_OK && i < record->inputs.count; i++) {
        const struct sl_record_input *input = &record->inputs.items[i];
        const struct sl_record_input *now = sl_record_find_input(&again->record, input);
        if (!sl_record_is_scenarios(input))
            status = check_file(again, input, room, err);
        else if (!now || strcmp(now->sha256, input->sha256) != 0)
            status = add_change(again, input, input->sha256, now ? now->sha256 : NULL, room);
    }
    for (uint32_t i = 0; status == SL_OK && i < again->record.inputs.count; i++) {
        const struct sl_record_input *input = &again->record.inputs.items[i];
        if (!sl_record_find_input(record, input))
            status = add_change(again, input, NULL, input->sha256, room);
    }
    return status;
}

/* ---- running -----------------------------------------------------------------------------------
 */

/* The policies of the alternatives, each once, in their order. */
static const char **list_policies(struct sl_redecide *again, const struct sl_record *record,
                                  uint32_t *count)
{
    const char **policies =
        sl_arena_array(&again->arena, (size_t)record->alternatives.count + 1, sizeof *policies);
    *count = 0;
    for (uint32_t i = 0; policies && i < record->alternatives.count; i++) {
        const char *policy = record->alternatives.items[i].policy;
        bool known = false;
        for (uint32_t p = 0; p < *count; p++)
            known |= strcmp(policies[p], policy) == 0;
        if (!known)
            policies[(*count)++] = policy;
    }
    return policies;
}

/* By axis: the selected cell's value of a policies' axis. */
static const char **selected_axes(struct sl_redecide *again, const struct sl_record *record)
{
    const char **values =
        sl_arena_array(&again->arena, (size_t)again->scenario.axis_count + 1, sizeof *values);
    const char *point = NULL;
    for (uint32_t i = 0; i < record->alternatives.count; i++)
        if (strcmp(record->alternatives.items[i].standing, "selected") == 0)
            point = record->alternatives.items[i].point;
    for (uint32_t a = 0; values && a < again->scenario.axis_count; a++)
        if (sl_axis_is_policys(again->scenario.axes[a].path))
            values[a] = value_at(&again->arena, point, sl_axis_short(again->scenario.axes[a].path));
    return values;
}

static enum sl_status prepare(struct sl_redecide *again, const struct sl_record *record,
                              const struct sl_run_options *given, struct sl_error *err)
{
    struct sl_decision *decision = &again->decision;
    struct sl_run_options options = *given;
    uint32_t count;
    options.trials = (uint32_t)record->trials;
    options.seed_given = true;
    options.seed = record->fresh_seed;
    options.nominal = true;
    const char **policies = list_policies(again, record, &count);
    decision->scenario = &again->scenario;
    decision->policy = record->selection.policy;
    decision->policy_axes = selected_axes(again, record);
    decision->within = isnan(record->within) ? 0 : record->within;
    decision->record = &again->record;
    decision->request = (struct sl_sweep_request){.path = record->workload.folder,
                                                  .overrides = again->overrides,
                                                  .override_count = again->override_count,
                                                  .loaded = &again->scenario,
                                                  .policies = policies,
                                                  .policy_count = count,
                                                  .no_axes = again->scenario.axis_count == 0,
                                                  .options = options};
    if (!policies || !decision->policy_axes)
        return sl_decide_no_memory(err);
    if (!record->baseline.present || !record->baseline.scenario) {
        decision->baseline = record->baseline.present ? record->baseline.policy : NULL;
        return SL_OK;
    }
    decision->other = (struct sl_sweep_request){.path = record->baseline.scenario,
                                                .loaded = &again->other,
                                                .policies = &record->baseline.policy,
                                                .policy_count = 1,
                                                .no_axes = true,
                                                .options = options};
    return SL_OK;
}

/* The baseline's scenario, with the settings that it was decided with. */
static enum sl_status load_other(struct sl_redecide *again, const struct sl_record *record,
                                 struct sl_diags *diags, struct sl_error *err)
{
    const struct sl_record_texts *settings = &record->environment.baseline_settings;
    bool good = true;
    const char *device = sl_record_moved_device(record, "baseline", settings, &again->arena, &good);
    uint32_t count = 0;
    struct sl_override *overrides =
        sl_arena_array(&again->arena, (size_t)settings->count + 2, sizeof *overrides);
    enum sl_status status = overrides && good ? SL_OK : sl_decide_no_memory(err);
    for (; status == SL_OK && count < settings->count; count++)
        status = sl_override_parse(&overrides[count], settings->items[count], &again->arena, err);
    if (status == SL_OK && device)
        status = sl_override_parse(&overrides[count++], device, &again->arena, err);
    return status == SL_OK ? sl_scenario_load(&again->other, record->baseline.scenario, overrides,
                                              count, diags, err)
                           : status;
}

static enum sl_status identify(struct sl_redecide *again, const struct sl_record *record,
                               struct sl_diags *diags, struct sl_error *err)
{
    struct sl_record *now = &again->record;
    now->seed = record->seed;
    now->fresh_seed = record->fresh_seed;
    now->trials = record->trials;
    now->selection = record->selection; /* texts are borrowed: both records live as long */
    enum sl_status status = sl_record_identify(now, &again->scenario, record->workload.folder, err);
    for (uint32_t i = 0; i < record->inputs.count; i++)
        if (strcmp(record->inputs.items[i].role, SL_RECORD_POLICIES) == 0)
            sl_record_mark_policies(now, record->inputs.items[i].path);
    now->environment.settings = record->environment.settings;
    now->environment.point = record->environment.point;
    if (status == SL_OK && record->baseline.scenario) {
        status = load_other(again, record, diags, err);
        if (status == SL_OK)
            status = sl_record_add_inputs(now, &again->other, "baseline", err);
    }
    return status;
}

static void compare(struct sl_redecide *again, const struct sl_record *record)
{
    const struct sl_record *now = &again->record;
    struct sl_record_same *same = &again->same;
    sl_record_same(same, "graph", &record->graph, &now->graph, &sl_shape_graph);
    sl_record_same(same, "baseline", &record->baseline, &now->baseline, &sl_shape_schedule);
    sl_record_same(same, "selected", &record->selected, &now->selected, &sl_shape_schedule);
    sl_record_same(same, "projected", &record->projected, &now->projected, &sl_shape_result);
    sl_record_same(same, "policy", &record->policy, &now->policy, &sl_shape_policy);
    sl_record_same(same, "proofs", &record->proofs, &now->proofs, &sl_shape_proofs);
    sl_record_same(same, "fallback", &record->fallback, &now->fallback, &sl_shape_fallback);
    sl_record_same_list(same, "alternatives", &record->alternatives, &now->alternatives,
                        &sl_shape_alternative);
    sl_record_same_list(same, "costs", &record->costs, &now->costs, &sl_shape_cost);
    if (!isnan(record->within)) /* a record of before does not say how far to look */
        sl_record_same_list(same, "falsifiers", &record->falsifiers, &now->falsifiers,
                            &sl_shape_falsifier);
}

enum sl_status sl_redecide(struct sl_redecide *again, const struct sl_record *record,
                           const struct sl_run_options *options, struct sl_diags *diags,
                           struct sl_error *err)
{
    *again = (struct sl_redecide){0};
    sl_record_init(&again->record);
    enum sl_status status = sl_record_check_devices(record, err);
    if (status == SL_OK)
        status = load(again, record, diags, err);
    if (status == SL_OK)
        status = identify(again, record, diags, err);
    if (status == SL_OK)
        status = check_inputs(again, record, err);
    if (status == SL_OK)
        status = sl_record_note_findings(&again->record, diags, err);
    if (status != SL_OK || is_other_scenario(again))
        return status == SL_OK ? SL_NO : status;
    status = prepare(again, record, options, err);
    if (status == SL_OK)
        status = sl_decide_simulate(&again->decision, err);
    if (status == SL_OK) {
        compare(again, record);
        status = sl_redecide_columns(again, record, options, diags, err);
    }
    return status == SL_OK && (*again->same.key || again->change_count > 0) ? SL_NO : status;
}

void sl_redecide_free(struct sl_redecide *again)
{
    sl_decide_free(&again->decision);
    sl_scenario_free(&again->scenario);
    sl_scenario_free(&again->other);
    sl_record_free(&again->record);
    sl_arena_free(&again->arena);
}
