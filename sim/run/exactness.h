/* What a plan rests on that has no interval, so that no calibration draw moves it: told by name,
 * because a narrow band may only mean that little was varied. */
#ifndef SL_EXACTNESS_H
#define SL_EXACTNESS_H
#include "graph.h"

struct sl_exactness {
    const struct sl_graph *graph;
    bool *runs;       /* by class: some node of it meets contention */
    const char *text; /* "" when everything has an interval */
};

/* `met`: by duration row, whether some node of the plan takes it.  What is made lives in `arena`. */
enum sl_status sl_exactness_find(struct sl_exactness *exactness, const struct sl_graph *graph,
                                 const bool *met, struct sl_arena *arena,
                                 struct sl_error *err) SL_NODISCARD;
/* True when the plan has nodes of the row's victim and of its whole set. */
bool sl_exactness_meets(const struct sl_exactness *exactness, const struct sl_kappa_row *row);
#endif
