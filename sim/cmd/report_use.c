/* The report of what every resource did with the makespan: busy, stalled by cause, drained. */
#include "report_use.h"
#include "table.h"
#include <string.h>

#define SHOWN_RESOURCES 12

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
