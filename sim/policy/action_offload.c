/* Action offload: in a selected gap an object moves to another domain and back.
 *
 * The copy out starts as soon as the last writer is done (or, where the object came back from an
 * earlier gap since, with the use that ended it), beside other readers; the home copy's bytes go
 * back once the copy out and the last use before the gap are done.  When a valid copy is in the
 * other domain anyway, nothing moves out: the object was read from there, or it went there in an
 * earlier gap, was not written since, and the policy keeps copies. */
#include "attempt.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>

static const struct sl_way *way_back(const struct sl_facts *facts, const struct sl_gap *gap)
{
    const struct sl_journey *journey = &facts->journeys[gap->object];
    return sl_gap_has_origin(facts, gap) ? &journey->entry : &journey->back;
}

static double back_mean(const struct sl_facts *facts, const struct sl_gap *gap, uint32_t first)
{
    return sl_way_mean(facts, gap->object, SL_PREFETCH, way_back(facts, gap), first);
}

static const char *eligible(const struct sl_facts *facts, const struct sl_gap *gap)
{
    if (sl_gap_refuge(facts, gap) == SL_NONE)
        return "no other domain where it may lie has routes there and back";
    return NULL;
}

/* Time of the engines both ways, and what of it the gap cannot hide. */
static double cost(const struct sl_facts *facts, const struct sl_gap *gap)
{
    double out = sl_gap_has_origin(facts, gap) ? 0.0
                                               : sl_way_mean(facts, gap->object, SL_OFFLOAD,
                                                             &facts->journeys[gap->object].out, 0);
    double engines = out + back_mean(facts, gap, 0);
    double exposed = engines - gap->length_ps;
    return engines + (exposed > 0.0 ? exposed : 0.0);
}

/* Expected end of the first hop of the copy out, ps; 0: there is none. */
static double gone(const struct sl_facts *facts, const struct sl_gap *gap)
{
    if (sl_gap_has_origin(facts, gap))
        return 0.0;
    return (gap->writer == SL_NONE ? 0.0 : facts->finish[gap->writer]) +
           sl_hop_mean(facts, gap->object, SL_OFFLOAD, &facts->journeys[gap->object].out, 0);
}

static void way(const struct sl_facts *facts, const struct sl_gap *gap, double *free_ps,
                double *back_ps)
{
    *free_ps = fmax(facts->finish[gap->before], gone(facts, gap));
    *back_ps = back_mean(facts, gap, 0);
}

/* From the end of the copy out to one last hop before the gap's end, by expected times. */
static void relief(const struct sl_facts *facts, const struct sl_gap *gap, uint32_t *from,
                   uint32_t *to)
{
    const uint32_t *order = facts->graph->topo;
    double out = gone(facts, gap);
    double needed =
        facts->start[gap->after] - back_mean(facts, gap, way_back(facts, gap)->hops - 1u);
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

/* Why the gap is one of those that were taken. */
static const char *reason(struct sl_attempt *a, uint32_t index)
{
    const struct sl_gap *gap = &a->facts->gaps[index];
    const struct sl_rule *rule = a->choices[index].rule;
    char size[32], length[32];
    const char *why = rule->action == &sl_action_best
                          ? "action best"
                          : sl_editor_text(&a->editor, "select %s", rule->select->name);
    if (!why)
        return NULL;
    return sl_editor_text(
        &a->editor, "%s: %s, gap of %s", why,
        sl_format_bytes(size, sizeof size, (double)a->graph->objects[gap->object].bytes),
        sl_format_time(length, sizeof length, gap->length_ps));
}

/* Behind *last, one hop behind the other; *last is the last one then. */
static enum sl_status add_offload(struct sl_attempt *a, const struct item *item, uint32_t *last)
{
    uint32_t object = a->facts->gaps[item->gap].object, first = SL_NONE;
    const struct sl_way *out = &a->facts->journeys[object].out;
    const char *why = reason(a, item->gap);
    if (!why)
        return SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    enum sl_status status = sl_hops_add(a, SL_OFFLOAD, object, out, "", why, &first);
    for (uint32_t h = 0; h < out->hops && status == SL_OK; h++) {
        status = sl_sequence_insert(a, first + h, *last, item->source);
        *last = first + h;
    }
    return status;
}

static enum sl_status take_out(struct sl_attempt *a, const struct item *item, uint32_t *last)
{
    const struct sl_facts *facts = a->facts;
    const struct sl_gap *gap = &facts->gaps[item->gap];
    enum sl_status status = SL_OK;
    if (!item->clean)
        status = add_offload(a, item, last);
    if (status == SL_OK &&
        !sl_grow((void **)&a->moves, &a->move_capacity, a->move_count + 1, sizeof *a->moves))
        status = SL_FAIL(a->err, SL_SYSTEM, "out of memory for a plan");
    if (status == SL_OK)
        a->moves[a->move_count++] =
            (struct sl_move){.object = gap->object,
                             .from = sl_gap_refuge(facts, gap),
                             .rule = a->choices[item->gap].rule,
                             .before = gap->before,
                             .source = item->source,
                             .out = item->clean ? NULL : &facts->journeys[gap->object].out,
                             .offload = item->clean ? SL_NONE : *last,
                             .consumer = gap->after,
                             .back = way_back(facts, gap),
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
        bool clean =
            sl_gap_has_origin(facts, gap) || (keeps && last && last->writer == gap->writer);
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

const struct sl_param sl_offload_params[1] = {
    {"action.to", SL_PARAM_DOMAIN, offsetof(struct sl_rule, to), 0.0, 0.0, NULL},
};

const struct sl_part sl_action_offload = {
    .role = "action",
    .name = "offload",
    .description = "move selected objects to another domain in their gaps, and back",
    .parameters = "to: domain where they lie (by default the first of their placements); select: "
                  "which; objects: names or globs; prefetch: when they come back",
    .example = "{action: offload, select: largest, prefetch: {when: lookahead, lookahead: 2}}",
    .params = sl_offload_params,
    .param_count = 1,
    .selects = true,
    .moves = true,
    .eligible = eligible,
    .cost = cost,
    .way = way,
    .relief = relief,
    .apply = apply,
};
