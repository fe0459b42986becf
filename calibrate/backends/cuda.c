/* The cuda backend. */
#include "config.h"

#include "backend.h"

const struct sl_backend sl_backend_cuda = {
    .name = "cuda",
    .description = "to come",
    .missing = "to come",
};
