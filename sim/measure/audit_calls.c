/* Calls of an audit that hold a host up: allocations, mappings, synchronisation. */
#include <config.h>

#include "audit_parts.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_names[SL_CALL_CLASSES] = {
    "allocate",          "free",          "map",          "wait for a device", "wait for a stream",
    "wait for an event", "blocking copy", "order streams"};

const char *sl_call_class_name(enum sl_call_class class)
{
    return class_names[class];
}

/* Names without their prefix (cuda, cu, hip) and version (_v2, _ptsz, _v3020). */
static const struct {
    const char *name;
    enum sl_call_class class;
} calls[] = {
    {"Malloc", SL_CALL_ALLOC},
    {"MallocAsync", SL_CALL_ALLOC},
    {"MallocFromPoolAsync", SL_CALL_ALLOC},
    {"MallocManaged", SL_CALL_ALLOC},
    {"MallocPitch", SL_CALL_ALLOC},
    {"Malloc3D", SL_CALL_ALLOC},
    {"MallocArray", SL_CALL_ALLOC},
    {"MallocHost", SL_CALL_ALLOC},
    {"HostMalloc", SL_CALL_ALLOC},
    {"HostAlloc", SL_CALL_ALLOC},
    {"ExtMallocWithFlags", SL_CALL_ALLOC},
    {"MemAlloc", SL_CALL_ALLOC},
    {"MemAllocAsync", SL_CALL_ALLOC},
    {"MemAllocHost", SL_CALL_ALLOC},
    {"MemAllocManaged", SL_CALL_ALLOC},
    {"MemAllocPitch", SL_CALL_ALLOC},
    {"MemHostAlloc", SL_CALL_ALLOC},
    {"Free", SL_CALL_FREE},
    {"FreeAsync", SL_CALL_FREE},
    {"FreeHost", SL_CALL_FREE},
    {"HostFree", SL_CALL_FREE},
    {"FreeArray", SL_CALL_FREE},
    {"MemFree", SL_CALL_FREE},
    {"MemFreeAsync", SL_CALL_FREE},
    {"MemFreeHost", SL_CALL_FREE},
    {"HostRegister", SL_CALL_MAP},
    {"HostUnregister", SL_CALL_MAP},
    {"MemHostRegister", SL_CALL_MAP},
    {"MemHostUnregister", SL_CALL_MAP},
    {"MemCreate", SL_CALL_MAP},
    {"MemRelease", SL_CALL_MAP},
    {"MemMap", SL_CALL_MAP},
    {"MemUnmap", SL_CALL_MAP},
    {"MemSetAccess", SL_CALL_MAP},
    {"MemAddressReserve", SL_CALL_MAP},
    {"MemAddressFree", SL_CALL_MAP},
    {"DeviceSynchronize", SL_CALL_SYNC_DEVICE},
    {"ThreadSynchronize", SL_CALL_SYNC_DEVICE},
    {"CtxSynchronize", SL_CALL_SYNC_DEVICE},
    {"StreamSynchronize", SL_CALL_SYNC_STREAM},
    {"EventSynchronize", SL_CALL_SYNC_EVENT},
    {"Memcpy", SL_CALL_BLOCKING_COPY},
    {"Memcpy2D", SL_CALL_BLOCKING_COPY},
    {"Memcpy3D", SL_CALL_BLOCKING_COPY},
    {"MemcpyWithStream", SL_CALL_BLOCKING_COPY},
    {"MemcpyHtoD", SL_CALL_BLOCKING_COPY},
    {"MemcpyDtoH", SL_CALL_BLOCKING_COPY},
    {"MemcpyDtoD", SL_CALL_BLOCKING_COPY},
    {"MemcpyToSymbol", SL_CALL_BLOCKING_COPY},
    {"MemcpyFromSymbol", SL_CALL_BLOCKING_COPY},
    {"StreamWaitEvent", SL_CALL_STREAM_WAIT},
};

