/* Arrivals: moments of the laws against closed forms, traces against the figures that their files
 * have by independent counting, exact times, and faults of texts and files. */
#include <config.h>

#include "arrivals.h"
#include "dice.h"
#include "harness.h"
#include "tempdir.h"
#include "units.h"
#include <math.h>
#include <string.h>

static struct sl_arena arena;
static struct tempdir dir;

static void setup(void)
{
    tempdir_make(&dir);
    tempdir_write(&dir, "x", "");
}

static void teardown(void)
{
    sl_arena_free(&arena);
    tempdir_remove(&dir);
}

/* The file x, which may be written again and again. */
static void write_x(const char *head, const char *piece, size_t size, size_t times)
{
    char path[600];
    snprintf(path, sizeof path, "%s/x", dir.path);
    FILE *out = fopen(path, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_int_ge(fputs(head, out), 0);
    for (size_t i = 0; i < times; i++)
        ck_assert_uint_eq(fwrite(piece, 1, size, out), size);
    ck_assert_int_eq(fclose(out), 0);
}

static enum sl_status try_parse(const struct sl_arrivals **arrivals, const char *text,
                                struct sl_error *err)
{
    return sl_arrivals_parse(arrivals, text, dir.path, (struct sl_place){"scenario.yaml", 4, 13},
                             &arena, err);
}

static const struct sl_arrivals *parse(const char *text)
{
    const struct sl_arrivals *arrivals = NULL;
    struct sl_error err = {0};
    ck_assert_msg(try_parse(&arrivals, text, &err) == SL_OK, "%s: %s", text, err.message);
    return arrivals;
}

static struct sl_arrival_stream *open_stream(const struct sl_arrivals *arrivals, uint64_t seed,
                                             uint32_t trial)
{
    struct sl_arrival_stream *stream = NULL;
    struct sl_error err = {0};
    ck_assert_msg(sl_arrival_stream_open(&stream, arrivals, seed, trial, &err) == SL_OK, "%s",
                  err.message);
    return stream;
}

static bool next(struct sl_arrival_stream *stream, struct sl_arrival *arrival)
{
    struct sl_error err = {0};
    bool more = false;
    ck_assert_msg(sl_arrival_stream_next(stream, arrival, &more, &err) == SL_OK, "%s", err.message);
    return more;
}

/* Fills `count` times of a stream, in s. */
static void times_of(const char *text, uint64_t seed, uint32_t trial, double *t, size_t count)
{
    struct sl_arrival_stream *stream = open_stream(parse(text), seed, trial);
    struct sl_arrival arrival;
    for (size_t i = 0; i < count; i++) {
        ck_assert(next(stream, &arrival));
        t[i] = (double)arrival.t_ps / 1e12;
        ck_assert(i == 0 || t[i] >= t[i - 1]);
    }
    sl_arrival_stream_close(stream);
}

/* ---- laws ---------------------------------------------------------------------------------------
 */

START_TEST(fixed_is_fixed)
{
    double t[4];
    times_of("fixed(rate=4/s)", 1, 0, t, 4);
    for (size_t i = 0; i < 4; i++)
        ck_assert_double_eq(t[i], 0.25 * (double)(i + 1));
    ck_assert_double_eq(sl_arrivals_rate(parse("fixed(rate=120/min)")), 2);
    ck_assert_uint_eq(sl_arrivals_count(parse("fixed(rate=120/min)")), 0);
}
END_TEST

/* Of n gaps of mean m, the mean has standard deviation m / sqrt(n), the variance (of an exponential
 * law, kurtosis 9) m^2 sqrt(8 / n), and the correlation of neighbours 1 / sqrt(n).  Bands of 4.9
 * deviations: a false-alarm rate of 1e-6 each.  Kolmogorov-Smirnov at 1e-6: sqrt(ln(2e6) / 2n). */
START_TEST(poisson_gaps_are_exponential_and_independent)
{
    enum { N = 100000 };
    static double t[N], gap[N];
    times_of("poisson(rate=4/s)", 7, 3, t, N);
    double sum = 0, squares = 0, products = 0, worst = 0;
    for (size_t i = 0; i < N; i++) {
        gap[i] = t[i] - (i ? t[i - 1] : 0);
        sum += gap[i];
    }
    for (size_t i = 0; i < N; i++) {
        squares += (gap[i] - 0.25) * (gap[i] - 0.25);
        products += i ? (gap[i] - 0.25) * (gap[i - 1] - 0.25) : 0;
    }
    ck_assert_double_eq_tol(sum / N, 0.25, 4.9 * 0.25 / sqrt(N));
    ck_assert_double_eq_tol(squares / N, 0.0625, 4.9 * 0.0625 * sqrt(8.0 / N));
    ck_assert_double_eq_tol(products / N / 0.0625, 0, 4.9 / sqrt(N));
    static unsigned cells[1000]; /* of the cdf 1 - exp(-4 gap) */
    for (size_t i = 0; i < N; i++)
        cells[(size_t)fmin(999, -expm1(-4 * gap[i]) * 1000)]++;
    double below = 0;
    for (size_t c = 0; c < 1000; c++) {
        below += cells[c];
        worst = fmax(worst, fabs(below / N - (double)(c + 1) / 1000));
    }
    ck_assert_double_lt(worst, sqrt(log(2e6) / (2.0 * N)));
}
END_TEST

/* A two-state MMPP that starts in equilibrium has, with q = 1/d1 + 1/d2, pi the shares of time, L
 * the mean rate and D = pi1 pi2 (r1 - r2)^2 (Fischer and Meier-Hellstern 1993),
 *
 *     E N(t) = L t,   Var N(t) = L t + 2 D / q (t - (1 - exp(-q t)) / q).
 *
 * N of 4000 replications; the mean's band is 4.9 deviations, the variance's 4.9 sqrt(2 / n) of it,
 * widened by half for the kurtosis of N: a false-alarm rate below 1e-6 each. */
START_TEST(mmpp_counts_have_their_moments)
{
    enum { TRIALS = 4000 };
    const double r1 = 1, r2 = 9, d1 = 10, d2 = 2, t = 6;
    const struct sl_arrivals *arrivals = parse("mmpp(rates=[1/s, 9/s], dwells=[10s, 2s])");
    double pi2 = d2 / (d1 + d2), rate = r1 * (1 - pi2) + r2 * pi2, q = 1 / d1 + 1 / d2;
    double spread = pi2 * (1 - pi2) * (r1 - r2) * (r1 - r2);
    double mean = rate * t, variance = mean + 2 * spread / q * (t - (1 - exp(-q * t)) / q);
    ck_assert_double_eq_tol(sl_arrivals_rate(arrivals), rate, 1e-9);
    double sum = 0, squares = 0;
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        struct sl_arrival_stream *stream = open_stream(arrivals, 11, trial);
        struct sl_arrival arrival;
        double count = 0;
        while (next(stream, &arrival) && arrival.t_ps < 6000000000000)
            count++;
        sl_arrival_stream_close(stream);
        sum += count;
        squares += (count - mean) * (count - mean);
    }
    ck_assert_double_eq_tol(sum / TRIALS, mean, 4.9 * sqrt(variance / TRIALS));
    ck_assert_double_eq_tol(squares / TRIALS, variance, 1.5 * 4.9 * variance * sqrt(2.0 / TRIALS));
    /* The test tells it from a Poisson process of the same rate. */
    ck_assert_double_gt(variance, 2 * mean);
}
END_TEST

