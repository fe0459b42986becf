/* Bytes of jobs: levels are the machine's (levels.h), and which holdings are held is each job's own
 * matter, but for those that are there at the start: they are held throughout. */
#include "jobs_parts.h"
#include "levels.h"

static bool demanded(const struct sl_jobs_worker *w, const bool *held, uint32_t holding)
{
    return holding == SL_NONE || (!w->p->base->graph->holdings[holding].initial && !held[holding]);
}

static int64_t amount_bytes(const struct sl_jobs_worker *w, const struct job *job,
                            const struct amount *amount)
{
    return amount->holding == SL_NONE ? amount->bytes : job_bytes(w, job, amount->holding);
}

int64_t sl_jobs_bytes_want(const struct sl_jobs_worker *w, uint32_t handle, uint32_t domain)
{
    const struct sl_program *base = w->p->base;
    const struct job_run *run = &w->runs[handle];
    const struct job *job = &w->jobs[run->job];
    const bool *held = job_held(w, job);
    const struct range *range = &base->amount[run->node];
    int64_t want = 0;
    for (uint32_t k = 0; k < range->count; k++) {
        const struct amount *amount = &base->amounts[range->first + k];
        if (amount->domain == domain && demanded(w, held, amount->holding))
            want += amount_bytes(w, job, amount);
    }
    if (w->p->nodes[run->node].flags & NODE_SHARED)
        want += sl_jobs_cache_want(w, handle, domain);
    return want;
}

bool sl_jobs_bytes_fit(const struct sl_jobs_worker *w, uint32_t handle)
{
    const struct sl_program *base = w->p->base;
    const struct range *range = &base->amount[w->runs[handle].node];
    const struct amount *amounts = base->amounts + range->first;
    for (uint32_t k = 0; k < range->count; k++) {
        uint32_t m = amounts[k].domain;
        if (k && amounts[k - 1].domain == m)
            continue;
        const struct domain_run *domain = &w->base->domains[m];
        if (sl_jobs_bytes_want(w, handle, m) > domain->limit - domain->level)
            return false;
    }
    return !(w->p->nodes[w->runs[handle].node].flags & NODE_SHARED) ||
           sl_jobs_cache_fits(w, handle);
}

void sl_jobs_bytes_take(struct sl_jobs_worker *w, uint32_t handle)
{
    const struct sl_program *base = w->p->base;
    const struct job_run *run = &w->runs[handle];
    const struct job *job = &w->jobs[run->job];
    bool *held = job_held(w, job);
    const struct range *range = &base->amount[run->node];
    for (uint32_t k = 0; k < range->count; k++) {
        const struct amount *amount = &base->amounts[range->first + k];
        if (!demanded(w, held, amount->holding))
            continue;
        if (amount->holding != SL_NONE)
            held[amount->holding] = true;
        change_level(w->base, amount->domain, amount->part, amount_bytes(w, job, amount));
    }
    if (w->p->nodes[run->node].flags & NODE_SHARED)
        sl_jobs_cache_started(w, handle);
}

/* `node` gives it; SL_NONE: the job does at its end. */
static void give_holding(struct sl_jobs_worker *w, const struct job *job, uint32_t h, uint32_t node)
{
    const struct sl_holding *holding = &w->p->base->graph->holdings[h];
    job_held(w, job)[h] = false;
    change_level(w->base, holding->domain,
                 holding->kind == SL_HOLD_STAGING ? PART_STAGING : PART_OBJECTS,
                 -job_bytes(w, job, h));
    if (w->story.at != SL_NONE)
        sl_jobs_story_given(w, job, node, holding->domain, job_bytes(w, job, h));
    w->scan_needed = true;
}

void sl_jobs_bytes_give(struct sl_jobs_worker *w, uint32_t handle, bool skipped)
{
    const struct sl_program *base = w->p->base;
    const struct job_run *run = &w->runs[handle];
    const struct range *range = &base->amount[run->node], *gives = &base->gives[run->node];
    const struct job *job = &w->jobs[run->job];
    for (uint32_t k = 0; k < range->count && !skipped; k++) {
        const struct amount *amount = &base->amounts[range->first + k];
        if (amount->holding != SL_NONE)
            continue;
        change_level(w->base, amount->domain, PART_WORKSPACE, -amount->bytes);
        if (w->story.at != SL_NONE)
            sl_jobs_story_given(w, job, run->node, amount->domain, amount->bytes);
        w->scan_needed = true;
    }
    for (uint32_t k = 0; k < gives->count; k++) {
        uint32_t h = base->give_holdings[gives->first + k];
        if (job_held(w, job)[h] && (!skipped || base->graph->holdings[h].kind == SL_HOLD_STAGING))
            give_holding(w, job, h, run->node);
    }
    if (w->p->nodes[run->node].flags & NODE_SHARED)
        sl_jobs_cache_finished(w, handle, skipped);
}

void sl_jobs_bytes_give_rest(struct sl_jobs_worker *w, const struct job *job)
{
    const bool *held = job_held(w, job);
    for (uint32_t h = 0; h < w->p->holdings; h++)
        if (held[h])
            give_holding(w, job, h, SL_NONE);
}
