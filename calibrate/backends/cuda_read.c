/* What a shot left behind: CUPTI's records or the events' times, and the blocks' stamps. */
#include <config.h>

#include "cuda_cupti.h"
#include "cuda_shot.h"
#include <math.h>
#include <stdlib.h>

/* A unit lasts from one event to the next: what the launch itself takes is in it, and from when on
 * the unit could have started isn't known. */
static enum sl_status read_events(const struct sl_cuda_run *run, uint32_t a,
                                  struct sl_shot_log *log, struct sl_error *err)
{
    struct sl_bench *bench = run->bench;
    const struct sl_cuda_actor *actor = &bench->actors[a];
    int64_t start_ns = 0;
    enum sl_status status = sl_cuda_event_ns(bench, actor->events[0], &start_ns, err);
    for (uint32_t u = 0; u < run->roles[a].units && status == SL_OK; u++) {
        int64_t end_ns = 0;
        status = sl_cuda_event_ns(bench, actor->events[u + 1], &end_ns, err);
        if (log->count < SL_SHOT_RECORDS_MAX)
            log->records[log->count++] = (struct sl_shot_record){.actor = a,
                                                                 .unit = u,
                                                                 .start_ns = start_ns,
                                                                 .end_ns = end_ns,
                                                                 .co_resident = (double)NAN};
        else
            log->dropped++;
        start_ns = end_ns;
    }
    return status;
}

static enum sl_status read_all_events(const struct sl_cuda_run *run, struct sl_shot_log *log,
                                      struct sl_error *err)
{
    enum sl_status status = SL_OK;
    if (run->calls)
        log->records[log->count++] = (struct sl_shot_record){.submitted_ns = run->call_start_ns,
                                                             .start_ns = run->call_start_ns,
                                                             .end_ns = run->call_end_ns,
                                                             .co_resident = (double)NAN};
    for (uint32_t a = run->calls ? 1 : 0; a < run->role_count && status == SL_OK; a++)
        status = read_events(run, a, log, err);
    return status;
}

static void read_records(const struct sl_cuda_run *run, struct sl_shot_log *log)
{
    struct sl_cuda_trace trace = sl_cupti_take();
    const struct sl_cuda_reading reading = {
        .epoch = run->bench->epoch,
        .aggressor_count = run->shot->aggressor_count,
        .call = run->calls,
        .gated = run->gated,
    };
    sl_cuda_read_trace(&trace, &reading, log);
}

static size_t stamp_count(const struct sl_cuda_run *run, uint32_t first)
{
    size_t count = 0;
    for (uint32_t a = first; a < run->role_count; a++)
        count += (size_t)run->roles[a].units * run->roles[a].blocks;
    return count;
}

static enum sl_status fetch_stamps(const struct sl_cuda_run *run, struct sl_cuda_stamp *stamps,
                                   struct sl_error *err)
{
    struct sl_bench *bench = run->bench;
    enum sl_status status = SL_OK;
    for (uint32_t a = 0; a < run->role_count && status == SL_OK; a++) {
        size_t count = (size_t)run->roles[a].units * run->roles[a].blocks;
        if (count == 0)
            continue;
        status =
            SL_CUDA(&bench->driver, err, cuMemcpyDtoHAsync, stamps, bench->actors[a].stamps.device,
                    count * sizeof *stamps, bench->actors[a].stream);
        if (status == SL_OK)
            status = SL_CUDA(&bench->driver, err, cuStreamSynchronize, bench->actors[a].stream);
        stamps += count;
    }
    return status;
}

/* The victim's blocks by themselves, and beside those of the others. */
static enum sl_status read_stamps(const struct sl_cuda_run *run, struct sl_shot_log *log,
                                  struct sl_error *err)
{
    struct sl_cuda_blocks victim = {.count = run->roles[0].blocks};
    if (victim.count == 0)
        return SL_OK;
    struct sl_cuda_stamp *stamps = malloc(stamp_count(run, 0) * sizeof *stamps);
    if (!stamps)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = fetch_stamps(run, stamps, err);
    victim.stamps = stamps;
    double block_ns = sl_cuda_block_time(&victim);
    size_t others = stamp_count(run, 1);
    double shared =
        others > 0 ? sl_cuda_co_residency(&victim, stamps + victim.count, others) : (double)NAN;
    for (uint32_t i = 0; i < log->count && status == SL_OK; i++) {
        struct sl_shot_record *record = &log->records[i];
        if (record->actor != 0 || isnan(block_ns))
            continue;
        /* The GPU's timer is another clock: only the length is taken. */
        record->exec_start_ns = record->start_ns;
        record->exec_end_ns = record->start_ns + (int64_t)block_ns;
        record->co_resident = shared;
    }
    free(stamps);
    return status;
}

enum sl_status sl_cuda_read_shot(const struct sl_cuda_run *run, struct sl_shot_log *log,
                                 struct sl_error *err)
{
    enum sl_status status = SL_OK;
    log->timer = run->cupti ? "cupti" : run->calls ? "host" : "event";
    log->gate_timeout = run->gated && sl_cuda_gate_timed_out(run->bench);
    log->preemptions = run->preemptions;
    log->sentinel_before_ns = log->sentinel_after_ns = (double)NAN;
    log->sm_mhz = run->clocks.sm_mhz;
    log->throttled = run->clocks.throttled;
    log->count = 0;
    log->dropped = 0;
    if (run->cupti)
        read_records(run, log);
    else
        status = read_all_events(run, log, err);
    if (status == SL_OK)
        status = read_stamps(run, log, err);
    return status;
}
