/* An audit as JSON; times in nanoseconds. */
#include "config.h"

#include "json_out.h"
#include "report_audit.h"
#include <inttypes.h>

static void put_ns(yajl_gen gen, const char *key, int64_t ps)
{
    if (ps % 1000 == 0)
        sl_json_integer(gen, key, ps / 1000);
    else
        sl_json_number(gen, key, (double)ps / 1000);
}

static void put_spread(yajl_gen gen, const char *key, const struct sl_spread *spread)
{
    sl_json_open_map(gen, key);
    sl_json_integer(gen, "n", spread->count);
    put_ns(gen, "sum_ns", spread->sum_ps);
    put_ns(gen, "median_ns", spread->median_ps);
    put_ns(gen, "p95_ns", spread->p95_ps);
    put_ns(gen, "max_ns", spread->most_ps);
    yajl_gen_map_close(gen);
}

static void put_lane(const struct sl_timeline *t, uint32_t lane, char text[48])
{
    snprintf(text, 48, "%" PRId64 ":%" PRId64, t->lanes[lane].process, t->lanes[lane].number);
}

static const char *name_of(const struct sl_timeline *t, uint32_t name)
{
    return name == SL_NONE ? NULL : t->names.names[name];
}

static void put_counts(yajl_gen gen, const char *key, const struct sl_timeline *t,
                       const struct sl_trace_counts *counts)
{
    sl_json_open_map(gen, key);
    for (uint32_t i = 0; i < counts->count; i++)
        sl_json_integer(gen, t->names.names[counts->items[i].name],
                        (int64_t)counts->items[i].count);
    yajl_gen_map_close(gen);
}

static void put_import(yajl_gen gen, const struct sl_report_audit *report)
{
    const struct sl_timeline *t = report->audit->timeline;
    sl_json_text(gen, "trace", report->trace);
    sl_json_text(gen, "importer", report->importer->name);
    sl_json_text(gen, "device_name", t->device_name);
    sl_json_integer(gen, "events", (int64_t)t->read);
    sl_json_integer(gen, "timeline_events", t->count);
    sl_json_integer(gen, "origin_ns", t->origin_ns);
    sl_json_integer(gen, "clock_base_ns", t->clock_ns);
    sl_json_open_map(gen, "hazards");
    for (int i = 0; i < SL_HAZARDS; i++)
        sl_json_integer(gen, sl_hazard_name((enum sl_trace_hazard)i), (int64_t)t->hazards[i]);
    yajl_gen_map_close(gen);
    put_counts(gen, "left_out", t, &t->left_out);
    put_counts(gen, "flows", t, &t->flows);
}

static void put_devices(yajl_gen gen, const struct sl_audit *audit)
{
    sl_json_open_map(gen, "devices");
    for (uint32_t i = 0; i < audit->device_count; i++) {
        char number[24];
        snprintf(number, sizeof number, "%" PRId64, audit->devices[i].number);
        sl_json_open_map(gen, number);
        sl_json_integer(gen, "n", audit->devices[i].works);
        put_ns(gen, "busy_ns", audit->devices[i].busy_ps);
        put_ns(gen, "compute_ns", audit->devices[i].compute_ps);
        yajl_gen_map_close(gen);
    }
    yajl_gen_map_close(gen);
}

static void put_streams(yajl_gen gen, const struct sl_audit *audit)
{
    char lane[48];
    sl_json_open_map(gen, "streams");
    for (uint32_t i = 0; i < audit->stream_count; i++) {
        put_lane(audit->timeline, audit->streams[i].lane, lane);
        sl_json_open_map(gen, lane);
        sl_json_integer(gen, "n", audit->streams[i].works);
        put_ns(gen, "busy_sum_ns", audit->streams[i].busy_sum_ps);
        yajl_gen_map_close(gen);
    }
    yajl_gen_map_close(gen);
    sl_json_open_map(gen, "memcpy");
    for (uint32_t i = 0; i < audit->copies_count; i++) {
        const struct sl_audit_copies *copies = &audit->copies[i];
        sl_json_open_map(gen, audit->timeline->names.names[copies->name]);
        sl_json_integer(gen, "n", copies->works);
        sl_json_integer(gen, "bytes", copies->bytes);
        put_ns(gen, "dur_ns", copies->time_ps);
        sl_json_integer(gen, "without_bytes", copies->without_bytes);
        yajl_gen_map_close(gen);
    }
    yajl_gen_map_close(gen);
}

