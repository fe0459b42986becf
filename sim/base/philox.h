/* Uniform numbers that a counter stands for, by Philox4x32-10 (Salmon et al. 2011): the same counter
 * and seed give the same numbers wherever they are asked for. */
#ifndef SL_PHILOX_H
#define SL_PHILOX_H
#include <stdint.h>

/* Two uniforms in (0, 1), of 53 bits each, of the counter (trial, low and high half of `hash`, number)
 * under the key `seed`. */
void sl_draws_uniforms(uint64_t seed, uint32_t trial, uint64_t hash, uint32_t number, double *u,
                       double *u2);

/* Number `number` of a sequence of more than 2^32 draws: it goes on under further hashes. */
static inline void sl_draws_uniforms_long(uint64_t seed, uint32_t trial, uint64_t hash,
                                          uint64_t number, double *u, double *u2)
{
    hash += (number >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    sl_draws_uniforms(seed, trial, hash, (uint32_t)number, u, u2);
}
#endif
