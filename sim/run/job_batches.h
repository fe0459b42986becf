/* Batches of nodes whose first resource batches, over the replications of a cell. */
#ifndef SL_JOB_BATCHES_H
#define SL_JOB_BATCHES_H
#include "job_sample.h"
#include "quantile.h"

struct sl_job_batch_use {
    uint32_t node;              /* of the plan */
    struct sl_batch_totals sum; /* over replications; `most` is the largest of any */
    struct sl_estimate per_trial;
    struct sl_estimate size; /* mean members of a batch; NAN: none started */
    double pause_us;         /* mean per run of the node, between its steps; NAN: it never ran */
};

/* The nodes of the plan that batch, ascending, into `shape`; in `arena`. */
enum sl_status sl_job_batch_nodes(struct sl_job_shape *shape, const struct sl_graph *plan,
                                  struct sl_arena *arena, struct sl_error *err) SL_NODISCARD;
/* Whose batches they are: the first resource of a node that batches. */
uint32_t sl_job_batch_resource(const struct sl_graph *plan, uint32_t node);
struct sl_job_cell;
/* Fills `batches`, a use for each of the shape's batching nodes, in `arena`. */
enum sl_status sl_job_batches(struct sl_job_cell *jobs, struct sl_arena *arena,
                              struct sl_error *err) SL_NODISCARD;
#endif
