/* One compute stream and a copy engine each way over a bounded memory, in miniature: what every
 * choice for the objects of a small problem costs, and the best of all choices.  It shares nothing
 * with the simulator but the rules:
 *
 *     compute     nodes in order; a node starts when what it reads is there and its workspace and
 * the object that it writes fit an object   is written once, and read at most in one stretch before
 * its gap and in one behind it it stays    until its last read it drops    behind its last read
 * before the gap; its writer runs again right before the first node behind the gap, or earlier for
 * another node that runs again and reads it; what the writer reads is kept or brought back for that
 *     it moves    out as soon as it is written, in order of writing; its bytes are free when that
 * and the last read before the gap are done; back in order of what waits for it, as soon as its
 *                 bytes fit but not before its trigger has finished; a copy that does not fit holds
 *                 up those behind it
 *     at an instant  everything that ends gives back first; then compute is tried before copies;
 * bytes that two nodes must both be done with come free after that, and all is tried again */
#ifndef SL_TEST_STREAM_MODEL_H
#define SL_TEST_STREAM_MODEL_H
#include <stdbool.h>

#define SM_NODES   32
#define SM_OBJECTS 10
#define SM_READS   6
#define SM_STEPS   (SM_NODES + SM_OBJECTS * SM_OBJECTS)

struct sm_node {
    int ms, workspace;
    int writes; /* object, -1 */
    int reads[SM_READS], read_count;
};

struct sm_object {
    int size, writer;
    int before, after; /* the uses around its gap; after -1: it has none */
    int out_ms, back_ms;
    bool remakes; /* its writer may run again */
};

struct sm_problem {
    struct sm_node nodes[SM_NODES];
    struct sm_object objects[SM_OBJECTS];
    int node_count, object_count, capacity;
};

enum sm_what { SM_STAYS, SM_DROPS, SM_MOVES };
#define SM_ASAP (-1) /* no trigger */

struct sm_choice {
    enum sm_what what;
    int trigger; /* step of the run, of an object that moves */
};

/* What compute runs: the nodes, and those that run again. */
struct sm_step {
    int node, before; /* before: the node in front of which it runs again; the node itself */
    int again;        /* the how manyth run again of that node, from 1; 0: the node itself */
};
struct sm_run {
    struct sm_step steps[SM_STEPS];
    int count;
};

void sm_sequence(const struct sm_problem *problem, const struct sm_choice *choices,
                 struct sm_run *run);
/* The first step that waits for an object that moves. */
int sm_consumer(const struct sm_problem *problem, const struct sm_choice *choices,
                const struct sm_run *run, int object);
/* Makespan in ms; -1: it deadlocks. */
int sm_makespan(const struct sm_problem *problem, const struct sm_choice *choices,
                const struct sm_run *run);

/* The least makespan over all choices, every trigger among them; -1: all deadlock.  By trying all,
 * but for those whose makespan without the bound on memory is no better. */
int sm_optimum(const struct sm_problem *problem, struct sm_choice *best);
#endif
