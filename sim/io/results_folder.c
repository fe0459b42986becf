/* What a results folder consists of, and what of it is removed when; and who writes into it. */
#include "config.h"

#include "outfile.h"
#include "partfile.h"
#include "result_parts.h"
#include "results_folder.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define PATH_SIZE SL_PATH_SIZE

static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t length = strlen(name), tail = strlen(suffix);
    return length >= tail && strcmp(name + length - tail, suffix) == 0;
}

/* What a killed run leaves of a file. */
static bool is_temporary_of(const char *name, const char *file)
{
    size_t length = strlen(file);
    return strncmp(name, file, length) == 0 && name[length] == '.' && name[length + 1] == '~' &&
           sl_outfile_is_left(name);
}

static bool is_part(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits >= 5 &&
           (strcmp(name + digits, ".part") == 0 || is_temporary_of(name + digits, ".part"));
}

static bool is_picture(const char *name)
{
    static const char *const kinds[] = {"tail",    "stalls", "pressure",   "gantt",
                                        "axis",    "band",   "pareto",     "slack",
                                        "tornado", "map",    "robustness", "load"};
    bool ours = false;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        size_t length = strlen(kinds[i]);
        ours = ours || (strncmp(name, kinds[i], length) == 0 &&
                        (name[length] == '_' || name[length] == '.'));
    }
    return ours && (has_suffix(name, ".png") || has_suffix(name, ".svg"));
}

/* Written at once, not joined from the cells. */
static const char *const whole_files[] = {"manifest.json",  "compare.csv",       "winners.csv",
                                          "win_shares.csv", "sensitivity.csv",   "race.csv",
                                          "map.csv",        "boundary.csv",      "robustness.csv",
                                          "measured.csv",   "measured_pairs.csv"};

static bool is_left(const char *name)
{
    for (size_t i = 0; i < SL_PART_FILES; i++)
        if (is_temporary_of(name, sl_parts[i]->file))
            return true;
    for (size_t i = 0; i < sizeof whole_files / sizeof *whole_files; i++)
        if (is_temporary_of(name, whole_files[i]))
            return true;
    return false;
}

static bool holds_nothing(const char *path)
{
    bool nothing = true;
    DIR *folder = opendir(path);
    if (!folder)
        return false;
    for (struct dirent *entry; (entry = readdir(folder));)
        nothing = nothing && is_dot(entry->d_name);
    closedir(folder);
    return nothing;
}

enum sl_status sl_folder_look(const char *dir, bool *empty, struct sl_error *err)
{
    char cells[PATH_SIZE];
    *empty = true;
    DIR *folder = opendir(dir);
    if (!folder)
        return errno == ENOENT ? SL_OK : SL_FAIL(err, SL_SYSTEM, "%s: %s", dir, strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder));) {
        bool bare = is_dot(entry->d_name) || is_left(entry->d_name) ||
                    strcmp(entry->d_name, SL_FOLDER_OWNER) == 0 ||
                    strcmp(entry->d_name, SL_FOLDER_DECIDER) == 0;
        if (strcmp(entry->d_name, "cells") == 0) {
            snprintf(cells, sizeof cells, "%s/cells", dir);
            bare = holds_nothing(cells);
        }
        *empty = *empty && bare;
    }
    closedir(folder);
    return SL_OK;
}

bool sl_folder_remove(const char *path, bool (*ours)(const char *name))
{
    bool good = true;
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOENT;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char file[PATH_SIZE + 260];
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (ours(entry->d_name))
            good &= unlink(file) == 0;
    }
    closedir(folder);
    return good;
}

/* The same for a subfolder, and the subfolder if that emptied it. */
static bool clear_subfolder(const char *dir, const char *sub, bool (*ours)(const char *name))
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", dir, sub);
    bool good = sl_folder_remove(path, ours);
    if (good)
        rmdir(path);
    return good;
}

static bool clear_file(const char *dir, const char *name)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return unlink(path) == 0 || errno == ENOENT;
}

bool sl_folder_clear(const char *dir)
{
    bool good = true;
    for (size_t i = 0; good && i < SL_PART_FILES; i++)
        good = clear_file(dir, sl_parts[i]->file);
    for (size_t i = 0; good && i < sizeof whole_files / sizeof *whole_files; i++)
        good = strcmp(whole_files[i], "manifest.json") == 0 || clear_file(dir, whole_files[i]);
    return good && sl_folder_remove(dir, is_left) && clear_subfolder(dir, "plots", is_picture);
}

bool sl_folder_clear_cells(const char *dir)
{
    return clear_subfolder(dir, "cells", is_part);
}

bool sl_folder_clear_left(const char *dir)
{
    return sl_folder_remove(dir, is_left) && sl_folder_clear_cells(dir);
}

/* What such a file says; false: there is none. */
static bool read_owner(const char *dir, const char *name, char *owner, size_t size)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    owner[fread(owner, 1, size - 1, file)] = '\0';
    owner[strcspn(owner, "\n")] = '\0';
    fclose(file);
    return true;
}

/* Who holds the lock, as far as its file says. */
static enum sl_status refuse_second(const char *dir, struct sl_error *err)
{
    char owner[320] = "";
    if (!read_owner(dir, SL_FOLDER_OWNER, owner, sizeof owner))
        read_owner(dir, SL_FOLDER_DECIDER, owner, sizeof owner);
    return SL_FAIL(err, SL_SYSTEM, "another run is writing into '%s'%s%s", dir, *owner ? ": " : "",
                   owner);
}

/* For the message to a second run; the lock does not depend on it. */
static void name_owner(const char *dir, const char *name)
{
    char path[PATH_SIZE], host[256] = "";
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (gethostname(host, sizeof host - 1) != 0)
        strcpy(host, "an unnamed host");
    FILE *file = fopen(path, "wb");
    if (!file)
        return;
    fprintf(file, "process %ld on %s\n", (long)getpid(), host);
    fclose(file);
}

static enum sl_status lock_folder(const char *dir, const char *owner, struct sl_folder_lock *lock,
                                  struct sl_error *err)
{
    lock->owner = owner;
    lock->fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock->fd < 0)
        return errno == EACCES ? SL_OK : SL_FAIL(err, SL_SYSTEM, "%s: %s", dir, strerror(errno));
    lock->held = flock(lock->fd, LOCK_EX | LOCK_NB) == 0;
    if (lock->held)
        name_owner(dir, owner);
    else if (errno == EWOULDBLOCK)
        return refuse_second(dir, err);
    return SL_OK;
}

enum sl_status sl_folder_lock(const char *dir, struct sl_folder_lock *lock, struct sl_error *err)
{
    return lock_folder(dir, SL_FOLDER_OWNER, lock, err);
}

enum sl_status sl_folder_lock_record(const char *dir, struct sl_folder_lock *lock,
                                     struct sl_error *err)
{
    return lock_folder(dir, SL_FOLDER_DECIDER, lock, err);
}

void sl_folder_unlock(const char *dir, struct sl_folder_lock *lock)
{
    char path[PATH_SIZE];
    if (lock->fd < 0)
        return;
    snprintf(path, sizeof path, "%s/%s", dir, lock->owner);
    if (lock->held)
        unlink(path); /* before the lock goes */
    close(lock->fd);
    lock->fd = -1;
}
