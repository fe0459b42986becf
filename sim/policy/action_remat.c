/* Action remat: drop a selected object in its gap and make it again, right before the node that
 * ends the gap, by running its `reconstruct` node once more.
 *
 * A clone's inputs live until the clone.  One that was dropped itself is recomputed first, in the
 * same place; so is one that would otherwise be kept alive for the clone alone, if its own rule
 * recomputes everything (select all or list).  One clone makes all dropped outputs of its node
 * whose gap is open there. */
#include "attempt.h"
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 10000 /* clones that one clone needs, one behind the other */

static bool names(const struct sl_graph *graph, struct sl_span list, uint32_t object)
{
    for (uint32_t k = 0; k < list.count; k++)
        if (sl_object_root(graph, graph->objects_pool[list.first + k]).i == object)
            return true;
    return false;
}

/* True when something writes the object after node `from` and before node `until`. */
static bool written_between(const struct sl_facts *facts, uint32_t object, uint32_t from,
                            uint32_t until)
{
    uint32_t writer = sl_facts_writer_before(facts, object, until);
    return writer != SL_NONE && facts->position[writer] > facts->position[from];
}

/* True when what the object holds at `until` is what `node` wrote: it, or one that runs in its
 * stead, is the last writer before. */
static bool wrote_last(const struct sl_facts *facts, uint32_t object, uint32_t node, uint32_t until)
{
    uint32_t writer = sl_facts_writer_before(facts, object, until);
    return writer == node || (writer != SL_NONE && sl_nodes_alternate(facts->graph, writer, node));
}

/* Why running the reconstruct node again before `until` would not give the object; NULL: it does.
 */
static const char *obstacle(const struct sl_facts *facts, uint32_t object, uint32_t until)
{
    const struct sl_graph *graph = facts->graph;
    const struct sl_object *o = &graph->objects[object];
    if (o->reconstruct.i == SL_NONE)
        return "no node is stated that reconstructs it";
    if (o->equivalence == SL_EQ_UNKNOWN)
        return "its reconstruction is of unknown equivalence";
    if (o->equivalence == SL_EQ_UNSTATED)
        return "the equivalence of its reconstruction is not stated";
    const struct sl_node *node = &graph->nodes[o->reconstruct.i];
    if (!names(graph, node->outputs, object))
        return "its reconstruct node does not write it";
    if (!wrote_last(facts, object, o->reconstruct.i, until))
        return "another node has written it since its reconstruct node";
    for (uint32_t k = 0; k < node->inputs.count; k++) {
        uint32_t input = sl_object_root(graph, graph->objects_pool[node->inputs.first + k]).i;
        if (names(graph, node->outputs, input))
            return "its reconstruct node works in place";
        if (facts->by_user[input] && (!graph->objects[input].persist || facts->given_back[input]))
            return "an input of its reconstruct node is moved or reclaimed by the graph itself";
        if (written_between(facts, input, o->reconstruct.i, until))
            return "an input of its reconstruct node is overwritten before";
    }
    return NULL;
}

static const char *eligible(const struct sl_facts *facts, const struct sl_gap *gap)
{
    return obstacle(facts, gap->object, gap->after);
}

static double cost(const struct sl_facts *facts, const struct sl_gap *gap)
{
    uint32_t node = facts->graph->objects[gap->object].reconstruct.i;
    return facts->finish[node] - facts->start[node];
}

static void way(const struct sl_facts *facts, const struct sl_gap *gap, double *free_ps,
                double *back_ps)
{
    *free_ps = facts->finish[gap->before];
    *back_ps = cost(facts, gap);
}

static void relief(const struct sl_facts *facts, const struct sl_gap *gap, uint32_t *from,
                   uint32_t *to)
{
    *from = facts->position[gap->before] + 1;
    *to = facts->position[gap->after] - 1;
}

static bool is_chosen(const struct sl_attempt *a, uint32_t object)
{
    const struct sl_facts *facts = a->facts;
    for (uint32_t g = facts->gap_start[object]; g < facts->gap_start[object + 1]; g++)
        if (a->choices[g].action == &sl_action_remat)
            return true;
    return false;
}

/* The gap in which the plan drops the object and which is still open where `consumer` runs;
 * SL_NONE: the object is there. */
