/* Chunks of a file, mended, into YAJL.  A word at a chunk's end waits for the next chunk, so that
 * it is seen whole. */
#include <config.h>

#include "infile.h"
#include "json_stream.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 256 << 10, LONGEST_WORD = 16 };

static void step(unsigned char c, uint64_t *line, uint64_t *column)
{
    *line += c == '\n';
    *column = c == '\n' ? 0 : *column + 1;
}

static struct sl_place place_of(const struct sl_json_stream *stream, uint64_t line, uint64_t column)
{
    return (struct sl_place){stream->path, line < INT_MAX ? (int)line + 1 : INT_MAX,
                             column < INT_MAX ? (int)column + 1 : INT_MAX};
}

static struct sl_place place_at(const struct sl_json_stream *stream, size_t offset)
{
    uint64_t line = stream->line, column = stream->column;
    for (size_t i = 0; i < offset && i < stream->chunk_size; i++)
        step(stream->chunk[i], &line, &column);
    return place_of(stream, line, column);
}

/* The same while mending, from one call to the next: a chunk may need it everywhere. */
static struct sl_place mending_at(struct sl_json_stream *stream, size_t offset)
{
    for (; stream->mark < offset; stream->mark++)
        step(stream->chunk[stream->mark], &stream->mark_line, &stream->mark_column);
    return place_of(stream, stream->mark_line, stream->mark_column);
}

struct sl_place sl_json_stream_place(const struct sl_json_stream *stream)
{
    return place_at(stream, yajl_get_bytes_consumed(stream->parser.handle));
}

static bool is_word_byte(unsigned char c)
{
    return isalnum(c) || c == '-' || c == '+' || c == '.' || c == '_';
}

/* Words that printf writes where there is no number. */
static bool is_no_number(const unsigned char *word, size_t length)
{
    static const char *const words[] = {"nan", "inf", "infinity"};
    if (length > 0 && (*word == '-' || *word == '+'))
        word++, length--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncasecmp((const char *)word, words[i], length) == 0)
            return true;
    return false;
}

/* The byte behind the text that goes on at `at`, or `size`; raw control characters become blanks.
 */
static size_t mend_text(struct sl_json_stream *stream, unsigned char *chunk, size_t at, size_t size)
{
    for (; at < size; at++) {
        unsigned char c = chunk[at];
        stream->token_bytes++;
        if (c < 0x20) {
            stream->mended(stream->user, SL_JSON_CONTROL, mending_at(stream, at));
            mending_at(stream, at + 1); /* while a line's end is one */
            chunk[at] = ' ';
            stream->escaped = false;
        } else if (stream->escaped) {
            stream->escaped = false;
        } else if (c == '\\') {
            stream->escaped = true;
        } else if (c == '"') {
            stream->in_text = false;
            stream->token_bytes = 0;
            return at + 1;
        }
    }
    return size;
}

/* The byte behind the word at `at`. */
static size_t mend_word(struct sl_json_stream *stream, unsigned char *chunk, size_t at, size_t size)
{
    size_t end = at;
    while (end < size && is_word_byte(chunk[end]))
        end++;
    if (stream->token_bytes == 0 && is_no_number(chunk + at, end - at)) {
        stream->mended(stream->user, SL_JSON_NO_NUMBER, mending_at(stream, at));
        memset(chunk + at, ' ', end - at);
        memcpy(chunk + at, "\"" SL_JSON_NOT_A_NUMBER "\"", 3);
    }
    stream->token_bytes = end == size ? stream->token_bytes + (end - at) : 0;
    return end;
}

/* Mends the chunk and holds it against the limits. */
static enum sl_status mend(struct sl_json_stream *stream, unsigned char *chunk, size_t size,
                           struct sl_error *err)
{
    for (size_t at = 0; at < size;) {
        unsigned char c = chunk[at];
        if (stream->in_text) {
            at = mend_text(stream, chunk, at, size);
        } else if (is_word_byte(c)) {
            at = mend_word(stream, chunk, at, size);
        } else {
            at++;
            stream->in_text = c == '"';
            stream->token_bytes = 0;
            if (c == '{' || c == '[')
                stream->depth++;
            else if ((c == '}' || c == ']') && stream->depth > 0)
                stream->depth--;
        }
        if (stream->depth > SL_JSON_DEPTH)
            return SL_FAIL_AT(err, SL_INVALID, place_at(stream, at - 1),
                              "nested deeper than the allowed %d levels", SL_JSON_DEPTH);
        if (stream->token_bytes > SL_JSON_TOKEN)
            return SL_FAIL_AT(err, SL_INVALID, place_at(stream, at - 1),
                              "a text or number of more than the allowed %d MiB",
                              SL_JSON_TOKEN >> 20);
    }
    return SL_OK;
}

static enum sl_status fail_of_parser(struct sl_json_stream *stream, yajl_status status,
                                     struct sl_error *err)
{
    if (status == yajl_status_client_canceled)
        return err->status != SL_OK ? err->status : SL_INVALID;
    const char *fault = sl_json_parser_fault(&stream->parser);
    if (stream->parser.starved)
        return SL_FAIL(err, SL_SYSTEM, "out of memory while reading %s", stream->path);
    return SL_FAIL_AT(err, SL_INVALID, sl_json_stream_place(stream), "not JSON (%s)", fault);
}

