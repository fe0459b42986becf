/* Cost of a draw: every family's example through sl_dist_values, as a ratio to a loop over
 * gsl_cdf_lognormal_Pinv in the same process.  Three rounds alternate between all of them, because
 * the speed of a shared machine drifts; the least of the rounds is printed. */
#include <config.h>

#include "dist.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { DRAWS = 1 << 16, REPEATS = 8, ROUNDS = 3, MOST = 64 };

static double u[DRAWS], u2[DRAWS], scale[DRAWS], values[DRAWS];

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ns per draw; a NULL distribution stands for the reference loop. */
static double time_draws(const struct sl_dist *dist)
{
    double start = now_ns();
    for (int r = 0; r < REPEATS; r++) {
        if (dist)
            sl_dist_values(dist, u, u2, scale, values, DRAWS);
        else
            for (int i = 0; i < DRAWS; i++)
                values[i] = gsl_cdf_lognormal_Pinv(u[i], 0, 0.25) * scale[i];
    }
    return (now_ns() - start) / ((double)REPEATS * DRAWS);
}

/* The file that the empirical family's example names. */
static int write_sample(const char *name)
{
    FILE *out = fopen(name, "w");
    if (!out)
        return -1;
    fputs("value\n", out);
    for (int i = 0; i < 1000; i++)
        fprintf(out, "%.6gus\n", 100 + 50 * u[i]);
    return fclose(out);
}

static int parse_examples(const struct sl_dist **dists, size_t count, struct sl_arena *arena)
{
    char dir[] = "/tmp/slackline-bench-XXXXXX";
    if (!mkdtemp(dir) || chdir(dir) != 0 || write_sample("durations.csv") != 0)
        return -1;
    struct sl_error err = {0};
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++)
        status = (int)sl_dist_parse(&dists[i], sl_dist_family_info(i).example, SL_DIST_TIME, dir,
                                    (struct sl_place){0}, arena, &err);
    unlink("durations.csv");
    rmdir(dir);
    if (status != 0)
        fprintf(stderr, "%s\n", err.message);
    return status;
}

int main(void)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    for (int i = 0; i < DRAWS; i++) {
        u[i] = gsl_rng_uniform_pos(rng);
        u2[i] = gsl_rng_uniform_pos(rng);
        scale[i] = 1;
    }
    gsl_rng_free(rng);
    struct sl_arena arena = {0};
    const struct sl_dist *dists[MOST];
    size_t count = sl_dist_family_count();
    if (count > MOST || parse_examples(dists, count, &arena) != 0)
        return EXIT_FAILURE;
    double reference = INFINITY, cost[MOST];
    for (size_t i = 0; i < count; i++)
        cost[i] = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        reference = fmin(reference, time_draws(NULL));
        for (size_t i = 0; i < count; i++)
            cost[i] = fmin(cost[i], time_draws(dists[i]));
    }
    printf("%-12s %9s %7s\n", "family", "ns/draw", "ratio");
    printf("%-12s %9.2f %7.3f\n", "(reference)", reference, 1.0);
    for (size_t i = 0; i < count; i++)
        printf("%-12s %9.2f %7.3f\n", sl_dist_family_info(i).name, cost[i], cost[i] / reference);
    sl_arena_free(&arena);
    sl_dist_cache_free();
    return EXIT_SUCCESS;
}
