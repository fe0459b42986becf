/* Action offload: in a selected gap an object moves to another domain and back.
 *
 * The copy out starts as soon as the last writer is done (or, where the object came back from an
 * earlier gap since, with the use that ended it), beside other readers; the home copy's bytes go
 * back once the copy out and the last use before the gap are done.  When a valid copy is in the
 * other domain anyway, nothing moves out: the object was read from there, or it went there in an
 * earlier gap, was not written since, and the policy keeps copies. */
#include "attempt.h"
#include "fields.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

static bool may_lie_in(const struct sl_graph *graph, const struct sl_object *object,
                       uint32_t domain)
{
    for (uint32_t k = 0; k < object->placements.count; k++)
        if (graph->domains_pool[object->placements.first + k] == domain)
            return true;
    return object->placements.count == 0;
}

/* True when the copy in which the object was valid at the start still holds its value. */
static bool has_valid_origin(const struct sl_facts *facts, const struct sl_gap *gap)
{
    uint32_t initial = facts->graph->objects[gap->object].initial;
    return initial != SL_NONE && initial != facts->home[gap->object] && gap->writer == SL_NONE &&
           sl_platform_route(facts->platform, initial, facts->home[gap->object]);
}

/* First domain other than the home where the object may lie during the gap, with routes there and
 * back; SL_NONE. */
static uint32_t gap_refuge(const struct sl_facts *facts, const struct sl_gap *gap)
{
    const struct sl_graph *graph = facts->graph;
    const struct sl_object *o = &graph->objects[gap->object];
    uint32_t home = facts->home[gap->object], listed = o->placements.count;
    if (has_valid_origin(facts, gap))
        return o->initial;
    for (uint32_t k = 0; k < (listed ? listed : facts->domain_count); k++) {
        uint32_t domain = listed ? graph->domains_pool[o->placements.first + k] : k;
        if (domain != home && may_lie_in(graph, o, domain) &&
            sl_platform_route(facts->platform, home, domain) &&
            sl_platform_route(facts->platform, domain, home))
            return domain;
    }
    return SL_NONE;
}

/* Mean of the factors on the move that planning would insert. */
static double mean_factor(const struct sl_facts *facts, const struct sl_route *route,
                          const char *object, bool comes_home)
{
    struct sl_node node = sl_node_default();
    char name[SL_NAME_MAX + 16];
    node.klass = route->klass;
    node.from = route->from;
    node.to = route->to;
    snprintf(name, sizeof name, "%s:%s", comes_home ? "prefetch" : "offload", object);
    return sl_graph_mean_factor(facts->graph, &node, name);
}

double sl_move_mean(const struct sl_facts *facts, uint32_t object, uint32_t from, uint32_t to)
{
    const struct sl_route *route = sl_platform_route(facts->platform, from, to);
    const struct sl_object *o = &facts->graph->objects[object];
    if (!route)
        return 0.0;
    double chunks =
        route->chunk > 0 && o->bytes > 0 ? (double)((o->bytes - 1) / route->chunk + 1) : 1.0;
    double noise = route->noise ? sl_dist_mean(route->noise) : 1.0;
    return noise * mean_factor(facts, route, o->name, to == facts->home[object]) *
           ((double)route->overhead_ps * chunks + (double)route->latency_ps +
            (double)o->bytes / route->bandwidth * 1e12);
}

static const char *eligible(const struct sl_facts *facts, const struct sl_gap *gap)
{
    if (gap_refuge(facts, gap) == SL_NONE)
        return "no other domain where it may lie has routes there and back";
    return NULL;
}

/* Time of the engines both ways, and what of it the gap cannot hide. */
static double cost(const struct sl_facts *facts, const struct sl_gap *gap)
{
    uint32_t home = facts->home[gap->object], refuge = gap_refuge(facts, gap);
    double out =
        has_valid_origin(facts, gap) ? 0.0 : sl_move_mean(facts, gap->object, home, refuge);
    double engines = out + sl_move_mean(facts, gap->object, refuge, home);
    double exposed = engines - gap->length_ps;
    return engines + (exposed > 0.0 ? exposed : 0.0);
}

/* Expected end of the copy out, ps; 0: there is none. */
static double gone(const struct sl_facts *facts, const struct sl_gap *gap)
{
    if (has_valid_origin(facts, gap))
        return 0.0;
    return (gap->writer == SL_NONE ? 0.0 : facts->finish[gap->writer]) +
           sl_move_mean(facts, gap->object, facts->home[gap->object], gap_refuge(facts, gap));
}

static void way(const struct sl_facts *facts, const struct sl_gap *gap, double *free_ps,
                double *back_ps)
{
    uint32_t home = facts->home[gap->object];
    *free_ps = fmax(facts->finish[gap->before], gone(facts, gap));
    *back_ps = sl_move_mean(facts, gap->object, gap_refuge(facts, gap), home);
}

/* From the end of the copy out to one transfer before the gap's end, by expected times. */
static void relief(const struct sl_facts *facts, const struct sl_gap *gap, uint32_t *from,
                   uint32_t *to)
{
    const uint32_t *order = facts->graph->topo;
    double out = gone(facts, gap), free_ps, back_ps;
    way(facts, gap, &free_ps, &back_ps);
    double needed = facts->start[gap->after] - back_ps;
    *from = facts->position[gap->before] + 1;
    *to = facts->position[gap->after] - 1;
    while (*from <= *to && facts->start[order[*from]] < out)
        ++*from;
    while (*from <= *to && facts->finish[order[*to]] > needed)
        --*to;
}

