/* Queues with known answers, by the job engine.  S is the service of 100us on average, rho = E[S] /
 * (c x gap) the load of c servers when jobs come every gap on average (Poisson); 0.8 where nothing
 * else is said.  Kleinrock, Queueing Systems I and II:
 *
 *     M/M/1     mean response E[S] / (1 - rho) = 500us, its 99% quantile -ln(0.01) times that
 *     M/D/1     mean wait rho E[S] / (2 (1 - rho)) = 200us (Pollaczek-Khinchine)
 *     M/M/c     a job waits with probability C = B / (1 - rho (1 - B)), where B = b_c of b_0 = 1,
 *               1/b_k = 1 + k / (a b_(k-1)), a = c rho (Erlang); mean wait C E[S] / (c (1 - rho))
 *     M/G/1-PS  mean response E[S] / (1 - rho) whatever the law of S: any number of jobs run at
 *               once, and kappa(x|x) = 2, additive, slows each by their number
 *     always    the integral of the number in the system is the sum of the responses (Little)
 *
 * SL_LONG: a million jobs, and half-widths of at most 5% (6% of the quantile). */
#include <config.h>

#include "jobs_parts.h"
#include "lab.h"
#include "replications.h"

#define JOBS   (sl_test_long() ? 52000u : 8000u) /* of a replication */
#define WARMUP 2000u

static struct lab lab;

struct stream {
    uint32_t replication, next;
    double gap_us, t_us, sum_us;
    double *response_us, *wait_us; /* of each job */
};

static enum sl_status next_poisson(void *user, struct sl_job_arrival *arrival, bool *more,
                                   struct sl_error *err)
{
    struct stream *stream = user;
    double u, u2;
    (void)err;
    *more = stream->next < JOBS;
    sl_draws_uniforms(7, stream->replication, sl_hash_text("arrivals"), stream->next++, &u, &u2);
    stream->t_us -= stream->gap_us * log(u);
    arrival->t_ps = (int64_t)(stream->t_us * 1e6);
    return SL_OK;
}

