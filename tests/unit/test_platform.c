/* Device folders, what a scenario overrides of them, and durations looked up by work. */
#include <config.h>

#include "device.h"
#include "harness.h"
#include "tempdir.h"
#include <math.h>

static const char device_yaml[] =
    "name: toy\n"
    "description: a device\n"
    "vendor: none\n"
    "facts: [{name: memory, value: 80 GB, source: 'published: a sheet'}]\n"
    "resources: {compute: {servers: 1, group: gpu0}, h2d: {servers: 1, group: gpu0}}\n"
    "domains: {hbm: {capacity: 80GiB, reserve: 1GiB}, host: {}}\n"
    "routes: [{from: host, to: hbm, resource: h2d, bandwidth: 50GB/s, latency: 8us}]\n"
    "costs: [{what: mapping, duration: 2us}]\n"
    "kappa: {rule: product, shape: room}\n";
static const char durations[] =
    "# schema_version=1\n"
    "class,variant,size_bytes,mem_kind,launch,cache,n,dist,status,work_flop,evidence\n"
    "gemm,bf16,,device,stream,warm,100,10us,ok,1e9,\n"
    "gemm,bf16,,device,stream,warm,100,\"lognormal(median=1000us, sigma=0.1)\",ok,1e12,\n"
    "gemm,bf16,,device,graph,warm,100,1us,ok,1e9,\n"
    "gemm,fp32,,device,stream,warm,100,70us,ok,1e9,assumed: scaled\n"
    "stream,,1000,device,stream,warm,100,4us,ok,,\n"
    "stream,,100000,device,stream,warm,100,400us,ok,,\n"
    "stream,,1000,device,stream,cold,100,9us,ok,,\n"
    "stream,,5000,device,stream,warm,100,1us,rejected,,\n";
static const char kappa[] = "victim,set,set_size,shape,mode,kappa,regime,status\n"
                            "gemm,copy,1,room,share,1.5,,ok\n"
                            "gemm,copy,1,fill,share,1.9,,ok\n";

static struct tempdir dir;
static struct sl_platform platform;
static struct sl_arena arena;
static struct sl_diags diags;

static void open_device(void)
{
    tempdir_make(&dir);
    tempdir_write(&dir, "device.yaml", device_yaml);
    tempdir_write(&dir, "durations.csv", durations);
    tempdir_write(&dir, "kappa.csv", kappa);
    struct sl_error err = {0};
    enum sl_status status = sl_device_load(&platform, dir.path, &arena, &diags, &err);
    if (status)
        sl_diags_print(&diags, stderr);
    ck_assert_int_eq(status, SL_OK);
}

static void close_device(void)
{
    sl_platform_free(&platform);
    sl_arena_free(&arena);
    sl_diags_free(&diags);
    tempdir_remove(&dir);
}

static enum sl_status read_over(const char *text)
{
    struct sl_error err = {0};
    struct sl_yaml *root;
    ck_assert_int_eq(sl_yaml_parse(text, strlen(text), "scenario.yaml", &arena, &root, &err),
                     SL_OK);
    return sl_platform_read(&platform, root, ".", &arena, &diags, &err);
}

START_TEST(a_device_lands)
{
    ck_assert_str_eq(platform.device_name, "toy");
    ck_assert_uint_eq(platform.resource_names.count, 2);
    ck_assert_uint_eq(platform.domain_names.count, 2);
    ck_assert(platform.domains[1].capacity < 0);
    ck_assert_uint_eq(platform.route_count, 1);
    ck_assert_uint_eq(platform.cost_count, 1);
    ck_assert_uint_eq(platform.costs[0].domain, SL_NONE);
    ck_assert_uint_eq(platform.duration_count, 5);  /* not graph, cold or rejected */
    ck_assert_uint_eq(platform.kappa.row_count, 1); /* of shape room */
    ck_assert(platform.kappa.rows[0].kappa == 1.5);
    ck_assert_str_eq(platform.kappa.rule_name, "product");
    ck_assert_uint_eq(platform.input_count, 3);
}
END_TEST

START_TEST(a_scenario_overrides_field_by_field)
{
    ck_assert_int_eq(read_over("resources: {compute: {servers: 4}}\n"
                               "domains: {hbm: {capacity: 40GiB}}\n"
                               "routes: [{from: host, to: hbm, resource: h2d, bandwidth: 10GB/s}]\n"
                               "costs: [{what: mapping, duration: 3us}]\n"),
                     SL_OK);
    ck_assert_uint_eq(platform.resources[0].servers, 4);
    ck_assert_uint_eq(platform.resources[0].groups, 1);
    ck_assert_int_eq(platform.domains[0].capacity, (int64_t)40 << 30);
    ck_assert_int_eq(platform.domains[0].reserve, (int64_t)1 << 30);
    ck_assert_uint_eq(platform.route_count, 1);
    ck_assert(platform.routes[0].bandwidth == 10e9);
    ck_assert_int_eq(platform.routes[0].latency_ps, 0); /* a route replaces the whole route */
    ck_assert_uint_eq(platform.cost_count, 1);
    ck_assert(fabs(sl_dist_mean(platform.costs[0].duration) - 3e6) < 1);
}
END_TEST

