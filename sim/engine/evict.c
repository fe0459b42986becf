/* Eviction while running: states of copies, and nodes that gather what they need (evict.h). */
#include "evict.h"
#include <stdio.h>
#include <string.h>

#define TAKE(field, count)                                                                         \
    ((e->field = sl_arena_array(&w->arena, (size_t)(count) + 1, sizeof *e->field)) != NULL)

static const struct sl_latent *latent_of(const struct sl_worker *w, uint32_t node)
{
    return &w->evict->plan->latents[node - w->p->planned];
}

/* The copies that a node needs at home before it can start. */
static struct sl_span needs(const struct sl_worker *w, uint32_t node)
{
    return node < w->p->planned ? w->evict->plan->uses[node] : latent_of(w, node)->reads;
}

enum sl_status sl_evict_create(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    const struct sl_evictor *plan = p->evictor;
    if (!plan)
        return SL_OK;
    struct evict_run *e = w->evict = sl_arena_alloc(&w->arena, sizeof *e);
    uint32_t latents = p->n - p->planned;
    if (!e)
        return SL_SYSTEM;
    *e = (struct evict_run){.plan = plan, .run_capacity = latents + 64};
    bool ok =
        TAKE(copies, plan->copy_count) && TAKE(record, plan->copy_count) && TAKE(number, p->n) &&
        TAKE(wanting, p->n) && TAKE(gathering, p->n) && TAKE(robbed, p->n) && TAKE(active, p->n) &&
        TAKE(robbed_nodes, p->n) && TAKE(relied, latents) && TAKE(lost, latents) &&
        TAKE(instance, latents) && TAKE(run_index, latents) && TAKE(here, plan->copy_count) &&
        TAKE(stack, (uint64_t)plan->copy_count + latents) && TAKE(lost_stack, plan->copy_count) &&
        TAKE(told, plan->copy_count) && TAKE(seen, plan->copy_count) &&
        TAKE(seen_latent, latents) && TAKE(place, p->n) && TAKE(leaving_bytes, p->domain_count) &&
        TAKE(refuge_bytes, p->domain_count) && TAKE(run_node, e->run_capacity);
    for (uint32_t k = 0; ok && k < p->n; k++)
        e->place[p->graph->topo[k]] = k;
    return ok ? SL_OK : SL_SYSTEM;
}

void sl_evict_put_here(struct sl_worker *w, uint32_t c)
{
    struct evict_run *e = w->evict;
    struct copy_run *copy = &e->copies[c];
    copy->state = COPY_HERE;
    copy->loaded_ps = copy->used_ps = w->now;
    copy->place = e->here_count;
    e->here[e->here_count++] = c;
}

void sl_evict_take_away(struct sl_worker *w, uint32_t c)
{
    struct evict_run *e = w->evict;
    uint32_t last = e->here[--e->here_count];
    e->here[e->copies[c].place] = last;
    e->copies[last].place = e->copies[c].place;
}

void sl_evict_begin(struct sl_worker *w)
{
    const struct sl_program *p = w->p;
    struct evict_run *e = w->evict;
    uint32_t copies = e->plan->copy_count, latents = p->n - p->planned;
    e->here_count = e->robbed_count = e->run_count = e->front = 0;
    e->clock = e->progress = e->told_count = 0;
    e->step_count = 0;
    e->finisher = SL_NONE;
    memset(e->record, 0, copies * sizeof *e->record);
    memset(e->number, 0, p->n * sizeof *e->number);
    memset(e->wanting, 0, p->n * sizeof *e->wanting);
    memset(e->gathering, 0, p->n * sizeof *e->gathering);
    memset(e->robbed, 0, p->n * sizeof *e->robbed);
    memset(e->active, 0, p->n * sizeof *e->active);
    memset(e->relied, 0, latents * sizeof *e->relied);
    memset(e->lost, 0, latents * sizeof *e->lost);
    memset(e->instance, 0, latents * sizeof *e->instance);
    memset(e->leaving_bytes, 0, p->domain_count * sizeof *e->leaving_bytes);
    memset(e->refuge_bytes, 0, p->domain_count * sizeof *e->refuge_bytes);
    for (uint32_t c = 0; c < copies; c++) {
        e->copies[c] = (struct copy_run){.oldest = UINT64_MAX, .used_by = SL_NONE};
        if (p->graph->holdings[e->plan->copies[c].holding].initial)
            sl_evict_put_here(w, c);
    }
}

/* ---- gathering ------------------------------------------------------------------------------- */

bool sl_evict_writes(const struct sl_worker *w, uint32_t c, uint32_t node)
{
    const struct sl_evictor *plan = w->evict->plan;
    struct sl_span users = plan->copies[c].users;
    for (uint32_t k = 0; k < users.count; k++)
        if (plan->users[users.first + k].node == node)
            return plan->users[users.first + k].writes;
    return false;
}

