/* Memory of an audit: peaks as the file states them and as changes sum up, and lifetimes. */
#include <config.h>

#include "audit_parts.h"
#include "keysort.h"
#include <stdlib.h>

/* No machine has so many; further ones of a broken file are passed over. */
enum { MOST_MEMORIES = 256 };

static bool in_scope(const struct sl_audit *audit, const struct sl_memory_event *event)
{
    return event->t_ps >= audit->from_ps && event->t_ps < audit->to_ps;
}

/* The memory of an event, added when new; NULL: out of memory. */
static struct sl_audit_memory *memory_of(struct sl_audit *audit,
                                         const struct sl_memory_event *event)
{
    for (uint32_t i = 0; i < audit->memory_count; i++)
        if (audit->memories[i].device_type == event->device_type &&
            audit->memories[i].device == event->device)
            return &audit->memories[i];
    if (audit->memory_count == MOST_MEMORIES)
        return &audit->memories[MOST_MEMORIES - 1];
    if (audit->memory_count == 0)
        audit->memories = sl_arena_array(&audit->arena, MOST_MEMORIES, sizeof *audit->memories);
    if (!audit->memories)
        return NULL;
    struct sl_audit_memory *memory = &audit->memories[audit->memory_count++];
    *memory = (struct sl_audit_memory){.device_type = event->device_type,
                                       .device = event->device,
                                       .peak_allocated_bytes = -1,
                                       .peak_reserved_bytes = -1};
    return memory;
}

/* What sums while events pass: how many bytes there are more than at the beginning, and since when.
 */
struct running {
    int64_t bytes, since_ps;
};

static void pass(struct sl_audit_memory *memory, struct running *running,
                 const struct sl_memory_event *event)
{
    memory->byte_s += (double)running->bytes * (double)(event->t_ps - running->since_ps) * 1e-12;
    running->since_ps = event->t_ps;
    running->bytes = sl_sum(running->bytes, event->bytes);
    memory->events++;
    memory->allocations += event->bytes > 0;
    if (running->bytes > memory->peak_delta_bytes) {
        memory->peak_delta_bytes = running->bytes;
        memory->peak_delta_ps = event->t_ps;
    }
    if (event->allocated_bytes > memory->peak_allocated_bytes)
        memory->peak_allocated_bytes = event->allocated_bytes;
    if (event->reserved_bytes > memory->peak_reserved_bytes)
        memory->peak_reserved_bytes = event->reserved_bytes;
}

/* Allocations and returns of one address stand together, in time: each return ends the allocation
 * before it.  `items` are the events of one memory by address. */
static void find_lifetimes(const struct sl_timeline *t, struct sl_audit_memory *memory,
                           const struct sl_keyed *items, uint32_t count, int64_t *times)
{
    uint32_t lives = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct sl_memory_event *event = &t->memory[items[i].value];
        if (event->bytes <= 0)
            continue;
        bool again = i + 1 < count && items[i + 1].key == items[i].key;
        const struct sl_memory_event *next = again ? &t->memory[items[i + 1].value] : NULL;
        if (next && next->bytes < 0) {
            times[lives++] = next->t_ps - event->t_ps;
        } else {
            memory->kept++;
            memory->kept_bytes = sl_sum(memory->kept_bytes, event->bytes);
        }
    }
    memory->lifetimes = sl_spread_of(times, lives);
}

static void audit_memory(struct sl_audit *audit, struct sl_audit_memory *memory,
                         struct sl_keyed *items, struct sl_keyed *scratch, int64_t *times)
{
    const struct sl_timeline *t = audit->timeline;
    struct running running = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->memory_count; i++) {
        const struct sl_memory_event *event = &t->memory[i];
        if (!in_scope(audit, event) || event->device_type != memory->device_type ||
            event->device != memory->device)
            continue;
        if (memory->events == 0)
            running.since_ps = event->t_ps;
        pass(memory, &running, event);
        if (event->address != 0)
            items[count++] = (struct sl_keyed){(int64_t)(event->address & INT64_MAX), i};
    }
    sl_sort_keyed(items, scratch, count);
    find_lifetimes(t, memory, items, count, times);
}

enum sl_status sl_audit_memories(struct sl_audit *audit, struct sl_error *err)
{
    const struct sl_timeline *t = audit->timeline;
    size_t room = t->memory_count + 1u;
    struct sl_keyed *items = malloc(room * sizeof *items),
                    *scratch = malloc(room * sizeof *scratch);
    int64_t *times = malloc(room * sizeof *times);
    bool made = items && scratch && times;
    for (uint32_t i = 0; made && i < t->memory_count; i++)
        made = !in_scope(audit, &t->memory[i]) || memory_of(audit, &t->memory[i]);
    for (uint32_t i = 0; made && i < audit->memory_count; i++)
        audit_memory(audit, &audit->memories[i], items, scratch, times);
    free(items);
    free(scratch);
    free(times);
    return made ? SL_OK : sl_audit_no_memory(err);
}
