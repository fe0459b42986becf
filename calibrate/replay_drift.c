/* Works alone between the repetitions of a replay. */
#include "config.h"

#include "replay_drift.h"
#include "replay_size.h"
#include "shooter.h"
#include "verify.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WARM_SHOTS = 3, /* of each work, not counted */
    REGIMES_MOST = 4,
};

/* Shots of a work in one regime. */
struct series {
    const char *regime; /* NULL: none yet */
    double *us;
    uint32_t count, capacity, rejected;
};

struct work {
    uint32_t node; /* the one whose work it is */
    double calibrated_us;
    double allowed;
    struct series series[REGIMES_MOST];
};

struct sl_replay_drift {
    const struct sl_replay_plan *plan;
    struct sl_shooter shooter;
    struct work *works; /* by class */
    uint32_t count, next;
};

/* ---- the works ------------------------------------------------------------------------------- */

/* A node that is work of a class. */
struct sized {
    uint32_t klass, node;
    int64_t bytes;
    double hold_ns;
};

static int by_size(const void *left, const void *right)
{
    const struct sized *a = left, *b = right;
    if (a->klass != b->klass)
        return a->klass < b->klass ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static uint32_t list_nodes(const struct sl_replay_plan *plan, struct sized *nodes)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        const struct sl_replay_node *node = &plan->nodes[i];
        if (node->act == SL_REPLAY_WORK && node->work.klass != SL_NONE)
            nodes[count++] =
                (struct sized){node->klass, i, node->work.bytes, (double)node->hold_ns};
    }
    qsort(nodes, count, sizeof *nodes, by_size);
    return count;
}

/* Of `count` nodes of one class in the order of their sizes, where half of their time is reached.
 */
static uint32_t middle(const struct sized *nodes, uint32_t count)
{
    double all_ns = 0, reached_ns = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++)
        all_ns += nodes[i].hold_ns;
    while ((reached_ns += nodes[at].hold_ns) < all_ns / 2 && at + 1 < count)
        at++;
    return nodes[at].node;
}

static bool find_works(struct sl_replay_drift *drift)
{
    size_t most = (size_t)drift->plan->node_count + 1;
    struct sized *nodes = calloc(most, sizeof *nodes);
    drift->works = calloc(most, sizeof *drift->works);
    uint32_t count = nodes && drift->works ? list_nodes(drift->plan, nodes) : 0;
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && nodes[end].klass == nodes[first].klass;)
            end++;
        drift->works[drift->count++].node = middle(&nodes[first], end - first);
    }
    bool had = nodes && drift->works;
    free(nodes);
    return had;
}

/* What the tables say of each work. */
static enum sl_status look_up(struct sl_replay_drift *drift, const struct sl_graph *graph,
                              struct sl_error *err)
{
    enum sl_status status = SL_OK;
    for (uint32_t i = 0; status == SL_OK && i < drift->count; i++) {
        struct work *work = &drift->works[i];
        struct sl_replay_isolated isolated;
        status = sl_replay_isolated(&isolated, graph, work->node,
                                    drift->plan->nodes[work->node].work.bytes, err);
        if (status != SL_OK)
            return status;
        work->calibrated_us = isolated.median_us;
        work->allowed = (double)NAN;
        if (isolated.row && sl_known_varies(isolated.row->factor))
            work->allowed =
                exp(sl_verify_allowed(1, isolated.row->factor.lo, isolated.row->factor.hi,
                                      isolated.row->sessions, drift->count));
    }
    return status;
}

static enum sl_status take(struct sl_replay_drift *drift, const struct work *work,
                           struct sl_sample *sample, struct sl_error *err)
{
    const struct sl_shot shot = {
        .victim = drift->plan->nodes[work->node].work, .shape = SL_SHAPE_FILL, .overlap = 1};
    return sl_shooter_take(&drift->shooter, &shot, sample, err);
}

static enum sl_status warm(struct sl_replay_drift *drift, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    struct sl_sample sample;
    for (uint32_t i = 0; status == SL_OK && i < drift->count; i++) {
        const struct work *work = &drift->works[i];
        status = sl_shooter_prepare(&drift->shooter, &drift->plan->nodes[work->node].work, err);
        for (uint32_t k = 0; status == SL_OK && k < WARM_SHOTS; k++)
            status = take(drift, work, &sample, err);
    }
    return status;
}

