/* Setting a record aside. */
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
