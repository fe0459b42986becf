/* Movements on speculation, against small scenarios counted by hand. */
#include "config.h"

#include "celllab.h"
#include <math.h>

#define US INT64_C(1000000) /* ps */

#define MACHINE                                                                                    \
    "name: guess\n"                                                                                \
    "resources: {gpu: {servers: 1}, link: {servers: 1, order: priority}}\n"                        \
    "domains: {hbm: {capacity: 1GiB, reserve: 0B}, host: {capacity: 1GiB, reserve: 0B}}\n"         \
    "routes: [{from: host, to: hbm, resource: link, bandwidth: 1GB/s}]\n"                          \
    "policies: [{name: as-given, action: as-given}]\ntrials: 400\nseed: 3\n"
/* 1 GB/s: a byte takes 1 ns, so that x (10000 B) takes 10us and y (4000 B) 4us. */
#define OBJECTS                                                                                    \
    "object,size,home,placements,initial\nx,10000B,hbm,hbm;host,host\ny,4000B,hbm,hbm;host,host\n"

static struct celllab lab;
static struct sl_cell cell;

static void run_cell(const char *guards, const char *nodes, const char *edges)
{
    char yaml[1200];
    snprintf(yaml, sizeof yaml, MACHINE "%s", guards);
    celllab_open(&lab, yaml, nodes, edges, OBJECTS, NULL);
    celllab_run(&lab, &cell);
    ck_assert_int_eq(cell.verdict, SL_VERDICT_OK);
}

static void close_all(void)
{
    sl_cell_free(&cell);
    celllab_close(&lab);
}

static void is(double value, double expected)
{
    ck_assert_double_eq_tol(value, expected, 1e-9 * (1 + fabs(expected)));
}

/* p brings x for u, which has a guard that fails in every trial: 10000 B and 10us of the link are
 * wasted.  The demand d for y comes at 2us, while p runs: it waits 8us for p's end. */
START_TEST(a_guess_that_fails)
{
    run_cell("guards: {right: {probability: 0}}\n",
             "node,kind,resource,duration,inputs,object,from,to,guard,release\n"
             "p,prefetch,,,,x,host,hbm,,\nu,compute,gpu,1us,x,,,,right,\n"
             "d,transfer,,,,y,host,hbm,,2us\nv,compute,gpu,1us,y,,,,,\n",
             "from,to\n");
    const struct sl_speculation_use *use = &cell.speculation;
    ck_assert_uint_eq(use->movements, 1);
    is(use->started.value, 1);
    is(use->hits.value, 0);
    is(use->hit_rate.value, 0);
    /* Binomial of 400 trials: the share of which 400 failures have probability 1/40. */
    is(use->hit_rate.hi, 1 - pow(0.025, 1.0 / 400));
    is(use->wasted_bytes.value, 10000);
    is(use->wasted_us.value, 10);
    is(use->demand_waits.value, 1);
    is(use->demand_us.value, 8);
    is(use->reclamation_waits.value, 0);
    is(use->bypasses.value, 0);
}
END_TEST

/* A guess that is right in a share q of the trials: hits are binomial, and what is wasted goes with
 * the rest.  The interval of the rate holds q but for a chance of 5% by seed; the seed is fixed. */
START_TEST(a_guess_that_is_sometimes_right)
{
    run_cell("guards: {right: {probability: 0.7}}\n",
             "node,kind,resource,duration,inputs,object,from,to,guard,release\n"
             "p,prefetch,,,,x,host,hbm,,\nu,compute,gpu,1us,x,,,,right,\n",
             "from,to\n");
    const struct sl_speculation_use *use = &cell.speculation;
    double rate = use->hit_rate.value;
    is(use->hits.value, rate);
    is(use->wasted_us.value, 10 * (1 - rate));
    ck_assert(use->hit_rate.lo < 0.7 && 0.7 < use->hit_rate.hi);
    /* Student's t of 400 coins. */
    is(use->hit_rate.hi - rate, 1.9659272562 * sqrt(rate * (1 - rate) / 399));
}
END_TEST

/* What the movement's own guards say already is no speculation; what a user alone has is.  A second
 * user that has nothing more makes the copy needed. */
START_TEST(who_is_speculative)
{
    static const struct {
        const char *mover, *user, *other;
        uint32_t movements;
    } cases[] = {{"right", "right", "right", 0},
                 {"right", "right & there", "right & there", 1},
                 {"there", "right & there", "there & right", 1},
                 {"", "right", "!there", 1},
                 {"", "right", "", 0}};
    char nodes[500];
    snprintf(nodes, sizeof nodes,
             "node,kind,resource,duration,inputs,object,from,to,guard\n"
             "p,prefetch,,,,x,host,hbm,%s\nu,compute,gpu,1us,x,,,,%s\nw,compute,gpu,1us,x,,,,%s\n",
             cases[_i].mover, cases[_i].user, cases[_i].other);
    run_cell("guards: {right: {probability: 0.5}, there: {probability: 0.5}}\n", nodes,
             "from,to\n");
    ck_assert_uint_eq(cell.speculation.movements, cases[_i].movements);
}
END_TEST

/* d (2us, ready at 1us) waits for p, which ends at 10us.  Of lower priority than q (ready at 3us,
 * 4us) it waits for that one, too: 13us or 9us, either way until a guess ends. */