/* Three states in turn, one of which has no arrivals: the long-run rate over 20000 jobs; the
 * variance of the rate is bounded by that of a Poisson process of the highest rate times the
 * switching. */
START_TEST(mmpp_of_three_states_has_its_rate)
{
    enum { N = 40000 };
    static double t[N];
    const char *text = "mmpp(rates=[0/s, 30/s, 6/s], dwells=[100ms, 50ms, 200ms])";
    double rate = (30 * 0.05 + 6 * 0.2) / 0.35;
    ck_assert_double_eq_tol(sl_arrivals_rate(parse(text)), rate, 1e-9);
    times_of(text, 5, 0, t, N);
    ck_assert_double_eq_tol(N / t[N - 1], rate, 0.03 * rate);
}
END_TEST

START_TEST(draws_are_keyed_by_seed_and_trial)
{
    static const char *const laws[] = {"poisson(rate=4/s)",
                                       "mmpp(rates=[1/s, 9/s], dwells=[10s, 2s])"};
    for (size_t l = 0; l < 2; l++) {
        double a[50], b[50], c[50], d[50];
        times_of(laws[l], 1, 0, a, 50);
        times_of(laws[l], 1, 0, b, 50);
        times_of(laws[l], 1, 1, c, 50);
        times_of(laws[l], 2, 0, d, 50);
        ck_assert_mem_eq(a, b, sizeof a);
        ck_assert(a[49] != c[49] && a[49] != d[49] && c[49] != d[49]);
    }
}
END_TEST

