/* Where each object goes in its gaps, and over which routes it goes there, comes back and, where it
 * begins elsewhere, arrives.
 *
 * The refuge is the domain that the object's rule names, if its placements allow it, else the first
 * placement other than home with ways there and back.  An object without
 * placements may lie anywhere: in the first domain with a route each way, else in the first with
 * ways.  Copies on the way may pass through any domain that could hold them: a placement says where
 * an object stays. */
#include "attempt.h"
#include <stdlib.h>

struct search {
    const struct sl_facts *facts;
    const struct sl_rules *rules; /* NULL: none says where objects lie */
    double *out_ps, *back_ps;     /* per route: of the current object, on its way out and back */
    struct sl_error *err;
};

static void time_routes(const struct search *s, uint32_t object)
{
    for (uint32_t r = 0; r < s->facts->platform->route_count; r++) {
        const struct sl_way way = {.routes = {(uint16_t)r}, .hops = 1};
        s->out_ps[r] = sl_hop_mean(s->facts, object, SL_OFFLOAD, &way, 0);
        s->back_ps[r] = sl_hop_mean(s->facts, object, SL_PREFETCH, &way, 0);
    }
}

static enum sl_status find_ways(const struct search *s, uint32_t object, uint32_t refuge,
                                struct sl_journey *journey)
{
    uint32_t home = s->facts->home[object];
    int64_t bytes = s->facts->graph->objects[object].bytes;
    const struct sl_platform *platform = s->facts->platform;
    enum sl_status status =
        sl_way_find(platform, bytes, s->out_ps, home, refuge, &journey->out, s->err);
    if (status == SL_OK && journey->out.hops > 0)
        status = sl_way_find(platform, bytes, s->back_ps, refuge, home, &journey->back, s->err);
    if (journey->out.hops > 0 && journey->back.hops > 0)
        journey->refuge = refuge;
    return status;
}

static bool has_routes(const struct sl_facts *facts, uint32_t home, uint32_t domain)
{
    return sl_platform_route(facts->platform, home, domain) &&
           sl_platform_route(facts->platform, domain, home);
}

/* The domain that the object's rule names, which must be among its placements; SL_NONE: it names
 * none.  *fits: they allow it. */
static enum sl_status stated_refuge(const struct search *s, uint32_t object, uint32_t *domain,
                                    bool *fits)
{
    const struct sl_graph *graph = s->facts->graph;
    const struct sl_rule *rule = s->rules ? sl_rule_for(s->rules, graph, object) : NULL;
    *domain = SL_NONE;
    *fits = true;
    if (!rule || !rule->to)
        return SL_OK;
    *domain = sl_names_find(&s->facts->platform->domain_names, rule->to);
    if (*domain == SL_NONE)
        return SL_FAIL_AT(s->err, SL_INVALID, rule->place, "action.to: no domain '%s'", rule->to);
    *fits = sl_object_may_lie_in(graph, object, *domain);
    return SL_OK;
}

static enum sl_status find_refuge(const struct search *s, uint32_t object,
                                  struct sl_journey *journey)
{
    const struct sl_facts *facts = s->facts;
    const struct sl_graph *graph = facts->graph;
    struct sl_span listed = graph->objects[object].placements;
    uint32_t count = listed.count ? listed.count : facts->domain_count;
    uint32_t stated;
    bool fits;
    enum sl_status status = stated_refuge(s, object, &stated, &fits);
    if (status || !fits)
        return status;
    if (stated != SL_NONE)
        return find_ways(s, object, stated, journey);
    for (uint32_t d = 0; d < facts->domain_count && listed.count == 0 && !status; d++)
        if (journey->refuge == SL_NONE && has_routes(facts, facts->home[object], d))
            status = find_ways(s, object, d, journey);
    for (uint32_t k = 0; k < count && journey->refuge == SL_NONE && !status; k++) {
        uint32_t domain = listed.count ? graph->domains_pool[listed.first + k] : k;
        status = find_ways(s, object, domain, journey);
    }
    return status;
}

static enum sl_status find_journey(const struct search *s, uint32_t object)
{
    const struct sl_facts *facts = s->facts;
    const struct sl_object *o = &facts->graph->objects[object];
    struct sl_journey *journey = &facts->journeys[object];
    bool leaves = sl_facts_has_gap(facts, object);
    bool arrives = o->alias_of.i == SL_NONE && o->initial != SL_NONE;
    enum sl_status status = SL_OK;
    journey->refuge = SL_NONE;
    if (leaves || arrives)
        time_routes(s, object);
    if (leaves)
        status = find_refuge(s, object, journey);
    if (arrives && status == SL_OK)
        status = sl_way_find(facts->platform, o->bytes, s->back_ps, o->initial, facts->home[object],
                             &journey->entry, s->err);
    return status;
}

