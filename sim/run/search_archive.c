/* What the search remembers: what it has seen, its best plans; and all plans in turn. */
#include "searchparts.h"
#include "text.h"
#include <stdlib.h>
#include <string.h>

#define MOST_SEEN (1u << 28)

/* The slot that holds `hash`, or the free one where it belongs. */
static uint32_t slot_of(const uint64_t *slots, uint32_t capacity, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (capacity - 1);
    while (slots[at] != 0 && slots[at] != hash)
        at = (at + 1) & (capacity - 1);
    return at;
}

bool sl_seen_has(const struct sl_seen *seen, uint64_t hash)
{
    return seen->capacity > 0 && seen->slots[slot_of(seen->slots, seen->capacity, hash)] == hash;
}

bool sl_seen_add(struct sl_seen *seen, uint64_t hash)
{
    if (2 * (seen->count + 1) > seen->capacity) {
        uint32_t capacity = seen->capacity ? 2 * seen->capacity : 1024;
        uint64_t *larger = capacity <= MOST_SEEN ? calloc(capacity, sizeof *larger) : NULL;
        if (!larger)
            return false;
        for (uint32_t i = 0; i < seen->capacity; i++)
            if (seen->slots[i] != 0)
                larger[slot_of(larger, capacity, seen->slots[i])] = seen->slots[i];
        free(seen->slots);
        seen->slots = larger;
        seen->capacity = capacity;
    }
    uint32_t at = slot_of(seen->slots, seen->capacity, hash);
    seen->count += seen->slots[at] == 0;
    seen->slots[at] = hash;
    return true;
}

bool sl_archive_open(struct sl_archive *archive, const struct sl_space *space,
                     const struct sl_search_goal *goal, struct sl_arena *arena)
{
    *archive = (struct sl_archive){.space = space, .goal = goal};
    for (uint32_t i = 0; i <= SL_SEARCH_BEST; i++)
        if (!sl_draft_new(space, &archive->items[i].draft, arena))
            return false;
    return true;
}

/* Not above in any measure, and as good otherwise. */
static bool covers(const struct sl_archive *archive, const struct sl_search_figures *a,
                   const struct sl_search_figures *b)
{
    if (a->stuck != b->stuck || a->violation != b->violation)
        return sl_search_compare(a, b, 0) < 0;
    for (uint32_t k = 0; k < archive->goal->levels; k++)
        if (a->values[k] > b->values[k])
            return false;
    return true;
}

static void remove_at(struct sl_archive *archive, uint32_t at)
{
    struct sl_elite removed = archive->items[at];
    memmove(&archive->items[at], &archive->items[at + 1],
            (archive->count - at - 1) * sizeof removed);
    archive->items[--archive->count] = removed; /* its steps are used again */
}

/* Of plans with the same figures, which differ in what does not matter, the first is enough. */
static bool is_new(const struct sl_archive *archive, const struct sl_contestant *c)
{
    for (uint32_t i = 0; i < archive->count; i++)
        if (sl_search_compare(&archive->items[i].figures, &c->figures, archive->goal->levels) == 0)
            return false;
    return true;
}

bool sl_archive_add(struct sl_archive *archive, const struct sl_contestant *c)
{
    uint32_t levels = archive->goal->levels, at = 0;
    if (c->digest == 0 || c->dropped || !is_new(archive, c))
        return false;
    for (uint32_t i = 0; archive->goal->pareto && i < archive->count; i++)
        if (covers(archive, &archive->items[i].figures, &c->figures))
            return false;
    for (uint32_t i = archive->count; archive->goal->pareto && i-- > 0;)
        if (covers(archive, &c->figures, &archive->items[i].figures))
            remove_at(archive, i);
    while (at < archive->count &&
           sl_search_compare(&archive->items[at].figures, &c->figures, levels) <= 0)
        at++;
    if (at >= SL_SEARCH_BEST)
        return false;
    struct sl_elite fresh = archive->items[archive->count]; /* a free place */
    memmove(&archive->items[at + 1], &archive->items[at], (archive->count - at) * sizeof fresh);
    sl_draft_copy(archive->space, &fresh.draft, &c->draft);
    fresh.figures = c->figures;
    fresh.digest = c->digest;
    archive->items[at] = fresh;
    archive->count += archive->count < SL_SEARCH_BEST;
    return true;
}

/* The first step that is allowed from `step` on; false: none is. */
static bool settle(const struct sl_space *space, uint32_t base, uint32_t gap, struct sl_step *step)
{
    for (; step->action <= SL_STEP_OFFLOAD; step->action++, step->timing = 0)
        for (; step->timing < space->usual_timings; step->timing++)
            if (sl_step_allowed(space, base, gap, *step))
                return true;
    return false;
}

/* The first draft of the first base from `base` on that has a plan; false: there is none. */
static bool begin_base(const struct sl_space *space, struct sl_draft *draft, uint32_t base)
{
    while (base < space->base_count && !space->starts[base].steps)
        base++;
    if (base == space->base_count)
        return false;
    draft->base = base;
    draft->nodes = space->starts[base].nodes;
    draft->node_count = space->starts[base].node_count;
    for (uint32_t g = 0; g < space->gap_count; g++) {
        draft->steps[g] = (struct sl_step){0};
        settle(space, base, g, &draft->steps[g]);
    }
    return true;
}

void sl_space_first(const struct sl_space *space, struct sl_draft *draft)
{
    begin_base(space, draft, 0);
}

bool sl_space_next(const struct sl_space *space, struct sl_draft *draft)
{
    for (uint32_t g = 0; g < space->gap_count; g++) {
        struct sl_step *step = &draft->steps[g];
        step->timing++;
        if (settle(space, draft->base, g, step))
            return true;
        *step = (struct sl_step){0};
        settle(space, draft->base, g, step);
    }
    return begin_base(space, draft, draft->base + 1);
}
