/* A trial as JSON of the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing
 * show:
 *
 *     process  a resource, or a memory domain
 *     thread   a track of the resource
 *     X        a run's hold of it
 *     C        the bytes of a domain, after each change
 *     s, f     from a run of the critical chain to the next
 *
 * Times are in us, exact to the ps. */
#include <config.h>

#include "export_tracks.h"
#include "json_out.h"
#include <inttypes.h>

struct writer {
    const struct sl_export *what;
    yajl_gen gen;
    struct sl_arena arena;
    struct sl_slice *slices;
    uint32_t count, resources;
    const struct sl_slice **by_run; /* a run's first slice; NULL: none in the stretch */
};

/* Process numbers: resources from 1, one for what holds none, domains. */
static uint32_t process_of_domain(const struct writer *w, uint32_t domain)
{
    return w->resources + 2 + domain;
}

static void open_event(struct writer *w, const char *phase, const char *name, uint32_t process,
                       uint32_t thread)
{
    sl_json_open_map(w->gen, NULL);
    sl_json_text(w->gen, "ph", phase);
    sl_json_text(w->gen, "name", name);
    sl_json_integer(w->gen, "pid", process);
    sl_json_integer(w->gen, "tid", thread);
}

static void close_map(struct writer *w)
{
    yajl_gen_map_close(w->gen);
}

static void put_name(struct writer *w, const char *of, uint32_t process, uint32_t thread,
                     const char *name)
{
    open_event(w, "M", of, process, thread);
    sl_json_open_map(w->gen, "args");
    sl_json_text(w->gen, "name", name);
    close_map(w);
    close_map(w);
}

static void put_processes(struct writer *w)
{
    const struct sl_platform *platform = w->what->graph->platform;
    for (uint32_t r = 0; r < w->resources; r++)
        put_name(w, "process_name", r + 1, 0, platform->resource_names.names[r]);
    put_name(w, "process_name", w->resources + 1, 0, "no resource");
    for (uint32_t d = 0; d < platform->domain_names.count; d++)
        put_name(w, "process_name", process_of_domain(w, d), 0, platform->domain_names.names[d]);
}

/* Tracks of a resource are opened one after the other, as its slices need them. */
static void put_threads(struct writer *w)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        const struct sl_slice *slice = &w->slices[i];
        if (i > 0 && w->slices[i - 1].resource != slice->resource)
            named = 0;
        if (slice->track < named)
            continue;
        char name[32];
        snprintf(name, sizeof name, "track %" PRIu32, ++named);
        put_name(w, "thread_name", slice->resource + 1, slice->track + 1, name);
    }
}

/* Categories that profilers give to works of a device, so that what reads their traces reads this
 * one; what holds no resource is no such work. */
static const char *category(const struct writer *w, const struct sl_slice *slice)
{
    enum sl_node_kind kind = w->what->graph->nodes[slice->node].kind;
    if (slice->resource == w->resources)
        return sl_node_kind_name(kind);
    return sl_node_moves(kind) ? "gpu_memcpy" : "kernel";
}

static void put_slice(struct writer *w, const struct sl_slice *slice)
{
    const struct sl_trial *trial = w->what->trial;
    const struct sl_graph *graph = w->what->graph;
    const struct sl_node *node = &graph->nodes[slice->node];
    open_event(w, "X", node->name, slice->resource + 1, slice->track + 1);
    sl_json_text(w->gen, "cat", category(w, slice));
    sl_json_us(w->gen, "ts", slice->start_ps);
    sl_json_us(w->gen, "dur", slice->end_ps - slice->start_ps);
    sl_json_open_map(w->gen, "args");
    sl_json_text(w->gen, "kind", sl_node_kind_name(node->kind));
    sl_json_us(w->gen, "ready_us", trial->ready_ps[slice->run]);
    sl_json_us(w->gen, "finish_us", trial->finish_ps[slice->run]);
    sl_json_text(w->gen, "cause", sl_cause_name((enum sl_cause)trial->cause[slice->run]));
    if (trial->behind[slice->run] != SL_NONE)
        sl_json_text(w->gen, "behind", graph->nodes[trial->behind[slice->run]].name);
    if (node->object.i != SL_NONE) {
        sl_json_text(w->gen, "object", graph->objects[node->object.i].name);
        sl_json_integer(w->gen, "bytes", graph->objects[node->object.i].bytes);
    }
    close_map(w);
    close_map(w);
}

