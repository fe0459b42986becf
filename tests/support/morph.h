/* Graphs made from graphs: in another order, under other names, of fixed durations, with a node
 * more. A fault aborts the test. */
#ifndef SL_TEST_MORPH_H
#define SL_TEST_MORPH_H
#include "dice.h"
#include "engine.h"

/* A new unfinished graph.  Place k holds the node order[k] of `graph` (NULL: as they are), whose
 * name has `suffix` behind it (NULL: as it is); keys stay.  Edges come in the order of a shuffle by
 * `dice` (NULL: as they are).  `graph` and its platform must outlive it. */
struct sl_graph *morph_rebuild(const struct sl_graph *graph, const uint32_t *order,
                               const char *suffix, struct dice *dice);

/* The node waits in the list that is sorted by index, which resources in order of issue share. */
bool morph_is_issued(const struct sl_graph *graph, const struct sl_engine_options *options,
                     uint32_t node);
/* An order that lanes and the list in order of issue cannot tell from the rows' own: each of them
 * keeps the order of its nodes, and iterations follow each other. */
void morph_order(const struct sl_graph *graph, const struct sl_engine_options *options,
                 struct dice *dice, uint32_t *order);

/* Gives every node the constant duration and latency, in ps, that it had in the trial, and takes
 * the factors away.  Durations that were never needed are those drawn. */
void morph_freeze(struct sl_graph *graph, const struct sl_trial *trial);
/* All of the graph's times by `factor`: durations (frozen ones), latencies, lags, releases,
 * deadlines, windows of overlap. */
void morph_scale(struct sl_graph *graph, int factor);
/* Moves durations, lags and releases later, by up to 1 us each, so that no two events but those of
 * one chain without time fall on one instant. */
void morph_jitter(struct sl_graph *graph, struct dice *dice);
/* The node becomes two, of `first_ps` and the rest, the second of which is at place node + 1;
 * returns an unfinished graph. */
struct sl_graph *morph_split(const struct sl_graph *graph, uint32_t node, int64_t first_ps);
/* Adds a node that takes no time and demands nothing, behind `from` (SL_NONE: none). */
uint32_t morph_add_idle(struct sl_graph *graph, uint32_t from, enum sl_edge_type type);

/* Finished; ends the test where it can't be. */
void morph_finish(struct sl_graph *graph);
#endif
