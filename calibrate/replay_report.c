/* The verdict of a replay for people. */
#include "config.h"

#include "replay_files.h"
#include "table.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

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

/* `title` heads the column of the quantities; `seen`: at the speeds seen beside. */
static void print_quantiles(FILE *out, const struct sl_replay_verdict *verdict, const char *title,
                            bool seen, struct sl_arena *arena)
{
    struct sl_table table = sl_table_make(arena, "lrrrl");
    sl_table_add(&table, "%s", title);
    sl_table_add(&table, "measured [95%%]");
    sl_table_add(&table, "projected [95%%]");
    sl_table_add(&table, "error");
    sl_table_add(&table, "intervals");
    for (int i = 0; i < SL_REPLAY_QUANTILES; i++) {
        const struct sl_replay_quantile *row = &verdict->quantiles[i];
        const struct sl_replay_match *match = seen ? &row->seen : &row->calibrated;
        sl_table_add(&table, "%s", row->name);
        sl_table_add(&table, "%s", with_interval(arena, row->measured));
        sl_table_add(&table, "%s", with_interval(arena, match->projected));
        sl_table_add(&table, "%s", percent(arena, match->error));
        sl_table_add(&table, "%s", match->agree ? "overlap" : isnan(match->error) ? "-" : "apart");
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static const char *usual_text(struct sl_arena *arena, const struct sl_replay_speed *speed)
{
    if (isnan(speed->ratio.value) || isnan(speed->allowed))
        return "-";
    return sl_arena_printf(arena, "%s, x %.3f or / %.3f",
                           sl_replay_speed_is_usual(speed) ? "within" : "beyond", speed->allowed,
                           speed->allowed);
}

static void print_speeds(FILE *out, const struct sl_replay_beside *beside,
                         const struct sl_cell *cell, struct sl_arena *arena)
{
    struct sl_table table = sl_table_make(arena, "lrlrrrrrl");
    static const char *const heads[] = {"alone",         "size",      "regime",
                                        "in the tables", "now [95%]", "ratio",
                                        "shots",         "rejected",  "sessions differ by"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        sl_table_add(&table, "%s", heads[i]);
    for (uint32_t i = 0; i < beside->speed_count; i++) {
        const struct sl_replay_speed *row = &beside->speeds[i];
        sl_table_add(&table, "%s", class_name(cell, row->klass));
        sl_table_add(&table, "%s", sl_bytes_text(arena, (double)row->bytes));
        sl_table_add(&table, "%s", row->regime[0] ? row->regime : "-");
        sl_table_add(&table, "%s", sl_estimate_text(arena, row->calibrated_us));
        sl_table_add(&table, "%s", with_interval(arena, row->seen_us));
        sl_table_add(&table, "%s",
                     isnan(row->ratio.value) ? "-"
                                             : sl_arena_printf(arena, "%.3f", row->ratio.value));
        sl_table_add(&table, "%" PRIu32, row->shots);
        sl_table_add(&table, "%" PRIu32, row->rejected);
        sl_table_add(&table, "%s", usual_text(arena, row));
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static bool has_ratio(const struct sl_replay_beside *beside, uint32_t klass)
{
    for (uint32_t i = 0; i < beside->speed_count; i++)
        if (beside->speeds[i].klass == klass && !isnan(beside->speeds[i].ratio.value) &&
            strcmp(beside->speeds[i].regime, beside->regime) == 0)
            return true;
    return false;
}

/* Whose durations the second projection leaves as they are. */
static void print_left_out(FILE *out, const struct sl_replay_beside *beside,
                           const struct sl_cell *cell)
{
    uint32_t told = SL_NONE;
    for (uint32_t i = 0; i < beside->speed_count; i++) {
        uint32_t klass = beside->speeds[i].klass; /* those of one class stand together */
        if (klass == told || has_ratio(beside, klass))
            continue;
        fprintf(out, "%s%s", told == SL_NONE ? "too few shots to go by: " : ", ",
                class_name(cell, klass));
        told = klass;
    }
    if (told != SL_NONE)
        fprintf(out, "%s%s\n", beside->regime[0] ? " in regime " : "", beside->regime);
}

/* How much of the median's error is drift, and how much is left.  The two multiply. */
static void print_attribution(FILE *out, const struct sl_replay_quantile *median,
                              struct sl_arena *arena)
{
    if (isnan(median->seen.error))
        return;
    fprintf(out, "The median's error of %s is %s by drift (%s) and %s for the model\n(%s).\n",
            percent(arena, median->calibrated.error), percent(arena, median->drift),
            median->drift > 0   ? "works alone are done sooner now than in the tables"
            : median->drift < 0 ? "works alone take longer now than in the tables"
                                : "works alone take as long as in the tables",
            percent(arena, median->seen.error),
            median->seen.agree ? "the intervals overlap: nothing is shown to be missing"
                               : "order, overlap, contention, and what varies together");
}

static void print_drift(FILE *out, const struct sl_replay_verdict *verdict,
                        const struct sl_cell *cell, struct sl_arena *arena)
{
    if (!verdict->beside) {
        fputs("This backend takes no shots of works alone: how far the machine has moved since its "
              "tables is not known.\n",
              out);
        return;
    }
    if (verdict->beside->speed_count > 0) {
        print_speeds(out, verdict->beside, cell, arena);
        print_left_out(out, verdict->beside, cell);
    }
    if (isnan(verdict->quantiles[0].seen.projected.value))
        return;
    putc('\n', out);
    print_quantiles(out, verdict, "at the speeds seen beside", true, arena);
    print_attribution(out, &verdict->quantiles[0], arena);
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
    print_quantiles(out, verdict, "makespan", false, &arena);
    putc('\n', out);
    print_drift(out, verdict, cell, &arena);
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
