/* A libcuda.so.1 without a GPU: what the driver would do, in time that is computed.
 *
 *     copies     bytes over 50 GB/s each way, one engine a direction; within the memory over 3 TB/s
 *     kernels    by their kind; the gate takes 50 us
 *     contention a work that starts while k other streams are busy takes 1 + k/2 times as long
 *
 * Works are taken in the order in which they are launched, each from when its stream, the events
 * that it waits for and its engine are free.  SL_FAKE_CUDA says what is wrong with the machine:
 * no-device, mismatch, stuck (the gate times out), no-memory (for more than 64 KiB at once).
 * SL_FAKE_FAIL=NAME:N lets the Nth call of a function fail, and SL_FAKE_CLOCK=real lets computed
 * time pass as real time does, for a host that does something meanwhile.
 *
 * What was done is kept for a CUPTI without a GPU (fake_cupti.c), and what was not given back is
 * counted. */
#include <config.h>

#include "cuda_stamp.h"
#include "fake_cuda.h"
#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    MULTIPROCESSORS = 8,
    MEMORY_BYTES = 256 << 20,
    REAL_BYTES = 2 << 20, /* copies and memsets of no more are really done: stamps are */
    GATE_NS = 50000,
    LAUNCH_NS = 2000,
    STREAMS = 64
};

enum engine { NO_ENGINE, ENGINE_IN, ENGINE_OUT, ENGINES };

/* What a launch does, once its arguments are known. */
struct op {
    enum fake_kind kind;
    int64_t ns;
    enum engine engine;
    uint32_t blocks;
    struct sl_cuda_stamp *stamps;
};

struct CUstream_st {
    int64_t free_ns;
    bool capturing;
    struct op captured;
};
struct CUevent_st {
    int64_t at_ns;
};
struct CUfunc_st {
    const char *name;
};
/* A graph holds what was captured; its executable is a copy. */
struct CUgraph_st {
    struct op op;
};

static CUstream streams[STREAMS];
static int64_t engines_ns[ENGINES];
static int64_t computed_ns = 1000; /* nothing that is launched now starts earlier */
static size_t device_bytes;        /* taken of the memory */

struct fake_history sl_fake_history;

/* ---- time ------------------------------------------------------------------------------------ */

static bool is_real(void)
{
    const char *clock = getenv("SL_FAKE_CLOCK");
    return clock && strcmp(clock, "real") == 0;
}

static int64_t now(void)
{
    struct timespec real;
    if (!is_real())
        return computed_ns;
    clock_gettime(CLOCK_MONOTONIC_RAW, &real);
    return (int64_t)real.tv_sec * 1000000000 + real.tv_nsec;
}

