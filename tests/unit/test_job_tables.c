/* Expressions of job parameters in nodes.csv and objects.csv: where they land in the graph, their
 * values at the means, and what is refused. */
#include <config.h>

#include "harness.h"
#include "scenario.h"
#include "tempdir.h"
#include <math.h>
#include <string.h>

static struct tempdir dir;
static struct sl_scenario scenario;
static struct sl_diags diags;

static void open_dir(void)
{
    tempdir_make(&dir);
    diags = (struct sl_diags){0};
}

static void close_dir(void)
{
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
    tempdir_remove(&dir);
}

static void load(const char *mode, const char *more, const char *nodes, const char *objects)
{
    char yaml[2000];
    struct sl_error err = {0};
    snprintf(yaml, sizeof yaml,
             "name: jobs\n"
             "resources: {compute: {}, h2d: {}}\n"
             "domains: {hbm: {capacity: 80GiB, reserve: 0B}, host: {capacity: 800GiB, reserve: "
             "0B}}\n"
             "run: {mode: %s, arrivals: poisson(rate=4/s), jobs: 9, concurrency: 2, parameters: "
             "{tokens: 'uniform(low=0, high=2000)', heavy: "
             "'lognormal(median=3, sigma=1)'}}\n"
             "%s",
             mode, more);
    tempdir_write(&dir, "scenario.yaml", yaml);
    tempdir_write(&dir, "nodes.csv", nodes);
    tempdir_write(&dir, "objects.csv", objects);
    (void)!sl_scenario_load(&scenario, dir.path, NULL, 0, &diags, &err);
}

static const struct sl_node *node(const char *name)
{
    uint32_t index = sl_names_find(&scenario.graph->node_names, name);
    ck_assert_msg(index != SL_NONE, "no node %s", name);
    return &scenario.graph->nodes[index];
}

static void check_errors(size_t wanted)
{
    if (diags.errors != wanted)
        sl_diags_print(&diags, stdout);
    ck_assert_uint_eq(diags.errors, wanted);
}

static bool says(const char *text)
{
    for (uint32_t i = 0; i < diags.count; i++)
        if (strstr(diags.items[i].message, text) ||
            (diags.items[i].suggestion && strstr(diags.items[i].suggestion, text)))
            return true;
    sl_diags_print(&diags, stdout);
    return false;
}

static const char route[] = "routes: [{from: host, to: hbm, resource: h2d, bandwidth: 50GB/s, "
                            "overhead: 1us, latency: 8us, chunk: 64MiB, noise: 'uniform(low=0.5, "
                            "high=2.5)'}]\n";

/* Values of 500 tokens and heavy = 2; means of 1000 tokens and 3 exp(1/2). */
START_TEST(durations_scale_with_parameters)
{
    static const double job[] = {500, 2};
    load("open", "",
         "node,kind,resource,duration\n"
         "sum,compute,compute,0.3us * tokens + 2ms\n"
         "law,compute,compute,\"lognormal(mean=0.3us, cv=0.1) * tokens\"\n"
         "two,compute,compute,\"uniform(low=1us, high=3us) * (tokens + 2 * heavy)\"\n"
         "same,compute,compute,2 * (1us + 2us)\n"
         "twice,compute,compute,\"uniform(low=1us, high=3us) * 2\"\n"
         "plain,compute,compute,1e-3us + exponential(mean=2us)\n",
         "object,size\n");
    double heavy = 3 * exp(0.5);
    const struct sl_node *n = node("sum");
    ck_assert_double_eq(sl_dist_mean(n->dist), 1);
    ck_assert_double_eq(sl_expr_value(n->times, job), 2.15e9);
    ck_assert_double_eq(sl_node_mean_scale(n), 2.3e9);
    n = node("law");
    ck_assert_double_eq_tol(sl_dist_mean(n->dist), 3e5, 1);
    ck_assert_double_eq(sl_expr_value(n->times, job), 500);
    ck_assert_double_eq(n->scale, 1);
    ck_assert_double_eq_tol(sl_node_mean_hold(scenario.graph, (sl_node_id){1}), 3e8, 1e3);
    n = node("two");
    ck_assert_double_eq(sl_expr_value(n->times, job), 504);
    ck_assert_double_eq_tol(n->times_mean, 1000 + 2 * heavy, 1e-6);
    n = node("same");
    ck_assert_ptr_null(n->times);
    ck_assert_double_eq(sl_node_mean_hold(scenario.graph, (sl_node_id){3}), 6e6);
    n = node("twice");
    ck_assert_ptr_null(n->times);
    ck_assert_double_eq(sl_node_mean_hold(scenario.graph, (sl_node_id){4}), 4e6);
    ck_assert_double_eq_tol(sl_dist_mean(node("plain")->dist), 2.001e6, 1e-3);
    check_errors(0);
}
END_TEST

