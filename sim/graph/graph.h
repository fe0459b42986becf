/* The typed graph G = (V, E) over objects: what a scenario states and what a plan is made of.
 *
 * A graph is built by adding (sl_graph_add_*), then finished (sl_graph_finish: successor and
 * predecessor lists in CSR form), then immutable and shared read-only.  Policies copy a graph,
 * edit the copy and finish it.  Nothing here knows about time. */
#ifndef SL_GRAPH_H
#define SL_GRAPH_H
#include "expr.h"
#include "platform.h"

typedef struct {
    uint32_t i;
} sl_node_id;
typedef struct {
    uint32_t i;
} sl_object_id;

enum sl_node_kind {
    SL_COMPUTE, SL_ALLOCATION, SL_MAPPING, SL_TRANSFER, SL_PREFETCH, SL_OFFLOAD,
    SL_REMATERIALIZATION, SL_BARRIER, SL_RECLAMATION, SL_NODE_KINDS
};
enum sl_edge_type {
    SL_EDGE_DATA, SL_EDGE_STORAGE, SL_EDGE_ORDERING, SL_EDGE_LIFETIME, SL_EDGE_BARRIER,
    SL_EDGE_CAPACITY, SL_EDGE_TYPES
};
enum sl_evidence { SL_EVIDENCE_NONE, SL_MEASURED, SL_BOUNDED, SL_ASSUMED, SL_PUBLISHED, SL_UNKNOWN };
enum sl_equivalence { SL_EQ_UNSTATED, SL_EQ_BITWISE, SL_EQ_TOLERANCE, SL_EQ_UNKNOWN };

/* A range of one of the graph's pools.  Editing a list appends a new range. */
struct sl_span {
    uint32_t first, count;
};
struct sl_demand {
    uint32_t resource, units;
};
struct sl_amount {
    uint32_t domain;
    int64_t bytes;
};
/* A guard, or that it fails. */
struct sl_guard_term {
    uint32_t guard;
    bool negated;
};

#define SL_MOST_STEPS  1000000000 /* of a node in a job */
#define SL_CACHE_TIERS 8 /* placements of an object that jobs share by blocks, at most */

struct sl_node {
    const char *name, *key; /* key defaults to the name */
    uint64_t key_hash;
    enum sl_node_kind kind;
    uint32_t klass;             /* contention class, SL_NONE: none */
    struct sl_span demands;     /* pool `demands`; the first one's resource owns the waiting list */
    const struct sl_dist *dist; /* shape of the duration; NULL: zero */
    double scale;               /* duration = dist x scale x times x factors; 1 for a literal */
    const struct sl_expr *times; /* of the job's parameters: a number, or ps where dist is the
                                  * constant 1 or a route's noise; NULL: 1 */
    double times_mean;          /* `times` at the means of the parameters; without it, unused */
    const struct sl_expr *steps; /* of the job's parameters; NULL: steps_mean */
    double steps_mean;          /* steps at the means of the parameters, of that duration each; 1 */
    const char *work;           /* as written, where the duration is looked up by it; NULL */
    double latency_scale;       /* ps after the engine is free, x the same draw; 0: none */
    struct sl_span inputs, outputs; /* pool `objects_pool` */
    sl_object_id object;        /* of transfers, prefetches, offloads, allocations, reclamations */
    uint32_t from, to;          /* domains, SL_NONE */
    uint32_t ahead;             /* a fetch of blocks that jobs share: called for so many jobs behind
                                 * those whose turn it is; SL_NONE: by its edges alone */
    struct sl_span workspace, staging; /* pool `amounts` */
    sl_node_id staging_until;   /* staging is released at that node's finish; SL_NONE: own finish */
    uint32_t lane;              /* SL_NONE: none; lane order is node order */
    uint32_t layer;             /* for guards of scope layer; SL_NONE */
    struct sl_span guards;      /* pool `guard_terms`: it runs when all of them hold; empty: always */
    int64_t release_ps;         /* 0 by default */
    int64_t deadline_ps;        /* INT64_MAX: none */
    double priority;            /* larger first; 0 by default */
    sl_node_id fallback;        /* SL_NONE */
    enum sl_evidence evidence;
    const char *evidence_text;
    double confidence;          /* 0..1, NAN: not stated */
    struct sl_span takes;       /* pool `holdings_pool`: holdings acquired at start */
    struct sl_span gives;       /* ... and given back at finish */
    struct sl_span uses;        /* ... of copies at home that it mentions, but does not take */
    bool derived;               /* inserted by planning, not written by the user */
    uint32_t iteration;         /* 0: the first, or the only one */
    sl_node_id first;           /* the same node in the first iteration; SL_NONE: this is it */
    struct sl_place place;
};