START_TEST(waits_for_guesses)
{
    char nodes[600];
    snprintf(nodes, sizeof nodes,
             "node,kind,resource,duration,inputs,object,from,to,guard,release,priority\n"
             "p,prefetch,,,,x,host,hbm,,,9\nu,compute,gpu,1us,x,,,,right,,\n"
             "d,compute,link,2us,,,,,,1us,%d\n"
             "q,prefetch,,,,y,host,hbm,,3us,5\nv,compute,gpu,1us,y,,,,right,,\n",
             _i == 0 ? 1 : 8);
    run_cell("guards: {right: {probability: 1}}\n", nodes, "from,to\n");
    const struct sl_speculation_use *use = &cell.speculation;
    ck_assert_uint_eq(use->movements, 2);
    is(use->started.value, 2);
    is(use->hit_rate.value, 1);
    is(use->wasted_bytes.value, 0);
    is(use->demand_waits.value, 1);
    is(use->demand_us.value, _i == 0 ? 13 : 9);
    is(use->bypasses.value, 0);
}
END_TEST

/* h keeps 5000 B until 20us, so that d (10000 B of 12000 B, ready at 1us) waits for h; the guess p
 * (4000 B) is ready at 2us, fits and passes d once.  Nobody uses it, and its bytes come back. */
START_TEST(a_guess_that_passes)
{
    celllab_open(
        &lab,
        "name: pass\nresources: {gpu: {servers: 1}, link: {servers: 1, order: fifo}}\n"
        "domains: {hbm: {capacity: 12000B, reserve: 0B}, host: {capacity: 1GiB, reserve: 0B}}\n"
        "routes: [{from: host, to: hbm, resource: link, bandwidth: 1GB/s}]\n"
        "guards: {right: {probability: 0}}\n"
        "policies: [{name: as-given, action: as-given}]\ntrials: 5\nseed: 3\n",
        "node,kind,resource,duration,inputs,object,from,to,guard,release,workspace\n"
        "h,compute,gpu,20us,,,,,,,hbm:5000B\nd,transfer,,,,x,host,hbm,,1us,\n"
        "p,prefetch,,,,y,host,hbm,,2us,\nu,compute,gpu,1us,y,,,,right,,\n"
        "v,compute,gpu,1us,x,,,,,,\n",
        "from,to\n", OBJECTS, NULL);
    celllab_run(&lab, &cell);
    const struct sl_speculation_use *use = &cell.speculation;
    is(use->started.value, 1);
    is(use->bypasses.value, 1);
    is(use->demand_waits.value, 0);
    is(use->wasted_us.value, 4);
    ck_assert_int_eq(cell.metric_ps[0], 31 * US); /* 20us, d 10us, v 1us */
}
END_TEST

/* A reclamation that takes 1us of the link is ready at 6us and waits for p's end at 14us. */
START_TEST(a_reclamation_waits)
{
    run_cell("guards: {right: {probability: 0}}\n",
             "node,kind,resource,duration,inputs,object,from,to,guard,release\n"
             "d,transfer,,,,y,host,hbm,,\np,prefetch,,,,x,host,hbm,,\n"
             "u,compute,gpu,1us,x,,,,right,\nv,compute,gpu,2us,y,,,,,\n"
             "free,reclamation,link,1us,,y,hbm,,,\n",
             "from,to\nv,free\n");
    const struct sl_speculation_use *use = &cell.speculation;
    is(use->demand_waits.value, 0);
    is(use->reclamation_waits.value, 1); /* d 0 to 4us, v to 6us, p 4 to 14us */
    is(use->reclamation_us.value, 8);
}
END_TEST

/* Two hops: the first one's user is the second, which is speculative in its turn. */
START_TEST(hops_go_together)
{
    celllab_open(
        &lab,
        "name: hops\nresources: {gpu: {servers: 1}, a: {servers: 1}, b: {servers: 1}}\n"
        "domains: {hbm: {capacity: 1GiB, reserve: 0B}, host: {capacity: 1GiB, reserve: 0B},"
        " disk: {}}\n"
        "routes: [{from: disk, to: host, resource: a, bandwidth: 1GB/s},"
        " {from: host, to: hbm, resource: b, bandwidth: 1GB/s}]\n"
        "guards: {right: {probability: 0}}\n"
        "policies: [{name: as-given, action: as-given}]\ntrials: 5\nseed: 3\n",
        "node,kind,resource,duration,inputs,object,from,to,guard\n"
        "p,prefetch,,,,x,disk,host,\nq,prefetch,,,,x,host,hbm,\n"
        "u,compute,gpu,1us,x,,,,right\n",
        "from,to\n", "object,size,home,placements,initial\nx,10000B,hbm,hbm;host;disk,disk\n",
        NULL);
    celllab_run(&lab, &cell);
    ck_assert_uint_eq(cell.speculation.movements, 2);
    is(cell.speculation.started.value, 2);
    is(cell.speculation.hits.value, 0);
    is(cell.speculation.wasted_us.value, 20);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("speculation");
    TCase *c = tcase_create("speculation");
    tcase_add_checked_fixture(c, NULL, close_all);
    tcase_add_test(c, a_guess_that_fails);
    tcase_add_test(c, a_guess_that_is_sometimes_right);
    tcase_add_loop_test(c, who_is_speculative, 0, 5);
    tcase_add_loop_test(c, waits_for_guesses, 0, 2);
    tcase_add_test(c, a_guess_that_passes);
    tcase_add_test(c, a_reclamation_waits);
    tcase_add_test(c, hops_go_together);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
