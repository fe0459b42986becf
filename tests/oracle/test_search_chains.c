/* Search against the optimum of all choices, on random training steps of up to eight stages without
 * noise.
 *
 * The optimum is an independent exhaustive one (tests/support/stream_model.h): each object that has
 * a gap stays, is dropped and computed again, or moves and comes back behind any node of the
 * stream or as soon as it can; copies in the order in which they are needed, compute in the order
 * of the stream.  Nothing is gained by coming back at another time: bytes count where a node
 * starts.  So no plan can be faster, and the search's best one must be as fast. */
#include <config.h>

#include "search_check.h"

#define CHAINS      20
#define CHAINS_LONG 200

START_TEST(test_optimum)
{
    struct dice dice = {.state = (uint64_t)_i + 1};
    struct sm_problem problem;
    draft_chain(&problem, &dice, 8);
    struct search_check check = search_and_check(&problem);
    ck_assert_msg(check.found == check.optimum, "chain %d: the optimum is %d ms, found: %d ms", _i,
                  check.optimum, check.found);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("search on chains");
    TCase *tc = tcase_create("oracle");
    tcase_set_timeout(tc, 0);
    tcase_add_loop_test(tc, test_optimum, 0, sl_test_long() ? CHAINS_LONG : CHAINS);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
