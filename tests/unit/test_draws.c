/* A trial's draws: the published values of Philox4x32-10, and the same bits one at a time, in bulk
 * and on every vector target. */
#include <config.h>

#include "isa.h"
#include "lab.h"
#include "worker.h"
#include <math.h>

/* The target of a loop test; false: this machine lacks it, which is said. */
static bool use_isa(int isa)
{
    if (!sl_isa_available((enum sl_isa)isa)) {
        printf("# skipped: this machine has no %s\n", sl_isa_name((enum sl_isa)isa));
        return false;
    }
    sl_isa_force((enum sl_isa)isa);
    return true;
}

/* Of 64 bits the upper 53, and the middle of the interval that they name. */
static double uniform_of(uint32_t low, uint32_t high)
{
    return ldexp((double)(((uint64_t)high << 32 | low) >> 11) + 0.5, -53);
}

/* Counters, keys and results of the known-answer tests that come with Random123. */
START_TEST(published_values)
{
    double u, u2;
    sl_draws_uniforms(0, 0, 0, 0, &u, &u2);
    ck_assert_double_eq(u, uniform_of(0x6627e8d5, 0xe169c58d));
    ck_assert_double_eq(u2, uniform_of(0xbc57ac4c, 0x9b00dbd8));
    sl_draws_uniforms(UINT64_MAX, UINT32_MAX, UINT64_MAX, UINT32_MAX, &u, &u2);
    ck_assert_double_eq(u, uniform_of(0x408f276d, 0x41c83b0e));
    ck_assert_double_eq(u2, uniform_of(0xa20bc7c6, 0x6d5451fd));
    sl_draws_uniforms(0x299f31d0a4093822, 0x243f6a88, 0x13198a2e85a308d3, 0x03707344, &u, &u2);
    ck_assert_double_eq(u, uniform_of(0xd16cfe09, 0x94fdcceb));
    ck_assert_double_eq(u2, uniform_of(0x5001e420, 0x24126ea1));
}
END_TEST

START_TEST(bulk_is_one_by_one)
{
    enum { MOST = 45 };
    uint64_t hash[MOST + SL_DRAWS_AT_ONCE] = {0}, seed = 0x123456789abcdef0;
    double first[MOST + SL_DRAWS_AT_ONCE], second[MOST + SL_DRAWS_AT_ONCE];
    if (!use_isa(_i))
        return;
    for (uint32_t i = 0; i < MOST; i++)
        hash[i] = i * UINT64_C(0x9E3779B97F4A7C15);
    for (uint32_t count = 1; count <= MOST; count++) {
        sl_uniforms_fill(seed, count, hash, count, first, count % 2 ? second : NULL);
        for (uint32_t i = 0; i < count; i++) {
            double u, u2;
            sl_draws_uniforms(seed, count, hash[i], 0, &u, &u2);
            ck_assert_double_eq(first[i], u);
            if (count % 2)
                ck_assert_double_eq(second[i], u2);
        }
    }
}
END_TEST

/* Durations of nodes whose laws take turns, by the definition: llround(dist(u) x scale). */
static void check_durations(const char *const *laws, unsigned count, uint32_t trials)
{
    enum { NODES = 43 };
    static struct lab lab;
    lab_open(&lab);
    uint32_t gpu = lab_resource(&lab, "gpu", 4);
    lab_graph(&lab);
    for (unsigned i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        lab_node(&lab, name, laws[i % count], gpu);
    }
    for (uint32_t t = 0; t < trials; t++) {
        const struct sl_trial *trial = lab_run(&lab, 77, t);
        for (uint32_t i = 0; i < NODES; i++) {
            const struct sl_node *node = &lab.graph->nodes[i];
            double u, u2;
            sl_draws_uniforms(77, t, node->key_hash, 0, &u, &u2);
            ck_assert_int_eq(trial->duration_ps[i],
                             llround(sl_dist_value(node->dist, u, u2) * node->scale));
        }
    }
    lab_close(&lab);
}

START_TEST(durations_by_definition)
{
    static const char *const laws[] = {"lognormal(median=100us, sigma=0.5)",
                                       "gamma(mean=80us, cv=0.6)",
                                       "normal(mean=9us, sd=1us)",
                                       "uniform(1us, 3us)",
                                       "mixture(0.5*lognormal(median=2us, sigma=1), 0.5*1us)",
                                       "lognormal(median=7ms, sigma=0.5)",
                                       "40us"};
    if (use_isa(_i))
        check_durations(laws, sizeof laws / sizeof laws[0], 20);
}
END_TEST

/* One law for all nodes, in their order: durations of a few ps, which show how halves are rounded,
 * and some about 2^51 ps, where doubles of a ps lose their halves: in some trials all are below. */
START_TEST(durations_of_one_law)
{
    static const char *const laws[] = {"uniform(0ps, 3ps)", "lognormal(median=8us, sigma=1)",
                                       "lognormal(median=600s, sigma=0.5)"};
    for (unsigned k = 0; k < sizeof laws / sizeof laws[0] && use_isa(_i); k++)
        check_durations(laws + k, 1, 100);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("draws");
    TCase *draws = tcase_create("draws");
    tcase_add_test(draws, published_values);
    tcase_add_loop_test(draws, bulk_is_one_by_one, 0, SL_ISAS);
    tcase_add_loop_test(draws, durations_by_definition, 0, SL_ISAS);
    tcase_add_loop_test(draws, durations_of_one_law, 0, SL_ISAS);
    suite_add_tcase(s, draws);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