/* A copy that was never made, because its writer did not run, keeps nobody waiting.  One that
 * absent copies are to be computed from must not be overwritten yet. */
static bool is_missing(const struct sl_worker *w, uint32_t node, uint32_t c)
{
    uint8_t state = w->evict->copies[c].state;
    if (w->evict->copies[c].leases && node < w->p->planned && sl_evict_writes(w, c, node))
        return true;
    if (state == COPY_OVER)
        return node >= w->p->planned;
    return state == COPY_LEAVING || state == COPY_AWAY || state == COPY_RETURNING;
}

static void start_wanting(struct sl_worker *w, uint32_t node)
{
    struct evict_run *e = w->evict;
    struct sl_span span = needs(w, node);
    e->wanting[node] = true;
    for (uint32_t k = 0; k < span.count; k++) {
        struct copy_run *copy = &e->copies[e->plan->pool[span.first + k]];
        copy->wants++;
        if (e->number[node] < copy->oldest)
            copy->oldest = e->number[node];
    }
}

static void find_oldest(struct sl_worker *w, uint32_t c)
{
    struct evict_run *e = w->evict;
    const struct sl_evict_copy *plan = &e->plan->copies[c];
    uint64_t oldest = UINT64_MAX;
    for (uint32_t k = 0; e->copies[c].wants && k < plan->users.count + plan->clones.count; k++) {
        uint32_t user = k < plan->users.count
                            ? e->plan->users[plan->users.first + k].node
                            : e->plan->pool[plan->clones.first + k - plan->users.count];
        if (e->wanting[user] && e->number[user] < oldest)
            oldest = e->number[user];
    }
    e->copies[c].oldest = oldest;
}

static void stop_wanting(struct sl_worker *w, uint32_t node)
{
    struct evict_run *e = w->evict;
    struct sl_span span = needs(w, node);
    if (!e->wanting[node])
        return;
    e->wanting[node] = e->gathering[node] = false;
    for (uint32_t k = 0; k < span.count; k++) {
        uint32_t c = e->plan->pool[span.first + k];
        e->copies[c].wants--;
        find_oldest(w, c);
    }
}

/* A latent node works for the oldest of those who wait for it, and so do those that it waits for.
 */
static void hasten(struct sl_worker *w, uint32_t latent, uint64_t number)
{
    struct evict_run *e = w->evict;
    uint32_t depth = 0;
    if (e->number[latent] <= number)
        return;
    e->number[latent] = number;
    e->stack[depth++] = latent;
    while (depth) {
        uint32_t node = e->stack[--depth];
        struct sl_span reads = needs(w, node);
        for (uint32_t k = 0; e->wanting[node] && k < reads.count; k++) {
            struct copy_run *copy = &e->copies[e->plan->pool[reads.first + k]];
            uint32_t back = e->plan->copies[e->plan->pool[reads.first + k]].back;
            copy->oldest = number < copy->oldest ? number : copy->oldest;
            if (copy->state != COPY_RETURNING || e->number[back] <= number)
                continue;
            e->number[back] = number;
            e->stack[depth++] = back;
        }
    }
}

/* Has the copy brought back for `node`. */
static void call_back(struct sl_worker *w, uint32_t c, uint32_t node)
{
    struct evict_run *e = w->evict;
    struct copy_run *copy = &e->copies[c];
    uint32_t back = e->plan->copies[c].back;
    if (copy->state == COPY_LEAVING || copy->state == COPY_HERE)
        return; /* called when it is gone; only its leases are waited for */
    if (copy->state == COPY_RETURNING) {
        hasten(w, back, e->number[node]);
        return;
    }
    if (e->active[back]) {
        if (w->run[back].phase > PHASE_WAITING)
            return; /* it is making others and began without this one: called when it is done */
        copy->state = COPY_RETURNING;
        hasten(w, back, e->number[node]);
        return;
    }
    copy->state = COPY_RETURNING;
    sl_evict_call(w, back, node);
    struct sl_span moves = latent_of(w, back)->moves;
    for (uint32_t k = 0; k < moves.count; k++) {
        struct copy_run *other = &e->copies[e->plan->pool[moves.first + k]];
        if (other->state == COPY_AWAY)
            other->state = COPY_RETURNING;
    }
}

/* Calls back what is missing; true when nothing is. */
static bool call_missing(struct sl_worker *w, uint32_t node)
{
    struct evict_run *e = w->evict;
    struct sl_span span = needs(w, node);
    bool all = true;
    for (uint32_t k = 0; k < span.count; k++) {
        uint32_t c = e->plan->pool[span.first + k];
        if (is_missing(w, node, c)) {
            all = false;
            call_back(w, c, node);
        }
    }
    return all;
}

