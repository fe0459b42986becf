/* Sizes of works, from peaks. */
#include <config.h>

#include "cuda_sizes.h"
#include "cuda_stamp.h"
#include <math.h>

#define MIB              ((int64_t)1 << 20)
#define PCIE_BYTES_S     64e9 /* PCIe 5.0 x16; slower links only make units longer */
#define MEMORY_BYTES_S   8e12 /* HBM3e, where the driver does not say: a longer unit does no harm */
#define COHERENT_BYTES_S 450e9 /* NVLink-C2C, one direction */

static int64_t power_of_two_above(double bytes)
{
    int64_t size = MIB;
    while ((double)size < bytes && size < (int64_t)1 << 40)
        size *= 2;
    return size;
}

/* A unit of a link or a memory: long enough, and small beside the memory. */
static int64_t unit_of(const struct sl_cuda_capacity *capacity, double bytes_per_s)
{
    int64_t unit = power_of_two_above(bytes_per_s * SL_CUDA_UNIT_S);
    while (unit > MIB && unit > capacity->memory_bytes / 64)
        unit /= 2;
    return unit;
}

int64_t sl_cuda_memory_unit(const struct sl_cuda_capacity *capacity)
{
    bool known = capacity->memory_bytes_per_s > 0;
    return unit_of(capacity, known ? capacity->memory_bytes_per_s : MEMORY_BYTES_S);
}

int64_t sl_cuda_link_unit(const struct sl_cuda_capacity *capacity)
{
    return unit_of(capacity, capacity->coherent_link ? COHERENT_BYTES_S : PCIE_BYTES_S);
}

/* Dense f16 products with f32 sums, per multiprocessor and clock (CUDA C++ Programming Guide and
 * the whitepapers of the architectures): 8.0 1024 multiply-adds, 9.0 and 10.x 2048, others 512. */
static double flop_per_clock(int major, int minor)
{
    if (major == 9 || major == 10)
        return 2 * 2048;
    return major == 8 && minor == 0 ? 2 * 1024 : 2 * 512;
}

static uint32_t round_side(double side)
{
    double tiles = ceil(side / SL_GEMM_TILE);
    return (uint32_t)fmin(fmax(tiles, 1), 256) * SL_GEMM_TILE;
}

uint32_t sl_cuda_gemm_side(const struct sl_cuda_capacity *capacity, double seconds)
{
    double flop = seconds * 0.5 * capacity->multiprocessors * capacity->clock_hz *
                  flop_per_clock(capacity->major, capacity->minor);
    return round_side(cbrt(flop / 2));
}

int64_t sl_cuda_gemm_bytes(uint32_t side)
{
    return 8 * (int64_t)side * side;
}

uint32_t sl_cuda_gemm_side_of(int64_t bytes)
{
    return round_side(sqrt((double)bytes / 8));
}

uint32_t sl_cuda_gemm_side_near(int64_t bytes)
{
    uint32_t above = sl_cuda_gemm_side_of(bytes), below = above - SL_GEMM_TILE;
    double target = pow((double)bytes / 8, 1.5);
    bool is_below = below > 0 && pow(above, 3) - target > target - pow(below, 3);
    return is_below ? below : above;
}

struct sl_cuda_pieces sl_cuda_split(int64_t bytes, int64_t largest, double growth)
{
    if (bytes <= largest)
        return (struct sl_cuda_pieces){1, bytes};
    double whole = (double)bytes / (double)largest;
    if (growth == 0)
        return (struct sl_cuda_pieces){(uint64_t)llround(whole), largest};
    double count = ceil(whole);
    return (struct sl_cuda_pieces){(uint64_t)count,
                                   (int64_t)((double)largest * pow(whole / count, 1 / growth))};
}

uint32_t sl_cuda_blocks(uint32_t multiprocessors, uint32_t per_sm, enum sl_work_shape shape)
{
    if (shape == SL_SHAPE_FILL)
        return multiprocessors * per_sm;
    uint32_t blocks =
        per_sm > 1 ? multiprocessors * (per_sm >= 4 ? per_sm / 4 : 1) : multiprocessors / 2;
    return blocks > 0 ? blocks : 1;
}
