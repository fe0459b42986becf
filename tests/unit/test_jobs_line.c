/* Fetches of shared blocks in turn, against a recursion, where all jobs fetch over one engine and
 * are served in their order by one server:
 *
 *     called[i] = max(arrival[i], end[i-k-1])         in turn, k jobs ahead; arrival[i] without
 * turns fetched[i] = max(called[i], fetched[i-1]) + fetch[i] end[i] = max(fetched[i], end[i-1]) +
 * service[i] */
#include <config.h>

#include "dice.h"
#include "jobs_parts.h"
#include "lab_blocks.h"

enum { JOBS = 60, MOST_BLOCKS = 8, ROOM = 64, LOADS = 3, BLOCK = 100 };

struct ask {
    int64_t t_us;
    double service_us;
    uint32_t count;
    uint64_t blocks[ROOM];
};

static struct lab lab;
static struct sl_jobs_options options;
static struct sl_jobs_program *program;
static struct sl_jobs_worker *worker;
static const struct sl_jobs_totals *totals;
static struct sl_route routes[2];
static uint32_t hbm, host, kv, fetch;
static struct ask asks[JOBS + JOBS + LOADS];
static uint32_t ask_count, next_ask;
static int64_t end_ps[JOBS + JOBS + LOADS], queue_ps[JOBS + JOBS + LOADS];
static double counts[JOBS + JOBS + LOADS][4];

static enum sl_status next(void *user, struct sl_job_arrival *arrival, bool *more,
                           struct sl_error *err)
{
    (void)user, (void)err;
    *more = next_ask < ask_count;
    if (!*more)
        return SL_OK;
    const struct ask *ask = &asks[next_ask++];
    *arrival = (struct sl_job_arrival){.t_ps = ask->t_us * US,
                                       .parameters = &ask->service_us,
                                       .blocks = ask->blocks,
                                       .block_count = ask->count};
    return SL_OK;
}

static enum sl_status see(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    (void)user, (void)err;
    end_ps[record->job] = record->mark_ps[0];
    queue_ps[record->job] = record->wait_ps[SL_CAUSE_QUEUE];
    memcpy(counts[record->job], record->parameters + 1, sizeof *counts);
    return SL_OK;
}

static void setup(void)
{
    lab_open(&lab);
    memset(&options, 0, sizeof options);
    memset(routes, 0, sizeof routes);
    ask_count = 0;
}

static void teardown(void)
{
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    program = NULL;
    worker = NULL;
    lab.platform.routes = NULL; /* not the platform's own */
    lab_close(&lab);
}

/* ---- a plan: a block comes in 10us; prefill takes `service`, with nothing else -----------------
 */

static void create(uint32_t servers, uint32_t ahead)
{
    uint32_t gpu = lab_resource(&lab, "gpu", servers), prefill;
    hbm = lab_domain(&lab, "hbm", ROOM * BLOCK);
    host = lab_domain(&lab, "host", INT64_C(1) << 40);
    (void)lab_route(&lab, routes, host, hbm, "h2d", 1e7);
    (void)lab_route(&lab, routes, hbm, host, "d2h", 1e7);
    lab_graph(&lab);
    lab.graph->one = lab_dist(&lab, "const(1)", SL_DIST_NUMBER);
    kv = lab_shared(&lab, "kv", BLOCK, (const uint32_t[]){hbm, host}, 2);
    (void)lab_shared_move(&lab, kv, "spill:kv:host", SL_OFFLOAD, &routes[1]);
    fetch = lab_shared_move(&lab, kv, "fetch:kv:host", SL_PREFETCH, &routes[0]);
    LAB_NODE(&lab, fetch).ahead = ahead;
    prefill = lab_node(&lab, "prefill", "1ps", gpu);
    lab_mention(&lab, prefill, kv, true);
    struct sl_names names = {0};
    (void)sl_names_add(&names, "service");
    LAB_OK(&lab, sl_expr_parse(&LAB_NODE(&lab, prefill).times, "1us * service", SL_EXPR_TIME,
                               &names, (struct sl_place){0}, &lab.arena, &lab.err));
    sl_names_free(&names);
    lab_edge(&lab, fetch, prefill);
    options.marks = &prefill;
    options.mark_count = options.parameter_count = 1;
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
}