START_TEST(examples_parse)
{
    for (size_t i = 0; i < sl_arrival_law_count(); i++)
        if (strcmp(sl_arrival_law_info(i).name, "trace") != 0)
            parse(sl_arrival_law_info(i).example);
    ck_assert_uint_eq(sl_trace_format_count(), 3);
}
END_TEST

/* ---- traces -------------------------------------------------------------------------------------
 */

START_TEST(csv_times_are_exact)
{
    tempdir_write(&dir, "x.csv",
                  "# source=us\r\n"
                  "tokens,t_us,\"big\"\r\n"
                  "374,1712195495519689.047,1e3\r\n"
                  "\r\n"
                  "0,1712195495519689.047,2.5\r\n"
                  "12, 1712195495519690 ,\"7\"\r\n"
                  "3,1712195496.5196900000015e6,0");
    const struct sl_arrivals *arrivals = parse("trace(file=x.csv)");
    ck_assert_uint_eq(sl_arrivals_count(arrivals), 4);
    ck_assert(sl_arrivals_is_trace(arrivals));
    uint32_t count;
    const char *const *names = sl_arrivals_parameters(arrivals, &count);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(names[0], "tokens");
    ck_assert_str_eq(names[1], "big");
    ck_assert_double_eq(sl_arrivals_means(arrivals)[0], (374 + 0 + 12 + 3) / 4.0);
    ck_assert_double_eq(sl_arrivals_means(arrivals)[1], (1000 + 2.5 + 7) / 4.0);
    static const int64_t ps[] = {0, 0, 953000, 1000000953002}; /* .0000015 us of the last: 2 ps */
    static const double tokens[] = {374, 0, 12, 3};
    struct sl_arrival_stream *stream = open_stream(arrivals, 1, 0);
    struct sl_arrival arrival;
    for (size_t i = 0; i < 4; i++) {
        ck_assert(next(stream, &arrival));
        ck_assert_int_eq(arrival.t_ps, ps[i]);
        ck_assert_double_eq(arrival.parameters[0], tokens[i]);
    }
    ck_assert(!next(stream, &arrival));
    sl_arrival_stream_close(stream);
    ck_assert_double_eq_tol(sl_arrivals_rate(arrivals), 3 / 1.000000953002, 1e-12);
}
END_TEST

START_TEST(speed_scales_the_rate)
{
    tempdir_write(&dir, "x.csv", "t_s\n0\n3\n6\n");
    const struct sl_arrivals *arrivals = parse("trace(file=\"x.csv\", speed=0.6)");
    struct sl_arrival_stream *stream = open_stream(arrivals, 1, 0);
    struct sl_arrival arrival;
    static const int64_t ps[] = {0, 5000000000000, 10000000000000};
    for (size_t i = 0; i < 3; i++) {
        ck_assert(next(stream, &arrival));
        ck_assert_int_eq(arrival.t_ps, ps[i]);
    }
    sl_arrival_stream_close(stream);
    ck_assert_double_eq_tol(sl_arrivals_rate(arrivals), 0.2, 1e-12);
}
END_TEST

