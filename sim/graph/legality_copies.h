/* What nodes do to the copies of objects, and which node comes before which: for rules about
 * lifetimes, contents, aliases and moves. */
#ifndef SL_LEGALITY_COPIES_H
#define SL_LEGALITY_COPIES_H
#include "legality.h"

/* The values are the order in which the touches of one node count. */
enum sl_touch_kind {
    SL_TOUCH_READ,
    SL_TOUCH_PROTECT, /* a barrier, or the consumer of a lifetime-hold, at an edge about the object
                       */
    SL_TOUCH_ALLOCATE,
    SL_TOUCH_MAP,
    SL_TOUCH_WRITE,
    SL_TOUCH_RECLAIM
};

/* One node at one copy: a root object in a domain. */
struct sl_touch {
    uint32_t object, domain, node;
    enum sl_touch_kind kind;
    uint32_t named; /* the object as the node names it: the root or an alias */
};

/* Fills l->order and l->position, or l->touches, grouped by copy and inside a group in order of
 * position.  Both need a finished graph; false when out of memory. */
bool sl_order_derive(struct sl_legality *l) SL_NODISCARD;
bool sl_touches_gather(struct sl_legality *l) SL_NODISCARD;

/* The end of the group of touches that begins at `first`. */
uint32_t sl_touches_end(const struct sl_legality *l, uint32_t first);
/* True when the group holds a touch of that kind. */
bool sl_touches_have(const struct sl_legality *l, uint32_t first, uint32_t end,
                     enum sl_touch_kind kind);
/* The group of a copy; empty (first == end) where nothing touches it. */
void sl_touches_find(const struct sl_legality *l, uint32_t object, uint32_t domain, uint32_t *first,
                     uint32_t *end);
/* "object 'x' in 'hbm'"; returns the buffer. */
const char *sl_copy_text(const struct sl_legality *l, const struct sl_touch *of, char *buffer,
                         size_t size);

/* Scratch of reachability: marks per node, and what to clear afterwards. */
struct sl_reach {
    unsigned char *marks;
    uint32_t *touched, *stack;
    uint32_t touched_count;
    /* Order about this root that rows alone give does not count: into `loose_node`, or where that
     * is SL_NONE between nodes that use the root under different names.  SL_NONE: all order counts.
     */
    uint32_t loose, loose_node;
};
enum { SL_BEFORE = 1, SL_AFTER = 2, SL_REMADE = 4 }; /* REMADE by sl_judge_pivots alone */

bool sl_reach_open(struct sl_reach *reach, uint32_t node_count) SL_NODISCARD;
void sl_reach_close(struct sl_reach *reach);
/* Marks what comes after `from` (before it, for SL_BEFORE) as far as positions [low, high].  Stops
 * where the budget ends: look at l->budget. */
void sl_reach_spread(struct sl_legality *l, uint32_t from, unsigned char mark, uint32_t low,
                     uint32_t high);
void sl_reach_clear(struct sl_legality *l);
/* True when `to` comes after `from` in l->order. */
bool sl_reaches(struct sl_legality *l, uint32_t from, uint32_t to);

/* legality_pivots.c: calls `judge` with every touch of `kind` as the pivot of its copy's touches
 * and their nodes' marks set in l->reach: before the pivot, after it, after something behind it
 * that makes the copy anew (as `renews` tells of its kind). */
typedef void sl_pivot_judge(struct sl_legality *l, const struct sl_touch *group, uint32_t count,
                            uint32_t pivot);
void sl_judge_pivots(struct sl_legality *l, enum sl_touch_kind kind,
                     bool (*renews)(enum sl_touch_kind kind), sl_pivot_judge *judge);

/* legality_guards.c: the guards on which it depends whether a node runs.  A fallback whose primary has
 * guards and no deadline runs when one of those fails. */
struct sl_condition {
    uint32_t node; /* whose guards; SL_NONE: none */
    bool fails;    /* not all of them hold; else all do */
};
struct sl_condition sl_node_condition(const struct sl_legality *l, uint32_t node);
/* True when `b` is met whenever `a` is; false where either has no guards. */
bool sl_condition_implies(const struct sl_graph *graph, struct sl_condition a,
                          struct sl_condition b);
/* True when at most one of the two nodes runs. */
bool sl_nodes_exclude(const struct sl_legality *l, uint32_t a, uint32_t b);
#endif
