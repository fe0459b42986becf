/* Actors: a stream each, and buffers that grow as works need them. */
#include <config.h>

#include "cuda_bench.h"
#include <stdlib.h>
#include <string.h>

enum sl_status sl_cuda_run_kernel(struct sl_bench *bench, CUstream stream,
                                  enum sl_cuda_function_index index, uint32_t blocks,
                                  void **arguments, struct sl_error *err)
{
    const struct sl_cuda_function *function = &bench->functions[index];
    return SL_CUDA(&bench->driver, err, cuLaunchKernel, function->function, blocks, 1, 1,
                   function->threads, 1, 1, 0, stream, arguments, NULL);
}

enum sl_status sl_cuda_actor_open(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                  struct sl_error *err)
{
    if (actor->stream)
        return SL_OK;
    enum sl_status status =
        SL_CUDA(&bench->driver, err, cuStreamCreate, &actor->stream, CU_STREAM_NON_BLOCKING);
    if (status == SL_OK)
        status = SL_CUDA(&bench->driver, err, cuEventCreate, &actor->led, CU_EVENT_DISABLE_TIMING);
    return status;
}

static void free_buffer(struct sl_bench *bench, struct sl_cuda_buffer *buffer, bool pinned)
{
    if (buffer->host && pinned)
        SL_CUDA_RELEASE(&bench->driver, cuMemFreeHost, buffer->host);
    else if (buffer->host)
        free(buffer->host);
    else if (buffer->device)
        SL_CUDA_RELEASE(&bench->driver, cuMemFree, buffer->device);
    *buffer = (struct sl_cuda_buffer){0};
}

void sl_cuda_actor_close(struct sl_bench *bench, struct sl_cuda_actor *actor)
{
    const struct sl_cuda_driver *driver = &bench->driver;
    struct sl_cuda_buffer *own[] = {&actor->work, &actor->peer, &actor->chain, &actor->stamps,
                                    &actor->pageable};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        free_buffer(bench, own[i], false);
    free_buffer(bench, &actor->pinned, true);
    for (uint32_t i = 0; i < actor->event_count; i++)
        SL_CUDA_RELEASE(driver, cuEventDestroy, actor->events[i]);
    free(actor->events);
    if (actor->graph)
        SL_CUDA_RELEASE(driver, cuGraphExecDestroy, actor->graph);
    if (actor->led)
        SL_CUDA_RELEASE(driver, cuEventDestroy, actor->led);
    if (actor->stream)
        SL_CUDA_RELEASE(driver, cuStreamDestroy, actor->stream);
    *actor = (struct sl_cuda_actor){0};
}

/* What is multiplied and copied is noise. */
static enum sl_status fill(struct sl_bench *bench, const struct sl_cuda_buffer *buffer,
                           struct sl_error *err)
{
    CUdeviceptr words = buffer->device;
    uint64_t count = buffer->bytes / sizeof(uint32_t);
    void *arguments[] = {&words, &count};
    uint32_t blocks = bench->capacity.multiprocessors * bench->functions[SL_CUDA_FN_NOISE].per_sm;
    enum sl_status status =
        sl_cuda_run_kernel(bench, bench->gate.stream, SL_CUDA_FN_NOISE, blocks, arguments, err);
    if (status == SL_OK)
        status = SL_CUDA(&bench->driver, err, cuStreamSynchronize, bench->gate.stream);
    return status;
}

static enum sl_status grow_device(struct sl_bench *bench, struct sl_cuda_buffer *buffer,
                                  size_t bytes, struct sl_error *err)
{
    if (bytes <= buffer->bytes)
        return SL_OK;
    free_buffer(bench, buffer, false);
    enum sl_status status = SL_CUDA(&bench->driver, err, cuMemAlloc, &buffer->device, bytes);
    if (status == SL_OK)
        buffer->bytes = bytes;
    return status;
}

static enum sl_status grow_peer(struct sl_bench *bench, struct sl_cuda_buffer *buffer, size_t bytes,
                                struct sl_error *err)
{
    if (bytes <= buffer->bytes)
        return SL_OK;
    enum sl_status status = SL_CUDA(&bench->driver, err, cuCtxSetCurrent, bench->peer_context);
    if (status == SL_OK)
        status = grow_device(bench, buffer, bytes, err);
    SL_CUDA_RELEASE(&bench->driver, cuCtxSetCurrent, bench->context);
    return status;
}

