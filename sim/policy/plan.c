/* From choices to a plan: one attempt, index order, iterations. */
#include "attempt.h"
#include "decision.h"
#include "units.h"
#include "unroll.h"
#include <stdlib.h>

/* Entries of the edit list for the data flow that the user left out. */
static enum sl_status note_flow(struct sl_attempt *a)
{
    const struct sl_facts *facts = a->facts;
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; i < facts->flow_edge_count && status == SL_OK; i++) {
        const struct sl_flow_edge *edge = &facts->flow_edges[i];
        status = sl_editor_note(&a->editor, SL_EDIT_ADD_EDGE, edge->to, edge->object,
                                "inputs and outputs imply it", "%s edge from %s to %s",
                                sl_edge_type_name(edge->type), a->graph->nodes[edge->from].name,
                                a->graph->nodes[edge->to].name);
    }
    return status;
}

static enum sl_status open_attempt(struct sl_attempt *a)
{
    size_t objects = (size_t)a->facts->object_count + 1;
    a->graph = sl_graph_copy(a->facts->graph);
    a->returned_at = malloc(objects * sizeof *a->returned_at);
    a->returned =
        calloc((size_t)a->facts->gap_start[a->facts->object_count] + 1, sizeof *a->returned);
    if (!a->graph || !a->returned_at || !a->returned)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    for (uint32_t o = 0; o < a->facts->object_count; o++)
        a->returned_at[o] = SL_NONE;
    a->clones_of = calloc((size_t)a->graph->node_count + 1, sizeof *a->clones_of);
    if (!a->clones_of)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    sl_editor_open(&a->editor, a->graph, a->plan, a->err);
    return sl_sequence_open(a);
}

enum sl_status sl_attempt_build(struct sl_attempt *attempt, const struct sl_facts *facts,
                                const struct sl_rules *rules, const struct sl_choice *choices,
                                const struct sl_room *room, struct sl_plan *plan,
                                struct sl_diags *diags, struct sl_error *err)
{
    *attempt = (struct sl_attempt){.facts = facts,
                                   .rules = rules,
                                   .choices = choices,
                                   .room = room,
                                   .plan = plan,
                                   .diags = diags,
                                   .err = err};
    enum sl_status status = open_attempt(attempt);
    if (status == SL_OK)
        status = note_flow(attempt);
    for (size_t i = 0; sl_part_get(i) && status == SL_OK; i++)
        if (sl_part_get(i)->apply)
            status = sl_part_get(i)->apply(attempt);
    if (status == SL_OK)
        status = sl_moves_arrange(attempt);
    if (status == SL_OK)
        status = sl_copies_derive(attempt);
    if (status == SL_OK)
        status = rules->items[rules->count - 1].reclaim->place(attempt);
    if (status == SL_OK)
        status = sl_costs_derive(attempt);
    if (status == SL_OK)
        sl_sequence_relabel(attempt);
    return status;
}

void sl_attempt_free(struct sl_attempt *a)
{
    sl_graph_free(a->graph);
    sl_editor_close(&a->editor);
    free(a->next);
    free(a->prev);
    free(a->label);
    free(a->slot);
    free(a->returned_at);
    free(a->returned);
    free(a->clones_of);
    for (uint32_t m = 0; m < a->move_count; m++)
        free(a->moves[m].triggers);
    free(a->moves);
    free(a->copies);
    free(a->users);
    free(a->live);
    free(a->made);
    free(a->pool.entries);
    *a = (struct sl_attempt){0};
}

static void count_choices(const struct sl_attempt *a, struct sl_plan *plan)
{
    const struct sl_facts *facts = a->facts;
    for (uint32_t o = 0; o < facts->object_count; o++) {
        bool moved = false;
        for (uint32_t g = facts->gap_start[o]; g < facts->gap_start[o + 1]; g++)
            moved |= a->choices[g].action == &sl_action_offload;
        if (a->returned_at[o] != SL_NONE)
            plan->rematerialized++;
        else if (moved)
            plan->offloaded++;
        else if (sl_facts_has_gap(facts, o))
            plan->retained++;
    }
}

/* Marks the domains that objects were moved to, and through. */
static void note_refuges(const struct sl_attempt *a, bool *refuge)
{
    const struct sl_platform *platform = a->facts->platform;
    for (uint32_t m = 0; m < a->move_count; m++) {
        const struct sl_move *move = &a->moves[m];
        refuge[move->from] = true;
        for (uint32_t h = 0; h + 1 < move->back->hops; h++)
            refuge[platform->routes[move->back->routes[h]].to] = true;
        for (uint32_t h = 0; move->out && h + 1 < move->out->hops; h++)
            refuge[platform->routes[move->out->routes[h]].to] = true;
    }
}

