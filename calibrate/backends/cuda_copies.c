/* Copies and memset: what the driver's own engines and kernels do. */
#include <config.h>

#include "cuda_class_list.h"

static enum sl_status launch_h2d(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                 const struct sl_cuda_unit *unit, struct sl_error *err)
{
    return SL_CUDA(&bench->driver, err, cuMemcpyHtoDAsync, actor->work.device, actor->pinned.host,
                   (size_t)unit->bytes, actor->stream);
}

static enum sl_status launch_d2h(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                 const struct sl_cuda_unit *unit, struct sl_error *err)
{
    return SL_CUDA(&bench->driver, err, cuMemcpyDtoHAsync, actor->pinned.host, actor->work.device,
                   (size_t)unit->bytes, actor->stream);
}

/* Where the second half of a buffer begins. */
static size_t aligned(int64_t bytes)
{
    const size_t line = 256;
    return ((size_t)bytes + line - 1) / line * line;
}

static enum sl_status launch_d2d(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                 const struct sl_cuda_unit *unit, struct sl_error *err)
{
    CUdeviceptr from = actor->work.device, to = from + aligned(unit->bytes);
    return SL_CUDA(&bench->driver, err, cuMemcpyDtoDAsync, to, from, (size_t)unit->bytes,
                   actor->stream);
}

static enum sl_status launch_p2p(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                 const struct sl_cuda_unit *unit, struct sl_error *err)
{
    return SL_CUDA(&bench->driver, err, cuMemcpyPeerAsync, actor->peer.device, bench->peer_context,
                   actor->work.device, bench->context, (size_t)unit->bytes, actor->stream);
}

static enum sl_status launch_memset(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                    const struct sl_cuda_unit *unit, struct sl_error *err)
{
    return SL_CUDA(&bench->driver, err, cuMemsetD8Async, actor->work.device, 0x3c,
                   (size_t)unit->bytes, actor->stream);
}

/* Pageable memory is staged by the driver while the caller waits, so that the copy is a call. */
static enum sl_status step_h2d(struct sl_bench *bench, struct sl_cuda_actor *actor, int64_t bytes,
                               struct sl_error *err)
{
    return SL_CUDA(&bench->driver, err, cuMemcpyHtoDAsync, actor->work.device, actor->pageable.host,
                   (size_t)bytes, actor->stream);
}

static enum sl_status step_d2h(struct sl_bench *bench, struct sl_cuda_actor *actor, int64_t bytes,
                               struct sl_error *err)
{
    return SL_CUDA(&bench->driver, err, cuMemcpyDtoHAsync, actor->pageable.host, actor->work.device,
                   (size_t)bytes, actor->stream);
}

static enum sl_status step_wait(struct sl_bench *bench, struct sl_cuda_actor *actor, int64_t bytes,
                                struct sl_error *err)
{
    (void)bytes;
    return SL_CUDA(&bench->driver, err, cuStreamSynchronize, actor->stream);
}

static struct sl_cuda_need need_pinned(const struct sl_bench *bench, int64_t bytes)
{
    (void)bench;
    return (struct sl_cuda_need){.work = (size_t)bytes, .pinned = (size_t)bytes};
}

static struct sl_cuda_need need_pageable(const struct sl_bench *bench, int64_t bytes)
{
    (void)bench;
    return (struct sl_cuda_need){.work = (size_t)bytes, .pageable = (size_t)bytes};
}

static struct sl_cuda_need need_twice(const struct sl_bench *bench, int64_t bytes)
{
    (void)bench;
    return (struct sl_cuda_need){.work = 2 * aligned(bytes)};
}

static struct sl_cuda_need need_peer(const struct sl_bench *bench, int64_t bytes)
{
    (void)bench;
    return (struct sl_cuda_need){.work = (size_t)bytes, .peer = (size_t)bytes};
}

static struct sl_cuda_need need_once(const struct sl_bench *bench, int64_t bytes)
{
    (void)bench;
    return (struct sl_cuda_need){.work = (size_t)bytes};
}

/* From what costs little but the call to the victim's size. */
static bool size_by_unit(struct sl_bench *bench, struct sl_work_class *klass, int64_t unit)
{
    const int64_t sizes[] = {64 << 10, 1 << 20, 16 << 20, unit, SL_CUDA_VICTIM_UNITS * unit};
    klass->unit_bytes = unit;
    klass->victim_bytes = SL_CUDA_VICTIM_UNITS * unit;
    return sl_cuda_set_sizes(bench, klass, sizes, SL_CUDA_COUNT(sizes), klass->victim_bytes);
}

