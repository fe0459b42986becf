/* The least recomputation with which a chain of steps can be walked forwards and then backwards
 * within a memory.  Private to policy/. */
#ifndef SL_CHAIN_OPTIMUM_H
#define SL_CHAIN_OPTIMUM_H
#include "status.h"
#include <stdbool.h>
#include <stdint.h>

#define SL_CHAIN_STEPS 129 /* at most, the turn among them: time grows with the cube */
#define SL_CHAIN_UNITS 512 /* of memory, at most */

/* Step t of 1 .. n hands state t on to step t + 1 and leaves saved objects for its backward step;
 * all amounts in one unit.  `first`, `wait`: everything else that is there while it runs for the
 * first time, and from the step before until then; `again`: what it needs itself whenever it is run
 * again; `before`, `back`, `after`: everything else in front of its backward step, during it, and
 * until the next one. */
struct sl_chain_step {
    double time_ps;
    int64_t state, saved;
    int64_t first, wait, again, before, back, after;
    bool reads_state, reads_input; /* its backward step: state t, state t - 1 */
};

/* C(s, t, m): time of recomputing for the backward steps t .. s, state s - 1 being there, with m
 * for everything but what is kept for the steps below s.  Of the first way through, t = n, the
 * forward steps are free and everything else is `first`; otherwise it is `before` of t.
 *
 *     C(s, t, m) = min of
 *       over s <= k <= t, k = s or step k's backward step does not read state k - 1:
 *         run(s .. k-1), run k and save  +  A(k, t, m)                  +  C(s, k-1, m)
 *       over s <= k < t:
 *         run(s .. k)                    +  C(k+1, t, m - state(k))     +  C(s, k, m)
 *     A(k, t, m): the steps behind k, which saved
 *       = C(k+1, t, m - state(k) - saved(k))  where its backward step reads state k, else
 *         D(k+1, t, m - saved(k))
 *     D(s, t, m): as C, but m holds state s - 1 too, which nothing below s needs
 *       = min of C(s, t, m - state(s-1)) and, where backward step s does not read state s - 1,
 *         run s and save  +  A(s, t, m)
 *
 * each where everything that is there at a time fits m; C and D of no step are 0.  The recursion in
 * which every backward step reads both states (k = s in the first line, no D) is that of
 * O. Beaumont, L. Eyraud-Dubois, J. Herrmann, A. Joly, A. Shilova, "Optimal checkpointing for
 * heterogeneous chains", arXiv:1911.13214, theorem 1; for steps of one size that save nothing and
 * whose backward steps read their own state alone the first line is revolve (A. Griewank,
 * A. Walther, ACM TOMS 26(1), 2000).
 *
 * It is the optimum of plans that keep what they keep until its backward step, and in which all
 * that a backward step reads of the chain is kept together, or made by the run that saves. */
struct sl_chain_optimum {
    const struct sl_chain_step *steps; /* borrowed; [0] is not used */
    uint32_t count, budget;
    double *least;    /* C, by place(s, t, m) */
    uint16_t *choice; /* 2 k + 1: run k and save; 2 k: keep state k alone */
    double *passing;  /* D */
    bool *passes;     /* ... by its second line */
};

/* Solves it for every m up to `budget` <= SL_CHAIN_UNITS.  1 <= count <= SL_CHAIN_STEPS.  False
 * when out of memory; sl_chain_optimum_free in every case. */
bool sl_chain_optimum_solve(struct sl_chain_optimum *optimum, const struct sl_chain_step *steps,
                            uint32_t count, uint32_t budget) SL_NODISCARD;
void sl_chain_optimum_free(struct sl_chain_optimum *optimum);
/* Time of recomputations with that memory, ps; INFINITY: it cannot be done. */
double sl_chain_optimum_cost(const struct sl_chain_optimum *optimum, uint32_t memory);

/* A forward step that is run again, before the backward step `before`. */
struct sl_chain_rerun {
    uint16_t step, before;
    bool saves;
};
/* What to do with that memory, of finite cost: `saves` [t]: step t saves on the first way through;
 * calls `rerun` for each forward step that is run again, in order. */
typedef enum sl_status sl_chain_visit(void *user, struct sl_chain_rerun rerun);
enum sl_status sl_chain_optimum_walk(const struct sl_chain_optimum *optimum, uint32_t memory,
                                     bool *saves, sl_chain_visit *rerun, void *user) SL_NODISCARD;
#endif