static void pass_until(int64_t t)
{
    if (!is_real())
        computed_ns = t > computed_ns ? t : computed_ns;
    while (now() < t)
        ;
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

/* Whether this is the call of `function` ("cuMemAlloc_v2" for cuMemAlloc) that is to fail. */
static bool fails(const char *function)
{
    static char counted[64];
    static int calls;
    const char *plan = getenv("SL_FAKE_FAIL"), *colon = plan ? strchr(plan, ':') : NULL;
    if (!plan || !colon)
        return false;
    if (strcmp(counted, plan) != 0) {
        snprintf(counted, sizeof counted, "%s", plan);
        calls = 0;
    }
    size_t length = (size_t)(colon - plan);
    if (strncmp(function, plan, length) != 0 || (function[length] && function[length] != '_'))
        return false;
    return ++calls == atoi(colon + 1);
}

#define MAY_FAIL()                                                                                 \
    do {                                                                                           \
        if (fails(__func__))                                                                       \
            return CUDA_ERROR_ILLEGAL_ADDRESS;                                                     \
    } while (0)

static void have(enum fake_thing thing)
{
    sl_fake_history.had[thing]++;
}

static void give_back(enum fake_thing thing)
{
    sl_fake_history.had[thing]--;
}

/* ---- works ----------------------------------------------------------------------------------- */

/* Calls are told apart by numbers; what one launches has its number. */
static void remember(enum fake_kind kind, int64_t start_ns, int64_t end_ns)
{
    struct fake_history *history = &sl_fake_history;
    if (!history->tagged || history->count == FAKE_MOST)
        return;
    history->deeds[history->count++] =
        (struct fake_deed){kind, history->tag, history->calls, start_ns, end_ns};
}

static void call_begins(void)
{
    sl_fake_history.calls++;
}

/* A call that takes the host's time. */
static CUresult called(int64_t ns, CUresult result)
{
    call_begins();
    int64_t start_ns = now();
    pass_until(start_ns + ns);
    remember(FAKE_CALL, start_ns, now());
    return result;
}

static bool wrong(const char *what)
{
    const char *mode = getenv("SL_FAKE_CUDA");
    return mode && strcmp(mode, what) == 0;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static CUresult submit(CUstream stream, struct op op)
{
    if (stream->capturing) {
        stream->captured = op;
        return CUDA_SUCCESS;
    }
    call_begins();
    remember(FAKE_CALL, now(), now() + LAUNCH_NS);
    int64_t start = later(later(stream->free_ns, now()), engines_ns[op.engine]);
    int busy = 0;
    for (int i = 0; i < STREAMS; i++)
        busy += streams[i] && streams[i] != stream && streams[i]->free_ns > start;
    stream->free_ns = start + op.ns + op.ns * busy / 2;
    if (op.engine != NO_ENGINE)
        engines_ns[op.engine] = stream->free_ns;
    remember(op.kind, start, stream->free_ns);
    for (uint32_t i = 0; op.stamps && i < op.blocks; i++)
        op.stamps[i] = (struct sl_cuda_stamp){.start_ns = (uint64_t)start,
                                              .end_ns = (uint64_t)stream->free_ns,
                                              .sm = i % MULTIPROCESSORS};
    return CUDA_SUCCESS;
}

static void finish(void)
{
    for (int i = 0; i < STREAMS; i++)
        if (streams[i])
            pass_until(streams[i]->free_ns);
}

CUresult cuInit(unsigned flags)
{
    (void)flags;
    if (wrong("no-device"))
        return CUDA_ERROR_NO_DEVICE;
    return wrong("mismatch") ? CUDA_ERROR_SYSTEM_DRIVER_MISMATCH : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    *version = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **text)
{
    *text = error == CUDA_ERROR_NO_DEVICE                ? "CUDA_ERROR_NO_DEVICE"
            : error == CUDA_ERROR_SYSTEM_DRIVER_MISMATCH ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
            : error == CUDA_ERROR_OUT_OF_MEMORY          ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == CUDA_ERROR_ILLEGAL_ADDRESS        ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                                         : "CUDA_ERROR_UNKNOWN";
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    *text = error == CUDA_ERROR_OUT_OF_MEMORY     ? "out of memory"
            : error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
                                                  : "unknown error";
    return CUDA_SUCCESS;
}

/* CUPTI asks for the driver's private tables first. */
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    (void)id;
    *table = NULL;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuDeviceGetCount(int *count)
{
    MAY_FAIL();
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    MAY_FAIL();
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    (void)device;
    snprintf(name, (size_t)size, "Fake GPU");
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    (void)device;
    for (int i = 0; i < 16; i++)
        uuid->bytes[i] = (char)i;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *text, int size, CUdevice device)
{
    (void)device;
    snprintf(text, (size_t)size, "FFFF:00:00.0");
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    (void)device;
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = MULTIPROCESSORS;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 8;
        break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        *value = 1500000;
        break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        *value = 8192;
        break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        *value = 1 << 20;
        break;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
        *value = 2;
        break;
    default:
        *value = 0;
    }
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    MAY_FAIL();
    (void)device;
    *bytes = MEMORY_BYTES;
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    MAY_FAIL();
    (void)device;
    (void)peer;
    *can = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
    MAY_FAIL();
    (void)device;
    *pool = (CUmemoryPool)pool;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    MAY_FAIL();
    (void)device;
    *context = (CUcontext)context;
    have(FAKE_CONTEXT);
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    (void)device;
    give_back(FAKE_CONTEXT);
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    MAY_FAIL();
    (void)context;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    MAY_FAIL();
    finish();
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext context, unsigned flags)
{
    MAY_FAIL();
    (void)context;
    (void)flags;
    return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    MAY_FAIL();
    *module = (CUmodule)(uintptr_t)image;
    have(FAKE_MODULE);
    return image ? CUDA_SUCCESS : CUDA_ERROR_INVALID_IMAGE;
}

CUresult cuModuleUnload(CUmodule module)
{
    (void)module;
    give_back(FAKE_MODULE);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    MAY_FAIL();
    static struct CUfunc_st functions[] = {{"sl_gate"},     {"sl_empty"},    {"sl_triad"},
                                           {"sl_chase"},    {"sl_link"},     {"sl_noise"},
                                           {"sl_gemm_f16"}, {"sl_gemm_bf16"}};
    (void)module;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0) {
            *function = &functions[i];
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads,
                                                     size_t shared)
{
    MAY_FAIL();
    (void)function;
    (void)shared;
    *blocks = 2048 / threads < 16 ? 2048 / threads : 16;
    return CUDA_SUCCESS;
}

/* Arguments as kernels.cu declares them. */
static struct op kernel(const char *name, uint32_t blocks, void **arguments)
{
    struct op op = {.kind = FAKE_KERNEL, .ns = 1000, .blocks = blocks};
    if (strcmp(name, "sl_gate") == 0) {
        volatile uint32_t *flags = *(uint32_t **)arguments[0];
        op.ns = GATE_NS;
        flags[1] = wrong("stuck");
    } else if (strcmp(name, "sl_triad") == 0) {
        op.ns = (int64_t)((double)*(uint64_t *)arguments[3] * 48 / 3000);
        op.stamps = *(struct sl_cuda_stamp **)arguments[4];
    } else if (strcmp(name, "sl_chase") == 0) {
        op.ns = (int64_t) * (uint32_t *)arguments[2] * 600;
        op.stamps = *(struct sl_cuda_stamp **)arguments[4];
    } else if (strncmp(name, "sl_gemm", 7) == 0) {
        double side = *(uint32_t *)arguments[3];
        op.ns = (int64_t)(2 * side * side * side / 20e3);
        op.stamps = *(struct sl_cuda_stamp **)arguments[4];
    }
    return op;
}

CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned y, unsigned z, unsigned threads,
                        unsigned threads_y, unsigned threads_z, unsigned shared, CUstream stream,
                        void **arguments, void **extra)
{
    MAY_FAIL();
    (void)y, (void)z, (void)threads, (void)threads_y, (void)threads_z, (void)shared, (void)extra;
    return submit(stream, kernel(function->name, x, arguments));
}

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    MAY_FAIL();
    (void)flags;
    for (int i = 0; i < STREAMS; i++)
        if (!streams[i]) {
            *stream = streams[i] = calloc(1, sizeof **stream);
            have(FAKE_STREAM);
            return *stream ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
        }
    return CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamDestroy(CUstream stream)
{
    for (int i = 0; i < STREAMS; i++)
        if (streams[i] == stream)
            streams[i] = NULL;
    give_back(FAKE_STREAM);
    free(stream);
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    MAY_FAIL();
    pass_until(stream->free_ns);
    return called(0, CUDA_SUCCESS);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    MAY_FAIL();
    (void)flags;
    stream->free_ns = later(stream->free_ns, event->at_ns);
    return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    MAY_FAIL();
    (void)mode;
    stream->capturing = true;
    return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    MAY_FAIL();
    stream->capturing = false;
    *graph = calloc(1, sizeof **graph);
    if (!*graph)
        return CUDA_ERROR_OUT_OF_MEMORY;
    (*graph)->op = stream->captured;
    return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    MAY_FAIL();
    (void)flags;
    struct CUgraph_st *copy = malloc(sizeof *copy);
    if (copy)
        *copy = *graph;
    *exec = (CUgraphExec)copy;
    return copy ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    MAY_FAIL();
    return submit(stream, ((CUgraph)exec)->op);
}

