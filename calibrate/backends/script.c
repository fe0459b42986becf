/* The script backend. */
#include "config.h"

#include "backend.h"

const struct sl_backend sl_backend_script = {
    .name = "script",
    .description = "to come",
    .missing = "to come",
};
