/* One counter at a time; uniforms.c makes many at once. */
#include <config.h>

#include "philox.h"
#include <Random123/philox.h>

static double uniform(uint32_t low, uint32_t high)
{
    uint64_t bits = (uint64_t)high << 32 | low;
    return ((double)(int64_t)(bits >> 11) + 0.5) * 0x1p-53; /* signed converts in one step */
}

void sl_draws_uniforms(uint64_t seed, uint32_t trial, uint64_t hash, uint32_t number, double *u,
                       double *u2)
{
    philox4x32_ctr_t counter = {{trial, (uint32_t)hash, (uint32_t)(hash >> 32), number}};
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t r = philox4x32(counter, key);
    *u = uniform(r.v[0], r.v[1]);
    *u2 = uniform(r.v[2], r.v[3]);
}