struct sl_edge {
    sl_node_id from, to;
    int64_t lag_ps;
    sl_object_id object; /* SL_NONE */
    uint32_t next;       /* 0: same; k: the consumer is k iterations later */
    enum sl_edge_type type;
    enum sl_evidence evidence;
    const char *evidence_text; /* NULL: none */
    struct sl_place place;
};

struct sl_object {
    const char *name;
    int64_t bytes;              /* of a size that varies by job, at the means of the parameters */
    const struct sl_expr *size; /* of the job's parameters, rounded to a byte; NULL: `bytes` */
    uint32_t home;             /* the domain in which nodes use it; SL_NONE: first placement */
    struct sl_span placements; /* pool `domains_pool`; empty: everywhere */
    sl_object_id alias_of;     /* resolved to the root; SL_NONE */
    uint32_t alias_home;       /* of an alias: the home that its own row states; SL_NONE */
    uint32_t initial;          /* valid in this domain at t = 0; SL_NONE */
    bool persist;              /* never reclaimed */
    bool shared; /* modes open and closed: jobs share it by blocks, of which each has its bytes */
    sl_node_id reconstruct;    /* whose re-execution reproduces it; SL_NONE */
    enum sl_equivalence equivalence;
    const char *reclaim_when;
    enum sl_evidence evidence;
    const char *evidence_text;
    struct sl_place place;
};

/* A stretch of held capacity: an object's copy, or staging, from its taking node's start to its
 * giving node's finish.  `initial` ones are held from t = 0.  Giving what is not held is a no-op. */
enum sl_holding_kind { SL_HOLD_OBJECT, SL_HOLD_STAGING };
struct sl_holding {
    enum sl_holding_kind kind;
    uint32_t domain;
    int64_t bytes;
    sl_object_id object; /* SL_NONE for staging */
    bool initial;
};

struct sl_guard {
    const char *name;
    double probability;
    enum sl_scope scope;
    double persistence; /* lag-1 autocorrelation across iterations, 0 to 1 */
    const char *factor; /* whose normal it shares; NULL: none */
    double rho;         /* correlation with the other guards of that factor, 0 to 1 */
    struct sl_place place, factor_place;
};

/* A pair of classes or nodes that may or may not run together.  A permitted overlap may begin only
 * at a time within [earliest_ps, latest_ps]; outside it the pair is kept apart. */
struct sl_overlap {
    const char *a, *b; /* class or node names */
    bool allowed;
    const char *proof;
    const char *contention; /* as written; its numbers are rows of the platform's kappa */
    int64_t earliest_ps, latest_ps; /* 0 and INT64_MAX where not stated */
    struct sl_place place;
};

struct sl_graph {
    struct sl_arena arena; /* names, texts and everything below */
    const struct sl_platform *platform; /* borrowed; outlives the graph */
    const struct sl_node *nodes; /* changed by sl_graph_edit_node */
    uint32_t node_count, node_capacity;
    const struct sl_edge *edges; /* changed by sl_graph_edit_edges */
    uint32_t edge_count, edge_capacity;
    struct sl_object *objects;
    uint32_t object_count, object_capacity;
    struct sl_holding *holdings;
    uint32_t holding_count, holding_capacity;
    struct sl_guard *guards;
    uint32_t guard_count, guard_capacity;
    struct sl_factor *factors;
    uint32_t factor_count, factor_capacity;
    struct sl_overlap *overlaps;
    uint32_t overlap_count, overlap_capacity;
    struct sl_names node_names, object_names, lane_names, layer_names;
    /* Pools of spans. */
    struct sl_demand *demands;
    uint32_t demand_count, demand_capacity;
    struct sl_amount *amounts;
    uint32_t amount_count, amount_capacity;
    struct sl_guard_term *guard_terms;
    uint32_t guard_term_count, guard_term_capacity;
    sl_object_id *objects_pool;
    uint32_t objects_pool_count, objects_pool_capacity;
    uint32_t *domains_pool;
    uint32_t domains_pool_count, domains_pool_capacity;
    uint32_t *holdings_pool;
    uint32_t holdings_pool_count, holdings_pool_capacity;
    const struct sl_evictor *evictor; /* what may leave while running (evictor.h); borrowed, NULL */
    const struct sl_dist *one; /* the constant 1, for routes without noise; borrowed, may be NULL */
    /* CSR, made by sl_graph_finish: edge indices grouped by consumer and by producer. */
    uint32_t *pred_start, *pred_edges; /* pred_edges[pred_start[i] .. pred_start[i+1]) */
    uint32_t *succ_start, *succ_edges;
    uint32_t *topo; /* nodes in topological order of same-iteration edges and lanes; ties by index */
    bool finished;
    bool only_edges; /* a copy made by sl_graph_copy_edges: the rest belongs to the original */
    /* A copy reads nodes, edges and their lists where the original has them until it changes them. */
    const struct sl_graph *original;
    struct sl_node *own_nodes; /* `nodes`, NULL while they are the original's */
    struct sl_edge *own_edges; /* `edges`, likewise */
    bool shares_lists;         /* CSR and order are the original's */
};

