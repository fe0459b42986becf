/* A plan simulated at other speeds of its classes. */
#include "config.h"

#include "changed_run.h"
#include "replay_seen.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum side { VALUE, LOWER, UPPER, SIDES };

static double side_of(struct sl_estimate estimate, enum side side)
{
    return side == LOWER ? estimate.lo : side == UPPER ? estimate.hi : estimate.value;
}

/* False: no class has a ratio. */
static bool set_classes(struct sl_change *change, const struct sl_replay_beside *beside,
                        enum side side)
{
    bool any = false;
    for (uint32_t i = 0; i < beside->speed_count; i++) {
        const struct sl_replay_speed *speed = &beside->speeds[i];
        if (isnan(speed->ratio.value) || strcmp(speed->regime, beside->regime) != 0)
            continue;
        change->classes[speed->klass] = side_of(speed->ratio, side);
        any = true;
    }
    return any;
}

static enum sl_status project(const struct sl_replay_beside *beside,
                              const struct sl_changed_run *run, struct sl_change *change,
                              double *makespans_us,
                              struct sl_estimate sides[SIDES][SL_REPLAY_QUANTILES],
                              struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (int side = 0; status == SL_OK && side < SIDES; side++) {
        if (!set_classes(change, beside, (enum side)side))
            return SL_OK;
        status = sl_changed_run(run, change, false, makespans_us, err);
        if (status != SL_OK)
            break;
        sl_sort_doubles(makespans_us, run->trials);
        for (int i = 0; i < SL_REPLAY_QUANTILES; i++)
            sides[side][i] =
                sl_quantile(makespans_us, run->trials, sl_replay_quantile_of[i], SL_CONFIDENCE);
    }
    return status;
}

enum sl_status sl_replay_project_seen(struct sl_replay_beside *beside, const struct sl_cell *cell,
                                      const struct sl_run_options *options, struct sl_error *err)
{
    const struct sl_changed_run run = {
        .scenario = cell->scenario,
        .policy = cell->spec.policy,
        .plan = &cell->plan,
        .seed = options->seed_given ? options->seed : cell->scenario->seed,
        .trials = cell->trials,
        .pool = options->pool,
    };
    struct sl_estimate sides[SIDES][SL_REPLAY_QUANTILES];
    struct sl_change change;
    for (int i = 0; i < SL_REPLAY_QUANTILES; i++)
        sides[VALUE][i] = sides[LOWER][i] = sides[UPPER][i] = SL_NO_ESTIMATE;
    double *makespans_us = malloc(((size_t)cell->trials + 1) * sizeof *makespans_us);
    enum sl_status status = sl_change_init(&change, cell->plan.graph->platform, err);
    if (status == SL_OK && !makespans_us)
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        status = project(beside, &run, &change, makespans_us, sides, err);
    for (int i = 0; i < SL_REPLAY_QUANTILES; i++)
        beside->seen[i] =
            (struct sl_estimate){sides[VALUE][i].value, sides[LOWER][i].lo, sides[UPPER][i].hi};
    sl_change_free(&change);
    free(makespans_us);
    return status;
}
