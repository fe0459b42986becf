/* Which objects are treated, rule by rule.
 *
 * `all` and `list` take every candidate of their rule.  The ranked selections then take, in rank
 * order, as few as bring the projected peak of the home domain down to capacity - reserve -
 * headroom; the number is found by bisection, since taking one more relieves the peak or leaves
 * it. */
#include "attempt.h"
#include "ranking.h"
#include "units.h"
#include "walk.h"
#include <stdlib.h>
#include <string.h>

const struct sl_param sl_ranked_params[1] = {
    {"select.headroom", SL_PARAM_BYTES, offsetof(struct sl_rule, headroom), 0.0, 0.0, NULL},
};

#define WALKS  16 /* through the plan, at most */
#define ROUNDS 16 /* over the home domains, at most */

struct selection {
    const struct sl_facts *facts;
    const struct sl_rules *rules;
    const struct sl_policy_spec *policy;
    const struct sl_preference *preference;
    struct sl_choice *choices;
    struct sl_diags *diags;
    struct sl_error *err;
    struct sl_candidate *candidates;
    uint32_t count, capacity;
    int64_t *peaks;  /* per domain */
    int64_t *levels; /* per place in plan order */
};

const struct sl_rule *sl_rule_for(const struct sl_rules *rules, const struct sl_graph *graph,
                                  uint32_t object)
{
    for (uint32_t r = 0; r < rules->count; r++)
        if (!rules->items[r].objects ||
            sl_glob_any(rules->items[r].objects, graph->objects[object].name))
            return &rules->items[r];
    return NULL;
}

/* Objects that a rule names and its action cannot treat: one warning for each reason. */
static void warn_ineligible(const struct selection *s, const struct sl_rule *rule)
{
    const struct sl_facts *facts = s->facts;
    for (uint32_t o = 0; o < facts->object_count; o++) {
        if (!sl_facts_has_gap(facts, o) || sl_rule_for(s->rules, facts->graph, o) != rule)
            continue;
        const char *why = rule->action->eligible(facts, sl_facts_longest(facts, o));
        bool meant = rule->objects || (rule->to && sl_journey_allowed(facts, o, rule->to));
        if (!why || !meant)
            continue;
        char hop[400] = "";
        if (rule->action != &sl_action_remat)
            sl_journey_explain(facts, o, rule->to, hop, sizeof hop);
        sl_policy_warn(s->diags,
                       rule->action == &sl_action_remat ? "not-rematerializable" : "no-route",
                       facts->graph->objects[o].place, "policy '%s': object '%s' stays: %s%s",
                       s->policy->name, facts->graph->objects[o].name, why, hop);
    }
}

/* How a rule takes gaps: action best ranks also where it names no ranked selection. */
static const struct sl_part *select_of(const struct selection *s, const struct sl_rule *rule)
{
    bool ranks = rule->action == &sl_action_best && rule->select->takes_all;
    return ranks ? s->preference->order : rule->select;
}

static enum sl_status add_candidate(struct selection *s, const struct sl_rule *rule, uint32_t index)
{
    const struct sl_facts *facts = s->facts;
    const struct sl_gap *gap = &facts->gaps[index];
    const struct sl_part *action = rule->action;
    if (action == &sl_action_best)
        action = s->preference->actions[index];
    if (!action || action->eligible(facts, gap))
        return SL_OK;
    if (!sl_grow((void **)&s->candidates, &s->capacity, s->count + 1, sizeof *s->candidates))
        return SL_FAIL(s->err, SL_SYSTEM, "out of memory for a selection");
    s->candidates[s->count++] = (struct sl_candidate){
        .object = gap->object,
        .gap = index,
        .rule = rule,
        .action = action,
        .order = select_of(s, rule)->compare,
        .bytes = facts->graph->objects[gap->object].bytes,
        .gap_ps = gap->length_ps,
        .cost_ps = action->cost(facts, gap),
        .last_use = facts->position[gap->before],
        .next_use = facts->position[gap->after],
    };
    return SL_OK;
}