static uint32_t open_gap(const struct sl_attempt *a, uint32_t object, uint32_t consumer)
{
    const struct sl_facts *facts = a->facts;
    uint32_t low = facts->gap_start[object], high = facts->gap_start[object + 1];
    while (low < high) { /* gaps follow each other: the last one that begins before */
        uint32_t middle = low + (high - low) / 2;
        if (facts->position[facts->gaps[middle].before] < facts->position[consumer])
            low = middle + 1;
        else
            high = middle;
    }
    if (low == facts->gap_start[object])
        return SL_NONE;
    const struct sl_gap *gap = &facts->gaps[low - 1];
    bool open = a->choices[low - 1].action == &sl_action_remat && !a->returned[low - 1] &&
                facts->position[gap->after] >= facts->position[consumer];
    return open ? low - 1 : SL_NONE;
}

/* True when a copy that the plan drops is not back yet where `consumer` runs. */
static bool is_missing(const struct sl_attempt *a, uint32_t object, uint32_t consumer)
{
    return open_gap(a, object, consumer) != SL_NONE;
}

/* True when an input would be kept alive for clones alone and its rule would rather recompute it.
 */
static bool should_drop_too(const struct sl_attempt *a, uint32_t object, uint32_t consumer)
{
    const struct sl_facts *facts = a->facts;
    uint32_t end = facts->use_start[object + 1];
    if (is_chosen(a, object) || a->returned_at[object] != SL_NONE || facts->by_user[object] ||
        facts->graph->objects[object].persist || end == facts->use_start[object])
        return false;
    const struct sl_rule *rule = sl_rule_for(a->rules, facts->graph, object);
    if (!rule || rule->action != &sl_action_remat || !rule->select->takes_all)
        return false;
    return facts->position[facts->uses[end - 1].node] < facts->position[consumer] &&
           !sl_facts_use_is_owed(facts, object, consumer) && !obstacle(facts, object, consumer);
}

/* The user's node that runs before `consumer` on its first resource; SL_NONE: none.  A fallback
 * does what its primary owes, so nothing that it needs may wait for that one or for what comes
 * after. */
static uint32_t runs_before(const struct sl_attempt *a, uint32_t consumer)
{
    const struct sl_graph *graph = a->graph;
    struct sl_span demands = graph->nodes[consumer].demands;
    if (demands.count == 0)
        return SL_NONE;
    uint32_t resource = graph->demands[demands.first].resource;
    uint32_t primary = a->facts->primary[consumer];
    for (uint32_t node = a->prev[consumer]; node != SL_NONE; node = a->prev[node]) {
        struct sl_span other = graph->nodes[node].demands;
        if (node < a->facts->graph->node_count && other.count > 0 &&
            graph->demands[other.first].resource == resource &&
            (primary == SL_NONE || a->facts->position[node] < a->facts->position[primary]))
            return node;
    }
    return SL_NONE;
}

/* The clone's outputs: what it is made for and every other dropped output that is missing here. */
static enum sl_status choose_outputs(struct sl_attempt *a, const struct sl_node *original,
                                     uint32_t object, uint32_t consumer, struct sl_span *outputs)
{
    enum sl_status status = SL_OK;
    *outputs = (struct sl_span){0};
    for (uint32_t k = 0; k < original->outputs.count && status == SL_OK; k++) {
        uint32_t output =
            sl_object_root(a->graph, a->graph->objects_pool[original->outputs.first + k]).i;
        if (names(a->graph, *outputs, output) ||
            (output != object && (!is_missing(a, output, consumer) ||
                                  sl_facts_use_is_owed(a->facts, output, consumer))))
            continue;
        uint32_t gap = open_gap(a, output, consumer);
        if (gap != SL_NONE)
            a->returned[gap] = true;
        status = sl_graph_push_object(a->graph, outputs, (sl_object_id){output}, a->err);
    }
    return status;
}

static void note_returns(struct sl_attempt *a, struct sl_span outputs, uint32_t consumer)
{
    for (uint32_t k = 0; k < outputs.count; k++)
        a->returned_at[a->graph->objects_pool[outputs.first + k].i] = consumer;
}

