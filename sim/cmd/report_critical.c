/* Criticality: the nodes that are on the realized chain most often. */
#include "report_critical.h"
#include "json_out.h"
#include "kept.h"
#include "result_parts.h"
#include "table.h"
#include "units.h"
#include <stdlib.h>

#define SHOWN 6 /* rows of a table; the folder and --json have all */

struct critical {
    uint32_t node, trials;
    int64_t chain_ps; /* summed over trials */
};

/* The most often first, of equals the longest, ties in the order of nodes. */
static int more_critical(const void *a, const void *b)
{
    const struct critical *x = a, *y = b;
    if (x->trials != y->trials)
        return x->trials > y->trials ? -1 : 1;
    if (x->chain_ps != y->chain_ps)
        return x->chain_ps > y->chain_ps ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* The nodes that any chain has, sorted; the caller frees them. */
static struct critical *find_critical(const struct sl_cell *cell, size_t *count)
{
    const struct sl_node_totals *totals = &cell->nodes;
    uint32_t n = cell->plan.graph->node_count;
    struct critical *found = calloc((size_t)n + 1, sizeof *found);
    *count = 0;
    for (uint32_t i = 0; found && i < n; i++)
        if (totals->on_chain[i] > 0)
            found[(*count)++] = (struct critical){i, totals->on_chain[i], totals->chain_ps[i]};
    if (found)
        qsort(found, *count, sizeof *found, more_critical);
    else
        sl_report_lost();
    return found;
}

static double mean_us(const struct sl_cell *cell, const struct critical *item)
{
    return (double)item->chain_ps / (cell->trials - cell->deadlocked) / (double)SL_PS_PER_US;
}

void sl_report_critical(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    size_t count;
    struct critical *found = find_critical(cell, &count);
    struct sl_table table = sl_table_make(arena, "lrlr");
    static const char *const heads[] = {"on the chain", "trials", "95% interval", "mean time"};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        sl_table_add(&table, "%s", heads[k]);
    for (size_t k = 0; k < count && k < SHOWN; k++) {
        struct sl_estimate share = sl_criticality(cell, found[k].node);
        sl_table_add(&table, "  %s", cell->plan.graph->nodes[found[k].node].name);
        sl_table_add(&table, "%.3g%%", 100 * share.value);
        sl_table_add(&table, "[%.3g%%, %.3g%%]", 100 * share.lo, 100 * share.hi);
        sl_table_add(&table, "%s", sl_time_text(arena, mean_us(cell, &found[k])));
    }
    if (count > 0) {
        putc('\n', out);
        sl_table_print(&table, out);
    }
    if (count > SHOWN)
        fprintf(out, "  and %s other nodes\n", sl_grouped(arena, count - SHOWN));
    sl_table_free(&table);
    free(found);
}

void sl_report_critical_json(yajl_gen gen, const struct sl_cell *cell)
{
    size_t count;
    struct critical *found = find_critical(cell, &count);
    sl_json_open_array(gen, "criticality");
    for (size_t k = 0; k < count; k++) {
        struct sl_estimate share = sl_criticality(cell, found[k].node);
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "node", cell->plan.graph->nodes[found[k].node].name);
        sl_json_integer(gen, "trials_on_chain", found[k].trials);
        sl_json_number(gen, "share", share.value);
        sl_json_number(gen, "share_lo", share.lo);
        sl_json_number(gen, "share_hi", share.hi);
        sl_json_number(gen, "mean_chain_us", mean_us(cell, &found[k]));
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    free(found);
}
