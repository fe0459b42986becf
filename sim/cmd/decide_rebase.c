/* `decide --rebase`: what becomes of a decision on another device, and which rows did it. */
#include "config.h"

#include "decide_more.h"
#include "json_out.h"
#include "kept.h"
#include "rebase.h"
#include "table.h"
#include "thread_pool.h"
#include <inttypes.h>
#include <string.h>

static const char *interval_text(struct sl_arena *arena, struct sl_estimate e)
{
    if (isnan(e.value))
        return "-";
    const char *text =
        sl_arena_printf(arena, "%s [%s, %s]", sl_estimate_text(arena, e.value),
                        sl_estimate_text(arena, e.lo), sl_estimate_text(arena, e.hi));
    return text ? text : "";
}

static const char *name_of(const struct sl_rebase_candidate *candidate, struct sl_arena *arena)
{
    const char *text = candidate->point
                           ? sl_arena_printf(arena, "%s %s", candidate->policy, candidate->point)
                           : candidate->policy;
    return text ? text : "";
}

static void print_candidates(const struct sl_rebase *rebase, struct sl_arena *arena)
{
    char buffer[16];
    const char *figure = sl_rebase_figure_name(rebase, buffer);
    struct sl_table table = sl_table_make(arena, "lllll");
    sl_table_add(&table, "policy");
    for (int side = 0; side < 2; side++)
        sl_table_add(&table, "%s on %s", figure, rebase->devices[side]);
    sl_table_add(&table, "less the selected one's there [95%%]");
    sl_table_add(&table, "there");
    for (uint32_t i = 0; i < rebase->count; i++) {
        const struct sl_rebase_candidate *candidate = &rebase->candidates[i];
        sl_table_add(&table, "%s%s", name_of(candidate, arena), i == 0 ? " (selected)" : "");
        for (int side = 0; side < 2; side++)
            sl_table_add(&table, "%s", sl_estimate_text(arena, candidate->figure[side].value));
        sl_table_add(&table, "%s", i == 0 ? "" : interval_text(arena, candidate->against[1]));
        sl_table_add(&table, "%s",
                     candidate->reasons[1] && *candidate->reasons[1] ? candidate->reasons[1]
                     : isnan(candidate->figure[1].value) ? "feasible, too few to compare"
                     : candidate->same[1]                ? "feasible, the same time in each trial"
                                                         : "feasible");
    }
    sl_table_print(&table, stdout);
    sl_table_free(&table);
}

static void add_effect(struct sl_table *table, const char *name, struct sl_estimate effect,
                       const char *remark)
{
    sl_table_add(table, "%s", name);
    sl_table_add(table, "%s", interval_text(table->arena, effect));
    sl_table_add(table, "%s", remark);
}

static void print_effects(const struct sl_rebase *rebase, struct sl_arena *arena)
{
    const struct sl_rebase_candidate *rival = &rebase->candidates[rebase->rival];
    printf("\n%s less %s: %s on %s, %s on %s\n\n", name_of(rival, arena),
           name_of(&rebase->candidates[0], arena), interval_text(arena, rebase->difference[0]),
           rebase->devices[0], interval_text(arena, rebase->difference[1]), rebase->devices[1]);
    struct sl_table table = sl_table_make(arena, "lll");
    sl_table_add(&table, "row of the new device alone");
    sl_table_add(&table, "moves that by [95%%]");
    sl_table_add(&table, "%s", "");
    for (uint32_t i = 0; i < rebase->effect_count; i++)
        add_effect(&table, rebase->effects[i].name, rebase->effects[i].effect,
                   rebase->effects[i].flips ? "turns it round by itself" : "");
    add_effect(&table, "all of these at once", rebase->together, "");
    add_effect(&table, "of that, interaction", rebase->interaction, "");
    add_effect(&table, "what is in no such row", rebase->others, "");
    sl_table_print(&table, stdout);
    sl_table_free(&table);
    for (uint32_t i = 0; i < rebase->swaps.other_count; i++)
        printf("%s%s%s", i ? ", " : "differs, and is in no row: ", rebase->swaps.others[i],
               i + 1 == rebase->swaps.other_count ? "\n" : "");
}

