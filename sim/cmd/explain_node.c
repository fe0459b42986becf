/* Explain: one node of the plan, every field of it, and its times in the trial. */
#include "explain.h"
#include "explain_parts.h"
#include "guards.h"
#include "speculation.h"
#include "units.h"
#include "window_estimates.h"
#include <math.h>

static const char *const scope_names[] = {"node", "layer", "iteration", "job"};

static const char *index_name(const struct sl_names *names, uint32_t index)
{
    return index == SL_NONE ? NULL : names->names[index];
}

const char *sl_explain_evidence(struct sl_explain *x, enum sl_evidence evidence, const char *text)
{
    static const char *const words[] = {"none",    "measured",  "bounded",
                                        "assumed", "published", "unknown"};
    return text && *text ? sl_arena_printf(&x->arena, "%s: %s", words[evidence], text)
                         : words[evidence];
}

static void put_guards(struct sl_explain *x, struct sl_sheet *sheet, uint32_t node)
{
    const struct sl_graph *graph = x->graph;
    struct sl_span terms = graph->nodes[node].guards;
    if (terms.count == 0) {
        sl_sheet_text(sheet, "guard", NULL);
        return;
    }
    sl_sheet_text(sheet, "guard", sl_guards_text(graph, node, &x->arena));
    const struct sl_guard *guard = &graph->guards[graph->guard_terms[terms.first].guard];
    if (terms.count == 1) {
        sl_sheet_number(sheet, "guard_probability", guard->probability);
        sl_sheet_text(sheet, "guard_scope", scope_names[guard->scope]);
        return;
    }
    sl_sheet_open(sheet, "guards");
    for (uint32_t k = 0; k < terms.count; k++) {
        guard = &graph->guards[graph->guard_terms[terms.first + k].guard];
        sl_sheet_item(sheet, sl_arena_printf(&x->arena, "%s: probability %.4g, per %s", guard->name,
                                             guard->probability, scope_names[guard->scope]));
    }
    sl_sheet_close(sheet);
}

static void put_objects(struct sl_explain *x, struct sl_sheet *sheet, const char *key,
                        struct sl_span list)
{
    sl_sheet_open(sheet, key);
    for (uint32_t k = 0; k < list.count; k++)
        sl_sheet_item(sheet, x->graph->objects[x->graph->objects_pool[list.first + k].i].name);
    sl_sheet_close(sheet);
}

/* Which of its objects are other names, and whose. */
static void put_aliases(struct sl_explain *x, struct sl_sheet *sheet, const struct sl_node *node)
{
    const struct sl_graph *graph = x->graph;
    const struct sl_span lists[] = {node->inputs, node->outputs};
    sl_sheet_open(sheet, "aliases");
    for (int l = 0; l < 2; l++)
        for (uint32_t k = 0; k < lists[l].count; k++) {
            sl_object_id object = graph->objects_pool[lists[l].first + k];
            if (graph->objects[object.i].alias_of.i != SL_NONE)
                sl_sheet_item(
                    sheet, sl_arena_printf(&x->arena, "%s of %s", graph->objects[object.i].name,
                                           graph->objects[sl_object_root(graph, object).i].name));
        }
    sl_sheet_close(sheet);
}

static bool by_route(const struct sl_explain *x, const struct sl_node *node)
{
    return sl_node_moves(node->kind) && node->from != SL_NONE && node->to != SL_NONE &&
           sl_platform_route(x->platform, node->from, node->to);
}

