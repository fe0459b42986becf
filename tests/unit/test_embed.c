/* slackline.h: rows in memory give what the same scenario in files gives; wrong calls are told;
 * results outlive their model. */
#include <config.h>

#include "harness.h"
#include "slackline.h"
#include <math.h>
#include <string.h>
#include <tempdir.h>

/* Two jobs of 10 and 20 us that both want the one server: the second waits for the first. */
static const char *const YAML = "name: pair\nresources: {gpu: {servers: 1}}\n"
                                "domains: {hbm: {capacity: 8GiB}}\n"
                                "objective: {tail: 0.99}\ntrials: 400\nseed: 3\n";

static void add(struct sl_model *model, const char *table, const char *const *cells)
{
    ck_assert_msg(sl_model_row(model, table, cells) == SL_OK, "%s", sl_model_message(model));
}

static struct sl_model *make_pair(const char *first_duration)
{
    struct sl_model *model;
    ck_assert_int_eq(sl_model_create(&model, YAML, NULL), SL_OK);
    add(model, "nodes",
        SL_ROW("node", "a", "kind", "compute", "resource", "gpu", "duration", first_duration,
               "workspace", "hbm:3GiB"));
    add(model, "nodes",
        SL_ROW("resource", "gpu", "node", "b", "kind", "compute", "duration", "20us"));
    return model;
}

static struct sl_result *run(struct sl_model *model, uint32_t trials, uint32_t threads)
{
    struct sl_result *result;
    enum sl_status status = sl_model_run(model, NULL, trials, threads, &result);
    ck_assert_msg(status == SL_OK, "%d: %s", (int)status, sl_model_message(model));
    return result;
}

START_TEST(test_figures)
{
    struct sl_model *model = make_pair("10us");
    struct sl_result *result = run(model, 0, 2);
    struct sl_estimate p99;
    struct sl_node_wait wait;
    int64_t bytes;
    ck_assert_int_eq(sl_result_quantile(result, 0.99, &p99), SL_OK);
    ck_assert(p99.value == 30 && p99.lo == 30 && p99.hi == 30);
    ck_assert(sl_result_mean(result).value == 30);
    ck_assert_str_eq(sl_result_verdict(result), "ok");
    ck_assert_str_eq(sl_result_reason(result), "");
    ck_assert_uint_eq(sl_result_trials(result), 400);
    ck_assert_uint_eq(sl_result_deadlocked(result), 0);
    ck_assert_int_eq(sl_result_times_ps(result)[399], 30000000);
    ck_assert_int_eq(sl_result_peak(result, "hbm", &bytes), SL_OK);
    ck_assert_int_eq(bytes, 3LL << 30);
    ck_assert_int_eq(sl_result_peak(result, "pinned", &bytes), SL_USAGE);
    ck_assert_int_eq(sl_result_wait(result, "b", &wait), SL_OK);
    ck_assert_uint_eq(wait.trials, 400);
    ck_assert(wait.mean_us == 10);
    ck_assert_int_eq(wait.longest_ps, 10000000);
    ck_assert_str_eq(wait.cause, "queue");
    ck_assert_str_eq(wait.behind, "a");
    ck_assert_int_eq(sl_result_wait(result, "a", &wait), SL_OK);
    ck_assert_int_eq(wait.longest_ps, 0);
    ck_assert_int_eq(sl_result_wait(result, "c", &wait), SL_USAGE);
    ck_assert_int_eq(sl_result_longest_wait_ps(result), 10000000);
    ck_assert_uint_eq(sl_result_node_count(result), 2);
    ck_assert_str_eq(sl_result_node_name(result, 1), "b");
    ck_assert_ptr_null(sl_result_node_name(result, 2));
    ck_assert_int_eq(sl_result_quantile(result, 1, &p99), SL_USAGE);
    ck_assert_int_eq(sl_result_quantile(result, (double)NAN, &p99), SL_USAGE);
    ck_assert_int_eq(sl_result_quantile(result, 0.999, &p99), SL_OK);
    ck_assert_msg(isnan(p99.value), "400 trials say nothing about p99.9");
    sl_result_free(result);
    sl_model_free(model);
}
END_TEST

/* The same rows as files; any number of threads; the model changed, and gone, while results live.
 */
