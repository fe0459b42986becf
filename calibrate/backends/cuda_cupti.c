/* CUPTI's activity records, translated as their buffers come back. */
#include <config.h>

#include "cuda_cupti.h"
#include <cupti.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef HAVE_CUPTI_ACTIVITYKERNEL10
typedef CUpti_ActivityKernel10 kernel_record;
#else
typedef CUpti_ActivityKernel9 kernel_record;
#endif

enum {
    BUFFER_BYTES = 1 << 20,
    BUFFER_ALIGNMENT = 8,           /* what CUPTI asks for */
    MOST = 2 * SL_SHOT_RECORDS_MAX, /* activities and tags that are kept; more are dropped ones */
};

/* CONCURRENT_KERNEL: kind KERNEL makes kernels run one after the other. */
static const CUpti_ActivityKind kinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMCPY2,
    CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_MEMORY2,
    CUPTI_ACTIVITY_KIND_DRIVER,
    CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
};

#define SL_CUPTI_SYMBOL(name) static __typeof__(&name) call_##name;
#include "cuda_cupti_symbols.def"
#undef SL_CUPTI_SYMBOL

static const struct {
    const char *name;
    void *pointer;
} symbols[] = {
#define SL_CUPTI_SYMBOL(name) {#name, &call_##name},
#include "cuda_cupti_symbols.def"
#undef SL_CUPTI_SYMBOL
};

/* Buffers come back on CUPTI's own thread or on that of a flush. */
static struct {
    pthread_mutex_t mutex;
    struct sl_cuda_trace trace;
    char why_not[256];
    bool started;
    bool calls_too;   /* records of calls are kept */
    uint32_t version; /* 0: it doesn't run */
} state = {.mutex = PTHREAD_MUTEX_INITIALIZER, .calls_too = true};

int64_t sl_cuda_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint64_t CUPTIAPI timestamp(void)
{
    return (uint64_t)sl_cuda_now_ns();
}

static void keep(struct sl_cuda_activity activity)
{
    if (state.trace.count < MOST)
        state.trace.activities[state.trace.count++] = activity;
    else
        state.trace.dropped++;
}

static void keep_span(enum sl_cuda_activity_kind kind, uint32_t correlation, uint64_t submitted_ns,
                      uint64_t start_ns, uint64_t end_ns)
{
    keep((struct sl_cuda_activity){kind, correlation, (int64_t)submitted_ns, (int64_t)start_ns,
                                   (int64_t)end_ns});
}

