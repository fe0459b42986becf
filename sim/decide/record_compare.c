/* Two records side by side: lists are matched by what names their items, not by their places. */
#include "config.h"

#include "record_compare_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *sl_change_kind_name(enum sl_change_kind kind)
{
    static const char *const names[SL_CHANGE_KINDS] = {"input",  "cost", "selection",
                                                       "figure", "gate", "status"};
    return names[kind];
}

struct sl_record_difference *sl_comparing_add(struct sl_comparing *c, enum sl_change_kind kind,
                                              const char *what, const char *before,
                                              const char *after)
{
    struct sl_record_comparison *out = c->out;
    const char *kept = what ? sl_arena_strdup(&out->arena, what) : NULL;
    if (!kept ||
        !sl_grow((void **)&out->items, &out->capacity, out->count + 1, sizeof *out->items)) {
        c->no_memory = true;
        return NULL;
    }
    struct sl_record_difference *item = &out->items[out->count++];
    *item = (struct sl_record_difference){.kind = kind,
                                          .what = kept,
                                          .before = before,
                                          .after = after,
                                          .old = SL_NO_ESTIMATE,
                                          .new = SL_NO_ESTIMATE,
                                          .apart = SL_TRUTH_UNKNOWN};
    out->counts[kind]++;
    return item;
}

bool sl_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* True: they differ. */
static bool text(struct sl_comparing *c, enum sl_change_kind kind, const char *what,
                 const char *before, const char *after)
{
    if (sl_same_text(before, after))
        return false;
    sl_comparing_add(c, kind, what, before, after);
    return true;
}

static const char *number_text(struct sl_comparing *c, double value)
{
    const char *written = isnan(value) ? NULL : sl_arena_printf(&c->out->arena, "%.17g", value);
    c->no_memory |= !isnan(value) && !written;
    return written;
}

static bool number(struct sl_comparing *c, enum sl_change_kind kind, const char *what,
                   double before, double after)
{
    if (before == after || (isnan(before) && isnan(after)))
        return false;
    return text(c, kind, what, number_text(c, before), number_text(c, after));
}

static bool count(struct sl_comparing *c, enum sl_change_kind kind, const char *what,
                  uint64_t before, uint64_t after)
{
    if (before == after)
        return false;
    const char *a = sl_arena_printf(&c->out->arena, "%llu", (unsigned long long)before);
    const char *b = sl_arena_printf(&c->out->arena, "%llu", (unsigned long long)after);
    c->no_memory |= !a || !b;
    return text(c, kind, what, a, b);
}

bool sl_same_estimate(struct sl_estimate a, struct sl_estimate b)
{
    const double of_a[] = {a.value, a.lo, a.hi}, of_b[] = {b.value, b.lo, b.hi};
    for (int i = 0; i < 3; i++)
        if (of_a[i] != of_b[i] && !(isnan(of_a[i]) && isnan(of_b[i])))
            return false;
    return true;
}

enum sl_truth sl_estimates_apart(struct sl_estimate a, struct sl_estimate b)
{
    if (isnan(a.lo) || isnan(a.hi) || isnan(b.lo) || isnan(b.hi))
        return SL_TRUTH_UNKNOWN;
    return a.hi < b.lo || b.hi < a.lo ? SL_TRUTH_YES : SL_TRUTH_NO;
}

/* Intervals of figures that one side lacks are not compared, but that it lacks them is a change. */
static void figure(struct sl_comparing *c, const char *what, struct sl_estimate before,
                   struct sl_estimate after, const char *unit)
{
    if (isnan(before.value) && isnan(after.value))
        return;
    if (sl_same_estimate(before, after)) {
        c->out->same_figures++;
        return;
    }
    struct sl_record_difference *item = sl_comparing_add(c, SL_CHANGE_FIGURE, what, NULL, NULL);
    if (!item)
        return;
    item->old = before;
    item->new = after;
    item->unit = unit;
    item->apart = sl_estimates_apart(before, after);
    c->out->overlapping += item->apart == SL_TRUTH_NO;
}

