/* One session of measuring. */
#include "config.h"

#include "clock.h"
#include "protocol.h"
#include "shooter.h"
#include "text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COVER_FACTOR  1.5
#define WIDEN_MOST    32.0
#define WARM_SHOTS    3
#define WARM_TRIES    5
#define GRACE_S       2.0
#define UNKNOWN_NS    1e6  /* time alone of a victim of which no shot was usable */
#define COVER_MOST_NS 1e10 /* no shot takes longer */

const struct sl_depth sl_depth_quick = {"quick", 3, 10, 32, 250000000, 35};
const struct sl_depth sl_depth_full = {"full", 8, 10, 100, 2000000000, 0};

/* What is known of a case while the session runs. */
struct progress_of_case {
    double isolated_ns, kappa, widen;
    double alone_s, beside_s; /* of one shot, by the clock on the wall */
    uint32_t shots;           /* alone: how many are taken; else blocks */
    uint32_t blocks_done, retakes;
};

struct session {
    const struct sl_session_request *request;
    struct sl_measurements *measured;
    struct sl_shooter shooter;
    struct progress_of_case *cases; /* by case index */
    uint64_t draws, seed;
    struct sl_session_state state;
    double planned_s, done_s;     /* by the warm-up's clock */
    double room_s;                /* that all shots together may take; 0: any */
    double warm_begin_s, begin_s; /* when the warm-up began, and when it was over */
};

/* Where in a case a shot belongs. */
struct slot {
    uint32_t case_index, block, pair;
    enum sl_measurement_role role;
};

uint64_t sl_session_seed_of(uint64_t seed, uint32_t session)
{
    return sl_hash_index(seed + sl_hash_index(session));
}

int64_t sl_cover_ns(double isolated_ns, double kappa, double overlap, double widen)
{
    double ns = overlap < 1 ? overlap * isolated_ns / (overlap / kappa + 1 - overlap)
                            : COVER_FACTOR * kappa * isolated_ns;
    return (int64_t)fmin(ns * widen, COVER_MOST_NS);
}

static const struct sl_case *case_of(const struct session *s, uint32_t index)
{
    return &s->request->cases->cases[index];
}

/* A number below `bound`, which is above 0. */
static uint32_t draw(struct session *s, uint32_t bound)
{
    return (uint32_t)(sl_hash_index(s->seed ^ sl_hash_index(++s->draws)) % bound);
}

static void shuffle(struct session *s, uint32_t *items, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = draw(s, i), swap = items[i - 1];
        items[i - 1] = items[k];
        items[k] = swap;
    }
}

/* Puts the case's key before what the backend said. */
static enum sl_status of_case(const struct session *s, uint32_t index, enum sl_status status,
                              struct sl_error *said, struct sl_error *err)
{
    return status == SL_OK
               ? SL_OK
               : SL_FAIL(err, status, "case %s: %s", case_of(s, index)->key, said->message);
}

static enum sl_status prepare(struct session *s, uint32_t index, struct sl_error *err)
{
    const struct sl_shot *shot = &case_of(s, index)->shot;
    struct sl_error said = {0};
    enum sl_status status = sl_shooter_prepare(&s->shooter, &shot->victim, &said);
    for (uint32_t k = 0; status == SL_OK && k < shot->aggressor_count; k++)
        status = sl_shooter_prepare(&s->shooter, &shot->aggressors[k], &said);
    return of_case(s, index, status, &said, err);
}

/* The shot of a case in a role, with what is known of the case. */
static struct sl_shot shot_of(const struct session *s, uint32_t index,
                              enum sl_measurement_role role)
{
    const struct progress_of_case *known = &s->cases[index];
    struct sl_shot shot = case_of(s, index)->shot;
    if (role == SL_ROLE_ALONE) {
        shot.aggressor_count = 0;
        shot.overlap = 1;
    }
    if (shot.aggressor_count > 0)
        shot.cover_ns = sl_cover_ns(known->isolated_ns, known->kappa, shot.overlap, known->widen);
    return shot;
}