enum sl_status sl_journeys_find(struct sl_facts *facts, const struct sl_rules *rules,
                                struct sl_error *err)
{
    size_t routes = (size_t)facts->platform->route_count + 1;
    struct search s = {facts, rules, malloc(routes * sizeof *s.out_ps),
                       malloc(routes * sizeof *s.back_ps), err};
    enum sl_status status = SL_OK;
    facts->journeys = calloc((size_t)facts->object_count + 1, sizeof *facts->journeys);
    if (!facts->journeys || !s.out_ps || !s.back_ps)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the ways of objects");
    for (uint32_t o = 0; o < facts->object_count && status == SL_OK; o++)
        status = find_journey(&s, o);
    free(s.out_ps);
    free(s.back_ps);
    return status;
}

bool sl_gap_has_origin(const struct sl_facts *facts, const struct sl_gap *gap)
{
    uint32_t initial = facts->graph->objects[gap->object].initial;
    return initial != SL_NONE && initial != facts->home[gap->object] && gap->writer == SL_NONE &&
           facts->journeys[gap->object].entry.hops > 0;
}

uint32_t sl_gap_refuge(const struct sl_facts *facts, const struct sl_gap *gap)
{
    return sl_gap_has_origin(facts, gap) ? facts->graph->objects[gap->object].initial
                                         : facts->journeys[gap->object].refuge;
}

enum sl_status sl_journey_to(const struct sl_facts *facts, uint32_t object, uint32_t refuge,
                             struct sl_journey *journey, struct sl_error *err)
{
    size_t routes = (size_t)facts->platform->route_count + 1;
    struct search s = {facts, NULL, malloc(routes * sizeof *s.out_ps),
                       malloc(routes * sizeof *s.back_ps), err};
    enum sl_status status = SL_OK;
    *journey = (struct sl_journey){.refuge = SL_NONE, .entry = facts->journeys[object].entry};
    if (!s.out_ps || !s.back_ps)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the ways of objects");
    if (status == SL_OK && refuge != facts->home[object] &&
        sl_object_may_lie_in(facts->graph, object, refuge)) {
        time_routes(&s, object);
        status = find_ways(&s, object, refuge, journey);
    }
    free(s.out_ps);
    free(s.back_ps);
    return status;
}

/* Domains that ways lead to from `start` (towards: from which they lead to it), start included. */
static bool *find_reach(const struct sl_platform *platform, uint32_t start, bool towards)
{
    bool *reached = calloc((size_t)platform->domain_names.count + 1, sizeof *reached), more = true;
    if (reached)
        reached[start] = true;
    while (reached && more) {
        more = false;
        for (uint32_t r = 0; r < platform->route_count; r++) {
            const struct sl_route *route = &platform->routes[r];
            uint32_t from = towards ? route->to : route->from;
            uint32_t to = towards ? route->from : route->to;
            if (reached[from] && !reached[to])
                reached[to] = more = true;
        }
    }
    return reached;
}

/* "'hbm', 'pinned'" */
static void list_domains(const struct sl_platform *platform, const bool *which, char *buffer,
                         size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (uint32_t d = 0; d < platform->domain_names.count && used < size; d++)
        if (which[d])
            used += (size_t)snprintf(buffer + used, size - used, "%s'%s'", used ? ", " : "",
                                     platform->domain_names.names[d]);
}

/* Where the object would have to go: `stated`, else the first placement other than home; SL_NONE.
 */
static uint32_t wanted_refuge(const struct sl_facts *facts, uint32_t object, const char *stated)
{
    struct sl_span listed = facts->graph->objects[object].placements;
    uint32_t refuge = stated ? sl_names_find(&facts->platform->domain_names, stated) : SL_NONE;
    for (uint32_t k = 0; k < listed.count && refuge == SL_NONE && !stated; k++)
        if (facts->graph->domains_pool[listed.first + k] != facts->home[object])
            refuge = facts->graph->domains_pool[listed.first + k];
    return refuge;
}

bool sl_journey_allowed(const struct sl_facts *facts, uint32_t object, const char *stated)
{
    uint32_t domain = wanted_refuge(facts, object, stated);
    return domain != facts->home[object] && sl_object_may_lie_in(facts->graph, object, domain);
}

void sl_journey_explain(const struct sl_facts *facts, uint32_t object, const char *stated,
                        char *buffer, size_t size)
{
    const struct sl_platform *platform = facts->platform;
    uint32_t home = facts->home[object], refuge = wanted_refuge(facts, object, stated);
    char domains[200];
    buffer[0] = '\0';
    if (home == SL_NONE || refuge == SL_NONE)
        return;
    if (!sl_object_may_lie_in(facts->graph, object, refuge)) {
        snprintf(buffer, size, ": its placements do not name '%s'", stated);
        return;
    }
    const char *there = platform->domain_names.names[refuge];
    bool *out = find_reach(platform, home, false), *back = find_reach(platform, home, true);
    if (out && !out[refuge]) {
        list_domains(platform, out, domains, sizeof domains);
        snprintf(buffer, size, ": to '%s' it lacks a route from one of %s", there, domains);
    } else if (back && !back[refuge]) {
        list_domains(platform, back, domains, sizeof domains);
        snprintf(buffer, size, ": back from '%s' it lacks a route to one of %s", there, domains);
    } else if (out && back) {
        snprintf(buffer, size, ": between '%s' and '%s' it fits into no domain on the way",
                 platform->domain_names.names[home], there);
    }
    free(out);
    free(back);
}
