/* Kernels of ours: products on tensor cores, a triad, a pointer chase, and one that does nothing.
 */
#include <config.h>

#include "cuda_class_list.h"

enum { CHASE_HOPS = 1024 }; /* some 0.6 ms where each goes to the GPU's memory */

static enum sl_status launch_gemm(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                  const struct sl_cuda_unit *unit,
                                  enum sl_cuda_function_index function, struct sl_error *err)
{
    uint32_t side = sl_cuda_gemm_side_of(unit->bytes);
    size_t matrix = (size_t)side * side;
    CUdeviceptr a = actor->work.device, b = a + 2 * matrix, c = b + 2 * matrix;
    CUdeviceptr stamps = unit->stamps;
    void *arguments[] = {&a, &b, &c, &side, &stamps};
    return sl_cuda_run_kernel(bench, actor->stream, function, unit->blocks, arguments, err);
}

static enum sl_status launch_gemm_f16(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                      const struct sl_cuda_unit *unit, struct sl_error *err)
{
    return launch_gemm(bench, actor, unit, SL_CUDA_FN_GEMM_F16, err);
}

static enum sl_status launch_gemm_bf16(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                       const struct sl_cuda_unit *unit, struct sl_error *err)
{
    return launch_gemm(bench, actor, unit, SL_CUDA_FN_GEMM_BF16, err);
}

/* A third of the bytes is written, two thirds are read. */
static enum sl_status launch_triad(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                   const struct sl_cuda_unit *unit, struct sl_error *err)
{
    const uint64_t vector = 16;
    uint64_t count = (uint64_t)unit->bytes / 3 / vector;
    CUdeviceptr a = actor->work.device, b = a + count * vector, c = b + count * vector;
    CUdeviceptr stamps = unit->stamps;
    void *arguments[] = {&a, &b, &c, &count, &stamps};
    return sl_cuda_run_kernel(bench, actor->stream, SL_CUDA_FN_TRIAD, unit->blocks, arguments, err);
}

/* A chain is a power of two of lines. */
static uint32_t lines_of(int64_t bytes)
{
    uint32_t lines = 1;
    while (lines < 1u << 31 && (int64_t)lines * 2 * SL_CHASE_LINE <= bytes)
        lines *= 2;
    return lines;
}

static enum sl_status launch_chase(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                   const struct sl_cuda_unit *unit, struct sl_error *err)
{
    uint32_t lines = lines_of(unit->bytes), hops = CHASE_HOPS;
    CUdeviceptr chain = actor->chain.device + (CUdeviceptr)lines * SL_CHASE_LINE;
    CUdeviceptr sink = actor->work.device, stamps = unit->stamps;
    void *arguments[] = {&chain, &lines, &hops, &sink, &stamps};
    return sl_cuda_run_kernel(bench, actor->stream, SL_CUDA_FN_CHASE, unit->blocks, arguments, err);
}

static enum sl_status launch_empty(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                   const struct sl_cuda_unit *unit, struct sl_error *err)
{
    (void)unit;
    return sl_cuda_run_kernel(bench, actor->stream, SL_CUDA_FN_EMPTY, 1, NULL, err);
}

static enum sl_status step_launch(struct sl_bench *bench, struct sl_cuda_actor *actor,
                                  int64_t bytes, struct sl_error *err)
{
    (void)bytes;
    return launch_empty(bench, actor, NULL, err);
}

static struct sl_cuda_need need_bytes(const struct sl_bench *bench, int64_t bytes)
{
    (void)bench;
    return (struct sl_cuda_need){.work = (size_t)bytes};
}

static struct sl_cuda_need need_gemm(const struct sl_bench *bench, int64_t bytes)
{
    (void)bench;
    return (struct sl_cuda_need){.work = (size_t)sl_cuda_gemm_bytes(sl_cuda_gemm_side_of(bytes))};
}

