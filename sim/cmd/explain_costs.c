/* Explain: what each choice for an object costs, as tables; doc/costs.md says what each column is.
 */
#include "explain_costs.h"
#include "grouping.h"
#include "kept.h"
#include "result_parts.h"
#include "table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_US 1e-6 /* a picosecond: what is less is rounding */

struct report {
    struct sl_arena arena;
    const struct sl_choice_costs *costs;
    FILE *out;
    char tail[16]; /* "p99" */
};

static const char *kept(const char *text)
{
    return sl_kept(text);
}

static const char *domain_name(const struct report *r, uint32_t domain)
{
    return domain == SL_NONE ? "-" : r->costs->scenario->platform.domain_names.names[domain];
}

/* "x_in.3", or "w.0 (2 of 3)" with the gap. */
static const char *object_text(struct report *r, const struct sl_gap_costs *row)
{
    const char *name = r->costs->scenario->graph->objects[row->gap.object].name;
    return row->gap.gaps == 1
               ? name
               : kept(sl_arena_printf(&r->arena, "%s (%u of %u)", name, (unsigned)row->gap.number,
                                      (unsigned)row->gap.gaps));
}

/* "offload to pinned, jit *" */
static const char *choice_text(struct report *r, const struct sl_choice_cost *cost)
{
    const char *to = cost->refuge == SL_NONE ? NULL : domain_name(r, cost->refuge);
    return kept(sl_arena_printf(&r->arena, "%s%s%s%s%s%s%s", cost->action, to ? " to " : "",
                                to ? to : "", cost->timing ? ", " : "",
                                cost->timing ? cost->timing : "", cost->decided ? " *" : "",
                                cost->hypothetical ? " ?" : ""));
}

static const char *change_text(struct report *r, const struct sl_choice_cost *cost,
                               const struct sl_difference *difference)
{
    struct sl_arena *arena = &r->arena;
    struct sl_estimate e = difference->estimate;
    if (cost->decided)
        return "-";
    if (r->costs->deadlocked == r->costs->trials && cost->deadlocked == 0)
        return "no deadlock";
    if (isnan(e.value))
        return kept(
            sl_arena_printf(arena, "needs %s trials", sl_grouped(arena, difference->needs)));
    if (isinf(e.value))
        return e.value > 0 ? "deadlocks" : "no deadlock";
    const char *value = sl_time_text(arena, e.value), *sign = e.value > 0 ? "+" : "";
    if (isnan(e.lo))
        return kept(sl_arena_printf(arena, "%s%s, no interval", sign, value));
    if (e.lo >= e.hi)
        return kept(sl_arena_printf(arena, "%s%s", sign, value));
    return kept(sl_arena_printf(arena, "%s%s [%s, %s]", sign, value, sl_time_text(arena, e.lo),
                                sl_time_text(arena, e.hi)));
}

/* What does not change is "-". */
static const char *signed_time(struct report *r, double us)
{
    if (fabs(us) < LEAST_US)
        return "-";
    return kept(sl_arena_printf(&r->arena, "%s%s", us > 0 ? "+" : "", sl_time_text(&r->arena, us)));
}

static const char *signed_bytes(struct report *r, double bytes, const char *unit)
{
    if (fabs(bytes) < 0.5)
        return "-";
    return kept(sl_arena_printf(&r->arena, "%s%s%s", bytes > 0 ? "+" : "-",
                                sl_bytes_text(&r->arena, fabs(bytes)), unit));
}

static const char *time_or_none(struct report *r, double us)
{
    return us >= LEAST_US ? sl_time_text(&r->arena, us) : "-";
}

/* ---- the tables ------------------------------------------------------------------------------ */

/* "f3#1 +100%": a node and what became of its share of the chain. */
static const char *share_text(struct report *r, const struct sl_changed_node *node)
{
    return node->name
               ? kept(sl_arena_printf(&r->arena, "%s %+.3g%%", node->name, 100 * node->change))
               : "-";
}

static const char *waiter_text(struct report *r, const struct sl_changed_node *node)
{
    return node->name && fabs(node->change) >= LEAST_US
               ? kept(sl_arena_printf(&r->arena, "%s %s", node->name, signed_time(r, node->change)))
               : "-";
}