START_TEST(sizes_scale_with_parameters_and_so_do_their_moves)
{
    static const double job[] = {800, 2};
    char more[600];
    snprintf(more, sizeof more, "%sscale: {size: {kv: 0.5}}\n", route);
    load("closed", more,
         "node,kind,resource,duration,object,from,to,inputs\n"
         "fetch,prefetch,,,kv,host,hbm,\n"
         "weights,prefetch,,,w,host,hbm,\n"
         "use,compute,compute,1us,,,,kv;w\n",
         "object,size,home,initial\n"
         "kv,320KiB * tokens,hbm,host\n"
         "w,2 * 1GiB,hbm,host\n");
    const struct sl_object *kv = &scenario.graph->objects[0], *w = &scenario.graph->objects[1];
    ck_assert_int_eq(kv->bytes, 163840000);
    ck_assert_double_eq(sl_expr_value(kv->size, job), 131072000);
    ck_assert_ptr_null(w->size);
    ck_assert_int_eq(w->bytes, (int64_t)2 << 30);
    /* 131072000 bytes: 2 chunks of 64 MiB, and 2.62144 ms at 50 GB/s; at the means 3 and 3.2768. */
    const struct sl_node *fetch = node("fetch");
    ck_assert_double_eq_tol(sl_expr_value(fetch->times, job), 2.62144e9 + 2e6, 1e-3);
    ck_assert_double_eq(fetch->scale, 1);
    ck_assert_double_eq_tol(sl_node_mean_scale(fetch), 3.2768e9 + 3e6, 1e-3);
    ck_assert_double_eq(fetch->latency_scale, 8e6);
    ck_assert_double_eq_tol(sl_node_mean_hold(scenario.graph, (sl_node_id){0}),
                            1.5 * (3.2768e9 + 3e6), 1);
    ck_assert_ptr_null(node("weights")->times);
    check_errors(0);
}
END_TEST

START_TEST(modes_without_jobs_say_so)
{
    load("once", "", "node,kind,resource,duration\na,compute,compute,1us * tokens\n",
         "object,size\n"
         "kv,1KiB * token\n"
         "w,1KiB * 4\n");
    ck_assert(says("duration '1us * tokens' uses job parameters, which mode once does not have"));
    ck_assert(says("mode once has no jobs and no job parameters: state run.mode: open or closed"));
    ck_assert(says("unknown job parameter 'token' (did you mean 'tokens'?)"));
    ck_assert(says("run.parameters changes nothing in mode once"));
    check_errors(2);
}
END_TEST

START_TEST(faults_of_cells_are_named)
{
    load("open", "",
         "node,kind,resource,duration\n"
         "a,compute,compute,tokens * exponential(mean=1us)\n"
         "b,compute,compute,exponential(mean=1us) * tokens + 2\n"
         "c,compute,compute,1us * (tokens - 1001)\n"
         "d,compute,compute,1us * tokens / (tokens - 1000)\n"
         "e,compute,compute,exponental(mean=1us) * tokens\n"
         "f,compute,compute,tokens\n"
         "g,compute,compute,120\n"
         "h,compute,compute,exponential(mean=1us) * 1e+2\n"
         "i,compute,compute,exponential(mean=1us) * -(tokens - 3 * tokens)\n"
         "p,compute,compute,\"1us * pow(tokens, 2)\"\n",
         "object,size\n"
         "kv,1us * tokens\n"
         "rate,64MB/s\n"
         "big,1TiB * tokens * tokens * tokens\n");
    ck_assert(says("a distribution stands first, and one factor behind it"));
    ck_assert(says("unknown function 'pow'"));
    ck_assert(says("a distribution multiplies one factor; put a sum in parentheses"));
    ck_assert(says("'1us * (tokens - 1001)' is -1e+06 ps at the means of the job parameters"));
    ck_assert(says("is inf ps at the means of the job parameters"));
    ck_assert(says("unknown distribution 'exponental' (did you mean 'exponential'?)"));
    ck_assert(says("it is a number, and a time is needed"));
    ck_assert(says("'120' has no unit"));
    ck_assert(says("it is a time, and a size is needed"));
    ck_assert(says("has the unknown unit 'MB/s'"));
    ck_assert(says("bytes at the means of the job parameters (allowed: 0 to 1.15e+18)"));
    check_errors(11);
}
END_TEST

START_TEST(faults_of_parameters_are_named)
{
    tempdir_write(&dir, "scenario.yaml",
                  "name: jobs\n"
                  "resources: {compute: {}}\n"
                  "run: {mode: open, arrivals: fixed(rate=1/s), jobs: 9, parameters: {2x: 1, max: "
                  "1, 'a b': 1, t: 3us, ok: [1]}}\n");
    tempdir_write(&dir, "nodes.csv", "node,kind,resource,duration\na,compute,compute,1us * t\n");
    struct sl_error err = {0};
    ck_assert_int_eq(sl_scenario_load(&scenario, dir.path, NULL, 0, &diags, &err), SL_INVALID);
    ck_assert(says("job parameter '2x': a job parameter is named by letters"));
    ck_assert(says("job parameter 'max': a function of expressions has this name"));
    ck_assert(says("job parameter 'a b': a job parameter is named by letters"));
    ck_assert(says("t: '3us'"));
    check_errors(5); /* with the list; t is known all the same */
}
END_TEST

START_TEST(varying_moves_take_no_staging)
{
    char more[600];
    snprintf(more, sizeof more,
             "routes: [{from: host, to: hbm, resource: h2d, bandwidth: 50GB/s, staging: {domain: "
             "host, bucket: 16MiB, buckets: 2}}]\n");
    load("open", more,
         "node,kind,resource,duration,object,from,to\n"
         "fetch,prefetch,,,kv,host,hbm\n",
         "object,size,home\n"
         "kv,320KiB * tokens,hbm\n");
    ck_assert(says("moves 'kv', whose size varies by job, through the staging buckets"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("job_tables");
    TCase *tcase = tcase_create("job_tables");
    tcase_add_checked_fixture(tcase, open_dir, close_dir);
    tcase_add_test(tcase, durations_scale_with_parameters);
    tcase_add_test(tcase, sizes_scale_with_parameters_and_so_do_their_moves);
    tcase_add_test(tcase, modes_without_jobs_say_so);
    tcase_add_test(tcase, faults_of_cells_are_named);
    tcase_add_test(tcase, faults_of_parameters_are_named);
    tcase_add_test(tcase, varying_moves_take_no_staging);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}
