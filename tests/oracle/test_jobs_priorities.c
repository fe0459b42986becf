/* Two classes of jobs on one server, the urgent ones first, without preemption.  A job is urgent
 * with probability p = 0.4; l_1 = p l and l_2 = (1 - p) l are the rates, S_1 and S_2 the
 * exponential services of 80us and 120us, rho_i = l_i E[S_i], rho = rho_1 + rho_2 = 0.7.
 *
 *     W_0 = (l_1 E[S_1^2] + l_2 E[S_2^2]) / 2
 *     W_1 = W_0 / (1 - rho_1),  W_2 = W_0 / ((1 - rho_1) (1 - rho))    (Cobham, 1954)
 *     W_1 = W_2 = W_0 / (1 - rho)   in order of arrival (Pollaczek-Khinchine), to which aging leads
 *                                   that is short against the waits
 *
 * Where priorities differ by D, and a waiting run's grows by one each time it has waited for
 * `aging`, none is overtaken by a run that became ready D x aging later or more: then the later one
 * has aged by at least D less.  That holds in every case, and bounds what a job waits for. */
#include <config.h>

#include "jobs_parts.h"
#include "lab.h"
#include "replications.h"

#define JOBS   (sl_test_long() ? 52000u : 10000u) /* of a replication */
#define WARMUP 2000u

enum { URGENT, OTHER, CLASSES };

static const double share[CLASSES] = {0.4, 0.6}, service_us[CLASSES] = {80, 120};
static const double load = 0.7;

static struct lab lab;
static struct sl_jobs_program *program;
static struct sl_jobs_worker *worker;
static const struct sl_jobs_totals *totals;

struct one {
    int64_t ready, start;
    bool urgent;
};
struct stream {
    uint32_t replication, next;
    double t_us;
    struct one *jobs;
};

static double gap_us(void)
{
    return (share[0] * service_us[0] + share[1] * service_us[1]) / load;
}

static enum sl_status next_poisson(void *user, struct sl_job_arrival *arrival, bool *more,
                                   struct sl_error *err)
{
    struct stream *stream = user;
    double u, u2;
    (void)err;
    *more = stream->next < JOBS;
    sl_draws_uniforms(7, stream->replication, sl_hash_text("arrivals"), stream->next++, &u, &u2);
    stream->t_us -= gap_us() * log(u);
    arrival->t_ps = (int64_t)(stream->t_us * 1e6);
    return SL_OK;
}

static enum sl_status note_job(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    struct stream *stream = user;
    (void)err;
    stream->jobs[record->job] =
        (struct one){record->arrival_ps, record->arrival_ps + record->longest_wait_ps,
                     record->mark_ps[URGENT] >= 0};
    return SL_OK;
}

static void build(int64_t aging_ps)
{
    static const uint32_t marks[] = {URGENT, OTHER};
    const struct sl_jobs_options options = {.marks = marks, .mark_count = CLASSES};
    lab_open(&lab);
    uint32_t gpu = lab_resource(&lab, "gpu", 1);
    lab.resources[gpu].order = SL_ORDER_PRIORITY;
    lab.resources[gpu].aging_ps = aging_ps;
    lab_graph(&lab);
    lab.graph->guards = calloc(1, sizeof *lab.graph->guards);
    ck_assert_ptr_nonnull(lab.graph->guards);
    lab.graph->guards[0] =
        (struct sl_guard){.name = "urgent", .probability = share[URGENT], .scope = SL_SCOPE_JOB};
    lab.graph->guard_count = 1;
    uint32_t urgent = lab_node(&lab, "urgent", "exponential(mean=80us)", gpu);
    uint32_t other = lab_node(&lab, "other", "exponential(mean=120us)", gpu);
    LAB_NODE(&lab, urgent).priority = 3;
    LAB_NODE(&lab, other).priority = 1;
    lab_guard(&lab, urgent, 0, false);
    lab_guard(&lab, other, 0, true);
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
}

static void tear_down(void)
{
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    lab_close(&lab);
}

static void run_stream(struct stream *stream)
{
    const struct sl_job_source source = {next_poisson, stream};
    stream->next = 0;
    stream->t_us = 0;
    LAB_OK(&lab, sl_jobs_run(worker, 1, stream->replication, &source, note_job, stream, &totals,
                             &lab.err));
    ck_assert_uint_eq(totals->completed, JOBS);
}

struct waits {
    double us[CLASSES][REPLICATIONS];
};

