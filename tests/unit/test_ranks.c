/* Sweeps on several ranks, which are threads here, and trials that other ranks run: the same bytes
 * of results as in one process. */
#include <config.h>

#include "cellparts.h"
#include "portion.h"
#include "results.h"
#include "sweep.h"
#include "tempdir.h"
#include "threads.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CELLS 64
#define MOST_RANKS 5
#define TRIALS     61

/* Between them: deadlocks, deadlines, guards with fallbacks, evictions, forbidden overlap, several
 * devices. */
static const char *const scenarios[] = {
    "hello",         "activation-remat",           "two-gpu",
    "weight-stream", "optimizer-offload/cpu-step", "counterexamples/speculation-starves-demand",
};
#define SCENARIOS (sizeof scenarios / sizeof *scenarios)

static const char *path_of(const char *scenario)
{
    static char path[1024];
    const char *top = getenv("SL_SRCDIR");
    snprintf(path, sizeof path, "%s/scenarios/%s", top ? top : ".", scenario);
    return path;
}

/* ---- portions of a cell ---------------------------------------------------------------------- */

struct elsewhere {
    struct sl_scenario *scenario;
    const struct sl_policy_spec *policy;
    struct sl_pool *pool;
    uint32_t portions; /* made so far */
};

/* One portion, packed and added; first what came damaged. */
static void exchange(struct sl_pool *pool, struct sl_cell *from, struct sl_cell *to, uint32_t first,
                     uint32_t trials)
{
    const struct sl_run_options options = {.pool = pool, .trials = TRIALS};
    struct sl_error err = {0};
    unsigned char *bytes = NULL;
    size_t size = 0;
    ck_assert_int_eq(sl_cell_run_portion(from, first, trials, &options, &err), SL_OK);
    ck_assert_int_eq(sl_cell_pack_portion(from, first, trials, &bytes, &size, &err), SL_OK);
    ck_assert_int_eq(sl_cell_unpack_portion(to, first, trials, bytes, size, &err), SL_OK);
    free(bytes);
}

/* A third of the trials, then the rest, as in another process, which plans the cell itself. */
static enum sl_status collect(void *user, struct sl_cell *cell, uint32_t had,
                              struct sl_trials_job *job, struct sl_error *err)
{
    struct elsewhere *elsewhere = user;
    uint32_t middle = had + (cell->trials - had) / 3;
    struct sl_cell other;
    struct sl_diags diags = {0};
    (void)job;
    ck_assert_int_eq(
        sl_cell_open(&other, elsewhere->scenario, elsewhere->policy, &cell->spec, &diags, err),
        SL_OK);
    exchange(elsewhere->pool, &other, cell, had, middle - had);
    ck_assert_int_eq(sl_cell_renew(&other, err), SL_OK);
    exchange(elsewhere->pool, &other, cell, middle, cell->trials - middle);
    elsewhere->portions += 2;
    sl_cell_free(&other);
    sl_diags_free(&diags);
    return SL_OK;
}

static char *bytes_of(struct sl_scenario *scenario, const struct sl_policy_spec *policy,
                      struct sl_pool *pool, const struct sl_cell_helpers *helpers, size_t *size)
{
    const struct sl_cell_spec spec = {.policy = policy->name};
    const struct sl_run_options options = {.pool = pool, .trials = TRIALS, .helpers = helpers};
    struct sl_cell cell;
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    char *bytes = NULL;
    enum sl_status status = sl_cell_run(&cell, scenario, policy, &spec, &options, &diags, &err);
    ck_assert_msg(status == SL_OK, "%s: %s", policy->name, err.message);
    ck_assert_int_eq(sl_results_pack(&cell, &bytes, size, &err), SL_OK);
    sl_cell_free(&cell);
    sl_diags_free(&diags);
    return bytes;
}

