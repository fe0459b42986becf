/* What fuzz targets share: the table of targets, checks, files. */
#include <config.h>

#include "fuzz.h"
#include "infile.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct fuzz_target *const targets[] = {
#define FUZZ_TARGET(name) &fuzz_target_##name,
#include "targets.def"
#undef FUZZ_TARGET
};

size_t fuzz_target_count(void)
{
    return FUZZ_COUNT(targets);
}

const struct fuzz_target *fuzz_target_get(size_t index)
{
    return targets[index];
}

const struct fuzz_target *fuzz_target_find(const char *name)
{
    for (size_t i = 0; i < FUZZ_COUNT(targets); i++)
        if (strcmp(targets[i]->name, name) == 0)
            return targets[i];
    return NULL;
}

void fuzz_fail(const char *file, int line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
    abort();
}

FILE *fuzz_nowhere(void)
{
    static FILE *file;
    if (!file)
        file = fopen("/dev/null", "w");
    FUZZ_CHECK(file, "/dev/null cannot be opened");
    return file;
}

void fuzz_judge(enum sl_status status, struct sl_diags *diags, const struct sl_error *err)
{
    size_t errors = diags ? diags->errors : 0;
    FUZZ_CHECK(status == SL_OK || status == SL_NO || status == SL_USAGE || status == SL_INVALID,
               "status %d: %s", (int)status, err->message);
    FUZZ_CHECK(status == SL_OK || errors > 0 || err->message[0], "status %d without a reason",
               (int)status);
    if (!diags)
        return;
    sl_diags_print(diags, fuzz_nowhere());
    sl_diags_free(diags);
    *diags = (struct sl_diags){0};
}

/* ---- files ---------------------------------------------------------------------------------- */

static char folder[256];
static pid_t owner; /* a forked process has a folder of its own */

const char *fuzz_dir(void)
{
    if (owner == getpid())
        return folder;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.200s/slackline-fuzz-XXXXXX", base ? base : "/tmp");
    FUZZ_CHECK(mkdtemp(folder), "no folder can be made below TMPDIR");
    owner = getpid();
    return folder;
}

/* Of the folder, and then the folder itself unless it is the outermost. */
static void empty(const char *path, int depth)
{
    char name[1024];
    DIR *dir = opendir(path);
    FUZZ_CHECK(dir, "%s cannot be listed", path);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (unlink(name) != 0 && depth < 4)
            empty(name, depth + 1);
    }
    closedir(dir);
    if (depth > 0)
        rmdir(path);
}

void fuzz_clean(void)
{
    empty(fuzz_dir(), 0);
}

void fuzz_end(void)
{
    if (owner != getpid())
        return;
    fuzz_clean();
    rmdir(folder);
    owner = 0;
}

