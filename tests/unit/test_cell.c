/* One cell: the same bytes at any number of threads, closed forms, deadlocks, corners. */
#include <config.h>

#include "celllab.h"
#include "result_parts.h"
#include <math.h>
#include <string.h>

static const char *const RANDOM_YAML = "name: random\nnodes: nodes.csv\nedges: edges.csv\n"
                                       "resources:\n  compute: {servers: 2}\n  link: {servers: 1}\n"
                                       "domains:\n  hbm: {capacity: 3GiB}\n" CELLLAB_TAIL "500\n";
static const char *const RANDOM_NODES = "node,kind,class,resource,duration,workspace\n"
                                        "a,compute,x,compute,exponential(mean=1us),hbm:1GiB\n"
                                        "b,compute,y,compute,exponential(mean=2us),hbm:2GiB\n"
                                        "c,compute,x,link,exponential(mean=1us),hbm:1GiB\n"
                                        "d,compute,y,compute,exponential(mean=3us),hbm:2GiB\n"
                                        "e,compute,x,compute,1us,\n";
static const char *const RANDOM_EDGES = "from,to,type\na,d,data-ready\nb,e,data-ready\n"
                                        "c,e,storage-ready\n";

#define SAME(x, y, count, field)                                                                   \
    ck_assert_mem_eq((x)->field, (y)->field, (size_t)(count) * sizeof *(x)->field)

/* Every array and figure of the two cells, byte by byte. */
static void assert_same(const struct sl_cell *x, const struct sl_cell *y)
{
    uint32_t n = x->plan.graph->node_count, trials = x->trials;
    size_t domains = x->plan.graph->platform->domain_names.count;
    size_t classes = x->plan.graph->platform->kappa.classes.count;
    ck_assert_uint_eq(trials, y->trials);
    SAME(x, y, trials, metric_ps);
    SAME(x, y, trials, bound_path_ps);
    SAME(x, y, trials, bound_load_ps);
    SAME(x, y, trials, max_wait_ps);
    SAME(x, y, trials, starved);
    SAME(x, y, trials * SL_STALLS, stall_ps);
    SAME(x, y, trials * domains, peak_bytes);
    SAME(x, y, trials * domains, staging_byte_s);
    SAME(x, y, SL_CHAIN_ROWS * SL_CAUSES, chain_kind_cause_ps);
    SAME(x, y, n, nodes.on_chain);
    SAME(x, y, n, nodes.chain_ps);
    SAME(x, y, n, nodes.ran);
    SAME(x, y, n, nodes.wait_ps);
    SAME(x, y, n, nodes.longest_wait);
    SAME(x, y, n, nodes.starved);
    SAME(x, y, n, nodes.bypassed);
    SAME(x, y, n, nodes.run_ps);
    SAME(x, y, n, nodes.isolated_ps);
    SAME(x, y, classes * classes, overlap_ps);
    SAME(x, y, classes, class_busy_ps);
    SAME(x, y, x->plan.graph->platform->resource_names.count, resource_stalls);
    ck_assert_uint_eq(x->pair_trials, y->pair_trials);
    SAME(x, y, classes * classes, pairs);
    ck_assert_uint_eq(x->pressure_points, y->pressure_points);
    SAME(x, y, domains * x->pressure_points, pressure);
    ck_assert_uint_eq(x->median_trial, y->median_trial);
    ck_assert_uint_eq(x->p99_trial, y->p99_trial);
    ck_assert_uint_eq(x->p99_bar_count, y->p99_bar_count);
    for (uint32_t i = 0; i < x->p99_bar_count; i++) {
        ck_assert_int_eq(x->p99_bars[i].start_ps, y->p99_bars[i].start_ps);
        ck_assert_uint_eq(x->p99_bars[i].on_chain, y->p99_bars[i].on_chain);
    }
    ck_assert_mem_eq(&x->mean, &y->mean, sizeof x->mean);
    ck_assert_mem_eq(&x->p99, &y->p99, sizeof x->p99);
    ck_assert_mem_eq(&x->bound_us, &y->bound_us, sizeof x->bound_us);
}

START_TEST(threads_do_not_show)
{
    struct celllab s;
    celllab_open(&s, RANDOM_YAML, RANDOM_NODES, RANDOM_EDGES, NULL, NULL);
    struct sl_cell one, more;
    celllab_run(&s, &one);
    for (uint32_t threads = 2; threads <= 3; threads++) {
        celllab_threads(&s, threads);
        celllab_run(&s, &more);
        assert_same(&one, &more);
        sl_cell_free(&more);
    }
    sl_cell_free(&one);
    celllab_close(&s);
}
END_TEST

