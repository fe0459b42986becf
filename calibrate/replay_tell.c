/* How a replay and its projection compare, told. */
#include "config.h"

#include "replay_csv.h"
#include "replay_parts.h"
#include "same_graph.h"
#include <inttypes.h>
#include <string.h>

/* The regime of the projection's slowdowns; where nothing was measured in it, or they state none,
 * the one in which most repetitions were.  NULL: no repetition can be judged. */
static const struct sl_replay_regime *choose_regime(const struct sl_replay_run *r)
{
    const char *projected = r->scenario.platform.kappa.regime;
    const struct sl_replay_regime *most = NULL;
    for (uint32_t i = 0; i < r->regime_count; i++) {
        const struct sl_replay_regime *regime = &r->regimes[i];
        if (projected && strcmp(regime->name, projected) == 0)
            return regime;
        if (!most || sl_replay_tally_count(regime->tally) > sl_replay_tally_count(most->tally))
            most = regime;
    }
    return most;
}

static void print_head(const struct sl_replay_run *r, const struct sl_replay_regime *judged)
{
    const char *projected = r->scenario.platform.kappa.regime;
    printf("%s, policy %s, on backend %s\n", r->scenario.name, r->cell.spec.policy,
           r->calibration.backend->name);
    printf("%" PRIu32 " repetition%s, %" PRIu32 " judged", r->done, r->done == 1 ? "" : "s",
           sl_replay_tally_count(judged->tally));
    for (uint32_t i = 0; i < r->regime_count; i++)
        if (r->regimes[i].name[0])
            printf("%s %" PRIu32 " in regime %s%s", i ? "," : ":",
                   sl_replay_tally_count(r->regimes[i].tally), r->regimes[i].name,
                   &r->regimes[i] == judged ? " (judged)" : "");
    for (int reject = SL_REJECT_NONE + 1; reject < SL_REJECT_COUNT; reject++)
        if (r->rejects[reject] > 0)
            printf("; rejected as %s: %" PRIu32, sl_reject_name((enum sl_reject)reject),
                   r->rejects[reject]);
    if (r->throttled > 0)
        printf("; kept, with clocks that power or heat held down: %" PRIu32, r->throttled);
    printf("\nbeside %" PRIu32 " projected trials%s%s%s\n", r->cell.trials,
           projected ? " with the slowdowns of regime " : "", projected ? projected : "",
           r->cell.hypothetical ? ", some with a kappa that nobody measured" : "");
    if (projected && judged->name[0] && strcmp(projected, judged->name) != 0)
        printf(
            "no repetition was in that regime: --set kappa.regime=%s projects the one measured\n",
            judged->name);
    putchar('\n');
}

/* For whoever reads the folder later: what was replayed, and what of it counts. */
static enum sl_status write_identity(const struct sl_replay_run *r,
                                     const struct sl_replay_regime *judged,
                                     const struct sl_replay_verdict *verdict, struct sl_error *err)
{
    struct sl_replay_identity identity = {
        .scenario = r->scenario.name,
        .policy = r->cell.spec.policy,
        .backend = r->calibration.backend->name,
        .plan = sl_graph_digest(r->cell.plan.graph),
        .regime = judged->name,
        .repetitions = r->done,
        .judged = sl_replay_tally_count(judged->tally),
        .drift = verdict->quantiles[0].drift,
    };
    for (uint32_t i = 0; verdict->beside && i < verdict->beside->speed_count; i++) {
        identity.shots += verdict->beside->speeds[i].shots;
        identity.shots_rejected += verdict->beside->speeds[i].rejected;
    }
    return r->files.dir ? sl_replay_identity_write(r->files.dir, &identity, err) : SL_OK;
}

/* The works alone that were measured between the repetitions, and the projection at their speeds;
 * *told is NULL where there were none. */
static enum sl_status look_beside(struct sl_replay_run *r, const struct sl_replay_regime *judged,
                                  struct sl_replay_beside *beside,
                                  const struct sl_replay_beside **told, struct sl_error *err)
{
    *told = NULL;
    if (!r->drift)
        return SL_OK;
    *beside = (struct sl_replay_beside){.regime = judged->name};
    beside->speeds = sl_replay_drift_speeds(r->drift, &r->arena, &beside->speed_count);
    if (!beside->speeds)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    *told = beside;
    return sl_replay_project_again(r, beside, err);
}

static enum sl_status none_judged(const struct sl_replay_run *r, struct sl_error *err)
{
    int most = SL_REJECT_NONE + 1;
    for (int reject = most; reject < SL_REJECT_COUNT; reject++)
        most = r->rejects[reject] > r->rejects[most] ? reject : most;
    const char *why = "the machine is too busy with something else";
    if (most == SL_REJECT_DROPPED || most == SL_REJECT_ZERO_TIME || most == SL_REJECT_CLOCK_STEP)
        why = "their times are not to be trusted";
    return SL_FAIL(err, SL_SYSTEM,
                   "of %" PRIu32 " repetitions none could be judged: %s (%s: %" PRIu32 ")", r->done,
                   why, sl_reject_name((enum sl_reject)most), r->rejects[most]);
}

enum sl_status sl_replay_tell(struct sl_replay_run *r, struct sl_error *err)
{
    const struct sl_replay_regime *judged = choose_regime(r);
    if (!judged)
        return none_judged(r, err);
    struct sl_replay_verdict verdict;
    struct sl_replay_beside beside;
    const struct sl_replay_beside *told;
    enum sl_status status = look_beside(r, judged, &beside, &told, err);
    if (status != SL_OK)
        return status;
    status = sl_replay_verdict_make(&verdict, judged->tally, &r->plan, &r->cell, told, err);
    if (status == SL_OK)
        status = sl_replay_files_verdict(&r->files, &verdict, &r->cell, err);
    if (status == SL_OK)
        status = write_identity(r, judged, &verdict, err);
    if (status == SL_OK) {
        print_head(r, judged);
        sl_replay_report(stdout, &verdict, &r->plan, &r->cell);
        if (r->files.dir)
            printf("\ntimelines and tables: %s\n", r->files.dir);
    }
    sl_replay_verdict_free(&verdict);
    return status;
}