static void keep_tag(const CUpti_ActivityExternalCorrelation *record)
{
    if (record->externalKind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
        return;
    if (state.trace.tag_count < MOST)
        state.trace.tags[state.trace.tag_count++] =
            (struct sl_cuda_tag){record->correlationId, record->externalId};
    else
        state.trace.dropped++;
}

static void translate(const CUpti_Activity *record)
{
    const void *any = record;
    switch ((int)record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const kernel_record *kernel = any;
        keep_span(SL_CUDA_KERNEL, kernel->correlationId, kernel->submitted, kernel->start,
                  kernel->end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const CUpti_ActivityMemcpy6 *copy = any;
        keep_span(SL_CUDA_MEMCPY, copy->correlationId, 0, copy->start, copy->end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
        const CUpti_ActivityMemcpyPtoP4 *copy = any;
        keep_span(SL_CUDA_MEMCPY, copy->correlationId, 0, copy->start, copy->end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
        const CUpti_ActivityMemset4 *set = any;
        keep_span(SL_CUDA_MEMSET, set->correlationId, 0, set->start, set->end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_MEMORY2: {
        const CUpti_ActivityMemory4 *memory = any;
        keep_span(SL_CUDA_MEMORY, memory->correlationId, 0, memory->timestamp, memory->timestamp);
        break;
    }
    case CUPTI_ACTIVITY_KIND_DRIVER: {
        const CUpti_ActivityAPI *api = any;
        if (state.calls_too)
            keep_span(SL_CUDA_API, api->correlationId, 0, api->start, api->end);
        break;
    }
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        keep_tag(any);
        break;
    default:
        break;
    }
}

static void CUPTIAPI buffer_wanted(uint8_t **buffer, size_t *bytes, size_t *most_records)
{
    *buffer = aligned_alloc(BUFFER_ALIGNMENT, BUFFER_BYTES);
    *bytes = *buffer ? BUFFER_BYTES : 0;
    *most_records = 0;
}

static void CUPTIAPI buffer_full(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes,
                                 size_t valid_bytes)
{
    (void)bytes;
    pthread_mutex_lock(&state.mutex);
    CUpti_Activity *record = NULL;
    while (valid_bytes > 0 &&
           call_cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS)
        translate(record);
    size_t dropped = 0;
    if (call_cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS)
        state.trace.dropped += dropped;
    pthread_mutex_unlock(&state.mutex);
    free(buffer);
}

/* By its soname, then where toolkits keep it out of the linker's sight. */
static void *open_library(void)
{
    static const char *const folders[] = {"", SL_CUDA_DIR "/extras/CUPTI/lib64/",
                                          SL_CUDA_DIR "/lib64/", SL_CUDA_DIR "/lib/"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0] && !library; i++) {
        char path[4096];
        if (snprintf(path, sizeof path, "%slibcupti.so.%d", folders[i], CUDA_VERSION / 1000) <
            (int)sizeof path)
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

/* The record structs change with the major version: another one's are not to be read. */
static bool load(void)
{
    void *library = open_library();
    if (!library) {
        snprintf(state.why_not, sizeof state.why_not, "there is no libcupti.so.%d",
                 CUDA_VERSION / 1000);
        return false;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address) {
            snprintf(state.why_not, sizeof state.why_not, "CUPTI lacks %s", symbols[i].name);
            return false;
        }
        memcpy(symbols[i].pointer, &address, sizeof address);
    }
    uint32_t version = 0;
    if (call_cuptiGetVersion(&version) == CUPTI_SUCCESS &&
        version / 10000 == CUPTI_API_VERSION / 10000) {
        state.version = version;
        return true;
    }
    snprintf(state.why_not, sizeof state.why_not, "CUPTI is of version %u, built for %u",
             (unsigned)version, (unsigned)CUPTI_API_VERSION);
    return false;
}

static bool succeeded(CUptiResult result, const char *what)
{
    if (result == CUPTI_SUCCESS)
        return true;
    const char *text = NULL;
    call_cuptiGetResultString(result, &text);
    snprintf(state.why_not, sizeof state.why_not, "%s: %s", what, text ? text : "unknown error");
    return false;
}

static bool enable(void)
{
    bool ok =
        succeeded(call_cuptiActivityRegisterTimestampCallback(timestamp), "CUPTI's clock") &&
        succeeded(call_cuptiActivityEnableLatencyTimestamps(1), "CUPTI's latency timestamps") &&
        succeeded(call_cuptiActivityRegisterCallbacks(buffer_wanted, buffer_full),
                  "CUPTI's buffers");
    for (size_t i = 0; ok && i < sizeof kinds / sizeof kinds[0]; i++)
        ok = succeeded(call_cuptiActivityEnable(kinds[i]), "CUPTI's records");
    return ok;
}

const char *sl_cupti_start(void)
{
    if (!state.started) {
        state.started = true;
        state.trace.activities = calloc(MOST, sizeof *state.trace.activities);
        state.trace.tags = calloc(MOST, sizeof *state.trace.tags);
        if (!state.trace.activities || !state.trace.tags)
            snprintf(state.why_not, sizeof state.why_not, "out of memory");
        else if (!load() || !enable())
            state.version = 0;
    }
    return state.version != 0 ? NULL : state.why_not;
}

uint32_t sl_cupti_version(void)
{
    return state.version;
}

void sl_cupti_collect(bool on)
{
    for (size_t i = 0; state.version != 0 && i < sizeof kinds / sizeof kinds[0]; i++)
        (void)(on ? call_cuptiActivityEnable(kinds[i]) : call_cuptiActivityDisable(kinds[i]));
}

/* Without records of the calls that launch there would be no tags, so that only the one that is
 * made over and over is left out at its source. */
void sl_cupti_keep_calls(bool on)
{
    pthread_mutex_lock(&state.mutex);
    state.calls_too = on;
    pthread_mutex_unlock(&state.mutex);
    if (state.version != 0)
        (void)call_cuptiActivityEnableDriverApi(CUPTI_DRIVER_TRACE_CBID_cuEventQuery, on);
}

void sl_cupti_tag(uint64_t id)
{
    if (state.version != 0)
        call_cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, id);
}

void sl_cupti_untag(void)
{
    if (state.version != 0)
        call_cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, NULL);
}

struct sl_cuda_trace sl_cupti_take(void)
{
    if (state.version == 0)
        return (struct sl_cuda_trace){0};
    call_cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    pthread_mutex_lock(&state.mutex);
    struct sl_cuda_trace taken = state.trace;
    state.trace.count = state.trace.tag_count = 0;
    state.trace.dropped = 0;
    pthread_mutex_unlock(&state.mutex);
    return taken;
}
