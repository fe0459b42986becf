/* Costs of two records, row by row: which figure of which row, and the file that it was changed in.
 */
#include "config.h"

#include "gate.h"
#include "record_compare_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_row(const struct sl_record_cost *a, const struct sl_record_cost *b)
{
    return strcmp(a->what, b->what) == 0 && strcmp(a->name, b->name) == 0 &&
           sl_same_text(a->of, b->of);
}

/* ---- what a row says, in a line ----------------------------------------------------------------
 */

static void append(char text[SL_COST_TEXT], const char *head, const char *value, const char *tail)
{
    size_t used = strlen(text);
    snprintf(text + used, SL_COST_TEXT - used, "%s%s%s%s", used > 0 ? ", " : "", head, value, tail);
}

static void append_quantity(char text[SL_COST_TEXT], const char *head, double value,
                            const char *unit, const char *tail)
{
    char quantity[SL_GATE_TEXT];
    if (!isnan(value))
        append(text, head, sl_gate_quantity(quantity, value, unit), tail);
}

static void append_estimate(char text[SL_COST_TEXT], struct sl_estimate value, const char *unit)
{
    char interval[2 * SL_GATE_TEXT];
    append_quantity(text, "", value.value, unit, "");
    size_t used = strlen(text);
    if (!isnan(value.lo) && !isnan(value.hi))
        snprintf(text + used, SL_COST_TEXT - used, " %s", sl_gate_interval(interval, value, unit));
}

const char *sl_record_cost_text(char text[SL_COST_TEXT], const struct sl_record_cost *cost)
{
    char mean[SL_GATE_TEXT] = "", median[SL_GATE_TEXT] = "";
    text[0] = '\0';
    append_estimate(text, cost->median_us, "us");
    if (!isnan(cost->mean_us))
        sl_gate_quantity(mean, cost->mean_us, "us");
    if (!isnan(cost->median_us.value))
        sl_gate_quantity(median, cost->median_us.value, "us");
    if (*mean && strcmp(mean, median) != 0)
        append(text, *median || !isnan(cost->least_us) ? "mean " : "", mean, "");
    append_quantity(text, "from ", cost->least_us, "us", "");
    append_quantity(text, "to ", cost->most_us, "us", "");
    append_quantity(text, "", cost->bandwidth_bytes_per_s / 1e9, "GB/s", "");
    if (cost->overhead_us > 0)
        append_quantity(text, "", cost->overhead_us, "us", " each");
    if (cost->latency_us > 0)
        append_quantity(text, "", cost->latency_us, "us", " later");
    append_estimate(text, cost->kappa, "");
    append_quantity(text, "x ", cost->factor, "", "");
    return text;
}

/* ---- what changed a row ------------------------------------------------------------------------
 */

#define SETTINGS      "the settings (--set)"
#define SETTINGS_FILE "--set" /* the place of what a setting states */

static const char *hash_of(const struct sl_record *record, const char *path)
{
    for (uint32_t i = 0; i < record->inputs.count; i++)
        if (strcmp(record->inputs.items[i].role, "scenario") == 0 &&
            strcmp(record->inputs.items[i].path, path) == 0)
            return record->inputs.items[i].sha256;
    return NULL;
}

static bool same_point(const struct sl_record_environment *a, const struct sl_record_environment *b)
{
    bool same = a->point.count == b->point.count;
    for (uint32_t i = 0; same && i < a->point.count; i++)
        same = strcmp(a->point.items[i].axis, b->point.items[i].axis) == 0 &&
               strcmp(a->point.items[i].value, b->point.items[i].value) == 0;
    return same;
}

/* The file that states the row, where it is another one now; else what else differs that rows
 * follow from; NULL: nothing that the records say. */
static const char *changed_in(const struct sl_comparing *c, const struct sl_record_cost *a,
                              const struct sl_record_cost *b, bool of_plan)
{
    const struct sl_record *before = c->before, *after = c->after;
    const char *table = b && b->table ? b->table : a ? a->table : NULL;
    bool planned = !sl_same_text(before->graph.plan_digest, after->graph.plan_digest);
    if (of_plan && planned)
        return "the plan";
    if (table && ((a && b && !sl_same_text(a->table, b->table)) ||
                  !sl_same_text(hash_of(before, table), hash_of(after, table))))
        return strcmp(table, SETTINGS_FILE) == 0 ? SETTINGS : table;
    if (!sl_same_texts(&before->environment.settings, &after->environment.settings))
        return SETTINGS;
    if (!same_point(&before->environment, &after->environment))
        return "the point";
    return (!a || !b) && planned ? "the plan" : NULL;
}

/* ---- rows --------------------------------------------------------------------------------------
 */

