/* What planning knows of a scenario's graph before it changes anything: the order of execution,
 * when each node is expected, and the uses and gaps of every object.  Private to policy/.
 *
 * Plan order is the topological order of the graph (ties by row) once the data flow between writers
 * and readers is in it.  Expected times are a list schedule in that order at isolated means, with
 * memory unlimited. */
#ifndef SL_FACTS_H
#define SL_FACTS_H
#include "editor.h"
#include "fields.h"
#include "flow.h"
#include "way.h"

#define SL_MOST_CHUNKS  100000 /* nodes of chunks in a plan */
#define SL_HOP_NAME_MAX (2 * SL_NAME_MAX + 16)

/* A node that uses an object's copy in its home domain. */
struct sl_use {
    uint32_t node;
    uint32_t writer; /* the last node up to this one that writes; SL_NONE: none */
    bool reads, writes;
};

/* The time between two uses that follow each other, where the object could leave: the second one
 * reads, something runs between them, and nothing holds the copy. */
struct sl_gap {
    uint32_t object;
    uint32_t before, after; /* nodes */
    uint32_t writer;        /* last one up to `before`; SL_NONE: the copy is initial */
    double length_ps;       /* expected start of `after` - expected finish of `before` */
};

/* A lifetime-hold edge that names an object: its copy at home is kept until `to` has finished, whether
 * or not that node uses it. */
struct sl_hold {
    uint32_t from, to, object; /* the root */
};

/* Where an object goes in its gaps (SL_NONE: nowhere), and how; ways without hops do not exist. */
struct sl_journey {
    uint32_t refuge;
    struct sl_way out, back; /* from home to the refuge, and back */
    struct sl_way entry;     /* home from the domain in which it is valid at the start */
};

/* An edge that the data flow needs and the user did not write. */
struct sl_flow_edge {
    uint32_t from, to, object;
    enum sl_edge_type type;
};

struct sl_facts {
    const struct sl_scenario *scenario;
    const struct sl_platform *platform;
    struct sl_graph *graph; /* the user's nodes with the data flow; finished; owned */
    uint32_t object_count, domain_count;
    uint32_t *position;     /* node -> place in plan order */
    double *start, *finish; /* expected, ps */
    uint32_t *home;         /* per object; SL_NONE: no domain known */
    uint32_t *use_start;    /* per root object, into `uses`; in plan order */
    struct sl_use *uses;
    bool *optional;      /* per node: has a guard, has a fallback or is one: it may not run */
    uint32_t *primary;   /* per node: the first in plan order that it stands by for, SL_NONE */
    bool *by_user;       /* allocations, moves or reclamations of it are written out */
    bool *given_back;    /* ... a reclamation of its copy at home among them */
    struct sl_gap *gaps; /* of root objects, by object and in plan order */
    uint32_t *gap_start; /* per object, into `gaps` */
    uint32_t *longest;   /* per object: the longest of its gaps; SL_NONE: it has none */
    struct sl_journey *journeys; /* per object */
    struct sl_hold *holds;   /* by `to` */
    uint32_t *hold_start;    /* per node of `graph`, into `holds` */
    struct sl_flow_edge *flow_edges;
    uint32_t flow_edge_count, flow_edge_capacity;
};

/* `rules` (or NULL) may say where objects lie in their gaps. */
enum sl_status sl_facts_gather(struct sl_facts *facts, const struct sl_scenario *scenario,
                               const struct sl_rules *rules, struct sl_error *err) SL_NODISCARD;
void sl_facts_free(struct sl_facts *facts);

/* An object that a policy may treat: it has a gap, is not persistent and the graph leaves its copies
 * to planning. */
