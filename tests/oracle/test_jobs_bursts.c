/* The queue MMPP/M/1: arrivals of a rate that jumps between states, one exponential server, against
 * its matrix-geometric solution (Neuts, Matrix-Geometric Solutions in Stochastic Models, 1981).
 *
 * With the generator Q of the states, the diagonal matrix L of their rates and the service rate m,
 * the numbers in the system have probabilities p_(k+1) = p_k R, where R is the least solution of
 *
 *     L + R (Q - L - m I) + m R^2 = 0,
 *
 * the limit of R <- (L + m R^2) (L + m I - Q)^-1 from 0; p_0 (Q - L + m R) = 0 and p_0 (I - R)^-1 1
 * = 1.  The mean number is p_0 R (I - R)^-2 1, the mean response that by the mean rate (Little).
 *
 * Arrivals are drawn by the law that scenarios use.  In the second state more come than are served;
 * the load is 0.6. */
#include <config.h>

#include "arrivals.h"
#include "jobs.h"
#include "lab.h"
#include "replications.h"
#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>

enum { STATES = 2 };
#define PER_S    10000.0 /* services */
#define ARRIVALS "mmpp(rates=[3000/s, 12000/s], dwells=[2ms, 1ms])"
/* Of a replication: 6000 jobs per s. */
#define BEGIN_S 0.3
#define END_S   (sl_test_long() ? 8.7 : 3.3)

static const double rate_per_s[STATES] = {3000, 12000}, dwell_s[STATES] = {2e-3, 1e-3};

typedef double matrix[STATES][STATES];

static gsl_matrix_view view(matrix m)
{
    return gsl_matrix_view_array(m[0], STATES, STATES);
}

static void multiply(matrix product, matrix a, matrix b)
{
    gsl_matrix_view va = view(a), vb = view(b), vp = view(product);
    gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, &va.matrix, &vb.matrix, 0, &vp.matrix);
}

static void invert(matrix inverse, matrix m)
{
    matrix lu;
    int sign;
    gsl_permutation *order = gsl_permutation_alloc(STATES);
    memcpy(lu, m, sizeof lu);
    gsl_matrix_view vlu = view(lu), vi = view(inverse);
    gsl_linalg_LU_decomp(&vlu.matrix, order, &sign);
    gsl_linalg_LU_invert(&vlu.matrix, order, &vi.matrix);
    gsl_permutation_free(order);
}

/* L + m I - Q; both states lead to the other one. */
static void leave_rates(matrix out)
{
    for (int i = 0; i < STATES; i++)
        for (int j = 0; j < STATES; j++)
            out[i][j] = i == j ? rate_per_s[i] + PER_S + 1 / dwell_s[i] : -1 / dwell_s[i];
}

static void find_r(matrix r)
{
    matrix leave, inverse, square, next;
    leave_rates(leave);
    invert(inverse, leave);
    memset(r, 0, sizeof(matrix));
    for (double change = 1; change > 1e-15;) {
        multiply(square, r, r);
        for (int i = 0; i < STATES; i++)
            for (int j = 0; j < STATES; j++)
                square[i][j] = PER_S * square[i][j] + (i == j ? rate_per_s[i] : 0);
        multiply(next, square, inverse);
        change = 0;
        for (int i = 0; i < STATES; i++)
            for (int j = 0; j < STATES; j++)
                change = fmax(change, fabs(next[i][j] - r[i][j]));
        memcpy(r, next, sizeof(matrix));
    }
}

static double row_times_ones(const double *row, matrix m)
{
    double sum = 0;
    for (int i = 0; i < STATES; i++)
        for (int j = 0; j < STATES; j++)
            sum += row[i] * m[i][j];
    return sum;
}

/* p_0 of two states is across the columns of p_0 (Q - L + m R) = 0, of which one is enough. */
static void find_empty(double *empty, matrix r, matrix inverse)
{
    double a = PER_S * r[0][0] - rate_per_s[0] - 1 / dwell_s[0];
    double b = PER_S * r[1][0] + 1 / dwell_s[1];
    empty[0] = b;
    empty[1] = -a;
    double total = row_times_ones(empty, inverse);
    empty[0] /= total;
    empty[1] /= total;
}

struct answer {
    double number, idle; /* mean number in the system, probability that it is empty */
};

