/* See chain_steps.h. */
#include "chain_steps.h"
#include <stdlib.h>

static enum sl_status refuse(const struct sl_chain *c, struct sl_error *err, uint32_t object,
                             const char *why)
{
    const struct sl_object *o = &c->facts->graph->objects[object];
    return SL_FAIL_AT(err, SL_NO, o->place,
                      "action chain-optimal: the objects of its rule are not a chain: '%s' %s",
                      o->name, why);
}

static uint32_t maker_of(const struct sl_chain *c, uint32_t object)
{
    return c->facts->graph->objects[object].reconstruct.i;
}

static enum sl_status add_object(struct sl_chain *c, uint32_t object, struct sl_error *err)
{
    const struct sl_facts *facts = c->facts;
    uint32_t last = facts->use_start[object + 1];
    if (facts->by_user[object] || facts->graph->objects[object].persist ||
        facts->graph->objects[object].alias_of.i != SL_NONE || last == facts->use_start[object])
        return SL_OK;
    struct sl_gap whole = {.object = object, .after = facts->uses[last - 1].node};
    if (sl_action_remat.eligible(facts, &whole))
        return SL_OK;
    if (c->object_count == 0)
        c->domain = facts->home[object];
    if (facts->home[object] != c->domain)
        return refuse(c, err, object, "has its home in another domain than the ones before");
    if (!sl_grow((void **)&c->objects, &c->object_capacity, c->object_count + 1,
                 sizeof *c->objects))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a chain");
    c->objects[c->object_count++] = (struct sl_chain_object){.object = object};
    return SL_OK;
}

/* Sorts the objects by their makers and numbers the steps: insertion, since rows are nearly always
 * in that order. */
static enum sl_status number_steps(struct sl_chain *c, struct sl_error *err)
{
    const uint32_t *position = c->facts->position;
    for (uint32_t i = 1; i < c->object_count; i++) {
        struct sl_chain_object object = c->objects[i];
        uint32_t at = i, place = position[maker_of(c, object.object)];
        for (; at > 0 && position[maker_of(c, c->objects[at - 1].object)] > place; at--)
            c->objects[at] = c->objects[at - 1];
        c->objects[at] = object;
    }
    for (uint32_t i = 0; i < c->object_count; i++) {
        uint32_t maker = maker_of(c, c->objects[i].object);
        c->at[c->objects[i].object] = i;
        if (c->made == 0 || c->maker[c->made] != maker) {
            if (c->made == SL_CHAIN_STEPS - 1)
                return SL_FAIL_AT(err, SL_NO, c->rule->place,
                                  "action chain-optimal: a chain of more than %d steps (narrow "
                                  "`objects`)",
                                  SL_CHAIN_STEPS - 1);
            c->maker[++c->made] = maker;
            c->steps[c->made].time_ps = c->facts->finish[maker] - c->facts->start[maker];
        }
        c->objects[i].step = c->made;
    }
    c->count = c->made;
    return SL_OK;
}

static uint32_t first_object(const struct sl_chain *c, uint32_t t)
{
    uint32_t i = 0;
    while (c->objects[i].step != t)
        i++;
    return c->objects[i].object;
}

/* The chain's object that a node reads as its input number k, NULL. */
static struct sl_chain_object *input(const struct sl_chain *c, const struct sl_node *node,
                                     uint32_t k)
{
    const struct sl_graph *graph = c->facts->graph;
    uint32_t at = c->at[sl_object_root(graph, graph->objects_pool[node->inputs.first + k]).i];
    return at == SL_NONE ? NULL : &c->objects[at];
}

/* What step t reads: state t - 1, which it makes a state, and what stays. */
static enum sl_status check_maker(struct sl_chain *c, uint32_t t, struct sl_error *err)
{
    const struct sl_graph *graph = c->facts->graph;
    const struct sl_node *node = &graph->nodes[c->maker[t]];
    uint32_t own = first_object(c, t);
    bool linked = t == 1;
    for (uint32_t k = 0; k < node->inputs.count; k++) {
        struct sl_chain_object *from = input(c, node, k);
        uint32_t o = sl_object_root(graph, graph->objects_pool[node->inputs.first + k]).i;
        if (from && from->step + 1 != t)
            return refuse(c, err, own, "is made from another state than the one before");
        if (!from && t > 1 && graph->objects[o].initial == SL_NONE)
            return refuse(c, err, own,
                          "is made from something else that is not there from the start");
        if (from)
            linked = from->is_state = true;
    }
    return linked ? SL_OK : refuse(c, err, own, "is not made from the state before it");
}

static uint32_t turn_of(const struct sl_chain *c)
{
    return c->facts->position[c->maker[c->made]];
}

/* The first place from `from` on that reads an object; UINT32_MAX: none. */
static uint32_t read_from(const struct sl_chain *c, uint32_t object, uint32_t from)
{
    const struct sl_facts *facts = c->facts;
    for (uint32_t u = facts->use_start[object]; u < facts->use_start[object + 1]; u++)
        if (facts->position[facts->uses[u].node] >= from && facts->uses[u].reads)
            return facts->position[facts->uses[u].node];
    return UINT32_MAX;
}

