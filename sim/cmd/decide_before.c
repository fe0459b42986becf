/* The record that there is: going on with it, or setting it aside. */
#include "config.h"

#include "decide_before.h"
#include "outfile.h"
#include "paths.h"
#include "record_shape.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 9999 };

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

enum sl_status sl_decide_open_before(struct sl_record *record, const char *path, bool force,
                                     const char *policy, struct sl_error *err)
{
    struct sl_diags diags = {0};
    sl_record_init(record);
    if (force || access(path, F_OK) != 0)
        return SL_OK;
    enum sl_status status = sl_record_read(record, path, &diags, err);
    if (status != SL_OK)
        sl_diags_print(&diags, stderr);
    if (status != SL_OK && status != SL_SYSTEM && diags.errors > 0 && err)
        *err = (struct sl_error){0}; /* all are told already */
    sl_diags_free(&diags);
    const char *before = record->selection.policy;
    if (status == SL_OK && !same_text(before, policy))
        return SL_FAIL(err, SL_USAGE,
                       "%s holds the decision on '%s'; -o DIR keeps both, --force decides anew and "
                       "keeps it beside",
                       path, before ? before : "no policy");
    return status;
}

enum sl_status sl_decide_check_inputs(struct sl_record *record, const char *file,
                                      const struct sl_record_input *before, uint32_t count,
                                      struct sl_error *err)
{
    uint32_t now = record->inputs.count, met = 0;
    for (uint32_t i = 0; i < count && record->history.count > 0; i++) {
        bool ours = strcmp(before[i].role, "scenario") == 0 ||
                    strcmp(before[i].role, "baseline") == 0 ||
                    strcmp(before[i].role, SL_RECORD_POLICIES) == 0;
        struct sl_record_input *input =
            ours ? NULL : sl_record_add(record, &record->inputs, &sl_shape_input);
        if (!ours && !input)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        if (!ours)
            *input = before[i];
        else if (met < now && strcmp(before[i].sha256, record->inputs.items[met].sha256) != 0)
            return SL_FAIL_AT(err, SL_INVALID, ((struct sl_place){file, 0, 0}),
                              "'%s' has changed since the decision; --force decides anew",
                              before[i].path);
        met += ours;
    }
    return record->history.count == 0 || met == now
               ? SL_OK
               : SL_FAIL_AT(err, SL_INVALID, ((struct sl_place){file, 0, 0}),
                            "the record rests on %u input files, and there are %u now; --force "
                            "decides anew",
                            met, now);
}

static bool same_environment(const struct sl_record_environment *a,
                             const struct sl_record_environment *b)
{
    bool same = a->settings.count == b->settings.count && a->point.count == b->point.count;
    for (uint32_t i = 0; same && i < a->settings.count; i++)
        same = same_text(a->settings.items[i], b->settings.items[i]);
    for (uint32_t i = 0; same && i < a->point.count; i++)
        same = same_text(a->point.items[i].axis, b->point.items[i].axis) &&
               same_text(a->point.items[i].value, b->point.items[i].value);
    return same;
}

enum sl_status sl_decide_check_same(const struct sl_record *was, const struct sl_record *now,
                                    const char *path, struct sl_error *err)
{
    const char *what = NULL;
    if (now->history.count == 0)
        return SL_OK;
    if (!same_environment(&was->environment, &now->environment))
        what = "at another point, or with other settings";
    else if (!same_text(was->baseline.policy, now->baseline.policy) ||
             !was->baseline.scenario != !now->baseline.scenario)
        what = "beside another baseline";
    else if (was->trials != now->trials || was->fresh_seed != now->fresh_seed)
        what = "on other trials";
    return what ? SL_FAIL(err, SL_USAGE,
                          "%s holds the decision on '%s' %s; -o DIR keeps both, --force decides "
                          "anew and keeps it beside",
                          path, was->selection.policy ? was->selection.policy : "no policy", what)
                : SL_OK;
}

static enum sl_status move_file(const char *from, const char *to, struct sl_error *err)
{
    return rename(from, to) == 0 ? SL_OK
                                 : SL_FAIL(err, SL_SYSTEM, "'%s' cannot be renamed to '%s': %s",
                                           from, to, strerror(errno));
}

/* "DIR/decision-1.yaml": the first number of which there is neither a record nor a page. */
static const char *free_name(struct sl_arena *arena, const char *dir, const char **page)
{
    for (int number = 1; number <= MOST; number++) {
        const char *record = sl_arena_printf(arena, "%s/decision-%d.yaml", dir, number);
        *page = sl_arena_printf(arena, "%s/decision-%d.md", dir, number);
        if (!record || !*page)
            return NULL;
        if (access(record, F_OK) != 0 && access(*page, F_OK) != 0)
            return record;
    }
    return NULL;
}

enum sl_status sl_decide_set_aside(struct sl_record *record, const char *path, struct sl_error *err)
{
    struct sl_arena *arena = &record->arena;
    char hex[65];
    if (access(path, F_OK) != 0)
        return SL_OK;
    const char *dir = sl_path_folder(arena, path), *new_page = NULL;
    const char *kept = dir ? free_name(arena, dir, &new_page) : NULL;
    const char *page = kept ? sl_arena_printf(arena, "%s/decision.md", dir) : NULL;
    if (!page)
        return SL_FAIL(err, SL_SYSTEM, "no room to keep the record before beside '%s'", path);
    enum sl_status status = sl_file_sha256(path, hex, err);
    if (status == SL_OK)
        status = move_file(path, kept, err);
    if (status == SL_OK && access(page, F_OK) == 0)
        status = move_file(page, new_page, err);
    if (status != SL_OK)
        return status;
    struct sl_record_input *input = sl_record_add(record, &record->inputs, &sl_shape_input);
    if (!input)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    input->role = SL_RECORD_PREDECESSOR;
    input->path = kept;
    input->sha256 = sl_arena_strdup(arena, hex);
    return input->sha256 ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
}
