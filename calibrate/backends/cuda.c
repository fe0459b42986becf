/* The cuda backend: an NVIDIA GPU through its driver, timed by CUPTI where that is to be had. */
#include <config.h>

#include "cuda_bench.h"
#include "cuda_class_list.h"
#include "cuda_cupti.h"
#include "cuda_stage.h"
#include <stdlib.h>

extern const unsigned char sl_cuda_fatbin[]; /* kernels_fatbin.S */

static const struct {
    const char *name;
    uint32_t threads;
} kernels[SL_CUDA_FUNCTIONS] = {
    [SL_CUDA_FN_GATE] = {"sl_gate", 1},           [SL_CUDA_FN_EMPTY] = {"sl_empty", 32},
    [SL_CUDA_FN_TRIAD] = {"sl_triad", 256},       [SL_CUDA_FN_CHASE] = {"sl_chase", 32},
    [SL_CUDA_FN_LINK] = {"sl_link", 256},         [SL_CUDA_FN_NOISE] = {"sl_noise", 256},
    [SL_CUDA_FN_GEMM_F16] = {"sl_gemm_f16", 256}, [SL_CUDA_FN_GEMM_BF16] = {"sl_gemm_bf16", 256},
};

/* Kernels are loaded at once, since a first launch behind the gate that loads would wait for ever;
 * and as many hardware queues as there can be, since two streams in one queue wait for each other.
 * Both are read at cuInit; what the user set stays. */
static void set_environment(void)
{
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
}

static enum sl_status open_context(struct sl_bench *bench, struct sl_error *err)
{
    const struct sl_cuda_driver *driver = &bench->driver;
    CUcontext context = NULL;
    enum sl_status status = SL_OK;
    if (bench->peer >= 0) {
        status = SL_CUDA(driver, err, cuDevicePrimaryCtxRetain, &context, bench->peer);
        bench->peer_context = context;
    }
    if (status == SL_OK) {
        context = NULL;
        status = SL_CUDA(driver, err, cuDevicePrimaryCtxRetain, &context, bench->device);
        bench->context = context;
    }
    if (status == SL_OK)
        status = SL_CUDA(driver, err, cuCtxSetCurrent, bench->context);
    if (status == SL_OK && bench->peer_context)
        status = SL_CUDA(driver, err, cuCtxEnablePeerAccess, bench->peer_context, 0);
    return status;
}

static enum sl_status load_kernels(struct sl_bench *bench, struct sl_error *err)
{
    const struct sl_cuda_driver *driver = &bench->driver;
    enum sl_status status = SL_CUDA(driver, err, cuModuleLoadData, &bench->module, sl_cuda_fatbin);
    for (int i = 0; i < SL_CUDA_FUNCTIONS && status == SL_OK; i++) {
        struct sl_cuda_function *function = &bench->functions[i];
        int per_sm = 0;
        function->threads = kernels[i].threads;
        status = SL_CUDA(driver, err, cuModuleGetFunction, &function->function, bench->module,
                         kernels[i].name);
        if (status == SL_OK)
            status = SL_CUDA(driver, err, cuOccupancyMaxActiveBlocksPerMultiprocessor, &per_sm,
                             function->function, (int)function->threads, 0);
        function->per_sm = per_sm > 0 ? (uint32_t)per_sm : 1;
    }
    return status;
}

/* The pool keeps what it has, so that an allocation from it is warm unless it is emptied before. */
static enum sl_status set_up_memory(struct sl_bench *bench, struct sl_error *err)
{
    const struct sl_cuda_driver *driver = &bench->driver;
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED};
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = bench->device;
    uint64_t keep = UINT64_MAX;
    int cache_bytes = 0;
    enum sl_status status = SL_CUDA(driver, err, cuMemGetAllocationGranularity, &bench->granularity,
                                    &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    if (status == SL_OK)
        status = SL_CUDA(driver, err, cuDeviceGetDefaultMemPool, &bench->pool, bench->device);
    if (status == SL_OK)
        status = SL_CUDA(driver, err, cuMemPoolSetAttribute, bench->pool,
                         CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep);
    if (status == SL_OK)
        status = SL_CUDA(driver, err, cuDeviceGetAttribute, &cache_bytes,
                         CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, bench->device);
    bench->sweep.bytes = 2 * (size_t)(cache_bytes > 0 ? cache_bytes : 1 << 20);
    if (status == SL_OK)
        status = SL_CUDA(driver, err, cuMemAlloc, &bench->sweep.device, bench->sweep.bytes);
    return status;
}

