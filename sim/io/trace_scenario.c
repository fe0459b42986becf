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

enum { NODES, EDGES, OBJECTS, REPORT, KAPPA, YAML, FILES };
static const char *const file_names[FILES] = {"nodes.csv",  "edges.csv",          "objects.csv",
                                              "report.csv", "kappa-observed.csv", "scenario.yaml"};
static const char *const headers[FILES] = {
    "node,kind,class,resource,lane,duration,inputs,outputs,object,from,to,release,evidence\n",
    "from,to,type,lag,evidence\n",
    "object,size,home,placements,initial,persist,evidence\n",
    "item,count,time_us,text\n",
    "",
    "",
};

struct writer {
    const struct sl_trace_graph *graph;
    const struct sl_trace_source *source;
    struct sl_outfile files[FILES];
    struct sl_trace_moves moves;
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

static void put_kind(struct writer *w, uint32_t node)
{
    const struct sl_trace_node *n = &w->graph->nodes[node];
    const char *class = sl_trace_class(w->graph, node);
    bool moves = strcmp(class, "copy") == 0 || strcmp(class, "copy.h2d") == 0 ||
                 strcmp(class, "copy.d2h") == 0 || strcmp(class, "copy.p2p") == 0;
    FILE *out = w->files[NODES].stream;
    fprintf(out, ",%s,%s,", moves ? "transfer" : "compute", class);
    if (n->role == SL_TRACE_WORK)
        fprintf(out, "gpu%lld",
                (long long)w->graph->timeline->lanes[w->graph->timeline->lane[n->event]].process);
    else if (n->role != SL_TRACE_BACKLOG)
        fputs("host", out);
}

/* Columns inputs, outputs, object, from and to. */
static void put_use(struct writer *w, uint32_t node)
{
    FILE *out = w->files[NODES].stream;
    struct sl_trace_move move;
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
    uint32_t file = durations ? sl_trace_durations_file(durations, w->graph, node) : SL_NONE;
    if (file != SL_NONE)
        fprintf(w->files[NODES].stream, "empirical(file=durations/%03u.csv)", file);
    else
        put_time(w->files[NODES].stream, n->end_ps - n->start_ps);
}

static void write_node(struct writer *w, uint32_t node)
{
    const struct sl_trace_node *n = &w->graph->nodes[node];
    FILE *out = w->files[NODES].stream;
    char name[SL_TRACE_NAME];
    fputs(sl_trace_node_name(w->graph, node, name), out);
    put_kind(w, node);
    fprintf(out, ",%s,", n->lane == SL_NONE ? "" : sl_trace_lane_name(w->graph, n->lane, name));
    put_duration(w, node);
    put_use(w, node);
    fputc(',', out);
    if (n->released)
        put_time(out, n->start_ps);
    fputc(',', out);
    put_evidence(w, node);
    fputc('\n', out);
}

static void write_edge(struct writer *w, const struct sl_trace_edge *edge)
{
    FILE *out = w->files[EDGES].stream;
    char name[SL_TRACE_NAME];
    fprintf(out, "%s,", sl_trace_node_name(w->graph, edge->from, name));
    fprintf(out, "%s,%s,", sl_trace_node_name(w->graph, edge->to, name),
            edge->reason == SL_REASON_STREAM ? "ordering" : "data-ready");
    put_time(out, edge->lag_ps);
    fprintf(out, ",measured: %s%s\n", sl_trace_reason_text((enum sl_trace_reason)edge->reason),
            edge->excess_ps > 0 ? " (later than is usual)" : "");
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
    for (uint32_t i = 0; i < w->graph->node_count; i++) {
        write_node(w, i);
        if (w->source->memory->count == 0)
            write_object(w, i);
    }
    for (uint32_t i = 0; i < w->graph->edge_count; i++)
        write_edge(w, &w->graph->edges[i]);
    sl_trace_memory_write(w->source->memory, w->graph, w->files[NODES].stream,
                          w->files[EDGES].stream, w->files[OBJECTS].stream);
    sl_trace_report(w->graph, w->source, write_item, w->files[REPORT].stream);
    sl_trace_kappa_write(w->source->kappa, w->files[KAPPA].stream);
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
    for (int i = 0; status == SL_OK && i < FILES; i++)
        status = sl_outfile_commit(&w.files[i], err);
    for (int i = 0; i < FILES; i++)
        sl_outfile_abandon(&w.files[i]);
    sl_trace_moves_free(&w.moves);
    if (status != SL_OK && ours)
        rmdir(dir); /* a folder that holds something stays */
    return status;
}
