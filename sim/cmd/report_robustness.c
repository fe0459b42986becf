/* The report of a robustness. */
#include "report_robustness.h"
#include "grouping.h"
#include "kept.h"
#include "table.h"
#include <math.h>

static const char *figure_name(const struct sl_robustness *r, char buffer[16])
{
    return isnan(r->q) ? "mean" : sl_quantile_name(buffer, r->q);
}

static void add_state(struct sl_table *table, const struct sl_robustness *r,
                      const struct sl_drift *drift)
{
    double end = drift->up ? r->within : 1 / r->within;
    if (drift->state == SL_DRIFT_FLIPS) {
        sl_table_add(table, "x%.4g", drift->flip);
        sl_table_add(table, "[%sx%.4g, %sx%.4g]", drift->lo_open ? "<" : "", drift->lo,
                     drift->hi_open ? ">" : "", drift->hi);
        sl_table_add(table, "%s", r->policies[drift->to]);
        return;
    }
    sl_table_add(table, "-");
    if (drift->state == SL_DRIFT_NONE)
        sl_table_add(table, "no flip to x%.3g", end);
    else if (drift->state == SL_DRIFT_IDLE)
        sl_table_add(table, "changes no trial");
    else
        sl_table_add(table, "is 1 already");
    sl_table_add(table, "%s", "");
}

static void print_drifts(FILE *out, struct sl_arena *arena, const struct sl_robustness *r)
{
    struct sl_table table = sl_table_make(arena, "llrll");
    sl_table_add(&table, "figure");
    sl_table_add(&table, "drift");
    sl_table_add(&table, "flips at");
    sl_table_add(&table, "95%% band");
    sl_table_add(&table, "to");
    for (uint32_t d = 0; d < r->drift_count; d++) {
        const struct sl_drift *drift = &r->drifts[d];
        const char *what = drift->kind == SL_LEVER_KAPPA   ? "kappa"
                           : drift->kind == SL_LEVER_ROUTE ? "time of route"
                                                           : "time of class";
        if (drift->kind == SL_LEVER_KAPPA)
            sl_table_add(&table, "%s %s (%.4g)", what, drift->name, drift->value);
        else
            sl_table_add(&table, "%s %s", what, drift->name);
        sl_table_add(&table, "%s", drift->up ? "longer" : "shorter");
        add_state(&table, r, drift);
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

void sl_report_robustness(FILE *out, const struct sl_robustness *r)
{
    struct sl_arena arena = {0};
    char buffer[16];
    const char *figure = figure_name(r, buffer);
    fprintf(
        out,
        "\nrobustness: how far a figure may drift, alone, before %s no longer has the lowest %s "
        "(plans %s)\n"
        "as calibrated: %s, %s %s [%s, %s] above%s\n\n",
        r->policies[r->leader], figure, r->replanned ? "made again" : "kept",
        sl_estimate_text(&arena, r->figures_us[r->leader]), r->policies[r->runner_up],
        sl_time_text(&arena, r->margin.value), sl_time_text(&arena, r->margin.lo),
        sl_time_text(&arena, r->margin.hi),
        r->margin.lo > 0 ? "" : ": it is not shown to lead even without a drift");
    print_drifts(out, &arena, r);
    fprintf(
        out,
        "\nx: factor on the figure as calibrated; on a route's bandwidth, its inverse\n"
        "band: where the 95%% interval of the paired difference holds zero; < and >: it may go on\n"
        "looked for at four factors each way, x%.3g to x%.3g, then by halving: a leader that "
        "changes\n"
        "and changes back between two of them is missed\n",
        1 / r->within, r->within);
    sl_report_free(&arena);
}

static void put_drift(yajl_gen gen, const struct sl_robustness *r, const struct sl_drift *drift)
{
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "kind", sl_lever_kind_name(drift->kind));
    sl_json_text(gen, "name", drift->name);
    sl_json_number(gen, "value", drift->value);
    sl_json_text(gen, "direction", drift->up ? "up" : "down");
    sl_json_text(gen, "state", sl_drift_state_name(drift->state));
    sl_json_number(gen, "flip_factor", drift->flip);
    sl_json_number(gen, "near_factor", drift->lo);
    sl_json_number(gen, "far_factor", drift->hi);
    sl_json_bool(gen, "near_open", drift->lo_open);
    sl_json_bool(gen, "far_open", drift->hi_open);
    sl_json_text(gen, "to", drift->to == SL_NONE ? NULL : r->policies[drift->to]);
    sl_json_integer(gen, "looks", drift->looks);
    yajl_gen_map_close(gen);
}

void sl_report_robustness_json(yajl_gen gen, const struct sl_robustness *r)
{
    char buffer[16];
    sl_json_open_map(gen, "robustness");
    sl_json_text(gen, "leader", r->policies[r->leader]);
    sl_json_text(gen, "runner_up", r->policies[r->runner_up]);
    sl_json_text(gen, "figure", figure_name(r, buffer));
    sl_json_text(gen, "plan", r->replanned ? "replanned" : "kept");
    sl_json_number(gen, "within", r->within);
    sl_json_estimate_us(gen, "margin", r->margin);
    sl_json_open_array(gen, "figures");
    for (uint32_t d = 0; d < r->drift_count; d++)
        put_drift(gen, r, &r->drifts[d]);
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
}
