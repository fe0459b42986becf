/* Guards that persist, that are correlated, and several at once, against closed forms.
 *
 * Trials are independent, and given the outcome before, the next one is a coin of known odds: every
 * count here is binomial.  A check asks for |count - n q| < 5 sd, which fails by chance once in 1.7
 * million; the seed is fixed, and there are about 60 checks. */
#include "config.h"

#include "planlab.h"
#include <math.h>

#define US      INT64_C(1000000) /* ps */
#define TRIALS  6000u
#define LONGEST 8u

static struct planlab lab;
static struct planlab_run run;
static const struct sl_graph *graph;
static const struct sl_trial *t;
static bool held[TRIALS][4 * LONGEST]; /* by trial: whether a node ran, in the order of the graph */

static void run_guards(const char *run_yaml, const char *guards, const char *nodes)
{
    char yaml[1200];
    snprintf(yaml, sizeof yaml, "name: g\nresources: {r: {servers: unlimited}}\nrun: {%s}\n%s",
             run_yaml, guards);
    planlab_open(&lab, yaml, nodes, NULL);
    graph = planlab_plan(&lab, "as-given");
    run = (struct planlab_run){0};
    t = planlab_trial(&lab, &run);
    ck_assert_uint_le(graph->node_count, 4 * LONGEST);
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        ck_assert_int_eq(sl_worker_run(run.worker, 11, trial, 0, &t, &lab.err), SL_OK);
        for (uint32_t i = 0; i < graph->node_count; i++)
            held[trial][i] = t->state[i] == SL_RAN;
    }
}

static void binomial(const char *what, uint32_t count, uint32_t n, double q)
{
    double sd = sqrt(n * q * (1 - q));
    ck_assert_msg(fabs(count - n * q) <= 5 * sd + 1e-9, "%s: %u of %u, not %.4f", what, count, n,
                  q);
}

/* P(holds | held) = p + r (1 - p),  P(holds | did not) = p (1 - r),  P(holds) = p in each
 * iteration, so that corr(I_i, I_{i+1}) = r; a run of outcomes that hold goes on with s = p + r (1
 * - p), so P(it is longer than 3) = s^3.  With `also`, a normal is shared with another guard in
 * each iteration, which changes none of it. */
static void persists(double p, double r, const char *scope, const char *also)
{
    char guards[400];
    snprintf(
        guards, sizeof guards,
        "guards: {g: {probability: %g, scope: %s, persistence: %g%s}, h: {probability: 0.5%s}}\n",
        p, scope, r, also, also);
    run_guards("mode: iterate, iterations: 8", guards,
               "node,kind,resource,duration,guard,layer\nx,compute,r,1us,g,L\n"
               "y,compute,r,1us,h,\n");
    uint32_t first = 0, last = 0, kept = 0, from_held = 0, came = 0, from_not = 0, runs = 0,
             longer = 0;
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        bool at[LONGEST];
        for (uint32_t i = 0; i < LONGEST; i++)
            at[i] = held[trial][2 * i];
        first += at[0];
        last += at[LONGEST - 1];
        for (uint32_t i = 1; i < LONGEST; i++) {
            from_held += at[i - 1];
            kept += at[i - 1] && at[i];
            from_not += !at[i - 1];
            came += !at[i - 1] && at[i];
        }
        for (uint32_t i = 1; i + 3 < LONGEST; i++) {
            bool begins = at[i] && !at[i - 1];
            runs += begins;
            longer += begins && at[i + 1] && at[i + 2] && at[i + 3];
        }
    }
    double s = p + r * (1 - p);
    binomial("the first iteration", first, TRIALS, p);
    binomial("the last iteration", last, TRIALS, p);
    binomial("held, then held", kept, from_held, s);
    binomial("did not, then held", came, from_not, p * (1 - r));
    binomial("runs longer than three", longer, runs, s * s * s);
}

START_TEST(persistence)
{
    static const struct {
        double p, r;
        const char *scope, *also;
    } cases[] = {{0.3, 0.7, "iteration", ""},
                 {0.8, 0.5, "layer", ""},
                 {0.5, 0.9, "node", ""},
                 {0.4, 0, "iteration", ""},
                 {0.3, 0.6, "iteration", ", correlate: {factor: both, rho: 0.8}"}};
    persists(cases[_i].p, cases[_i].r, cases[_i].scope, cases[_i].also);
}
END_TEST

/* Persistence 1: the first outcome stays. */
START_TEST(what_persists_for_good)
{
    run_guards("mode: iterate, iterations: 8",
               "guards: {g: {probability: 0.5, scope: node, persistence: 1}}\n",
               "node,kind,resource,duration,guard\nx,compute,r,1us,g\ny,compute,r,1us,g\n");
    uint32_t both = 0;
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        both += held[trial][0] && held[trial][1];
        for (uint32_t i = 2; i < 16; i++)
            ck_assert(held[trial][i] == held[trial][i % 2]);
    }
    binomial("two nodes of scope node", both, TRIALS, 0.25);
}
END_TEST

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

/* The z with normal_cdf(z) = p, by bisection. */
static double normal_quantile(double p)
{
    double low = -10, high = 10;
    while (high - low > 1e-12) {
        double middle = (low + high) / 2;
        *(normal_cdf(middle) < p ? &low : &high) = middle;
    }
    return low;
}

/* P(Z1 < a, Z2 < b) of normals with correlation rho: the integral over the shared one, by Simpson.
 */
