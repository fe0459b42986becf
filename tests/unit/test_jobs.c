/* The job engine's own rules, by hand: admission, clients, turns within a job, what a job gives
 * back at its end, deadlocks by name, draws that depend on nobody else, places that are used again.
 */
#include <config.h>

#include "jobs_parts.h"
#include "lab.h"

enum { MOST = 64 };

static struct lab lab;
static struct sl_jobs_options options;
static struct sl_jobs_program *program;
static struct sl_jobs_worker *worker;
static const struct sl_jobs_totals *totals;
static struct sl_job_record seen[MOST];  /* by job */
static uint32_t order[MOST], seen_count; /* in the order of their ends */

struct script {
    const int64_t *t_us;
    uint64_t count, next;
};
static double tokens; /* the parameter of the next job; each has 1 more */

static enum sl_status next_of_script(void *user, struct sl_job_arrival *arrival, bool *more,
                                     struct sl_error *err)
{
    struct script *script = user;
    (void)err;
    *more = script->next < script->count;
    tokens = (double)script->next;
    arrival->parameters = &tokens;
    if (*more)
        arrival->t_ps = script->t_us[script->next++] * US;
    return SL_OK;
}

static enum sl_status see(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    (void)user;
    (void)err;
    ck_assert_uint_lt(record->job, MOST);
    seen[record->job] = *record;
    order[seen_count++] = (uint32_t)record->job;
    return SL_OK;
}

static void setup(void)
{
    lab_open(&lab);
    memset(&options, 0, sizeof options);
}

static void teardown(void)
{
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    program = NULL;
    worker = NULL;
    lab_close(&lab);
}

static void run_jobs(const int64_t *t_us, uint64_t count)
{
    struct script script = {t_us, count, 0};
    const struct sl_job_source source = {next_of_script, &script};
    if (!worker) {
        LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
        LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
        LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    }
    seen_count = 0;
    LAB_OK(&lab, sl_jobs_run(worker, 1, 0, &source, see, NULL, &totals, &lab.err));
    ck_assert(totals->outcome == SL_DEADLOCK ||
              totals->arrived == totals->completed + totals->rejected);
}

#define TIMES(...) (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / 8

/* One server of 10us, jobs at 0, 2 and 4us. */
static void one_server(void)
{
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "10us", gpu);
}

START_TEST(a_queue_by_hand)
{
    one_server();
    run_jobs(TIMES(0, 2, 4));
    for (uint32_t k = 0; k < 3; k++) {
        ck_assert_int_eq(seen[k].arrival_ps, 2 * k * US);
        ck_assert_int_eq(seen[k].admitted_ps, 2 * k * US);
        ck_assert_int_eq(seen[k].finish_ps, 10 * (k + 1) * US);
        ck_assert_int_eq(seen[k].run_ps, 10 * US);
        ck_assert_int_eq(seen[k].wait_ps[SL_CAUSE_QUEUE], 8 * k * US);
        ck_assert_int_eq(seen[k].longest_wait_ps, 8 * k * US);
    }
    ck_assert_int_eq(totals->end_ps, 30 * US);
    ck_assert_int_eq(totals->last_arrival_ps, 4 * US);
    ck_assert_int_eq(totals->busy_ps[0], 30 * US);
    ck_assert_uint_eq(totals->most_jobs, 3);
    /* 1 job to 2us, 2 to 4us, 3 to 10us, 2 to 20us, 1 to 30us: 2 + 4 + 18 + 20 + 10. */
    ck_assert_double_eq_tol(totals->jobs_s, 54e-6, 1e-15);
    ck_assert_double_eq_tol(totals->unit_s[0], 30e-6, 1e-15);
}
END_TEST

START_TEST(whoever_finds_it_full_waits_or_is_turned_away)
{
    one_server();
    options.admitted_most = 1;
    run_jobs(TIMES(0, 2, 4));
    ck_assert_int_eq(seen[2].admitted_ps, 20 * US);
    ck_assert_int_eq(seen[2].finish_ps, 30 * US);
    ck_assert_int_eq(seen[2].wait_ps[SL_CAUSE_QUEUE], 0); /* it waited for admission instead */
    ck_assert_uint_eq(totals->most_jobs, 3);
    teardown();
    setup();
    one_server();
    options.admitted_most = 1;
    options.when_full = SL_WHEN_FULL_REJECT;
    run_jobs(TIMES(0, 2, 10, 11)); /* at 10us the first has just left */
    ck_assert(seen[1].rejected && seen[3].rejected && !seen[2].rejected);
    ck_assert_int_eq(seen[1].finish_ps, -1);
    ck_assert_int_eq(seen[1].admitted_ps, -1);
    ck_assert_int_eq(seen[2].finish_ps, 20 * US);
    ck_assert_uint_eq(totals->rejected, 2);
    ck_assert_uint_eq(totals->most_jobs, 1);
}
END_TEST

