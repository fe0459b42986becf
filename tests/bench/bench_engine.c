/* Engine speed as a ratio to a plain event loop in the same process, in alternating rounds: w1 of
 * workloads.h as `fifo`, and w2b as `kappa`.
 *
 * The reference is the loop one would write by hand: binary heap of double times, GSL ziggurat
 * draws, no records.  The engine keeps all its records and checks its invariants.
 * usage: bench_engine [NODES [TRIALS [ROUNDS]]] */
#include "engine.h"
#include "workloads.h"
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_CLASSES = 8 };

/* ---- the plain loop ---- */

struct event {
    double t;
    uint32_t node;
};

struct loop {
    const struct layered *g;
    gsl_rng *rng;
    struct event *heap;
    uint32_t heap_count;
    uint32_t *left, *queue[MAX_CLASSES], head[MAX_CLASSES], tail[MAX_CLASSES], running[MAX_CLASSES];
    double remaining[MAX_CLASSES];
};

static double loop_draw(const struct loop *l, uint32_t node)
{
    return l->g->median_us[node] * exp(WORKLOAD_SIGMA * gsl_ran_gaussian_ziggurat(l->rng, 1.0));
}

static void heap_push(struct loop *l, double t, uint32_t node)
{
    uint32_t i = l->heap_count++;
    while (i && l->heap[(i - 1) / 2].t > t) {
        l->heap[i] = l->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    l->heap[i] = (struct event){t, node};
}

static struct event heap_pop(struct loop *l)
{
    struct event top = l->heap[0], last = l->heap[--l->heap_count];
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < l->heap_count) {
        if (child + 1 < l->heap_count && l->heap[child + 1].t < l->heap[child].t)
            child++;
        if (l->heap[child].t >= last.t)
            break;
        l->heap[i] = l->heap[child];
        i = child;
    }
    l->heap[i] = last;
    return top;
}

static void loop_reset(struct loop *l)
{
    memcpy(l->left, l->g->indegree, l->g->n * sizeof *l->left);
    memset(l->head, 0, sizeof l->head);
    memset(l->tail, 0, sizeof l->tail);
    for (uint32_t r = 0; r < MAX_CLASSES; r++) {
        l->running[r] = SL_NONE;
        l->remaining[r] = INFINITY;
    }
    for (uint32_t i = 0; i < l->g->n; i++)
        if (!l->g->indegree[i])
            l->queue[l->g->resource[i]][l->tail[l->g->resource[i]]++] = i;
}

static void loop_release(struct loop *l, uint32_t node)
{
    for (uint32_t e = l->g->succ_start[node]; e < l->g->succ_start[node + 1]; e++) {
        uint32_t j = l->g->succ[e], r = l->g->resource[j];
        if (--l->left[j] == 0)
            l->queue[r][l->tail[r]++] = j;
    }
}

static double loop_fifo(struct loop *l)
{
    double now = 0;
    loop_reset(l);
    for (;;) {
        for (uint32_t r = 0; r < l->g->classes; r++)
            if (l->running[r] == SL_NONE && l->head[r] < l->tail[r]) {
                uint32_t node = l->running[r] = l->queue[r][l->head[r]++];
                heap_push(l, now + loop_draw(l, node), node);
            }
        if (!l->heap_count)
            return now;
        struct event e = heap_pop(l);
        now = e.t;
        l->running[l->g->resource[e.node]] = SL_NONE;
        loop_release(l, e.node);
    }
}

static double loop_kappa(struct loop *l)
{
    double now = 0;
    uint32_t active = 0;
    loop_reset(l);
    for (;;) {
        for (uint32_t r = 0; r < l->g->classes; r++)
            if (l->running[r] == SL_NONE && l->head[r] < l->tail[r]) {
                l->running[r] = l->queue[r][l->head[r]++];
                l->remaining[r] = loop_draw(l, l->running[r]);
                active++;
            }
        if (!active)
            return now;
        uint32_t first = 0;
        for (uint32_t r = 1; r < l->g->classes; r++)
            if (l->remaining[r] < l->remaining[first])
                first = r;
        double kappa = active > 2 ? active / 2.0 : 1.0, work = l->remaining[first];
        now += work * kappa;
        for (uint32_t r = 0; r < l->g->classes; r++)
            l->remaining[r] -= work;
        uint32_t node = l->running[first];
        l->running[first] = SL_NONE;
        l->remaining[first] = INFINITY;
        active--;
        loop_release(l, node);
    }
}

/* ---- the engine on the same graph ---- */

struct subject {
    struct sl_platform platform;
    struct sl_graph *graph;
    struct sl_program *program;
    struct sl_worker *worker;
    struct sl_arena arena;
};

static void need(enum sl_status status, const struct sl_error *err)
{
    if (status != SL_OK) {
        fprintf(stderr, "bench_engine: %s\n", err->message);
        exit(4);
    }
}

