/* The report of what every resource did with the makespan (busy, stalled by cause, drained), and of
 * what classes of nodes saved and cost each other side by side. */
#include "report_use.h"
#include "table.h"
#include "units.h"
#include <stdlib.h>
#include <string.h>

#define SHOWN_RESOURCES 12
#define SHOWN_PAIRS     12

static bool in_use(const struct sl_cell *cell, uint32_t resource)
{
    return cell->resource_stalls[resource].busy_ps > 0;
}

/* Stalls that some used resource had; returns their number. */
static unsigned find_causes(const struct sl_cell *cell, unsigned causes[SL_STALLS])
{
    uint32_t resources = cell->scenario->platform.resource_names.count;
    unsigned count = 0;
    for (unsigned k = 0; k < SL_STALLS; k++) {
        bool any = false;
        for (uint32_t r = 0; r < resources; r++)
            any |= in_use(cell, r) && cell->resource_stalls[r].idle_ps[k] > 0;
        if (any)
            causes[count++] = k;
    }
    return count;
}

static void add_share(struct sl_table *table, int64_t ps, int64_t total_ps)
{
    if (ps == 0)
        sl_table_add(table, "%s", "");
    else
        sl_table_add(table, "%.1f%%", 100 * (double)ps / (double)total_ps);
}

void sl_report_resources(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_names *names = &cell->scenario->platform.resource_names;
    unsigned causes[SL_STALLS];
    unsigned count = find_causes(cell, causes);
    uint32_t used = 0;
    char alignments[SL_STALLS + 3] = "l";
    memset(alignments + 1, 'r', count + 1);
    struct sl_table table = sl_table_make(arena, alignments);
    sl_table_add(&table, "time of");
    sl_table_add(&table, "busy");
    for (unsigned k = 0; k < count; k++)
        sl_table_add(&table, "%s", sl_stall_name(causes[k]));
    for (uint32_t r = 0; r < names->count; r++) {
        const struct sl_stalls *stalls = &cell->resource_stalls[r];
        if (!in_use(cell, r) || used++ >= SHOWN_RESOURCES)
            continue;
        sl_table_add(&table, "  %s", names->names[r]);
        add_share(&table, stalls->busy_ps, sl_stalls_total(stalls));
        for (unsigned k = 0; k < count; k++)
            add_share(&table, stalls->idle_ps[causes[k]], sl_stalls_total(stalls));
    }
    uint32_t busy = cell->scenario->objective.busy; /* it has a table of its own */
    if (used > 1 || (used == 1 && (busy == SL_NONE || !in_use(cell, busy)))) {
        putc('\n', out);
        sl_table_print(&table, out);
        if (used > SHOWN_RESOURCES)
            fprintf(out, "  and %s other resources\n", sl_grouped(arena, used - SHOWN_RESOURCES));
        fprintf(out,
                "  shares of the makespan, first %s trials%s; idle by what the node that ended it "
                "waited "
                "for\n",
                sl_grouped(arena, cell->stall_trials),
                cell->deadlocked > 0 ? " that completed" : "");
    }
    sl_table_free(&table);
}

struct pair {
    uint32_t a, b;
    int64_t overlap_ps;
};

static int by_overlap(const void *left, const void *right)
{
    const struct pair *x = left, *y = right;
    if (x->overlap_ps != y->overlap_ps)
        return x->overlap_ps > y->overlap_ps ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* Pairs that overlapped, the longest first, in the arena. */
static size_t find_pairs(struct sl_arena *arena, const struct sl_cell *cell, struct pair **out)
{
    size_t classes = cell->scenario->platform.kappa.classes.count, count = 0;
    struct pair *pairs = *out = sl_arena_array(arena, classes * classes + 1, sizeof *pairs);
    for (uint32_t a = 0; pairs && a < classes; a++)
        for (uint32_t b = a; b < classes; b++) {
            int64_t overlap_ps = cell->pairs[a * classes + b].overlap_ps;
            if (overlap_ps > 0)
                pairs[count++] = (struct pair){a, b, overlap_ps};
        }
    if (count > 0)
        qsort(pairs, count, sizeof *pairs, by_overlap);
    return count;
}

static void add_pair(struct sl_table *table, const struct sl_cell *cell, struct pair pair)
{
    const struct sl_names *names = &cell->scenario->platform.kappa.classes;
    double scale = 1.0 / cell->pair_trials / SL_PS_PER_US;
    const struct sl_pair_sums *sums = &cell->pairs[(size_t)pair.a * names->count + pair.b];
    const struct sl_pair_sums *mirror = &cell->pairs[(size_t)pair.b * names->count + pair.a];
    sl_table_add(table, "  %s", names->names[pair.a]);
    sl_table_add(table, "%s", names->names[pair.b]);
    sl_table_add(table, "%s", sl_time_text(table->arena, (double)sums->overlap_ps * scale));
    sl_table_add(table, "%s", sl_time_text(table->arena, (double)sums->saved_ps * scale));
    sl_table_add(table, "%s", sl_time_text(table->arena, (double)sums->inflation_ps * scale));
    if (pair.a == pair.b)
        sl_table_add(table, "%s", "");
    else
        sl_table_add(table, "%s", sl_time_text(table->arena, (double)mirror->inflation_ps * scale));
}

void sl_report_pairs(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    static const char *const heads[] = {"side by side", "with",           "overlap",
                                        "time saved",   "first inflated", "second inflated"};
    struct pair *pairs;
    size_t count = cell->pair_trials > 0 ? find_pairs(arena, cell, &pairs) : 0;
    if (count == 0)
        return;
    struct sl_table table = sl_table_make(arena, "llrrrr");
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        sl_table_add(&table, "%s", heads[k]);
    for (size_t k = 0; k < count && k < SHOWN_PAIRS; k++)
        add_pair(&table, cell, pairs[k]);
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (count > SHOWN_PAIRS)
        fprintf(out, "  and %s other pairs\n", sl_grouped(arena, count - SHOWN_PAIRS));
    fprintf(
        out,
        "  overlap is not time saved: that is against doing them one after the other, the isolated "
        "work\n  done in it, less its length; inflation is split evenly among what ran (an "
        "attribution); means of the first %s "
        "trials%s\n",
        sl_grouped(arena, cell->pair_trials), cell->deadlocked > 0 ? " that completed" : "");
}