static void run_jobs(void)
{
    const struct sl_job_source source = {next, NULL};
    next_ask = 0;
    LAB_OK(&lab, sl_jobs_run(worker, 1, 0, &source, see, NULL, &totals, &lab.err));
    ck_assert_int_eq(totals->outcome, SL_DONE);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static struct ask *add_job(int64_t t_us, double service_us, uint64_t first, uint32_t count)
{
    struct ask *ask = &asks[ask_count++];
    *ask = (struct ask){.t_us = t_us, .service_us = service_us, .count = count};
    for (uint32_t k = 0; k < count; k++)
        ask->blocks[k] = first + k;
    return ask;
}

enum { FIRST_US = 1000000 };

/* JOBS jobs from FIRST_US on, the blocks of each below, and the home full of what is below, too, so
 * that it leaves in no time. */
static void load(struct dice *dice)
{
    int64_t t_us = FIRST_US;
    uint32_t count[JOBS];
    for (uint32_t i = 0; i < JOBS; i++) {
        count[i] = 1 + dice_below(dice, MOST_BLOCKS);
        (void)add_job(1000 * (int64_t)i, 1, 100 * (i + 1), count[i]);
    }
    for (uint32_t k = 0; k < LOADS; k++)
        (void)add_job(100000 + 10000 * k, 1, 100000 + 1000 * (k % 2), ROOM);
    for (uint32_t i = 0; i < JOBS; i++)
        (void)add_job(t_us += dice_below(dice, 80), 1 + dice_below(dice, 90), 100 * (i + 1),
                      count[i]);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void check_recursion(int64_t ahead)
{
    int64_t fetched = 0, end[JOBS] = {0};
    for (int64_t i = 0; i < JOBS; i++) {
        const struct ask *ask = &asks[JOBS + LOADS + i];
        int64_t called = ask->t_us;
        if (i > ahead)
            called = later(called, end[i - ahead - 1]);
        fetched = later(called, fetched) + 10 * (int64_t)ask->count;
        end[i] = later(fetched, i ? end[i - 1] : 0) + (int64_t)ask->service_us;
        ck_assert_double_eq(counts[JOBS + LOADS + i][2], ask->count);
        if (end_ps[JOBS + LOADS + i] != end[i] * US)
            ck_abort_msg("%lld ahead, job %lld: it ends at %lld us, by recursion %lld",
                         (long long)ahead, (long long)i, (long long)(end_ps[JOBS + LOADS + i] / US),
                         (long long)end[i]);
    }
}

START_TEST(turns_are_those_of_a_recursion)
{
    teardown();
    for (uint32_t ahead = 0; ahead < 5; ahead++)
        for (uint64_t seed = 1; seed < 6; seed++) {
            struct dice dice = {.state = seed};
            setup();
            load(&dice);
            create(1, ahead);
            run_jobs();
            check_recursion(ahead);
            teardown();
        }
    setup();
}
END_TEST

/* Whoever has nothing to fetch is looked up in its turn, too, so that it finds what the one before
 * it made; what it waits for until then is the server. */
START_TEST(a_lookup_waits_for_its_turn)
{
    (void)add_job(0, 10, 1, 4);
    (void)add_job(1, 10, 1, 4);
    (void)add_job(2, 10, 1, 4);
    options.bound_ps = 10 * US;
    create(1, 0);
    run_jobs();
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_int_eq(end_ps[i], (10 * i + 10) * US);
        ck_assert_int_eq(queue_ps[i], 9 * i * US);
        ck_assert_double_eq(counts[i][1], i ? 4 : 0); /* at home */
    }
    ck_assert_uint_eq(totals->caches[0].made, 4);
    /* Once for the job, and not as a wait of fetches that were skipped. */
    ck_assert_uint_eq(totals->caches[0].turns, 3);
    ck_assert_int_eq(totals->caches[0].turn_ps, 27 * US);
    ck_assert_int_eq(totals->caches[0].turn_most_ps, 18 * US);
    ck_assert_uint_eq(totals->caches[0].turns_starved, 1);
    ck_assert_int_eq(totals->node_wait_ps[fetch], 0);
    ck_assert_int_eq(totals->node_wait_most_ps[fetch], 0);
    teardown();
    setup();
    /* One ahead is looked up when the first one begins: too early. */
    (void)add_job(0, 10, 1, 4);
    (void)add_job(1, 10, 1, 4);
    create(1, 1);
    run_jobs();
    ck_assert_double_eq(counts[1][1], 0);
    ck_assert_uint_eq(totals->caches[0].made_twice, 4);
}
END_TEST

/* Two servers take two. */
START_TEST(free_servers_call)
{
    for (uint32_t i = 0; i < 4; i++)
        (void)add_job(0, 10, 1, 4);
    create(2, 0);
    run_jobs();
    for (uint32_t i = 0; i < 4; i++) {
        ck_assert_int_eq(end_ps[i], (i / 2 * 10 + 10) * US);
        ck_assert_double_eq(counts[i][1], i < 2 ? 0 : 4);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs_line");
    TCase *tcase = tcase_create("jobs_line");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, turns_are_those_of_a_recursion);
    tcase_add_test(tcase, a_lookup_waits_for_its_turn);
    tcase_add_test(tcase, free_servers_call);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}
