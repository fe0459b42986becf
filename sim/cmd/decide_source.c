/* From a results folder back to the scenario that it was made from, at one point of its axes. */
#include "config.h"

#include "axes.h"
#include "decide_source.h"
#include "fields.h"
#include "grouping.h"
#include "outfile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *command_name(const struct sl_decide_source *source)
{
    return source->session->command->name;
}

static struct sl_arena *arena_of(struct sl_decide_source *source)
{
    return &source->session->args.arena;
}

static enum sl_status no_memory(struct sl_error *err)
{
    return SL_FAIL(err, SL_SYSTEM, "out of memory");
}

/* ---- the folder ---------------------------------------------------------------------------------
 */

static bool has_file(const char *dir, const char *name)
{
    char path[4096];
    return snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

static enum sl_status read_frame(struct sl_frame *frame, const char *dir, const char *name,
                                 struct sl_error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return sl_frame_read(frame, path, NULL, 0, err);
}

/* What a manifest notes of how its cells were run, besides what they are. */
static bool is_how(const char *text)
{
    static const char *const words[] = {"no-axes", "race"};
    static const char *const heads[] = {
        "map refine=", "until=", "search-trials=", "budget=", "evaluations="};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (strncmp(text, heads[i], strlen(heads[i])) == 0)
            return true;
    return false;
}

/* The settings of the manifest are what the command line of then said. */
static enum sl_status take_settings(struct sl_decide_source *source, struct sl_error *err)
{
    const struct sl_manifest *manifest = &source->manifest;
    struct sl_run_args *args = &source->session->args;
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; status == SL_OK && i < manifest->setting_count; i++) {
        const char *text = manifest->settings[i];
        if (is_how(text))
            continue;
        if (strncmp(text, "policy=", 7) == 0)
            status = sl_run_args_take(args, 'p', text + 7, err);
        else if (strncmp(text, "axis=", 5) == 0)
            status = sl_run_args_take(args, SL_KEY_AXIS, text + 5, err);
        else
            status = sl_run_args_take(args, SL_KEY_SET, text, err);
    }
    return status;
}

/* With --until cells have as many trials as they took, and the manifest what was allowed. */
static uint32_t most_trials(const struct sl_decide_source *source)
{
    double most = 0;
    for (uint32_t row = 0; row < source->summary.row_count; row++)
        most = fmax(most, sl_frame_number_of(&source->summary, row, "trials"));
    return most >= 1 && most < source->manifest.trials ? (uint32_t)most : source->manifest.trials;
}

static bool manifest_says(const struct sl_manifest *manifest, const char *setting)
{
    for (uint32_t i = 0; i < manifest->setting_count; i++)
        if (strcmp(manifest->settings[i], setting) == 0)
            return true;
    return false;
}

/* What lies in the folder of the manifest's inputs is what the results were made from. */
static bool is_scenario(struct sl_decide_source *source, const char *folder)
{
    const struct sl_manifest *manifest = &source->manifest;
    uint32_t found = 0;
    for (uint32_t i = 0; i < manifest->input_count; i++) {
        const char *file = sl_path_join(arena_of(source), folder, manifest->input_paths[i]);
        struct sl_error ignored = {0};
        char hex[65];
        if (!file || access(file, F_OK) != 0)
            continue;
        if (sl_file_sha256(file, hex, &ignored) != SL_OK ||
            strcmp(hex, manifest->input_hashes[i]) != 0)
            return false;
        found++;
    }
    return found > 0;
}

/* As given then, or seen from the results, which may have moved together with it. */
static enum sl_status find_scenario(struct sl_decide_source *source, struct sl_error *err)
{
    const struct sl_manifest *manifest = &source->manifest;
    const char *from = manifest->folder_from_results;
    const char *moved = from ? sl_path_join(arena_of(source), source->path, from) : NULL;
    if (from && !moved)
        return no_memory(err);
    source->scenario = source->folder ? source->folder : manifest->folder;
    if (source->folder || is_scenario(source, manifest->folder))
        return SL_OK;
    if (moved && is_scenario(source, moved)) {
        source->scenario = moved;
        return SL_OK;
    }
    if (access(manifest->folder, F_OK) == 0)
        return SL_OK; /* sl_decide_source_check names the file that has changed */
    return SL_FAIL(err, SL_INVALID,
                   "the scenario '%s' of the results is not there: looked for it in '%s'%s%s%s; "
                   "--scenario DIR says where it is",
                   manifest->scenario, manifest->folder, moved ? " and in '" : "",
                   moved ? moved : "", moved ? "'" : "");
}

