/* manifest.json: written through YAJL's generator, read through its tree. */
#include "config.h"

#include "engine_csv.h"
#include "isa.h"
#include "json_out.h"
#include "json_tree.h"
#include "manifest.h"
#include "outfile.h"
#include "paths.h"
#include "result_parts.h"
#include "standings.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MANIFEST_FORMAT "1"

static uint64_t request_seed(const struct sl_results_request *request)
{
    return request->options->seed_given ? request->options->seed : request->scenario->seed;
}

static uint32_t request_trials(const struct sl_results_request *request)
{
    return sl_asked_trials(request->options, request->scenario);
}

/* Inputs are named from the scenario's folder, so that two checkouts make the same manifest. */
static const char *input_name(const struct sl_results_request *request, uint32_t index)
{
    const char *path = request->scenario->platform.input_files[index];
    const char *dir = request->scenario->dir;
    size_t length = dir ? strlen(dir) : 0;
    if (length > 0 && strncmp(path, dir, length) == 0 && path[length] == '/')
        return path + length + 1;
    return path;
}

static enum sl_status put_inputs(yajl_gen gen, const struct sl_results_request *request,
                                 struct sl_error *err)
{
    const struct sl_platform *platform = &request->scenario->platform;
    sl_json_open_array(gen, "inputs");
    for (uint32_t i = 0; i < platform->input_count; i++) {
        char hex[65];
        enum sl_status status = sl_file_sha256(platform->input_files[i], hex, err);
        if (status != SL_OK)
            return status;
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "path", input_name(request, i));
        sl_json_text(gen, "sha256", hex);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    return SL_OK;
}

static void put_lists(yajl_gen gen, const struct sl_results_request *request)
{
    const struct sl_scenario *scenario = request->scenario;
    sl_json_open_array(gen, "settings");
    for (size_t i = 0; i < request->setting_count; i++)
        sl_json_text(gen, NULL, request->settings[i]);
    yajl_gen_array_close(gen);
    sl_json_open_array(gen, "policies");
    for (uint32_t i = 0; i < scenario->policy_count; i++)
        sl_json_text(gen, NULL, scenario->policies[i].name);
    yajl_gen_array_close(gen);
    sl_json_open_array(gen, "axes");
    for (uint32_t i = 0; i < scenario->axis_count; i++)
        sl_json_text(gen, NULL, scenario->axes[i].path);
    yajl_gen_array_close(gen);
    sl_json_open_array(gen, "domains");
    for (uint32_t i = 0; i < scenario->platform.domain_names.count; i++)
        sl_json_text(gen, NULL, scenario->platform.domain_names.names[i]);
    yajl_gen_array_close(gen);
}

/* What was asked for: with --until, the summary has what each cell took. */
static void put_trials(yajl_gen gen, const struct sl_results_request *request)
{
    const struct sl_until *until = &request->options->until;
    bool asked = until->width > 0;
    sl_json_integer(gen, asked ? "most_trials" : "trials", request_trials(request));
    if (asked)
        sl_json_text(gen, "until", until->text);
}

/* Cells by the way in which the engine ran their trials, and its vector instructions: neither shows
 * in the figures. */
static enum sl_status put_engine(yajl_gen gen, const char *dir, struct sl_error *err)
{
    struct sl_engine_ways ways;
    enum sl_status status = sl_engine_count(dir, &ways, err);
    if (status != SL_OK)
        return status;
    sl_json_open_map(gen, "engine");
    sl_json_integer(gen, "fixed-order", ways.fixed_order);
    sl_json_integer(gen, "events", ways.events);
    sl_json_text(gen, "vectors", sl_isa_name(sl_isa()));
    yajl_gen_map_close(gen);
    return SL_OK;
}

