/* Making room: which copies leave when a node's bytes do not fit. */
#include "evict.h"
#include <stdio.h>

static const char *object_name(const struct sl_worker *w, uint32_t c)
{
    const struct sl_graph *g = w->p->graph;
    return g->objects[g->holdings[w->evict->plan->copies[c].holding].object.i].name;
}

/* ---- what is known of a copy ------------------------------------------------------------------
 */

/* Mean time of what `latent` does, once in a neighbourhood. */
static double once(struct sl_worker *w, uint32_t latent, uint32_t stamp)
{
    uint32_t *seen = &w->evict->seen_latent[latent - w->p->planned];
    if (*seen >= stamp)
        return 0;
    *seen = stamp;
    return w->p->mean_ps[latent];
}

/* True the first time that an absent copy is met. */
static bool meet(struct evict_run *e, uint32_t c, uint32_t stamp)
{
    uint8_t state = e->copies[c].state;
    if ((state != COPY_AWAY && state != COPY_OVER && state != COPY_RETURNING) ||
        e->seen[c] == stamp)
        return false;
    e->seen[c] = stamp;
    return true;
}

/* The neighbourhood e* of Kirisame et al. (2021): absent copies that have to be computed again
 * before this one could be, and absent ones that need it, each through absent ones only. */
static double neighbours(struct sl_worker *w, uint32_t c)
{
    struct evict_run *e = w->evict;
    const struct sl_evictor *plan = e->plan;
    double cost = 0;
    uint32_t depth = 0, stamp = e->stamp += 2;
    e->stack[depth++] = c;
    while (depth) {
        uint32_t back = plan->copies[e->stack[--depth]].back;
        struct sl_span reads = plan->latents[back - w->p->planned].reads;
        for (uint32_t k = 0; k < reads.count; k++) {
            uint32_t read = plan->pool[reads.first + k];
            if (!sl_copy_is_made(w, read) || !meet(e, read, stamp))
                continue;
            cost += once(w, plan->copies[read].back, stamp);
            e->stack[depth++] = read;
        }
    }
    e->stack[depth++] = c;
    while (depth) {
        struct sl_span clones = plan->copies[e->stack[--depth]].clones;
        for (uint32_t k = 0; k < clones.count; k++) {
            uint32_t clone = plan->pool[clones.first + k];
            struct sl_span moves = plan->latents[clone - w->p->planned].moves;
            for (uint32_t j = 0; j < moves.count; j++) {
                uint32_t made = plan->pool[moves.first + j];
                if (!meet(e, made, stamp + 1))
                    continue;
                cost += once(w, clone, stamp);
                e->stack[depth++] = made;
            }
        }
    }
    return cost;
}

static uint32_t steps_to_use(struct sl_worker *w, uint32_t c)
{
    struct evict_run *e = w->evict;
    struct sl_span users = e->plan->copies[c].users;
    uint32_t *next = &e->copies[c].next_user;
    while (*next < users.count &&
           w->run[e->plan->users[users.first + *next].node].phase > PHASE_WAITING)
        ++*next;
    if (*next == users.count)
        return UINT32_MAX;
    uint32_t place = e->place[e->plan->users[users.first + *next].node];
    return place > e->front ? place - e->front : 1;
}

static bool is_clean(const struct sl_worker *w, uint32_t c)
{
    uint32_t refuge = w->evict->plan->copies[c].refuge;
    return refuge != SL_NONE && w->held[refuge];
}

static double worth_of(struct sl_worker *w, uint32_t c)
{
    const struct sl_evict_copy *plan = &w->evict->plan->copies[c];
    const struct copy_run *copy = &w->evict->copies[c];
    bool moves = plan->out != SL_NONE && !is_clean(w, c);
    struct sl_evict_view view = {
        .bytes = w->p->holding_bytes[plan->holding],
        .now_ps = w->now,
        .used_ps = copy->used_ps,
        .loaded_ps = copy->loaded_ps,
        .next_use = steps_to_use(w, c),
        .leave_ps = moves ? w->p->mean_ps[plan->out] : 0,
        .back_ps = w->p->mean_ps[plan->back],
    };
    if (w->p->options.evict.neighbours && sl_copy_is_made(w, c))
        view.neighbours_ps = neighbours(w, c);
    return w->p->options.evict.worth(&view);
}

/* ---- who may leave ----------------------------------------------------------------------------
 */

