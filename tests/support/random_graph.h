/* Random small planned graphs, made by calls: what the rules of the engine must decide, whether a
 * scenario could state it or not.  Times are small integers, so that many events fall on one
 * instant. */
#ifndef SL_TEST_RANDOM_GRAPH_H
#define SL_TEST_RANDOM_GRAPH_H
#include "dice.h"
#include "lab.h"

/* Guards of the graph: the first two are certain. */
enum { GUARD_ALWAYS, GUARD_NEVER, GUARD_MAYBE, RANDOM_GUARDS };

struct random_features {
    bool all; /* that meet in one conflict */
    bool contention, capacity, orders, multi, strict, aging, issue, latency, overlap, windows;
    bool guards, noise, fragmentation, sets, bandwidth;
    uint32_t nodes, resources, domains, classes, iterations;
    int64_t unit; /* ps */
};

/* Fills an open laboratory with the graph of one iteration, unfinished.  The same seed gives the
 * same graph; every third one has all features that a conflict of many rules needs. */
void random_graph_make(struct lab *lab, uint64_t seed, struct random_features *features);
#endif
