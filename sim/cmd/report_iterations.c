/* Cold and warm iterations, for people and as JSON. */
#include "json_out.h"
#include "report_outcomes.h"
#include "table.h"
#include <math.h>

static void add_row(struct sl_table *table, struct sl_arena *arena, const char *what,
                    struct sl_estimate us)
{
    if (isnan(us.value))
        return;
    sl_table_add(table, "  %s", what);
    sl_table_add(table, "%s", sl_estimate_text(arena, us.value));
    sl_table_add(table, "[%s, %s]", sl_estimate_text(arena, us.lo), sl_estimate_text(arena, us.hi));
}

static void print_warmup(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_iterations *all = &cell->iterations;
    bool stated = !cell->scenario->warmup_detected, longer = !isnan(all->excess.value);
    bool by_chance = all->excess.lo <= 0 && all->excess.hi >= 0; /* false without an interval */
    if (!all->judged)
        return;
    if (!all->settled)
        fprintf(out, "  warning: no steady state within %s iterations (MSER-5)\n",
                sl_grouped(arena, all->count));
    else if (longer && !by_chance)
        fprintf(out,
                "  warning: the stated warm-up of %u is shorter than the %u iterations that MSER-5 "
                "detects; state run.warmup: %u, or auto\n",
                all->warmup, all->detected, all->detected);
    else if (longer)
        fprintf(out,
                "  warm-up: %u stated, %u detected (MSER-5), by chance as it seems: the iterations "
                "between differ from later ones by %s [%s, %s]\n",
                all->warmup, all->detected, sl_estimate_text(arena, all->excess.value),
                sl_estimate_text(arena, all->excess.lo), sl_estimate_text(arena, all->excess.hi));
    else
        fprintf(out, "  warm-up: %u %s, %u detected (MSER-5)\n", all->warmup,
                stated ? "stated" : "left out", all->detected);
}

void sl_report_iterations(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_iterations *all = &cell->iterations;
    struct sl_table table = sl_table_make(arena, "lrl");
    sl_table_add(&table, "one iteration");
    sl_table_add(&table, "estimate");
    sl_table_add(&table, "95%% interval");
    add_row(&table, arena, all->warmup > 0 ? "the first, cold" : "the first", all->first);
    add_row(&table, arena, "others of the warm-up, mean", all->warming);
    add_row(&table, arena, "warm, mean", all->warm.estimate);
    add_row(&table, arena, "warm, median", all->warm_median);
    add_row(&table, arena, "warm, p99", all->warm_p99);
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (all->warm.method == SL_SERIES_NONE)
        fputs("  too few iterations for an interval of warm ones, which depend on each other\n",
              out);
    else
        fprintf(out, "  warm: intervals by %s, %u groups\n",
                sl_series_method_name(all->warm.method), all->warm.groups);
    if (isfinite(all->effective))
        fprintf(
            out,
            "  a warm iteration and the next: correlation %.2f; the %u of a trial tell as much of "
            "the mean as %.3g independent ones\n",
            all->lag1, all->count - all->warmup, all->effective);
    print_warmup(out, arena, cell);
}

void sl_report_iterations_json(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_iterations *all = &cell->iterations;
    sl_json_bool(gen, "warmup_judged", all->judged);
    sl_json_bool(gen, "steady", all->settled);
    sl_json_integer(gen, "warmup_detected", all->detected);
    sl_json_estimate_us(gen, "warmup_excess", all->excess);
    sl_json_estimate_us(gen, "first_cold", all->first);
    sl_json_estimate_us(gen, "others_of_warmup", all->warming);
    sl_json_estimate_us(gen, "warm_mean", all->warm.estimate);
    sl_json_estimate_us(gen, "warm_median", all->warm_median);
    sl_json_estimate_us(gen, "warm_p99", all->warm_p99);
    sl_json_text(gen, "warm_interval", sl_series_method_name(all->warm.method));
    sl_json_number(gen, "lag1_autocorrelation", all->lag1);
    sl_json_number(gen, "effective_iterations", all->effective);
}
