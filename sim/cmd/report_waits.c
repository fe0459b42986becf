/* Liveness: nothing here is an average alone, because a wait starves by its worst case. */
#include "report_waits.h"
#include "kept.h"
#include "report_cell.h"
#include "table.h"
#include "units.h"
#include "wait_story.h"
#include <math.h>
#include <stdlib.h>

#define SHOWN 6 /* rows of a table; waits.csv and --json have all */

static const char *time_text(struct sl_arena *arena, int64_t ps)
{
    return sl_time_text(arena, (double)ps / (double)SL_PS_PER_US);
}

static void print_longest(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    uint32_t node = sl_longest_wait(cell);
    if (node == SL_NONE) {
        fputs("no node waited\n", out);
        return;
    }
    const struct sl_wait *wait = &cell->nodes.longest_wait[node];
    const char *story = sl_wait_story(arena, cell->plan.graph, node, wait);
    fprintf(out, "longest wait: %s, by ", time_text(arena, wait->wait_ps));
    sl_put_clean(cell->plan.graph->nodes[node].name, out);
    fprintf(out, " in trial %u (explain --at %u):\n  ", wait->trial, wait->trial);
    sl_put_clean(story ? story : "out of memory", out);
    putc('\n', out);
}

/* The node with the largest count, SL_NONE where all are 0. */
static uint32_t most_bypassed(const struct sl_cell *cell)
{
    const uint64_t *counts = cell->nodes.bypassed;
    uint32_t most = SL_NONE;
    for (uint32_t i = 0; i < cell->plan.graph->node_count; i++)
        if (counts[i] > (most == SL_NONE ? 0 : counts[most]))
            most = i;
    return most;
}

static void print_bypasses(FILE *out, const struct sl_cell *cell, uint32_t completed)
{
    uint32_t most = most_bypassed(cell);
    fprintf(out, "bypasses: %.3g per trial", (double)sl_total_bypasses(cell) / completed);
    if (most != SL_NONE) {
        fputs(", most often of ", out);
        sl_put_clean(cell->plan.graph->nodes[most].name, out);
        fprintf(out, ": %.3g", (double)cell->nodes.bypassed[most] / completed);
    }
    putc('\n', out);
}

struct starved {
    uint32_t node, waits;
    int64_t longest_ps;
};

