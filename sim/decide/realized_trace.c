/* Traces, and the timelines of replays, which are read like one. */
#include "config.h"

#include "audit.h"
#include "importer.h"
#include "realized.h"
#include <math.h>
#include <string.h>

#define PS_PER_US 1e6

/* Works by step, those of none last. */
struct by_step {
    uint32_t *works, *first; /* of step s: works[first[s] .. first[s + 1]) */
};

static bool sort_by_step(struct by_step *by, const struct sl_audit *audit, struct sl_arena *arena)
{
    uint32_t steps = audit->step_count;
    by->works = sl_arena_array(arena, (size_t)audit->work_count + 1, sizeof *by->works);
    by->first = sl_arena_array(arena, (size_t)steps + 3, sizeof *by->first);
    if (!by->works || !by->first)
        return false;
    for (uint32_t i = 0; i < audit->work_count; i++) {
        uint32_t step = audit->works[i].step;
        by->first[(step == SL_NONE ? steps : step) + 2]++;
    }
    for (uint32_t s = 2; s < steps + 3; s++)
        by->first[s] += by->first[s - 1];
    for (uint32_t i = 0; i < audit->work_count; i++) {
        uint32_t step = audit->works[i].step;
        by->works[by->first[(step == SL_NONE ? steps : step) + 1]++] = i;
    }
    return true;
}

static enum sl_status add_works(struct sl_realized *realized, const struct sl_audit *audit,
                                const struct by_step *by, uint32_t step, int64_t *span_ps,
                                struct sl_error *err)
{
    const struct sl_timeline *t = audit->timeline;
    int64_t from_ps = INT64_MAX, to_ps = INT64_MIN;
    enum sl_status status = SL_OK;
    for (uint32_t k = by->first[step]; k < by->first[step + 1] && status == SL_OK; k++) {
        const struct sl_audit_work *work = &audit->works[by->works[k]];
        int64_t start_ps = t->start_ps[work->event], end_ps = t->end_ps[work->event];
        from_ps = start_ps < from_ps ? start_ps : from_ps;
        to_ps = end_ps > to_ps ? end_ps : to_ps;
        bool launched = work->behind_ps >= 0 && work->delay_ps >= 0;
        status =
            sl_realized_add_work(realized, t->names.names[t->name[work->event]], start_ps, end_ps,
                                 launched ? work->behind_ps + work->delay_ps : -1, err);
    }
    *span_ps = from_ps > to_ps ? 0 : to_ps - from_ps;
    return status;
}

/* The works of a step become a run, or where there are no steps those of none.  `time_us` NAN: the
 * time of the step. */
static enum sl_status add_step(struct sl_realized *realized, const struct sl_audit *audit,
                               const struct by_step *by, uint32_t step, double time_us,
                               struct sl_error *err)
{
    uint32_t first = realized->work_count;
    int64_t span_ps;
    enum sl_status status = add_works(realized, audit, by, step, &span_ps, err);
    if (status != SL_OK)
        return status;
    if (step < audit->step_count)
        span_ps = audit->steps[step].finish_ps - audit->steps[step].from_ps;
    else if (realized->work_count == first)
        return SL_OK;
    return sl_realized_add_run(realized, first,
                               isnan(time_us) ? (double)span_ps / PS_PER_US : time_us, err);
}

static enum sl_status add_steps(struct sl_realized *realized, const struct sl_audit *audit,
                                const struct by_step *by, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    uint32_t runs = audit->step_count > 0 ? audit->step_count : 1;
    for (uint32_t i = 0; i < runs && status == SL_OK; i++)
        status = add_step(realized, audit, by, i, NAN, err);
    return status;
}

/* The step of a repetition: the importer names it by the file's number. */
static uint32_t step_of(const struct sl_audit *audit, uint32_t number, uint32_t from)
{
    char name[40];
    const struct sl_timeline *t = audit->timeline;
    snprintf(name, sizeof name, "repetition %u", number);
    for (uint32_t i = from; i < audit->step_count; i++)
        if (strcmp(t->names.names[t->name[audit->steps[i].event]], name) == 0)
            return i;
    return SL_NONE;
}

/* Both files are in the order of time. */
static enum sl_status add_judged(struct sl_realized *realized, const struct sl_audit *audit,
                                 const struct by_step *by, struct sl_error *err)
{
    const struct sl_replay_record *replay = &realized->replay;
    enum sl_status status = SL_OK;
    uint32_t at = 0;
    if (audit->step_count == 0 && replay->identity.repetitions == 1)
        return add_step(realized, audit, by, 0, replay->makespan_of[0], err);
    for (uint32_t i = 0; i < replay->identity.judged && status == SL_OK; i++) {
        uint32_t step = step_of(audit, replay->numbers[i], at);
        if (step == SL_NONE)
            return SL_FAIL(err, SL_INVALID, "%s has no rows of repetition %u, which was judged",
                           realized->files[0], replay->numbers[i]);
        at = step + 1;
        status = add_step(realized, audit, by, step, replay->makespan_of[i], err);
    }
    return status;
}

typedef enum sl_status taker(struct sl_realized *realized, const struct sl_audit *audit,
                             const struct by_step *by, struct sl_error *err);

static enum sl_status read_timeline(struct sl_realized *realized, const char *path,
                                    const char *range, taker *take, struct sl_diags *diags,
                                    struct sl_error *err)
{
    struct sl_timeline timeline = {0};
    struct sl_audit audit = {0};
    const struct sl_audit_options options = {.to_ps = INT64_MAX, .range = range};
    enum sl_status status = sl_import(path, &timeline, NULL, diags, NULL, err);
    if (status == SL_OK)
        status = sl_audit_make(&audit, &timeline, &options, err);
    struct by_step by;
    if (status == SL_OK && !sort_by_step(&by, &audit, &realized->arena))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        status = take(realized, &audit, &by, err);
    realized->has_works = true;
    sl_audit_free(&audit);
    sl_timeline_free(&timeline);
    return status;
}

enum sl_status sl_realized_read_trace(struct sl_realized *realized, const char *path,
                                      struct sl_diags *diags, struct sl_error *err)
{
    const char *kept;
    realized->kind = "trace";
    enum sl_status status = sl_realized_note_file(realized, path, NULL, &kept, err);
    return status == SL_OK ? read_timeline(realized, kept, NULL, add_steps, diags, err) : status;
}

enum sl_status sl_realized_read_replay(struct sl_realized *realized, const char *dir,
                                       struct sl_diags *diags, struct sl_error *err)
{
    const char *timeline, *other;
    size_t errors = diags->errors;
    realized->kind = "replay";
    enum sl_status status =
        sl_replay_record_read(&realized->replay, dir, &realized->arena, diags, err);
    if (status != SL_OK || diags->errors > errors)
        return status;
    status = sl_realized_note_file(realized, dir, "timeline.csv", &timeline, err);
    if (status == SL_OK)
        status = sl_realized_note_file(realized, dir, "replay.csv", &other, err);
    if (status == SL_OK)
        status = sl_realized_note_file(realized, dir, "repetitions.csv", &other, err);
    if (status == SL_OK)
        status = sl_realized_check_timeline(realized, timeline, diags, err);
    if (status != SL_OK || diags->errors > errors)
        return status;
    realized->rejected = realized->replay.identity.repetitions - realized->replay.identity.judged;
    return read_timeline(realized, timeline, "repetition", add_judged, diags, err);
}
