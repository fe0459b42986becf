/* Bytes of jobs: levels are the machine's (levels.h), and which holdings are held is each job's own
 * matter, but for those that are there at the start: they are held throughout. */
#include "jobs_parts.h"
#include "levels.h"

static bool demanded(const struct sl_jobs_worker *w, const bool *held, uint32_t holding)
{
    return holding == SL_NONE || (!held[holding] && !w->p->base->graph->holdings[holding].initial);
}

int64_t sl_jobs_bytes_want(const struct sl_jobs_worker *w, uint32_t handle, uint32_t domain)
{
    const struct sl_program *base = w->p->base;
    const struct job_run *run = &w->runs[handle];
    const bool *held = job_held(w, &w->jobs[run->job]);
    const struct range *range = &base->amount[run->node];
    int64_t want = 0;
    for (uint32_t k = 0; k < range->count; k++) {
        const struct amount *amount = &base->amounts[range->first + k];
        if (amount->domain == domain && demanded(w, held, amount->holding))
            want += amount->bytes;
    }
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
    return true;
}

void sl_jobs_bytes_take(struct sl_jobs_worker *w, uint32_t handle)
{
    const struct sl_program *base = w->p->base;
    const struct job_run *run = &w->runs[handle];
    bool *held = job_held(w, &w->jobs[run->job]);
    const struct range *range = &base->amount[run->node];
    for (uint32_t k = 0; k < range->count; k++) {
        const struct amount *amount = &base->amounts[range->first + k];
        if (!demanded(w, held, amount->holding))
            continue;
        if (amount->holding != SL_NONE)
            held[amount->holding] = true;
        change_level(w->base, amount->domain, amount->part, amount->bytes);
    }
}

static void give_holding(struct sl_jobs_worker *w, bool *held, uint32_t h)
{
    const struct sl_program *base = w->p->base;
    const struct sl_holding *holding = &base->graph->holdings[h];
    held[h] = false;
    change_level(w->base, holding->domain,
                 holding->kind == SL_HOLD_STAGING ? PART_STAGING : PART_OBJECTS,
                 -base->holding_bytes[h]);
    w->scan_needed = true;
}

void sl_jobs_bytes_give(struct sl_jobs_worker *w, uint32_t handle, bool skipped)
{
    const struct sl_program *base = w->p->base;
    const struct job_run *run = &w->runs[handle];
    const struct range *range = &base->amount[run->node], *gives = &base->gives[run->node];
    bool *held = job_held(w, &w->jobs[run->job]);
    for (uint32_t k = 0; k < range->count && !skipped; k++) {
        const struct amount *amount = &base->amounts[range->first + k];
        if (amount->holding != SL_NONE)
            continue;
        change_level(w->base, amount->domain, PART_WORKSPACE, -amount->bytes);
        w->scan_needed = true;
    }
    for (uint32_t k = 0; k < gives->count; k++) {
        uint32_t h = base->give_holdings[gives->first + k];
        if (held[h] && (!skipped || base->graph->holdings[h].kind == SL_HOLD_STAGING))
            give_holding(w, held, h);
    }
}

void sl_jobs_bytes_give_rest(struct sl_jobs_worker *w, const struct job *job)
{
    bool *held = job_held(w, job);
    for (uint32_t h = 0; h < w->p->holdings; h++)
        if (held[h])
            give_holding(w, held, h);
}
