/* Explain: which trial this is, among which trials, and what the policy changed. */
#include "explain_parts.h"
#include "result_parts.h"
#include "units.h"
#include <inttypes.h>
#include <math.h>

#define SHOWN_EDITS 8

/* "the median", "p99", "the worst", or "trial 3". */
static const char *at_text(struct sl_explain *x)
{
    if (x->at.is_trial)
        return sl_arena_printf(&x->arena, "trial %u", (unsigned)x->at.trial);
    return sl_arena_printf(&x->arena, "the %s trial", x->at.text);
}

static const char *estimate_text(struct sl_explain *x, struct sl_estimate estimate)
{
    if (isnan(estimate.value))
        return "needs more trials";
    return sl_arena_printf(&x->arena, "%s [%s, %s]", sl_estimate_text(&x->arena, estimate.value),
                           sl_estimate_text(&x->arena, estimate.lo),
                           sl_estimate_text(&x->arena, estimate.hi));
}

static bool too_few(const struct sl_explain *x)
{
    return !x->at.is_trial && x->at.q < 1 && x->cell->trials < sl_quantile_min_n(x->at.q, 0.95);
}

void sl_explain_head(struct sl_explain *x, FILE *out)
{
    const struct sl_cell *cell = x->cell;
    const struct sl_trial *trial = x->trial;
    bool done = trial->outcome == SL_DONE;
    fprintf(out, "%s: policy %s, explained at %s\n", x->scenario->name, cell->spec.policy,
            at_text(x));
    fprintf(out, "trial %u of %s (seed %" PRIu64 "), rank %s by %s: ", (unsigned)trial->trial,
            sl_grouped(&x->arena, cell->trials), x->seed, sl_grouped(&x->arena, x->rank),
            sl_metric_name(x->scenario));
    fprintf(out, "%s\n", done ? sl_explain_instant(x, cell->metric_ps[trial->trial]) : "deadlock");
    if (!done)
        fprintf(out, "  %s\n", sl_explain_clean(x, trial->deadlock));
    fprintf(out, "all trials: median %s, p99 %s\n", estimate_text(x, cell->median),
            estimate_text(x, cell->p99));
    if (cell->iteration_us)
        fprintf(out, "time per iteration: median %s, p99 %s, in this trial %s\n",
                estimate_text(x, cell->iteration_median), estimate_text(x, cell->iteration_p99),
                sl_estimate_text(&x->arena, cell->iteration_us[trial->trial]));
    if (cell->deadlocked > 0)
        fprintf(out, "%s of %s trials deadlocked; they count as infinite\n",
                sl_grouped(&x->arena, cell->deadlocked), sl_grouped(&x->arena, cell->trials));
    if (too_few(x))
        fprintf(out, "note: %s trials are too few to estimate %s (it needs %s)\n",
                sl_grouped(&x->arena, cell->trials), x->at.text,
                sl_grouped(&x->arena, sl_quantile_min_n(x->at.q, 0.95)));
    if (cell->hypothetical)
        fprintf(
            out,
            "hypothetical: classes without measured contention ran together%s; times are of the\n"
            "  pessimistic corner\n",
            trial->hypothetical ? " in this trial" : ", though not in this trial");
    fputs("a projection from the scenario's figures; nothing here was measured\n", out);
}

void sl_explain_head_json(struct sl_explain *x, yajl_gen gen)
{
    const struct sl_cell *cell = x->cell;
    const struct sl_trial *trial = x->trial;
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, x->seed);
    sl_json_text(gen, "scenario", x->scenario->name);
    sl_json_text(gen, "policy", cell->spec.policy);
    sl_json_text(gen, "figures", "projected");
    sl_json_integer(gen, "trials", cell->trials);
    sl_json_integer(gen, "deadlocked", cell->deadlocked);
    sl_json_raw_number(gen, "seed", seed);
    sl_json_text(gen, "metric", sl_metric_name(x->scenario));
    sl_json_estimate_us(gen, "median", cell->median);
    sl_json_estimate_us(gen, "p99", cell->p99);
    if (cell->iteration_us) {
        sl_json_estimate_us(gen, "iteration_median", cell->iteration_median);
        sl_json_estimate_us(gen, "iteration_p99", cell->iteration_p99);
    }
    sl_json_bool(gen, "hypothetical", cell->hypothetical);
    sl_json_open_map(gen, "trial");
    sl_json_text(gen, "at", x->at.text);
    sl_json_integer(gen, "number", trial->trial);
    sl_json_integer(gen, "rank", (int64_t)x->rank);
    sl_json_bool(gen, "too_few_trials", too_few(x));
    sl_json_text(gen, "outcome", trial->outcome == SL_DONE ? "done" : "deadlock");
    sl_json_us(gen, "makespan_us", trial->makespan_ps);
    sl_json_text(gen, "deadlock", trial->deadlock);
    sl_json_bool(gen, "hypothetical", trial->hypothetical);
    yajl_gen_map_close(gen);
}