/* Of the last step nothing is handed on: its state is what is read first. */
static void choose_last_state(struct sl_chain *c)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t i = c->object_count; i-- > 0 && c->objects[i].step == c->made;) {
        uint32_t place = read_from(c, c->objects[i].object, turn_of(c) + 1);
        first = place < first ? place : first;
    }
    for (uint32_t i = c->object_count; i-- > 0 && c->objects[i].step == c->made;)
        c->objects[i].is_state = read_from(c, c->objects[i].object, turn_of(c) + 1) == first;
}

static enum sl_status check_forward_uses(const struct sl_chain *c,
                                         const struct sl_chain_object *object, struct sl_error *err)
{
    const struct sl_facts *facts = c->facts;
    uint32_t t = object->step, next = t < c->made ? c->maker[t + 1] : SL_NONE;
    for (uint32_t u = facts->use_start[object->object]; u < facts->use_start[object->object + 1];
         u++) {
        uint32_t node = facts->uses[u].node;
        if (facts->optional[node])
            return refuse(c, err, object->object, "is used by a node that may not run");
        if (facts->position[node] <= turn_of(c) && node != c->maker[t] && node != next)
            return refuse(c, err, object->object, "is read by several nodes before the last state");
    }
    return SL_OK;
}

/* True when the node reads a state of step t. */
static bool reads_state(const struct sl_chain *c, uint32_t place, uint32_t t)
{
    const struct sl_node *node = &c->facts->graph->nodes[c->facts->graph->topo[place]];
    for (uint32_t k = 0; k < node->inputs.count; k++) {
        const struct sl_chain_object *from = input(c, node, k);
        if (from && from->step == t && from->is_state)
            return true;
    }
    return false;
}

/* Where backward step t begins; those behind it are known. */
static enum sl_status find_begin(struct sl_chain *c, uint32_t t, struct sl_error *err)
{
    uint32_t own = UINT32_MAX, state = UINT32_MAX, turn = turn_of(c);
    uint32_t behind = t < c->made ? c->begin[t + 1] : turn;
    bool is_read = false;
    for (uint32_t i = 0; i < c->object_count; i++) {
        const struct sl_chain_object *o = &c->objects[i];
        if (o->step != t)
            continue;
        uint32_t place = read_from(c, o->object, turn + 1);
        is_read |= place != UINT32_MAX;
        for (; o->is_state && place != UINT32_MAX; place = read_from(c, o->object, place + 1)) {
            if (place > behind && place < state)
                state = place;
            if (reads_state(c, place, t - 1))
                break;
        }
        own = place < own ? place : own;
    }
    if (!is_read)
        return refuse(c, err, first_object(c, t), "is not read after the last state");
    c->begin[t] = own == UINT32_MAX ? state : own;
    if (c->begin[t] == UINT32_MAX || c->begin[t] <= behind)
        return refuse(c, err, first_object(c, t < c->made ? t + 1 : t),
                      "is not read before the state that it is made from");
    return SL_OK;
}

/* The step in whose backward step a place lies. */
static uint32_t step_at(const struct sl_chain *c, uint32_t place)
{
    uint32_t t = c->made;
    if (place < c->begin[t])
        return t + 1;
    while (t > 1 && c->begin[t - 1] <= place)
        t--;
    return t;
}

/* Who reads what: state t and what step t saved in its own backward step, state t in the one
 * before, too. */
static enum sl_status check_backward_uses(struct sl_chain *c, const struct sl_chain_object *object,
                                          struct sl_error *err)
{
    uint32_t place = read_from(c, object->object, turn_of(c) + 1);
    for (; place != UINT32_MAX; place = read_from(c, object->object, place + 1)) {
        uint32_t t = step_at(c, place);
        if (t != object->step && !(object->is_state && t == object->step + 1))
            return refuse(c, err, object->object, "is read in the backward step of another state");
        if (t > c->made)
            c->count = t;
        if (object->is_state)
            *(t == object->step ? &c->steps[t].reads_state : &c->steps[t].reads_input) = true;
        if (c->last[t] < place)
            c->last[t] = place;
    }
    return SL_OK;
}

enum sl_status sl_chain_find(struct sl_chain *c, const struct sl_facts *facts,
                             const struct sl_rules *rules, const struct sl_rule *rule,
                             struct sl_error *err)
{
    *c = (struct sl_chain){.facts = facts, .rule = rule};
    enum sl_status status = SL_OK;
    c->at = malloc(((size_t)facts->object_count + 1) * sizeof *c->at);
    if (!c->at)
        return SL_FAIL(err, SL_SYSTEM, "out of memory for a chain");
    for (uint32_t o = 0; o < facts->object_count && status == SL_OK; o++) {
        c->at[o] = SL_NONE;
        if (sl_rule_for(rules, facts->graph, o) == rule)
            status = add_object(c, o, err);
    }
    if (status == SL_OK)
        status = number_steps(c, err);
    for (uint32_t t = 1; t <= c->made && status == SL_OK; t++)
        status = check_maker(c, t, err);
    if (status == SL_OK && c->made > 0)
        choose_last_state(c);
    for (uint32_t i = 0; i < c->object_count && status == SL_OK; i++)
        status = check_forward_uses(c, &c->objects[i], err);
    for (uint32_t t = c->made; t >= 1 && status == SL_OK; t--)
        status = find_begin(c, t, err);
    for (uint32_t i = 0; i < c->object_count && status == SL_OK; i++)
        status = check_backward_uses(c, &c->objects[i], err);
    return status;
}

void sl_chain_free(struct sl_chain *c)
{
    free(c->objects);
    free(c->at);
    *c = (struct sl_chain){0};
}
