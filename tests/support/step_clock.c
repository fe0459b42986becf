/* Preloaded into a program: a wall clock that is set ten years back and forth at every look at it.
 * The monotonic clocks go on. */
#include <config.h>

#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define STEP (10L * 365 * 24 * 3600)

static time_t stepped(time_t now)
{
    static atomic_uint looks;
    return atomic_fetch_add(&looks, 1) % 2 == 0 ? now + STEP : now - STEP;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    long code = syscall(SYS_clock_gettime, clock, now);
    if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec = stepped(now->tv_sec);
    return (int)code;
}

time_t time(time_t *out)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    struct timespec exact = {0};
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}
