/* Input files: opened without waiting, checked to be regular, read whole. */
#include <config.h>

#include "infile.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_READ ((size_t)1 << 30)

static enum sl_status read_all(int fd, const char *path, char *data, size_t size, size_t *got,
                               struct sl_error *err)
{
    *got = 0;
    while (*got < size) {
        size_t want = size - *got < LARGEST_READ ? size - *got : LARGEST_READ;
        ssize_t part = read(fd, data + *got, want);
        if (part < 0 && errno == EINTR)
            continue;
        if (part < 0)
            return SL_FAIL_AT(err, SL_SYSTEM, (struct sl_place){.file = path}, "cannot read: %s",
                              strerror(errno));
        if (part == 0)
            break; /* shortened while we read: what is there is parsed */
        *got += (size_t)part;
    }
    return SL_OK;
}

enum sl_status sl_infile_open(const char *path, int *fd, struct sl_error *err)
{
    struct sl_place place = {.file = path};
    struct stat info;
    /* Without O_NONBLOCK a FIFO in place of a table would hang the program. */
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd < 0) {
        bool absent = errno == ENOENT || errno == ENOTDIR || errno == ELOOP || /* a wrong name, */
                      errno == ENAMETOOLONG || errno == ENXIO;                 /* or a device */
        return SL_FAIL_AT(err, absent ? SL_INVALID : SL_SYSTEM, place, "cannot open: %s",
                          strerror(errno));
    }
    enum sl_status status = SL_OK;
    if (fstat(*fd, &info) != 0)
        status = SL_FAIL_AT(err, SL_SYSTEM, place, "cannot read: %s", strerror(errno));
    else if (!S_ISREG(info.st_mode))
        status = SL_FAIL_AT(err, SL_INVALID, place, "not a regular file");
    if (status)
        close(*fd);
    return status;
}

static enum sl_status read_open(int fd, const char *path, int64_t limit, struct sl_arena *arena,
                                char **data, size_t *size, struct sl_error *err)
{
    struct sl_place place = {.file = path};
    struct stat info;
    if (fstat(fd, &info) != 0)
        return SL_FAIL_AT(err, SL_SYSTEM, place, "cannot read: %s", strerror(errno));
    if (info.st_size > limit)
        return SL_FAIL_AT(err, SL_INVALID, place, "%lld bytes; at most %lld are read",
                          (long long)info.st_size, (long long)limit);
    *data = sl_arena_alloc(arena, (size_t)info.st_size + 1);
    if (!*data)
        return SL_FAIL_AT(err, SL_SYSTEM, place, "out of memory for %lld bytes",
                          (long long)info.st_size);
    return read_all(fd, path, *data, (size_t)info.st_size, size, err);
}

enum sl_status sl_infile_read(const char *path, int64_t limit, struct sl_arena *arena, char **data,
                              size_t *size, struct sl_error *err)
{
    int fd;
    enum sl_status status = sl_infile_open(path, &fd, err);
    if (status)
        return status;
    status = read_open(fd, path, limit, arena, data, size, err);
    close(fd);
    return status;
}

/* Length of the well-formed sequence at `c` with `left` bytes to go, 0 when there is none: the
 * table 3-7 of the Unicode standard. */
static size_t sequence(const unsigned char *c, size_t left)
{
    size_t length = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0 : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
    if (length == 0 || length > left || c[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
    bool surrogate = c[0] == 0xED && c[1] > 0x9F;
    bool beyond = c[0] == 0xF4 && c[1] > 0x8F;
    return overlong || surrogate || beyond ? 0 : length;
}

#define HIGH_BITS 0x8080808080808080u /* of eight bytes: tables are nearly always plain ASCII */

bool sl_is_ascii(const char *text, size_t size)
{
    uint64_t seen = 0, word = 0;
    size_t i = 0;
    for (; i + sizeof word <= size; i += sizeof word) {
        memcpy(&word, text + i, sizeof word);
        seen |= word;
    }
    for (; i < size; i++)
        seen |= (unsigned char)text[i];
    return !(seen & HIGH_BITS);
}

size_t sl_utf8_fault(const char *text, size_t size)
{
    size_t i = 0;
    while (i < size) {
        uint64_t word;
        if (size - i >= sizeof word) {
            memcpy(&word, text + i, sizeof word);
            if (!(word & HIGH_BITS)) {
                i += sizeof word;
                continue;
            }
        }
        size_t length = sequence((const unsigned char *)text + i, size - i);
        if (length == 0)
            return i;
        i += length;
    }
    return size;
}

size_t sl_utf8_length(const char *text, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < size; i++)
        length += ((unsigned char)text[i] & 0xC0) != 0x80;
    return length;
}
