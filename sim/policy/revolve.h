/* The least recomputation with which a chain of states can be read backwards.  Private to policy/. */
#ifndef SL_REVOLVE_H
#define SL_REVOLVE_H
#include "status.h"
#include <stdbool.h>
#include <stdint.h>

#define SL_REVOLVE_STATES 128 /* at most: time and memory grow with the cube, and faster */

/* States 1 .. states follow each other: t costs cost[t] to make from t - 1, and state 0 is always
 * there.  They are made once from the first to the last, and then read from the last to the first,
 * with at most `slots` of them at a time, the one that is worked on among them.
 *
 *     C(i, j, m): states j .. i + 1 are read, in this order, and dropped, i being there and m slots
 *     free for others
 *
 *     C(i, i, m) = 0
 *     C(i, j, m) = min over i < k <= j of  cost(i+1 .. k) + C(k, j, m-1) + C(i, k-1, m),  m > 0
 *
 * k is kept on the way to j, serves as the start for what lies between, is read, and then the rest
 * is done from i again (A. Griewank, A. Walther, "Algorithm 799: revolve", ACM TOMS 26(1), 2000, with
 * costs of its own for every step). */
struct sl_revolve {
    uint32_t states, slots;
    double *least;  /* C, by place(i, j, m) */
    uint8_t *split; /* k - i */
};

/* Solves the recurrence.  1 <= states <= SL_REVOLVE_STATES, 1 <= slots <= states.  False when out of
 * memory; sl_revolve_free in every case. */
bool sl_revolve_solve(struct sl_revolve *chain, const double *cost, uint32_t states,
                    uint32_t slots) SL_NODISCARD;
void sl_revolve_free(struct sl_revolve *chain);
/* The state to keep first on the way from `i` to `j` > `i` with m > 0 free slots. */
uint32_t sl_revolve_split(const struct sl_revolve *chain, uint32_t i, uint32_t j, uint32_t m);
#endif