START_TEST(azure_dates_count_days)
{
    tempdir_write(&dir, "a.csv",
                  "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
                  "2024-02-28 23:59:59.9999999,10,1\r\n"
                  "2024-02-29T00:00:00.0000001Z,20,2\r\n"
                  "2024-03-01 00:00:00+00:00,30,3\r\n");
    const struct sl_arrivals *arrivals = parse("trace(file=a.csv, format=azure)");
    struct sl_arrival_stream *stream = open_stream(arrivals, 1, 0);
    struct sl_arrival arrival;
    static const int64_t ps[] = {0, 200000, 86400000000100000};
    for (size_t i = 0; i < 3; i++) {
        ck_assert(next(stream, &arrival));
        ck_assert_int_eq(arrival.t_ps, ps[i]);
        ck_assert_double_eq(arrival.parameters[1], (double)i + 1);
    }
    sl_arrival_stream_close(stream);
}
END_TEST

START_TEST(mooncake_lines_are_read)
{
    tempdir_write(
        &dir, "m.jsonl",
        "{\"timestamp\": 5, \"input_length\": 700, \"output_length\": 6, \"hash_ids\": [3, "
        "17]}\n"
        "{\"hash_ids\": [], \"more\": {\"timestamp\": [1, {\"x\": null}]}, "
        "\"output_length\": 0, \"input_length\": 1, \"timestamp\": 5.25}\n"
        "{\"timestamp\": 9, \"input_length\": 2, \"output_length\": 3}");
    const struct sl_arrivals *arrivals = parse("trace(file=m.jsonl, format=mooncake)");
    struct sl_arrival_stream *stream = open_stream(arrivals, 1, 0);
    struct sl_arrival a;
    ck_assert(next(stream, &a));
    ck_assert_uint_eq(a.block_count, 2);
    ck_assert_uint_eq(a.blocks[1], 17);
    ck_assert(a.parameters[0] == 700 && a.parameters[1] == 6 && a.parameters[2] == 2);
    ck_assert(next(stream, &a));
    ck_assert(a.t_ps == 250000000 && a.block_count == 0 && a.parameters[0] == 1);
    ck_assert(next(stream, &a));
    ck_assert(a.t_ps == 4000000000 && a.parameters[2] == 0);
    ck_assert(!next(stream, &a));
    sl_arrival_stream_close(stream);
}
END_TEST

/* ---- faults -------------------------------------------------------------------------------------
 */

