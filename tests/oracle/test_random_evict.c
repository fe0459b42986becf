/* Random legal scenarios whose copies may leave while running: every
 * trial ends or is a named deadlock, the engine's invariants hold, and where nothing left the
 * plan's nodes run exactly as without eviction. */
#include <config.h>

#include "evictor.h"
#include "harness.h"
#include "policy.h"
#include "random_scenario.h"

static const char *const heuristics[] = {"fifo", "lru", "belady", "largest", "dtr", "cost-benefit"};
static const char *const ways[] = {"offload", "remat", "cheapest"};
#define COUNT(array) (sizeof(array) / sizeof *(array))

struct tally {
    unsigned trials, evicting, deadlocks, done_only_so, unchanged;
    uint64_t evicted, returned;
};

struct run {
    struct sl_program *program;
    struct sl_worker *worker;
};

static bool start(struct run *run, const struct sl_plan *plan)
{
    struct sl_error err = {0};
    return sl_program_create(&run->program, plan->graph, &plan->engine, &err) == SL_OK &&
           sl_worker_create(&run->worker, run->program, &err) == SL_OK;
}

static void stop(struct run *run)
{
    sl_worker_free(run->worker);
    sl_program_free(run->program);
}

static const struct sl_trial *trial_of(struct run *run, uint32_t number, uint64_t seed)
{
    const struct sl_trial *trial;
    struct sl_error err = {0};
    ck_assert_msg(sl_worker_run(run->worker, seed, number, 0, &trial, &err) == SL_OK,
                  "seed %llu: %s", (unsigned long long)seed, err.message);
    return trial;
}

static uint64_t count_evicted(const struct sl_graph *graph, const struct sl_trial *trial,
                              struct tally *tally)
{
    uint64_t evicted = 0;
    for (uint32_t c = 0; graph->evictor && c < graph->evictor->copy_count; c++) {
        const struct sl_copy_record *copy = &trial->copies[c];
        ck_assert_uint_le(copy->moved, copy->evicted);
        ck_assert_uint_le(copy->thrashed, copy->evicted);
        evicted += copy->evicted;
        tally->returned += copy->returned;
    }
    tally->evicted += evicted;
    return evicted;
}

/* A copy elsewhere that the plan would have given back is kept, and may be in somebody's way there.
 */
static bool keeps_copies(const struct sl_graph *graph)
{
    for (uint32_t h = 0; graph->evictor && h < graph->holding_count; h++)
        if (graph->evictor->kept[h])
            return true;
    return false;
}

static void compare(const struct sl_plan *plan, const struct sl_trial *with,
                    const struct sl_trial *without, uint64_t seed, struct tally *tally)
{
    uint64_t evicted = count_evicted(plan->graph, with, tally);
    tally->trials++;
    tally->evicting += evicted > 0;
    tally->deadlocks += with->outcome == SL_DEADLOCK;
    tally->done_only_so += with->outcome == SL_DONE && without->outcome == SL_DEADLOCK;
    ck_assert(with->outcome == SL_DONE || (with->deadlock && with->deadlock[0]));
    if (evicted > 0 || with->run_count > plan->graph->node_count)
        return;
    if (keeps_copies(plan->graph))
        return;
    ck_assert_int_eq(with->outcome, without->outcome);
    tally->unchanged++;
    for (uint32_t n = 0; n < sl_graph_planned(plan->graph); n++)
        ck_assert_msg(with->start_ps[n] == without->start_ps[n] &&
                          with->finish_ps[n] == without->finish_ps[n],
                      "seed %llu: %s runs otherwise though nothing left", (unsigned long long)seed,
                      plan->graph->nodes[n].name);
}

static void run_policy(const struct sl_scenario *scenario, const struct sl_policy_spec *base,
                       uint64_t seed, struct tally *tally)
{
    struct sl_arena arena = {0};
    struct sl_plan without, with;
    struct sl_error err = {0};
    const struct sl_policy_spec *policy =
        sl_policy_with(base, "evict", heuristics[seed % COUNT(heuristics)], &arena);
    policy = sl_policy_with(policy, "evict.by", ways[seed / 7 % COUNT(ways)], &arena);
    enum sl_status status = sl_policy_plan(&without, scenario, base, NULL, &err);
    ck_assert_int_eq(sl_policy_plan(&with, scenario, policy, NULL, &err), status);
    struct run runs[2] = {{0}, {0}};
    if (status == SL_OK) {
        bool runs_so = start(&runs[0], &without);
        ck_assert_int_eq(start(&runs[1], &with), runs_so);
        for (uint32_t t = 0; t < 2 && runs_so; t++)
            compare(&with, trial_of(&runs[1], t, seed), trial_of(&runs[0], t, seed), seed, tally);
    }
    stop(&runs[0]);
    stop(&runs[1]);
    sl_plan_free(&without);
    sl_plan_free(&with);
    sl_arena_free(&arena);
}

static void run_seed(struct tempdir *dir, uint64_t seed, struct tally *tally)
{
    static const char *const bases[] = {"retain-fifo", "demand", "mix", "ahead", "lazy"};
    static struct random_scenario made;
    struct sl_scenario scenario;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    random_scenario_make(&made, seed);
    draft_write(&made.draft, dir);
    ck_assert_int_eq(sl_scenario_load(&scenario, dir->path, NULL, 0, &diags, &err), SL_OK);
    if (seed % 5 == 0)
        scenario.iterations = 3;
    for (size_t b = 0; b < COUNT(bases); b++) {
        const struct sl_policy_spec *base = sl_scenario_policy(&scenario, bases[b]);
        if (base) /* scenarios that hold their movements have others */
            run_policy(&scenario, base, seed + b, tally);
    }
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
}

START_TEST(copies_leave)
{
    struct tempdir dir;
    struct tally tally = {0};
    tempdir_make(&dir);
    for (uint64_t seed = 0; seed < (sl_test_long() ? 2000 : 120); seed++)
        run_seed(&dir, seed, &tally);
    tempdir_remove(&dir);
    printf("# %u trials, %u in which copies left, %u deadlocked, %u ended only so, %u unchanged; "
           "%llu left, %llu returned\n",
           tally.trials, tally.evicting, tally.deadlocks, tally.done_only_so, tally.unchanged,
           (unsigned long long)tally.evicted, (unsigned long long)tally.returned);
    ck_assert_uint_gt(tally.evicting, tally.trials / 50);
    ck_assert_uint_gt(tally.unchanged, tally.trials / 10);
    ck_assert_uint_gt(tally.returned, 0);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("random_evict");
    TCase *tc = tcase_create("oracle");
    tcase_set_timeout(tc, 0);
    tcase_add_test(tc, copies_leave);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
