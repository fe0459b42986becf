/* The longest path of SL_BATCH trials at once: vectors of times per place. */
#include "batch.h"
#include "isa.h"

#define WIDTH 4 /* what AVX2 takes; the compiler splits a wider one through memory */
#define PARTS (SL_BATCH / WIDTH)

typedef int64_t times_t __attribute__((vector_size(8 * WIDTH), may_alias));

#define EACH_PART(h)          _Pragma("GCC unroll 2") for (size_t h = 0; h < PARTS; h++)
#define LATER_OF(later, a, b) (((a) & (later)) | ((b) & ~(later)))

static SL_ALWAYS_INLINE times_t *times_of(struct sl_eight *eight)
{
    return (times_t *)(void *)eight;
}

/* The same node's value in WIDTH trials. */
#define ACROSS(base, stride)                                                                       \
    ((times_t){(base)[0], (base)[(stride)], (base)[2 * (stride)], (base)[3 * (stride)]})

/* The first of the latest conditions binds: that is the order of their list. */
static SL_ALWAYS_INLINE void pass(const struct batch_plan *plan, struct batch_run *run,
                                  bool recorded)
{
    const uint32_t *first = plan->first, *from = plan->from;
    const int64_t *lag = plan->lag_ps;
    size_t stride = run->stride;
    times_t *finish = times_of(run->finish), last[PARTS] = {{0}};
    uint32_t n = plan->place_count;
    for (uint32_t place = 1; place <= n; place++) {
        uint32_t node = plan->node[place];
        times_t at[PARTS], why[PARTS];
        EACH_PART(h)
        at[h] = why[h] = (times_t){0} - 1;
        for (uint32_t c = first[place]; c < first[place + 1]; c++)
            EACH_PART(h)
            {
                times_t end = finish[from[c] * (size_t)PARTS + h] + lag[c], later = end > at[h];
                at[h] = LATER_OF(later, end, at[h]);
                if (recorded)
                    why[h] = LATER_OF(later, (times_t){0} + (int64_t)plan->why[c], why[h]);
            }
        EACH_PART(h)
        {
            size_t k = place * (size_t)PARTS + h;
            const int64_t *hold = run->hold + node + h * WIDTH * stride;
            times_t done = at[h] + ACROSS(hold, stride);
            if (recorded) {
                times_of(run->start)[k] = at[h];
                times_of(run->free)[k] = done;
                times_of(run->why)[k] = why[h];
            }
            if (run->latency) {
                const int64_t *latency = run->latency + node + h * WIDTH * stride;
                done += ACROSS(latency, stride);
            }
            finish[k] = done;
            times_t later = done > last[h];
            last[h] = LATER_OF(later, done, last[h]);
        }
    }
    EACH_PART(h)
    times_of(run->makespan)[h] = last[h];
}

static SL_ALWAYS_INLINE void full_body(const struct batch_plan *plan, struct batch_run *run)
{
    pass(plan, run, true);
}
SL_FOR_EACH_ISA(full, (const struct batch_plan *plan, struct batch_run *run), (plan, run))

static SL_ALWAYS_INLINE void makespans_body(const struct batch_plan *plan, struct batch_run *run)
{
    pass(plan, run, false);
}
SL_FOR_EACH_ISA(makespans, (const struct batch_plan *plan, struct batch_run *run), (plan, run))

void sl_batch_pass(const struct batch_plan *plan, struct batch_run *run)
{
    full(plan, run);
}

void sl_batch_makespans(const struct batch_plan *plan, struct batch_run *run)
{
    makespans(plan, run);
}
