/* Stalls and bounds of hand-made records: idle intervals read off a drawing, longest paths added up
 * by hand, and a random record against a second count, tick by tick. */
#include <config.h>

#include "dice.h"
#include "harness.h"
#include "measure.h"
#include "scenario.h"
#include "tempdir.h"
#include <string.h>

#define MAX_NODES 512

/* A scenario's raw graph and a record to fill in. */
struct setup {
    struct tempdir dir;
    struct sl_scenario scenario;
    struct sl_program *program;
    struct sl_measurer *measurer;
    struct sl_error err;
    int64_t start[MAX_NODES], free[MAX_NODES], finish[MAX_NODES], duration[MAX_NODES];
    uint8_t state[MAX_NODES], cause[MAX_NODES];
    int64_t busy[8];
    struct sl_trial trial;
};

static void setup_open(struct setup *s, const char *nodes, const char *edges)
{
    memset(s, 0, sizeof *s);
    tempdir_make(&s->dir);
    tempdir_write(&s->dir, "scenario.yaml",
                  "name: hand\nnodes: nodes.csv\nedges: edges.csv\n"
                  "resources:\n  compute: {servers: 2}\n  link: {servers: 1}\n"
                  "guards:\n  maybe: {probability: 0.5, scope: job}\n"
                  "policies:\n  - {name: p, action: as-given}\nbaseline: p\n"
                  "trials: 10\nseed: 1\n");
    tempdir_write(&s->dir, "nodes.csv", nodes);
    tempdir_write(&s->dir, "edges.csv", edges);
    struct sl_diags diags = {0};
    enum sl_status status = sl_scenario_load(&s->scenario, s->dir.path, NULL, 0, &diags, &s->err);
    sl_diags_print(&diags, stderr);
    sl_diags_free(&diags);
    ck_assert_msg(status == SL_OK, "%s", s->err.message);
    struct sl_engine_options options = {0};
    ck_assert_msg(sl_program_create(&s->program, s->scenario.graph, &options, &s->err) == SL_OK,
                  "%s", s->err.message);
    ck_assert_int_eq(sl_measurer_create(&s->measurer, s->scenario.graph, &s->err), SL_OK);
    s->trial = (struct sl_trial){.start_ps = s->start,
                                 .free_ps = s->free,
                                 .finish_ps = s->finish,
                                 .duration_ps = s->duration,
                                 .state = s->state,
                                 .cause = s->cause,
                                 .busy_ps = s->busy};
    for (size_t i = 0; i < MAX_NODES; i++)
        s->start[i] = s->free[i] = s->finish[i] = -1;
}

static void setup_close(struct setup *s)
{
    sl_measurer_free(s->measurer);
    sl_program_free(s->program);
    sl_scenario_free(&s->scenario);
    tempdir_remove(&s->dir);
}

static uint32_t node(const struct setup *s, const char *name)
{
    uint32_t i = sl_names_find(&s->scenario.graph->node_names, name);
    ck_assert_uint_ne(i, SL_NONE);
    return i;
}

static uint32_t resource(const struct setup *s, const char *name)
{
    return sl_names_find(&s->scenario.platform.resource_names, name);
}

/* A node that ran: hold from start to free, then latency up to finish. */
static void ran(struct setup *s, const char *name, int64_t start, int64_t end, int64_t finish,
                enum sl_cause cause)
{
    uint32_t i = node(s, name);
    s->state[i] = SL_RAN;
    s->start[i] = start;
    s->free[i] = end;
    s->finish[i] = finish;
    s->duration[i] = end - start;
    s->cause[i] = (uint8_t)cause;
}

static const char *const FIVE = "node,kind,resource,duration\n"
                                "a,compute,compute,10ps\nb,compute,compute,15ps\n"
                                "z,compute,compute,0ps\nc,compute,compute,10ps\n"
                                "s,compute,compute,10ps\nl,compute,link,50ps\n";