const char *fuzz_write(const char *name, const void *data, size_t size)
{
    static char path[sizeof folder + 128];
    const char *slash = strchr(name, '/');
    if (slash) {
        snprintf(path, sizeof path, "%s/%.*s", fuzz_dir(), (int)(slash - name), name);
        mkdir(path, 0777);
    }
    snprintf(path, sizeof path, "%s/%.100s", fuzz_dir(), name);
    FILE *file = fopen(path, "wb");
    if (!file) /* a folder has the name */
        return path;
    FUZZ_CHECK(fwrite(data, 1, size, file) == size, "%s cannot be written", path);
    FUZZ_CHECK(fclose(file) == 0, "%s cannot be written", path);
    return path;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_CHECK(text, "out of memory");
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* ---- several files in one input ------------------------------------------------------------- */

static bool is_file_name(const char *name)
{
    unsigned slashes = 0;
    size_t length = strlen(name);
    for (const char *c = name; *c; c++)
        slashes += *c == '/';
    return length > 0 && length < 60 && slashes <= 1 && name[0] != '/' && name[length - 1] != '/' &&
           !strstr(name, "..") &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") ==
               length;
}

#define FRAME "=== "

/* Where the next frame's line begins, the end of the text if there is none. */
static const char *next_frame(const char *at, const char *end)
{
    while (at < end) {
        if ((size_t)(end - at) >= strlen(FRAME) && memcmp(at, FRAME, strlen(FRAME)) == 0)
            return at;
        const char *line = memchr(at, '\n', (size_t)(end - at));
        at = line ? line + 1 : end;
    }
    return end;
}

void fuzz_unframe(const uint8_t *data, size_t size)
{
    const char *end = (const char *)data + size, *at = next_frame((const char *)data, end);
    for (int files = 0; at < end && files < 12; files++) {
        char name[64];
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const char *text = line ? line + 1 : end;
        snprintf(name, sizeof name, "%.*s", (int)((line ? line : end) - at - (long)strlen(FRAME)),
                 at + strlen(FRAME));
        at = next_frame(text, end);
        if (is_file_name(name))
            fuzz_write(name, text, (size_t)(at - text));
    }
}

static const char *source_path(const char *path)
{
    static char full[1024];
    const char *root = getenv("SL_SRCDIR");
    snprintf(full, sizeof full, "%s/%s", root ? root : ".", path);
    return full;
}

static void read_source(const char *path, struct sl_arena *arena, char **data, size_t *size)
{
    struct sl_error err = {0};
    FUZZ_CHECK(sl_infile_read(source_path(path), 1 << 24, arena, data, size, &err) == SL_OK,
               "%s: %s (is SL_SRCDIR set?)", path, err.message);
}

void fuzz_write_base(void)
{
    static const char *const names[] = {
        "scenario.yaml",        "nodes.csv",       "edges.csv",   "objects.csv",
        "overlap.csv",          "choices.csv",     "samples.txt", "device/device.yaml",
        "device/durations.csv", "device/kappa.csv"};
    static struct sl_arena arena; /* read once */
    static char *texts[FUZZ_COUNT(names)];
    static size_t sizes[FUZZ_COUNT(names)];
    for (size_t i = 0; i < FUZZ_COUNT(names); i++) {
        char path[100];
        snprintf(path, sizeof path, "tests/fuzz/base/%s", names[i]);
        if (!texts[i])
            read_source(path, &arena, &texts[i], &sizes[i]);
        fuzz_write(names[i], texts[i], sizes[i]);
    }
}

/* ---- seeds ---------------------------------------------------------------------------------- */

static void put(FILE *out, const char *path)
{
    struct sl_arena arena = {0};
    char *data;
    size_t size;
    read_source(path, &arena, &data, &size);
    fwrite(data, 1, size, out);
    if (size > 0 && data[size - 1] != '\n')
        putc('\n', out);
    sl_arena_free(&arena);
}

void fuzz_seed_file(const struct fuzz_seeds *seeds, const char *path, const char *head)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    FUZZ_CHECK(out, "out of memory");
    if (head)
        fprintf(out, "%s\n", head);
    put(out, path);
    fclose(out);
    seeds->add(seeds->user, path, text, size);
    free(text);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(source_path(path), &info) == 0 && S_ISDIR(info.st_mode);
}

/* Texts only: pictures and descriptions teach a reader of tables nothing. */
static void frame_folder(FILE *out, const char *path, const char *below, const char *only)
{
    struct dirent **entries;
    int count = scandir(source_path(path), &entries, shown, by_name);
    FUZZ_CHECK(count >= 0, "%s cannot be listed", path);
    for (int i = 0; i < count; i++) {
        char name[512], full[800];
        snprintf(name, sizeof name, "%s%s", below, entries[i]->d_name);
        snprintf(full, sizeof full, "%s/%s", path, entries[i]->d_name);
        if (is_folder(full)) {
            snprintf(name, sizeof name, "%s/", entries[i]->d_name);
            if (!*below)
                frame_folder(out, full, name, only);
        } else if (is_file_name(name) && strcmp(entries[i]->d_name, "README.md") != 0 &&
                   (!only || strcmp(only, entries[i]->d_name) == 0)) {
            fprintf(out, FRAME "%s\n", name);
            put(out, full);
        }
        free(entries[i]);
    }
    free(entries);
}

void fuzz_seed_folder(const struct fuzz_seeds *seeds, const char *path, const char *only)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    FUZZ_CHECK(out, "out of memory");
    frame_folder(out, path, "", only);
    fclose(out);
    if (size > 0 && size < 1 << 16)
        seeds->add(seeds->user, path, text, size);
    free(text);
}

void fuzz_seed_folders(const struct fuzz_seeds *seeds, const char *path, const char *only)
{
    struct dirent **entries;
    int count = scandir(source_path(path), &entries, shown, by_name);
    FUZZ_CHECK(count >= 0, "%s cannot be listed", path);
    for (int i = 0; i < count; i++) {
        char full[800];
        snprintf(full, sizeof full, "%s/%s", path, entries[i]->d_name);
        if (is_folder(full))
            fuzz_seed_folder(seeds, full, only);
        free(entries[i]);
    }
    free(entries);
}

void fuzz_seed_texts(const struct fuzz_seeds *seeds, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "text-%zu", i);
        seeds->add(seeds->user, name, texts[i], strlen(texts[i]));
    }
}
