/* Quantities: exact values, exact messages. */
#include <config.h>

#include "harness.h"
#include "units.h"
#include <locale.h>
#include <math.h>
#include <string.h>

static char why[SL_WHY_SIZE];

START_TEST(times)
{
    const struct {
        const char *text;
        int64_t ps;
    } cases[] = {
        {"0us", 0},
        {"1ps", 1},
        {"120us", 120000000},
        {"0.1us", 100000}, /* 0.1 is no binary fraction */
        {"1.005ms", 1005000000},
        {"1e3 ns", 1000000},
        {".5s", 500000000000},
        {"2min", 120000000000000},
        {"1h", 3600000000000000},
        {"4611686018427387903ps", ((int64_t)1 << 62) - 1}, /* beyond a double's 53 bits */
        {"4611686018427387904ps", (int64_t)1 << 62},
        {"0.4ps", 0},
        {"1.5ps", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ps = -1;
        ck_assert_msg(sl_parse_time(cases[i].text, &ps, why), "%s: %s", cases[i].text, why);
        ck_assert_int_eq(ps, cases[i].ps);
    }
    double real = 0;
    ck_assert(sl_parse_time_real("0.4ps", &real, why));
    ck_assert_double_eq(real, 0.4);
}
END_TEST

START_TEST(messages)
{
#define ALLOWED "; write a time such as 120us (ps, ns, us, ms, s, min, h)"
    const struct {
        const char *text, *why;
    } cases[] = {
        {"120", "'120' has no unit" ALLOWED},
        {"0", "'0' has no unit" ALLOWED},
        {"", "found nothing where a time belongs" ALLOWED},
        {"fast", "'fast' is not a time" ALLOWED},
        {"nan", "'nan' is not a time" ALLOWED},
        {"inf us", "'inf us' is not a time" ALLOWED},
        {"0x10us", "'0x10us' has the unknown unit 'x10us'" ALLOWED},
        {"12uz", "'12uz' has the unknown unit 'uz' (did you mean 'us'?)" ALLOWED},
        {"5MS", "'5MS' has the unknown unit 'MS' (did you mean 'ms'?)" ALLOWED},
        {"1,5us", "'1,5us' has the unknown unit ',5us'" ALLOWED},
        {"12us3", "'12us3' has the unknown unit 'us3' (did you mean 'us'?)" ALLOWED},
        {"-3us", "'-3us' is negative; a time is zero or more"},
        {"4611686018427387905ps", "'4611686018427387905ps' is too large for a time"},
        {"1e99999h", "'1e99999h' is too large for a time"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t ps = -1;
        double real = -1;
        ck_assert_msg(!sl_parse_time(cases[i].text, &ps, why), "%s", cases[i].text);
        ck_assert_str_eq(why, cases[i].why);
        ck_assert_int_eq(ps, -1);
        ck_assert(!sl_parse_time_real(cases[i].text, &real, why));
        ck_assert_str_eq(why, cases[i].why);
    }
}
END_TEST

START_TEST(hostile_text)
{
    char text[5000];
    int64_t ps;
    memset(text, '7', sizeof text);
    text[sizeof text - 1] = '\0';
    ck_assert(!sl_parse_time(text, &ps, why));
    ck_assert_uint_lt(strlen(why), SL_WHY_SIZE);
    ck_assert_ptr_nonnull(strstr(why, "...' has no unit"));
    for (size_t i = 0; i + 2 < sizeof text; i += 2)
        memcpy(text + i, "\xC3\xA9", 2); /* cut between characters, never inside one */
    ck_assert(!sl_parse_bytes(text, &ps, why));
    ck_assert_ptr_null(strstr(why, "\xC3."));
}
END_TEST

START_TEST(sizes)
{
    int64_t bytes;
    ck_assert(sl_parse_bytes("64MiB", &bytes, why));
    ck_assert_int_eq(bytes, 64 << 20);
    ck_assert(sl_parse_bytes("64MB", &bytes, why));
    ck_assert_int_eq(bytes, 64000000);
    ck_assert(sl_parse_bytes("79.6GiB", &bytes, why));
    ck_assert_int_eq(bytes, 85469849190); /* 79.6 * 2^30 = 85469849190.4 */
    ck_assert(sl_parse_bytes("1048576TiB", &bytes, why));
    ck_assert_int_eq(bytes, (int64_t)1 << 60);
    ck_assert(!sl_parse_bytes("1048577TiB", &bytes, why));
    ck_assert(!sl_parse_bytes("64M", &bytes, why));
    ck_assert_str_eq(why, "'64M' has the unknown unit 'M' (did you mean 'MB'?); write a size such "
                          "as 64MiB (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)");
    ck_assert(!sl_parse_bytes("1024", &bytes, why));
    ck_assert(!sl_parse_bytes("1GB/s", &bytes, why));
}
END_TEST

START_TEST(rates)
{
    double value;
    ck_assert(sl_parse_bandwidth("52GB/s", &value, why));
    ck_assert_double_eq(value, 52e9);
    ck_assert(sl_parse_bandwidth("1 GiB/s", &value, why));
    ck_assert_double_eq(value, 1073741824.0);
    ck_assert(!sl_parse_bandwidth("52GB", &value, why));
    ck_assert_ptr_nonnull(strstr(why, "unknown unit 'GB'"));
    ck_assert(sl_parse_rate("4/s", &value, why));
    ck_assert_double_eq(value, 4);
    ck_assert(sl_parse_rate("250/ms", &value, why));
    ck_assert_double_eq(value, 250000);
    ck_assert(sl_parse_rate("30/min", &value, why));
    ck_assert_double_eq_tol(value, 0.5, 1e-15);
    ck_assert(!sl_parse_rate("4", &value, why));
    ck_assert(sl_parse_flop("7.18TFLOP", &value, why));
    ck_assert_double_eq(value, 7.18e12);
    ck_assert(!sl_parse_flop("7.18TFLOPS", &value, why));
    ck_assert_ptr_nonnull(strstr(why, "did you mean 'TFLOP'?"));
}
END_TEST

START_TEST(numbers)
{
    double value = -7;
    ck_assert(sl_parse_number("0.95", &value, why));
    ck_assert_double_eq(value, 0.95);
    ck_assert(sl_parse_number("1e-3", &value, why));
    ck_assert_double_eq(value, 1e-3);
    ck_assert(sl_parse_number("5%", &value, why));
    ck_assert_double_eq(value, 0.05);
    const char *const refused[] = {"", "%", "0.5x", "nan", "inf", "-0.5", "1e400", "0x1p3", "1 2"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        ck_assert_msg(!sl_parse_number(refused[i], &value, why), "%s", refused[i]);
    ck_assert_double_eq(value, 0.05);
}
END_TEST

/* "1" may be meant as 1% or as all of it. */
START_TEST(shares)
{
    static const struct {
        const char *text, *why;
    } refused[] = {{"1", "'1' has no %; write 1% (or a number below 1, such as 0.01)"},
                   {"20", "'20' has no %; write 20%"},
                   {"0", "'0' is not above 0%"},
                   {"0%", "'0%' is not above 0%"},
                   {"100.5%", "'100.5%' is above 100%"},
                   {"-1%", "'-1%' is negative"},
                   {"nan", "'nan' is not a number"}};
    double value = -7;
    ck_assert(sl_parse_share("0.99", &value, why));
    ck_assert_double_eq(value, 0.99);
    ck_assert(sl_parse_share("1e-5%", &value, why));
    ck_assert_double_eq_tol(value, 1e-7, 1e-20);
    ck_assert(sl_parse_share("100%", &value, why));
    ck_assert_double_eq(value, 1);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ck_assert_msg(!sl_parse_share(refused[i].text, &value, why), "%s", refused[i].text);
        ck_assert_msg(strstr(why, refused[i].why), "%s", why);
    }
    ck_assert_double_eq(value, 1);
}
END_TEST

START_TEST(integers)
{
    int64_t value = 77;
    ck_assert(sl_parse_integer("-5", -5, 5, &value, why));
    ck_assert_int_eq(value, -5);
    ck_assert(sl_parse_integer("+5", -5, 5, &value, why));
    ck_assert_int_eq(value, 5);
    ck_assert(sl_parse_integer("9223372036854775807", INT64_MIN, INT64_MAX, &value, why));
    ck_assert_int_eq(value, INT64_MAX);
    ck_assert(sl_parse_integer("-9223372036854775808", INT64_MIN, INT64_MAX, &value, why));
    ck_assert_int_eq(value, INT64_MIN);
    ck_assert(!sl_parse_integer("9223372036854775808", INT64_MIN, INT64_MAX, &value, why));
    ck_assert(!sl_parse_integer("-9223372036854775809", INT64_MIN, INT64_MAX, &value, why));
    ck_assert(!sl_parse_integer("6", -5, 5, &value, why));
    ck_assert_str_eq(why, "'6' is out of range; write a whole number from -5 to 5");
    ck_assert(!sl_parse_integer("2.5", 1, 5, &value, why));
    ck_assert_str_eq(why, "'2.5' is not a whole number; write one from 1 to 5");
    ck_assert(!sl_parse_integer("", 1, 5, &value, why));
    ck_assert(!sl_parse_integer("1e2", 1, 500, &value, why));
    ck_assert_int_eq(value, INT64_MIN);
}
END_TEST

START_TEST(comma_locale)
{
    int64_t ps;
    bool comma = setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8");
    ck_assert(sl_parse_time("1.5us", &ps, why));
    ck_assert_int_eq(ps, 1500000);
    setlocale(LC_ALL, "C");
    if (!comma)
        printf("# no locale with a decimal comma is installed\n");
}
END_TEST

START_TEST(formats)
{
    char buffer[40];
    const struct {
        double ps;
        const char *text;
    } durations[] = {
        {0, "0 ps"},          {999, "999 ps"},      {1000, "1.00 ns"}, {999.4e6, "999 us"},
        {999.6e6, "1.00 ms"}, {14.52e9, "14.5 ms"}, {3e12, "3.00 s"},  {-2.5e6, "-2.50 us"},
        {4e15, "66.7 min"},   {NAN, "-"},           {INFINITY, "inf"},
    };
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++)
        ck_assert_str_eq(sl_format_time(buffer, sizeof buffer, durations[i].ps), durations[i].text);
    const struct {
        double ps;
        const char *text;
    } estimates[] = {
        {0, "0 ps"},           {1.5402e12, "1.540 s"}, {312.34e9, "312.3 ms"},
        {14.52e9, "14.52 ms"}, {9.996e9, "9.996 ms"},  {99.996e9, "100.0 ms"},
        {999.97e9, "1.000 s"},
    };
    for (size_t i = 0; i < sizeof estimates / sizeof *estimates; i++)
        ck_assert_str_eq(sl_format_estimate(buffer, sizeof buffer, estimates[i].ps),
                         estimates[i].text);
    const struct {
        double bytes;
        const char *text;
    } amounts[] = {{0, "0 B"},
                   {1023, "1023 B"},
                   {1024, "1.00 KiB"},
                   {1.42 * 1073741824, "1.42 GiB"},
                   {1023.9 * 1048576, "1.00 GiB"},
                   {NAN, "-"}};
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++)
        ck_assert_str_eq(sl_format_bytes(buffer, sizeof buffer, amounts[i].bytes), amounts[i].text);
    ck_assert_str_eq(sl_format_count(buffer, sizeof buffer, 999), "999");
    ck_assert_str_eq(sl_format_count(buffer, sizeof buffer, 41182), "41,182");
    ck_assert_str_eq(sl_format_count(buffer, sizeof buffer, UINT64_MAX),
                     "18,446,744,073,709,551,615");
}
END_TEST

