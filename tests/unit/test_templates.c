/* Workload templates: the registry, the reading of settings, and the arithmetic of llm-train
 * against figures from outside this code: T = 16,384 tokens, h = 4096, f = 11008: forward per layer
 * 2T(4h^2 + 3hf) + causal attention = 7.18 TFLOP, backward 14.64 TFLOP head forward        2ThV
 * = 4.3 TFLOP full saved set      2T(8h + 4f) = 2400 MiB; norms, silu and product away: 2T(6h + 2f)
 * = 1456 MiB layer input         2Th = 128 MiB parameters          6,738,415,616 (Llama-2-7B's
 * published count), state about 17 GiB. */
#include "config.h"

#include "csvtab.h"
#include "harness.h"
#include "llm_shape.h"
#include "templates.h"
#include "units.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

#define MIB (INT64_C(1) << 20)

static const char *const files[] = {"scenario.yaml", "nodes.csv", "edges.csv", "objects.csv",
                                    "README.md"};
#define FILES (sizeof files / sizeof files[0])

static char dir[64];

static void make_dir(void)
{
    snprintf(dir, sizeof dir, "test_templates.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void remove_dir(void)
{
    char path[128];
    for (size_t i = 0; i < FILES; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, files[i]);
        unlink(path);
    }
    rmdir(dir);
}

/* The device is named as a scenario of the checkout names it: the folder is not looked for. */
static const char *const device[] = {"device=../../models/devices/h100-sxm5"};

static void generate(void)
{
    struct sl_error err = {0};
    enum sl_status status = sl_template_generate("llm-train", dir, device, 1, false, &err);
    ck_assert_msg(status == SL_OK, "%s", err.message);
}

static void read_table(struct sl_csv *table, const char *name, const struct sl_column_spec *spec,
                       uint32_t count)
{
    char path[128];
    struct sl_diags diags = {0};
    struct sl_error err = {0};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    enum sl_status status = sl_csv_read(table, path, spec, count, &diags, &err);
    ck_assert_msg(status == SL_OK && diags.errors == 0, "%s", err.message);
    sl_diags_free(&diags);
}

static const struct sl_column_spec node_columns[] = {
    {"node", true},   {"kind", true},    {"class", true}, {"resource", true}, {"lane", true},
    {"inputs", true}, {"outputs", true}, {"work", true},  {"evidence", true}};
enum { NODE = 0, WORK = 7 };
static const struct sl_column_spec object_columns[] = {
    {"object", true},      {"size", true},        {"home", true},
    {"placements", true},  {"initial", true},     {"persist", true},
    {"reconstruct", true}, {"equivalence", true}, {"evidence", true}};
enum { OBJECT = 0, SIZE = 1, PERSIST = 5 };

/* Sum of `flops=` over nodes whose name has this start and end. */
static double flop_of(const char *start, const char *end)
{
    struct sl_csv table;
    double sum = 0;
    read_table(&table, "nodes.csv", node_columns, 9);
    for (uint32_t row = 0; row < table.row_count; row++) {
        const char *name = sl_csv_cell(&table, row, NODE), *work = sl_csv_cell(&table, row, WORK);
        size_t length = strlen(name), tail = strlen(end);
        char why[SL_WHY_SIZE];
        double flop = 0;
        if (strncmp(name, start, strlen(start)) != 0 || length < tail ||
            strcmp(name + length - tail, end) != 0 || strncmp(work, "flops=", 6) != 0)
            continue;
        ck_assert_msg(sl_parse_flop(work + 6, &flop, why), "%s", why);
        sum += flop;
    }
    sl_csv_free(&table);
    return sum;
}

static int64_t size_of(const char *name)
{
    struct sl_csv table;
    int64_t bytes = -1;
    char why[SL_WHY_SIZE];
    read_table(&table, "objects.csv", object_columns, 9);
    for (uint32_t row = 0; row < table.row_count; row++)
        if (strcmp(sl_csv_cell(&table, row, OBJECT), name) == 0)
            ck_assert_msg(sl_parse_bytes(sl_csv_cell(&table, row, SIZE), &bytes, why), "%s", why);
    sl_csv_free(&table);
    ck_assert_msg(bytes >= 0, "no object %s", name);
    return bytes;
}

START_TEST(every_template_is_described)
{
    ck_assert_uint_gt(sl_template_count(), 0);
    for (size_t i = 0; i < sl_template_count(); i++) {
        const struct sl_template *template = sl_template_get(i);
        ck_assert_ptr_eq(sl_template_find(template->name), template);
        ck_assert_msg(*template->description && strstr(template->example, template->name), "%s",
                      template->name);
        for (size_t p = 0; p < template->param_count; p++)
            ck_assert(*template->params[p].name && *template->params[p].description);
    }
    ck_assert_ptr_null(sl_template_find("no-such-template"));
}
END_TEST

static const struct {
    const char *setting, *says;
} faults[] = {
    {"layer=3", "'layers'"},
    {"layers", "KEY=VALUE"},
    {"layers=0", "layers"},
    {"layers=3.5", "layers"},
    {"layers=1e9", "layers"},
    {"mfu=0", "outside"},
    {"mfu=120%", "outside"},
    {"heads=33", "divide"},
    {"capacities=44GiB;52", "has no unit"},
    {"capacities=", "capacities"},
    {"kv_heads=5", "divide"},
    {"device=a\nb: c", "character"},
    {"sequence=1048576", "2^26"},
    {"device=no-such-device", "no-such-device"},
};

START_TEST(faulty_settings_are_refused)
{
    const char *settings[3] = {device[0], faults[_i].setting, "micro_batch=4096"};
    size_t count = strncmp(faults[_i].setting, "sequence", 8) == 0 ? 3 : 2;
    struct sl_error err = {0};
    ck_assert_int_eq(sl_template_generate("llm-train", dir, settings, count, false, &err),
                     SL_USAGE);
    ck_assert_msg(strstr(err.message, faults[_i].says), "%s", err.message);
    char path[128];
    snprintf(path, sizeof path, "%s/scenario.yaml", dir);
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(an_unknown_template_suggests_the_nearest)
{
    struct sl_error err = {0};
    ck_assert_int_eq(sl_template_generate("llm-trian", dir, NULL, 0, false, &err), SL_USAGE);
    ck_assert_msg(strstr(err.message, "llm-train"), "%s", err.message);
}
END_TEST

START_TEST(an_existing_scenario_needs_force)
{
    struct sl_error err = {0};
    generate();
    ck_assert_int_eq(sl_template_generate("llm-train", dir, device, 1, false, &err), SL_USAGE);
    ck_assert_int_eq(sl_template_generate("llm-train", dir, device, 1, true, NULL), SL_OK);
}
END_TEST

START_TEST(flop_of_llama_2_7b)
{
    generate();
    ck_assert_double_eq_tol(flop_of("fwd.", ".07"), 7.18e12, 0.005e12);
    ck_assert_double_eq_tol(flop_of("bwd.", ".07"), 14.64e12, 0.005e12);
    ck_assert_double_eq_tol(flop_of("fwd.head", ""), 4.3e12, 0.05e12);
    ck_assert_double_eq_tol(flop_of("bwd.head", ""), 8.6e12, 0.05e12);
    double h = 4096, f = 11008, T = 16384, attention = 2 * T * 4096 * h;
    ck_assert_double_eq_tol(flop_of("fwd.", ".00"), 2 * T * (4 * h * h + 3 * h * f) + attention,
                            1e6);
    ck_assert_double_eq_tol(flop_of("bwd.", ".00"),
                            4 * T * (4 * h * h + 3 * h * f) + 2.5 * attention, 1e6);
}
END_TEST

START_TEST(saved_bytes_of_llama_2_7b)
{
    static const char *const lean[] = {"x_in", "qkv", "attn", "x_mid", "gate", "up"};
    static const char *const cheap[] = {"norm1", "norm2", "silu", "product"};
    int64_t kept = 0, all = 0;
    generate();
    for (size_t i = 0; i < sizeof lean / sizeof *lean; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.31", lean[i]);
        kept += size_of(name);
    }
    for (size_t i = 0; i < sizeof cheap / sizeof *cheap; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.31", cheap[i]);
        all += size_of(name);
    }
    ck_assert_int_eq(kept, 1456 * MIB);
    ck_assert_int_eq(kept + all, 2400 * MIB);
    ck_assert_int_eq(size_of("x_in.00"), 128 * MIB);
    ck_assert_int_eq(size_of("qkv.00"), 384 * MIB);
    ck_assert_int_eq(size_of("gate.00"), 344 * MIB);
}
END_TEST

START_TEST(state_of_llama_2_7b)
{
    struct sl_csv table;
    int64_t state = 0, bytes = 0;
    char why[SL_WHY_SIZE];
    generate();
    read_table(&table, "objects.csv", object_columns, 9);
    for (uint32_t row = 0; row < table.row_count; row++)
        if (*sl_csv_cell(&table, row, PERSIST)) {
            ck_assert(sl_parse_bytes(sl_csv_cell(&table, row, SIZE), &bytes, why));
            state += bytes;
        }
    sl_csv_free(&table);
    /* 6,738,415,616 parameters at 16 bytes over 8 ranks. */
    int64_t shards = size_of("weights_shard") + size_of("grads_shard") + size_of("optimizer_shard");
    ck_assert_int_eq(shards, INT64_C(6738415616) / 8 * 16);
    double total = (double)(state + size_of("logits") + size_of("dlogits"));
    ck_assert_double_eq_tol(total / (1024.0 * MIB), 17, 0.5);
}
END_TEST

/* Llama-3-70B's published count: 80 layers, h 8192, f 28672, 64 heads, 8 of keys and values. */
START_TEST(parameters_with_grouped_queries)
{
    struct sl_llm_shape shape = {80, 8192, 28672, 64, 8, 8192, 1, 128256, 8, 2, 0};
    ck_assert_int_eq(sl_llm_parameters(&shape), INT64_C(70553706496));
}
END_TEST

static char *slurp(const char *folder, const char *name, size_t *size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb");
    ck_assert_msg(in != NULL, "cannot open %s", path);
    ck_assert_int_eq(fseek(in, 0, SEEK_END), 0);
    *size = (size_t)ftell(in);
    rewind(in);
    char *text = malloc(*size + 1);
    ck_assert(text && fread(text, 1, *size, in) == *size);
    fclose(in);
    return text;
}

START_TEST(the_committed_scenario_is_the_template_at_its_defaults)
{
    char committed[3000];
    const char *source = getenv("SL_SRCDIR");
    snprintf(committed, sizeof committed, "%s/scenarios/activation-offload", source ? source : ".");
    generate();
    for (size_t i = 0; i < FILES; i++) {
        if (strcmp(files[i], "README.md") == 0)
            continue; /* the committed one reports what the simulation found */
        size_t ours = 0, theirs = 0;
        char *written = slurp(dir, files[i], &ours), *there = slurp(committed, files[i], &theirs);
        ck_assert_msg(ours == theirs && memcmp(written, there, ours) == 0,
                      "scenarios/activation-offload/%s is not what the template writes", files[i]);
        free(written);
        free(there);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("templates");
    TCase *cases = tcase_create("templates");
    tcase_add_checked_fixture(cases, make_dir, remove_dir);
    tcase_add_test(cases, every_template_is_described);
    tcase_add_loop_test(cases, faulty_settings_are_refused, 0,
                        (int)(sizeof faults / sizeof faults[0]));
    tcase_add_test(cases, an_unknown_template_suggests_the_nearest);
    tcase_add_test(cases, an_existing_scenario_needs_force);
    tcase_add_test(cases, flop_of_llama_2_7b);
    tcase_add_test(cases, saved_bytes_of_llama_2_7b);
    tcase_add_test(cases, state_of_llama_2_7b);
    tcase_add_test(cases, parameters_with_grouped_queries);
    tcase_add_test(cases, the_committed_scenario_is_the_template_at_its_defaults);
    suite_add_tcase(suite, cases);
    return sl_test_run(suite);
}