static struct sl_cuda_need need_chain(const struct sl_bench *bench, int64_t bytes)
{
    (void)bench;
    return (struct sl_cuda_need){.work = sizeof(uint32_t),
                                 .chain = (size_t)lines_of(bytes) * SL_CHASE_LINE};
}

static struct sl_cuda_need need_nothing(const struct sl_bench *bench, int64_t bytes)
{
    (void)bench;
    (void)bytes;
    return (struct sl_cuda_need){0};
}

/* Sides that common layers have, and those that last as long as a unit and a victim should. */
static bool size_gemm(struct sl_bench *bench, struct sl_work_class *klass)
{
    uint32_t unit = sl_cuda_gemm_side(&bench->capacity, SL_CUDA_UNIT_S);
    uint32_t victim = sl_cuda_gemm_side(&bench->capacity, SL_CUDA_VICTIM_UNITS * SL_CUDA_UNIT_S);
    const uint32_t sides[] = {1024, 2048, 4096, 8192, unit, victim};
    int64_t sizes[SL_CUDA_COUNT(sides)];
    for (size_t i = 0; i < SL_CUDA_COUNT(sides); i++)
        sizes[i] = sl_cuda_gemm_bytes(sides[i]);
    klass->unit_bytes = sl_cuda_gemm_bytes(unit);
    klass->victim_bytes = sl_cuda_gemm_bytes(victim);
    if (!sl_cuda_set_sizes(bench, klass, sizes, SL_CUDA_COUNT(sizes),
                           bench->capacity.memory_bytes / 16))
        return false;
    double *flops = sl_arena_array(&bench->arena, klass->size_count, sizeof *flops);
    for (uint32_t i = 0; flops && i < klass->size_count; i++) {
        double side = sl_cuda_gemm_side_of(klass->sizes[i]);
        flops[i] = 2 * side * side * side;
    }
    klass->flops = flops;
    return flops != NULL;
}

static bool size_triad(struct sl_bench *bench, struct sl_work_class *klass)
{
    int64_t unit = sl_cuda_memory_unit(&bench->capacity);
    const int64_t sizes[] = {1 << 20, 16 << 20, unit, SL_CUDA_VICTIM_UNITS * unit};
    klass->unit_bytes = unit;
    klass->victim_bytes = SL_CUDA_VICTIM_UNITS * unit;
    return sl_cuda_set_sizes(bench, klass, sizes, SL_CUDA_COUNT(sizes), klass->victim_bytes);
}

/* Working sets that lie in L1, in L2 and in memory; the number of loads is the same. */
static bool size_chase(struct sl_bench *bench, struct sl_work_class *klass)
{
    int64_t large = sl_cuda_memory_unit(&bench->capacity);
    const int64_t sizes[] = {64 << 10, 8 << 20, large};
    klass->unit_bytes = klass->victim_bytes = large;
    return sl_cuda_set_sizes(bench, klass, sizes, SL_CUDA_COUNT(sizes), large);
}

/* No bytes; tables want a size of 1 or more. */
static bool size_empty(struct sl_bench *bench, struct sl_work_class *klass)
{
    const int64_t sizes[] = {1};
    return sl_cuda_set_sizes(bench, klass, sizes, 1, 1);
}

#define KERNEL_FORM(type, by, temperature, way, kernel, needs, launches)                           \
    .columns = {.variant = type,                                                                   \
                .dir = "",                                                                         \
                .mem_kind = "device",                                                              \
                .launch = by,                                                                      \
                .cache = temperature},                                                             \
    .manner = way, .function = kernel, .need = needs, .launch = launches