static enum sl_status note_job(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    struct stream *stream = user;
    int64_t response_ps = record->finish_ps - record->arrival_ps;
    (void)err;
    stream->response_us[record->job] = (double)response_ps / 1e6;
    stream->wait_us[record->job] = (double)(response_ps - record->run_ps) / 1e6;
    stream->sum_us += (double)response_ps / 1e6;
    return SL_OK;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of the jobs of each replication behind its warm-up. */
struct figures {
    double response_us[REPLICATIONS], p99_us[REPLICATIONS]; /* mean, and quantile */
    double wait_us[REPLICATIONS], waited[REPLICATIONS];     /* mean, and share of those that did */
};

static void measure(struct stream *stream, struct figures *figures)
{
    double *response = stream->response_us + WARMUP, *wait = stream->wait_us + WARMUP;
    double response_sum = 0, wait_sum = 0;
    uint32_t count = JOBS - WARMUP, waited = 0, r = stream->replication;
    for (uint32_t k = 0; k < count; k++) {
        response_sum += response[k];
        wait_sum += wait[k];
        waited += wait[k] > 0;
    }
    qsort(response, count, sizeof *response, ascending);
    figures->response_us[r] = response_sum / count;
    figures->p99_us[r] = response[(uint32_t)(0.99 * count)];
    figures->wait_us[r] = wait_sum / count;
    figures->waited[r] = (double)waited / count;
}

static struct figures run_queue(const char *service, uint32_t servers, double gap_us)
{
    struct sl_jobs_options options = {0};
    struct sl_jobs_program *program;
    struct sl_jobs_worker *worker;
    const struct sl_jobs_totals *totals;
    static struct figures figures;
    lab_open(&lab);
    uint32_t gpu = lab_resource(&lab, "gpu", servers);
    if (servers == SL_UNLIMITED)
        lab_kappa(&lab, "x", "x", 2);
    lab_graph(&lab);
    uint32_t node = lab_node(&lab, "serve", service, gpu);
    if (servers == SL_UNLIMITED)
        LAB_NODE(&lab, node).klass = 0;
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    for (uint32_t r = 0; r < REPLICATIONS; r++) {
        struct stream stream = {.replication = r, .gap_us = gap_us};
        struct sl_job_source source = {next_poisson, &stream};
        stream.response_us = malloc(JOBS * sizeof *stream.response_us);
        stream.wait_us = malloc(JOBS * sizeof *stream.wait_us);
        LAB_OK(&lab, sl_jobs_run(worker, 1, r, &source, note_job, &stream, &totals, &lab.err));
        ck_assert_uint_eq(totals->completed, JOBS);
        ck_assert_double_eq_tol(totals->jobs_s * 1e6, stream.sum_us, 1e-9 * stream.sum_us);
        measure(&stream, &figures);
        free(stream.response_us);
        free(stream.wait_us);
    }
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    lab_close(&lab);
    return figures;
}

#define MOST_MEAN     (sl_test_long() ? 0.05 : 0.2)
#define MOST_QUANTILE (sl_test_long() ? 0.06 : 0.25)

START_TEST(one_server)
{
    struct figures f = run_queue("exponential(mean=100us)", 1, 125);
    agrees("M/M/1, mean response", f.response_us, 500, MOST_MEAN);
    agrees("M/M/1, 99% of responses", f.p99_us, -log(0.01) * 500, MOST_QUANTILE);
    f = run_queue("100us", 1, 125);
    agrees("M/D/1, mean response", f.response_us, 300, MOST_MEAN);
}
END_TEST

/* Erlang's C for an offered load of a. */
static double erlang_waiting(uint32_t servers, double a)
{
    double b = 1;
    for (uint32_t k = 1; k <= servers; k++)
        b = 1 / (1 + k / (a * b));
    return b / (1 - a / servers * (1 - b));
}

static void check_servers(uint32_t servers, double load, const char *share, const char *mean)
{
    double gap_us = 100 / (servers * load), waiting = erlang_waiting(servers, servers * load);
    struct figures f = run_queue("exponential(mean=100us)", servers, gap_us);
    agrees(share, f.waited, waiting, MOST_MEAN);
    agrees(mean, f.wait_us, waiting * 100 / (servers * (1 - load)), MOST_MEAN);
}

START_TEST(several_servers)
{
    ck_assert_double_eq_tol(erlang_waiting(1, 0.8), 0.8, 1e-12);
    ck_assert_double_eq_tol(erlang_waiting(2, 1.5), 9.0 / 14, 1e-12);
    check_servers(2, 0.75, "M/M/2, share that waits", "M/M/2, mean wait");
    check_servers(8, 0.75, "M/M/8, share that waits", "M/M/8, mean wait");
}
END_TEST

/* E[S] / (1 - rho).  The wilder the law, the longer it takes until a mean is known to 5%:
 * coefficients of variation of 3 and more have a lower load. */
static void check_sharing(const char *service, double load)
{
    struct figures f = run_queue(service, SL_UNLIMITED, 100 / load);
    agrees(service, f.response_us, 100 / (1 - load), MOST_MEAN);
}

START_TEST(processor_sharing)
{
    check_sharing("100us", 0.8);
    check_sharing("exponential(mean=100us)", 0.8);
    check_sharing("lognormal(mean=100us, cv=2)", 0.8);
    check_sharing("lognormal(mean=100us, cv=4)", 0.6);
    check_sharing("mixture(0.95*exponential(mean=40us), 0.05*exponential(mean=1240us))", 0.6);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs, queues");
    TCase *tcase = tcase_create("closed forms");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, one_server);
    tcase_add_test(tcase, several_servers);
    tcase_add_test(tcase, processor_sharing);
    suite_add_tcase(suite, tcase);
    if (!sl_test_long())
        printf("# SL_LONG is not set: 160,000 jobs of each queue instead of a million\n");
    return sl_test_run(suite);
}
