/* Totals of an audit: by stream, by class, by name of copy, and what ran side by side. */
#include <config.h>

#include "audit_parts.h"
#include <stdlib.h>
#include <string.h>

/* Fills the sets of busy times.  `twice` gets the times in which two works of one class ran: the
 * pieces of each work that lie in what its class had covered before it; their starts ascend, too.
 */
static bool unite(struct sl_audit *audit, struct sl_intervals twice[SL_WORK_CLASSES])
{
    const struct sl_timeline *t = audit->timeline;
    for (uint32_t i = 0; i < audit->work_count; i++) {
        const struct sl_audit_work *work = &audit->works[i];
        int64_t from = t->start_ps[work->event], to = t->end_ps[work->event];
        const struct sl_intervals *own = &audit->busy_of[work->class];
        int64_t covered = own->count > 0 ? own->items[own->count - 1].to_ps : 0;
        bool memory = t->kind[work->event] == SL_EVENT_COPY || t->kind[work->event] == SL_EVENT_SET;
        if (!sl_intervals_add(&twice[work->class], from, covered < to ? covered : to) ||
            !sl_intervals_add(&audit->busy_of[work->class], from, to) ||
            !sl_intervals_add(&audit->busy, from, to) ||
            (memory && !sl_intervals_add(&audit->memory_busy, from, to)))
            return false;
    }
    return true;
}

static enum sl_status find_overlaps(struct sl_audit *audit, struct sl_error *err)
{
    struct sl_intervals twice[SL_WORK_CLASSES] = {0};
    bool made = unite(audit, twice);
    for (int a = 0; a < SL_WORK_CLASSES; a++) {
        for (int b = 0; made && b < SL_WORK_CLASSES; b++)
            audit->together_ps[a][b] =
                a == b ? sl_intervals_length(&twice[a])
                       : sl_intervals_common(&audit->busy_of[a], &audit->busy_of[b]);
        sl_intervals_free(&twice[a]);
    }
    return made ? SL_OK : sl_audit_no_memory(err);
}

/* In the order of device and stream. */
static int by_lane(const void *a, const void *b, void *user)
{
    const struct sl_timeline *t = user;
    const struct sl_lane *x = &t->lanes[((const struct sl_audit_stream *)a)->lane];
    const struct sl_lane *y = &t->lanes[((const struct sl_audit_stream *)b)->lane];
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static bool sum_streams(struct sl_audit *audit)
{
    const struct sl_timeline *t = audit->timeline;
    struct sl_audit_stream *all = sl_arena_array(&audit->arena, t->lane_count + 1u, sizeof *all);
    if (!all)
        return false;
    for (uint32_t i = 0; i < audit->work_count; i++) {
        uint32_t event = audit->works[i].event;
        struct sl_audit_stream *stream = &all[t->lane[event]];
        stream->works++;
        stream->busy_sum_ps = sl_sum(stream->busy_sum_ps, t->end_ps[event] - t->start_ps[event]);
    }
    for (uint32_t lane = 0; lane < t->lane_count; lane++) {
        all[lane].lane = lane;
        if (all[lane].works > 0)
            all[audit->stream_count++] = all[lane];
    }
    audit->streams = all;
    qsort_r(all, audit->stream_count, sizeof *all, by_lane, (void *)(uintptr_t)t);
    return true;
}

/* The streams stand by device: so do the devices.  `of_lane` gets the device of each lane. */
static void list_devices(struct sl_audit *audit, uint32_t *of_lane)
{
    for (uint32_t i = 0; i < audit->stream_count; i++) {
        int64_t number = audit->timeline->lanes[audit->streams[i].lane].process;
        if (audit->device_count == 0 || audit->devices[audit->device_count - 1].number != number)
            audit->devices[audit->device_count++].number = number;
        of_lane[audit->streams[i].lane] = audit->device_count - 1;
    }
}

static bool unite_devices(struct sl_audit *audit, const uint32_t *of_lane,
                          struct sl_intervals *busy, struct sl_intervals *compute)
{
    const struct sl_timeline *t = audit->timeline;
    for (uint32_t i = 0; i < audit->work_count; i++) {
        uint32_t event = audit->works[i].event, device = of_lane[t->lane[event]];
        bool computes = audit->works[i].class == SL_WORK_COMPUTE;
        audit->devices[device].works++;
        if (!sl_intervals_add(&busy[device], t->start_ps[event], t->end_ps[event]) ||
            (computes && !sl_intervals_add(&compute[device], t->start_ps[event], t->end_ps[event])))
            return false;
    }
    return true;
}

static bool sum_devices(struct sl_audit *audit)
{
    uint32_t room = audit->stream_count + 1u;
    uint32_t *of_lane = calloc(audit->timeline->lane_count + 1u, sizeof *of_lane);
    struct sl_intervals *busy = calloc(room, sizeof *busy),
                        *compute = calloc(room, sizeof *compute);
    audit->devices = sl_arena_array(&audit->arena, room, sizeof *audit->devices);
    bool made = of_lane && busy && compute && audit->devices;
    if (made) {
        list_devices(audit, of_lane);
        made = unite_devices(audit, of_lane, busy, compute);
    }
    for (uint32_t i = 0; i < audit->device_count; i++) {
        audit->devices[i].busy_ps = sl_intervals_length(&busy[i]);
        audit->devices[i].compute_ps = sl_intervals_length(&compute[i]);
        sl_intervals_free(&busy[i]);
        sl_intervals_free(&compute[i]);
    }
    free(of_lane);
    free(busy);
    free(compute);
    return made;
}

/* By name, in the order of their first. */
static bool sum_copies(struct sl_audit *audit)
{
    const struct sl_timeline *t = audit->timeline;
    uint32_t *slot = calloc(t->names.count + 1u, sizeof *slot); /* index + 1, by name */
    uint32_t capacity = 0;
    struct sl_audit_copies *copies = NULL;
    bool made = slot != NULL;
    for (uint32_t i = 0; made && i < audit->work_count; i++) {
        uint32_t event = audit->works[i].event, name = t->name[event];
        if (t->kind[event] != SL_EVENT_COPY)
            continue;
        if (slot[name] == 0) {
            made = sl_grow((void **)&copies, &capacity, audit->copies_count + 1, sizeof *copies);
            if (!made)
                break;
            copies[audit->copies_count] = (struct sl_audit_copies){.name = name};
            slot[name] = ++audit->copies_count;
        }
        struct sl_audit_copies *sum = &copies[slot[name] - 1];
        sum->works++;
        sum->without_bytes += t->bytes[event] < 0;
        sum->bytes = sl_sum(sum->bytes, t->bytes[event] < 0 ? 0 : t->bytes[event]);
        sum->time_ps = sl_sum(sum->time_ps, t->end_ps[event] - t->start_ps[event]);
    }
    if (made) {
        audit->copies = sl_arena_array(&audit->arena, audit->copies_count + 1u, sizeof *copies);
        made = audit->copies != NULL;
    }
    if (made && audit->copies_count > 0)
        memcpy(audit->copies, copies, audit->copies_count * sizeof *copies);
    free(copies);
    free(slot);
    return made;
}

enum sl_status sl_audit_totals(struct sl_audit *audit, struct sl_error *err)
{
    enum sl_status status = find_overlaps(audit, err);
    if (status == SL_OK && (!sum_streams(audit) || !sum_devices(audit) || !sum_copies(audit)))
        status = sl_audit_no_memory(err);
    return status;
}
