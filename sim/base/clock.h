/* Time that passes while the program runs; not the date. */
#ifndef SL_CLOCK_H
#define SL_CLOCK_H
#include <stdint.h>
#include <time.h>

/* Seconds since some fixed instant. */
static inline double sl_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The same in ns and to a few ms only, cheap enough to ask for often. */
static inline int64_t sl_clock_coarse_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
#endif
