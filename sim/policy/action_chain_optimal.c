/* Action chain-optimal: of a chain that is walked forwards and then backwards (chain_steps.h), keep
 * states and what steps save, and run forward steps again, so that the time of recomputations is
 * the least that the memory allows (chain_optimum.h).
 *
 * The memory is the policy's, or what the domain has; everything else that the plan holds counts.
 * With `slots` it is a number of states instead, whatever their sizes. */
#include "chain_steps.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

/* What is run again, and what the first way through does not save; in the rules' arena. */
struct sl_chain_plan {
    struct sl_chain_rerun *reruns;
    uint32_t count, capacity;
    bool saves[SL_CHAIN_STEPS + 1];
};

static const char *eligible(const struct sl_facts *facts, const struct sl_gap *gap)
{
    return sl_action_remat.eligible(facts, gap);
}

/* ---- applying a plan ---- */

/* Objects of a step: its states, or all. */
static enum sl_status list_outputs(struct sl_attempt *a, const struct sl_chain *c, uint32_t t,
                                   bool saved, struct sl_span *outputs, uint32_t *first)
{
    enum sl_status status = SL_OK;
    *outputs = (struct sl_span){0};
    *first = SL_NONE;
    for (uint32_t i = 0; i < c->object_count && status == SL_OK; i++) {
        const struct sl_chain_object *o = &c->objects[i];
        if (o->step != t || !(o->is_state || saved))
            continue;
        *first = *first == SL_NONE ? o->object : *first;
        status = sl_graph_push_object(a->graph, outputs, (sl_object_id){o->object}, a->err);
    }
    return status;
}

static enum sl_status run_again(struct sl_attempt *a, const struct sl_chain *c,
                                struct sl_chain_rerun rerun)
{
    struct sl_span outputs;
    uint32_t object, consumer = a->facts->graph->topo[c->begin[rerun.before]];
    enum sl_status status = list_outputs(a, c, rerun.step, rerun.saves, &outputs, &object);
    if (status == SL_OK)
        status = sl_remat_clone(a, c->maker[rerun.step], outputs, object, consumer,
                                rerun.step == rerun.before ? "its gap ends here"
                                                           : "a later state is made from it");
    return status;
}

/* A step that does not save leaves out what its backward step alone needs. */
static enum sl_status save_not(struct sl_attempt *a, const struct sl_chain *c, uint32_t t)
{
    struct sl_node *node = sl_graph_edit_node(a->graph, c->maker[t], a->err);
    if (!node)
        return a->err->status;
    struct sl_span old = node->outputs, kept = {0};
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < old.count && status == SL_OK; k++) {
        sl_object_id output = a->graph->objects_pool[old.first + k];
        uint32_t at = c->at[sl_object_root(a->graph, output).i];
        if (at == SL_NONE || c->objects[at].is_state)
            status = sl_graph_push_object(a->graph, &kept, output, a->err);
        else
            status = sl_editor_note(&a->editor, SL_EDIT_CHANGE_OUTPUT, c->maker[t],
                                    c->objects[at].object, "it is computed again when it is needed",
                                    "%s runs without saving %s", node->name,
                                    a->graph->objects[c->objects[at].object].name);
    }
    node->outputs = kept;
    return status;
}

static enum sl_status apply_rule(struct sl_attempt *a, const struct sl_rule *rule)
{
    struct sl_chain chain;
    const struct sl_chain_plan *plan = rule->chain;
    enum sl_status status = sl_chain_find(&chain, a->facts, a->rules, rule, a->err);
    for (uint32_t t = 1; t <= chain.made && status == SL_OK; t++)
        if (!plan->saves[t])
            status = save_not(a, &chain, t);
    for (uint32_t i = 0; i < plan->count && status == SL_OK; i++)
        status = run_again(a, &chain, plan->reruns[i]);
    sl_chain_free(&chain);
    return status;
}

static enum sl_status apply(struct sl_attempt *a)
{
    enum sl_status status = SL_OK;
    for (uint32_t r = 0; r < a->rules->count && status == SL_OK; r++)
        if (a->rules->items[r].action == &sl_action_chain_optimal && a->rules->items[r].chain)
            status = apply_rule(a, &a->rules->items[r]);
    return status;
}

/* ---- finding it ---- */

struct fitting {
    const struct sl_facts *facts;
    struct sl_rules *rules;
    struct sl_rule *rule;
    const struct sl_policy_spec *policy;
    const struct sl_choice *choices;
    struct sl_diags *diags;
    struct sl_error *err;
    struct sl_chain chain;
    struct sl_chain_step steps[SL_CHAIN_STEPS + 1]; /* in units */
    int64_t unit;                                   /* bytes */
    struct sl_chain_plan *plan;
};

