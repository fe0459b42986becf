/* The search on graphs small enough to know the answer.
 *
 * The chain: f_i 10 ms, b_i 20 ms in one lane, a_i written by f_i, read by f_(i+1) and b_i, 1 GiB
 * each; copies take 10 ms.  With everything kept it takes 120 ms and 4 GiB at the end of f3, where
 * all of a0..a3 live. */
#include <config.h>

#include "planlab.h"
#include "searchparts.h"
#include "threads.h"
#include <stdlib.h>

#define NODES                                                                                      \
    "node,kind,resource,lane,duration,inputs,outputs\n"                                            \
    "f0,compute,compute,step,10ms,,a0\nf1,compute,compute,step,10ms,a0,a1\n"                       \
    "f2,compute,compute,step,10ms,a1,a2\nf3,compute,compute,step,10ms,a2,a3\n"                     \
    "b3,compute,compute,step,20ms,a3,\nb2,compute,compute,step,20ms,a2,\n"                         \
    "b1,compute,compute,step,20ms,a1,\nb0,compute,compute,step,20ms,a0,\n"
#define OBJECTS(placements)                                                                        \
    "object,size,home,placements,reconstruct,equivalence\n"                                        \
    "a0,1GiB,hbm," placements ",f0,bitwise\na1,1GiB,hbm," placements ",f1,bitwise\n"               \
    "a2,1GiB,hbm," placements ",f2,bitwise\na3,1GiB,hbm," placements ",f3,bitwise\n"
#define YAML(capacity, noise, rest)                                                                \
    "name: chain\nnodes: nodes.csv\nobjects: objects.csv\n"                                        \
    "resources: {compute: {servers: 1}, h2d: {servers: 1}, d2h: {servers: 1}}\n"                   \
    "domains: {hbm: {capacity: " capacity                                                          \
    ", reserve: 0B}, pinned: {capacity: 64GiB, reserve: 0B}}\n"                                    \
    "routes:\n"                                                                                    \
    "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 100GiB/s" noise "}\n"                   \
    "  - {from: pinned, to: hbm, resource: h2d, bandwidth: 100GiB/s" noise "}\n" rest              \
    "trials: 100\nseed: 1\n"
#define ORDER "objective: {metric: makespan, tail: 0.9, order: [tail, peak.hbm]}\n"
#define KEEP  "policies: [{name: keep, action: retain}, {name: again, action: remat}]\n"
#define NOISE ", noise: \"lognormal(mean=1, cv=0.5)\""

static enum sl_status find(struct planlab *lab, struct sl_search_result *result,
                           const struct sl_search_options *options)
{
    return sl_search_run(result, &lab->scenario, options, &lab->diags, &lab->err);
}

/* Without another place for the copies, of 2 x 2^3 plans (each over the rules of either policy)
 * with room for 3 GiB the best recomputes one a_i for the 10 ms of its f_i: 130 ms.  a1's
 * recomputation reads a0, a2's a1. */
START_TEST(test_all_plans)
{
    struct planlab lab;
    struct sl_search_result result;
    const struct sl_search_options options = {0};
    planlab_open(&lab, YAML("3GiB", "", ORDER KEEP), NODES, OBJECTS("hbm"));
    ck_assert_int_eq(find(&lab, &result, &options), SL_OK);
    ck_assert_uint_eq(result.gaps, 3);
    ck_assert_double_eq(result.space, 16.0);
    ck_assert(result.exhausted);
    ck_assert_uint_eq(result.evaluations, 16);
    ck_assert_double_eq(result.plans[0].figures.values[0], 130e9);
    ck_assert_double_eq(result.plans[0].figures.values[1], 3.0 * 1024 * 1024 * 1024);
    ck_assert_str_eq(result.named.named, "again"); /* all again: 150 ms; keeping does not fit */
    ck_assert_double_eq(result.named.figures.values[0], 150e9);
    sl_search_free(&result);
    planlab_close(&lab);
}
END_TEST

/* Copies of 10 ms hide in these gaps: nothing needs to be longer than 120 ms. */
START_TEST(test_climb_reaches_the_bound)
{
    struct planlab lab;
    struct sl_search_result result;
    const struct sl_search_options options = {.evaluations = 400};
    planlab_open(&lab, YAML("3GiB", "", ORDER KEEP), NODES, OBJECTS("hbm;pinned"));
    ck_assert_int_eq(find(&lab, &result, &options), SL_OK);
    ck_assert(!result.exhausted);
    ck_assert_double_eq(result.plans[0].figures.values[0], 120e9);
    sl_search_free(&result);
    planlab_close(&lab);
}
END_TEST

