/* Inputs of a record against the files of a scenario. */
#include "config.h"

#include "decide.h"
#include "fields.h"
#include "paths.h"
#include "record_inputs.h"
#include <string.h>
#include <unistd.h>

#define DEVICE      "device="
#define DEVICE_FILE "device.yaml"

bool sl_record_is_scenarios(const struct sl_record_input *input)
{
    return strcmp(input->role, "scenario") == 0 || strcmp(input->role, "baseline") == 0;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_outside(const char *path)
{
    return *path == '/' || strncmp(path, "../", 3) == 0;
}

const struct sl_record_input *sl_record_find_input(const struct sl_record *record,
                                                   const struct sl_record_input *like)
{
    const struct sl_record_input *moved = NULL;
    for (uint32_t i = 0; i < record->inputs.count; i++) {
        const struct sl_record_input *input = &record->inputs.items[i];
        if (strcmp(input->role, like->role) != 0)
            continue;
        if (strcmp(input->path, like->path) == 0)
            return input;
        if (is_outside(input->path) && is_outside(like->path) &&
            strcmp(last_part(input->path), last_part(like->path)) == 0 &&
            strcmp(input->sha256, like->sha256) == 0)
            moved = input;
    }
    return moved;
}

static enum sl_status compare(const struct sl_record *record, const struct sl_record *now,
                              const char *role, struct sl_error *err)
{
    for (uint32_t i = 0; i < record->inputs.count; i++) {
        const struct sl_record_input *input = &record->inputs.items[i];
        if (strcmp(input->role, role) != 0)
            continue;
        const struct sl_record_input *found = sl_record_find_input(now, input);
        if (!found)
            return SL_FAIL(err, SL_INVALID,
                           "the record names an input '%s' (SHA-256 %.12s...), and the %s is read "
                           "from no such file: decide again",
                           input->path, input->sha256, role);
        if (strcmp(found->sha256, input->sha256) != 0)
            return SL_FAIL_AT(err, SL_INVALID, ((struct sl_place){found->path, 0, 0}),
                              "the file has changed since the decision: decide again");
    }
    for (uint32_t i = 0; i < now->inputs.count; i++)
        if (!sl_record_find_input(record, &now->inputs.items[i]))
            return SL_FAIL_AT(err, SL_INVALID, ((struct sl_place){now->inputs.items[i].path, 0, 0}),
                              "the %s is read from this file, which is none of the record's "
                              "inputs: decide again",
                              role);
    return SL_OK;
}

enum sl_status sl_record_check_inputs(const struct sl_record *record,
                                      const struct sl_scenario *scenario, const char *role,
                                      struct sl_error *err)
{
    struct sl_record now;
    sl_record_init(&now);
    enum sl_status status = sl_record_add_inputs(&now, scenario, role, err);
    if (status == SL_OK)
        status = compare(record, &now, role, err);
    sl_record_free(&now);
    return status;
}

enum sl_status sl_record_check_devices(const struct sl_record *record, struct sl_error *err)
{
    for (uint32_t i = 0; i < record->inputs.count; i++) {
        const struct sl_record_input *input = &record->inputs.items[i];
        if (sl_record_is_scenarios(input) && *input->path == '/' && access(input->path, F_OK) != 0)
            return SL_FAIL(
                err, SL_INVALID, "'%s', from which the decision was made, is not there%s%s%s",
                input->path, input->from_record ? ", and '" : "",
                input->from_record ? input->from_record : "",
                input->from_record ? "', seen from the record, does not have its contents either"
                                   : "");
    }
    return SL_OK;
}

const char *sl_record_moved_device(const struct sl_record *record, const char *role,
                                   const struct sl_record_texts *settings, struct sl_arena *arena,
                                   bool *good)
{
    const char *text = NULL;
    for (uint32_t i = 0; *good && !text && i < record->inputs.count; i++) {
        const struct sl_record_input *input = &record->inputs.items[i];
        if (strcmp(input->role, role) != 0 || *input->path != '/' ||
            strcmp(last_part(input->path), DEVICE_FILE) != 0)
            continue;
        const char *folder = sl_path_folder(arena, input->path);
        text = folder ? sl_arena_printf(arena, DEVICE "%s", folder) : NULL;
        *good = text != NULL;
    }
    for (uint32_t i = 0; text && i < settings->count; i++)
        if (strcmp(settings->items[i], text) == 0)
            return NULL;
    return text;
}
