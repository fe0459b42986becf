/* trace(file=requests.csv, format=csv, speed=1): the jobs of a file, the first one at 0 and each
 * later one (its time - that of the first) / speed after it.  One realisation: every replication
 * repeats it. */
#include <config.h>

#include "arrival_law.h"
#include "fields.h"
#include "trace_format.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_S INT64_C(1000000000000)
#define MOST_S   INT64_C(4611686) /* 2^62 ps */

struct trace {
    struct sl_trace_reader reader;
    struct sl_instant first;
    int64_t latest_ps; /* as in the file, from the first */
    uint64_t count;
};

/* The next request; its time from the first one is in trace->latest_ps. */
static enum sl_status next_row(struct trace *trace, bool *more, struct sl_error *err)
{
    enum sl_status status = sl_trace_next(&trace->reader, more, err);
    if (status || !*more)
        return status;
    struct sl_instant t = trace->reader.row.t;
    if (trace->count == 0)
        trace->first = t;
    int64_t seconds = t.s - trace->first.s;
    if (seconds >= MOST_S || seconds <= -MOST_S)
        return sl_trace_fail(&trace->reader, 0, err, "more than 53 days from the first request");
    int64_t ps = seconds * PS_PER_S + (t.ps - trace->first.ps);
    if (ps < trace->latest_ps)
        return sl_trace_fail(&trace->reader, 0, err,
                             "this request comes %.6g s before the one above it: sort the file by "
                             "time",
                             (double)(trace->latest_ps - ps) / (double)PS_PER_S);
    trace->latest_ps = ps;
    trace->count++;
    return SL_OK;
}

/* Reads the whole file: counts jobs, and the means of their parameters and blocks. */
static enum sl_status survey(struct sl_arrivals *arrivals, struct trace *trace, double *sums,
                             struct sl_error *err)
{
    bool more;
    enum sl_status status;
    while ((status = next_row(trace, &more, err)) == SL_OK && more) {
        arrivals->mean_blocks += trace->reader.row.block_count;
        for (uint32_t i = 0; i < trace->reader.parameter_count; i++)
            sums[i] += trace->reader.row.parameters[i];
    }
    if (status == SL_OK && trace->count == 0)
        status = sl_trace_fail(&trace->reader, 0, err, "no requests in this file");
    for (uint32_t i = 0; status == SL_OK && i < trace->reader.parameter_count; i++)
        sums[i] /= (double)trace->count;
    arrivals->count = trace->count;
    if (trace->count > 0)
        arrivals->mean_blocks /= (double)trace->count;
    if (trace->latest_ps > 0)
        arrivals->rate =
            (double)(trace->count - 1) / (double)trace->latest_ps * 1e12 * arrivals->speed;
    if (status == SL_OK && (double)trace->latest_ps / arrivals->speed >= 0x1p62)
        status = sl_trace_fail(&trace->reader, 0, err, "at speed %g it lasts more than 53 days",
                               arrivals->speed);
    return status;
}

static enum sl_status keep_names(struct sl_arrivals *arrivals, const struct sl_trace_reader *reader,
                                 struct sl_arena *arena, struct sl_error *err)
{
    const char **names = sl_arena_array(arena, reader->parameter_count + 1u, sizeof *names);
    arrivals->means = sl_arena_array(arena, reader->parameter_count + 1u, sizeof(double));
    arrivals->parameters = names;
    arrivals->parameter_count = reader->parameter_count;
    bool good = names && arrivals->means;
    for (uint32_t i = 0; good && i < reader->parameter_count; i++)
        good = (names[i] = sl_arena_strdup(arena, reader->parameters[i])) != NULL;
    return good ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for a trace");
}

static enum sl_status find_format(struct sl_arrival_reader *reader, const char *name,
                                  const struct sl_trace_format **format)
{
    const char *names[16];
    size_t count = sl_trace_format_count();
    for (size_t i = 0; i < count; i++) {
        *format = sl_trace_format_get(i);
        names[i] = (*format)->info.name;
        if (strcmp(names[i], name ? name : "csv") == 0)
            return SL_OK;
    }
    char hint[256] = "";
    sl_suggest(hint, sizeof hint, name, names, count);
    return sl_arrival_fail(reader, "unknown format '%.80s'%s", name, hint);
}

