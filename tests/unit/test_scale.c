/* Factors on groups of things (section `scale`), and paths with `*`: what they change and leave. */
#include <config.h>

#include "harness.h"
#include "scenario.h"
#include "tempdir.h"
#include "units.h"

#define US ((double)SL_PS_PER_US)
#define MB INT64_C(1000000)

/* A chain p -> q -> r -> s in one lane beside a lone node t; `x` is used by p and s, `y` by q and
 * r, `z` by t and w.  `m` moves `v`, which s reads, on a route. */
static const char yaml[] =
    "name: scaled\n"
    "resources: {compute: {servers: 4}, h2d: {servers: 1}, d2h: {servers: 1}}\n"
    "domains: {hbm: {capacity: 1GB, reserve: 0B}, pinned: {capacity: 1GB, reserve: 0B}}\n"
    "routes:\n"
    "  - {from: hbm, to: pinned, resource: d2h, bandwidth: 1GB/s}\n"
    "  - {from: pinned, to: hbm, resource: h2d, class: copy.h2d, bandwidth: 2GB/s}\n"
    "objective: {metric: makespan, tail: 0.9}\n"
    "%s";
static const char nodes[] = "node,kind,class,resource,lane,duration,inputs,outputs,object,from,to\n"
                            "p,compute,gemm.p,compute,s,10us,,x,,,\n"
                            "q,compute,gemm.q,compute,s,20us,,y,,,\n"
                            "r,compute,gemm.r,compute,s,30us,y,,,,\n"
                            "s,compute,gemm.s,compute,s,40us,x;v,,,,\n"
                            "t,compute,other,compute,,50us,,z,,,\n"
                            "w,compute,other,compute,,60us,z,,,,\n"
                            "m,prefetch,,,,,,,v,pinned,hbm\n";
static const char edges[] = "from,to,type,object\nm,s,storage-ready,v\n"
                            "p,s,data-ready,x\nq,r,data-ready,y\nt,w,data-ready,z\n";
static const char objects[] = "object,size,home,placements,initial\nx,3MB,hbm,hbm,\n"
                              "y,5MB,hbm,hbm,\nz,7MB,hbm,hbm,\nv,3MB,hbm,hbm;pinned,pinned\n";

static struct tempdir dir;
static struct sl_scenario scenario;
static struct sl_diags diags;
static struct sl_arena arena;

static void open_dir(void)
{
    tempdir_make(&dir);
    diags = (struct sl_diags){0};
    arena = (struct sl_arena){0};
}

static void close_dir(void)
{
    sl_scenario_free(&scenario);
    sl_diags_free(&diags);
    sl_arena_free(&arena);
    tempdir_remove(&dir);
}

/* Loads with a tail of scenario.yaml and overrides "KEY=VALUE" up to a NULL. */
static enum sl_status load(const char *more, const char *const *texts)
{
    char text[2000];
    struct sl_error err = {0};
    struct sl_override set[8];
    uint32_t count = 0;
    for (; texts && texts[count]; count++)
        ck_assert_int_eq(sl_override_parse(&set[count], texts[count], &arena, &err), SL_OK);
    snprintf(text, sizeof text, yaml, more);
    tempdir_write(&dir, "scenario.yaml", text);
    tempdir_write(&dir, "nodes.csv", nodes);
    tempdir_write(&dir, "edges.csv", edges);
    tempdir_write(&dir, "objects.csv", objects);
    return sl_scenario_load(&scenario, dir.path, set, count, &diags, &err);
}

static void must_load(const char *more, const char *const *texts)
{
    enum sl_status status = load(more, texts);
    if (status)
        sl_diags_print(&diags, stderr);
    ck_assert_int_eq(status, SL_OK);
}

static double mean_us(uint32_t node)
{
    return sl_node_mean_hold(scenario.graph, (sl_node_id){node}) / US;
}

/* Exactly one error, with this code and in this text. */
static void must_fail(const char *more, const char *const *texts, const char *code,
                      const char *words)
{
    ck_assert_int_eq(load(more, texts), SL_INVALID);
    ck_assert_uint_eq(diags.errors, 1);
    for (size_t i = 0; i < diags.count; i++)
        if (diags.items[i].severity == SL_ERROR) {
            ck_assert_str_eq(diags.items[i].code, code);
            ck_assert_msg(strstr(diags.items[i].message, words) != NULL, "%s",
                          diags.items[i].message);
        }
}

START_TEST(bandwidths_by_route_or_resource)
{
    static const char *const set[] = {"scale.bandwidth.pinned->*=0.5", NULL};
    must_load("scale: {bandwidth: {d2h: 4}}\n", set);
    ck_assert(scenario.platform.routes[0].bandwidth == 4e9);
    ck_assert(scenario.platform.routes[1].bandwidth == 1e9);
    ck_assert(mean_us(6) == 3000); /* 3 MB at 1 GB/s: moves follow */
}
END_TEST

START_TEST(several_globs_multiply)
{
    must_load("scale: {bandwidth: {'*': 2, h2d: 3, d?h: 0.25}}\n", NULL);
    ck_assert(scenario.platform.routes[0].bandwidth == 0.5e9);
    ck_assert(scenario.platform.routes[1].bandwidth == 12e9);
}
END_TEST

