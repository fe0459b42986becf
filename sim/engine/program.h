/* What sl_program_create packs a graph into: shared by all workers, and read-only.  Private to the
 * engine.
 *
 *     graph (nodes, edges, holdings)  --program*.c-->  sl_program (here)
 *     sl_program  --worker.c-->  sl_worker (worker.h: one per thread)
 */
#ifndef SL_PROGRAM_H
#define SL_PROGRAM_H
#include "engine.h"
#include "kappa_crowd.h"
#include "philox.h"
#include "qtable.h"
#include "speculation.h"
#include "units.h"

#define SL_TIME_LIMIT  ((int64_t)1 << 62) /* picoseconds; no simulated time may reach it */
#define SL_FREE_ALWAYS (INT64_MAX / 2)    /* free units of an unlimited resource */

enum {
    NODE_FREE = 1 << 0,     /* demands nothing and names no fallback: starts in the first scan */
    NODE_SIMPLE = 1 << 1,   /* waits only for units of one simple resource */
    NODE_LATENCY = 1 << 2,  /* finishes a pipelined latency after its units are free */
    NODE_BYTES = 1 << 3,    /* takes bytes at its start (workspace, holdings) */
    NODE_GIVES = 1 << 4,    /* gives holdings back at its finish */
    NODE_OVERLAP = 1 << 5,  /* some other node must not run beside it, or is named by such a rule */
    NODE_PRIMARY = 1 << 6,  /* names a fallback */
    NODE_FALLBACK = 1 << 7, /* is named as a fallback */
    NODE_GUARD = 1 << 8,
    NODE_REGIME = 1 << 9, /* its duration is completed at its start */
    NODE_ISSUE = 1 << 10, /* its first resource serves in issue order */
    NODE_STRICT = 1 << 11, /* ... admits strictly */
    NODE_EVICT = 1 << 12,  /* uses, makes or moves copies that may leave while running */
    NODE_LATENT = 1 << 13, /* ... and runs only when one leaves or returns */
    NODE_MANY = 1 << 14,   /* demands units of several resources */
    NODE_VARIES = 1 << 15, /* the bytes it has to find depend on who runs, or lie in two domains */
    NODE_TAKES = 1 << 16,  /* takes holdings, not just workspace */
    NODE_TRACKED = 1 << 17, /* waits in a tracked list (list_static) */
    NODE_SPECULATIVE = 1 << 18, /* a movement that may be for nothing (speculation.h) */
    NODE_SHARED = 1 << 19,      /* mentions an object that jobs share by blocks */
    NODE_BATCH = 1 << 20 /* in the job engine: starts with others of its kind (jobs_batch.c) */
};

/* What the loop reads of a node, in half a cache line. */
struct node_hot {
    uint32_t succ_first, succ_count;
    uint32_t resource, units; /* first demand; SL_NONE without one */
    uint32_t cell;            /* contention cell, SL_NONE: feels none */
    uint32_t klass;
    uint32_t flags;
    uint32_t key; /* dense rank of the static part of the waiting order: smaller first */
};

struct succ {
    uint32_t to;
    uint8_t cause;
    bool lagged;
};

struct range {
    uint32_t first, count;
};

/* Bytes that a node must find at its start. */
enum level_part { PART_OBJECTS, PART_WORKSPACE, PART_STAGING, LEVEL_PARTS };
struct amount {
    int64_t bytes;
    uint32_t domain;
    uint32_t holding; /* SL_NONE: workspace */
    enum level_part part;
};

/* What the attempts of a waiting node read. */
struct need {
    uint64_t mask; /* resources and domains that it demands; several may share a bit */
    int64_t bytes; /* unless NODE_VARIES: what it has to find in ... */
    uint32_t domain;
};

/* Nodes of `kind` must not be running when one starts outside [earliest, latest], in ps; latest -1:
 * never. */
struct overlap_peer {
    uint32_t kind;
    int64_t earliest, latest;
};

struct resource_static {
    int64_t units; /* SL_FREE_ALWAYS: unlimited */
    enum sl_order order;
    bool simple; /* every node demands just this, with equal units: one sorted queue is enough */
    bool strict;
    int64_t aging_ps;
    int64_t min_units;  /* least units that a node waiting here demands */
    struct range queue; /* its slice of the waiting items: one place per node, and one behind */
    struct range issue; /* nodes in issue order, in issue_nodes */
    uint32_t sublist;   /* its place in list_resources, unless simple */
};

/* One waiting list: the sublists (one per first resource) of one order. */
struct list_static {
    struct range sublists; /* in list_resources */
    bool every;            /* strict or aging: every member is tried in every scan */
    bool aging;
    bool tracked; /* its sublists that may have somebody to start are known: waiting_scan.c */
};

struct cell_static {
    uint32_t klass, island;
    uint32_t lane; /* its place in the padded arrays of a worker */
    uint64_t groups;
    struct range heap; /* its slice of the heap places */
    uint64_t most;     /* nodes of it that can run at once, at most */
    uint64_t hash;     /* one running node's share of the island's state hash */
    uint64_t state_bits; /* of an exact state: those of this cell's count */
};

#define SL_LANES         4 /* cells in a vector */
#define SL_COMPACT_CELLS 8 /* most cells and bits of a state of contend_compact.c */
#define SL_COMPACT_BITS  12

/* Cells that share groups, directly or through others: kappa depends on one island's counts.  In a
 * uniform island all cells have the same groups, so that every change touches them all. */
struct island_static {
    struct range cells;
    uint32_t first_lane; /* place of its first cell in the padded arrays of a worker */
    bool uniform;
    bool exact; /* the state hash is the counts themselves, side by side */
    struct sl_kappa_crowd *crowd; /* of a uniform island's cells, in their order; NULL: one by one */
};

