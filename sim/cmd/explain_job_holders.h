/* Explain, jobs: who held what the job waited for. */
#ifndef SL_EXPLAIN_JOB_HOLDERS_H
#define SL_EXPLAIN_JOB_HOLDERS_H
#include "explain_job.h"

void sl_explain_job_holders(struct sl_explained_job *x, FILE *out);
#endif
