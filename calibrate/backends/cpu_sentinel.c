/* Ping-pong in batches, of which the median is taken: a batch in which a core was busy otherwise
 * does not count. */
#include "config.h"

#include "cpu_sentinel.h"
#include <math.h>

enum { BATCHES = 9, TRIPS = 32 };
#define PATIENCE_NS INT64_C(200000000)

/* Odd balls fly from seat 0, even ones back. */
static bool catch_ball(struct sl_cpu_sentinel *sentinel, uint32_t number)
{
    struct sl_cpu_wait wait = {PATIENCE_NS, &sentinel->gate->broken, 0, 0};
    while (atomic_load_explicit(&sentinel->ball, memory_order_acquire) != number)
        if (!sl_cpu_wait(&wait)) {
            atomic_store(&sentinel->gate->broken, true);
            return false;
        }
    return true;
}

static void throw_ball(struct sl_cpu_sentinel *sentinel, uint32_t number)
{
    atomic_store_explicit(&sentinel->ball, number, memory_order_release);
}

static bool return_balls(struct sl_cpu_sentinel *sentinel)
{
    for (uint32_t trip = 0; trip < BATCHES * TRIPS; trip++) {
        if (!catch_ball(sentinel, 2 * trip + 1))
            return false;
        throw_ball(sentinel, 2 * trip + 2);
    }
    return true;
}

/* The time of a trip, NAN when it was broken off. */
static double serve_balls(struct sl_cpu_sentinel *sentinel)
{
    double least_ns = INFINITY;
    for (uint32_t batch = 0; batch < BATCHES; batch++) {
        int64_t start_ns = sl_cpu_now_ns();
        for (uint32_t trip = batch * TRIPS; trip < (batch + 1) * TRIPS; trip++) {
            throw_ball(sentinel, 2 * trip + 1);
            if (!catch_ball(sentinel, 2 * trip + 2))
                return (double)NAN;
        }
        least_ns = fmin(least_ns, (double)(sl_cpu_now_ns() - start_ns) / TRIPS);
    }
    return least_ns;
}

void sl_cpu_sentinel_play(struct sl_cpu_sentinel *sentinel, uint32_t seat)
{
    if (seat == 0)
        sentinel->ns = (double)NAN;
    for (uint32_t other = 1; other < sentinel->gate->count; other++) {
        if (seat == 0)
            throw_ball(sentinel, 0);
        if (!sl_cpu_gate_pass(sentinel->gate, PATIENCE_NS))
            return;
        if (seat == other && !return_balls(sentinel))
            return;
        if (seat == 0) {
            double ns = serve_balls(sentinel);
            sentinel->ns = isnan(ns) ? ns : fmax(ns, sentinel->ns);
        }
    }
}