#define MOST_COLUMNS 14
/* Fills the cells of a choice, behind its object and name; "-" where there is nothing to tell. */
typedef void fill_cells(struct report *r, const struct sl_gap_costs *row,
                        const struct sl_choice_cost *cost, const char *cells[MOST_COLUMNS]);

static void fill_times(struct report *r, const struct sl_gap_costs *row,
                       const struct sl_choice_cost *cost, const char *cells[MOST_COLUMNS])
{
    const struct sl_cost_figures *here = &cost->here;
    (void)row;
    cells[0] = change_text(r, cost, &cost->tail);
    cells[1] = change_text(r, cost, &cost->median);
    cells[2] = time_or_none(r, here->chain_us);
    cells[3] = time_or_none(r, here->stall_us);
    cells[4] = time_or_none(r, here->run_us);
    cells[5] = time_or_none(r, here->isolated_us);
    cells[6] = time_or_none(r, here->setup_us);
    cells[7] = signed_time(r, cost->change.barrier_us);
    cells[8] = time_or_none(r, here->run_us - here->isolated_us);
    cells[9] = signed_time(r, cost->change.others_us);
}

static void fill_space(struct report *r, const struct sl_gap_costs *row,
                       const struct sl_choice_cost *cost, const char *cells[MOST_COLUMNS])
{
    const struct sl_cost_figures *change = &cost->change;
    bool starved = r->costs->bounded && cost->here.starved > 0;
    cells[0] = domain_name(r, row->home);
    cells[1] = signed_bytes(r, change->peak_bytes, "");
    cells[2] = signed_bytes(r, change->pressure_byte_s, " s");
    cells[3] = signed_bytes(r, change->staging_byte_s, " s");
    cells[4] = signed_bytes(r, change->workspace_byte_s, " s");
    cells[5] = signed_time(r, change->capacity_us);
    cells[6] = waiter_text(r, &cost->waiter);
    cells[7] = time_or_none(r, cost->here.max_wait_us);
    cells[8] = cost->max_waiter ? cost->max_waiter : "-";
    cells[9] = starved ? sl_grouped(&r->arena, (uint64_t)cost->here.starved) : "-";
    cells[10] = share_text(r, &cost->joined);
    cells[11] = share_text(r, &cost->left);
    cells[12] = cost->breaks ? cost->breaks : "-";
}

struct column {
    const char *head;
    char align; /* 'l' or 'r'; 0: the end */
};

/* Columns in which no choice has anything are left out: `used` says which have. */
static void add_choice(struct report *r, struct sl_table *table, const struct sl_gap_costs *row,
                       const struct sl_choice_cost *cost, fill_cells *fill, bool *used)
{
    const char *cells[MOST_COLUMNS] = {NULL};
    fill(r, row, cost, cells);
    if (table) {
        sl_table_add(table, "%s", object_text(r, row));
        sl_table_add(table, "%s", choice_text(r, cost));
    }
    for (size_t c = 0; c < MOST_COLUMNS && cells[c]; c++)
        if (!table)
            used[c] |= strcmp(cells[c], "-") != 0;
        else if (used[c])
            sl_table_add(table, "%s", cells[c]);
}

static void add_choices(struct report *r, struct sl_table *table, fill_cells *fill, bool *used)
{
    for (uint32_t g = 0; g < r->costs->gap_count; g++)
        for (uint32_t c = 0; c < r->costs->gaps[g].choice_count; c++)
            if (r->costs->gaps[g].choices[c].state == SL_CHOICE_RUN)
                add_choice(r, table, &r->costs->gaps[g], &r->costs->gaps[g].choices[c], fill, used);
}

static void print_table(struct report *r, const struct column *columns, fill_cells *fill)
{
    bool used[MOST_COLUMNS] = {false};
    char alignments[MOST_COLUMNS + 3] = "ll";
    size_t count = 2;
    add_choices(r, NULL, fill, used);
    for (size_t c = 0; columns[c].align; c++)
        if (used[c])
            alignments[count++] = columns[c].align;
    struct sl_table table = sl_table_make(&r->arena, alignments);
    sl_table_add(&table, "object");
    sl_table_add(&table, "choice");
    for (size_t c = 0; columns[c].align; c++)
        if (used[c])
            sl_table_add(&table, "%s", columns[c].head);
    add_choices(r, &table, fill, used);
    putc('\n', r->out);
    sl_table_print(&table, r->out);
    sl_table_free(&table);
}

