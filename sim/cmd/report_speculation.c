/* Movements on speculation, for people and as JSON. */
#include "json_out.h"
#include "report_outcomes.h"
#include "table.h"
#include "units.h"

static void add_time_row(struct sl_table *table, struct sl_arena *arena, const char *what,
                         double count, struct sl_estimate us)
{
    sl_table_add(table, "  %s", what);
    sl_table_add(table, "%.3g", count);
    sl_table_add(table, "%s", sl_time_text(arena, us.value));
    sl_table_add(table, "[%s, %s]", sl_time_text(arena, us.lo), sl_time_text(arena, us.hi));
}

void sl_report_speculation(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_speculation_use *use = &cell->speculation;
    if (use->movements == 0 || cell->trials == cell->deadlocked)
        return;
    fprintf(out, "\nmoved on speculation: %s movements, %.3g started per trial",
            sl_grouped(arena, use->movements), use->started.value);
    if (use->started.value > 0)
        fprintf(out, ", %.3g%% used [%.3g%%, %.3g%%]; %s wasted per trial",
                100 * use->hit_rate.value, 100 * use->hit_rate.lo, 100 * use->hit_rate.hi,
                sl_bytes_text(arena, use->wasted_bytes.value));
    putc('\n', out);
    struct sl_table table = sl_table_make(arena, "lrrl");
    static const char *const heads[] = {"per trial", "times", "time", "95% interval"};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        sl_table_add(&table, "%s", heads[k]);
    add_time_row(&table, arena, "copies that nobody used", use->started.value - use->hits.value,
                 use->wasted_us);
    add_time_row(&table, arena, "other nodes waited for one to end", use->demand_waits.value,
                 use->demand_us);
    add_time_row(&table, arena, "reclamations waited for one to end", use->reclamation_waits.value,
                 use->reclamation_us);
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (use->bypasses.value > 0)
        fprintf(out, "  they passed other waiting nodes %.3g times per trial\n",
                use->bypasses.value);
}

void sl_report_speculation_json(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_speculation_use *use = &cell->speculation;
    sl_json_open_map(gen, "speculation");
    sl_json_integer(gen, "movements", use->movements);
    if (use->movements > 0) {
        sl_json_estimate(gen, "started_per_trial", use->started);
        sl_json_estimate(gen, "hits_per_trial", use->hits);
        sl_json_estimate(gen, "hit_rate", use->hit_rate);
        sl_json_estimate(gen, "wasted_bytes_per_trial", use->wasted_bytes);
        sl_json_estimate_us(gen, "wasted_busy_per_trial", use->wasted_us);
        sl_json_estimate(gen, "demand_waits_per_trial", use->demand_waits);
        sl_json_estimate_us(gen, "demand_wait_time_per_trial", use->demand_us);
        sl_json_estimate(gen, "reclamation_waits_per_trial", use->reclamation_waits);
        sl_json_estimate_us(gen, "reclamation_wait_time_per_trial", use->reclamation_us);
        sl_json_estimate(gen, "bypasses_per_trial", use->bypasses);
    }
    yajl_gen_map_close(gen);
}
