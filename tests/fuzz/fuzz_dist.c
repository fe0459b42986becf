/* Expressions of durations: what parses is a law, with a quantile function that only rises. */
#include <config.h>

#include "dist.h"
#include "fuzz.h"
#include <math.h>
#include <stdlib.h>

static const double levels[] = {1e-9, 0.001, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.9999, 1 - 1e-9};

static void check_law(const struct sl_dist *dist, const char *text)
{
    double before = 0;
    for (size_t i = 0; i < FUZZ_COUNT(levels); i++) {
        double value = sl_dist_value(dist, levels[i], 0.5), bulk;
        FUZZ_CHECK(value >= 0, "%s: %g at %g", text, value, levels[i]);
        FUZZ_CHECK(value >= before, "%s: falls to %g at %g", text, value, levels[i]);
        before = value;
        sl_dist_values(dist, &levels[i], &(double){0.5}, &(double){1}, &bulk, 1);
        FUZZ_CHECK(bulk == value, "%s: %g in bulk, not %g", text, bulk, value);
        double share = sl_dist_cdf(dist, value);
        FUZZ_CHECK(share >= 0 && share <= 1, "%s: cdf %g at %g", text, share, value);
        double exact = sl_dist_quantile(dist, levels[i]);
        FUZZ_CHECK(exact >= 0, "%s: quantile %g at %g", text, exact, levels[i]);
    }
    FUZZ_CHECK(sl_dist_mean(dist) >= 0, "%s: mean %g", text, sl_dist_mean(dist));
}

static void run(const uint8_t *data, size_t size)
{
    if (size == 0)
        return;
    struct sl_arena arena = {0};
    const struct sl_dist *dist;
    struct sl_error err = {0};
    struct sl_place place = {"fuzz", 1, 1};
    char *text = fuzz_text(data + 1, size - 1);
    static const char samples[] = "value\n1ms\n2ms\n2.5ms\n4ms\n", numbers[] = "value\n1\n2\n4.5\n";
    fuzz_write("samples.csv", samples, sizeof samples - 1);
    fuzz_write("numbers.csv", numbers, sizeof numbers - 1);
    enum sl_status status = sl_dist_parse(&dist, text, data[0] % 2 ? SL_DIST_NUMBER : SL_DIST_TIME,
                                          fuzz_dir(), place, &arena, &err);
    fuzz_judge(status, NULL, &err);
    if (status == SL_OK)
        check_law(dist, text);
    sl_arena_free(&arena);
    sl_dist_cache_free();
    free(text);
}

static void seed(const struct fuzz_seeds *seeds)
{
    static const char *const more[] = {
        "0lognormal(median=120us, sigma=0.25)",
        "0lognormal(mean=1ms, cv=0.2)",
        "0 1ms + exponential(mean=1us)",
        "0mixture(0.9*const(1ms), 0.1*exponential(mean=2ms))",
        "0empirical(file=samples.csv)",
        "1empirical(file=\"numbers.csv\")",
        "1lognormal(mean=1, cv=0.1)",
        "1uniform(low=0.5, high=1.5)",
        "0triangular(1ms, 2ms, 3ms)",
        "0gamma(shape=0.5, mean=1ms)",
        "0weibull(shape=1.5, scale=2ms)",
        "0pert(min=1ms, mode=2ms, max=4ms, lambda=3)",
        "0mixture(0.5*mixture(0.5*1ms,0.5*2ms),0.5*1h)",
    };
    for (size_t i = 0; i < sl_dist_family_count(); i++) {
        char text[300];
        snprintf(text, sizeof text, "0%s", sl_dist_family_info(i).example);
        fuzz_seed_texts(seeds, &(const char *){text}, 1);
    }
    fuzz_seed_texts(seeds, more, FUZZ_COUNT(more));
}

const struct fuzz_target fuzz_target_dist = {
    .name = "dist",
    .description = "distributions: parser, values, quantiles",
    .run = run,
    .seeds = seed,
};
