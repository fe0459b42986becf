/* From a plan to its replay.  The waiting orders, demands and bytes are taken as the engine has
 * packed them: a replay by other rules than the simulator's would show nothing. */
#include "config.h"

#include "program.h"
#include "replay.h"
#include "replay_size.h"
#include "text.h"
#include <math.h>
#include <string.h>

#define PS_PER_NS 1000

struct maker {
    struct sl_replay_plan *replay;
    const struct sl_program *p;
    const struct sl_graph *graph;
    const struct sl_replay_machine *machine;
    struct sl_error *err;
};

static int64_t to_ns(double ps)
{
    return llround(ps / PS_PER_NS);
}

/* ---- what can't be executed ------------------------------------------------------------------ */

static enum sl_status refuse(const struct maker *m, const struct sl_node *node, const char *why)
{
    return SL_FAIL_AT(m->err, SL_INVALID, node->place, "'%s' can't be replayed: %s", node->name,
                      why);
}

static enum sl_status check_node(const struct maker *m, const struct sl_node *node)
{
    if (node->guards.count > 0)
        return refuse(m, node, "whether it runs is drawn by a guard");
    if (node->fallback.i != SL_NONE)
        return refuse(m, node, "it has a fallback, for which it would be cancelled in time");
    return SL_OK;
}

static enum sl_status check_plan(const struct maker *m)
{
    const struct sl_platform *platform = m->graph->platform;
    const char *why = NULL;
    if (m->p->evictor)
        why = "copies leave while it runs (evict)";
    for (uint32_t i = 0; i < m->p->n; i++)
        if (m->p->hot[i].flags & NODE_OVERLAP)
            why = "nodes are kept apart (overlap.csv, or unknown_kappa: forbid)";
    for (uint32_t r = 0; r < m->p->resource_count; r++)
        if (m->p->resources[r].aging_ps)
            why = "priorities age while nodes wait";
    for (uint32_t d = 0; d < m->p->domain_count; d++)
        if (platform->domains[d].fragmentation)
            why = "the fragmentation of a domain is drawn";
    return why ? SL_FAIL(m->err, SL_INVALID, "the plan can't be replayed: %s", why) : SL_OK;
}

/* ---- work ------------------------------------------------------------------------------------ */

static enum sl_status no_such_class(const struct maker *m, const struct sl_node *node)
{
    const char *names[64];
    size_t count = 0;
    char hint[256] = "";
    const char *name = m->graph->platform->kappa.classes.names[node->klass];
    for (uint32_t c = 0; c < m->machine->class_count && count < 64; c++)
        names[count++] = m->machine->classes[c].name;
    sl_suggest(hint, sizeof hint, name, names, count);
    return SL_FAIL_AT(m->err, SL_INVALID, node->place,
                      "'%s' can't be replayed: the backend has no class '%s'%s", node->name, name,
                      hint);
}

static enum sl_status cut(const struct maker *m, uint32_t index)
{
    const struct sl_node *node = &m->graph->nodes[index];
    struct sl_replay_node *act = &m->replay->nodes[index];
    uint64_t pieces = m->machine->cut(m->machine->bench, &act->work);
    act->pieces = (uint32_t)pieces;
    if (pieces <= SL_REPLAY_PIECES_MAX)
        return SL_OK;
    return SL_FAIL_AT(
        m->err, SL_INVALID, node->place,
        "'%s' can't be replayed: it takes as long as %llu works of class '%s' of the "
        "largest size measured, and %d are done at most (--set scale.duration.%s=...)",
        node->name, (unsigned long long)pieces, m->machine->classes[act->work.klass].name,
        SL_REPLAY_PIECES_MAX, node->name);
}