/* Mean waits behind the warm-up, and that nobody who came `later_ps` later overtook. */
static struct waits run_classes(int64_t aging_ps)
{
    static struct waits waits;
    build(aging_ps);
    struct stream stream = {.jobs = calloc(JOBS, sizeof *stream.jobs)};
    ck_assert_ptr_nonnull(stream.jobs);
    for (stream.replication = 0; stream.replication < REPLICATIONS; stream.replication++) {
        double sum[CLASSES] = {0}, count[CLASSES] = {0};
        run_stream(&stream);
        for (uint32_t k = WARMUP; k < JOBS; k++) {
            int which = stream.jobs[k].urgent ? URGENT : OTHER;
            sum[which] += (double)(stream.jobs[k].start - stream.jobs[k].ready) / 1e6;
            count[which]++;
        }
        for (int c = 0; c < CLASSES; c++)
            waits.us[c][stream.replication] = sum[c] / count[c];
    }
    free(stream.jobs);
    tear_down();
    return waits;
}

static double residual_us(void) /* W_0; E[S^2] = 2 E[S]^2 */
{
    return (share[0] * service_us[0] * service_us[0] + share[1] * service_us[1] * service_us[1]) /
           gap_us();
}

#define MOST (sl_test_long() ? 0.05 : 0.1)

START_TEST(urgent_ones_first)
{
    double first = share[URGENT] * service_us[URGENT] / gap_us();
    struct waits waits = run_classes(0);
    agrees("mean wait of urgent jobs", waits.us[URGENT], residual_us() / (1 - first), MOST);
    agrees("mean wait of the others", waits.us[OTHER], residual_us() / ((1 - first) * (1 - load)),
           MOST);
}
END_TEST

START_TEST(short_aging_is_order_of_arrival)
{
    struct waits waits = run_classes(1000);
    agrees("mean wait of urgent jobs", waits.us[URGENT], residual_us() / (1 - load), MOST);
    agrees("mean wait of the others", waits.us[OTHER], residual_us() / (1 - load), MOST);
}
END_TEST

/* Jobs come in order of their readiness. */
static uint32_t count_overtakers(const struct one *jobs, uint32_t k, int64_t *latest)
{
    uint32_t count = 0;
    *latest = 0;
    for (uint32_t j = k + 1; j < JOBS && jobs[j].ready < jobs[k].start; j++)
        if (jobs[j].start < jobs[k].start) {
            *latest = jobs[j].ready - jobs[k].ready;
            count++;
        }
    return count;
}

static void check_overtaking(int64_t aging_ps)
{
    struct stream stream = {.jobs = calloc(JOBS, sizeof *stream.jobs), .replication = 3};
    uint32_t most = 0, who = 0;
    ck_assert_ptr_nonnull(stream.jobs);
    build(aging_ps);
    run_stream(&stream);
    ck_assert_ptr_null(totals->overtakers);
    for (uint32_t k = 0; k < JOBS; k++) {
        int64_t latest;
        uint32_t count = count_overtakers(stream.jobs, k, &latest);
        if (count > most) {
            most = count;
            who = k;
        }
        if (stream.jobs[k].urgent ? count > 0 : aging_ps && latest >= 2 * aging_ps)
            ck_abort_msg("job %u is overtaken by %u, the last of which came %lld ps later", k,
                         count, (long long)latest);
    }
    ck_assert_uint_gt(most, 3);
    sl_jobs_worker_watch(worker, who, OTHER);
    run_stream(&stream);
    ck_assert_uint_eq(totals->overtakers[URGENT], most);
    ck_assert_uint_eq(totals->overtakers[OTHER], 0);
    sl_jobs_worker_watch(worker, who, URGENT); /* which it does not run */
    run_stream(&stream);
    ck_assert_uint_eq(totals->overtakers[URGENT], 0);
    free(stream.jobs);
    tear_down();
}

START_TEST(aging_bounds_who_overtakes)
{
    check_overtaking(0);
    check_overtaking(300 * US);
    check_overtaking(1000 * US);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs, priorities");
    TCase *tcase = tcase_create("closed forms");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, urgent_ones_first);
    tcase_add_test(tcase, short_aging_is_order_of_arrival);
    tcase_add_test(tcase, aging_bounds_who_overtakes);
    suite_add_tcase(suite, tcase);
    if (!sl_test_long())
        printf("# SL_LONG is not set: 160,000 jobs of each queue instead of a million\n");
    return sl_test_run(suite);
}