static enum sl_status gather(struct selection *s, const struct sl_rule *rule)
{
    const struct sl_facts *facts = s->facts;
    enum sl_status status = SL_OK;
    bool every = select_of(s, rule)->walks;
    s->count = 0;
    for (uint32_t o = 0; o < facts->object_count; o++) {
        if (!sl_facts_has_gap(facts, o) || sl_rule_for(s->rules, facts->graph, o) != rule)
            continue;
        if (!every)
            status = add_candidate(s, rule, facts->longest[o]);
        for (uint32_t g = facts->gap_start[o];
             every && g < facts->gap_start[o + 1] && status == SL_OK; g++)
            status = add_candidate(s, rule, g);
        if (status)
            return status;
    }
    return SL_OK;
}

static void choose(struct selection *s, uint32_t candidate, bool taken)
{
    const struct sl_candidate *c = &s->candidates[candidate];
    s->choices[c->gap] = taken ? (struct sl_choice){c->action, c->rule} : (struct sl_choice){0};
}

static void take(struct selection *s, uint32_t count)
{
    for (uint32_t i = 0; i < s->count; i++)
        choose(s, i, i < count);
}

/* Projects the peaks with the first `count` candidates taken. */
static enum sl_status project(struct selection *s, uint32_t count)
{
    struct sl_attempt attempt;
    take(s, count);
    enum sl_status status =
        sl_attempt_build(&attempt, s->facts, s->rules, s->choices, NULL, NULL, NULL, s->err);
    if (status == SL_OK)
        status = sl_peaks_project(&attempt, s->peaks);
    sl_attempt_free(&attempt);
    return status;
}

/* Projects the peaks, and the levels of one domain, with some candidates taken. */
static enum sl_status project_levels(struct selection *s, uint32_t domain, const bool *taken)
{
    struct sl_attempt attempt;
    for (uint32_t i = 0; i < s->count; i++)
        choose(s, i, taken[i]);
    enum sl_status status =
        sl_attempt_build(&attempt, s->facts, s->rules, s->choices, NULL, NULL, NULL, s->err);
    if (status == SL_OK)
        status = sl_peaks_project(&attempt, s->peaks);
    if (status == SL_OK)
        status = sl_levels_project(&attempt, domain, s->levels);
    sl_attempt_free(&attempt);
    return status;
}

static int64_t limit_of(const struct selection *s, uint32_t domain, int64_t headroom)
{
    const struct sl_domain *d = &s->facts->platform->domains[domain];
    return d->capacity < 0 ? INT64_MAX : d->capacity - d->reserve - headroom;
}

static enum sl_status fits(struct selection *s, const struct sl_rule *rule, uint32_t domain,
                           uint32_t count, bool *yes)
{
    enum sl_status status = project(s, count);
    *yes = status == SL_OK && s->peaks[domain] <= limit_of(s, domain, rule->headroom);
    return status;
}

static int compare(const void *x, const void *y)
{
    const struct sl_candidate *a = x, *b = y;
    return a->order(a, b);
}

static void warn_misfit(const struct selection *s, const struct sl_rule *rule, uint32_t domain)
{
    char peak[32], limit[32];
    sl_policy_warn(
        s->diags, "does-not-fit", rule->place,
        "policy '%s': with all %u candidates of select %s%s the projected peak of '%s' is %s, "
        "above %s",
        s->policy->name, s->count, select_of(s, rule)->name,
        select_of(s, rule)->walks ? " that help" : "",
        s->facts->platform->domain_names.names[domain],
        sl_format_bytes(peak, sizeof peak, (double)s->peaks[domain]),
        sl_format_bytes(limit, sizeof limit, (double)limit_of(s, domain, rule->headroom)));
}

/* Least number of the ranked candidates that fits `domain`; all of them when none does. */
static enum sl_status bisect(struct selection *s, const struct sl_rule *rule, uint32_t domain,
                             bool *yes)
{
    uint32_t low = 0, high = s->count; /* low does not fit; high is tried last */
    enum sl_status status = fits(s, rule, domain, 0, yes);
    if (status || *yes)
        return status;
    while (low + 1 < high && status == SL_OK) {
        uint32_t middle = low + (high - low) / 2;
        status = fits(s, rule, domain, middle, yes);
        *(*yes ? &high : &low) = middle;
    }
    return status == SL_OK ? fits(s, rule, domain, high, yes) : status;
}

