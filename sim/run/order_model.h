/* A finished graph as a scheduling problem, at given durations: precedence, and what each node uses
 * of each stock that may run out.
 *
 * A stock is a resource with a limited number of servers, or a capacity domain with a limit.  A use
 * adds to the stock's level
 *     `during`  over [start + begin, start + end)    units of a resource, bytes
 *     `after`   from start + end on                  bytes that the node leaves taken or gave back
 * and no level may exceed its limit at any time.  Turned around in time such a problem is one of
 * the same form, so that schedules are built from either end by the same code.
 *
 * Not in the model, because the engine decides it while it runs: contention beyond what the given
 * durations hold, rows of overlap.csv, guards (all hold), fallbacks (idle). */
#ifndef SL_ORDER_MODEL_H
#define SL_ORDER_MODEL_H
#include "graph.h"

struct sl_order_link {
    uint32_t node;
    int64_t lag_ps; /* from the finish; negative in issue order, which goes by starts */
};
struct sl_order_use {
    uint32_t stock;
    int64_t begin_ps, end_ps;
    int64_t during, after;
};

struct sl_order_model {
    const struct sl_graph *graph;
    uint32_t node_count, stock_count;
    bool *runs;           /* by node: false for fallbacks, which are passed through in no time */
    int64_t *span_ps;     /* start to finish: hold and latency */
    int64_t *latency_ps;  /* of it, after the units are free */
    int64_t *release_ps;  /* 0 in the turned problem */
    int64_t *deadline_ps; /* INT64_MAX: none */
    uint32_t *topo;       /* nodes, predecessors first */
    uint32_t *link_start; /* by node: links[link_start[i] .. link_start[i + 1]) to its successors */
    struct sl_order_link *links;
    uint32_t *before; /* by node: links to it */
    uint32_t *use_start;
    struct sl_order_use *uses;
    int64_t *limit, *initial;                      /* by stock */
    uint32_t *stock_of_resource, *stock_of_domain; /* SL_NONE: never runs out */
    struct sl_arena arena;
};

/* How long each node holds its units and how long its latency lasts, in ps, and what it does (enum
 * sl_window_role): what a schedule is looked for with. */
struct sl_order_durations {
    int64_t *hold_ps, *latency_ps;
    uint8_t *roles;
};

/* Isolated means, the median where a mean is infinite; fallbacks are idle.  The free function
 * releases, after a failure too. */
enum sl_status sl_order_durations_make(struct sl_order_durations *durations,
                                       const struct sl_graph *graph,
                                       struct sl_error *err) SL_NODISCARD;
void sl_order_durations_free(struct sl_order_durations *durations);

/* `keep_issue`: resources in issue order serve in that order, none else is looked for.  SL_NO: too
 * many nodes, or times too long, to search; issue order against precedence.  sl_order_model_free in
 * every case. */
enum sl_status sl_order_model_make(struct sl_order_model *model, const struct sl_graph *graph,
                                   const struct sl_order_durations *durations, bool keep_issue,
                                   struct sl_error *err) SL_NODISCARD;
/* The problem with time running backwards; `model` must outlive it. */
enum sl_status sl_order_model_turn(struct sl_order_model *turned,
                                   const struct sl_order_model *model,
                                   struct sl_error *err) SL_NODISCARD;
void sl_order_model_free(struct sl_order_model *model);

/* Longest paths, in ps: from time 0 to a node's start, releases counted, and from its start to the
 * end.  Arrays by node. */
void sl_order_heads(const struct sl_order_model *model, int64_t *head_ps);
void sl_order_tails(const struct sl_order_model *model, int64_t *tail_ps);
/* Latest starts that keep the deadlines and an end; they may be negative. */
void sl_order_latest(const struct sl_order_model *model, int64_t end_ps, int64_t *latest_ps);
/* No schedule is shorter: the longest path, and for each resource the least head of its users + its
 * work / its servers + the least tail behind them. */
int64_t sl_order_bound(const struct sl_order_model *model, const int64_t *head_ps,
                       const int64_t *tail_ps);
#endif