static void put_duration(struct sl_explain *x, struct sl_sheet *sheet, uint32_t index)
{
    const struct sl_node *node = &x->graph->nodes[index];
    sl_node_id id = {index};
    sl_sheet_text(sheet, "duration_distribution", node->dist ? sl_dist_text(node->dist) : "zero");
    /* A route's distribution is a multiplier of the time that it takes. */
    if (by_route(x, node))
        sl_sheet_time(sheet, "duration_unit", sl_explain_rounded(node->scale));
    else
        sl_sheet_number(sheet, "duration_scale", node->scale);
    sl_sheet_time(sheet, "mean_hold", sl_explain_rounded(sl_node_mean_hold(x->graph, id)));
    sl_sheet_time(sheet, "mean_latency", sl_explain_rounded(sl_node_mean_latency(x->graph, id)));
    sl_sheet_open(sheet, "factors");
    for (uint32_t f = 0; f < x->graph->factor_count; f++) {
        const struct sl_factor *factor = &x->graph->factors[f];
        if (sl_factor_applies(x->graph, factor, id))
            sl_sheet_item(sheet, sl_arena_printf(
                                     &x->arena, "%s: %s%s%s%s%s", factor->name,
                                     factor->is_regime ? "regime" : sl_dist_text(factor->draw),
                                     factor->with ? ", with " : "",
                                     factor->with ? factor->with : "", factor->evidence ? "; " : "",
                                     factor->evidence ? factor->evidence : ""));
    }
    sl_sheet_close(sheet);
}

static void put_demand(struct sl_explain *x, struct sl_sheet *sheet, const struct sl_node *node)
{
    sl_sheet_open(sheet, "resource_demand");
    for (uint32_t k = 0; k < node->demands.count; k++) {
        struct sl_demand demand = x->graph->demands[node->demands.first + k];
        sl_sheet_item(sheet, sl_arena_printf(&x->arena, "%s:%u",
                                             x->platform->resource_names.names[demand.resource],
                                             (unsigned)demand.units));
    }
    sl_sheet_close(sheet);
}

/* The row of nodes.csv, or what the policy inserted it for. */
static void put_origin(struct sl_explain *x, struct sl_sheet *sheet, uint32_t index)
{
    const struct sl_plan *plan = &x->cell->plan;
    const struct sl_node *node = &x->graph->nodes[index];
    uint32_t first = sl_node_first(x->graph, index);
    if (!node->derived) {
        sl_sheet_text(sheet, "origin",
                      node->place.file
                          ? sl_arena_printf(&x->arena, "%s:%d", node->place.file, node->place.line)
                          : "the scenario");
        return;
    }
    sl_sheet_text(sheet, "origin", "inserted by the policy");
    for (uint32_t k = 0; k < plan->edit_count; k++)
        if (plan->edits[k].what == SL_EDIT_ADD_NODE && plan->edits[k].node.i == first) {
            sl_sheet_text(sheet, "inserted_to", plan->edits[k].text);
            sl_sheet_text(sheet, "because", plan->edits[k].reason);
            return;
        }
}

static void put_fields(struct sl_explain *x, struct sl_sheet *sheet, uint32_t index)
{
    const struct sl_node *node = &x->graph->nodes[index];
    sl_sheet_text(sheet, "semantic_key", node->key);
    sl_sheet_text(sheet, "kind", sl_node_kind_name(node->kind));
    put_origin(x, sheet, index);
    sl_sheet_text(sheet, "class", index_name(&x->platform->kappa.classes, node->klass));
    sl_sheet_text(sheet, "lane", index_name(&x->graph->lane_names, node->lane));
    put_guards(x, sheet, index);
    put_objects(x, sheet, "inputs", node->inputs);
    put_objects(x, sheet, "outputs", node->outputs);
    put_aliases(x, sheet, node);
    sl_sheet_text(sheet, "object",
                  node->object.i == SL_NONE ? NULL : x->graph->objects[node->object.i].name);
    sl_sheet_text(sheet, "from", index_name(&x->platform->domain_names, node->from));
    sl_sheet_text(sheet, "to", index_name(&x->platform->domain_names, node->to));
    put_duration(x, sheet, index);
    sl_sheet_time(sheet, "release", node->release_ps);
    sl_sheet_time(sheet, "deadline", node->deadline_ps == INT64_MAX ? -1 : node->deadline_ps);
    sl_sheet_number(sheet, "priority", node->priority);
    put_demand(x, sheet, node);
    sl_explain_put_capacity(x, sheet, node);
    sl_sheet_text(sheet, "fallback",
                  node->fallback.i == SL_NONE ? NULL : sl_explain_name(x, node->fallback.i));
    sl_sheet_open(sheet, "fallback_of");
    for (uint32_t i = 0; i < x->graph->node_count; i++)
        if (x->graph->nodes[i].fallback.i == index)
            sl_sheet_item(sheet, sl_explain_name(x, i));
    sl_sheet_close(sheet);
    sl_sheet_text(sheet, "evidence", sl_explain_evidence(x, node->evidence, node->evidence_text));
    sl_sheet_number(sheet, "confidence", node->confidence);
}

