/* Writing the tables of a trace's scenario. */
#include <config.h>

#include "csvtab.h"
#include "outfile.h"
#include "trace_objects.h"
#include "trace_scenario.h"
#include "trace_scenario_yaml.h"
#include "units.h"
#include <string.h>
#include <unistd.h>

enum { NODES, EDGES, OBJECTS, REPORT, KAPPA, ROUTES, MEMORY, YAML, FILES };
static const char *const file_names[FILES] = {
    "nodes.csv",          "edges.csv",           "objects.csv",         "report.csv",
    "kappa-observed.csv", "routes-observed.csv", "memory-observed.csv", "scenario.yaml"};
static const char *const headers[FILES] = {
    "node,kind,class,resource,lane,duration,inputs,outputs,object,from,to,release,evidence\n",
    "from,to,type,lag,evidence\n",
    "object,size,home,placements,initial,persist,evidence\n",
    "item,count,time_us,text\n",
    "",
    "",
    "",
    "",
};

struct writer {
    const struct sl_trace_graph *graph;
    const struct sl_trace_source *source;
    struct sl_outfile files[FILES];
    struct sl_trace_moves moves;
    uint32_t read, write; /* of a movable's lists: the first of the present node or a later one */
};

/* Exact: times of traces are whole nanoseconds, those of a simulated trial picoseconds. */
static void put_time(FILE *out, int64_t ps)
{
    long long us = ps / SL_PS_PER_US, rest = ps % SL_PS_PER_US;
    if (rest % 1000 == 0)
        fprintf(out, "%lld.%03lldus", us, rest / 1000);
    else
        fprintf(out, "%lld.%06lldus", us, rest);
}

/* "buffer.000123", of the copy that is node 123. */
static void put_buffer(FILE *out, uint32_t node)
{
    fprintf(out, "buffer.%06u", node);
}

/* A copy that stays beside others that policies move takes turns with them. */
static bool put_link(struct writer *w, uint32_t node)
{
    const struct sl_trace_movable *movable = w->source->movable;
    const struct sl_trace_route *route =
        movable
            ? sl_trace_route_of(w->source->routes, w->graph->timeline, w->graph->nodes[node].event)
            : NULL;
    if (!route || !sl_trace_link_used(movable, w->source->routes, route))
        return false;
    fputs(route->link, w->files[NODES].stream);
    return true;
}

static void put_kind(struct writer *w, uint32_t node)
{
    const struct sl_trace_node *n = &w->graph->nodes[node];
    const char *class = sl_trace_class(w->graph, node);
    bool moves = strcmp(class, "copy") == 0 || strcmp(class, "copy.h2d") == 0 ||
                 strcmp(class, "copy.d2h") == 0 || strcmp(class, "copy.p2p") == 0;
    FILE *out = w->files[NODES].stream;
    fprintf(out, ",%s,%s,", moves ? "transfer" : "compute", class);
    if (n->role == SL_TRACE_WORK && !put_link(w, node))
        fprintf(out, "gpu%lld",
                (long long)w->graph->timeline->lanes[w->graph->timeline->lane[n->event]].process);
    else if (n->role != SL_TRACE_WORK && n->role != SL_TRACE_BACKLOG)
        fputs("host", out);
}

/* The buffers of a list that the node has, and moves on behind them. */
static void put_buffers(struct writer *w, uint32_t node, const struct sl_keyed *list,
                        uint32_t count, uint32_t *at)
{
    FILE *out = w->files[NODES].stream;
    for (const char *between = ""; *at < count && list[*at].key == node; ++*at, between = ";") {
        fputs(between, out);
        put_buffer(out, w->source->movable->buffers[list[*at].value].in);
    }
}

/* Columns inputs, outputs, object, from and to. */
static void put_use(struct writer *w, uint32_t node)
{
    FILE *out = w->files[NODES].stream;
    struct sl_trace_move move;
    if (w->source->movable) {
        fputc(',', out);
        put_buffers(w, node, w->source->movable->reads, w->source->movable->read_count, &w->read);
        fputc(',', out);
        put_buffers(w, node, w->source->movable->writes, w->source->movable->write_count,
                    &w->write);
        fputs(",,,", out);
        return;
    }
    if (w->source->memory->count > 0) { /* they lie in what was allocated */
        fputs(",,,,,", out);
        return;
    }
    uint32_t before = w->moves.before[node], next = w->moves.next[node];
    bool reads = before != SL_NONE && sl_trace_move_of(&w->moves, w->graph, before, &move) &&
                 move.reader == node;
    fputc(',', out);
    if (reads)
        put_buffer(out, before);
    bool writes = next != SL_NONE && sl_trace_move_of(&w->moves, w->graph, next, &move) &&
                  move.writer == node;
    fputc(',', out);
    if (writes)
        put_buffer(out, next);
    fputc(',', out);
    if (sl_trace_move_of(&w->moves, w->graph, node, &move)) {
        put_buffer(out, node);
        fprintf(out, ",%s,%s", move.from, move.to);
    } else {
        fputs(",,", out);
    }
}