static enum sl_status find_work(const struct maker *m, uint32_t index)
{
    const struct sl_node *node = &m->graph->nodes[index];
    struct sl_work *work = &m->replay->nodes[index].work;
    *work = (struct sl_work){.klass = SL_NONE};
    m->replay->nodes[index].pieces = 1;
    if (node->klass == SL_NONE)
        return SL_OK;
    const char *name = m->graph->platform->kappa.classes.names[node->klass];
    for (uint32_t c = 0; c < m->machine->class_count; c++)
        if (strcmp(m->machine->classes[c].name, name) == 0)
            work->klass = c;
    if (work->klass == SL_NONE)
        return no_such_class(m, node);
    const char *waived = m->machine->classes[work->klass].waived;
    if (waived)
        return refuse(m, node, waived);
    enum sl_status status = sl_replay_size(m->graph, index, &work->bytes, m->err);
    return status == SL_OK && m->machine->cut ? cut(m, index) : status;
}

/* What of a plan takes time, and on whose account. */
static enum sl_status find_act(const struct maker *m, uint32_t index)
{
    const struct sl_node *node = &m->graph->nodes[index];
    struct sl_replay_node *act = &m->replay->nodes[index];
    uint32_t resource = m->p->hot[index].resource;
    act->hold_ns = to_ns(sl_node_mean_hold(m->graph, (sl_node_id){index}));
    act->latency_ns = to_ns(sl_node_mean_latency(m->graph, (sl_node_id){index}));
    if (act->hold_ns <= 0)
        return SL_OK;
    act->act = SL_REPLAY_DELAY;
    if (resource == SL_NONE)
        return SL_OK;
    if (m->replay->resources[resource].servers == SL_UNLIMITED) {
        if (node->klass == SL_NONE)
            return SL_OK;
        return refuse(m, node, "its resource has unlimited servers");
    }
    act->act = SL_REPLAY_WORK;
    m->replay->resources[resource].seats = m->replay->resources[resource].servers;
    return find_work(m, index);
}

/* ---- copies of the packed program ------------------------------------------------------------ */

static enum sl_status copy_node(const struct maker *m, uint32_t index)
{
    const struct sl_program *p = m->p;
    const struct node_hot *hot = &p->hot[index];
    const struct sl_node *node = &m->graph->nodes[index];
    enum sl_status status = check_node(m, node);
    if (status != SL_OK)
        return status;
    m->replay->nodes[index] = (struct sl_replay_node){
        .name = node->name,
        .klass = node->klass,
        .class_name =
            node->klass == SL_NONE ? "" : m->graph->platform->kappa.classes.names[node->klass],
        .release_ns = node->release_ps / PS_PER_NS,
        .pending = p->template[index].pending,
        .key = hot->key,
        .order = hot->resource == SL_NONE ? SL_ORDER_FIFO : p->resources[hot->resource].order,
        .strict = hot->resource != SL_NONE && p->resources[hot->resource].strict,
        .followers = {hot->succ_first, hot->succ_count},
        .demands = {p->demand[index].first, p->demand[index].count},
        .amounts = {p->amount[index].first, p->amount[index].count},
        .gives = {p->gives[index].first, p->gives[index].count},
    };
    return find_act(m, index);
}

static uint32_t span_end(struct sl_span span, uint32_t end)
{
    return span.first + span.count > end ? span.first + span.count : end;
}

/* The pools to which the nodes' spans refer. */
static bool copy_pools(const struct maker *m)
{
    struct sl_replay_plan *replay = m->replay;
    const struct sl_program *p = m->p;
    struct sl_arena *arena = &replay->arena;
    uint32_t edges = 0, demands = 0, amounts = 0, gives = 0;
    for (uint32_t i = 0; i < replay->node_count; i++) {
        edges = span_end(replay->nodes[i].followers, edges);
        demands = span_end(replay->nodes[i].demands, demands);
        amounts = span_end(replay->nodes[i].amounts, amounts);
        gives = span_end(replay->nodes[i].gives, gives);
    }
    replay->edges = sl_arena_array(arena, (size_t)edges + 1, sizeof *replay->edges);
    replay->demands = sl_arena_array(arena, (size_t)demands + 1, sizeof *replay->demands);
    replay->amounts = sl_arena_array(arena, (size_t)amounts + 1, sizeof *replay->amounts);
    replay->gives = sl_arena_array(arena, (size_t)gives + 1, sizeof *replay->gives);
    if (!replay->edges || !replay->demands || !replay->amounts || !replay->gives)
        return false;
    for (uint32_t k = 0; k < edges; k++)
        replay->edges[k] = (struct sl_replay_edge){p->succ[k].to, p->succ_lag[k] / PS_PER_NS};
    for (uint32_t k = 0; k < demands; k++)
        replay->demands[k] = p->demands[k];
    for (uint32_t k = 0; k < amounts; k++)
        replay->amounts[k] = (struct sl_replay_amount){p->amounts[k].domain, p->amounts[k].holding,
                                                       p->amounts[k].bytes};
    for (uint32_t k = 0; k < gives; k++)
        replay->gives[k] = p->give_holdings[k];
    return true;
}

