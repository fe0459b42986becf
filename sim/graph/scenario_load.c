/* Loading a scenario folder: the top level of scenario.yaml, and the order of the parts. */
#include <config.h>

#include "keysort.h"
#include "legality.h"
#include "scenario_parts.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const top_keys[] = {
    "name",     "description", "device",  "nodes",     "edges",    "objects",
    "overlap",  "resources",   "domains", "routes",    "costs",    "guards",
    "factors",  "kappa",       "run",     "objective", "baseline", "fallback_baseline",
    "policies", "sweep",       "trials",  "seed",      "scale"};

/* The device, the scenario's own sections over it, and the contention table.  Errors of the system
 * come back; faults are in the diagnostics. */
static enum sl_status load_platform(struct sl_loader *loader)
{
    struct sl_platform *platform = &loader->scenario->platform;
    const struct sl_reader *reader = &loader->reader;
    struct sl_kappa_section section = {0};
    size_t before = reader->diags->errors;
    const char *device;
    struct sl_error err = {0};
    enum sl_status status = SL_OK;
    loader->platform_known = true;
    if (sl_field_text(reader, loader->root, "device", &device)) {
        const char *dir = sl_path_join(reader->arena, reader->base_dir, device);
        status = dir ? sl_device_read(platform, dir, &section, reader->arena, reader->diags, &err)
                     : SL_FAIL(&err, SL_SYSTEM, "out of memory");
        if (status == SL_INVALID && reader->diags->errors == before)
            sl_report_file(loader, "bad-device", sl_yaml_get(loader->root, "device"), "device",
                           &err);
        loader->platform_known = status == SL_OK;
    }
    if (status == SL_SYSTEM)
        goto out;
    loader->routes_known = loader->platform_known;
    err = (struct sl_error){0};
    before = reader->diags->errors;
    status = sl_platform_read(platform, loader->root, reader->base_dir, reader->arena,
                              reader->diags, &err);
    if (status == SL_SYSTEM)
        goto out;
    loader->routes_known &= reader->diags->errors == before;
    sl_platform_settle(platform);
    sl_platform_check(platform, reader->diags);
    const struct sl_yaml *kappa = sl_yaml_get(loader->root, "kappa");
    if (kappa)
        sl_kappa_section_read(platform, reader, kappa, &section);
    before = reader->diags->errors;
    err = (struct sl_error){0};
    status = sl_kappa_section_apply(platform, &section, reader->arena, reader->diags, &err);
    if (status == SL_INVALID && reader->diags->errors == before)
        sl_report_file(loader, "bad-table", sl_yaml_get(kappa, "table"), "kappa.table", &err);
out:
    if (status != SL_SYSTEM)
        return SL_OK;
    return sl_error_set(loader->err, SL_SYSTEM, err.place, err.code_file, err.code_line, "%s",
                        err.message);
}

static void report_key(struct sl_loader *loader, uint32_t first, uint32_t second)
{
    const struct sl_node *a = &loader->graph->nodes[first], *b = &loader->graph->nodes[second];
    bool same = strcmp(a->key, b->key) == 0;
    sl_diags_add(loader->reader.diags, SL_ERROR, same ? "duplicate-key" : "key-collision", b->place,
                 "node '%s' and node '%s' (line %d) %s '%s'; draws need a key of "
                 "their own",
                 b->name, a->name, a->place.line,
                 same ? "have the same key" : "have keys of one hash, the former", b->key);
}

/* Two nodes with one hash would share every draw.  The sort takes all bits of a hash but the last,
 * so that nodes which share those, in node order, may be of two hashes. */
static enum sl_status check_keys(struct sl_loader *loader)
{
    const struct sl_graph *graph = loader->graph;
    size_t count = graph->node_count;
    struct sl_keyed *sorted = malloc((2 * count + 1) * sizeof *sorted);
    if (!sorted)
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct sl_keyed){(int64_t)(graph->nodes[i].key_hash >> 1), i};
    sl_sort_keyed(sorted, sorted + count, count);
    uint32_t last[2] = {SL_NONE, SL_NONE}; /* by that bit: the latest node of the run */
    for (size_t i = 0; i < count; i++) {
        uint32_t node = sorted[i].value, *same = &last[graph->nodes[node].key_hash & 1];
        if (i > 0 && sorted[i].key != sorted[i - 1].key)
            last[0] = last[1] = SL_NONE;
        if (*same != SL_NONE)
            report_key(loader, *same, node);
        *same = node;
    }
    free(sorted);
    return SL_OK;
}

/* The constant 1 is the shape of a route without noise. */
static enum sl_status make_one(struct sl_loader *loader)
{
    return sl_dist_parse(&loader->graph->one, "1", SL_DIST_NUMBER, ".", (struct sl_place){0},
                         loader->reader.arena, loader->err);
}

