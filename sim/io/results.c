/* A results folder on disk: part files, and what joins them. */
#include "config.h"

#include "axes.h"
#include "manifest.h"
#include "memout.h"
#include "outfile.h"
#include "partfile.h"
#include "result_parts.h"
#include "results.h"
#include "results_folder.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE SL_PATH_SIZE

struct sl_results {
    char dir[PATH_SIZE - 64];
    struct sl_results_request request;
    bool started;  /* the folder belongs to this run */
    bool finished; /* RESUME of a folder that is complete */
    char **lines;  /* of its summary.csv, by cell; NULL where there is none, or not read yet */
    uint32_t line_count, line_capacity;
    bool replace; /* an earlier result is dropped when the first cell arrives */
    struct sl_folder_lock lock;
};

static enum sl_status not_cleared(const struct sl_results *results, struct sl_error *err)
{
    return SL_FAIL(err, SL_SYSTEM, "the earlier results in '%s' cannot be removed: %s",
                   results->dir, strerror(errno));
}

static enum sl_status open_existing(struct sl_results *results, struct sl_error *err)
{
    const struct sl_results_request *request = &results->request;
    if (request->mode == SL_RESULTS_NEW)
        return SL_FAIL(err, SL_USAGE,
                       "'%s' exists already (--force replaces it, a sweep goes on by --resume)",
                       request->dir);
    struct sl_manifest manifest;
    enum sl_status status = request->mode == SL_RESULTS_RESUME
                                ? sl_folder_lock(results->dir, &results->lock, err)
                                : SL_OK;
    if (status != SL_OK)
        return status;
    status = sl_manifest_read(&manifest, request->dir, err);
    if (status != SL_OK && err && err->status == SL_INVALID)
        status = err->status = SL_USAGE;
    if (status == SL_OK && request->mode == SL_RESULTS_RESUME) {
        status = sl_manifest_matches(&manifest, request, err);
        results->finished = manifest.finished;
        results->started = true;
        if (status == SL_OK && !results->finished && !sl_folder_clear(results->dir))
            status = not_cleared(results, err);
    }
    results->replace = request->mode == SL_RESULTS_FORCE;
    sl_manifest_free(&manifest);
    return status;
}

enum sl_status sl_results_open(struct sl_results **out, const struct sl_results_request *request,
                               struct sl_error *err)
{
    struct sl_results *results = calloc(1, sizeof *results);
    *out = NULL;
    if (!results)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    results->request = *request;
    results->lock.fd = -1;
    enum sl_status status = SL_OK;
    if (!*request->dir ||
        snprintf(results->dir, sizeof results->dir, "%s", request->dir) >= (int)sizeof results->dir)
        status = SL_FAIL(err, SL_USAGE, "the path of the results folder is empty or too long");
    bool empty = true;
    if (status == SL_OK)
        status = sl_folder_look(request->dir, &empty, err);
    if (status == SL_OK && !empty)
        status = open_existing(results, err);
    if (status == SL_OK)
        *out = results;
    else
        sl_results_free(results);
    return status;
}

/* Keeps a copy of the line by the cell that it begins with: of several the first. */
static void keep_line(struct sl_results *results, const char *line)
{
    char *end = NULL;
    unsigned long cell = strtoul(line, &end, 10);
    if (end == line || *end != ',' || cell >= SL_MAX_CELLS ||
        !sl_grow((void **)&results->lines, &results->line_capacity, (uint32_t)cell + 1,
                 sizeof *results->lines))
        return;
    while (results->line_count <= cell)
        results->lines[results->line_count++] = NULL;
    if (!results->lines[cell])
        results->lines[cell] = strdup(line);
}

/* The cell's line in the joined summary.csv of a finished folder, which is read once. */
static char *finished_line(struct sl_results *results, uint32_t cell)
{
    if (!results->lines) {
        char path[PATH_SIZE], *line = NULL;
        size_t capacity = 0;
        snprintf(path, sizeof path, "%s/summary.csv", results->dir);
        FILE *in = fopen(path, "rb");
        while (in && getline(&line, &capacity, in) > 0)
            keep_line(results, line);
        if (in)
            fclose(in);
        free(line);
    }
    bool found = cell < results->line_count && results->lines[cell];
    return found ? strdup(results->lines[cell]) : NULL;
}

static char *part_line(const struct sl_results *results, uint32_t cell)
{
    FILE *part = sl_partfile_open(results->dir, cell);
    if (!part)
        return NULL;
    char *line = NULL;
    struct sl_section head;
    if (sl_partfile_next(part, &head) && strcmp(head.name, "summary.csv") == 0 &&
        head.size < 1 << 20 && (line = malloc(head.size + 1))) {
        line[fread(line, 1, head.size, part)] = '\0';
        if (strlen(line) != head.size) {
            free(line);
            line = NULL;
        }
    }
    fclose(part);
    return line;
}

