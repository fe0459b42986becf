/* One record against another, in every field, and a program's shorter way against the general loop.
 * What failed is named by the case. */
#ifndef SL_TEST_SAME_RECORD_H
#define SL_TEST_SAME_RECORD_H
#include "isa.h"
#include "lab.h"

static uint64_t case_seed;
static uint32_t case_trial;

static inline void must_equal(const char *what, const void *a, const void *b, size_t bytes)
{
    if (memcmp(a, b, bytes))
        ck_abort_msg("case %llu, trial %u: %s differ", (unsigned long long)case_seed, case_trial,
                     what);
}

#define SAME(field, count) must_equal(#field, a->field, b->field, (count) * sizeof *a->field)
#define SAME_VALUE(field)  must_equal(#field, &a->field, &b->field, sizeof a->field)

static inline void same_steps(const struct sl_trial *a, const struct sl_trial *b)
{
    SAME_VALUE(step_count);
    for (size_t k = 0; k < a->step_count; k++) {
        SAME_VALUE(steps[k].t_ps);
        SAME_VALUE(steps[k].domain);
        SAME_VALUE(steps[k].object_bytes);
        SAME_VALUE(steps[k].workspace_bytes);
        SAME_VALUE(steps[k].staging_bytes);
    }
}

static inline void same_record(const struct lab *lab, const struct sl_trial *a,
                               const struct sl_trial *b)
{
    size_t n = a->run_count, domains = lab->platform.domain_names.count;
    size_t resources = lab->platform.resource_names.count,
           classes = lab->platform.kappa.classes.count;
    SAME_VALUE(run_count);
    SAME_VALUE(outcome);
    SAME_VALUE(trial);
    SAME_VALUE(makespan_ps);
    SAME_VALUE(last_run);
    SAME_VALUE(chain_count);
    SAME(chain, a->chain_count);
    SAME(ready_ps, n);
    SAME(start_ps, n);
    SAME(finish_ps, n);
    SAME(free_ps, n);
    SAME(duration_ps, n);
    SAME(state, n);
    SAME(cause, n);
    SAME(behind_run, n);
    SAME(behind, n);
    SAME(behind_by_free, n);
    SAME(lag_ps, n);
    SAME(bypassed, n);
    SAME(peak_bytes, domains);
    SAME(pressure_byte_s, domains);
    SAME(staging_byte_s, domains);
    SAME(busy_ps, resources);
    SAME(overlap_ps, classes * classes);
    SAME(class_busy_ps, classes);
    same_steps(a, b);
    SAME_VALUE(bypasses);
    SAME_VALUE(speculative_bypasses);
    SAME_VALUE(all_ran);
    SAME_VALUE(hypothetical);
    SAME_VALUE(livelock);
    ck_assert_ptr_null(a->run_node);
    ck_assert_ptr_null(a->guard_holds);
    ck_assert_int_eq(a->deadlock != NULL, b->deadlock != NULL);
    if (a->deadlock)
        ck_assert_str_eq(a->deadlock, b->deadlock);
}

/* Both ways in turn on both workers, so that neither leaves anything behind for the other. */
static inline void compare_ways(struct lab *lab)
{
    struct sl_worker *other;
    LAB_OK(lab, sl_worker_create(&other, lab->program, &lab->err));
    for (case_trial = 0; case_trial < 4; case_trial++) {
        const struct sl_trial *one, *two;
        if (sl_isa_available(case_trial % SL_ISAS)) /* the last trial's is the baseline again */
            sl_isa_force(case_trial % SL_ISAS);
        unsigned flags = SL_RECORD_LEVELS | (case_trial & 1 ? SL_GENERAL_LOOP : 0);
        LAB_OK(lab, sl_worker_run(lab->worker, case_seed, case_trial, flags, &one, &lab->err));
        LAB_OK(lab, sl_worker_run(other, case_seed, case_trial, flags ^ SL_GENERAL_LOOP, &two,
                                  &lab->err));
        same_record(lab, one, two);
    }
    sl_worker_free(other);
}
#endif