/* Whether somebody used what a speculative movement brought in this trial; nothing about others. */
static void put_speculation(struct sl_explain *x, struct sl_sheet *sheet, uint32_t i)
{
    const struct sl_speculation *s = sl_program_speculation(x->program);
    if (!s->speculative || !s->speculative[i])
        return;
    bool *hit = sl_arena_array(&x->arena, (size_t)x->graph->node_count + 1, sizeof *hit);
    if (!hit)
        return;
    sl_speculation_hits(s, x->trial, hit);
    sl_sheet_text(sheet, "speculation",
                  x->trial->state[i] != SL_RAN ? "did not move in this trial"
                  : hit[i]                     ? "used in this trial"
                                               : "moved for nothing in this trial");
}

static void put_times(struct sl_explain *x, struct sl_sheet *sheet, uint32_t i)
{
    const struct sl_trial *t = x->trial;
    bool ran = t->state[i] == SL_RAN;
    if (sl_node_is_latent(x->graph, i)) {
        sl_explain_put_run_sums(x, sheet, i);
        return;
    }
    sl_sheet_text(sheet, "state", sl_explain_state(x, i));
    if (t->state[i] == SL_CANCELLED)
        sl_sheet_text(sheet, "cancelled_because",
                      t->cause[i] == SL_CAUSE_GUARD
                          ? "its guard failed"
                          : "it had not started by deadline less mean duration");
    sl_sheet_time(sheet, "ready", t->ready_ps[i]);
    sl_sheet_time(sheet, "start", t->start_ps[i]);
    sl_sheet_time(sheet, "free", ran ? t->free_ps[i] : -1);
    sl_sheet_time(sheet, "finish", t->finish_ps[i]);
    sl_sheet_time(sheet, "wait", ran ? t->start_ps[i] - t->ready_ps[i] : -1);
    sl_sheet_time(sheet, "duration_isolated", sl_explain_isolated(x, i));
    sl_sheet_time(sheet, "duration_under_contention", sl_explain_duration(x, i));
    sl_sheet_text(sheet, "cause", ran ? sl_cause_name((enum sl_cause)t->cause[i]) : NULL);
    sl_sheet_text(sheet, "behind",
                  t->behind[i] == SL_NONE ? NULL : sl_explain_name(x, t->behind[i]));
    sl_sheet_number(sheet, "bypassed", t->bypassed[i]);
    put_speculation(x, sheet, i);
    sl_sheet_bool(sheet, "on_chain", x->chain_ps[i] >= 0);
    if (!sl_explain_has_slack(x, i))
        return;
    uint32_t limit = x->windows->limit[i];
    sl_sheet_signed_time(sheet, "latest_start", x->windows->latest_start_ps[i]);
    sl_sheet_text(sheet, "latest_start_set_by",
                  limit == SL_NONE ? "the end of the trial"
                                   : sl_arena_printf(&x->arena, "the deadline of %s",
                                                     sl_explain_name(x, limit)));
    sl_sheet_signed_time(sheet, "slack", sl_explain_slack_of(x, i));
}

