/* Uses of every object at home, in plan order, and the gaps between them. */
#include "facts.h"
#include <stdlib.h>
#include <string.h>

struct gathering {
    struct sl_facts *facts;
    uint32_t *fill; /* next free place of each object; NULL while counting */
};

static void add_use(struct gathering *g, uint32_t object, struct sl_use use)
{
    struct sl_facts *facts = g->facts;
    if (!g->fill) {
        facts->use_start[object + 1]++;
        return;
    }
    uint32_t at = g->fill[object];
    if (at > facts->use_start[object] && facts->uses[at - 1].node == use.node) {
        facts->uses[at - 1].reads |= use.reads;
        facts->uses[at - 1].writes |= use.writes;
        return;
    }
    if (at > facts->use_start[object] || use.reads || use.writes) /* a hold of nothing is none */
        facts->uses[g->fill[object]++] = use;
}

static enum sl_status note_use(void *user, uint32_t node, uint32_t object, uint32_t domain,
                               enum sl_mention what)
{
    struct gathering *g = user;
    struct sl_facts *facts = g->facts;
    enum sl_node_kind kind = facts->graph->nodes[node].kind;
    bool reads = what == SL_MENTION_READ;
    if (facts->graph->objects[object].shared)
        return SL_OK; /* its blocks are nobody's own (shared.c) */
    facts->given_back[object] |= what == SL_MENTION_RECLAIM && domain == facts->home[object];
    if (sl_node_moves(kind) || what == SL_MENTION_ROOM || what == SL_MENTION_RECLAIM)
        facts->by_user[object] = true;
    else if (domain == facts->home[object] && domain != SL_NONE)
        add_use(g, object, (struct sl_use){node, SL_NONE, reads, !reads});
    return SL_OK;
}

static enum sl_status visit_all(struct gathering *g)
{
    enum sl_status status = SL_OK;
    const struct sl_facts *facts = g->facts;
    const struct sl_graph *graph = facts->graph;
    for (uint32_t t = 0; t < graph->node_count && status == SL_OK; t++) {
        uint32_t node = graph->topo[t];
        for (uint32_t h = facts->hold_start[node]; h < facts->hold_start[node + 1]; h++)
            add_use(g, facts->holds[h].object, (struct sl_use){node, SL_NONE, false, false});
        status = sl_mentions(graph, node, note_use, g);
    }
    return status;
}

/* The first use of the object at `position` or behind it. */
static uint32_t use_from(const struct sl_facts *facts, uint32_t object, uint32_t position)
{
    uint32_t low = facts->use_start[object], high = facts->use_start[object + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (facts->position[facts->uses[middle].node] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t sl_facts_writer_before(const struct sl_facts *facts, uint32_t object, uint32_t node)
{
    uint32_t use = use_from(facts, object, facts->position[node]);
    return use > facts->use_start[object] ? facts->uses[use - 1].writer : SL_NONE;
}

static void note_writers(struct sl_facts *facts)
{
    for (uint32_t o = 0; o < facts->object_count; o++) {
        uint32_t writer = SL_NONE;
        for (uint32_t u = facts->use_start[o]; u < facts->use_start[o + 1]; u++) {
            writer = facts->uses[u].writes ? facts->uses[u].node : writer;
            facts->uses[u].writer = writer;
        }
    }
}

/* A hold keeps the object's copy from its producer to its consumer, so gaps that begin before the
 * consumer and end behind the producer are closed.  Differences within an object's uses: their sum
 * up to a use is the number of holds over the gap behind it. */
static void close_gaps(const struct sl_facts *facts, int32_t *closed)
{
    uint32_t holds = facts->hold_start[facts->scenario->graph->node_count];
    for (uint32_t h = 0; h < holds; h++) {
        const struct sl_hold *hold = &facts->holds[h];
        uint32_t first = use_from(facts, hold->object, facts->position[hold->from] + 1);
        uint32_t end = use_from(facts, hold->object, facts->position[hold->to]);
        first = first > facts->use_start[hold->object] ? first - 1 : first;
        if (first >= end)
            continue;
        closed[first]++;
        if (end < facts->use_start[hold->object + 1])
            closed[end]--;
    }
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* A copy that is to come back must be read, not just written over, and something must run between.
 * Returns the number of gaps so far. */
static uint32_t gaps_of(struct sl_facts *facts, uint32_t object, const int32_t *closed,
                        uint32_t count)
{
    uint32_t end = facts->use_start[object + 1];
    int32_t held = 0;
    uint32_t owed_until = 0; /* the end of a use so far may wait for nodes up to there */
    uint32_t writer, best = SL_NONE, best_steps = 0;
    for (uint32_t u = facts->use_start[object]; u + 1 < end; u++) {
        const struct sl_use *before = &facts->uses[u], *after = before + 1;
        uint32_t steps = facts->position[after->node] - facts->position[before->node];
        held += closed[u];
        double length = facts->start[after->node] - facts->finish[before->node];
        owed_until = later(owed_until, sl_facts_owed_until(facts, before->node));
        writer = before->writer;
        if (!after->reads || steps < 2 || held)
            continue;
        if (facts->position[after->node] <= owed_until)
            continue;
        facts->gaps[count] = (struct sl_gap){object, before->node, after->node, writer, length};
        if (best == SL_NONE || length > facts->gaps[best].length_ps ||
            (length >= facts->gaps[best].length_ps && steps > best_steps)) {
            best = count;
            best_steps = steps;
        }
        count++;
    }
    facts->longest[object] = best;
    return count;
}

enum sl_status sl_gaps_find(struct sl_facts *facts, struct sl_error *err)
{
    uint32_t objects = facts->object_count;
    struct gathering g = {.facts = facts};
    enum sl_status status = visit_all(&g);
    for (uint32_t o = 0; o < objects; o++)
        facts->use_start[o + 1] += facts->use_start[o];
    facts->uses = calloc((size_t)facts->use_start[objects] + 1, sizeof *facts->uses);
    g.fill = malloc(((size_t)objects + 1) * sizeof *g.fill);
    if (status == SL_OK && (!facts->uses || !g.fill))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the uses of objects");
    if (status == SL_OK) {
        memcpy(g.fill, facts->use_start, objects * sizeof *g.fill);
        status = visit_all(&g);
    }
    /* A node that reads and writes an object holds one place of the two that were counted: close
     * the ranges up, so that the end of each is where its filling stopped. */
    uint32_t kept = 0;
    for (uint32_t o = 0; o < objects && status == SL_OK; o++) {
        uint32_t first = facts->use_start[o], count = g.fill[o] - first;
        memmove(&facts->uses[kept], &facts->uses[first], count * sizeof *facts->uses);
        facts->use_start[o] = kept;
        kept += count;
    }
    free(g.fill);
    if (status != SL_OK)
        return status;
    facts->use_start[objects] = kept;
    note_writers(facts);
    int32_t *closed = calloc((size_t)kept + 1, sizeof *closed);
    facts->gaps = malloc(((size_t)kept + 1) * sizeof *facts->gaps);
    if (closed && facts->gaps) {
        close_gaps(facts, closed);
        for (uint32_t o = 0; o < objects; o++)
            facts->gap_start[o + 1] = gaps_of(facts, o, closed, facts->gap_start[o]);
    } else {
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for the gaps of objects");
    }
    free(closed);
    return status;
}
