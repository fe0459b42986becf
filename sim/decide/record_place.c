/* Where the files of a record lie: noted from the record's own folder when it is written, so that
 * what moves together, or is used from another directory, is found again.  Hashes say whether a
 * file is the one that is meant. */
#include "config.h"

#include "fields.h"
#include "outfile.h"
#include "paths.h"
#include "record_inputs.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACES = 3 };

static bool is_of(const struct sl_record_input *input, const char *role)
{
    return strcmp(input->role, role) == 0;
}

/* It lies where its scenario does, and not by a path of its own, as a device that --set names. */
static bool lies_with_scenario(const struct sl_record_input *input)
{
    return sl_record_is_scenarios(input) && *input->path != '/';
}

/* What is no plain file, such as a pipe or a device, has no end that could be waited for. */
static bool has_hash(const char *path, const char *sha256)
{
    char hex[65];
    struct stat what;
    struct sl_error ignored = {0};
    return stat(path, &what) == 0 && S_ISREG(what.st_mode) && sl_file_sha256(path, hex, &ignored) == SL_OK &&
           strcmp(hex, sha256) == 0;
}

/* The places to look at, in their order: as given, and from the record's folder.  NULL: no such. */
static void list_places(struct sl_arena *arena, const char *dir, const char *path, const char *from,
                        const char *places[PLACES])
{
    places[0] = path;
    places[1] = dir && from ? sl_path_join(arena, dir, from) : NULL;
    places[2] = dir && *path != '/' ? sl_path_join(arena, dir, path) : NULL;
}

/* ---- scenarios -------------------------------------------------------------------------------
 */

/* A scenario may be named by its folder, or by its scenario.yaml. */
static const char *folder_of(struct sl_arena *arena, const char *path)
{
    struct stat what;
    return stat(path, &what) == 0 && !S_ISDIR(what.st_mode) ? sl_path_folder(arena, path) : path;
}

/* What lies there of the scenario's files is what the record was made from; *other: the first that
 * is not, NULL where none lies there at all. */
static bool is_scenario(const struct sl_record *record, struct sl_arena *arena, const char *role,
                        const char *path, const char **other)
{
    const char *folder = folder_of(arena, path);
    uint32_t found = 0;
    *other = NULL;
    for (uint32_t i = 0; folder && i < record->inputs.count; i++) {
        const struct sl_record_input *input = &record->inputs.items[i];
        bool ours = is_of(input, role) && lies_with_scenario(input);
        const char *file = ours ? sl_path_join(arena, folder, input->path) : NULL;
        if (!file || access(file, F_OK) != 0)
            continue;
        *other = has_hash(file, input->sha256) ? NULL : file;
        if (*other)
            return false;
        found++;
    }
    return found > 0;
}

static bool find_scenario(struct sl_record *record, const char *role, const char **path,
                          const char *from)
{
    const char *places[PLACES], *other;
    list_places(&record->arena, record->dir, *path, from, places);
    for (int i = 0; i < PLACES; i++)
        if (places[i] && is_scenario(record, &record->arena, role, places[i], &other)) {
            *path = places[i];
            break;
        }
    return *path != NULL;
}

enum sl_status sl_record_has_scenario(const struct sl_record *record, struct sl_error *err)
{
    const char *places[PLACES], *other = NULL;
    struct sl_arena arena = {0};
    enum sl_status status = SL_OK;
    if (access(record->workload.folder, F_OK) == 0) {
        if (!is_scenario(record, &arena, "scenario", record->workload.folder, &other) && other)
            status = SL_FAIL_AT(err, SL_INVALID, ((struct sl_place){other, 0, 0}),
                                "the file has changed since the decision: decide again");
    } else {
        list_places(&arena, record->dir, record->workload.folder,
                    record->workload.folder_from_record, places);
        bool two = places[1] || places[2];
        status =
            SL_FAIL(err, SL_INVALID,
                    "the scenario '%s' of the record is not there: looked for it in '%s'%s%s%s; "
                    "--scenario DIR says where it is",
                    record->workload.scenario, places[0], two ? " and in '" : "",
                    places[1]   ? places[1]
                    : places[2] ? places[2]
                                : "",
                    two ? "'" : "");
    }
    sl_arena_free(&arena);
    return status;
}