enum sl_status sl_remat_clone(struct sl_attempt *a, uint32_t original, struct sl_span outputs,
                              uint32_t object, uint32_t consumer, const char *reason)
{
    uint32_t index, count = ++a->clones_of[original];
    const struct sl_node source = a->graph->nodes[original];
    struct sl_node clone = source;
    note_returns(a, outputs, consumer);
    clone.name = sl_editor_text(&a->editor, "remat:%s#%u", source.name, count);
    clone.key = sl_editor_text(&a->editor, "%s#%u", source.key, count);
    if (!clone.name || !clone.key)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    clone.kind = SL_REMATERIALIZATION;
    clone.outputs = outputs;
    clone.lane = a->graph->nodes[consumer].lane;
    clone.release_ps = 0;
    clone.deadline_ps = INT64_MAX;
    clone.fallback.i = clone.staging_until.i = SL_NONE;
    clone.takes = clone.gives = clone.uses = (struct sl_span){0};
    enum sl_status status = sl_editor_node(&a->editor, &clone, &index);
    if (status == SL_OK)
        status = sl_sequence_insert(a, index, a->prev[consumer], consumer);
    if (status)
        return status;
    /* On demand: not before the node ahead of its consumer is done.  One lane says that already. */
    uint32_t ahead = runs_before(a, consumer);
    if (ahead != SL_NONE && (clone.lane == SL_NONE || a->graph->nodes[ahead].lane != clone.lane))
        status = sl_editor_edge(&a->editor, ahead, index, SL_EDGE_ORDERING, SL_NONE, NULL);
    if (status == SL_OK)
        status = sl_editor_note(&a->editor, SL_EDIT_ADD_NODE, index, object, reason,
                                "recompute %s by %s before %s", a->graph->objects[object].name,
                                source.name, a->graph->nodes[consumer].name);
    return status;
}

static enum sl_status recompute(struct sl_attempt *a, uint32_t object, uint32_t consumer,
                                unsigned depth)
{
    const struct sl_graph *base = a->facts->graph;
    const struct sl_node *node = &base->nodes[base->objects[object].reconstruct.i];
    if (depth > MAX_DEPTH)
        return SL_FAIL_AT(a->err, SL_NO, base->objects[object].place,
                          "recomputing '%s' needs a chain of more than %d recomputations",
                          base->objects[object].name, MAX_DEPTH);
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < node->inputs.count && status == SL_OK; k++) {
        uint32_t input = sl_object_root(base, base->objects_pool[node->inputs.first + k]).i;
        if (is_missing(a, input, consumer) || should_drop_too(a, input, consumer))
            status = recompute(a, input, consumer, depth + 1);
    }
    if (status)
        return status;
    struct sl_span outputs;
    uint32_t original = base->objects[object].reconstruct.i;
    status = choose_outputs(a, node, object, consumer, &outputs);
    if (status)
        return status;
    return sl_remat_clone(a, original, outputs, object, consumer,
                          is_chosen(a, object) ? "its gap ends here" : "a clone reads it");
}

struct item {
    uint32_t position, gap;
};

static int compare(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    return x->gap < y->gap ? -1 : x->gap > y->gap;
}

static enum sl_status apply(struct sl_attempt *a)
{
    const struct sl_facts *facts = a->facts;
    uint32_t gaps = facts->gap_start[facts->object_count], count = 0;
    struct item *items = malloc(((size_t)gaps + 1) * sizeof *items);
    if (!items)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    for (uint32_t g = 0; g < gaps; g++)
        if (a->choices[g].action == &sl_action_remat)
            items[count++] = (struct item){facts->position[facts->gaps[g].after], g};
    qsort(items, count, sizeof *items, compare);
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; i < count && status == SL_OK; i++) {
        const struct sl_gap *gap = &facts->gaps[items[i].gap];
        if (!a->returned[items[i].gap])
            status = recompute(a, gap->object, gap->after, 0);
    }
    free(items);
    return status;
}

const struct sl_part sl_action_remat = {
    .role = "action",
    .name = "remat",
    .description = "drop selected objects in their gaps and compute them again",
    .parameters = "select: which; objects: names or globs",
    .example = "{action: remat, select: list, objects: [norm1.*]}",
    .selects = true,
    .eligible = eligible,
    .cost = cost,
    .way = way,
    .relief = relief,
    .apply = apply,
};