static enum sl_status grow_pinned(struct sl_bench *bench, struct sl_cuda_buffer *buffer,
                                  size_t bytes, struct sl_error *err)
{
    if (bytes <= buffer->bytes)
        return SL_OK;
    free_buffer(bench, buffer, true);
    enum sl_status status = SL_CUDA(&bench->driver, err, cuMemHostAlloc, &buffer->host, bytes, 0);
    if (status != SL_OK)
        return status;
    memset(buffer->host, 0x5a, bytes);
    buffer->bytes = bytes;
    return SL_OK;
}

static enum sl_status grow_pageable(struct sl_bench *bench, struct sl_cuda_buffer *buffer,
                                    size_t bytes, struct sl_error *err)
{
    if (bytes <= buffer->bytes)
        return SL_OK;
    free_buffer(bench, buffer, false);
    buffer->host = malloc(bytes);
    if (!buffer->host)
        return SL_FAIL(err, SL_SYSTEM, "out of memory: %zu bytes to copy from", bytes);
    memset(buffer->host, 0x5a, bytes);
    buffer->bytes = bytes;
    return SL_OK;
}

/* Every size has a chain of its own, whose links stay within its lines: that of n lines begins at
 * line n, so that all sizes, which are powers of two, have room beside each other. */
static enum sl_status link_chain(struct sl_bench *bench, struct sl_cuda_actor *actor, size_t bytes,
                                 struct sl_error *err)
{
    uint32_t lines = (uint32_t)(bytes / SL_CHASE_LINE);
    enum sl_status status = SL_OK;
    if (2 * bytes > actor->chain.bytes) {
        actor->linked = 0;
        status = grow_device(bench, &actor->chain, 2 * bytes, err);
    }
    if (status != SL_OK || (actor->linked & lines))
        return status;
    CUdeviceptr chain = actor->chain.device + bytes;
    void *arguments[] = {&chain, &lines};
    uint32_t blocks = bench->capacity.multiprocessors * bench->functions[SL_CUDA_FN_LINK].per_sm;
    status = sl_cuda_run_kernel(bench, bench->gate.stream, SL_CUDA_FN_LINK, blocks, arguments, err);
    if (status == SL_OK)
        status = SL_CUDA(&bench->driver, err, cuStreamSynchronize, bench->gate.stream);
    if (status == SL_OK)
        actor->linked |= lines;
    return status;
}

enum sl_status sl_cuda_actor_reserve(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                     const struct sl_work *work, uint32_t units, uint32_t blocks,
                                     struct sl_error *err)
{
    struct sl_cuda_need need = sl_cuda_form_of(work)->need(bench, work->bytes);
    size_t stamp_bytes = (size_t)units * blocks * sizeof(struct sl_cuda_stamp);
    enum sl_status status = sl_cuda_actor_open(bench, actor, err);
    if (status == SL_OK && need.work > actor->work.bytes) {
        status = grow_device(bench, &actor->work, need.work, err);
        if (status == SL_OK)
            status = fill(bench, &actor->work, err);
    }
    if (status == SL_OK)
        status = grow_peer(bench, &actor->peer, need.peer, err);
    if (status == SL_OK)
        status = grow_pinned(bench, &actor->pinned, need.pinned, err);
    if (status == SL_OK)
        status = grow_pageable(bench, &actor->pageable, need.pageable, err);
    if (status == SL_OK && need.chain > 0)
        status = link_chain(bench, actor, need.chain, err);
    if (status == SL_OK)
        status = grow_device(bench, &actor->stamps, stamp_bytes, err);
    return status;
}

enum sl_status sl_cuda_actor_reserve_events(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                            uint32_t count, struct sl_error *err)
{
    if (count <= actor->event_count)
        return SL_OK;
    CUevent *events = realloc(actor->events, count * sizeof *events);
    if (!events)
        return SL_FAIL(err, SL_SYSTEM, "out of memory: %u events", (unsigned)count);
    actor->events = events;
    enum sl_status status = SL_OK;
    while (status == SL_OK && actor->event_count < count) {
        status = SL_CUDA(&bench->driver, err, cuEventCreate, &events[actor->event_count],
                         CU_EVENT_DEFAULT);
        if (status == SL_OK)
            actor->event_count++;
    }
    return status;
}
