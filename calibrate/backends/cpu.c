/* The cpu backend. */
#include "config.h"

#include "backend.h"

const struct sl_backend sl_backend_cpu = {
    .name = "cpu",
    .description = "to come",
    .missing = "to come",
};
