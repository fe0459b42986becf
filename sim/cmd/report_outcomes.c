/* Deadlines, fallbacks and guards for people. */
#include "report_outcomes.h"
#include "result_parts.h"
#include "table.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

#define SHOWN 8 /* rows of a table; the folder has all */

static void add_share(struct sl_table *table, struct sl_estimate share)
{
    sl_table_add(table, "%.3g%%", 100 * share.value);
    sl_table_add(table, "[%.3g%%, %.3g%%]", 100 * share.lo, 100 * share.hi);
}

/* The most frequent first, ties in the order of nodes. */
static int more_misses(const void *a, const void *b)
{
    const struct sl_deadline *x = *(const struct sl_deadline *const *)a;
    const struct sl_deadline *y = *(const struct sl_deadline *const *)b;
    if (x->misses != y->misses)
        return x->misses > y->misses ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static void add_deadline(struct sl_table *table, struct sl_arena *arena, const struct sl_cell *cell,
                         const struct sl_deadline *deadline)
{
    const struct sl_node *node = &cell->plan.graph->nodes[deadline->node];
    sl_table_add(table, "  %s", node->name);
    sl_table_add(table, "%s",
                 sl_time_text(arena, (double)node->deadline_ps / (double)SL_PS_PER_US));
    add_share(table, deadline->miss);
    sl_table_add(table, "%s", sl_time_text(arena, deadline->tardiness_mean.value));
    sl_table_add(table, "%s", sl_time_text(arena, deadline->tardiness_when_missed.value));
    sl_table_add(table, "%s", sl_time_text(arena, deadline->tardiness_p99.value));
    sl_table_add(table, "%s",
                 deadline->never > 0
                     ? "never"
                     : sl_time_text(arena, (double)deadline->max_tardiness_ps / SL_PS_PER_US));
}

static void print_deadlines(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    uint32_t count = cell->deadline_count;
    const struct sl_deadline **sorted = sl_arena_array(arena, (size_t)count + 1, sizeof(*sorted));
    if (count == 0 || !sorted)
        return;
    for (uint32_t k = 0; k < count; k++)
        sorted[k] = &cell->deadlines[k];
    qsort((void *)sorted, count, sizeof(*sorted), more_misses);
    struct sl_table table = sl_table_make(arena, "lrrlrrrr");
    static const char *const heads[] = {"deadline",       "at",          "missed", "95% interval",
                                        "mean tardiness", "when missed", "p99",    "max"};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        sl_table_add(&table, "%s", heads[k]);
    for (uint32_t k = 0; k < count && k < SHOWN; k++)
        add_deadline(&table, arena, cell, sorted[k]);
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (count > SHOWN)
        fprintf(out, "  and %s other deadlines, each missed in at most %s trials\n",
                sl_grouped(arena, count - SHOWN), sl_grouped(arena, sorted[SHOWN]->misses));
    struct sl_estimate any = sl_deadline_miss(cell);
    if (count > 1)
        fprintf(out, "  any deadline: missed in %.3g%% [%.3g%%, %.3g%%] of trials\n",
                100 * any.value, 100 * any.lo, 100 * any.hi);
}

/* The most often cancelled first, ties in the order of nodes. */
static int more_cancelled(const void *a, const void *b)
{
    const struct sl_fallback_use *x = *(const struct sl_fallback_use *const *)a;
    const struct sl_fallback_use *y = *(const struct sl_fallback_use *const *)b;
    uint64_t cancelled_x = (uint64_t)x->late + x->guard_failed;
    uint64_t cancelled_y = (uint64_t)y->late + y->guard_failed;
    if (cancelled_x != cancelled_y)
        return cancelled_x > cancelled_y ? -1 : 1;
    return (x->primary > y->primary) - (x->primary < y->primary);
}

static void print_fallbacks(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    const struct sl_graph *graph = cell->plan.graph;
    uint32_t count = cell->fallback_count;
    const struct sl_fallback_use **sorted =
        sl_arena_array(arena, (size_t)count + 1, sizeof(*sorted));
    if (count == 0 || !sorted)
        return;
    for (uint32_t k = 0; k < count; k++)
        sorted[k] = &cell->fallbacks[k];
    qsort((void *)sorted, count, sizeof(*sorted), more_cancelled);
    struct sl_table table = sl_table_make(arena, "llrlrrr");
    static const char *const heads[] = {"cancelled", "fallback",     "trials",   "95% interval",
                                        "too late",  "guard failed", "delivered"};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        sl_table_add(&table, "%s", heads[k]);
    for (uint32_t k = 0; k < count && k < SHOWN; k++) {
        const struct sl_node *primary = &graph->nodes[sorted[k]->primary];
        sl_table_add(&table, "  %s", primary->name);
        sl_table_add(&table, "%s", graph->nodes[primary->fallback.i].name);
        add_share(&table, sorted[k]->share);
        sl_table_add(&table, "%s", sl_grouped(arena, sorted[k]->late));
        sl_table_add(&table, "%s", sl_grouped(arena, sorted[k]->guard_failed));
        sl_table_add(&table, "%s", sl_grouped(arena, sorted[k]->delivered));
    }
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (count > SHOWN)
        fprintf(out, "  and %s other nodes with a fallback\n", sl_grouped(arena, count - SHOWN));
}

static void print_guards(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    if (cell->guard_count == 0)
        return;
    struct sl_table table = sl_table_make(arena, "lrlrr");
    static const char *const heads[] = {"guard", "failed in", "95% interval", "of trials; stated",
                                        "left out per trial"};
    /* What is drawn more than once a trial fails in more trials than stated. */
    static const char *const drawn[] = {[SL_SCOPE_NODE] = " per node",
                                        [SL_SCOPE_LAYER] = " per layer",
                                        [SL_SCOPE_ITERATION] = " per iteration",
                                        [SL_SCOPE_JOB] = ""};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        sl_table_add(&table, "%s", heads[k]);
    for (uint32_t k = 0; k < cell->guard_count && k < SHOWN; k++) {
        const struct sl_guard_use *use = &cell->guards[k];
        const struct sl_guard *guard = &cell->plan.graph->guards[use->guard];
        sl_table_add(&table, "  %s", guard->name);
        add_share(&table, use->share);
        sl_table_add(&table, "%.3g%%%s", 100 * (1 - guard->probability), drawn[guard->scope]);
        sl_table_add(&table, "%.3g", (double)use->left_out / cell->trials);
    }
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    if (cell->guard_count > SHOWN)
        fprintf(out, "  and %s other guards\n", sl_grouped(arena, cell->guard_count - SHOWN));
}

void sl_report_outcomes(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    print_deadlines(out, arena, cell);
    print_fallbacks(out, arena, cell);
    print_guards(out, arena, cell);
}