enum sl_call_class sl_call_class_of(const char *name)
{
    static const char *const prefixes[] = {"cuda", "cu", "hip"};
    const char *bare = NULL;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0 && isupper((unsigned char)name[length])) {
            bare = name + length;
            break;
        }
    }
    size_t length = bare ? strcspn(bare, "_") : 0;
    for (size_t i = 0; length > 0 && i < sizeof calls / sizeof *calls; i++)
        if (strlen(calls[i].name) == length && strncmp(calls[i].name, bare, length) == 0)
            return calls[i].class;
    return SL_CALL_CLASSES;
}

struct found {
    uint32_t name, event;
    enum sl_call_class class;
};

/* By class, of one class by name, then by time. */
static int by_class(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->name != y->name)
        return x->name < y->name ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* The calls of the scope that have a class; NULL: out of memory. */
static struct found *find_calls(const struct sl_audit *audit, uint32_t *count)
{
    const struct sl_timeline *t = audit->timeline;
    uint8_t *class = malloc(t->names.count + 1u);
    struct found *found = NULL;
    uint32_t capacity = 8;
    *count = 0;
    if (class && (found = malloc(capacity * sizeof *found))) {
        for (uint32_t i = 0; i < t->names.count; i++)
            class[i] = (uint8_t)sl_call_class_of(t->names.names[i]);
        for (uint32_t i = 0; i < t->count; i++) {
            if (t->kind[i] != SL_EVENT_CALL || class[t->name[i]] == SL_CALL_CLASSES ||
                !sl_audit_has(audit, i))
                continue;
            if (!sl_grow((void **)&found, &capacity, *count + 1, sizeof *found)) {
                free(found);
                found = NULL;
                break;
            }
            found[(*count)++] =
                (struct found){t->name[i], i, (enum sl_call_class) class[t->name[i]]};
        }
    }
    free(class);
    if (found && *count > 0)
        qsort(found, *count, sizeof *found, by_class);
    return found;
}

/* One name's calls: [from, to) of `found`. */
static bool add_call(struct sl_audit *audit, const struct found *found, uint32_t from, uint32_t to,
                     int64_t *times)
{
    const struct sl_timeline *t = audit->timeline;
    struct sl_intervals within = {0};
    bool made = true;
    for (uint32_t i = from; made && i < to; i++) {
        uint32_t event = found[i].event;
        times[i - from] = t->end_ps[event] - t->start_ps[event];
        audit->call_events[i] = event;
        made = sl_intervals_add(&within, t->start_ps[event], t->end_ps[event]);
    }
    audit->calls[audit->call_count++] = (struct sl_audit_call){
        .name = found[from].name,
        .class = found[from].class,
        .spread = sl_spread_of(times, to - from),
        .first = from,
        .idle_ps = sl_intervals_length(&within) - sl_intervals_common(&within, &audit->busy)};
    sl_intervals_free(&within);
    return made;
}

enum sl_status sl_audit_calls(struct sl_audit *audit, struct sl_error *err)
{
    uint32_t count, names = 0;
    struct found *found = find_calls(audit, &count);
    int64_t *times = malloc((count + 1u) * sizeof *times);
    for (uint32_t i = 0; found && i < count; i++)
        names += i == 0 || found[i].name != found[i - 1].name;
    audit->calls = sl_arena_array(&audit->arena, names + 1u, sizeof *audit->calls);
    audit->call_events = sl_arena_array(&audit->arena, count + 1u, sizeof *audit->call_events);
    bool made = found && times && audit->calls && audit->call_events;
    for (uint32_t from = 0, to; made && from < count; from = to) {
        for (to = from + 1; to < count && found[to].name == found[from].name;)
            to++;
        made = add_call(audit, found, from, to, times);
    }
    free(times);
    free(found);
    return made ? SL_OK : sl_audit_no_memory(err);
}