/* compute: a [0,10) b [5,20) idle c [30,40) idle until 50; z has no length, s is skipped. */
static void draw_five(struct setup *s)
{
    ran(s, "a", 0, 10, 10, SL_CAUSE_NONE);
    ran(s, "b", 5, 20, 20, SL_CAUSE_LANE);
    ran(s, "z", 25, 25, 25, SL_CAUSE_STORAGE);
    ran(s, "c", 30, 40, 40, SL_CAUSE_DATA);
    ran(s, "l", 0, 50, 50, SL_CAUSE_NONE);
    uint32_t skipped = node(s, "s");
    s->state[skipped] = SL_SKIPPED;
    s->finish[skipped] = 22;
    s->trial.makespan_ps = 50;
    s->busy[resource(s, "compute")] = 30;
    s->busy[resource(s, "link")] = 50;
}

START_TEST(idle_by_the_next_starters_cause)
{
    struct setup s;
    setup_open(&s, FIVE, "from,to,type\n");
    draw_five(&s);
    struct sl_stalls stalls;
    ck_assert_int_eq(
        sl_measure_stalls(s.measurer, &s.trial, resource(&s, "compute"), &stalls, &s.err), SL_OK);
    ck_assert_int_eq(stalls.busy_ps, 30);
    for (unsigned k = 0; k < SL_STALLS; k++) {
        int64_t expected = k == SL_CAUSE_DATA || k == SL_STALL_DRAIN ? 10 : 0;
        ck_assert_msg(stalls.idle_ps[k] == expected, "%s", sl_stall_name(k));
    }
    ck_assert_int_eq(sl_measure_stalls(s.measurer, &s.trial, resource(&s, "link"), &stalls, &s.err),
                     SL_OK);
    ck_assert_int_eq(stalls.busy_ps, 50);
    ck_assert_int_eq(stalls.idle_ps[SL_STALL_DRAIN], 0);
    setup_close(&s);
}
END_TEST

START_TEST(idle_before_the_first_start)
{
    struct setup s;
    setup_open(&s, FIVE, "from,to,type\n");
    draw_five(&s);
    ran(&s, "a", 3, 10, 10, SL_CAUSE_RELEASE);
    s.busy[resource(&s, "compute")] = 27;
    struct sl_stalls stalls;
    ck_assert_int_eq(
        sl_measure_stalls(s.measurer, &s.trial, resource(&s, "compute"), &stalls, &s.err), SL_OK);
    ck_assert_int_eq(stalls.idle_ps[SL_CAUSE_RELEASE], 3);
    ck_assert_int_eq(stalls.busy_ps, 27);
    setup_close(&s);
}
END_TEST

START_TEST(nothing_to_attribute)
{
    struct setup s;
    setup_open(&s, FIVE, "from,to,type\n");
    draw_five(&s);
    struct sl_stalls stalls;
    ck_assert_int_eq(sl_measure_stalls(s.measurer, &s.trial, SL_NONE, &stalls, &s.err), SL_OK);
    ck_assert_int_eq(stalls.busy_ps, 0);
    s.trial.outcome = SL_DEADLOCK;
    s.trial.makespan_ps = INT64_MAX;
    ck_assert_int_eq(sl_measure_stalls(s.measurer, &s.trial, 0, &stalls, &s.err), SL_OK);
    ck_assert_int_eq(stalls.busy_ps + stalls.idle_ps[SL_STALL_DRAIN], 0);
    struct sl_bounds bounds;
    sl_measure_bounds(s.measurer, &s.trial, &bounds);
    ck_assert_int_eq(bounds.path_ps + bounds.load_ps, 0);
    setup_close(&s);
}
END_TEST

START_TEST(time_beyond_the_makespan_is_refused)
{
    struct setup s;
    setup_open(&s, FIVE, "from,to,type\n");
    draw_five(&s);
    s.trial.makespan_ps = 39; /* c comes free at 40 */
    struct sl_stalls stalls;
    ck_assert_int_eq(
        sl_measure_stalls(s.measurer, &s.trial, resource(&s, "compute"), &stalls, &s.err),
        SL_SYSTEM);
    setup_close(&s);
}
END_TEST