static double orthant(double p, double q, double rho)
{
    double a = normal_quantile(p), b = normal_quantile(q), sum = 0, step = 0.01;
    for (int i = -800; i <= 800; i++) {
        double z = i * step, own = sqrt(1 - rho);
        double weight = i == -800 || i == 800 ? 1 : i % 2 ? 4 : 2;
        sum += weight * exp(-z * z / 2) * normal_cdf((a - sqrt(rho) * z) / own) *
               normal_cdf((b - sqrt(rho) * z) / own);
    }
    return sum * step / 3 / sqrt(2 * acos(-1));
}

/* Two guards of one factor hold together with the orthant probability of the bivariate normal: at
 * p = 1/2 it is 1/4 + asin(rho) / (2 pi).  Each still holds with its own probability, and in the
 * next iteration the two are drawn anew. */
START_TEST(correlated)
{
    static const struct {
        double p, q, rho;
        const char *scope;
    } cases[] = {{0.5, 0.5, 0.5, "iteration"},
                 {0.5, 0.5, 0.9, "job"},
                 {0.2, 0.7, 0.6, "node"},
                 {0.5, 0.5, 0, "job"}};
    double p = cases[_i].p, q = cases[_i].q, rho = cases[_i].rho;
    char guards[400];
    snprintf(guards, sizeof guards,
             "guards:\n"
             "  g: {probability: %g, scope: %s, correlate: {factor: f, rho: %g}}\n"
             "  h: {probability: %g, scope: %s, correlate: {factor: f, rho: %g}}\n",
             p, cases[_i].scope, rho, q, cases[_i].scope, rho);
    run_guards("mode: iterate, iterations: 2", guards,
               "node,kind,resource,duration,guard\nx,compute,r,1us,g\ny,compute,r,1us,h\n");
    double both = p == 0.5 && q == 0.5 ? 0.25 + asin(rho) / (2 * acos(-1)) : orthant(p, q, rho);
    ck_assert_double_eq_tol(both, orthant(p, q, rho), 1e-9);
    uint32_t x = 0, y = 0, xy[2] = {0}, across = 0, later = 0;
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        const bool *at = held[trial];
        x += at[0];
        y += at[1];
        xy[0] += at[0] && at[1];
        xy[1] += at[2] && at[3];
        across += at[0] && at[3];
        later += at[0] == at[2];
    }
    binomial("g", x, TRIALS, p);
    binomial("h", y, TRIALS, q);
    binomial("g and h", xy[0], TRIALS, both);
    binomial("g and h in the second iteration", xy[1], TRIALS, both);
    if (strcmp(cases[_i].scope, "job") == 0)
        ck_assert_uint_eq(later, TRIALS);
    else
        binomial("g, then h", across, TRIALS, p * q);
}
END_TEST

/* Layers of one guard share the factor, too. */
START_TEST(layers_are_correlated)
{
    run_guards(
        "mode: once",
        "guards: {g: {probability: 0.5, scope: layer, correlate: {factor: f, rho: 0.7}}}\n",
        "node,kind,resource,duration,guard,layer\nx,compute,r,1us,g,0\ny,compute,r,1us,g,1\n");
    uint32_t both = 0;
    for (uint32_t trial = 0; trial < TRIALS; trial++)
        both += held[trial][0] && held[trial][1];
    binomial("two layers", both, TRIALS, 0.25 + asin(0.7) / (2 * acos(-1)));
}
END_TEST

/* A declared factor is the shared draw itself: with rho 1 a guard of probability 0.3 holds where
 * the factor is below its 0.3 quantile, which is 1.3, so that the node beside it takes less
 * than 1.3us. */
START_TEST(a_declared_factor_is_the_draw)
{
    run_guards("mode: iterate, iterations: 3",
               "guards: {g: {probability: 0.3, scope: iteration, correlate: {factor: f, rho: 1}}}\n"
               "factors: {f: {draw: 'uniform(low=1, high=2)', per: iteration, nodes: y}}\n",
               "node,kind,resource,duration,guard\nx,compute,r,1us,g\ny,compute,r,1us,\n");
    for (uint32_t trial = 0; trial < 500; trial++) {
        ck_assert_int_eq(sl_worker_run(run.worker, 11, trial, 0, &t, &lab.err), SL_OK);
        for (uint32_t i = 0; i < 6; i += 2)
            ck_assert((t->state[i] == SL_RAN) == (t->duration_ps[i + 1] < 13 * US / 10));
    }
}
END_TEST

/* A node of several guards runs when each of them says so: independent ones multiply. */
START_TEST(several_at_once)
{
    run_guards("mode: once", "guards: {g: {probability: 0.6}, h: {probability: 0.3}}\n",
               "node,kind,resource,duration,guard\ng,compute,r,1us,g\nh,compute,r,1us,h\n"
               "both,compute,r,1us,g & h\nonly,compute,r,1us,g&! h\n");
    uint32_t both = 0;
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        const bool *at = held[trial];
        ck_assert(at[2] == (at[0] && at[1]) && at[3] == (at[0] && !at[1]));
        both += at[2];
    }
    binomial("both", both, TRIALS, 0.18);
}
END_TEST

static void close_lab(void)
{
    planlab_end(&run);
    planlab_close(&lab);
}

static Suite *suite(void)
{
    Suite *s = suite_create("guards");
    TCase *c = tcase_create("guards");
    tcase_add_checked_fixture(c, NULL, close_lab);
    tcase_add_loop_test(c, persistence, 0, 5);
    tcase_add_test(c, what_persists_for_good);
    tcase_add_loop_test(c, correlated, 0, 4);
    tcase_add_test(c, layers_are_correlated);
    tcase_add_test(c, a_declared_factor_is_the_draw);
    tcase_add_test(c, several_at_once);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
