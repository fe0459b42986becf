/* Shots, one after the other. */
#include "config.h"

#include "shooter.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>

enum sl_status sl_shooter_open(struct sl_shooter *shooter, const struct sl_backend *backend,
                               struct sl_bench *bench, struct sl_error *err)
{
    *shooter = (struct sl_shooter){.backend = backend, .bench = bench};
    shooter->log.records = calloc(SL_SHOT_RECORDS_MAX, sizeof *shooter->log.records);
    return shooter->log.records ? SL_OK : SL_FAIL(err, SL_SYSTEM, "out of memory for a shot");
}

enum sl_status sl_shooter_prepare(struct sl_shooter *shooter, const struct sl_work *work,
                                  struct sl_error *err)
{
    for (uint32_t i = 0; i < shooter->prepared_count; i++)
        if (shooter->prepared[i].klass == work->klass && shooter->prepared[i].form == work->form &&
            shooter->prepared[i].bytes == work->bytes)
            return SL_OK;
    if (!sl_grow((void **)&shooter->prepared, &shooter->prepared_capacity,
                 shooter->prepared_count + 1, sizeof *shooter->prepared))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    shooter->prepared[shooter->prepared_count++] = *work;
    return shooter->backend->prepare(shooter->bench, work, err);
}

enum sl_status sl_shooter_take(struct sl_shooter *shooter, const struct sl_shot *shot,
                               struct sl_sample *sample, struct sl_error *err)
{
    shooter->log = (struct sl_shot_log){.records = shooter->log.records,
                                        .sentinel_before_ns = (double)NAN,
                                        .sentinel_after_ns = (double)NAN,
                                        .sm_mhz = (double)NAN};
    enum sl_status status = shooter->backend->shoot(shooter->bench, shot, &shooter->log, err);
    if (status == SL_OK)
        *sample = sl_judge(shot, &shooter->log);
    return status;
}

const char *sl_shooter_regime(const struct sl_shooter *shooter, const struct sl_sample *sample)
{
    return isnan(sample->sentinel_ns)
               ? ""
               : shooter->backend->regime(shooter->bench, sample->sentinel_ns);
}

void sl_shooter_close(struct sl_shooter *shooter)
{
    free(shooter->log.records);
    free(shooter->prepared);
    *shooter = (struct sl_shooter){0};
}