START_TEST(clients_think_between_their_jobs)
{
    one_server();
    options.clients = 2;
    run_jobs(TIMES(0, 1, 5, 5));
    /* Client 1: 0 to 10us, thinks to 15us, runs from 20 to 30us; client 2: comes at 1us, runs from
     * 10 to 20us, thinks to 25us, runs from 30 to 40us. */
    ck_assert_int_eq(seen[0].finish_ps, 10 * US);
    ck_assert_int_eq(seen[1].arrival_ps, 1 * US);
    ck_assert_int_eq(seen[1].finish_ps, 20 * US);
    ck_assert_int_eq(seen[2].arrival_ps, 15 * US);
    ck_assert_int_eq(seen[2].finish_ps, 30 * US);
    ck_assert_int_eq(seen[3].arrival_ps, 25 * US);
    ck_assert_int_eq(seen[3].finish_ps, 40 * US);
    ck_assert_uint_eq(totals->most_jobs, 2);
}
END_TEST

/* Jobs at 0, 1, 2 and 30us pass a, of 4us, and then b, of 6us.  Waits at a: 0, 3, 6 and 0us; at b,
 * which job 0 reaches at 4us, job 1 at 8us and job 2 at 12us: 0, 2, 4 and 0us. */
START_TEST(a_job_that_waits_too_long_counts_at_each_node_where_it_does)
{
    static const int64_t bounds_us[] = {0, 2, 3, 4, 6};
    static const uint64_t expected[][2] = {{2, 2}, {2, 1}, {1, 1}, {1, 0}, {0, 0}};
    for (unsigned k = 0; k < 5; k++) {
        uint32_t gpu = lab_resource(&lab, "gpu", 1), cpu = lab_resource(&lab, "cpu", 1);
        lab_graph(&lab);
        uint32_t a = lab_node(&lab, "a", "4us", gpu), b = lab_node(&lab, "b", "6us", cpu);
        lab_edge(&lab, a, b);
        options.bound_ps = bounds_us[k] * US;
        run_jobs(TIMES(0, 1, 2, 30));
        ck_assert_uint_eq(totals->node_starved[a], expected[k][0]);
        ck_assert_uint_eq(totals->node_starved[b], expected[k][1]);
        uint64_t jobs = 0; /* each once: the engine's record of its longest wait */
        for (uint32_t j = 0; j < 4; j++)
            jobs += seen[j].longest_wait_ps > options.bound_ps;
        ck_assert_uint_eq(jobs, expected[k][0]); /* those at b had waited longer at a */
        teardown();
        setup();
    }
}
END_TEST

/* In order of issue b waits for its own job's a, which waits for x; another job's does not matter.
 */
START_TEST(turns_are_within_a_job)
{
    uint32_t gpu = lab_resource(&lab, "gpu", 2), cpu = lab_resource(&lab, "cpu", SL_UNLIMITED);
    lab.resources[gpu].order = SL_ORDER_ISSUE;
    lab_graph(&lab);
    uint32_t x = lab_node(&lab, "x", "4us", cpu), a = lab_node(&lab, "a", "3us", gpu);
    (void)lab_node(&lab, "b", "2us", gpu);
    lab_edge(&lab, x, a);
    options.marks = (const uint32_t[]){0, 1, 2};
    options.mark_count = 3;
    run_jobs(TIMES(0, 3));
    /* Both a and b of job 0 start at 4us, of job 1 at 7us: b's units were free all the time. */
    ck_assert_int_eq(seen[0].finish_ps, 7 * US);
    ck_assert_int_eq(seen[1].finish_ps, 10 * US);
    ck_assert_int_eq(totals->node_wait_ps[2], 8 * US);
    ck_assert_int_eq(seen[1].longest_wait_ps, 4 * US);
    ck_assert_uint_eq(seen[1].longest_wait_node, 2);
}
END_TEST