/* Everything below the top level, in the order in which names are needed. */
static enum sl_status load_parts(struct sl_loader *loader)
{
    enum sl_status status = load_platform(loader);
    if (status || (status = make_one(loader)))
        return status;
    sl_scale_routes(loader);
    sl_load_guards(loader);
    sl_load_factors(loader);
    sl_load_job_parameters(loader);
    if ((status = sl_load_objects(loader)))
        return status;
    sl_scale_objects(loader);
    sl_load_shared_counts(loader);
    if ((status = sl_load_nodes(loader)))
        return status;
    sl_scale_nodes(loader);
    sl_load_object_nodes(loader);
    if ((status = sl_load_edges(loader)) || (status = sl_load_overlap(loader)) ||
        (status = check_keys(loader)))
        return status;
    sl_load_run(loader);
    sl_load_policies(loader);
    if ((status = sl_load_choices(loader, 0)))
        return status;
    sl_load_baselines(loader);
    sl_load_objective(loader);
    sl_load_sweep(loader);
    sl_refuse_for_jobs(loader);
    if (loader->parameters_known) /* which blocks a job names, the same trace says */
        sl_check_shared(loader);
    return SL_OK;
}

static enum sl_status finish(struct sl_loader *loader)
{
    struct sl_diags *diags = loader->reader.diags;
    if (diags->errors > loader->errors_before)
        return SL_OK;
    uint32_t classes = loader->scenario->platform.kappa.classes.count;
    if (classes > SL_MAX_CLASSES) {
        sl_diags_add(diags, SL_ERROR, "too-many", loader->scenario->place,
                     "%u contention classes (allowed: %d)", classes, SL_MAX_CLASSES);
        return SL_OK;
    }
    sl_warn_unused(loader);
    struct sl_kappa *kappa = &loader->scenario->platform.kappa;
    enum sl_status status = sl_kappa_prepare(kappa, loader->reader.arena, loader->err);
    if (status)
        return status;
    status = sl_graph_finish(loader->graph, loader->err);
    if (status == SL_SYSTEM || status == SL_INVALID)
        return status;
    *loader->err = (struct sl_error){0}; /* a cycle: sl_graph_check prints all of it */
    if (loader->graph->finished &&
        ((status = sl_check_job_marks(loader)) || (status = sl_scale_slack(loader))))
        return status;
    if (diags->errors > loader->errors_before)
        return SL_OK;
    sl_graph_check(loader->scenario, diags);
    if (diags->out_of_memory)
        return sl_diags_status(diags, loader->err);
    return diags->errors > loader->errors_before ? SL_NO : SL_OK;
}