static bool any_ran(const struct sl_choice_costs *costs)
{
    for (uint32_t g = 0; g < costs->gap_count; g++)
        for (uint32_t c = 0; c < costs->gaps[g].choice_count; c++)
            if (costs->gaps[g].choices[c].state == SL_CHOICE_RUN)
                return true;
    return false;
}

static void print_tables(struct report *r)
{
    if (!any_ran(r->costs)) {
        fputs(r->costs->gap_count > 0 ? "\nno choice has a plan that runs to its end: there are no "
                                        "costs to compare\n"
                                      : "\nno gap to choose for\n",
              r->out);
        return;
    }
    const struct column times[] = {{r->tail, 'r'},     {"median", 'r'},
                                   {"on chain", 'r'},  {"stalls behind it", 'r'},
                                   {"own", 'r'},       {"alone", 'r'},
                                   {"setup", 'r'},     {"barriers", 'r'},
                                   {"inflation", 'r'}, {"others' inflation", 'r'},
                                   {NULL, 0}};
    const struct column space[] = {{"domain", 'l'},
                                   {"peak", 'r'},
                                   {"pressure-time", 'r'},
                                   {"staging", 'r'},
                                   {"workspace", 'r'},
                                   {"waits for capacity", 'r'},
                                   {"most of it at", 'l'},
                                   {"longest wait", 'r'},
                                   {"of", 'l'},
                                   {"beyond bound", 'r'},
                                   {"joined the chain", 'l'},
                                   {"left it", 'l'},
                                   {"breaks", 'l'},
                                   {NULL, 0}};
    print_table(r, times, fill_times);
    print_table(r, space, fill_space);
}

/* ---- what could not be run ------------------------------------------------------------------- */

/* The gap has a choice that cannot be had for this very reason. */
static bool has_same(const struct sl_gap_costs *row, const struct sl_choice_cost *cost)
{
    for (uint32_t c = 0; c < row->choice_count; c++) {
        const struct sl_choice_cost *other = &row->choices[c];
        if (other->state == cost->state && other->refuge == cost->refuge && other->reason &&
            strcmp(other->action, cost->action) == 0 && strcmp(other->reason, cost->reason) == 0)
            return true;
    }
    return false;
}

/* The first of those with the same reason tells it for all. */
static bool is_first(const struct sl_choice_costs *costs, uint32_t gap,
                     const struct sl_choice_cost *cost)
{
    for (uint32_t g = 0; g < gap; g++)
        if (has_same(&costs->gaps[g], cost))
            return false;
    return true;
}

static void tell_reason(struct report *r, uint32_t gap, const struct sl_choice_cost *cost)
{
    static const char *const verbs[SL_CHOICE_STATES] = {
        "deadlocks in some trials with", "is not possible for", "has no legal plan for",
        "deadlocks in every trial with"};
    bool moved = cost->refuge != SL_NONE;
    fprintf(r->out, "  %s%s%s %s ", cost->action, moved ? " to " : "",
            moved ? domain_name(r, cost->refuge) : "", verbs[cost->state]);
    uint32_t told = 0;
    for (uint32_t g = gap; g < r->costs->gap_count; g++)
        if (has_same(&r->costs->gaps[g], cost))
            fprintf(r->out, "%s%s", told++ ? ", " : "", object_text(r, &r->costs->gaps[g]));
    fprintf(r->out, ": %s\n", cost->reason);
}

static void print_reasons(struct report *r)
{
    bool any = false;
    for (uint32_t g = 0; g < r->costs->gap_count; g++)
        for (uint32_t c = 0; c < r->costs->gaps[g].choice_count; c++) {
            const struct sl_choice_cost *cost = &r->costs->gaps[g].choices[c];
            if (!cost->reason || !is_first(r->costs, g, cost))
                continue;
            if (!any)
                fputs("\nwhat cannot be had\n", r->out);
            any = true;
            tell_reason(r, g, cost);
        }
}

static bool is_unproven(const struct sl_choice_cost *cost)
{
    return cost->state == SL_CHOICE_RUN && cost->unknown;
}

/* The row has an earlier choice whose times rest on the same evidence. */
static bool told_before(const struct sl_gap_costs *row, uint32_t before, const char *evidence)
{
    for (uint32_t c = 0; c < before; c++)
        if (is_unproven(&row->choices[c]) && strcmp(row->choices[c].evidence, evidence) == 0)
            return true;
    return false;
}