/* The window at isolated means, and what the trials made of it. */
static void put_windows(struct sl_explain *x, struct sl_sheet *sheet, uint32_t i)
{
    const struct sl_node_window *window = x->cell->windows ? &x->cell->windows[i] : NULL;
    if (!window)
        return;
    if (sl_node_is_latent(x->graph, i)) {
        sl_sheet_number(sheet, "of_them_it_ran_in", x->cell->nodes.ran[i]);
        sl_sheet_number(sheet, "runs", (double)x->cell->nodes.runs[i]);
        return;
    }
    if (!window->idle) {
        sl_sheet_time(sheet, "ready_at_means", window->mean_ready_ps);
        sl_sheet_signed_time(sheet, "latest_start_at_means", window->mean_latest_ps);
    }
    sl_sheet_number(sheet, "trials_looked_at", x->cell->window_trials);
    sl_sheet_number(sheet, "of_them_it_ran_in", window->ran);
    if (window->ran > 0) {
        struct sl_window_scratch scratch = SL_WINDOW_SCRATCH;
        sl_sheet_signed_time(
            sheet, "mean_slack",
            sl_explain_rounded(sl_window_slack(x->cell, i, &scratch).value * (double)SL_PS_PER_US));
        sl_sheet_number(sheet, "share_with_negative_slack",
                        x->cell->window_shares.of[window->negative].value);
    }
    for (uint32_t k = 0; k < x->cell->deadline_count; k++)
        if (x->cell->deadlines[k].node == i) {
            const struct sl_estimate *miss = &x->cell->deadlines[k].miss;
            sl_sheet_number(sheet, "deadline_missed", miss->value);
            sl_sheet_number(sheet, "deadline_missed_lo", miss->lo);
            sl_sheet_number(sheet, "deadline_missed_hi", miss->hi);
        }
}

int64_t sl_explain_rounded(double ps)
{
    return fabs(ps) < 0x1p62 ? llround(ps) : INT64_MAX;
}

/* A titled group of fields: a heading and a table, or a map. */
static struct sl_sheet begin(struct sl_explain *x, const char *key, const char *title, FILE *out,
                             yajl_gen gen)
{
    if (gen && key)
        sl_json_open_map(gen, key);
    else if (out)
        fprintf(out, "\n%s\n", title);
    return sl_sheet_begin(&x->arena, gen);
}

static void end(struct sl_sheet *sheet, const char *key, FILE *out)
{
    sl_sheet_end(sheet, out);
    if (sheet->gen && key)
        yajl_gen_map_close(sheet->gen);
}

void sl_explain_node(struct sl_explain *x, uint32_t node, FILE *out, yajl_gen gen)
{
    const char *title = sl_arena_printf(&x->arena, "node %s", sl_explain_name(x, node));
    if (gen) {
        sl_json_open_map(gen, "node");
        sl_json_text(gen, "name", sl_explain_name(x, node));
    }
    struct sl_sheet sheet = begin(x, NULL, title, out, gen);
    put_fields(x, &sheet, node);
    end(&sheet, NULL, out);
    sheet = begin(x, "times", "in this trial", out, gen);
    put_times(x, &sheet, node);
    end(&sheet, "times", out);
    sheet = begin(x, "all_trials", "over all trials", out, gen);
    put_windows(x, &sheet, node);
    end(&sheet, "all_trials", out);
    if (sl_node_is_latent(x->graph, node)) { /* neither conditions nor edges */
        sl_explain_put_runs(x, node, out, gen);
        sl_explain_put_overlaps(x, node, out, gen);
        if (gen)
            yajl_gen_map_close(gen);
        return;
    }
    sheet = begin(x, "readiness", "readiness", out, gen);
    sl_explain_put_readiness(x, &sheet, node);
    end(&sheet, "readiness", out);
    sl_explain_put_edges(x, node, out, gen);
    sl_explain_put_overlaps(x, node, out, gen);
    if (gen)
        yajl_gen_map_close(gen);
}
