/* One unit of work, in each manner, and how long it takes where nothing disturbs it. */
#include <config.h>

#include "cuda_bench.h"

uint32_t sl_cuda_grid(const struct sl_bench *bench, const struct sl_work *work,
                      enum sl_work_shape shape)
{
    enum sl_cuda_function_index index = sl_cuda_form_of(work)->function;
    if (index == SL_CUDA_FUNCTIONS)
        return 0;
    uint32_t blocks =
        sl_cuda_blocks(bench->capacity.multiprocessors, bench->functions[index].per_sm, shape);
    if (index == SL_CUDA_FN_GEMM_F16 || index == SL_CUDA_FN_GEMM_BF16) {
        uint32_t tiles = sl_cuda_gemm_side_of(work->bytes) / SL_GEMM_TILE;
        return blocks < tiles * tiles ? blocks : tiles * tiles;
    }
    return blocks;
}

enum sl_status sl_cuda_do_steps(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                const struct sl_work *work, uint32_t from, uint32_t to,
                                struct sl_error *err)
{
    const struct sl_cuda_form *form = sl_cuda_form_of(work);
    enum sl_status status = SL_OK;
    for (uint32_t i = from; i < to && status == SL_OK; i++)
        status = form->steps[i](bench, actor, work->bytes, err);
    return status;
}

void sl_cuda_undo_steps(struct sl_bench *bench, struct sl_cuda_actor *actor,
                        const struct sl_work *work)
{
    const struct sl_cuda_form *form = sl_cuda_form_of(work);
    struct sl_error passed_over = {0};
    for (uint32_t i = form->timed_to; i < form->step_count; i++)
        (void)form->steps[i](bench, actor, work->bytes, &passed_over);
}

enum sl_status sl_cuda_make_graph(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                  const struct sl_work *work, const struct sl_cuda_unit *unit,
                                  struct sl_error *err)
{
    const struct sl_cuda_driver *driver = &bench->driver;
    CUgraph graph = NULL;
    if (actor->graph)
        SL_CUDA_RELEASE(driver, cuGraphExecDestroy, actor->graph);
    actor->graph = NULL;
    enum sl_status status = SL_CUDA(driver, err, cuStreamBeginCapture, actor->stream,
                                    CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    if (status != SL_OK)
        return status;
    status = sl_cuda_form_of(work)->launch(bench, actor, unit, err);
    /* The capture is ended in any case. */
    enum sl_status ended = SL_CUDA(driver, err, cuStreamEndCapture, actor->stream, &graph);
    status = status == SL_OK ? ended : status;
    if (status == SL_OK)
        status = SL_CUDA(driver, err, cuGraphInstantiate, &actor->graph, graph, 0);
    if (graph)
        SL_CUDA_RELEASE(driver, cuGraphDestroy, graph);
    return status;
}

enum sl_status sl_cuda_launch_unit(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                   const struct sl_work *work, const struct sl_cuda_unit *unit,
                                   struct sl_error *err)
{
    const struct sl_cuda_form *form = sl_cuda_form_of(work);
    if (form->manner == SL_CUDA_GRAPH)
        return SL_CUDA(&bench->driver, err, cuGraphLaunch, actor->graph, actor->stream);
    return form->launch(bench, actor, unit, err);
}

/* Median of three, behind one that warms. */
static enum sl_status measure(struct sl_bench *bench, const struct sl_work *work,
                              const struct sl_cuda_unit *unit, double *ns, struct sl_error *err)
{
    enum { TIMED = 3 };
    const struct sl_cuda_driver *driver = &bench->driver;
    struct sl_cuda_actor *actor = &bench->actors[0];
    float ms[TIMED] = {0};
    enum sl_status status = sl_cuda_launch_unit(bench, actor, work, unit, err);
    for (int i = 0; i <= TIMED && status == SL_OK; i++) {
        status = SL_CUDA(driver, err, cuEventRecord, actor->events[i], actor->stream);
        if (status == SL_OK && i < TIMED)
            status = sl_cuda_launch_unit(bench, actor, work, unit, err);
    }
    if (status == SL_OK)
        status = SL_CUDA(driver, err, cuStreamSynchronize, actor->stream);
    for (int i = 0; i < TIMED && status == SL_OK; i++)
        status = SL_CUDA(driver, err, cuEventElapsedTime, &ms[i], actor->events[i],
                         actor->events[i + 1]);
    float least = ms[0] < ms[1] ? ms[0] : ms[1], most = ms[0] < ms[1] ? ms[1] : ms[0];
    *ns = 1e6 * (double)(ms[2] < least ? least : ms[2] > most ? most : ms[2]);
    return status;
}

static enum sl_status estimate(struct sl_bench *bench, const struct sl_work *work,
                               enum sl_work_shape shape, double *ns, struct sl_error *err)
{
    enum { EVENTS = 4 };
    const struct sl_cuda_form *form = sl_cuda_form_of(work);
    struct sl_cuda_actor *actor = &bench->actors[0];
    struct sl_cuda_unit unit = {.bytes = work->bytes, .blocks = sl_cuda_grid(bench, work, shape)};
    *ns = 0;
    enum sl_status status = sl_cuda_actor_reserve(bench, actor, work, 1, unit.blocks, err);
    if (status == SL_OK && form->manner == SL_CUDA_CALLS) {
        actor->held = (struct sl_cuda_held){0};
        status = sl_cuda_do_steps(bench, actor, work, 0, form->step_count, err);
        if (status != SL_OK)
            sl_cuda_undo_steps(bench, actor, work);
        return status;
    }
    if (status == SL_OK)
        status = sl_cuda_actor_reserve_events(bench, actor, EVENTS, err);
    if (status == SL_OK && form->manner == SL_CUDA_GRAPH)
        status = sl_cuda_make_graph(bench, actor, work, &unit, err);
    if (status == SL_OK)
        status = measure(bench, work, &unit, ns, err);
    return status;
}

static bool same_work(const struct sl_work *a, const struct sl_work *b)
{
    return a->klass == b->klass && a->form == b->form && a->bytes == b->bytes;
}

enum sl_status sl_cuda_unit_time(struct sl_bench *bench, const struct sl_work *work,
                                 enum sl_work_shape shape, double *ns, struct sl_error *err)
{
    for (uint32_t i = 0; i < bench->estimate_count; i++)
        if (same_work(&bench->estimates[i].work, work) && bench->estimates[i].shape == shape) {
            *ns = bench->estimates[i].ns;
            return SL_OK;
        }
    if (!sl_grow((void **)&bench->estimates, &bench->estimate_capacity, bench->estimate_count + 1,
                 sizeof *bench->estimates))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    enum sl_status status = estimate(bench, work, shape, ns, err);
    if (status == SL_OK)
        bench->estimates[bench->estimate_count++] = (struct sl_cuda_estimate){*work, shape, *ns};
    return status;
}