START_TEST(test_same_as_files)
{
    struct tempdir dir;
    struct sl_model *model = make_pair("exponential(mean=10us)"), *files;
    char yaml[1024];
    tempdir_make(&dir);
    snprintf(yaml, sizeof yaml, "%snodes: nodes.csv\n", YAML);
    tempdir_write(&dir, "scenario.yaml", yaml);
    tempdir_write(&dir, "nodes.csv",
                  "node,kind,resource,duration,workspace\n"
                  "a,compute,gpu,exponential(mean=10us),hbm:3GiB\nb,compute,gpu,20us,\n");
    ck_assert_int_eq(sl_model_open(&files, dir.path), SL_OK);
    struct sl_result *one = run(model, 300, 1), *three = run(model, 300, 3),
                     *read = run(files, 300, 1);
    ck_assert_int_eq(sl_model_set(model, "seed=4"), SL_OK);
    struct sl_result *other = run(model, 300, 1);
    ck_assert_int_eq(sl_model_row(files, "nodes", SL_ROW("node", "c")), SL_USAGE);
    sl_model_free(model);
    sl_model_free(files);
    size_t size = 300 * sizeof(int64_t);
    ck_assert_mem_eq(sl_result_times_ps(one), sl_result_times_ps(three), size);
    ck_assert_mem_eq(sl_result_times_ps(one), sl_result_times_ps(read), size);
    ck_assert_mem_ne(sl_result_times_ps(one), sl_result_times_ps(other), size);
    ck_assert_str_eq(sl_result_node_name(one, 0), "a");
    sl_result_free(one);
    sl_result_free(three);
    sl_result_free(read);
    sl_result_free(other);
    tempdir_remove(&dir);
}
END_TEST

#define REFUSES(call, status, text)                                                                \
    do {                                                                                           \
        ck_assert_int_eq((call), (status));                                                        \
        ck_assert_msg(strstr(sl_model_message(model), (text)), "%s", sl_model_message(model));     \
    } while (0)

START_TEST(test_wrong_calls)
{
    struct sl_model *model = make_pair("10us");
    struct sl_result *result;
    REFUSES(sl_model_row(model, "node", SL_ROW("node", "c")), SL_USAGE, "did you mean 'nodes'?");
    REFUSES(sl_model_row(model, "nodes", SL_ROW("node")), SL_USAGE, "'node' without a value");
    REFUSES(sl_model_row(model, "nodes", SL_ROW("node", "c", "node", "d")), SL_USAGE, "twice");
    REFUSES(sl_model_row(model, "nodes", SL_ROW("node", "c\nd")), SL_USAGE, "a line end");
    REFUSES(sl_model_row(model, "nodes", SL_ROW("node", " ")), SL_USAGE, "no content");
    REFUSES(sl_model_set(model, "seed"), SL_USAGE, "KEY=VALUE");
    REFUSES(sl_model_set(model, "seed=[1"), SL_INVALID, "--set:");
    REFUSES(sl_model_run(model, "none", 1, 1, &result), SL_USAGE, "no policy 'none'");
    ck_assert_ptr_null(result);
    REFUSES(sl_model_run(model, NULL, 100000001, 1, &result), SL_USAGE, "allowed: 100000000");
    /* Refused rows left nothing behind. */
    ck_assert_int_eq(sl_model_check(model), SL_OK);
    ck_assert_str_eq(sl_model_message(model), "");
    /* A fault of a cell has the place in the table: line 1 holds the names. */
    add(model, "nodes", SL_ROW("node", "c", "kind", "dance"));
    REFUSES(sl_model_check(model), SL_INVALID, "nodes.csv:4:3: error: ");
    REFUSES(sl_model_run(model, NULL, 1, 1, &result), SL_INVALID, "dance");
    ck_assert_ptr_null(result);
    sl_model_free(model);
    ck_assert_int_eq(sl_model_open(&model, "/nonexistent"), SL_OK);
    REFUSES(sl_model_check(model), SL_INVALID, "no such scenario");
    sl_model_free(model);
    ck_assert_int_eq(sl_model_create(&model, "name: x\nnodes: n.csv\n", NULL), SL_OK);
    add(model, "nodes", SL_ROW("node", "c", "kind", "compute"));
    REFUSES(sl_model_check(model), SL_INVALID, "given in memory");
    sl_model_free(model);
    sl_model_free(NULL);
    sl_result_free(NULL);
}
END_TEST

