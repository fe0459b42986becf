/* Explain, jobs: who was admitted while the job waited for its admission. */
#ifndef SL_EXPLAIN_JOB_ADMISSION_H
#define SL_EXPLAIN_JOB_ADMISSION_H
#include "explain_job.h"

/* Nothing where it did not wait. */
void sl_explain_job_admission(struct sl_explained_job *x, FILE *out);
/* A map of its own. */
void sl_explain_job_admission_json(struct sl_explained_job *x, yajl_gen gen);
#endif
