/* Quantities: what is accepted is in the range that units.h promises, and texts for people fit. */
#include <config.h>

#include "fuzz.h"
#include "text.h"
#include "units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_whole(const char *text)
{
    char why[SL_WHY_SIZE], shown[64];
    int64_t whole;
    if (sl_parse_time(text, &whole, why)) {
        FUZZ_CHECK(whole >= 0 && whole <= INT64_C(1) << 62, "%s: %lld ps", text, (long long)whole);
        sl_format_time(shown, sizeof shown, (double)whole);
    }
    if (sl_parse_bytes(text, &whole, why)) {
        FUZZ_CHECK(whole >= 0 && whole <= INT64_C(1) << 60, "%s: %lld B", text, (long long)whole);
        sl_format_bytes(shown, sizeof shown, (double)whole);
    }
    if (sl_parse_integer(text, -5, 1 << 20, &whole, why))
        FUZZ_CHECK(whole >= -5 && whole <= 1 << 20, "%s: %lld", text, (long long)whole);
    struct sl_instant instant;
    for (int power = -12; power <= 0; power += 3)
        if (sl_parse_instant(text, strlen(text), power, &instant))
            FUZZ_CHECK(instant.ps >= 0 && instant.ps < INT64_C(1000000000000), "%s: %lld ps", text,
                       (long long)instant.ps);
}

static void check_real(const char *text)
{
    char why[SL_WHY_SIZE], shown[64];
    double value;
    bool (*const readers[])(const char *, double *, char *) = {
        sl_parse_time_real, sl_parse_bytes_real, sl_parse_bandwidth, sl_parse_rate,
        sl_parse_flop,      sl_parse_number,     sl_parse_share};
    for (size_t i = 0; i < FUZZ_COUNT(readers); i++) {
        if (!readers[i](text, &value, why)) {
            FUZZ_CHECK(memchr(why, '\0', SL_WHY_SIZE) && why[0], "%s: refused without a reason",
                       text);
            continue;
        }
        FUZZ_CHECK(isfinite(value) && value >= 0, "%s, reader %zu: %g", text, i, value);
        sl_format_time(shown, sizeof shown, value);
        sl_format_estimate(shown, sizeof shown, value);
        sl_format_bytes(shown, sizeof shown, value);
    }
}

static void run(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), suggestion[80] = "";
    static const char *const words[] = {"makespan", "latency", "throughput", "a;b", ""};
    check_whole(text);
    check_real(text);
    sl_suggest(suggestion, sizeof suggestion, text, words, FUZZ_COUNT(words));
    sl_glob_any(text, "makespan");
    free(text);
}

static void seed(const struct fuzz_seeds *seeds)
{
    static const char *const texts[] = {"120us",
                                        "64MiB",
                                        "25GB/s",
                                        "4/s",
                                        "7.2TFLOP",
                                        "1%",
                                        "0.5",
                                        "1e-3ms",
                                        "+1.5E2",
                                        "1e400s",
                                        "9223372036854775807ps",
                                        "x?;a*[b-c]",
                                        "12345.678901234567"};
    fuzz_seed_texts(seeds, texts, FUZZ_COUNT(texts));
}

const struct fuzz_target fuzz_target_units = {
    .name = "units",
    .description = "quantities with units, nearest words, globs",
    .run = run,
    .seeds = seed,
};
