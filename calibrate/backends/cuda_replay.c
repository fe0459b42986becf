/* A repetition of a replay: a stream for each server that works, and one thread of the host, which
 * asks the GPU what has ended, tells the rules, and launches what they start.
 *
 * It asks by cuEventQuery and does not wait: a wait would be for one stream, and a function that
 * CUDA calls from a stream may not call CUDA, so that it could only wake this thread, later than
 * the thread sees the end by itself.  What follows something is launched when the host has seen the
 * end of that, some microseconds after it; nodes should take a hundred times as long.  The order
 * between streams is told to CUDA, too, by the events that it is read from. */
#include <config.h>

#include "cuda_cupti.h"
#include "cuda_stage.h"
#include <math.h>

enum {
    CLOCK_SLACK_NS = 100000, /* by which the GPU's times may contradict the host's */
    LATE_NS = 100000,        /* from one look at the GPU to the next: something is in the way */
};

static int64_t now_ns(const struct sl_cuda_stage *stage)
{
    return sl_cuda_now_ns() - stage->origin_ns;
}

static const struct sl_replay_node *node_of(const struct sl_cuda_stage *stage, uint32_t index)
{
    return &stage->plan->nodes[index];
}

/* ---- starts ---------------------------------------------------------------------------------- */

/* Streams wait for the works of others that come before; what the host does is over. */
static enum sl_status await(struct sl_cuda_stage *stage, const struct sl_cuda_deed *deed,
                            struct sl_error *err)
{
    struct sl_bench *bench = stage->bench;
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < deed->before.count && status == SL_OK; k++) {
        const struct sl_cuda_deed *other = &stage->deeds[stage->before[deed->before.first + k]];
        if (other->kind == SL_CUDA_LAUNCHED && other->seat != deed->seat)
            status = SL_CUDA(&bench->driver, err, cuStreamWaitEvent,
                             bench->actors[deed->seat].stream, other->done, 0);
    }
    return status;
}

static enum sl_status launch(struct sl_cuda_stage *stage, uint32_t node, struct sl_error *err)
{
    struct sl_bench *bench = stage->bench;
    struct sl_cuda_deed *deed = &stage->deeds[node];
    struct sl_cuda_actor *actor = &bench->actors[deed->seat];
    enum sl_status status = await(stage, deed, err);
    if (status == SL_OK && !stage->cupti)
        status = SL_CUDA(&bench->driver, err, cuEventRecord, deed->begun, actor->stream);
    if (stage->cupti)
        sl_cupti_tag(sl_cuda_id(bench->epoch, 0, node));
    for (uint32_t k = 0; k < deed->pieces && status == SL_OK; k++)
        status = sl_cuda_launch_unit(bench, actor, &deed->work, &deed->unit, err);
    if (stage->cupti)
        sl_cupti_untag();
    if (status == SL_OK)
        status = SL_CUDA(&bench->driver, err, cuEventRecord, deed->done, actor->stream);
    return status;
}

/* In the order in which the rules have started them; calls are done when nothing else has to be. */
static enum sl_status start_fresh(struct sl_cuda_stage *stage, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t k = 0; k < stage->fresh_count && status == SL_OK; k++) {
        struct sl_cuda_seat *seat = &stage->seats[stage->fresh[k]];
        struct sl_cuda_deed *deed = &stage->deeds[seat->node];
        deed->launched_ns = now_ns(stage);
        if (deed->kind == SL_CUDA_PASTIME)
            seat->due_ns = deed->launched_ns + node_of(stage, seat->node)->hold_ns;
        else if (deed->kind == SL_CUDA_LAUNCHED)
            status = launch(stage, seat->node, err);
    }
    stage->fresh_count = 0;
    return status;
}

static enum sl_status settle(struct sl_cuda_stage *stage, struct sl_error *err)
{
    sl_replay_rules_settle(stage->rules, now_ns(stage));
    return start_fresh(stage, err);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void end(struct sl_cuda_stage *stage, struct sl_cuda_seat *seat)
{
    struct sl_cuda_deed *deed = &stage->deeds[seat->node];
    deed->seen_ns = now_ns(stage);
    sl_replay_rules_end(stage->rules, seat->node, deed->seen_ns);
    seat->node = SL_NONE;
}

static enum sl_status look(struct sl_cuda_stage *stage, const struct sl_cuda_seat *seat, bool *over,
                           struct sl_error *err)
{
    const struct sl_cuda_deed *deed = &stage->deeds[seat->node];
    *over = false;
    if (deed->kind == SL_CUDA_PASTIME)
        *over = now_ns(stage) >= seat->due_ns;
    if (deed->kind != SL_CUDA_LAUNCHED)
        return SL_OK;
    CUresult result = stage->bench->driver.cuEventQuery(deed->done);
    *over = result == CUDA_SUCCESS;
    return result == CUDA_ERROR_NOT_READY
               ? SL_OK
               : sl_cuda_check(&stage->bench->driver, result, "cuEventQuery", err);
}

/* Ends all nodes that are over. */
static enum sl_status look_around(struct sl_cuda_stage *stage, bool *ended, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t s = 0; s < stage->seat_count && status == SL_OK; s++) {
        bool over;
        if (stage->seats[s].node == SL_NONE)
            continue;
        status = look(stage, &stage->seats[s], &over, err);
        if (status == SL_OK && over) {
            end(stage, &stage->seats[s]);
            *ended = true;
        }
    }
    return status;
}