static void print_text(const struct sl_rebase *rebase)
{
    struct sl_arena arena = {0};
    const char *selected = name_of(&rebase->candidates[0], &arena);
    const char *rival =
        rebase->rival == SL_NONE ? "none" : name_of(&rebase->candidates[rebase->rival], &arena);
    if (rebase->outcome == SL_REBASE_KEPT)
        printf("'%s' stays the choice on %s.\n\n", selected, rebase->devices[1]);
    else if (rebase->outcome == SL_REBASE_FLIPPED)
        printf("On %s '%s' is to be chosen instead of '%s'.\n\n", rebase->devices[1], rival,
               selected);
    else
        printf("On %s '%s' is not told apart from '%s'.\n\n", rebase->devices[1], selected, rival);
    print_candidates(rebase, &arena);
    if (rebase->missing)
        printf("not in the scenario, and not run: %s\n", rebase->missing);
    if (rebase->plans_searched > 0 && !rebase->candidates[rebase->count - 1].searched)
        printf("none of %u plans that were searched there is better than the policies'\n",
               rebase->plans_searched);
    if (rebase->rival != SL_NONE && rebase->effects)
        print_effects(rebase, &arena);
    sl_report_free(&arena);
}

static void put_candidates(yajl_gen gen, const struct sl_rebase *rebase)
{
    static const char *const keys[] = {"old", "new"};
    sl_json_open_array(gen, "candidates");
    for (uint32_t i = 0; i < rebase->count; i++) {
        const struct sl_rebase_candidate *candidate = &rebase->candidates[i];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "policy", candidate->policy);
        sl_json_text(gen, "point", candidate->point);
        sl_json_bool(gen, "selected", i == 0);
        sl_json_bool(gen, "searched", candidate->searched);
        for (int side = 0; side < 2; side++) {
            sl_json_open_map(gen, keys[side]);
            sl_json_text(gen, "reason", candidate->reasons[side]);
            sl_json_estimate_us(gen, "figure", candidate->figure[side]);
            sl_json_estimate_us(gen, "less_selected", candidate->against[side]);
            yajl_gen_map_close(gen);
        }
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}

static enum sl_status print_json(const struct sl_rebase *rebase, struct sl_error *err)
{
    char figure[16];
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_json_open_map(gen, NULL);
    sl_json_text(gen, "outcome", sl_rebase_outcome_name(rebase->outcome));
    sl_json_text(gen, "old_device", rebase->devices[0]);
    sl_json_text(gen, "new_device", rebase->devices[1]);
    sl_json_text(gen, "figure", sl_rebase_figure_name(rebase, figure));
    sl_json_number(gen, "quantile", rebase->q);
    sl_json_integer(gen, "trials", rebase->trials);
    sl_json_integer(gen, "plans_searched", rebase->plans_searched);
    put_candidates(gen, rebase);
    sl_json_text(gen, "rival",
                 rebase->rival == SL_NONE ? NULL : rebase->candidates[rebase->rival].policy);
    sl_json_estimate_us(gen, "difference_old", rebase->difference[0]);
    sl_json_estimate_us(gen, "difference_new", rebase->difference[1]);
    sl_json_open_array(gen, "rows");
    for (uint32_t i = 0; i < rebase->effect_count; i++) {
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "row", rebase->effects[i].name);
        sl_json_estimate_us(gen, "effect", rebase->effects[i].effect);
        sl_json_bool(gen, "flips", rebase->effects[i].flips);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    sl_json_estimate_us(gen, "together", rebase->together);
    sl_json_estimate_us(gen, "interaction", rebase->interaction);
    sl_json_estimate_us(gen, "in_no_row", rebase->others);
    sl_json_open_array(gen, "differs_otherwise");
    for (uint32_t i = 0; i < rebase->swaps.other_count; i++)
        sl_json_text(gen, NULL, rebase->swaps.others[i]);
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
    return sl_json_finish(gen, stdout, err);
}

enum sl_status sl_decide_rebased(const struct sl_decide_more *more, const char *operand,
                                 struct sl_error *err)
{
    struct sl_rebase_request request = {
        .device = more->device, .budget_s = more->budget_s, .trials = more->trials};
    struct sl_record record;
    struct sl_rebase rebase = {0};
    struct sl_diags diags = {0};
    char path[4096];
    enum sl_status status = sl_decide_read_record(&record, operand, more->scenario, path, err);
    if (status == SL_OK)
        status = sl_pool_create(&request.pool, more->threads, err);
    if (status == SL_OK)
        status = sl_rebase_make(&rebase, &record, &request, &diags, err);
    if (diags.errors > 0)
        sl_diags_print(&diags, stderr);
    if (status == SL_OK && more->json)
        status = print_json(&rebase, err);
    else if (status == SL_OK)
        print_text(&rebase);
    if (status == SL_OK && rebase.outcome == SL_REBASE_FLIPPED)
        status = SL_NO;
    sl_diags_free(&diags);
    sl_pool_free(request.pool);
    sl_rebase_free(&rebase);
    sl_record_free(&record);
    return status;
}