static void put_counter(struct writer *w, int64_t t_ps, const struct sl_level_step *step)
{
    open_event(w, "C", "bytes", process_of_domain(w, step->domain), 0);
    sl_json_us(w->gen, "ts", t_ps);
    sl_json_open_map(w->gen, "args");
    sl_json_integer(w->gen, "objects", step->object_bytes);
    sl_json_integer(w->gen, "workspace", step->workspace_bytes);
    sl_json_integer(w->gen, "staging", step->staging_bytes);
    close_map(w);
    close_map(w);
}

/* The level at the stretch's beginning, then every change in it. */
static enum sl_status put_counters(struct writer *w, struct sl_error *err)
{
    const struct sl_export *what = w->what;
    uint32_t domains = what->graph->platform->domain_names.count;
    const struct sl_level_step **before =
        sl_arena_array(&w->arena, (size_t)domains + 1, sizeof *before);
    if (!before)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for %u domains", (unsigned)domains);
    size_t first = 0;
    for (; first < what->trial->step_count && what->trial->steps[first].t_ps <= what->from_ps;
         first++)
        before[what->trial->steps[first].domain] = &what->trial->steps[first];
    for (uint32_t d = 0; d < domains; d++)
        if (before[d])
            put_counter(w, what->from_ps, before[d]);
    for (size_t k = first; k < what->trial->step_count && what->trial->steps[k].t_ps <= what->to_ps;
         k++)
        put_counter(w, what->trial->steps[k].t_ps, &what->trial->steps[k]);
    return SL_OK;
}

/* One end of an arrow; it lies in the slice that starts there. */
static void put_end(struct writer *w, const char *phase, const struct sl_slice *slice, uint32_t id)
{
    open_event(w, phase, "critical chain", slice->resource + 1, slice->track + 1);
    sl_json_text(w->gen, "cat", "chain");
    sl_json_integer(w->gen, "id", id);
    sl_json_us(w->gen, "ts", slice->start_ps);
    if (*phase == 'f')
        sl_json_text(w->gen, "bp", "e");
    close_map(w);
}

static enum sl_status put_chain(struct writer *w, struct sl_error *err)
{
    const struct sl_export *what = w->what;
    w->by_run = sl_arena_array(&w->arena, (size_t)what->trial->run_count + 1, sizeof *w->by_run);
    if (!w->by_run)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the critical chain");
    for (uint32_t i = w->count; i-- > 0;)
        w->by_run[w->slices[i].run] = &w->slices[i];
    const struct sl_slice *from = NULL;
    uint32_t id = 0;
    for (size_t k = 0; k < what->link_count; k++) {
        if (what->links[k].waiting)
            continue;
        const struct sl_slice *to = w->by_run[what->links[k].run];
        if (from && to && from != to) {
            put_end(w, "s", from, id);
            put_end(w, "f", to, id++);
        }
        from = to;
    }
    return SL_OK;
}

static enum sl_status put_all(struct writer *w, struct sl_error *err)
{
    sl_json_open_map(w->gen, NULL);
    sl_json_text(w->gen, "displayTimeUnit", "ns");
    sl_json_open_map(w->gen, "otherData");
    sl_json_text(w->gen, "scenario", w->what->scenario);
    sl_json_text(w->gen, "policy", w->what->policy);
    sl_json_integer(w->gen, "trial", w->what->trial->trial);
    close_map(w);
    sl_json_open_array(w->gen, "traceEvents");
    put_processes(w);
    put_threads(w);
    for (uint32_t i = 0; i < w->count; i++)
        put_slice(w, &w->slices[i]);
    enum sl_status status = put_counters(w, err);
    if (status == SL_OK)
        status = put_chain(w, err);
    yajl_gen_array_close(w->gen);
    close_map(w);
    return status;
}

static enum sl_status write_perfetto(const struct sl_export *what, FILE *out, struct sl_error *err)
{
    struct writer w = {.what = what,
                       .gen = sl_json_create_on(out),
                       .resources = what->graph->platform->resource_names.count};
    if (!w.gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    yajl_gen_config(w.gen, yajl_gen_beautify, 0);
    enum sl_status status = sl_export_slices(what, &w.arena, &w.slices, &w.count, err);
    if (status == SL_OK)
        status = put_all(&w, err);
    sl_json_drop(w.gen);
    sl_arena_free(&w.arena);
    return status;
}

const struct sl_exporter sl_exporter_perfetto = {
    .name = "perfetto",
    .description = "a trial in the Trace Event Format, for ui.perfetto.dev and chrome://tracing",
    .example = "slackline export SCENARIO --format perfetto --at p99 -o trial.json",
    .of_trial = true,
    .write = write_perfetto,
};