/* The folders of an example may each hold a scenario; which one is meant, its user must say. */
static enum sl_status check_folder(struct sl_loader *loader, const char *path)
{
    struct dirent **entries = NULL;
    const char *names = "", *slash = path[strlen(path) - 1] == '/' ? "" : "/";
    int count = access(loader->yaml_file, F_OK) == 0 ? 0 : scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *file = sl_arena_printf(loader->reader.arena, "%s%s%s/scenario.yaml", path,
                                           slash, entries[i]->d_name);
        if (names && file && entries[i]->d_name[0] != '.' && access(file, F_OK) == 0)
            names = sl_arena_printf(loader->reader.arena, "%s%s%s%s%s", names, *names ? ", " : "",
                                    path, slash, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return names && *names
               ? SL_FAIL(loader->err, SL_INVALID,
                         "no scenario.yaml in '%s'; folders in it that have one: %s", path, names)
               : SL_OK;
}

/* Splits `path` into the folder and the YAML file of a scenario. */
static enum sl_status find_files(struct sl_loader *loader, const char *path)
{
    struct sl_arena *arena = loader->reader.arena;
    struct stat info;
    if (stat(path, &info) != 0)
        return SL_FAIL(loader->err, SL_INVALID, "no such scenario: '%s'", path);
    if (S_ISDIR(info.st_mode)) {
        loader->reader.base_dir = sl_arena_strdup(arena, path);
        loader->yaml_file = sl_path_join(arena, path, "scenario.yaml");
    } else {
        const char *slash = strrchr(path, '/');
        loader->reader.base_dir =
            slash ? sl_arena_printf(arena, "%.*s", slash == path ? 1 : (int)(slash - path), path)
                  : ".";
        loader->yaml_file = sl_arena_strdup(arena, path);
    }
    if (!loader->reader.base_dir || !loader->yaml_file)
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
    loader->scenario->dir = loader->reader.base_dir;
    return S_ISDIR(info.st_mode) ? check_folder(loader, path) : SL_OK;
}

static enum sl_status read_yaml(struct sl_loader *loader, const char *path)
{
    struct sl_arena *arena = loader->reader.arena;
    if (loader->text_count > 0) {
        const struct sl_scenario_text *text = &loader->texts[0];
        loader->reader.base_dir = loader->scenario->dir = path;
        loader->yaml_file = text->name;
        return sl_yaml_parse(text->text, text->size, text->name, arena, &loader->root, loader->err);
    }
    enum sl_status status = find_files(loader, path);
    if (status == SL_OK)
        status = sl_yaml_read(loader->yaml_file, arena, &loader->root, loader->err);
    if (status == SL_OK &&
        !sl_platform_note_input(&loader->scenario->platform, loader->yaml_file, arena))
        status = SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
    return status;
}

static enum sl_status load(struct sl_loader *loader, const char *path,
                           const struct sl_override *overrides, uint32_t override_count)
{
    struct sl_scenario *scenario = loader->scenario;
    struct sl_diags *diags = loader->reader.diags;
    scenario->graph = loader->graph = sl_graph_create(&scenario->platform);
    if (!loader->graph)
        return SL_FAIL(loader->err, SL_SYSTEM, "out of memory");
    enum sl_status status = read_yaml(loader, path);
    if (status)
        return status;
    if (!sl_field_is(&loader->reader, loader->root, SL_YAML_MAP, "a scenario"))
        return sl_diags_status(diags, loader->err);
    status = sl_apply_overrides(loader, overrides, override_count);
    if (status)
        return status;
    scenario->place = loader->root->place;
    sl_yaml_check_keys(loader->root, top_keys, SL_COUNT(top_keys), "a scenario", diags);
    status = load_parts(loader);
    if (status)
        return status;
    status = finish(loader);
    return status == SL_OK && diags->errors > loader->errors_before
               ? sl_diags_status(diags, loader->err)
               : status;
}

enum sl_status sl_scenario_load(struct sl_scenario *scenario, const char *path,
                                const struct sl_override *overrides, uint32_t override_count,
                                struct sl_diags *diags, struct sl_error *err)
{
    return sl_scenario_load_texts(scenario, path, NULL, 0, overrides, override_count, diags, err);
}

enum sl_status sl_scenario_load_texts(struct sl_scenario *scenario, const char *path,
                                      const struct sl_scenario_text *texts, uint32_t text_count,
                                      const struct sl_override *overrides, uint32_t override_count,
                                      struct sl_diags *diags, struct sl_error *err)
{
    *scenario = (struct sl_scenario){0};
    struct sl_error own = {0};
    size_t before = diags->errors;
    struct sl_loader loader = {
        .scenario = scenario,
        .reader = {&scenario->arena, diags, "."},
        .err = &own,
        .texts = texts,
        .text_count = text_count,
        .errors_before = before,
    };
    enum sl_status status = load(&loader, path, overrides, override_count);
    /* A part that had no memory may look like one that is not there, or is faulty. */
    own = scenario->arena.starved ? (struct sl_error){0} : own;
    if (scenario->arena.starved)
        status = SL_FAIL(&own, SL_SYSTEM, "out of memory for the scenario");
    /* A fault that stopped the loader (broken YAML) is a line like the others. */
    if (status == SL_INVALID && diags->errors == before)
        sl_diags_add(diags, SL_ERROR, "bad-scenario", own.place, "%s", own.message);
    if (status == SL_NO && own.status == SL_OK)
        own = (struct sl_error){.status = SL_NO, .message = "the scenario's graph is not legal"};
    if (status)
        sl_error_set(err, status, own.place, own.code_file, own.code_line, "%s", own.message);
    sl_names_free(&loader.guard_names);
    sl_names_free(&loader.dist_texts);
    free((void *)loader.dists);
    if (loader.objects_table_kept)
        sl_csv_free(&loader.objects_table);
    return status;
}

void sl_scenario_free(struct sl_scenario *scenario)
{
    sl_graph_free(scenario->graph);
    sl_names_free(&scenario->jobs.parameters);
    sl_names_free(&scenario->jobs.values);
    free((void *)scenario->jobs.draws);
    free(scenario->jobs.means);
    sl_platform_free(&scenario->platform);
    sl_arena_free(&scenario->arena);
    *scenario = (struct sl_scenario){0};
}

const struct sl_policy_spec *sl_scenario_policy(const struct sl_scenario *scenario,
                                                const char *name)
{
    for (uint32_t i = 0; i < scenario->policy_count; i++)
        if (strcmp(scenario->policies[i].name, name) == 0)
            return &scenario->policies[i];
    return NULL;
}

void sl_scenario_hint_policy(const struct sl_scenario *scenario, const char *wanted, char *hint,
                             size_t size)
{
    const char **names = calloc(scenario->policy_count + 1, sizeof *names);
    hint[0] = '\0';
    for (uint32_t i = 0; names && i < scenario->policy_count; i++)
        names[i] = scenario->policies[i].name;
    if (names)
        sl_suggest(hint, size, wanted, names, scenario->policy_count);
    free(names);
}