/* As given, and seen from the results: the two may move together. */
static enum sl_status put_folder(yajl_gen gen, const char *dir, const struct sl_scenario *scenario,
                                 struct sl_error *err)
{
    struct sl_arena arena = {0};
    const char *from = NULL;
    bool good = !scenario->dir || sl_path_from(&arena, dir, scenario->dir, &from);
    sl_json_text(gen, "folder", scenario->dir);
    if (scenario->dir)
        sl_json_text(gen, "folder_from_results", from);
    sl_arena_free(&arena);
    return good ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

static enum sl_status put_manifest(yajl_gen gen, const char *dir,
                                   const struct sl_results_request *request, bool finished,
                                   uint32_t cells, struct sl_error *err)
{
    const struct sl_scenario *scenario = request->scenario;
    char seed[24], date[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(seed, sizeof seed, "%" PRIu64, request_seed(request));
    sl_json_open_map(gen, NULL);
    sl_json_raw_number(gen, "format", MANIFEST_FORMAT);
    sl_json_text(gen, "tool", "slackline");
    sl_json_text(gen, "version", PACKAGE_VERSION);
    sl_json_bool(gen, "finished", finished);
    sl_json_text(gen, "date", date);
    sl_json_text(gen, "command", request->command_line);
    sl_json_text(gen, "scenario", scenario->name);
    enum sl_status status = put_folder(gen, dir, scenario, err);
    if (status != SL_OK)
        return status;
    sl_json_raw_number(gen, "seed", seed);
    snprintf(seed, sizeof seed, "%" PRIu64, sl_fresh_seed(request_seed(request)));
    sl_json_raw_number(gen, "fresh_seed", seed);
    put_trials(gen, request);
    if (scenario->outer > 0) {
        sl_json_integer(gen, "outer_draws", scenario->outer);
        sl_json_integer(gen, "inner_trials",
                        sl_outer_inner(request_trials(request), scenario->objective.tail));
        sl_json_text(gen, "law",
                     "two-piece lognormal: the figure is its median, the ends of its interval are "
                     "its 2.5% and 97.5% points");
    }
    sl_json_text(gen, "metric", sl_metric_name(scenario));
    sl_json_number(gen, "tail_quantile", scenario->objective.tail);
    sl_json_text(gen, "baseline", scenario->baseline);
    sl_json_text(gen, "busy_resource",
                 scenario->objective.busy == SL_NONE
                     ? NULL
                     : scenario->platform.resource_names.names[scenario->objective.busy]);
    put_lists(gen, request);
    status = put_inputs(gen, request, err);
    if (finished) {
        sl_json_integer(gen, "cells", cells);
        status = status == SL_OK ? put_engine(gen, dir, err) : status;
    }
    yajl_gen_map_close(gen);
    return status;
}

enum sl_status sl_manifest_write(const char *dir, const struct sl_results_request *request,
                                 bool finished, uint32_t cells, struct sl_error *err)
{
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = put_manifest(gen, dir, request, finished, cells, err);
    struct sl_outfile file;
    if (status == SL_OK)
        status = sl_outfile_open_in(&file, dir, "manifest.json", err);
    if (status != SL_OK) {
        sl_json_drop(gen);
        return status;
    }
    status = sl_json_finish(gen, file.stream, err);
    if (status == SL_OK)
        status = sl_outfile_commit(&file, err);
    else
        sl_outfile_abandon(&file);
    return status;
}

/* What is there under the key in the form wanted; NULL where it is not, or null. */
static const struct sl_yaml *find(const struct sl_yaml *map, const char *key,
                                  enum sl_yaml_type type)
{
    const struct sl_yaml *value = map && map->type == SL_YAML_MAP ? sl_yaml_get(map, key) : NULL;
    return value && value->type == type ? value : NULL;
}

static const char *read_text(const struct sl_yaml *map, const char *key)
{
    const struct sl_yaml *value = find(map, key, SL_YAML_SCALAR);
    return value ? value->text : NULL;
}

/* The texts of a list, or of the member `member` of each of its maps. */
static const char **read_list(struct sl_manifest *manifest, const struct sl_yaml *map,
                              const char *key, const char *member, uint32_t *count)
{
    const struct sl_yaml *list = find(map, key, SL_YAML_LIST);
    uint32_t length = list ? list->count : 0;
    const char **texts = sl_arena_array(&manifest->arena, (size_t)length + 1, sizeof *texts);
    if (!texts)
        return NULL;
    for (uint32_t i = 0; i < length; i++) {
        const struct sl_yaml *item = list->items[i];
        if (member)
            item = find(item, member, SL_YAML_SCALAR);
        texts[i] = item && item->type == SL_YAML_SCALAR ? item->text : "";
    }
    *count = length;
    return texts;
}

static bool read_tree(struct sl_manifest *manifest, const struct sl_yaml *root)
{
    const char *format = read_text(root, "format"), *finished = read_text(root, "finished");
    if (!format || strcmp(format, MANIFEST_FORMAT) != 0)
        return false;
    manifest->finished = finished && strcmp(finished, "true") == 0;
    manifest->version = read_text(root, "version");
    manifest->scenario = read_text(root, "scenario");
    manifest->folder = read_text(root, "folder");
    manifest->folder_from_results = read_text(root, "folder_from_results");
    manifest->command = read_text(root, "command");
    manifest->seed = read_text(root, "seed");
    manifest->metric = read_text(root, "metric");
    manifest->baseline = read_text(root, "baseline");
    manifest->busy = read_text(root, "busy_resource");
    const char *trials = read_text(root, "trials");
    if (!trials)
        trials = read_text(root, "most_trials");
    manifest->trials = trials ? (uint32_t)strtoul(trials, NULL, 10) : 0;
    const char *cells = read_text(root, "cells");
    manifest->cells = cells ? (uint32_t)strtoul(cells, NULL, 10) : 0;
    const char *tail = read_text(root, "tail_quantile");
    manifest->tail_quantile = tail ? strtod(tail, NULL) : 0.99;
    manifest->settings = read_list(manifest, root, "settings", NULL, &manifest->setting_count);
    manifest->policies = read_list(manifest, root, "policies", NULL, &manifest->policy_count);
    manifest->axes = read_list(manifest, root, "axes", NULL, &manifest->axis_count);
    manifest->domains = read_list(manifest, root, "domains", NULL, &manifest->domain_count);
    uint32_t hashes = 0;
    manifest->input_paths = read_list(manifest, root, "inputs", "path", &manifest->input_count);
    manifest->input_hashes = read_list(manifest, root, "inputs", "sha256", &hashes);
    return manifest->version && manifest->scenario && manifest->seed && manifest->metric &&
           manifest->settings && manifest->policies && manifest->axes && manifest->domains &&
           manifest->input_paths && manifest->input_hashes && hashes == manifest->input_count;
}

/* null is how a manifest says that there is no such thing. */
static const struct sl_diag *fault_of(const struct sl_diags *diags)
{
    for (uint32_t i = 0; i < diags->count; i++)
        if (strcmp(diags->items[i].code, "null-value") != 0)
            return &diags->items[i];
    return NULL;
}

enum sl_status sl_manifest_read(struct sl_manifest *manifest, const char *dir, struct sl_error *err)
{
    *manifest = (struct sl_manifest){0};
    const char *path = sl_arena_printf(&manifest->arena, "%s/manifest.json", dir);
    if (!path)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    struct sl_error local = {0};
    struct sl_diags diags = {0};
    struct sl_yaml *root = NULL;
    enum sl_status status = sl_json_tree_read(path, &manifest->arena, &root, &diags, &local);
    const struct sl_diag *fault = fault_of(&diags);
    bool starved = diags.out_of_memory || local.status == SL_SYSTEM;
    if (status == SL_OK && !fault && !starved && !read_tree(manifest, root))
        (void)SL_FAIL(&local, SL_INVALID, "a key is missing, or of another version");
    starved |= manifest->arena.starved;
    if (!sl_manifest_is_there(dir))
        status = SL_FAIL(err, local.status ? local.status : SL_INVALID,
                         "'%s' is not a results folder: %s", dir, local.message);
    else if (starved)
        status = SL_FAIL(err, SL_SYSTEM, "%s: %s", path,
                         local.status == SL_SYSTEM ? local.message : "out of memory");
    else if (fault || local.status != SL_OK)
        status = SL_FAIL(err, SL_INVALID, "%s is not a manifest of this version: %.200s", path,
                         fault ? fault->message : local.message);
    sl_diags_free(&diags);
    return status;
}

/* Rows stand in the order of cells. */
enum sl_status sl_manifest_has_cells(const struct sl_manifest *manifest, const char *dir,
                                     const struct sl_frame *summary, struct sl_error *err)
{
    if (summary->row_count != manifest->cells)
        return SL_FAIL(err, SL_INVALID, "%s: %u cells in the manifest, %u in summary.csv", dir,
                       manifest->cells, summary->row_count);
    for (uint32_t row = 0; row < summary->row_count; row++) {
        double cell = sl_frame_number_of(summary, row, "cell");
        if (!(cell == row))
            return SL_FAIL(err, SL_INVALID,
                           "%s: row %u of summary.csv is cell %g; each of the %u cells of the "
                           "manifest has one row, in order",
                           dir, row + 1, cell, manifest->cells);
    }
    return SL_OK;
}

bool sl_manifest_is_there(const char *dir)
{
    char path[4096 + 32];
    snprintf(path, sizeof path, "%.4096s/manifest.json", dir);
    return access(path, F_OK) == 0;
}

void sl_manifest_free(struct sl_manifest *manifest)
{
    sl_arena_free(&manifest->arena);
}

static enum sl_status inputs_match(const struct sl_manifest *manifest,
                                   const struct sl_results_request *request, struct sl_error *err)
{
    const struct sl_platform *platform = &request->scenario->platform;
    if (manifest->input_count != platform->input_count)
        return SL_FAIL(err, SL_USAGE, "the folder was made from %u input files, not %u",
                       manifest->input_count, platform->input_count);
    for (uint32_t i = 0; i < platform->input_count; i++) {
        char hex[65];
        enum sl_status status = sl_file_sha256(platform->input_files[i], hex, err);
        if (status != SL_OK)
            return status;
        if (strcmp(hex, manifest->input_hashes[i]) != 0)
            return SL_FAIL(err, SL_USAGE, "%s is not the file that the folder was made from",
                           input_name(request, i));
    }
    return SL_OK;
}

enum sl_status sl_manifest_matches(const struct sl_manifest *manifest,
                                   const struct sl_results_request *request, struct sl_error *err)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, request_seed(request));
    if (strcmp(manifest->version, PACKAGE_VERSION) != 0)
        return SL_FAIL(err, SL_USAGE, "the folder was made by version %s, not %s",
                       manifest->version, PACKAGE_VERSION);
    if (strcmp(manifest->seed, seed) != 0)
        return SL_FAIL(err, SL_USAGE, "the folder was made with seed %s, not %s", manifest->seed,
                       seed);
    if (manifest->trials != request_trials(request))
        return SL_FAIL(err, SL_USAGE, "the folder was made with %u trials, not %u",
                       manifest->trials, request_trials(request));
    if (manifest->setting_count != request->setting_count)
        return SL_FAIL(err, SL_USAGE, "the folder was made with other --set or --policy options");
    for (size_t i = 0; i < request->setting_count; i++)
        if (strcmp(manifest->settings[i], request->settings[i]) != 0)
            return SL_FAIL(err, SL_USAGE, "the folder was made with '%s', not '%s'",
                           manifest->settings[i], request->settings[i]);
    return inputs_match(manifest, request, err);
}
