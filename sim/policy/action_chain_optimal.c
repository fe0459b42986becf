/* Action chain-optimal: of a chain of states that is walked forwards and then backwards, keep those
 * and recompute the others so that the time of recomputations is least (revolve.h).
 *
 * A chain: state t is written by f_t, which reproduces it from state t - 1 and from what is there
 * from start to end; nothing else reads it before the last f; afterwards states are first read from
 * the last to the first.  The first f may read anything that stays: state 0.  Whatever is not so is
 * refused by name.
 *
 * The number of slots is the policy's, or the largest at which the projected peak fits.  That is
 * the optimum for states of one size. */
#include "attempt.h"
#include "revolve.h"
#include "units.h"
#include <stdlib.h>

struct state {
    uint32_t object, maker; /* f */
    uint32_t consumer;      /* its first reader behind the last f */
};

struct states {
    const struct sl_facts *facts;
    const struct sl_rule *rule;
    struct sl_error *err;
    struct state *items; /* in plan order of their makers */
    uint32_t count, capacity;
    uint32_t *index_of; /* per object: its state, SL_NONE */
};

static const char *eligible(const struct sl_facts *facts, const struct sl_gap *gap)
{
    return sl_action_remat.eligible(facts, gap);
}

static enum sl_status refuse(const struct states *s, uint32_t object, const char *why)
{
    const struct sl_object *o = &s->facts->graph->objects[object];
    return SL_FAIL_AT(s->err, SL_NO, o->place,
                      "action chain-optimal: the objects of its rule are not a chain: '%s' %s",
                      o->name, why);
}

static enum sl_status add_state(struct states *s, uint32_t object)
{
    const struct sl_facts *facts = s->facts;
    uint32_t last = facts->use_start[object + 1];
    if (facts->by_user[object] || facts->graph->objects[object].persist ||
        facts->graph->objects[object].alias_of.i != SL_NONE || last == facts->use_start[object])
        return SL_OK;
    struct sl_gap whole = {.object = object, .after = facts->uses[last - 1].node};
    if (sl_action_remat.eligible(facts, &whole))
        return SL_OK;
    if (!sl_grow((void **)&s->items, &s->capacity, s->count + 1, sizeof *s->items))
        return SL_FAIL(s->err, SL_SYSTEM, "out of memory for a chain");
    s->items[s->count++] =
        (struct state){object, facts->graph->objects[object].reconstruct.i, SL_NONE};
    return SL_OK;
}

/* Sorts the states by their makers: insertion, since rows are nearly always in that order. */
static void sort(struct states *s)
{
    const uint32_t *position = s->facts->position;
    for (uint32_t i = 1; i < s->count; i++) {
        struct state state = s->items[i];
        uint32_t at = i;
        while (at > 0 && position[s->items[at - 1].maker] > position[state.maker]) {
            s->items[at] = s->items[at - 1];
            at--;
        }
        s->items[at] = state;
    }
    for (uint32_t i = 0; i < s->count; i++)
        s->index_of[s->items[i].object] = i;
}

/* What f_t reads: state t - 1, and what stays. */
static enum sl_status check_inputs(const struct states *s, uint32_t t)
{
    const struct sl_graph *graph = s->facts->graph;
    const struct sl_node *maker = &graph->nodes[s->items[t].maker];
    bool before = t == 0;
    for (uint32_t k = 0; k < maker->inputs.count; k++) {
        uint32_t input = sl_object_root(graph, graph->objects_pool[maker->inputs.first + k]).i;
        uint32_t state = s->index_of[input];
        if (state != SL_NONE && state + 1 != t)
            return refuse(s, s->items[t].object, "is made from another state than the one before");
        before |= state != SL_NONE;
        if (state == SL_NONE && t > 0 && graph->objects[input].initial == SL_NONE)
            return refuse(s, s->items[t].object,
                          "is made from something else that is not there from the start");
    }
    return before ? SL_OK : refuse(s, s->items[t].object, "is not made from the state before it");
}