START_TEST(busy_time_is_held_against_the_engine)
{
    struct setup s;
    setup_open(&s, FIVE, "from,to,type\n");
    draw_five(&s);
    s.busy[resource(&s, "compute")] = 29;
    struct sl_stalls stalls;
    ck_assert_int_eq(
        sl_measure_stalls(s.measurer, &s.trial, resource(&s, "compute"), &stalls, &s.err),
        SL_SYSTEM);
    setup_close(&s);
}
END_TEST

#define TICKS 2000

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* 400 nodes at random times, three trials in differing orders: counted tick by tick. */
START_TEST(random_records_tick_by_tick)
{
    static char text[MAX_NODES * 40];
    size_t used = (size_t)snprintf(text, sizeof text, "node,kind,resource,duration\n");
    for (int i = 0; i < 400; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "n%d,compute,compute,5ps\n", i);
    struct setup s;
    setup_open(&s, text, "from,to,type\n");
    uint32_t state = 7;
    for (int round = 0; round < 3; round++) {
        int64_t expected[SL_STALLS] = {0}, busy = 0;
        for (uint32_t i = 0; i < 400; i++) {
            s.state[i] = SL_RAN;
            s.start[i] = next_random(&state) % (TICKS - 10);
            s.free[i] = s.finish[i] = s.start[i] + next_random(&state) % 4;
            s.cause[i] = (uint8_t)(next_random(&state) % SL_CAUSES);
        }
        for (int64_t tick = 0; tick < TICKS; tick++) {
            uint32_t opener = SL_NONE; /* earliest start of a node of some length after the tick */
            bool used_now = false;
            for (uint32_t i = 0; i < 400; i++) {
                used_now |= s.start[i] <= tick && tick < s.free[i];
                if (s.free[i] > s.start[i] && s.start[i] > tick &&
                    (opener == SL_NONE || s.start[i] < s.start[opener]))
                    opener = i;
            }
            busy += used_now;
            expected[opener == SL_NONE ? SL_STALL_DRAIN : s.cause[opener]] += !used_now;
        }
        s.trial.makespan_ps = TICKS;
        s.busy[resource(&s, "compute")] = busy;
        struct sl_stalls stalls;
        ck_assert_int_eq(
            sl_measure_stalls(s.measurer, &s.trial, resource(&s, "compute"), &stalls, &s.err),
            SL_OK);
        ck_assert_int_eq(stalls.busy_ps, busy);
        for (unsigned k = 0; k < SL_STALLS; k++)
            ck_assert_int_eq(stalls.idle_ps[k], expected[k]);
    }
    setup_close(&s);
}
END_TEST

/* a 10, then with lag 5 b 20 and its latency 3; c 7 released at 100, after b in lane q; d 4 with a
 * guard between a and e 2. */
static const char *const PATHS = "node,kind,resource,duration,lane,release,guard\n"
                                 "a,compute,compute,10ps,,,\n"
                                 "b,compute,compute,20ps,q,,\n"
                                 "c,compute,compute:2,7ps,q,100ps,\n"
                                 "d,compute,link,4ps,,,maybe\n"
                                 "e,compute,compute,2ps,,,\n";
static const char *const PATH_EDGES = "from,to,type,lag\na,b,data-ready,5ps\na,d,data-ready,\n"
                                      "d,e,data-ready,50ps\n";

