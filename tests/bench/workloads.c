/* Workloads as described in workloads.h.  Random numbers come from a fixed linear congruence, so a
 * workload is the same everywhere. */
#include <config.h>

#include "workloads.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LAYER = 20, MANY_CLASSES = 16, MANY_NODES = 10000 };

static uint64_t lcg_state;

static double uniform(void)
{
    lcg_state = lcg_state * 6364136223846793005u + 1442695040888963407u;
    return (double)(lcg_state >> 11) * 0x1p-53;
}

static uint32_t below(uint32_t bound)
{
    return (uint32_t)(uniform() * bound);
}

void *workload_must(void *memory)
{
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(4);
    }
    return memory;
}

void *workload_array(size_t count, size_t size)
{
    return workload_must(calloc(count + 1, size));
}

/* ---- layered graphs -------------------------------------------------------------------------- */

struct parents {
    uint32_t count, of[3];
};

static void choose_parents(uint32_t i, struct parents *parents)
{
    uint32_t layer = i / LAYER;
    parents->count = 0;
    if (layer == 0)
        return;
    double u = uniform();
    uint32_t wanted = u < 0.25 ? 1 : u < 0.75 ? 2 : 3;
    while (parents->count < wanted) {
        uint32_t back = uniform() < 0.8 ? 1 : 1 + below(4);
        uint32_t from = (layer > back ? layer - back : 0) * LAYER + below(LAYER);
        bool known = false;
        for (uint32_t k = 0; k < parents->count; k++)
            known |= parents->of[k] == from;
        if (!known)
            parents->of[parents->count++] = from;
    }
}

/* Fills succ_start, succ and indegree. */
static void link_successors(struct layered *g, const struct parents *parents)
{
    for (uint32_t i = 0; i < g->n; i++) {
        g->indegree[i] = parents[i].count;
        for (uint32_t k = 0; k < parents[i].count; k++)
            g->succ_start[parents[i].of[k] + 2]++;
    }
    for (uint32_t i = 0; i < g->n; i++)
        g->succ_start[i + 1] += g->succ_start[i];
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t k = 0; k < parents[i].count; k++)
            g->succ[g->succ_start[parents[i].of[k] + 1]++] = i;
}

static struct layered allocate(uint32_t n, uint32_t classes)
{
    return (struct layered){.n = n,
                            .classes = classes,
                            .succ_start = workload_array((size_t)n + 2, sizeof(uint32_t)),
                            .succ = workload_array(3 * (size_t)n, sizeof(uint32_t)),
                            .indegree = workload_array(n, sizeof(uint32_t)),
                            .resource = workload_array(n, sizeof(uint32_t)),
                            .median_us = workload_array(n, sizeof(double))};
}

void layered_free(struct layered *g)
{
    free(g->succ_start);
    free(g->succ);
    free(g->indegree);
    free(g->resource);
    free(g->median_us);
}

/* FIFO by ready time at median durations: order[k] is the k-th node to start. */
static void start_order(const struct layered *g, uint32_t *order)
{
    enum { MOST = 8 };
    uint32_t *queue[MOST], head[MOST] = {0}, tail[MOST] = {0}, running[MOST], started = 0;
    uint32_t *left = workload_array(g->n, sizeof *left);
    double finish[MOST], now = 0;
    memcpy(left, g->indegree, g->n * sizeof *left);
    for (uint32_t r = 0; r < g->classes; r++) {
        queue[r] = workload_array(g->n, sizeof *queue[r]);
        finish[r] = INFINITY;
    }
    for (uint32_t i = 0; i < g->n; i++)
        if (!left[i])
            queue[g->resource[i]][tail[g->resource[i]]++] = i;
    for (;;) {
        uint32_t first = 0;
        for (uint32_t r = 0; r < g->classes; r++) {
            if (finish[r] == INFINITY && head[r] < tail[r]) {
                uint32_t node = running[r] = order[started++] = queue[r][head[r]++];
                finish[r] = now + g->median_us[node];
            }
            if (finish[r] < finish[first])
                first = r;
        }
        if (finish[first] == INFINITY)
            break;
        now = finish[first];
        finish[first] = INFINITY;
        for (uint32_t e = g->succ_start[running[first]]; e < g->succ_start[running[first] + 1]; e++)
            if (--left[g->succ[e]] == 0) {
                uint32_t r = g->resource[g->succ[e]];
                queue[r][tail[r]++] = g->succ[e];
            }
    }
    for (uint32_t r = 0; r < g->classes; r++)
        free(queue[r]);
    free(left);
}