START_TEST(seeds_differ)
{
    struct celllab s;
    celllab_open(&s, RANDOM_YAML, RANDOM_NODES, RANDOM_EDGES, NULL, NULL);
    struct sl_cell one, other, again;
    celllab_run(&s, &one);
    s.options.seed_given = true;
    s.options.seed = 2;
    celllab_run(&s, &other);
    s.options.seed = 1; /* the scenario's own */
    celllab_run(&s, &again);
    ck_assert_mem_ne(one.metric_ps, other.metric_ps, one.trials * sizeof *one.metric_ps);
    assert_same(&one, &again);
    sl_cell_free(&one);
    sl_cell_free(&other);
    sl_cell_free(&again);
    celllab_close(&s);
}
END_TEST

/* In every trial: bounds below the makespan, busy + stalls = makespan (checked on the way), chain
 * time of all kinds = sum of makespans. */
START_TEST(sums_close)
{
    struct celllab s;
    celllab_open(&s, RANDOM_YAML, RANDOM_NODES, RANDOM_EDGES, NULL, NULL);
    struct sl_cell cell;
    celllab_run(&s, &cell);
    int64_t makespans = 0, chain = 0, by_node = 0, waits = 0;
    for (uint32_t t = 0; t < cell.trials; t++) {
        makespans += cell.metric_ps[t];
        ck_assert_int_le(cell.bound_path_ps[t], cell.metric_ps[t]);
        ck_assert_int_le(cell.bound_load_ps[t], cell.metric_ps[t]);
        ck_assert_int_gt(cell.bound_path_ps[t], 0);
    }
    for (size_t k = 0; k < SL_CHAIN_ROWS * SL_CAUSES; k++)
        chain += cell.chain_kind_cause_ps[k];
    for (size_t k = 0; k < SL_CAUSES; k++)
        waits += cell.chain_kind_cause_ps[SL_NODE_KINDS * SL_CAUSES + k];
    for (uint32_t i = 0; i < cell.plan.graph->node_count; i++) {
        by_node += cell.nodes.chain_ps[i];
        ck_assert_uint_eq(cell.nodes.ran[i], cell.trials);
    }
    ck_assert_int_eq(chain, makespans);
    ck_assert_int_eq(by_node + waits, makespans);
    ck_assert_uint_eq(cell.node_runs, (uint64_t)cell.trials * cell.plan.graph->node_count);
    ck_assert_uint_eq(cell.pressure_points, 400);
    sl_cell_free(&cell);
    celllab_close(&s);
}
END_TEST

/* a 10us, lag 5us, b 20us on one server: all figures by hand. */
/* An exponential of mean 100us misses a deadline of 100us ln 10 with probability 0.1.  4,000
 * trials, 3.9 standard deviations: a false alarm in 10,000 seeds.  The constraint on it must bind.
 */
START_TEST(deadlines_missed)
{
    struct celllab s;
    celllab_open(&s,
                 "name: late\nnodes: nodes.csv\n"
                 "resources:\n  compute: {servers: 1}\n"
                 "objective: {metric: makespan, tail: 0.99, constraints: [deadline_miss <= "
                 "5%]}\n" CELLLAB_TAIL "4000\n",
                 "node,kind,resource,duration,deadline\n"
                 "a,compute,compute,exponential(mean=100us),230.258509us\n",
                 NULL, NULL, NULL);
    struct sl_cell cell;
    celllab_run(&s, &cell);
    ck_assert_uint_eq(cell.deadline_count, 1);
    ck_assert_double_eq_tol(cell.deadline_missed / 4000.0, 0.1, 3.9 * sqrt(0.1 * 0.9 / 4000));
    ck_assert_int_eq(cell.verdict, SL_VERDICT_INFEASIBLE);
    sl_cell_free(&cell);
    celllab_close(&s);
}
END_TEST