/* ---- edits --------------------------------------------------------------------------------- */

static const char *const edit_words[] = {[SL_EDIT_ADD_NODE] = "add node",
                                         [SL_EDIT_ADD_EDGE] = "add edge",
                                         [SL_EDIT_DROP_EDGE] = "drop edge",
                                         [SL_EDIT_CHANGE_INPUT] = "change input",
                                         [SL_EDIT_CHANGE_OUTPUT] = "change output",
                                         [SL_EDIT_SET_RELEASE] = "set release",
                                         [SL_EDIT_SET_PRIORITY] = "set priority"};
#define EDIT_KINDS (sizeof edit_words / sizeof edit_words[0])

static void print_counts(struct sl_explain *x, FILE *out)
{
    const struct sl_plan *plan = &x->cell->plan;
    uint32_t kinds[EDIT_KINDS] = {0}, nodes[SL_NODE_KINDS] = {0};
    for (uint32_t k = 0; k < plan->edit_count; k++) {
        const struct sl_edit *edit = &plan->edits[k];
        kinds[edit->what]++;
        if (edit->what == SL_EDIT_ADD_NODE && edit->node.i < x->graph->node_count)
            nodes[x->graph->nodes[edit->node.i].kind]++;
    }
    fprintf(out, "\nwhat the policy changed: %s edits", sl_grouped(&x->arena, plan->edit_count));
    for (size_t k = 0; k < EDIT_KINDS; k++)
        if (kinds[k] > 0)
            fprintf(out, ", %s x %s", edit_words[k], sl_grouped(&x->arena, kinds[k]));
    putc('\n', out);
    for (unsigned k = 0, any = 0; k < SL_NODE_KINDS; k++)
        if (nodes[k] > 0)
            fprintf(out, "%s%s %s", any++ ? ", " : "  nodes: ", sl_grouped(&x->arena, nodes[k]),
                    sl_node_kind_name((enum sl_node_kind)k));
    if (kinds[SL_EDIT_ADD_NODE] > 0)
        putc('\n', out);
    fprintf(out, "  objects with a gap: %u kept, %u moved away and back, %u computed again\n",
            (unsigned)plan->retained, (unsigned)plan->offloaded, (unsigned)plan->rematerialized);
    sl_explain_put_evicted(x, out);
}

void sl_explain_edits(struct sl_explain *x, FILE *out)
{
    const struct sl_plan *plan = &x->cell->plan;
    if (plan->edit_count == 0) {
        fputs("\nwhat the policy changed: nothing\n", out);
        return;
    }
    print_counts(x, out);
    uint32_t shown = 0;
    /* Nodes first: edges mostly say what inputs and outputs imply. */
    for (int nodes = 1; nodes >= 0; nodes--)
        for (uint32_t k = 0; k < plan->edit_count; k++) {
            const struct sl_edit *edit = &plan->edits[k];
            if ((edit->what == SL_EDIT_ADD_NODE) != nodes || shown == SHOWN_EDITS)
                continue;
            fprintf(out, "  %s", sl_explain_clean(x, edit->text));
            if (edit->reason)
                fprintf(out, "  (%s)", sl_explain_clean(x, edit->reason));
            putc('\n', out);
            shown++;
        }
    if (plan->edit_count > shown)
        fprintf(out, "  and %s more: --json has all\n",
                sl_grouped(&x->arena, plan->edit_count - shown));
}

void sl_explain_edits_json(struct sl_explain *x, yajl_gen gen)
{
    const struct sl_plan *plan = &x->cell->plan;
    sl_json_open_map(gen, "objects_with_a_gap");
    sl_json_integer(gen, "retained", plan->retained);
    sl_json_integer(gen, "offloaded", plan->offloaded);
    sl_json_integer(gen, "rematerialized", plan->rematerialized);
    yajl_gen_map_close(gen);
    sl_json_open_array(gen, "edits");
    for (uint32_t k = 0; k < plan->edit_count; k++) {
        const struct sl_edit *edit = &plan->edits[k];
        sl_json_open_map(gen, NULL);
        sl_json_text(gen, "what", edit_words[edit->what]);
        sl_json_text(gen, "text", edit->text);
        sl_json_text(gen, "reason", edit->reason);
        sl_json_text(gen, "node",
                     edit->node.i < x->graph->node_count ? sl_explain_name(x, edit->node.i) : NULL);
        sl_json_text(gen, "object",
                     edit->object.i < x->graph->object_count
                         ? x->graph->objects[edit->object.i].name
                         : NULL);
        yajl_gen_map_close(gen);
    }
    yajl_gen_array_close(gen);
}
