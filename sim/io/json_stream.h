/* A JSON file, plain or .gz, streamed through YAJL in memory that does not depend on the file's
 * size.
 *
 * What YAJL would refuse but trace writers emit is mended before it sees it: raw control characters
 * in texts become blanks, and the words NaN, inf and Infinity, which are no JSON numbers, become
 * empty texts.  A byte order mark is passed over.  Texts are not checked for UTF-8: who keeps one
 * does. */
#ifndef SL_JSON_STREAM_H
#define SL_JSON_STREAM_H
#include "importer.h"
#include "jsonparser.h"

/* Limits of any file, trace or reply: past them reading ends with a located error. */
enum { SL_JSON_DEPTH = 1000, SL_JSON_TOKEN = 8 << 20 };

#define SL_JSON_NOT_A_NUMBER "N"

enum sl_json_mend { SL_JSON_CONTROL, SL_JSON_NO_NUMBER };

struct sl_json_stream {
    const char *path;
    const yajl_callbacks
        *callbacks; /* a callback that returns 0 ends the reading; the user says why */
    void *user;     /* of the callbacks and of `mended` */
    void (*mended)(void *user, enum sl_json_mend what, struct sl_place place);
    const struct sl_import_progress *progress; /* may be NULL */

    bool truncated; /* the result: the file ends inside the JSON text, or inside the .gz */

    /* What the reading is at. */
    struct sl_json_parser parser;
    const unsigned char *chunk;
    size_t chunk_size;
    uint64_t line, column;           /* of the chunk's first byte, from 0 */
    size_t mark;                     /* a byte of the chunk up to which was mended */
    uint64_t mark_line, mark_column; /* of it */
    bool in_text, escaped;
    uint32_t depth;
    size_t token_bytes; /* of the text or word so far */
};

/* Reads the whole file; SL_INVALID with its place where it is no JSON.  Where a callback ended the
 * reading *err is left as the user set it, and the status is its. */
enum sl_status sl_json_stream_read(struct sl_json_stream *stream,
                                   struct sl_error *err) SL_NODISCARD;
/* Within a callback: the place just behind the value.  For messages: it takes a while. */
struct sl_place sl_json_stream_place(const struct sl_json_stream *stream);
#endif