START_TEST(path_and_load)
{
    struct setup s;
    setup_open(&s, PATHS, PATH_EDGES);
    ran(&s, "a", 0, 10, 10, SL_CAUSE_NONE);
    ran(&s, "b", 40, 60, 63, SL_CAUSE_QUEUE); /* late, but what counts is its length */
    ran(&s, "c", 200, 207, 207, SL_CAUSE_RELEASE);
    ran(&s, "d", 10, 14, 14, SL_CAUSE_DATA);
    ran(&s, "e", 70, 72, 72, SL_CAUSE_DATA);
    s.trial.makespan_ps = 207;
    struct sl_bounds bounds;
    sl_measure_bounds(s.measurer, &s.trial, &bounds);
    ck_assert_int_eq(bounds.path_ps, 107); /* release 100 + 7, later than b's 10 + 5 + 20 + 3 */
    ck_assert_int_eq(bounds.load_ps, 23);  /* (10 + 20 + 2 x 7 + 2) / 2 servers */
    /* Longer b: the lane makes c follow it. */
    ran(&s, "b", 40, 140, 143, SL_CAUSE_QUEUE);
    sl_measure_bounds(s.measurer, &s.trial, &bounds);
    ck_assert_int_eq(bounds.path_ps, 125); /* 10 + 5 + 100 + 3 + 7 */
    ck_assert_int_eq(bounds.load_ps, 63);
    setup_close(&s);
}
END_TEST

START_TEST(a_failed_guard_takes_no_time_but_passes_precedence_on)
{
    struct setup s;
    setup_open(&s, PATHS, PATH_EDGES);
    ran(&s, "a", 0, 100, 100, SL_CAUSE_NONE);
    ran(&s, "b", 105, 106, 106, SL_CAUSE_QUEUE);
    ran(&s, "c", 106, 113, 113, SL_CAUSE_LANE);
    ran(&s, "e", 150, 152, 152, SL_CAUSE_DATA);
    uint32_t skipped = node(&s, "d");
    s.state[skipped] = SL_SKIPPED;
    s.finish[skipped] = 100;
    s.duration[skipped] = 4;
    s.trial.makespan_ps = 152;
    struct sl_bounds bounds;
    sl_measure_bounds(s.measurer, &s.trial, &bounds);
    ck_assert_int_eq(bounds.path_ps, 152); /* a 100, d nothing, lag 50, e 2 */
    /* Cancelled, it may be done before its predecessors: e is bound by nothing but the lag. */
    s.state[skipped] = SL_CANCELLED;
    sl_measure_bounds(s.measurer, &s.trial, &bounds);
    ck_assert_int_eq(bounds.path_ps, 113); /* a 100, lag 5, b 1, c 7 */
    setup_close(&s);
}
END_TEST

/* ---- random graphs: the path by its definition, predecessors looked for among all edges ---- */

enum { NODES = 60, EDGES = 150, LANES = 3 };

struct random_graph {
    struct {
        int64_t lag;
        uint32_t from, to;
    } edges[EDGES];
    int64_t release[NODES];
    uint32_t lane[NODES], units[NODES]; /* lane 0: none; units of compute, which has two servers */
};

static void write_graph(struct random_graph *g, struct dice *dice, char *nodes, char *edges,
                        size_t size)
{
    size_t used = (size_t)snprintf(nodes, size, "node,kind,resource,duration,lane,release\n");
    for (unsigned i = 0; i < NODES; i++) {
        g->lane[i] = dice_chance(dice, 30) ? 1 + dice_below(dice, LANES) : 0;
        g->release[i] = dice_chance(dice, 20) ? dice_below(dice, 300) : 0;
        g->units[i] = 1 + dice_below(dice, 2);
        used += (size_t)snprintf(nodes + used, size - used, "n%u,compute,compute:%u,5ps,", i,
                                 (unsigned)g->units[i]);
        if (g->lane[i])
            used += (size_t)snprintf(nodes + used, size - used, "q%u", (unsigned)g->lane[i]);
        used += (size_t)snprintf(nodes + used, size - used, ",%dps\n", (int)g->release[i]);
    }
    used = (size_t)snprintf(edges, size, "from,to,type,lag\n");
    for (unsigned e = 0; e < EDGES; e++) {
        unsigned from = dice_below(dice, NODES - 1);
        g->edges[e].from = from;
        g->edges[e].to = from + 1 + dice_below(dice, NODES - 1 - from);
        g->edges[e].lag = dice_chance(dice, 30) ? 1 + dice_below(dice, 60) : 0;
        used += (size_t)snprintf(edges + used, size - used, "n%u,n%u,ordering,%dps\n", from,
                                 (unsigned)g->edges[e].to, (int)g->edges[e].lag);
    }
}