bool sl_facts_has_gap(const struct sl_facts *facts, uint32_t object);
/* The longest gap of an object that has one. */
const struct sl_gap *sl_facts_longest(const struct sl_facts *facts, uint32_t object);
/* Valid elsewhere at the start and used at home before anything writes or brings it there. */
bool sl_facts_is_entry(const struct sl_facts *facts, uint32_t object);
/* The last node before `node` in plan order that writes the object; SL_NONE: none. */
uint32_t sl_facts_writer_before(const struct sl_facts *facts, uint32_t object, uint32_t node);
/* The last place in plan order of a node that stands by for this one; 0: there is none. */
uint32_t sl_facts_owed_until(const struct sl_facts *facts, uint32_t node);
/* True when a node that uses the object before `consumer` has a fallback at or behind it: the end of
 * that use may wait for the consumer, so that the consumer must not wait for a copy that ends with
 * it. */
bool sl_facts_use_is_owed(const struct sl_facts *facts, uint32_t object, uint32_t consumer);

/* holds.c: fills holds and hold_start. */
enum sl_status sl_holds_find(struct sl_facts *facts, struct sl_error *err) SL_NODISCARD;

/* gaps.c: fills use_start, uses, gaps, gap_start and longest. */
enum sl_status sl_gaps_find(struct sl_facts *facts, struct sl_error *err) SL_NODISCARD;

/* hop_times.c: the name of the node that moves an object over one hop of a way, and its expected time
 * (hold and latency at the means of noise and factors), ps; over all hops from `first` on. */
void sl_hop_name(const struct sl_facts *facts, uint32_t object, enum sl_node_kind kind,
                 const struct sl_way *way, uint32_t hop, char name[SL_HOP_NAME_MAX]);
double sl_hop_mean(const struct sl_facts *facts, uint32_t object, enum sl_node_kind kind,
                   const struct sl_way *way, uint32_t hop);
double sl_way_mean(const struct sl_facts *facts, uint32_t object, enum sl_node_kind kind,
                   const struct sl_way *way, uint32_t first);
/* Chunks of the hop that are nodes of their own; 1: it is one node. */
uint32_t sl_hop_chunks(const struct sl_facts *facts, uint32_t object, const struct sl_way *way,
                       uint32_t hop);
/* Time by which the next hop may begin before this one ends, when they hold their engines so long: of n
 * chunks each, (n - 1) / n of the shorter; 0 where they are not pipelined in chunks of one size. */
double sl_hop_overlap(const struct sl_facts *facts, uint32_t object, const struct sl_way *way,
                      uint32_t hop, double hold, double next_hold);

/* journeys.c: fills journeys. */
enum sl_status sl_journeys_find(struct sl_facts *facts, const struct sl_rules *rules,
                                struct sl_error *err) SL_NODISCARD;

/* True when the object may lie in the domain of that name, which is not its home. */
bool sl_journey_allowed(const struct sl_facts *facts, uint32_t object, const char *stated);
/* True when the copy in which the object was valid at the start still holds its value in the gap: it
 * goes nowhere, and comes from there again. */
bool sl_gap_has_origin(const struct sl_facts *facts, const struct sl_gap *gap);
/* The domain where an object that leaves in the gap lies; SL_NONE: it can go nowhere. */
uint32_t sl_gap_refuge(const struct sl_facts *facts, const struct sl_gap *gap);
/* The journey of an object that would lie in `refuge`; the refuge is SL_NONE where it may not, or no
 * ways lead there and back. */
enum sl_status sl_journey_to(const struct sl_facts *facts, uint32_t object, uint32_t refuge,
                             struct sl_journey *journey, struct sl_error *err) SL_NODISCARD;

/* Which hop an object without a refuge lacks, as the end of a sentence (": ..."), on its way to the
 * domain `stated` or (NULL) to its first other placement; "" where there is no such. */
void sl_journey_explain(const struct sl_facts *facts, uint32_t object, const char *stated,
                        char *buffer, size_t size);

/* schedule.c: expected start and finish of `count` nodes in an order that respects edges and
 * lanes. */
enum sl_status sl_schedule_expect(const struct sl_graph *graph, const uint32_t *order,
                                  uint32_t count, double *start, double *finish,
                                  struct sl_error *err) SL_NODISCARD;
#endif
