/* Kernels of the cuda backend: one per class of work, the gate, and what fills buffers.
 *
 * Each work is a loop over a grid of any size, so that the host decides how much of the GPU it
 * takes.  Where `stamps` isn't NULL, every block notes when it ran and on which multiprocessor. */
#include "cuda_stamp.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

__device__ static uint64_t now_ns()
{
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

__device__ static void stamp_start(sl_cuda_stamp *stamps)
{
    if (!stamps || threadIdx.x != 0)
        return;
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    stamps[blockIdx.x].sm = sm;
    stamps[blockIdx.x].start_ns = now_ns();
}

__device__ static void stamp_end(sl_cuda_stamp *stamps)
{
    __syncthreads();
    if (stamps && threadIdx.x == 0)
        stamps[blockIdx.x].end_ns = now_ns();
}

/* gate[0] is set by the host to open it, gate[1] here when it was opened by the timeout: both lie
 * in the host's memory. */
extern "C" __global__ void sl_gate(volatile uint32_t *gate, uint64_t timeout_ns)
{
    uint64_t start = now_ns();
    while (gate[0] == 0) {
        if (now_ns() - start > timeout_ns) {
            gate[1] = 1;
            __threadfence_system();
            return;
        }
    }
}

extern "C" __global__ void sl_empty()
{
}

/* a = b + s c, three arrays of `count` vectors each. */
extern "C" __global__ void __launch_bounds__(256)
    sl_triad(float4 *a, const float4 *b, const float4 *c, uint64_t count, sl_cuda_stamp *stamps)
{
    stamp_start(stamps);
    const float s = 0.5f;
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        float4 x = b[i], y = c[i];
        a[i] = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
    }
    stamp_end(stamps);
}

/* Each block follows the chain from a place of its own: `hops` loads of which each waits for the
 * one before.  The sum is stored so that the loads can't be left out. */
extern "C" __global__ void __launch_bounds__(32)
    sl_chase(const uint32_t *chain, uint32_t lines, uint32_t hops, uint32_t *sink,
             sl_cuda_stamp *stamps)
{
    stamp_start(stamps);
    if (threadIdx.x == 0) {
        const uint32_t step = SL_CHASE_LINE / sizeof *chain;
        uint32_t at = (uint32_t)((uint64_t)blockIdx.x * lines / gridDim.x);
        for (uint32_t i = 0; i < hops; i++)
            at = chain[(uint64_t)at * step];
        if (at == UINT32_MAX)
            *sink = at;
    }
    stamp_end(stamps);
}

/* Links all lines, a power of two of them, to one cycle in an order without a stride: a linear
 * congruential generator of full period (Hull and Dobell 1962: odd increment, factor 1 mod 4). */
extern "C" __global__ void sl_link(uint32_t *chain, uint32_t lines)
{
    const uint32_t step = SL_CHASE_LINE / sizeof *chain;
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += stride)
        chain[(uint64_t)i * step] = (i * 1664525u + 1013904223u) & (lines - 1);
}

/* Fills with words whose halves are plain numbers as f16 and bf16, and whose whole is one as f32:
 * multiplying zeros takes less power than multiplying numbers. */
extern "C" __global__ void sl_noise(uint32_t *words, uint64_t count)
{
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        uint32_t hash = (uint32_t)(i ^ (i >> 32)) * 2654435761u;
        hash = (hash ^ (hash >> 15)) * 2246822519u;
        words[i] = ((hash ^ (hash >> 13)) & 0x83ff83ffu) | 0x38003800u;
    }
}

/* c = a b on tensor cores: square matrices of side n (a multiple of SL_GEMM_TILE), row by row;
 * products are summed and stored as f32.  A block makes tiles of 128 x 128 with 8 warps, each a
 * part of 64 x 32, from slices of 32 columns of a and 32 rows of b; while one slice is multiplied,
 * the next is on its way into registers. */
enum {
    SLICE = 32,
    GEMM_THREADS = 256,
    PAD = 8, /* keeps rows apart by other than a multiple of the banks */
    A_PITCH = SLICE + PAD,
    B_PITCH = SL_GEMM_TILE + PAD,
    PARTS = SL_GEMM_TILE * SLICE * 2 / (16 * GEMM_THREADS) /* vectors of 16 bytes a thread loads */
};

