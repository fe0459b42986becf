/* The clocks of a measurement: the host's, and that of the GPU's events, which only tell how long
 * after another one they were. */
#include <config.h>

#include "cuda_bench.h"
#include "cuda_cupti.h"
#include <sys/resource.h>

enum {
    TRIPS = 8,             /* to the GPU and back, at most */
    SHORT_TRIP_NS = 20000, /* one that nothing held up */
};

/* The event is over somewhere between the two looks at the clock: in the middle, by half a trip at
 * most. */
enum sl_status sl_cuda_set_base(struct sl_bench *bench, struct sl_error *err)
{
    enum sl_status status = SL_OK;
    int64_t trip_ns = INT64_MAX;
    for (int i = 0; i < TRIPS && trip_ns > SHORT_TRIP_NS && status == SL_OK; i++) {
        int64_t before_ns = sl_cuda_now_ns();
        status = SL_CUDA(&bench->driver, err, cuEventRecord, bench->base, bench->gate.stream);
        if (status == SL_OK)
            status = SL_CUDA(&bench->driver, err, cuEventSynchronize, bench->base);
        trip_ns = sl_cuda_now_ns() - before_ns;
        bench->base_ns = before_ns + trip_ns / 2;
    }
    return status;
}

enum sl_status sl_cuda_event_ns(struct sl_bench *bench, CUevent event, int64_t *ns,
                                struct sl_error *err)
{
    float ms = 0;
    enum sl_status status =
        SL_CUDA(&bench->driver, err, cuEventElapsedTime, &ms, bench->base, event);
    *ns = bench->base_ns + (int64_t)(1e6 * (double)ms);
    return status;
}

uint64_t sl_cuda_preemptions(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_nivcsw;
}

void sl_cuda_set_timer(struct sl_bench *bench, bool cupti)
{
    if (bench->collecting != cupti)
        sl_cupti_collect(cupti);
    bench->collecting = cupti;
    sl_cupti_take();
    bench->epoch++;
}