static void put_unions(yajl_gen gen, const struct sl_audit *audit)
{
    const struct sl_intervals *compute = &audit->busy_of[SL_WORK_COMPUTE];
    const struct sl_intervals *comm = &audit->busy_of[SL_WORK_COMM];
    put_ns(gen, "gpu_union_busy_ns", sl_intervals_length(&audit->busy));
    put_ns(gen, "union_comm_ns", sl_intervals_length(comm));
    put_ns(gen, "union_mem_ns", sl_intervals_length(&audit->memory_busy));
    put_ns(gen, "union_compute_ns", sl_intervals_length(compute));
    put_ns(gen, "comm_overlapped_by_compute_ns", sl_intervals_common(comm, compute));
    put_ns(gen, "mem_overlapped_by_compute_ns", sl_intervals_common(&audit->memory_busy, compute));
}

static void put_works(yajl_gen gen, const struct sl_audit *audit)
{
    const struct sl_intervals *busy = &audit->busy;
    const struct sl_timeline *t = audit->timeline;
    sl_json_integer(gen, "gpu_events", audit->work_count);
    sl_json_integer(gen, "kernels", audit->kernel_count);
    sl_json_integer(gen, "gpu_with_launch", audit->launched_count);
    if (audit->work_count > 0) {
        int64_t first = t->start_ps[audit->works[0].event], last = first;
        for (uint32_t i = 0; i < audit->work_count; i++)
            if (t->end_ps[audit->works[i].event] > last)
                last = t->end_ps[audit->works[i].event];
        put_ns(gen, "gpu_span_ns", last - first);
        sl_json_integer(gen, "first_gpu_ts_ns", t->origin_ns + first / 1000);
    }
    put_devices(gen, audit);
    put_streams(gen, audit);
    put_unions(gen, audit);
    sl_json_open_array(gen, "side_by_side");
    for (int a = 0; busy->count > 0 && a < SL_WORK_CLASSES; a++)
        for (int b = a; b < SL_WORK_CLASSES; b++) {
            if (audit->together_ps[a][b] == 0)
                continue;
            sl_json_open_map(gen, NULL);
            sl_json_text(gen, "a", sl_work_class_name((enum sl_work_class)a));
            sl_json_text(gen, "b", sl_work_class_name((enum sl_work_class)b));
            put_ns(gen, "overlap_ns", audit->together_ps[a][b]);
            yajl_gen_map_close(gen);
        }
    yajl_gen_array_close(gen);
}