/* Nobody in the plan gives the object back: the job does at its end, and the next one can start. */
START_TEST(a_job_gives_back_what_it_still_holds)
{
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED), hbm = lab_domain(&lab, "hbm", 100);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "10us", gpu);
    lab_takes(&lab, a, lab_holding(&lab, SL_HOLD_OBJECT, hbm, 60, false));
    lab_takes(&lab, a, lab_holding(&lab, SL_HOLD_OBJECT, hbm, 40, true));
    run_jobs(TIMES(0, 1));
    ck_assert_int_eq(seen[1].finish_ps, 20 * US);
    ck_assert_int_eq(seen[1].wait_ps[SL_CAUSE_CAPACITY], 9 * US);
    ck_assert_int_eq(totals->peak_bytes[hbm], 100);
    ck_assert_double_eq_tol(totals->pressure_byte_s[hbm], 100 * 20e-6, 1e-12);
}
END_TEST

/* Each holds 60 of 120 and wants 40 more to end: together they cannot. */
START_TEST(a_deadlock_names_its_jobs)
{
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED), hbm = lab_domain(&lab, "hbm", 120);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "first", "10us", gpu), b = lab_node(&lab, "second", "1us", gpu);
    lab_edge(&lab, a, b);
    lab_takes(&lab, a, lab_holding(&lab, SL_HOLD_STAGING, hbm, 60, false));
    lab_workspace(&lab, b, hbm, 40);
    run_jobs(TIMES(0, 1, 50));
    ck_assert_int_eq(totals->outcome, SL_DEADLOCK);
    ck_assert_str_eq(totals->deadlock,
                     "second of job 0 waits for 40 B of hbm held by job 1 (staging, given back at "
                     "its end, after second of job 1), which waits for 40 B of hbm held by job 0 "
                     "(staging, given back at its end, after second of job 0)");
    ck_assert_uint_eq(totals->arrived, 2); /* the third would not have helped */
    run_jobs(TIMES(0, 20));
    ck_assert_int_eq(totals->outcome, SL_DONE); /* and the worker goes on */
    ck_assert_ptr_null(totals->deadlock);
}
END_TEST

/* Whoever waits for what it would itself give back, and for units that there are not. */
START_TEST(deadlocks_within_a_job_and_for_ever)
{
    uint32_t gpu = lab_resource(&lab, "gpu", 1), hbm = lab_domain(&lab, "hbm", 100);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "1us", gpu), b = lab_node(&lab, "b", "1us", SL_NONE);
    uint32_t h = lab_holding(&lab, SL_HOLD_STAGING, hbm, 80, false);
    lab_takes(&lab, a, h);
    lab_gives(&lab, b, h);
    lab_workspace(&lab, b, hbm, 40);
    lab_edge(&lab, a, b);
    run_jobs(TIMES(3));
    ck_assert_str_eq(totals->deadlock, "b of job 0 waits for 40 B of hbm held by job 0 (staging, "
                                       "given back by b of job 0)");
    teardown();
    setup();
    gpu = lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "1us", SL_NONE);
    lab_demand(&lab, 0, gpu, 2);
    run_jobs(TIMES(3, 4));
    ck_assert_str_eq(totals->deadlock,
                     "a of job 0 demands 2 units of gpu, which has 1: this can never be met");
}
END_TEST

/* ---- draws ----------------------------------------------------------------------------------- */

/* The general rule, one at a time: number k of the key's draws is that of job k. */
START_TEST(draws_are_those_of_the_jobs_number)
{
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "lognormal(mean=10us, cv=0.5)", gpu);
    const struct sl_dist *dist = LAB_NODE(&lab, a).dist;
    int64_t t_us[MOST];
    for (int k = 0; k < MOST; k++)
        t_us[k] = k / 3;
    run_jobs(t_us, MOST);
    for (uint32_t k = 0; k < MOST; k++) {
        double u, u2;
        sl_draws_uniforms(1, 0, sl_hash_text("a"), k, &u, &u2);
        ck_assert_int_eq(seen[k].isolated_ps, sl_round_ps(sl_dist_value(dist, u, u2)));
    }
}
END_TEST

/* ---- parameters ------------------------------------------------------------------------------ */

static const struct sl_expr *expression(const char *text, enum sl_expr_dimension dimension)
{
    const struct sl_expr *expr;
    struct sl_names names = {0};
    (void)sl_names_add(&names, "tokens");
    LAB_OK(&lab, sl_expr_parse(&expr, text, dimension, &names, (struct sl_place){0}, &lab.arena,
                               &lab.err));
    sl_names_free(&names);
    options.parameter_count = 1;
    return expr;
}

