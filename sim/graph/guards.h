/* What the guards of two nodes say about each other.
 *
 * A node runs when all terms of its guards hold.  Two terms rest on one draw when they are of one
 * guard and the nodes share its scope: the node's key, the layer, the iteration, or the job. */
#ifndef SL_GUARDS_H
#define SL_GUARDS_H
#include "graph.h"

/* Both nodes have this guard: true when they see the same draw of it. */
bool sl_guard_shared(const struct sl_graph *graph, uint32_t guard, uint32_t a, uint32_t b);
/* True when some term of `a` is the negation of one of `b`: at most one of the nodes runs. */
bool sl_guards_oppose(const struct sl_graph *graph, uint32_t a, uint32_t b);
/* True when every term of `b` is one of `a`: what `a` has is enough for `b`. */
bool sl_guards_include(const struct sl_graph *graph, uint32_t a, uint32_t b);
/* True when some run has all terms of the node hold; false also where that isn't known. */
bool sl_guards_may_hold(const struct sl_graph *graph, uint32_t node);
/* The declared factor whose draw the guard shares, by name or `with`; NULL: none is declared. */
const struct sl_factor *sl_guard_factor(const struct sl_graph *graph, const struct sl_guard *guard);
/* "predicted & !resident", in the arena; NULL: out of memory, "": no guard. */
const char *sl_guards_text(const struct sl_graph *graph, uint32_t node, struct sl_arena *arena);
#endif