struct slice_registers {
    uint4 a[PARTS], b[PARTS];
};

template <typename T>
__device__ static void load_slice(slice_registers &slice, const T *a, const T *b, uint32_t n,
                                  uint32_t row, uint32_t column, uint32_t k)
{
    for (int part = 0; part < PARTS; part++) {
        uint32_t at = (part * GEMM_THREADS + threadIdx.x) * 8;
        slice.a[part] =
            *(const uint4 *)&a[(size_t)(row + at / SLICE) * n + k + at % SLICE];
        slice.b[part] =
            *(const uint4 *)&b[(size_t)(k + at / SL_GEMM_TILE) * n + column + at % SL_GEMM_TILE];
    }
}

template <typename T>
__device__ static void store_slice(const slice_registers &slice, T *a, T *b)
{
    for (int part = 0; part < PARTS; part++) {
        uint32_t at = (part * GEMM_THREADS + threadIdx.x) * 8;
        *(uint4 *)&a[at / SLICE * A_PITCH + at % SLICE] = slice.a[part];
        *(uint4 *)&b[at / SL_GEMM_TILE * B_PITCH + at % SL_GEMM_TILE] = slice.b[part];
    }
}

template <typename T>
__device__ static void gemm_tile(const T *a, const T *b, float *c, uint32_t n, uint32_t row,
                                 uint32_t column, T *slice_a, T *slice_b)
{
    using namespace nvcuda::wmma;
    uint32_t warp = threadIdx.x / 32, warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
    fragment<accumulator, 16, 16, 16, float> sum[4][2];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            fill_fragment(sum[i][j], 0.0f);
    slice_registers next;
    load_slice(next, a, b, n, row, column, 0);
    for (uint32_t k = 0; k < n; k += SLICE) {
        __syncthreads();
        store_slice(next, slice_a, slice_b);
        __syncthreads();
        if (k + SLICE < n)
            load_slice(next, a, b, n, row, column, k + SLICE);
        for (int step = 0; step < SLICE; step += 16) {
            fragment<matrix_b, 16, 16, 16, T, row_major> right[2];
            for (int j = 0; j < 2; j++)
                load_matrix_sync(right[j], &slice_b[step * B_PITCH + warp_column + j * 16], B_PITCH);
            for (int i = 0; i < 4; i++) {
                fragment<matrix_a, 16, 16, 16, T, row_major> left;
                load_matrix_sync(left, &slice_a[(warp_row + i * 16) * A_PITCH + step], A_PITCH);
                for (int j = 0; j < 2; j++)
                    mma_sync(sum[i][j], left, right[j], sum[i][j]);
            }
        }
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            store_matrix_sync(&c[(size_t)(row + warp_row + i * 16) * n + column + warp_column + j * 16],
                              sum[i][j], n, mem_row_major);
}

template <typename T>
__device__ static void gemm(const T *a, const T *b, float *c, uint32_t n, sl_cuda_stamp *stamps)
{
    __shared__ __align__(32) T slice_a[SL_GEMM_TILE * A_PITCH];
    __shared__ __align__(32) T slice_b[SLICE * B_PITCH];
    stamp_start(stamps);
    uint32_t side = n / SL_GEMM_TILE;
    for (uint32_t tile = blockIdx.x; tile < side * side; tile += gridDim.x)
        gemm_tile(a, b, c, n, tile / side * SL_GEMM_TILE, tile % side * SL_GEMM_TILE, slice_a,
                  slice_b);
    stamp_end(stamps);
}

extern "C" __global__ void __launch_bounds__(GEMM_THREADS, 2)
    sl_gemm_f16(const __half *a, const __half *b, float *c, uint32_t n, sl_cuda_stamp *stamps)
{
    gemm(a, b, c, n, stamps);
}

/* Tensor cores take bf16 from compute capability 8.0 on; the host asks for it there only. */
extern "C" __global__ void __launch_bounds__(GEMM_THREADS, 2)
    sl_gemm_bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c, uint32_t n,
                 sl_cuda_stamp *stamps)
{
#if __CUDA_ARCH__ >= 800
    gemm(a, b, c, n, stamps);
#endif
}
