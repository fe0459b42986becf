/* What forbidden overlap cost: waits that ended when a peer came free that must not run beside the
 * waiting node, by pair. */
#ifndef SL_PEER_WAITS_H
#define SL_PEER_WAITS_H
#include "engine.h"
#include "wire.h"

/* A pair as its rule names it: a node that a row of overlap.csv names, else the class.  The peer is
 * NULL where the wait ended because the overlap may begin from then on. */
struct sl_peer_wait {
    const char *waiter, *peer; /* borrowed from the graph and its platform */
    uint64_t waits;            /* starts that ended such a wait, over all trials */
    int64_t wait_ps;           /* start - ready of these, summed */
};

/* Sums of one thread, or of a cell.  Zero-initialise; sl_peer_waits_free in every case. */
struct sl_peer_waits {
    const struct sl_graph *graph;
    uint32_t *label; /* per node: class, or class count + node; NULL: nothing is forbidden */
    struct peer_pair {
        uint32_t waiter, peer; /* labels; peer SL_NONE: the window */
        uint64_t waits;
        int64_t wait_ps;
    } *pairs; /* by waiter, then peer */
    uint32_t count, capacity;
};

enum sl_status sl_peer_waits_open(struct sl_peer_waits *waits, const struct sl_graph *graph,
                                  struct sl_error *err) SL_NODISCARD;
void sl_peer_waits_free(struct sl_peer_waits *waits);

/* Adds a trial that completed; costs nothing where nothing is forbidden. */
enum sl_status sl_peer_waits_add(struct sl_peer_waits *waits, const struct sl_trial *trial,
                                 struct sl_error *err) SL_NODISCARD;
/* Adds what another thread gathered of the same graph. */
enum sl_status sl_peer_waits_merge(struct sl_peer_waits *waits, const struct sl_peer_waits *other,
                                   struct sl_error *err) SL_NODISCARD;
/* What was gathered, to another process, or from one that has the same graph. */
void sl_peer_waits_exchange(struct sl_peer_waits *waits, struct sl_wire *wire);
/* The pairs in `arena`, the most costly first. */
enum sl_status sl_peer_waits_list(const struct sl_peer_waits *waits, struct sl_arena *arena,
                                  struct sl_peer_wait **list, uint32_t *count,
                                  struct sl_error *err) SL_NODISCARD;
#endif
