/* A few functions of NVML, by their published signatures: its header is not part of the toolkit's
 * core.  Any of them may be missing. */
#include <config.h>

#include "cuda_nvml.h"
#include <dlfcn.h>
#include <math.h>
#include <string.h>

enum { NVML_SUCCESS = 0, NVML_CLOCK_SM = 1 };

/* Reasons for low clocks that are throttling: the power cap, slowdown by hardware, by heat (as
 * software and hardware see it), by the power brake.  nvml.h: nvmlClocksEventReason*. */
#define THROTTLE_REASONS (0x4ull | 0x8ull | 0x20ull | 0x40ull | 0x80ull)

#define FUNCTIONS(X)                                                                               \
    X(nvmlInit_v2, (void))                                                                         \
    X(nvmlShutdown, (void))                                                                        \
    X(nvmlDeviceGetHandleByPciBusId_v2, (const char *, void **))                                   \
    X(nvmlSystemGetDriverVersion, (char *, unsigned))                                              \
    X(nvmlDeviceGetMaxPcieLinkGeneration, (void *, unsigned *))                                    \
    X(nvmlDeviceGetMaxPcieLinkWidth, (void *, unsigned *))                                         \
    X(nvmlDeviceGetClockInfo, (void *, int, unsigned *))                                           \
    X(nvmlDeviceGetCurrentClocksThrottleReasons, (void *, unsigned long long *))

static struct {
#define MEMBER(name, types) int(*name) types;
    FUNCTIONS(MEMBER)
#undef MEMBER
} api;

/* True when NVML has the function and it succeeded. */
#define SUCCEEDS(name, ...) (api.name && api.name(__VA_ARGS__) == NVML_SUCCESS)

void sl_nvml_open(struct sl_nvml *nvml, const char *bus_id)
{
    *nvml = (struct sl_nvml){.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!nvml->library)
        return;
        /* A function's address becomes its pointer as POSIX allows, not ISO C. */
#define LOAD(name, types)                                                                          \
    memcpy(&api.name, &(void *){dlsym(nvml->library, #name)}, sizeof api.name);
    FUNCTIONS(LOAD)
#undef LOAD
    if (!SUCCEEDS(nvmlInit_v2, ) ||
        !SUCCEEDS(nvmlDeviceGetHandleByPciBusId_v2, bus_id, &nvml->device))
        sl_nvml_close(nvml);
}

void sl_nvml_close(struct sl_nvml *nvml)
{
    if (!nvml->library)
        return;
    (void)SUCCEEDS(nvmlShutdown, );
    dlclose(nvml->library);
    *nvml = (struct sl_nvml){0};
}

void sl_nvml_driver_version(const struct sl_nvml *nvml, char *text, uint32_t size)
{
    if (!nvml->library || !SUCCEEDS(nvmlSystemGetDriverVersion, text, size))
        text[0] = '\0';
}

uint32_t sl_nvml_link_generation(const struct sl_nvml *nvml)
{
    unsigned value = 0;
    bool known =
        nvml->library && SUCCEEDS(nvmlDeviceGetMaxPcieLinkGeneration, nvml->device, &value);
    return known ? value : 0;
}

uint32_t sl_nvml_link_width(const struct sl_nvml *nvml)
{
    unsigned value = 0;
    bool known = nvml->library && SUCCEEDS(nvmlDeviceGetMaxPcieLinkWidth, nvml->device, &value);
    return known ? value : 0;
}

struct sl_nvml_clocks sl_nvml_clocks(const struct sl_nvml *nvml)
{
    struct sl_nvml_clocks clocks = {.sm_mhz = (double)NAN};
    unsigned mhz = 0;
    unsigned long long reasons = 0;
    if (!nvml->library)
        return clocks;
    if (SUCCEEDS(nvmlDeviceGetClockInfo, nvml->device, NVML_CLOCK_SM, &mhz))
        clocks.sm_mhz = mhz;
    clocks.throttled =
        SUCCEEDS(nvmlDeviceGetCurrentClocksThrottleReasons, nvml->device, &reasons) &&
        (reasons & THROTTLE_REASONS) != 0;
    return clocks;
}
