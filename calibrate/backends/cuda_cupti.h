/* CUPTI, loaded when it is wanted: activity records of what the GPU and the driver did.
 *
 * There is one per process, as CUPTI has it: its callbacks know no caller.  Its clock is
 * CLOCK_MONOTONIC_RAW, that of sl_cuda_now_ns. */
#ifndef SL_CUDA_CUPTI_H
#define SL_CUDA_CUPTI_H
#include "cuda_records.h"

int64_t sl_cuda_now_ns(void);

/* Loads CUPTI and enables its records; must come between loading the driver and cuInit.  NULL: it
 * runs; else why it doesn't, and then all else here does nothing.  Later calls give the same
 * answer. */
const char *sl_cupti_start(void);
uint32_t sl_cupti_version(void); /* 0: it doesn't run */

/* Records are made from now on, or no more. */
void sl_cupti_collect(bool on);
/* Whether calls of the driver have records, too, or only what they launch; off for a host that asks
 * the driver again and again.  Holds until records are turned on the next time. */
void sl_cupti_keep_calls(bool on);
/* What this thread calls between the two is tied to the id. */
void sl_cupti_tag(uint64_t id);
void sl_cupti_untag(void);
/* All that arrived since the last call; borrowed until the next one.  The GPU must be idle. */
struct sl_cuda_trace sl_cupti_take(void);
#endif
