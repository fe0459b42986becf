/* The report of an import, as text and as JSON. */
#include "report_import.h"
#include "json_out.h"
#include "kept.h"
#include "table.h"
#include "units.h"

static void add_item(void *user, const struct sl_trace_item *item)
{
    struct sl_table *table = user;
    char time[32] = "";
    if (item->count == 0)
        return;
    if (item->time_ps > 0)
        sl_format_time(time, sizeof time, (double)item->time_ps);
    sl_table_add(table, "%s", sl_grouped(table->arena, item->count));
    sl_table_add(table, "%s", time);
    sl_table_add(table, "%s", item->name);
    sl_table_add(table, "%s", item->text);
}

/* The replay is as long as the record by construction: lags hold what nothing explains. */
static void print_explained(FILE *out, struct sl_arena *arena, const struct sl_trace_graph *graph)
{
    const struct sl_trace_doubts *late = &graph->doubts[SL_DOUBT_LATE];
    char explained[32], sum[32];
    fprintf(out, "explained %s of it, %.3g%%: the replay without what nothing recorded says why\n",
            sl_format_time(explained, sizeof explained, (double)graph->explained.span_ps),
            100 * sl_trace_explained_share(graph));
    if (sl_trace_explains_little(graph))
        fprintf(out,
                "warning: lags of %s late works (%s) hold the rest, whatever is changed: do not "
                "build on what-ifs of this scenario\n",
                sl_grouped(arena, late->count),
                sl_format_time(sum, sizeof sum, (double)late->time_ps));
}

/* With copies left to policies the replay is of the graph that still has them; the scenario that is
 * written has not, and what left with them makes its baseline another one than the record. */
static void print_movable(FILE *out, struct sl_arena *arena, const struct sl_trace_movable *m)
{
    char freed[32], lags[32];
    if (m->count == 0) {
        fputs("no copy moved: no copy between a host's and a device's memory is known to be waited "
              "for by a work, so there is nothing for policies to decide\n",
              out);
        return;
    }
    fprintf(out,
            "this is of the graph with its copies; on demand, without them, the scenario may take "
            "less than the record:\n  threads wait %s less in %s calls, and edges with %s of lags "
            "are gone; measure gains from the baseline's run, not from the record\n",
            sl_format_time(freed, sizeof freed, (double)m->all_freed_ps),
            sl_grouped(arena, m->freed), sl_format_time(lags, sizeof lags, (double)m->dropped_ps));
    if (m->behind > 0)
        fprintf(
            out,
            "warning: %s of %s objects came in after a copy of their size went out: they may be "
            "earlier outputs,\n  but policies bring them from the beginning on, as if they had "
            "been there; gains may rest on that\n",
            sl_grouped(arena, m->behind), sl_grouped(arena, m->count));
}

enum sl_status sl_report_import(FILE *out, const struct sl_trace_graph *graph,
                                const struct sl_trace_source *source, const char *dir,
                                struct sl_error *err)
{
    struct sl_arena arena = {0};
    char recorded[32], replayed[32], busy[32];
    int64_t difference = graph->replayed.span_ps - graph->recorded.span_ps;
    fprintf(out, "%s (%s), %s: %s nodes, %s edges in %s\n\n", source->trace, source->importer,
            source->scope, sl_grouped(&arena, graph->node_count),
            sl_grouped(&arena, graph->edge_count), dir);
    fprintf(out, "recorded %s, replayed %s: %s%g us apart; a GPU works %s%s\n",
            sl_format_time(recorded, sizeof recorded, (double)graph->recorded.span_ps),
            sl_format_time(replayed, sizeof replayed, (double)graph->replayed.span_ps),
            difference > 0 ? "+" : "", sl_us_of(difference),
            sl_format_time(busy, sizeof busy, (double)graph->recorded.busy_ps),
            graph->replayed.busy_ps == graph->recorded.busy_ps ? " in both"
                                                               : ", not in the replay");
    print_explained(out, &arena, graph);
    if (source->movable)
        print_movable(out, &arena, source->movable);
    fputc('\n', out);
    struct sl_table table = sl_table_make(&arena, "rrll");
    sl_table_add(&table, "count");
    sl_table_add(&table, "time");
    sl_table_add(&table, "item");
    sl_table_add(&table, "%s", "");
    sl_trace_report(graph, source, add_item, &table);
    sl_table_print(&table, out);
    bool failed = table.failed;
    sl_table_free(&table);
    sl_report_free(&arena);
    return failed ? SL_FAIL(err, SL_SYSTEM, "out of memory for the report") : SL_OK;
}

static void put_item(void *user, const struct sl_trace_item *item)
{
    yajl_gen gen = user;
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "item", item->name);
    sl_json_integer(gen, "count", (int64_t)item->count);
    if (item->time_ps >= 0)
        sl_json_us(gen, "time_us", item->time_ps);
    sl_json_text(gen, "text", item->text);
    yajl_gen_map_close(gen);
}

static void put_replay(yajl_gen gen, const char *key, const struct sl_trace_replay *replay)
{
    sl_json_open_map(gen, key);
    sl_json_us(gen, "span_us", replay->span_ps);
    sl_json_us(gen, "busy_us", replay->busy_ps);
    yajl_gen_map_close(gen);
}

enum sl_status sl_report_import_json(FILE *out, const struct sl_trace_graph *graph,
                                     const struct sl_trace_source *source, const char *dir,
                                     struct sl_error *err)
{
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the report");
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "trace", source->trace);
    sl_json_text(gen, "importer", source->importer);
    sl_json_text(gen, "scope", source->scope);
    sl_json_text(gen, "scenario", dir);
    sl_json_text(gen, "durations", source->durations ? "empirical" : "recorded");
    sl_json_integer(gen, "nodes", graph->node_count);
    sl_json_integer(gen, "edges", graph->edge_count);
    put_replay(gen, "recorded", &graph->recorded);
    put_replay(gen, "replayed", &graph->replayed);
    put_replay(gen, "explained", &graph->explained);
    sl_json_number(gen, "explained_share", sl_trace_explained_share(graph));
    sl_json_open_array(gen, "items");
    sl_trace_report(graph, source, put_item, gen);
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
    return sl_json_finish(gen, out, err);
}
