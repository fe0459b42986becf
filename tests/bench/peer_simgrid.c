/* w1 of workloads.h in SimGrid, as a peer for the table of bench.c: an actor per resource that
 * takes the next node of its queue (a semaphore counts them), sleeps for the node's duration and
 * puts ready successors into the queues of theirs.  No network and no computing model takes part,
 * which is the fastest way found. usage: peer_simgrid DIR NODES TRIALS; prints ns of CPU time per
 * node, and the mean makespan in us */
#include <config.h>

#include "workloads.h"
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RESOURCES = 4 };

static struct layered graph;
static gsl_rng *rng;
static uint32_t *left, left_to_start[RESOURCES], *queue[RESOURCES], head[RESOURCES],
    tail[RESOURCES];
static sg_sem_t waiting[RESOURCES];

static void enqueue(uint32_t node)
{
    uint32_t r = graph.resource[node];
    queue[r][tail[r]++] = node;
    sg_sem_release(waiting[r]);
}

static void serve(int argc, char **argv)
{
    (void)argc;
    uint32_t r = (uint32_t)strtoul(argv[0], NULL, 10);
    while (left_to_start[r]-- > 0) {
        sg_sem_acquire(waiting[r]);
        uint32_t node = queue[r][head[r]++];
        sg_actor_sleep_for(graph.median_us[node] *
                           exp(WORKLOAD_SIGMA * gsl_ran_gaussian_ziggurat(rng, 1.0)));
        for (uint32_t e = graph.succ_start[node]; e < graph.succ_start[node + 1]; e++)
            if (--left[graph.succ[e]] == 0)
                enqueue(graph.succ[e]);
    }
}

/* One trial in the simulated time after the ones before; its makespan in us (SimGrid's seconds). */
static double run_trial(sg_host_t host)
{
    double begin = simgrid_get_clock();
    memcpy(left, graph.indegree, graph.n * sizeof *left);
    memset(left_to_start, 0, sizeof left_to_start);
    for (uint32_t i = 0; i < graph.n; i++)
        left_to_start[graph.resource[i]]++;
    for (uint32_t r = 0; r < RESOURCES; r++) {
        char name[16];
        const char *args[] = {name};
        snprintf(name, sizeof name, "%u", (unsigned)r);
        head[r] = tail[r] = 0;
        waiting[r] = sg_sem_init(0);
        sg_actor_create_(name, host, serve, 1, args);
    }
    for (uint32_t i = 0; i < graph.n; i++)
        if (!left[i])
            enqueue(i);
    simgrid_run();
    for (uint32_t r = 0; r < RESOURCES; r++)
        sg_sem_destroy(waiting[r]);
    return simgrid_get_clock() - begin;
}

/* The C interface takes platforms from files alone. */
static void load_platform(void)
{
    char name[] = "/tmp/slackline-peer-XXXXXX.xml";
    int fd = mkstemps(name, 4);
    FILE *f = workload_must(fd < 0 ? NULL : fdopen(fd, "w"));
    fputs("<?xml version='1.0'?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\"><zone id=\"zone\" routing=\"Full\">\n"
          "<host id=\"host\" speed=\"1f\"/></zone></platform>\n",
          f);
    fclose(f);
    simgrid_load_platform(name);
    unlink(name);
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    simgrid_init(&argc, argv);
    if (argc != 4)
        return 2;
    uint32_t trials = (uint32_t)strtoul(argv[3], NULL, 10);
    graph = layered_make((uint32_t)strtoul(argv[2], NULL, 10), RESOURCES);
    rng = gsl_rng_alloc(gsl_rng_mt19937);
    left = workload_array(graph.n, sizeof *left);
    for (uint32_t r = 0; r < RESOURCES; r++)
        queue[r] = workload_array(graph.n, sizeof *queue[r]);
    load_platform();
    sg_host_t host = sg_host_by_name("host");
    double begin = cpu_seconds(), sum = 0;
    for (uint32_t t = 0; t < trials; t++)
        sum += run_trial(host);
    printf("%.1f %.4f\n", (cpu_seconds() - begin) * 1e9 / graph.n / trials, sum / trials);
    return EXIT_SUCCESS;
}
