/* An audit's tables; times are microseconds of the timeline, exact.  What is not known is empty. */
#include "audit_csv.h"
#include "figures.h"
#include "outfile.h"
#include <inttypes.h>
#include <unistd.h>

static void put_known_us(FILE *out, int64_t ps)
{
    if (ps < 0)
        putc(',', out);
    else
        sl_put_us(out, ps);
}

static void put_known(FILE *out, int64_t value)
{
    if (value < 0)
        putc(',', out);
    else
        sl_put_integer(out, value);
}

static const char *name_of(const struct sl_audit *audit, uint32_t name)
{
    return name == SL_NONE ? NULL : audit->timeline->names.names[name];
}

static void put_lane(FILE *out, const struct sl_audit *audit, uint32_t lane)
{
    sl_put_integer(out, audit->timeline->lanes[lane].process);
    sl_put_integer(out, audit->timeline->lanes[lane].number);
}

static void write_works(FILE *out, const struct sl_audit *audit)
{
    const struct sl_timeline *t = audit->timeline;
    fputs("work,name,class,device,stream,step,launch_us,launched_us,ready_us,start_us,finish_us,"
          "behind_stream_us,ready_delay_us,event_wait_us,bytes,correlation\n",
          out);
    for (uint32_t i = 0; i < audit->work_count; i++) {
        const struct sl_audit_work *work = &audit->works[i];
        uint32_t event = work->event, call = t->cause[event];
        fprintf(out, "%u", i);
        sl_put_text(out, name_of(audit, t->name[event]));
        sl_put_text(out, sl_work_class_name(work->class));
        put_lane(out, audit, t->lane[event]);
        put_known(out, work->step == SL_NONE ? -1 : (int64_t)audit->steps[work->step].number);
        put_known_us(out, call == SL_NONE ? -1 : t->start_ps[call]);
        put_known_us(out, call == SL_NONE ? -1 : t->end_ps[call]);
        sl_put_us(out, work->ready_ps);
        sl_put_us(out, t->start_ps[event]);
        sl_put_us(out, t->end_ps[event]);
        put_known_us(out, work->behind_ps);
        put_known_us(out, work->delay_ps);
        put_known_us(out, audit->has_stream_waits && work->delay_ps >= 0 ? work->event_ps : -1);
        put_known(out, t->bytes[event]);
        put_known(out, t->correlation[event]);
        putc('\n', out);
    }
}

static void write_gaps(FILE *out, const struct sl_audit *audit)
{
    fputs("gap,from_us,to_us,not_launched_us,next_work\n", out);
    for (uint32_t i = 0; i < audit->gap_count; i++) {
        const struct sl_audit_gap *gap = &audit->gaps[i];
        fprintf(out, "%u", i);
        sl_put_us(out, gap->from_ps);
        sl_put_us(out, gap->to_ps);
        put_known_us(out, gap->unlaunched_ps);
        sl_put_integer(out, gap->next);
        putc('\n', out);
    }
}

static void put_spread(FILE *out, const struct sl_spread *spread)
{
    sl_put_integer(out, spread->count);
    sl_put_us(out, spread->sum_ps);
    sl_put_us(out, spread->median_ps);
    sl_put_us(out, spread->p95_ps);
    sl_put_us(out, spread->most_ps);
}

static void write_calls(FILE *out, const struct sl_audit *audit)
{
    fputs("call,name,purpose,count,sum_us,median_us,p95_us,max_us,idle_us\n", out);
    for (uint32_t i = 0; i < audit->call_count; i++) {
        const struct sl_audit_call *call = &audit->calls[i];
        fprintf(out, "%u", i);
        sl_put_text(out, name_of(audit, call->name));
        sl_put_text(out, sl_call_class_name(call->class));
        put_spread(out, &call->spread);
        sl_put_us(out, call->idle_ps);
        putc('\n', out);
    }
}

