/* Replay: a plan made so that a backend can execute it, and what an execution gives.
 *
 * What the simulator knows of a plan as durations and demands, a replay has as real work: a node's
 * class and bytes, sized to its isolated duration.  Who starts when is decided by the same rules
 * (replay_rules.h); how long things take is up to the machine. */
#ifndef SL_REPLAY_H
#define SL_REPLAY_H
#include "backend.h"
#include "policy.h"

enum sl_replay_act {
    SL_REPLAY_NOTHING, /* takes no time */
    SL_REPLAY_DELAY,   /* time passes, and no server is busy with it */
    SL_REPLAY_WORK,    /* a server of its first resource does it */
};

struct sl_replay_node {
    const char *name;
    enum sl_replay_act act;
    struct sl_work work;    /* of an act that is work; klass SL_NONE: just be busy for hold_ns */
    uint32_t pieces;        /* works that are done for the node, one right behind the other */
    uint32_t klass;         /* of the scenario; SL_NONE: none */
    const char *class_name; /* "": none */
    int64_t hold_ns;        /* isolated mean */
    int64_t latency_ns;     /* pipelined: after its server is free again */
    int64_t release_ns;
    uint32_t pending;    /* predecessors, that of its lane counted */
    uint32_t key;        /* static part of the waiting order: smaller first */
    enum sl_order order; /* of the list that it waits in */
    bool strict;
    struct sl_span followers, demands, amounts, gives;
};
enum { SL_REPLAY_PIECES_MAX = 512 /* of a node: they fit into a driver's queue */ };
struct sl_replay_edge {
    uint32_t to;
    int64_t lag_ns;
};
/* Bytes that a node takes at its start: a holding, or workspace until its end (holding SL_NONE). */
struct sl_replay_amount {
    uint32_t domain, holding;
    int64_t bytes;
};
struct sl_replay_holding {
    uint32_t domain;
    int64_t bytes;
    bool initial;
};
struct sl_replay_resource {
    const char *name;
    uint32_t servers; /* SL_UNLIMITED: never short */
    uint32_t seats;   /* of them that do work: threads, streams; 0: none of its nodes is work */
};

struct sl_replay_plan {
    struct sl_arena arena;
    struct sl_replay_node *nodes;
    struct sl_replay_edge *edges; /* followers of a node */
    struct sl_demand *demands;
    struct sl_replay_amount *amounts;
    uint32_t *gives; /* holdings */
    struct sl_replay_holding *holdings;
    struct sl_replay_resource *resources;
    const char **domains; /* names */
    int64_t *limits;      /* bytes of each domain; INT64_MAX: none */
    uint32_t node_count, holding_count, resource_count, domain_count;
    uint32_t seat_count; /* of all resources */
};

/* Of a bench that executes it: its classes, and how many things it does at once. */
struct sl_replay_machine {
    const struct sl_work_class *classes;
    uint32_t class_count, seats_max;
    uint64_t (*cut)(const struct sl_bench *bench, struct sl_work *work); /* sl_backend.cut */
    const struct sl_bench *bench;
};

/* Makes the replay of a plan; texts are borrowed from it.  SL_INVALID names the first node that
 * can't be executed: one with a guard, a fallback or a class that the bench lacks, or an overlap
 * rule, an eviction while running, aging, fragmentation.  SL_SYSTEM where the plan wants more at
 * once than the machine does.  sl_replay_plan_free releases in every case. */
enum sl_status sl_replay_plan_make(struct sl_replay_plan *replay, const struct sl_plan *plan,
                                   const struct sl_replay_machine *machine,
                                   struct sl_error *err) SL_NODISCARD;
void sl_replay_plan_free(struct sl_replay_plan *replay);

/* Times of a node, from the start of the repetition; -1: it never came so far. */
struct sl_replay_times {
    int64_t ready_ns, start_ns, end_ns;
};
/* One repetition.  `times` is the caller's, an element per node. */
struct sl_replay_log {
    struct sl_replay_times *times;
    int64_t makespan_ns;
    bool stuck; /* nothing ran and something was left */
    bool gate_timeout;
    uint64_t preemptions;
    double sentinel_before_ns, sentinel_after_ns; /* NAN: none */
    const char *timer;                            /* of works: host, event, cupti */
    uint64_t dropped;                             /* records that were lost */
    uint32_t untimed; /* works of which no time is known; their start_ns and end_ns are -1 */
    bool clock_step;  /* a work's time contradicts the host's clock */
    double sm_mhz;    /* NAN: not known */
    bool throttled;   /* the clocks were held down */
};
#endif
