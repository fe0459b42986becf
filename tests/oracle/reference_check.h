/* The engine's record of a trial against the reference simulator, event by event. */
#ifndef SL_REFERENCE_CHECK_H
#define SL_REFERENCE_CHECK_H
#include "reference_sim.h"

/* What a suite has compared. */
struct ref_tally {
    unsigned graphs, nodes, ways; /* ways: records compared, of the engine's several loops */
    unsigned seen[REF_EVENTS];    /* graphs in which it happened */
    unsigned causes[SL_CAUSES];   /* graphs in which it bound a start */
    /* Graphs with contention, a wait for bytes, a lane, an overtaking by priority, a failed guard
     * and a fallback that ran. */
    unsigned together;
};

struct ref_case {
    const struct sl_graph *one; /* the reference's: of one iteration */
    uint32_t iterations;        /* ... that the run graph has */
    const struct sl_graph *run; /* the engine's */
    const struct sl_engine_options *options;
    uint64_t seed;
    uint32_t trial;
    const char *what; /* for messages: "graph 17" */
};

/* Runs the trial by each of the engine's loops, and compares every record.  A disagreement is
 * written, with the graph, into a file of the current folder, and ends the test. */
void ref_check(const struct ref_case *c, struct ref_tally *tally);
#endif
