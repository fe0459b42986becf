/* A scenario as rows in memory, which a test makes, edits and writes to a folder as a user would.
 *
 * Nodes, objects, resources and domains are named by their index; SL_NONE: none.  Sizes are whole
 * MiB, times whole nanoseconds, so that every value is written exactly. */
#ifndef SL_TEST_DRAFT_H
#define SL_TEST_DRAFT_H
#include "graph.h"
#include "tempdir.h"

enum {
    DRAFT_NODES = 128,
    DRAFT_EDGES = 1024,
    DRAFT_OBJECTS = 40,
    DRAFT_LIST = 10,
    DRAFT_OVERLAPS = 4,
    DRAFT_NAME = 24
};
enum draft_domain { HBM, PINNED, DRAFT_DOMAINS };
enum draft_resource { GPU, AUX, CPU, H2D, D2H, DRAFT_RESOURCES };
enum draft_shape { TAKES_NO_TIME, CONSTANT, UNIFORM, LOGNORMAL, EXPONENTIAL };

struct draft_list {
    unsigned count, items[DRAFT_LIST];
};

struct draft_node {
    char name[DRAFT_NAME];
    enum sl_node_kind kind;
    const char *klass; /* NULL: none */
    unsigned resource, units, second;
    enum draft_shape shape;
    int64_t mean_ns;
    struct draft_list inputs, outputs;
    unsigned object, from, to;
    unsigned workspace[DRAFT_DOMAINS]; /* MiB */
    unsigned staging[DRAFT_DOMAINS];
    unsigned staging_until;
    const char *lane, *layer;
    unsigned guard;
    bool guard_negated;
    int64_t release_ns, deadline_ns; /* 0: none */
    int priority;
    unsigned fallback;
    bool no_evidence;
};

struct draft_edge {
    unsigned from, to;
    enum sl_edge_type type;
    int64_t lag_ns;
    unsigned object;
    unsigned next;
};

struct draft_object {
    char name[DRAFT_NAME];
    unsigned mib;
    unsigned home;
    const char *placements; /* NULL: everywhere */
    unsigned alias_of;
    unsigned initial;
    bool persist;
    bool far; /* `initial` is the disk behind pinned memory, not pinned memory */
    unsigned reconstruct;
    const char *equivalence; /* NULL: not stated */
};

struct draft_overlap {
    char a[DRAFT_NAME], b[DRAFT_NAME];
    bool allowed;
    const char *proof, *contention; /* NULL: none */
    int64_t earliest_ns, latest_ns; /* 0: not stated */
};

struct draft_guard {
    const char *name, *scope;
    double probability;
};

struct draft {
    struct {
        unsigned servers;     /* 0: unlimited */
        const char *settings; /* further YAML: order, admission, aging, group */
    } resources[DRAFT_RESOURCES];
    struct {
        long capacity_mib; /* -1: unlimited */
        unsigned reserve_mib, rounding_mib;
        bool no_reserve; /* left out */
    } domains[DRAFT_DOMAINS];
    bool tight;          /* HBM holds what the rows need one after the other, and no more */
    unsigned engine_out; /* H2D or D2H: the engine of HBM -> PINNED */
    const char *noise;   /* of both routes, NULL: none */
    bool disk;           /* a further domain with routes from and to pinned memory alone */
    unsigned chunk_mib;  /* of pipelined routes; 0: none is */
    bool no_route_evidence, no_tail;
    const char *costs, *factors, *kappa, *kappa_rows, *policies; /* YAML and CSV; NULL: none */
    struct draft_guard guards[3];
    unsigned guard_count;
    struct draft_node nodes[DRAFT_NODES];
    unsigned node_count;
    struct draft_edge edges[DRAFT_EDGES];
    unsigned edge_count;
    struct draft_object objects[DRAFT_OBJECTS];
    unsigned object_count;
    struct draft_overlap overlaps[DRAFT_OVERLAPS];
    unsigned overlap_count;
};

extern const char *const draft_domain_names[DRAFT_DOMAINS];
extern const char *const draft_resource_names[DRAFT_RESOURCES];
#define DRAFT_BANDWIDTH_MIB_PER_MS 25 /* of both routes */
#define DRAFT_OVERHEAD_NS          2000
#define DRAFT_LATENCY_NS           3000

/* Appends; the fields are at their defaults.  The index of the new one. */
unsigned draft_node(struct draft *draft, enum sl_node_kind kind, const char *name);
unsigned draft_object(struct draft *draft, const char *name, unsigned mib);
void draft_edge(struct draft *draft, unsigned from, unsigned to, enum sl_edge_type type,
                unsigned object);
void draft_list_add(struct draft_list *list, unsigned item);
bool draft_list_has(const struct draft_list *list, unsigned item);
unsigned draft_root(const struct draft *draft, unsigned object);

/* Takes away a row and every mention of it. */
void draft_drop_edge(struct draft *draft, unsigned edge);
void draft_drop_node(struct draft *draft, unsigned node);

/* Writes scenario.yaml and the tables into `dir`, over those that are there. */
void draft_write(const struct draft *draft, struct tempdir *dir);
#endif
