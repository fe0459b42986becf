/* How large the works of a GPU are, from what the driver says of it.  Pure, so that all sessions on
 * one GPU measure the same. */
#ifndef SL_CUDA_SIZES_H
#define SL_CUDA_SIZES_H
#include "work.h"

struct sl_cuda_capacity {
    int64_t memory_bytes;
    double memory_bytes_per_s; /* peak */
    double clock_hz;
    uint32_t multiprocessors;
    int major, minor;   /* compute capability */
    bool coherent_link; /* host and GPU share page tables: a chip-to-chip link, not PCIe */
};

/* An aggressor's unit lasts 200 us or more where nothing disturbs it. */
#define SL_CUDA_UNIT_S 300e-6
/* A victim is so many units, so that a partial overlap has steps. */
#define SL_CUDA_VICTIM_UNITS 4

/* Bytes that pass at peak in SL_CUDA_UNIT_S, a power of two; less where 1/64 of the memory is less.
 */
int64_t sl_cuda_memory_unit(const struct sl_cuda_capacity *capacity);
int64_t sl_cuda_link_unit(const struct sl_cuda_capacity *capacity);
/* Side of the least square product of matrices that lasts `seconds` at half of the tensor cores'
 * peak. */
uint32_t sl_cuda_gemm_side(const struct sl_cuda_capacity *capacity, double seconds);

/* Two matrices of 2-byte numbers and one of 4-byte sums. */
int64_t sl_cuda_gemm_bytes(uint32_t side);
/* The side of a product of so many bytes, or of the next larger that kernels take. */
uint32_t sl_cuda_gemm_side_of(int64_t bytes);

/* The side whose product takes nearest to as long as one of so many bytes. */
uint32_t sl_cuda_gemm_side_near(int64_t bytes);

/* A work as pieces of equal length, one right behind the other. */
struct sl_cuda_pieces {
    uint64_t count;
    int64_t bytes; /* of one */
};
/* What takes as long as bytes / largest works of the largest measured size, in pieces no larger
 * than that.  Durations grow with bytes to the power `growth`; 0: not with bytes, so that the
 * number of pieces is the nearest.  A smaller work is one piece. */
struct sl_cuda_pieces sl_cuda_split(int64_t bytes, int64_t largest, double growth);

/* Blocks of a kernel of which `per_sm` fit on a multiprocessor: all that fit, or as many as leave
 * room for three others like it, at most half of the machine. */
uint32_t sl_cuda_blocks(uint32_t multiprocessors, uint32_t per_sm, enum sl_work_shape shape);
#endif
