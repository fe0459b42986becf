/* Queues with known answers, by the job engine.  S is the service of 100us on average, rho = 0.8
 * the load, so that jobs come every 125us on average (Poisson).  Kleinrock, Queueing Systems I and
 * II:
 *
 *     M/M/1     mean response E[S] / (1 - rho) = 500us, its 99% quantile -ln(0.01) times that
 *     M/D/1     mean wait rho E[S] / (2 (1 - rho)) = 200us, the half of M/M/1's
 * (Pollaczek-Khinchine) M/G/1-PS  mean response 500us whatever the law of S: any number of jobs run
 * at once, and kappa(x|x) = 2, additive, slows each by their number always    the integral of the
 * number in the system is the sum of the responses (Little)
 *
 * REPLICATIONS independent ones give an interval by Student's t at 99%: one false alarm in a
 * hundred for each of the 6 comparisons, if the seeds were not fixed.  SL_LONG: a million jobs, and
 * half-widths of at most 5% (6% of the quantile). */
#include <config.h>

#include "jobs_parts.h"
#include "lab.h"
#include <math.h>

enum { REPLICATIONS = 20 };
#define JOBS   (sl_test_long() ? 52000u : 8000u) /* of a replication */
#define WARMUP 2000u
#define T_99   2.861 /* Student's t, 19 degrees of freedom, two-sided 99% */

static struct lab lab;

struct stream {
    uint32_t replication, next;
    double t_us;
    double sum_us, *response_us;
};

static enum sl_status next_poisson(void *user, struct sl_job_arrival *arrival, bool *more,
                                   struct sl_error *err)
{
    struct stream *stream = user;
    double u, u2;
    (void)err;
    *more = stream->next < JOBS;
    sl_draws_uniforms(7, stream->replication, sl_hash_text("arrivals"), stream->next++, &u, &u2);
    stream->t_us -= 125 * log(u);
    arrival->t_ps = (int64_t)(stream->t_us * 1e6);
    return SL_OK;
}

static enum sl_status note_response(void *user, const struct sl_job_record *record,
                                    struct sl_error *err)
{
    struct stream *stream = user;
    double response = (double)(record->finish_ps - record->arrival_ps) / 1e6;
    (void)err;
    stream->response_us[record->job] = response;
    stream->sum_us += response;
    return SL_OK;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

struct figures {
    double mean[REPLICATIONS], p99[REPLICATIONS];
};

static void measure(struct stream *stream, struct figures *figures)
{
    double *steady = stream->response_us + WARMUP, sum = 0;
    uint32_t count = JOBS - WARMUP;
    for (uint32_t k = 0; k < count; k++)
        sum += steady[k];
    qsort(steady, count, sizeof *steady, ascending);
    figures->mean[stream->replication] = sum / count;
    figures->p99[stream->replication] = steady[(uint32_t)(0.99 * count)];
}

/* The mean over replications is `exact`, within its interval, whose half-width is at most `most`
 * times that. */
static void agrees(const char *what, const double *values, double exact, double most)
{
    double mean = 0, square = 0;
    for (int r = 0; r < REPLICATIONS; r++)
        mean += values[r] / REPLICATIONS;
    for (int r = 0; r < REPLICATIONS; r++)
        square += (values[r] - mean) * (values[r] - mean);
    double half = T_99 * sqrt(square / (REPLICATIONS - 1) / REPLICATIONS);
    if (fabs(mean - exact) > half || half > most * exact)
        ck_abort_msg("%s: %.2fus +- %.2fus, expected %.2fus", what, mean, half, exact);
}

static struct figures run_queue(const char *service, uint32_t servers)
{
    struct sl_jobs_options options = {0};
    struct sl_jobs_program *program;
    struct sl_jobs_worker *worker;
    const struct sl_jobs_totals *totals;
    static struct figures figures;
    lab_open(&lab);
    uint32_t gpu = lab_resource(&lab, "gpu", servers);
    lab_kappa(&lab, "x", "x", 2);
    lab_graph(&lab);
    uint32_t node = lab_node(&lab, "serve", service, gpu);
    LAB_NODE(&lab, node).klass = 0;
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    for (uint32_t r = 0; r < REPLICATIONS; r++) {
        struct stream stream = {.replication = r};
        struct sl_job_source source = {next_poisson, &stream};
        stream.response_us = malloc(JOBS * sizeof *stream.response_us);
        LAB_OK(&lab, sl_jobs_run(worker, 1, r, &source, note_response, &stream, &totals, &lab.err));
        ck_assert_uint_eq(totals->completed, JOBS);
        ck_assert_double_eq_tol(totals->jobs_s * 1e6, stream.sum_us, 1e-9 * stream.sum_us);
        measure(&stream, &figures);
        free(stream.response_us);
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
    struct figures f = run_queue("exponential(mean=100us)", 1);
    agrees("M/M/1, mean response", f.mean, 500, MOST_MEAN);
    agrees("M/M/1, 99% of responses", f.p99, -log(0.01) * 500, MOST_QUANTILE);
    f = run_queue("100us", 1);
    agrees("M/D/1, mean response", f.mean, 300, MOST_MEAN);
}
END_TEST

START_TEST(processor_sharing)
{
    struct figures f = run_queue("100us", SL_UNLIMITED);
    agrees("M/D/1-PS, mean response", f.mean, 500, MOST_MEAN);
    f = run_queue("exponential(mean=100us)", SL_UNLIMITED);
    agrees("M/M/1-PS, mean response", f.mean, 500, MOST_MEAN);
    f = run_queue("lognormal(mean=100us, cv=2)", SL_UNLIMITED);
    agrees("M/G/1-PS, mean response", f.mean, 500, MOST_MEAN);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs, queues");
    TCase *tcase = tcase_create("closed forms");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, one_server);
    tcase_add_test(tcase, processor_sharing);
    suite_add_tcase(suite, tcase);
    if (!sl_test_long())
        printf("# SL_LONG is not set: 160,000 jobs of each queue instead of a million\n");
    return sl_test_run(suite);
}