static bool size_link(struct sl_bench *bench, struct sl_work_class *klass)
{
    return size_by_unit(bench, klass, sl_cuda_link_unit(&bench->capacity));
}

static bool size_memory(struct sl_bench *bench, struct sl_work_class *klass)
{
    return size_by_unit(bench, klass, sl_cuda_memory_unit(&bench->capacity));
}

static bool size_peer(struct sl_bench *bench, struct sl_work_class *klass)
{
    klass->waived = bench->peer_missing;
    struct sl_cuda_capacity linked = bench->capacity;
    linked.coherent_link = true; /* NVLink's speed; PCIe only makes units longer */
    return size_by_unit(bench, klass, sl_cuda_link_unit(&linked));
}

#define COPY_COLUMNS(way, kind, by)                                                                \
    .columns = {.variant = "", .dir = way, .mem_kind = kind, .launch = by, .cache = ""},           \
    .function = SL_CUDA_FUNCTIONS
#define STREAM_FORM(way, kind, needs, launches)                                                    \
    {                                                                                              \
        COPY_COLUMNS(way, kind, "stream"), .manner = SL_CUDA_GATED, .need = needs,                 \
                                           .launch = launches                                      \
    }
#define GRAPH_FORM(way, kind, needs, launches)                                                     \
    {                                                                                              \
        COPY_COLUMNS(way, kind, "graph"), .manner = SL_CUDA_GRAPH, .need = needs,                  \
                                          .launch = launches                                       \
    }
#define PAGEABLE_FORM(way, all)                                                                    \
    {                                                                                              \
        COPY_COLUMNS(way, "pageable", "stream"), .manner = SL_CUDA_CALLS, .need = need_pageable,   \
                                                 .steps = all, .step_count = SL_CUDA_COUNT(all),   \
                                                 .timed_to = SL_CUDA_COUNT(all)                    \
    }

static const sl_cuda_step h2d_steps[] = {step_h2d, step_wait};
static const sl_cuda_step d2h_steps[] = {step_d2h, step_wait};

static const struct sl_cuda_form h2d_forms[] = {
    STREAM_FORM("h2d", "pinned", need_pinned, launch_h2d),
    GRAPH_FORM("h2d", "pinned", need_pinned, launch_h2d),
    PAGEABLE_FORM("h2d", h2d_steps),
};
static const struct sl_cuda_form d2h_forms[] = {
    STREAM_FORM("d2h", "pinned", need_pinned, launch_d2h),
    GRAPH_FORM("d2h", "pinned", need_pinned, launch_d2h),
    PAGEABLE_FORM("d2h", d2h_steps),
};
static const struct sl_cuda_form d2d_forms[] = {
    STREAM_FORM("d2d", "device", need_twice, launch_d2d),
    GRAPH_FORM("d2d", "device", need_twice, launch_d2d),
};
static const struct sl_cuda_form p2p_forms[] = {
    STREAM_FORM("p2p", "device", need_peer, launch_p2p),
};
static const struct sl_cuda_form memset_forms[] = {
    STREAM_FORM("", "device", need_once, launch_memset),
    GRAPH_FORM("", "device", need_once, launch_memset),
};

const struct sl_cuda_class sl_cuda_copy_h2d = {
    .name = "copy.h2d",
    .description = "copy from the host's memory into the GPU's",
    .forms = h2d_forms,
    .form_count = SL_CUDA_COUNT(h2d_forms),
    .growth = 1,
    .size = size_link,
};
const struct sl_cuda_class sl_cuda_copy_d2h = {
    .name = "copy.d2h",
    .description = "copy from the GPU's memory into the host's",
    .forms = d2h_forms,
    .form_count = SL_CUDA_COUNT(d2h_forms),
    .growth = 1,
    .size = size_link,
};
const struct sl_cuda_class sl_cuda_copy_d2d = {
    .name = "copy.d2d",
    .description = "copy within the GPU's memory",
    .forms = d2d_forms,
    .form_count = SL_CUDA_COUNT(d2d_forms),
    .growth = 1,
    .size = size_memory,
};
const struct sl_cuda_class sl_cuda_copy_p2p = {
    .name = "copy.p2p",
    .description = "copy into the memory of the next GPU",
    .forms = p2p_forms,
    .form_count = SL_CUDA_COUNT(p2p_forms),
    .growth = 1,
    .size = size_peer,
};
const struct sl_cuda_class sl_cuda_memset = {
    .name = "memset",
    .description = "memset of the GPU's memory",
    .forms = memset_forms,
    .form_count = SL_CUDA_COUNT(memset_forms),
    .growth = 1,
    .size = size_memory,
};