static bool copy_machine(const struct maker *m)
{
    struct sl_replay_plan *replay = m->replay;
    const struct sl_graph *graph = m->graph;
    struct sl_arena *arena = &replay->arena;
    replay->resource_count = m->p->resource_count;
    replay->domain_count = m->p->domain_count;
    replay->holding_count = graph->holding_count;
    replay->node_count = m->p->n;
    replay->resources =
        sl_arena_array(arena, (size_t)replay->resource_count + 1, sizeof *replay->resources);
    replay->limits = sl_arena_array(arena, (size_t)replay->domain_count + 1, sizeof(int64_t));
    replay->domains =
        sl_arena_array(arena, (size_t)replay->domain_count + 1, sizeof *replay->domains);
    replay->holdings =
        sl_arena_array(arena, (size_t)replay->holding_count + 1, sizeof *replay->holdings);
    replay->nodes = sl_arena_array(arena, (size_t)replay->node_count + 1, sizeof *replay->nodes);
    if (!replay->resources || !replay->limits || !replay->domains || !replay->holdings ||
        !replay->nodes)
        return false;
    for (uint32_t r = 0; r < replay->resource_count; r++)
        replay->resources[r] = (struct sl_replay_resource){
            graph->platform->resource_names.names[r], graph->platform->resources[r].servers, 0};
    for (uint32_t d = 0; d < replay->domain_count; d++)
        replay->domains[d] = graph->platform->domain_names.names[d];
    memcpy(replay->limits, m->p->domain_limit, replay->domain_count * sizeof(int64_t));
    for (uint32_t h = 0; h < replay->holding_count; h++)
        replay->holdings[h] = (struct sl_replay_holding){
            graph->holdings[h].domain, m->p->holding_bytes[h], graph->holdings[h].initial};
    return true;
}

static enum sl_status count_seats(const struct maker *m)
{
    uint64_t seats = 0;
    for (uint32_t r = 0; r < m->replay->resource_count; r++)
        seats += m->replay->resources[r].seats;
    if (seats > m->machine->seats_max)
        return SL_FAIL(m->err, SL_SYSTEM,
                       "the plan's resources have %llu servers that work at once; this machine "
                       "does %u things at once",
                       (unsigned long long)seats, m->machine->seats_max);
    m->replay->seat_count = (uint32_t)seats;
    return SL_OK;
}

enum sl_status sl_replay_plan_make(struct sl_replay_plan *replay, const struct sl_plan *plan,
                                   const struct sl_replay_machine *machine, struct sl_error *err)
{
    struct sl_program *program;
    *replay = (struct sl_replay_plan){0};
    enum sl_status status = sl_program_create(&program, plan->graph, &plan->engine, err);
    if (status != SL_OK)
        return status;
    const struct maker m = {replay, program, plan->graph, machine, err};
    status = check_plan(&m);
    if (status == SL_OK && !copy_machine(&m))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t i = 0; status == SL_OK && i < replay->node_count; i++)
        status = copy_node(&m, i);
    if (status == SL_OK && !copy_pools(&m))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        status = count_seats(&m);
    sl_program_free(program);
    return status;
}

void sl_replay_plan_free(struct sl_replay_plan *replay)
{
    sl_arena_free(&replay->arena);
    *replay = (struct sl_replay_plan){0};
}
