/* Finishing a timeline: order, causes, and what only the whole shows. */
#include <config.h>

#include "keysort.h"
#include "timeline.h"
#include <stdlib.h>
#include <string.h>

/* Two sets of items: sorting needs room for as many again. */
struct sorter {
    struct sl_keyed *items, *scratch;
};

static bool sorter_make(struct sorter *sorter, uint32_t count)
{
    sorter->items = malloc((count + 1u) * sizeof *sorter->items);
    sorter->scratch = malloc((count + 1u) * sizeof *sorter->scratch);
    return sorter->items && sorter->scratch;
}

static void sorter_free(struct sorter *sorter)
{
    free(sorter->items);
    free(sorter->scratch);
}

static void shift_times(struct sl_timeline *t)
{
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->start_ps[i] < first)
            first = t->start_ps[i];
    for (uint32_t i = 0; i < t->memory_count; i++)
        if (t->memory[i].t_ps < first)
            first = t->memory[i].t_ps;
    if (first == INT64_MAX || first == 0)
        return;
    for (uint32_t i = 0; i < t->count; i++) {
        t->start_ps[i] -= first;
        t->end_ps[i] -= first;
    }
    for (uint32_t i = 0; i < t->memory_count; i++)
        t->memory[i].t_ps -= first;
    t->origin_ns += first / 1000;
}

/* Moves elements of a column to their places: sorted[i].value is where the i-th comes from. */
#define PERMUTE(column)                                                                            \
    do {                                                                                           \
        for (uint32_t i_ = 0; i_ < count; i_++)                                                    \
            memcpy((char *)room + i_ * sizeof *(column), &(column)[sorted[i_].value],              \
                   sizeof *(column));                                                              \
        memcpy((column), room, count * sizeof *(column));                                          \
    } while (0)

static void permute_events(struct sl_timeline *t, const struct sl_keyed *sorted, void *room)
{
    uint32_t count = t->count;
    if (count == 0)
        return;
    PERMUTE(t->start_ps);
    PERMUTE(t->end_ps);
    PERMUTE(t->kind);
    PERMUTE(t->name);
    PERMUTE(t->lane);
    PERMUTE(t->correlation);
    PERMUTE(t->bytes);
    PERMUTE(t->detail);
}

/* By start, of equal ones the longer first: sorted by what decides last, first. */
static void sort_events(struct sl_timeline *t, struct sorter *sorter)
{
    int64_t last = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->end_ps[i] > last)
            last = t->end_ps[i];
    for (uint32_t i = 0; i < t->count; i++)
        sorter->items[i] = (struct sl_keyed){last - t->end_ps[i], i};
    sl_sort_keyed(sorter->items, sorter->scratch, t->count);
    for (uint32_t i = 0; i < t->count; i++)
        sorter->items[i].key = t->start_ps[sorter->items[i].value];
    sl_sort_keyed(sorter->items, sorter->scratch, t->count);
    permute_events(t, sorter->items, sorter->scratch);
}

static bool sort_memory(struct sl_timeline *t)
{
    struct sorter sorter = {0};
    struct sl_memory_event *room = malloc((t->memory_count + 1u) * sizeof *room);
    bool made = sorter_make(&sorter, t->memory_count) && room;
    if (made) {
        for (uint32_t i = 0; i < t->memory_count; i++)
            sorter.items[i] = (struct sl_keyed){t->memory[i].t_ps, i};
        sl_sort_keyed(sorter.items, sorter.scratch, t->memory_count);
        for (uint32_t i = 0; i < t->memory_count; i++)
            room[i] = t->memory[sorter.items[i].value];
        free(t->memory);
        t->memory = room;
        t->memory_capacity = t->memory_count + 1;
        room = NULL;
    }
    free(room);
    sorter_free(&sorter);
    return made;
}

static bool same_detail(const struct sl_timeline *t, uint32_t a, uint32_t b)
{
    if (t->detail[a] == SL_NONE || t->detail[b] == SL_NONE)
        return t->detail[a] == t->detail[b];
    const struct sl_event_detail *x = &t->details[t->detail[a]], *y = &t->details[t->detail[b]];
    return memcmp(x->grid, y->grid, sizeof x->grid) == 0 &&
           memcmp(x->block, y->block, sizeof x->block) == 0 && x->graph_node == y->graph_node;
}

/* A call is told by its correlation, and a stream does one work of a length at a time: such events
 * that agree in all else are one.  Equal host events may well be two where clocks are coarse. */
static bool is_duplicate(const struct sl_timeline *t, uint32_t a, uint32_t b)
{
    bool told = t->kind[a] == SL_EVENT_CALL || t->end_ps[a] > t->start_ps[a];
    return told && t->correlation[a] >= 0 && t->correlation[a] == t->correlation[b] &&
           t->start_ps[a] == t->start_ps[b] && t->end_ps[a] == t->end_ps[b] &&
           t->kind[a] == t->kind[b] && t->lane[a] == t->lane[b] && t->name[a] == t->name[b] &&
           t->bytes[a] == t->bytes[b] && same_detail(t, a, b);
}

static void move_event(struct sl_timeline *t, uint32_t from, uint32_t to)
{
    t->start_ps[to] = t->start_ps[from];
    t->end_ps[to] = t->end_ps[from];
    t->kind[to] = t->kind[from];
    t->name[to] = t->name[from];
    t->lane[to] = t->lane[from];
    t->correlation[to] = t->correlation[from];
    t->bytes[to] = t->bytes[from];
    t->detail[to] = t->detail[from];
}