struct item {
    uint32_t position; /* of the source, plus one; 0: none */
    uint32_t gap;
    uint32_t source; /* the node from which on there is a copy to take out, SL_NONE */
    bool clean;      /* a valid copy is there anyway */
};

static int compare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return x->gap < y->gap ? -1 : x->gap > y->gap;
}

static enum sl_status add_offload(struct sl_attempt *a, const struct item *item, uint32_t refuge,
                                  uint32_t *last, uint32_t *index)
{
    const struct sl_facts *facts = a->facts;
    const struct sl_gap *gap = &facts->gaps[item->gap];
    const struct sl_object *object = &a->graph->objects[gap->object];
    uint32_t home = facts->home[gap->object];
    const struct sl_route *route = sl_platform_route(facts->platform, home, refuge);
    struct sl_node node = sl_node_default();
    node.name = sl_editor_text(&a->editor, "offload:%s", object->name);
    if (!node.name)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    node.kind = SL_OFFLOAD;
    node.object.i = gap->object;
    node.place = object->place;
    enum sl_status status = sl_graph_route_node(a->graph, &node, route, object->bytes, a->err);
    if (status == SL_OK)
        status = sl_editor_node(&a->editor, &node, index);
    if (status == SL_OK)
        status = sl_sequence_insert(a, *index, *last, item->source);
    *last = *index;
    char size[32], length[32];
    const struct sl_rule *rule = a->choices[item->gap].rule;
    const char *why = rule->action == &sl_action_best
                          ? "action best"
                          : sl_editor_text(&a->editor, "select %s", rule->select->name);
    if (!why)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    if (status == SL_OK)
        status = sl_editor_note(
            &a->editor, SL_EDIT_ADD_NODE, *index, gap->object,
            sl_editor_text(&a->editor, "%s: %s, gap of %s", why,
                           sl_format_bytes(size, sizeof size, (double)object->bytes),
                           sl_format_time(length, sizeof length, gap->length_ps)),
            "offload %s from %s to %s", object->name, facts->platform->domain_names.names[home],
            facts->platform->domain_names.names[refuge]);
    return status;
}

static enum sl_status take_out(struct sl_attempt *a, const struct item *item, uint32_t *last)
{
    const struct sl_facts *facts = a->facts;
    const struct sl_gap *gap = &facts->gaps[item->gap];
    uint32_t refuge = gap_refuge(facts, gap), offload = SL_NONE;
    enum sl_status status = SL_OK;
    if (!item->clean)
        status = add_offload(a, item, refuge, last, &offload);
    if (status == SL_OK &&
        !sl_grow((void **)&a->moves, &a->move_capacity, a->move_count + 1, sizeof *a->moves))
        status = SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    if (status == SL_OK)
        a->moves[a->move_count++] = (struct sl_move){.object = gap->object,
                                                     .from = refuge,
                                                     .rule = a->choices[item->gap].rule,
                                                     .before = gap->before,
                                                     .source = item->source,
                                                     .offload = offload,
                                                     .consumer = gap->after,
                                                     .node = SL_NONE};
    return status;
}

static uint32_t place(const struct sl_facts *facts, uint32_t node)
{
    return node == SL_NONE ? 0 : facts->position[node] + 1;
}

/* The gaps of an object in which it leaves; returns their number. */
static uint32_t list_gaps(const struct sl_attempt *a, uint32_t object, struct item *items)
{
    const struct sl_facts *facts = a->facts;
    uint32_t count = 0, back = SL_NONE; /* the use with which it came back last */
    bool keeps = a->rules->items[a->rules->count - 1].reclaim->keeps;
    const struct sl_gap *last = NULL; /* in which it went out */
    for (uint32_t g = facts->gap_start[object]; g < facts->gap_start[object + 1]; g++) {
        const struct sl_gap *gap = &facts->gaps[g];
        uint32_t source = gap->writer;
        if (place(facts, back) > place(facts, source))
            source = back;
        bool clean = has_valid_origin(facts, gap) || (keeps && last && last->writer == gap->writer);
        if (a->choices[g].action == &sl_action_offload) {
            items[count++] = (struct item){place(facts, source), g, source, clean};
            last = gap;
        }
        if (a->choices[g].action)
            back = gap->after;
    }
    return count;
}

static enum sl_status apply(struct sl_attempt *a)
{
    const struct sl_facts *facts = a->facts;
    struct item *items =
        malloc(((size_t)facts->gap_start[facts->object_count] + 1) * sizeof *items);
    uint32_t count = 0;
    if (!items)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    for (uint32_t o = 0; o < facts->object_count; o++)
        count += list_gaps(a, o, items + count);
    qsort(items, count, sizeof *items, compare);
    enum sl_status status = SL_OK;
    uint32_t last = SL_NONE; /* the node behind which the next copy out is submitted */
    for (uint32_t i = 0; i < count && status == SL_OK; i++) {
        if (i == 0 || items[i].position != items[i - 1].position)
            last = items[i].source;
        status = take_out(a, &items[i], &last);
    }
    free(items);
    return status;
}

const struct sl_part sl_action_offload = {
    .role = "action",
    .name = "offload",
    .description = "move selected objects to another domain in their gaps, and back",
    .parameters = "select: which; objects: names or globs; prefetch: when they come back",
    .example = "{action: offload, select: largest, prefetch: {when: lookahead, lookahead: 2}}",
    .selects = true,
    .moves = true,
    .eligible = eligible,
    .cost = cost,
    .way = way,
    .relief = relief,
    .apply = apply,
};