START_TEST(faults_of_texts_are_named)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "expected LAW(NAME=VALUE, ...)"},
        {"poisson", "expected LAW(NAME=VALUE, ...)"},
        {")poisson(", "expected LAW(NAME=VALUE, ...)"},
        {"poison(rate=4/s)", "unknown law of arrivals 'poison' (did you mean 'poisson'?)"},
        {"poisson()", "it needs a rate, such as rate=4/s"},
        {"poisson(4/s)", "'4/s' is no NAME=VALUE (rate)"},
        {"poisson(rat=4/s)", "poisson has no parameter 'rat' (did you mean 'rate'?)"},
        {"poisson(rate=4/s, rate=5/s)", "rate is given twice"},
        {"poisson(rate=4)", "'4' has no unit; write a rate such as 4/s"},
        {"poisson(rate=0/s)", "a rate above 0 is needed"},
        {"mmpp(rates=[1/s, 9/s])", "dwells: 0 values"},
        {"mmpp(rates=[1/s, 9/s], dwells=[1s])", "dwells: 1 values"},
        {"mmpp(rates=[1/s, 9/s], dwells=[1s, 2s, 3s])", "2 rates and 3 dwells"},
        {"mmpp(rates=[1/s, 9], dwells=[1s, 2s])", "'9' has no unit"},
        {"mmpp(rates=[1/s, 9/s], dwells=[1s, 0s])", "a time above 0 is needed"},
        {"mmpp(rates=[0/s, 0/s], dwells=[1s, 1s])", "one above 0 is needed"},
        {"mmpp(rates=[1/s, 0/s], dwells=[1ps, 1ps])", "more than 1000 changes of state"},
        {"trace()", "it needs a file"},
        {"trace(file=gone.csv)", "cannot open"},
        {"trace(file=gone.csv, format=azur)", "unknown format 'azur' (did you mean 'azure'?)"},
        {"trace(file=gone.csv, speed=0)", "speed: 0 is out of range"},
        {"trace(file=gone.csv, speed=fast)", "'fast' is not a number"},
        {"trace(file=.)", "not a regular file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sl_arrivals *arrivals = NULL;
        struct sl_error err = {0};
        ck_assert_int_eq(try_parse(&arrivals, cases[i].text, &err), SL_INVALID);
        ck_assert_msg(strstr(err.message, cases[i].says) != NULL, "%s: %s", cases[i].text,
                      err.message);
    }
}
END_TEST

#define AZURE   "TIMESTAMP,ContextTokens,GeneratedTokens\n"
#define REQUEST "{\"timestamp\": 5, \"input_length\": 1, \"output_length\": 2, \"hash_ids\": "

