/* The gate: a kernel that spins on a word of the host's memory, and an event behind it.
 *
 * All streams wait for the event, so that nothing starts while the host is still launching; once
 * the word is set, all go on at once.  The kernel ends by itself after two seconds: what is held
 * back then ran before it was meant to, and says so. */
#include <config.h>

#include "cuda_bench.h"

#define TIMEOUT_NS 2000000000ull

enum { OPEN, TIMED_OUT, FLAGS };

enum sl_status sl_cuda_gate_make(struct sl_bench *bench, struct sl_error *err)
{
    const struct sl_cuda_driver *driver = &bench->driver;
    struct sl_cuda_gate *gate = &bench->gate;
    void *flags = NULL;
    enum sl_status status =
        SL_CUDA(driver, err, cuStreamCreate, &gate->stream, CU_STREAM_NON_BLOCKING);
    if (status == SL_OK)
        status = SL_CUDA(driver, err, cuEventCreate, &gate->opened, CU_EVENT_DISABLE_TIMING);
    if (status == SL_OK)
        status = SL_CUDA(driver, err, cuMemHostAlloc, &flags, FLAGS * sizeof *gate->flags,
                         CU_MEMHOSTALLOC_DEVICEMAP);
    gate->flags = flags;
    if (status == SL_OK)
        status = SL_CUDA(driver, err, cuMemHostGetDevicePointer, &gate->device_flags, flags, 0);
    return status;
}

void sl_cuda_gate_free(struct sl_bench *bench)
{
    struct sl_cuda_gate *gate = &bench->gate;
    if (gate->flags)
        SL_CUDA_RELEASE(&bench->driver, cuMemFreeHost, (void *)(uintptr_t)gate->flags);
    if (gate->opened)
        SL_CUDA_RELEASE(&bench->driver, cuEventDestroy, gate->opened);
    if (gate->stream)
        SL_CUDA_RELEASE(&bench->driver, cuStreamDestroy, gate->stream);
    *gate = (struct sl_cuda_gate){0};
}

enum sl_status sl_cuda_gate_close(struct sl_bench *bench, struct sl_error *err)
{
    struct sl_cuda_gate *gate = &bench->gate;
    uint64_t timeout_ns = TIMEOUT_NS;
    void *arguments[] = {&gate->device_flags, &timeout_ns};
    gate->flags[OPEN] = gate->flags[TIMED_OUT] = 0;
    enum sl_status status =
        sl_cuda_run_kernel(bench, gate->stream, SL_CUDA_FN_GATE, 1, arguments, err);
    if (status == SL_OK)
        status = SL_CUDA(&bench->driver, err, cuEventRecord, gate->opened, gate->stream);
    return status;
}

void sl_cuda_gate_open(struct sl_bench *bench)
{
    __atomic_store_n(&bench->gate.flags[OPEN], 1, __ATOMIC_SEQ_CST);
}

bool sl_cuda_gate_timed_out(const struct sl_bench *bench)
{
    return bench->gate.flags[TIMED_OUT] != 0;
}