static enum sl_status check_uses(struct states *s, uint32_t t)
{
    const struct sl_facts *facts = s->facts;
    struct state *state = &s->items[t];
    uint32_t next = t + 1 < s->count ? s->items[t + 1].maker : SL_NONE;
    uint32_t turn = facts->position[s->items[s->count - 1].maker];
    for (uint32_t u = facts->use_start[state->object]; u < facts->use_start[state->object + 1];
         u++) {
        uint32_t node = facts->uses[u].node;
        if (facts->optional[node])
            return refuse(s, state->object, "is used by a node that may not run");
        if (facts->position[node] > turn && state->consumer == SL_NONE)
            state->consumer = node;
        else if (facts->position[node] <= turn && node != state->maker && node != next)
            return refuse(s, state->object, "is read by several nodes before the last state");
    }
    if (state->consumer == SL_NONE)
        return refuse(s, state->object, "is not read after the last state");
    if (t > 0 && facts->position[s->items[t - 1].consumer] <= facts->position[state->consumer])
        return refuse(s, state->object, "is not read before the state that it is made from");
    return SL_OK;
}

/* The chain of a rule; SL_NO, by name, where its objects are none.  No states: nothing can be
 * recomputed. */
static enum sl_status find_states(struct states *s, const struct sl_facts *facts,
                                  const struct sl_rules *rules, const struct sl_rule *rule,
                                  struct sl_error *err)
{
    *s = (struct states){.facts = facts, .rule = rule, .err = err};
    enum sl_status status = SL_OK;
    s->index_of = malloc(((size_t)facts->object_count + 1) * sizeof *s->index_of);
    if (!s->index_of)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a chain");
    for (uint32_t o = 0; o < facts->object_count && status == SL_OK; o++) {
        s->index_of[o] = SL_NONE;
        if (sl_rule_for(rules, facts->graph, o) == rule)
            status = add_state(s, o);
    }
    if (status == SL_OK && s->count > SL_REVOLVE_STATES)
        return SL_FAIL_AT(err, SL_NO, rule->place,
                          "action chain-optimal: a chain of %u states; it takes %d (narrow "
                          "`objects`)",
                          s->count, SL_REVOLVE_STATES);
    sort(s);
    for (uint32_t t = 0; t < s->count && status == SL_OK; t++)
        status = check_inputs(s, t);
    for (uint32_t t = 0; t < s->count && status == SL_OK; t++)
        status = check_uses(s, t);
    return status;
}

static void free_states(struct states *s)
{
    free(s->items);
    free(s->index_of);
}

/* Inserts what C(i, j, m) recomputes; `made`: the states up to j are there already, by the first
 * way through.  States count from 1. */
static enum sl_status insert(struct sl_attempt *a, const struct states *s,
                             const struct sl_revolve *chain, uint32_t i, uint32_t j, uint32_t m,
                             bool made)
{
    enum sl_status status = SL_OK;
    while (j > i && status == SL_OK) {
        uint32_t k = sl_revolve_split(chain, i, j, m);
        for (uint32_t t = i + 1; t <= k && !made && status == SL_OK; t++)
            status =
                sl_remat_insert(a, s->items[t - 1].object, s->items[j - 1].consumer,
                                t == j ? "its gap ends here" : "a later state is made from it");
        if (status == SL_OK)
            status = insert(a, s, chain, k, j, m - 1, made);
        j = k - 1;
        made = false;
    }
    return status;
}

static enum sl_status apply_rule(struct sl_attempt *a, const struct sl_rule *rule)
{
    double cost[SL_REVOLVE_STATES + 1] = {0.0};
    const struct sl_facts *facts = a->facts;
    struct states s;
    struct sl_revolve chain = {0};
    enum sl_status status = find_states(&s, facts, a->rules, rule, a->err);
    if (status == SL_OK && s.count > 0) {
        uint32_t slots = rule->slots && rule->slots < s.count ? (uint32_t)rule->slots : s.count;
        for (uint32_t t = 1; t <= s.count; t++)
            cost[t] = facts->finish[s.items[t - 1].maker] - facts->start[s.items[t - 1].maker];
        status = sl_revolve_solve(&chain, cost, s.count, slots)
                     ? insert(a, &s, &chain, 0, s.count, slots, true)
                     : SL_FAIL(a->err, SL_SYSTEM, "out of memory for a chain");
    }
    sl_revolve_free(&chain);
    free_states(&s);
    return status;
}

