/* Uniform numbers that a counter stands for, by Philox4x32-10 (Salmon et al. 2011): the same
 * counter and seed give the same numbers wherever they are asked for. */
#ifndef SL_PHILOX_H
#define SL_PHILOX_H
#include <stdint.h>

/* Two uniforms in (0, 1), of 53 bits each, of the counter (trial, low and high half of `hash`,
 * number) under the key `seed`. */
void sl_draws_uniforms(uint64_t seed, uint32_t trial, uint64_t hash, uint32_t number, double *u,
                       double *u2);

/* Number `number` of a sequence of more than 2^32 draws: it goes on under further hashes. */
static inline uint64_t sl_draws_hash_of(uint64_t hash, uint64_t number)
{
    return hash + (number >> 32) * UINT64_C(0x9E3779B97F4A7C15);
}
static inline void sl_draws_uniforms_long(uint64_t seed, uint32_t trial, uint64_t hash,
                                          uint64_t number, double *u, double *u2)
{
    sl_draws_uniforms(seed, trial, sl_draws_hash_of(hash, number), (uint32_t)number, u, u2);
}

/* In bulk; the second ones unless NULL.  Arrays have room for SL_DRAWS_AT_ONCE more. */
#define SL_DRAWS_AT_ONCE 16
/* The first draws (number 0) of `count` hashes. */
void sl_uniforms_fill(uint64_t seed, uint32_t trial, const uint64_t *hash, uint32_t count,
                      double *first, double *second);
/* `count` consecutive numbers, below 2^32, of one hash. */
void sl_uniforms_numbers(uint64_t seed, uint32_t trial, uint64_t hash, uint32_t number,
                         uint32_t count, double *first, double *second);
#endif