/* The winner's policy, planned and run by itself, has the figure that it won with. */
START_TEST(test_policy_is_the_plan)
{
    struct planlab lab;
    struct sl_search_result result;
    struct sl_program *program;
    struct sl_worker *worker;
    const struct sl_trial *record;
    const struct sl_search_options options = {.evaluations = 100};
    planlab_open(&lab, YAML("2GiB", "", ORDER KEEP), NODES, OBJECTS("hbm;pinned"));
    ck_assert_int_eq(find(&lab, &result, &options), SL_OK);
    struct sl_error *err = &lab.err;
    ck_assert_int_eq(
        sl_policy_plan(&lab.plan, &lab.scenario, &result.plans[0].policy, &lab.diags, err), SL_OK);
    ck_assert_int_eq(sl_program_create(&program, lab.plan.graph, &lab.plan.engine, err), SL_OK);
    ck_assert_int_eq(sl_worker_create(&worker, program, err), SL_OK);
    ck_assert_int_eq(sl_worker_run(worker, 1, 0, 0, &record, err), SL_OK);
    ck_assert_double_eq((double)record->makespan_ps, result.plans[0].figures.values[0]);
    sl_worker_free(worker);
    sl_program_free(program);
    sl_search_free(&result);
    planlab_close(&lab);
}
END_TEST

/* Threads do not show, nor that another search had more to spend: its log begins the same. */
START_TEST(test_same_at_any_number_of_threads)
{
    struct planlab lab;
    struct sl_search_result one, other, longer;
    struct sl_search_options options = {.evaluations = 80, .trials = 64};
    planlab_open(&lab, YAML("2.5GiB", NOISE, ORDER KEEP), NODES, OBJECTS("hbm;pinned"));
    ck_assert_int_eq(find(&lab, &one, &options), SL_OK);
    options.pool = make_pool(3);
    ck_assert_int_eq(find(&lab, &other, &options), SL_OK);
    options.evaluations = 160;
    ck_assert_int_eq(find(&lab, &longer, &options), SL_OK);
    ck_assert_uint_eq(one.log_count, 80);
    ck_assert_uint_eq(other.log_count, 80);
    ck_assert_uint_eq(one.trials, other.trials);
    for (uint32_t i = 0; i < 80; i++) {
        ck_assert_str_eq(one.log[i].move, other.log[i].move);
        ck_assert(memcmp(&one.log[i].figures, &other.log[i].figures, sizeof one.log[i].figures) ==
                  0);
    }
    for (uint32_t i = 0; i < 64; i++) /* whole batches, before the orders */
        ck_assert(memcmp(&one.log[i].figures, &longer.log[i].figures, sizeof one.log[i].figures) ==
                  0);
    ck_assert(one.plans[0].digest == other.plans[0].digest);
    sl_search_free(&one);
    sl_search_free(&other);
    sl_search_free(&longer);
    sl_pool_free(options.pool);
    planlab_close(&lab);
}
END_TEST

/* However many plans may be made, what is made begins the same, also where new drafts are rare: so
 * the number of plans that a budget of time came to gives the same again. */
START_TEST(test_shorter_is_a_beginning)
{
    struct planlab lab;
    struct sl_search_result longer, shorter;
    struct sl_search_options options = {.evaluations = 250, .trials = 8};
    planlab_open(&lab, YAML("2GiB", NOISE, ORDER KEEP), NODES, OBJECTS("hbm;pinned"));
    ck_assert_int_eq(find(&lab, &longer, &options), SL_OK);
    for (options.evaluations = 200; options.evaluations < 250; options.evaluations++) {
        ck_assert_int_eq(find(&lab, &shorter, &options), SL_OK);
        ck_assert_uint_eq(shorter.log_count, options.evaluations);
        for (uint32_t i = 0; i < shorter.log_count; i++) {
            ck_assert_str_eq(shorter.log[i].move, longer.log[i].move);
            ck_assert_mem_eq(&shorter.log[i].figures, &longer.log[i].figures,
                             sizeof longer.log[i].figures);
        }
        sl_search_free(&shorter);
    }
    sl_search_free(&longer);
    planlab_close(&lab);
}
END_TEST

