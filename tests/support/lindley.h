/* The queue M/M/1 by Lindley's recursion: W' = max(0, W + S - A), an oracle that shares nothing
 * with the library.  Kleinrock, Queueing Systems I, 3.2: with load r = arrivals / services below 1
 * the time in the system is exponential of rate services - arrivals. */
#ifndef SL_TEST_LINDLEY_H
#define SL_TEST_LINDLEY_H
#include "dice.h"
#include <math.h>
#include <stddef.h>

static inline double lindley_exponential(struct dice *dice, double rate)
{
    return -log((dice_below(dice, 1000003) + 0.5) / 1000003.0) / rate;
}

struct lindley {
    struct dice dice;
    double arrivals, services; /* rates */
    double t, wait, service;   /* of the job at hand: its arrival, and its times */
    size_t job;
};

/* The next job, the first at time 0 into an empty system; returns its time in the system. */
static inline double lindley_next(struct lindley *queue)
{
    if (queue->job++ > 0) {
        double gap = lindley_exponential(&queue->dice, queue->arrivals);
        queue->t += gap;
        queue->wait = fmax(0, queue->wait + queue->service - gap);
    }
    queue->service = lindley_exponential(&queue->dice, queue->services);
    return queue->wait + queue->service;
}

static inline double lindley_mean(const struct lindley *queue)
{
    return 1 / (queue->services - queue->arrivals);
}

static inline double lindley_quantile(const struct lindley *queue, double q)
{
    return -log(1 - q) / (queue->services - queue->arrivals);
}
#endif
