/* NVML, loaded where it is there: clocks and what holds them down.  It only ever reads. */
#ifndef SL_CUDA_NVML_H
#define SL_CUDA_NVML_H
#include <stdbool.h>
#include <stdint.h>

struct sl_nvml {
    void *library; /* NULL: none, and nothing is known */
    void *device;
};

/* `bus_id` as the driver writes it: "0000:3b:00.0". */
void sl_nvml_open(struct sl_nvml *nvml, const char *bus_id);
void sl_nvml_close(struct sl_nvml *nvml);

/* Empty where it is not known. */
void sl_nvml_driver_version(const struct sl_nvml *nvml, char *text, uint32_t size);
/* 0 where it is not known. */
uint32_t sl_nvml_link_generation(const struct sl_nvml *nvml);
uint32_t sl_nvml_link_width(const struct sl_nvml *nvml);

struct sl_nvml_clocks {
    double sm_mhz;  /* NAN: not known */
    bool throttled; /* by power, heat or a slowdown signal; idle and set clocks are not that */
};
struct sl_nvml_clocks sl_nvml_clocks(const struct sl_nvml *nvml);
#endif
