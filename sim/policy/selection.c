/* Which objects are treated, rule by rule.
 *
 * `all` and `list` take every candidate of their rule.  The ranked selections then take, in rank
 * order, as few as bring the projected peak of the home domain down to capacity - reserve -
 * headroom; the number is found by bisection, since taking one more relieves the peak or leaves
 * it. */
#include "attempt.h"
#include "ranking.h"
#include "units.h"
#include <stdlib.h>

const struct sl_param sl_ranked_params[1] = {
    {"select.headroom", SL_PARAM_BYTES, offsetof(struct sl_rule, headroom), 0.0, 0.0},
};

struct selection {
    const struct sl_facts *facts;
    const struct sl_rules *rules;
    const struct sl_policy_spec *policy;
    struct sl_choice *choices;
    struct sl_diags *diags;
    struct sl_error *err;
    struct sl_candidate *candidates;
    uint32_t count, capacity;
    int64_t *peaks; /* per domain */
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
        const char *why = rule->action->eligible(facts, o);
        if (!why || !rule->objects)
            continue;
        sl_policy_warn(s->diags,
                       rule->action == &sl_action_remat ? "not-rematerializable" : "no-route",
                       facts->graph->objects[o].place, "policy '%s': object '%s' stays: %s",
                       s->policy->name, facts->graph->objects[o].name, why);
    }
}

static enum sl_status gather(struct selection *s, const struct sl_rule *rule)
{
    const struct sl_facts *facts = s->facts;
    s->count = 0;
    for (uint32_t o = 0; o < facts->object_count; o++) {
        if (!sl_facts_has_gap(facts, o) || s->choices[o].rule ||
            sl_rule_for(s->rules, facts->graph, o) != rule || rule->action->eligible(facts, o))
            continue;
        if (!sl_grow((void **)&s->candidates, &s->capacity, s->count + 1, sizeof *s->candidates))
            return SL_FAIL(s->err, SL_SYSTEM, "out of memory for a selection");
        s->candidates[s->count++] = (struct sl_candidate){
            .object = o,
            .rule = rule,
            .bytes = facts->graph->objects[o].bytes,
            .gap_ps = facts->gaps[o].length_ps,
            .cost_ps = rule->action->cost(facts, o),
            .next_use = facts->position[facts->gaps[o].after],
        };
    }
    return SL_OK;
}

static void take(struct selection *s, uint32_t count)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->choices[s->candidates[i].object].rule = i < count ? s->candidates[i].rule : NULL;
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
    return a->rule->select->compare(a, b);
}

/* Least number of the ranked candidates that fits `domain`; all of them when none does. */
static enum sl_status bisect(struct selection *s, const struct sl_rule *rule, uint32_t domain)
{
    uint32_t low = 0, high = s->count; /* low does not fit; high is tried last */
    bool yes;
    enum sl_status status = fits(s, rule, domain, 0, &yes);
    if (status || yes)
        return status;
    while (low + 1 < high && status == SL_OK) {
        uint32_t middle = low + (high - low) / 2;
        status = fits(s, rule, domain, middle, &yes);
        *(yes ? &high : &low) = middle;
    }
    if (status == SL_OK)
        status = fits(s, rule, domain, high, &yes);
    char peak[32], limit[32];
    if (status == SL_OK && !yes)
        sl_policy_warn(
            s->diags, "does-not-fit", rule->place,
            "policy '%s': with all %u candidates of select %s the projected peak of '%s' is %s, "
            "above %s",
            s->policy->name, s->count, rule->select->name,
            s->facts->platform->domain_names.names[domain],
            sl_format_bytes(peak, sizeof peak, (double)s->peaks[domain]),
            sl_format_bytes(limit, sizeof limit, (double)limit_of(s, domain, rule->headroom)));
    return status;
}

/* Ranked selection, for each home domain among the candidates on its own. */
static enum sl_status rank(struct selection *s, const struct sl_rule *rule)
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
        if (count == 0)
            continue;
        if (s->facts->platform->domains[d].capacity < 0) {
            sl_policy_warn(s->diags, "no-capacity", rule->place,
                           "policy '%s': select %s takes nothing in '%s', which declares no "
                           "capacity",
                           s->policy->name, rule->select->name,
                           s->facts->platform->domain_names.names[d]);
            continue;
        }
        qsort(part, count, sizeof *part, compare);
        s->candidates = part;
        s->count = count;
        status = bisect(s, rule, d);
    }
    s->candidates = all;
    s->count = total;
    free(part);
    return status;
}

static bool is_ranked(const struct sl_rule *rule)
{
    return rule->action->selects && rule->select->compare;
}

enum sl_status sl_selection_decide(const struct sl_facts *facts, const struct sl_rules *rules,
                                   const struct sl_policy_spec *policy, struct sl_choice *choices,
                                   struct sl_diags *diags, struct sl_error *err)
{
    struct selection s = {.facts = facts,
                          .rules = rules,
                          .policy = policy,
                          .choices = choices,
                          .diags = diags,
                          .err = err};
    enum sl_status status = SL_OK;
    s.peaks = calloc((size_t)facts->domain_count + 1, sizeof *s.peaks);
    if (!s.peaks)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for a selection");
    for (int ranked = 0; ranked < 2; ranked++)
        for (uint32_t r = 0; r < rules->count && status == SL_OK; r++) {
            const struct sl_rule *rule = &rules->items[r];
            if (!rule->action->selects || is_ranked(rule) != (ranked == 1))
                continue;
            warn_ineligible(&s, rule);
            status = gather(&s, rule);
            if (status == SL_OK && rule->select->takes_all)
                take(&s, s.count);
            if (status == SL_OK && ranked == 1)
                status = rank(&s, rule);
        }
    free(s.peaks);
    free(s.candidates);
    return status;
}