START_TEST(constant_chain)
{
    struct celllab s;
    celllab_open(&s,
                 "name: chain\nnodes: nodes.csv\nedges: edges.csv\n"
                 "resources:\n  compute: {servers: 1}\n" CELLLAB_TAIL "1000\n",
                 "node,kind,resource,duration\na,compute,compute,10us\nb,compute,compute,20us\n",
                 "from,to,type,lag\na,b,data-ready,5us\n", NULL, NULL);
    struct sl_cell cell;
    celllab_run(&s, &cell);
    ck_assert_int_eq(cell.verdict, SL_VERDICT_OK);
    ck_assert_double_eq(cell.mean.value, 35.0);
    ck_assert_double_eq(cell.p99.value, 35.0);
    ck_assert_double_eq(cell.max_us, 35.0);
    ck_assert_double_eq(cell.sd_us, 0.0);
    ck_assert_double_eq(cell.bound_us, 35.0);
    ck_assert_uint_eq(cell.median_trial, 0);
    int64_t idle = 0;
    for (unsigned k = 0; k < SL_STALLS; k++)
        idle += cell.stall_mean_ps[k];
    ck_assert_int_eq(idle, 5000000);
    ck_assert_uint_eq(cell.stall_trials, 1000);
    ck_assert_int_eq(cell.resource_stalls[0].busy_ps, 30000000000);
    ck_assert_int_eq(sl_stalls_total(&cell.resource_stalls[0]), 35000000000);
    const int64_t *compute = &cell.chain_kind_cause_ps[(size_t)SL_COMPUTE * SL_CAUSES];
    const int64_t *waits = &cell.chain_kind_cause_ps[(size_t)SL_NODE_KINDS * SL_CAUSES];
    int64_t run_ps = 0, wait_ps = 0;
    for (unsigned k = 0; k < SL_CAUSES; k++) {
        run_ps += compute[k];
        wait_ps += waits[k];
    }
    ck_assert_int_eq(run_ps, 30000000000);
    ck_assert_int_eq(wait_ps, 5000000000);
    ck_assert_uint_eq(cell.nodes.on_chain[celllab_node(&cell, "a")], 1000);
    ck_assert_int_eq(cell.nodes.run_ps[celllab_node(&cell, "b")], 20000000000);
    ck_assert_uint_eq(cell.median_bar_count, 2);
    sl_cell_free(&cell);
    celllab_close(&s);
}
END_TEST

/* compute: a [0, 10), idle, c [30, 40), idle to 60; link: idle, b [10, 30) after a, idle, d [50,
 * 60) released at 50.  1,200 trials: the first 1,000 are attributed. */
START_TEST(time_of_every_resource)
{
    struct celllab s;
    celllab_open(&s,
                 "name: two\nnodes: nodes.csv\nedges: edges.csv\nresources:\n"
                 "  compute: {servers: 1}\n  link: {servers: 1}\n" CELLLAB_TAIL "1200\n",
                 "node,kind,resource,duration,release\na,compute,compute,10us,\n"
                 "b,compute,link,20us,\nc,compute,compute,10us,\nd,compute,link,10us,50us\n",
                 "from,to,type\na,b,data-ready\nb,c,storage-ready\n", NULL, NULL);
    struct sl_cell cell;
    celllab_run(&s, &cell);
    const struct sl_stalls *compute = &cell.resource_stalls[0], *link = &cell.resource_stalls[1];
    const int64_t us = 1000 * INT64_C(1000000); /* summed over the trials */
    ck_assert_uint_eq(cell.stall_trials, 1000);
    ck_assert_int_eq(compute->busy_ps, 20 * us);
    ck_assert_int_eq(compute->idle_ps[SL_CAUSE_STORAGE], 20 * us);
    ck_assert_int_eq(compute->idle_ps[SL_STALL_DRAIN], 20 * us);
    ck_assert_int_eq(link->busy_ps, 30 * us);
    ck_assert_int_eq(link->idle_ps[SL_CAUSE_DATA], 10 * us);
    ck_assert_int_eq(link->idle_ps[SL_CAUSE_RELEASE], 20 * us);
    ck_assert_int_eq(sl_stalls_total(compute), 60 * us);
    ck_assert_int_eq(sl_stalls_total(link), 60 * us);
    sl_cell_free(&cell);
    celllab_close(&s);
}
END_TEST