/* Plans that are clearly worse get a sixteenth of the trials: all but the two starts and few
 * others. */
START_TEST(test_race_saves_trials)
{
    struct planlab lab;
    struct sl_search_result result;
    const struct sl_search_options options = {.evaluations = 60, .trials = 512};
    uint32_t short_ones = 0, full = 0;
    planlab_open(&lab, YAML("3GiB", NOISE, ORDER KEEP), NODES, OBJECTS("hbm;pinned"));
    ck_assert_int_eq(find(&lab, &result, &options), SL_OK);
    for (uint32_t i = 0; i < result.log_count; i++) {
        uint32_t trials = result.log[i].figures.trials;
        ck_assert(trials == 0 || trials == 1 || trials == 32 || trials == 128 || trials == 512);
        short_ones += trials == 32;
        full += trials == 512;
    }
    ck_assert_uint_gt(short_ones, 0);
    ck_assert_uint_lt(full, 60);
    sl_search_free(&result);
    planlab_close(&lab);
}
END_TEST

/* 3 GiB at 120 ms and 2 GiB at more: with no order stated both are answers, and none covers the
 * other. */
START_TEST(test_pareto)
{
    struct planlab lab;
    struct sl_search_result result;
    const struct sl_search_options options = {0};
    planlab_open(&lab, YAML("8GiB", "", "objective: {metric: makespan, tail: 0.9}\n" KEEP), NODES,
                 OBJECTS("hbm"));
    ck_assert_int_eq(find(&lab, &result, &options), SL_OK);
    ck_assert(result.pareto);
    ck_assert(result.exhausted);
    /* keep all: 120 ms, 4 GiB; one again: 130 ms, 3 GiB; more again holds no less, since what it is
     * made from stays for it. */
    ck_assert_uint_ge(result.plan_count, 2);
    ck_assert_double_eq(result.plans[0].figures.values[0], 120e9);
    ck_assert_double_eq(result.plans[1].figures.values[0], 130e9);
    for (uint32_t i = 1; i < result.plan_count; i++) {
        const struct sl_search_figures *a = &result.plans[i - 1].figures,
                                       *b = &result.plans[i].figures;
        ck_assert(a->values[0] < b->values[0] && a->values[1] > b->values[1]);
    }
    sl_search_free(&result);
    planlab_close(&lab);
}
END_TEST

/* A constraint comes before the order: 3 GiB at most, though 8 would do. */
START_TEST(test_constraint)
{
    struct planlab lab;
    struct sl_search_result result;
    const struct sl_search_options options = {0};
    planlab_open(&lab,
                 YAML("8GiB", "",
                      "objective: {metric: makespan, tail: 0.9, order: [tail], "
                      "constraints: [peak.hbm <= 3GiB]}\n" KEEP),
                 NODES, OBJECTS("hbm"));
    ck_assert_int_eq(find(&lab, &result, &options), SL_OK);
    ck_assert_double_eq(result.plans[0].figures.violation, 0.0);
    ck_assert_double_eq(result.plans[0].figures.values[0], 130e9);
    sl_search_free(&result);
    planlab_close(&lab);
}
END_TEST

static bool stop(void *user, uint32_t evaluations, uint32_t most)
{
    (void)user;
    (void)most;
    return evaluations < 20;
}

START_TEST(test_interrupted)
{
    struct planlab lab;
    struct sl_search_result result;
    const struct sl_search_options options = {.evaluations = 400, .progress = stop};
    planlab_open(&lab, YAML("3GiB", "", ORDER KEEP), NODES, OBJECTS("hbm;pinned"));
    ck_assert_int_eq(find(&lab, &result, &options), SL_OK);
    ck_assert(result.interrupted);
    ck_assert_uint_ge(result.evaluations, 20);
    ck_assert_uint_lt(result.evaluations, 40);
    ck_assert_uint_gt(result.plan_count, 0);
    sl_search_free(&result);
    planlab_close(&lab);
}
END_TEST

static bool stop_at_once(void *user, uint32_t evaluations, uint32_t most)
{
    (void)user;
    (void)evaluations;
    (void)most;
    return false;
}