static bool needs_copy(const struct sl_worker *w, uint32_t node, uint32_t c)
{
    const struct sl_evictor *plan = w->evict->plan;
    struct sl_span span =
        node < w->p->planned ? plan->uses[node] : plan->latents[node - w->p->planned].reads;
    for (uint32_t k = 0; k < span.count; k++)
        if (plan->pool[span.first + k] == c)
            return true;
    return false;
}

static bool is_free(const struct sl_worker *w, uint32_t c, uint32_t node)
{
    const struct evict_run *e = w->evict;
    const struct copy_run *copy = &e->copies[c];
    if (copy->pins)
        return false;
    if (w->p->options.evict.pins_running)
        return !copy->wants || !needs_copy(w, node, c);
    return !copy->wants || copy->oldest > e->number[node];
}

/* A copy that is nowhere else needs a place in its refuge. */
static bool has_way(const struct sl_worker *w, uint32_t c)
{
    const struct sl_evict_copy *plan = &w->evict->plan->copies[c];
    if (plan->refuge == SL_NONE)
        return sl_copy_can_drop(w, c);
    uint32_t m = w->p->graph->holdings[plan->refuge].domain;
    int64_t room = w->domains[m].limit - w->domains[m].level - w->evict->refuge_bytes[m];
    return w->held[plan->refuge] || w->p->holding_bytes[plan->refuge] <= room;
}

static bool may_leave(const struct sl_worker *w, uint32_t c, uint32_t node, uint32_t m)
{
    const struct sl_evict_copy *plan = &w->evict->plan->copies[c];
    return plan->back != SL_NONE && w->p->graph->holdings[plan->holding].domain == m &&
           is_free(w, c, node) && has_way(w, c);
}

/* ---- leaving ----------------------------------------------------------------------------------
 */

/* Nodes that wait with the copy for their start gather it again after this scan. */
static void rob(struct sl_worker *w, uint32_t c)
{
    struct evict_run *e = w->evict;
    const struct sl_evict_copy *plan = &e->plan->copies[c];
    for (uint32_t k = 0; e->copies[c].wants && k < plan->users.count + plan->clones.count; k++) {
        uint32_t user = k < plan->users.count
                            ? e->plan->users[plan->users.first + k].node
                            : e->plan->pool[plan->clones.first + k - plan->users.count];
        if (!e->wanting[user] || e->robbed[user] || w->run[user].phase != PHASE_WAITING)
            continue;
        e->robbed[user] = true;
        e->robbed_nodes[e->robbed_count++] = user;
    }
}

/* Counts departures without progress of the plan. */
static void watch(struct sl_worker *w, uint32_t c, uint32_t node)
{
    struct evict_run *e = w->evict;
    struct copy_run *copy = &e->copies[c];
    if (copy->progress != e->progress)
        copy->turns = 0;
    copy->progress = e->progress;
    if (++copy->turns <= w->p->options.evict.livelock)
        return;
    const char *other = w->p->graph->nodes[node].name;
    bool latent = node >= w->p->planned;
    if (latent)
        other = object_name(w, e->plan->pool[e->plan->latents[node - w->p->planned].moves.first]);
    snprintf(
        e->livelock, sizeof e->livelock,
        "livelock: %.80s and %.80s evict each other: %.80s left %u times, last for %.80s, while "
        "no node of the plan started or ended",
        object_name(w, c), other, object_name(w, c), copy->turns, other);
    w->stopped = true;
}

static void leave(struct sl_worker *w, uint32_t c, uint32_t node)
{
    struct evict_run *e = w->evict;
    const struct sl_evict_copy *plan = &e->plan->copies[c];
    struct copy_run *copy = &e->copies[c];
    uint32_t m = w->p->graph->holdings[plan->holding].domain;
    e->record[c].evicted++;
    e->record[c].thrashed += copy->unused;
    rob(w, c);
    sl_evict_take_away(w, c);
    bool drops = plan->refuge == SL_NONE || is_clean(w, c);
    sl_evict_note(w, c, drops ? SL_COPY_DROPPED : SL_COPY_LEAVES, node);
    if (drops) {
        copy->state = COPY_AWAY;
        sl_capacity_drop(w, plan->holding, copy->used_by);
        if (plan->refuge == SL_NONE)
            sl_lease_take(w, c);
    } else {
        copy->state = COPY_LEAVING;
        e->record[c].moved++;
        e->leaving_bytes[m] += w->p->holding_bytes[plan->holding];
        e->refuge_bytes[w->p->graph->holdings[plan->refuge].domain] +=
            w->p->holding_bytes[plan->refuge];
        sl_evict_call(w, plan->out, node);
    }
    watch(w, c, node);
}