static enum sl_status read_results(struct sl_decide_source *source, struct sl_error *err)
{
    struct sl_manifest *manifest = &source->manifest;
    enum sl_status status = sl_manifest_read(manifest, source->path, err);
    if (status != SL_OK)
        return status;
    if (!manifest->finished)
        return SL_FAIL(err, SL_INVALID, "%s is not finished; 'sweep --resume' completes it",
                       source->path);
    if (!source->folder && !manifest->folder)
        return SL_FAIL(err, SL_USAGE,
                       "the manifest of %s does not say where its scenario is; --scenario DIR does",
                       source->path);
    if (source->session->args.override_count > 0)
        return SL_FAIL(err, SL_USAGE,
                       "--set goes with a scenario; the results have their settings");
    status = find_scenario(source, err);
    if (status != SL_OK)
        return status;
    source->seed = strtoull(manifest->seed, NULL, 10);
    status = read_frame(&source->summary, source->path, "summary.csv", err);
    if (status == SL_OK)
        status = sl_manifest_has_cells(manifest, source->path, &source->summary, err);
    source->trials = most_trials(source);
    if (status == SL_OK && has_file(source->path, "winners.csv"))
        status = read_frame(&source->winners, source->path, "winners.csv", err);
    if (status == SL_OK && has_file(source->path, "policy.yaml")) { /* a search's */
        char *path = sl_arena_printf(arena_of(source), "%s/policy.yaml", source->path);
        if (!path)
            return no_memory(err);
        source->session->more_policies[source->session->more_count++] = path;
    }
    return status == SL_OK ? take_settings(source, err) : status;
}

/* ---- the point ----------------------------------------------------------------------------------
 */

static const char *asked_at(const struct sl_decide_source *source, const char *axis)
{
    size_t length = strlen(axis);
    for (uint32_t i = 0; i < source->at_count; i++)
        if (strncmp(source->at[i], axis, length) == 0 && source->at[i][length] == '=')
            return source->at[i] + length + 1;
    return NULL;
}

static enum sl_status several(const struct sl_axis *axis, const char *asked, const char *own,
                              struct sl_arena *arena, struct sl_error *err)
{
    const char *list = "";
    for (uint32_t v = 0; v < axis->value_count && list; v++)
        list = sl_arena_printf(arena, "%s%s%s", list, v > 0 ? ", " : "",
                               sl_axes_text(axis->values[v], arena));
    if (!list)
        return no_memory(err);
    if (asked)
        return SL_FAIL(err, SL_USAGE, "--at %s=%s: no such point (allowed: %s)", axis->path, asked,
                       list);
    return SL_FAIL(err, SL_USAGE,
                   "the results have several points, and a decision is about one: choose it with "
                   "--at %s=VALUE (allowed: %s); the scenario's own value, %s, is none of them",
                   axis->path, list, own ? own : "which it does not state");
}

/* The scenario's own value of an axis: of the last setting that names it, else of its file; NULL.
 */
static const char *own_value(struct sl_decide_source *source, const char *axis)
{
    const struct sl_run_args *args = &source->session->args;
    struct sl_arena *arena = arena_of(source);
    struct sl_error ignored = {0};
    struct sl_yaml *root = NULL;
    for (uint32_t i = args->override_count; i-- > 0;)
        if (strcmp(args->overrides[i].path, axis) == 0)
            return sl_axes_text(args->overrides[i].value, arena);
    const char *file = has_file(source->scenario, "scenario.yaml")
                           ? sl_arena_printf(arena, "%s/scenario.yaml", source->scenario)
                           : source->scenario;
    if (!file || sl_yaml_read(file, arena, &root, &ignored) != SL_OK)
        return NULL;
    const struct sl_yaml *value = sl_yaml_find(root, axis);
    return value ? sl_axes_text(value, arena) : NULL;
}