CUresult cuGraphDestroy(CUgraph graph)
{
    free(graph);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    free(exec);
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    MAY_FAIL();
    (void)flags;
    *event = calloc(1, sizeof **event);
    have(FAKE_EVENT);
    return *event ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventDestroy(CUevent event)
{
    give_back(FAKE_EVENT);
    free(event);
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    MAY_FAIL();
    event->at_ns = later(stream->free_ns, now());
    return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event)
{
    MAY_FAIL();
    pass_until(event->at_ns);
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event)
{
    MAY_FAIL();
    return event->at_ns <= now() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    MAY_FAIL();
    *ms = (float)((double)(end->at_ns - start->at_ns) / 1e6);
    return CUDA_SUCCESS;
}

/* The size stands in front, for munmap. */
static CUresult allocate(void **memory, size_t bytes)
{
    size_t whole = bytes + sizeof(struct sl_cuda_stamp);
    if (wrong("no-memory") && bytes > 64 << 10)
        return CUDA_ERROR_OUT_OF_MEMORY;
    size_t *start = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *start = whole;
    have(FAKE_MEMORY);
    *memory = (char *)start + sizeof(struct sl_cuda_stamp);
    return CUDA_SUCCESS;
}

static CUresult release(void *memory)
{
    if (!memory)
        return CUDA_ERROR_INVALID_VALUE;
    give_back(FAKE_MEMORY);
    size_t *start = (void *)((char *)memory - sizeof(struct sl_cuda_stamp));
    return munmap(start, *start) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes)
{
    void *memory = NULL;
    MAY_FAIL();
    CUresult result = allocate(&memory, bytes);
    device_bytes += result == CUDA_SUCCESS ? bytes : 0;
    *pointer = (CUdeviceptr)memory;
    return called(30000, result);
}

CUresult cuMemFree(CUdeviceptr pointer)
{
    if (pointer)
        device_bytes -=
            *(size_t *)(pointer - sizeof(struct sl_cuda_stamp)) - sizeof(struct sl_cuda_stamp);
    return called(20000, release((void *)pointer));
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *all_bytes)
{
    MAY_FAIL();
    *all_bytes = MEMORY_BYTES;
    *free_bytes = device_bytes < MEMORY_BYTES ? MEMORY_BYTES - device_bytes : 0;
    return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream)
{
    MAY_FAIL();
    (void)stream;
    return cuMemAlloc(pointer, bytes);
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream)
{
    (void)stream;
    return cuMemFree(pointer);
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    MAY_FAIL();
    (void)pool, (void)attribute, (void)value;
    return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes)
{
    (void)pool, (void)bytes;
    return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    MAY_FAIL();
    (void)flags;
    return allocate(memory, bytes);
}

CUresult cuMemFreeHost(void *memory)
{
    return release(memory);
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *pointer, void *memory, unsigned flags)
{
    MAY_FAIL();
    (void)flags;
    *pointer = (CUdeviceptr)memory;
    return CUDA_SUCCESS;
}

static CUresult copy(void *to, const void *from, size_t bytes, double bytes_per_ns,
                     enum engine engine, CUstream stream)
{
    if (bytes <= REAL_BYTES && !stream->capturing)
        memcpy(to, from, bytes);
    sl_fake_history.copied_bytes += bytes;
    return submit(stream, (struct op){.kind = FAKE_COPY,
                                      .ns = (int64_t)((double)bytes / bytes_per_ns),
                                      .engine = engine});
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    MAY_FAIL();
    return copy((void *)to, from, bytes, 50, ENGINE_IN, stream);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    MAY_FAIL();
    return copy(to, (const void *)from, bytes, 50, ENGINE_OUT, stream);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    MAY_FAIL();
    return copy((void *)to, (const void *)from, bytes, 3000, NO_ENGINE, stream);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream stream)
{
    MAY_FAIL();
    (void)to_context, (void)from_context;
    return cuMemcpyDtoDAsync(to, from, bytes, stream);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream)
{
    MAY_FAIL();
    if (bytes <= REAL_BYTES && !stream->capturing)
        memset((void *)to, value, bytes);
    return submit(stream, (struct op){.kind = FAKE_SET, .ns = (int64_t)(bytes / 3000)});
}

CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop,
                                       CUmemAllocationGranularity_flags flags)
{
    MAY_FAIL();
    (void)prop, (void)flags;
    *bytes = 2 << 20;
    return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr at,
                             unsigned long long flags)
{
    MAY_FAIL();
    (void)alignment, (void)at, (void)flags;
    return cuMemAlloc(address, bytes);
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes)
{
    (void)bytes;
    return cuMemFree(address);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes,
                     const CUmemAllocationProp *prop, unsigned long long flags)
{
    MAY_FAIL();
    (void)prop, (void)flags;
    *handle = bytes;
    have(FAKE_HANDLE);
    return called(10000, CUDA_SUCCESS);
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags)
{
    MAY_FAIL();
    (void)address, (void)offset, (void)flags;
    return called(4000, handle == bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc *access,
                        size_t count)
{
    MAY_FAIL();
    (void)address, (void)bytes, (void)access, (void)count;
    return called(6000, CUDA_SUCCESS);
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes)
{
    (void)address, (void)bytes;
    return called(5000, CUDA_SUCCESS);
}

#ifndef SL_FAKE_OLD
CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
    if (handle == 0)
        return CUDA_ERROR_INVALID_VALUE;
    give_back(FAKE_HANDLE);
    return called(3000, CUDA_SUCCESS);
}
#endif
