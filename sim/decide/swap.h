/* Two devices under one scenario, and the rows of their tables in which they differ: one device
 * with some rows of the other. */
#ifndef SL_SWAP_H
#define SL_SWAP_H
#include "change.h"

enum sl_swap_what {
    SL_SWAP_CLASS,   /* durations of a class's nodes that no route gives */
    SL_SWAP_ROUTE,   /* a route, and the nodes that move along it */
    SL_SWAP_KAPPA,   /* a row of the table of slowdowns */
    SL_SWAP_RULE,    /* how slowdowns are composed, where no device states demands on links */
    SL_SWAP_UNKNOWN, /* what stands for pairs without a slowdown */
    SL_SWAP_FACTOR   /* a factor, which may be on one of the two only */
};
/* A row, or the rows of a class, that both devices have and that differ; a factor. */
struct sl_swap {
    enum sl_swap_what what;
    /* Class, route, row or factor of the first device; of the second.  A factor that one of them
     * does not have, and of the rule and the stand-in: SL_NONE. */
    uint32_t index, other;
    const char *name; /* "durations of gemm", "route pinned->hbm", "kappa of gemm beside copy.h2d",
                         "factor machine.gemm" */
};
struct sl_swaps {
    const struct sl_scenario *from, *to; /* the same but for the device */
    struct sl_swap *items;
    uint32_t count;
    /* What differs otherwise and is not swapped: "hbm: 80 GiB, 96 GiB". */
    const char **others;
    uint32_t other_count;
};

/* Finds what differs; all in the arena.  SL_INVALID: the scenarios are not of one graph. */
enum sl_status sl_swaps_find(struct sl_swaps *swaps, const struct sl_scenario *from,
                             const struct sl_scenario *to, struct sl_arena *arena,
                             struct sl_error *err) SL_NODISCARD;
/* The scenario `from` with the rows of `to` where chosen[i].  `changed` holds what the view
 * borrows, besides both scenarios; sl_changed_free releases it in every case. */
enum sl_status sl_swaps_apply(const struct sl_swaps *swaps, const bool *chosen,
                              struct sl_changed *changed, struct sl_scenario *view,
                              struct sl_error *err) SL_NODISCARD;
#endif
