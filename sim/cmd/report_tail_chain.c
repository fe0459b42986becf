/* What is on the chain in the worst 1% of the trials and not in the middle ones. */
#include "json_out.h"
#include "kept.h"
#include "report_critical.h"
#include "result_parts.h"
#include "table.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

#define SHOWN 6 /* rows of a table; the folder and --json have all */

/* A node, or a part of the chain by kind and cause, that is on it in either group. */
struct contrast {
    uint32_t index;
    double tail_us, middle_us; /* mean time on the chain */
    const struct sl_chain_contrast *sums;
};

/* Those whose time differs most first, of equals those whose share does, ties by index. */
static int more_different(const void *a, const void *b)
{
    const struct contrast *x = a, *y = b;
    double time_x = fabs(x->tail_us - x->middle_us), time_y = fabs(y->tail_us - y->middle_us);
    double share_x = fabs(x->sums->difference.value), share_y = fabs(y->sums->difference.value);
    if (time_x != time_y)
        return time_x > time_y ? -1 : 1;
    if (share_x != share_y)
        return share_x > share_y ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Sorted; the caller frees them. */
static struct contrast *find_contrasts(const struct sl_tail_chain *tail,
                                       const struct sl_chain_contrast *sums, uint32_t n,
                                       size_t *count)
{
    struct contrast *found = calloc((size_t)n + 1, sizeof *found);
    *count = 0;
    for (uint32_t i = 0; found && i < n; i++)
        if (sums[i].tail.trials + sums[i].middle.trials > 0)
            found[(*count)++] =
                (struct contrast){i, sl_tail_chain_us(&sums[i].tail, tail->tail_trials),
                                  sl_tail_chain_us(&sums[i].middle, tail->middle_trials), &sums[i]};
    if (found)
        qsort(found, *count, sizeof *found, more_different);
    else
        sl_report_lost();
    return found;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void add_row(struct sl_table *table, struct sl_arena *arena,
                    const struct sl_tail_chain *tail, const struct contrast *contrast)
{
    const struct sl_chain_contrast *sums = contrast->sums;
    double us = contrast->tail_us - contrast->middle_us;
    sl_table_add(table, "%.3g%%", 100.0 * sums->tail.trials / tail->tail_trials);
    sl_table_add(table, "%.3g%%", 100.0 * sums->middle.trials / tail->middle_trials);
    sl_table_add(table, "[%+.3g, %+.3g]", 100 * sums->difference.lo, 100 * sums->difference.hi);
    sl_table_add(table, "%s", sl_time_text(arena, contrast->tail_us));
    sl_table_add(table, "%s", sl_time_text(arena, contrast->middle_us));
    sl_table_add(table, "%s%s", us < 0 ? "-" : "+", sl_time_text(arena, fabs(us)));
}

static struct sl_table open_table(struct sl_arena *arena, const char *what)
{
    static const char *const heads[] = {"in worst 1%",   "in middle", "%-points (95%)",
                                        "time in worst", "in middle", "difference"};
    struct sl_table table = sl_table_make(arena, "lrrrrrr");
    sl_table_add(&table, "%s", what);
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        sl_table_add(&table, "%s", heads[k]);
    return table;
}

static void print_parts(FILE *out, struct sl_arena *arena, const struct sl_tail_chain *tail)
{
    size_t count;
    struct contrast *found = find_contrasts(tail, tail->parts, SL_CHAIN_PARTS, &count);
    struct sl_table table = open_table(arena, "  part, started after");
    for (size_t k = 0; k < count && k < SHOWN; k++) {
        sl_table_add(&table, "  %s, %s", sl_chain_row_name(found[k].index / SL_CAUSES),
                     sl_cause_name((enum sl_cause)(found[k].index % SL_CAUSES)));
        add_row(&table, arena, tail, &found[k]);
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
    free(found);
}

static void print_nodes(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_tail_chain *tail = &cell->tail_chain;
    const struct sl_graph *graph = cell->plan.graph;
    size_t count;
    struct contrast *found = find_contrasts(tail, tail->nodes, graph->node_count, &count);
    struct sl_table table = open_table(arena, "  node");
    for (size_t k = 0; k < count && k < SHOWN; k++) {
        sl_table_add(&table, "  %s", graph->nodes[found[k].index].name);
        add_row(&table, arena, tail, &found[k]);
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (count > SHOWN)
        fprintf(out, "  and %s other nodes\n", sl_grouped(arena, count - SHOWN));
    free(found);
}

void sl_report_tail_chain(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_tail_chain *tail = &cell->tail_chain;
    if (!tail->apart)
        return; /* equal trials: the quantiles above say so */
    if (!tail->parts) {
        fprintf(out,
                "\nthe chain of the worst 1%%: too few trials to compare: %s of them and %s of the "
                "middle ended (each needs %u)\n",
                sl_grouped(arena, tail->tail_trials), sl_grouped(arena, tail->middle_trials),
                SL_TAIL_CHAIN_LEAST);
        return;
    }
    fprintf(out,
            "\nthe chain of %s of the worst 1%% of trials beside that of %s of the middle fifth "
            "(p40 to p60):\n",
            sl_grouped(arena, tail->tail_trials), sl_grouped(arena, tail->middle_trials));
    print_parts(out, arena, tail);
    putc('\n', out);
    print_nodes(out, arena, cell);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void put_sums(yajl_gen gen, const struct contrast *contrast)
{
    const struct sl_chain_contrast *sums = contrast->sums;
    sl_json_integer(gen, "tail_on_chain", sums->tail.trials);
    sl_json_integer(gen, "middle_on_chain", sums->middle.trials);
    sl_json_number(gen, "share_difference", sums->difference.value);
    sl_json_number(gen, "share_difference_lo", sums->difference.lo);
    sl_json_number(gen, "share_difference_hi", sums->difference.hi);
    sl_json_number(gen, "tail_us", contrast->tail_us);
    sl_json_number(gen, "middle_us", contrast->middle_us);
    sl_json_number(gen, "difference_us", contrast->tail_us - contrast->middle_us);
}

static void put_parts(yajl_gen gen, const struct sl_tail_chain *tail)
{
    size_t count;
    struct contrast *found = find_contrasts(tail, tail->parts, SL_CHAIN_PARTS, &count);
    sl_json_open_array(gen, "parts");
    for (size_t k = 0; k < count; k++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "kind", sl_chain_row_name(found[k].index / SL_CAUSES));
        sl_json_text(gen, "cause", sl_cause_name((enum sl_cause)(found[k].index % SL_CAUSES)));
        put_sums(gen, &found[k]);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    free(found);
}

static void put_nodes(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_tail_chain *tail = &cell->tail_chain;
    size_t count;
    struct contrast *found =
        find_contrasts(tail, tail->nodes, cell->plan.graph->node_count, &count);
    sl_json_open_array(gen, "nodes");
    for (size_t k = 0; k < count; k++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "node", cell->plan.graph->nodes[found[k].index].name);
        put_sums(gen, &found[k]);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    free(found);
}

void sl_report_tail_chain_json(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_tail_chain *tail = &cell->tail_chain;
    sl_json_open_map(gen, "tail_chain");
    sl_json_bool(gen, "apart", tail->apart);
    sl_json_bool(gen, "too_few_trials", tail->apart && !tail->parts);
    sl_json_integer(gen, "tail_trials", tail->tail_trials);
    sl_json_integer(gen, "middle_trials", tail->middle_trials);
    sl_json_us(gen, "tail_from_us", tail->from_ps);
    sl_json_us(gen, "middle_from_us", tail->middle_from_ps);
    sl_json_us(gen, "middle_to_us", tail->middle_to_ps);
    if (tail->parts) {
        put_parts(gen, tail);
        put_nodes(gen, cell);
    }
    yajl_gen_map_close(gen);
}