static int64_t path_by_definition(const struct random_graph *g, const struct setup *s)
{
    int64_t done[NODES], longest = 0;
    for (uint32_t i = 0; i < NODES;
         i++) { /* edges go from lower to higher numbers, and so do lanes */
        int64_t at = 0;
        for (uint32_t e = 0; e < EDGES; e++)
            if (g->edges[e].to == i && done[g->edges[e].from] + g->edges[e].lag > at)
                at = done[g->edges[e].from] + g->edges[e].lag;
        uint32_t before = i; /* in its lane, one place earlier */
        while (g->lane[i] && before-- > 0 && g->lane[before] != g->lane[i])
            ;
        if (g->lane[i] && before != SL_NONE && done[before] > at)
            at = done[before];
        if (s->state[i] == SL_RAN)
            at = (at > g->release[i] ? at : g->release[i]) + s->duration[i] + s->finish[i] -
                 s->free[i];
        done[i] = s->state[i] == SL_CANCELLED ? 0 : at;
        longest = done[i] > longest ? done[i] : longest;
    }
    return longest;
}

/* Trials in which all nodes run, and trials in which some are skipped or cancelled. */
START_TEST(random_paths_by_definition)
{
    static char nodes[NODES * 60], edges[NODES * 100];
    struct dice dice = {.state = (uint64_t)_i};
    struct random_graph g;
    struct setup s;
    write_graph(&g, &dice, nodes, edges, sizeof nodes);
    setup_open(&s, nodes, edges);
    for (int round = 0; round < 10; round++) {
        int64_t work = 0;
        s.trial.all_ran = round % 2 == 0;
        for (uint32_t i = 0; i < NODES; i++) {
            s.state[i] = SL_RAN;
            if (!s.trial.all_ran && dice_chance(&dice, 20))
                s.state[i] = dice_chance(&dice, 50) ? SL_SKIPPED : SL_CANCELLED;
            s.duration[i] = dice_below(&dice, 100);
            s.free[i] = dice_below(&dice, 1000);
            s.finish[i] = s.free[i] + (dice_chance(&dice, 20) ? dice_below(&dice, 30) : 0);
            work += s.state[i] == SL_RAN ? s.duration[i] * g.units[i] : 0;
        }
        struct sl_bounds bounds;
        sl_measure_bounds(s.measurer, &s.trial, &bounds);
        ck_assert_int_eq(bounds.path_ps, path_by_definition(&g, &s));
        ck_assert_int_eq(bounds.load_ps, (work + 1) / 2);
    }
    setup_close(&s);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("measure");
    TCase *stalls = tcase_create("stalls");
    tcase_add_test(stalls, idle_by_the_next_starters_cause);
    tcase_add_test(stalls, idle_before_the_first_start);
    tcase_add_test(stalls, nothing_to_attribute);
    tcase_add_test(stalls, busy_time_is_held_against_the_engine);
    tcase_add_test(stalls, time_beyond_the_makespan_is_refused);
    tcase_add_test(stalls, random_records_tick_by_tick);
    suite_add_tcase(suite, stalls);
    TCase *bounds = tcase_create("bounds");
    tcase_add_test(bounds, path_and_load);
    tcase_add_test(bounds, a_failed_guard_takes_no_time_but_passes_precedence_on);
    tcase_add_loop_test(bounds, random_paths_by_definition, 0, 20);
    suite_add_tcase(suite, bounds);
    return suite;
}

int main(void)
{
    return sl_test_run(suite());
}
