/* A closed network with a product-form answer (Baskett, Chandy, Muntz and Palacios, JACM 1975): N
 * clients think for an exponential time, pass a station that they share equally (any law of
 * service), then a FIFO station of one server (exponential).
 *
 * Mean-value analysis (Reiser and Lavenberg, JACM 1980): a job that comes to station k finds it as
 * it is on average with one client less, so with demands D_k and Q_k(0) = 0
 *
 *     R_k(n) = D_k (1 + Q_k(n - 1))    X(n) = n / (Z + sum of R_k(n))    Q_k(n) = X(n) R_k(n)
 *
 * and a second way to the same: X(N) = G(N - 1) / G(N), G by Buzen's convolution (CACM 1973). */
#include <config.h>

#include "jobs_parts.h"
#include "lab.h"
#include "replications.h"

enum { CLIENTS = 6, STATIONS = 2 };
#define JOBS      (sl_test_long() ? 52000u : 13000u) /* of a replication */
#define WARMUP    1000u
#define THINK_US  400.0
#define SHARED_US 100.0
#define QUEUED_US 70.0

static const double demand_us[STATIONS] = {SHARED_US, QUEUED_US};

struct answer {
    double per_us;            /* jobs */
    double stay_us[STATIONS]; /* per visit */
    double present[STATIONS]; /* mean number at each */
};

static struct answer mean_values(uint32_t clients)
{
    struct answer a = {0};
    for (uint32_t n = 1; n <= clients; n++) {
        double cycle_us = THINK_US;
        for (int k = 0; k < STATIONS; k++)
            cycle_us += a.stay_us[k] = demand_us[k] * (1 + a.present[k]);
        a.per_us = n / cycle_us;
        for (int k = 0; k < STATIONS; k++)
            a.present[k] = a.per_us * a.stay_us[k];
    }
    return a;
}

/* G(n): first of the thinkers, Z^n / n!, then one station after the other is folded in. */
static double throughput_by_convolution(uint32_t clients)
{
    double g[CLIENTS + 1] = {1};
    for (uint32_t n = 1; n <= clients; n++)
        g[n] = g[n - 1] * THINK_US / n;
    for (int k = 0; k < STATIONS; k++)
        for (uint32_t n = 1; n <= clients; n++)
            g[n] += demand_us[k] * g[n - 1];
    return g[clients - 1] / g[clients];
}

/* One replication, while all clients are there: from the warm-up's last end to that of the last job
 * before the source has no more. */
struct stream {
    uint32_t replication, next, ended;
    int64_t begin_ps, end_ps;
    double stay_us[STATIONS]; /* sums */
};

static uint32_t last_counted(void)
{
    return JOBS - CLIENTS;
}

static enum sl_status next_thought(void *user, struct sl_job_arrival *arrival, bool *more,
                                   struct sl_error *err)
{
    struct stream *stream = user;
    double u, u2;
    (void)err;
    *more = stream->next < JOBS;
    sl_draws_uniforms(1, stream->replication, sl_hash_text("think"), stream->next++, &u, &u2);
    arrival->t_ps = (int64_t)(-log(u) * THINK_US * 1e6);
    return SL_OK;
}

static enum sl_status note_job(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    struct stream *stream = user;
    uint32_t number = ++stream->ended;
    (void)err;
    if (number == WARMUP)
        stream->begin_ps = record->finish_ps;
    if (number <= WARMUP || number > last_counted())
        return SL_OK;
    stream->end_ps = record->finish_ps;
    stream->stay_us[0] += (double)(record->mark_ps[0] - record->arrival_ps) / 1e6;
    stream->stay_us[1] += (double)(record->finish_ps - record->mark_ps[0]) / 1e6;
    return SL_OK;
}

struct figures {
    double per_us[REPLICATIONS], present[STATIONS][REPLICATIONS];
};

static struct lab lab;

static void make_network(const char *shared_law)
{
    lab_open(&lab);
    uint32_t any = lab_resource(&lab, "any", SL_UNLIMITED), one = lab_resource(&lab, "one", 1);
    lab_kappa(&lab, "x", "x", 2);
    lab_graph(&lab);
    uint32_t shared = lab_node(&lab, "shared", shared_law, any);
    LAB_NODE(&lab, shared).klass = 0;
    uint32_t queued = lab_node(&lab, "queued", "exponential(mean=70us)", one);
    lab_edge(&lab, shared, queued);
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
}

static struct figures run_network(const char *shared_law)
{
    static const uint32_t marks[] = {0};
    const struct sl_jobs_options options = {.clients = CLIENTS, .marks = marks, .mark_count = 1};
    struct sl_jobs_program *program;
    struct sl_jobs_worker *worker;
    const struct sl_jobs_totals *totals;
    static struct figures figures;
    make_network(shared_law);
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    for (uint32_t r = 0; r < REPLICATIONS; r++) {
        struct stream stream = {.replication = r};
        struct sl_job_source source = {next_thought, &stream};
        LAB_OK(&lab, sl_jobs_run(worker, 1, r, &source, note_job, &stream, &totals, &lab.err));
        ck_assert_uint_eq(totals->completed, JOBS);
        double length_us = (double)(stream.end_ps - stream.begin_ps) / 1e6;
        figures.per_us[r] = (last_counted() - WARMUP) / length_us;
        for (int k = 0; k < STATIONS; k++)
            figures.present[k][r] = stream.stay_us[k] / length_us;
    }
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    lab_close(&lab);
    return figures;
}

static void check_network(const char *shared_law)
{
    struct answer a = mean_values(CLIENTS);
    struct figures f = run_network(shared_law);
    double most = sl_test_long() ? 0.02 : 0.05;
    agrees("throughput, jobs per us", f.per_us, a.per_us, most);
    agrees("mean number at the shared station", f.present[0], a.present[0], most);
    agrees("mean number at the queued station", f.present[1], a.present[1], most);
}

START_TEST(two_ways_agree)
{
    for (uint32_t n = 1; n <= CLIENTS; n++)
        ck_assert_double_eq_tol(mean_values(n).per_us, throughput_by_convolution(n), 1e-15);
    ck_assert_double_eq_tol(mean_values(1).per_us, 1 / 570.0, 1e-15);
}
END_TEST

START_TEST(network)
{
    check_network("exponential(mean=100us)");
    check_network("100us");
    check_network("lognormal(mean=100us, cv=2)");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs, closed network");
    TCase *tcase = tcase_create("product form");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, two_ways_agree);
    tcase_add_test(tcase, network);
    suite_add_tcase(suite, tcase);
    if (!sl_test_long())
        printf("# SL_LONG is not set: 260,000 jobs of each network instead of a million\n");
    return sl_test_run(suite);
}