bool sl_evict_gather(struct sl_worker *w, uint32_t node)
{
    struct evict_run *e = w->evict;
    if (!e->number[node])
        e->number[node] = ++e->clock;
    if (!e->wanting[node])
        start_wanting(w, node);
    if (call_missing(w, node))
        return true;
    e->gathering[node] = true;
    w->run[node].phase = PHASE_PENDING;
    w->run[node].pending = 1; /* met when all is here */
    return false;
}

static void look_again(struct sl_worker *w, uint32_t node, uint32_t behind)
{
    struct evict_run *e = w->evict;
    if (!e->gathering[node] || !call_missing(w, node))
        return;
    e->gathering[node] = false;
    sl_instant_satisfy(w, node, w->now, SL_CAUSE_DATA, behind);
}

/* The copy has come, or has gone and can be called now: those that gather it look again. */
void sl_evict_tell(struct sl_worker *w, uint32_t c, uint32_t behind)
{
    struct evict_run *e = w->evict;
    const struct sl_evict_copy *plan = &e->plan->copies[c];
    if (!e->copies[c].wants)
        return;
    for (uint32_t k = 0; k < plan->users.count; k++)
        look_again(w, e->plan->users[plan->users.first + k].node, behind);
    for (uint32_t k = 0; k < plan->clones.count; k++)
        look_again(w, e->plan->pool[plan->clones.first + k], behind);
}

void sl_evict_forgo(struct sl_worker *w, uint32_t node)
{
    struct sl_span span = needs(w, node);
    if (!w->evict->wanting[node])
        return;
    stop_wanting(w, node);
    for (uint32_t k = 0; k < span.count; k++)
        sl_copy_try_end(w, w->evict->plan->pool[span.first + k]);
}

void sl_evict_settle(struct sl_worker *w)
{
    struct evict_run *e = w->evict;
    for (uint32_t k = 0; k < e->robbed_count; k++) {
        uint32_t node = e->robbed_nodes[k];
        e->robbed[node] = false;
        if (w->run[node].phase != PHASE_WAITING)
            continue;
        sl_waiting_remove(w, node);
        (void)sl_evict_gather(w, node);
    }
    e->robbed_count = 0;
}

bool sl_evict_takes(const struct sl_worker *w, uint32_t node, uint32_t holding)
{
    uint32_t c = w->evict->plan->copy_of[holding];
    return node < w->p->planned || c == SL_NONE || w->evict->copies[c].state == COPY_RETURNING;
}

uint32_t sl_evict_awaited(const struct sl_worker *w, uint32_t node)
{
    const struct evict_run *e = w->evict;
    struct sl_span span = needs(w, node);
    for (uint32_t k = 0; e->gathering[node] && k < span.count; k++) {
        uint32_t c = e->plan->pool[span.first + k];
        const struct sl_evict_copy *plan = &e->plan->copies[c];
        if (is_missing(w, node, c))
            return e->copies[c].state == COPY_LEAVING ? plan->out : plan->back;
    }
    return SL_NONE;
}

/* ---- starts and finishes --------------------------------------------------------------------- */

static void use(struct sl_worker *w, uint32_t c)
{
    struct copy_run *copy = &w->evict->copies[c];
    copy->pins++;
    copy->used_ps = w->now;
    copy->unused = false;
}

static void planned_started(struct sl_worker *w, uint32_t node)
{
    struct evict_run *e = w->evict;
    const struct range *amount = &w->p->amount[node];
    e->progress++;
    if (e->place[node] > e->front)
        e->front = e->place[node];
    for (uint32_t k = 0; k < amount->count; k++) {
        uint32_t h = w->p->amounts[amount->first + k].holding;
        uint32_t c = h == SL_NONE ? SL_NONE : e->plan->copy_of[h];
        if (c == SL_NONE)
            continue;
        if (e->copies[c].state == COPY_UNBORN)
            sl_evict_put_here(w, c);
        e->copies[c].pins++;
    }
}

void sl_evict_started(struct sl_worker *w, uint32_t node)
{
    struct evict_run *e = w->evict;
    struct sl_span span = needs(w, node);
    stop_wanting(w, node);
    for (uint32_t k = 0; k < span.count; k++)
        use(w, e->plan->pool[span.first + k]);
    if (node < w->p->planned) {
        for (uint32_t k = 0; k < span.count; k++)
            if (sl_evict_writes(w, e->plan->pool[span.first + k], node))
                sl_copy_spoil(w, e->plan->pool[span.first + k], node);
        planned_started(w, node);
        return;
    }
    sl_run_open(w, node);
    const struct sl_evict_copy *moved =
        &e->plan->copies[e->plan->pool[latent_of(w, node)->moves.first]];
    if (moved->out == node) { /* its place there is taken now */
        const struct sl_holding *refuge = &w->p->graph->holdings[moved->refuge];
        e->refuge_bytes[refuge->domain] -= w->p->holding_bytes[moved->refuge];
    }
}

