/* Why a replication cannot go on: a cycle of the wait-for relation among the jobs that came first,
 * by name, or a demand that can never be met.
 *
 * Nothing runs, so all units are free: what is left to wait for is a predecessor, a turn in an
 * order of issue or a strict list, or bytes that jobs hold, some until their end.  A node of the
 * search is (rank of the job among those looked at) x n + node of the plan. */
#include "jobs_parts.h"
#include "units.h"
#include "waitlist.h"
#include "waits.h"
#include <stdlib.h>

enum { MOST_JOBS = 16 }; /* that are looked at: the first ones hold what the others wait for */

struct stuck {
    const struct sl_jobs_worker *w;
    uint32_t jobs[MOST_JOBS], count; /* places, by number */
};

/* ---- who waits for whom ---------------------------------------------------------------------- */

static const struct job *job_of(const struct sl_waits *waits, uint32_t node)
{
    const struct stuck *stuck = waits->user;
    return &stuck->w->jobs[stuck->jobs[node / stuck->w->p->n]];
}

static uint32_t handle_of(const struct sl_waits *waits, uint32_t node)
{
    const struct stuck *stuck = waits->user;
    return job_of(waits, node)->runs + node % stuck->w->p->n;
}

static const struct job_run *run_of(const struct sl_waits *waits, uint32_t node)
{
    const struct stuck *stuck = waits->user;
    return &stuck->w->runs[handle_of(waits, node)];
}

static bool is_open(const struct sl_waits *waits, uint32_t node)
{
    return run_of(waits, node)->phase != PHASE_PASSED;
}

static bool is_waiting(const struct sl_waits *waits, uint32_t node)
{
    return run_of(waits, node)->phase == PHASE_WAITING;
}

static bool next_condition(const struct sl_waits *waits, uint32_t node, struct wait *wait)
{
    const struct stuck *stuck = waits->user;
    const struct sl_program *base = stuck->w->p->base;
    const struct sl_graph *g = base->graph;
    uint32_t own = node % base->n, first_of_job = node - own;
    uint32_t first = g->pred_start[own], preds = g->pred_start[own + 1] - first;
    while (wait->cursor < preds) {
        wait->kind = WAIT_EDGE;
        wait->target = first_of_job + g->edges[g->pred_edges[first + wait->cursor++]].from.i;
        if (is_open(waits, wait->target))
            return true;
    }
    if (wait->cursor++ > preds || base->lane_before[own] == SL_NONE)
        return false;
    wait->kind = WAIT_LANE;
    wait->target = first_of_job + base->lane_before[own];
    return is_open(waits, wait->target);
}

/* The node of a run, if its job is one of those looked at; SL_NONE. */
static uint32_t node_of(const struct stuck *stuck, uint32_t handle)
{
    const struct job_run *run = &stuck->w->runs[handle];
    for (uint32_t rank = 0; rank < stuck->count; rank++)
        if (stuck->jobs[rank] == run->job)
            return rank * stuck->w->p->n + run->node;
    return SL_NONE;
}

/* Of those that stand before a run in its strict list and compete with it, one that is first in its
 * queue; SL_NONE. */
static uint32_t strict_blocker(const struct stuck *stuck, uint32_t handle)
{
    const struct sl_jobs_worker *w = stuck->w;
    const struct job_run *run = &w->runs[handle];
    const struct job_queue *queue = &w->p->queues[w->p->nodes[run->node].queue];
    const struct job_list_run *list = &w->lists[queue->order];
    if (queue->simple || !(w->p->nodes[run->node].flags & NODE_STRICT))
        return SL_NONE;
    struct job_item item = sl_jobs_wait_item(w, handle);
    for (uint32_t k = 0; k < list->filled_count; k++) {
        const struct job_queue_run *q = &w->queues[list->filled[k]];
        const struct job_item *first = &q->items[q->head];
        uint32_t node = (uint32_t)(first->index >> 32);
        if (first->handle != handle && in_common(w->p->base, node, run->node) &&
            sl_jobs_wait_before(w, list->aging, first, &item))
            return node_of(stuck, first->handle);
    }
    return SL_NONE;
}

