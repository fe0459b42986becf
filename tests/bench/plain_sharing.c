/* Processor sharing as described in plain_loops.h.  In virtual time V each job does dV of its work
 * while V grows by dV, and n jobs at once let V grow by dt / n: a job that comes at V with work S
 * ends when V + S is reached, whoever comes or goes meanwhile. */
#include <config.h>

#include "plain_heap.h"
#include "plain_loops.h"
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

struct sharing {
    gsl_rng *rng;
    struct plain_heap heap; /* of the virtual times at which jobs end */
    double *came_us;        /* by job */
    uint32_t room;          /* jobs that the heap has room for */
    double now_us, virtual_us;
};

static double next_gap_us(const struct sharing *s)
{
    return -log(gsl_rng_uniform_pos(s->rng)) * SHARING_GAP_US;
}

static void arrive(struct sharing *s, uint32_t job)
{
    double drawn = WORKLOAD_SIGMA * gsl_ran_gaussian_ziggurat(s->rng, 1.0);
    if (s->heap.count == s->room) {
        s->room *= 2;
        s->heap.events = workload_must(realloc(s->heap.events, s->room * sizeof *s->heap.events));
    }
    s->came_us[job] = s->now_us;
    plain_heap_push(&s->heap, s->virtual_us + exp(drawn - WORKLOAD_SIGMA * WORKLOAD_SIGMA / 2),
                    job);
}

double plain_sharing(uint32_t jobs)
{
    struct sharing s = {.rng = workload_must(gsl_rng_alloc(gsl_rng_mt19937)), .room = 64};
    s.heap.events = workload_array(s.room, sizeof *s.heap.events);
    s.came_us = workload_array(jobs, sizeof *s.came_us);
    double next_us = next_gap_us(&s), sum_us = 0;
    for (uint32_t came = 0, done = 0; done < jobs;) {
        uint32_t n = s.heap.count;
        double end_us = n ? s.now_us + (s.heap.events[0].t - s.virtual_us) * n : (double)INFINITY;
        if (end_us < next_us) {
            struct event end = plain_heap_pop(&s.heap);
            s.virtual_us = end.t;
            s.now_us = end_us;
            sum_us += end_us - s.came_us[end.item];
            done++;
            continue;
        }
        s.virtual_us += n ? (next_us - s.now_us) / n : 0;
        s.now_us = next_us;
        arrive(&s, came++);
        next_us = came < jobs ? next_us + next_gap_us(&s) : (double)INFINITY;
    }
    free(s.came_us);
    free(s.heap.events);
    gsl_rng_free(s.rng);
    return sum_us / jobs;
}