enum sl_status sl_replay_drift_open(struct sl_replay_drift **made,
                                    const struct sl_replay_plan *plan, const struct sl_graph *graph,
                                    const struct sl_backend *backend, struct sl_bench *bench,
                                    struct sl_error *err)
{
    *made = NULL;
    if (!backend->shoot)
        return SL_OK;
    struct sl_replay_drift *drift = calloc(1, sizeof *drift);
    if (!drift)
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    drift->plan = plan;
    enum sl_status status = sl_shooter_open(&drift->shooter, backend, bench, err);
    if (status == SL_OK && !find_works(drift))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory");
    if (status == SL_OK)
        status = look_up(drift, graph, err);
    if (status == SL_OK)
        status = warm(drift, err);
    if (status == SL_OK)
        *made = drift;
    else
        sl_replay_drift_close(drift);
    return status;
}

void sl_replay_drift_close(struct sl_replay_drift *drift)
{
    if (!drift)
        return;
    for (uint32_t i = 0; i < drift->count; i++)
        for (uint32_t k = 0; k < REGIMES_MOST; k++)
            free(drift->works[i].series[k].us);
    free(drift->works);
    sl_shooter_close(&drift->shooter);
    free(drift);
}

/* ---- shots ----------------------------------------------------------------------------------- */

/* The series of a regime, begun where there is none; NULL: there are too many. */
static struct series *series_of(struct work *work, const char *regime)
{
    for (uint32_t k = 0; k < REGIMES_MOST; k++) {
        struct series *series = &work->series[k];
        if (!series->regime)
            series->regime = regime;
        if (strcmp(series->regime, regime) == 0)
            return series;
    }
    return NULL;
}

enum sl_status sl_replay_drift_shoot(struct sl_replay_drift *drift, struct sl_error *err)
{
    struct sl_sample sample;
    if (drift->count == 0)
        return SL_OK;
    struct work *work = &drift->works[drift->next++ % drift->count];
    enum sl_status status = take(drift, work, &sample, err);
    if (status != SL_OK)
        return status;
    struct series *series = series_of(work, sl_shooter_regime(&drift->shooter, &sample));
    if (!series)
        return SL_FAIL(err, SL_SYSTEM, "more than %d regimes", REGIMES_MOST);
    if (sample.reject != SL_REJECT_NONE) {
        series->rejected++;
        return SL_OK;
    }
    if (!sl_grow((void **)&series->us, &series->capacity, series->count + 1, sizeof *series->us))
        return SL_FAIL(err, SL_SYSTEM, "out of memory");
    series->us[series->count++] = sample.dur_ns / 1e3;
    return SL_OK;
}

/* ---- what they come to ----------------------------------------------------------------------- */

static struct sl_replay_speed speed_of(const struct sl_replay_node *node, const struct work *work,
                                       const struct series *series)
{
    struct sl_replay_speed speed = {
        .klass = node->klass,
        .bytes = node->work.bytes,
        .regime = series->regime ? series->regime : "",
        .calibrated_us = work->calibrated_us,
        .allowed = work->allowed,
        .shots = series->count,
        .rejected = series->rejected,
    };
    sl_sort_doubles(series->us, series->count);
    speed.seen_us = sl_quantile(series->us, series->count, 0.5, SL_CONFIDENCE);
    speed.ratio = SL_NO_ESTIMATE;
    if (work->calibrated_us > 0)
        speed.ratio = (struct sl_estimate){speed.seen_us.value / work->calibrated_us,
                                           speed.seen_us.lo / work->calibrated_us,
                                           speed.seen_us.hi / work->calibrated_us};
    return speed;
}

struct sl_replay_speed *sl_replay_drift_speeds(struct sl_replay_drift *drift,
                                               struct sl_arena *arena, uint32_t *count)
{
    struct sl_replay_speed *speeds =
        sl_arena_array(arena, (size_t)drift->count * REGIMES_MOST + 1, sizeof *speeds);
    *count = 0;
    for (uint32_t i = 0; speeds && i < drift->count; i++) {
        const struct work *work = &drift->works[i];
        for (uint32_t k = 0; k == 0 || (k < REGIMES_MOST && work->series[k].regime); k++)
            speeds[(*count)++] = speed_of(&drift->plan->nodes[work->node], work, &work->series[k]);
    }
    return speeds;
}

bool sl_replay_speed_is_usual(const struct sl_replay_speed *speed)
{
    return fabs(log(speed->ratio.value)) <= log(speed->allowed); /* false where either is NAN */
}
