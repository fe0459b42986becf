/* Simulating a changed plan. */
#include "changed_run.h"
#include "trials.h"
#include "units.h"
#include <stdlib.h>

static enum sl_status take_metric(void *state, const struct sl_trial *trial, struct sl_error *err)
{
    (void)err;
    double *metric = state;
    metric[trial->trial] = sl_us_of(trial->outcome == SL_DEADLOCK ? INT64_MAX : trial->makespan_ps);
    return SL_OK;
}

/* SL_NO: the engine refuses the graph. */
static enum sl_status simulate(const struct sl_changed_run *run, const struct sl_graph *graph,
                               const struct sl_engine_options *engine, double *metric,
                               struct sl_error *err)
{
    struct sl_program *program = NULL;
    enum sl_status status = sl_program_create(&program, graph, engine, err);
    if (status != SL_OK)
        return status;
    struct sl_trials_job job = {
        .program = program,
        .seed = run->seed,
        .trials = run->trials,
        .pool = run->pool,
        .threads = sl_trials_threads(run->pool, run->trials),
        .flags = SL_ONLY_MAKESPAN,
        .visit = take_metric,
        .progress = run->progress,
        .user = run->user,
    };
    job.states = calloc(job.threads, sizeof *job.states);
    status = job.states ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory");
    for (uint32_t t = 0; status == SL_OK && t < job.threads; t++)
        job.states[t] = metric; /* threads write different trials only */
    if (status == SL_OK)
        status = sl_trials_run(&job, err);
    free(job.states);
    sl_program_free(program);
    return status;
}

static enum sl_status simulate_kept(const struct sl_changed_run *run,
                                    const struct sl_change *change, double *metric,
                                    struct sl_error *err)
{
    struct sl_changed changed;
    enum sl_status status = sl_changed_make(&changed, run->plan->graph, change, err);
    if (status == SL_OK)
        status = simulate(run, changed.graph, &run->plan->engine, metric, err);
    sl_changed_free(&changed);
    return status;
}

/* What planning warns of was said when the policy's own plan was made. */
enum sl_status sl_changed_view_run(const struct sl_changed_run *run, const struct sl_scenario *view,
                                   const struct sl_policy_spec *policy, double *metric,
                                   struct sl_error *err)
{
    struct sl_plan plan = {0};
    struct sl_diags diags = {0};
    enum sl_status status = sl_policy_plan(&plan, view, policy, &diags, err);
    plan.engine.corner = SL_CORNER_PESSIMISTIC; /* as the cell's own trials */
    if (status == SL_OK)
        status = simulate(run, plan.graph, &plan.engine, metric, err);
    sl_plan_free(&plan);
    sl_diags_free(&diags);
    return status;
}

static enum sl_status simulate_replanned(const struct sl_changed_run *run,
                                         const struct sl_change *change, double *metric,
                                         struct sl_error *err)
{
    struct sl_changed changed;
    enum sl_status status = sl_changed_make(&changed, run->scenario->graph, change, err);
    if (status == SL_OK) {
        struct sl_scenario view = sl_changed_scenario(run->scenario, &changed);
        status =
            sl_changed_view_run(run, &view, sl_scenario_policy(&view, run->policy), metric, err);
    }
    sl_changed_free(&changed);
    return status;
}

enum sl_status sl_changed_run(const struct sl_changed_run *run, const struct sl_change *change,
                              bool replanned, double *metric, struct sl_error *err)
{
    return replanned ? simulate_replanned(run, change, metric, err)
                     : simulate_kept(run, change, metric, err);
}