/* A node at the beginning of a trial, and during one. */
struct node_run {
    int64_t ready;   /* latest readiness condition so far */
    uint32_t behind; /* ... and who set it */
    uint32_t pending;
    uint8_t cause;
    uint8_t phase, skip, fail;
    uint32_t tried; /* scan of the last attempt */
};

/* Draws of one table, or of one distribution that has none. */
struct draw_group {
    const struct sl_dist *dist;
    const struct sl_qtable *table;
    struct range draws;
};

struct guard_draw {
    uint64_t hash;
    double probability;
    double persistence;  /* 0: it does not look at `before` */
    uint32_t before;     /* the same draw in the iteration before, which comes first; SL_NONE */
    uint64_t shared_hash; /* of the normal that it shares */
    double shared, own;  /* weights of that one and of its own, squares summing to 1; 0: none is shared */
    bool shared_by_trial; /* ... which is drawn once, whatever is drawn by job */
};

/* A term of a node's guards, with the draw that it sees. */
struct guard_use {
    uint32_t draw;
    bool negated;
};

struct factor_static {
    const struct sl_dist *draw;
    uint64_t hash;
    double p, level, dwell_ps;
};


struct sl_program {
    const struct sl_graph *graph;
    struct sl_engine_options options;
    struct sl_arena arena;
    uint32_t n, resource_count, domain_count, class_count;
    uint32_t planned; /* nodes before the latent ones (evictor.h) */
    const struct sl_evictor *evictor; /* NULL: nothing leaves while running */
    struct node_hot *hot;
    struct succ *succ;
    int64_t *succ_lag; /* parallel to succ */
    struct node_run *template;
    uint32_t *roots;
    uint32_t root_count;

    struct resource_static *resources; /* one more than resource_count: "no resource" */
    uint32_t *issue_nodes;
    uint32_t queue_places;
    struct list_static lists[SL_ORDER_ISSUE + 1];
    enum sl_order orders[SL_ORDER_ISSUE + 1]; /* of the lists that have sublists */
    uint32_t order_count;
    uint32_t *list_resources;
    bool any_complex;

    struct range *demand; /* per node, in demands */
    struct sl_demand *demands;
    struct range *amount; /* per node, in amounts; sorted by domain */
    struct amount *amounts;
    struct need *need;   /* per node */
    bool separate_needs; /* no two resources or domains share a bit of the masks */
    struct range *gives; /* per node, in give_holdings */
    uint32_t *give_holdings;
    struct range *giver; /* per holding, in givers: who gives it back */
    uint32_t *givers;
    uint32_t *lane_before; /* per node: its predecessor in the lane, SL_NONE */
    int64_t *holding_bytes; /* rounded */
    int64_t *domain_limit;  /* capacity - reserve, INT64_MAX: unlimited */
    int64_t *initial_level;
    uint32_t log_places; /* bound of the releases of one pass */

    struct cell_static *cells;
    uint32_t cell_count, lane_count;
    struct island_static *islands;
    uint32_t island_count;
    uint32_t heap_places;
    bool compact;      /* one small island: contend_compact.c */
    bool class_states; /* compact, and all that counts for a class is in a cell */
    bool brisk;        /* ... and an instant at which one node ends has a shorter way */

    uint32_t *overlap_kind;       /* per node; SL_NONE: free of rules */
    struct range *overlap_forbid; /* per kind, in overlap_peers */
    struct overlap_peer *overlap_peers;
    uint32_t overlap_kinds;
    int64_t *openings; /* times at which an overlap may begin to be permitted */
    uint32_t opening_count;

    uint32_t *fallback;    /* per node or SL_NONE; NULL without fallbacks */
    uint32_t *primaries;   /* per node: how many name it */
    int64_t *latest_start; /* per node, INT64_MAX: never */
    double *mean_ps;       /* isolated mean, hold and latency */

    struct draw_group *draw_groups;
    uint32_t draw_group_count, draw_count;
    uint32_t *draw_node;
    bool draws_in_order; /* draw_node[k] = draw_node[0] + k: one law for all that is random */
    uint64_t *draw_hash;
    double *draw_scale, *draw_latency;
    double *draw_unit; /* of a table's values; 1 without a table */
    bool any_latency, any_second;
    int64_t *fixed_duration, *fixed_latency; /* of nodes without a random draw */
    double fixed_sum_ps;                     /* constants, lags and releases: for the time limit */
    struct factor_static *factors;
    uint32_t factor_count, regime_count;
    struct range *node_factors; /* per node, in factor_uses; NULL without factors */
    uint32_t *factor_uses;
    struct guard_draw *guards; /* one per guard and scope; NULL without guards */
    uint32_t guard_count;
    struct range *node_guards; /* per node, in guard_uses; NULL without guards */
    struct guard_use *guard_uses;
    struct sl_speculation speculation;
    uint64_t *fragmentation_hash;

    struct batch_plan *batch;  /* batch.h; NULL: trials run by events ... */
    const char *batch_refusal; /* ... for this reason */
    struct sl_plain *plain;   /* plain.h; NULL: the program is not plain */
    struct sl_common *common; /* common.h; NULL: nor common, and the general loop runs every trial */
};

/* program_*.c: parts of sl_program_create */
enum sl_status sl_program_pack_resources(struct sl_program *p, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_program_pack_capacity(struct sl_program *p, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_program_pack_cells(struct sl_program *p, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_program_pack_overlaps(struct sl_program *p, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_program_pack_keys(struct sl_program *p, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_program_pack_draws(struct sl_program *p, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_program_pack_guards(struct sl_program *p, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_program_pack_batch(struct sl_program *p, struct sl_error *err) SL_NODISCARD;
void sl_batch_plan_free(struct batch_plan *plan);
#endif