/* Takes into account what a shot showed of its case. */
static void learn(struct progress_of_case *known, const struct sl_shot *shot,
                  const struct sl_sample *sample)
{
    if (sample->reject == SL_REJECT_NONE && shot->aggressor_count == 0) {
        known->isolated_ns = sample->dur_ns;
    } else if (sample->reject == SL_REJECT_NONE && shot->overlap >= 1) {
        known->kappa = fmax(sample->dur_ns / known->isolated_ns, 1);
    } else if (sample->reject == SL_REJECT_COVERAGE && shot->overlap >= 1) {
        /* Too few units still cover three fifths, whatever kappa is: 1.5 of at most 1.5 + 1 times
         * alone.  A victim that is covered less queues behind its aggressors, or they came late,
         * and more units make that worse. */
        if (sample->coverage >= 0.5)
            known->widen = fmin(2 * known->widen, WIDEN_MOST);
    } else if (sample->reject == SL_REJECT_COVERAGE) {
        double off = shot->overlap / fmax(sample->coverage, 0.01);
        known->widen =
            fmin(fmax(known->widen * fmin(fmax(off, 0.5), 2), 1 / WIDEN_MOST), WIDEN_MOST);
    }
}

/* One shot, judged. */
static enum sl_status take(struct session *s, uint32_t index, const struct sl_shot *shot,
                           struct sl_sample *sample, struct sl_error *err)
{
    struct sl_error said = {0};
    enum sl_status status = sl_shooter_take(&s->shooter, shot, sample, &said);
    if (status == SL_OK)
        learn(&s->cases[index], shot, sample);
    return of_case(s, index, status, &said, err);
}

/* Takes shots in one role until one is usable; *seconds is how long the last one took. */
static enum sl_status warm_role(struct session *s, uint32_t index, enum sl_measurement_role role,
                                uint32_t wanted, double *seconds, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    uint32_t usable = 0;
    for (uint32_t i = 0; status == SL_OK && usable < wanted && i < wanted + WARM_TRIES; i++) {
        struct sl_shot shot = shot_of(s, index, role);
        struct sl_sample sample;
        double begin = sl_clock_s();
        status = take(s, index, &shot, &sample, err);
        *seconds = sl_clock_s() - begin;
        usable += status == SL_OK && sample.reject == SL_REJECT_NONE;
    }
    return status;
}

static bool is_alone(const struct session *s, uint32_t index)
{
    return case_of(s, index)->kind == SL_CASE_ALONE;
}

/* Of a case measured alone, how many shots fit its share of time. */
static uint32_t alone_shots(const struct sl_depth *depth, double isolated_ns)
{
    double fit = (double)depth->alone_ns / isolated_ns;
    return (uint32_t)fmin(fmax(fit, SL_ALONE_LEAST), depth->alone_shots);
}

static enum sl_status warm(struct session *s, uint32_t index, struct sl_error *err)
{
    struct progress_of_case *known = &s->cases[index];
    uint32_t others = case_of(s, index)->shot.aggressor_count;
    *known = (struct progress_of_case){.isolated_ns = UNKNOWN_NS, .kappa = 1 + others, .widen = 1};
    enum sl_status status =
        warm_role(s, index, SL_ROLE_ALONE, others ? 1 : WARM_SHOTS, &known->alone_s, err);
    known->beside_s = known->alone_s;
    if (status == SL_OK && others > 0)
        status = warm_role(s, index, SL_ROLE_BESIDE, 1, &known->beside_s, err);
    known->shots = is_alone(s, index) ? alone_shots(s->request->depth, known->isolated_ns)
                                      : s->request->depth->blocks;
    return status;
}