/* The most often first, of equals the longest, ties in the order of nodes. */
static int more_starved(const void *a, const void *b)
{
    const struct starved *x = a, *y = b;
    if (x->waits != y->waits)
        return x->waits > y->waits ? -1 : 1;
    if (x->longest_ps != y->longest_ps)
        return x->longest_ps > y->longest_ps ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* The nodes that waited beyond the bound, sorted; the caller frees them.  NULL: out of memory. */
static struct starved *find_starved(const struct sl_cell *cell, size_t *count)
{
    uint32_t n = cell->plan.graph->node_count;
    struct starved *found = calloc((size_t)n + 1, sizeof *found);
    *count = 0;
    for (uint32_t i = 0; found && i < n; i++)
        if (cell->nodes.starved[i] > 0)
            found[(*count)++] =
                (struct starved){i, cell->nodes.starved[i], cell->nodes.longest_wait[i].wait_ps};
    if (found)
        qsort(found, *count, sizeof *found, more_starved);
    else
        sl_report_lost();
    return found;
}

/* Waits beyond the bound, and the trials that had any. */
static uint64_t count_starved(const struct sl_cell *cell, uint32_t *trials)
{
    uint64_t waits = 0;
    *trials = 0;
    for (uint32_t i = 0; i < cell->trials; i++) {
        waits += cell->starved[i];
        *trials += cell->starved[i] > 0;
    }
    return waits;
}

static void print_starved_nodes(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    size_t count;
    struct starved *found = find_starved(cell, &count);
    struct sl_table table = sl_table_make(arena, "lrr");
    sl_table_add(&table, "  beyond the bound");
    sl_table_add(&table, "waits");
    sl_table_add(&table, "longest");
    for (size_t k = 0; k < count && k < SHOWN; k++) {
        sl_table_add(&table, "    %s", cell->plan.graph->nodes[found[k].node].name);
        sl_table_add(&table, "%s", sl_grouped(arena, found[k].waits));
        sl_table_add(&table, "%s", time_text(arena, found[k].longest_ps));
    }
    if (count > 0)
        sl_table_print(&table, out);
    if (count > SHOWN)
        fprintf(out, "    and %zu other nodes\n", count - SHOWN);
    sl_table_free(&table);
    free(found);
}

static void print_starvation(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    int64_t bound_ps = cell->scenario->starvation_bound_ps;
    if (bound_ps < 0) {
        fputs("starvation: no bound established (the constraint max_wait <= TIME declares one)\n",
              out);
        return;
    }
    uint32_t trials;
    uint64_t waits = count_starved(cell, &trials);
    fprintf(out, "starvation: %s wait%s beyond the declared bound of %s", sl_grouped(arena, waits),
            waits == 1 ? "" : "s", time_text(arena, bound_ps));
    if (waits > 0)
        fprintf(out, ", in %s of %s trials", sl_grouped(arena, trials),
                sl_grouped(arena, cell->trials - cell->deadlocked));
    putc('\n', out);
    print_starved_nodes(out, arena, cell);
}

void sl_report_waits(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    uint32_t completed = cell->trials - cell->deadlocked;
    if (completed == 0)
        return; /* who waits for what stands in the verdict */
    putc('\n', out);
    print_longest(out, arena, cell);
    if (sl_longest_wait(cell) != SL_NONE) /* who did not wait was not passed */
        print_bypasses(out, cell, completed);
    print_starvation(out, arena, cell);
}

static void put_longest(yajl_gen gen, const struct sl_cell *cell, uint32_t node)
{
    struct sl_arena arena = {0};
    const struct sl_graph *graph = cell->plan.graph;
    const struct sl_wait *wait = &cell->nodes.longest_wait[node];
    sl_json_open_map(gen, "longest_wait");
    sl_json_text(gen, "node", graph->nodes[node].name);
    sl_json_integer(gen, "trial", wait->trial);
    sl_json_us(gen, "ready_us", wait->ready_ps);
    sl_json_us(gen, "wait_us", wait->wait_ps);
    sl_json_text(gen, "cause", sl_cause_name(wait->cause));
    sl_json_text(gen, "behind", wait->behind == SL_NONE ? NULL : graph->nodes[wait->behind].name);
    sl_json_integer(gen, "bypassed", wait->bypassed);
    sl_json_text(gen, "story", sl_wait_story(&arena, graph, node, wait));
    yajl_gen_map_close(gen);
    sl_report_free(&arena);
}

static void put_starvation(yajl_gen gen, const struct sl_cell *cell)
{
    uint32_t trials;
    size_t count;
    sl_json_us(gen, "starvation_bound_us", cell->scenario->starvation_bound_ps);
    sl_json_integer(gen, "starved", (int64_t)count_starved(cell, &trials));
    sl_json_integer(gen, "starved_trials", trials);
    struct starved *found = find_starved(cell, &count);
    sl_json_open_array(gen, "starved_nodes");
    for (size_t k = 0; k < count; k++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "node", cell->plan.graph->nodes[found[k].node].name);
        sl_json_integer(gen, "waits", found[k].waits);
        sl_json_us(gen, "longest_us", found[k].longest_ps);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    free(found);
}

void sl_report_waits_json(yajl_gen gen, const struct sl_cell *cell)
{
    uint32_t longest = sl_longest_wait(cell), completed = cell->trials - cell->deadlocked;
    const struct sl_graph *graph = cell->plan.graph;
    sl_json_us(gen, "max_wait_us",
               longest == SL_NONE ? 0 : cell->nodes.longest_wait[longest].wait_ps);
    sl_json_text(gen, "max_wait_node", longest == SL_NONE ? NULL : graph->nodes[longest].name);
    if (longest != SL_NONE)
        put_longest(gen, cell, longest);
    sl_json_number(gen, "bypasses_per_trial",
                   completed > 0 ? (double)sl_total_bypasses(cell) / completed : NAN);
    if (cell->scenario->starvation_bound_ps >= 0)
        put_starvation(gen, cell);
}