static enum sl_status choose(struct sl_decide_source *source, const struct sl_axis *axis,
                             uint32_t index, struct sl_error *err)
{
    struct sl_arena *arena = arena_of(source);
    const char *asked = asked_at(source, axis->path), *own = NULL;
    if (!asked && axis->value_count > 1 && !sl_axis_is_policys(axis->path))
        own = own_value(source, axis->path);
    uint32_t chosen = SL_NONE, kept = 0;
    struct sl_yaml **values =
        sl_arena_array(arena, (size_t)axis->value_count + 1, sizeof(struct sl_yaml *));
    if (!values)
        return no_memory(err);
    for (uint32_t v = 0; v < axis->value_count; v++) {
        const char *text = sl_axes_text(axis->values[v], arena);
        if (!text)
            return no_memory(err);
        if (asked ? strcmp(text, asked) == 0 : own && strcmp(text, own) == 0)
            chosen = v;
    }
    bool open = sl_axis_is_policys(axis->path) && !asked;
    if (!open && !asked && axis->value_count == 1)
        chosen = 0;
    if (!open && chosen == SL_NONE)
        return several(axis, asked, own, arena, err);
    for (uint32_t v = 0; v < axis->value_count; v++)
        if (open || v == chosen)
            values[kept++] = axis->values[v];
    if (!asked && own)
        fprintf(stderr,
                "slackline decide: at %s=%s, the scenario's own value; --at chooses another\n",
                axis->path, own);
    source->axis_paths[index] = sl_arena_strdup(arena, axis->path);
    source->axis_values[index] = values;
    source->point_texts[index] = open ? NULL : sl_axes_text(axis->values[chosen], arena);
    return source->axis_paths[index] && (open || source->point_texts[index]) ? SL_OK
                                                                             : no_memory(err);
}

static enum sl_status no_such_axis(const struct sl_scenario *scenario, const char *at,
                                   struct sl_error *err)
{
    char hint[256] = "", wanted[128];
    const char **paths = calloc(scenario->axis_count + 1, sizeof *paths);
    for (uint32_t a = 0; paths && a < scenario->axis_count; a++)
        paths[a] = scenario->axes[a].path;
    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(at, "="), at);
    if (paths && scenario->axis_count > 0)
        sl_suggest(hint, sizeof hint, wanted, paths, scenario->axis_count);
    free(paths);
    return SL_FAIL(err, SL_USAGE, "--at %s: the results have no such axis%s", at, hint);
}

static enum sl_status check_at(const struct sl_decide_source *source,
                               const struct sl_scenario *scenario, struct sl_error *err)
{
    for (uint32_t i = 0; i < source->at_count; i++) {
        size_t length = strcspn(source->at[i], "=");
        bool known = false;
        for (uint32_t a = 0; a < scenario->axis_count; a++)
            known |= strlen(scenario->axes[a].path) == length &&
                     strncmp(scenario->axes[a].path, source->at[i], length) == 0;
        if (!known)
            return no_such_axis(scenario, source->at[i], err);
    }
    return SL_OK;
}

/* The values belong to a scenario that is freed: they are read anew from their texts.  Those of an
 * axis are single ones. */
static struct sl_yaml *copy_value(struct sl_decide_source *source, const struct sl_yaml *value)
{
    struct sl_yaml *copy = sl_arena_alloc(arena_of(source), sizeof *copy);
    const char *text = sl_axes_text(value, arena_of(source));
    if (!copy || !text)
        return NULL;
    *copy = (struct sl_yaml){.type = SL_YAML_SCALAR, .place = {.file = "sweep"}, .text = text};
    return copy;
}

/* The axes of the point become the override `sweep`, as --axis does. */
static enum sl_status override_sweep(struct sl_decide_source *source, struct sl_error *err)
{
    struct sl_run_args *args = &source->session->args;
    struct sl_arena *arena = arena_of(source);
    if (!args->axes) {
        if (args->override_count == SL_MAX_SETTINGS)
            return SL_FAIL(err, SL_USAGE, "too many settings");
        args->axes = sl_arena_alloc(arena, sizeof *args->axes);
        if (!args->axes)
            return no_memory(err);
        args->overrides[args->override_count++] =
            (struct sl_override){.path = "sweep", .value = args->axes};
    }
    *args->axes = (struct sl_yaml){.type = SL_YAML_MAP, .place = {.file = "sweep"}};
    for (uint32_t a = 0; a < source->axis_count; a++) {
        struct sl_yaml *list = sl_arena_alloc(arena, sizeof *list);
        if (!list)
            return no_memory(err);
        *list = (struct sl_yaml){
            .type = SL_YAML_LIST, .place = {.file = "sweep"}, .items = source->axis_values[a]};
        while (list->items[list->count])
            list->count++;
        enum sl_status status = sl_yaml_put(args->axes, source->axis_paths[a], list, arena, err);
        if (status != SL_OK)
            return status;
    }
    return SL_OK;
}

