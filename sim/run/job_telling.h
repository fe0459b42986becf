/* One job of a cell in modes open and closed: which one is asked for, and its replication run once
 * more to tell of it. */
#ifndef SL_JOB_TELLING_H
#define SL_JOB_TELLING_H
#include "cell.h"
#include "job_cell.h"

/* Which job: an order statistic of the latency of the counted jobs, or one by its number. */
struct sl_job_pick {
    uint32_t trial; /* SL_NONE: any; of a number the first */
    bool is_number;
    uint64_t number; /* is_number */
    double q;        /* otherwise; 1: the worst */
};

struct sl_job_telling {
    uint32_t trial;
    size_t rank, of; /* by latency among the counted jobs, those of the trial if it is asked for;
                      * rank 0: it is not counted: it was rejected, or is of the warm-up */
    struct sl_job_record record; /* its arrays are the telling's; `story` NULL: it was rejected */
    struct sl_job_story story;
    double *metrics_us; /* by metric of the cell; NAN: sl_job_metric_us */
    struct sl_arena arena;
};

/* Fills *telling (zeroed first) from a cell that was run with that seed; sl_job_telling_free in any
 * case.  SL_USAGE for a job that the cell does not have, or that never ended; SL_SYSTEM if the
 * second run is not the first one again, or the parts of the latency do not sum to it. */
enum sl_status sl_job_telling_make(struct sl_job_telling *telling, const struct sl_cell *cell,
                                   uint64_t seed, const struct sl_job_pick *pick,
                                   struct sl_error *err) SL_NODISCARD;
/* Those that were admitted longest first, of equal ones the earlier job. */
void sl_job_admitted_sort(struct sl_job_admitted *list, uint32_t count);
/* Fills who was admitted during the cell's longest wait for admission, if that passed the bound;
 * what it adds is in the cell's arena. */
enum sl_status sl_job_admission_tell(struct sl_cell *cell, uint64_t seed,
                                     struct sl_error *err) SL_NODISCARD;
void sl_job_telling_free(struct sl_job_telling *telling);
#endif