/* Does the calls of one node, if there are any; what they have is given back when all is over,
 * since a free waits for the GPU. */
static enum sl_status call(struct sl_cuda_stage *stage, bool *ended, struct sl_error *err)
{
    struct sl_bench *bench = stage->bench;
    uint32_t s = 0;
    while (s < stage->seat_count && (stage->seats[s].node == SL_NONE ||
                                     stage->deeds[stage->seats[s].node].kind != SL_CUDA_CALLED))
        s++;
    if (s == stage->seat_count)
        return SL_OK;
    struct sl_cuda_deed *deed = &stage->deeds[stage->seats[s].node];
    struct sl_cuda_actor *actor = &bench->actors[s];
    const struct sl_cuda_form *form = sl_cuda_form_of(&deed->work);
    actor->held = (struct sl_cuda_held){0};
    enum sl_status status = sl_cuda_do_steps(bench, actor, &deed->work, 0, form->timed_from, err);
    deed->launched_ns = now_ns(stage);
    if (status == SL_OK)
        status = sl_cuda_do_steps(bench, actor, &deed->work, form->timed_from, form->timed_to, err);
    deed->held = actor->held;
    if (status == SL_OK) {
        end(stage, &stage->seats[s]);
        *ended = true;
    } else {
        sl_cuda_undo_steps(bench, actor, &deed->work);
    }
    return status;
}

/* ---- a repetition ---------------------------------------------------------------------------- */

static enum sl_status begin(struct sl_cuda_stage *stage, struct sl_replay_log *log,
                            struct sl_error *err)
{
    struct sl_bench *bench = stage->bench;
    for (uint32_t i = 0; i < stage->plan->node_count; i++) {
        stage->deeds[i].launched_ns = stage->deeds[i].seen_ns = -1;
        stage->deeds[i].held = (struct sl_cuda_held){0};
    }
    for (uint32_t s = 0; s < stage->seat_count; s++)
        stage->seats[s].node = SL_NONE;
    stage->fresh_count = 0;
    sl_replay_rules_reset(stage->rules, log->times);
    enum sl_status status = sl_cuda_stage_reserve(stage, err);
    if (status == SL_OK)
        status = SL_CUDA(&bench->driver, err, cuCtxSynchronize, );
    if (status == SL_OK && !stage->cupti)
        status = sl_cuda_set_base(bench, err);
    sl_cuda_set_timer(bench, stage->cupti);
    sl_cupti_keep_calls(false);
    return status;
}

/* Switches of this thread that took long enough for a start to be late; shorter ones don't matter
 * to what the GPU does. */
static uint64_t late_switches(int64_t away_ns, uint64_t *known)
{
    uint64_t before = *known;
    *known = sl_cuda_preemptions();
    return away_ns > LATE_NS ? *known - before : 0;
}

static enum sl_status play(struct sl_cuda_stage *stage, struct sl_replay_log *log,
                           struct sl_error *err)
{
    uint64_t switches = sl_cuda_preemptions();
    stage->origin_ns = sl_cuda_now_ns();
    int64_t looked_ns = 0;
    enum sl_status status = settle(stage, err);
    while (status == SL_OK && (sl_replay_rules_running(stage->rules) > 0 ||
                               sl_replay_rules_due(stage->rules) != INT64_MAX)) {
        bool ended = false;
        status = look_around(stage, &ended, err);
        if (status == SL_OK && !ended)
            status = call(stage, &ended, err);
        if (status == SL_OK && (ended || sl_replay_rules_due(stage->rules) <= now_ns(stage)))
            status = settle(stage, err);
        log->preemptions += late_switches(now_ns(stage) - looked_ns, &switches);
        looked_ns = now_ns(stage);
    }
    return status;
}

