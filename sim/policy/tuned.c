/* Tables of choices: what happens in single gaps and to single nodes, over a policy's rules.
 *
 * A move that the table times gets a rule of its own: the one that takes its object, with another
 * `prefetch`.  So parts see rules as always. */
#include "attempt.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LOOKAHEAD 1000000

/* "when", "lookahead:4" or "jit:0.99"; false: `why` says what is wrong. */
static bool parse_prefetch(const char *text, struct sl_rule *rule, char why[SL_WHY_SIZE])
{
    char word[32] = "";
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length < sizeof word)
        memcpy(word, text, length);
    rule->when = sl_part_find("prefetch.when", word);
    if (!rule->when) {
        snprintf(why, SL_WHY_SIZE,
                 "unknown prefetch '%.60s' (allowed: asap, demand, lookahead:N, jit:QUANTILE, "
                 "window)",
                 text);
        return false;
    }
    if (!colon)
        return true;
    if (rule->when == &sl_prefetch_lookahead)
        return sl_parse_integer(colon + 1, 0, MOST_LOOKAHEAD, &rule->lookahead, why);
    if (rule->when != &sl_prefetch_jit) {
        snprintf(why, SL_WHY_SIZE, "prefetch %s takes no number", word);
        return false;
    }
    if (!sl_parse_number(colon + 1, &rule->quantile, why))
        return false;
    if (rule->quantile > 0.0 && rule->quantile < 1.0)
        return true;
    snprintf(why, SL_WHY_SIZE, "the quantile '%.60s' of jit is outside (0, 1)", colon + 1);
    return false;
}

/* NULL: unknown. */
static const struct sl_part *find_action(const char *word)
{
    const struct sl_part *part = sl_part_find("action", word);
    bool known =
        part == &sl_action_retain || part == &sl_action_offload || part == &sl_action_remat;
    return known ? part : NULL;
}

static struct sl_place at_column(struct sl_place place, int column)
{
    place.column = column > 0 ? column : place.column;
    return place;
}

void sl_tuning_check(const struct sl_policy_spec *policy, struct sl_diags *diags)
{
    const struct sl_tuning *tuning = policy->tuning;
    for (uint32_t i = 0; tuning && i < tuning->gap_count; i++) {
        const struct sl_gap_choice *choice = &tuning->gaps[i];
        const struct sl_part *action = choice->action ? find_action(choice->action) : NULL;
        struct sl_place of_prefetch = at_column(choice->place, choice->prefetch_column);
        struct sl_rule scratch = {0};
        char why[SL_WHY_SIZE];
        if (choice->action && !action)
            sl_diags_add(
                diags, SL_ERROR, "unknown-part", at_column(choice->place, choice->action_column),
                "unknown action '%s' of a gap (allowed: retain, offload, remat)", choice->action);
        if (choice->prefetch && !parse_prefetch(choice->prefetch, &scratch, why))
            sl_diags_add(diags, SL_ERROR, "unknown-part", of_prefetch, "%s", why);
        else if (choice->prefetch && action && action != &sl_action_offload)
            sl_diags_add(diags, SL_ERROR, "bad-value", of_prefetch,
                         "prefetch '%s' has no effect: only what was offloaded comes back, and the "
                         "action here is %s",
                         choice->prefetch, choice->action);
    }
}

struct tuner {
    const struct sl_facts *facts;
    struct sl_rules *rules;
    struct sl_choice *choices;
    bool *listed; /* per gap, then per object: its arrival */
    struct sl_error *err;
};

static enum sl_status refuse(const struct tuner *t, const struct sl_gap_choice *choice,
                             const char *why)
{
    return SL_FAIL_AT(t->err, SL_INVALID, choice->place, "choices: gap %u of object '%s': %s",
                      choice->gap, t->facts->graph->objects[choice->object].name, why);
}

/* The rule of a move that the table times. */
static enum sl_status tuned_rule(struct tuner *t, const struct sl_gap_choice *choice,
                                 const struct sl_rule **rule)
{
    char why[SL_WHY_SIZE];
    if (!choice->prefetch)
        return SL_OK;
    struct sl_rule *own = &t->rules->tuned[t->rules->tuned_count];
    *own = **rule;
    own->action = &sl_action_offload;
    if (!parse_prefetch(choice->prefetch, own, why))
        return refuse(t, choice, why);
    t->rules->tuned_count++;
    *rule = own;
    return SL_OK;
}

