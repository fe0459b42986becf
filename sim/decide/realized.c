/* Which kind of measurement a path is, and what all kinds have in common. */
#include "config.h"

#include "audit.h"
#include "numsort.h"
#include "outfile.h"
#include "realized.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum sl_status sl_realized_note_file(struct sl_realized *realized, const char *dir,
                                     const char *name, const char **kept, struct sl_error *err)
{
    const char *path =
        sl_arena_printf(&realized->arena, "%s%s%s", dir, name ? "/" : "", name ? name : "");
    if (!path)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    realized->files[realized->file_count] = *kept = path;
    return sl_file_sha256(path, realized->sha256s[realized->file_count++], err);
}

enum sl_status sl_realized_add_work(struct sl_realized *realized, const char *name, int64_t from_ps,
                                    int64_t to_ps, int64_t wait_ps, struct sl_error *err)
{
    uint32_t index = sl_names_add(&realized->names, name);
    if (index == SL_NONE || !sl_grow((void **)&realized->works, &realized->work_capacity,
                                     realized->work_count + 1, sizeof *realized->works))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    realized->works[realized->work_count++] =
        (struct sl_realized_work){index, from_ps, to_ps, wait_ps};
    return SL_OK;
}

enum sl_status sl_realized_add_run(struct sl_realized *realized, uint32_t first, double time_us,
                                   struct sl_error *err)
{
    if (!sl_grow((void **)&realized->runs, &realized->run_capacity, realized->run_count + 1,
                 sizeof *realized->runs))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    realized->runs[realized->run_count++] =
        (struct sl_realized_run){first, realized->work_count - first, time_us};
    return SL_OK;
}

static bool has_file(const char *dir, const char *name)
{
    char path[4096 + 32];
    snprintf(path, sizeof path, "%.4096s/%s", dir, name);
    return access(path, F_OK) == 0;
}

/* An audit's JSON begins with the name of the trace and of its reader, and no trace does. */
static bool is_audit_json(const char *path)
{
    char head[2048];
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(head, 1, sizeof head - 1, file) : 0;
    if (file)
        fclose(file);
    head[size] = '\0';
    return strstr(head, "\"trace\"") && strstr(head, "\"importer\"");
}

static enum sl_status read_any(struct sl_realized *realized, const char *path,
                               struct sl_diags *diags, struct sl_error *err)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return SL_FAIL(err, SL_SYSTEM, "cannot find '%s'", path);
    if (!S_ISDIR(about.st_mode))
        return is_audit_json(path) ? sl_realized_read_json(realized, path, diags, err)
                                   : sl_realized_read_trace(realized, path, diags, err);
    if (has_file(path, "replay.csv") || has_file(path, "repetitions.csv"))
        return sl_realized_read_replay(realized, path, diags, err);
    if (has_file(path, "works.csv"))
        return sl_realized_read_audit(realized, path, diags, err);
    return SL_FAIL(err, SL_INVALID,
                   "'%s' holds no measurement: neither replay.csv (slackline-calibrate replay -o) "
                   "nor works.csv (slackline audit -o)",
                   path);
}

/* Copies the times, and takes the first run out where it is cold. */
static enum sl_status sort_times(struct sl_realized *realized, struct sl_error *err)
{
    uint32_t count = realized->run_count;
    double *times = sl_arena_array(&realized->arena, (size_t)count + 1, sizeof *times);
    if (!times)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 1; i < count; i++)
        times[i - 1] = realized->runs[i].time_us;
    if (count > 2) {
        sl_sort_doubles(times, count - 1);
        realized->cold = realized->runs[0].time_us > SL_COLD * times[(count - 1) / 2];
        realized->cold_us = realized->runs[0].time_us;
    }
    if (realized->cold)
        memmove(realized->runs, realized->runs + 1, --realized->run_count * sizeof *realized->runs);
    else
        times[count - 1] = realized->runs[0].time_us;
    sl_sort_doubles(times, realized->run_count);
    realized->times_us = times;
    return SL_OK;
}

enum sl_status sl_realized_read(struct sl_realized *realized, const char *path,
                                struct sl_diags *diags, struct sl_error *err)
{
    *realized = (struct sl_realized){.path = path};
    size_t errors = diags->errors;
    enum sl_status status = read_any(realized, path, diags, err);
    if (status != SL_OK)
        return status;
    if (diags->errors > errors)
        return sl_diags_status(diags, err);
    if (realized->run_count == 0)
        return SL_FAIL(err, SL_INVALID, "'%s' holds no repetition or step that counts", path);
    return sort_times(realized, err);
}

void sl_realized_free(struct sl_realized *realized)
{
    sl_names_free(&realized->names);
    free(realized->works);
    free(realized->runs);
    sl_arena_free(&realized->arena);
}