/* Nothing stays at work, and nothing that calls had stays taken. */
static enum sl_status finish(struct sl_cuda_stage *stage, struct sl_error *err)
{
    struct sl_bench *bench = stage->bench;
    enum sl_status status = SL_CUDA(&bench->driver, err, cuCtxSynchronize, );
    for (uint32_t i = 0; i < stage->plan->node_count; i++) {
        const struct sl_cuda_deed *deed = &stage->deeds[i];
        if (deed->kind != SL_CUDA_CALLED || deed->seen_ns < 0)
            continue;
        const struct sl_cuda_form *form = sl_cuda_form_of(&deed->work);
        struct sl_cuda_actor *actor = &bench->actors[deed->seat];
        actor->held = deed->held;
        if (status == SL_OK)
            status =
                sl_cuda_do_steps(bench, actor, &deed->work, form->timed_to, form->step_count, err);
        if (status != SL_OK)
            sl_cuda_undo_steps(bench, actor, &deed->work);
    }
    return status;
}

/* ---- what it was ----------------------------------------------------------------------------- */

static enum sl_status read_events(struct sl_cuda_stage *stage, uint32_t node,
                                  struct sl_replay_times *times, struct sl_error *err)
{
    const struct sl_cuda_deed *deed = &stage->deeds[node];
    int64_t start_ns = 0, end_ns = 0;
    enum sl_status status = sl_cuda_event_ns(stage->bench, deed->begun, &start_ns, err);
    if (status == SL_OK)
        status = sl_cuda_event_ns(stage->bench, deed->done, &end_ns, err);
    times->start_ns = start_ns - stage->origin_ns;
    times->end_ns = end_ns - stage->origin_ns;
    return status;
}

/* A node that lacks a record has no time. */
static void read_records(const struct sl_cuda_stage *stage, uint32_t node,
                         struct sl_replay_times *times, struct sl_replay_log *log)
{
    const struct sl_cuda_span *span = &stage->spans[node];
    bool whole = span->works == stage->deeds[node].pieces && span->untimed == 0;
    log->untimed += !whole;
    times->start_ns = whole ? span->start_ns - stage->origin_ns : -1;
    times->end_ns = whole ? span->end_ns - stage->origin_ns : -1;
}

/* What the host knows of a work bounds what the GPU says of it. */
static bool in_step(const struct sl_cuda_deed *deed, const struct sl_replay_times *times)
{
    return times->end_ns >= times->start_ns &&
           times->start_ns >= deed->launched_ns - CLOCK_SLACK_NS &&
           times->end_ns <= deed->seen_ns + CLOCK_SLACK_NS;
}

static enum sl_status read_times(struct sl_cuda_stage *stage, struct sl_replay_log *log,
                                 struct sl_error *err)
{
    enum sl_status status = SL_OK;
    if (stage->cupti) {
        struct sl_cuda_trace trace = sl_cupti_take();
        log->dropped = trace.dropped;
        sl_cuda_read_spans(&trace, stage->bench->epoch, stage->spans, stage->plan->node_count);
    }
    for (uint32_t i = 0; i < stage->plan->node_count && status == SL_OK; i++) {
        const struct sl_cuda_deed *deed = &stage->deeds[i];
        struct sl_replay_times *times = &log->times[i];
        if (deed->kind == SL_CUDA_NO_DEED || deed->seen_ns < 0)
            continue;
        times->start_ns = deed->launched_ns;
        if (deed->kind != SL_CUDA_LAUNCHED)
            continue;
        if (stage->cupti)
            read_records(stage, i, times, log);
        else
            status = read_events(stage, i, times, err);
        if (times->end_ns >= 0)
            log->clock_step |= !in_step(deed, times);
    }
    return status;
}

static void clear(struct sl_replay_log *log)
{
    *log = (struct sl_replay_log){.times = log->times,
                                  .sentinel_before_ns = (double)NAN,
                                  .sentinel_after_ns = (double)NAN,
                                  .sm_mhz = (double)NAN};
}

enum sl_status sl_cuda_replay(struct sl_bench *bench, const struct sl_replay_plan *plan,
                              struct sl_replay_log *log, struct sl_error *err)
{
    struct sl_cuda_stage *stage = bench->stage;
    if (!stage || stage->plan != plan)
        return SL_FAIL(err, SL_USAGE, "another plan is set up");
    clear(log);
    enum sl_status status = begin(stage, log, err);
    if (status == SL_OK)
        status = play(stage, log, err);
    struct sl_nvml_clocks clocks = sl_nvml_clocks(&bench->nvml);
    enum sl_status finished = finish(stage, err);
    status = status == SL_OK ? finished : status;
    if (status == SL_OK)
        status = read_times(stage, log, err);
    sl_cupti_keep_calls(true);
    log->timer = !stage->launches ? "host" : stage->cupti ? "cupti" : "event";
    log->sm_mhz = clocks.sm_mhz;
    log->throttled = clocks.throttled;
    log->makespan_ns = sl_replay_rules_makespan(stage->rules);
    log->stuck = sl_replay_rules_left(stage->rules) > 0;
    return status;
}
