/* Which annotations are the steps of a timeline.  Names that differ by numbers alone are one range:
 * "ProfilerStep#4", "iteration 17". */
#include <config.h>

#include "audit_parts.h"
#include "text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char profiler_step[] = "ProfilerStep";

/* Ranges of one name: how many, and how long they last together.  Those that begin before the one
 * before has ended are not counted: steps follow each other. */
struct range {
    uint32_t count;
    int64_t cover_ps, until_ps;
};
struct ranges {
    struct sl_names names; /* without numbers */
    uint32_t *of;          /* by name of the timeline: index in names, SL_NONE */
    struct range *items;
};

/* Without numbers, and what joins them: "iteration 17" becomes "iteration". */
static void strip_numbers(const char *name, char *into, size_t room)
{
    size_t length = 0;
    for (; *name && length + 1 < room; name++)
        if (!isdigit((unsigned char)*name))
            into[length++] = *name;
    while (length > 0 && strchr(" #_:.-", into[length - 1]))
        length--;
    into[length] = '\0';
}

static bool is_host_range(const struct sl_timeline *t, uint32_t event)
{
    return t->kind[event] == SL_EVENT_RANGE && t->lanes[t->lane[event]].kind == SL_LANE_THREAD;
}

static bool name_ranges(const struct sl_timeline *t, struct ranges *ranges)
{
    char text[256];
    ranges->of = malloc((t->names.count + 1u) * sizeof *ranges->of);
    if (!ranges->of)
        return false;
    memset(ranges->of, 0xFF, (t->names.count + 1u) * sizeof *ranges->of);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t *of = &ranges->of[t->name[i]];
        if (!is_host_range(t, i) || *of != SL_NONE)
            continue;
        strip_numbers(t->names.names[t->name[i]], text, sizeof text);
        *of = sl_names_add(&ranges->names, text);
        if (*of == SL_NONE)
            return false;
    }
    ranges->items = calloc(ranges->names.count + 1u, sizeof *ranges->items);
    return ranges->items != NULL;
}

static void measure_ranges(const struct sl_timeline *t, struct ranges *ranges)
{
    for (uint32_t i = 0; i < t->count; i++) {
        if (!is_host_range(t, i))
            continue;
        struct range *range = &ranges->items[ranges->of[t->name[i]]];
        if (t->start_ps[i] < range->until_ps)
            continue;
        range->count++;
        range->cover_ps += t->end_ps[i] - t->start_ps[i];
        range->until_ps = t->end_ps[i];
    }
}

/* ProfilerStep; else what repeats and covers most, and half of the timeline at least. */
static uint32_t choose(const struct sl_timeline *t, const struct ranges *ranges)
{
    uint32_t best = sl_names_find(&ranges->names, profiler_step);
    if (best != SL_NONE)
        return best;
    int64_t end = 0;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->end_ps[i] > end)
            end = t->end_ps[i];
    for (uint32_t i = 0; i < ranges->names.count; i++)
        if (ranges->items[i].count >= 2 && ranges->items[i].cover_ps >= end / 2 &&
            (best == SL_NONE || ranges->items[i].cover_ps > ranges->items[best].cover_ps))
            best = i;
    return best;
}

static bool list_steps(struct sl_audit *audit, const struct ranges *ranges, uint32_t chosen)
{
    const struct sl_timeline *t = audit->timeline;
    audit->steps =
        sl_arena_array(&audit->arena, ranges->items[chosen].count + 1u, sizeof *audit->steps);
    audit->steps_name = sl_arena_strdup(&audit->arena, ranges->names.names[chosen]);
    if (!audit->steps || !audit->steps_name)
        return false;
    int64_t until = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (!is_host_range(t, i) || ranges->of[t->name[i]] != chosen || t->start_ps[i] < until)
            continue;
        until = t->end_ps[i];
        audit->steps[audit->step_count] = (struct sl_audit_step){.event = i,
                                                                 .number = audit->step_count,
                                                                 .from_ps = t->start_ps[i],
                                                                 .to_ps = until,
                                                                 .finish_ps = until,
                                                                 .odd_lane = SL_NONE};
        audit->step_count++;
    }
    return true;
}

static enum sl_status find_steps(struct sl_audit *audit, struct ranges *ranges, const char *wanted,
                                 struct sl_error *err)
{
    const struct sl_timeline *t = audit->timeline;
    if (!name_ranges(t, ranges))
        return sl_audit_no_memory(err);
    measure_ranges(t, ranges);
    uint32_t chosen = SL_NONE;
    if (wanted) {
        char text[256], hint[256] = "";
        strip_numbers(wanted, text, sizeof text);
        chosen = sl_names_find(&ranges->names, text);
        if (chosen == SL_NONE) {
            sl_suggest(hint, sizeof hint, text, ranges->names.names, ranges->names.count);
            return SL_FAIL(err, SL_USAGE, "the trace has no range '%s'%s", wanted, hint);
        }
    } else {
        chosen = choose(t, ranges);
    }
    if (chosen == SL_NONE)
        return SL_OK;
    return list_steps(audit, ranges, chosen) ? SL_OK : sl_audit_no_memory(err);
}

enum sl_status sl_audit_find_steps(struct sl_audit *audit, const char *range, struct sl_error *err)
{
    struct ranges ranges = {0};
    enum sl_status status = find_steps(audit, &ranges, range, err);
    free(ranges.of);
    free(ranges.items);
    sl_names_free(&ranges.names);
    return status;
}