/* "measured: NAME": what the record calls it, at most so many characters of it. */
static void put_evidence(struct writer *w, uint32_t node)
{
    const struct sl_timeline *t = w->graph->timeline;
    const struct sl_trace_node *n = &w->graph->nodes[node];
    char text[160];
    const char *name = n->event != SL_NONE           ? t->names.names[t->name[n->event]]
                       : n->role == SL_TRACE_BACKLOG ? "works launched before the scope"
                                                     : "time between two calls";
    snprintf(text, sizeof text, "measured: %s", name);
    for (size_t i = strlen(text); i > 0 && ((unsigned char)text[i - 1] & 0xC0) == 0x80; i--)
        text[i - 1] = '\0'; /* an UTF-8 character that may be cut */
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7F)
            *c = '?';
    sl_csv_put(w->files[NODES].stream, text);
}

static void put_duration(struct writer *w, uint32_t node)
{
    const struct sl_trace_node *n = &w->graph->nodes[node];
    const struct sl_trace_durations *durations = w->source->durations;
    const struct sl_trace_movable *movable = w->source->movable;
    uint32_t file = durations ? sl_trace_durations_file(durations, w->graph, node) : SL_NONE;
    if (file != SL_NONE)
        fprintf(w->files[NODES].stream, "empirical(file=durations/%03u.csv)", file);
    else
        put_time(w->files[NODES].stream,
                 n->end_ps - n->start_ps - (movable ? movable->freed_ps[node] : 0));
}

static void write_node(struct writer *w, uint32_t node)
{
    const struct sl_trace_node *n = &w->graph->nodes[node];
    FILE *out = w->files[NODES].stream;
    char name[SL_TRACE_NAME];
    fputs(sl_trace_node_name(w->graph, node, name), out);
    put_kind(w, node);
    /* Policies plan over resources, so lanes are edges there. */
    bool in_lane = n->lane != SL_NONE && !w->source->movable;
    fprintf(out, ",%s,", in_lane ? sl_trace_lane_name(w->graph, n->lane, name) : "");
    put_duration(w, node);
    put_use(w, node);
    fputc(',', out);
    if (n->released)
        put_time(out, n->start_ps);
    fputc(',', out);
    put_evidence(w, node);
    fputc('\n', out);
}

static void write_edge(struct writer *w, uint32_t from, uint32_t to, const char *type,
                       int64_t lag_ps)
{
    FILE *out = w->files[EDGES].stream;
    char name[SL_TRACE_NAME];
    fprintf(out, "%s,", sl_trace_node_name(w->graph, from, name));
    fprintf(out, "%s,%s,", sl_trace_node_name(w->graph, to, name), type);
    put_time(out, lag_ps);
    fputs(",measured: ", out);
}

static void write_recorded_edge(struct writer *w, uint32_t from, const struct sl_trace_edge *edge)
{
    write_edge(w, from, edge->to, edge->reason == SL_REASON_STREAM ? "ordering" : "data-ready",
               edge->lag_ps);
    fprintf(w->files[EDGES].stream, "%s%s\n",
            sl_trace_reason_text((enum sl_trace_reason)edge->reason),
            edge->excess_ps > 0 ? " (later than is usual)" : "");
}

/* Edges to the node; *at: the first of the graph's that leads to it or a later one. */
static void write_edges_to(struct writer *w, uint32_t node, uint32_t *at)
{
    const struct sl_trace_graph *g = w->graph;
    const struct sl_trace_movable *movable = w->source->movable;
    uint32_t before = movable ? sl_trace_lane_before(movable, node) : SL_NONE;
    for (; *at < g->edge_count && g->edges[*at].to == node; ++*at) {
        const struct sl_trace_edge *edge = &g->edges[*at];
        uint32_t from = movable ? sl_trace_edge_from(movable, edge) : edge->from;
        if (from != SL_NONE)
            write_recorded_edge(w, from, edge);
        if (from == before)
            before = SL_NONE;
    }
    if (before == SL_NONE || !sl_trace_stays(movable, node))
        return;
    write_edge(w, before, node, "ordering", 0);
    fputs("the order of its thread or stream\n", w->files[EDGES].stream);
}

