/* The public arrival traces, read whole: each request against an independent reading of its line
 * with scanf and calendar arithmetic of the C library, and the counts that their descriptions
 * state.  One of them then goes through the job engine, which must account for each request. */
#include <config.h>

#include "arrivals.h"
#include "jobs.h"
#include "lab.h"
#include <math.h>
#include <time.h>

#define AZURE_REQUESTS    19366
#define MOONCAKE_REQUESTS 3993

static char azure[600], mooncake[600];

static struct {
    struct sl_arena arena;
    const struct sl_arrivals *arrivals;
    struct sl_arrival_stream *stream;
} trace;

static void open_trace(const char *file, const char *arguments)
{
    char text[1400];
    struct sl_error err = {0};
    snprintf(text, sizeof text, "trace(file=\"%s\", %s)", file, arguments);
    ck_assert_msg(sl_arrivals_parse(&trace.arrivals, text, ".", (struct sl_place){0}, &trace.arena,
                                    &err) == SL_OK,
                  "%s", err.message);
    ck_assert_msg(sl_arrival_stream_open(&trace.stream, trace.arrivals, 1, 0, &err) == SL_OK, "%s",
                  err.message);
}

static struct sl_arrival next(void)
{
    struct sl_arrival arrival;
    struct sl_error err = {0};
    bool more = false;
    ck_assert_msg(sl_arrival_stream_next(trace.stream, &arrival, &more, &err) == SL_OK, "%s",
                  err.message);
    ck_assert(more);
    return arrival;
}

static void close_trace(void)
{
    struct sl_arrival arrival;
    struct sl_error err = {0};
    bool more = true;
    ck_assert_int_eq(sl_arrival_stream_next(trace.stream, &arrival, &more, &err), SL_OK);
    ck_assert(!more);
    sl_arrival_stream_close(trace.stream);
    sl_arena_free(&trace.arena);
}

/* In units of 100 ns. */
static int64_t azure_time(const char *line, long *context, long *generated)
{
    struct tm tm = {0};
    int fraction;
    ck_assert_int_eq(sscanf(line, "%d-%d-%d %d:%d:%d.%7d,%ld,%ld", &tm.tm_year, &tm.tm_mon,
                            &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &fraction, context,
                            generated),
                     9);
    tm.tm_year -= 1900;
    tm.tm_mon--;
    return (int64_t)timegm(&tm) * 10000000 + fraction;
}

START_TEST(azure_requests)
{
    FILE *in = fopen(azure, "r");
    char line[200];
    int64_t first = 0, last = 0;
    double contexts = 0, generations = 0;
    ck_assert_ptr_nonnull(in);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, in));
    open_trace(azure, "format=azure");
    for (int i = 0; i < AZURE_REQUESTS; i++) {
        long context, generated;
        ck_assert_ptr_nonnull(fgets(line, sizeof line, in));
        last = azure_time(line, &context, &generated);
        first = i == 0 ? last : first;
        struct sl_arrival arrival = next();
        ck_assert_int_eq(arrival.t_ps, (last - first) * 100000);
        ck_assert(arrival.parameters[0] == (double)context);
        ck_assert(arrival.parameters[1] == (double)generated);
        contexts += (double)context;
        generations += (double)generated;
    }
    ck_assert_ptr_null(fgets(line, sizeof line, in));
    fclose(in);
    ck_assert_uint_eq(sl_arrivals_count(trace.arrivals), AZURE_REQUESTS);
    const double *means = sl_arrivals_means(trace.arrivals);
    ck_assert_double_eq_tol(means[0] * AZURE_REQUESTS, contexts, 1e-3);
    ck_assert_double_eq_tol(means[1] * AZURE_REQUESTS, generations, 1e-3);
    ck_assert_double_eq_tol(sl_arrivals_rate(trace.arrivals),
                            (AZURE_REQUESTS - 1) / ((double)(last - first) * 1e-7), 1e-9);
    close_trace();
}
END_TEST

START_TEST(mooncake_requests)
{
    FILE *in = fopen(mooncake, "r");
    static char line[1 << 16];
    long last = 0;
    ck_assert_ptr_nonnull(in);
    open_trace(mooncake, "format=mooncake, speed=0.5");
    for (int i = 0; i < MOONCAKE_REQUESTS; i++) {
        long context, generated;
        int at = 0;
        ck_assert_ptr_nonnull(fgets(line, sizeof line, in));
        ck_assert_int_eq(sscanf(line,
                                "{\"timestamp\": %ld, \"input_length\": %ld, \"output_length\": "
                                "%ld, \"hash_ids\": [%n",
                                &last, &context, &generated, &at),
                         3);
        ck_assert_int_gt(at, 0);
        struct sl_arrival arrival = next();
        ck_assert_int_eq(arrival.t_ps, 2 * last * 1000000000); /* the first one is at 0 */
        ck_assert(arrival.parameters[0] == (double)context);
        ck_assert(arrival.parameters[1] == (double)generated);
        ck_assert(arrival.parameters[2] == arrival.block_count);
        uint32_t blocks = 0;
        for (char *c = line + at; *c && *c != ']'; blocks++) {
            ck_assert_uint_lt(blocks, arrival.block_count);
            ck_assert_uint_eq(strtoull(c, &c, 10), arrival.blocks[blocks]);
            c += strspn(c, ", ");
        }
        ck_assert_uint_eq(blocks, arrival.block_count);
    }
    ck_assert_ptr_null(fgets(line, sizeof line, in));
    fclose(in);
    ck_assert_uint_eq(sl_arrivals_count(trace.arrivals), MOONCAKE_REQUESTS);
    ck_assert_double_eq_tol(sl_arrivals_rate(trace.arrivals),
                            (MOONCAKE_REQUESTS - 1) / ((double)last * 2e-3), 1e-9);
    close_trace();
}
END_TEST

