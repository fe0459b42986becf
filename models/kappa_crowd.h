/* A crowd: classes whose running nodes all contend with each other.  The kappas of all members are
 * composed at once, in time that depends on the number of classes and hardly on that of nodes;
 * every value is that of sl_kappa_eval, to the last bit. */
#ifndef SL_KAPPA_CROWD_H
#define SL_KAPPA_CROWD_H
#include "kappa.h"

enum {
    SL_CROWD_MOST = 64, /* classes */
    SL_CROWD_LANES = 4, /* of a vector; arrays by class are padded to whole ones */
};
/* The compiler maps them to what the machine has; the arithmetic is IEEE's. */
typedef double sl_crowd_lanes
    __attribute__((vector_size(SL_CROWD_LANES * sizeof(double)), aligned(8), may_alias));
typedef int64_t sl_crowd_words
    __attribute__((vector_size(SL_CROWD_LANES * sizeof(int64_t)), aligned(8), may_alias));

struct sl_kappa_crowd {
    const struct sl_kappa *kappa;
    uint32_t count, lanes;   /* classes; padded */
    const uint32_t *classes; /* ascending */
    double *beside; /* [c * lanes + k]: kappa of class k beside one node of class c, stand-ins
                       filled in */
    bool *unknown; /* [c * lanes + k]: ... which has no evidence; NULL: there is evidence for all */
};

/* Whether the rule composes crowds of so many classes. */
bool sl_kappa_crowd_serves(const struct sl_kappa *kappa, uint32_t count);
/* `kappa` and `classes` (ascending, distinct) must outlive the crowd; false: out of memory. */
bool sl_kappa_crowd_create(struct sl_kappa_crowd *crowd, const struct sl_kappa *kappa,
                           const uint32_t *classes, uint32_t count, enum sl_corner corner,
                           struct sl_arena *arena) SL_NODISCARD;
/* Fills kappa[k], 0 <= k < lanes, for `counts[k]` running nodes of the k-th class, 1 where none
 * run; *hypothetical: an unknown pair entered.  False, and nothing is filled: the set is so small
 * that a measured row may apply to it. */
bool sl_kappa_crowd_eval(const struct sl_kappa_crowd *crowd, const uint32_t *counts, double *kappa,
                         bool *hypothetical);

/* How many nodes of the c-th class each of the classes k .. k + SL_CROWD_LANES - 1 has beside it,
 * given that `many` run: a node does not count for itself. */
#define SL_CROWD_OTHERS(many, c, k)                                                                \
    ((many) - *(const sl_crowd_lanes *)(sl_crowd_self + SL_CROWD_MOST + (k) - (c)))
extern const double sl_crowd_self[2 * SL_CROWD_MOST + SL_CROWD_LANES]; /* 1 in the middle, else 0 */
#endif