START_TEST(engines_of_routes_keep_issue_order)
{
    ck_assert_int_eq(read_over("resources: {compute: {order: edf}}\n"), SL_OK);
    sl_platform_settle(&platform);
    ck_assert_int_eq(platform.resources[0].order, SL_ORDER_EDF);
    ck_assert_int_eq(platform.resources[1].order, SL_ORDER_ISSUE);
    ck_assert_int_eq(read_over("resources: {h2d: {order: fifo}}\n"), SL_OK);
    sl_platform_settle(&platform);
    ck_assert_int_eq(platform.resources[1].order, SL_ORDER_FIFO); /* stated */
    ck_assert_int_eq(read_over("resources: {h2d: {order: issue}, compute: {order: ready}}\n"),
                     SL_OK);
    ck_assert_int_eq(platform.resources[1].order, SL_ORDER_ISSUE);
    ck_assert_int_eq(platform.resources[0].order, SL_ORDER_FIFO); /* ready is fifo's other name */
}
END_TEST

START_TEST(what_is_not_supported_is_refused)
{
    static const char *const texts[] = {
        "domains: {hbm: {alloc: submit}}\n",
        "routes: [{from: host, to: hbm, resource: h2d, bandwidth: 1GB/s, issue: 5us}]\n",
        "routes: [{from: host, to: hbm, resource: h2d, bandwidth: 1GB/s, blocking: host}]\n"};
    ck_assert_int_eq(read_over(texts[_i]), SL_INVALID);
    ck_assert_uint_eq(diags.errors, 1);
    ck_assert_str_eq(diags.items[0].code, "not-supported");
}
END_TEST

/* Isolated duration of `work` in us, NAN when refused. */
static double work_us(const char *klass, const char *work)
{
    const struct sl_dist *dist;
    double scale;
    struct sl_error err = {0};
    if (sl_work_duration(&platform, sl_names_find(&platform.kappa.classes, klass), work,
                         (struct sl_place){0}, &dist, &scale, &err))
        return (double)NAN;
    return sl_dist_mean(dist) * scale / 1e6;
}

static bool near(double value, double wanted)
{
    return fabs(value / wanted - 1) < 1e-6;
}

START_TEST(work_is_interpolated_between_sizes)
{
    double mean_at_top = 1000 * exp(0.1 * 0.1 / 2); /* of the lognormal */
    double slope = log(mean_at_top / 10) / log(1000.0);
    ck_assert(near(work_us("gemm", "gemm(m=500, n=1000, k=1000, dtype=bf16)"), 10));
    ck_assert(near(work_us("gemm", "gemm(m=500, n=1000, k=1000, dtype=fp32)"), 70));
    ck_assert(near(work_us("gemm", "gemm(m=500, n=1000, k=1000000, dtype=bf16)"), mean_at_top));
    ck_assert(
        near(work_us("gemm", "gemm(m=500, n=1000, k=30000, dtype=bf16)"), 10 * pow(30, slope)));
    ck_assert(near(work_us("gemm", "flops=1GFLOP, dtype=fp32"), 70));
    ck_assert(near(work_us("stream", "bytes=20kB"), 80)); /* proportional rows stay so */
    ck_assert(near(work_us("stream", "bytes=100kB"), 400));
}
END_TEST

START_TEST(work_is_never_extrapolated)
{
    static const char *const refused[] = {
        "gemm(m=499, n=1000, k=1000, dtype=bf16)", /* below what was measured */
        "gemm(m=500, n=1000, k=2000000, dtype=bf16)",
        "gemm(m=500, n=1000, k=1000, dtype=fp64)", /* no such row */
        "gemm(m=500, n=1000, k=1000, dtype=bf17)",
        "gemm(m=500, n=1000, k=1000)",
        "gemm(m=500, n=1000, n=1000, k=1000, dtype=bf16)",
        "gemm(m=500, n=1000, k=1000, dtype=bf16",
        "gemm(m=0, n=1000, k=1000, dtype=bf16)",
        "gemm()",
        "flops=1GFLOP", /* of which type? */
        "bytes=1MB",    /* gemm's rows state no bytes */
        "flops=7",
        "flops=1TFLOP, flops=1TFLOP",
        "",
        "size=5"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        ck_assert_msg(isnan(work_us("gemm", refused[i])), "%s is accepted", refused[i]);
    ck_assert(isnan(work_us("stream", "bytes=999B")));
    ck_assert(isnan(work_us("nothing", "bytes=1MB")));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("platform");
    TCase *c = tcase_create("device");
    tcase_add_checked_fixture(c, open_device, close_device);
    tcase_add_test(c, a_device_lands);
    tcase_add_test(c, a_scenario_overrides_field_by_field);
    tcase_add_test(c, engines_of_routes_keep_issue_order);
    tcase_add_loop_test(c, what_is_not_supported_is_refused, 0, 3);
    tcase_add_test(c, work_is_interpolated_between_sizes);
    tcase_add_test(c, work_is_never_extrapolated);
    suite_add_tcase(s, c);
    return s;
}

int main(void)
{
    return sl_test_run(suite());
}
