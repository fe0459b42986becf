/* The workloads that speed is measured on: random layered graphs, as arrays for a plain loop and as
 * scenario folders for the program.
 *
 * - w1: layers of 20 nodes; one, two or three predecessors (1/4, 1/2, 1/4), each four times in five
 *   from the layer before, else from one to four back; four classes (shares .5 .2 .2 .1, medians
 *   1 2 2 3 us times U(.5, 1.5)), a single server each; lognormal durations of sigma .25.  FIFO by
 *   ready time.
 * - w1-lanes: the same in the order of the nodes, a lane per resource.
 * - w2b: w1 with two resources per class, all eight in one contention group: bandwidth demands of
 *   one half each, so that k running nodes are slowed by max(1, k / 2).
 * - w1-full: w1 with everything on: priorities 0 to 3, an additive table of slowdowns, a workspace
 *   of 8 to 64 MiB per node, and an object of 1 to 8 MiB written by every node of class c1 and read
 *   by its successors, in a memory of 208 MiB, for which the next start has to wait now and then:
 *   one to four hundredths of every resource's time.
 * - sharing: jobs of one node that share a machine equally, M/G/1-PS: Poisson arrivals, 0.8 per us,
 *   lognormal work of mean 1 us and sigma .25, slowdown by the number of jobs; mean response 5 us.
 * - many-running: K chains of nodes in 16 classes of one contention group, all running at once.
 *
 * Nodes are numbered in the order in which they would start if all durations were medians. */
#ifndef SL_WORKLOADS_H
#define SL_WORKLOADS_H
#include <stddef.h>
#include <stdint.h>

#define WORKLOAD_SIGMA 0.25
#define WORKLOAD_LAYER 20
#define SHARING_GAP_US 1.25

/* A layered graph.  All arrays belong to it; successors of node i are succ[succ_start[i]] to
 * succ[succ_start[i + 1]]. */
struct layered {
    uint32_t n, classes;
    uint32_t *succ_start, *succ, *indegree, *resource;
    double *median_us;
};

/* n >= 20 nodes on 4 or 8 resources.  Ends the program when memory runs out. */
struct layered layered_make(uint32_t n, uint32_t classes);
void layered_free(struct layered *g);

/* What w1-full adds to the graph of n nodes on 4 resources.  Arrays belong to it. */
struct full_load {
    uint32_t *priority, *workspace_mib; /* by node */
    uint32_t *object_mib;               /* that the node writes; 0: none */
    double kappa[4][4];                 /* of class a beside class b; a == b: unused */
};
#define FULL_CAPACITY_MIB 208

/* `g` is as layered_make has just returned it: the random numbers go on from there. */
struct full_load full_load_make(const struct layered *g);
void full_load_free(struct full_load *load);

/* Writes a workload (its name above) of n nodes into the new or existing
 * folder `dir`; for many-running, n is K, for sharing the jobs.  0, or -1 with a message on stderr.
 */
int workload_write(const char *workload, uint32_t n, const char *dir);

/* The fixed sequence of random numbers that workloads are made of: in [0, 1), and below a bound. */
void workload_seed(uint64_t seed);
double workload_uniform(void);
uint32_t workload_below(uint32_t bound);

/* `memory`, or the end of the program when it is NULL; zeroed memory for `count` things. */
void *workload_must(void *memory);
void *workload_array(size_t count, size_t size);
#endif