/* What is looked at besides the cells is the scenario at the point, too. */
static enum sl_status override_point(struct sl_decide_source *source, struct sl_error *err)
{
    struct sl_run_args *args = &source->session->args;
    for (uint32_t a = 0; a < source->axis_count; a++) {
        if (sl_axis_is_policys(source->axis_paths[a]))
            continue;
        if (args->override_count == SL_MAX_SETTINGS)
            return SL_FAIL(err, SL_USAGE, "too many settings");
        args->overrides[args->override_count++] =
            (struct sl_override){.path = source->axis_paths[a], .value = source->axis_values[a][0]};
    }
    return SL_OK;
}

static enum sl_status settle_point(struct sl_decide_source *source,
                                   const struct sl_scenario *scenario, struct sl_error *err)
{
    struct sl_arena *arena = arena_of(source);
    bool no_axes = source->is_results && manifest_says(&source->manifest, "no-axes");
    uint32_t count = no_axes ? 0 : scenario->axis_count;
    source->axis_paths = sl_arena_array(arena, (size_t)count + 1, sizeof *source->axis_paths);
    source->axis_values = sl_arena_array(arena, (size_t)count + 1, sizeof *source->axis_values);
    source->point_texts = sl_arena_array(arena, (size_t)count + 1, sizeof *source->point_texts);
    if (!source->axis_paths || !source->axis_values || !source->point_texts)
        return no_memory(err);
    source->axis_count = count;
    enum sl_status status = check_at(source, scenario, err);
    for (uint32_t a = 0; status == SL_OK && a < count; a++)
        status = choose(source, &scenario->axes[a], a, err);
    for (uint32_t a = 0; status == SL_OK && a < count; a++)
        for (struct sl_yaml **value = source->axis_values[a]; status == SL_OK && *value; value++) {
            *value = copy_value(source, *value);
            status = *value ? SL_OK : no_memory(err);
        }
    if (status == SL_OK && scenario->axis_count > 0)
        status = override_sweep(source, err);
    return status == SL_OK ? override_point(source, err) : status;
}

static enum sl_status load_axes(struct sl_decide_source *source, struct sl_error *err)
{
    const struct sl_run_args *args = &source->session->args;
    struct sl_scenario scenario = {0};
    struct sl_diags diags = {0};
    enum sl_status status = sl_scenario_load(&scenario, source->scenario, args->overrides,
                                             args->override_count, &diags, err);
    if (status == SL_NO) /* told when the session opens */
        status = SL_OK;
    if (status == SL_OK) {
        if (err)
            *err = (struct sl_error){0};
        if (!source->is_results) {
            source->seed = args->options.seed_given ? args->options.seed : scenario.seed;
            source->trials = scenario.trials;
        }
        status = settle_point(source, &scenario, err);
    } else if (diags.errors > 0) {
        sl_diags_print(&diags, stderr);
    }
    sl_diags_free(&diags);
    sl_scenario_free(&scenario);
    return status;
}

enum sl_status sl_decide_source_open(struct sl_decide_source *source)
{
    struct sl_error err = {0};
    enum sl_status status = SL_OK;
    source->is_results = has_file(source->path, "manifest.json");
    source->scenario = source->path;
    if (source->is_results)
        status = read_results(source, &err);
    if (status == SL_OK)
        status = load_axes(source, &err);
    if (status != SL_OK)
        sl_report_error(command_name(source), &err);
    return status;
}

enum sl_status sl_decide_source_check(const struct sl_decide_source *source, struct sl_error *err)
{
    const struct sl_manifest *manifest = &source->manifest;
    const struct sl_platform *platform = &source->session->scenario.platform;
    if (!source->is_results)
        return SL_OK;
    /* Files of policies that a search found came after its manifest. */
    bool found = source->session->more_count > 0;
    if (found ? platform->input_count < manifest->input_count
              : platform->input_count != manifest->input_count)
        return SL_FAIL(err, SL_INVALID, "%s was made from %u input files, and the scenario has %u",
                       source->path, manifest->input_count, platform->input_count);
    for (uint32_t i = 0; i < manifest->input_count; i++) {
        char hex[65];
        enum sl_status status = sl_file_sha256(platform->input_files[i], hex, err);
        if (status != SL_OK)
            return status;
        if (strcmp(hex, manifest->input_hashes[i]) != 0)
            return SL_FAIL_AT(err, SL_INVALID, ((struct sl_place){platform->input_files[i], 0, 0}),
                              "the file has changed since %s was made: sweep again", source->path);
    }
    return SL_OK;
}

void sl_decide_source_free(struct sl_decide_source *source)
{
    sl_manifest_free(&source->manifest);
    sl_frame_free(&source->summary);
    sl_frame_free(&source->winners);
}