START_TEST(an_override_replaces_its_glob)
{
    static const char *const set[] = {"scale.size.x=10", "scale.size.y;z=2", NULL};
    must_load("scale:\n  size: {x: 3, v: 4, y: 4}\n", set);
    ck_assert_int_eq(scenario.graph->objects[0].bytes, 30 * MB);
    ck_assert_int_eq(scenario.graph->objects[1].bytes, 40 * MB); /* 4 from the file, 2 set */
    ck_assert_int_eq(scenario.graph->objects[2].bytes, 14 * MB);
    ck_assert(mean_us(6) == 6000); /* 12 MB at 2 GB/s */
    ck_assert(mean_us(0) == 10);
}
END_TEST

START_TEST(durations_by_name_or_class)
{
    static const char *const set[] = {"scale.duration.gemm.*=2", "scale.duration.t=0.5", NULL};
    must_load("", set);
    static const double means[] = {20, 40, 60, 80, 25, 60, 1500}; /* the move keeps its route's */
    for (uint32_t i = 0; i < 7; i++)
        ck_assert(mean_us(i) == means[i]);
}
END_TEST

START_TEST(slack_is_what_runs_between_uses)
{
    static const char *const set[] = {"scale.slack.x=3", NULL};
    must_load("", set);
    /* q and r lie between p and s; t and w use z, with nothing between. */
    static const double means[] = {10, 60, 90, 40, 50, 60, 1500};
    for (uint32_t i = 0; i < 7; i++)
        ck_assert(mean_us(i) == means[i]);
}
END_TEST

START_TEST(what_matches_nothing_is_an_error)
{
    static const char *const set[] = {"scale.bandwidth.pinned->hbn=2", NULL};
    must_fail("", set, "no-match", "did you mean 'pinned->hbm'?");
}
END_TEST

START_TEST(moves_are_not_for_durations)
{
    static const char *const set[] = {"scale.duration.copy.h2d=2", NULL};
    must_fail("", set, "no-match", "scale.bandwidth is for moves");
}
END_TEST

START_TEST(without_anything_between_there_is_no_slack)
{
    static const char *const set[] = {"scale.slack.z=2", NULL};
    must_fail("", set, "no-match", "nothing runs between two uses of 'z'");
}
END_TEST

START_TEST(an_unknown_kind_is_located)
{
    must_fail("scale: {bandwith: {'*': 2}}\n", NULL, "unknown-key", "did you mean 'bandwidth'?");
    ck_assert_int_eq(diags.items[diags.count - 1].place.line, 8);
}
END_TEST

START_TEST(factors_have_a_range)
{
    static const char *const set[] = {"scale.size.*=0", NULL};
    must_fail("", set, "bad-number", "allowed: 1e-06 to 1e+06");
}
END_TEST

START_TEST(sizes_stay_in_range)
{
    static const char *const set[] = {"scale.size.z*=1e6", NULL};
    must_fail("scale: {size: {z: 1e6}}\n", set, "too-many-bytes", "2^61");
}
END_TEST

START_TEST(a_star_sets_every_element)
{
    static const char *const set[] = {"routes.*.bandwidth=8GB/s", "domains.*.capacity=2GB", NULL};
    must_load("sweep: {routes.*.bandwidth: [1GB/s, 8GB/s], scale.slack.x: [1, 2]}\n", set);
    for (uint32_t k = 0; k < 2; k++) {
        ck_assert(scenario.platform.routes[k].bandwidth == 8e9);
        ck_assert_int_eq(scenario.platform.domains[k].capacity, 2000 * MB);
    }
    ck_assert_uint_eq(scenario.axis_count, 2);
}
END_TEST

START_TEST(axes_to_nowhere_are_refused)
{
    must_fail("sweep: {routes.*.bandwith: [1GB/s]}\n", NULL, "bad-axis", "routes.*.bandwith");
}
END_TEST

START_TEST(axes_of_an_unknown_scale_are_refused)
{
    must_fail("sweep: {scale.slac.x: [1]}\n", NULL, "bad-axis", "duration or slack");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("scale");
    TCase *c = tcase_create("scale");
    tcase_add_checked_fixture(c, open_dir, close_dir);
    tcase_add_test(c, bandwidths_by_route_or_resource);
    tcase_add_test(c, several_globs_multiply);
    tcase_add_test(c, an_override_replaces_its_glob);
    tcase_add_test(c, durations_by_name_or_class);
    tcase_add_test(c, slack_is_what_runs_between_uses);
    tcase_add_test(c, what_matches_nothing_is_an_error);
    tcase_add_test(c, moves_are_not_for_durations);
    tcase_add_test(c, without_anything_between_there_is_no_slack);
    tcase_add_test(c, an_unknown_kind_is_located);
    tcase_add_test(c, factors_have_a_range);
    tcase_add_test(c, sizes_stay_in_range);
    tcase_add_test(c, a_star_sets_every_element);
    tcase_add_test(c, axes_to_nowhere_are_refused);
    tcase_add_test(c, axes_of_an_unknown_scale_are_refused);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