const char *sl_comparing_join(struct sl_comparing *c, const char *a, const char *b)
{
    const char *joined =
        sl_arena_printf(&c->out->arena, "%s%s%s", a, b && *b ? " " : "", b ? b : "");
    c->no_memory |= !joined;
    return joined ? joined : "";
}

bool sl_same_texts(const struct sl_record_texts *a, const struct sl_record_texts *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = strcmp(a->items[i], b->items[i]) == 0;
    return same;
}

static const char *join_texts(struct sl_comparing *c, const struct sl_record_texts *texts)
{
    const char *joined = "";
    for (uint32_t i = 0; i < texts->count; i++) {
        joined = sl_arena_printf(&c->out->arena, "%s%s%s", joined, i ? "; " : "", texts->items[i]);
        if (!joined) {
            c->no_memory = true;
            return "";
        }
    }
    return joined;
}

static void texts(struct sl_comparing *c, enum sl_change_kind kind, const char *what,
                  const struct sl_record_texts *before, const struct sl_record_texts *after)
{
    text(c, kind, what, join_texts(c, before), join_texts(c, after));
}

/* ---- lists, by the names of their items --------------------------------------------------------
 */

/* What names an item: two texts, either may be NULL. */
typedef void namer(const void *item, const char *names[2]);
/* Compares two items of one name; NULL: the side lacks it. */
typedef void comparer(struct sl_comparing *c, const char *what, const void *before,
                      const void *after);

static bool same_names(namer *name, const void *a, const void *b)
{
    const char *of_a[2], *of_b[2];
    name(a, of_a);
    name(b, of_b);
    return sl_same_text(of_a[0], of_b[0]) && sl_same_text(of_a[1], of_b[1]);
}

static const void *find(const void *items, uint32_t items_count, size_t size, namer *name,
                        const void *like)
{
    for (uint32_t i = 0; i < items_count; i++)
        if (same_names(name, (const char *)items + i * size, like))
            return (const char *)items + i * size;
    return NULL;
}

static void list(struct sl_comparing *c, const void *before, const void *after,
                 const struct sl_shape *shape, namer *name, comparer *compare)
{
    struct sl_record_list of[2] = {sl_record_list_get(before), sl_record_list_get(after)};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < of[side].count; i++) {
            const void *item = sl_record_item(&of[side], shape, i);
            const void *other =
                find(of[1 - side].items, of[1 - side].count, shape->size, name, item);
            if (side == 1 && other)
                continue; /* was met from the other side */
            const char *names[2];
            name(item, names);
            compare(c, sl_comparing_join(c, names[0] ? names[0] : "", names[1]),
                    side == 0 ? item : other, side == 0 ? other : item);
        }
}

static void name_input(const void *item, const char *names[2])
{
    const struct sl_record_input *input = item;
    names[0] = input->role;
    names[1] = input->path;
}

static void compare_input(struct sl_comparing *c, const char *what, const void *before,
                          const void *after)
{
    const struct sl_record_input *a = before, *b = after;
    text(c, SL_CHANGE_INPUT, what, a ? a->sha256 : NULL, b ? b->sha256 : NULL);
}

static void name_setting(const void *item, const char *names[2])
{
    static const char *const tops[] = {"policy", "policy rule 1", "policy rule 2", "policy rule 3",
                                       "policy's later rule"};
    const struct sl_record_setting *setting = item;
    names[0] = tops[setting->rule < 4 ? setting->rule : 4];
    names[1] = setting->key;
}

static void compare_setting(struct sl_comparing *c, const char *what, const void *before,
                            const void *after)
{
    const struct sl_record_setting *a = before, *b = after;
    text(c, SL_CHANGE_SELECTION, what, a ? join_texts(c, &a->values) : NULL,
         b ? join_texts(c, &b->values) : NULL);
}

static void name_alternative(const void *item, const char *names[2])
{
    const struct sl_record_alternative *alternative = item;
    names[0] = alternative->policy;
    names[1] = alternative->point;
}