/* Places that objects were moved to may be too small for all of them. */
static enum sl_status check_refuges(const struct sl_attempt *a, const char *policy,
                                    struct sl_place place)
{
    const struct sl_facts *facts = a->facts;
    int64_t *peaks = calloc((size_t)facts->domain_count + 1, sizeof *peaks);
    bool *refuge = calloc((size_t)facts->domain_count + 1, sizeof *refuge);
    enum sl_status status = SL_OK;
    if (!peaks || !refuge)
        status = SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan's peaks");
    if (status == SL_OK)
        status = sl_peaks_project(a, peaks);
    if (status == SL_OK)
        note_refuges(a, refuge);
    for (uint32_t d = 0; d < facts->domain_count && status == SL_OK; d++) {
        const struct sl_domain *domain = &facts->platform->domains[d];
        char peak[32];
        if (refuge[d] && domain->capacity >= 0 && peaks[d] > domain->capacity - domain->reserve)
            sl_policy_warn(a->diags, "does-not-fit", place,
                           "policy '%s': what it moves to '%s' comes to %s there, above its "
                           "capacity - reserve",
                           policy, facts->platform->domain_names.names[d],
                           sl_format_bytes(peak, sizeof peak, (double)peaks[d]));
    }
    free(peaks);
    free(refuge);
    return status;
}

static bool need_room(const struct sl_rule *rules, uint32_t count)
{
    for (uint32_t r = 0; r < count; r++)
        if (rules[r].action->moves && rules[r].when->needs_room)
            return true;
    return false;
}

/* Builds the plan; where moves need room, a first attempt shows from when on there is some. */
enum sl_status sl_attempt_complete(struct sl_attempt *a, const struct sl_facts *facts,
                                   const struct sl_rules *rules, const struct sl_choice *choices,
                                   struct sl_plan *plan, struct sl_diags *diags,
                                   struct sl_error *err)
{
    if (!need_room(rules->items, rules->count) && !need_room(rules->tuned, rules->tuned_count))
        return sl_attempt_build(a, facts, rules, choices, NULL, plan, diags, err);
    enum sl_status status = sl_attempt_build(a, facts, rules, choices, NULL, NULL, diags, err);
    struct sl_room room = {0};
    if (status == SL_OK)
        status = sl_room_find(a, &room);
    sl_attempt_free(a);
    if (status == SL_OK)
        status = sl_attempt_build(a, facts, rules, choices, &room, plan, diags, err);
    a->room = NULL;
    free(room.waits);
    return status;
}

enum sl_status sl_plan_make(struct sl_plan *plan, const struct sl_facts *facts,
                            const struct sl_rules *rules, const struct sl_policy_spec *policy,
                            const struct sl_choice *choices, struct sl_diags *diags,
                            struct sl_error *err)
{
    struct sl_attempt attempt = {0};
    const struct sl_rule *whole = &rules->items[rules->count - 1];
    bool evicts = whole->evict && whole->evict->worth;
    *plan = (struct sl_plan){0};
    enum sl_status status = sl_attempt_complete(&attempt, facts, rules, choices, plan, diags, err);
    if (status == SL_OK)
        status = sl_tuning_apply(&attempt, policy);
    if (status == SL_OK && policy->caches)
        status = sl_shared_arrange(&attempt, policy);
    if (status == SL_OK)
        status = check_refuges(&attempt, policy->name, policy->place);
    if (status == SL_OK) {
        count_choices(&attempt, plan);
        status = evicts ? sl_evictions_note(&attempt) : SL_OK;
    }
    if (status == SL_OK)
        status = sl_plan_renumber(&attempt);
    if (status == SL_OK) {
        plan->graph = attempt.graph;
        plan->engine = rules->engine;
        attempt.graph = NULL;
        if (facts->scenario->iterations > 1)
            status = sl_plan_unroll(plan, facts->scenario->iterations, err);
    }
    if (status == SL_OK && sl_scenario_has_jobs(facts->scenario))
        sl_dispatch_check(plan->graph, &plan->engine, policy, diags);
    if (status == SL_OK && evicts)
        status = sl_evictions_arrange(plan, facts, whole, policy, diags, err);
    if (status != SL_OK)
        sl_plan_free(plan);
    sl_attempt_free(&attempt);
    return status;
}

enum sl_status sl_policy_plan(struct sl_plan *plan, const struct sl_scenario *scenario,
                              const struct sl_policy_spec *policy, struct sl_diags *diags,
                              struct sl_error *err)
{
    struct sl_decision *decision;
    *plan = (struct sl_plan){0};
    enum sl_status status = sl_decision_make(&decision, scenario, policy, diags, err);
    if (status == SL_OK)
        status = sl_decision_plan(decision, SL_NONE, NULL, SL_NONE, plan, diags, err);
    sl_decision_free(decision);
    return status;
}

void sl_plan_free(struct sl_plan *plan)
{
    sl_graph_free(plan->graph);
    *plan = (struct sl_plan){0};
}