/* Where in a step's amounts each lies. */
static int64_t *amount(struct sl_chain_step *step, int k)
{
    int64_t *const amounts[] = {&step->state, &step->saved,  &step->first, &step->wait,
                                &step->again, &step->before, &step->back,  &step->after};
    return amounts[k];
}
#define AMOUNTS 8

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The amounts in units: a unit that divides all of them, or as fine a one as there may be, by which
 * they are rounded up. */
static void scale(struct fitting *f, int64_t memory)
{
    int64_t divisor = 0;
    for (uint32_t t = 1; t <= f->chain.count; t++)
        for (int k = 0; k < AMOUNTS; k++)
            divisor = common_divisor(*amount(&f->chain.steps[t], k), divisor);
    f->unit = divisor;
    if (divisor == 0 || memory / divisor > SL_CHAIN_UNITS)
        f->unit = memory / SL_CHAIN_UNITS + (memory % SL_CHAIN_UNITS != 0);
    f->unit = f->unit > 0 ? f->unit : 1;
    for (uint32_t t = 1; t <= f->chain.count; t++) {
        f->steps[t] = f->chain.steps[t];
        for (int k = 0; k < AMOUNTS; k++) {
            int64_t *units = amount(&f->steps[t], k);
            *units = *units / f->unit + (*units % f->unit != 0);
        }
    }
}

/* Amounts with which memory counts states: the one that is made takes the place of the one before.
 */
static void count_states(struct fitting *f)
{
    f->unit = 0;
    for (uint32_t t = 1; t <= f->chain.count; t++) {
        bool made = t <= f->chain.made;
        f->steps[t] = (struct sl_chain_step){.time_ps = f->chain.steps[t].time_ps,
                                             .state = made,
                                             .first = made ? -1 : 0,
                                             .again = made ? -1 : 0,
                                             .reads_state = f->chain.steps[t].reads_state,
                                             .reads_input = f->chain.steps[t].reads_input};
    }
}

static enum sl_status add_rerun(void *user, struct sl_chain_rerun rerun)
{
    struct fitting *f = user;
    struct sl_chain_plan *plan = f->plan;
    if (plan->count == plan->capacity) {
        uint32_t capacity = plan->capacity ? 2 * plan->capacity : 64;
        struct sl_chain_rerun *larger = sl_arena_array(&f->rules->arena, capacity, sizeof *larger);
        if (!larger)
            return SL_FAIL(f->err, SL_SYSTEM, "out of memory for a chain");
        for (uint32_t i = 0; i < plan->count; i++)
            larger[i] = plan->reruns[i];
        plan->reruns = larger;
        plan->capacity = capacity;
    }
    plan->reruns[plan->count++] = rerun;
    return SL_OK;
}

/* Solves the chain for `budget` units; where that is too little (*fits false) nothing is planned
 * unless `least`: then for the least that is enough. */
static enum sl_status solve(struct fitting *f, uint32_t budget, bool least, bool *fits)
{
    struct sl_chain_optimum optimum;
    enum sl_status status = SL_OK;
    if (!sl_chain_optimum_solve(&optimum, f->steps, f->chain.count, budget))
        status = SL_FAIL(f->err, SL_SYSTEM, "out of memory for a chain");
    *fits = status == SL_OK && isfinite(sl_chain_optimum_cost(&optimum, budget));
    uint32_t memory = least ? 0 : budget;
    while (least && *fits && !isfinite(sl_chain_optimum_cost(&optimum, memory)))
        memory++;
    if (*fits) {
        f->plan = sl_arena_alloc(&f->rules->arena, sizeof *f->plan);
        if (f->plan) {
            *f->plan = (struct sl_chain_plan){0};
            status = sl_chain_optimum_walk(&optimum, memory, f->plan->saves, add_rerun, f);
        } else
            status = SL_FAIL(f->err, SL_SYSTEM, "out of memory for a chain");
    }
    sl_chain_optimum_free(&optimum);
    return status;
}

static enum sl_status project(const struct fitting *f, int64_t *peak)
{
    struct sl_attempt attempt;
    int64_t *peaks = calloc((size_t)f->facts->domain_count + 1, sizeof *peaks);
    if (!peaks)
        return SL_FAIL(f->err, SL_SYSTEM, "out of memory for a chain");
    enum sl_status status =
        sl_attempt_build(&attempt, f->facts, f->rules, f->choices, NULL, NULL, NULL, f->err);
    if (status == SL_OK)
        status = sl_peaks_project(&attempt, peaks);
    *peak = peaks[f->chain.domain];
    sl_attempt_free(&attempt);
    free(peaks);
    return status;
}

