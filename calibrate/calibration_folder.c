/* The folder of a calibration. */
#include "config.h"

#include "calibration_folder.h"
#include "outfile.h"
#include "session_csv.h"
#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 4096

/* Entries of a folder, "." and ".." aside; 0 when there is no such folder. */
static uint32_t entries_of(const char *path, bool *is_calibration)
{
    uint32_t count = 0;
    DIR *dir = opendir(path);
    *is_calibration = false;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        *is_calibration |= strcmp(entry->d_name, "sessions") == 0;
    }
    if (dir)
        closedir(dir);
    return count;
}

/* Whether what is there may be written to. */
static enum sl_status check_folder(const char *dir, bool resume, bool force, struct sl_error *err)
{
    bool is_calibration = false;
    uint32_t entries = entries_of(dir, &is_calibration);
    if (entries > 0 && !force && !resume)
        return SL_FAIL(
            err, SL_USAGE,
            "'%s' is not empty (--resume goes on with a calibration, --force replaces it)", dir);
    if (entries > 0 && !is_calibration)
        return SL_FAIL(err, SL_USAGE, "'%s' holds files, and none of them is a calibration's", dir);
    return SL_OK;
}

/* What killed processes left, in all folders that a calibration writes to. */
static enum sl_status remove_left(const char *dir, struct sl_error *err)
{
    static const char *const folders[] = {"", "/sessions", "/empirical"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[PATH_SIZE];
        if (snprintf(path, sizeof path, "%s%s", dir, folders[i]) >= (int)sizeof path)
            return SL_FAIL(err, SL_USAGE, "the path of the folder is too long");
        if (!sl_folder_remove(path, sl_outfile_is_left))
            return SL_FAIL(err, SL_SYSTEM, "cannot remove an old file in '%s': %s", path,
                           strerror(errno));
    }
    return SL_OK;
}

/* Takes the sessions of an earlier calibration away; its tables are replaced when this one's are
 * written. */
static enum sl_status drop_sessions(const char *dir, struct sl_error *err)
{
    char path[PATH_SIZE];
    enum sl_status status = SL_OK;
    for (uint32_t s = 1; status == SL_OK && s <= SL_SESSIONS_MAX; s++) {
        status = sl_session_path(path, sizeof path, dir, s, err);
        if (status == SL_OK && unlink(path) != 0 && errno != ENOENT)
            status = SL_FAIL(err, SL_SYSTEM, "cannot remove '%s': %s", path, strerror(errno));
    }
    return status;
}

enum sl_status sl_calibration_claim(const char *dir, bool resume, bool force,
                                    struct sl_folder_lock *lock, struct sl_error *err)
{
    char path[PATH_SIZE];
    if (!dir)
        return SL_FAIL(err, SL_USAGE, "-o DIR is missing: the device folder that is to be made");
    if (force && resume)
        return SL_FAIL(err, SL_USAGE, "--force and --resume exclude each other");
    if (snprintf(path, sizeof path, "%s/sessions", dir) >= (int)sizeof path)
        return SL_FAIL(err, SL_USAGE, "the path of the folder is too long");
    enum sl_status status = check_folder(dir, resume, force, err);
    if (status == SL_OK)
        status = sl_make_dirs(path, err);
    if (status == SL_OK)
        status = sl_folder_lock(dir, lock, err);
    if (status == SL_OK)
        status = remove_left(dir, err);
    if (status == SL_OK && force)
        status = drop_sessions(dir, err);
    return status;
}