static const char *unit_of(const char *key)
{
    size_t length = strlen(key);
    if (length > 3 && strcmp(key + length - 3, "_us") == 0)
        return "us";
    return strcmp(key, "bandwidth_bytes_per_s") == 0 ? "bytes/s" : "";
}

static const char *count_text(struct sl_comparing *c, uint64_t value)
{
    const char *text = sl_arena_printf(&c->out->arena, "%llu", (unsigned long long)value);
    c->no_memory |= !text;
    return text;
}

static void compare_field(struct sl_comparing *c, const char *what, const struct sl_field *field,
                          const struct sl_record_cost *a, const struct sl_record_cost *b)
{
    const void *at = (const char *)a + field->offset, *now = (const char *)b + field->offset;
    struct sl_estimate old = SL_NO_ESTIMATE, new = SL_NO_ESTIMATE;
    const char *before = NULL, *after = NULL;
    if (field->type == SL_FIELD_TEXT) {
        before = *(const char *const *)at;
        after = *(const char *const *)now;
    } else if (field->type == SL_FIELD_COUNT) {
        before = count_text(c, *(const uint64_t *)at);
        after = count_text(c, *(const uint64_t *)now);
    } else if (field->type == SL_FIELD_NUMBER) {
        old.value = *(const double *)at;
        new.value = *(const double *)now;
    } else {
        old = *(const struct sl_estimate *)at;
        new = *(const struct sl_estimate *)now;
    }
    if (sl_same_text(before, after) && sl_same_estimate(old, new))
        return;
    struct sl_record_difference *item = sl_comparing_add(c, SL_CHANGE_COST, what, before, after);
    if (!item)
        return;
    item->key = field->key;
    item->old = old;
    item->new = new;
    item->unit = field->type == SL_FIELD_NUMBER || field->type == SL_FIELD_ESTIMATE
                     ? unit_of(field->key)
                     : NULL;
    item->apart = item->unit ? sl_estimates_apart(old, new) : SL_TRUTH_UNKNOWN;
    item->changed_in = changed_in(c, a, b, field->type == SL_FIELD_COUNT);
}

/* Names say which row it is, and its share of the chain is a result. */
static bool is_compared(const char *key)
{
    static const char *const others[] = {"what", "name", "of", "table", "chain_share"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(key, others[i]) == 0)
            return false;
    return true;
}

static const char *row_name(struct sl_comparing *c, const struct sl_record_cost *cost)
{
    const char *name = sl_comparing_join(c, cost->what, cost->name);
    return cost->of ? sl_comparing_join(c, sl_comparing_join(c, name, "of"), cost->of) : name;
}

static const char *row_text(struct sl_comparing *c, const struct sl_record_cost *cost)
{
    char text[SL_COST_TEXT];
    const char *kept =
        sl_arena_printf(&c->out->arena, "%s; %s, %llu use%s", sl_record_cost_text(text, cost),
                        cost->evidence ? cost->evidence : "no evidence",
                        (unsigned long long)cost->uses, cost->uses == 1 ? "" : "s");
    c->no_memory |= !kept;
    return kept;
}

static void compare_rows(struct sl_comparing *c, const struct sl_record_cost *a,
                         const struct sl_record_cost *b)
{
    const char *what = row_name(c, a ? a : b);
    for (uint32_t i = 0; a && b && i < sl_shape_cost.field_count; i++)
        if (is_compared(sl_shape_cost.fields[i].key))
            compare_field(c, what, &sl_shape_cost.fields[i], a, b);
    if (a && b)
        return;
    struct sl_record_difference *item = sl_comparing_add(
        c, SL_CHANGE_COST, what, a ? row_text(c, a) : NULL, b ? row_text(c, b) : NULL);
    if (item)
        item->changed_in = changed_in(c, a, b, false);
}

/* The row of the other side that has the name of this one and is the same of those: several may
 * differ in their source alone. */
static const struct sl_record_cost *find(const struct sl_record *in, const struct sl_record *from,
                                         uint32_t index)
{
    uint32_t before = 0, met = 0;
    for (uint32_t i = 0; i < index; i++)
        before += same_row(&from->costs.items[i], &from->costs.items[index]);
    for (uint32_t i = 0; i < in->costs.count; i++)
        if (same_row(&in->costs.items[i], &from->costs.items[index]) && met++ == before)
            return &in->costs.items[i];
    return NULL;
}

void sl_compare_costs(struct sl_comparing *c)
{
    for (uint32_t i = 0; i < c->before->costs.count; i++)
        compare_rows(c, &c->before->costs.items[i], find(c->after, c->before, i));
    for (uint32_t i = 0; i < c->after->costs.count; i++)
        if (!find(c->before, c->after, i))
            compare_rows(c, NULL, &c->after->costs.items[i]);
}
