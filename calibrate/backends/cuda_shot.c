/* One shot: everybody's work is launched behind the gate, the gate is opened, and what came of it
 * is read.
 *
 *     gate      |####|
 *     aggressor      |--0--|--1--|--2--|--3--| ...          units back to back
 *     victim                     |=========|                once every aggressor's unit 1 has ended
 *
 * A victim that is calls on the host is done by the host at that moment; nothing that runs then
 * waits for the host, so that a call that waits for the GPU comes back. */
#include <config.h>

#include "cuda_bench.h"
#include "cuda_cupti.h"
#include "cuda_shot.h"
#include <math.h>

/* The last unit of a partial overlap is cut to what is left of it; pages of copies stay whole. */
static int64_t part_of(int64_t bytes, double share)
{
    const int64_t page = 4096;
    int64_t part = (int64_t)((double)bytes * share) / page * page;
    return part < page ? page : part;
}

/* Aggressors of several kinds lead each other by as much as they slow each other. */
#define LEAD_SLACK 2

/* Units for an aggressor to lead, to go on while others still lead, and to cover the victim, by
 * undisturbed times.  Contention makes units longer, which covers more. */
static void set_units(struct sl_cuda_role *role, const struct sl_shot *shot, double longest_lead_ns)
{
    double lead_ns = SL_CUDA_LEAD_UNITS * role->unit_ns;
    double behind_ns =
        (shot->aggressor_count > 1 ? LEAD_SLACK * longest_lead_ns : lead_ns) - lead_ns;
    double units = role->unit_ns > 0 ? (behind_ns + (double)shot->cover_ns) / role->unit_ns : 0;
    double whole = floor(units), rest = units - whole;
    if (shot->overlap >= 1 && rest > 0) {
        whole++;
        rest = 0;
    }
    whole = fmin(SL_CUDA_LEAD_UNITS + whole, SL_CUDA_UNITS_MAX - 1);
    role->units = (uint32_t)whole;
    if (rest > 0) {
        role->units++;
        role->last_bytes = part_of(role->work->bytes, rest);
    }
}

/* Who does what.  What a unit takes is known or measured before anything is held back. */
static enum sl_status cast(struct sl_cuda_run *run, struct sl_error *err)
{
    struct sl_bench *bench = run->bench;
    const struct sl_shot *shot = run->shot;
    enum sl_status status = SL_OK;
    double longest_lead_ns = 0;
    run->role_count = 1 + shot->aggressor_count;
    for (uint32_t a = 0; a < run->role_count && status == SL_OK; a++) {
        struct sl_cuda_role *role = &run->roles[a];
        role->work = a == 0 ? &shot->victim : &shot->aggressors[a - 1];
        role->form = sl_cuda_form_of(role->work);
        role->units = 1;
        role->last_bytes = role->work->bytes;
        role->blocks = sl_cuda_grid(bench, role->work, shot->shape);
        if (a == 0)
            continue;
        if (role->form->manner != SL_CUDA_GATED)
            return SL_FAIL(err, SL_USAGE, "'%s' can't be an aggressor",
                           bench->classes[role->work->klass].name);
        status = sl_cuda_unit_time(bench, role->work, shot->shape, &role->unit_ns, err);
        longest_lead_ns = fmax(longest_lead_ns, SL_CUDA_LEAD_UNITS * role->unit_ns);
    }
    for (uint32_t a = 1; a < run->role_count && status == SL_OK; a++)
        set_units(&run->roles[a], shot, longest_lead_ns);
    run->calls = run->roles[0].form->manner == SL_CUDA_CALLS;
    run->gated = run->roles[0].form->manner != SL_CUDA_DIRECT;
    run->cupti = !bench->cupti_missing && !shot->other_timer;
    return status;
}

static struct sl_cuda_unit unit_of(const struct sl_cuda_run *run, uint32_t a, uint32_t unit)
{
    const struct sl_cuda_role *role = &run->roles[a];
    return (struct sl_cuda_unit){
        .bytes = unit + 1 == role->units ? role->last_bytes : role->work->bytes,
        .blocks = role->blocks,
        .stamps = run->bench->actors[a].stamps.device +
                  (CUdeviceptr)unit * role->blocks * sizeof(struct sl_cuda_stamp),
    };
}

