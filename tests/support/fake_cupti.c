/* A CUPTI without a GPU: records of what the driver beside it (fake_cuda.c) did, in buffers as
 * CUPTI fills them.  SL_FAKE_CUPTI says what goes wrong: drops (two records are lost in every
 * flush), untimed (works have no time). */
#include <config.h>

#include "fake_cuda.h"
#include <cupti.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CUPTI_ACTIVITYKERNEL10
typedef CUpti_ActivityKernel10 kernel_record;
#else
typedef CUpti_ActivityKernel9 kernel_record;
#endif

static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static bool enabled[CUPTI_ACTIVITY_KIND_COUNT];

/* One buffer at a time. */
static uint8_t *buffer;
static size_t buffer_bytes, used;

static struct fake_history *history(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return driver ? dlsym(driver, SL_FAKE_HISTORY) : NULL;
}

static bool wrong(const char *what)
{
    const char *mode = getenv("SL_FAKE_CUPTI");
    return mode && strcmp(mode, what) == 0;
}

CUptiResult cuptiGetVersion(uint32_t *version)
{
    *version = CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = result == CUPTI_SUCCESS ? "success" : "failure";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function)
{
    return function ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t enable)
{
    (void)enable;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc wants,
                                           CUpti_BuffersCallbackCompleteFunc has)
{
    request = wants;
    complete = has;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    enabled[kind] = true;
    return CUPTI_SUCCESS;
}

/* Calls of cuEventQuery are under no tag, so that they have no record anyway. */
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId id, uint8_t enable)
{
    (void)enable;
    return id == CUPTI_DRIVER_TRACE_CBID_cuEventQuery ? CUPTI_SUCCESS
                                                      : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    enabled[kind] = false;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t id)
{
    struct fake_history *done = history();
    (void)kind;
    done->tagged = enabled[CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION];
    done->tag = id;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, uint64_t *id)
{
    (void)kind, (void)id;
    history()->tagged = false;
    return CUPTI_SUCCESS;
}

static size_t bytes_of(CUpti_ActivityKind kind)
{
    switch ((int)kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return sizeof(kernel_record);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET:
        return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_DRIVER:
        return sizeof(CUpti_ActivityAPI);
    default:
        return sizeof(CUpti_ActivityExternalCorrelation);
    }
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *from, size_t valid_bytes, CUpti_Activity **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + bytes_of((*record)->kind) : from;
    if (next >= from + valid_bytes)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)next;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
    (void)context, (void)stream;
    *dropped = wrong("drops") ? 2 : 0;
    return CUPTI_SUCCESS;
}

static void hand_over(void)
{
    if (buffer)
        complete(NULL, 0, buffer, buffer_bytes, used);
    buffer = NULL;
    used = 0;
}

/* Room for one record of a kind that is enabled, else NULL. */
static void *record_of(CUpti_ActivityKind kind)
{
    size_t bytes = bytes_of(kind), most;
    if (!enabled[kind])
        return NULL;
    if (buffer && used + bytes > buffer_bytes)
        hand_over();
    if (!buffer)
        request(&buffer, &buffer_bytes, &most);
    if (!buffer)
        return NULL;
    CUpti_Activity *record = (void *)(buffer + used);
    memset(record, 0, bytes);
    record->kind = kind;
    used += bytes;
    return record;
}

static void write_call(const struct fake_deed *deed)
{
    CUpti_ActivityExternalCorrelation *tag = record_of(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
    if (tag) {
        tag->externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
        tag->externalId = deed->tag;
        tag->correlationId = deed->call;
    }
    CUpti_ActivityAPI *api = record_of(CUPTI_ACTIVITY_KIND_DRIVER);
    if (api) {
        api->start = (uint64_t)deed->start_ns;
        api->end = (uint64_t)deed->end_ns;
        api->correlationId = deed->call;
    }
}

static void write_work(const struct fake_deed *deed)
{
    uint64_t start = wrong("untimed") ? 0 : (uint64_t)deed->start_ns;
    uint64_t end = wrong("untimed") ? 0 : (uint64_t)deed->end_ns;
    if (deed->kind == FAKE_KERNEL) {
        kernel_record *kernel = record_of(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
        if (kernel)
            kernel->start = start, kernel->end = end, kernel->correlationId = deed->call;
    } else if (deed->kind == FAKE_COPY) {
        CUpti_ActivityMemcpy6 *copy = record_of(CUPTI_ACTIVITY_KIND_MEMCPY);
        if (copy)
            copy->start = start, copy->end = end, copy->correlationId = deed->call;
    } else {
        CUpti_ActivityMemset4 *set = record_of(CUPTI_ACTIVITY_KIND_MEMSET);
        if (set)
            set->start = start, set->end = end, set->correlationId = deed->call;
    }
}

/* Works come before the calls that made them: readers may not count on an order. */
CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    struct fake_history *done = history();
    (void)flag;
    for (uint32_t i = done->count; i-- > 0;)
        if (done->deeds[i].kind != FAKE_CALL)
            write_work(&done->deeds[i]);
    for (uint32_t i = 0; i < done->count; i++)
        if (done->deeds[i].kind == FAKE_CALL)
            write_call(&done->deeds[i]);
    done->count = 0;
    hand_over();
    return CUPTI_SUCCESS;
}
