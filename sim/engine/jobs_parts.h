/* What the job engine's files do for each other. */
#ifndef SL_JOBS_PARTS_H
#define SL_JOBS_PARTS_H
#include "jobs_state.h"

/* jobs_memory.c: room for so many jobs, and for the runs of so many admitted ones; what already is
 * keeps its handle.  False: the worker's status says why. */
bool sl_jobs_memory_create(struct sl_jobs_worker *w) SL_NODISCARD;
bool sl_jobs_memory_jobs(struct sl_jobs_worker *w, uint32_t places) SL_NODISCARD;
bool sl_jobs_memory_runs(struct sl_jobs_worker *w, uint32_t places) SL_NODISCARD;
void sl_jobs_memory_free(struct sl_jobs_worker *w);

/* jobs.c */
void sl_jobs_loop(struct sl_jobs_worker *w);
void sl_jobs_start(struct sl_jobs_worker *w, uint32_t handle); /* its demands are met */
void sl_jobs_out_of_time(struct sl_jobs_worker *w);
/* Parts of a start: a run begins and takes its bytes; it holds its unit for its duration. */
void sl_jobs_begin(struct sl_jobs_worker *w, uint32_t handle);
void sl_jobs_hold(struct sl_jobs_worker *w, uint32_t handle);
void sl_jobs_finish(struct sl_jobs_worker *w, uint32_t handle); /* its hold has ended */
/* The turn of a fetch that is ready has come (jobs_line.c). */
void sl_jobs_called(struct sl_jobs_worker *w, uint32_t handle);
/* The last condition of a run has been met: it is ready then or from now on. */
void sl_jobs_conditions_met(struct sl_jobs_worker *w, uint32_t handle);

/* jobs_use.c */
void sl_jobs_use_begin(struct sl_jobs_worker *w);
void sl_jobs_use_add(struct sl_jobs_worker *w, uint32_t resource, uint32_t units, int64_t since);
void sl_jobs_use_end(struct sl_jobs_worker *w);
/* So many units, held since then, are given back. */
static inline void job_units_used(struct sl_jobs_worker *w, uint32_t resource, uint32_t units,
                                  int64_t since)
{
    w->unit_s[resource] += (double)units * ((double)(w->now - since) * 1e-12);
    if (w->use.on)
        sl_jobs_use_add(w, resource, units, since);
}

/* jobs_lone.c */
bool sl_jobs_lone_serves(const struct sl_jobs_program *p);
void sl_jobs_lone_loop(struct sl_jobs_worker *w);

/* jobs_flow.c */
void sl_jobs_flow_begin(struct sl_jobs_worker *w);
/* Of an open system without bounds: a job comes, and has a place for its runs; NULL: no memory. */
struct job *sl_jobs_flow_enter(struct sl_jobs_worker *w, uint32_t job);
void sl_jobs_flow_arrive(struct sl_jobs_worker *w, uint32_t job);
/* Admits who waits for it as far as there is room. */
void sl_jobs_flow_admit(struct sl_jobs_worker *w);
bool sl_jobs_flow_may_admit(const struct sl_jobs_worker *w);
void sl_jobs_flow_end(struct sl_jobs_worker *w, uint32_t job);   /* its last node has passed */
void sl_jobs_flow_leave(struct sl_jobs_worker *w, uint32_t job); /* ... and that is recorded */

/* jobs_wait.c */
void sl_jobs_wait_begin(struct sl_jobs_worker *w);
void sl_jobs_wait_join(struct sl_jobs_worker *w, uint32_t handle);
/* Waits from now on in that queue, at the place of its list that this time gives it. */
void sl_jobs_wait_again(struct sl_jobs_worker *w, uint32_t handle, uint32_t queue);
/* Order of issue: a node is ready or was skipped, so that it and those behind it may join. */
void sl_jobs_wait_reach(struct sl_jobs_worker *w, uint32_t handle);
/* What the run that now starts was waiting for. */
enum sl_cause sl_jobs_wait_cause(const struct sl_jobs_worker *w, uint32_t handle);
/* What a run is in its queue. */
struct job_item sl_jobs_wait_item(const struct sl_jobs_worker *w, uint32_t handle);
bool sl_jobs_wait_ages(const struct sl_jobs_worker *w); /* somebody waits whose priority grows */
bool sl_jobs_wait_before(const struct sl_jobs_worker *w, bool aging, const struct job_item *a,
                         const struct job_item *b);
/* How many in the queue come before `item`. */
uint32_t sl_jobs_wait_count_before(const struct sl_jobs_worker *w, bool aging,
                                   const struct job_queue_run *run, const struct job_item *item);
/* The one at that place of the queue's items leaves it. */
void sl_jobs_wait_leave(struct sl_jobs_worker *w, uint32_t queue, uint32_t at);
/* `item` of that queue starts: who comes before it, waits, and competes with it, has been passed.
 */
void sl_jobs_wait_pass(struct sl_jobs_worker *w, uint32_t queue, const struct job_item *item);
/* What holds a run back within its job: an earlier node of its resource in order of issue that has
 * neither started nor been skipped; SL_NONE. */
uint32_t sl_jobs_wait_turn(const struct sl_jobs_worker *w, uint32_t handle);

/* A simple queue is to be looked at in the next scan. */
static inline void job_open(struct sl_jobs_worker *w, uint32_t queue)
{
    struct job_queue_run *run = &w->queues[queue];
    if (run->listed || run->head == run->tail)
        return;
    w->dirty[w->dirty_count++] = queue;
    run->listed = 1;
}