static enum sl_status take_row(struct tuner *t, const struct sl_gap_choice *choice)
{
    const struct sl_facts *facts = t->facts;
    uint32_t o = choice->object, first = facts->gap_start[o];
    const struct sl_rule *rule = sl_rule_for(t->rules, facts->graph, o);
    if (choice->gap == 0 && !sl_facts_is_entry(facts, o))
        return refuse(t, choice, "the object does not arrive from elsewhere");
    if (choice->gap > facts->gap_start[o + 1] - first)
        return refuse(t, choice, "the object has fewer gaps");
    uint32_t g = first + choice->gap - 1;
    bool *listed = &t->listed[choice->gap == 0 ? facts->gap_start[facts->object_count] + o : g];
    if (*listed)
        return refuse(t, choice, "it is listed twice");
    *listed = true;
    if (choice->gap == 0) {
        rule = sl_rule_that_moves(t->rules, rule);
        enum sl_status status = tuned_rule(t, choice, &rule);
        if (status == SL_OK && choice->prefetch)
            t->rules->arrivals[o] = rule;
        return status;
    }
    const struct sl_part *action = choice->action ? find_action(choice->action) : NULL;
    if (!action)
        return refuse(t, choice, "unknown action (allowed: retain, offload, remat)");
    const char *why = action->eligible ? action->eligible(facts, &facts->gaps[g]) : NULL;
    if (why || !sl_facts_has_gap(facts, o))
        return refuse(t, choice, why ? why : "the graph itself places the object");
    t->choices[g] = (struct sl_choice){action == &sl_action_retain ? NULL : action, rule};
    if (action != &sl_action_offload)
        return SL_OK;
    t->choices[g].rule = sl_rule_that_moves(t->rules, rule);
    return tuned_rule(t, choice, &t->choices[g].rule);
}

/* Where the table lists every gap there is nothing for the rules to decide. */
static bool lists_every_gap(const struct sl_facts *facts, const struct sl_tuning *tuning)
{
    uint32_t listed = 0, gaps = 0;
    for (uint32_t i = 0; i < tuning->gap_count; i++)
        listed += tuning->gaps[i].gap > 0;
    for (uint32_t o = 0; o < facts->object_count; o++)
        if (sl_facts_has_gap(facts, o))
            gaps += facts->gap_start[o + 1] - facts->gap_start[o];
    return listed >= gaps;
}

enum sl_status sl_tuning_choose(const struct sl_facts *facts, struct sl_rules *rules,
                                const struct sl_policy_spec *policy, struct sl_choice *choices,
                                struct sl_diags *diags, struct sl_error *err)
{
    const struct sl_tuning *tuning = policy->tuning;
    enum sl_status status = SL_OK;
    if (!tuning || !lists_every_gap(facts, tuning))
        status = sl_rules_decide(facts, rules, policy, choices, diags, err);
    if (!tuning || status)
        return status;
    size_t objects = facts->object_count, gaps = facts->gap_start[objects];
    struct tuner t = {facts, rules, choices, calloc(gaps + objects + 1, sizeof *t.listed), err};
    rules->tuned =
        sl_arena_array(&rules->arena, (size_t)tuning->gap_count + 1, sizeof *rules->tuned);
    rules->arrivals = sl_arena_array(&rules->arena, objects + 1, sizeof *rules->arrivals);
    if (!t.listed || !rules->tuned || !rules->arrivals)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a table of choices");
    for (uint32_t i = 0; i < tuning->gap_count && status == SL_OK; i++)
        status = take_row(&t, &tuning->gaps[i]);
    free(t.listed);
    return status;
}

static enum sl_status find_node(struct sl_attempt *a, struct sl_place place, const char *name,
                                uint32_t *node)
{
    *node = sl_names_find(&a->graph->node_names, name);
    if (*node != SL_NONE)
        return SL_OK;
    return SL_FAIL_AT(a->err, SL_INVALID, place, "choices: the plan has no node '%s'", name);
}

enum sl_status sl_tuning_apply(struct sl_attempt *a, const struct sl_policy_spec *policy)
{
    const struct sl_tuning *tuning = policy->tuning;
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; tuning && i < tuning->node_count && status == SL_OK; i++) {
        const struct sl_node_choice *choice = &tuning->nodes[i];
        uint32_t node, before;
        status = find_node(a, choice->place, choice->node, &node);
        if (status)
            return status;
        struct sl_node *tuned = sl_graph_edit_node(a->graph, node, a->err);
        if (!tuned)
            return a->err->status;
        if (!isnan(choice->priority))
            tuned->priority = choice->priority;
        if (choice->release_ps >= 0)
            tuned->release_ps = choice->release_ps;
        if (!choice->after)
            continue;
        status =
            find_node(a, at_column(choice->place, choice->after_column), choice->after, &before);
        if (status == SL_OK)
            status = sl_editor_edge(&a->editor, before, node, SL_EDGE_ORDERING, SL_NONE, NULL);
    }
    return status;
}