START_TEST(instants)
{
    static const struct {
        const char *text;
        int power;
        int64_t s, ps;
    } cases[] = {
        {"0", 0, 0, 0},
        {"46.6805900", 0, 46, 680590000000},
        {"1712195495519689.047", -6, 1712195495, 519689047000},
        {"1700000000", 0, 1700000000, 0},
        {"5.25", -3, 0, 5250000000},
        {"0.0000000000005", 0, 0, 1}, /* half a ps */
        {"0.00000000000049999", 0, 0, 0},
        {"0.9999999999996", 0, 1, 0},
        {"1e-3", 0, 0, 1000000000},
        {"+12.5e+2", -9, 0, 1250000},
        {"7", -12, 0, 7},
        {"7.5", -12, 0, 8},
        {"1e-30", 0, 0, 0},
        {"0e9999", 0, 0, 0},
        {".5", 0, 0, 500000000000},
        {"1000000000000000", 0, 1000000000000000, 0},
    };
    struct sl_instant t;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        ck_assert_msg(sl_parse_instant(text, strlen(text), cases[i].power, &t), "%s", text);
        ck_assert_msg(t.s == cases[i].s && t.ps == cases[i].ps, "%s: %lld %lld", text,
                      (long long)t.s, (long long)t.ps);
    }
    ck_assert(sl_parse_instant("12,5", 2, 0, &t) && t.s == 12); /* no further than it is told */
    static const char *const bad[] = {"",     "-1",  "x",    "1.5.2",   "1e",
                                      "0x10", "inf", "1e16", "1e99999", "1000000000000001"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!sl_parse_instant(bad[i], strlen(bad[i]), 0, &t), "%s", bad[i]);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("units");
    TCase *tc = tcase_create("units");
    tcase_add_test(tc, instants);
    tcase_add_test(tc, times);
    tcase_add_test(tc, messages);
    tcase_add_test(tc, hostile_text);
    tcase_add_test(tc, sizes);
    tcase_add_test(tc, rates);
    tcase_add_test(tc, numbers);
    tcase_add_test(tc, shares);
    tcase_add_test(tc, integers);
    tcase_add_test(tc, comma_locale);
    tcase_add_test(tc, formats);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
