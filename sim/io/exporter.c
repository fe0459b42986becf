/* The registry of exporters. */
#include <config.h>

#include "exporter.h"

static const struct sl_exporter *const exporters[] = {
#define SL_EXPORTER(name) &sl_exporter_##name,
#include "exporters.def"
#undef SL_EXPORTER
};

size_t sl_exporter_count(void)
{
    return sizeof exporters / sizeof *exporters;
}

const struct sl_exporter *sl_exporter_get(size_t index)
{
    return exporters[index];
}
