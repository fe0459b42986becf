/* A timeline: what ran when, on which lane.  A reader of traces fills one, so may a replay or a
 * simulated trial; audits, scenarios made from a trace and exports read it.
 *
 * Times are picoseconds.  A file's clock counts nanoseconds from far away, more than fit: its times
 * are kept relative to the first that was read (sl_timeline_at_ns), and when the timeline is
 * finished, its first event or change of memory is at 0. */
#ifndef SL_TIMELINE_H
#define SL_TIMELINE_H
#include "names.h"

enum sl_event_kind {
    SL_EVENT_KERNEL,
    SL_EVENT_COPY,
    SL_EVENT_SET,         /* a memset */
    SL_EVENT_GPU_WORK,    /* other work of a device's stream */
    SL_EVENT_STREAM_WAIT, /* a stream waits for an event of another */
    SL_EVENT_HOST_WAIT,   /* a host thread waits for an event, a stream or a device; its lane is the
                             stream where one is named */
    SL_EVENT_CALL,        /* of the runtime or driver API, on a host thread */
    SL_EVENT_OPERATOR,    /* of a framework, on a host thread; they nest */
    SL_EVENT_RANGE,       /* an annotation: a step, a named range; no work of its own */
    SL_EVENT_OVERHEAD,    /* of the profiler */
    SL_EVENT_OTHER,       /* anything else that a host thread did */
    SL_EVENT_KINDS
};
/* Work that occupies a device. */
static inline bool sl_event_on_gpu(enum sl_event_kind kind)
{
    return kind <= SL_EVENT_GPU_WORK;
}

enum sl_lane_kind { SL_LANE_STREAM, SL_LANE_THREAD };
enum sl_stream_type {
    SL_STREAM_UNKNOWN,
    SL_STREAM_BLOCKING, /* takes turns with the legacy default stream of its process and device */
    SL_STREAM_NON_BLOCKING,
    SL_STREAM_LEGACY /* that default stream */
};
struct sl_lane {
    enum sl_lane_kind kind;
    enum sl_stream_type stream_type;
    int64_t process; /* a stream: its device */
    int64_t number;  /* a stream's or thread's; -1: not one but any stream of the device */
    uint32_t name;   /* SL_NONE: it has none */
};

enum sl_memory_kind {
    SL_MEMORY_UNKNOWN,
    SL_MEMORY_PAGEABLE,
    SL_MEMORY_PINNED,
    SL_MEMORY_DEVICE,
    SL_MEMORY_ARRAY,
    SL_MEMORY_MANAGED,
    SL_MEMORY_HOST, /* pageable or pinned */
    SL_MEMORY_KINDS
};
/* What only some events have. */
struct sl_event_detail {
    uint32_t grid[3], block[3];       /* of a kernel; 0: not known */
    uint32_t shared_bytes, registers; /* of a kernel: per block, per thread */
    enum sl_memory_kind from, to;     /* of a copy */
    int64_t from_device, to_device;   /* of a copy between devices; -1: not known */
    int64_t graph_node;               /* of a CUDA graph; -1: none */
    int64_t waited_lane;              /* of a wait: index of the lane waited for; -1: not known */
    int64_t waited_correlation; /* of a wait: of the call that recorded the event; -1: not known */
    uint32_t waited_call;       /* that call, found by sl_timeline_finish; SL_NONE: none */
};
/* One that knows nothing yet. */
static inline struct sl_event_detail sl_event_detail_none(void)
{
    return (struct sl_event_detail){.from_device = -1,
                                    .to_device = -1,
                                    .graph_node = -1,
                                    .waited_lane = -1,
                                    .waited_correlation = -1,
                                    .waited_call = SL_NONE};
}

/* A change of a memory: an allocation, or its return. */
struct sl_memory_event {
    int64_t t_ps;
    int32_t device_type;                     /* as frameworks number them: 0 the host, 1 a GPU */
    int32_t device;                          /* -1: the host's memory */
    uint64_t address;                        /* 0: not known */
    int64_t bytes;                           /* negative: given back */
    int64_t allocated_bytes, reserved_bytes; /* of the device afterwards; -1: not known */
};

/* Why something of a file is not in the timeline, or is there with a fault. */
enum sl_trace_hazard {
    SL_HAZARD_NO_LAUNCH,
    SL_HAZARD_MANY_PER_LAUNCH,
    SL_HAZARD_DUPLICATE,
    SL_HAZARD_OVERLAP,
    SL_HAZARD_NO_BYTES,
    SL_HAZARD_ZERO_TIME,
    SL_HAZARD_REVERSED,
    SL_HAZARD_BEFORE_LAUNCH,
    SL_HAZARD_FLOW_ORPHAN,
    SL_HAZARD_BAD_EVENT,
    SL_HAZARD_BAD_VALUE,
    SL_HAZARD_BAD_TEXT,
    SL_HAZARD_ROUNDED,
    SL_HAZARD_TRUNCATED,
    SL_HAZARD_LOST,
    SL_HAZARDS
};
const char *sl_hazard_name(enum sl_trace_hazard hazard); /* "no-launch": a contract */
const char *sl_hazard_text(enum sl_trace_hazard hazard); /* for people, behind a count */