static bool next_turn(const struct sl_waits *waits, uint32_t node, struct wait *wait)
{
    const struct stuck *stuck = waits->user;
    uint32_t n = stuck->w->p->n, handle = handle_of(waits, node);
    wait->cursor = 1;
    wait->kind = WAIT_TURN;
    if (stuck->w->p->nodes[node % n].flags & NODE_ISSUE) {
        uint32_t turn = sl_jobs_wait_turn(stuck->w, handle);
        wait->target = turn == SL_NONE ? SL_NONE : node - node % n + turn;
        if (turn != SL_NONE)
            return true;
    }
    wait->kind = WAIT_STRICT;
    wait->target = strict_blocker(stuck, handle);
    return wait->target != SL_NONE;
}

/* Bytes that a run lacks in a domain; 0: enough is free. */
static int64_t lacking(const struct sl_waits *waits, uint32_t node, uint32_t domain)
{
    const struct stuck *stuck = waits->user;
    const struct domain_run *run = &stuck->w->base->domains[domain];
    int64_t want = sl_jobs_bytes_want(stuck->w, handle_of(waits, node), domain);
    return want > run->limit - run->level ? want : 0;
}

/* Who gives a holding of the job back: an open giver, or else, since the job itself does at its
 * end, the first node that it waits for. */
static uint32_t giver_of(const struct sl_waits *waits, uint32_t rank, uint32_t holding)
{
    const struct stuck *stuck = waits->user;
    const struct sl_program *base = stuck->w->p->base;
    uint32_t first = rank * base->n;
    for (uint32_t k = 0; k < base->giver[holding].count; k++) {
        uint32_t giver = first + base->givers[base->giver[holding].first + k];
        if (is_open(waits, giver))
            return giver;
    }
    for (uint32_t i = first; i < first + base->n; i++)
        if (is_waiting(waits, i))
            return i;
    return SL_NONE;
}

/* What other jobs hold comes before the job's own. */
static bool next_holding(const struct sl_waits *waits, uint32_t node, struct wait *wait)
{
    const struct stuck *stuck = waits->user;
    const struct sl_jobs_program *p = stuck->w->p;
    uint32_t all = stuck->count * p->holdings, rank = node / p->n;
    for (; wait->cursor <= 2 * all; wait->cursor++) {
        uint32_t at = (wait->cursor - 1) % all, other = at / p->holdings, h = at % p->holdings;
        const struct job *job = &stuck->w->jobs[stuck->jobs[other]];
        if ((other == rank) != (wait->cursor > all) || !job_held(stuck->w, job)[h] ||
            !lacking(waits, node, p->base->graph->holdings[h].domain))
            continue;
        wait->target = giver_of(waits, other, h);
        if (wait->target == SL_NONE)
            continue;
        wait->kind = WAIT_BYTES;
        wait->holding = h;
        wait->cursor++;
        return true;
    }
    return false;
}