/* Adds up what is planned. */
static void plan(struct session *s)
{
    const struct sl_case_list *cases = s->request->cases;
    s->state.cases = 0;
    s->state.shots = 0;
    s->planned_s = 0;
    for (uint32_t i = 0; i < cases->count; i++) {
        const struct progress_of_case *known = &s->cases[i];
        if (cases->cases[i].waived)
            continue;
        s->state.cases++;
        s->state.shots += (uint64_t)known->shots * (is_alone(s, i) ? 1 : 4);
        s->planned_s += is_alone(s, i) ? known->shots * known->alone_s
                                       : 2 * known->shots * (known->alone_s + known->beside_s);
    }
}

/* Where the plan takes longer than a session may, takes as much less of every case as fits. */
static void fit_plan(struct session *s)
{
    const struct sl_depth *depth = s->request->depth;
    s->state.share = 1;
    plan(s);
    if (depth->session_s <= 0)
        return;
    /* A warm-up that took long already has shown a slow machine, too. */
    double warm_s = sl_clock_s() - s->warm_begin_s;
    s->room_s = fmax(depth->session_s - warm_s, depth->session_s / 4);
    if (s->planned_s <= s->room_s)
        return;
    s->state.share = s->room_s / s->planned_s;
    for (uint32_t i = 0; i < s->request->cases->count; i++) {
        uint32_t least = is_alone(s, i) ? SL_ALONE_LEAST : SL_BLOCKS_LEAST;
        uint32_t fewer = (uint32_t)(s->cases[i].shots * s->state.share);
        if (s->cases[i].shots > least)
            s->cases[i].shots = fewer > least ? fewer : least;
    }
    plan(s);
}

static enum sl_status tell(struct session *s, struct sl_error *err)
{
    double pace = 1, elapsed = sl_clock_s() - s->begin_s;
    if (s->done_s > 0 && elapsed > 0)
        pace = elapsed / s->done_s;
    s->state.seconds_left = fmax(s->planned_s - s->done_s, 0) * pace;
    return s->request->watch(s->request->user, &s->state)
               ? SL_OK
               : SL_FAIL(err, SL_INTERRUPTED, "session %u was interrupted", s->request->session);
}

static enum sl_status warm_all(struct session *s, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    const struct sl_case_list *cases = s->request->cases;
    s->warm_begin_s = sl_clock_s();
    for (uint32_t i = 0; status == SL_OK && i < cases->count; i++)
        if (!cases->cases[i].waived)
            status = prepare(s, i, err);
    for (uint32_t i = 0; status == SL_OK && i < cases->count; i++)
        if (!cases->cases[i].waived)
            status = warm(s, i, err);
    if (status == SL_OK)
        fit_plan(s);
    s->begin_s = sl_clock_s();
    return status == SL_OK ? tell(s, err) : status;
}

static enum sl_status keep(struct session *s, struct slot slot, const struct sl_sample *sample,
                           struct sl_error *err)
{
    const struct sl_session_request *request = s->request;
    struct sl_measurements *measured = s->measured;
    if (!sl_grow((void **)&measured->items, &measured->capacity, measured->count + 1,
                 sizeof *measured->items))
        return SL_FAIL(err, SL_SYSTEM, "out of memory for measurement %u", measured->count);
    measured->items[measured->count] = (struct sl_measurement){
        .session = request->session,
        .seq = measured->count,
        .case_index = slot.case_index,
        .block = slot.block,
        .pair = slot.pair,
        .role = slot.role,
        .begin_ns = s->shooter.log.begin_ns,
        .regime = sl_shooter_regime(&s->shooter, sample),
        .sample = *sample,
    };
    measured->count++;
    return SL_OK;
}

/* True while retakes leave room for the rest of the plan. */
static bool on_time(const struct session *s)
{
    double share = s->planned_s > 0 ? fmin(s->done_s / s->planned_s, 1) : 1;
    return s->room_s <= 0 || sl_clock_s() - s->begin_s <= share * s->room_s + GRACE_S;
}

