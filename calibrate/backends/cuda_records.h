/* What CUPTI and the kernels' own stamps say of a shot, as the records that the judge reads, and of
 * a replay.  Pure: nothing here knows CUDA, and times are only compared and subtracted.
 *
 * Every call of a shot that launches or does work is made under an id of (epoch, actor, unit),
 * which CUPTI ties to the call's correlation number; the activities of that number are the unit's.
 */
#ifndef SL_CUDA_RECORDS_H
#define SL_CUDA_RECORDS_H
#include "cuda_stamp.h"
#include "work.h"

enum sl_cuda_activity_kind {
    SL_CUDA_KERNEL,
    SL_CUDA_MEMCPY,
    SL_CUDA_MEMSET,
    SL_CUDA_MEMORY, /* memory was had or given back: a moment, not a time */
    SL_CUDA_API     /* a call of the driver, on the host */
};

struct sl_cuda_activity {
    enum sl_cuda_activity_kind kind;
    uint32_t correlation;
    int64_t submitted_ns;     /* 0: not known */
    int64_t start_ns, end_ns; /* both 0: without timing */
};

struct sl_cuda_tag {
    uint32_t correlation;
    uint64_t id;
};

/* All that arrived, in any order. */
struct sl_cuda_trace {
    struct sl_cuda_activity *activities;
    struct sl_cuda_tag *tags;
    uint32_t count, tag_count;
    uint64_t dropped;
};

enum {
    SL_CUDA_GATE = 15,     /* the actor that the gate's kernel is */
    SL_CUDA_LEAD_UNITS = 2 /* units of each aggressor that end before the victim may start */
};
uint64_t sl_cuda_id(uint32_t epoch, uint32_t actor, uint32_t unit);

struct sl_cuda_reading {
    uint32_t epoch;
    uint32_t aggressor_count;
    bool call; /* the victim is calls on the host: their time is the work's, not what they launch */
    bool gated; /* the victim was held back, by the gate and the aggressors' leading units */
};

/* Sorts the trace and appends its records of that epoch to the log.
 *
 * A victim that was held back is `submitted` when the last thing that it waited for had ended, or
 * at its start if that is earlier (clocks of two engines differ by less than what matters); one
 * that wasn't, when CUPTI says so, or when the call began that launched it.  A call whose own
 * record was lost, of which only other traces are left, gives a record without timing. */
void sl_cuda_read_trace(struct sl_cuda_trace *trace, const struct sl_cuda_reading *reading,
                        struct sl_shot_log *log);

/* When what was made under an id ran, from the start of its first work to the end of its last. */
struct sl_cuda_span {
    int64_t start_ns, end_ns;
    uint32_t works;   /* of which there are records */
    uint32_t untimed; /* of them; they are not in the times */
};
/* Sorts the trace and fills `spans`, one for each unit from 0, of an actor 0 in that epoch. */
void sl_cuda_read_spans(struct sl_cuda_trace *trace, uint32_t epoch, struct sl_cuda_span *spans,
                        uint32_t count);

/* The blocks of one unit. */
struct sl_cuda_blocks {
    const struct sl_cuda_stamp *stamps;
    uint32_t count;
};

/* Mean time of the blocks that ran, ns: what the work took without what its blocks waited for a
 * place.  NAN: none ran. */
double sl_cuda_block_time(const struct sl_cuda_blocks *blocks);
/* Share of the victim's time, block by block, during which a block of another unit was on the same
 * multiprocessor.  Sorts `others`, of all units of all aggressors.  NAN: no block ran. */
double sl_cuda_co_residency(const struct sl_cuda_blocks *victim, struct sl_cuda_stamp *others,
                            size_t other_count);
#endif
