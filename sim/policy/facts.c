/* The facts of a graph: data flow, order, expected times, homes, uses. */
#include "facts.h"
#include <stdlib.h>

static bool make_room(struct sl_facts *facts)
{
    size_t nodes = (size_t)facts->graph->node_count + 1, objects = (size_t)facts->object_count + 2;
    facts->position = calloc(nodes, sizeof *facts->position);
    facts->start = calloc(nodes, sizeof *facts->start);
    facts->finish = calloc(nodes, sizeof *facts->finish);
    facts->optional = calloc(nodes, sizeof *facts->optional);
    facts->primary = malloc(nodes * sizeof *facts->primary);
    facts->home = calloc(objects, sizeof *facts->home);
    facts->use_start = calloc(objects, sizeof *facts->use_start);
    facts->by_user = calloc(objects, sizeof *facts->by_user);
    facts->given_back = calloc(objects, sizeof *facts->given_back);
    facts->gap_start = calloc(objects, sizeof *facts->gap_start);
    facts->longest = calloc(objects, sizeof *facts->longest);
    return facts->position && facts->start && facts->finish && facts->optional && facts->primary &&
           facts->home && facts->use_start && facts->by_user && facts->given_back &&
           facts->gap_start && facts->longest;
}

static void note_optional(struct sl_facts *facts)
{
    for (uint32_t i = 0; i < facts->graph->node_count; i++) {
        const struct sl_node *node = &facts->graph->nodes[i];
        facts->optional[i] |= node->guards.count > 0 || node->fallback.i != SL_NONE;
        if (node->fallback.i != SL_NONE)
            facts->optional[node->fallback.i] = true;
    }
}

struct completion {
    struct sl_facts *facts;
    struct sl_editor editor;
};

static enum sl_status need_edge(void *user, uint32_t from, uint32_t to, enum sl_edge_type type,
                                uint32_t object)
{
    struct completion *c = user;
    struct sl_facts *facts = c->facts;
    bool added;
    enum sl_status status = sl_editor_edge(&c->editor, from, to, type, object, &added);
    if (status || !added)
        return status;
    if (!sl_grow((void **)&facts->flow_edges, &facts->flow_edge_capacity,
                 facts->flow_edge_count + 1, sizeof *facts->flow_edges))
        return SL_FAIL(c->editor.err, SL_SYSTEM, "out of memory for a plan's data flow");
    facts->flow_edges[facts->flow_edge_count++] = (struct sl_flow_edge){from, to, object, type};
    return SL_OK;
}

/* Adds the edges from writers to readers to facts->graph, which is not finished yet. */
static enum sl_status complete_flow(struct sl_facts *facts, struct sl_error *err)
{
    struct completion c = {.facts = facts};
    sl_editor_open(&c.editor, facts->graph, NULL, err);
    enum sl_status status =
        sl_flow_derive(facts->scenario->graph, facts->domain_count, need_edge, &c, err);
    sl_editor_close(&c.editor);
    return status;
}

/* Chains of fallbacks, from the first of the plan on; the bound is for rings, which are refused
 * elsewhere. */
static void note_primaries(struct sl_facts *facts)
{
    const struct sl_graph *graph = facts->graph;
    for (uint32_t i = 0; i < graph->node_count; i++)
        facts->primary[i] = SL_NONE;
    for (uint32_t t = 0; t < graph->node_count; t++) {
        uint32_t node = graph->nodes[graph->topo[t]].fallback.i;
        for (uint32_t hops = 0; node != SL_NONE && hops < graph->node_count; hops++) {
            if (facts->primary[node] == SL_NONE)
                facts->primary[node] = graph->topo[t];
            node = graph->nodes[node].fallback.i;
        }
    }
}

uint32_t sl_facts_owed_until(const struct sl_facts *facts, uint32_t node)
{
    const struct sl_graph *graph = facts->graph;
    uint32_t last = 0;
    node = graph->nodes[node].fallback.i;
    for (uint32_t hops = 0; node != SL_NONE && hops < graph->node_count; hops++) {
        last = facts->position[node] > last ? facts->position[node] : last;
        node = graph->nodes[node].fallback.i;
    }
    return last;
}

bool sl_facts_use_is_owed(const struct sl_facts *facts, uint32_t object, uint32_t consumer)
{
    uint32_t end = facts->position[consumer];
    for (uint32_t u = facts->use_start[object]; u < facts->use_start[object + 1]; u++) {
        uint32_t node = facts->uses[u].node;
        if (facts->position[node] < end && sl_facts_owed_until(facts, node) >= end)
            return true;
    }
    return false;
}

enum sl_status sl_facts_gather(struct sl_facts *facts, const struct sl_scenario *scenario,
                               const struct sl_rules *rules, struct sl_error *err)
{
    *facts = (struct sl_facts){.scenario = scenario, .platform = &scenario->platform};
    facts->graph = sl_graph_copy_edges(scenario->graph);
    if (!facts->graph)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a plan");
    facts->object_count = facts->graph->object_count;
    facts->domain_count = facts->platform->domain_names.count;
    if (!make_room(facts))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a plan's facts");
    for (uint32_t o = 0; o < facts->object_count; o++)
        facts->home[o] = sl_object_home(facts->graph, o);
    note_optional(facts);
    enum sl_status status = sl_holds_find(facts, err);
    if (status == SL_OK)
        status = complete_flow(facts, err);
    if (status == SL_OK)
        status = sl_graph_finish(facts->graph, err);
    if (status == SL_OK)
        status = sl_schedule_expect(facts->graph, facts->graph->topo, facts->graph->node_count,
                                    facts->start, facts->finish, err);
    for (uint32_t t = 0; t < facts->graph->node_count && status == SL_OK; t++)
        facts->position[facts->graph->topo[t]] = t;
    if (status == SL_OK)
        note_primaries(facts);
    if (status == SL_OK)
        status = sl_gaps_find(facts, err);
    return status == SL_OK ? sl_journeys_find(facts, rules, err) : status;
}

bool sl_facts_has_gap(const struct sl_facts *facts, uint32_t object)
{
    const struct sl_object *o = &facts->graph->objects[object];
    return facts->longest[object] != SL_NONE && !facts->by_user[object] && !o->persist &&
           o->alias_of.i == SL_NONE;
}

const struct sl_gap *sl_facts_longest(const struct sl_facts *facts, uint32_t object)
{
    return &facts->gaps[facts->longest[object]];
}

bool sl_facts_is_entry(const struct sl_facts *facts, uint32_t object)
{
    uint32_t initial = facts->graph->objects[object].initial;
    uint32_t first = facts->use_start[object];
    return initial != SL_NONE && initial != facts->home[object] && !facts->by_user[object] &&
           first < facts->use_start[object + 1] && facts->uses[first].reads;
}

void sl_facts_free(struct sl_facts *facts)
{
    sl_graph_free(facts->graph);
    free(facts->position);
    free(facts->start);
    free(facts->finish);
    free(facts->optional);
    free(facts->primary);
    free(facts->home);
    free(facts->use_start);
    free(facts->uses);
    free(facts->by_user);
    free(facts->given_back);
    free(facts->holds);
    free(facts->hold_start);
    free(facts->gaps);
    free(facts->gap_start);
    free(facts->longest);
    free(facts->journeys);
    free(facts->flow_edges);
    *facts = (struct sl_facts){0};
}
