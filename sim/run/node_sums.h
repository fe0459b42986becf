/* What one thread sums by node over the trials that it ran: runs, waits, time on the chain. */
#ifndef SL_NODE_SUMS_H
#define SL_NODE_SUMS_H
#include "cell.h"

struct sl_node_sums {
    uint32_t nodes;
    struct sl_node_totals totals; /* but for runs of whole trials: see there */
    bool lent;                    /* these totals are where the sums will be merged into */
    uint64_t single_runs;         /* runs that were counted one by one */
    /* Trials in which every node ran once: of nodes before `packed` their runs are counted here
     * alone. */
    uint64_t whole_trials;
    uint32_t packed;
    int64_t *longest_ps;                /* as in totals, side by side */
    uint32_t *last_ran, *last_on_chain; /* the latest trial counted there, plus 1 */
    uint8_t *short_of_capacity;         /* not 0: it waited for capacity in some trial */
};

/* The arrays of `totals` for `nodes` nodes, all 0; false when out of memory. */
bool sl_node_totals_init(struct sl_node_totals *totals, size_t nodes,
                         struct sl_arena *arena) SL_NODISCARD;
/* The same for `sums`, which is zeroed; with `lender` it adds to those totals as it goes and keeps
 * none of its own: one thread may, and nobody looks at them until they are merged. */
bool sl_node_sums_init(struct sl_node_sums *sums, uint32_t nodes,
                       const struct sl_node_totals *lender, struct sl_arena *arena) SL_NODISCARD;
/* Adds what ran in a trial that completed; a thread's trials come in rising order.  *longest_ps:
 * the trial's longest wait; *starved: its waits beyond `bound_ps`. */
void sl_node_sums_add(struct sl_node_sums *sums, const struct sl_trial *record, int64_t bound_ps,
                      int64_t *longest_ps, uint32_t *starved);
/* Adds a node's time on the chain of a trial. */
static inline void sl_node_sums_add_chain(struct sl_node_sums *sums, uint32_t trial, uint32_t node,
                                          int64_t length_ps)
{
    sums->totals.on_chain[node] += sums->last_on_chain[node] != trial + 1;
    sums->last_on_chain[node] = trial + 1;
    sums->totals.chain_ps[node] += length_ps;
}
/* Of equal ones that of the smaller trial. */
void sl_wait_keep_longest(struct sl_wait *longest, const struct sl_wait *wait);
/* Adds the sums to `totals`, the lender where there is one; returns the number of runs in them. */
uint64_t sl_node_sums_merge(struct sl_node_totals *totals, const struct sl_node_sums *sums);
#endif