/* Events of one start and end are sorted by correlation, so that each is held against the one
 * before it; a stable sort keeps the one that was added first. */
static void mark_duplicates(const struct sl_timeline *t, struct sorter *sorter, bool *drop)
{
    for (uint32_t from = 0, to; from < t->count; from = to) {
        for (to = from + 1; to < t->count && t->start_ps[to] == t->start_ps[from] &&
                            t->end_ps[to] == t->end_ps[from];)
            to++;
        uint32_t count = 0;
        for (uint32_t i = from; i < to; i++)
            if (t->correlation[i] >= 0)
                sorter->items[count++] = (struct sl_keyed){t->correlation[i], i};
        if (count < 2)
            continue;
        sl_sort_keyed(sorter->items, sorter->scratch, count);
        for (uint32_t i = 1; i < count; i++)
            drop[sorter->items[i].value] =
                is_duplicate(t, sorter->items[i - 1].value, sorter->items[i].value);
    }
}

static bool drop_duplicates(struct sl_timeline *t, struct sorter *sorter)
{
    bool *drop = calloc(t->count + 1u, sizeof *drop);
    if (!drop)
        return false;
    mark_duplicates(t, sorter, drop);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (!drop[i]) {
            if (kept != i)
                move_event(t, i, kept);
            kept++;
        }
    t->hazards[SL_HAZARD_DUPLICATE] += t->count - kept;
    t->count = kept;
    free(drop);
    return true;
}

/* The calls in the order of their correlation; of several with one, the first to start. */
static uint32_t sort_calls(const struct sl_timeline *t, struct sorter *sorter)
{
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->kind[i] == SL_EVENT_CALL && t->correlation[i] >= 0)
            sorter->items[count++] = (struct sl_keyed){t->correlation[i], i};
    sl_sort_keyed(sorter->items, sorter->scratch, count);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || sorter->items[i].key != sorter->items[kept - 1].key)
            sorter->items[kept++] = sorter->items[i];
    return kept;
}

static uint32_t find_call(const struct sl_keyed *calls, uint32_t count, int64_t correlation)
{
    uint32_t at = sl_keyed_from(calls, count, correlation);
    return at < count && calls[at].key == correlation ? calls[at].value : SL_NONE;
}

/* Fills `cause` and counts what it shows.  `works` counts the works of each call. */
static void join_causes(struct sl_timeline *t, struct sorter *sorter, uint32_t *works)
{
    uint32_t calls = sort_calls(t, sorter);
    for (uint32_t i = 0; i < t->count; i++) {
        t->cause[i] = SL_NONE;
        bool launched = sl_event_on_gpu((enum sl_event_kind)t->kind[i]) ||
                        t->kind[i] == SL_EVENT_STREAM_WAIT || t->kind[i] == SL_EVENT_HOST_WAIT;
        if (launched && t->correlation[i] >= 0)
            t->cause[i] = find_call(sorter->items, calls, t->correlation[i]);
        if (t->detail[i] != SL_NONE) {
            struct sl_event_detail *detail = &t->details[t->detail[i]];
            detail->waited_call = find_call(sorter->items, calls, detail->waited_correlation);
        }
        if (!sl_event_on_gpu((enum sl_event_kind)t->kind[i]))
            continue;
        uint32_t call = t->cause[i];
        t->hazards[SL_HAZARD_NO_LAUNCH] += call == SL_NONE;
        if (call == SL_NONE)
            continue;
        t->hazards[SL_HAZARD_MANY_PER_LAUNCH] += ++works[call] == 2;
        t->hazards[SL_HAZARD_BEFORE_LAUNCH] += t->start_ps[i] < t->start_ps[call];
    }
}

/* `busy_until` holds the latest end of each lane's works so far. */
static void count_faults(struct sl_timeline *t, int64_t *busy_until)
{
    for (uint32_t i = 0; i < t->count; i++) {
        if (!sl_event_on_gpu((enum sl_event_kind)t->kind[i]))
            continue;
        int64_t *until = &busy_until[t->lane[i]];
        t->hazards[SL_HAZARD_OVERLAP] += t->start_ps[i] < *until;
        if (t->end_ps[i] > *until)
            *until = t->end_ps[i];
        t->hazards[SL_HAZARD_ZERO_TIME] += t->start_ps[i] == t->end_ps[i];
        t->hazards[SL_HAZARD_NO_BYTES] += t->kind[i] == SL_EVENT_COPY && t->bytes[i] < 0;
    }
}

enum sl_status sl_timeline_finish(struct sl_timeline *timeline, struct sl_error *err)
{
    struct sl_timeline *t = timeline;
    struct sorter sorter = {0};
    uint32_t *works = NULL;
    int64_t *busy_until = calloc(t->lane_count + 1u, sizeof *busy_until);
    shift_times(t); /* keys of the sorts are not negative */
    bool made = busy_until && sort_memory(t) && sorter_make(&sorter, t->count);
    if (made) {
        sort_events(t, &sorter);
        made = drop_duplicates(t, &sorter);
    }
    if (made) {
        free(t->cause);
        t->cause = malloc((t->count + 1u) * sizeof *t->cause);
        works = calloc(t->count + 1u, sizeof *works);
        made = t->cause && works;
    }
    if (made) {
        join_causes(t, &sorter, works);
        count_faults(t, busy_until);
    }
    free(works);
    free(busy_until);
    sorter_free(&sorter);
    return made ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for the timeline");
}
