/* Workloads as scenario folders (workloads.h). */
#include <config.h>

#include "workloads.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MANY_CLASSES = 16, MANY_NODES = 10000 };

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

/* The objects that a node reads, by who writes them. */
struct inputs {
    uint32_t count, of[3];
};

/* Nodes with priorities, workspaces and, for class c1, an object that their successors read. */
static bool write_full_nodes(const struct layered *g, const struct full_load *load, const char *dir)
{
    FILE *nodes = open_in(dir, "nodes.csv"), *objects = open_in(dir, "objects.csv");
    if (!nodes || !objects)
        return false;
    struct inputs *inputs = workload_array(g->n, sizeof *inputs);
    fputs("node,kind,class,resource,duration,priority,workspace,inputs,outputs\n", nodes);
    fputs("object,size,home\n", objects);
    for (uint32_t i = 0; i < g->n; i++) {
        fprintf(nodes, "n%u,compute,c%u,r%u,\"lognormal(median=%.9gus, sigma=%g)\",%u,hbm:%uMiB,",
                i, g->resource[i], g->resource[i], g->median_us[i], WORKLOAD_SIGMA,
                load->priority[i], load->workspace_mib[i]);
        for (uint32_t k = 0; k < inputs[i].count; k++)
            fprintf(nodes, "%so%u", k ? ";" : "", inputs[i].of[k]);
        fputc(',', nodes);
        if (load->object_mib[i]) {
            fprintf(nodes, "o%u", i);
            fprintf(objects, "o%u,%uMiB,hbm\n", i, load->object_mib[i]);
        }
        fputc('\n', nodes);
        for (uint32_t e = g->succ_start[i]; load->object_mib[i] && e < g->succ_start[i + 1]; e++) {
            struct inputs *to = &inputs[g->succ[e]];
            to->of[to->count++] = i;
        }
    }
    free(inputs);
    bool good = closed(nodes);
    return closed(objects) && good;
}

/* Slowdowns of every class by every class, itself left out: a resource has one server. */
static bool write_kappa(const struct full_load *load, uint32_t classes, const char *dir)
{
    FILE *f = open_in(dir, "kappa.csv");
    if (!f)
        return false;
    fputs("victim,set,kappa\n", f);
    for (uint32_t a = 0; a < classes; a++)
        for (uint32_t b = 0; b < classes; b++)
            if (a != b)
                fprintf(f, "c%u,c%u,%.3f\n", a, b, load->kappa[a][b]);
    return closed(f);
}

static int write_full(const struct layered *g, const char *dir)
{
    FILE *f = NULL;
    struct full_load load = full_load_make(g);
    bool good = write_full_nodes(g, &load, dir) && write_edges(g, dir, true) &&
                write_kappa(&load, g->classes, dir);
    full_load_free(&load);
    if (!good || !(f = open_in(dir, "scenario.yaml")))
        return -1;
    fprintf(f,
            "name: w1-full-%u\nnodes: nodes.csv\nedges: edges.csv\nobjects: objects.csv\n"
            "domains:\n  hbm: {capacity: %dMiB, reserve: 0B}\n",
            g->n, FULL_CAPACITY_MIB);
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
    workload_seed(12345 + chains);
    fputs("node,kind,class,resource,lane,duration\n", f);
    uint32_t count = MANY_NODES / chains ? MANY_NODES / chains : 1;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t c = 0; c < chains; c++)
            fprintf(f, "n%u.%u,compute,c%u,gpu,l%u,\"lognormal(median=%.9gus, sigma=%g)\"\n", c, k,
                    workload_below(MANY_CLASSES), c, 0.5 + workload_uniform(), WORKLOAD_SIGMA);
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
    if (n < (many || sharing ? 1 : WORKLOAD_LAYER) || n > 10000000) {
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
