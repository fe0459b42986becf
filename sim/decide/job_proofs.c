/* Proofs of modes open and closed, whose trials are courses of many jobs: of the plan itself, so
 * that they hold for any number of jobs in any order.
 *
 * Lifetime.  A job's copies are its own.  Each is given back behind all its users if the plan's
 * edges and lanes put every user before the node that gives it back, or behind a node that takes
 * another copy later.  What no node gives back is given back at the job's end.
 *
 * Progress.  A node takes all that it demands at once, and keeps units only while it runs, which
 * ends.  Only bytes are held while a job waits.  So jobs cannot wait for each other in a circle if
 * in each limited domain a job holds nothing across its nodes, or jobs are admitted only if what
 * they may need is free, or all that may be in the system fit together. */
#include "config.h"

#include "decide_parts.h"
#include "evictor.h"
#include "proof_uses.h"
#include <stdlib.h>

#define MOST_NODES 4096 /* of which each pair is looked at */

struct job_proof {
    const struct sl_scenario *scenario;
    const struct sl_graph *graph;
    struct proof_uses uses;
    uint64_t *before; /* by node: bits of what finishes before it starts */
    size_t words;
    struct sl_arena arena;
};

static void take_before(struct job_proof *p, uint32_t node, uint32_t from)
{
    uint64_t *to = &p->before[node * p->words];
    const uint64_t *of = &p->before[from * p->words];
    to[from / 64] |= UINT64_C(1) << from % 64;
    /* What is cancelled, and what stands by for it, passes without what it would have waited for.
     */
    if (p->graph->nodes[from].fallback.i != SL_NONE)
        return;
    for (size_t w = 0; w < p->words; w++)
        to[w] |= of[w];
}

static bool find_order(struct job_proof *p)
{
    const struct sl_graph *graph = p->graph;
    uint32_t nodes = graph->node_count;
    uint32_t *last = sl_arena_array(&p->arena, (size_t)graph->lane_names.count + 1, sizeof *last);
    uint32_t *lane_before = sl_arena_array(&p->arena, (size_t)nodes + 1, sizeof *lane_before);
    uint32_t *in_order = sl_arena_array(&p->arena, (size_t)nodes + 1, sizeof *in_order);
    p->words = (size_t)nodes / 64 + 1;
    p->before = sl_arena_array(&p->arena, nodes * p->words + 1, sizeof *p->before);
    if (!last || !lane_before || !in_order || !p->before)
        return false;
    for (uint32_t l = 0; l < graph->lane_names.count; l++)
        last[l] = SL_NONE;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t lane = graph->nodes[i].lane;
        lane_before[i] = lane == SL_NONE ? SL_NONE : last[lane];
        if (lane != SL_NONE)
            last[lane] = i;
        in_order[p->uses.position[i]] = i;
    }
    for (uint32_t k = 0; k < nodes; k++) {
        uint32_t node = in_order[k];
        if (lane_before[node] != SL_NONE)
            take_before(p, node, lane_before[node]);
        for (uint32_t e = graph->pred_start[node]; e < graph->pred_start[node + 1]; e++)
            take_before(p, node, graph->edges[graph->pred_edges[e]].from.i);
    }
    return true;
}

static bool comes_before(const struct job_proof *p, uint32_t a, uint32_t b)
{
    return a == b || (p->before[b * p->words + a / 64] >> a % 64 & 1);
}

/* It is of a copy that is taken after this one was given back. */
static bool is_of_later(const struct job_proof *p, uint32_t node, uint32_t place, uint32_t giver)
{
    const struct proof_uses *u = &p->uses;
    for (uint32_t k = u->place_first[place]; k < u->place_first[place + 1]; k++) {
        uint32_t holding = u->holdings[k];
        for (uint32_t t = u->taker_first[holding]; t < u->taker_first[holding + 1]; t++)
            if (comes_before(p, giver, u->takers[t]) && comes_before(p, u->takers[t], node))
                return true;
    }
    return false;
}

/* Every user of the place is before the node that gives the copy back, or of a later copy. */
static bool is_last(const struct job_proof *p, uint32_t place, uint32_t giver)
{
    for (uint32_t i = 0; i < p->graph->node_count; i++)
        for (uint32_t k = p->uses.use_first[i]; k < p->uses.use_first[i + 1]; k++)
            if (p->uses.uses[k].place == place && !comes_before(p, i, giver) &&
                !is_of_later(p, i, place, giver))
                return false;
    return true;
}

