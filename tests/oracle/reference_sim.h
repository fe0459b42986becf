/* An independent, slow simulator of one trial, written from the rules (doc/semantics.md) alone: it
 * looks at every node at every step and shares no code with the engine.  Only graph structures,
 * sl_kappa_eval and given durations are common. */
#ifndef SL_REFERENCE_SIM_H
#define SL_REFERENCE_SIM_H
#include "engine.h"

#define REF_NODES    60 /* of all iterations */
#define REF_HOLDINGS 256
#define REF_MOST     8 /* resources, domains */

struct ref_node {
    int64_t duration, latency; /* given */
    bool guard_holds;          /* given */
    int64_t ready, start, free, finish;
    enum sl_node_state state;
    int cause;
    uint32_t behind;
    int by_free;
    int64_t lag;
    uint32_t bypassed;
};

struct ref_result {
    struct ref_node nodes[REF_NODES];
    bool deadlock;
    int64_t makespan;
    int64_t peak[REF_MOST];
    uint64_t bypasses;
};

/* `result->nodes` carries durations, latencies and guards in, the record out: iteration by iteration,
 * where there are several of the graph. */
void ref_simulate(const struct sl_graph *graph, const struct sl_engine_options *options,
                  uint32_t iterations, struct ref_result *result);
#endif
