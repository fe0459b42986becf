/* Which track a slice goes on: that of the server that it took, as far as a record tells - servers
 * of a resource are alike, so a free one is as good as any. */
#include <config.h>

#include "export_tracks.h"
#include "keysort.h"

static bool touches(const struct sl_export *what, int64_t start_ps, int64_t end_ps)
{
    return start_ps <= what->to_ps && end_ps >= what->from_ps;
}

static struct sl_slice slice_of(const struct sl_export *what, uint32_t run, uint32_t resource)
{
    const struct sl_trial *t = what->trial;
    bool holds = resource < what->graph->platform->resource_names.count;
    return (struct sl_slice){.run = run,
                             .node = sl_trial_node(t, what->graph->node_count, run),
                             .resource = resource,
                             .start_ps = t->start_ps[run],
                             .end_ps = holds ? t->free_ps[run] : t->finish_ps[run]};
}

/* Calls itself twice: `slices` NULL counts. */
static uint32_t collect(const struct sl_export *what, struct sl_slice *slices)
{
    const struct sl_graph *graph = what->graph;
    uint32_t count = 0, none = graph->platform->resource_names.count;
    for (uint32_t run = 0; run < what->trial->run_count; run++) {
        if (what->trial->state[run] != SL_RAN)
            continue;
        const struct sl_span *demands =
            &graph->nodes[sl_trial_node(what->trial, graph->node_count, run)].demands;
        for (uint32_t d = 0; d < (demands->count ? demands->count : 1); d++) {
            uint32_t resource = demands->count ? graph->demands[demands->first + d].resource : none;
            struct sl_slice slice = slice_of(what, run, resource);
            if (!touches(what, slice.start_ps, slice.end_ps))
                continue;
            if (slices)
                slices[count] = slice;
            count++;
        }
    }
    return count;
}

/* Room for sorting, and the tracks that are free. */
struct sorting {
    struct sl_keyed *starts, *ends, *scratch;
    uint32_t *free_tracks;
    bool *placed;
};

static bool make_room(struct sorting *room, struct sl_arena *arena, uint32_t count)
{
    size_t n = (size_t)count + 1;
    room->starts = sl_arena_array(arena, n, sizeof *room->starts);
    room->ends = sl_arena_array(arena, n, sizeof *room->ends);
    room->scratch = sl_arena_array(arena, n, sizeof *room->scratch);
    room->free_tracks = sl_arena_array(arena, n, sizeof *room->free_tracks);
    room->placed = sl_arena_array(arena, n, sizeof *room->placed);
    return room->starts && room->ends && room->scratch && room->free_tracks && room->placed;
}

/* By resource and start; of equal ones the shorter first, for one that takes no time leaves its
 * track to the next. */
static void sort(const struct sl_slice *as_found, struct sl_slice *slices, uint32_t count,
                 const struct sorting *room)
{
    struct sl_keyed *order = room->starts;
    for (uint32_t i = 0; i < count; i++)
        order[i] = (struct sl_keyed){as_found[i].end_ps, i};
    sl_sort_keyed(order, room->scratch, count);
    for (uint32_t i = 0; i < count; i++)
        order[i].key = as_found[order[i].value].start_ps;
    sl_sort_keyed(order, room->scratch, count);
    for (uint32_t i = 0; i < count; i++)
        order[i].key = as_found[order[i].value].resource;
    sl_sort_keyed(order, room->scratch, count);
    for (uint32_t i = 0; i < count; i++)
        slices[i] = as_found[order[i].value];
}

/* Slices of one resource, in the order of start, take the track that came free last, or a new one.
 */
static void place(struct sl_slice *slices, uint32_t count, const struct sorting *room)
{
    for (uint32_t i = 0; i < count; i++) {
        room->ends[i] = (struct sl_keyed){slices[i].end_ps, i};
        room->placed[i] = false;
    }
    sl_sort_keyed(room->ends, room->scratch, count);
    uint32_t tracks = 0, free_count = 0, ended = 0;
    for (uint32_t i = 0; i < count; i++) {
        /* One that takes no time ends before it is placed: it is passed when its turn has come. */
        while (ended < count && room->ends[ended].key <= slices[i].start_ps &&
               room->placed[room->ends[ended].value])
            room->free_tracks[free_count++] = slices[room->ends[ended++].value].track;
        slices[i].track = free_count > 0 ? room->free_tracks[--free_count] : tracks++;
        room->placed[i] = true;
    }
}

enum sl_status sl_export_slices(const struct sl_export *what, struct sl_arena *arena,
                                struct sl_slice **slices, uint32_t *count, struct sl_error *err)
{
    struct sl_arena scratch = {0};
    struct sorting room;
    *count = collect(what, NULL);
    struct sl_slice *as_found = sl_arena_array(&scratch, (size_t)*count + 1, sizeof *as_found);
    *slices = sl_arena_array(arena, (size_t)*count + 1, sizeof **slices);
    if (!as_found || !*slices || !make_room(&room, &scratch, *count)) {
        sl_arena_free(&scratch);
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u slices", (unsigned)*count);
    }
    collect(what, as_found);
    sort(as_found, *slices, *count, &room);
    for (uint32_t from = 0, to; from < *count; from = to) {
        for (to = from; to < *count && (*slices)[to].resource == (*slices)[from].resource;)
            to++;
        place(*slices + from, to - from, &room);
    }
    sl_arena_free(&scratch);
    return SL_OK;
}