static void compare_alternative(struct sl_comparing *c, const char *what, const void *before,
                                const void *after)
{
    const struct sl_record_alternative *a = before, *b = after;
    const struct sl_estimate none = SL_NO_ESTIMATE;
    text(c, SL_CHANGE_SELECTION, sl_comparing_join(c, "standing of", what), a ? a->standing : NULL,
         b ? b->standing : NULL);
    figure(c, sl_comparing_join(c, what, "median"), a ? a->median_us : none,
           b ? b->median_us : none, "us");
    figure(c, sl_comparing_join(c, what, "tail"), a ? a->tail_us : none, b ? b->tail_us : none,
           "us");
    figure(c, sl_comparing_join(c, what, "regret"), a ? a->regret_us : none,
           b ? b->regret_us : none, "us");
}

static void name_gate(const void *item, const char *names[2])
{
    const struct sl_gate_outcome *outcome = item;
    names[0] = outcome->condition;
    names[1] = NULL;
}

static void compare_gate(struct sl_comparing *c, const char *what, const void *before,
                         const void *after)
{
    const struct sl_gate_outcome *a = before, *b = after;
    text(c, SL_CHANGE_GATE, what, a ? sl_gate_outcome_name(a->outcome) : NULL,
         b ? sl_gate_outcome_name(b->outcome) : NULL);
}

static void name_contention(const void *item, const char *names[2])
{
    const struct sl_record_contention *contention = item;
    names[0] = contention->pair;
    names[1] = NULL;
}

static void compare_contention(struct sl_comparing *c, const char *what, const void *before,
                               const void *after)
{
    const struct sl_record_contention *a = before, *b = after;
    const struct sl_estimate none = SL_NO_ESTIMATE;
    struct sl_estimate of_a = a ? (struct sl_estimate){a->model, NAN, NAN} : none;
    struct sl_estimate of_b = b ? (struct sl_estimate){b->model, NAN, NAN} : none;
    figure(c, sl_comparing_join(c, what, "(model)"), of_a, of_b, "factor");
    figure(c, sl_comparing_join(c, what, "(measured)"), a ? a->measured : none,
           b ? b->measured : none, "factor");
}

/* ---- sections ----------------------------------------------------------------------------------
 */

static void compare_result(struct sl_comparing *c, const char *whose,
                           const struct sl_record_result *before,
                           const struct sl_record_result *after)
{
    figure(c, sl_comparing_join(c, whose, "median"), before->median, after->median, "us");
    figure(c, sl_comparing_join(c, whose, "tail"), before->tail, after->tail, "us");
    figure(c, sl_comparing_join(c, whose, "baseline median"), before->baseline_median,
           after->baseline_median, "us");
    figure(c, sl_comparing_join(c, whose, "baseline tail"), before->baseline_tail,
           after->baseline_tail, "us");
    figure(c, sl_comparing_join(c, whose, "median less the baseline's"), before->median_difference,
           after->median_difference, "us");
    figure(c, sl_comparing_join(c, whose, "tail less the baseline's"), before->tail_difference,
           after->tail_difference, "us");
}

static void compare_inputs(struct sl_comparing *c)
{
    const struct sl_record *a = c->before, *b = c->after;
    const enum sl_change_kind kind = SL_CHANGE_INPUT;
    list(c, &a->inputs, &b->inputs, &sl_shape_input, name_input, compare_input);
    text(c, kind, "scenario", a->workload.scenario, b->workload.scenario);
    text(c, kind, "device", a->environment.device, b->environment.device);
    texts(c, kind, "settings", &a->environment.settings, &b->environment.settings);
    text(c, kind, "metric", a->objective.metric, b->objective.metric);
    number(c, kind, "tail quantile", a->objective.tail, b->objective.tail);
    texts(c, kind, "objective order", &a->objective.order, &b->objective.order);
    texts(c, kind, "constraints", &a->objective.constraints, &b->objective.constraints);
    number(c, kind, "min_gain", a->objective.min_gain, b->objective.min_gain);
    count(c, kind, "seed", a->seed, b->seed);
    count(c, kind, "fresh seed", a->fresh_seed, b->fresh_seed);
    count(c, kind, "trials", a->trials, b->trials);
    text(c, kind, "version", a->version, b->version);
}

