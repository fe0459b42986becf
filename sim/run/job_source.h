/* Where the jobs of a replication come from: the scenario's arrivals or think times, joined with
 * the parameters of each job.  Draws: doc/semantics.md, "Arrivals". */
#ifndef SL_JOB_SOURCE_H
#define SL_JOB_SOURCE_H
#include "jobs.h"
#include "scenario.h"

/* Opens the source of one replication of a scenario with jobs, which has to outlive it.  After
 * SL_OK, sl_job_source_close releases it. */
enum sl_status sl_job_source_open(struct sl_job_source *source, const struct sl_scenario *scenario,
                                  uint64_t seed, uint32_t trial, struct sl_error *err) SL_NODISCARD;
void sl_job_source_close(struct sl_job_source *source);
#endif