/* A graph that is not legal, a plan that is not, and a deadlock: the answer is no. */
START_TEST(test_answers_no)
{
    struct sl_model *model = make_pair("10us");
    struct sl_result *result;
    struct sl_estimate p99;
    ck_assert_int_eq(sl_model_set(model, "domains.hbm.capacity=2GiB"), SL_OK);
    enum sl_status status = sl_model_run(model, NULL, 10, 1, &result);
    ck_assert_int_eq(status, SL_NO);
    ck_assert_msg(!result, "the graph itself is illegal");
    ck_assert_msg(strstr(sl_model_message(model), "hbm"), "%s", sl_model_message(model));
    sl_model_free(model);

    model = make_pair("10us");
    ck_assert_int_eq(sl_model_set(model, "objective.constraints=[median <= 1us]"), SL_OK);
    REFUSES(sl_model_run(model, NULL, 400, 1, &result), SL_NO, "median");
    ck_assert_str_eq(sl_result_verdict(result), "infeasible");
    ck_assert_ptr_nonnull(strstr(sl_result_reason(result), "median"));
    ck_assert_int_eq(sl_result_quantile(result, 0.5, &p99), SL_OK);
    ck_assert(p99.value == 30);
    sl_result_free(result);
    sl_model_free(model);
}
END_TEST

static bool stop(void *user, uint64_t done, uint64_t trials)
{
    ck_assert_uint_le(done, trials);
    ++*(int *)user;
    return false;
}

START_TEST(test_stops)
{
    struct sl_model *model = make_pair("exponential(mean=10us)");
    struct sl_result *result;
    int asked = 0;
    sl_model_watch(model, stop, &asked);
    ck_assert_int_eq(sl_model_run(model, NULL, 100000, 2, &result), SL_INTERRUPTED);
    ck_assert_ptr_null(result);
    ck_assert_int_ge(asked, 1);
    sl_model_watch(model, NULL, NULL);
    sl_result_free(run(model, 10, 1));
    sl_model_free(model);
}
END_TEST

/* M/M/1 with load 1/2: the mean time in the system is 2 / mu, half of it a wait, whose mean over
 * 80,000 jobs has a standard deviation of 0.19 us (asymptotic variance 29 / mu^2 per job). */
START_TEST(test_jobs)
{
    struct sl_model *model;
    struct sl_result *result;
    struct sl_estimate figure;
    struct sl_node_wait wait;
    ck_assert_int_eq(sl_model_create(&model,
                                     "name: queue\nresources: {gpu: {servers: 1}}\n"
                                     "run: {mode: open, arrivals: 'poisson(rate=50000/s)', "
                                     "jobs: 4000, warmup: 200}\n"
                                     "objective: {metric: latency, tail: 0.97}\n",
                                     NULL),
                     SL_OK);
    add(model, "nodes",
        SL_ROW("node", "serve", "kind", "compute", "resource", "gpu", "duration",
               "exponential(mean=10us)"));
    enum sl_status status = sl_model_run(model, NULL, 20, 2, &result);
    ck_assert_msg(status == SL_OK, "%s", sl_model_message(model));
    figure = sl_result_mean(result);
    ck_assert_msg(figure.lo < 20 && figure.hi > 20, "%g [%g, %g]", figure.value, figure.lo,
                  figure.hi);
    /* The time in an M/M/1 system is exponential: its q-quantile is -20 us x ln(1 - q). */
    ck_assert_int_eq(sl_result_quantile(result, 0.97, &figure), SL_OK);
    ck_assert_double_eq_tol(figure.value, -20 * log(0.03), 4);
    ck_assert_int_eq(sl_result_quantile(result, 0.5, &figure), SL_OK);
    ck_assert_double_eq_tol(figure.value, 20 * log(2), 1);
    ck_assert_int_eq(sl_result_quantile(result, 0.42, &figure), SL_USAGE);
    ck_assert_int_eq(sl_result_wait(result, "serve", &wait), SL_OK);
    ck_assert_uint_eq(wait.trials, 20);
    ck_assert_double_eq_tol(wait.mean_us, 10, 0.8);
    ck_assert_int_gt(wait.longest_ps, 0);
    ck_assert_int_eq(wait.longest_ps, sl_result_longest_wait_ps(result));
    ck_assert_uint_lt(wait.trial, 20);
    ck_assert_ptr_null(wait.cause);
    ck_assert_int_eq(sl_result_wait(result, "none", &wait), SL_USAGE);
    sl_result_free(result);
    sl_model_free(model);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("embed");
    TCase *tcase = tcase_create("embed");
    tcase_add_test(tcase, test_figures);
    tcase_add_test(tcase, test_same_as_files);
    tcase_add_test(tcase, test_wrong_calls);
    tcase_add_test(tcase, test_answers_no);
    tcase_add_test(tcase, test_stops);
    tcase_add_test(tcase, test_jobs);
    suite_add_tcase(suite, tcase);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