static void unpin(struct sl_worker *w, uint32_t c, uint32_t run)
{
    struct copy_run *copy = &w->evict->copies[c];
    copy->pins--;
    copy->used_ps = w->now;
    copy->used_by = run;
    w->scan_needed = true;
}

/* The copy elsewhere is not what the object is any more. */
static void spoil_refuge(struct sl_worker *w, uint32_t c, uint32_t node)
{
    uint32_t refuge = w->evict->plan->copies[c].refuge;
    if (refuge != SL_NONE && w->held[refuge])
        sl_capacity_drop(w, refuge, node);
}

static void planned_finished(struct sl_worker *w, uint32_t node)
{
    struct evict_run *e = w->evict;
    const struct sl_evictor *plan = e->plan;
    struct sl_span uses = plan->uses[node];
    const struct range *amount = &w->p->amount[node], *gives = &w->p->gives[node];
    w->finish[node] = w->now;
    e->progress++;
    for (uint32_t k = 0; k < uses.count; k++) {
        uint32_t c = plan->pool[uses.first + k];
        unpin(w, c, node);
        if (sl_evict_writes(w, c, node))
            spoil_refuge(w, c, node);
    }
    for (uint32_t k = 0; k < amount->count; k++) {
        uint32_t h = w->p->amounts[amount->first + k].holding;
        if (h != SL_NONE && plan->copy_of[h] != SL_NONE)
            unpin(w, plan->copy_of[h], node);
    }
    for (uint32_t k = 0; k < gives->count; k++) {
        uint32_t c = plan->copy_of[w->p->give_holdings[gives->first + k]];
        if (c != SL_NONE) {
            e->copies[c].over = true;
            e->copies[c].used_by = node;
            sl_copy_try_end(w, c);
        }
    }
    for (uint32_t k = 0; k < uses.count; k++)
        sl_copy_try_end(w, plan->pool[uses.first + k]);
}

static void gone(struct sl_worker *w, uint32_t out)
{
    struct evict_run *e = w->evict;
    uint32_t c = e->plan->pool[latent_of(w, out)->moves.first];
    uint32_t holding = e->plan->copies[c].holding, run = sl_run_of(w, out);
    e->leaving_bytes[w->p->graph->holdings[holding].domain] -= w->p->holding_bytes[holding];
    e->copies[c].state = COPY_AWAY;
    sl_capacity_drop(w, holding, run);
    e->copies[c].used_by = run;
    sl_evict_note(w, c, SL_COPY_GONE, run);
    if (e->copies[c].over)
        sl_copy_try_end(w, c);
    sl_evict_tell(w, c, run);
}

static void returned(struct sl_worker *w, uint32_t back)
{
    struct evict_run *e = w->evict;
    const struct sl_latent *latent = latent_of(w, back);
    uint32_t run = sl_run_of(w, back);
    for (uint32_t k = 0; k < latent->moves.count; k++) {
        uint32_t c = e->plan->pool[latent->moves.first + k];
        if (e->copies[c].state != COPY_RETURNING)
            continue;
        sl_evict_put_here(w, c);
        e->copies[c].unused = true;
        e->copies[c].used_by = run;
        e->record[c].returned++;
        e->record[c].returning_ps += w->now - w->ready[back];
        sl_evict_note(w, c, SL_COPY_BACK, run);
        sl_lease_return(w, c);
    }
    for (uint32_t k = 0; k < latent->reads.count; k++) {
        uint32_t c = e->plan->pool[latent->reads.first + k];
        unpin(w, c, run);
        sl_copy_try_end(w, c);
    }
    for (uint32_t k = 0; k < latent->moves.count; k++) {
        uint32_t c = e->plan->pool[latent->moves.first + k];
        sl_evict_tell(w, c, run);
        sl_copy_try_end(w, c);
    }
}

static void latent_finished(struct sl_worker *w, uint32_t node)
{
    struct evict_run *e = w->evict;
    uint32_t first = e->plan->pool[latent_of(w, node)->moves.first];
    sl_run_close(w, node);
    e->active[node] = false;
    w->run[node].phase = PHASE_PENDING;
    if (e->plan->copies[first].out == node)
        gone(w, node);
    else
        returned(w, node);
}

void sl_evict_finished(struct sl_worker *w, uint32_t node)
{
    struct evict_run *e = w->evict;
    e->finisher = sl_run_of(w, node);
    if (node < w->p->planned)
        planned_finished(w, node);
    else
        latent_finished(w, node);
    while (e->told_count)
        sl_evict_tell(w, e->told[--e->told_count], e->finisher);
}
