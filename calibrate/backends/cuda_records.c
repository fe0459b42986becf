/* Reading a shot's trace: tags by correlation number, then activity by activity. */
#include <config.h>

#include "cuda_records.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An id: epoch, actor, unit in 32, 8 and 24 bits. */
uint64_t sl_cuda_id(uint32_t epoch, uint32_t actor, uint32_t unit)
{
    return (uint64_t)epoch << 32 | (uint64_t)(actor & 0xff) << 24 | (unit & 0xffffff);
}

static int by_correlation(const void *left, const void *right)
{
    const struct sl_cuda_tag *a = left, *b = right;
    return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

static void sort_tags(struct sl_cuda_trace *trace)
{
    if (trace->tag_count > 0)
        qsort(trace->tags, trace->tag_count, sizeof *trace->tags, by_correlation);
}

/* NULL: nothing was tagged with that number. */
static const struct sl_cuda_tag *tag_of(const struct sl_cuda_trace *trace, uint32_t correlation)
{
    struct sl_cuda_tag key = {.correlation = correlation};
    if (trace->tag_count == 0)
        return NULL;
    return bsearch(&key, trace->tags, trace->tag_count, sizeof key, by_correlation);
}

static void append(struct sl_shot_log *log, const struct sl_shot_record *record)
{
    if (log->count < SL_SHOT_RECORDS_MAX)
        log->records[log->count++] = *record;
    else
        log->dropped++;
}

/* What is known while the trace is read. */
struct reader {
    const struct sl_cuda_reading *reading;
    struct sl_shot_log *log;
    int64_t released_ns; /* when the last thing that holds the victim back had ended */
    /* From the start of the victim's first call to the end of its last one. */
    bool called, untimed;
    int64_t call_start_ns, call_end_ns;
};

static void widen_call(struct reader *reader, const struct sl_cuda_activity *activity)
{
    reader->called = true;
    if (activity->kind != SL_CUDA_API)
        return;
    bool first = reader->call_start_ns == 0 && reader->call_end_ns == 0;
    reader->untimed |= activity->start_ns == 0 && activity->end_ns == 0;
    if (first || activity->start_ns < reader->call_start_ns)
        reader->call_start_ns = activity->start_ns;
    if (first || activity->end_ns > reader->call_end_ns)
        reader->call_end_ns = activity->end_ns;
}

static bool holds_victim(uint32_t actor, uint32_t unit, uint32_t aggressor_count)
{
    return actor == SL_CUDA_GATE ||
           (actor >= 1 && actor <= aggressor_count && unit == SL_CUDA_LEAD_UNITS - 1);
}

static bool is_work(const struct sl_cuda_activity *activity)
{
    return activity->kind == SL_CUDA_KERNEL || activity->kind == SL_CUDA_MEMCPY ||
           activity->kind == SL_CUDA_MEMSET;
}

static void read_activity(struct reader *reader, const struct sl_cuda_activity *activity,
                          uint64_t id)
{
    const struct sl_cuda_reading *reading = reader->reading;
    uint32_t actor = (uint32_t)(id >> 24) & 0xff, unit = (uint32_t)id & 0xffffff;
    if (actor == 0 && (reading->call || activity->kind == SL_CUDA_API))
        widen_call(reader, activity);
    if (!is_work(activity) || (actor == 0 && reading->call))
        return;
    if (holds_victim(actor, unit, reading->aggressor_count) &&
        activity->end_ns > reader->released_ns)
        reader->released_ns = activity->end_ns;
    if (actor != SL_CUDA_GATE)
        append(reader->log, &(struct sl_shot_record){.actor = actor,
                                                     .unit = unit,
                                                     .submitted_ns = activity->submitted_ns,
                                                     .start_ns = activity->start_ns,
                                                     .end_ns = activity->end_ns,
                                                     .co_resident = (double)NAN});
}

static int64_t submission(const struct reader *reader, const struct sl_shot_record *victim)
{
    if (reader->reading->gated)
        return reader->released_ns < victim->start_ns ? reader->released_ns : victim->start_ns;
    return victim->submitted_ns != 0 ? victim->submitted_ns : reader->call_start_ns;
}

void sl_cuda_read_trace(struct sl_cuda_trace *trace, const struct sl_cuda_reading *reading,
                        struct sl_shot_log *log)
{
    struct reader reader = {.reading = reading, .log = log};
    uint32_t first = log->count;
    log->dropped += trace->dropped;
    sort_tags(trace);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct sl_cuda_tag *tag = tag_of(trace, trace->activities[i].correlation);
        if (tag && tag->id >> 32 == reading->epoch)
            read_activity(&reader, &trace->activities[i], tag->id);
    }
    if (reading->call && reader.called)
        append(log, &(struct sl_shot_record){.start_ns = reader.untimed ? 0 : reader.call_start_ns,
                                             .end_ns = reader.untimed ? 0 : reader.call_end_ns,
                                             .co_resident = (double)NAN});
    for (uint32_t i = first; i < log->count; i++) {
        struct sl_shot_record *record = &log->records[i];
        record->submitted_ns = record->actor == 0 ? submission(&reader, record) : 0;
    }
}

