/* What a timeline says about one scope of it: totals, waits, stalls, calls that hold a host up,
 * memory, what ran side by side, and its repeated steps.  doc/audit.md has the definitions for
 * users. */
#ifndef SL_AUDIT_H
#define SL_AUDIT_H
#include "intervals.h"
#include "timeline.h"

/* Works by what they use. */
enum sl_work_class {
    SL_WORK_COMPUTE,
    SL_WORK_COMM, /* kernels of NCCL and RCCL */
    SL_WORK_H2D,
    SL_WORK_D2H,
    SL_WORK_D2D,  /* within a device, or between two */
    SL_WORK_COPY, /* a copy of unknown ends */
    SL_WORK_SET,
    SL_WORK_OTHER,
    SL_WORK_CLASSES
};
const char *sl_work_class_name(enum sl_work_class class);
enum sl_work_class sl_work_class_of(const struct sl_timeline *timeline, uint32_t event);

/* Times of one kind; quantiles are the nearest rank's. */
struct sl_spread {
    uint32_t count;
    int64_t sum_ps, median_ps, p95_ps, most_ps;
};
/* Sorts `times`. */
struct sl_spread sl_spread_of(int64_t *times_ps, uint32_t count);

/* One work of a device.  Between the end of the call that launched it and its start it first waits
 * behind what runs before it on its stream, then is ready, and then waits for something else (an
 * event, the device). */
struct sl_audit_work {
    uint32_t event; /* of the timeline */
    enum sl_work_class class;
    uint32_t step;     /* index in steps; SL_NONE */
    int64_t ready_ps;  /* the later of both ends, at most the start */
    int64_t behind_ps; /* behind its stream; -1: its launch is not known */
    int64_t delay_ps;  /* from ready to start; -1: its launch is not known */
    int64_t event_ps;  /* of that: until the events that its stream waits for were done */
};

/* A stretch without any work of a device, and why its end came so late. */
struct sl_audit_gap {
    int64_t from_ps, to_ps;
    int64_t unlaunched_ps; /* the work that ends it was not launched yet; -1: not known */
    uint32_t next;         /* that work: index in works */
};

enum sl_call_class {
    SL_CALL_ALLOC,
    SL_CALL_FREE,
    SL_CALL_MAP, /* registers, maps and unmaps memory */
    SL_CALL_SYNC_DEVICE,
    SL_CALL_SYNC_STREAM,
    SL_CALL_SYNC_EVENT,
    SL_CALL_BLOCKING_COPY,
    SL_CALL_STREAM_WAIT, /* orders streams; the host goes on */
    SL_CALL_CLASSES
};
const char *sl_call_class_name(enum sl_call_class class);
/* SL_CALL_CLASSES: of none.  Names of CUDA's runtime and driver, and of HIP. */
enum sl_call_class sl_call_class_of(const char *name);

struct sl_audit_call {
    uint32_t name;
    enum sl_call_class class;
    struct sl_spread spread;
    uint32_t first;  /* of its spread.count events in call_events */
    int64_t idle_ps; /* of the time in these calls: no device had work */
};

/* One memory: of the host or a device. */
struct sl_audit_memory {
    int32_t device_type, device;
    uint32_t events, allocations;
    int64_t peak_allocated_bytes,
        peak_reserved_bytes;    /* as the file states them; -1: it does not */
    int64_t peak_delta_bytes;   /* of the sum of changes, from 0 */
    int64_t peak_delta_ps;      /* when */
    double byte_s;              /* that sum over the time between the first and the last change */
    struct sl_spread lifetimes; /* of what is both allocated and given back within the scope */
    uint32_t kept;              /* allocated, not given back */
    int64_t kept_bytes;
};

struct sl_audit_step {
    uint32_t event;         /* the annotation */
    uint32_t number;        /* among the steps of the timeline, from 0 */
    int64_t from_ps, to_ps; /* of the host */
    int64_t finish_ps;      /* when host and the works launched in it are through */
    uint32_t works;
    int64_t busy_ps; /* time in which any of its works ran */
    /* Where its works first come in another order than those of the usual step: the stream
     * (SL_NONE: nowhere), the work's number there from 0, and names (SL_NONE: no further work). */
    uint32_t odd_lane, odd_at, odd_found, odd_expected;
};

