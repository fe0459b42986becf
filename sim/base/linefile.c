/* Lines out of a buffer that grows up to the longest line. */
#include <config.h>

#include "infile.h"
#include "linefile.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_BUFFER ((size_t)1 << 16)

enum sl_status sl_linefile_open(struct sl_linefile *file, const char *path, struct sl_error *err)
{
    *file = (struct sl_linefile){.path = path, .capacity = FIRST_BUFFER};
    enum sl_status status = sl_infile_open(path, &file->fd, err);
    if (status)
        return status;
    file->buffer = malloc(file->capacity);
    if (file->buffer)
        return SL_OK;
    close(file->fd);
    return SL_FAIL_AT(err, SL_SYSTEM, (struct sl_place){.file = path}, "out of memory");
}

void sl_linefile_close(struct sl_linefile *file)
{
    free(file->buffer);
    close(file->fd);
}

/* Makes room behind what is unread, for more of it and for the NUL of a last line without an end.
 */
static enum sl_status make_room(struct sl_linefile *file, struct sl_error *err)
{
    size_t unread = file->end - file->begin;
    if (file->begin > 0)
        memmove(file->buffer, file->buffer + file->begin, unread);
    file->begin = 0;
    file->end = unread;
    if (unread + 1 < file->capacity)
        return SL_OK;
    if (unread > SL_LINE_MOST)
        return SL_FAIL_AT(err, SL_INVALID, sl_linefile_place(file, 0),
                          "a line of more than %zu bytes", SL_LINE_MOST);
    char *larger = realloc(file->buffer, 2 * file->capacity);
    if (!larger)
        return SL_FAIL_AT(err, SL_SYSTEM, (struct sl_place){.file = file->path}, "out of memory");
    file->buffer = larger;
    file->capacity *= 2;
    return SL_OK;
}

static enum sl_status read_more(struct sl_linefile *file, struct sl_error *err)
{
    enum sl_status status = make_room(file, err);
    if (status)
        return status;
    ssize_t part;
    do
        part = read(file->fd, file->buffer + file->end, file->capacity - file->end - 1);
    while (part < 0 && errno == EINTR);
    if (part < 0)
        return SL_FAIL_AT(err, SL_SYSTEM, (struct sl_place){.file = file->path}, "cannot read: %s",
                          strerror(errno));
    file->ended = part == 0;
    file->end += (size_t)part;
    return SL_OK;
}

/* Cuts the line [begin, end) out of the buffer. */
static enum sl_status take_line(struct sl_linefile *file, size_t end, char **line, size_t *length,
                                struct sl_error *err)
{
    *line = file->buffer + file->begin;
    *length = end - file->begin;
    file->begin = end < file->end ? end + 1 : end;
    if (*length > 0 && (*line)[*length - 1] == '\r')
        --*length;
    (*line)[*length] = '\0';
    if (file->line == 1 && strncmp(*line, "\xEF\xBB\xBF", 3) == 0) {
        *line += 3;
        *length -= 3;
    }
    const char *nul = memchr(*line, '\0', *length);
    if (nul)
        return SL_FAIL_AT(err, SL_INVALID, sl_linefile_place(file, (size_t)(nul - *line)),
                          "a NUL byte: this is no text file");
    return *length <= SL_LINE_MOST ? SL_OK
                                   : SL_FAIL_AT(err, SL_INVALID, sl_linefile_place(file, 0),
                                                "a line of more than %zu bytes", SL_LINE_MOST);
}

enum sl_status sl_linefile_next(struct sl_linefile *file, char **line, size_t *length,
                                struct sl_error *err)
{
    file->line += file->line < INT_MAX;
    size_t searched = 0;
    for (;;) {
        size_t unread = file->end - file->begin;
        const char *start = file->buffer + file->begin;
        const char *end = memchr(start + searched, '\n', unread - searched);
        if (end)
            return take_line(file, (size_t)(end - file->buffer), line, length, err);
        if (file->ended && unread > 0)
            return take_line(file, file->end, line, length, err);
        if (file->ended) {
            *line = NULL;
            return SL_OK;
        }
        searched = unread;
        enum sl_status status = read_more(file, err);
        if (status)
            return status;
    }
}