/* How often a file has something that does not become an event. */
struct sl_trace_count {
    uint32_t name;
    uint64_t count;
};
struct sl_trace_counts {
    struct sl_trace_count *items;
    uint32_t count, capacity;
};

/* Events are structs of arrays, by index; after sl_timeline_finish in the order of start, longer
 * ones first, then as they were added. */
struct sl_timeline {
    uint32_t count, capacity;
    int64_t *start_ps, *end_ps; /* end >= start */
    uint8_t *kind;              /* enum sl_event_kind */
    uint32_t *name;             /* index in names */
    uint32_t *lane;
    int64_t *correlation; /* joins works with the call that launched them; -1: none */
    int64_t *bytes;       /* -1: not known */
    uint32_t *detail;     /* index in details; SL_NONE */
    uint32_t *cause;      /* the launching call; SL_NONE: none.  From sl_timeline_finish on */

    struct sl_event_detail *details;
    uint32_t detail_count, detail_capacity;
    struct sl_lane *lanes;
    uint32_t lane_count, lane_capacity;
    uint32_t *lane_slots; /* hash table: index + 1, 0 free */
    uint32_t lane_slot_count;
    struct sl_memory_event *memory;
    uint32_t memory_count, memory_capacity;
    struct sl_names names;

    bool has_origin;
    int64_t origin_ns; /* of the file's clock, at time 0 */
    int64_t clock_ns;  /* what the file's clock counts from, in ns since 1970; 0: not stated */
    uint64_t read;     /* records of the file, whatever became of them */
    struct sl_trace_counts flows;    /* arrows between events, by the file's name for them */
    struct sl_trace_counts left_out; /* kinds of records that no reader of a timeline asks for */
    uint64_t hazards[SL_HAZARDS];
    const char *device_name; /* as the file calls its first device, one of names; NULL */
};

/* One event to add; copied.  `detail` NULL: none. */
struct sl_timeline_event {
    int64_t start_ps, end_ps;
    enum sl_event_kind kind;
    uint32_t name, lane;
    int64_t correlation, bytes;
    const struct sl_event_detail *detail;
};

/* A zeroed timeline is empty; sl_timeline_free releases it in any state.  What fails is SL_SYSTEM
 * (memory), or SL_INVALID where a trace has more than SL_MOST_EVENTS events. */
enum { SL_MOST_EVENTS = 1 << 23 };
/* Of a name: readers cut longer ones, and count that as SL_HAZARD_BAD_TEXT. */
enum { SL_MOST_NAME_BYTES = 16 << 10 };

/* The time of the file's clock in ps from the timeline's origin, which the first call sets.  False
 * for a time that is further than 2^61 ps (26 days) from it. */
bool sl_timeline_at_ns(struct sl_timeline *timeline, int64_t t_ns, int64_t *t_ps) SL_NODISCARD;
enum sl_status sl_timeline_add(struct sl_timeline *timeline, const struct sl_timeline_event *event,
                               struct sl_error *err) SL_NODISCARD;
/* The lane of these numbers, added when new. */
enum sl_status sl_timeline_lane(struct sl_timeline *timeline, enum sl_lane_kind kind,
                                int64_t process, int64_t number, uint32_t *lane,
                                struct sl_error *err) SL_NODISCARD;
/* The same when it is there already, else SL_NONE. */
uint32_t sl_timeline_find_lane(const struct sl_timeline *timeline, enum sl_lane_kind kind,
                               int64_t process, int64_t number);
enum sl_status sl_timeline_memory(struct sl_timeline *timeline, const struct sl_memory_event *event,
                                  struct sl_error *err) SL_NODISCARD;
/* Counts so many more of `name`. */
enum sl_status sl_timeline_count(struct sl_timeline *timeline, struct sl_trace_counts *counts,
                                 const char *name, uint64_t more,
                                 struct sl_error *err) SL_NODISCARD;
/* Puts events and changes of memory in order, shifts times so that the first is 0 (origin_ns
 * follows), joins works with the calls that launched them, drops the second of two equal events,
 * and counts the hazards that only the whole shows: no launch, many per launch, duplicates,
 * overlaps within a stream, no bytes, no time, starts before the launch. */
enum sl_status sl_timeline_finish(struct sl_timeline *timeline, struct sl_error *err) SL_NODISCARD;
void sl_timeline_free(struct sl_timeline *timeline);
#endif