START_TEST(durations_by_parameters)
{
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "1ps", gpu),
             b = lab_node(&lab, "b", "exponential(mean=1us)", gpu);
    const struct sl_dist *dist = LAB_NODE(&lab, b).dist;
    LAB_NODE(&lab, a).times = expression("3us * tokens + 2us", SL_EXPR_TIME);
    LAB_NODE(&lab, b).times = expression("tokens", SL_EXPR_NUMBER);
    options.marks = (const uint32_t[]){0, 1};
    options.mark_count = 2;
    lab_edge(&lab, a, b);
    run_jobs(TIMES(0, 1, 2, 3));
    for (uint32_t k = 0; k < 4; k++) {
        double u, u2;
        sl_draws_uniforms(1, 0, sl_hash_text("b"), k, &u, &u2);
        int64_t drawn = sl_round_ps(sl_dist_value(dist, u, u2) * k);
        ck_assert_int_eq(seen[k].run_ps, (3 * k + 2) * US + drawn);
    }
}
END_TEST

START_TEST(sizes_by_parameters)
{
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED), hbm = lab_domain(&lab, "hbm", 100);
    lab.domains[hbm].rounding = 16;
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "10us", gpu), h;
    struct sl_object object = sl_object_default();
    object.name = "kv";
    object.size = expression("20B * tokens", SL_EXPR_BYTES);
    sl_object_id id;
    LAB_OK(&lab, sl_graph_add_object(lab.graph, &object, &id, &lab.err));
    struct sl_holding holding = {SL_HOLD_OBJECT, hbm, 30, id, false};
    LAB_OK(&lab, sl_graph_add_holding(lab.graph, &holding, &h, &lab.err));
    lab_takes(&lab, a, h);
    lab_gives(&lab, a, h);
    run_jobs(TIMES(0, 1, 2, 3));
    /* 0, 32, 48 and 64 bytes: the last has to wait until the 48 have come back, too, at 12us. */
    ck_assert_int_eq(seen[2].finish_ps, 12 * US);
    ck_assert_int_eq(seen[3].finish_ps, 22 * US);
    ck_assert_int_eq(seen[3].wait_ps[SL_CAUSE_CAPACITY], 9 * US);
    ck_assert_int_eq(totals->peak_bytes[hbm], 80);
}
END_TEST

START_TEST(an_expression_out_of_range_is_named)
{
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED);
    lab_graph(&lab);
    uint32_t a = lab_node(&lab, "a", "1ps", gpu);
    LAB_NODE(&lab, a).times = expression("1us * (1 - tokens)", SL_EXPR_TIME);
    run_jobs(TIMES(0, 1));
    struct script script = {(const int64_t[]){0, 1, 2, 3}, 4, 0};
    const struct sl_job_source source = {next_of_script, &script};
    struct sl_error err = {0};
    ck_assert_int_eq(sl_jobs_run(worker, 1, 0, &source, see, NULL, &totals, &err), SL_INVALID);
    ck_assert_msg(
        strstr(err.message, "job 2: the duration of 'a', 1us * (1 - tokens), is -1e+06") != NULL,
        "%s", err.message);
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

struct steady {
    uint64_t next, count;
};

static enum sl_status next_steady(void *user, struct sl_job_arrival *arrival, bool *more,
                                  struct sl_error *err)
{
    struct steady *steady = user;
    (void)err;
    arrival->t_ps = (int64_t)steady->next * 12 * US;
    *more = steady->next++ < steady->count;
    return SL_OK;
}

START_TEST(places_are_used_again)
{
    one_server();
    run_jobs(TIMES(0));
    uint32_t jobs = worker->job_places, runs = worker->run_places;
    struct steady steady = {0, 20000};
    const struct sl_job_source source = {next_steady, &steady};
    LAB_OK(&lab, sl_jobs_run(worker, 1, 0, &source, NULL, NULL, &totals, &lab.err));
    ck_assert_uint_eq(totals->completed, 20000);
    ck_assert_uint_eq(totals->most_jobs, 1);
    ck_assert_uint_eq(worker->job_places, jobs);
    ck_assert_uint_eq(worker->run_places, runs);
}
END_TEST

/* ---- the short way --------------------------------------------------------------------------- */

enum { BUSY_JOBS = 4000 };
static struct sl_job_record busy[2][BUSY_JOBS];
static uint32_t busy_count;

