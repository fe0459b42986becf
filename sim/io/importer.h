/* Readers of trace files: one file import_NAME.c each, and a line of importers.def. */
#ifndef SL_IMPORTER_H
#define SL_IMPORTER_H
#include "timeline.h"

/* Told from time to time how far a file is read. */
struct sl_import_progress {
    void (*tell)(void *user, uint64_t bytes_read, uint64_t bytes_of_file);
    void *user;
};

/* How much of a file a probe sees. */
enum { SL_PROBE_BYTES = 4096 };

struct sl_importer {
    const char *name, *description, *example;
    /* Whether the first bytes of a file, unpacked where it is a .gz, look like this format. */
    bool (*probe)(const unsigned char *head, size_t size);
    /* Fills the zeroed timeline, which sl_import then finishes.  `diags` gets located warnings of
     * what is left out or mended; `progress` may be NULL. */
    enum sl_status (*read)(const char *path, struct sl_timeline *timeline,
                           const struct sl_import_progress *progress, struct sl_diags *diags,
                           struct sl_error *err);
};

size_t sl_importer_count(void);
const struct sl_importer *sl_importer_get(size_t index);

/* Reads the trace at `path` with the importer that recognises it, and finishes the timeline;
 * *importer (may be NULL) says which one it was.  A file that none recognises is SL_INVALID. */
enum sl_status sl_import(const char *path, struct sl_timeline *timeline,
                         const struct sl_import_progress *progress, struct sl_diags *diags,
                         const struct sl_importer **importer, struct sl_error *err) SL_NODISCARD;

#define SL_IMPORTER(name) extern const struct sl_importer sl_importer_##name;
#include "importers.def"
#undef SL_IMPORTER
#endif
