/* An independent, slow simulator of one trial, written from the rules (DESIGN 2b, doc/semantics.md)
 * alone: it looks at every node at every step, composes kappa itself, and calls no function of the
 * library.  It reads the planned graph; what chance decides is given. */
#ifndef SL_REFERENCE_SIM_H
#define SL_REFERENCE_SIM_H
#include "engine.h"

#define REF_MOST 16 /* resources, domains */

struct ref_node {
    int64_t duration, latency; /* given, in ps */
    double mean;               /* given: isolated, hold and latency together */
    bool guard_holds;          /* given */
    int64_t ready, start, free, finish;
    enum sl_node_state state;
    int cause;
    uint32_t behind;
    int by_free;
    int64_t lag;
    uint32_t bypassed;
};

/* The bytes of a domain after an instant that changed them. */
struct ref_level {
    int64_t t;
    uint32_t domain;
    int64_t objects, workspace, staging;
};

/* What happened, so that a suite can say of what its agreement is. */
enum ref_event {
    REF_GUARD_FAILED,
    REF_CANCELLED_BY_GUARD,
    REF_CANCELLED_LATE,    /* at its latest start */
    REF_FALLBACK_RAN,      /* in the place of a cancelled primary */
    REF_FALLBACK_IDLE,     /* skipped because no primary was cancelled */
    REF_FALLBACK_TOO_LATE, /* called after its own latest start */
    REF_WAITED_UNITS,
    REF_WAITED_TURN,   /* in order of issue */
    REF_WAITED_STRICT, /* behind an earlier node of a strict list */
    REF_WAITED_BYTES,
    REF_WAITED_OVERLAP,
    REF_WINDOW_OPENED, /* a node waited for the earliest time of a permitted overlap */
    REF_LANE,          /* a start bound by the lane */
    REF_LAG,
    REF_RELEASE,
    REF_LATENCY, /* a pipelined latency */
    REF_BYPASSED,
    REF_OVERTOOK, /* started before an earlier one of its list became able to, by a larger priority
                   */
    REF_AGED,     /* ... by aging */
    REF_SLOWED,   /* ran at kappa above 1 */
    REF_SLOWED_BY_TWO, /* ... beside two others or more */
    REF_SET_ROW,       /* kappa of a measured set of two or more */
    REF_UNKNOWN_PAIR,
    REF_BANDWIDTH, /* slowed by a full link */
    REF_ROUNDS,    /* an instant of several rounds */
    REF_DEADLOCK,
    REF_EVENTS
};
extern const char *const ref_event_names[REF_EVENTS];

struct ref_result {
    struct ref_node *nodes;
    double fragmentation[REF_MOST]; /* given: of each domain, 1 without */
    bool deadlock, hypothetical;
    int64_t makespan;
    int64_t peak[REF_MOST];
    struct ref_level *levels;
    uint32_t level_count, level_capacity;
    uint64_t bypasses;
    uint32_t seen[REF_EVENTS];
};

/* `nodes` have room for all nodes of all iterations, iteration by iteration; they carry durations,
 * latencies, means and guards in and the record out.  The rest of *result is overwritten, but for
 * the given fragmentation, and ref_free frees it. */
void ref_simulate(const struct sl_graph *graph, const struct sl_engine_options *options,
                  uint32_t iterations, struct ref_result *result);
void ref_free(struct ref_result *result);
#endif