/* Bursts, so that jobs come and end at one instant. */
static enum sl_status next_of_burst(void *user, struct sl_job_arrival *arrival, bool *more,
                                    struct sl_error *err)
{
    uint64_t *next = user;
    (void)err;
    *more = *next < BUSY_JOBS;
    arrival->t_ps = (int64_t)(*next)++ / 5 * 40 * US;
    return SL_OK;
}

static enum sl_status keep(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    (void)err;
    busy[*(int *)user][busy_count++] = *record;
    return SL_OK;
}

static void compare_ways(const char *service)
{
    uint32_t gpu = lab_resource(&lab, "gpu", SL_UNLIMITED);
    struct sl_jobs_totals found[2];
    int64_t busy_ps[2], class_ps[2], overlap_ps[2];
    double unit_s[2];
    lab_kappa(&lab, "x", "x", 1.25);
    lab_graph(&lab);
    LAB_NODE(&lab, lab_node(&lab, "a", service, gpu)).klass = 0;
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    ck_assert(program->lone);
    for (int way = 0; way < 2; way++) {
        uint64_t next = 0;
        const struct sl_job_source source = {next_of_burst, &next};
        program->lone = way == 0;
        busy_count = 0;
        LAB_OK(&lab, sl_jobs_run(worker, 5, 2, &source, keep, &way, &totals, &lab.err));
        ck_assert_uint_eq(busy_count, BUSY_JOBS);
        found[way] = *totals;
        busy_ps[way] = totals->busy_ps[0];
        unit_s[way] = totals->unit_s[0];
        class_ps[way] = totals->class_busy_ps[0];
        overlap_ps[way] = totals->overlap_ps[0];
    }
    for (uint32_t k = 0; k < BUSY_JOBS; k++)
        if (memcmp(&busy[0][k], &busy[1][k], sizeof busy[0][k]) != 0)
            ck_abort_msg("%s: record %u, of job %u, differs", service, k, (unsigned)busy[1][k].job);
    ck_assert_int_eq(busy_ps[0], busy_ps[1]);
    ck_assert_int_eq(class_ps[0], class_ps[1]);
    ck_assert_int_eq(overlap_ps[0], overlap_ps[1]);
    ck_assert(unit_s[0] == unit_s[1] && found[0].jobs_s == found[1].jobs_s);
    ck_assert(memcmp(&found[0], &found[1], sizeof found[0]) == 0);
}

START_TEST(the_short_way_has_the_records_of_the_general_loop)
{
    compare_ways("5us");
    teardown();
    setup();
    compare_ways("mixture(0.2*0us, 0.4*4us, 0.4*exponential(mean=9us))");
    teardown();
    setup();
    compare_ways("lognormal(mean=7us, cv=1)");
}
END_TEST

/* Whichever worker runs a replication, and whatever it ran before. */
START_TEST(workers_agree)
{
    struct sl_jobs_worker *other;
    const struct sl_jobs_totals *theirs;
    uint64_t next = 0;
    const struct sl_job_source source = {next_of_burst, &next};
    int first = 0, second = 1;
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab_graph(&lab);
    (void)lab_node(&lab, "a", "lognormal(mean=7us, cv=1)", gpu);
    run_jobs(TIMES(0, 1));
    LAB_OK(&lab, sl_jobs_worker_create(&other, program, &lab.err));
    busy_count = 0;
    LAB_OK(&lab, sl_jobs_run(worker, 5, 2, &source, keep, &first, &totals, &lab.err));
    next = busy_count = 0;
    LAB_OK(&lab, sl_jobs_run(other, 5, 2, &source, keep, &second, &theirs, &lab.err));
    for (uint32_t k = 0; k < BUSY_JOBS; k++)
        ck_assert(busy[0][k].finish_ps == busy[1][k].finish_ps && busy[0][k].job == busy[1][k].job);
    ck_assert(totals->jobs_s == theirs->jobs_s);
    sl_jobs_worker_free(other);
}
END_TEST

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(const char *words)
{
    struct sl_error err = {0};
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    ck_assert_int_eq(sl_jobs_program_create(&program, lab.graph, &options, &err), SL_NO);
    ck_assert_msg(strstr(err.message, words) != NULL, "%s", err.message);
    ck_assert_ptr_null(program);
}

static double worth_nothing(const struct sl_evict_view *copy)
{
    (void)copy;
    return 0;
}

