/* `slackline explain` in modes open and closed: one job instead of one trial. */
#ifndef SL_EXPLAIN_JOB_H
#define SL_EXPLAIN_JOB_H
#include "job_telling.h"
#include "json_out.h"
#include "table.h"

struct sl_explained_job {
    const struct sl_cell *cell;
    const struct sl_job_telling *telling;
    uint64_t seed;
    const char *at;        /* "median", "p99" ...; NULL: it was asked for by its number */
    bool one_trial;        /* its rank is among the jobs of its trial */
    struct sl_arena arena; /* texts of the report */
};

void sl_explain_job(struct sl_explained_job *x, FILE *out);
/* Adds keys to the map that is open. */
void sl_explain_job_json(struct sl_explained_job *x, yajl_gen gen);

/* "its end" for SL_NONE: the job gave bytes back. */
const char *sl_explain_job_node(const struct sl_explained_job *x, uint32_t node);
/* Of a link what is no run: from its readiness to its start, and between steps. */
static inline int64_t sl_explain_job_waited(const struct sl_job_link *link)
{
    return link->start_ps - link->ready_ps + link->paused_ps;
}
/* What a link ran: not its waits. */
static inline int64_t sl_explain_job_ran(const struct sl_job_link *link)
{
    return link->finish_ps - link->start_ps - link->paused_ps;
}
/* The name of the resource or domain. */
const char *sl_explain_job_held(const struct sl_explained_job *x,
                                const struct sl_job_holder *holder);
#endif