static char *kept_line(struct sl_results *results, uint32_t cell)
{
    if (!results->started)
        return NULL;
    return results->finished ? finished_line(results, cell) : part_line(results, cell);
}

bool sl_results_finished(const struct sl_results *results)
{
    return results->finished;
}

enum sl_kept sl_results_has(struct sl_results *results, const struct sl_cell_spec *spec)
{
    char path[PATH_SIZE];
    if (results->started && !results->finished) {
        if (sl_partfile_is_sound(results->dir, spec->index))
            return SL_KEPT;
        sl_partfile_path(results->dir, spec->index, path);
        return access(path, F_OK) == 0 ? SL_KEPT_DAMAGED : SL_KEPT_NOT;
    }
    char *line = kept_line(results, spec->index);
    free(line);
    return line ? SL_KEPT : SL_KEPT_NOT;
}

enum sl_status sl_results_line(struct sl_results *results, uint32_t cell, char **line,
                               struct sl_error *err)
{
    *line = kept_line(results, cell);
    return *line ? SL_OK
                 : SL_FAIL(err, SL_SYSTEM, "%s: cell %u cannot be read", results->dir, cell);
}

/* The folder is made and an earlier result dropped only now: a run that fails before its first
 * cell leaves everything as it was.  Of an earlier result the cells go first, then comes the
 * manifest of this run, then the rest goes: a run that is killed in between leaves a folder that is
 * not finished, and no cell of another run for --resume. */
static enum sl_status start(struct sl_results *results, struct sl_error *err)
{
    if (results->started)
        return SL_OK;
    bool empty = true;
    enum sl_status status = sl_make_dirs(results->dir, err);
    if (status == SL_OK)
        status = sl_folder_lock(results->dir, &results->lock, err);
    if (status == SL_OK)
        status = sl_folder_look(results->dir, &empty, err);
    if (status == SL_OK && !empty && !results->replace)
        status = SL_FAIL(err, SL_SYSTEM, "another run has written into '%s'", results->dir);
    if (status != SL_OK)
        return status;
    if (results->replace && !sl_folder_clear_cells(results->dir))
        return not_cleared(results, err);
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/cells", results->dir);
    status = sl_make_dirs(path, err);
    if (status == SL_OK)
        status = sl_manifest_write(results->dir, &results->request, false, 0, err);
    if (status == SL_OK && results->replace && !sl_folder_clear(results->dir))
        status = not_cleared(results, err);
    results->started = status == SL_OK;
    return status;
}

static bool has_rows(const struct sl_part *part, const struct sl_cell *cell)
{
    bool jobs = sl_scenario_has_jobs(cell->scenario);
    return part->of == SL_PART_OF_BOTH || jobs == (part->of == SL_PART_OF_JOBS);
}

static enum sl_status write_sections(FILE *out, const struct sl_cell *cell, struct sl_error *err)
{
    fputs(SL_PARTFILE_MAGIC, out);
    for (size_t i = 0; i < SL_PART_FILES; i++) {
        struct sl_memout rows;
        if (sl_memout_open(&rows) && has_rows(sl_parts[i], cell))
            sl_parts[i]->rows(rows.stream, cell);
        char *text = sl_memout_close(&rows);
        if (!text)
            return SL_FAIL(err, SL_SYSTEM, "out of memory");
        bool written = sl_partfile_put(out, sl_parts[i]->file, text, rows.size);
        free(text);
        if (!written)
            return SL_FAIL(err, SL_SYSTEM, "a cell could not be written: %s", strerror(errno));
    }
    return SL_OK;
}

enum sl_status sl_results_pack(const struct sl_cell *cell, char **bytes, size_t *size,
                               struct sl_error *err)
{
    struct sl_memout memory;
    *bytes = NULL;
    if (!sl_memout_open(&memory))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = write_sections(memory.stream, cell, err);
    char *text = sl_memout_close(&memory);
    if (!text && status == SL_OK)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK) {
        *bytes = text;
        *size = memory.size;
    } else {
        free(text);
    }
    return status;
}

static enum sl_status open_part(struct sl_results *results, uint32_t cell, struct sl_outfile *file,
                                struct sl_error *err)
{
    char path[PATH_SIZE];
    if (results->finished)
        return SL_FAIL(err, SL_USAGE, "'%s' is complete", results->dir);
    enum sl_status status = start(results, err);
    return status == SL_OK ? sl_outfile_open(file, sl_partfile_path(results->dir, cell, path), err)
                           : status;
}