START_TEST(what_jobs_cannot_do_is_refused_by_name)
{
    one_server();
    uint32_t b = lab_node(&lab, "b", "1us", 0);
    LAB_NODE(&lab, 0).fallback = (sl_node_id){b};
    refused("'a' names a fallback");
    teardown();
    setup();
    uint32_t hbm = lab_domain(&lab, "hbm", 100);
    one_server();
    lab_gives(&lab, 0, lab_holding(&lab, SL_HOLD_OBJECT, hbm, 40, true));
    refused("'a' gives 'staging' back, which is there at the start");
    teardown();
    setup();
    lab_graph(&lab);
    refused("without nodes");
    teardown();
    setup();
    one_server();
    struct sl_edge later = {.from = {0}, .to = {0}, .next = 1};
    LAB_OK(&lab, sl_graph_add_edge(lab.graph, &later, &lab.err));
    refused("an edge of scope next leads to a later iteration");
    teardown();
    setup();
    one_server();
    (void)lab_node(&lab, "b", "1us", 0);
    struct sl_overlap apart = {.a = "a", .b = "b", .latest_ps = INT64_MAX};
    ck_assert(
        sl_grow((void **)&lab.graph->overlaps, &lab.graph->overlap_capacity, 1, sizeof apart));
    lab.graph->overlaps[lab.graph->overlap_count++] = apart;
    refused("overlap.csv keeps 'a' and 'b' apart");
    teardown();
    setup();
    one_server();
    options.engine.evict.worth = worth_nothing;
    refused("jobs cannot evict while running");
}
END_TEST

/* What a caller asks for that the plan does not have is the caller's fault. */
START_TEST(what_a_plan_does_not_have_is_refused)
{
    const uint32_t marks[] = {0, 1};
    const struct {
        struct sl_jobs_options options;
        const char *words;
    } cases[] = {
        {{.by_memory = true, .memory = 0}, "admission is by domain 0, which is none"},
        {{.marks = marks, .mark_count = 2}, "mark 1 is not a node"},
    };
    one_server();
    struct sl_error err = {0};
    ck_assert_int_eq(sl_jobs_program_create(&program, lab.graph, &options, &err), SL_USAGE);
    ck_assert_str_eq(err.message, "the graph is not finished");
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        err = (struct sl_error){0};
        ck_assert_int_eq(sl_jobs_program_create(&program, lab.graph, &cases[i].options, &err),
                         SL_USAGE);
        ck_assert_str_eq(err.message, cases[i].words);
        ck_assert_ptr_null(program);
    }
}
END_TEST

/* A source that goes back in time, and one that fails. */
START_TEST(a_bad_source_ends_the_run)
{
    struct script script = {(const int64_t[]){5, 3}, 2, 0};
    const struct sl_job_source source = {next_of_script, &script};
    struct sl_error err = {0};
    one_server();
    run_jobs(TIMES(0));
    ck_assert_int_eq(sl_jobs_run(worker, 1, 0, &source, see, NULL, &totals, &err), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "job 1"));
    ck_assert_ptr_null(totals);
    run_jobs(TIMES(0, 1));
    ck_assert_uint_eq(totals->completed, 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs");
    TCase *tcase = tcase_create("rules");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_queue_by_hand);
    tcase_add_test(tcase, whoever_finds_it_full_waits_or_is_turned_away);
    tcase_add_test(tcase, a_job_that_waits_too_long_counts_at_each_node_where_it_does);
    tcase_add_test(tcase, clients_think_between_their_jobs);
    tcase_add_test(tcase, turns_are_within_a_job);
    tcase_add_test(tcase, a_job_gives_back_what_it_still_holds);
    tcase_add_test(tcase, a_deadlock_names_its_jobs);
    tcase_add_test(tcase, deadlocks_within_a_job_and_for_ever);
    tcase_add_test(tcase, draws_are_those_of_the_jobs_number);
    tcase_add_test(tcase, durations_by_parameters);
    tcase_add_test(tcase, sizes_by_parameters);
    tcase_add_test(tcase, an_expression_out_of_range_is_named);
    tcase_add_test(tcase, places_are_used_again);
    tcase_add_test(tcase, the_short_way_has_the_records_of_the_general_loop);
    tcase_add_test(tcase, workers_agree);
    tcase_add_test(tcase, what_jobs_cannot_do_is_refused_by_name);
    tcase_add_test(tcase, what_a_plan_does_not_have_is_refused);
    tcase_add_test(tcase, a_bad_source_ends_the_run);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}
