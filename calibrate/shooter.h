/* Takes shots on a bench, as a calibration and what is measured beside a replay both do: each work
 * is prepared once, before its first shot, and each shot is judged. */
#ifndef SL_SHOOTER_H
#define SL_SHOOTER_H
#include "backend.h"
#include "judge.h"

struct sl_shooter {
    const struct sl_backend *backend;
    struct sl_bench *bench; /* borrowed */
    struct sl_shot_log log; /* of the last shot */
    struct sl_work *prepared;
    uint32_t prepared_count, prepared_capacity;
};

/* sl_shooter_close releases in every case. */
enum sl_status sl_shooter_open(struct sl_shooter *shooter, const struct sl_backend *backend,
                               struct sl_bench *bench, struct sl_error *err) SL_NODISCARD;
/* Does nothing where this work was prepared before. */
enum sl_status sl_shooter_prepare(struct sl_shooter *shooter, const struct sl_work *work,
                                  struct sl_error *err) SL_NODISCARD;
/* One shot of prepared works, judged; a shot that is rejected is SL_OK. */
enum sl_status sl_shooter_take(struct sl_shooter *shooter, const struct sl_shot *shot,
                               struct sl_sample *sample, struct sl_error *err) SL_NODISCARD;
/* The regime in which a shot was taken; "" where the backend tells none apart. */
const char *sl_shooter_regime(const struct sl_shooter *shooter, const struct sl_sample *sample);
void sl_shooter_close(struct sl_shooter *shooter);
#endif