static const struct sl_cuda_form gemm_forms[] = {
    {KERNEL_FORM("f16", "stream", "warm", SL_CUDA_GATED, SL_CUDA_FN_GEMM_F16, need_gemm,
                 launch_gemm_f16),
     .warm = true},
    {KERNEL_FORM("f16", "stream", "cold", SL_CUDA_GATED, SL_CUDA_FN_GEMM_F16, need_gemm,
                 launch_gemm_f16),
     .cold = true},
    {KERNEL_FORM("f16", "graph", "warm", SL_CUDA_GRAPH, SL_CUDA_FN_GEMM_F16, need_gemm,
                 launch_gemm_f16),
     .warm = true},
    {KERNEL_FORM("bf16", "stream", "warm", SL_CUDA_GATED, SL_CUDA_FN_GEMM_BF16, need_gemm,
                 launch_gemm_bf16),
     .warm = true},
};
static const struct sl_cuda_form triad_forms[] = {
    {KERNEL_FORM("f32", "stream", "warm", SL_CUDA_GATED, SL_CUDA_FN_TRIAD, need_bytes,
                 launch_triad),
     .warm = true},
    {KERNEL_FORM("f32", "stream", "cold", SL_CUDA_GATED, SL_CUDA_FN_TRIAD, need_bytes,
                 launch_triad),
     .cold = true},
    {KERNEL_FORM("f32", "graph", "warm", SL_CUDA_GRAPH, SL_CUDA_FN_TRIAD, need_bytes, launch_triad),
     .warm = true},
};
static const struct sl_cuda_form chase_forms[] = {
    {KERNEL_FORM("", "stream", "warm", SL_CUDA_GATED, SL_CUDA_FN_CHASE, need_chain, launch_chase),
     .warm = true},
    {KERNEL_FORM("", "stream", "cold", SL_CUDA_GATED, SL_CUDA_FN_CHASE, need_chain, launch_chase),
     .cold = true},
};

static const sl_cuda_step launch_steps[] = {step_launch};

static const struct sl_cuda_form empty_forms[] = {
    {.columns = {.variant = "", .dir = "", .mem_kind = "", .launch = "stream", .cache = ""},
     .manner = SL_CUDA_DIRECT,
     .function = SL_CUDA_FUNCTIONS,
     .need = need_nothing,
     .launch = launch_empty},
    {.columns = {.variant = "", .dir = "", .mem_kind = "", .launch = "graph", .cache = ""},
     .manner = SL_CUDA_GRAPH,
     .function = SL_CUDA_FUNCTIONS,
     .need = need_nothing,
     .launch = launch_empty},
    {.columns = {.variant = "call", .dir = "", .mem_kind = "", .launch = "stream", .cache = ""},
     .manner = SL_CUDA_CALLS,
     .function = SL_CUDA_FUNCTIONS,
     .need = need_nothing,
     .steps = launch_steps,
     .step_count = 1,
     .timed_to = 1},
};

const struct sl_cuda_class sl_cuda_gemm = {
    .name = "gemm",
    .description = "product of square matrices on tensor cores, sums in f32",
    .forms = gemm_forms,
    .form_count = SL_CUDA_COUNT(gemm_forms),
    .shaped = true,
    .growth = 1.5,
    .size = size_gemm,
};
const struct sl_cuda_class sl_cuda_stream = {
    .name = "stream",
    .description = "triad a = b + s c over the GPU's memory; bytes count all three",
    .forms = triad_forms,
    .form_count = SL_CUDA_COUNT(triad_forms),
    .shaped = true,
    .growth = 1,
    .size = size_triad,
};
const struct sl_cuda_class sl_cuda_latency = {
    .name = "latency",
    .description =
        "1024 loads of which each waits for the one before, in so many bytes (a power of two)",
    .forms = chase_forms,
    .form_count = SL_CUDA_COUNT(chase_forms),
    .shaped = true,
    .size = size_chase,
};
const struct sl_cuda_class sl_cuda_empty = {
    .name = "launch",
    .description = "a kernel that does nothing: its launch latency; variant call: the call itself",
    .forms = empty_forms,
    .form_count = SL_CUDA_COUNT(empty_forms),
    .size = size_empty,
};
