/* Editing a graph while planning: edges that are added once, entries of the edit list, names that
 * are new. */
#ifndef SL_EDITOR_H
#define SL_EDITOR_H
#include "parts.h"

/* A set of pairs of nodes (open addressing).  Zero-initialise. */
struct sl_pairs {
    uint64_t *slots; /* pair + 1; 0: empty */
    uint32_t count, capacity;
};
bool sl_pairs_add(struct sl_pairs *pairs, uint32_t from, uint32_t to, bool *added) SL_NODISCARD;
bool sl_pairs_has(const struct sl_pairs *pairs, uint32_t from, uint32_t to);
void sl_pairs_free(struct sl_pairs *pairs);

struct sl_editor {
    struct sl_graph *graph;
    struct sl_pairs pairs; /* ends of every edge of the same iteration */
    uint32_t unread;       /* edges of the graph that were there at first and are not in the set yet */
    struct sl_plan *plan;  /* its edit list; NULL while only facts are gathered */
    struct sl_error *err;
};

/* Edges of the graph count as there; sl_editor_close releases. */
void sl_editor_open(struct sl_editor *editor, struct sl_graph *graph, struct sl_plan *plan,
                    struct sl_error *err);
void sl_editor_close(struct sl_editor *editor);

/* Adds from -> to unless an edge (of any type) orders them already; *added says which. */
enum sl_status sl_editor_edge(struct sl_editor *editor, uint32_t from, uint32_t to,
                              enum sl_edge_type type, uint32_t object, bool *added) SL_NODISCARD;
/* Adds from -> to in any case: a lag may make it the one that binds. */
enum sl_status sl_editor_lagged_edge(struct sl_editor *editor, uint32_t from, uint32_t to,
                                     enum sl_edge_type type, uint32_t object,
                                     int64_t lag_ps) SL_NODISCARD;
/* Adds a derived node; a taken name gets "~2", "~3" ... behind it. */
enum sl_status sl_editor_node(struct sl_editor *editor, struct sl_node *node,
                              uint32_t *index) SL_NODISCARD;

/* Appends to the edit list; `node` and `object` may be SL_NONE.  Texts go to the graph's arena. */
enum sl_status sl_editor_note(struct sl_editor *editor, int what, uint32_t node, uint32_t object,
                              const char *reason, const char *format, ...) SL_PRINTF(6, 7);
const char *sl_editor_text(struct sl_editor *editor, const char *format, ...) SL_PRINTF(2, 3);

/* Predecessors over same-iteration edges in CSR form, of a graph that is not finished; arrays are
 * malloc'ed. */
bool sl_graph_preds(const struct sl_graph *graph, uint32_t **start, uint32_t **edges) SL_NODISCARD;
#endif