/* The same graph with node order[k] as node k. */
static struct layered renumbered(const struct layered *g, const struct parents *parents,
                                 const uint32_t *order)
{
    struct layered to = allocate(g->n, g->classes);
    uint32_t *place = workload_array(g->n, sizeof *place);
    struct parents *moved = workload_array(g->n, sizeof *moved);
    for (uint32_t k = 0; k < g->n; k++)
        place[order[k]] = k;
    for (uint32_t k = 0; k < g->n; k++) {
        to.resource[k] = g->resource[order[k]];
        to.median_us[k] = g->median_us[order[k]];
        moved[k] = parents[order[k]];
        for (uint32_t j = 0; j < moved[k].count; j++)
            moved[k].of[j] = place[moved[k].of[j]];
    }
    link_successors(&to, moved);
    free(place);
    free(moved);
    return to;
}

struct layered layered_make(uint32_t n, uint32_t classes)
{
    static const double medians[4] = {1, 2, 2, 3};
    struct layered drawn = allocate(n, classes);
    struct parents *parents = workload_array(n, sizeof *parents);
    lcg_state = 12345 + n + classes;
    for (uint32_t i = 0; i < n; i++) {
        choose_parents(i, &parents[i]);
        double u = uniform();
        uint32_t kind = u < 0.5 ? 0 : u < 0.7 ? 1 : u < 0.9 ? 2 : 3;
        drawn.median_us[i] = medians[kind] * (0.5 + uniform());
        drawn.resource[i] = classes == 8 ? 2 * kind + (uniform() < 0.5) : kind;
    }
    link_successors(&drawn, parents);
    uint32_t *order = workload_array(n, sizeof *order);
    start_order(&drawn, order);
    struct layered g = renumbered(&drawn, parents, order);
    layered_free(&drawn);
    free(parents);
    free(order);
    return g;
}

/* ---- scenario folders ------------------------------------------------------------------------ */

static FILE *open_in(const char *dir, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    if (!f)
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return f;
}

/* Closes a file; false when anything could not be written. */
static bool closed(FILE *f)
{
    bool good = !ferror(f);
    good &= fclose(f) == 0;
    if (!good)
        perror("cannot write the workload");
    return good;
}

static bool write_edges(const struct layered *g, const char *dir, bool objects)
{
    FILE *f = open_in(dir, "edges.csv");
    if (!f)
        return false;
    fputs(objects ? "from,to,type,object\n" : "from,to,type\n", f);
    for (uint32_t i = 0; i < g->n; i++)
        for (uint32_t e = g->succ_start[i]; e < g->succ_start[i + 1]; e++) {
            fprintf(f, "n%u,n%u,data-ready", i, g->succ[e]);
            if (objects && g->resource[i] == 1)
                fprintf(f, ",o%u", i);
            else if (objects)
                fputc(',', f);
            fputc('\n', f);
        }
    return closed(f);
}

static bool write_plain_nodes(const struct layered *g, const char *dir, bool lanes)
{
    FILE *f = open_in(dir, "nodes.csv");
    if (!f)
        return false;
    fputs(lanes ? "node,kind,class,resource,duration,lane\n"
                : "node,kind,class,resource,duration\n",
          f);
    for (uint32_t i = 0; i < g->n; i++) {
        fprintf(f, "n%u,compute,c%u,r%u,\"lognormal(median=%.9gus, sigma=%g)\"", i, g->resource[i],
                g->resource[i], g->median_us[i], WORKLOAD_SIGMA);
        if (lanes)
            fprintf(f, ",l%u", g->resource[i]);
        fputc('\n', f);
    }
    return closed(f);
}

