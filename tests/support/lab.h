/* A small laboratory for engine tests: a platform and a graph built by calls, without files.
 *
 *     struct lab lab;
 *     lab_open(&lab);
 *     uint32_t gpu = lab_resource(&lab, "gpu", 1);
 *     lab_graph(&lab);                        (after the platform is complete)
 *     uint32_t a = lab_node(&lab, "a", "10us", gpu);
 *     lab_run(&lab, seed, trial)->makespan_ps;
 *     lab_close(&lab);
 *
 * Everything lives in static storage or arenas; a fault aborts the test. */
#ifndef SL_TEST_LAB_H
#define SL_TEST_LAB_H
#include "engine.h"
#include "harness.h"
#include <string.h>

#define LAB_MOST 64 /* resources, domains, classes */
#define US       INT64_C(1000000)
#define GIB      (INT64_C(1) << 30)

struct lab {
    struct sl_arena arena;
    struct sl_platform platform;
    struct sl_resource resources[LAB_MOST];
    struct sl_domain domains[LAB_MOST];
    struct sl_graph *graph;
    struct sl_engine_options options;
    struct sl_program *program;
    struct sl_worker *worker;
    struct sl_error err;
};

/* An assertion of Check writes to a pipe even where it holds, which a trial each would feel. */
#define LAB_OK(lab, call)                              \
    do {                                               \
        if ((call) != SL_OK)                           \
            ck_abort_msg("%s", (lab)->err.message);    \
    } while (0)

static inline void lab_open(struct lab *lab)
{
    memset(lab, 0, sizeof *lab);
    lab->platform.resources = lab->resources;
    lab->platform.domains = lab->domains;
    lab->platform.kappa.rule_name = "additive";
    lab->platform.kappa.rule = sl_kappa_rule_find("additive");
    lab->platform.kappa.unknown = SL_UNKNOWN_NUMBER;
    lab->platform.kappa.unknown_value = 1;
}

/* Group 0 is everyone's; change lab->resources[r] before lab_graph. */
static inline uint32_t lab_resource(struct lab *lab, const char *name, uint32_t servers)
{
    uint32_t r = sl_names_add(&lab->platform.resource_names, name);
    ck_assert_uint_lt(r, LAB_MOST);
    lab->resources[r] = (struct sl_resource){.servers = servers, .groups = 1, .order_given = true};
    return r;
}

static inline uint32_t lab_domain(struct lab *lab, const char *name, int64_t capacity)
{
    uint32_t m = sl_names_add(&lab->platform.domain_names, name);
    ck_assert_uint_lt(m, LAB_MOST);
    lab->domains[m] = (struct sl_domain){.capacity = capacity, .rounding = 1};
    return m;
}

static inline uint32_t lab_class(struct lab *lab, const char *name)
{
    return sl_names_add(&lab->platform.kappa.classes, name);
}

static inline void lab_kappa(struct lab *lab, const char *victim, const char *other, double kappa)
{
    uint32_t set = lab_class(lab, other);
    struct sl_kappa_row row = {.victim = lab_class(lab, victim), .set_size = 1, .set = &set};
    row.kappa = row.lo = row.hi = kappa;
    struct sl_diags diags = {0};
    LAB_OK(lab, sl_kappa_add_row(&lab->platform.kappa, row, &lab->arena, &diags, &lab->err));
    ck_assert_uint_eq(diags.errors, 0);
    sl_diags_free(&diags);
}

static inline void lab_rule(struct lab *lab, const char *rule)
{
    lab->platform.kappa.rule_name = rule;
    lab->platform.kappa.rule = sl_kappa_rule_find(rule);
    ck_assert_ptr_nonnull(lab->platform.kappa.rule);
}

static inline void lab_graph(struct lab *lab)
{
    LAB_OK(lab, sl_kappa_prepare(&lab->platform.kappa, &lab->arena, &lab->err));
    lab->graph = sl_graph_create(&lab->platform);
    ck_assert_ptr_nonnull(lab->graph);
}

static inline const struct sl_dist *lab_dist(struct lab *lab, const char *text,
                                             enum sl_dist_dimension dimension)
{
    const struct sl_dist *dist;
    LAB_OK(lab, sl_dist_parse(&dist, text, dimension, ".", (struct sl_place){0}, &lab->arena,
                              &lab->err));
    return dist;
}

/* The node's fields may be changed through LAB_NODE until the first run. */
#define LAB_NODE(lab, i) (*sl_graph_edit_node((lab)->graph, (i), NULL))