enum sl_status sl_record_move(struct sl_record *record, const char *folder, struct sl_error *err)
{
    const char *other;
    if (access(folder, F_OK) != 0)
        return SL_FAIL(err, SL_INVALID, "--scenario: there is no '%s'", folder);
    if (!is_scenario(record, &record->arena, "scenario", folder, &other))
        return other
                   ? SL_FAIL_AT(err, SL_INVALID, ((struct sl_place){other, 0, 0}),
                                "the file is not the one that the decision was made from: '%s' is "
                                "not the record's scenario, or has changed",
                                folder)
                   : SL_FAIL(err, SL_INVALID, "--scenario: none of the record's files is in '%s'",
                             folder);
    record->workload.folder = sl_arena_strdup(&record->arena, folder);
    return record->workload.folder ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}

/* ---- the record ------------------------------------------------------------------------------
 */

/* Costs name the file that states them as the inputs do. */
static void name_tables(struct sl_record *record, const char *was, const char *now)
{
    for (uint32_t i = 0; i < record->costs.count; i++) {
        struct sl_record_cost *cost = &record->costs.items[i];
        if (cost->table && strcmp(cost->table, was) == 0)
            cost->table = now;
    }
}

/* A path that does not depend on where one is, nor on where the record lies. */
static const char *make_absolute(struct sl_arena *arena, const char *path)
{
    char *real = realpath(path, NULL);
    const char *copy = real ? sl_arena_strdup(arena, real) : path;
    free(real);
    return copy;
}

static bool find_file(struct sl_record *record, struct sl_record_input *input)
{
    const char *places[PLACES];
    list_places(&record->arena, record->dir, input->path, input->from_record, places);
    for (int i = 0; i < PLACES; i++) {
        if (!places[i] || !has_hash(places[i], input->sha256))
            continue;
        const char *was = input->path;
        input->path =
            sl_record_is_scenarios(input) ? make_absolute(&record->arena, places[i]) : places[i];
        if (input->path && sl_record_is_scenarios(input))
            name_tables(record, was, input->path);
        break;
    }
    return input->path != NULL;
}

bool sl_record_find_places(struct sl_record *record, const char *path)
{
    const struct sl_record_workload *workload = &record->workload;
    record->dir = sl_path_folder(&record->arena, path);
    bool good = record->dir;
    for (uint32_t i = 0; good && i < record->inputs.count; i++)
        if (!lies_with_scenario(&record->inputs.items[i]))
            good = find_file(record, &record->inputs.items[i]);
    good = good && find_scenario(record, "scenario", &record->workload.folder,
                                 workload->folder_from_record);
    if (good && record->baseline.present && record->baseline.scenario)
        good = find_scenario(record, "baseline", &record->baseline.scenario,
                             workload->baseline_from_record);
    return good;
}

bool sl_record_note_places(struct sl_record *record, const char *path)
{
    struct sl_arena *arena = &record->arena;
    struct sl_record_workload *workload = &record->workload;
    const char *dir = sl_path_folder(arena, path);
    const char *other = record->baseline.present ? record->baseline.scenario : NULL;
    workload->folder_from_record = workload->baseline_from_record = NULL;
    if (!dir ||
        (workload->folder &&
         !sl_path_from(arena, dir, workload->folder, &workload->folder_from_record)) ||
        (other && !sl_path_from(arena, dir, other, &workload->baseline_from_record)))
        return false;
    for (uint32_t i = 0; i < record->inputs.count; i++) {
        struct sl_record_input *input = &record->inputs.items[i];
        if (!lies_with_scenario(input) &&
            !sl_path_from(arena, dir, input->path, &input->from_record))
            return false;
    }
    return true;
}
