/* The verdict of a replay for people. */
#include "config.h"

#include "replay_files.h"
#include "table.h"
#include <math.h>

enum { WORST = 10 };

static const char *percent(struct sl_arena *arena, double share)
{
    return isnan(share) ? "-" : sl_arena_printf(arena, "%+.1f%%", 100 * share);
}

static const char *with_interval(struct sl_arena *arena, struct sl_estimate us)
{
    if (isnan(us.value))
        return "too few";
    return sl_arena_printf(arena, "%s [%s, %s]", sl_estimate_text(arena, us.value),
                           sl_estimate_text(arena, us.lo), sl_estimate_text(arena, us.hi));
}

static const char *class_name(const struct sl_cell *cell, uint32_t klass)
{
    return klass == SL_NONE ? "-" : cell->plan.graph->platform->kappa.classes.names[klass];
}

static void print_quantiles(FILE *out, const struct sl_replay_verdict *verdict,
                            struct sl_arena *arena)
{
    struct sl_table table = sl_table_make(arena, "lrrrl");
    sl_table_add(&table, "makespan");
    sl_table_add(&table, "measured [95%%]");
    sl_table_add(&table, "projected [95%%]");
    sl_table_add(&table, "error");
    sl_table_add(&table, "intervals");
    for (int i = 0; i < SL_REPLAY_QUANTILES; i++) {
        const struct sl_replay_quantile *row = &verdict->quantiles[i];
        sl_table_add(&table, "%s", row->name);
        sl_table_add(&table, "%s", with_interval(arena, row->measured));
        sl_table_add(&table, "%s", with_interval(arena, row->projected));
        sl_table_add(&table, "%s", percent(arena, row->error));
        sl_table_add(&table, "%s", row->agree ? "overlap" : isnan(row->error) ? "-" : "apart");
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static void print_orders(FILE *out, const struct sl_replay_verdict *verdict,
                         const struct sl_replay_plan *plan, struct sl_arena *arena)
{
    struct sl_table table = sl_table_make(arena, "lrrr");
    sl_table_add(&table, "order on");
    sl_table_add(&table, "nodes");
    sl_table_add(&table, "as planned");
    sl_table_add(&table, "misplaced");
    for (uint32_t i = 0; i < verdict->order_count; i++) {
        const struct sl_replay_order *row = &verdict->orders[i];
        sl_table_add(&table, "%s", plan->resources[row->resource].name);
        sl_table_add(&table, "%u", row->nodes);
        sl_table_add(&table, "%.1f%%", 100 * row->in_order);
        sl_table_add(&table, "%.3g", row->misplaced);
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static void print_overlaps(FILE *out, const struct sl_replay_verdict *verdict,
                           const struct sl_cell *cell, struct sl_arena *arena)
{
    struct sl_table table = sl_table_make(arena, "lrr");
    sl_table_add(&table, "overlap of");
    sl_table_add(&table, "measured");
    sl_table_add(&table, "projected");
    for (uint32_t i = 0; i < verdict->overlap_count; i++) {
        const struct sl_replay_overlap *row = &verdict->overlaps[i];
        sl_table_add(&table, "%s, %s", class_name(cell, row->a), class_name(cell, row->b));
        sl_table_add(&table, "%s", sl_time_text(arena, row->measured_us));
        sl_table_add(&table, "%s", sl_time_text(arena, row->projected_us));
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static void print_slowdowns(FILE *out, const struct sl_replay_verdict *verdict,
                            const struct sl_cell *cell, struct sl_arena *arena)
{
    struct sl_table table = sl_table_make(arena, "llrrr");
    sl_table_add(&table, "kappa of");
    sl_table_add(&table, "beside");
    sl_table_add(&table, "seen");
    sl_table_add(&table, "used");
    sl_table_add(&table, "of its time");
    for (uint32_t i = 0; i < verdict->slowdown_count; i++) {
        const struct sl_replay_slowdown *row = &verdict->slowdowns[i];
        sl_table_add(&table, "%s", class_name(cell, row->seen.klass));
        sl_table_add(&table, "%s", row->others[0] ? row->others : "nobody");
        sl_table_add(&table, "%s",
                     isnan(row->seen.kappa) ? "-"
                                            : sl_arena_printf(arena, "%.3f", row->seen.kappa));
        sl_table_add(&table, "%.3f", row->used);
        sl_table_add(&table, "%.0f%%", 100 * row->seen.share);
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static void print_deviations(FILE *out, const struct sl_replay_verdict *verdict,
                             const struct sl_replay_plan *plan, const struct sl_cell *cell,
                             struct sl_arena *arena)
{
    struct sl_table table = sl_table_make(arena, "llrrr");
    sl_table_add(&table, "node");
    sl_table_add(&table, "class");
    sl_table_add(&table, "measured");
    sl_table_add(&table, "projected");
    sl_table_add(&table, "of makespan");
    for (uint32_t i = 0; i < verdict->deviation_count && i < WORST; i++) {
        const struct sl_replay_deviation *row = &verdict->deviations[i];
        sl_table_add(&table, "%s", plan->nodes[row->node].name);
        sl_table_add(&table, "%s", class_name(cell, plan->nodes[row->node].klass));
        sl_table_add(&table, "%s", sl_time_text(arena, row->measured_us));
        sl_table_add(&table, "%s", sl_time_text(arena, row->projected_us));
        sl_table_add(&table, "%s", percent(arena, row->share));
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

void sl_replay_report(FILE *out, const struct sl_replay_verdict *verdict,
                      const struct sl_replay_plan *plan, const struct sl_cell *cell)
{
    struct sl_arena arena = {0};
    print_quantiles(out, verdict, &arena);
    putc('\n', out);
    print_orders(out, verdict, plan, &arena);
    if (verdict->overlap_count > 0) {
        putc('\n', out);
        print_overlaps(out, verdict, cell, &arena);
    }
    if (verdict->slowdown_count > 0) {
        putc('\n', out);
        print_slowdowns(out, verdict, cell, &arena);
    }
    putc('\n', out);
    print_deviations(out, verdict, plan, cell, &arena);
    sl_arena_free(&arena);
}
