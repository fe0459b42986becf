/* How much work of a backend's class takes as long as a node of a plan. */
#ifndef SL_REPLAY_SIZE_H
#define SL_REPLAY_SIZE_H
#include "graph.h"

/* Bytes of work of the node's class whose isolated duration is that of the node: by the route that
 * it moves along, else by the device's measured durations of the class, and beyond the measured
 * sizes in proportion to the nearest.  SL_INVALID, at the node's place, where the device has no
 * such durations. The node has a class and takes time. */
enum sl_status sl_replay_size(const struct sl_graph *graph, uint32_t node, int64_t *bytes,
                              struct sl_error *err) SL_NODISCARD;

/* What the device says of a work alone. */
struct sl_replay_isolated {
    double median_us;
    const struct sl_duration_row *row; /* the class's of the nearest size; NULL: there is none */
};
/* The same the other way round, and of the median: how long so many bytes of the node's class take
 * alone, by the node's route or the class's durations. */
enum sl_status sl_replay_isolated(struct sl_replay_isolated *isolated, const struct sl_graph *graph,
                                  uint32_t node, int64_t bytes, struct sl_error *err) SL_NODISCARD;
#endif