START_TEST(faults_of_files_are_located)
{
    static const struct {
        const char *format, *content;
        int line, column;
        const char *says;
    } cases[] = {
        {"csv", "", 1, 1, "no header: this file is empty"},
        {"csv", "t_us,x\n", 2, 1, "no requests in this file"},
        {"csv", "t,x\n1,2\n", 1, 1, "no column of times: its name says their unit"},
        {"csv", "t_us,x,t_ms\n", 1, 8, "a second column of times, 't_ms'"},
        {"csv", "t_us,x,x\n", 1, 8, "column 'x' is named twice"},
        {"csv", "t_us,a b\n", 1, 6, "column 'a b': a job parameter is named by letters"},
        {"csv", "t_us,max\n", 1, 6, "a function of expressions has this name"},
        {"csv", "t_us,x\n5,1\n4,1\n", 3, 1, "comes 1e-06 s before the one above it"},
        {"csv", "t_us,x\n5,1\n6\n", 3, 2, "1 cells, and 2 are needed: the line is incomplete"},
        {"csv", "t_us,x\n5,1,2\n", 2, 5, "more cells than the 2 of the header"},
        {"csv", "t_us,x\n5, -3\n", 2, 4, "x: '-3' is negative"},
        {"csv", "t_us,x\n5,1e400\n", 2, 3, "is too large"},
        {"csv", "t_us,x\n5,nan\n", 2, 3, "'nan' is not a number"},
        {"csv", "t_us,x\n-5,1\n", 2, 1, "'-5' is no time"},
        {"csv", "t_us,x\n,1\n", 2, 1, "'' is no time"},
        {"csv", "t_s,x\n0,1\n4611687,1\n", 3, 1, "more than 53 days from the first request"},
        {"azure", "t_us,x\n5,1\n", 1, 1, "a trace of format azure begins with"},
        {"azure", AZURE "2023-11-16 18:15:46.68,374,44\n2023-11-16 18:15\n", 3, 17, "1 cells"},
        {"azure", AZURE "2023-02-29 18:15:46,374,44\n", 2, 1, "'2023-02-29 18:15:46' is no time"},
        {"azure", AZURE "2023-12-01 18:15:46.,374,x\n", 2, 26, "GeneratedTokens: 'x' is not"},
        {"azure", AZURE "2023-12-01 24:15:46,374,4\n", 2, 1, "is no time such as 2023-11-16"},
        {"azure", AZURE "2023-12-01 4:15:46,374,4\n", 2, 1, "is no time"},
        {"mooncake", REQUEST "[1]}\n" REQUEST "[1", 2, 0, "premature EOF"},
        {"mooncake", REQUEST "[1]\n", 1, 0, "premature EOF"},
        {"mooncake", REQUEST "[1]} x\n", 1, 0, "trailing garbage"},
        {"mooncake", REQUEST "[1.5]}\n", 1, 0, "a block of hash_ids is a whole number"},
        {"mooncake", REQUEST "[-1]}\n", 1, 0, "a block of hash_ids is a whole number"},
        {"mooncake", REQUEST "[[1]]}\n", 1, 0, "hash_ids is a list of whole numbers"},
        {"mooncake", REQUEST "3}\n", 1, 0, "hash_ids is a list of whole numbers"},
        {"mooncake", REQUEST "[1], \"timestamp\": 6}\n", 1, 0, "a member is given twice"},
        {"mooncake", "{\"timestamp\": 5, \"input_length\": 1}\n", 1, 1,
         "a request without output_length"},
        {"mooncake", "{\"timestamp\": \"5\"}\n", 1, 0, "a number is needed here"},
        {"mooncake", "{\"timestamp\": {\"a\": 1}}\n", 1, 0, "a number is needed here"},
        {"mooncake", "[1]\n", 1, 0, "a request is an object"},
        {"mooncake", "{\"timestamp\": -5}\n", 1, 0, "timestamp is a number of ms from 0"},
        {"mooncake", "{\"input_length\": -5}\n", 1, 0, "input_length: '-5' is negative"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct sl_arrivals *arrivals = NULL;
        struct sl_error err = {0};
        char text[64];
        write_x("", cases[i].content, strlen(cases[i].content), 1);
        snprintf(text, sizeof text, "trace(file=x, format=%s)", cases[i].format);
        ck_assert_int_eq(try_parse(&arrivals, text, &err), SL_INVALID);
        ck_assert_msg(strstr(err.message, cases[i].says) != NULL, "%s: %s", cases[i].content,
                      err.message);
        ck_assert_msg(err.place.line == cases[i].line, "%s: line %d", cases[i].says,
                      err.place.line);
        ck_assert_msg(cases[i].column == 0 || err.place.column == cases[i].column, "%s: column %d",
                      cases[i].says, err.place.column);
    }
}
END_TEST

START_TEST(long_lines_and_nul_bytes_are_refused)
{
    const struct sl_arrivals *arrivals = NULL;
    struct sl_error err = {0};
    write_x("", "t_us,xxxxxxxxxxx", 16, 200000);
    ck_assert_int_eq(try_parse(&arrivals, "trace(file=x)", &err), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "a line of more than 1048576 bytes"));
    ck_assert_int_eq(err.place.line, 1);
    err = (struct sl_error){0};
    write_x("", "t_us\n1\n2\0\n", 10, 1);
    ck_assert_int_eq(try_parse(&arrivals, "trace(file=x)", &err), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "a NUL byte"));
    ck_assert_int_eq(err.place.line, 3);
    ck_assert_int_eq(err.place.column, 2);
    /* A line just as long as it may be. */
    err = (struct sl_error){0};
    static char line[(1 << 20) + 8];
    memset(line, ' ', sizeof line);
    memcpy(line, "t_us\n5", 6);
    write_x("", line, (1 << 20) + 5, 1);
    ck_assert_msg(try_parse(&arrivals, "trace(file=x)", &err) == SL_OK, "%s", err.message);
    ck_assert_uint_eq(sl_arrivals_count(arrivals), 1);
}
END_TEST