struct sl_graph *sl_graph_create(const struct sl_platform *platform); /* NULL: out of memory */
/* An unfinished copy to edit.  Texts and name maps, and nodes and edges that the copy does not
 * change, are shared with `graph`, or with the graph that it is a copy of: that first one must
 * outlive all copies, and stay as it is. */
struct sl_graph *sl_graph_copy(const struct sl_graph *graph);
/* An unfinished copy that takes further edges and nothing else (SL_USAGE): it reads nodes, objects
 * and lists where `graph` has them, so `graph` must outlive it and stay as it is. */
struct sl_graph *sl_graph_copy_edges(const struct sl_graph *graph);
void sl_graph_free(struct sl_graph *graph);

/* Fields of a fresh node, edge or object at their defaults. */
struct sl_node sl_node_default(void);
struct sl_object sl_object_default(void);

/* Append.  The name must be new (SL_INVALID otherwise, at the thing's place).  Texts are borrowed:
 * put them into graph->arena.  Ids are dense and in order of adding. */
enum sl_status sl_graph_add_node(struct sl_graph *graph, const struct sl_node *node, sl_node_id *id,
                                 struct sl_error *err) SL_NODISCARD;
enum sl_status sl_graph_add_edge(struct sl_graph *graph, const struct sl_edge *edge,
                                 struct sl_error *err) SL_NODISCARD;
