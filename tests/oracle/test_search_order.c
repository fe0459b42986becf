/* The search of a scenario without objects: nothing is left to choose but the order.
 *
 * One server.  `bulk` (10us) is there at 0, `urgent` (1us) comes at 1us, and 20us of `tail` wait
 * for it on another resource.  Whatever can start does: bulk over [0, 10), urgent over [10, 11),
 * all ends at 31us, in any waiting order.  Left idle for 1us: urgent over [1, 2), bulk over [2,
 * 12), the tail over [2, 22), and 22us is the longest path, release included. */
#include <config.h>

#include "celllab.h"
#include "search.h"

static const char yaml[] = "name: delay\nnodes: nodes.csv\nedges: edges.csv\n"
                           "resources: {gpu: {servers: 1}, link: {servers: 1}}\n"
                           "policies:\n  - {name: fifo, action: as-given}\n"
                           "  - {name: path, action: as-given, dispatch: critical-path}\n"
                           "objective: {metric: makespan, tail: 0.99, order: [median]}\n"
                           "baseline: fifo\nseed: 1\ntrials: 10\n";
static const char edges[] = "from,to,type\nurgent,tail,data-ready\n";

static void open_delay(struct celllab *lab, const char *bulk, const char *tail)
{
    char nodes[400];
    snprintf(nodes, sizeof nodes,
             "node,kind,resource,duration,release\nbulk,compute,gpu,\"%s\",\n"
             "urgent,compute,gpu,1us,1us\ntail,compute,link,\"%s\",\n",
             bulk, tail);
    celllab_open(lab, yaml, nodes, edges, NULL, NULL);
}

static struct sl_search_result search(struct celllab *lab, const struct sl_policy_spec *start)
{
    struct sl_search_options options = {.evaluations = 30, .start = start};
    struct sl_search_result result;
    enum sl_status status =
        sl_search_run(&result, &lab->scenario, &options, &lab->diags, &lab->err);
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
    ck_assert_uint_ge(result.plan_count, 1);
    return result;
}

START_TEST(an_order_is_found_where_nothing_else_is_open)
{
    struct celllab lab;
    open_delay(&lab, "10us", "20us");
    struct sl_search_result result = search(&lab, NULL);
    ck_assert_double_eq_tol(result.named.figures.values[0], 31e6, 1);
    ck_assert_double_eq_tol(result.plans[0].figures.values[0], 22e6, 1);
    const struct sl_tuning *tuning = result.plans[0].policy.tuning;
    ck_assert_uint_eq(tuning->gap_count, 0);
    ck_assert_uint_eq(tuning->node_count, 1);
    ck_assert_str_eq(tuning->nodes[0].node, "bulk");
    ck_assert(tuning->nodes[0].release_ps == 2 * SL_PS_PER_US ||
              strcmp(tuning->nodes[0].after, "urgent") == 0);
    sl_search_free(&result);
    celllab_close(&lab);
}
END_TEST

/* Durations spread by a third or so: an edge follows the run, a release the clock, and either gains
 * about 9us. */
START_TEST(an_order_survives_random_durations)
{
    struct celllab lab;
    open_delay(&lab, "lognormal(mean=10us, cv=0.3)", "lognormal(mean=20us, cv=0.3)");
    struct sl_search_result result = search(&lab, NULL);
    double named = result.named.figures.values[0], found = result.plans[0].figures.values[0];
    ck_assert_double_lt(found, named - 8e6);
    sl_search_free(&result);
    celllab_close(&lab);
}
END_TEST

/* What was found on one machine is where the search begins on a faster one. */
START_TEST(a_faster_machine_is_never_slower_from_the_old_plan)
{
    struct celllab before, after;
    open_delay(&before, "10us", "20us");
    struct sl_search_result old = search(&before, NULL);
    open_delay(&after, "6us", "15us");
    struct sl_search_result result = search(&after, &old.plans[0].policy);
    ck_assert_double_le(result.plans[0].figures.values[0], old.plans[0].figures.values[0]);
    ck_assert_double_eq_tol(result.plans[0].figures.values[0], 17e6, 1); /* 1 + 1 + 15 */
    sl_search_free(&result);
    sl_search_free(&old);
    celllab_close(&after);
    celllab_close(&before);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("search order");
    TCase *cases = tcase_create("delay");
    tcase_set_timeout(cases, 60);
    tcase_add_test(cases, an_order_is_found_where_nothing_else_is_open);
    tcase_add_test(cases, an_order_survives_random_durations);
    tcase_add_test(cases, a_faster_machine_is_never_slower_from_the_old_plan);
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