/* Memory and events of all, so that nothing is allocated behind the gate. */
static enum sl_status reserve(struct sl_cuda_run *run, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t a = 0; a < run->role_count && status == SL_OK; a++) {
        const struct sl_cuda_role *role = &run->roles[a];
        struct sl_cuda_actor *actor = &run->bench->actors[a];
        size_t stamp_bytes = (size_t)role->units * role->blocks * sizeof(struct sl_cuda_stamp);
        status =
            sl_cuda_actor_reserve(run->bench, actor, role->work, role->units, role->blocks, err);
        if (status == SL_OK && stamp_bytes > 0)
            status = SL_CUDA(&run->bench->driver, err, cuMemsetD8Async, actor->stamps.device, 0,
                             stamp_bytes, actor->stream);
        if (status == SL_OK && !run->cupti)
            status = sl_cuda_actor_reserve_events(run->bench, actor, role->units + 1, err);
    }
    return status;
}

/* What comes before the victim's own time: the steps before the timed ones, its graph's first
 * launch, and the state of the L2. */
static enum sl_status lead_in(struct sl_cuda_run *run, struct sl_error *err)
{
    struct sl_bench *bench = run->bench;
    struct sl_cuda_actor *actor = &bench->actors[0];
    const struct sl_cuda_role *victim = &run->roles[0];
    struct sl_cuda_unit unit = unit_of(run, 0, 0);
    enum sl_status status = SL_OK;
    if (run->calls)
        status = sl_cuda_do_steps(bench, actor, victim->work, 0, victim->form->timed_from, err);
    if (victim->form->manner == SL_CUDA_GRAPH)
        status = sl_cuda_make_graph(bench, actor, victim->work, &unit, err);
    if (status == SL_OK && (victim->form->warm || victim->form->manner == SL_CUDA_GRAPH))
        status = sl_cuda_launch_unit(bench, actor, victim->work, &unit, err);
    if (status == SL_OK && victim->form->cold)
        status = SL_CUDA(&bench->driver, err, cuMemsetD8Async, bench->sweep.device, 0,
                         bench->sweep.bytes, actor->stream);
    if (status == SL_OK)
        status = SL_CUDA(&bench->driver, err, cuCtxSynchronize, );
    return status;
}

static enum sl_status begin(struct sl_cuda_run *run, struct sl_error *err)
{
    struct sl_bench *bench = run->bench;
    enum sl_status status = reserve(run, err);
    if (status == SL_OK)
        status = lead_in(run, err);
    if (status == SL_OK && !run->cupti)
        status = sl_cuda_set_base(bench, err);
    sl_cuda_set_timer(bench, run->cupti);
    return status;
}

static void tag(const struct sl_cuda_run *run, uint32_t actor, uint32_t unit)
{
    if (run->cupti)
        sl_cupti_tag(sl_cuda_id(run->bench->epoch, actor, unit));
}

static void untag(const struct sl_cuda_run *run)
{
    if (run->cupti)
        sl_cupti_untag();
}

static enum sl_status launch_units(struct sl_cuda_run *run, uint32_t a, struct sl_error *err)
{
    struct sl_bench *bench = run->bench;
    const struct sl_cuda_driver *driver = &bench->driver;
    const struct sl_cuda_role *role = &run->roles[a];
    struct sl_cuda_actor *actor = &bench->actors[a];
    enum sl_status status = SL_OK;
    if (!run->cupti)
        status = SL_CUDA(driver, err, cuEventRecord, actor->events[0], actor->stream);
    for (uint32_t u = 0; u < role->units && status == SL_OK; u++) {
        struct sl_cuda_unit unit = unit_of(run, a, u);
        tag(run, a, u);
        status = sl_cuda_launch_unit(bench, actor, role->work, &unit, err);
        untag(run);
        if (status == SL_OK && !run->cupti)
            status = SL_CUDA(driver, err, cuEventRecord, actor->events[u + 1], actor->stream);
        if (status == SL_OK && a > 0 && u + 1 == SL_CUDA_LEAD_UNITS)
            status = SL_CUDA(driver, err, cuEventRecord, actor->led, actor->stream);
    }
    return status;
}

