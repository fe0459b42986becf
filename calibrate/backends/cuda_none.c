/* The cuda backend of a program that was built without a CUDA toolkit. */
#include <config.h>

#include "backend.h"

const struct sl_backend sl_backend_cuda = {
    .name = "cuda",
    .description = "an NVIDIA GPU: copies, kernels, memory calls and launches, timed by CUPTI",
    .missing = "built without CUDA: install a CUDA toolkit 12.8 or newer with CUPTI, run "
               "./configure --with-cuda=DIR and make again",
};