START_TEST(portions_give_what_one_run_gives)
{
    struct sl_scenario scenario = {0};
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    struct sl_pool *pool = make_pool(2);
    const char *path = path_of(scenarios[_i]);
    ck_assert_int_eq(sl_scenario_load(&scenario, path, NULL, 0, &diags, &err), SL_OK);
    for (uint32_t p = 0; p < scenario.policy_count; p++) {
        const struct sl_policy_spec *policy = &scenario.policies[p];
        struct elsewhere elsewhere = {&scenario, policy, pool, 0};
        const struct sl_cell_helpers helpers = {collect, &elsewhere};
        size_t size, other_size;
        char *whole = bytes_of(&scenario, policy, pool, NULL, &size);
        char *parts = bytes_of(&scenario, policy, pool, &helpers, &other_size);
        ck_assert_msg(size == other_size && memcmp(whole, parts, size) == 0, "%s, %s: not the same",
                      scenarios[_i], policy->name);
        free(whole);
        free(parts);
    }
    sl_pool_free(pool);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
}
END_TEST

START_TEST(damaged_portions_are_refused)
{
    struct sl_scenario scenario = {0};
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    ck_assert_int_eq(sl_scenario_load(&scenario, path_of("weight-stream"), NULL, 0, &diags, &err),
                     SL_OK);
    const struct sl_cell_spec spec = {.policy = scenario.policies[0].name};
    const struct sl_run_options options = {.trials = 2};
    struct sl_cell cell;
    unsigned char *bytes = NULL;
    size_t size = 0;
    ck_assert_int_eq(sl_cell_open(&cell, &scenario, &scenario.policies[0], &spec, &diags, &err),
                     SL_OK);
    ck_assert_int_eq(sl_cell_run_portion(&cell, 0, 2, &options, &err), SL_OK);
    ck_assert_int_eq(sl_cell_pack_portion(&cell, 0, 2, &bytes, &size, &err), SL_OK);
    for (size_t less = 1; less < size; less += less) {
        err = (struct sl_error){0};
        ck_assert_int_eq(sl_cell_unpack_portion(&cell, 0, 2, bytes, size - less, &err), SL_SYSTEM);
        ck_assert_ptr_nonnull(strstr(err.message, "damaged"));
    }
    free(bytes);
    sl_cell_free(&cell);
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
}
END_TEST

/* ---- a sweep --------------------------------------------------------------------------------- */

struct outcome {
    char *bytes[MOST_CELLS]; /* by cell */
    size_t size[MOST_CELLS];
    uint32_t taken;
    struct sl_sweep_totals totals;
    struct sl_diags diags;
    struct sl_error err;
    enum sl_status status;
};

static enum sl_status keep(void *user, const struct sl_cell *cell, struct sl_error *err)
{
    struct outcome *outcome = user;
    uint32_t i = cell->spec.index;
    ck_assert_uint_lt(i, MOST_CELLS);
    ck_assert_ptr_null(outcome->bytes[i]);
    outcome->taken++;
    return sl_results_pack(cell, &outcome->bytes[i], &outcome->size[i], err);
}

static enum sl_status pack(void *user, const struct sl_cell *cell, uint32_t form,
                           struct sl_wire *wire, struct sl_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    (void)user;
    ck_assert_uint_eq(form, 7);
    enum sl_status status = sl_results_pack(cell, &bytes, &size, err);
    sl_wire_copy(wire, bytes, size);
    free(bytes);
    return status;
}

static enum sl_status take(void *user, const struct sl_cell_spec *spec, struct sl_wire *wire,
                           struct sl_error *err)
{
    struct outcome *outcome = user;
    size_t size = 0;
    (void)err;
    const unsigned char *bytes = sl_wire_rest(wire, &size);
    ck_assert_ptr_null(outcome->bytes[spec->index]);
    outcome->bytes[spec->index] = malloc(size + 1);
    memcpy(outcome->bytes[spec->index], bytes, size);
    outcome->size[spec->index] = size;
    outcome->taken++;
    return SL_OK;
}

static void outcome_free(struct outcome *outcome)
{
    for (uint32_t i = 0; i < MOST_CELLS; i++)
        free(outcome->bytes[i]);
    sl_diags_free(&outcome->diags);
    *outcome = (struct outcome){0};
}

struct rank {
    struct sl_comm *comm;
    struct sl_sweep_request request;
    struct outcome *outcome; /* of the leader */
    bool peace;
};

