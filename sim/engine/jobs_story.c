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
    size_t places = (size_t)w->p->n + 1;
    w->story.links = sl_arena_array(&w->arena, places, sizeof *w->story.links);
    w->story.on_chain = sl_arena_array(&w->arena, places, sizeof *w->story.on_chain);
    w->story.waiting = sl_arena_array(&w->arena, places, sizeof *w->story.waiting);
    return w->story.links && w->story.on_chain && w->story.waiting;
}

void sl_jobs_story_begin(struct sl_jobs_worker *w)
{
    w->story.at = SL_NONE;
    w->story.waiting_count = w->story.holding_count = w->story.placed_count = 0;
    w->story.queued = false;
    w->story.told = (struct sl_job_story){.links = w->story.links};
}

/* A place more behind `count` of them; false: the worker's status says why. */
static bool make_room(struct sl_jobs_worker *w, void *array, uint32_t *places, uint32_t count,
                      size_t size)
{
    if (count < *places)
        return true;
    uint32_t more = *places ? 2 * *places : 64;
    if (!stretch(array, more, size)) {
        if (!w->status)
            w->status = SL_FAIL(w->err, SL_SYSTEM, "out of memory for what a job waited for");
        return false;
    }
    *places = more;
    return true;
}

/* ---- admission ------------------------------------------------------------------------------- */

void sl_jobs_story_placed(struct sl_jobs_worker *w, uint32_t at)
{
    struct job_story_run *story = &w->story;
    if (make_room(w, &story->placed, &story->placed_places, story->placed_count,
                  sizeof *story->placed))
        story->placed[story->placed_count++] = (struct job_place){at, w->now, w->jobs[at].need};
}

void sl_jobs_story_queue(struct sl_jobs_worker *w)
{
    w->story.queued = true;
    for (uint32_t at = w->first_waiting; at != SL_NONE; at = w->jobs[at].next)
        w->story.told.before++;
    for (uint32_t at = 0; at < w->job_places; at++)
        if (w->jobs[at].runs != SL_NONE && !w->jobs[at].spill)
            sl_jobs_story_placed(w, at);
}

static void note_admitted(struct sl_jobs_worker *w, const struct job_place *place)
{
    struct job_story_run *story = &w->story;
    const struct job *job = &w->jobs[place->at];
    if (place->since >= w->now)
        return;
    if (story->told.admitted_count == SL_MOST_HOLDERS)
        story->told.admitted_unlisted++;
    else if (make_room(w, &story->admitted, &story->admitted_places, story->told.admitted_count,
                       sizeof *story->admitted))
        story->admitted[story->told.admitted_count++] =
            (struct sl_job_admitted){job->number, place->since, w->now, place->need, job->need};
}

void sl_jobs_story_left(struct sl_jobs_worker *w, uint32_t at)
{
    struct job_story_run *story = &w->story;
    uint32_t k = 0;
    while (k < story->placed_count && story->placed[k].at != at)
        k++;
    if (k == story->placed_count)
        return; /* a spill */
    note_admitted(w, &story->placed[k]);
    story->placed[k] = story->placed[--story->placed_count];
}

/* ---- holders --------------------------------------------------------------------------------- */

static void note(struct sl_jobs_worker *w, const struct sl_job_holder *holder)
{
    struct job_story_run *story = &w->story;
    if (story->told.holder_count == SL_MOST_HOLDERS)
        story->told.unlisted++;
    else if (make_room(w, &story->holders, &story->places, story->told.holder_count,
                       sizeof *story->holders))
        story->holders[story->told.holder_count++] = *holder;
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

/* Units held up to now, while the other one waited. */
static void note_units(struct sl_jobs_worker *w, uint32_t waiting, const struct job_hold *hold)
{
    const struct job_run *wants = &w->runs[waiting], *has = &w->runs[hold->handle];
    int64_t from = waits_since(w, waiting);
    uint32_t resource = common_resource(w->p->base, wants->node, has->node);
    from = hold->since > from ? hold->since : from;
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

static void begin_hold(struct sl_jobs_worker *w, uint32_t handle, int64_t since)
{
    struct job_story_run *story = &w->story;
    uint32_t node = w->runs[handle].node;
    if (common_resource(w->p->base, node, node) != SL_NONE &&
        make_room(w, &story->holding, &story->holding_places, story->holding_count,
                  sizeof *story->holding))
        story->holding[story->holding_count++] = (struct job_hold){handle, since};
}

/* What is held when it comes. */
void sl_jobs_story_admit(struct sl_jobs_worker *w, const struct job *job)
{
    w->story.at = (uint32_t)(job - w->jobs);
    for (uint32_t k = 0; k < w->story.placed_count; k++)
        note_admitted(w, &w->story.placed[k]);
    w->story.placed_count = 0;
    w->story.queued = false;
    for (uint32_t k = 0; k < w->job_places; k++) {
        uint32_t first = w->jobs[k].runs;
        for (uint32_t i = 0; i < w->p->n && first != SL_NONE; i++)
            if (w->runs[first + i].phase == PHASE_HOLDING)
                begin_hold(w, first + i,
                           w->p->nodes[i].flags & NODE_BATCH ? w->members[first + i].since
                                                             : w->runs[first + i].start);
    }
}

void sl_jobs_story_wait(struct sl_jobs_worker *w, uint32_t handle)
{
    w->story.waiting[w->story.waiting_count++] = handle;
}

/* Whoever holds on while a run that waited starts has held, too: there are several units. */
void sl_jobs_story_start(struct sl_jobs_worker *w, uint32_t handle)
{
    struct job_story_run *story = &w->story;
    if (w->runs[handle].job == story->at) {
        uint32_t at = 0;
        while (story->waiting[at] != handle)
            at++;
        story->waiting[at] = story->waiting[--story->waiting_count];
        for (uint32_t k = 0; k < story->holding_count; k++)
            note_units(w, handle, &story->holding[k]);
    }
    begin_hold(w, handle, w->now);
}

static void end_hold(struct sl_jobs_worker *w, uint32_t handle)
{
    struct job_story_run *story = &w->story;
    uint32_t at = 0;
    while (at < story->holding_count && story->holding[at].handle != handle)
        at++;
    if (at == story->holding_count)
        return; /* its resource is unlimited */
    const struct job_hold hold = story->holding[at];
    story->holding[at] = story->holding[--story->holding_count];
    for (uint32_t k = 0; k < story->waiting_count; k++)
        note_units(w, story->waiting[k], &hold);
}

void sl_jobs_story_freed(struct sl_jobs_worker *w, uint32_t handle)
{
    bool batch = w->p->nodes[w->runs[handle].node].flags & NODE_BATCH;
    while (handle != SL_NONE) {
        end_hold(w, handle);
        handle = batch ? w->members[handle].next : SL_NONE;
    }
}

void sl_jobs_story_given(struct sl_jobs_worker *w, const struct job *job, uint32_t node,
                         uint32_t domain, int64_t bytes)
{
    for (uint32_t k = 0; k < w->story.waiting_count && bytes; k++) {
        uint32_t i = w->story.waiting[k];
        if (sl_jobs_bytes_want(w, i, domain) <= 0)
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
    told->admitted = w->story.admitted;
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
