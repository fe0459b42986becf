/* Calls that have or give back memory: sequences of steps, of which some are timed.
 *
 * All of a sequence is done in every shot, so that it ends as it began. */
#include <config.h>

#include "cuda_class_list.h"

static size_t rounded(const struct sl_bench *bench, int64_t bytes)
{
    size_t unit = bench->granularity;
    return ((size_t)bytes + unit - 1) / unit * unit;
}

static enum sl_status step_alloc(struct sl_bench *bench, struct sl_cuda_actor *actor, int64_t bytes,
                                 struct sl_error *err)
{
    return SL_CUDA(&bench->driver, err, cuMemAlloc, &actor->held.pointer, (size_t)bytes);
}

static enum sl_status step_free(struct sl_bench *bench, struct sl_cuda_actor *actor, int64_t bytes,
                                struct sl_error *err)
{
    (void)bytes;
    return SL_CUDA(&bench->driver, err, cuMemFree, actor->held.pointer);
}

static enum sl_status step_alloc_async(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                       int64_t bytes, struct sl_error *err)
{
    return SL_CUDA(&bench->driver, err, cuMemAllocAsync, &actor->held.pointer, (size_t)bytes,
                   actor->stream);
}

static enum sl_status step_free_async(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                      int64_t bytes, struct sl_error *err)
{
    (void)bytes;
    return SL_CUDA(&bench->driver, err, cuMemFreeAsync, actor->held.pointer, actor->stream);
}

static enum sl_status step_wait(struct sl_bench *bench, struct sl_cuda_actor *actor, int64_t bytes,
                                struct sl_error *err)
{
    (void)bytes;
    return SL_CUDA(&bench->driver, err, cuStreamSynchronize, actor->stream);
}

/* Empties the pool, so that the next allocation maps memory anew. */
static enum sl_status step_trim(struct sl_bench *bench, struct sl_cuda_actor *actor, int64_t bytes,
                                struct sl_error *err)
{
    (void)actor;
    (void)bytes;
    return SL_CUDA(&bench->driver, err, cuMemPoolTrimTo, bench->pool, 0);
}

static enum sl_status step_reserve(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                   int64_t bytes, struct sl_error *err)
{
    return SL_CUDA(&bench->driver, err, cuMemAddressReserve, &actor->held.address,
                   rounded(bench, bytes), 0, 0, 0);
}

static CUmemAllocationProp own_memory(const struct sl_bench *bench)
{
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED};
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = bench->device;
    return prop;
}

static enum sl_status step_create(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                  int64_t bytes, struct sl_error *err)
{
    CUmemAllocationProp prop = own_memory(bench);
    return SL_CUDA(&bench->driver, err, cuMemCreate, &actor->held.handle, rounded(bench, bytes),
                   &prop, 0);
}

static enum sl_status step_map(struct sl_bench *bench, struct sl_cuda_actor *actor, int64_t bytes,
                               struct sl_error *err)
{
    return SL_CUDA(&bench->driver, err, cuMemMap, actor->held.address, rounded(bench, bytes), 0,
                   actor->held.handle, 0);
}

static enum sl_status step_access(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                  int64_t bytes, struct sl_error *err)
{
    CUmemAccessDesc access = {.location = own_memory(bench).location,
                              .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    return SL_CUDA(&bench->driver, err, cuMemSetAccess, actor->held.address, rounded(bench, bytes),
                   &access, 1);
}

static enum sl_status step_unmap(struct sl_bench *bench, struct sl_cuda_actor *actor, int64_t bytes,
                                 struct sl_error *err)
{
    return SL_CUDA(&bench->driver, err, cuMemUnmap, actor->held.address, rounded(bench, bytes));
}

static enum sl_status step_release(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                   int64_t bytes, struct sl_error *err)
{
    (void)bytes;
    return SL_CUDA(&bench->driver, err, cuMemRelease, actor->held.handle);
}

static enum sl_status step_unreserve(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                     int64_t bytes, struct sl_error *err)
{
    return SL_CUDA(&bench->driver, err, cuMemAddressFree, actor->held.address,
                   rounded(bench, bytes));
}

static struct sl_cuda_need need_nothing(const struct sl_bench *bench, int64_t bytes)
{
    (void)bench;
    (void)bytes;
    return (struct sl_cuda_need){0};
}

static bool size_calls(struct sl_bench *bench, struct sl_work_class *klass)
{
    const int64_t sizes[] = {2 << 20, 64 << 20, 1 << 30};
    klass->victim_bytes = 64 << 20;
    return sl_cuda_set_sizes(bench, klass, sizes, SL_CUDA_COUNT(sizes),
                             bench->capacity.memory_bytes / 16);
}

#define CALL_FORM(what, all, from, to, temperature)                                                \
    {                                                                                              \
        .columns = {.variant = what,                                                               \
                    .dir = "",                                                                     \
                    .mem_kind = "device",                                                          \
                    .launch = "",                                                                  \
                    .cache = temperature},                                                         \
        .manner = SL_CUDA_CALLS, .function = SL_CUDA_FUNCTIONS, .need = need_nothing,              \
        .steps = all, .step_count = SL_CUDA_COUNT(all), .timed_from = from, .timed_to = to         \
    }

static const sl_cuda_step alloc_steps[] = {step_alloc, step_free};
static const sl_cuda_step pool_steps[] = {step_alloc_async, step_free_async, step_wait};
static const sl_cuda_step empty_pool_steps[] = {step_trim, step_alloc_async, step_free_async,
                                                step_wait};
static const sl_cuda_step map_steps[] = {step_reserve, step_create,  step_map,      step_access,
                                         step_unmap,   step_release, step_unreserve};

static const struct sl_cuda_form alloc_forms[] = {
    CALL_FORM("alloc", alloc_steps, 0, 1, ""),
    CALL_FORM("free", alloc_steps, 1, 2, ""),
    CALL_FORM("alloc-async", pool_steps, 0, 1, "warm"),
    CALL_FORM("alloc-async", empty_pool_steps, 1, 2, "cold"),
    CALL_FORM("free-async", pool_steps, 1, 2, "warm"),
};
static const struct sl_cuda_form map_forms[] = {
    CALL_FORM("create+map+access", map_steps, 1, 4, ""),
    CALL_FORM("create", map_steps, 1, 2, ""),
    CALL_FORM("map", map_steps, 2, 3, ""),
    CALL_FORM("access", map_steps, 3, 4, ""),
    CALL_FORM("unmap", map_steps, 4, 5, ""),
    CALL_FORM("release", map_steps, 5, 6, ""),
};

const struct sl_cuda_class sl_cuda_alloc = {
    .name = "alloc",
    .description = "cuMemAlloc, cuMemFree, and from the stream-ordered pool (cold: emptied before)",
    .forms = alloc_forms,
    .form_count = SL_CUDA_COUNT(alloc_forms),
    .size = size_calls,
};
const struct sl_cuda_class sl_cuda_map = {
    .name = "map",
    .description = "create memory, map it, set access, unmap and release it",
    .forms = map_forms,
    .form_count = SL_CUDA_COUNT(map_forms),
    .size = size_calls,
};
