/* What works that ran side by side cost each other, from the times at which they ran.
 *
 * All runs of a class together fit, in least squares,
 *
 *     isolated duration = sum over sets S of (time beside S) / kappa(S)
 *
 * where S is the multiset of classes that ran in a group of the work's.  Beside nobody, kappa is
 * how far the isolated durations are off; the slowdown beside S is kappa(S) over that, so that a
 * machine that has become faster or slower as a whole does not look like contention.
 *
 * Repetitions fall into parts, each a stretch of time.  Intervals are the jackknife's over parts,
 * of logarithms for slowdowns: what varies slowly varies between parts. */
#ifndef SL_BESIDE_H
#define SL_BESIDE_H
#include "arena.h"
#include "quantile.h"

enum {
    SL_BESIDE_CLASSES = 16, /* the most */
    SL_BESIDE_SETS = 12,    /* that one class is seen beside; runs beside others don't count */
    SL_BESIDE_AT_ONCE = 15, /* works; what runs beside so many is not looked at */
    SL_BESIDE_PARTS = 20    /* enough for intervals */
};
/* Sets that take a smaller share of a class's time are the moments of handing over. */
#define SL_BESIDE_LEAST_SHARE 0.01

/* A work of one repetition; times in ns. */
struct sl_beside_work {
    int64_t from_ns, to_ns;
    double isolated_ns;
    uint64_t groups; /* it contends with works that share one */
    uint32_t klass;  /* below SL_BESIDE_CLASSES; SL_NONE: it is of none and beside nobody */
};

struct sl_slowdown {
    uint32_t klass;
    uint8_t others[SL_BESIDE_CLASSES]; /* how many of each class */
    uint32_t other_count;              /* 0: beside nobody */
    double kappa;                      /* NAN: the runs don't tell the sets apart */
    bool seen_alone;                   /* the class ran beside nobody, too */
    /* kappa over that beside nobody; kappa itself where not seen alone, which has a slower machine
     * in it; NAN as above. */
    struct sl_estimate slowdown;
    double share; /* of the class's time */
};

struct sl_beside; /* sl_beside_free releases; NULL: nothing */
enum sl_status sl_beside_create(struct sl_beside **beside, uint32_t classes, uint32_t parts,
                                struct sl_error *err) SL_NODISCARD;
void sl_beside_free(struct sl_beside *beside);
/* One repetition. */
enum sl_status sl_beside_add(struct sl_beside *beside, uint32_t part,
                             const struct sl_beside_work *works, uint32_t count,
                             struct sl_error *err) SL_NODISCARD;
/* Mean time of a repetition in which works of both classes ran, in ns; of one class, at least two
 * of it.  The interval takes two parts that hold a repetition. */
struct sl_estimate sl_beside_overlap_ns(const struct sl_beside *beside, uint32_t a, uint32_t b);
/* By class, then in the order in which sets were first seen; in the arena.  NULL: out of memory. */
struct sl_slowdown *sl_beside_slowdowns(const struct sl_beside *beside, struct sl_arena *arena,
                                        uint32_t *count);
#endif