/* The copy that is worth least of those that may leave; SL_NONE: there is none. */
static uint32_t least(struct sl_worker *w, uint32_t node, uint32_t m)
{
    const struct evict_run *e = w->evict;
    uint32_t best = SL_NONE;
    double best_worth = 0;
    for (uint32_t k = 0; k < e->here_count; k++) {
        uint32_t c = e->here[k];
        if (!may_leave(w, c, node, m))
            continue;
        double worth = worth_of(w, c);
        if (best == SL_NONE || worth < best_worth || (worth == best_worth && c < best)) {
            best = c;
            best_worth = worth;
        }
    }
    return best;
}

/* Bytes of a domain that are still to be made free for the node. */
static int64_t lacking(const struct sl_worker *w, int64_t want, uint32_t m)
{
    return want - (w->domains[m].limit - w->domains[m].level) - w->evict->leaving_bytes[m];
}

/* A copy elsewhere of one that is here is only a convenience. */
static bool is_spare(const struct sl_worker *w, uint32_t c, uint32_t m)
{
    uint32_t refuge = w->evict->plan->copies[c].refuge;
    return is_clean(w, c) && !w->evict->copies[c].pins && /* nor under way from there */
           w->p->graph->holdings[refuge].domain == m;
}

/* The spare copy of the first holding; SL_NONE: there is none. */
static uint32_t first_spare(const struct sl_worker *w, uint32_t m)
{
    const struct evict_run *e = w->evict;
    uint32_t first = SL_NONE;
    for (uint32_t k = 0; k < e->here_count; k++)
        if (e->here[k] < first && is_spare(w, e->here[k], m))
            first = e->here[k];
    return first;
}

/* Nothing leaves unless enough may leave. */
static bool can_make_room(const struct sl_worker *w, uint32_t node, uint32_t m, int64_t bytes)
{
    const struct evict_run *e = w->evict;
    for (uint32_t k = 0; k < e->here_count && bytes > 0; k++) {
        const struct sl_evict_copy *plan = &e->plan->copies[e->here[k]];
        if (is_spare(w, e->here[k], m))
            bytes -= w->p->holding_bytes[plan->refuge];
        if (may_leave(w, e->here[k], node, m))
            bytes -= w->p->holding_bytes[plan->holding];
    }
    return bytes <= 0;
}

void sl_evict_replace(struct sl_worker *w, uint32_t node)
{
    const struct sl_evictor *plan = w->evict->plan;
    const struct sl_holding *holdings = w->p->graph->holdings;
    const struct range *amount = &w->p->amount[node];
    struct sl_span uses = {0};
    if (node < w->p->planned)
        uses = plan->uses[node];
    for (uint32_t k = 0; k < uses.count; k++) {
        uint32_t refuge = plan->copies[plan->pool[uses.first + k]].refuge;
        for (uint32_t j = 0; j < amount->count; j++) {
            uint32_t h = w->p->amounts[amount->first + j].holding;
            if (h == SL_NONE || refuge == SL_NONE || !w->held[refuge] || h == refuge ||
                holdings[h].object.i != holdings[refuge].object.i ||
                holdings[h].domain != holdings[refuge].domain)
                continue;
            sl_capacity_drop(w, refuge, SL_NONE);
        }
    }
}

bool sl_evict_make_room(struct sl_worker *w, uint32_t node)
{
    const struct range *range = &w->p->amount[node];
    const struct amount *amounts = w->p->amounts + range->first;
    for (uint32_t at = 0, next; at < range->count; at = next) {
        uint32_t m = amounts[at].domain;
        int64_t want = sl_capacity_want(w, node, at, &next);
        if (w->stopped || !can_make_room(w, node, m, lacking(w, want, m)))
            return false;
    }
    for (uint32_t at = 0, next; at < range->count; at = next) {
        uint32_t m = amounts[at].domain, c;
        int64_t want = sl_capacity_want(w, node, at, &next);
        while (lacking(w, want, m) > 0 && (c = first_spare(w, m)) != SL_NONE)
            sl_capacity_drop(w, w->evict->plan->copies[c].refuge, w->evict->copies[c].used_by);
        while (!w->stopped && lacking(w, want, m) > 0 && (c = least(w, node, m)) != SL_NONE)
            leave(w, c, node);
    }
    return !w->stopped && sl_capacity_fits(w, node);
}