static void widen_span(struct sl_cuda_span *span, const struct sl_cuda_activity *activity)
{
    bool first = span->works++ == span->untimed;
    if (activity->start_ns == 0 && activity->end_ns == 0) {
        span->untimed++;
        return;
    }
    if (first || activity->start_ns < span->start_ns)
        span->start_ns = activity->start_ns;
    if (first || activity->end_ns > span->end_ns)
        span->end_ns = activity->end_ns;
}

void sl_cuda_read_spans(struct sl_cuda_trace *trace, uint32_t epoch, struct sl_cuda_span *spans,
                        uint32_t count)
{
    memset(spans, 0, count * sizeof *spans);
    sort_tags(trace);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct sl_cuda_activity *activity = &trace->activities[i];
        const struct sl_cuda_tag *tag = tag_of(trace, activity->correlation);
        if (!tag || !is_work(activity))
            continue;
        uint64_t unit = tag->id - sl_cuda_id(epoch, 0, 0);
        if (unit < count)
            widen_span(&spans[unit], activity);
    }
}

double sl_cuda_block_time(const struct sl_cuda_blocks *blocks)
{
    double sum = 0;
    uint32_t ran = 0;
    for (uint32_t i = 0; i < blocks->count; i++) {
        const struct sl_cuda_stamp *stamp = &blocks->stamps[i];
        if (stamp->end_ns < stamp->start_ns || stamp->end_ns == 0)
            continue;
        sum += (double)(stamp->end_ns - stamp->start_ns);
        ran++;
    }
    return ran > 0 ? sum / ran : (double)NAN;
}

static int by_place(const void *left, const void *right)
{
    const struct sl_cuda_stamp *a = left, *b = right;
    if (a->sm != b->sm)
        return a->sm < b->sm ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* First of the sorted stamps that is on `sm` or behind it. */
static size_t first_on(const struct sl_cuda_stamp *stamps, size_t count, uint32_t sm)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stamps[middle].sm < sm)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Length of the union of the others' times on the block's multiprocessor, within its own time. */
static double shared_ns(const struct sl_cuda_stamp *block, const struct sl_cuda_stamp *others,
                        size_t count)
{
    uint64_t shared = 0, reached = block->start_ns;
    for (size_t i = first_on(others, count, block->sm);
         i < count && others[i].sm == block->sm && others[i].start_ns < block->end_ns; i++) {
        uint64_t start = others[i].start_ns > reached ? others[i].start_ns : reached;
        uint64_t end = others[i].end_ns < block->end_ns ? others[i].end_ns : block->end_ns;
        if (end <= start)
            continue;
        shared += end - start;
        reached = end;
    }
    return (double)shared;
}

double sl_cuda_co_residency(const struct sl_cuda_blocks *victim, struct sl_cuda_stamp *others,
                            size_t other_count)
{
    double shared = 0, whole = 0;
    if (other_count > 0)
        qsort(others, other_count, sizeof *others, by_place);
    for (uint32_t i = 0; i < victim->count; i++) {
        const struct sl_cuda_stamp *block = &victim->stamps[i];
        if (block->end_ns <= block->start_ns)
            continue;
        whole += (double)(block->end_ns - block->start_ns);
        shared += shared_ns(block, others, other_count);
    }
    return whole > 0 ? shared / whole : (double)NAN;
}