static enum sl_status close_part(struct sl_outfile *file, enum sl_status status,
                                 struct sl_error *err)
{
    bool lost = ferror(file->stream) != 0;
    if (lost && err)
        *err = (struct sl_error){0}; /* the commit says which file it was, and why */
    if (status == SL_OK || lost)
        return sl_outfile_commit(file, err);
    sl_outfile_abandon(file);
    return status;
}

enum sl_status sl_results_put(struct sl_results *results, const struct sl_cell *cell,
                              struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = open_part(results, cell->spec.index, &file, err);
    return status == SL_OK ? close_part(&file, write_sections(file.stream, cell, err), err)
                           : status;
}

enum sl_status sl_results_put_packed(struct sl_results *results, uint32_t cell, const char *bytes,
                                     size_t size, struct sl_error *err)
{
    struct sl_outfile file;
    enum sl_status status = open_part(results, cell, &file, err);
    if (status != SL_OK)
        return status;
    if (fwrite(bytes, 1, size, file.stream) != size)
        status = SL_FAIL(err, SL_SYSTEM, "a cell could not be written: %s", strerror(errno));
    return close_part(&file, status, err);
}

static enum sl_status join_cell(const struct sl_results *results, uint32_t cell,
                                struct sl_outfile *files, struct sl_error *err)
{
    FILE *part = sl_partfile_open(results->dir, cell);
    if (!part)
        return SL_FAIL(err, SL_SYSTEM, "%s: cell %u is missing or damaged: %s", results->dir, cell,
                       errno ? strerror(errno) : "it is no file of a cell");
    enum sl_status status = SL_OK;
    for (size_t i = 0; status == SL_OK && i < SL_PART_FILES; i++) {
        struct sl_section section;
        enum sl_copied copied = SL_COPY_DAMAGED;
        if (sl_partfile_next(part, &section) && strcmp(section.name, sl_parts[i]->file) == 0)
            copied = sl_partfile_copy(part, &section, files[i].stream);
        if (copied == SL_COPY_DAMAGED)
            status = SL_FAIL(err, SL_SYSTEM,
                             "%s: the file of cell %u, which is finished, is damaged; go on with "
                             "--resume, which runs it again, or begin anew with --force",
                             results->dir, cell);
        else if (copied == SL_COPY_NOT_WRITTEN)
            status =
                SL_FAIL(err, SL_SYSTEM, "a results file could not be written: %s", strerror(errno));
    }
    fclose(part);
    return status;
}

static enum sl_status join(const struct sl_results *results, uint32_t cell_count,
                           struct sl_error *err)
{
    struct sl_outfile files[SL_PART_FILES];
    size_t opened = 0;
    enum sl_status status = SL_OK;
    for (; status == SL_OK && opened < SL_PART_FILES; opened++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", results->dir, sl_parts[opened]->file);
        status = sl_outfile_open(&files[opened], path, err);
        if (status != SL_OK)
            break;
        sl_parts[opened]->header(files[opened].stream, results->request.scenario);
    }
    for (uint32_t cell = 0; status == SL_OK && cell < cell_count; cell++)
        status = join_cell(results, cell, files, err);
    for (size_t i = 0; i < opened; i++) {
        if (status == SL_OK)
            status = sl_outfile_commit(&files[i], err);
        else
            sl_outfile_abandon(&files[i]);
    }
    return status;
}

/* Also of a folder that was complete already: the run that completed it may have been killed here.
 */
static enum sl_status clear_left(const struct sl_results *results, struct sl_error *err)
{
    if (sl_folder_clear_left(results->dir))
        return SL_OK;
    return SL_FAIL(err, SL_SYSTEM,
                   "'%s' is complete, but the files of single cells in it cannot be removed: %s",
                   results->dir, strerror(errno));
}

enum sl_status sl_results_finish(struct sl_results *results, uint32_t cell_count,
                                 struct sl_error *err)
{
    enum sl_status status = SL_OK;
    if (!results->finished) {
        status = start(results, err);
        if (status == SL_OK)
            status = join(results, cell_count, err);
        if (status == SL_OK)
            status = sl_manifest_write(results->dir, &results->request, true, cell_count, err);
        results->finished = status == SL_OK;
    }
    return status == SL_OK ? clear_left(results, err) : status;
}

void sl_results_free(struct sl_results *results)
{
    if (!results)
        return;
    sl_folder_unlock(results->dir, &results->lock);
    for (uint32_t i = 0; i < results->line_count; i++)
        free(results->lines[i]);
    free(results->lines);
    free(results);
}