static void close_bench(struct sl_bench *bench)
{
    if (!bench)
        return;
    const struct sl_cuda_driver *driver = &bench->driver;
    if (bench->context) {
        SL_CUDA_RELEASE(driver, cuCtxSynchronize, );
        sl_cuda_stage_clear(bench);
        for (uint32_t i = 0; i < SL_CUDA_ACTORS; i++)
            sl_cuda_actor_close(bench, &bench->actors[i]);
        sl_cuda_gate_free(bench);
        if (bench->base)
            SL_CUDA_RELEASE(driver, cuEventDestroy, bench->base);
        if (bench->sweep.device)
            SL_CUDA_RELEASE(driver, cuMemFree, bench->sweep.device);
        if (bench->module)
            SL_CUDA_RELEASE(driver, cuModuleUnload, bench->module);
        SL_CUDA_RELEASE(driver, cuDevicePrimaryCtxRelease, bench->device);
    }
    if (bench->peer_context)
        SL_CUDA_RELEASE(driver, cuDevicePrimaryCtxRelease, bench->peer);
    sl_nvml_close(&bench->nvml);
    sl_arena_free(&bench->arena);
    free(bench->estimates);
    free(bench);
}

static enum sl_status open_gpu(struct sl_bench *bench, const struct sl_bench_options *options,
                               struct sl_error *err)
{
    enum sl_status status = sl_cuda_driver_load(&bench->driver, err);
    if (status != SL_OK)
        return status;
    set_environment();
    /* Between loading the driver and cuInit, or CUPTI misses what it must see. */
    bench->cupti_missing = sl_cupti_start();
    bench->collecting = !bench->cupti_missing;
    status = sl_cuda_driver_init(&bench->driver, err);
    if (status == SL_OK)
        status = sl_cuda_machine_find(bench, options->device, err);
    if (status == SL_OK)
        status = open_context(bench, err);
    if (status == SL_OK)
        status = load_kernels(bench, err);
    if (status == SL_OK)
        status = set_up_memory(bench, err);
    if (status == SL_OK)
        status = sl_cuda_gate_make(bench, err);
    if (status == SL_OK)
        status = SL_CUDA(&bench->driver, err, cuEventCreate, &bench->base, CU_EVENT_DEFAULT);
    if (status == SL_OK && !sl_cuda_machine_describe(bench))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    return status;
}

static enum sl_status open_bench(struct sl_bench **bench, const struct sl_bench_options *options,
                                 struct sl_error *err)
{
    *bench = calloc(1, sizeof **bench);
    if (!*bench)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    (*bench)->peer = -1;
    enum sl_status status = open_gpu(*bench, options, err);
    if (status != SL_OK) {
        close_bench(*bench);
        *bench = NULL;
    }
    return status;
}

static const struct sl_work_class *classes(const struct sl_bench *bench, uint32_t *count)
{
    *count = sl_cuda_class_count();
    return bench->classes;
}

static const struct sl_bench_layout *layout(const struct sl_bench *bench)
{
    return &bench->layout;
}

static const struct sl_fingerprint *fingerprint(const struct sl_bench *bench)
{
    return &bench->fingerprint;
}

static enum sl_status prepare(struct sl_bench *bench, const struct sl_work *work,
                              struct sl_error *err)
{
    double ns;
    enum sl_status status = sl_cuda_unit_time(bench, work, SL_SHAPE_FILL, &ns, err);
    if (status == SL_OK && bench->classes[work->klass].shaped)
        status = sl_cuda_unit_time(bench, work, SL_SHAPE_ROOM, &ns, err);
    return status;
}

/* Clocks are never set, so a GPU has one regime; throttled samples are flagged. */
static const char *regime(const struct sl_bench *bench, double sentinel_ns)
{
    (void)bench;
    (void)sentinel_ns;
    return "";
}

const struct sl_backend sl_backend_cuda = {
    .name = "cuda",
    .description = "an NVIDIA GPU: copies, kernels, memory calls and launches, timed by CUPTI",
    .open = open_bench,
    .close = close_bench,
    .classes = classes,
    .layout = layout,
    .fingerprint = fingerprint,
    .prepare = prepare,
    .shoot = sl_cuda_shoot,
    .cut = sl_cuda_cut,
    .stage = sl_cuda_stage_plan,
    .replay = sl_cuda_replay,
    .regime = regime,
};