static void write_call_times(FILE *out, const struct sl_audit *audit)
{
    const struct sl_timeline *t = audit->timeline;
    fputs("call,name,purpose,process,thread,from_us,to_us\n", out);
    for (uint32_t i = 0; i < audit->call_count; i++) {
        const struct sl_audit_call *call = &audit->calls[i];
        for (uint32_t k = 0; k < call->spread.count; k++) {
            uint32_t event = audit->call_events[call->first + k];
            fprintf(out, "%u", i);
            sl_put_text(out, name_of(audit, call->name));
            sl_put_text(out, sl_call_class_name(call->class));
            put_lane(out, audit, t->lane[event]);
            sl_put_us(out, t->start_ps[event]);
            sl_put_us(out, t->end_ps[event]);
            putc('\n', out);
        }
    }
}

static void write_uses(FILE *out, const struct sl_audit *audit)
{
    fputs("use,step,from_us,to_us,compute_us,exposed_transfers_us,exposed_comm_us,exposed_d2d_us,"
          "exposed_other_us,"
          "not_launched_us,launched_us,unknown_us,outside_us,transfers_us\n",
          out);
    for (uint32_t i = 0; i < audit->use_count; i++) {
        const struct sl_audit_use *use = &audit->uses[i];
        fprintf(out, "%u", i);
        put_known(out, use->step == SL_NONE ? -1 : (int64_t)audit->steps[use->step].number);
        const int64_t times[] = {use->from_ps,          use->to_ps,
                                 use->compute_ps,       use->exposed_transfers_ps,
                                 use->exposed_comm_ps,  use->exposed_d2d_ps,
                                 use->exposed_other_ps, use->unlaunched_ps,
                                 use->launched_ps,      use->unknown_ps,
                                 use->outside_ps,       use->transfers_ps};
        for (size_t k = 0; k < sizeof times / sizeof *times; k++)
            sl_put_us(out, times[k]);
        putc('\n', out);
    }
}

static void write_devices(FILE *out, const struct sl_audit *audit)
{
    fputs("device,works,busy_us,compute_us\n", out);
    for (uint32_t i = 0; i < audit->device_count; i++) {
        fprintf(out, "%" PRId64, audit->devices[i].number);
        sl_put_integer(out, audit->devices[i].works);
        sl_put_us(out, audit->devices[i].busy_ps);
        sl_put_us(out, audit->devices[i].compute_ps);
        putc('\n', out);
    }
}

static void write_steps(FILE *out, const struct sl_audit *audit)
{
    fputs("step,name,from_us,to_us,finish_us,works,busy_us,cold,deviates_device,deviates_stream,"
          "deviates_work,found,expected\n",
          out);
    for (uint32_t i = 0; i < audit->step_count; i++) {
        const struct sl_audit_step *step = &audit->steps[i];
        fprintf(out, "%u", step->number);
        sl_put_text(out, name_of(audit, audit->timeline->name[step->event]));
        sl_put_us(out, step->from_ps);
        sl_put_us(out, step->to_ps);
        sl_put_us(out, step->finish_ps);
        sl_put_integer(out, step->works);
        sl_put_us(out, step->busy_ps);
        sl_put_text(out, i == 0 && audit->cold ? "yes" : "no");
        if (step->odd_lane == SL_NONE) {
            fputs(",,,,,\n", out);
            continue;
        }
        put_lane(out, audit, step->odd_lane);
        sl_put_integer(out, step->odd_at);
        sl_put_text(out, name_of(audit, step->odd_found));
        sl_put_text(out, name_of(audit, step->odd_expected));
        putc('\n', out);
    }
}

static void write_pairs(FILE *out, const struct sl_audit *audit)
{
    fputs("pair,a,b,overlap_us,a_busy_us,b_busy_us\n", out);
    unsigned row = 0;
    for (int a = 0; a < SL_WORK_CLASSES; a++)
        for (int b = a; b < SL_WORK_CLASSES; b++) {
            if (audit->busy_of[a].count == 0 || audit->busy_of[b].count == 0)
                continue;
            fprintf(out, "%u", row++);
            sl_put_text(out, sl_work_class_name((enum sl_work_class)a));
            sl_put_text(out, sl_work_class_name((enum sl_work_class)b));
            sl_put_us(out, audit->together_ps[a][b]);
            sl_put_us(out, sl_intervals_length(&audit->busy_of[a]));
            sl_put_us(out, sl_intervals_length(&audit->busy_of[b]));
            putc('\n', out);
        }
}

