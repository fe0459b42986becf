/* Which contention groups the classes of a graph have nodes in. */
#ifndef SL_CLASS_GROUPS_H
#define SL_CLASS_GROUPS_H
#include "graph.h"

/* The groups of all nodes of each class, by class of the platform's kappa; 0: none of them feels
 * contention.  In the arena; NULL: out of memory. */
uint64_t *sl_class_groups(const struct sl_graph *graph, struct sl_arena *arena);
#endif