START_TEST(random_bytes_are_read_or_refused)
{
    static const char *const pieces[] = {
        "t_us", ",",  "\n",   "\r",    "1",  "{", "}", "\"",           "[",     "]",  ":", "5", "-",
        ".",    "e9", "\xff", "2023-", "18", " ", "x", "\xEF\xBB\xBF", REQUEST, AZURE};
    static const char *const formats[] = {"csv", "azure", "mooncake"};
    struct dice dice = {.state = 3};
    for (int i = 0; i < 3000; i++) {
        char content[2000] = "", text[64];
        for (unsigned k = dice_below(&dice, 25); k > 0; k--)
            strcat(content, pieces[dice_below(&dice, sizeof pieces / sizeof *pieces)]);
        write_x("", content, strlen(content), 1);
        snprintf(text, sizeof text, "trace(file=x, format=%s)", formats[i % 3]);
        const struct sl_arrivals *arrivals = NULL;
        struct sl_error err = {0};
        enum sl_status status = try_parse(&arrivals, text, &err);
        ck_assert(status == SL_OK || (status == SL_INVALID && err.message[0]));
        sl_arena_free(&arena);
    }
}
END_TEST

START_TEST(a_trace_that_changes_is_noticed)
{
    tempdir_write(&dir, "x.csv", "t_s,x\n0,1\n3,1\n");
    const struct sl_arrivals *arrivals = parse("trace(file=x.csv)");
    struct sl_arrival_stream *stream = NULL;
    struct sl_arrival arrival;
    struct sl_error err = {0};
    bool more;
    tempdir_write(&dir, "x.csv", "t_s,x\n0,1\n");
    stream = open_stream(arrivals, 1, 0);
    ck_assert(next(stream, &arrival));
    ck_assert_int_eq(sl_arrival_stream_next(stream, &arrival, &more, &err), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "has changed since"));
    sl_arrival_stream_close(stream);
    tempdir_write(&dir, "x.csv", "t_s\n0\n3\n");
    err = (struct sl_error){0};
    ck_assert_int_eq(sl_arrival_stream_open(&stream, arrivals, 1, 0, &err), SL_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "has changed since"));
}
END_TEST

/* A million lines, 12 MB, with an arena that may take 1 MB. */
START_TEST(a_long_trace_is_not_held)
{
    static char lines[120000];
    size_t size = 0;
    for (int i = 0; i < 10000; i++)
        size += (size_t)snprintf(lines + size, sizeof lines - size, "5,%d\n", i % 1000);
    write_x("t_s,x\n", lines, size, 100);
    arena.limit = 1 << 20;
    const struct sl_arrivals *arrivals = parse("trace(file=x)");
    ck_assert_uint_eq(sl_arrivals_count(arrivals), 1000000);
    ck_assert_double_eq(sl_arrivals_means(arrivals)[0], 499.5);
    arena.limit = 0;
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arrivals");
    TCase *tcase = tcase_create("arrivals");
    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, fixed_is_fixed);
    tcase_add_test(tcase, poisson_gaps_are_exponential_and_independent);
    tcase_add_test(tcase, mmpp_counts_have_their_moments);
    tcase_add_test(tcase, mmpp_of_three_states_has_its_rate);
    tcase_add_test(tcase, draws_are_keyed_by_seed_and_trial);
    tcase_add_test(tcase, examples_parse);
    tcase_add_test(tcase, csv_times_are_exact);
    tcase_add_test(tcase, speed_scales_the_rate);
    tcase_add_test(tcase, azure_dates_count_days);
    tcase_add_test(tcase, mooncake_lines_are_read);
    tcase_add_test(tcase, faults_of_texts_are_named);
    tcase_add_test(tcase, faults_of_files_are_located);
    tcase_add_test(tcase, long_lines_and_nul_bytes_are_refused);
    tcase_add_test(tcase, random_bytes_are_read_or_refused);
    tcase_add_test(tcase, a_trace_that_changes_is_noticed);
    tcase_add_test(tcase, a_long_trace_is_not_held);
    suite_add_tcase(suite, tcase);
    return sl_test_run(suite);
}