static enum sl_status make(struct sl_arrivals *arrivals, const char *const *values,
                           struct sl_arrival_reader *reader)
{
    const char *file = values[0], *speed = values[2];
    char why[SL_WHY_SIZE];
    struct trace trace = {.count = 0};
    arrivals->speed = 1.0;
    if (!file || !*file)
        return sl_arrival_fail(reader, "it needs a file, such as trace(file=requests.csv)");
    if (speed && !sl_parse_number(speed, &arrivals->speed, why))
        return sl_arrival_fail(reader, "speed: %s", why);
    if (!(arrivals->speed >= 1e-6 && arrivals->speed <= 1e6))
        return sl_arrival_fail(reader, "speed: %s is out of range (allowed: 0.000001 to 1000000)",
                               speed);
    enum sl_status status = find_format(reader, values[1], &arrivals->format);
    if (status)
        return status;
    arrivals->file = sl_path_join(reader->arena, reader->base_dir, file);
    if (!arrivals->file)
        return SL_FAIL(reader->err, SL_SYSTEM, "out of memory for a trace");
    status = sl_trace_open(&trace.reader, arrivals->file, arrivals->format, reader->err);
    if (status)
        return status;
    status = keep_names(arrivals, &trace.reader, reader->arena, reader->err);
    if (status == SL_OK)
        status = survey(arrivals, &trace, arrivals->means, reader->err);
    sl_trace_close(&trace.reader);
    return status;
}

/* ---- streams ------------------------------------------------------------------------------------
 */

static enum sl_status changed(const struct sl_arrivals *arrivals, struct sl_error *err)
{
    return SL_FAIL_AT(err, SL_INVALID, (struct sl_place){.file = arrivals->file},
                      "the trace has changed since the run began");
}

static enum sl_status start(struct sl_arrival_stream *stream, struct sl_error *err)
{
    const struct sl_arrivals *arrivals = stream->arrivals;
    struct trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a trace");
    enum sl_status status = sl_trace_open(&trace->reader, arrivals->file, arrivals->format, err);
    if (status) {
        free(trace);
        return status;
    }
    if (trace->reader.parameter_count != arrivals->parameter_count) {
        sl_trace_close(&trace->reader);
        free(trace);
        return changed(arrivals, err);
    }
    stream->trace = trace;
    return SL_OK;
}

static void stop(struct sl_arrival_stream *stream)
{
    struct trace *trace = stream->trace;
    sl_trace_close(&trace->reader);
    free(trace);
}

static enum sl_status next(struct sl_arrival_stream *stream, struct sl_arrival *arrival, bool *more,
                           struct sl_error *err)
{
    const struct sl_arrivals *arrivals = stream->arrivals;
    struct trace *trace = stream->trace;
    const struct sl_trace_row *row = &trace->reader.row;
    enum sl_status status = next_row(trace, more, err);
    if (status)
        return status;
    if (*more ? trace->count > arrivals->count : trace->count < arrivals->count)
        return changed(arrivals, err);
    int64_t t_ps = trace->latest_ps;
    if (arrivals->speed != 1.0)
        t_ps = llround((double)t_ps / arrivals->speed);
    *arrival = (struct sl_arrival){t_ps, row->parameters, row->blocks, row->block_count,
                                   sl_linefile_place(&trace->reader.lines, 0)};
    return SL_OK;
}

const struct sl_arrival_law sl_arrival_law_trace = {
    .info = {"trace", "the jobs of a file, of one of the formats below",
             "file, format (csv), speed (1)", "trace(file=azure.csv, format=azure, speed=0.6)"},
    .args = {"file", "format", "speed"},
    .make = make,
    .open = start,
    .close = stop,
    .next = next,
};