/* Launches all behind the gate: the aggressors, then the victim, which waits for them, too. */
static enum sl_status hold(struct sl_cuda_run *run, struct sl_error *err)
{
    struct sl_bench *bench = run->bench;
    const struct sl_cuda_driver *driver = &bench->driver;
    enum sl_status status = SL_OK;
    if (run->gated) {
        tag(run, SL_CUDA_GATE, 0);
        status = sl_cuda_gate_close(bench, err);
        untag(run);
    }
    for (uint32_t a = 0; run->gated && a < run->role_count && status == SL_OK; a++)
        status =
            SL_CUDA(driver, err, cuStreamWaitEvent, bench->actors[a].stream, bench->gate.opened, 0);
    for (uint32_t a = 1; a < run->role_count && status == SL_OK; a++) {
        status = launch_units(run, a, err);
        if (status == SL_OK)
            status = SL_CUDA(driver, err, cuStreamWaitEvent, bench->actors[0].stream,
                             bench->actors[a].led, 0);
    }
    if (status == SL_OK && !run->calls)
        status = launch_units(run, 0, err);
    return status;
}

/* The victim's calls, once the aggressors have led. */
static enum sl_status call(struct sl_cuda_run *run, struct sl_error *err)
{
    struct sl_bench *bench = run->bench;
    const struct sl_cuda_role *victim = &run->roles[0];
    enum sl_status status = SL_CUDA(&bench->driver, err, cuEventSynchronize, bench->gate.opened);
    for (uint32_t a = 1; a < run->role_count && status == SL_OK; a++)
        status = SL_CUDA(&bench->driver, err, cuEventSynchronize, bench->actors[a].led);
    if (status != SL_OK)
        return status;
    uint64_t before = sl_cuda_preemptions();
    tag(run, 0, 0);
    run->call_start_ns = sl_cuda_now_ns();
    status = sl_cuda_do_steps(bench, &bench->actors[0], victim->work, victim->form->timed_from,
                              victim->form->timed_to, err);
    run->call_end_ns = sl_cuda_now_ns();
    untag(run);
    run->preemptions = sl_cuda_preemptions() - before;
    return status;
}

/* Opens the gate, does what the host has to do, and waits until all is over; the clocks are asked
 * for while the GPU works. */
static enum sl_status let_go(struct sl_cuda_run *run, struct sl_error *err)
{
    struct sl_bench *bench = run->bench;
    const struct sl_cuda_role *victim = &run->roles[0];
    enum sl_status status = SL_OK;
    if (run->gated)
        sl_cuda_gate_open(bench);
    if (run->calls)
        status = call(run, err);
    run->clocks = sl_nvml_clocks(&bench->nvml);
    enum sl_status synchronized = SL_CUDA(&bench->driver, err, cuCtxSynchronize, );
    status = status == SL_OK ? synchronized : status;
    if (status == SL_OK && run->calls)
        status = sl_cuda_do_steps(bench, &bench->actors[0], victim->work, victim->form->timed_to,
                                  victim->form->step_count, err);
    return status;
}

enum sl_status sl_cuda_shoot(struct sl_bench *bench, const struct sl_shot *shot,
                             struct sl_shot_log *log, struct sl_error *err)
{
    struct sl_cuda_run run = {.bench = bench, .shot = shot};
    int64_t begin_ns = sl_cuda_now_ns();
    enum sl_status status = cast(&run, err);
    if (status == SL_OK)
        status = begin(&run, err);
    if (status != SL_OK)
        return status;
    status = hold(&run, err);
    if (status == SL_OK) {
        status = let_go(&run, err);
    } else {
        /* What was launched must not stay held back. */
        sl_cuda_gate_open(bench);
        SL_CUDA_RELEASE(&bench->driver, cuCtxSynchronize, );
    }
    if (status == SL_OK)
        status = sl_cuda_read_shot(&run, log, err);
    log->begin_ns = begin_ns;
    return status;
}
