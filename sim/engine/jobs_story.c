/* One job in full: its chain, and who held what its nodes waited for.  It only looks on: what the
 * replication does is the same without it. */
#include "jobs_parts.h"
#include "stretch.h"

void sl_jobs_worker_tell(struct sl_jobs_worker *worker, uint64_t job, bool on)
{
    worker->story.on = on;
    worker->story.job = job;
}

bool sl_jobs_story_create(struct sl_jobs_worker *w)
{
    w->story.links = sl_arena_array(&w->arena, (size_t)w->p->n + 1, sizeof *w->story.links);
    w->story.on_chain = sl_arena_array(&w->arena, (size_t)w->p->n + 1, sizeof *w->story.on_chain);
    return w->story.links && w->story.on_chain;
}

void sl_jobs_story_begin(struct sl_jobs_worker *w)
{
    w->story.at = SL_NONE;
    w->story.told = (struct sl_job_story){.links = w->story.links};
}

void sl_jobs_story_admit(struct sl_jobs_worker *w, const struct job *job)
{
    w->story.at = (uint32_t)(job - w->jobs);
}

/* ---- holders --------------------------------------------------------------------------------- */

static void note(struct sl_jobs_worker *w, const struct sl_job_holder *holder)
{
    struct sl_job_story *told = &w->story.told;
    if (told->holder_count == SL_MOST_HOLDERS) {
        told->unlisted++;
        return;
    }
    if (told->holder_count == w->story.places) {
        uint32_t places = w->story.places ? 2 * w->story.places : 64;
        if (!stretch(&w->story.holders, places, sizeof *w->story.holders)) {
            if (!w->status)
                w->status = SL_FAIL(w->err, SL_SYSTEM, "out of memory for what a job waited for");
            return;
        }
        w->story.places = places;
    }
    w->story.holders[told->holder_count++] = *holder;
}

static uint64_t number_of(const struct job *job)
{
    return job->spill ? UINT64_MAX : job->number;
}

/* When the run of the job that is told of began to wait: for its start, or for its next step. */
static int64_t waits_since(const struct sl_jobs_worker *w, uint32_t handle)
{
    bool begun = w->p->nodes[w->runs[handle].node].flags & NODE_BATCH && w->members[handle].spent;
    return begun ? w->members[handle].since : w->runs[handle].ready;
}

static uint32_t common_resource(const struct sl_program *base, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < base->demand[a].count; k++)
        for (uint32_t m = 0; m < base->demand[b].count; m++) {
            uint32_t resource = base->demands[base->demand[a].first + k].resource;
            if (resource == base->demands[base->demand[b].first + m].resource &&
                base->resources[resource].units != SL_FREE_ALWAYS)
                return resource;
        }
    return SL_NONE;
}

/* Units held since then, up to now, while the other one waited. */
static void note_units(struct sl_jobs_worker *w, uint32_t waiting, uint32_t holder, int64_t since)
{
    const struct job_run *wants = &w->runs[waiting], *has = &w->runs[holder];
    int64_t from = waits_since(w, waiting);
    uint32_t resource = common_resource(w->p->base, wants->node, has->node);
    from = since > from ? since : from;
    if (resource == SL_NONE || from >= w->now)
        return;
    note(w, &(struct sl_job_holder){.waiting = wants->node,
                                    .job = number_of(&w->jobs[has->job]),
                                    .node = has->node,
                                    .resource = resource,
                                    .domain = SL_NONE,
                                    .from_ps = from,
                                    .to_ps = w->now,
                                    .later = has->ready > wants->ready});
}

/* Who holds on while the run that waited starts: where there are several units. */
void sl_jobs_story_start(struct sl_jobs_worker *w, uint32_t handle)
{
    if (waits_since(w, handle) == w->now)
        return;
    for (uint32_t k = 0; k < w->job_places; k++) {
        if (w->jobs[k].runs == SL_NONE)
            continue;
        for (uint32_t i = 0, at = w->jobs[k].runs; i < w->p->n; i++, at++)
            if (at != handle && w->runs[at].phase == PHASE_HOLDING)
                note_units(w, handle, at,
                           w->p->nodes[i].flags & NODE_BATCH ? w->members[at].since
                                                             : w->runs[at].start);
    }
}

void sl_jobs_story_freed(struct sl_jobs_worker *w, uint32_t handle, int64_t since)
{
    bool batch = w->p->nodes[w->runs[handle].node].flags & NODE_BATCH;
    uint32_t first = w->jobs[w->story.at].runs;
    for (uint32_t i = first; i < first + w->p->n; i++)
        for (uint32_t member = handle; w->runs[i].phase == PHASE_WAITING && member != SL_NONE;
             member = batch ? w->members[member].next : SL_NONE)
            note_units(w, i, member, since);
}

void sl_jobs_story_given(struct sl_jobs_worker *w, const struct job *job, uint32_t node,
                         uint32_t domain, int64_t bytes)
{
    uint32_t first = w->jobs[w->story.at].runs;
    for (uint32_t i = first; i < first + w->p->n; i++) {
        if (w->runs[i].phase != PHASE_WAITING || !bytes || sl_jobs_bytes_want(w, i, domain) <= 0)
            continue;
        note(w, &(struct sl_job_holder){.waiting = w->runs[i].node,
                                        .job = number_of(job),
                                        .node = node,
                                        .resource = SL_NONE,
                                        .domain = domain,
                                        .bytes = bytes,
                                        .from_ps = w->runs[i].ready,
                                        .to_ps = w->now});
    }
}

/* ---- the story ------------------------------------------------------------------------------- */

/* Without holders of what nodes off the chain waited for. */
static void keep_chain(struct sl_jobs_worker *w)
{
    struct sl_job_story *told = &w->story.told;
    uint32_t kept = 0;
    memset(w->story.on_chain, 0, w->p->n * sizeof *w->story.on_chain);
    for (uint32_t k = 0; k < told->link_count; k++)
        w->story.on_chain[w->story.links[k].node] = true;
    for (uint32_t k = 0; k < told->holder_count; k++)
        if (w->story.on_chain[w->story.holders[k].waiting])
            w->story.holders[kept++] = w->story.holders[k];
    told->holder_count = kept;
    told->holders = w->story.holders;
}

const struct sl_job_story *sl_jobs_story_end(struct sl_jobs_worker *w, const struct job *job)
{
    struct sl_job_story *told = &w->story.told;
    struct sl_job_link *links = w->story.links;
    if (job != &w->jobs[w->story.at])
        return NULL;
    w->story.at = SL_NONE;
    for (uint32_t i = sl_jobs_record_last(w, job); i != SL_NONE && told->link_count < w->p->n;) {
        links[told->link_count] = sl_jobs_record_link(w, job, i);
        i = links[told->link_count++].behind;
    }
    for (uint32_t a = 0, b = told->link_count; a + 1 < b; a++) {
        struct sl_job_link link = links[a];
        links[a] = links[--b];
        links[b] = link;
    }
    keep_chain(w);
    return told;
}