/* Chooses for a memory in bytes below what the whole chain takes; with less than the chain needs,
 * what it needs. */
static enum sl_status fit_memory(struct fitting *f, int64_t memory, int64_t whole)
{
    bool fits;
    scale(f, memory);
    int64_t budget = memory / f->unit;
    enum sl_status status = solve(f, budget > 0 ? (uint32_t)budget : 0, false, &fits);
    if (status == SL_OK && !fits) {
        scale(f, whole);
        /* Rounding up may ask for more than all of it. */
        status = solve(f, SL_CHAIN_UNITS, true, &fits);
    }
    f->rule->chain = f->plan;
    int64_t peak = 0;
    if (status == SL_OK)
        status = project(f, &peak);
    char had[32], has[32];
    if (status == SL_OK && peak > memory)
        sl_policy_warn(f->diags, "does-not-fit", f->rule->place,
                       "policy '%s': action chain-optimal comes to a projected peak of %s in '%s' "
                       "at least, above %s",
                       f->policy->name, sl_format_bytes(has, sizeof has, (double)peak),
                       f->facts->platform->domain_names.names[f->chain.domain],
                       sl_format_bytes(had, sizeof had, (double)memory));
    return status;
}

/* What the rule may come to in its chain's domain; negative: there is no bound. */
static int64_t memory_of(const struct fitting *f)
{
    const struct sl_domain *domain = &f->facts->platform->domains[f->chain.domain];
    if (f->rule->memory > 0)
        return f->rule->memory;
    return domain->capacity < 0 ? -1 : domain->capacity - domain->reserve;
}

static enum sl_status fit_chain(struct fitting *f)
{
    int64_t whole = 0, memory = memory_of(f);
    bool fits;
    if (f->rule->slots > 0 && f->rule->memory > 0)
        sl_policy_warn(f->diags, "unused-parameter", f->rule->place,
                       "policy '%s': action.memory changes nothing beside action.slots",
                       f->policy->name);
    if (f->rule->slots > 0) {
        uint32_t made = f->chain.made;
        count_states(f);
        enum sl_status status =
            solve(f, f->rule->slots < made ? (uint32_t)f->rule->slots : made, false, &fits);
        f->rule->chain = f->plan;
        return status;
    }
    struct sl_attempt attempt;
    enum sl_status status =
        sl_attempt_build(&attempt, f->facts, f->rules, f->choices, NULL, NULL, NULL, f->err);
    if (status == SL_OK)
        status = sl_chain_weigh(&f->chain, &attempt, &whole);
    sl_attempt_free(&attempt);
    if (status == SL_OK && memory >= 0 && whole > memory)
        status = fit_memory(f, memory, whole);
    return status;
}

enum sl_status sl_chain_fit(const struct sl_facts *facts, struct sl_rules *rules,
                            const struct sl_policy_spec *policy, const struct sl_choice *choices,
                            struct sl_diags *diags, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t r = 0; r < rules->count && status == SL_OK; r++) {
        if (rules->items[r].action != &sl_action_chain_optimal)
            continue;
        struct fitting f = {.facts = facts,
                            .rules = rules,
                            .rule = &rules->items[r],
                            .policy = policy,
                            .choices = choices,
                            .diags = diags,
                            .err = err};
        status = sl_chain_find(&f.chain, facts, rules, f.rule, err);
        if (status == SL_OK && f.chain.count > 0)
            status = fit_chain(&f);
        sl_chain_free(&f.chain);
    }
    return status;
}

static const struct sl_param params[] = {
    {"action.memory", SL_PARAM_BYTES, offsetof(struct sl_rule, memory), 1, 0, NULL},
    {"action.slots", SL_PARAM_INTEGER, offsetof(struct sl_rule, slots), 1, 1e6, NULL},
};

const struct sl_part sl_action_chain_optimal = {
    .role = "action",
    .name = "chain-optimal",
    .description =
        "on a chain that is walked back, keep states and what steps save and recompute the rest in "
        "the least time",
    .parameters = "memory (size, 1 B and more; by default capacity - reserve): what the plan may "
                  "come to in the "
                  "chain's domain; slots (1 to 1000000): states at a time instead, beside what the "
                  "chain begins with; objects: names or globs",
    .example = "{action: {how: chain-optimal, memory: 20GiB}, objects: [x_in.*]}",
    .params = params,
    .param_count = sizeof params / sizeof params[0],
    .eligible = eligible,
    .apply = apply,
};
