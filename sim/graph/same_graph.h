/* Whether two plans are one: graphs that run alike in every trial. */
#ifndef SL_SAME_GRAPH_H
#define SL_SAME_GRAPH_H
#include "graph.h"

/* True when the finished graphs agree, name by name and in the same order, in all that the engine
 * and the reports read; evidence, places and what is derived do not count.  Graphs of one platform
 * only: others differ. */
bool sl_graph_same(const struct sl_graph *a, const struct sl_graph *b);
/* Equal for graphs that are the same, and seldom for others. */
uint64_t sl_graph_digest(const struct sl_graph *graph);
#endif