static void put_waits(yajl_gen gen, const struct sl_audit *audit)
{
    put_spread(gen, "queue", &audit->queue);
    put_spread(gen, "behind_stream", &audit->behind);
    put_spread(gen, "ready_delay", &audit->delay);
    if (audit->has_stream_waits)
        put_spread(gen, "event_wait", &audit->event);
    sl_json_open_map(gen, "idle");
    sl_json_integer(gen, "gaps", audit->gap_count);
    put_ns(gen, "not_launched_ns", audit->idle_unlaunched_ps);
    put_ns(gen, "launched_ns", audit->idle_launched_ps);
    put_ns(gen, "unknown_ns", audit->idle_unknown_ps);
    yajl_gen_map_close(gen);
    sl_json_open_array(gen, "calls");
    for (uint32_t i = 0; i < audit->call_count; i++) {
        const struct sl_audit_call *call = &audit->calls[i];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "name", audit->timeline->names.names[call->name]);
        sl_json_text(gen, "purpose", sl_call_class_name(call->class));
        put_spread(gen, "time", &call->spread);
        put_ns(gen, "idle_ns", call->idle_ps);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_memory(yajl_gen gen, const struct sl_audit *audit, const char *key,
                       int64_t (*value)(const struct sl_audit_memory *))
{
    sl_json_open_map(gen, key);
    for (uint32_t i = 0; i < audit->memory_count; i++) {
        const struct sl_audit_memory *memory = &audit->memories[i];
        char name[32];
        snprintf(name, sizeof name, "%d:%d", memory->device_type, memory->device);
        if (value(memory) >= 0)
            sl_json_integer(gen, name, value(memory));
    }
    yajl_gen_map_close(gen);
}

static int64_t peak_allocated(const struct sl_audit_memory *memory)
{
    return memory->peak_allocated_bytes;
}

static int64_t peak_reserved(const struct sl_audit_memory *memory)
{
    return memory->peak_reserved_bytes;
}

static int64_t peak_delta(const struct sl_audit_memory *memory)
{
    return memory->peak_delta_bytes;
}

static void put_memories(yajl_gen gen, const struct sl_audit *audit)
{
    if (audit->memory_count == 0)
        return;
    int64_t events = 0;
    for (uint32_t i = 0; i < audit->memory_count; i++)
        events += audit->memories[i].events;
    sl_json_integer(gen, "memory_events", events);
    put_memory(gen, audit, "peak_total_allocated", peak_allocated);
    put_memory(gen, audit, "peak_total_reserved", peak_reserved);
    put_memory(gen, audit, "peak_delta_sum", peak_delta);
    sl_json_open_array(gen, "memories");
    for (uint32_t i = 0; i < audit->memory_count; i++) {
        const struct sl_audit_memory *memory = &audit->memories[i];
        sl_json_open_map(gen, NULL);
        sl_json_integer(gen, "device_type", memory->device_type);
        sl_json_integer(gen, "device", memory->device);
        sl_json_integer(gen, "allocations", memory->allocations);
        put_ns(gen, "peak_delta_at_ns", memory->peak_delta_ps);
        sl_json_number(gen, "delta_byte_s", memory->byte_s);
        put_spread(gen, "lifetimes", &memory->lifetimes);
        sl_json_integer(gen, "kept", memory->kept);
        sl_json_integer(gen, "kept_bytes", memory->kept_bytes);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static void put_step(yajl_gen gen, const struct sl_audit *audit, const struct sl_audit_step *step)
{
    const struct sl_timeline *t = audit->timeline;
    sl_json_open_map(gen, NULL);
    sl_json_integer(gen, "step", step->number);
    sl_json_text(gen, "name", t->names.names[t->name[step->event]]);
    put_ns(gen, "from_ns", step->from_ps);
    put_ns(gen, "host_ns", step->to_ps - step->from_ps);
    put_ns(gen, "time_ns", step->finish_ps - step->from_ps);
    put_ns(gen, "busy_ns", step->busy_ps);
    sl_json_integer(gen, "works", step->works);
    if (step->odd_lane != SL_NONE) {
        char lane[48];
        put_lane(t, step->odd_lane, lane);
        sl_json_open_map(gen, "deviates");
        sl_json_text(gen, "stream", lane);
        sl_json_integer(gen, "work", step->odd_at);
        sl_json_text(gen, "found", name_of(t, step->odd_found));
        sl_json_text(gen, "expected", name_of(t, step->odd_expected));
        yajl_gen_map_close(gen);
    }
    yajl_gen_map_close(gen);
}

static void put_steps(yajl_gen gen, const struct sl_audit *audit)
{
    sl_json_text(gen, "steps_named", audit->steps_name);
    if (audit->step_count == 0)
        return;
    sl_json_bool(gen, "first_step_cold", audit->cold);
    put_spread(gen, audit->cold ? "warm_steps" : "all_steps", &audit->warm);
    sl_json_integer(gen, "steps_in_usual_order", audit->alike_count);
    sl_json_open_array(gen, "steps");
    for (uint32_t i = 0; i < audit->step_count; i++)
        put_step(gen, audit, &audit->steps[i]);
    yajl_gen_array_close(gen);
}

static void put_uses(yajl_gen gen, const struct sl_audit *audit)
{
    sl_json_open_array(gen, "time_use");
    for (uint32_t i = 0; i < audit->use_count; i++) {
        const struct sl_audit_use *use = &audit->uses[i];
        sl_json_open_map(gen, NULL);
        if (use->step != SL_NONE)
            sl_json_integer(gen, "step", audit->steps[use->step].number);
        put_ns(gen, "from_ns", use->from_ps);
        put_ns(gen, "to_ns", use->to_ps);
        put_ns(gen, "compute_ns", use->compute_ps);
        put_ns(gen, "exposed_transfers_ns", use->exposed_transfers_ps);
        put_ns(gen, "exposed_comm_ns", use->exposed_comm_ps);
        put_ns(gen, "exposed_d2d_ns", use->exposed_d2d_ps);
        put_ns(gen, "exposed_other_ns", use->exposed_other_ps);
        put_ns(gen, "not_launched_ns", use->unlaunched_ps);
        put_ns(gen, "launched_ns", use->launched_ps);
        put_ns(gen, "unknown_ns", use->unknown_ps);
        put_ns(gen, "outside_ns", use->outside_ps);
        put_ns(gen, "transfers_ns", use->transfers_ps);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

enum sl_status sl_report_audit_json(FILE *out, const struct sl_report_audit *report,
                                    struct sl_error *err)
{
    const struct sl_audit *audit = report->audit;
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the report");
    sl_json_open_map(gen, NULL);
    put_import(gen, report);
    sl_json_open_map(gen, "scope");
    put_ns(gen, "from_ns", audit->from_ps);
    if (audit->to_ps < INT64_MAX)
        put_ns(gen, "to_ns", audit->to_ps);
    else
        sl_json_text(gen, "to_ns", NULL);
    yajl_gen_map_close(gen);
    put_works(gen, audit);
    put_waits(gen, audit);
    put_memories(gen, audit);
    put_steps(gen, audit);
    put_uses(gen, audit);
    yajl_gen_map_close(gen);
    return sl_json_finish(gen, out, err);
}
