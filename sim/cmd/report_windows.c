/* Windows for people: the nodes with the least slack, and those whose window is negative. */
#include "report_outcomes.h"
#include "table.h"
#include "units.h"
#include <math.h>

#define SHOWN_EXPOSED 8

/* Keeps the first `capacity` items of an order by insertion: it is short, the nodes are many.
 * Returns the new number. */
static size_t insert(const struct sl_cell *cell, uint32_t *nodes, size_t count, size_t capacity,
                     uint32_t node, bool (*before)(const struct sl_cell *, uint32_t, uint32_t))
{
    size_t at = count;
    while (at > 0 && before(cell, node, nodes[at - 1]))
        at--;
    if (at == capacity)
        return count;
    count += count < capacity;
    for (size_t k = count - 1; k > at; k--)
        nodes[k] = nodes[k - 1];
    nodes[at] = node;
    return count;
}

static bool less_slack(const struct sl_cell *cell, uint32_t a, uint32_t b)
{
    return cell->windows[a].slack.value < cell->windows[b].slack.value;
}

static bool more_exposed(const struct sl_cell *cell, uint32_t a, uint32_t b)
{
    const struct sl_node_window *x = &cell->windows[a], *y = &cell->windows[b];
    return x->exposed != y->exposed ? x->exposed > y->exposed : x->mean_exposed && !y->mean_exposed;
}

/* Compute without a deadline at or after it: nobody moves it, and its slack is but its distance
 * from the chain. */
static bool only_follows(const struct sl_cell *cell, uint32_t node)
{
    return cell->plan.graph->nodes[node].kind == SL_COMPUTE &&
           cell->windows[node].mean_limit == SL_NONE;
}

size_t sl_least_slack(const struct sl_cell *cell, uint32_t *nodes, size_t capacity)
{
    size_t count = 0;
    for (int all = 0; cell->windows && all < 2 && count == 0; all++)
        for (uint32_t i = 0; i < cell->plan.graph->node_count; i++)
            if (cell->windows[i].ran > 0 && (all || !only_follows(cell, i)))
                count = insert(cell, nodes, count, capacity, i, less_slack);
    return count;
}

size_t sl_exposed_windows(const struct sl_cell *cell, uint32_t *nodes, size_t capacity)
{
    size_t count = 0, all = 0;
    for (uint32_t i = 0; cell->windows && i < cell->plan.graph->node_count; i++) {
        if (cell->windows[i].exposed == 0 && !cell->windows[i].mean_exposed)
            continue;
        all++;
        count = insert(cell, nodes, count, capacity, i, more_exposed);
    }
    return all;
}

static double mean_us(int64_t ps)
{
    return (double)ps / (double)SL_PS_PER_US;
}

static void add_window(struct sl_table *table, struct sl_arena *arena, double ready_us,
                       double latest_us)
{
    sl_table_add(table, "[%s, %s]", sl_time_text(arena, ready_us), sl_time_text(arena, latest_us));
}

static void add_node(struct sl_table *table, struct sl_arena *arena, const struct sl_cell *cell,
                     uint32_t node)
{
    const struct sl_node_window *window = &cell->windows[node];
    sl_table_add(table, "  %s", cell->plan.graph->nodes[node].name);
    if (window->idle) {
        sl_table_add(table, "idle fallback");
        sl_table_add(table, "-");
    } else {
        double ready = mean_us(window->mean_ready_ps), latest = mean_us(window->mean_latest_ps);
        add_window(table, arena, ready, latest);
        sl_table_add(table, "%s", sl_time_text(arena, latest - ready));
    }
    add_window(table, arena, window->ready_us, window->latest_us);
    sl_table_add(table, "%s", sl_time_text(arena, window->slack.value));
    sl_table_add(table, "%s", sl_time_text(arena, window->slack_p5.value));
}

static void print_least_slack(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    uint32_t nodes[SL_MAX_LEAST_SLACK];
    size_t count = sl_least_slack(cell, nodes, SL_MAX_LEAST_SLACK);
    if (count == 0)
        return;
    struct sl_table table = sl_table_make(arena, "llrlrr");
    static const char *const heads[] = {"least slack", "window at means",
                                        "slack",       "window, mean of trials",
                                        "slack",       "5% quantile"};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        sl_table_add(&table, "%s", heads[k]);
    for (size_t k = 0; k < count; k++)
        add_node(&table, arena, cell, nodes[k]);
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
    fprintf(out, "  window: from readiness to the latest start; over the first %s trials%s\n",
            sl_grouped(arena, cell->window_trials), cell->deadlocked > 0 ? " that completed" : "");
}

static void print_exposed(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    uint32_t nodes[SHOWN_EXPOSED];
    size_t all = sl_exposed_windows(cell, nodes, SHOWN_EXPOSED);
    if (all == 0)
        return;
    fprintf(out, "\nnegative windows without a fallback: %s of %s nodes\n", sl_grouped(arena, all),
            sl_grouped(arena, cell->plan.graph->node_count));
    for (size_t k = 0; k < all && k < SHOWN_EXPOSED; k++) {
        const struct sl_node_window *window = &cell->windows[nodes[k]];
        fprintf(out, "  %s: ", cell->plan.graph->nodes[nodes[k]].name);
        if (window->mean_exposed)
            fprintf(out, "slack %s at means (deadline of %s); ",
                    sl_time_text(arena,
                                 mean_us(window->mean_latest_ps) - mean_us(window->mean_ready_ps)),
                    cell->plan.graph->nodes[window->mean_limit].name);
        fprintf(out, "negative in %.3g%% [%.3g%%, %.3g%%] of trials\n",
                100 * window->exposed_share.value, 100 * window->exposed_share.lo,
                100 * window->exposed_share.hi);
    }
    if (all > SHOWN_EXPOSED)
        fprintf(out, "  and %s others, in no more trials\n",
                sl_grouped(arena, all - SHOWN_EXPOSED));
}

void sl_report_windows(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    print_least_slack(out, arena, cell);
    print_exposed(out, arena, cell);
}
