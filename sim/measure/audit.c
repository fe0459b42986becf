/* The audit of a timeline: its scope, its works, and the order of its parts. */
#include <config.h>

#include "audit_parts.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const class_names[SL_WORK_CLASSES] = {"compute", "comm", "h2d", "d2h",
                                                         "d2d",     "copy", "set", "other"};

const char *sl_work_class_name(enum sl_work_class class)
{
    return class_names[class];
}

static bool is_host(enum sl_memory_kind kind)
{
    return kind == SL_MEMORY_PAGEABLE || kind == SL_MEMORY_PINNED || kind == SL_MEMORY_HOST;
}

static bool is_device(enum sl_memory_kind kind)
{
    return kind == SL_MEMORY_DEVICE || kind == SL_MEMORY_ARRAY;
}

static enum sl_work_class class_of_copy(const struct sl_timeline *timeline, uint32_t event)
{
    if (timeline->detail[event] == SL_NONE)
        return SL_WORK_COPY;
    const struct sl_event_detail *detail = &timeline->details[timeline->detail[event]];
    if (is_host(detail->from) && is_device(detail->to))
        return SL_WORK_H2D;
    if (is_device(detail->from) && is_host(detail->to))
        return SL_WORK_D2H;
    return is_device(detail->from) && is_device(detail->to) ? SL_WORK_D2D : SL_WORK_COPY;
}

enum sl_work_class sl_work_class_of(const struct sl_timeline *timeline, uint32_t event)
{
    const char *name = timeline->names.names[timeline->name[event]];
    switch (timeline->kind[event]) {
    case SL_EVENT_KERNEL:
        return strcasestr(name, "nccl") || strcasestr(name, "rccl") ? SL_WORK_COMM
                                                                    : SL_WORK_COMPUTE;
    case SL_EVENT_COPY:
        return class_of_copy(timeline, event);
    case SL_EVENT_SET:
        return SL_WORK_SET;
    default:
        return SL_WORK_OTHER;
    }
}

static int by_time(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

struct sl_spread sl_spread_of(int64_t *times_ps, uint32_t count)
{
    struct sl_spread spread = {.count = count};
    if (count == 0)
        return spread;
    qsort(times_ps, count, sizeof *times_ps, by_time);
    for (uint32_t i = 0; i < count; i++)
        spread.sum_ps = sl_sum(spread.sum_ps, times_ps[i]);
    spread.median_ps = times_ps[(count - 1) / 2];
    spread.p95_ps = times_ps[((uint64_t)count * 95 + 99) / 100 - 1];
    spread.most_ps = times_ps[count - 1];
    return spread;
}

enum sl_status sl_audit_no_memory(struct sl_error *err)
{
    return SL_FAIL(err, SL_SYSTEM, "out of memory for the audit");
}

/* Works come in the order of their start.  `until` holds when each lane is through with the works
 * before, those outside the scope, too. */
static void list_works(struct sl_audit *audit, int64_t *until)
{
    const struct sl_timeline *t = audit->timeline;
    for (uint32_t i = 0; i < t->count; i++) {
        if (!sl_event_on_gpu((enum sl_event_kind)t->kind[i]))
            continue;
        int64_t start = t->start_ps[i], before = until[t->lane[i]];
        int64_t launched = t->cause[i] == SL_NONE ? -1 : t->end_ps[t->cause[i]];
        if (t->end_ps[i] > before)
            until[t->lane[i]] = t->end_ps[i];
        if (!sl_audit_has(audit, i))
            continue;
        int64_t ready = launched > before ? launched : before;
        if (ready > start || (launched < 0 && before == 0))
            ready = start;
        int64_t behind = launched < 0 || ready < launched ? 0 : ready - launched;
        audit->works[audit->work_count++] =
            (struct sl_audit_work){.event = i,
                                   .class = sl_work_class_of(t, i),
                                   .step = SL_NONE,
                                   .ready_ps = ready,
                                   .behind_ps = launched < 0 ? -1 : behind,
                                   .delay_ps = launched < 0 ? -1 : start - ready};
        audit->launched_count += launched >= 0;
        audit->kernel_count += t->kind[i] == SL_EVENT_KERNEL;
    }
}

enum sl_status sl_audit_works(struct sl_audit *audit, struct sl_error *err)
{
    const struct sl_timeline *t = audit->timeline;
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        count += sl_event_on_gpu((enum sl_event_kind)t->kind[i]) && sl_audit_has(audit, i);
    audit->works = sl_arena_array(&audit->arena, count + 1u, sizeof *audit->works);
    int64_t *until = calloc(t->lane_count + 1u, sizeof *until);
    if (audit->works && until)
        list_works(audit, until);
    free(until);
    return audit->works && until ? SL_OK : sl_audit_no_memory(err);
}

static const char *name_of_step(const struct sl_audit *audit, uint32_t step)
{
    const struct sl_timeline *t = audit->timeline;
    return t->names.names[t->name[audit->steps[step].event]];
}

/* By its name, else by its number; SL_NONE: there is none. */
static uint32_t find_step(const struct sl_audit *audit, const char *wanted)
{
    for (uint32_t i = 0; i < audit->step_count; i++)
        if (strcmp(name_of_step(audit, i), wanted) == 0)
            return i;
    char *end;
    unsigned long number = strtoul(wanted, &end, 10);
    bool good = *wanted >= '0' && *wanted <= '9' && *end == '\0' && number < audit->step_count;
    return good ? (uint32_t)number : SL_NONE;
}

/* Narrows the scope to a window or a step. */
static enum sl_status set_scope(struct sl_audit *audit, const struct sl_audit_options *options,
                                struct sl_error *err)
{
    audit->from_ps = options->from_ps;
    audit->to_ps = options->to_ps;
    if (!options->step)
        return SL_OK;
    if (audit->step_count == 0)
        return SL_FAIL(err, SL_USAGE, "the trace has no steps; --range names what repeats");
    uint32_t step = find_step(audit, options->step);
    if (step == SL_NONE)
        return SL_FAIL(err, SL_USAGE,
                       "there is no step '%s'; the trace has 0 to %u, named '%s' to '%s'",
                       options->step, audit->step_count - 1, name_of_step(audit, 0),
                       name_of_step(audit, audit->step_count - 1));
    audit->from_ps = audit->steps[step].from_ps;
    audit->to_ps = audit->steps[step].to_ps;
    return SL_OK;
}

enum sl_status sl_audit_make(struct sl_audit *audit, const struct sl_timeline *timeline,
                             const struct sl_audit_options *options, struct sl_error *err)
{
    static enum sl_status (*const parts[])(struct sl_audit *, struct sl_error *) = {
        sl_audit_works, sl_audit_events,   sl_audit_totals, sl_audit_waits,
        sl_audit_calls, sl_audit_memories, sl_audit_steps,  sl_audit_uses};
    *audit = (struct sl_audit){.timeline = timeline};
    enum sl_status status = sl_audit_find_steps(audit, options->range, err);
    if (status == SL_OK)
        status = set_scope(audit, options, err);
    for (size_t i = 0; status == SL_OK && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](audit, err);
    return status;
}

void sl_audit_free(struct sl_audit *audit)
{
    sl_intervals_free(&audit->busy);
    sl_intervals_free(&audit->memory_busy);
    for (int i = 0; i < SL_WORK_CLASSES; i++)
        sl_intervals_free(&audit->busy_of[i]);
    sl_arena_free(&audit->arena);
    *audit = (struct sl_audit){0};
}