/* Units came free. */
static inline void job_units_freed(struct sl_jobs_worker *w, uint32_t resource)
{
    uint32_t queue = w->p->simple_queue[resource];
    if (queue == SL_NONE)
        w->scan_needed = true;
    else
        job_open(w, queue);
}

/* jobs_batch.c */
/* How a node starts in batches; NULL: it does not. */
const struct sl_batching *sl_jobs_batching(const struct sl_program *base, uint32_t node);
enum sl_status sl_jobs_batch_check(const struct sl_program *base,
                                   struct sl_error *err) SL_NODISCARD;
void sl_jobs_batch_admit(struct sl_jobs_worker *w, const struct job *job); /* its steps */
/* Whether those of a queue that batches may start once there is a server; when that changes. */
bool sl_jobs_batch_open(const struct sl_jobs_worker *w, uint32_t queue);
int64_t sl_jobs_batch_next(const struct sl_jobs_worker *w);
/* Some run of the queue meets all demands: it and those that join it start. */
void sl_jobs_batch_start(struct sl_jobs_worker *w, uint32_t queue);
void sl_jobs_batch_end(struct sl_jobs_worker *w, uint32_t first); /* its server is free again */

/* jobs_record.c: a job is admitted, a run starts; while something is watched */
void sl_jobs_watch_admit(struct sl_jobs_worker *w, const struct job *job);
void sl_jobs_watch_start(struct sl_jobs_worker *w, const struct job_run *run);

/* jobs_queues.c: in which queue nodes wait; once shared objects are packed, for which bytes.  False
 * when out of memory. */
bool sl_jobs_queues_pack(struct sl_jobs_program *p) SL_NODISCARD;
bool sl_jobs_queues_bytes(struct sl_jobs_program *p) SL_NODISCARD;
/* jobs_program.c: how a job says the bytes of a holding; NULL: they are always the same. */
const struct sl_expr *sl_jobs_size_of(const struct sl_graph *g, uint32_t holding);

/* jobs_scan.c */
void sl_jobs_scan(struct sl_jobs_worker *w);

/* jobs_sizes.c */
/* What the expression is for that job, at least 0 and below 2^61; else a fault that names it, and
 * 0. */
double sl_jobs_expression(struct sl_jobs_worker *w, const struct job *job,
                          const struct sl_expr *expr, const char *what, const char *name);
/* A fault of what the job's parameters make, which says of which row of a trace they are. */
void sl_jobs_fault(struct sl_jobs_worker *w, const struct job *job, const char *format, ...)
    SL_PRINTF(3, 4);
/* Bytes of all holdings of the job. */
void sl_jobs_sizes_fill(struct sl_jobs_worker *w, const struct job *job, int64_t *bytes);

/* jobs_contend.c */
void sl_jobs_sharing_begin(struct sl_jobs_worker *w);
void sl_jobs_contend_gather(struct sl_jobs_worker *w, int64_t t);
void sl_jobs_contend_update(struct sl_jobs_worker *w, int64_t t);

/* jobs_bytes.c */
/* Bytes that a run still has to find in a domain. */
int64_t sl_jobs_bytes_want(const struct sl_jobs_worker *w, uint32_t handle, uint32_t domain);
bool sl_jobs_bytes_fit(const struct sl_jobs_worker *w, uint32_t handle);
void sl_jobs_bytes_take(struct sl_jobs_worker *w, uint32_t handle);
void sl_jobs_bytes_give(struct sl_jobs_worker *w, uint32_t handle, bool skipped);
void sl_jobs_bytes_give_rest(struct sl_jobs_worker *w, const struct job *job);

/* jobs_draws.c */
bool sl_jobs_draws_create(struct sl_jobs_worker *w) SL_NODISCARD;
void sl_jobs_draws_begin(struct sl_jobs_worker *w);
/* Draws the block that begins with that job. */
void sl_jobs_draws_block(struct sl_jobs_worker *w, uint64_t first);
void sl_jobs_draws_out_of_range(struct sl_jobs_worker *w, const struct job *job, uint32_t node);
/* Durations and failed guards of a job that is admitted; numbers never fall. */
void sl_jobs_draws_fill(struct sl_jobs_worker *w, const struct job *job);
/* The duration of a run that is ready, where it depends on counts of shared objects. */
void sl_jobs_draws_late(struct sl_jobs_worker *w, uint32_t handle);
void sl_jobs_draws_complete(struct sl_jobs_worker *w, uint32_t handle); /* at its start: regimes */

/* jobs_deadlock.c */
void sl_jobs_deadlock_report(struct sl_jobs_worker *w);

/* jobs_record.c */
bool sl_jobs_record_create(struct sl_jobs_worker *w) SL_NODISCARD;
void sl_jobs_record_begin(struct sl_jobs_worker *w);
/* The node of an admitted job, as a link of its chain; and the last of them. */
struct sl_job_link sl_jobs_record_link(const struct sl_jobs_worker *w, const struct job *job,
                                       uint32_t node);
uint32_t sl_jobs_record_last(const struct sl_jobs_worker *w, const struct job *job);
/* Records a job that has ended or was rejected, and shows it to the visitor. */
void sl_jobs_record_job(struct sl_jobs_worker *w, const struct job *job,
                        enum sl_rejection rejection);
/* ... that was the only thing its only run had to wait for. */
void sl_jobs_record_lone(struct sl_jobs_worker *w, const struct job *job);
void sl_jobs_record_end(struct sl_jobs_worker *w);

/* The column of a job's draws; numbers never fall. */
static inline uint32_t job_column(struct sl_jobs_worker *w, uint64_t number)
{
    if (number - w->draws.first >= w->draws.count)
        sl_jobs_draws_block(w, number);
    return (uint32_t)(number - w->draws.first);
}
#endif
