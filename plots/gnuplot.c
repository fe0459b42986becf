/* Runs gnuplot on the scripts of this folder, by fork and exec: no shell reads a name. */
#include "config.h"

#include "datadir.h"
#include "gnuplot.h"
#include "outfile.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TEMP         ".drawing-" /* begins the names of temporary folders */
#define TIMEOUT_S    60
#define POLL_NS      5000000L
#define EXIT_MISSING 127
#define WIDTH        1200
#define TITLE_WIDTH  112 /* characters that fit it */

static enum sl_status find_scripts(struct sl_gnuplot *gnuplot, struct sl_error *err)
{
    const char *data = getenv("SLACKLINE_DATA");
    if (!data || !*data)
        data = sl_installed_data();
    char script[SL_GNUPLOT_PATH + 16], full[SL_GNUPLOT_PATH];
    /* gnuplot runs in another folder, so the path must not depend on this one. */
    bool fits = *data == '/' || !getcwd(full, sizeof full)
                    ? snprintf(gnuplot->scripts, sizeof gnuplot->scripts, "%s/plots", data) <
                          SL_GNUPLOT_PATH
                    : snprintf(gnuplot->scripts, sizeof gnuplot->scripts, "%.1500s/%.1500s/plots",
                               full, data) < SL_GNUPLOT_PATH;
    snprintf(script, sizeof script, "%s/common.gp", gnuplot->scripts);
    gnuplot->missing = !fits || access(script, R_OK) != 0;
    if (gnuplot->missing)
        return SL_FAIL(err, SL_SYSTEM,
                       "the plotting scripts are not in '%s' (set SLACKLINE_DATA to the folder "
                       "that holds plots/)",
                       gnuplot->scripts);
    return SL_OK;
}