/* x and y share the server: y waits 10us, beyond the bound of 5us, in each trial. */
START_TEST(waits_and_starvation)
{
    struct celllab s;
    celllab_open(&s,
                 "name: wait\nnodes: nodes.csv\nresources:\n  compute: {servers: 1}\n"
                 "objective: {constraints: [max_wait <= 5us]}\n" CELLLAB_TAIL "20\n",
                 "node,kind,resource,duration\nx,compute,compute,10us\ny,compute,compute,1us\n",
                 NULL, NULL, NULL);
    struct sl_cell cell;
    celllab_run(&s, &cell);
    ck_assert_int_eq(cell.max_wait_ps[0], 10000000);
    ck_assert_uint_eq(cell.starved[19], 1);
    ck_assert_int_eq(cell.nodes.longest_wait[celllab_node(&cell, "y")].wait_ps, 10000000);
    ck_assert_int_eq(cell.nodes.wait_ps[celllab_node(&cell, "y")], 200000000);
    ck_assert_int_eq(cell.nodes.wait_ps[celllab_node(&cell, "x")], 0);
    ck_assert_int_eq(cell.verdict, SL_VERDICT_INFEASIBLE);
    ck_assert_msg(strstr(cell.reason, "max_wait <= 5us") && strstr(cell.reason, "10"), "%s",
                  cell.reason);
    sl_cell_free(&cell);
    celllab_close(&s);
}
END_TEST

START_TEST(too_few_trials)
{
    struct celllab s;
    celllab_open(&s, RANDOM_YAML, RANDOM_NODES, RANDOM_EDGES, NULL, NULL);
    struct sl_cell cell;
    s.options.trials = 100;
    celllab_run(&s, &cell);
    ck_assert_uint_eq(cell.trials, 100);
    ck_assert(isfinite(cell.median.value));
    ck_assert(isfinite(cell.p90.value));
    ck_assert(isnan(cell.p99.value));
    ck_assert(isnan(cell.p999.value));
    ck_assert(isfinite(cell.max_us));
    sl_cell_free(&cell);
    celllab_close(&s);
}
END_TEST

/* Two jobs hold 1 GiB each of 2 GiB and each want 1 GiB more. */
#define JOBS_YAML                                                                                  \
    "name: jobs\nnodes: nodes.csv\nedges: edges.csv\nobjects: objects.csv\n"                       \
    "resources:\n  compute: {servers: unlimited}\ndomains:\n  hbm: {capacity: 2GiB}\n"             \
    "guards:\n  second: {probability: 0.5, scope: job}\n" CELLLAB_TAIL
#define JOBS_EDGES                                                                                 \
    "from,to,type\na1,a2,data-ready\na2,a3,data-ready\nb1,b2,data-ready\nb2,b3,data-ready\n"
#define JOBS_OBJECTS "object,size\nao,1GiB\nap,1GiB\nbo,1GiB\nbp,1GiB\n"

START_TEST(every_trial_deadlocks)
{
    struct celllab s;
    celllab_open(&s, JOBS_YAML "400\n",
                 "node,kind,resource,duration,inputs,outputs\n"
                 "a1,compute,compute,1us,,ao\na2,compute,compute,1us,ao,ap\n"
                 "a3,compute,compute,1us,ao;ap,\nb1,compute,compute,1us,,bo\n"
                 "b2,compute,compute,1us,bo,bp\nb3,compute,compute,1us,bo;bp,\n",
                 JOBS_EDGES, JOBS_OBJECTS, NULL);
    struct sl_cell cell;
    celllab_run(&s, &cell);
    ck_assert_int_eq(cell.verdict, SL_VERDICT_DEADLOCK);
    ck_assert_uint_eq(cell.deadlocked, 400);
    ck_assert_msg(strstr(cell.reason, "a2") && strstr(cell.reason, "b2"), "%s", cell.reason);
    ck_assert_int_eq(cell.metric_ps[399], INT64_MAX);
    ck_assert(isnan(cell.mean.value));
    ck_assert(isinf(cell.median.value));
    ck_assert_uint_eq(cell.median_trial, SL_NONE);
    ck_assert_uint_eq(cell.pressure_points, 0);
    ck_assert_int_eq(cell.peak_bytes[0], 2LL << 30);
    sl_cell_free(&cell);
    celllab_close(&s);
}
END_TEST

#define JOBS_SOMETIMES                                                                             \
    "node,kind,resource,duration,inputs,outputs,guard\n"                                           \
    "a1,compute,compute,1us,,ao,\na2,compute,compute,1us,ao,ap,\n"                                 \
    "a3,compute,compute,1us,ao;ap,,\nb1,compute,compute,1us,,bo,second\n"                          \
    "b2,compute,compute,1us,bo,bp,second\nb3,compute,compute,1us,bo;bp,,second\n"