static void write_object(struct writer *w, uint32_t node)
{
    struct sl_trace_move move;
    if (!sl_trace_move_of(&w->moves, w->graph, node, &move))
        return;
    FILE *out = w->files[OBJECTS].stream;
    bool in = strncmp(move.to, "hbm", 3) == 0;
    put_buffer(out, node);
    fprintf(out, ",%lldB,%s,%s;%s,%s,,%s\n", (long long)move.bytes, in ? move.to : move.from,
            move.from, move.to, move.writer == SL_NONE ? move.from : "",
            move.writer != SL_NONE   ? "assumed: written by the work before the copy"
            : move.reader != SL_NONE ? "assumed: read by the work after the copy"
                                     : "measured: the copy's bytes");
}

static void write_movable(struct writer *w)
{
    const struct sl_trace_movable *movable = w->source->movable;
    FILE *out = w->files[OBJECTS].stream;
    for (uint32_t i = 0; i < movable->count; i++) {
        const struct sl_trace_buffer *buffer = &movable->buffers[i];
        const struct sl_trace_route *route = buffer->route;
        bool returns = buffer->out != SL_NONE;
        put_buffer(out, buffer->in);
        fprintf(out, ",%lldB,%s,%s;%s,%s,,%s\n", (long long)buffer->bytes, route->to, route->from,
                route->to, returns ? "" : route->from,
                returns ? "assumed: came back by the next copy of its size"
                        : "assumed: read by the works that wait for the copy");
    }
}

static void write_item(void *user, const struct sl_trace_item *item)
{
    FILE *out = user;
    fprintf(out, "%s,%llu,", item->name, (unsigned long long)item->count);
    if (item->time_ps >= 0)
        fprintf(out, "%lld.%06lld", (long long)(item->time_ps / SL_PS_PER_US),
                (long long)(item->time_ps % SL_PS_PER_US));
    fputc(',', out);
    sl_csv_put(out, item->text);
    fputc('\n', out);
}

static enum sl_status write_all(struct writer *w, struct sl_error *err)
{
    for (int i = 0; i < FILES; i++)
        fputs(headers[i], w->files[i].stream);
    uint32_t edge = 0;
    for (uint32_t i = 0; i < w->graph->node_count; i++) {
        if (sl_trace_stays(w->source->movable, i))
            write_node(w, i);
        write_edges_to(w, i, &edge);
        if (!w->source->movable && w->source->memory->count == 0)
            write_object(w, i);
    }
    if (w->source->movable)
        write_movable(w);
    sl_trace_memory_write(w->source->memory, w->graph, w->files[NODES].stream,
                          w->files[EDGES].stream, w->files[OBJECTS].stream);
    sl_trace_report(w->graph, w->source, write_item, w->files[REPORT].stream);
    sl_trace_kappa_write(w->source->kappa, w->files[KAPPA].stream);
    sl_trace_routes_write(w->source->routes, w->files[ROUTES].stream);
    sl_trace_memory_totals(w->graph, w->files[MEMORY].stream);
    return sl_trace_yaml_write(w->graph, w->source, w->files[YAML].stream, err);
}

bool sl_trace_scenario_is_there(const char *dir)
{
    char path[4096];
    return snprintf(path, sizeof path, "%s/scenario.yaml", dir) < (int)sizeof path &&
           access(path, F_OK) == 0;
}

enum sl_status sl_trace_scenario_write(const struct sl_trace_graph *graph,
                                       const struct sl_trace_source *source, const char *dir,
                                       struct sl_error *err)
{
    struct writer w = {.graph = graph, .source = source};
    bool ours = access(dir, F_OK) != 0;
    enum sl_status status = sl_make_dirs(dir, err);
    if (status == SL_OK && !sl_trace_moves_make(&w.moves, graph))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the tables of the scenario");
    for (int i = 0; status == SL_OK && i < FILES; i++)
        status = sl_outfile_open_in(&w.files[i], dir, file_names[i], err);
    if (status == SL_OK)
        status = write_all(&w, err);
    if (status == SL_OK && source->durations)
        status = sl_trace_durations_write(source->durations, dir, err);
    for (uint32_t i = 0; status == SL_OK && source->movable && i < source->routes->count; i++)
        if (sl_trace_route_used(source->movable, i))
            status =
                sl_trace_route_write_noise(source->routes, &source->routes->items[i], dir, err);
    for (int i = 0; status == SL_OK && i < FILES; i++)
        status = sl_outfile_commit(&w.files[i], err);
    for (int i = 0; i < FILES; i++)
        sl_outfile_abandon(&w.files[i]);
    sl_trace_moves_free(&w.moves);
    if (status != SL_OK && ours)
        rmdir(dir); /* a folder that holds something stays */
    return status;
}