static enum sl_status parse_chunk(struct sl_json_stream *stream, unsigned char *chunk, size_t size,
                                  struct sl_error *err)
{
    stream->chunk = chunk;
    stream->chunk_size = size;
    uint64_t line = stream->line, column = stream->column;
    stream->mark = 0;
    stream->mark_line = line;
    stream->mark_column = column;
    for (size_t i = 0; i < size; i++) /* before raw line ends in texts are mended */
        step(chunk[i], &line, &column);
    enum sl_status status = mend(stream, chunk, size, err);
    if (status != SL_OK)
        return status;
    yajl_status parsed = sl_json_parser_feed(&stream->parser, chunk, size);
    if (parsed != yajl_status_ok)
        return fail_of_parser(stream, parsed, err);
    stream->line = line;
    stream->column = column;
    return SL_OK;
}

/* Bytes of a short word at the end, which may go on in the next chunk. */
static size_t held_back(const unsigned char *chunk, size_t size)
{
    size_t held = 0;
    while (held < size && held <= LONGEST_WORD && is_word_byte(chunk[size - held - 1]))
        held++;
    return held <= LONGEST_WORD ? held : 0;
}

/* Up to `size` more bytes of the file; *got 0 at its end. */
static enum sl_status read_more(struct sl_json_stream *stream, gzFile file, unsigned char *into,
                                size_t size, size_t *got, struct sl_error *err)
{
    int count = gzread(file, into, (unsigned)size), code = Z_OK;
    *got = count > 0 ? (size_t)count : 0;
    const char *why = gzerror(file, &code);
    if (count >= 0 && (code == Z_OK || code == Z_STREAM_END))
        return SL_OK;
    if (code == Z_BUF_ERROR) { /* the .gz ends in the middle */
        stream->truncated = true;
        return SL_OK;
    }
    struct sl_place place = {stream->path, 0, 0};
    if (code == Z_DATA_ERROR)
        return SL_FAIL_AT(err, SL_INVALID, place,
                          "the compressed file is damaged near its byte %lld (%s)",
                          (long long)gzoffset(file), why);
    return SL_FAIL_AT(err, SL_SYSTEM, place, "cannot be read (%s)", why);
}

static enum sl_status read_chunks(struct sl_json_stream *stream, gzFile file, uint64_t file_bytes,
                                  unsigned char *buffer, struct sl_error *err)
{
    size_t held = 0, got;
    bool first = true;
    do {
        enum sl_status status = read_more(stream, file, buffer + held, CHUNK, &got, err);
        if (status != SL_OK)
            return status;
        size_t size = held + got, from = 0;
        if (first && size >= 3 && memcmp(buffer, "\xEF\xBB\xBF", 3) == 0)
            from = 3;
        first = false;
        held = got > 0 ? held_back(buffer, size) : 0;
        if (size - held > from)
            status = parse_chunk(stream, buffer + from, size - held - from, err);
        if (status != SL_OK)
            return status;
        memmove(buffer, buffer + size - held, held);
        if (stream->progress && stream->progress->tell)
            stream->progress->tell(stream->progress->user, (uint64_t)gzoffset(file), file_bytes);
    } while (got > 0);
    return SL_OK;
}

static enum sl_status read_file(struct sl_json_stream *stream, gzFile file, uint64_t file_bytes,
                                struct sl_error *err)
{
    unsigned char *buffer = malloc(CHUNK + LONGEST_WORD);
    bool open = sl_json_parser_open(&stream->parser, stream->callbacks, stream->user);
    enum sl_status status = SL_OK;
    if (!buffer || !open) {
        status = SL_FAIL(err, SL_SYSTEM, "out of memory while reading %s", stream->path);
    } else {
        yajl_config(stream->parser.handle, yajl_dont_validate_strings, 1);
        status = read_chunks(stream, file, file_bytes, buffer, err);
    }
    if (status == SL_OK) {
        stream->truncated |= stream->depth > 0 || stream->in_text;
        yajl_status parsed = sl_json_parser_end(&stream->parser);
        if (parsed != yajl_status_ok && (!stream->truncated || stream->parser.starved))
            status = fail_of_parser(stream, parsed, err);
    }
    sl_json_parser_close(&stream->parser);
    free(buffer);
    return status;
}

enum sl_status sl_json_stream_read(struct sl_json_stream *stream, struct sl_error *err)
{
    int fd = -1;
    enum sl_status status = sl_infile_open(stream->path, &fd, err);
    if (status != SL_OK)
        return status;
    struct stat facts;
    uint64_t file_bytes = fstat(fd, &facts) == 0 ? (uint64_t)facts.st_size : 0;
    gzFile file = gzdopen(fd, "rb");
    if (!file) {
        close(fd);
        return SL_FAIL(err, SL_SYSTEM, "out of memory while reading %s", stream->path);
    }
    gzbuffer(file, CHUNK);
    status = read_file(stream, file, file_bytes, err);
    gzclose_r(file);
    return status;
}
