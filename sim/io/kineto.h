/* Inside of the Kineto importer: the fields of one JSON event, and what takes them to a timeline.
 */
#ifndef SL_KINETO_H
#define SL_KINETO_H
#include "json_stream.h"
#include "keysort.h"

/* A field of an event is a scalar of the event itself, of its `args`, or the first three numbers of
 * an array there. */
enum sl_kineto_field {
    SL_KINETO_PH,
    SL_KINETO_CAT,
    SL_KINETO_NAME,
    SL_KINETO_PID,
    SL_KINETO_TID,
    SL_KINETO_TS,
    SL_KINETO_DUR,
    SL_KINETO_ID,
    SL_KINETO_FIRST_ARG, /* from here on in `args` */
    SL_KINETO_CORRELATION = SL_KINETO_FIRST_ARG,
    SL_KINETO_DEVICE,
    SL_KINETO_STREAM,
    SL_KINETO_BYTES,
    SL_KINETO_REGISTERS,
    SL_KINETO_SHARED,
    SL_KINETO_GRID,
    SL_KINETO_BLOCK,
    SL_KINETO_GRAPH_NODE,
    SL_KINETO_SYNC_KIND,
    SL_KINETO_WAIT_STREAM,
    SL_KINETO_WAIT_RECORD,
    SL_KINETO_DEVICE_TYPE,
    SL_KINETO_DEVICE_ID,
    SL_KINETO_ADDRESS,
    SL_KINETO_MEMORY_BYTES,
    SL_KINETO_ALLOCATED,
    SL_KINETO_RESERVED,
    SL_KINETO_FIELDS
};
/* The field of this key, SL_KINETO_FIELDS when it is none; of `args` or of the event itself. */
enum sl_kineto_field sl_kineto_find_field(const unsigned char *key, size_t length, bool in_args);

/* Bytes kept of a text that is no name, bytes of all names, and how many warnings of a hazard say
 * where. */
enum { SL_KINETO_SHORT = 64, SL_KINETO_NAMES = 128 << 20, SL_KINETO_WARNINGS = 3 };
#define SL_KINETO_MOST_BYTES (INT64_C(1) << 50) /* of one memory */

enum sl_kineto_type {
    SL_KINETO_ABSENT,
    SL_KINETO_INTEGER,
    SL_KINETO_TEXT,
    SL_KINETO_WRONG, /* of a type or size that the field cannot have */
};
struct sl_kineto_value {
    enum sl_kineto_type type;
    int64_t number;             /* ts and dur: nanoseconds, the nearest */
    int32_t beyond_ps;          /* ts and dur: what the file has beyond that, -500 to 499 */
    uint32_t three[3];          /* grid and block */
    char text[SL_KINETO_SHORT]; /* not of the name */
};

struct sl_kineto {
    struct sl_json_stream stream;
    struct sl_timeline *timeline;
    struct sl_diags *diags;
    struct sl_error *err;

    struct sl_kineto_value fields[SL_KINETO_FIELDS]; /* of the event that is being read */
    char *name;                                      /* SL_MOST_NAME_BYTES and a 0 */
    bool mended_text, rounded;                       /* in that event */

    struct sl_keyed *flows; /* key: hash of category and id; value: 1 where it starts */
    uint32_t flow_count, flow_capacity;
};

/* Counts a hazard, and warns of the first few with the place. */
void sl_kineto_warn(struct sl_kineto *kineto, enum sl_trace_hazard hazard, const char *format, ...)
    SL_PRINTF(3, 4);
/* Values as they come; `three` is the index in an array, -1 of a scalar. */
void sl_kineto_take_number(struct sl_kineto *kineto, enum sl_kineto_field field, int three,
                           const char *text, size_t length);
void sl_kineto_take_text(struct sl_kineto *kineto, enum sl_kineto_field field,
                         const unsigned char *text, size_t length);
/* The event is complete: adds what it says to the timeline, and forgets it. */
enum sl_status sl_kineto_take_event(struct sl_kineto *kineto) SL_NODISCARD;
/* Counts arrows of which one end is missing. */
enum sl_status sl_kineto_count_orphans(struct sl_kineto *kineto) SL_NODISCARD;
#endif