static bool next_wait(const struct sl_waits *waits, uint32_t node, struct wait *wait)
{
    const struct stuck *stuck = waits->user;
    if (run_of(waits, node)->phase == PHASE_PENDING)
        return next_condition(waits, node, wait);
    if (!is_waiting(waits, node))
        return false;
    if (!wait->cursor && next_turn(waits, node, wait))
        return true;
    return stuck->w->p->holdings && next_holding(waits, node, wait);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void say_name(struct sl_waits *waits, uint32_t node)
{
    const struct stuck *stuck = waits->user;
    sl_waits_say(waits, "%s of job %llu",
                 stuck->w->p->base->graph->nodes[node % stuck->w->p->n].name,
                 (unsigned long long)job_of(waits, node)->number);
}

static const char *list_name(const struct sl_waits *waits, uint32_t node)
{
    const struct stuck *stuck = waits->user;
    uint32_t r = stuck->w->p->nodes[node % stuck->w->p->n].resource;
    return r == SL_NONE ? "the fifo list"
                        : stuck->w->p->base->graph->platform->resource_names.names[r];
}

static void say_bytes(struct sl_waits *waits, uint32_t node, const struct wait *wait)
{
    const struct stuck *stuck = waits->user;
    const struct sl_graph *g = stuck->w->p->base->graph;
    const struct sl_holding *holding = &g->holdings[wait->holding];
    char text[32];
    sl_format_bytes(text, sizeof text, (double)lacking(waits, node, holding->domain));
    sl_waits_say(waits, "waits for %s of %s held by job %llu (%s, given back %s ", text,
                 g->platform->domain_names.names[holding->domain],
                 (unsigned long long)job_of(waits, wait->target)->number,
                 holding->object.i == SL_NONE ? "staging" : g->objects[holding->object.i].name,
                 stuck->w->p->base->giver[wait->holding].count ? "by" : "at its end, after");
    say_name(waits, wait->target);
    sl_waits_say(waits, ")");
}

static bool say_impossible_units(struct sl_waits *waits, uint32_t node)
{
    const struct stuck *stuck = waits->user;
    const struct sl_program *base = stuck->w->p->base;
    const struct range *demand = &base->demand[node % base->n];
    for (uint32_t k = 0; k < demand->count; k++) {
        const struct sl_demand *d = &base->demands[demand->first + k];
        if (d->units <= base->resources[d->resource].units)
            continue;
        say_name(waits, node);
        sl_waits_say(waits, " demands %u units of %s, which has %lld: this can never be met",
                     d->units, base->graph->platform->resource_names.names[d->resource],
                     (long long)base->resources[d->resource].units);
        return true;
    }
    return false;
}

/* What a job has of a domain: its objects and staging, and the blocks there that it found or made,
 * which no other can push out. */
static int64_t held_by(const struct sl_jobs_worker *w, uint32_t place, uint32_t domain)
{
    const struct job *job = &w->jobs[place];
    int64_t bytes = 0;
    for (uint32_t h = 0; h < w->p->holdings; h++)
        if (w->p->base->graph->holdings[h].domain == domain && job_held(w, job)[h])
            bytes += job_bytes(w, job, h);
    for (uint32_t c = 0; c < w->p->cache_count; c++) {
        const struct job_cache *cache = &w->p->caches[c];
        const struct job_blocks *blocks = job_blocks_of(w, place, c);
        for (uint32_t t = 0; t < cache->tiers; t++)
            for (uint32_t k = 0; cache->domain[t] == domain && k < blocks->pinned; k++)
                bytes += store_copy(&w->caches[c].store, blocks->items[k].block, t)->here
                             ? cache->bytes[t]
                             : 0;
    }
    return bytes;
}

/* Those that hold most of it, and what nobody uses, which left if that were enough. */
static void say_holders(struct sl_waits *waits, uint32_t domain)
{
    enum { SHOWN = 3 };
    const struct stuck *stuck = waits->user;
    int64_t bytes[MOST_JOBS], more = sl_jobs_room_more(stuck->w, domain);
    uint32_t said = 0, holders = 0;
    char text[32];
    for (uint32_t k = 0; k < stuck->count; k++) {
        bytes[k] = held_by(stuck->w, stuck->jobs[k], domain);
        holders += bytes[k] > 0;
    }
    for (; said < SHOWN && said < holders; said++) {
        uint32_t most = 0;
        for (uint32_t k = 1; k < stuck->count; k++)
            most = bytes[k] > bytes[most] ? k : most;
        sl_format_bytes(text, sizeof text, (double)bytes[most]);
        sl_waits_say(waits, "%s %s by job %llu", said ? "," : ":", text,
                     (unsigned long long)stuck->w->jobs[stuck->jobs[most]].number);
        bytes[most] = 0;
    }
    if (holders > said)
        sl_waits_say(waits, " and some by %u more", holders - said);
    sl_format_bytes(text, sizeof text, (double)more);
    if (more > 0)
        sl_waits_say(waits, "; the %s that nobody uses could leave and are too few", text);
    else
        sl_waits_say(waits, ", with nobody left to give them back");
}

/* A demand beyond what the machine has; with `held` also beyond what stuck jobs leave of it. */
static bool say_impossible(struct sl_waits *waits, uint32_t node, bool held)
{
    const struct stuck *stuck = waits->user;
    const struct sl_program *base = stuck->w->p->base;
    if (say_impossible_units(waits, node))
        return true;
    for (uint32_t m = 0; m < base->domain_count; m++) {
        const struct domain_run *domain = &stuck->w->base->domains[m];
        int64_t want = lacking(waits, node, m);
        char wanted[32], usable[32], level[32];
        if (!want || (!held && want <= domain->limit))
            continue;
        sl_format_bytes(wanted, sizeof wanted, (double)want);
        sl_format_bytes(usable, sizeof usable, (double)domain->limit);
        sl_format_bytes(level, sizeof level, (double)domain->level);
        say_name(waits, node);
        sl_waits_say(waits, " demands %s of %s, of which %s are usable", wanted,
                     base->graph->platform->domain_names.names[m], usable);
        if (want > domain->limit)
            sl_waits_say(waits, ": this can never be met");
        else {
            sl_waits_say(waits, " and %s are held", level);
            say_holders(waits, m);
        }
        return true;
    }
    return false;
}

/* ---- the report ------------------------------------------------------------------------------ */

/* The first of the admitted jobs, by number; spills only follow them. */
static void choose_jobs(struct stuck *stuck)
{
    const struct sl_jobs_worker *w = stuck->w;
    for (uint32_t k = 0; k < w->job_places; k++) {
        if (w->jobs[k].runs == SL_NONE || w->jobs[k].spill)
            continue;
        uint32_t at = stuck->count < MOST_JOBS ? stuck->count++ : MOST_JOBS;
        for (; at && w->jobs[stuck->jobs[at - 1]].number > w->jobs[k].number; at--)
            if (at < MOST_JOBS)
                stuck->jobs[at] = stuck->jobs[at - 1];
        if (at < MOST_JOBS)
            stuck->jobs[at] = k;
    }
}

static void say_why(struct sl_waits *waits)
{
    const struct stuck *stuck = waits->user;
    for (uint32_t i = 0; i < waits->count; i++)
        if (is_waiting(waits, i) && say_impossible(waits, i, false))
            return;
    if (sl_waits_report(waits))
        return;
    for (uint32_t i = 0; i < waits->count; i++)
        if (is_waiting(waits, i) && say_impossible(waits, i, true))
            return;
    sl_waits_say(waits, "nothing can run, and %u jobs are left in the system", stuck->w->in_system);
}

void sl_jobs_deadlock_report(struct sl_jobs_worker *w)
{
    struct stuck stuck = {.w = w};
    choose_jobs(&stuck);
    struct sl_waits waits = {
        .user = &stuck,
        .count = stuck.count * w->p->n,
        .next = next_wait,
        .is_open = is_open,
        .is_waiting = is_waiting,
        .say_name = say_name,
        .say_bytes = say_bytes,
        .list_name = list_name,
        .text = w->base->deadlock,
    };
    size_t places = 2 * (size_t)waits.count + 1;
    waits.waits = malloc(places * sizeof *waits.waits);
    waits.mark = calloc(places, sizeof *waits.mark);
    waits.queue = malloc(places * sizeof *waits.queue);
    waits.origin = malloc(places * sizeof *waits.origin);
    waits.text[0] = '\0';
    if (waits.waits && waits.mark && waits.queue && waits.origin)
        say_why(&waits);
    else if (!w->status)
        w->status = SL_FAIL(w->err, SL_SYSTEM, "out of memory for the report of a deadlock");
    free(waits.waits);
    free(waits.mark);
    free(waits.queue);
    free(waits.origin);
    w->totals.deadlock = waits.text;
}
