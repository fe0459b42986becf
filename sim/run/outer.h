/* A cell under other plausible calibrations: outer draws, each with inner trials. */
#ifndef SL_OUTER_H
#define SL_OUTER_H
#include "ignorance.h"
#include "nested.h"

/* Draws of a cell; `draws` is 0 where none were asked for, or where the plan cannot run.  Times are
 * in us, INFINITY where that quantile is a deadlock. */
struct sl_outer {
    uint32_t draws, inner;
    double *median_us, *tail_us; /* by draw; the tail is the objective's */
    uint32_t *deadlocked;        /* by draw: inner trials that deadlocked */
    double *normals;             /* draws x sources */
    struct sl_source *sources;
    double *correlation;         /* by source: rank correlation of its normal with the tail */
    uint32_t source_count;
    const char *exact;           /* what was not varied, in words */
    struct sl_band band;         /* of the tail */
    uint32_t deadlocked_draws, first_deadlocked; /* draws with a deadlock; SL_NONE: none */
    const char *deadlock;                        /* of that first draw; NULL: none */
};

/* Inner trials of a draw: a tenth of the trials, and no fewer than its tail takes for an interval. */
uint32_t sl_outer_inner(uint32_t trials, double tail);
/* SL_USAGE when so many draws take more trials than the 32-bit numbers of trials hold. */
enum sl_status sl_outer_check(uint32_t draws, uint32_t inner, struct sl_error *err) SL_NODISCARD;

struct sl_outer_request {
    const struct sl_graph *plan;
    const struct sl_engine_options *engine;
    uint32_t draws, inner;
    struct sl_pool *pool; /* NULL: the caller runs them alone */
    double tail;
    uint64_t seed;
    bool (*progress)(void *user, uint64_t done); /* inner trials of all draws; NULL: none */
    void *user;
};
/* Draw d runs trials d x inner to (d + 1) x inner - 1 on the seed, so that draws are independent and
 * policies meet the same trials in each.  Arrays go into `arena`. */
enum sl_status sl_outer_run(struct sl_outer *outer, const struct sl_outer_request *request,
                            struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
#endif
