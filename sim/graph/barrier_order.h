/* What a barrier orders: the pairs of nodes around it, and those that stay in order without it. */
#ifndef SL_BARRIER_ORDER_H
#define SL_BARRIER_ORDER_H
#include "legality_copies.h"
#include "order_sets.h"

struct sl_barrier_list {
    uint32_t *nodes, count, capacity;
};

struct sl_barrier_order {
    struct sl_legality *l;
    struct sl_graph *needs; /* l->order and what written-out lifetimes need */
    struct sl_order_sets sets;
    bool *untrusted; /* per edge of `needs`: rests on some barrier perhaps, or is a need and no
                        order */
    uint64_t *words;
    uint32_t *stamp, round;               /* per node: round in which it was met */
    struct sl_barrier_list before, after; /* of the barrier at hand */
    struct sl_barrier_list pending;       /* barriers whose predecessors count */
    bool failed;                          /* out of memory */
};

/* False when out of memory; close it all the same. */
bool sl_barrier_order_open(struct sl_barrier_order *b, struct sl_legality *l) SL_NODISCARD;
void sl_barrier_order_close(struct sl_barrier_order *b);

/* Begins a new round, and: true the first time that a node is met in it. */
void sl_barrier_new_round(struct sl_barrier_order *b);
bool sl_barrier_meet(struct sl_barrier_order *b, uint32_t node);

/* Fills `before` (by rows) and `after`.  With `through`, the predecessors of a barrier stand in its
 * place. */
void sl_barrier_collect(struct sl_barrier_order *b, uint32_t barrier, bool through);

/* Takes the barrier out of the order, lanes included, or puts it back. */
void sl_barrier_take_out(struct sl_barrier_order *b, uint32_t barrier);
void sl_barrier_put_back(struct sl_barrier_order *b, uint32_t barrier);

/* Calls `visit` for each pair of before x after that is not in order now, until it says stop. False
 * when the budget ran out. */
bool sl_barrier_visit_unordered(struct sl_barrier_order *b,
                                bool (*visit)(void *user, uint32_t before, uint32_t after),
                                void *user);
#endif
