/* What left while running, for people and as JSON. */
#include "json_out.h"
#include "report_outcomes.h"
#include "table.h"
#include "units.h"
#include <stdlib.h>

#define SHOWN 8 /* rows of the table; the folder has all */

/* The most often evicted first, ties in the order of objects. */
static int more_evicted(const void *a, const void *b)
{
    const struct sl_object_evictions *x = *(const struct sl_object_evictions *const *)a;
    const struct sl_object_evictions *y = *(const struct sl_object_evictions *const *)b;
    if (x->sum.evicted != y->sum.evicted)
        return x->sum.evicted > y->sum.evicted ? -1 : 1;
    return (x->object > y->object) - (x->object < y->object);
}

static void add_row(struct sl_table *table, struct sl_arena *arena, const struct sl_cell *cell,
                    const char *name, bool recomputed, const struct sl_copy_record *sum)
{
    double trials = cell->trials;
    sl_table_add(table, "  %s", name);
    sl_table_add(table, "%.3g", (double)sum->evicted / trials);
    sl_table_add(table, "%.3g", (double)sum->moved / trials);
    sl_table_add(table, "%.3g%s", (double)sum->returned / trials,
                 recomputed ? " recomputed" : " fetched");
    sl_table_add(table, "%.3g", (double)sum->thrashed / trials);
    sl_table_add(table, "%s",
                 sum->returned > 0 ? sl_time_text(arena, (double)sum->returning_ps /
                                                             (double)sum->returned / SL_PS_PER_US)
                                   : "-");
}

void sl_report_evictions(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_graph *graph = cell->plan.graph;
    uint32_t count = cell->eviction_count, left = 0;
    uint64_t evicted = 0, thrashed = 0;
    const struct sl_object_evictions **sorted =
        sl_arena_array(arena, (size_t)count + 1, sizeof(*sorted));
    if (count == 0 || !sorted || cell->trials == 0)
        return;
    for (uint32_t k = 0; k < count; k++) {
        sorted[k] = &cell->evictions[k];
        left += sorted[k]->sum.evicted > 0;
        evicted += sorted[k]->sum.evicted;
        thrashed += sorted[k]->sum.thrashed;
    }
    qsort((void *)sorted, count, sizeof(*sorted), more_evicted);
    fprintf(out, "\nevicted while running: %s of %s objects that may leave, %.3g times per trial",
            sl_grouped(arena, left), sl_grouped(arena, count), (double)evicted / cell->trials);
    if (evicted > 0)
        fprintf(out, ", %.3g%% of them before the copy was used again (thrash)",
                100 * (double)thrashed / (double)evicted);
    putc('\n', out);
    struct sl_table table = sl_table_make(arena, "lrrrrr");
    static const char *const heads[] = {"evicted",  "per trial", "moved out",
                                        "returned", "thrash",    "mean way back"};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        sl_table_add(&table, "%s", heads[k]);
    for (uint32_t k = 0; k < left && k < SHOWN; k++)
        add_row(&table, arena, cell, graph->objects[sorted[k]->object].name, sorted[k]->recomputed,
                &sorted[k]->sum);
    if (left > 0)
        sl_table_print(&table, out);
    sl_table_free(&table);
    if (left > SHOWN)
        fprintf(out, "  and %s other objects\n", sl_grouped(arena, left - SHOWN));
    if (cell->livelocked > 0)
        fprintf(out, "  %s trials ended as livelock: copies evicted each other without end\n",
                sl_grouped(arena, cell->livelocked));
}

void sl_report_evictions_json(yajl_gen gen, const struct sl_cell *cell)
{
    sl_json_integer(gen, "livelocked", cell->livelocked);
    sl_json_open_array(gen, "evictions");
    for (uint32_t k = 0; k < cell->eviction_count; k++) {
        const struct sl_object_evictions *evictions = &cell->evictions[k];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "object", cell->plan.graph->objects[evictions->object].name);
        sl_json_text(gen, "returns_by", evictions->recomputed ? "recomputation" : "fetch");
        sl_json_integer(gen, "evicted", (int64_t)evictions->sum.evicted);
        sl_json_integer(gen, "moved", (int64_t)evictions->sum.moved);
        sl_json_integer(gen, "returned", (int64_t)evictions->sum.returned);
        sl_json_integer(gen, "thrashed", (int64_t)evictions->sum.thrashed);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}