static void write_policy(FILE *f)
{
    fputs("policies:\n"
          "  - {name: as-given, action: as-given}\n"
          "baseline: as-given\n"
          "trials: 1000\n"
          "seed: 1\n",
          f);
}

static void write_tail(FILE *f)
{
    fputs("run: {mode: once}\n", f);
    write_policy(f);
}

static void write_resources(FILE *f, uint32_t count, const char *order)
{
    fputs("resources:\n", f);
    for (uint32_t r = 0; r < count; r++)
        fprintf(f, "  r%u: {servers: 1, order: %s, group: gpu0}\n", r, order);
}

static int write_plain(const struct layered *g, const char *dir, bool lanes)
{
    FILE *f = NULL;
    if (!write_plain_nodes(g, dir, lanes) || !write_edges(g, dir, false) ||
        !(f = open_in(dir, "scenario.yaml")))
        return -1;
    fprintf(f, "name: w%s-%u\nnodes: nodes.csv\nedges: edges.csv\n", g->classes == 4 ? "1" : "2b",
            g->n);
    write_resources(f, g->classes, "fifo");
    if (g->classes == 8) {
        fputs("kappa:\n  rule: bandwidth\n  demands:\n", f);
        for (uint32_t r = 0; r < g->classes; r++)
            fprintf(f, "    c%u: {mem: 0.5}\n", r);
    } else
        fputs("kappa: {rule: additive, unknown_kappa: 1}\n", f);
    write_tail(f);
    return closed(f) ? 0 : -1;
}

/* ---- w1-full --------------------------------------------------------------------------------- */

/* Nodes with priorities, workspaces and, for class c1, an object that their successors read. */
static bool write_full_nodes(const struct layered *g, const char *dir)
{
    FILE *nodes = open_in(dir, "nodes.csv"), *objects = open_in(dir, "objects.csv");
    if (!nodes || !objects)
        return false;
    struct parents *inputs = workload_array(g->n, sizeof *inputs);
    fputs("node,kind,class,resource,duration,priority,workspace,inputs,outputs\n", nodes);
    fputs("object,size,home\n", objects);
    for (uint32_t i = 0; i < g->n; i++) {
        bool writes = g->resource[i] == 1 && g->succ_start[i] < g->succ_start[i + 1];
        fprintf(nodes, "n%u,compute,c%u,r%u,\"lognormal(median=%.9gus, sigma=%g)\",%u,hbm:%uMiB,",
                i, g->resource[i], g->resource[i], g->median_us[i], WORKLOAD_SIGMA, below(4),
                8 + below(57));
        for (uint32_t k = 0; k < inputs[i].count; k++)
            fprintf(nodes, "%so%u", k ? ";" : "", inputs[i].of[k]);
        fputc(',', nodes);
        if (writes) {
            fprintf(nodes, "o%u", i);
            fprintf(objects, "o%u,%uMiB,hbm\n", i, 1 + below(8));
        }
        fputc('\n', nodes);
        for (uint32_t e = g->succ_start[i]; writes && e < g->succ_start[i + 1]; e++) {
            struct parents *to = &inputs[g->succ[e]];
            to->of[to->count++] = i;
        }
    }
    free(inputs);
    bool good = closed(nodes);
    return closed(objects) && good;
}

/* Slowdowns of every class by every class, itself left out: a resource has one server. */
static bool write_kappa(const char *dir, uint32_t classes)
{
    FILE *f = open_in(dir, "kappa.csv");
    if (!f)
        return false;
    fputs("victim,set,kappa\n", f);
    for (uint32_t a = 0; a < classes; a++)
        for (uint32_t b = 0; b < classes; b++)
            if (a != b)
                fprintf(f, "c%u,c%u,%.3f\n", a, b, 1.05 + 0.3 * uniform());
    return closed(f);
}

static int write_full(const struct layered *g, const char *dir)
{
    FILE *f = NULL;
    if (!write_full_nodes(g, dir) || !write_edges(g, dir, true) || !write_kappa(dir, g->classes) ||
        !(f = open_in(dir, "scenario.yaml")))
        return -1;
    fprintf(f,
            "name: w1-full-%u\nnodes: nodes.csv\nedges: edges.csv\nobjects: objects.csv\n"
            "domains:\n  hbm: {capacity: 208MiB, reserve: 0B}\n",
            g->n);
    write_resources(f, g->classes, "priority");
    fputs("kappa: {table: kappa.csv, rule: additive, unknown_kappa: 1}\n", f);
    write_tail(f);
    return closed(f) ? 0 : -1;
}

