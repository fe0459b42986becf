/* Windows: between readiness and latest start, by the critical path method, at given durations.
 *
 *     r_i  = max(release_i, max over predecessors p of r_p + d_p + lag)
 *     LF_i = min(deadline_i, min over successors s of LS_s - lag); the end where nothing bounds it
 *     LS_i = LF_i - d_i      slack_i = LS_i - r_i      window_i = [r_i, LS_i]
 *
 * Lanes count as precedence, `next` edges do not.  Times are ps; sums beyond 64 bits stop at its
 * ends.  A fallback that waits for what waits for its primary can only deadlock when it runs: that
 * takeover is left out.  Where such a fallback is cancelled in turn, the one after it does not see
 * the deadlines that it takes over from before. */
#ifndef SL_WINDOWS_H
#define SL_WINDOWS_H
#include "graph.h"

/* What a node does in the schedule that is looked at. */
enum sl_window_role {
    SL_WINDOW_RUNS,    /* takes its time */
    SL_WINDOW_PASSES,  /* skipped or an idle fallback: precedence goes through it in no time; its
                        * release and its deadline do not count */
    SL_WINDOW_REPLACED /* cancelled: binds nothing before it, and its fallback takes over its
                        * deadline and its successors (but those in its lane and itself) */
};

struct sl_window_link {
    int64_t lag_ps;
    uint32_t to; /* a place */
};

/* A graph packed for window computations, and the results of the last ones.  Not for two threads
 * at once. */
struct sl_windows {
    const struct sl_graph *graph; /* finished; outlives this */
    /* By node; of a node that does not run they say nothing. */
    int64_t *ready_ps;        /* r: of sl_windows_ready */
    int64_t *latest_start_ps; /* LS: of sl_windows_latest, may be negative */
    uint32_t *limit;          /* the node whose deadline sets LS; SL_NONE: the end does */
    /* The rest is the module's own.  Places are nodes, then one `handed on` place for each node
     * that names a fallback: done when that node or whoever took over is. */
    uint32_t place_count, *order; /* topological */
    uint32_t *handed;             /* by node: that place, SL_NONE */
    uint32_t *handed_by;          /* by place - node_count: the node */
    uint32_t *first;              /* links of a place: first[x] .. first[x + 1] */
    struct sl_window_link *links;
    uint32_t *before; /* of the critical path */
    struct sl_arena arena;
};

enum sl_status sl_windows_create(struct sl_windows **windows, const struct sl_graph *graph,
                                 struct sl_error *err) SL_NODISCARD;
void sl_windows_free(struct sl_windows *windows);

/* In the calls below `duration_ps` (hold and latency, >= 0) and `roles` (enum sl_window_role) are
 * by node; roles NULL: every node runs. */

/* Fills ready_ps; returns the latest finish of any node. */
int64_t sl_windows_ready(struct sl_windows *windows, const int64_t *duration_ps,
                         const uint8_t *roles);
/* Fills latest_start_ps and limit; `end_ps` is the required finish of nodes with no deadline at or
 * after them. */
void sl_windows_latest(struct sl_windows *windows, const int64_t *duration_ps,
                       const uint8_t *roles, int64_t end_ps);
/* CP_dependency = max over paths of sum(node durations + edge lags); releases are left out.  `path`
 * (NULL, or node_count elements) gets the running nodes of one longest path in order, *count their
 * number.  Overwrites ready_ps. */
int64_t sl_windows_critical_path(struct sl_windows *windows, const int64_t *duration_ps,
                                 const uint8_t *roles, sl_node_id *path, uint32_t *count);

/* Isolated means (hold and latency; the median where a mean is not finite) and roles before any
 * run: guards hold, fallbacks are idle.  Each array holds node_count elements. */
void sl_windows_means(const struct sl_graph *graph, int64_t *duration_ps, uint8_t *roles);
#endif
