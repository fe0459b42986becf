/* What jobs may still need of the domain by which they are admitted (jobs_needs.h). */
#include "jobs_parts.h"
#include "stretch.h"

static uint32_t *left_of(const struct sl_jobs_worker *w, const struct job *job)
{
    return w->needs.left + (size_t)(job->runs / w->p->n) * w->p->needs.list_count;
}

/* Needs of its lists. */
static int64_t *bytes_of(const struct sl_jobs_worker *w, const struct job *job)
{
    const struct job_needs *needs = &w->p->needs;
    return needs->varies ? w->needs.bytes + (size_t)(job->runs / w->p->n) * needs->list_count
                         : needs->bytes;
}

static int64_t claim_bytes(const struct job_claim *claim, const int64_t *sizes,
                           const struct job_blocks *blocks)
{
    if (claim->holding != SL_NONE)
        return sizes[claim->holding];
    return claim->cache != SL_NONE ? claim->bytes * blocks[claim->cache].count : claim->bytes;
}

int64_t sl_jobs_needs_of(const struct sl_jobs_program *p, uint32_t list, const int64_t *sizes,
                         const struct job_blocks *blocks, bool alone)
{
    const struct job_needs *needs = &p->needs;
    const uint32_t *items = needs->items + needs->lists[list].first;
    int64_t sum = 0, most = 0;
    for (uint32_t k = 0; k < needs->lists[list].count; k++) {
        const struct job_claim *claim = &needs->claims[items[k]];
        if (k && claim->chain != needs->claims[items[k - 1]].chain) {
            sum = job_bytes_add(sum, most);
            most = 0;
        }
        int64_t bytes = alone && claim->twin ? 0 : claim_bytes(claim, sizes, blocks);
        most = bytes > most ? bytes : most;
    }
    return job_bytes_add(sum, most);
}

/* ---- a worker, a replication ----------------------------------------------------------------- */

bool sl_jobs_needs_create(struct sl_jobs_worker *w)
{
    w->needs.sizes = sl_arena_array(&w->arena, (size_t)w->p->holdings + 1, sizeof(int64_t));
    return w->needs.sizes != NULL;
}

bool sl_jobs_needs_stretch(struct sl_jobs_worker *w, uint64_t jobs)
{
    const struct job_needs *needs = &w->p->needs;
    return stretch(&w->needs.left, jobs * needs->list_count + 1, sizeof *w->needs.left) &&
           stretch(&w->needs.bytes, needs->varies ? jobs * needs->list_count : 1,
                   sizeof *w->needs.bytes);
}

void sl_jobs_needs_begin(struct sl_jobs_worker *w)
{
    if (!w->p->needs.on)
        return;
    const struct domain_run *domain = &w->base->domains[w->p->needs.domain];
    w->needs.room = domain->limit - domain->level;
    w->needs.promised = 0;
}

/* ---- a job ----------------------------------------------------------------------------------- */

static const struct job_blocks *blocks_of(const struct sl_jobs_worker *w, const struct job *job)
{
    return w->blocks ? w->blocks + (size_t)(job - w->jobs) * w->p->cache_count : NULL;
}

static int64_t peak_of(const struct sl_jobs_worker *w, const struct job *job, bool alone)
{
    const struct job_needs *needs = &w->p->needs;
    int64_t peak = 0;
    for (uint32_t l = 0; l < needs->list_count; l++) {
        int64_t bytes = needs->varies
                            ? sl_jobs_needs_of(w->p, l, w->needs.sizes, blocks_of(w, job), alone)
                            : needs->bytes[l];
        peak = bytes > peak ? bytes : peak;
    }
    return peak;
}

void sl_jobs_needs_arrive(struct sl_jobs_worker *w, struct job *job)
{
    if (w->p->sized_count)
        sl_jobs_sizes_fill(w, job, w->needs.sizes);
    job->need = peak_of(w, job, false);
    job->need_alone = w->p->cache_count ? peak_of(w, job, true) : job->need;
}

bool sl_jobs_needs_too_large(const struct sl_jobs_worker *w, const struct job *job)
{
    return job->need_alone > w->needs.room;
}

bool sl_jobs_needs_short(const struct sl_jobs_worker *w, const struct job *job)
{
    return job->need > w->needs.room - w->needs.promised &&
           (w->admitted || job->need_alone > w->needs.room);
}

void sl_jobs_needs_admit(struct sl_jobs_worker *w, struct job *job)
{
    const struct job_needs *needs = &w->p->needs;
    const int64_t *sizes = w->p->sized_count ? job_sizes(w, job) : NULL;
    for (uint32_t l = 0; l < needs->list_count; l++) {
        left_of(w, job)[l] = needs->left[l];
        if (needs->varies)
            bytes_of(w, job)[l] = sl_jobs_needs_of(w->p, l, sizes, blocks_of(w, job), false);
    }
    w->needs.promised += job->need;
}

void sl_jobs_needs_passed(struct sl_jobs_worker *w, struct job *job, uint32_t node)
{
    const struct job_needs *needs = &w->p->needs;
    uint32_t list = needs->list[node], *left = left_of(w, job);
    const int64_t *bytes = bytes_of(w, job);
    int64_t most = 0;
    if (job->spill || --left[list] || bytes[list] < job->need)
        return;
    for (uint32_t l = 0; l < needs->list_count; l++)
        if (left[l] && bytes[l] > most)
            most = bytes[l];
    w->needs.promised -= job->need - most;
    job->need = most;
}