/* Takes gaps where the plan goes above the limit, in the order of `first`, after those with which
 * `select` (NULL: nothing) begins.  What they relieve is
 * known from expected times, what they cost elsewhere only from the next projection: so it goes on
 * until the plan keeps the limit (*yes) or nothing is left that would help. */
static enum sl_status walk(struct selection *s, uint32_t domain, int64_t limit,
                           const struct sl_part *select, sl_order_gaps *first, bool *yes)
{
    bool *taken = calloc((size_t)s->count + 1, sizeof *taken);
    struct sl_walk w = {.facts = s->facts,
                        .candidates = s->candidates,
                        .count = s->count,
                        .domain = domain,
                        .limit = limit,
                        .levels = s->levels,
                        .compare = first,
                        .taken = taken};
    uint32_t added = 1;
    enum sl_status status =
        taken ? SL_OK : SL_FAIL(s->err, SL_SYSTEM, "out of memory for a selection");
    for (int round = 0; status == SL_OK && added > 0; round++) {
        status = project_levels(s, domain, taken);
        *yes = status == SL_OK && s->peaks[domain] <= limit;
        added = 0;
        if (status == SL_OK && !*yes && round == 0 && select && select->begin_walk)
            status = select->begin_walk(&w, &added, s->err);
        if (status == SL_OK && !*yes && round < WALKS && added == 0)
            status = sl_walk_through(&w, &added, s->err);
    }
    free(taken);
    return status;
}

static bool keeps_limit(const struct selection *s, const struct sl_rule *rule, uint32_t domain)
{
    return s->peaks[domain] <= limit_of(s, domain, rule->headroom);
}

static enum sl_status rank_domain(struct selection *s, const struct sl_rule *rule, uint32_t domain)
{
    bool yes;
    enum sl_status status = SL_OK;
    const struct sl_part *select = select_of(s, rule);
    if (s->facts->platform->domains[domain].capacity < 0) {
        sl_policy_warn(s->diags, "no-capacity", rule->place,
                       "policy '%s': select %s takes nothing in '%s', which declares no capacity",
                       s->policy->name, select->name,
                       s->facts->platform->domain_names.names[domain]);
        return SL_OK;
    }
    qsort(s->candidates, s->count, sizeof *s->candidates, compare);
    if (select->walks)
        status =
            walk(s, domain, limit_of(s, domain, rule->headroom), select, select->compare, &yes);
    else
        status = bisect(s, rule, domain, &yes);
    return status;
}

/* Where a later domain's choices have filled it since. */
static enum sl_status rank_again(struct selection *s, const struct sl_rule *rule, uint32_t domain)
{
    return keeps_limit(s, rule, domain) ? SL_OK : rank_domain(s, rule, domain);
}

static enum sl_status judge_domain(struct selection *s, const struct sl_rule *rule, uint32_t domain)
{
    if (!keeps_limit(s, rule, domain))
        warn_misfit(s, rule, domain);
    return SL_OK;
}

/* Of all gaps that were chosen, leaves those in which the copy can stay: it is not given up before
 * the level would go above the policy's share of the limit. */
static enum sl_status keep_domain(struct selection *s, const struct sl_rule *rule, uint32_t domain)
{
    int64_t limit = limit_of(s, domain, rule->headroom);
    bool yes;
    if (s->facts->platform->domains[domain].capacity < 0) {
        take(s, 0);
        return SL_OK;
    }
    if (rule->reclaim->shares)
        limit = (int64_t)((double)limit * rule->threshold);
    return walk(s, domain, limit, NULL, sl_rank_last_use, &yes);
}

typedef enum sl_status decide_domain(struct selection *s, const struct sl_rule *rule,
                                     uint32_t domain);