/* ---- many-running ---------------------------------------------------------------------------- */

/* `chains` lanes that never wait for each other, about MANY_NODES nodes in all. */
static int write_many(uint32_t chains, const char *dir)
{
    FILE *f = open_in(dir, "nodes.csv");
    if (!f)
        return -1;
    lcg_state = 12345 + chains;
    fputs("node,kind,class,resource,lane,duration\n", f);
    uint32_t count = MANY_NODES / chains ? MANY_NODES / chains : 1;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t c = 0; c < chains; c++)
            fprintf(f, "n%u.%u,compute,c%u,gpu,l%u,\"lognormal(median=%.9gus, sigma=%g)\"\n", c, k,
                    below(MANY_CLASSES), c, 0.5 + uniform(), WORKLOAD_SIGMA);
    if (!closed(f) || !(f = open_in(dir, "scenario.yaml")))
        return -1;
    fprintf(f,
            "name: many-running-%u\nnodes: nodes.csv\n"
            "resources:\n  gpu: {servers: %u, order: fifo, group: gpu0}\n"
            "kappa:\n  rule: bandwidth\n  demands:\n",
            chains, chains);
    for (uint32_t c = 0; c < MANY_CLASSES; c++)
        fprintf(f, "    c%u: {mem: %.3f}\n", c, 0.05 + 0.05 * c);
    write_tail(f);
    return closed(f) ? 0 : -1;
}

/* ---- sharing --------------------------------------------------------------------------------- */

static int write_sharing(uint32_t jobs, const char *dir)
{
    FILE *f = open_in(dir, "nodes.csv");
    if (!f)
        return -1;
    fprintf(f,
            "node,kind,class,resource,duration\nserve,compute,x,gpu,\"lognormal(mean=1us, "
            "sigma=%g)\"\n",
            WORKLOAD_SIGMA);
    if (!closed(f) || !(f = open_in(dir, "kappa.csv")))
        return -1;
    fputs("victim,set,kappa\nx,x,2\n", f);
    if (!closed(f) || !(f = open_in(dir, "scenario.yaml")))
        return -1;
    fprintf(f,
            "name: sharing-%u\nnodes: nodes.csv\nresources:\n  gpu: {servers: unlimited, group: "
            "gpu0}\nkappa: {table: kappa.csv, rule: additive}\n"
            "run: {mode: open, arrivals: poisson(rate=%.0f/s), jobs: %u, warmup: 0}\n"
            "objective: {metric: latency, tail: 0.99}\n",
            jobs, 1e6 / SHARING_GAP_US, jobs);
    write_policy(f);
    return closed(f) ? 0 : -1;
}

int workload_write(const char *workload, uint32_t n, const char *dir)
{
    bool many = strcmp(workload, "many-running") == 0, two = strcmp(workload, "w2b") == 0;
    bool full = strcmp(workload, "w1-full") == 0, lanes = strcmp(workload, "w1-lanes") == 0;
    bool sharing = strcmp(workload, "sharing") == 0;
    if (!many && !two && !full && !lanes && !sharing && strcmp(workload, "w1") != 0) {
        fprintf(stderr,
                "'%s' is no workload: w1, w1-lanes, w2b, w1-full, sharing or many-running\n",
                workload);
        return -1;
    }
    if (n < (many || sharing ? 1 : LAYER) || n > 10000000) {
        fprintf(stderr, "%u is out of the range of nodes\n", n);
        return -1;
    }
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "%s: %s\n", dir, strerror(errno));
        return -1;
    }
    if (many)
        return write_many(n, dir);
    if (sharing)
        return write_sharing(n, dir);
    struct layered g = layered_make(n, two ? 8 : 4);
    int status = full ? write_full(&g, dir) : write_plain(&g, dir, lanes);
    layered_free(&g);
    return status;
}
