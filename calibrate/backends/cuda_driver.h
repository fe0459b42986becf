/* The CUDA driver, loaded when it is wanted: a program that has this backend starts on machines
 * without one. */
#ifndef SL_CUDA_DRIVER_H
#define SL_CUDA_DRIVER_H
#include "status.h"
#include <cuda.h>

struct sl_cuda_driver {
    void *library;
#define SL_CUDA_SYMBOL(name) __typeof__(&name) name;
#include "cuda_symbols.def"
#undef SL_CUDA_SYMBOL
};

/* Loads libcuda.so.1, which stays loaded: CUPTI may hold on to it.  SL_SYSTEM with one line: there
 * is none, or it lacks a function. */
enum sl_status sl_cuda_driver_load(struct sl_cuda_driver *driver,
                                   struct sl_error *err) SL_NODISCARD;
/* Initialises CUDA.  SL_SYSTEM with one line that says what to do: no GPU, a driver that doesn't
 * fit its own library, and so on. */
enum sl_status sl_cuda_driver_init(const struct sl_cuda_driver *driver,
                                   struct sl_error *err) SL_NODISCARD;

/* SL_OK of CUDA_SUCCESS, else SL_SYSTEM: "cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY)". */
enum sl_status sl_cuda_check(const struct sl_cuda_driver *driver, CUresult result, const char *call,
                             struct sl_error *err) SL_NODISCARD;

/* Calls a function of the driver and checks it:
 *     status = SL_CUDA(driver, err, cuMemAlloc, &pointer, bytes); */
#define SL_CUDA(driver, err, function, ...)                                                        \
    sl_cuda_check((driver), (driver)->function(__VA_ARGS__), #function, (err))
/* The same, for what must not stop a release: the first error stays the one that is reported. */
#define SL_CUDA_RELEASE(driver, function, ...) ((void)(driver)->function(__VA_ARGS__))
#endif