/* What a stretch of time went to.  Each moment counts once, for the first that fits: a computation
 * on any device, else a transfer (h2d, d2h, and copies of unknown ends), communication, a copy of
 * class d2d, other work, and else why no device has work. */
struct sl_audit_use {
    uint32_t step; /* index in steps, from its beginning to the next one's, the last one until all
                      is through; SL_NONE: all, from the first work's start to the last one's end */
    int64_t from_ps, to_ps;
    int64_t compute_ps, exposed_transfers_ps, exposed_comm_ps, exposed_d2d_ps, exposed_other_ps;
    int64_t unlaunched_ps, launched_ps, unknown_ps; /* of gaps, as in struct sl_audit_gap */
    int64_t outside_ps;   /* before the first work of the scope, or behind its last one */
    int64_t transfers_ps; /* in which any transfer ran, exposed or not */
};

struct sl_audit_device {
    int64_t number;
    uint32_t works;
    int64_t busy_ps, compute_ps; /* time in which any of its works, or computations, ran */
};

struct sl_audit_stream {
    uint32_t lane, works;
    int64_t busy_sum_ps;
};
struct sl_audit_copies {
    uint32_t name, works, without_bytes;
    int64_t bytes, time_ps;
};

struct sl_audit {
    const struct sl_timeline *timeline;
    int64_t from_ps, to_ps; /* the scope: what is launched in [from, to), or else starts there */
    struct sl_audit_work *works;
    uint32_t work_count, kernel_count, launched_count;
    struct sl_intervals busy, busy_of[SL_WORK_CLASSES];
    struct sl_intervals memory_busy;                       /* copies and sets */
    int64_t together_ps[SL_WORK_CLASSES][SL_WORK_CLASSES]; /* a = b: two of that class */
    struct sl_audit_device *devices;                       /* those with works, by number */
    uint32_t device_count;
    struct sl_audit_stream *streams;
    uint32_t stream_count;
    struct sl_audit_copies *copies;
    uint32_t copies_count;
    struct sl_spread queue, behind, delay, event; /* of works whose launch is known */
    bool has_stream_waits;                        /* the trace says which streams wait for which */
    struct sl_audit_gap *gaps;                    /* in order of time */
    uint32_t gap_count;
    int64_t idle_unlaunched_ps, idle_launched_ps, idle_unknown_ps; /* sums of gaps */
    struct sl_audit_call *calls;
    uint32_t call_count;
    uint32_t *call_events; /* of all of them: events of the timeline, by call, then by time */
    struct sl_audit_memory *memories;
    uint32_t memory_count;
    const char *steps_name; /* what their names have in common; NULL: no steps are found */
    struct sl_audit_step *steps;
    uint32_t step_count;
    uint32_t usual_step,
        alike_count;       /* the first of those whose works come in the commonest order */
    bool cold;             /* the first step takes longer than SL_COLD times the others' median */
    struct sl_spread warm; /* times of steps, without a cold first one */
    struct sl_audit_use *uses; /* of all where there is a work, then of each step */
    uint32_t use_count;
    struct sl_arena arena;
};
#define SL_COLD 1.25

struct sl_audit_options {
    int64_t from_ps, to_ps; /* a window; 0 and INT64_MAX: all */
    const char *step;       /* instead: a step, by its name or its number from 0; NULL: none */
    const char *range; /* the steps' name; NULL: ProfilerStep, or what repeats and covers most */
};
/* Audits a finished timeline, which has to outlive the audit.  SL_USAGE when the step or range does
 * not exist.  sl_audit_free releases in any state. */
enum sl_status sl_audit_make(struct sl_audit *audit, const struct sl_timeline *timeline,
                             const struct sl_audit_options *options,
                             struct sl_error *err) SL_NODISCARD;
void sl_audit_free(struct sl_audit *audit);
#endif