static void make_platform(struct subject *s, const struct layered *g, struct sl_error *err)
{
    char name[16];
    struct sl_platform *p = &s->platform;
    p->resources = workload_array(g->classes, sizeof *p->resources);
    p->kappa.demands = workload_array(g->classes, sizeof *p->kappa.demands);
    for (uint32_t r = 0; r < g->classes; r++) {
        snprintf(name, sizeof name, "r%u", r);
        sl_names_add(&p->resource_names, name);
        sl_names_add(&p->kappa.classes, name);
        p->resources[r] = (struct sl_resource){.servers = 1, .groups = 1, .order_given = true};
        p->kappa.demands[r] = (struct sl_kappa_demand){.klass = r, .link = 0, .fraction = 0.5};
    }
    sl_names_add(&p->group_names, "gpu0");
    sl_names_add(&p->kappa.links, "mem");
    bool contend = g->classes == 8;
    p->kappa.demand_count = contend ? g->classes : 0;
    p->kappa.rule_name = contend ? "bandwidth" : "additive";
    p->kappa.rule = sl_kappa_rule_find(p->kappa.rule_name);
    p->kappa.unknown = SL_UNKNOWN_NUMBER;
    p->kappa.unknown_value = 1;
    p->kappa.largest = 1;
    need(sl_kappa_prepare(&p->kappa, &s->arena, err), err);
}

/* In place: the graph keeps a pointer to the platform. */
static void make_subject(struct subject *s, const struct layered *g)
{
    *s = (struct subject){0};
    struct sl_error err = {0};
    char text[96];
    make_platform(s, g, &err);
    s->graph = workload_must(sl_graph_create(&s->platform));
    for (uint32_t i = 0; i < g->n; i++) {
        struct sl_node node = sl_node_default();
        sl_node_id id;
        snprintf(text, sizeof text, "n%u", i);
        node.name = node.key = workload_must(sl_arena_strdup(&s->arena, text));
        node.key_hash = sl_hash_text(text);
        node.klass = g->resource[i];
        snprintf(text, sizeof text, "lognormal(median=%.9gus, sigma=%g)", g->median_us[i],
                 WORKLOAD_SIGMA);
        need(sl_dist_parse(&node.dist, text, SL_DIST_TIME, ".", (struct sl_place){0}, &s->arena,
                           &err),
             &err);
        need(sl_graph_push_demand(s->graph, &node.demands, (struct sl_demand){g->resource[i], 1},
                                  &err),
             &err);
        need(sl_graph_add_node(s->graph, &node, &id, &err), &err);
    }
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t e = g->succ_start[i]; e < g->succ_start[i + 1]; e++) {
            struct sl_edge edge = {.from = {i}, .to = {g->succ[e]}, .object = {SL_NONE}};
            need(sl_graph_add_edge(s->graph, &edge, &err), &err);
        }
    struct sl_engine_options options = {0};
    need(sl_graph_finish(s->graph, &err), &err);
    need(sl_program_create(&s->program, s->graph, &options, &err), &err);
    need(sl_worker_create(&s->worker, s->program, &err), &err);
}

static void free_subject(struct subject *s)
{
    sl_worker_free(s->worker);
    sl_program_free(s->program);
    sl_graph_free(s->graph);
    sl_platform_free(&s->platform);
    sl_arena_free(&s->arena);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare(const char *name, uint32_t n, uint32_t classes, uint32_t trials,
                    uint32_t rounds)
{
    struct layered g = layered_make(n, classes);
    struct subject s;
    make_subject(&s, &g);
    struct loop l = {.g = &g, .rng = gsl_rng_alloc(gsl_rng_mt19937)};
    l.heap = workload_array(n + 1, sizeof *l.heap);
    l.left = workload_array(n, sizeof *l.left);
    for (uint32_t r = 0; r < classes; r++)
        l.queue[r] = workload_array(n, sizeof *l.queue[r]);
    double *ratio = workload_array(rounds, sizeof *ratio), loop_mean = 0, engine_mean = 0;
    double loop_ns = INFINITY, engine_ns = INFINITY;
    for (uint32_t round = 0; round < rounds; round++) {
        double a = now_s();
        for (uint32_t t = 0; t < trials; t++)
            loop_mean += (classes == 8 ? loop_kappa(&l) : loop_fifo(&l)) / trials / rounds;
        double b = now_s();
        for (uint32_t t = 0; t < trials; t++) {
            const struct sl_trial *trial;
            struct sl_error err = {0};
            need(sl_worker_run(s.worker, 1, round * trials + t, 0, &trial, &err), &err);
            engine_mean += (double)trial->makespan_ps / 1e6 / trials / rounds;
        }
        double c = now_s();
        ratio[round] = (c - b) / (b - a);
        loop_ns = fmin(loop_ns, (b - a) * 1e9 / trials / n);
        engine_ns = fmin(engine_ns, (c - b) * 1e9 / trials / n);
    }
    qsort(ratio, rounds, sizeof *ratio, by_value);
    printf("%-8s %8u nodes  loop %6.1f ns/node  engine %6.1f ns/node  ratio %.2f (%.2f to %.2f)"
           "  mean makespan %.2f and %.2f us\n",
           name, n, loop_ns, engine_ns, ratio[rounds / 2], ratio[0], ratio[rounds - 1], loop_mean,
           engine_mean);
    free(ratio);
    for (uint32_t r = 0; r < classes; r++)
        free(l.queue[r]);
    free(l.heap);
    free(l.left);
    gsl_rng_free(l.rng);
    free_subject(&s);
    layered_free(&g);
}

int main(int argc, char **argv)
{
    uint32_t n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000;
    uint32_t trials = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1000;
    uint32_t rounds = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 5;
    if (n < 20 || !trials || !rounds || n > 10000000) {
        fputs("usage: bench_engine [NODES [TRIALS [ROUNDS]]]\n", stderr);
        return 2;
    }
    compare("fifo", n, 4, trials, rounds);
    compare("kappa", n, 8, trials, rounds);
    return 0;
}
