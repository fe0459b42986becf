/* Loading the driver: a table of its functions by the names that it exports. */
#include <config.h>

#include "cuda_driver.h"
#include <dlfcn.h>
#include <string.h>

/* The names pass through cuda.h's macros before they become text: cuMemAlloc is "cuMemAlloc_v2". */
#define TEXT_OF(name)  #name
#define EXPORTED(name) TEXT_OF(name)

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
#define SL_CUDA_SYMBOL(name) {EXPORTED(name), offsetof(struct sl_cuda_driver, name)},
#include "cuda_symbols.def"
#undef SL_CUDA_SYMBOL
};

enum sl_status sl_cuda_driver_load(struct sl_cuda_driver *driver, struct sl_error *err)
{
    *driver = (struct sl_cuda_driver){.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!driver->library)
        return SL_FAIL(err, SL_SYSTEM,
                       "no NVIDIA driver here (%s): install one, or measure with --backend cpu",
                       dlerror());
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *address = dlsym(driver->library, symbols[i].name);
        if (!address)
            return SL_FAIL(err, SL_SYSTEM,
                           "the NVIDIA driver is too old: it lacks %s (built for CUDA %d.%d)",
                           symbols[i].name, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
        /* ISO C has no conversion from void * to a pointer to a function; POSIX has their equality.
         */
        memcpy((char *)driver + symbols[i].offset, &address, sizeof address);
    }
    return SL_OK;
}

static const char *init_advice(CUresult result)
{
    switch ((int)result) {
    case CUDA_ERROR_NO_DEVICE:
        return "there is no GPU that this process may use (see nvidia-smi and "
               "CUDA_VISIBLE_DEVICES)";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
        return "the kernel's NVIDIA module and libcuda.so.1 are of different versions: reload the "
               "module or restart the machine";
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
        return "libcuda.so.1 is a compatibility library, which this GPU is not served by: use the "
               "driver's own";
    case CUDA_ERROR_UNKNOWN:
    case CUDA_ERROR_OPERATING_SYSTEM:
        return "the driver does not start (are the NVIDIA modules loaded and /dev/nvidia* there?)";
    default:
        return "CUDA does not start";
    }
}

enum sl_status sl_cuda_driver_init(const struct sl_cuda_driver *driver, struct sl_error *err)
{
    CUresult result = driver->cuInit(0);
    if (result == CUDA_SUCCESS)
        return SL_OK;
    const char *name = NULL;
    driver->cuGetErrorName(result, &name);
    return SL_FAIL(err, SL_SYSTEM, "%s (cuInit: %d%s%s)", init_advice(result), (int)result,
                   name ? ", " : "", name ? name : "");
}

enum sl_status sl_cuda_check(const struct sl_cuda_driver *driver, CUresult result, const char *call,
                             struct sl_error *err)
{
    if (result == CUDA_SUCCESS)
        return SL_OK;
    const char *name = NULL, *text = NULL;
    driver->cuGetErrorName(result, &name);
    driver->cuGetErrorString(result, &text);
    return SL_FAIL(err, SL_SYSTEM, "%s: %s (%s)", call, text ? text : "unknown error",
                   name ? name : "no name");
}