/* "evidence for the times of retain, remat of A (1 of 2), B: not stated". */
static void tell_evidence(struct report *r, uint32_t gap, uint32_t choice)
{
    const struct sl_choice_costs *costs = r->costs;
    const char *evidence = costs->gaps[gap].choices[choice].evidence, *between = "";
    fputs("  hypothetical: evidence for the times of ", r->out);
    for (uint32_t g = gap; g < costs->gap_count; g++) {
        const struct sl_gap_costs *row = &costs->gaps[g];
        bool any = false;
        for (uint32_t c = 0; c < row->choice_count; c++) {
            if (!is_unproven(&row->choices[c]) || strcmp(row->choices[c].evidence, evidence) != 0)
                continue;
            fprintf(r->out, "%s%s", any ? ", " : between, row->choices[c].action);
            any = true;
        }
        if (any)
            fprintf(r->out, " of %s", object_text(r, row));
        between = any ? "; " : between;
    }
    fprintf(r->out, ": %s\n", evidence);
}

/* Times that rest on nothing measured: a line per piece of evidence. */
static void print_evidence(struct report *r)
{
    for (uint32_t g = 0; g < r->costs->gap_count; g++)
        for (uint32_t c = 0; c < r->costs->gaps[g].choice_count; c++) {
            const struct sl_choice_cost *cost = &r->costs->gaps[g].choices[c];
            bool told = !is_unproven(cost) || told_before(&r->costs->gaps[g], c, cost->evidence);
            for (uint32_t before = 0; before < g && !told; before++)
                told = told_before(&r->costs->gaps[before], r->costs->gaps[before].choice_count,
                                   cost->evidence);
            if (!told)
                tell_evidence(r, g, c);
        }
}

/* ---- around them ----------------------------------------------------------------------------- */

static void print_head(struct report *r, const char *policy)
{
    const struct sl_choice_costs *costs = r->costs;
    const struct sl_scenario *scenario = costs->scenario;
    fprintf(r->out, "%s: policy %s, the cost of each choice\n", scenario->name, policy);
    fprintf(r->out,
            "%s plans with %s trials each, on the same draws; in each one choice differs from the "
            "policy's\n",
            sl_grouped(&r->arena, costs->plans), sl_grouped(&r->arena, costs->trials));
    fprintf(r->out, "gaps: %s of %s, those with most bytes x time first%s\n",
            sl_grouped(&r->arena, costs->gap_count), sl_grouped(&r->arena, costs->matching),
            costs->gap_count < costs->matching ? " (--object GLOB: others)" : "");
    fprintf(r->out, "objective: %s of %s", r->tail, sl_metric_name(scenario));
    for (uint32_t k = 0; k < scenario->objective.order_count; k++)
        fprintf(r->out, "%s%s", k ? ", " : "; order: ", scenario->objective.order[k].name);
    fputs("\na projection from the scenario's figures; nothing here was measured\n", r->out);
}

static void print_notes(struct report *r)
{
    const struct sl_choice_costs *costs = r->costs;
    size_t pairs = sl_paired_bootstrap_min_n(costs->tail);
    fputs("\n  *: what the policy does; ?: classes without measured contention ran together\n"
          "  changes (with a sign) are against the policy's plan, with paired 95% intervals; "
          "columns of\n"
          "  nothing are left out; own: nodes inserted for the object; on chain and stalls behind "
          "it: exposed;\n"
          "  alone: own without contention, for comparison only; slackline-explain(1) has the "
          "formulas\n",
          r->out);
    if (costs->trials < pairs && pairs < SIZE_MAX)
        fprintf(r->out,
                "  from %s trials on (--trials) the intervals of %s pair them and are narrow\n",
                sl_grouped(&r->arena, pairs), r->tail);
    if (!costs->bounded)
        fputs("  no bound on waits is established\n", r->out);
}

void sl_explain_costs(const struct sl_choice_costs *costs, const char *policy, FILE *out)
{
    struct report r = {.costs = costs, .out = out};
    sl_quantile_name(r.tail, costs->tail);
    print_head(&r, policy);
    if (costs->gap_count > 0) {
        print_tables(&r);
        print_reasons(&r);
        print_notes(&r);
        print_evidence(&r);
    } else {
        fputs("no object has a gap in which it could leave\n", out);
    }
    sl_report_free(&r.arena);
}
