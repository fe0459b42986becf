/* The device folder: which files, their head lines, and that they appear together. */
#include "config.h"

#include "csvtab.h"
#include "tables_parts.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum sl_status sl_table_open(struct sl_table_writer *writer, const char *name, FILE **out,
                             struct sl_error *err)
{
    if (!sl_grow((void **)&writer->files, &writer->capacity, writer->count + 1,
                 sizeof *writer->files))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    struct sl_outfile *file = &writer->files[writer->count];
    enum sl_status status = sl_outfile_open_in(file, writer->dir, name, err);
    if (status == SL_OK) {
        writer->count++;
        *out = file->stream;
    }
    return status;
}

/* A line end within a value would end the comment. */
static void put_head(FILE *out, const char *key, const char *value)
{
    fprintf(out, "# %s=", key);
    sl_put_clean(value, out);
    putc('\n', out);
}

static void put_identity(FILE *out, const struct sl_fingerprint *fingerprint)
{
    if (fingerprint->identity_count == 0)
        return;
    fputs("# identity=", out);
    for (uint32_t i = 0; i < fingerprint->identity_count; i++)
        fprintf(out, "%s%s", i ? "," : "", fingerprint->facts[i].key);
    putc('\n', out);
}

enum sl_status sl_table_begin(struct sl_table_writer *writer, const char *name, const char *columns,
                              FILE **out, struct sl_error *err)
{
    const struct sl_provenance *provenance = writer->provenance;
    const struct sl_fingerprint *fingerprint = provenance->fingerprint;
    enum sl_status status = sl_table_open(writer, name, out, err);
    if (status != SL_OK)
        return status;
    fprintf(*out, "# schema_version=%d\n", SL_TABLES_SCHEMA);
    put_head(*out, "tool", "slackline-calibrate " PACKAGE_VERSION);
    put_head(*out, "backend", provenance->backend->name);
    for (uint32_t i = 0; i < fingerprint->count; i++)
        put_head(*out, fingerprint->facts[i].key, fingerprint->facts[i].value);
    put_identity(*out, fingerprint);
    fprintf(*out, "# seed=%" PRIu64 "\n", provenance->seed);
    put_head(*out, "start", provenance->start);
    fprintf(*out, "%s\n", columns);
    return SL_OK;
}

static void begin_cell(struct sl_table_row *row)
{
    if (row->begun)
        putc(',', row->out);
    row->begun = true;
}

void sl_cell_text(struct sl_table_row *row, const char *text)
{
    begin_cell(row);
    sl_csv_put(row->out, text);
}

void sl_cell_number(struct sl_table_row *row, double value)
{
    begin_cell(row);
    if (!isnan(value))
        fprintf(row->out, "%.9g", value);
}

void sl_cell_integer(struct sl_table_row *row, int64_t value)
{
    begin_cell(row);
    fprintf(row->out, "%" PRId64, value);
}

void sl_row_end(struct sl_table_row *row)
{
    putc('\n', row->out);
    row->begun = false;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

const char *sl_table_set(const struct sl_estimates *estimates, const struct sl_shot *shot,
                         struct sl_arena *arena)
{
    const char *names[SL_SHOT_AGGRESSORS_MAX], *set = "";
    for (uint32_t k = 0; k < shot->aggressor_count; k++)
        names[k] = estimates->measured->cases->classes[shot->aggressors[k].klass].name;
    qsort(names, shot->aggressor_count, sizeof *names, by_name);
    for (uint32_t k = 0; set && k < shot->aggressor_count; k++)
        set = sl_arena_printf(arena, "%s%s%s", set, k ? "+" : "", names[k]);
    return set;
}

const char *sl_table_shape(const struct sl_estimates *estimates, const struct sl_shot *shot)
{
    for (uint32_t k = 0; k < shot->aggressor_count; k++)
        if (estimates->measured->cases->classes[shot->aggressors[k].klass].shaped)
            return shot->shape == SL_SHAPE_FILL ? "fill" : "room";
    return "";
}

static bool is_written(const struct sl_table_writer *writer, const char *path)
{
    for (uint32_t i = 0; i < writer->count; i++)
        if (strcmp(writer->files[i].path, path) == 0)
            return true;
    return false;
}

/* Samples of an earlier calibration that no table names any more: "07-...csv".  What people put
 * there stays; what cannot be removed does no harm. */
static void remove_old_samples(const struct sl_table_writer *writer)
{
    char folder[4096], path[4096 + 300];
    snprintf(folder, sizeof folder, "%s/empirical", writer->dir);
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        const char *end = strrchr(entry->d_name, '.');
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (isdigit((unsigned char)entry->d_name[0]) && end && strcmp(end, ".csv") == 0 &&
            !is_written(writer, path))
            unlink(path);
    }
    if (dir)
        closedir(dir);
}

static enum sl_status make_folders(const char *dir, struct sl_error *err)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/empirical", dir) >= (int)sizeof path)
        return SL_FAIL(err, SL_USAGE, "the path '%.80s...' is too long", dir);
    return sl_make_dirs(path, err);
}

/* An earlier calibration's: whoever is killed between two tables leaves no device of which some are
 * old. */
static enum sl_status remove_device(const char *dir, struct sl_error *err)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/device.yaml", dir) >= (int)sizeof path)
        return SL_FAIL(err, SL_USAGE, "the path '%.80s...' is too long", dir);
    return unlink(path) == 0 || errno == ENOENT
               ? SL_OK
               : SL_FAIL(err, SL_SYSTEM, "cannot remove '%s': %s", path, strerror(errno));
}

enum sl_status sl_tables_write(const char *dir, const struct sl_estimates *estimates,
                               const struct sl_provenance *provenance, struct sl_error *err)
{
    /* A folder without device.yaml is no device: it comes last. */
    static enum sl_status (*const parts[])(struct sl_table_writer *, struct sl_error *) = {
        sl_write_empirical, sl_write_durations,   sl_write_shared,  sl_write_fits,
        sl_write_kappa,     sl_write_composition, sl_write_samples, sl_write_device,
    };
    struct sl_table_writer writer = {.dir = dir, .estimates = estimates, .provenance = provenance};
    enum sl_status status = make_folders(dir, err);
    for (size_t i = 0; status == SL_OK && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](&writer, err);
    for (uint32_t i = 0; status == SL_OK && i < writer.count; i++)
        status = sl_outfile_flush(&writer.files[i], err);
    if (status == SL_OK)
        status = remove_device(dir, err);
    for (uint32_t i = 0; i < writer.count; i++)
        if (status == SL_OK)
            status = sl_outfile_commit(&writer.files[i], err);
        else
            sl_outfile_abandon(&writer.files[i]);
    if (status == SL_OK)
        remove_old_samples(&writer);
    free(writer.files);
    sl_arena_free(&writer.arena);
    return status;
}
