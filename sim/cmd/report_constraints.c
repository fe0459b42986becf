/* The declared constraints of a cell, for people and as JSON. */
#include "json_out.h"
#include "report_outcomes.h"
#include "table.h"
#include "units.h"
#include <math.h>
#include <string.h>

static const char *const state_names[] = {
    [SL_CONSTRAINT_HOLDS] = "holds",
    [SL_CONSTRAINT_HOLDS_OPEN] = "holds so far, not settled",
    [SL_CONSTRAINT_BROKEN_OPEN] = "does not hold so far, not settled",
    [SL_CONSTRAINT_BROKEN] = "does not hold",
    [SL_CONSTRAINT_NOT_JUDGED] = "too few trials",
};

static bool is_share(const struct sl_constraint *constraint)
{
    return constraint->probability > 0 || constraint->unit == SL_LIMIT_SHARE;
}

static void add_value(struct sl_table *table, const struct sl_constraint_outcome *outcome)
{
    double value = outcome->estimate.value;
    if (is_share(outcome->constraint))
        sl_table_add(table, "%.4g", value);
    else if (outcome->constraint->unit == SL_LIMIT_RATE)
        sl_table_add(table, "%.4g/s", value);
    else if (outcome->constraint->unit == SL_LIMIT_BYTES)
        sl_table_add(table, "%s", sl_bytes_text(table->arena, value));
    else
        sl_table_add(table, "%s", sl_time_text(table->arena, value / (double)SL_PS_PER_US));
}

static void add_outcome(struct sl_table *table, const struct sl_constraint_outcome *outcome)
{
    double trials = outcome->trials_to_settle;
    sl_table_add(table, "  %s", outcome->constraint->text);
    add_value(table, outcome);
    if (isnan(outcome->estimate.lo))
        sl_table_add(table, "%s", "");
    else
        sl_table_add(table, "[%.4g, %.4g]", outcome->estimate.lo, outcome->estimate.hi);
    if (isnan(trials))
        sl_table_add(table, "%s", state_names[outcome->state]);
    else if (isinf(trials))
        sl_table_add(table, "%s: more than 1e9 trials would", state_names[outcome->state]);
    else
        sl_table_add(table, "%s: about %s trials would", state_names[outcome->state],
                     sl_grouped(table->arena, (uint64_t)trials));
}

void sl_report_constraints(FILE *out, struct sl_arena *arena, const struct sl_cell *cell)
{
    if (cell->constraint_count == 0)
        return;
    struct sl_table table = sl_table_make(arena, "lrll");
    sl_table_add(&table, "constraint");
    sl_table_add(&table, "is");
    sl_table_add(&table, "95%% interval");
    sl_table_add(&table, "%s", "");
    for (uint32_t k = 0; k < cell->constraint_count; k++)
        add_outcome(&table, &cell->constraints[k]);
    putc('\n', out);
    sl_table_print(&table, out);
    sl_table_free(&table);
}

static void put_value(yajl_gen gen, const struct sl_constraint_outcome *outcome)
{
    double value = outcome->estimate.value;
    if (is_share(outcome->constraint)) {
        sl_json_number(gen, "share", value);
        sl_json_number(gen, "share_lo", outcome->estimate.lo);
        sl_json_number(gen, "share_hi", outcome->estimate.hi);
    } else if (outcome->constraint->unit == SL_LIMIT_RATE) {
        sl_json_number(gen, "value_per_s", value);
    } else if (outcome->constraint->unit == SL_LIMIT_BYTES) {
        sl_json_number(gen, "value_bytes", value);
    } else {
        sl_json_number(gen, "value_us", value / (double)SL_PS_PER_US);
    }
}

void sl_report_constraints_json(yajl_gen gen, const struct sl_cell *cell)
{
    sl_json_open_array(gen, "constraints");
    for (uint32_t k = 0; k < cell->constraint_count; k++) {
        const struct sl_constraint_outcome *outcome = &cell->constraints[k];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "constraint", outcome->constraint->text);
        put_value(gen, outcome);
        sl_json_text(gen, "outcome", state_names[outcome->state]);
        if (!isnan(outcome->trials_to_settle))
            sl_json_number(gen, "trials_to_settle", outcome->trials_to_settle);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}