enum sl_status sl_graph_add_object(struct sl_graph *graph, const struct sl_object *object,
                                   sl_object_id *id, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_graph_add_holding(struct sl_graph *graph, const struct sl_holding *holding,
                                    uint32_t *index, struct sl_error *err) SL_NODISCARD;
/* Makes room for so many nodes or edges in all, so that adding them moves nothing. */
bool sl_graph_reserve_nodes(struct sl_graph *graph, uint32_t count) SL_NODISCARD;
bool sl_graph_reserve_edges(struct sl_graph *graph, uint32_t count) SL_NODISCARD;
/* The node, to change it; NULL when out of memory, or in a copy for edges (SL_USAGE).  Pointers into
 * graph->nodes from before are stale. */
struct sl_node *sl_graph_edit_node(struct sl_graph *graph, uint32_t node, struct sl_error *err);
/* Before graph->own_edges is changed, or cut short; the graph is to be finished again. */
enum sl_status sl_graph_edit_edges(struct sl_graph *graph, struct sl_error *err) SL_NODISCARD;

/* Append one element to the span (the span moves to the pool's end when it is not already there). */
enum sl_status sl_graph_push_demand(struct sl_graph *graph, struct sl_span *span,
                                    struct sl_demand demand, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_graph_push_amount(struct sl_graph *graph, struct sl_span *span,
                                    struct sl_amount amount, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_graph_push_guard(struct sl_graph *graph, struct sl_span *span,
                                   struct sl_guard_term term, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_graph_push_object(struct sl_graph *graph, struct sl_span *span,
                                    sl_object_id object, struct sl_error *err) SL_NODISCARD;
enum sl_status sl_graph_push_domain(struct sl_graph *graph, struct sl_span *span, uint32_t domain,
                                    struct sl_error *err) SL_NODISCARD;
enum sl_status sl_graph_push_holding(struct sl_graph *graph, struct sl_span *span, uint32_t holding,
                                     struct sl_error *err) SL_NODISCARD;
/* ... to a list of a node. */
enum sl_holding_list { SL_TAKES, SL_GIVES, SL_USES };
enum sl_status sl_graph_node_holding(struct sl_graph *graph, uint32_t node,
                                     enum sl_holding_list list, uint32_t holding,
                                     struct sl_error *err) SL_NODISCARD;

/* Fills a moving node from its route: domains, the engine's demand and the class (unless set), staging
 * buckets, and
 *     duration = noise x hold (sl_route_hold),   latency likewise.
 * The shape is graph->one where the route has no noise.  Where the object's size varies by job, the
 * hold of a job is in node->times (sl_expr_copy_time), and `bytes` is its size at the means; through
 * staging buckets, whose number would vary too, such an object cannot move (SL_INVALID). */
enum sl_status sl_graph_route_node(struct sl_graph *graph, struct sl_node *node,
                                   const struct sl_route *route, int64_t bytes,
                                   struct sl_error *err) SL_NODISCARD;

/* Drops duplicate edges (same ends, type, lag, scope and object), builds the CSR lists and the topological
 * order.  A precedence cycle is SL_NO with the whole cycle in the message ("a -> b -> a"). */
enum sl_status sl_graph_finish(struct sl_graph *graph, struct sl_error *err) SL_NODISCARD;

/* Forgets what sl_graph_finish made. */
void sl_graph_drop_lists(struct sl_graph *graph);

/* True when the row keeps its pair apart at some time: not allowed, or only within a window. */
bool sl_overlap_restricts(const struct sl_overlap *overlap);
/* The object itself, or the root that it is an alias of. */
sl_object_id sl_object_root(const struct sl_graph *graph, sl_object_id object);
/* The domain in which nodes use an object: stated, the first placement, or the only one there is;
 * SL_NONE otherwise. */
uint32_t sl_object_home(const struct sl_graph *graph, uint32_t object);
bool sl_has_shared(const struct sl_graph *graph); /* some object is shared by blocks */
/* Of an object that jobs share by blocks, its tiers: the home, then the other placements in their
 * order.  The k-th; SL_NONE: it has no such. */
uint32_t sl_object_tier(const struct sl_graph *graph, uint32_t object, uint32_t k);
/* The domain is among the object's placements, or it states none and may lie anywhere. */
bool sl_object_may_lie_in(const struct sl_graph *graph, uint32_t object, uint32_t domain);
const char *sl_node_kind_name(enum sl_node_kind kind);
const char *sl_edge_type_name(enum sl_edge_type type);
bool sl_node_kind_parse(const char *text, enum sl_node_kind *kind);
bool sl_edge_type_parse(const char *text, enum sl_edge_type *type);
/* The contention groups of all resources that the node demands, a bit each. */
uint64_t sl_node_groups(const struct sl_graph *graph, const struct sl_node *node);
bool sl_node_moves(enum sl_node_kind kind); /* transfer, prefetch or offload */
/* The same node in the first iteration, by whose name rules and globs of the scenario go. */
uint32_t sl_node_first(const struct sl_graph *graph, uint32_t node);
/* What multiplies the dist of a node's hold at the means of the job parameters. */
static inline double sl_node_mean_scale(const struct sl_node *node)
{
    return node->times ? node->scale * node->times_mean : node->scale;
}
/* Isolated mean in ps (hold, latency): dist mean x scale at the means of the job parameters (of a hold
 * also x steps there) x mean of constant and drawn factors (regimes, which depend on the time, count as 1). */
double sl_node_mean_hold(const struct sl_graph *graph, sl_node_id node);
double sl_node_mean_latency(const struct sl_graph *graph, sl_node_id node);
/* Mean of the factors that would multiply a node of this class, movement and name, which need not be
 * in the graph; regimes count as 1. */
double sl_graph_mean_factor(const struct sl_graph *graph, const struct sl_node *node,
                            const char *name);
/* True when the factor multiplies the node (class, node-name and route globs). */
bool sl_factor_applies(const struct sl_graph *graph, const struct sl_factor *factor,
                       sl_node_id node);
#endif
