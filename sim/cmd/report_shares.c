/* Bands over draws of the calibration, and shares of wins. */
#include "config.h"

#include "kept.h"
#include "report_shares.h"
#include "report_sweep.h"
#include "result_parts.h"
#include "table.h"
#include <math.h>
#include <string.h>

static const char *range_text(struct sl_arena *arena, double lo, double hi)
{
    if (isnan(lo) || isnan(hi))
        return "";
    const char *text = sl_arena_printf(arena, "[%s, %s]", sl_estimate_text(arena, lo),
                                       sl_estimate_text(arena, hi));
    return sl_kept(text);
}

static const char *percent_text(struct sl_arena *arena, double share)
{
    const char *text = isnan(share) ? "-" : sl_arena_printf(arena, "%.3g%%", 100 * share);
    return sl_kept(text);
}

static const char *share_text(struct sl_arena *arena, struct sl_estimate share)
{
    const char *text = sl_arena_printf(arena, "%.3g%% [%.3g%%, %.3g%%]", 100 * share.value,
                                       100 * share.lo, 100 * share.hi);
    return sl_kept(text);
}

static void add_point(struct sl_table *table, const char *name, struct sl_estimate estimate)
{
    sl_table_add(table, "  %s", name);
    sl_table_add(table, "%s", sl_estimate_text(table->arena, estimate.value));
    sl_table_add(table, "%s", range_text(table->arena, estimate.lo, estimate.hi));
}

static void print_points(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_band *band = &cell->outer.band;
    struct sl_table table = sl_table_make(arena, "lrl");
    char name[16];
    sl_table_add(&table, "%s over calibrations",
                 sl_quantile_name(name, cell->scenario->objective.tail));
    sl_table_add(&table, "estimate");
    sl_table_add(&table, "95%% interval");
    add_point(&table, "as calibrated", sl_tail_estimate(cell));
    add_point(&table, "5% of draws below", band->p5);
    add_point(&table, "50%", band->p50);
    add_point(&table, "95%", band->p95);
    add_point(&table, "lowest draw", (struct sl_estimate){band->min, NAN, NAN});
    add_point(&table, "highest draw", (struct sl_estimate){band->max, NAN, NAN});
    sl_table_print(&table, out);
    sl_table_free(&table);
}

/* What was varied, by how much the tail follows it. */
static void print_sources(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_outer *outer = &cell->outer;
    struct sl_table table = sl_table_make(arena, "lrrrr");
    sl_table_add(&table, "varied");
    sl_table_add(&table, "figures");
    sl_table_add(&table, "from");
    sl_table_add(&table, "to");
    sl_table_add(&table, "rank correlation");
    for (uint32_t s = 0; s < outer->source_count; s++) {
        const struct sl_source *source = &outer->sources[s];
        if (source->figures == 0)
            continue;
        sl_table_add(&table, "  %s of %s", sl_source_kind_name(source->kind),
                     cell->scenario->platform.kappa.classes.names[source->klass]);
        sl_table_add(&table, "%u", source->figures);
        sl_table_add(&table, "x %.3g", source->lo);
        sl_table_add(&table, "x %.3g", source->hi);
        sl_table_add(&table, isnan(outer->correlation[s]) ? "-" : "%.2f", outer->correlation[s]);
    }
    if (table.count > 5)
        sl_table_print(&table, out);
    else
        fputs("  no figure that this plan rests on has an interval: the band is sampling noise\n",
              out);
    sl_table_free(&table);
}

