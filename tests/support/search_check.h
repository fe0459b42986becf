/* A search for the best choices of a problem of the stream model, beside its optimum. */
#ifndef SL_TEST_SEARCH_CHECK_H
#define SL_TEST_SEARCH_CHECK_H
#include "search.h"
#include "stream_draft.h"

/* What the search begins with.  Under none of these rules does a choice for one object change what
 * happens to another. */
#define SEARCH_POLICIES                                                                            \
    "  - {name: keep, action: retain}\n"                                                           \
    "  - {name: move, action: offload, select: belady, prefetch: window}\n"                        \
    "  - {name: again, action: remat, select: belady}\n"

struct search_check {
    int optimum, found; /* ms; -1: every plan deadlocks */
};

static inline struct search_check search_and_check(const struct sm_problem *problem)
{
    struct planlab lab;
    struct sm_choice best[SM_OBJECTS];
    struct search_check check = {.optimum = sm_optimum(problem, best), .found = -1};
    struct sl_search_result result;
    struct sl_search_options options = {.trials = 1};
    ck_assert_int_eq(draft_open(&lab, problem, SEARCH_POLICIES), SL_OK);
    enum sl_status status = sl_search_run(&result, &lab.scenario, &options, &lab.diags, &lab.err);
    ck_assert_msg(status == SL_OK, "%s", lab.err.message);
    if (result.plans[0].figures.stuck <= 0)
        check.found = (int)(result.plans[0].figures.values[0] / 1e9 + 0.5);
    sl_search_free(&result);
    planlab_close(&lab);
    return check;
}
#endif