/* No time at all: both policies' plans are judged, by a sixteenth of the trials. */
START_TEST(test_starts_are_always_made)
{
    struct planlab lab;
    struct sl_search_result result;
    const struct sl_search_options options[] = {{.trials = 64, .budget_s = 1e-9},
                                                {.trials = 64, .progress = stop_at_once}};
    planlab_open(&lab,
                 YAML("3GiB", NOISE,
                      ORDER "policies: [{name: again, action: remat}, {name: out, action: "
                            "offload}]\n"),
                 NODES, OBJECTS("hbm;pinned"));
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(find(&lab, &result, &options[i]), SL_OK);
        ck_assert(result.hurried);
        ck_assert(result.interrupted == (i == 1));
        ck_assert_uint_eq(result.evaluations, 2);
        ck_assert_uint_eq(result.log[1].figures.trials, 4);
        ck_assert_ptr_nonnull(result.named.base);
        sl_search_free(&result);
    }
    planlab_close(&lab);
}
END_TEST

/* The last heat takes no more trials than the search before it. */
START_TEST(test_heat_is_no_longer_than_the_search)
{
    struct planlab lab;
    struct sl_search_result result;
    const struct sl_search_options options = {.evaluations = 30, .trials = 64};
    uint64_t before = 0;
    planlab_open(&lab, YAML("3GiB", NOISE, ORDER KEEP), NODES, OBJECTS("hbm;pinned"));
    ck_assert_int_eq(find(&lab, &result, &options), SL_OK);
    for (uint32_t i = 0; i < result.log_count; i++)
        before += result.log[i].repeated ? 0 : result.log[i].figures.trials;
    ck_assert_uint_gt(result.trials, before);
    ck_assert_uint_le(result.trials, 2 * before);
    sl_search_free(&result);
    planlab_close(&lab);
}
END_TEST

/* Every move leaves a draft that can be planned. */
START_TEST(test_moves_are_legal)
{
    struct planlab lab;
    struct sl_space space;
    struct sl_arena arena = {0};
    struct sl_draft draft;
    struct sl_dice dice = {7, 0};
    double ones[] = {1, 1, 1};
    bool all[] = {true, true, true};
    struct sl_guide guide = {ones, ones, all};
    planlab_open(&lab, YAML("3GiB", "", ORDER KEEP), NODES, OBJECTS("hbm;pinned"));
    ck_assert_int_eq(sl_space_open(&space, &lab.scenario, NULL, NULL, &lab.err), SL_OK);
    ck_assert(sl_draft_new(&space, &draft, &arena));
    struct sl_move_input input = {&space, &guide, &space.starts[1], &dice};
    for (uint32_t k = 0; k < sl_move_kinds(); k++) {
        uint32_t changed = 0;
        for (uint32_t i = 0; i < 200; i++) {
            sl_draft_copy(&space, &draft, &space.starts[i % 2]);
            sl_draft_shake(&input, &draft, i % 4);
            uint64_t before = sl_draft_hash(&space, &draft);
            bool says = sl_move_kind_at(k)->apply(&input, &draft);
            ck_assert_msg(!says || sl_draft_hash(&space, &draft) != before, "%s",
                          sl_move_kind_at(k)->name);
            changed += says;
            for (uint32_t g = 0; g < space.gap_count; g++)
                ck_assert(sl_step_allowed(&space, draft.base, g, draft.steps[g]));
        }
        ck_assert_msg(changed > 0, "%s never changes anything", sl_move_kind_at(k)->name);
    }
    sl_arena_free(&arena);
    sl_space_close(&space);
    planlab_close(&lab);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("search");
    TCase *tests = tcase_create("search");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, test_all_plans);
    tcase_add_test(tests, test_climb_reaches_the_bound);
    tcase_add_test(tests, test_policy_is_the_plan);
    tcase_add_test(tests, test_same_at_any_number_of_threads);
    tcase_add_test(tests, test_shorter_is_a_beginning);
    tcase_add_test(tests, test_race_saves_trials);
    tcase_add_test(tests, test_pareto);
    tcase_add_test(tests, test_constraint);
    tcase_add_test(tests, test_interrupted);
    tcase_add_test(tests, test_starts_are_always_made);
    tcase_add_test(tests, test_heat_is_no_longer_than_the_search);
    tcase_add_test(tests, test_moves_are_legal);
    suite_add_tcase(s, tests);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