void sl_report_band(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_outer *outer = &cell->outer;
    if (outer->draws == 0)
        return;
    putc('\n', out);
    print_points(out, arena, cell);
    fprintf(out,
            "  %s draws of the calibration, %s trials each; inner sampling noise is %s of the "
            "variance\n",
            sl_grouped(arena, outer->draws), sl_grouped(arena, outer->inner),
            percent_text(arena, outer->band.noise));
    if (outer->deadlocked_draws > 0)
        fprintf(out, "  %u draws have deadlocked trials, the first is draw %u: %.200s\n",
                outer->deadlocked_draws, outer->first_deadlocked,
                outer->deadlock ? outer->deadlock : "?");
    putc('\n', out);
    print_sources(out, arena, cell);
    if (*outer->exact)
        fprintf(out, "  not varied: %s\n", outer->exact);
}

static void put_sources(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_outer *outer = &cell->outer;
    sl_json_open_array(gen, "varied");
    for (uint32_t s = 0; s < outer->source_count; s++) {
        const struct sl_source *source = &outer->sources[s];
        if (source->figures == 0)
            continue;
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "kind", sl_source_kind_name(source->kind));
        sl_json_text(gen, "class", cell->scenario->platform.kappa.classes.names[source->klass]);
        sl_json_integer(gen, "figures", source->figures);
        sl_json_number(gen, "lo_ratio", source->lo);
        sl_json_number(gen, "hi_ratio", source->hi);
        sl_json_number(gen, "rank_correlation", outer->correlation[s]);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

void sl_report_band_json(yajl_gen gen, const struct sl_cell *cell)
{
    const struct sl_outer *outer = &cell->outer;
    if (outer->draws == 0)
        return;
    sl_json_open_map(gen, "uncertainty");
    sl_json_integer(gen, "outer_draws", outer->draws);
    sl_json_integer(gen, "inner_trials", outer->inner);
    sl_json_estimate_us(gen, "tail_p5", outer->band.p5);
    sl_json_estimate_us(gen, "tail_p50", outer->band.p50);
    sl_json_estimate_us(gen, "tail_p95", outer->band.p95);
    sl_json_number(gen, "tail_min_us", outer->band.min);
    sl_json_number(gen, "tail_max_us", outer->band.max);
    sl_json_number(gen, "noise_share", outer->band.noise);
    sl_json_integer(gen, "deadlocked_draws", outer->deadlocked_draws);
    sl_json_text(gen, "deadlock", outer->deadlock);
    put_sources(gen, cell);
    sl_json_text(gen, "not_varied", outer->exact);
    yajl_gen_map_close(gen);
}

static void print_table(FILE *out, struct sl_arena *arena, const struct sl_session *session,
                        const struct sl_group_shares *group, const struct sl_frame *summary)
{
    char name[16];
    struct sl_table table = sl_table_make(arena, "lrlrrrrr");
    sl_table_add(&table, "cell");
    sl_table_add(&table, "%s as calibrated",
                 sl_quantile_name(name, session->scenario.objective.tail));
    sl_table_add(&table, "95%% interval");
    sl_table_add(&table, "5%% of draws");
    sl_table_add(&table, "50%%");
    sl_table_add(&table, "95%%");
    sl_table_add(&table, "of it noise");
    sl_table_add(&table, "wins");
    for (uint32_t k = 0; k < group->count; k++) {
        uint32_t row = group->rows[k];
#define FIGURE(column) sl_frame_number_of(summary, row, column)
        sl_table_add(&table, "%s", sl_sweep_cell_name(arena, session, summary, row));
        sl_table_add(&table, "%s", sl_estimate_text(arena, FIGURE("tail_us")));
        sl_table_add(&table, "%s", range_text(arena, FIGURE("tail_lo_us"), FIGURE("tail_hi_us")));
        sl_table_add(&table, "%s", sl_estimate_text(arena, FIGURE("tail_band_p5_us")));
        sl_table_add(&table, "%s", sl_estimate_text(arena, FIGURE("tail_band_p50_us")));
        sl_table_add(&table, "%s", sl_estimate_text(arena, FIGURE("tail_band_p95_us")));
        sl_table_add(&table, "%s", percent_text(arena, FIGURE("tail_band_noise")));
        sl_table_add(&table, "%s", share_text(arena, group->shares[k].share));
#undef FIGURE
    }
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static void print_lead(FILE *out, struct sl_arena *arena, const struct sl_session *session,
                       const struct sl_shares *shares, const struct sl_group_shares *group,
                       const struct sl_frame *summary)
{
    uint32_t ties = 0;
    char name[16];
    for (uint32_t k = 0; k < group->count; k++)
        ties = group->shares[k].ties > ties ? group->shares[k].ties : ties;
    if (group->leader != SL_NONE && group->count > 1) {
        fprintf(out, "  %s has the lowest %s as calibrated; it is below every other cell",
                sl_sweep_cell_name(arena, session, summary, group->rows[group->leader]),
                sl_quantile_name(name, session->scenario.objective.tail));
        if (shares->min_gain > 0)
            fprintf(out, " by %.6g%%", 100 * shares->min_gain);
        fprintf(out, " in %s of the draws\n", share_text(arena, group->lead));
    }
    if (ties > 0)
        fputs("  a draw that several cells win is split between them; its interval takes it both "
              "ways\n",
              out);
    if (group->nobodys > 0)
        fprintf(out, "  in %u draws every cell deadlocks: nobody wins these\n", group->nobodys);
}

/* What was not varied, each text once. */
static void print_exact(FILE *out, const struct sl_frame *summary)
{
    for (uint32_t row = 0; row < summary->row_count; row++) {
        const char *text = sl_frame_text_of(summary, row, "not_varied");
        bool said = !*text;
        for (uint32_t before = 0; before < row && !said; before++)
            said = strcmp(text, sl_frame_text_of(summary, before, "not_varied")) == 0;
        if (!said)
            fprintf(out, "  not varied in %s: %s\n", sl_frame_text_of(summary, row, "policy"),
                    text);
    }
}

static void print_deadlocks(FILE *out, const struct sl_frame *summary)
{
    for (uint32_t row = 0; row < summary->row_count; row++) {
        double draws = sl_frame_number_of(summary, row, "deadlocked_draws");
        if (draws > 0)
            fprintf(out, "  cell %s, %s: %.0f draws have deadlocked trials\n",
                    sl_frame_text_of(summary, row, "cell"),
                    sl_frame_text_of(summary, row, "policy"), draws);
    }
}

void sl_report_shares(FILE *out, const struct sl_session *session, const struct sl_shares *shares,
                      const struct sl_frame *summary, const struct sl_grouping *grouping)
{
    struct sl_arena arena = {0};
    for (uint32_t g = 0; g < shares->group_count; g++) {
        const struct sl_group_shares *group = &shares->groups[g];
        const char *label = grouping->groups[g].label;
        if (group->count == 0)
            continue;
        fprintf(out, "\nover %s draws of the calibration%s%s:\n", sl_grouped(&arena, group->draws),
                *label ? ", at " : "", label);
        print_table(out, &arena, session, group, summary);
        print_lead(out, &arena, session, shares, group, summary);
    }
    if (shares->group_count > 0) {
        print_deadlocks(out, summary);
        print_exact(out, summary);
    }
    sl_report_free(&arena);
}

void sl_report_shares_json(yajl_gen gen, const struct sl_shares *shares,
                           const struct sl_frame *summary, uint32_t group)
{
    if (group >= shares->group_count)
        return;
    const struct sl_group_shares *of = &shares->groups[group];
    sl_json_open_array(gen, "win_shares");
    for (uint32_t k = 0; k < of->count; k++) {
        sl_json_open_map(gen, NULL);
        sl_json_integer(gen, "cell", sl_row_cell(summary, of->rows[k]));
        sl_json_integer(gen, "wins", of->shares[k].wins);
        sl_json_integer(gen, "ties", of->shares[k].ties);
        sl_json_estimate(gen, "share", of->shares[k].share);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    if (of->count > 0)
        sl_json_estimate(gen, "lead_share", of->lead);
}
