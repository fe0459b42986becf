/* scenario.yaml of passes over layers of which each reads one object that waits in page-locked host
 * memory: fetched on demand, so many layers ahead, just in time, or as early as there is room. */
#ifndef SL_STREAM_YAML_H
#define SL_STREAM_YAML_H
#include "status.h"

struct sl_stream_run {
    const char *head; /* comment lines, each with "# " and a line end */
    const char *name, *description, *device;
    const char *capacities; /* ';'-separated */
    const char *classes;    /* of kernels, whose clock differs from pass to pass */
};

enum sl_status sl_stream_write_yaml(const char *dir, const struct sl_stream_run *run,
                                    struct sl_error *err) SL_NODISCARD;
#endif