/* The second job runs in half of the trials, by one draw per trial. */
START_TEST(some_trials_deadlock)
{
    struct celllab s;
    celllab_open(&s, JOBS_YAML "400\n", JOBS_SOMETIMES, JOBS_EDGES, JOBS_OBJECTS, NULL);
    struct sl_cell cell;
    celllab_run(&s, &cell);
    ck_assert_int_eq(cell.verdict, SL_VERDICT_SOME_DEADLOCK);
    uint32_t deadlocked = 0, first = SL_NONE;
    for (uint32_t t = cell.trials; t-- > 0;) {
        if (cell.metric_ps[t] == INT64_MAX) {
            deadlocked++;
            first = t;
        } else {
            ck_assert_int_eq(cell.metric_ps[t], 3000000);
        }
    }
    ck_assert_uint_eq(cell.deadlocked, deadlocked);
    /* Binomial(400, 1/2): outside 140..260 with probability below 1e-8. */
    ck_assert_uint_ge(deadlocked, 140);
    ck_assert_uint_le(deadlocked, 260);
    char expected[64];
    snprintf(expected, sizeof expected, "%u of 400 trials deadlocked; trial %u:", deadlocked,
             first);
    ck_assert_msg(strstr(cell.reason, expected), "%s", cell.reason);
    ck_assert(isnan(cell.mean.value));
    ck_assert(isinf(cell.p99.value));
    ck_assert_uint_eq(cell.nodes.ran[celllab_node(&cell, "a1")], 400 - deadlocked);
    ck_assert_double_eq(cell.bound_us, 3.0);
    sl_cell_free(&cell);
    celllab_close(&s);
}
END_TEST

/* All that a results folder says of the cell; the caller's. */
static char *rows_of(const struct sl_cell *cell)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(memory);
    for (size_t i = 0; i < SL_PART_FILES; i++)
        sl_parts[i]->rows(memory, cell);
    ck_assert_int_eq(fclose(memory), 0);
    return text;
}

static void run_in_lots(struct celllab *lab, struct sl_cell *cell, const uint32_t *lots)
{
    struct sl_cell_spec spec = {.policy = lab->scenario.policies[0].name};
    enum sl_status status = sl_cell_open(cell, &lab->scenario, &lab->scenario.policies[0], &spec,
                                         &lab->diags, &lab->err);
    for (; status == SL_OK && *lots > 0; lots++)
        status = sl_cell_extend(cell, *lots, &lab->options, &lab->err);
    if (status == SL_OK)
        status = sl_cell_finish(cell, &lab->options, &lab->diags, &lab->err);
    ck_assert_msg(status == SL_OK, "%s", lab->err.message);
}

/* Deadlines, a guard and iterations; more trials than windows look at. */
static const char *const LOTS_YAML = "name: lots\nnodes: nodes.csv\nedges: edges.csv\n"
                                     "resources:\n  compute: {servers: 2}\n  link: {servers: 1}\n"
                                     "guards: {big: {probability: 0.2, scope: job}}\n"
                                     "domains:\n  hbm: {capacity: 3GiB}\nrun: {mode: iterate, "
                                     "iterations: 3, warmup: 1}\n" CELLLAB_TAIL "1500\n";
static const char *const LOTS_NODES = "node,kind,class,resource,duration,workspace,deadline,guard\n"
                                      "a,compute,x,compute,exponential(mean=1us),hbm:1GiB,2us,\n"
                                      "b,compute,y,compute,exponential(mean=2us),hbm:2GiB,,\n"
                                      "c,compute,x,link,exponential(mean=1us),hbm:1GiB,,\n"
                                      "d,compute,y,compute,exponential(mean=3us),hbm:2GiB,9us,\n"
                                      "e,compute,x,compute,1us,hbm:1GiB,,big\n";

START_TEST(lots_do_not_show)
{
    static const uint32_t patterns[][8] = {
        {1500}, {1, 2, 3, 1500}, {17, 1000, 1001, 1500}, {1499, 1500}, {500, 500, 400, 1500}};
    const struct {
        const char *yaml, *nodes, *edges, *objects;
    } labs[] = {
        {RANDOM_YAML, RANDOM_NODES, RANDOM_EDGES, NULL},
        {LOTS_YAML, LOTS_NODES, RANDOM_EDGES, NULL},
        {JOBS_YAML "1500\n", JOBS_SOMETIMES, JOBS_EDGES, JOBS_OBJECTS},
    };
    for (size_t k = 0; k < sizeof labs / sizeof *labs; k++) {
        struct celllab s;
        celllab_open(&s, labs[k].yaml, labs[k].nodes, labs[k].edges, labs[k].objects, NULL);
        struct sl_cell whole, lots;
        s.options.trials = 1500;
        celllab_run(&s, &whole);
        char *expected = rows_of(&whole);
        for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
            celllab_threads(&s, (uint32_t)p % 3 + 1);
            run_in_lots(&s, &lots, patterns[p]);
            assert_same(&whole, &lots);
            char *rows = rows_of(&lots);
            ck_assert_str_eq(rows, expected);
            free(rows);
            sl_cell_free(&lots);
        }
        free(expected);
        sl_cell_free(&whole);
        celllab_close(&s);
    }
}
END_TEST