static void write_memories(FILE *out, const struct sl_audit *audit)
{
    fputs("memory,device_type,device,changes,allocations,peak_allocated_bytes,peak_reserved_bytes,"
          "peak_delta_bytes,peak_delta_at_us,delta_byte_s,lifetimes,lifetime_sum_us,"
          "lifetime_median_us,lifetime_p95_us,lifetime_max_us,kept,kept_bytes\n",
          out);
    for (uint32_t i = 0; i < audit->memory_count; i++) {
        const struct sl_audit_memory *memory = &audit->memories[i];
        fprintf(out, "%u", i);
        sl_put_integer(out, memory->device_type);
        sl_put_integer(out, memory->device);
        sl_put_integer(out, memory->events);
        sl_put_integer(out, memory->allocations);
        put_known(out, memory->peak_allocated_bytes);
        put_known(out, memory->peak_reserved_bytes);
        sl_put_integer(out, memory->peak_delta_bytes);
        sl_put_us(out, memory->peak_delta_ps);
        sl_put_number(out, memory->byte_s);
        put_spread(out, &memory->lifetimes);
        sl_put_integer(out, memory->kept);
        sl_put_integer(out, memory->kept_bytes);
        putc('\n', out);
    }
}

static void write_memory_changes(FILE *out, const struct sl_audit *audit)
{
    const struct sl_timeline *t = audit->timeline;
    fputs("device_type,device,t_us,bytes,allocated_bytes,reserved_bytes\n", out);
    for (uint32_t i = 0; i < t->memory_count; i++) {
        const struct sl_memory_event *change = &t->memory[i];
        if (change->t_ps < audit->from_ps || change->t_ps >= audit->to_ps)
            continue;
        fprintf(out, "%" PRId32, change->device_type);
        sl_put_integer(out, change->device);
        sl_put_us(out, change->t_ps);
        sl_put_integer(out, change->bytes);
        put_known(out, change->allocated_bytes);
        put_known(out, change->reserved_bytes);
        putc('\n', out);
    }
}

static void write_import(FILE *out, const struct sl_audit *audit)
{
    const struct sl_timeline *t = audit->timeline;
    fprintf(out, "what,name,count\nread,records,%" PRIu64 "\nread,events,%u\n", t->read, t->count);
    for (int i = 0; i < SL_HAZARDS; i++)
        fprintf(out, "hazard,%s,%" PRIu64 "\n", sl_hazard_name((enum sl_trace_hazard)i),
                t->hazards[i]);
    const struct sl_trace_counts *counts[] = {&t->left_out, &t->flows};
    for (int which = 0; which < 2; which++)
        for (uint32_t i = 0; i < counts[which]->count; i++) {
            fputs(which == 0 ? "left_out" : "flow", out);
            sl_put_text(out, name_of(audit, counts[which]->items[i].name));
            fprintf(out, ",%" PRIu64 "\n", counts[which]->items[i].count);
        }
}

static const struct {
    const char *file;
    void (*write)(FILE *out, const struct sl_audit *audit);
} tables[] = {
    {"works.csv", write_works},           {"gaps.csv", write_gaps},
    {"calls.csv", write_calls},           {"steps.csv", write_steps},
    {"side_by_side.csv", write_pairs},    {"memory.csv", write_memories},
    {"call_times.csv", write_call_times}, {"time_use.csv", write_uses},
    {"devices.csv", write_devices},       {"memory_changes.csv", write_memory_changes},
    {"import.csv", write_import},
};

enum sl_status sl_audit_write(const struct sl_audit *audit, const char *dir, struct sl_error *err)
{
    enum sl_status status = sl_make_dirs(dir, err);
    for (size_t i = 0; status == SL_OK && i < sizeof tables / sizeof *tables; i++) {
        struct sl_outfile file;
        status = sl_outfile_open_in(&file, dir, tables[i].file, err);
        if (status != SL_OK)
            break;
        tables[i].write(file.stream, audit);
        status = sl_outfile_commit(&file, err);
    }
    return status;
}

bool sl_audit_is_written(const char *dir)
{
    char path[4096 + 32];
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        snprintf(path, sizeof path, "%.4096s/%s", dir, tables[i].file);
        if (access(path, F_OK) == 0)
            return true;
    }
    return false;
}
