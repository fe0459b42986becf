/* What can be measured: classes of work, a shot of one victim among aggressors, and the records
 * that a backend gives of it.
 *
 * All times are int64_t nanoseconds of the backend's one clock, of which only differences mean
 * anything.  Nothing here knows a table or a file: the judge and the estimators are pure functions
 * of these structs. */
#ifndef SL_WORK_H
#define SL_WORK_H
#include "status.h"

/* The columns by which durations.csv tells two ways of doing the same work apart; "" where a column
 * does not apply. */
struct sl_work_form {
    const char *variant;  /* "bf16" */
    const char *dir;      /* "h2d" */
    const char *mem_kind; /* pinned, pageable, device, managed */
    const char *launch;   /* stream, graph */
    const char *cache;    /* cold, warm */
};

/* One class of work of a backend, as tables and scenarios name it. */
struct sl_work_class {
    const char *name; /* "copy.h2d" */
    const char *description;
    const char *waived; /* why it can't be measured on this machine; NULL: it can */
    const struct sl_work_form
        *forms; /* each is measured alone; the first is the one that contends */
    uint32_t form_count;
    const int64_t *sizes; /* bytes of the works measured alone, ascending */
    uint32_t size_count;
    const double *flops;  /* of each of the sizes; NULL: no such work */
    int64_t victim_bytes; /* size as a victim; 0: never one (the cost of a call) */
    int64_t unit_bytes;   /* size of an aggressor's unit, which should take 200 us or more; 0: never
                             one */
    bool shaped;          /* it can leave room or fill the machine */
};

struct sl_work {
    uint32_t klass, form; /* indices into the backend's classes and the class's forms */
    int64_t bytes;
};

/* How much of the machine's compute units shaped works take, victim and aggressors alike: at most
 * half, so that several run side by side, or all. */
enum sl_work_shape { SL_SHAPE_ROOM, SL_SHAPE_FILL };

enum {
    SL_SHOT_AGGRESSORS_MAX = 7,
    SL_SHOT_RECORDS_MAX = 1 << 16, /* of one shot; what is above is counted as dropped */
};

/* One measurement: the victim alone, or while each of the aggressors runs unit after unit. */
struct sl_shot {
    struct sl_work victim;
    struct sl_work aggressors[SL_SHOT_AGGRESSORS_MAX];
    uint32_t aggressor_count; /* 0: alone */
    enum sl_work_shape shape;
    double overlap;   /* share of the victim that the aggressors are to cover, 0 to 1 */
    int64_t cover_ns; /* aggressors get units for at least this long from the victim's start; with
                       * an overlap below 1, for as nearly this long as their units allow */
    bool other_timer; /* with the backend's second timer, where it has one, to see what the first
                         costs; the log says which it was */
};

struct sl_shot_record {
    uint32_t actor;       /* 0: the victim; k: aggressor k - 1 */
    uint32_t unit;        /* of an aggressor, from 0 */
    int64_t submitted_ns; /* when nothing but the machine held it back any more: neither gate, nor
                           * event, nor launch order of ours; 0: not known */
    int64_t start_ns, end_ns;           /* both 0: the record carries no timing */
    int64_t exec_start_ns, exec_end_ns; /* stamps of the work itself; both 0: none */
    double
        co_resident; /* share of the victim's blocks that shared a multiprocessor; NAN: not known */
};

/* What one shot gave.  `records` is the caller's array of SL_SHOT_RECORDS_MAX, used again; the rest
 * comes empty, figures as NAN. */
struct sl_shot_log {
    struct sl_shot_record *records;
    uint32_t count;
    uint64_t dropped;     /* records that the machine or the array lost */
    bool gate_timeout;    /* the gate that holds all actors back gave up */
    uint64_t preemptions; /* involuntary context switches of the threads at work */
    int64_t begin_ns;     /* of the shot */
    double sentinel_before_ns, sentinel_after_ns; /* NAN: the backend has no sentinel */
    double sm_mhz;                                /* NAN: not known */
    bool throttled;
    const char *timer; /* cupti, event, host */
};
#endif