static enum sl_status apply(struct sl_attempt *a)
{
    enum sl_status status = SL_OK;
    for (uint32_t r = 0; r < a->rules->count && status == SL_OK; r++)
        if (a->rules->items[r].action == &sl_action_chain_optimal)
            status = apply_rule(a, &a->rules->items[r]);
    return status;
}

/* True when the plan fits the chain's domain with that many slots. */
static enum sl_status fits(const struct states *s, struct sl_rules *rules, struct sl_rule *rule,
                           const struct sl_choice *choices, uint32_t slots, int64_t *peaks,
                           bool *yes)
{
    struct sl_attempt attempt;
    uint32_t domain = s->facts->home[s->items[0].object];
    const struct sl_domain *limits = &s->facts->platform->domains[domain];
    rule->slots = slots;
    enum sl_status status =
        sl_attempt_build(&attempt, s->facts, rules, choices, NULL, NULL, NULL, s->err);
    if (status == SL_OK)
        status = sl_peaks_project(&attempt, peaks);
    *yes = status == SL_OK &&
           (limits->capacity < 0 || peaks[domain] <= limits->capacity - limits->reserve);
    sl_attempt_free(&attempt);
    return status;
}

static enum sl_status fit_rule(const struct sl_facts *facts, struct sl_rules *rules,
                               struct sl_rule *rule, const struct sl_policy_spec *policy,
                               const struct sl_choice *choices, struct sl_diags *diags,
                               struct sl_error *err)
{
    struct states s;
    bool yes = true;
    int64_t *peaks = calloc((size_t)facts->domain_count + 1, sizeof *peaks);
    enum sl_status status = find_states(&s, facts, rules, rule, err);
    if (status == SL_OK && !peaks)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a chain");
    uint32_t low = 1, high = s.count; /* the largest that fits is in between; 1 if none does */
    while (low < high && status == SL_OK) {
        uint32_t middle = low + (high - low + 1) / 2;
        status = fits(&s, rules, rule, choices, middle, peaks, &yes);
        if (yes)
            low = middle;
        else
            high = middle - 1;
    }
    if (status == SL_OK && s.count > 0)
        status = fits(&s, rules, rule, choices, low, peaks, &yes);
    char peak[32];
    if (status == SL_OK && !yes)
        sl_policy_warn(
            diags, "does-not-fit", rule->place,
            "policy '%s': action chain-optimal with one slot still comes to a projected "
            "peak of %s in '%s', above its capacity - reserve",
            policy->name,
            sl_format_bytes(peak, sizeof peak, (double)peaks[facts->home[s.items[0].object]]),
            facts->platform->domain_names.names[facts->home[s.items[0].object]]);
    free(peaks);
    free_states(&s);
    return status;
}

enum sl_status sl_chain_fit(const struct sl_facts *facts, struct sl_rules *rules,
                            const struct sl_policy_spec *policy, const struct sl_choice *choices,
                            struct sl_diags *diags, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t r = 0; r < rules->count && status == SL_OK; r++)
        if (rules->items[r].action == &sl_action_chain_optimal && !rules->items[r].slots)
            status = fit_rule(facts, rules, &rules->items[r], policy, choices, diags, err);
    return status;
}

static const struct sl_param params[] = {
    {"action.slots", SL_PARAM_INTEGER, offsetof(struct sl_rule, slots), 1, 1e6},
};

const struct sl_part sl_action_chain_optimal = {
    .role = "action",
    .name = "chain-optimal",
    .description =
        "on a chain that is walked back, keep some states and recompute the others in the "
        "least time",
    .parameters =
        "slots (1 to 1000000; by default as many as fit): states at a time, beside what the "
        "chain begins with; objects: names or globs",
    .example = "{action: {how: chain-optimal, slots: 4}, objects: [x_in.*]}",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .eligible = eligible,
    .apply = apply,
};
