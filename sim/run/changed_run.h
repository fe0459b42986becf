/* Trials of a policy's plan under a what-if change: the metric of each and nothing else. */
#ifndef SL_CHANGED_RUN_H
#define SL_CHANGED_RUN_H
#include "change.h"
#include "policy.h"

/* Everything is borrowed. */
struct sl_changed_run {
    const struct sl_scenario *scenario;
    const char *policy;
    const struct sl_plan *plan; /* the policy's, of the scenario as it is */
    uint64_t seed;
    uint32_t trials;
    struct sl_pool *pool; /* NULL: the caller runs them alone */
    /* As in struct sl_trials_job.  NULL: none. */
    bool (*progress)(void *user, uint64_t done);
    void *user;
};

/* metric[t] in us, INFINITY where the trial deadlocks.  `replanned`: the policy plans on the
 * changed scenario; otherwise the plan is kept as it was made, and only the machine differs. SL_NO,
 * SL_INVALID: there is no such plan, or the engine refuses it. */
enum sl_status sl_changed_run(const struct sl_changed_run *run, const struct sl_change *change,
                              bool replanned, double *metric, struct sl_error *err) SL_NODISCARD;
/* The same of a policy's plan made on a scenario that was changed in some other way.  Of *run only
 * seed, trials, pool and progress are looked at. */
enum sl_status sl_changed_view_run(const struct sl_changed_run *run, const struct sl_scenario *view,
                                   const struct sl_policy_spec *policy, double *metric,
                                   struct sl_error *err) SL_NODISCARD;
#endif
