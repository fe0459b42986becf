/* Output files appear whole: written beside the final name, synced, renamed over it. */
#include <config.h>

#include "outfile.h"
#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_TRIES 1000u

static enum sl_status failed(struct sl_error *err, const char *path, const char *what, int number)
{
    return SL_FAIL_AT(err, SL_SYSTEM, (struct sl_place){0}, "cannot %s '%s': %s", what, path,
                      strerror(number));
}

/* Creates a file that nobody else has, with the mode that the user's umask gives. */
static int create_temp(struct sl_outfile *file)
{
    size_t room = sizeof file->temp, length = strlen(file->path);
    memcpy(file->temp, file->path, length);
    for (unsigned i = 0; i < MOST_TRIES; i++) {
        snprintf(file->temp + length, room - length, ".~%x.%u", (unsigned)getpid(), i);
        int fd = open(file->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

enum sl_status sl_outfile_open(struct sl_outfile *file, const char *path, struct sl_error *err)
{
    file->stream = NULL;
    file->temp[0] = '\0';
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof file->path)
        return SL_FAIL(err, SL_SYSTEM, "a file name of %zu bytes cannot be used", length);
    memcpy(file->path, path, length + 1);
    int fd = create_temp(file);
    if (fd >= 0)
        file->stream = fdopen(fd, "w");
    if (file->stream)
        return SL_OK;
    int number = errno;
    if (fd >= 0) {
        close(fd);
        unlink(file->temp);
    }
    file->temp[0] = '\0';
    return failed(err, path, "create", number);
}

enum sl_status sl_outfile_open_in(struct sl_outfile *file, const char *dir, const char *name,
                                  struct sl_error *err)
{
    char path[sizeof file->path];
    if (snprintf(path, sizeof path, "%s/%s", dir, name) < (int)sizeof path)
        return sl_outfile_open(file, path, err);
    file->stream = NULL;
    file->temp[0] = '\0';
    return SL_FAIL(err, SL_USAGE, "the path of the results folder is too long");
}

/* Makes the rename itself durable.  Some file systems cannot sync a folder: then it is not. */
static int sync_folder(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (slash && length == 0)
        length = 1; /* the root */
    memcpy(folder, slash ? path : ".", slash ? length : 1);
    folder[slash ? length : 1] = '\0';
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == EACCES ? 0 : errno; /* a folder may be writable and not readable */
    int number = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
    close(fd);
    return number;
}

/* Why an earlier write failed, whose errno is long gone: the file, which goes, is written to again.
 */
static int ask_again(FILE *stream)
{
    static const char block[1 << 16];
    for (int tries = 0; tries < 3; tries++)
        if (write(fileno(stream), block, sizeof block) < 0)
            return errno;
    return EIO;
}

/* 0, or why the disk does not have all of it. */
static int flush_all(FILE *stream)
{
    if (ferror(stream))
        return ask_again(stream);
    return fflush(stream) != 0 || fsync(fileno(stream)) != 0 ? errno : 0;
}

enum sl_status sl_outfile_flush(struct sl_outfile *file, struct sl_error *err)
{
    int number = flush_all(file->stream);
    return number == 0 ? SL_OK : failed(err, file->path, "write", number);
}

enum sl_status sl_outfile_commit(struct sl_outfile *file, struct sl_error *err)
{
    if (!file->stream)
        return SL_FAIL(err, SL_USAGE, "a file that is not open was committed");
    int number = flush_all(file->stream);
    if (fclose(file->stream) != 0 && number == 0)
        number = errno;
    file->stream = NULL;
    if (number == 0 && rename(file->temp, file->path) != 0)
        number = errno;
    if (number != 0) {
        sl_outfile_abandon(file);
        return failed(err, file->path, "write", number);
    }
    file->temp[0] = '\0';
    number = sync_folder(file->path);
    return number == 0 ? SL_OK : failed(err, file->path, "sync the folder of", number);
}

void sl_outfile_abandon(struct sl_outfile *file)
{
    if (file->stream)
        fclose(file->stream);
    file->stream = NULL;
    if (file->temp[0])
        unlink(file->temp);
    file->temp[0] = '\0';
}

bool sl_outfile_is_left(const char *name)
{
    const char *tail = strstr(name, ".~");
    size_t pid = tail ? strspn(tail + 2, "0123456789abcdef") : 0;
    const char *number = tail ? tail + 2 + pid : NULL;
    return pid > 0 && number[0] == '.' && number[1] &&
           strspn(number + 1, "0123456789") == strlen(number + 1);
}

enum sl_status sl_file_sha256(const char *path, char hex[65], struct sl_error *err)
{
    _Static_assert(SHA256_DIGEST_STRING_LENGTH == 65, "64 digits and the end");
    return SHA256File(path, hex) ? SL_OK : failed(err, path, "read", errno);
}

static enum sl_status make_one(const char *path, struct sl_error *err)
{
    struct stat info;
    if (mkdir(path, 0777) == 0)
        return SL_OK;
    int number = errno;
    if (stat(path, &info) == 0)
        return S_ISDIR(info.st_mode) ? SL_OK : failed(err, path, "create folder", ENOTDIR);
    return failed(err, path, "create folder", number);
}

enum sl_status sl_make_dirs(const char *path, struct sl_error *err)
{
    char part[4096];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return SL_FAIL(err, SL_SYSTEM, "a folder name of %zu bytes cannot be used", length);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] && path[i] != '/')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        enum sl_status status = make_one(part, err);
        if (status != SL_OK)
            return status;
    }
    return SL_OK;
}
