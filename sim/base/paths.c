/* Paths from one folder to another. */
#include "config.h"

#include "paths.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *sl_path_folder(struct sl_arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');
    if (!slash)
        return ".";
    return slash == file ? "/" : sl_arena_printf(arena, "%.*s", (int)(slash - file), file);
}

/* Bytes of what two resolved paths share, up to the end of a name. */
static size_t shared(const char *a, const char *b)
{
    size_t end = 0, i = 0;
    for (; a[i] && a[i] == b[i]; i++)
        end = a[i] == '/' ? i : end;
    bool whole = (!a[i] || a[i] == '/') && (!b[i] || b[i] == '/');
    return whole ? i : end;
}

static const char *relative(struct sl_arena *arena, const char *folder, const char *path)
{
    size_t same = shared(folder, path);
    const char *result = path + same + (path[same] == '/');
    for (const char *at = folder + same; result && *at; at++)
        if (*at == '/' && at[1])
            result = *result ? sl_arena_printf(arena, "../%s", result) : "..";
    return result && !*result ? "." : result;
}

bool sl_path_from(struct sl_arena *arena, const char *folder, const char *path, const char **from)
{
    errno = 0;
    char *start = realpath(folder, NULL), *end = start ? realpath(path, NULL) : NULL;
    bool good = end || errno != ENOMEM;
    const char *kept = end ? sl_arena_strdup(arena, end) : NULL;
    *from = kept ? relative(arena, start, kept) : NULL;
    free(start);
    free(end);
    return end ? *from != NULL : good;
}
