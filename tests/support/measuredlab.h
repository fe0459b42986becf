/* Synthetic measurements with planted truths, for tests of estimators.  Normal noise comes from
 * GSL. */
#ifndef SL_TEST_MEASUREDLAB_H
#define SL_TEST_MEASUREDLAB_H
#include "estimate.h"
#include "harness.h"
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

enum { LAB_CASES = 512, LAB_CLASSES = 6 };

/* Classes: 0 copy, 1 stream and 2 gemm (shaped), 3 chase, 4 memset, 5 read (in three forms). */
struct lab {
    struct sl_case cases[LAB_CASES];
    struct sl_case_list list;
    struct sl_measured measured;
    struct sl_measurement *items;
    size_t count, capacity;
    uint32_t seq;
    gsl_rng *rng;
    double alone_ns; /* of every victim */
    double noise;    /* sd of ln of one shot */
    double between;  /* sd over sessions of ln kappa */
    const char *regime;
};

static const struct sl_work_form lab_form = {"", "", "pinned", "stream", "warm"};
static const struct sl_work_form lab_forms[] = {{"", "", "pinned", "stream", "warm"},
                                                {"", "", "managed", "stream", "warm"},
                                                {"", "", "pageable", "stream", "warm"}};
static const int64_t lab_sizes[] = {4096, 65536, 1048576, 16777216};
static const struct sl_work_class lab_classes[LAB_CLASSES] = {
    {"copy", "", NULL, &lab_form, 1, lab_sizes, 4, NULL, 1048576, 1048576, false},
    {"stream", "", NULL, &lab_form, 1, lab_sizes, 4, NULL, 1048576, 1048576, true},
    {"gemm", "", NULL, &lab_form, 1, lab_sizes, 4, NULL, 1048576, 1048576, true},
    {"chase", "", NULL, &lab_form, 1, lab_sizes, 4, NULL, 1048576, 1048576, false},
    {"memset", "", NULL, &lab_form, 1, lab_sizes, 4, NULL, 1048576, 1048576, false},
    {"read", "", NULL, lab_forms, 3, lab_sizes, 4, NULL, 1048576, 1048576, false},
};

static inline struct lab *lab_create(unsigned long seed)
{
    struct lab *lab = calloc(1, sizeof *lab);
    lab->list.cases = lab->cases;
    lab->list.classes = lab_classes;
    lab->list.class_count = LAB_CLASSES;
    lab->rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(lab->rng, seed);
    lab->alone_ns = 1e6;
    lab->noise = 0.01;
    lab->between = 0.01;
    lab->regime = "";
    return lab;
}

static inline void lab_free(struct lab *lab)
{
    gsl_rng_free(lab->rng);
    free(lab->items);
    free(lab);
}

/* `others` is of `count` class indices. */
static inline uint32_t lab_case(struct lab *lab, enum sl_case_kind kind, uint32_t victim,
                                const uint32_t *others, uint32_t count)
{
    ck_assert_uint_lt(lab->list.count, LAB_CASES);
    struct sl_case *entry = &lab->cases[lab->list.count];
    *entry = (struct sl_case){.key = "a case", .kind = kind};
    entry->shot.victim = (struct sl_work){victim, 0, 1048576};
    entry->shot.overlap = 1;
    for (uint32_t k = 0; k < count; k++)
        entry->shot.aggressors[k] = (struct sl_work){others[k], 0, 1048576};
    entry->shot.aggressor_count = count;
    return lab->list.count++;
}

static inline struct sl_measurement *lab_add(struct lab *lab, struct sl_measurement item)
{
    if (lab->count == lab->capacity) {
        lab->capacity = lab->capacity ? 2 * lab->capacity : 1024;
        lab->items = realloc(lab->items, lab->capacity * sizeof *lab->items);
        ck_assert_ptr_nonnull(lab->items);
    }
    item.seq = lab->seq++;
    lab->items[lab->count] = item;
    return &lab->items[lab->count++];
}

static inline double lab_noise(struct lab *lab, double sd)
{
    return exp(gsl_ran_gaussian(lab->rng, sd));
}

/* An accepted sample of that length. */
static inline struct sl_sample lab_sample(double ns)
{
    return (struct sl_sample){.submitted_ns = 1000,
                              .start_ns = 3000,
                              .end_ns = 3000 + (int64_t)ns,
                              .dur_ns = ns,
                              .exec_ns = ns,
                              .start_delay_ns = 2000,
                              .coverage = 1,
                              .co_resident = 0.5,
                              .sentinel_ns = (double)NAN,
                              .sm_mhz = 1500,
                              .timer = "event"};
}

/* One shot of a slot. */
static inline struct sl_measurement *lab_shot(struct lab *lab, uint32_t case_index,
                                              uint32_t session, uint32_t pair,
                                              enum sl_measurement_role role, double ns)
{
    return lab_add(lab, (struct sl_measurement){.session = session,
                                                .case_index = case_index,
                                                .block = pair / 2,
                                                .pair = pair % 2,
                                                .role = role,
                                                .regime = lab->regime,
                                                .sample = lab_sample(ns)});
}

/* `pairs` pairs of one session in which kappa is exp(normal(ln kappa, between)). */
static inline void lab_session(struct lab *lab, uint32_t case_index, uint32_t session,
                               uint32_t pairs, double kappa)
{
    double here = kappa * lab_noise(lab, lab->between);
    for (uint32_t p = 0; p < pairs; p++) {
        lab_shot(lab, case_index, session, p, SL_ROLE_ALONE,
                 lab->alone_ns * lab_noise(lab, lab->noise));
        lab_shot(lab, case_index, session, p, SL_ROLE_BESIDE,
                 lab->alone_ns * here * lab_noise(lab, lab->noise));
    }
}

static inline void lab_sessions(struct lab *lab, uint32_t case_index, uint32_t sessions,
                                uint32_t pairs, double kappa)
{
    for (uint32_t s = 1; s <= sessions; s++)
        lab_session(lab, case_index, s, pairs, kappa);
}

/* The caller frees the estimates. */
static inline void lab_estimate(struct lab *lab, struct sl_estimates *estimates)
{
    struct sl_error err = {0};
    *estimates = (struct sl_estimates){0};
    lab->measured = (struct sl_measured){&lab->list, lab->items, lab->count};
    ck_assert_msg(sl_estimate(estimates, &lab->measured, &err) == SL_OK, "%s", err.message);
}
#endif
