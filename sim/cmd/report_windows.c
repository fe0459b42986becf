/* Windows for people: the nodes with the least slack, and those whose window is negative. */
#include "report_outcomes.h"
#include "table.h"
#include "units.h"
#include "window_estimates.h"

#define SHOWN_EXPOSED 8

/* The first nodes in rising order of a key, those of equal keys by index. */
struct shortlist {
    uint32_t *nodes;
    double keys[SL_MAX_EXPOSED];
    size_t count, capacity;
};

/* By insertion: the list is short, the nodes are many. */
static void insert(struct shortlist *list, uint32_t node, double key)
{
    size_t at = list->count;
    while (at > 0 && key < list->keys[at - 1])
        at--;
    if (at == list->capacity)
        return;
    list->count += list->count < list->capacity;
    for (size_t k = list->count - 1; k > at; k--) {
        list->nodes[k] = list->nodes[k - 1];
        list->keys[k] = list->keys[k - 1];
    }
    list->nodes[at] = node;
    list->keys[at] = key;
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
    struct shortlist list = {.nodes = nodes, .capacity = capacity};
    struct sl_window_scratch scratch = SL_WINDOW_SCRATCH;
    for (int all = 0; cell->windows && all < 2 && list.count == 0; all++)
        for (uint32_t i = 0; i < cell->plan.graph->node_count; i++)
            if (cell->windows[i].ran > 0 && (all || !only_follows(cell, i)))
                insert(&list, i, sl_window_slack(cell, i, &scratch).value);
    return list.count;
}

size_t sl_exposed_windows(const struct sl_cell *cell, uint32_t *nodes, size_t capacity)
{
    struct shortlist list = {.nodes = nodes, .capacity = capacity};
    size_t all = 0;
    for (uint32_t i = 0; cell->windows && i < cell->plan.graph->node_count; i++) {
        const struct sl_node_window *window = &cell->windows[i];
        if (window->exposed == 0 && !window->mean_exposed)
            continue;
        all++;
        insert(&list, i, -(2.0 * window->exposed + window->mean_exposed));
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
                     uint32_t node, struct sl_window_scratch *scratch)
{
    const struct sl_node_window *window = &cell->windows[node];
    struct sl_window_estimates found = sl_window_estimates(cell, node, scratch);
    sl_table_add(table, "  %s", cell->plan.graph->nodes[node].name);
    if (window->idle) {
        sl_table_add(table, "idle fallback");
        sl_table_add(table, "-");
    } else {
        double ready = mean_us(window->mean_ready_ps), latest = mean_us(window->mean_latest_ps);
        add_window(table, arena, ready, latest);
        sl_table_add(table, "%s", sl_time_text(arena, latest - ready));
    }
    add_window(table, arena, found.ready_us, found.latest_us);
    sl_table_add(table, "%s", sl_time_text(arena, found.slack.value));
    sl_table_add(table, "%s", sl_time_text(arena, found.slack_p5.value));
}

static void print_least_slack(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    uint32_t nodes[SL_MAX_LEAST_SLACK];
    size_t count = sl_least_slack(cell, nodes, SL_MAX_LEAST_SLACK);
    if (count == 0)
        return;
    struct sl_window_scratch scratch = SL_WINDOW_SCRATCH;
    struct sl_table table = sl_table_make(arena, "llrlrr");
    static const char *const heads[] = {"least slack", "window at means",
                                        "slack",       "window, mean of trials",
                                        "slack",       "5% quantile"};
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++)
        sl_table_add(&table, "%s", heads[k]);
    for (size_t k = 0; k < count; k++)
        add_node(&table, arena, cell, nodes[k], &scratch);
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
        const struct sl_estimate *share = &cell->window_shares.of[window->exposed];
        fprintf(out, "  %s: ", cell->plan.graph->nodes[nodes[k]].name);
        if (window->mean_exposed)
            fprintf(out, "slack %s at means (deadline of %s); ",
                    sl_time_text(arena,
                                 mean_us(window->mean_latest_ps) - mean_us(window->mean_ready_ps)),
                    cell->plan.graph->nodes[window->mean_limit].name);
        fprintf(out, "negative in %.3g%% [%.3g%%, %.3g%%] of trials\n", 100 * share->value,
                100 * share->lo, 100 * share->hi);
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
