/* Open gaps of a scenario, and plans from choices. */
#include "planner.h"
#include "attempt.h"
#include "decision.h"
#include <stdlib.h>

struct sl_planner {
    struct sl_facts facts;
    struct sl_open_gap *gaps;
    uint32_t count;
};

static void add_arrival(struct sl_planner *planner, uint32_t object)
{
    const struct sl_facts *facts = &planner->facts;
    planner->gaps[planner->count++] =
        (struct sl_open_gap){.object = object,
                             .before = SL_NONE,
                             .after = facts->uses[facts->use_start[object]].node,
                             .home = facts->home[object],
                             .bytes = facts->graph->objects[object].bytes};
}

static void add_gap(struct sl_planner *planner, uint32_t object, uint32_t index)
{
    const struct sl_facts *facts = &planner->facts;
    const struct sl_gap *gap = &facts->gaps[index];
    planner->gaps[planner->count++] =
        (struct sl_open_gap){.object = object,
                             .gap = index - facts->gap_start[object] + 1,
                             .before = gap->before,
                             .after = gap->after,
                             .home = facts->home[object],
                             .bytes = facts->graph->objects[object].bytes,
                             .length_ps = gap->length_ps,
                             .may_offload = !sl_action_offload.eligible(facts, gap),
                             .may_remat = !sl_action_remat.eligible(facts, gap)};
}

static void list_gaps(struct sl_planner *planner)
{
    const struct sl_facts *facts = &planner->facts;
    for (uint32_t o = 0; o < facts->object_count; o++) {
        if (sl_facts_is_entry(facts, o))
            add_arrival(planner, o);
        if (!sl_facts_has_gap(facts, o))
            continue;
        for (uint32_t g = facts->gap_start[o]; g < facts->gap_start[o + 1]; g++)
            add_gap(planner, o, g);
    }
}

enum sl_status sl_planner_create(struct sl_planner **planner, const struct sl_scenario *scenario,
                                 struct sl_error *err)
{
    struct sl_planner *made = calloc(1, sizeof *made);
    *planner = made;
    if (!made)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a planner");
    enum sl_status status = sl_facts_gather(&made->facts, scenario, NULL, err);
    if (status != SL_OK)
        return status;
    size_t most =
        (size_t)made->facts.gap_start[made->facts.object_count] + made->facts.object_count;
    made->gaps = malloc((most + 1) * sizeof *made->gaps);
    if (!made->gaps)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for the gaps of a scenario");
    list_gaps(made);
    return SL_OK;
}

void sl_planner_free(struct sl_planner *planner)
{
    if (!planner)
        return;
    sl_facts_free(&planner->facts);
    free(planner->gaps);
    free(planner);
}

const struct sl_open_gap *sl_planner_gaps(const struct sl_planner *planner, uint32_t *count)
{
    *count = planner->count;
    return planner->gaps;
}

enum sl_status sl_planner_plan(const struct sl_planner *planner, struct sl_plan *plan,
                               const struct sl_policy_spec *policy, struct sl_diags *diags,
                               struct sl_error *err)
{
    struct sl_decision *decision;
    *plan = (struct sl_plan){0};
    enum sl_status status = sl_decision_over(&decision, &planner->facts, policy, diags, err);
    if (status == SL_OK)
        status = sl_decision_plan(decision, SL_NONE, NULL, SL_NONE, plan, diags, err);
    sl_decision_free(decision);
    return status;
}

/* Whether the rule leaves the object to somebody else. */
static bool is_closed(const struct sl_rule *rule)
{
    return rule &&
           (rule->action == &sl_action_as_given || rule->action == &sl_action_chain_optimal);
}

/* What the policy's own table says of a gap; NULL: nothing. */
static const struct sl_gap_choice *find_row(const struct sl_policy_spec *policy,
                                            const struct sl_open_gap *open)
{
    const struct sl_tuning *tuning = policy->tuning;
    for (uint32_t i = 0; tuning && i < tuning->gap_count; i++)
        if (tuning->gaps[i].object == open->object && tuning->gaps[i].gap == open->gap)
            return &tuning->gaps[i];
    return NULL;
}

static void note_choice(const struct sl_decision *decision, const struct sl_open_gap *open,
                        struct sl_gap_choice *choice)
{
    const struct sl_facts *facts = &decision->facts;
    const struct sl_gap_choice *row = find_row(decision->policy, open);
    *choice = (struct sl_gap_choice){.object = open->object,
                                     .gap = open->gap,
                                     .prefetch = row ? row->prefetch : NULL,
                                     .place = decision->policy->place};
    if (open->gap == 0 || is_closed(sl_rule_for(&decision->rules, facts->graph, open->object)))
        return;
    uint32_t gap = facts->gap_start[open->object] + open->gap - 1;
    const struct sl_part *action = decision->choices[gap].action;
    choice->action = action ? action->name : sl_action_retain.name;
}

enum sl_status sl_planner_choices(const struct sl_planner *planner,
                                  const struct sl_policy_spec *policy,
                                  struct sl_gap_choice *choices, struct sl_diags *diags,
                                  struct sl_error *err)
{
    struct sl_decision *decision;
    enum sl_status status = sl_decision_over(&decision, &planner->facts, policy, diags, err);
    for (uint32_t i = 0; i < planner->count && status == SL_OK; i++)
        note_choice(decision, &planner->gaps[i], &choices[i]);
    sl_decision_free(decision);
    return status;
}