/* True: another policy, or another plan. */
static bool compare_selection(struct sl_comparing *c)
{
    const struct sl_record *a = c->before, *b = c->after;
    const enum sl_change_kind kind = SL_CHANGE_SELECTION;
    uint32_t before = c->out->counts[kind];
    text(c, kind, "selected policy", a->selection.policy, b->selection.policy);
    list(c, &a->policy.settings, &b->policy.settings, &sl_shape_setting, name_setting,
         compare_setting);
    text(c, kind, "plan", a->graph.plan_digest, b->graph.plan_digest);
    bool changed = c->out->counts[kind] > before;
    text(c, kind, "baseline", a->baseline.policy, b->baseline.policy);
    text(c, kind, "plan of the baseline", a->graph.baseline_digest, b->graph.baseline_digest);
    text(c, kind, "fallback", a->fallback.policy, b->fallback.policy);
    list(c, &a->alternatives, &b->alternatives, &sl_shape_alternative, name_alternative,
         compare_alternative);
    return changed;
}

static uint32_t failures(const struct sl_record *record)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < record->gate.count; i++)
        failed += record->gate.items[i].outcome == SL_GATE_FAIL;
    return failed;
}

static int by_kind(const void *left, const void *right)
{
    const struct sl_record_difference *a = *(const struct sl_record_difference *const *)left,
                                      *b = *(const struct sl_record_difference *const *)right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a < b ? -1 : a > b; /* as they were found */
}

static bool sort_items(struct sl_record_comparison *out)
{
    struct sl_record_difference **order = malloc(((size_t)out->count + 1) * sizeof *order);
    struct sl_record_difference *sorted = malloc(((size_t)out->count + 1) * sizeof *sorted);
    if (order && sorted) {
        for (uint32_t i = 0; i < out->count; i++)
            order[i] = &out->items[i];
        qsort(order, out->count, sizeof *order, by_kind);
        for (uint32_t i = 0; i < out->count; i++)
            sorted[i] = *order[i];
        free(out->items);
        out->items = sorted;
        out->capacity = out->count + 1;
        sorted = NULL;
    }
    bool good = order != NULL && sorted == NULL;
    free(order);
    free(sorted);
    return good;
}

static void conclude(struct sl_comparing *c, bool selection)
{
    uint32_t before = failures(c->before), after = failures(c->after);
    struct sl_record_comparison *out = c->out;
    out->decision_changed = selection || (before > 0) != (after > 0);
    out->why = selection && !sl_same_text(c->before->selection.policy, c->after->selection.policy)
                   ? "another policy is selected"
               : selection        ? "the policy is selected with other settings or another plan"
               : before && !after ? "the gate no longer fails"
               : after && !before ? "a condition of the gate fails now"
               : out->count > 0 ? "the same policy and plan, and the gate fails in both or neither"
                                : "nothing differs";
}

enum sl_status sl_record_compare(struct sl_record_comparison *comparison,
                                 const struct sl_record *before, const struct sl_record *after,
                                 struct sl_error *err)
{
    *comparison = (struct sl_record_comparison){0};
    struct sl_comparing c = {comparison, before, after, false};
    compare_inputs(&c);
    sl_compare_costs(&c);
    bool selection = compare_selection(&c);
    compare_result(&c, "projected", &before->projected, &after->projected);
    compare_result(&c, "runtime-feasible", &before->runtime_feasible, &after->runtime_feasible);
    compare_result(&c, "measured", &before->measured, &after->measured);
    list(&c, &before->measurement.contention, &after->measurement.contention, &sl_shape_contention,
         name_contention, compare_contention);
    list(&c, &before->gate, &after->gate, &sl_shape_gate_outcome, name_gate, compare_gate);
    text(&c, SL_CHANGE_STATUS, "status", sl_record_status_name(before->status),
         sl_record_status_name(after->status));
    conclude(&c, selection);
    return !c.no_memory && sort_items(comparison)
               ? SL_OK
               : SL_FAIL(err, SL_SYSTEM, "out of memory for the differences");
}

void sl_record_comparison_free(struct sl_record_comparison *comparison)
{
    free(comparison->items);
    sl_arena_free(&comparison->arena);
}