static void prove_lifetime(const struct job_proof *p, struct sl_record_lifetime *lifetime)
{
    const struct proof_uses *u = &p->uses;
    bool proven = true;
    lifetime->reclamations = 0;
    for (uint32_t place = 0; place < u->place_count; place++)
        for (uint32_t k = u->place_first[place]; k < u->place_first[place + 1]; k++) {
            uint32_t holding = u->holdings[k];
            for (uint32_t g = u->giver_first[holding]; g < u->giver_first[holding + 1]; g++) {
                lifetime->reclamations++;
                proven &= is_last(p, place, u->givers[g]);
            }
        }
    lifetime->proven = proven ? SL_TRUTH_YES : SL_TRUTH_UNKNOWN;
}

/* All that one job may hold of the domain, were it held at once; -1: that is each job's own. */
static int64_t need_of(const struct sl_graph *graph, uint32_t domain, bool *holds)
{
    int64_t sum = 0;
    bool varies = false;
    *holds = false;
    for (uint32_t h = 0; h < graph->holding_count; h++) {
        const struct sl_holding *holding = &graph->holdings[h];
        if (holding->domain != domain || holding->initial)
            continue;
        *holds = true;
        varies |= holding->object.i != SL_NONE && graph->objects[holding->object.i].size;
        sum += sl_rounded_bytes(holding->bytes, graph->platform->domains[domain].rounding);
    }
    for (uint32_t o = 0; o < graph->object_count; o++)
        if (graph->objects[o].shared && sl_object_home(graph, o) == domain)
            *holds = varies = true;
    for (uint32_t i = 0; i < graph->node_count; i++) { /* tiers to which blocks spill */
        const struct sl_node *node = &graph->nodes[i];
        if (node->object.i != SL_NONE && (node->from == domain || node->to == domain) &&
            graph->objects[sl_object_root(graph, node->object).i].shared)
            *holds = varies = true;
    }
    for (uint32_t i = 0; i < graph->node_count; i++)
        for (uint32_t k = 0; k < graph->nodes[i].workspace.count; k++) {
            const struct sl_amount *amount = &graph->amounts[graph->nodes[i].workspace.first + k];
            sum += amount->domain == domain ? amount->bytes : 0;
        }
    return varies ? -1 : sum;
}

static int64_t initial_bytes(const struct sl_graph *graph, uint32_t domain)
{
    int64_t sum = 0;
    for (uint32_t h = 0; h < graph->holding_count; h++)
        if (graph->holdings[h].domain == domain && graph->holdings[h].initial)
            sum += sl_rounded_bytes(graph->holdings[h].bytes,
                                    graph->platform->domains[domain].rounding);
    return sum;
}

static bool never_short(const struct job_proof *p, uint32_t domain)
{
    const struct sl_domain *what = &p->graph->platform->domains[domain];
    const struct sl_job_mode *jobs = &p->scenario->jobs;
    bool closed = p->scenario->mode == SL_MODE_CLOSED, holds;
    uint32_t most = jobs->admitted_most;
    if (closed && (most == 0 || jobs->concurrency < most))
        most = jobs->concurrency;
    int64_t need = need_of(p->graph, domain, &holds);
    int64_t room = what->capacity - what->reserve - initial_bytes(p->graph, domain);
    if (what->capacity < 0 || !holds || jobs->memory == domain)
        return true;
    return !what->fragmentation && most > 0 && need >= 0 && need <= room / most;
}

static void prove_progress(const struct job_proof *p, struct sl_record_progress *progress)
{
    bool safe = progress->deadlocked == 0 && progress->livelocked == 0 &&
                sl_graph_planned(p->graph) == p->graph->node_count;
    for (uint32_t d = 0; safe && d < p->graph->platform->domain_names.count; d++)
        safe = never_short(p, d);
    progress->acyclic = safe ? SL_TRUTH_YES : SL_TRUTH_UNKNOWN;
}

enum sl_status sl_decide_job_proofs(struct sl_record *record, const struct sl_cell *cell,
                                    struct sl_error *err)
{
    struct job_proof p = {.scenario = cell->scenario, .graph = cell->plan.graph};
    enum sl_status status = SL_OK;
    record->proofs.lifetime.trials = cell->trials;
    if (p.graph->node_count <= MOST_NODES) {
        if (sl_proof_uses_gather(&p.uses, p.graph) && find_order(&p)) {
            prove_lifetime(&p, &record->proofs.lifetime);
            prove_progress(&p, &record->proofs.progress);
        } else {
            status = sl_decide_no_memory(err);
        }
    }
    sl_proof_uses_free(&p.uses);
    sl_arena_free(&p.arena);
    return status;
}
