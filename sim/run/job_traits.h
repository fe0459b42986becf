/* Figures by name of a cell with jobs, for a look at several policies side by side: mean sizes of
 * batches, and what was found of shared objects. */
#ifndef SL_JOB_TRAITS_H
#define SL_JOB_TRAITS_H
#include "job_cell.h"

struct sl_job_trait {
    const char *name; /* "batch of decode", "found of kv", "found of kv in hbm" */
    bool share;       /* else members */
    struct sl_estimate estimate;
};

/* In `arena`, with copies of the names; none of a cell without figures. */
enum sl_status sl_job_traits(const struct sl_job_trait **traits, uint32_t *count,
                             const struct sl_cell *cell, struct sl_arena *arena,
                             struct sl_error *err) SL_NODISCARD;
#endif