static inline void lab_demand(struct lab *lab, uint32_t node, uint32_t resource, uint32_t units)
{
    struct sl_span span = LAB_NODE(lab, node).demands;
    LAB_OK(lab, sl_graph_push_demand(lab->graph, &span, (struct sl_demand){resource, units},
                                     &lab->err));
    LAB_NODE(lab, node).demands = span;
}

/* duration NULL: zero; resource SL_NONE: none. */
static inline uint32_t lab_node(struct lab *lab, const char *name, const char *duration,
                                uint32_t resource)
{
    struct sl_node node = sl_node_default();
    node.name = node.key = sl_arena_strdup(&lab->arena, name);
    node.key_hash = sl_hash_text(name);
    if (duration)
        node.dist = lab_dist(lab, duration, SL_DIST_TIME);
    sl_node_id id;
    LAB_OK(lab, sl_graph_add_node(lab->graph, &node, &id, &lab->err));
    if (resource != SL_NONE)
        lab_demand(lab, id.i, resource, 1);
    return id.i;
}

static inline void lab_edge_typed(struct lab *lab, uint32_t from, uint32_t to,
                                  enum sl_edge_type type, int64_t lag_ps)
{
    struct sl_edge edge = {
        .from = {from}, .to = {to}, .type = type, .lag_ps = lag_ps, .object = {SL_NONE}};
    LAB_OK(lab, sl_graph_add_edge(lab->graph, &edge, &lab->err));
}

static inline void lab_edge(struct lab *lab, uint32_t from, uint32_t to)
{
    lab_edge_typed(lab, from, to, SL_EDGE_DATA, 0);
}

static inline void lab_workspace(struct lab *lab, uint32_t node, uint32_t domain, int64_t bytes)
{
    struct sl_span span = LAB_NODE(lab, node).workspace;
    LAB_OK(lab,
           sl_graph_push_amount(lab->graph, &span, (struct sl_amount){domain, bytes}, &lab->err));
    LAB_NODE(lab, node).workspace = span;
}

/* A term of the node's guards, of a guard that the graph has. */
static inline void lab_guard(struct lab *lab, uint32_t node, uint32_t guard, bool negated)
{
    struct sl_span span = LAB_NODE(lab, node).guards;
    LAB_OK(lab, sl_graph_push_guard(lab->graph, &span, (struct sl_guard_term){guard, negated},
                                    &lab->err));
    LAB_NODE(lab, node).guards = span;
}

static inline uint32_t lab_holding(struct lab *lab, enum sl_holding_kind kind, uint32_t domain,
                                   int64_t bytes, bool initial)
{
    struct sl_holding holding = {kind, domain, bytes, {SL_NONE}, initial};
    uint32_t h;
    LAB_OK(lab, sl_graph_add_holding(lab->graph, &holding, &h, &lab->err));
    return h;
}

static inline void lab_takes(struct lab *lab, uint32_t node, uint32_t holding)
{
    struct sl_span span = LAB_NODE(lab, node).takes;
    LAB_OK(lab, sl_graph_push_holding(lab->graph, &span, holding, &lab->err));
    LAB_NODE(lab, node).takes = span;
}

static inline void lab_gives(struct lab *lab, uint32_t node, uint32_t holding)
{
    struct sl_span span = LAB_NODE(lab, node).gives;
    LAB_OK(lab, sl_graph_push_holding(lab->graph, &span, holding, &lab->err));
    LAB_NODE(lab, node).gives = span;
}

/* Runs a trial; the first run finishes the graph and packs it. */
static inline const struct sl_trial *lab_run_flags(struct lab *lab, uint64_t seed, uint32_t trial,
                                                   unsigned flags)
{
    const struct sl_trial *record;
    if (!lab->program) {
        LAB_OK(lab, sl_graph_finish(lab->graph, &lab->err));
        LAB_OK(lab, sl_program_create(&lab->program, lab->graph, &lab->options, &lab->err));
        LAB_OK(lab, sl_worker_create(&lab->worker, lab->program, &lab->err));
    }
    LAB_OK(lab, sl_worker_run(lab->worker, seed, trial, flags, &record, &lab->err));
    return record;
}

static inline const struct sl_trial *lab_run(struct lab *lab, uint64_t seed, uint32_t trial)
{
    return lab_run_flags(lab, seed, trial, 0);
}

static inline void lab_close(struct lab *lab)
{
    sl_worker_free(lab->worker);
    sl_program_free(lab->program);
    sl_graph_free(lab->graph);
    lab->platform.resources = NULL; /* not the platform's own */
    lab->platform.domains = NULL;
    sl_platform_free(&lab->platform);
    sl_arena_free(&lab->arena);
}
#endif
