/* What can still be recomputed.
 *
 * A copy that was dropped to be computed again relies on what its recomputation reads: each of
 * those is *leased*.  A leased copy that the plan gives back stays, or, if it can be computed again
 * itself, goes and leases what that reads in turn.  Without a lease it goes for good as planned;
 * then nothing that reads it can be computed again, and so must not be dropped any more. */
#include "evict.h"

static const struct sl_latent *maker_of(const struct sl_worker *w, uint32_t c)
{
    return &w->evict->plan->latents[w->evict->plan->copies[c].back - w->p->planned];
}

bool sl_copy_is_made(const struct sl_worker *w, uint32_t c)
{
    const struct sl_evict_copy *copy = &w->evict->plan->copies[c];
    return copy->back != SL_NONE && copy->refuge == SL_NONE;
}

bool sl_copy_can_drop(const struct sl_worker *w, uint32_t c)
{
    return sl_copy_is_made(w, c) && !w->evict->lost[w->evict->plan->copies[c].back - w->p->planned];
}

void sl_lease_take(struct sl_worker *w, uint32_t c)
{
    struct evict_run *e = w->evict;
    uint32_t depth = 0;
    e->stack[depth++] = c;
    while (depth) {
        uint32_t copy = e->stack[--depth];
        const struct sl_latent *maker = maker_of(w, copy);
        if (e->relied[e->plan->copies[copy].back - w->p->planned]++)
            continue;
        for (uint32_t k = 0; k < maker->reads.count; k++) {
            uint32_t read = e->plan->pool[maker->reads.first + k];
            if (!e->copies[read].leases++ && e->copies[read].state == COPY_OVER)
                e->stack[depth++] = read;
        }
    }
}

void sl_lease_return(struct sl_worker *w, uint32_t c)
{
    struct evict_run *e = w->evict;
    uint32_t depth = 0;
    if (!sl_copy_is_made(w, c))
        return;
    e->stack[depth++] = c;
    while (depth) {
        uint32_t copy = e->stack[--depth];
        const struct sl_latent *maker = maker_of(w, copy);
        if (--e->relied[e->plan->copies[copy].back - w->p->planned])
            continue;
        for (uint32_t k = 0; k < maker->reads.count; k++) {
            uint32_t read = e->plan->pool[maker->reads.first + k];
            if (--e->copies[read].leases)
                continue;
            if (e->copies[read].wants && e->told_count < e->plan->copy_count)
                e->told[e->told_count++] = read; /* somebody may wait to overwrite it */
            if (e->copies[read].state == COPY_OVER)
                e->stack[depth++] = read;
            else if (e->copies[read].over)
                sl_copy_try_end(w, read);
        }
    }
}

/* The copy is gone for good; so is what is not here and can only be made from it. */
static void lose(struct sl_worker *w, uint32_t c)
{
    struct evict_run *e = w->evict;
    uint32_t depth = 0;
    e->copies[c].state = COPY_LOST;
    e->lost_stack[depth++] = c; /* of its own: a lease that is returned may end up here */
    while (depth) {
        struct sl_span clones = e->plan->copies[e->lost_stack[--depth]].clones;
        for (uint32_t k = 0; k < clones.count; k++) {
            uint32_t clone = e->plan->pool[clones.first + k] - w->p->planned;
            struct sl_span moves = e->plan->latents[clone].moves;
            for (uint32_t j = 0; !e->lost[clone] && j < moves.count; j++) {
                uint32_t made = e->plan->pool[moves.first + j];
                if (e->copies[made].state != COPY_OVER)
                    continue;
                e->copies[made].state = COPY_LOST;
                e->lost_stack[depth++] = made;
            }
            e->lost[clone]++;
        }
    }
}

void sl_copy_spoil(struct sl_worker *w, uint32_t c, uint32_t node)
{
    struct evict_run *e = w->evict;
    struct sl_span clones = e->plan->copies[c].clones;
    for (uint32_t k = 0; k < clones.count; k++) {
        uint32_t clone = e->plan->pool[clones.first + k] - w->p->planned;
        const struct sl_latent *latent = &e->plan->latents[clone];
        if (e->place[latent->original] >= e->place[node] || e->lost[clone]++)
            continue;
        for (uint32_t j = 0; j < latent->moves.count; j++) {
            uint32_t made = e->plan->pool[latent->moves.first + j];
            if (e->copies[made].state == COPY_OVER)
                lose(w, made);
        }
    }
}

/* The end of a copy that is here: nobody uses it, or will but for a recomputation. */
static void end_here(struct sl_worker *w, uint32_t c)
{
    struct evict_run *e = w->evict;
    struct copy_run *copy = &e->copies[c];
    const struct sl_evict_copy *plan = &e->plan->copies[c];
    bool again = sl_copy_can_drop(w, c);
    if (copy->leases && !again)
        return;
    sl_evict_take_away(w, c);
    sl_capacity_drop(w, plan->holding, copy->used_by);
    if (plan->refuge != SL_NONE && w->held[plan->refuge])
        sl_capacity_drop(w, plan->refuge, copy->used_by);
    copy->state = COPY_OVER;
    if (copy->leases)
        sl_lease_take(w, c);
    else if (!again)
        lose(w, c);
}

/* The end of a copy that is not here: one that can be computed again relies on nothing any more but
 * for others' sake; one in its refuge stays there for those. */
static void end_away(struct sl_worker *w, uint32_t c)
{
    struct copy_run *copy = &w->evict->copies[c];
    uint32_t refuge = w->evict->plan->copies[c].refuge;
    if (refuge == SL_NONE) {
        copy->state = COPY_OVER;
        if (!copy->leases)
            sl_lease_return(w, c);
    } else if (!copy->leases) {
        if (w->held[refuge])
            sl_capacity_drop(w, refuge, copy->used_by);
        lose(w, c);
    }
}

void sl_copy_try_end(struct sl_worker *w, uint32_t c)
{
    const struct copy_run *copy = &w->evict->copies[c];
    if (!copy->over || copy->pins || copy->wants)
        return;
    if (copy->state == COPY_HERE)
        end_here(w, c);
    else if (copy->state == COPY_AWAY)
        end_away(w, c);
}