static struct answer matrix_geometric(void)
{
    matrix r, rest = {{1, 0}, {0, 1}}, inverse, square, moment;
    double empty[STATES];
    find_r(r);
    for (int i = 0; i < STATES; i++)
        for (int j = 0; j < STATES; j++)
            rest[i][j] -= r[i][j];
    invert(inverse, rest);
    find_empty(empty, r, inverse);
    multiply(square, inverse, inverse);
    multiply(moment, r, square);
    return (struct answer){row_times_ones(empty, moment), empty[0] + empty[1]};
}

static double mean_rate_per_s(void)
{
    return (rate_per_s[0] * dwell_s[0] + rate_per_s[1] * dwell_s[1]) / (dwell_s[0] + dwell_s[1]);
}

START_TEST(solution_is_one)
{
    matrix r, square, leave, flow;
    find_r(r);
    leave_rates(leave);
    multiply(square, r, r);
    multiply(flow, r, leave);
    for (int i = 0; i < STATES; i++)
        for (int j = 0; j < STATES; j++)
            ck_assert_double_eq_tol(PER_S * square[i][j] - flow[i][j], i == j ? -rate_per_s[i] : 0,
                                    1e-8);
    /* The server is idle as long as the mean rate says, whatever the bursts. */
    ck_assert_double_eq_tol(matrix_geometric().idle, 1 - mean_rate_per_s() / PER_S, 1e-9);
}
END_TEST

struct stream {
    struct sl_arrival_stream *arrivals;
    uint64_t counted;
    double stay_s, present_s; /* of jobs that arrive in the window; of all, within the window */
};

static enum sl_status next_burst(void *user, struct sl_job_arrival *arrival, bool *more,
                                 struct sl_error *err)
{
    struct stream *stream = user;
    struct sl_arrival from;
    enum sl_status status = sl_arrival_stream_next(stream->arrivals, &from, more, err);
    if (status != SL_OK)
        return status;
    arrival->t_ps = from.t_ps;
    *more = (double)from.t_ps < END_S * 1e12;
    return SL_OK;
}

static enum sl_status note_job(void *user, const struct sl_job_record *record, struct sl_error *err)
{
    struct stream *stream = user;
    double came_s = (double)record->arrival_ps / 1e12, left_s = (double)record->finish_ps / 1e12;
    (void)err;
    stream->present_s += fmax(0, fmin(left_s, END_S) - fmax(came_s, BEGIN_S));
    if (came_s < BEGIN_S)
        return SL_OK;
    stream->counted++;
    stream->stay_s += left_s - came_s;
    return SL_OK;
}

static struct lab lab;

START_TEST(bursts)
{
    const struct sl_jobs_options options = {0};
    const struct sl_arrivals *law;
    struct sl_jobs_program *program;
    struct sl_jobs_worker *worker;
    const struct sl_jobs_totals *totals;
    double number[REPLICATIONS], response_s[REPLICATIONS];
    lab_open(&lab);
    uint32_t server = lab_resource(&lab, "server", 1);
    lab_graph(&lab);
    lab_node(&lab, "serve", "exponential(mean=100us)", server);
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    LAB_OK(&lab,
           sl_arrivals_parse(&law, ARRIVALS, ".", (struct sl_place){0}, &lab.arena, &lab.err));
    for (uint32_t r = 0; r < REPLICATIONS; r++) {
        struct stream stream = {0};
        struct sl_job_source source = {next_burst, &stream};
        LAB_OK(&lab, sl_arrival_stream_open(&stream.arrivals, law, 1, r, &lab.err));
        LAB_OK(&lab, sl_jobs_run(worker, 1, r, &source, note_job, &stream, &totals, &lab.err));
        sl_arrival_stream_close(stream.arrivals);
        number[r] = stream.present_s / (END_S - BEGIN_S);
        response_s[r] = stream.stay_s / (double)stream.counted;
    }
    struct answer exact = matrix_geometric();
    double most = sl_test_long() ? 0.05 : 0.1;
    agrees("mean number in the system", number, exact.number, most);
    agrees("mean response, s", response_s, exact.number / mean_rate_per_s(), most);
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    lab_close(&lab);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("jobs, bursts");
    TCase *tcase = tcase_create("matrix-geometric");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, solution_is_one);
    tcase_add_test(tcase, bursts);
    suite_add_tcase(suite, tcase);
    if (!sl_test_long())
        printf("# SL_LONG is not set: 400,000 jobs instead of a million\n");
    return sl_test_run(suite);
}
