/* A stream into memory, by a cookie of stdio. */
#include <config.h>

#include "memout.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct sl_memout *out, size_t more)
{
    if (more > SIZE_MAX / 4 - out->size)
        return false;
    size_t need = out->size + more + 1, capacity = out->capacity ? out->capacity : 256;
    while (capacity < need)
        capacity *= 2;
    char *grown = capacity > out->capacity ? realloc(out->text, capacity) : out->text;
    if (!grown)
        return false;
    out->text = grown;
    out->capacity = capacity;
    return true;
}

static ssize_t take(void *cookie, const char *bytes, size_t size)
{
    struct sl_memout *out = cookie;
    if (out->lost || !reserve(out, size)) {
        out->lost = true;
        return 0;
    }
    memcpy(out->text + out->size, bytes, size);
    out->size += size;
    return (ssize_t)size;
}

/* For ftell only: what was written stays. */
static int tell(void *cookie, off64_t *offset, int whence)
{
    const struct sl_memout *out = cookie;
    if (whence != SEEK_CUR || *offset != 0)
        return -1;
    *offset = (off64_t)out->size;
    return 0;
}

bool sl_memout_open(struct sl_memout *out)
{
    *out = (struct sl_memout){0};
    out->stream = fopencookie(out, "w", (cookie_io_functions_t){.write = take, .seek = tell});
    return out->stream != NULL;
}

char *sl_memout_close(struct sl_memout *out)
{
    bool whole = out->stream && !ferror(out->stream);
    whole = out->stream && fclose(out->stream) == 0 && whole && !out->lost && reserve(out, 0);
    out->stream = NULL;
    char *text = out->text;
    out->text = NULL;
    if (!whole) {
        free(text);
        return NULL;
    }
    text[out->size] = '\0';
    return text;
}

void sl_memout_drop(struct sl_memout *out)
{
    free(sl_memout_close(out));
}