static void *run_rank(void *argument)
{
    struct rank *rank = argument;
    struct outcome own = {0};
    struct outcome *outcome = rank->comm->rank == 0 ? rank->outcome : &own;
    struct sl_error err = {0};
    rank->request.user = outcome;
    ck_assert_int_eq(sl_ranks_open(&rank->request.ranks, rank->comm, 1, &err), SL_OK);
    outcome->status =
        sl_sweep_run(&rank->request, &outcome->totals, &outcome->diags, &outcome->err);
    rank->peace = sl_ranks_close(rank->request.ranks);
    sl_comm_close(rank->comm);
    outcome_free(&own);
    return NULL;
}

/* Rank 0 is the calling thread. */
static void sweep_on(uint32_t ranks, const struct sl_sweep_request *request,
                     struct outcome *outcome)
{
    struct sl_comm *comms[MOST_RANKS];
    struct rank rank[MOST_RANKS];
    pthread_t threads[MOST_RANKS];
    struct sl_error err = {0};
    ck_assert_int_eq(sl_comm_open_threads(comms, ranks, &err), SL_OK);
    for (uint32_t r = ranks; r-- > 0;) {
        rank[r] = (struct rank){.comm = comms[r], .request = *request, .outcome = outcome};
        if (r > 0)
            ck_assert_int_eq(pthread_create(&threads[r], NULL, run_rank, &rank[r]), 0);
        else
            run_rank(&rank[0]);
    }
    for (uint32_t r = 1; r < ranks; r++)
        pthread_join(threads[r], NULL);
    ck_assert(rank[0].peace);
}

static struct sl_sweep_request request_for(const char *path, uint32_t trials)
{
    return (struct sl_sweep_request){.path = path,
                                     .options = {.trials = trials},
                                     .sink = keep,
                                     .pack = pack,
                                     .take = take,
                                     .form = 7};
}

static void sweep_alone(const struct sl_sweep_request *given, struct outcome *outcome)
{
    struct sl_sweep_request request = *given;
    request.user = outcome;
    outcome->status = sl_sweep_run(&request, &outcome->totals, &outcome->diags, &outcome->err);
}

static void assert_same(const struct outcome *a, const struct outcome *b)
{
    ck_assert_int_eq(a->status, b->status);
    ck_assert_uint_eq(a->taken, b->taken);
    ck_assert_uint_eq(a->totals.failed, b->totals.failed);
    ck_assert_uint_eq(a->totals.trials, b->totals.trials);
    ck_assert_uint_eq(a->totals.nodes, b->totals.nodes);
    ck_assert_uint_eq(a->diags.count, b->diags.count);
    for (uint32_t i = 0; i < MOST_CELLS; i++) {
        ck_assert_uint_eq(a->size[i], b->size[i]);
        ck_assert_msg(a->size[i] == 0 || memcmp(a->bytes[i], b->bytes[i], a->size[i]) == 0,
                      "cell %u is not the same", i);
    }
}

static const uint32_t group_sizes[] = {2, 3, 5};

START_TEST(ranks_give_what_one_process_gives)
{
    struct sl_sweep_request request = request_for(path_of("hello"), 500);
    struct outcome alone = {0}, shared = {0};
    sweep_alone(&request, &alone);
    request.options.pool = make_pool(2); /* of all ranks */
    sweep_on(group_sizes[_i], &request, &shared);
    sl_pool_free(request.options.pool);
    assert_same(&alone, &shared);
    ck_assert_uint_eq(shared.totals.failed, 2); /* `keep` deadlocks */
    outcome_free(&alone);
    outcome_free(&shared);
}
END_TEST

/* Of ten nodes and enough trials to be worth it, and fewer cells than ranks. */
START_TEST(a_large_cell_is_shared)
{
    static const char *const policy[] = {"fetch-early"};
    struct sl_sweep_request request = request_for(path_of("hello"), 185000);
    request.policies = policy;
    request.policy_count = 1;
    struct outcome alone = {0}, shared = {0};
    sweep_alone(&request, &alone);
    sweep_on(3, &request, &shared);
    assert_same(&alone, &shared);
    outcome_free(&alone);
    outcome_free(&shared);
}
END_TEST

