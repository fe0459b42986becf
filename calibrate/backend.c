/* The registry of backends. */
#include "config.h"

#include "backend.h"
#include <string.h>

#define SL_BACKEND(name) extern const struct sl_backend sl_backend_##name;
#include "backends.def"
#undef SL_BACKEND

static const struct sl_backend *const backends[] = {
#define SL_BACKEND(name) &sl_backend_##name,
#include "backends.def"
#undef SL_BACKEND
};

size_t sl_backend_count(void)
{
    return sizeof backends / sizeof backends[0];
}

const struct sl_backend *sl_backend_get(size_t index)
{
    return index < sl_backend_count() ? backends[index] : NULL;
}

const struct sl_backend *sl_backend_find(const char *name)
{
    for (size_t i = 0; i < sl_backend_count(); i++)
        if (strcmp(backends[i]->name, name) == 0)
            return backends[i];
    return NULL;
}
