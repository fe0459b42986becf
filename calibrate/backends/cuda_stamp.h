/* What a block of a kernel notes of itself: shared by kernels.cu and the host. */
#ifndef SL_CUDA_STAMP_H
#define SL_CUDA_STAMP_H
#include <stdint.h>

struct sl_cuda_stamp {
    uint64_t start_ns, end_ns; /* of the GPU's global timer; both 0: the block never ran */
    uint32_t sm;               /* multiprocessor */
    uint32_t reserved;
};

enum {
    SL_GEMM_TILE = 128, /* rows and columns of a block's tile: sides are multiples of it */
    SL_CHASE_LINE = 128 /* bytes from one element of a chain to where the next may lie */
};
#endif
