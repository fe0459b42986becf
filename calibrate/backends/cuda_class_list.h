/* The classes of the cuda backend: one struct each in the file of its kind, one line here. */
#ifndef SL_CUDA_CLASS_LIST_H
#define SL_CUDA_CLASS_LIST_H
#include "cuda_bench.h"

/* cuda_copies.c */
extern const struct sl_cuda_class sl_cuda_copy_h2d, sl_cuda_copy_d2h, sl_cuda_copy_d2d,
    sl_cuda_copy_p2p, sl_cuda_memset;
/* cuda_compute.c */
extern const struct sl_cuda_class sl_cuda_gemm, sl_cuda_stream, sl_cuda_latency, sl_cuda_empty;
/* cuda_calls.c */
extern const struct sl_cuda_class sl_cuda_alloc, sl_cuda_map;

#define SL_CUDA_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#endif