/* Takes the shot of a slot, again where it is rejected. */
static enum sl_status fill(struct session *s, struct slot slot, bool other_timer,
                           struct sl_error *err)
{
    struct progress_of_case *known = &s->cases[slot.case_index];
    enum sl_status status = SL_OK;
    for (uint32_t tries = 0;; tries++) {
        struct sl_sample sample;
        struct sl_shot shot = shot_of(s, slot.case_index, slot.role);
        shot.other_timer = other_timer;
        status = take(s, slot.case_index, &shot, &sample, err);
        if (status == SL_OK)
            status = keep(s, slot, &sample, err);
        if (status != SL_OK || sample.reject == SL_REJECT_NONE || tries == SL_RETAKES ||
            known->retakes == 2 * s->request->depth->blocks || !on_time(s))
            break;
        known->retakes++;
        if ((status = tell(s, err)) != SL_OK)
            break;
    }
    s->state.shots_done++;
    s->done_s += slot.role == SL_ROLE_ALONE ? known->alone_s : known->beside_s;
    return status == SL_OK ? tell(s, err) : status;
}

static enum sl_status measure_alone(struct session *s, uint32_t *order, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    const struct sl_case_list *cases = s->request->cases;
    for (uint32_t round = 0; status == SL_OK && round < s->request->depth->alone_shots; round++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < cases->count; i++)
            if (!cases->cases[i].waived && is_alone(s, i) && round < s->cases[i].shots)
                order[count++] = i;
        shuffle(s, order, count);
        bool other_timer = round % SL_OTHER_TIMER_EVERY == SL_OTHER_TIMER_EVERY - 1;
        for (uint32_t k = 0; status == SL_OK && k < count; k++)
            status = fill(s, (struct slot){order[k], round, 0, SL_ROLE_ALONE}, other_timer, err);
    }
    return status;
}

static enum sl_status measure_block(struct session *s, uint32_t index, struct sl_error *err)
{
    static const struct slot places[] = {
        {.pair = 0, .role = SL_ROLE_ALONE},
        {.pair = 0, .role = SL_ROLE_BESIDE},
        {.pair = 1, .role = SL_ROLE_BESIDE},
        {.pair = 1, .role = SL_ROLE_ALONE},
    };
    enum sl_status status = SL_OK;
    uint32_t block = s->cases[index].blocks_done++;
    for (size_t i = 0; status == SL_OK && i < sizeof places / sizeof places[0]; i++)
        status = fill(s, (struct slot){index, block, places[i].pair, places[i].role}, false, err);
    return status;
}

static enum sl_status measure_blocks(struct session *s, uint32_t *order, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    const struct sl_case_list *cases = s->request->cases;
    uint32_t count = 0;
    for (uint32_t i = 0; i < cases->count; i++)
        for (uint32_t b = 0; !cases->cases[i].waived && !is_alone(s, i) && b < s->cases[i].shots;
             b++)
            order[count++] = i;
    shuffle(s, order, count);
    for (uint32_t k = 0; status == SL_OK && k < count; k++)
        status = measure_block(s, order[k], err);
    return status;
}

enum sl_status sl_session_measure(const struct sl_session_request *request,
                                  struct sl_measurements *measured, struct sl_error *err)
{
    uint32_t cases = request->cases->count;
    struct session s = {.request = request,
                        .measured = measured,
                        .seed = sl_session_seed_of(request->seed, request->session)};
    uint32_t *order = calloc((size_t)cases * request->depth->blocks + 1, sizeof *order);
    s.cases = calloc(cases, sizeof *s.cases);
    enum sl_status status = sl_shooter_open(&s.shooter, request->backend, request->bench, err);
    if (status == SL_OK && (!order || !s.cases))
        status = SL_FAIL(err, SL_SYSTEM, "out of memory for %u cases", cases);
    if (status == SL_OK)
        status = warm_all(&s, err);
    if (status == SL_OK)
        status = measure_alone(&s, order, err);
    if (status == SL_OK)
        status = measure_blocks(&s, order, err);
    sl_shooter_close(&s.shooter);
    free(s.cases);
    free(order);
    return status;
}