/* Cells whose trials are replications of jobs travel whole, also where they are few. */
START_TEST(cells_of_jobs_are_shared)
{
    struct tempdir dir;
    tempdir_make(&dir);
    tempdir_write(
        &dir, "scenario.yaml",
        "name: jobs\nresources: {gpu: {servers: 1}}\n"
        "run: {mode: open, arrivals: poisson(rate=1/s), jobs: 300}\n"
        "objective: {metric: latency}\n"
        "sweep: {run.arrivals: [poisson(rate=1/s), fixed(rate=1/s), poisson(rate=3/s)]}\n");
    tempdir_write(&dir, "nodes.csv",
                  "node,kind,resource,duration\nserve,compute,gpu,exponential(mean=500ms)\n");
    struct sl_sweep_request request = request_for(dir.path, 12);
    struct outcome alone = {0}, shared = {0};
    sweep_alone(&request, &alone);
    ck_assert_int_eq(alone.status, SL_OK);
    ck_assert_uint_eq(alone.totals.nodes, 3 * 12 * 300);
    sweep_on(group_sizes[_i], &request, &shared);
    assert_same(&alone, &shared);
    outcome_free(&alone);
    outcome_free(&shared);
    tempdir_remove(&dir);
}
END_TEST

static bool is_odd(void *user, const struct sl_cell_spec *spec)
{
    (void)user;
    return spec->index % 2 == 1;
}

START_TEST(cells_that_are_there_are_not_run)
{
    struct sl_sweep_request request = request_for(path_of("hello"), 100);
    struct outcome shared = {0};
    request.skip = is_odd;
    sweep_on(2, &request, &shared);
    ck_assert_int_eq(shared.status, SL_OK);
    ck_assert_uint_eq(shared.taken, 4);
    ck_assert_uint_eq(shared.totals.skipped, 4);
    for (uint32_t i = 0; i < 8; i++)
        ck_assert((shared.bytes[i] != NULL) == (i % 2 == 0));
    outcome_free(&shared);
}
END_TEST

/* Makespans that sum to more than 64 bits hold: found by a rank after a part of its trials. */
START_TEST(an_error_of_a_rank_is_that_of_the_sweep)
{
    struct sl_error err = {0};
    struct sl_arena arena = {0};
    struct sl_override longer;
    ck_assert_int_eq(sl_override_parse(&longer, "routes.0.bandwidth=1B/s", &arena, &err), SL_OK);
    struct sl_sweep_request request = request_for(path_of("hello"), 1000);
    request.overrides = &longer;
    request.override_count = 1;
    struct outcome alone = {0}, shared = {0};
    sweep_alone(&request, &alone);
    sweep_on(2, &request, &shared);
    ck_assert_int_ne(alone.status, SL_OK);
    ck_assert_int_eq(shared.status, alone.status);
    ck_assert_str_eq(shared.err.message, alone.err.message);
    outcome_free(&alone);
    outcome_free(&shared);
    sl_arena_free(&arena);
}
END_TEST

static bool stop(void *user, uint64_t trials_done, uint64_t trials_total, uint32_t cells_done,
                 uint32_t cells_total)
{
    (void)user;
    (void)trials_done;
    (void)trials_total;
    (void)cells_done;
    (void)cells_total;
    return false;
}

START_TEST(an_interruption_ends_all_ranks)
{
    struct sl_sweep_request request = request_for(path_of("hello"), 5000000);
    struct outcome shared = {0};
    request.options.progress = stop;
    sweep_on(3, &request, &shared);
    ck_assert_int_eq(shared.status, SL_INTERRUPTED);
    outcome_free(&shared);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("ranks");
    TCase *tcase = tcase_create("ranks");
    tcase_add_loop_test(tcase, portions_give_what_one_run_gives, 0, (int)SCENARIOS);
    tcase_add_test(tcase, damaged_portions_are_refused);
    tcase_add_loop_test(tcase, ranks_give_what_one_process_gives, 0, 3);
    tcase_add_test(tcase, a_large_cell_is_shared);
    tcase_add_loop_test(tcase, cells_of_jobs_are_shared, 0, 3);
    tcase_add_test(tcase, cells_that_are_there_are_not_run);
    tcase_add_test(tcase, an_error_of_a_rank_is_that_of_the_sweep);
    tcase_add_test(tcase, an_interruption_ends_all_ranks);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
