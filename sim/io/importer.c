/* The registry of importers, and which of them a file is for. */
#include <config.h>

#include "importer.h"
#include "infile.h"
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const struct sl_importer *const importers[] = {
#define SL_IMPORTER(name) &sl_importer_##name,
#include "importers.def"
#undef SL_IMPORTER
};
enum { IMPORTERS = sizeof importers / sizeof *importers };

size_t sl_importer_count(void)
{
    return IMPORTERS;
}

const struct sl_importer *sl_importer_get(size_t index)
{
    return importers[index];
}

/* The first bytes, unpacked where the file is a .gz. */
static enum sl_status read_head(const char *path, unsigned char head[SL_PROBE_BYTES], size_t *size,
                                struct sl_error *err)
{
    int fd = -1;
    enum sl_status status = sl_infile_open(path, &fd, err);
    if (status != SL_OK)
        return status;
    gzFile file = gzdopen(fd, "rb");
    if (!file) {
        close(fd);
        return SL_FAIL(err, SL_SYSTEM, "out of memory while reading %s", path);
    }
    int got = gzread(file, head, SL_PROBE_BYTES), code = Z_OK;
    *size = got > 0 ? (size_t)got : 0;
    gzerror(file, &code);
    gzclose_r(file);
    return code == Z_MEM_ERROR ? SL_FAIL(err, SL_SYSTEM, "out of memory while reading %s", path)
                               : SL_OK;
}

static enum sl_status unknown_format(const char *path, const unsigned char *head, size_t size,
                                     struct sl_error *err)
{
    struct sl_place place = {.file = path};
    if (size == 0)
        return SL_FAIL_AT(err, SL_INVALID, place, "empty, or damaged from its first byte");
    bool wide = size >= 2 && ((head[0] == 0xFF && head[1] == 0xFE) ||
                              (head[0] == 0xFE && head[1] == 0xFF) || !head[0] || !head[1]);
    if (wide)
        return SL_FAIL_AT(err, SL_INVALID, place,
                          "UTF-16 or UTF-32 text; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)");
    char names[256] = "";
    for (size_t i = 0; i < IMPORTERS; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s (%s)", i ? ", " : "",
                 importers[i]->name, importers[i]->example);
    return SL_FAIL_AT(err, SL_INVALID, place, "no known format of traces; known are: %s", names);
}

enum sl_status sl_import(const char *path, struct sl_timeline *timeline,
                         const struct sl_import_progress *progress, struct sl_diags *diags,
                         const struct sl_importer **importer, struct sl_error *err)
{
    unsigned char head[SL_PROBE_BYTES];
    size_t size = 0;
    enum sl_status status = read_head(path, head, &size, err);
    if (status != SL_OK)
        return status;
    for (size_t i = 0; i < IMPORTERS; i++) {
        if (!importers[i]->probe(head, size))
            continue;
        if (importer)
            *importer = importers[i];
        status = importers[i]->read(path, timeline, progress, diags, err);
        return status == SL_OK ? sl_timeline_finish(timeline, err) : status;
    }
    return unknown_format(path, head, size, err);
}