/* ---- through the engine ---------------------------------------------------------------------- */

static struct lab lab;

/* A prefill of the prompt, then a token after the other, on four servers: an offered load of 1.75.
 */
static void make_server(void)
{
    struct sl_names names = {0};
    uint32_t count;
    const char *const *parameters = sl_arrivals_parameters(trace.arrivals, &count);
    for (uint32_t k = 0; k < count; k++)
        (void)sl_names_add(&names, parameters[k]);
    lab_open(&lab);
    uint32_t gpu = lab_resource(&lab, "gpu", 4);
    lab_graph(&lab);
    uint32_t prefill = lab_node(&lab, "prefill", "1ps", gpu);
    uint32_t decode = lab_node(&lab, "decode", "1ps", gpu);
    lab_edge(&lab, prefill, decode);
    LAB_OK(&lab, sl_expr_parse(&LAB_NODE(&lab, prefill).times, "0.3us * context_tokens",
                               SL_EXPR_TIME, &names, (struct sl_place){0}, &lab.arena, &lab.err));
    LAB_OK(&lab, sl_expr_parse(&LAB_NODE(&lab, decode).times, "6ms * generated_tokens",
                               SL_EXPR_TIME, &names, (struct sl_place){0}, &lab.arena, &lab.err));
    sl_names_free(&names);
    LAB_OK(&lab, sl_graph_finish(lab.graph, &lab.err));
}

/* What the trace said of each request, and what became of it. */
static struct request {
    int64_t t_ps;
    double work_ps;
    bool completed, rejected;
} requests[AZURE_REQUESTS];
static uint32_t submitted;

static enum sl_status next_request(void *user, struct sl_job_arrival *out, bool *more,
                                   struct sl_error *err)
{
    struct sl_arrival arrival;
    (void)user;
    if (submitted == AZURE_REQUESTS) {
        *more = false;
        return SL_OK;
    }
    enum sl_status status = sl_arrival_stream_next(trace.stream, &arrival, more, err);
    if (status != SL_OK || !*more)
        return status;
    const double *tokens = arrival.parameters;
    requests[submitted++] =
        (struct request){.t_ps = arrival.t_ps, .work_ps = 0.3e6 * tokens[0] + 6e9 * tokens[1]};
    *out = (struct sl_job_arrival){.t_ps = arrival.t_ps, .parameters = tokens};
    return SL_OK;
}

static enum sl_status note_request(void *user, const struct sl_job_record *record,
                                   struct sl_error *err)
{
    struct request *request = &requests[record->job];
    (void)user;
    (void)err;
    if (record->job >= submitted || request->completed || request->rejected)
        ck_abort_msg("request %u is recorded twice, or never came", (unsigned)record->job);
    request->rejected = record->rejected;
    request->completed = !record->rejected;
    if (record->arrival_ps != request->t_ps)
        ck_abort_msg("request %u came at another time", (unsigned)record->job);
    if (request->completed && fabs((double)record->run_ps - request->work_ps) > 1)
        ck_abort_msg("request %u had another's work", (unsigned)record->job);
    return SL_OK;
}

START_TEST(azure_is_accounted_for)
{
    struct sl_jobs_options options = {
        .parameter_count = 2, .admitted_most = 64, .when_full = SL_WHEN_FULL_REJECT};
    struct sl_jobs_program *program;
    struct sl_jobs_worker *worker;
    const struct sl_jobs_totals *totals;
    const struct sl_job_source source = {next_request, NULL};
    uint64_t completed = 0, rejected = 0;
    open_trace(azure, "format=azure");
    make_server();
    LAB_OK(&lab, sl_jobs_program_create(&program, lab.graph, &options, &lab.err));
    LAB_OK(&lab, sl_jobs_worker_create(&worker, program, &lab.err));
    LAB_OK(&lab, sl_jobs_run(worker, 1, 0, &source, note_request, NULL, &totals, &lab.err));
    close_trace(); /* nothing is left in it */
    for (uint32_t k = 0; k < AZURE_REQUESTS; k++) {
        completed += requests[k].completed;
        rejected += requests[k].rejected;
    }
    ck_assert_uint_eq(completed + rejected, AZURE_REQUESTS);
    ck_assert_uint_eq(totals->arrived, AZURE_REQUESTS);
    ck_assert_uint_eq(totals->completed, completed);
    ck_assert_uint_eq(totals->rejected, rejected);
    ck_assert_uint_gt(completed, AZURE_REQUESTS / 2);
    ck_assert_uint_gt(rejected, AZURE_REQUESTS / 10);
    ck_assert_uint_eq(totals->most_jobs, 64);
    sl_jobs_worker_free(worker);
    sl_jobs_program_free(program);
    lab_close(&lab);
}
END_TEST

int main(void)
{
    const char *shared = getenv("SL_SHARED");
    snprintf(azure, sizeof azure, "%s/data/arrivals/azure_conv_2023.csv", shared ? shared : "");
    snprintf(mooncake, sizeof mooncake, "%s/data/arrivals/mooncake_synthetic.jsonl",
             shared ? shared : "");
    FILE *in = shared ? fopen(azure, "r") : NULL;
    if (!in)
        return sl_test_skip("no public traces: ../shared/data/arrivals is absent");
    fclose(in);
    Suite *suite = suite_create("traces");
    TCase *tcase = tcase_create("traces");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, azure_requests);
    tcase_add_test(tcase, mooncake_requests);
    tcase_add_test(tcase, azure_is_accounted_for);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}
