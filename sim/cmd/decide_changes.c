/* `decide --compare`: what changed between two records. */
#include "config.h"

#include "decide_more.h"
#include "gate.h"
#include "json_out.h"
#include "kept.h"
#include "record_compare.h"
#include "table.h"
#include <string.h>

static const char *estimate_text(struct sl_arena *arena, struct sl_estimate e, const char *unit)
{
    char value[SL_GATE_TEXT], interval[2 * SL_GATE_TEXT];
    if (isnan(e.value))
        return "-";
    bool rate = strcmp(unit, "bytes/s") == 0;
    sl_gate_quantity(value, rate ? e.value / 1e9 : e.value, rate ? "GB/s" : unit);
    const char *text =
        isnan(e.lo) || isnan(e.hi)
            ? sl_arena_strdup(arena, value)
            : sl_arena_printf(arena, "%s %s", value, sl_gate_interval(interval, e, unit));
    return text ? text : "";
}

/* Hashes in full are for machines. */
static const char *short_text(struct sl_arena *arena, const char *text)
{
    if (!text)
        return "-";
    bool hash = strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
    const char *shown = hash ? sl_arena_printf(arena, "%.12s...", text) : text;
    return shown ? shown : "";
}

/* Both sides of a difference, as figures or as texts; in full where rounding makes them equal. */
static void side_texts(struct sl_arena *arena, const struct sl_record_difference *item,
                       const char *sides[2])
{
    sides[0] =
        item->unit ? estimate_text(arena, item->old, item->unit) : short_text(arena, item->before);
    sides[1] =
        item->unit ? estimate_text(arena, item->new, item->unit) : short_text(arena, item->after);
    if (!item->unit || strcmp(sides[0], sides[1]) != 0)
        return;
    for (int side = 0; side < 2; side++) {
        struct sl_estimate e = side == 0 ? item->old : item->new;
        const char *text = isnan(e.lo) || isnan(e.hi)
                               ? sl_arena_printf(arena, "%.12g %s", e.value, item->unit)
                               : sl_arena_printf(arena, "%.12g [%.12g, %.12g] %s", e.value, e.lo,
                                                 e.hi, item->unit);
        sides[side] = text ? text : "";
    }
}

/* Rows of costs: which figure of it, and where it was changed. */
static void print_costs(const struct sl_record_comparison *comparison, struct sl_arena *arena)
{
    struct sl_table table = sl_table_make(arena, "lllll");
    const char *last = "";
    sl_table_add(&table, "cost");
    sl_table_add(&table, "figure");
    sl_table_add(&table, "before");
    sl_table_add(&table, "after");
    sl_table_add(&table, "changed in");
    for (uint32_t i = 0; i < comparison->count; i++) {
        const struct sl_record_difference *item = &comparison->items[i];
        const char *sides[2];
        if (item->kind != SL_CHANGE_COST)
            continue;
        side_texts(arena, item, sides);
        sl_table_add(&table, "%s", strcmp(last, item->what) == 0 ? "" : item->what);
        sl_table_add(&table, "%s", item->key ? item->key : "");
        sl_table_add(&table, "%s", sides[0]);
        sl_table_add(&table, "%s", sides[1]);
        sl_table_add(&table, "%s", item->changed_in ? item->changed_in : "-");
        last = item->what;
    }
    sl_table_print(&table, stdout);
    sl_table_free(&table);
    putchar('\n');
}

static void print_kind(const struct sl_record_comparison *comparison, enum sl_change_kind kind,
                       struct sl_arena *arena)
{
    struct sl_table table = sl_table_make(arena, "llll");
    sl_table_add(&table, "%s", sl_change_kind_name(kind));
    sl_table_add(&table, "before");
    sl_table_add(&table, "after");
    sl_table_add(&table, "%s", kind == SL_CHANGE_FIGURE ? "intervals" : "");
    for (uint32_t i = 0; i < comparison->count; i++) {
        const struct sl_record_difference *item = &comparison->items[i];
        const char *sides[2];
        if (item->kind != kind)
            continue;
        side_texts(arena, item, sides);
        sl_table_add(&table, "%s", item->what);
        sl_table_add(&table, "%s", sides[0]);
        sl_table_add(&table, "%s", sides[1]);
        sl_table_add(&table, "%s",
                     kind != SL_CHANGE_FIGURE      ? ""
                     : item->apart == SL_TRUTH_YES ? "apart"
                     : item->apart == SL_TRUTH_NO  ? "overlap"
                                                   : "-");
    }
    sl_table_print(&table, stdout);
    sl_table_free(&table);
    putchar('\n');
}

static void print_text(const struct sl_record_comparison *comparison)
{
    struct sl_arena arena = {0};
    printf("%s: %s.\n\n",
           comparison->decision_changed ? "The decision is another one"
                                        : "The decision is the same",
           comparison->why);
    for (int kind = 0; kind < SL_CHANGE_KINDS; kind++)
        if (comparison->counts[kind] > 0 && kind == SL_CHANGE_COST)
            print_costs(comparison, &arena);
        else if (comparison->counts[kind] > 0)
            print_kind(comparison, (enum sl_change_kind)kind, &arena);
    printf("figures: %u equal, %u differ, of which %u by intervals that overlap\n",
           comparison->same_figures, comparison->counts[SL_CHANGE_FIGURE], comparison->overlapping);
    sl_report_free(&arena);
}

static enum sl_status print_json(const struct sl_record_comparison *comparison,
                                 struct sl_error *err)
{
    static const char *const aparts[] = {NULL, "apart", "overlap"};
    yajl_gen gen = sl_json_create();
    if (!gen)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    sl_json_open_map(gen, NULL);
    sl_json_bool(gen, "decision_changed", comparison->decision_changed);
    sl_json_text(gen, "why", comparison->why);
    sl_json_integer(gen, "same_figures", comparison->same_figures);
    sl_json_open_array(gen, "changes");
    for (uint32_t i = 0; i < comparison->count; i++) {
        const struct sl_record_difference *item = &comparison->items[i];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "kind", sl_change_kind_name(item->kind));
        sl_json_text(gen, "what", item->what);
        if (item->kind == SL_CHANGE_COST) {
            sl_json_text(gen, "figure", item->key);
            sl_json_text(gen, "changed_in", item->changed_in);
        }
        if (item->unit) {
            sl_json_estimate(gen, "before", item->old);
            sl_json_estimate(gen, "after", item->new);
            sl_json_text(gen, "unit", item->unit);
            sl_json_text(gen, "intervals", aparts[item->apart]);
        } else {
            sl_json_text(gen, "before", item->before);
            sl_json_text(gen, "after", item->after);
        }
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
    yajl_gen_map_close(gen);
    return sl_json_finish(gen, stdout, err);
}

enum sl_status sl_decide_compared(const struct sl_decide_more *more, const char *operand,
                                  struct sl_error *err)
{
    struct sl_record before, after;
    struct sl_record_comparison comparison = {0};
    char path[4096];
    sl_record_init(&after);
    enum sl_status status = sl_decide_read_record(&before, more->compare, NULL, path, err);
    if (status == SL_OK)
        status = sl_decide_read_record(&after, operand, NULL, path, err);
    if (status == SL_OK)
        status = sl_record_compare(&comparison, &before, &after, err);
    if (status == SL_OK && more->json)
        status = print_json(&comparison, err);
    else if (status == SL_OK)
        print_text(&comparison);
    if (status == SL_OK && comparison.decision_changed)
        status = SL_NO;
    sl_record_comparison_free(&comparison);
    sl_record_free(&before);
    sl_record_free(&after);
    return status;
}