/* Decides for each home domain among the candidates on its own. */
static enum sl_status by_domain(struct selection *s, const struct sl_rule *rule,
                                decide_domain *decide)
{
    struct sl_candidate *all = s->candidates;
    uint32_t total = s->count;
    enum sl_status status = SL_OK;
    struct sl_candidate *part = malloc(((size_t)total + 1) * sizeof *part);
    if (!part)
        return SL_FAIL(s->err, SL_SYSTEM, "out of memory for a selection");
    for (uint32_t d = 0; d < s->facts->domain_count && status == SL_OK; d++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < total; i++)
            if (s->facts->home[all[i].object] == d)
                part[count++] = all[i];
        s->candidates = part;
        s->count = count;
        if (count > 0)
            status = decide(s, rule, d);
    }
    s->candidates = all;
    s->count = total;
    free(part);
    return status;
}

static uint32_t count_choices(const struct selection *s)
{
    uint32_t count = 0;
    for (uint32_t g = 0; g < s->facts->gap_start[s->facts->object_count]; g++)
        count += s->choices[g].action != NULL;
    return count;
}

/* Domain by domain; what leaves one home for another fills that, so it goes on until all keep their
 * limits or nothing changes. */
static enum sl_status rank(struct selection *s, const struct sl_rule *rule)
{
    enum sl_status status = by_domain(s, rule, rank_domain);
    uint32_t before = UINT32_MAX;
    for (int round = 0; round < ROUNDS && count_choices(s) != before && !status; round++) {
        before = count_choices(s);
        status = by_domain(s, rule, rank_again);
    }
    return status == SL_OK ? by_domain(s, rule, judge_domain) : status;
}

/* What the policy's reclamation makes of the gaps that its selections chose. */
static enum sl_status reclaim(struct selection *s)
{
    const struct sl_facts *facts = s->facts;
    const struct sl_rule *top = &s->rules->items[s->rules->count - 1];
    enum sl_status status = SL_OK;
    s->count = 0;
    for (uint32_t g = 0; g < facts->gap_start[facts->object_count] && status == SL_OK; g++)
        if (s->choices[g].action)
            status = add_candidate(s, s->choices[g].rule, g);
    return status == SL_OK ? by_domain(s, top, keep_domain) : status;
}

enum sl_status sl_selection_decide(const struct sl_facts *facts, const struct sl_rules *rules,
                                   const struct sl_policy_spec *policy,
                                   const struct sl_preference *preference,
                                   struct sl_choice *choices, struct sl_diags *diags,
                                   struct sl_error *err)
{
    struct selection s = {.facts = facts,
                          .rules = rules,
                          .policy = policy,
                          .preference = preference,
                          .choices = choices,
                          .diags = diags,
                          .err = err};
    enum sl_status status = SL_OK;
    memset(choices, 0, facts->gap_start[facts->object_count] * sizeof *choices);
    s.peaks = calloc((size_t)facts->domain_count + 1, sizeof *s.peaks);
    s.levels = calloc((size_t)facts->graph->node_count + 1, sizeof *s.levels);
    if (!s.peaks || !s.levels)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a selection");
    for (int ranked = 0; ranked < 2; ranked++)
        for (uint32_t r = 0; r < rules->count && status == SL_OK; r++) {
            const struct sl_rule *rule = &rules->items[r];
            if (!rule->action->selects || (select_of(&s, rule)->compare != NULL) != ranked)
                continue;
            warn_ineligible(&s, rule);
            status = gather(&s, rule);
            if (status == SL_OK && select_of(&s, rule)->weigh)
                status = select_of(&s, rule)->weigh(facts, s.candidates, s.count, err);
            if (status == SL_OK && select_of(&s, rule)->takes_all)
                take(&s, s.count);
            if (status == SL_OK && ranked == 1)
                status = rank(&s, rule);
        }
    if (status == SL_OK && rules->items[rules->count - 1].reclaim->keeps)
        status = reclaim(&s);
    free(s.peaks);
    free(s.levels);
    free(s.candidates);
    return status;
}
