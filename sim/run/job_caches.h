/* Objects that jobs share by blocks, over the replications of a cell: what was found where, and at
 * what expense. */
#ifndef SL_JOB_CACHES_H
#define SL_JOB_CACHES_H
#include "job_sample.h"
#include "series.h"

struct sl_job_cache_use {
    struct sl_cache_totals sum; /* over replications, warm-up included */
    /* Share of the blocks that counted jobs looked up: found in whatever tier, and in each. */
    struct sl_series_result found, found_in[SL_CACHE_TIERS];
    double wasted_bytes; /* fetched for jobs of which all users were skipped; over replications */
};

/* Last copies that were dropped, in whatever tier. */
uint64_t sl_job_cache_lost(const struct sl_job_cache_use *use);

/* The plan's shared objects into `shape`, in `arena`. */
enum sl_status sl_job_shared_objects(struct sl_job_shape *shape, const struct sl_graph *plan,
                                     struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
struct sl_job_cell;
/* Fills `caches`, a use for each of the shape's shared objects, in `arena`.  Jobs of the warm-up
 * are not counted. */
enum sl_status sl_job_caches(struct sl_job_cell *jobs, struct sl_arena *arena,
                             struct sl_error *err) SL_NODISCARD;
#endif