/* x and y, 10us each, run together; nothing is known of them, and the table's largest kappa is 2:
 * 20us at the pessimistic corner, 10us at the optimistic one. */
START_TEST(unknown_contention_at_both_corners)
{
    struct celllab s;
    celllab_open(&s,
                 "name: corners\nnodes: nodes.csv\n"
                 "resources:\n  compute: {servers: 2, group: gpu}\n"
                 "kappa: {table: kappa.csv, unknown_kappa: bound}\n" CELLLAB_TAIL "400\n",
                 "node,kind,class,resource,duration\nx,compute,cx,compute,10us\n"
                 "y,compute,cy,compute,10us\n",
                 NULL, NULL, "victim,set,kappa\ngemm,gemm,2\n");
    struct sl_cell cell;
    celllab_run(&s, &cell);
    ck_assert(cell.hypothetical);
    ck_assert_ptr_nonnull(cell.metric_optimistic_ps);
    ck_assert_double_eq(cell.median.value, 20.0);
    ck_assert_double_eq(cell.median_optimistic.value, 10.0);
    ck_assert_double_eq(cell.p99_optimistic.value, 10.0);
    ck_assert_int_eq(cell.metric_optimistic_ps[399], 10000000);
    sl_cell_free(&cell);
    celllab_close(&s);
}
END_TEST

static bool refuse(void *user, uint64_t done, uint64_t total, uint32_t cells_done,
                   uint32_t cells_total)
{
    (void)done;
    (void)total;
    (void)cells_done;
    (void)cells_total;
    ++*(int *)user;
    return false;
}

START_TEST(progress_can_stop_a_run)
{
    struct celllab s;
    celllab_open(&s, RANDOM_YAML, RANDOM_NODES, RANDOM_EDGES, NULL, NULL);
    struct sl_cell cell;
    struct sl_cell_spec spec = {.policy = "p"};
    int calls = 0;
    s.options.progress = refuse;
    s.options.user = &calls;
    ck_assert_int_eq(sl_cell_run(&cell, &s.scenario, &s.scenario.policies[0], &spec, &s.options,
                                 &s.diags, &s.err),
                     SL_INTERRUPTED);
    ck_assert_int_ge(calls, 1);
    sl_cell_free(&cell);
    celllab_close(&s);
}
END_TEST

START_TEST(sums_that_do_not_fit_are_refused)
{
    struct celllab s;
    celllab_open(&s,
                 "name: long\nnodes: nodes.csv\nresources:\n  compute: {servers: 1}\n" CELLLAB_TAIL
                 "500\n",
                 "node,kind,resource,duration\na,compute,compute,20h\n", NULL, NULL, NULL);
    struct sl_cell cell;
    struct sl_cell_spec spec = {.policy = "p"};
    ck_assert_int_eq(sl_cell_run(&cell, &s.scenario, &s.scenario.policies[0], &spec, &s.options,
                                 &s.diags, &s.err),
                     SL_INVALID);
    ck_assert_ptr_nonnull(strstr(s.err.message, "fewer trials"));
    sl_cell_free(&cell);
    celllab_close(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("cell");
    TCase *tcase = tcase_create("cell");
    tcase_add_test(tcase, threads_do_not_show);
    tcase_add_test(tcase, lots_do_not_show);
    tcase_add_test(tcase, seeds_differ);
    tcase_add_test(tcase, sums_close);
    tcase_add_test(tcase, constant_chain);
    tcase_add_test(tcase, time_of_every_resource);
    tcase_add_test(tcase, deadlines_missed);
    tcase_add_test(tcase, waits_and_starvation);
    tcase_add_test(tcase, too_few_trials);
    tcase_add_test(tcase, every_trial_deadlocks);
    tcase_add_test(tcase, some_trials_deadlock);
    tcase_add_test(tcase, unknown_contention_at_both_corners);
    tcase_add_test(tcase, progress_can_stop_a_run);
    tcase_add_test(tcase, sums_that_do_not_fit_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