/* Takes a temporary folder away, with what is in it, which is no folder. */
static void remove_temp(DIR *folder, const char *path)
{
    rewinddir(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    rmdir(path);
}

/* Those of processes that were killed: whoever draws holds a lock, which goes with the process.
 * Without memory, or locks, they stay. */
static void remove_left(const char *out_dir)
{
    DIR *out = opendir(out_dir);
    for (struct dirent *entry; out && (entry = readdir(out));) {
        char path[SL_GNUPLOT_PATH + 300];
        if (strncmp(entry->d_name, TEMP, strlen(TEMP)) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", out_dir, entry->d_name);
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        bool left = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
        DIR *folder = left ? fdopendir(fd) : NULL;
        if (folder)
            remove_temp(folder, path);
        else if (fd >= 0)
            close(fd);
    }
    if (out)
        closedir(out);
}

/* False: errno says why.  Not every file system has locks. */
static bool make_temp(struct sl_gnuplot *gnuplot)
{
    snprintf(gnuplot->temp, sizeof gnuplot->temp, "%s/" TEMP "XXXXXX", gnuplot->out);
    if (!mkdtemp(gnuplot->temp)) {
        *gnuplot->temp = '\0';
        return false;
    }
    gnuplot->folder = opendir(gnuplot->temp);
    if (gnuplot->folder)
        (void)flock(dirfd(gnuplot->folder), LOCK_EX | LOCK_NB);
    return gnuplot->folder != NULL;
}

/* Another process may take the new folder for one that is left, before it is locked: then a second
 * one is made. */
static enum sl_status open_temp(struct sl_gnuplot *gnuplot, struct sl_error *err)
{
    bool made = make_temp(gnuplot);
    if (made ? access(gnuplot->temp, F_OK) != 0 : errno == ENOENT) {
        if (made)
            closedir(gnuplot->folder);
        gnuplot->folder = NULL;
        made = make_temp(gnuplot);
    }
    if (made)
        return SL_OK;
    enum sl_status status = SL_FAIL(err, SL_SYSTEM, "%s: %s",
                                    *gnuplot->temp ? gnuplot->temp : gnuplot->out, strerror(errno));
    if (*gnuplot->temp)
        rmdir(gnuplot->temp);
    *gnuplot->temp = '\0';
    return status;
}

enum sl_status sl_gnuplot_open(struct sl_gnuplot *gnuplot, const char *out_dir,
                               struct sl_error *err)
{
    *gnuplot = (struct sl_gnuplot){0};
    enum sl_status status = find_scripts(gnuplot, err);
    if (status != SL_OK)
        return status;
    if (snprintf(gnuplot->out, sizeof gnuplot->out, "%s", out_dir) >= SL_GNUPLOT_PATH)
        return SL_FAIL(err, SL_USAGE, "the path '%.80s...' is too long", out_dir);
    status = sl_make_dirs(out_dir, err);
    if (status != SL_OK)
        return status;
    remove_left(out_dir);
    return open_temp(gnuplot, err);
}

/* A file of the temporary folder, whose faults outlive it. */
struct watched {
    struct sl_gnuplot *gnuplot;
    int fd;
};

static ssize_t write_watched(void *cookie, const char *bytes, size_t size)
{
    struct watched *file = cookie;
    size_t done = 0;
    while (done < size) {
        ssize_t got = write(file->fd, bytes + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && file->gnuplot->fault == 0)
            file->gnuplot->fault = errno;
        if (got < 0)
            return (ssize_t)done;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static int close_watched(void *cookie)
{
    struct watched *file = cookie;
    int code = close(file->fd);
    if (code != 0 && file->gnuplot->fault == 0)
        file->gnuplot->fault = errno;
    free(file);
    return code;
}

static FILE *open_in_temp(struct sl_gnuplot *gnuplot, const char *name, struct sl_error *err)
{
    char path[sizeof gnuplot->temp + 64];
    snprintf(path, sizeof path, "%s/%s", gnuplot->temp, name);
    struct watched *file = malloc(sizeof *file);
    FILE *stream = NULL;
    if (file) {
        *file =
            (struct watched){gnuplot, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
        if (file->fd >= 0)
            stream = fopencookie(
                file, "w", (cookie_io_functions_t){.write = write_watched, .close = close_watched});
    }
    if (stream)
        return stream;
    (void)SL_FAIL(err, SL_SYSTEM, "%s: %s", path, strerror(errno));
    if (file && file->fd >= 0)
        close(file->fd);
    free(file);
    return NULL;
}

static enum sl_status check_written(const struct sl_gnuplot *gnuplot, struct sl_error *err)
{
    return gnuplot->fault == 0 ? SL_OK
                               : SL_FAIL(err, SL_SYSTEM, "a file in '%s' cannot be written: %s",
                                         gnuplot->temp, strerror(gnuplot->fault));
}

enum sl_status sl_gnuplot_begin(struct sl_gnuplot *gnuplot, struct sl_error *err)
{
    if (gnuplot->input)
        fclose(gnuplot->input);
    gnuplot->input = open_in_temp(gnuplot, "input.gp", err);
    return gnuplot->input ? SL_OK : SL_SYSTEM;
}

enum sl_status sl_gnuplot_data(struct sl_gnuplot *gnuplot, const char *name, FILE **file,
                               struct sl_error *err)
{
    *file = open_in_temp(gnuplot, name, err);
    return *file ? SL_OK : SL_SYSTEM;
}

/* A text that had no memory is NULL: who made it says so before the picture is drawn. */
static void put_quoted(FILE *out, const char *text)
{
    putc('\'', out);
    for (; text && *text; text++) {
        if (*text == '\'')
            putc('\'', out);
        putc(*text == '\n' ? ' ' : *text, out);
    }
    putc('\'', out);
}

void sl_gnuplot_text(struct sl_gnuplot *gnuplot, const char *name, const char *text)
{
    fprintf(gnuplot->input, "%s = ", name);
    put_quoted(gnuplot->input, text);
    putc('\n', gnuplot->input);
}

void sl_gnuplot_number(struct sl_gnuplot *gnuplot, const char *name, double value)
{
    fprintf(gnuplot->input, "%s = %.17g\n", name, value);
}

void sl_gnuplot_title(struct sl_gnuplot *gnuplot, const char *title)
{
    char first[TITLE_WIDTH + 1];
    size_t length = title ? strlen(title) : 0;
    if (length > TITLE_WIDTH) {
        length = TITLE_WIDTH;
        while (length > 0 && title[length] != ' ')
            length--;
    }
    snprintf(first, sizeof first, "%.*s", (int)length, title ? title : "");
    sl_gnuplot_text(gnuplot, "TITLE1", first);
    sl_gnuplot_text(gnuplot, "TITLE2", title && title[length] ? title + length + 1 : "");
}

void sl_gnuplot_texts(struct sl_gnuplot *gnuplot, const char *name, const char *const *texts,
                      size_t count)
{
    fprintf(gnuplot->input, "array %s[%zu]\n", name, count > 0 ? count : 1);
    for (size_t i = 0; i < count; i++) {
        fprintf(gnuplot->input, "%s[%zu] = ", name, i + 1);
        put_quoted(gnuplot->input, texts[i]);
        putc('\n', gnuplot->input);
    }
}

static enum sl_status write_driver(struct sl_gnuplot *gnuplot, const char *script, unsigned height,
                                   struct sl_error *err)
{
    static const char *const terminals[][2] = {{"pngcairo", "out.png"}, {"svg", "out.svg"}};
    FILE *driver = open_in_temp(gnuplot, "driver.gp", err);
    if (!driver)
        return SL_SYSTEM;
    fputs("set encoding utf8\nload 'input.gp'\nSCRIPTS = ", driver);
    put_quoted(driver, gnuplot->scripts);
    putc('\n', driver);
    for (size_t i = 0; i < 2; i++)
        fprintf(driver,
                "set terminal %s noenhanced size %d,%u font 'DejaVu Sans,13' background '#ffffff'\n"
                "set output '%s'\n"
                "load SCRIPTS.'/common.gp'\nload SCRIPTS.'/%s'\nset output\n",
                terminals[i][0], WIDTH, height, terminals[i][1], script);
    fclose(driver);
    return check_written(gnuplot, err);
}

static void run_child(const struct sl_gnuplot *gnuplot)
{
    int null = open("/dev/null", O_RDONLY);
    if (chdir(gnuplot->temp) != 0 || null < 0)
        _exit(126);
    int log = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (log < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0)
        _exit(126);
    /* -d: no start-up files of the user change the picture. */
    execlp("gnuplot", "gnuplot", "-d", "driver.gp", (char *)NULL);
    _exit(EXIT_MISSING);
}

/* Waits for the child; false when it had to be killed. */
static bool wait_for(pid_t child, int *code)
{
    struct timespec start, now, pause = {0, POLL_NS};
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        pid_t done = waitpid(child, code, WNOHANG);
        if (done == child)
            return true;
        if (done < 0 && errno != EINTR)
            return false;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - start.tv_sec > TIMEOUT_S) {
            kill(child, SIGKILL);
            waitpid(child, code, 0);
            return false;
        }
        nanosleep(&pause, NULL);
    }
}

static enum sl_status explain_failure(struct sl_gnuplot *gnuplot, const char *name, int code,
                                      struct sl_error *err)
{
    gnuplot->missing = WIFEXITED(code) && WEXITSTATUS(code) == EXIT_MISSING;
    if (gnuplot->missing)
        return SL_FAIL(err, SL_SYSTEM,
                       "gnuplot is missing: install the Debian package gnuplot-nox (or gnuplot)");
    char path[sizeof gnuplot->temp + 8], words[400] = "";
    snprintf(path, sizeof path, "%s/log", gnuplot->temp);
    FILE *log = fopen(path, "r");
    if (log) {
        words[fread(words, 1, sizeof words - 1, log)] = '\0';
        fclose(log);
    }
    return SL_FAIL(err, SL_SYSTEM, "gnuplot failed on %s: %s", name, words);
}

static enum sl_status run_gnuplot(struct sl_gnuplot *gnuplot, const char *name,
                                  struct sl_error *err)
{
    pid_t child = fork();
    if (child < 0)
        return SL_FAIL(err, SL_SYSTEM, "fork: %s", strerror(errno));
    if (child == 0)
        run_child(gnuplot);
    int code = 0;
    if (!wait_for(child, &code))
        return SL_FAIL(err, SL_SYSTEM, "gnuplot took longer than %d s on %s", TIMEOUT_S, name);
    if (!WIFEXITED(code) || WEXITSTATUS(code) != 0)
        return explain_failure(gnuplot, name, code, err);
    return SL_OK;
}

/* gnuplot exits with 0 when the disk is full: a picture is whole when its end is there. */
static bool is_whole(const char *path, const char *end)
{
    char tail[16];
    FILE *file = fopen(path, "rb");
    bool whole = file && fseek(file, -(long)sizeof tail, SEEK_END) == 0 &&
                 fread(tail, 1, sizeof tail, file) == sizeof tail &&
                 memmem(tail, sizeof tail, end, strlen(end));
    if (file)
        fclose(file);
    return whole;
}

static enum sl_status put_in_place(const struct sl_gnuplot *gnuplot, const char *name,
                                   struct sl_error *err)
{
    static const struct {
        const char *type, *end;
    } kinds[] = {{"png", "IEND\xae\x42\x60\x82"}, {"svg", "</svg>"}};
    char from[sizeof gnuplot->temp + 16], to[sizeof gnuplot->out + 300];
    for (size_t i = 0; i < 2; i++) {
        snprintf(from, sizeof from, "%s/out.%s", gnuplot->temp, kinds[i].type);
        if (!is_whole(from, kinds[i].end))
            return SL_FAIL(
                err, SL_SYSTEM,
                "gnuplot did not write all of %s.%s: the disk is full, or it ran out of memory",
                name, kinds[i].type);
    }
    for (size_t i = 0; i < 2; i++) {
        snprintf(from, sizeof from, "%s/out.%s", gnuplot->temp, kinds[i].type);
        snprintf(to, sizeof to, "%s/%.255s.%s", gnuplot->out, name, kinds[i].type);
        if (rename(from, to) != 0)
            return SL_FAIL(err, SL_SYSTEM, "%s: %s", to, strerror(errno));
    }
    return SL_OK;
}

enum sl_status sl_gnuplot_draw(struct sl_gnuplot *gnuplot, const char *script, const char *name,
                               unsigned height, struct sl_error *err)
{
    fclose(gnuplot->input);
    gnuplot->input = NULL;
    enum sl_status status = write_driver(gnuplot, script, height, err);
    if (status == SL_OK)
        status = run_gnuplot(gnuplot, name, err);
    if (status == SL_OK)
        status = put_in_place(gnuplot, name, err);
    return status;
}

void sl_gnuplot_close(struct sl_gnuplot *gnuplot)
{
    if (gnuplot->input)
        fclose(gnuplot->input);
    gnuplot->input = NULL;
    if (!gnuplot->folder)
        return;
    remove_temp(gnuplot->folder, gnuplot->temp);
    gnuplot->folder = NULL;
}
